//! `hookward trust` and `hookward revoke`: the only ways in which trust comes and goes.

use std::process::ExitCode;

use hookward_contract::{DefinitionHash, SourceKind};
use hookward_policy::{Consent, Hook, Lockfile, Snapshot, SourceState, Trust};
use serde_json::json;

use super::list::{short, waits};
use super::review;
use crate::args;
use crate::error::CliError;
use crate::output::{Output, Tone, ask};
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
    let chosen = choose(&snapshot, options)?;
    let needs_workspace = chosen
        .iter()
        .any(|hook| hook.trust == Trust::UntrustedWorkspace);
    let workspace = options.workspace
        || options.lockfile.is_some() && needs_workspace
        || options.all && needs_workspace;
    if needs_workspace && !workspace {
        return Err(CliError::new(
            format!(
                "the project {} is not trusted yet, so its hooks cannot be",
                world.project.root
            ),
            "look at all of its hooks with `hookward review`, then add --workspace",
        ));
    }
    if chosen.is_empty() && !workspace {
        output.say("Nothing to trust: every hook that is in force is trusted already.");
        output.document(&json!({"changed": []}))?;
        return Ok(ExitCode::SUCCESS);
    }
    if options.all && !options.yes {
        confirm(world, &chosen, &snapshot, workspace, output)?;
    }
    let consent = if workspace {
        Consent::HooksAndWorkspace
    } else {
        Consent::Hooks
    };
    grant(world, &snapshot, &chosen, consent, output)?;
    output.document(&json!({"changed": chosen.iter().map(|hook| json!({
        "id": hook.id, "source": hook.source, "hash": hook.hash, "trust": "trusted",
    })).collect::<Vec<_>>(), "workspace": workspace}))?;
    Ok(ExitCode::SUCCESS)
}

/// Trusts these hooks, all or none, and records it.
pub(crate) fn grant(
    world: &World,
    snapshot: &Snapshot,
    hooks: &[&Hook],
    consent: Consent,
    output: &Output,
) -> Result<(), CliError> {
    let reviews: Result<Vec<_>, _> = hooks.iter().map(|hook| snapshot.review(hook)).collect();
    let reviews = reviews.map_err(CliError::policy)?;
    world
        .trust_store()
        .trust(&world.project, &reviews, consent, &now())
        .map_err(CliError::policy)?;
    if consent == Consent::HooksAndWorkspace {
        world.record("workspace_trusted", Changed::default(), output);
        output.say(format!(
            "{} project {}",
            good(output, "trusted"),
            world.project.root
        ));
    }
    for hook in hooks {
        world.record("trusted", Changed::hook(hook), output);
        output.say(format!(
            "{} {} ({})  {}",
            good(output, "trusted"),
            hook.id,
            hook.source,
            short(&hook.hash)
        ));
    }
    Ok(())
}

fn good(output: &Output, word: &str) -> String {
    output.paint(Tone::Good, word)
}

fn choose<'a>(snapshot: &'a Snapshot, options: &args::Trust) -> Result<Vec<&'a Hook>, CliError> {
    if let Some(path) = &options.lockfile {
        let lockfile = Lockfile::read(path).map_err(CliError::policy)?;
        let listed = |hook: &&Hook| {
            can_be_trusted(hook)
                && snapshot
                    .lock(hook)
                    .is_ok_and(|entry| lockfile.allows(&entry))
        };
        return Ok(snapshot.hooks().iter().filter(listed).collect());
    }
    if options.all {
        return Ok(snapshot
            .hooks()
            .iter()
            .filter(|hook| can_be_trusted(hook))
            .collect());
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
        None => Ok(hooks.into_iter().filter(|hook| waits(hook)).collect()),
    }
}

fn can_be_trusted(hook: &Hook) -> bool {
    waits(hook) && hook.trust != Trust::BrokenSource
}

/// Shows everything that is about to be trusted and asks.
fn confirm(
    world: &World,
    chosen: &[&Hook],
    snapshot: &Snapshot,
    workspace: bool,
    output: &Output,
) -> Result<(), CliError> {
    for hook in chosen {
        review::show(hook, snapshot, output);
    }
    let also = if workspace {
        format!(" and the project {}", world.project.root)
    } else {
        String::new()
    };
    let question = format!("Trust these {} hooks{also}?", chosen.len());
    match ask(&question) {
        Some(true) => Ok(()),
        Some(false) => Err(CliError::new(
            "nothing was trusted",
            "name single hashes to trust some",
        )),
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
    let entries: Result<Vec<_>, _> = trusted.map(|hook| snapshot.lock(hook)).collect();
    let lockfile = Lockfile::new(entries.map_err(CliError::policy)?);
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
        store.revoke(&hash).map_err(CliError::policy)?;
        let about = Changed {
            hash: Some(&hash),
            ..Changed::default()
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
            "`hookward list --json` shows whole hashes",
        )),
        count => Err(CliError::new(
            format!("`{word}` names {count} trusted definitions"),
            "use the hash",
        )),
    }
}
