//! `hookward trust` and `hookward revoke`: the only ways in which trust comes and goes.

use std::process::ExitCode;

use hookward_contract::{DefinitionHash, SourceKind};
use hookward_policy::{Consent, Hook, Lockfile, Review, Snapshot, SourceState, Trust};
use serde_json::json;

use super::list::{short, waits};
use super::review;
use crate::args;
use crate::error::CliError;
use crate::output::{Output, Tone, ask, counted, somebody_to_ask};
use crate::world::{Changed, World, find_hooks, now};

pub(crate) fn run(
    world: &World,
    options: &args::Trust,
    output: &Output,
) -> Result<ExitCode, CliError> {
    if let Some(path) = &options.export {
        return export(world, path, output);
    }
    let snapshot = world.snapshot();
    if snapshot.trust_report().state == SourceState::Broken {
        return Err(CliError::new(
            format!(
                "the trust store {} cannot be used",
                snapshot.trust_report().path
            ),
            "`hookward doctor` says why; `hookward doctor --set-aside-trust` starts a new one",
        ));
    }
    let reviews = choose(&snapshot, options)?;
    let chosen: Vec<&Hook> = reviews.iter().map(Review::hook).collect();
    let consent = consent(world, &chosen, options)?;
    if chosen.is_empty() && consent == Consent::Hooks {
        review::refuse_broken(&snapshot, output)?;
        output.say("Nothing to trust: no hook waits for you.");
        output.document(&json!({"changed": []}))?;
        return Ok(ExitCode::SUCCESS);
    }
    if !options.yes && needs_question(&chosen, options) {
        confirm(world, &reviews, &snapshot, consent, output)?;
    }
    grant(world, &reviews, consent, output)?;
    output.document(&json!({
        "changed": chosen.iter().map(|hook| json!({
            "id": hook.id, "source": hook.source, "hash": hook.hash, "trust": "trusted",
        })).collect::<Vec<_>>(),
        "workspace": consent == Consent::HooksAndWorkspace,
    }))?;
    review::refuse_broken(&snapshot, output)?;
    Ok(ExitCode::SUCCESS)
}

/// How far the command goes: a project is trusted only where that was said or will be asked.
fn consent(world: &World, chosen: &[&Hook], options: &args::Trust) -> Result<Consent, CliError> {
    let foreign = chosen
        .iter()
        .filter(|hook| hook.trust == Trust::UntrustedWorkspace)
        .count();
    if options.workspace || foreign > 0 && (options.lockfile.is_some() || will_ask(options)) {
        return Ok(Consent::HooksAndWorkspace);
    }
    if foreign == 0 {
        return Ok(Consent::Hooks);
    }
    Err(CliError::new(
        format!(
            "{} from the project {}, which is not trusted yet",
            counted(foreign, "hook is", "hooks are"),
            world.project.root
        ),
        "look at its hooks with `hookward review`, then add --workspace",
    ))
}

fn will_ask(options: &args::Trust) -> bool {
    options.all && !options.yes
}

/// Whoever types a hash has seen the definition, and can be asked about the content of its files
/// only where there is a terminal; scripts hand over hashes. Everything else is shown and asked
/// about everywhere.
fn needs_question(chosen: &[&Hook], options: &args::Trust) -> bool {
    let by_hash = |word: &String| chosen.iter().all(|hook| hook.id.as_str() != word);
    options.all || !options.hashes.iter().all(by_hash) || somebody_to_ask()
}

/// Trusts these hooks, all or none, and records it.
pub(crate) fn grant(
    world: &World,
    reviews: &[Review],
    consent: Consent,
    output: &Output,
) -> Result<(), CliError> {
    world
        .trust_store()
        .trust(&world.project, reviews, consent, &now())
        .map_err(CliError::policy)?;
    if consent == Consent::HooksAndWorkspace {
        world.record("workspace_trusted", Changed::default(), output);
        let root = &world.project.root;
        output.say(format!("{} project {root}", good(output, "trusted")));
    }
    for hook in reviews.iter().map(Review::hook) {
        world.record("trusted", Changed::hook(hook), output);
        output.say(format!(
            "{} {} ({})  {}",
            good(output, "trusted"),
            hook.id,
            hook.source,
            short(&hook.hash)
        ));
        review::show_advice(hook, output);
    }
    Ok(())
}

fn good(output: &Output, word: &str) -> String {
    output.paint(Tone::Good, word)
}

/// What the command is about, with the content of its files read once: what is shown, compared with
/// a lockfile and trusted is the same.
fn choose(snapshot: &Snapshot, options: &args::Trust) -> Result<Vec<Review>, CliError> {
    let review = |hook: &Hook| snapshot.review(hook).map_err(CliError::policy);
    let waiting = snapshot.hooks().iter().filter(|hook| can_be_trusted(hook));
    if let Some(path) = &options.lockfile {
        let lockfile = Lockfile::read(path).map_err(CliError::policy)?;
        // A hook whose files cannot be read is not what was reviewed.
        let reviews = waiting.filter_map(|hook| snapshot.review(hook).ok());
        return Ok(reviews
            .filter(|review| lockfile.allows(&snapshot.lock(review)))
            .collect());
    }
    if options.all {
        return waiting.map(review).collect();
    }
    if options.hashes.is_empty() && !options.workspace {
        return Err(CliError::new(
            "trust what?",
            "`hookward review` shows what waits; name its hash, or use --all",
        ));
    }
    let hooks = find_hooks(snapshot, &options.hashes)?;
    match hooks.iter().find(|hook| hook.trust == Trust::BrokenSource) {
        Some(hook) => Err(CliError::new(
            format!(
                "hook {} cannot be trusted: the file that holds it cannot be read",
                hook.id
            ),
            "`hookward list` shows what is wrong with the file",
        )),
        None => hooks
            .into_iter()
            .filter(|hook| waits(hook))
            .map(review)
            .collect(),
    }
}

fn can_be_trusted(hook: &Hook) -> bool {
    waits(hook) && hook.trust != Trust::BrokenSource
}

/// Shows everything that is about to be trusted and asks.
fn confirm(
    world: &World,
    reviews: &[Review],
    snapshot: &Snapshot,
    consent: Consent,
    output: &Output,
) -> Result<(), CliError> {
    for review in reviews {
        review::show(review, snapshot, output);
    }
    let these = match reviews.len() {
        0 => String::new(),
        1 => "this hook".to_owned(),
        count => format!("these {count} hooks"),
    };
    let question = match consent {
        Consent::Hooks => format!("Trust {these}?"),
        Consent::HooksAndWorkspace => {
            let and = if reviews.is_empty() { "" } else { " and " };
            format!("Trust {these}{and}the project {}?", world.project.root)
        }
    };
    match ask(&question) {
        Some(true) => Ok(()),
        Some(false) => Err(CliError::Declined),
        None => Err(CliError::NobodyToAsk {
            question: format!("{question} There is no terminal to ask on."),
            help: "review them with `hookward review`, then pass --yes".to_owned(),
        }),
    }
}

fn export(world: &World, path: &camino::Utf8Path, output: &Output) -> Result<ExitCode, CliError> {
    let snapshot = world.snapshot();
    let trusted = snapshot
        .hooks()
        .iter()
        .filter(|hook| hook.trust == Trust::Trusted);
    let reviews: Result<Vec<_>, _> = trusted.map(|hook| snapshot.review(hook)).collect();
    let reviews = reviews.map_err(CliError::policy)?;
    let lockfile = Lockfile::new(reviews.iter().map(|review| snapshot.lock(review)).collect());
    if path.exists() && Lockfile::read(path).is_err() {
        return Err(CliError::new(
            format!("{path} exists and is not a lockfile"),
            "choose another name",
        ));
    }
    std::fs::write(path, lockfile.to_text()).map_err(CliError::file("writing", path))?;
    output.say(format!(
        "{} hooks written to {path}",
        lockfile.hooks().len()
    ));
    output.document(&json!({"changed": []}))?;
    Ok(ExitCode::SUCCESS)
}

/// Takes trust back from definitions, and from the project.
pub(crate) fn revoke(
    world: &World,
    words: &[String],
    workspace: bool,
    output: &Output,
) -> Result<ExitCode, CliError> {
    let mut store = world.trust_store();
    let mut changed = Vec::new();
    for word in words {
        let hash = trusted_hash(world, word)?;
        let known = store.record(&hash).cloned();
        store.revoke(&hash).map_err(CliError::policy)?;
        let about = Changed {
            hash: Some(&hash),
            hook_id: known.as_ref().map(|record| &record.hook_id),
            source: known.as_ref().map(|record| record.source),
        };
        world.record("revoked", about, output);
        output.say(format!(
            "{} {}",
            output.paint(Tone::Warning, "revoked"),
            short(&hash)
        ));
        changed.push(hash);
    }
    if workspace {
        store
            .revoke_workspace(&world.project.identity)
            .map_err(CliError::policy)?;
        let about = Changed {
            source: Some(SourceKind::Project),
            ..Changed::default()
        };
        world.record("workspace_revoked", about, output);
        output.say(format!(
            "{} project {}",
            output.paint(Tone::Warning, "revoked"),
            world.project.root
        ));
    }
    output.document(&json!({"changed": changed, "workspace": workspace}))?;
    Ok(ExitCode::SUCCESS)
}

/// The trusted definition that `word` names: a hash, its first digits, or the id of a hook.
fn trusted_hash(world: &World, word: &str) -> Result<DefinitionHash, CliError> {
    let digits = |text: &str| text.strip_prefix("sha256:").unwrap_or(text).to_owned();
    let prefix = digits(word);
    let store = world.trust_store();
    let mut named: Vec<_> = store
        .records()
        .iter()
        .filter(|record| {
            record.hook_id.as_str() == word
                || prefix.len() >= 8 && digits(record.definition_hash.as_str()).starts_with(&prefix)
        })
        .map(|record| record.definition_hash.clone())
        .collect();
    named.sort();
    named.dedup();
    match named.len() {
        1 => Ok(named.remove(0)),
        0 => Err(CliError::new(
            format!("nothing that is trusted is called `{word}` or has that hash"),
            "`hookward list` shows ids and hashes",
        )),
        count => Err(CliError::new(
            format!("`{word}` names {count} trusted definitions"),
            "use the hash",
        )),
    }
}
