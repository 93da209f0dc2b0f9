//! `hookward review`: the exact definition of a hook, before anybody trusts it. Nothing is
//! abbreviated, and what could mislead the eye is shown as an escape.

use std::process::ExitCode;

use hookward_contract::escape_for_display;
use hookward_policy::{ChangedWhat, Hook, Snapshot, Trust};
use serde_json::json;

use super::list::{describe_trust, hook_document, short, waits};
use crate::error::CliError;
use crate::output::{Output, Tone};
use crate::world::{World, find_hooks};

pub(crate) fn run(
    world: &World,
    words: &[String],
    all: bool,
    output: &Output,
) -> Result<ExitCode, CliError> {
    let snapshot = world.snapshot();
    let hooks = if words.is_empty() {
        snapshot
            .hooks()
            .iter()
            .filter(|hook| all || waits(hook))
            .collect()
    } else {
        find_hooks(&snapshot, words)?
    };
    output.document(&json!({
        "snapshot": snapshot.digest(),
        "hooks": hooks.iter().map(|hook| hook_document(hook, None)).collect::<Vec<_>>(),
    }))?;
    if hooks.is_empty() {
        output.say("Nothing waits for review: every hook is trusted or disabled.");
        return Ok(ExitCode::SUCCESS);
    }
    for hook in &hooks {
        show(hook, &snapshot, output);
    }
    if hooks.iter().any(|hook| waits(hook)) {
        output.say("Trust one: hookward trust HASH    Trust all of these: hookward trust --all");
    }
    Ok(ExitCode::SUCCESS)
}

/// Everything that a person has to see before deciding.
pub(crate) fn show(hook: &Hook, snapshot: &Snapshot, output: &Output) {
    let (tone, state) = describe_trust(hook);
    output.line(format!(
        "{} ({})  {}",
        output.paint(Tone::Strong, hook.id.as_str()),
        hook.source,
        output.paint(tone, &state)
    ));
    if let Some(description) = &hook.description {
        output.line(format!("  {}", escape_for_display(description)));
    }
    let path = snapshot
        .sources()
        .iter()
        .find(|source| source.source == hook.source)
        .map_or_else(String::new, |source| {
            escape_for_display(source.path.as_str())
        });
    let place = hook.location.as_ref();
    let place = place.map_or_else(String::new, |at| format!(":{}:{}", at.line, at.column));
    field(output, "file", &format!("{path}{place}"));
    field(
        output,
        "when",
        &format!(
            "{} on {}",
            hook.event,
            escape_for_display(hook.matcher.as_str())
        ),
    );
    field(
        output,
        "program",
        &escape_for_display(hook.command.as_str()),
    );
    for (number, arg) in hook.args.iter().enumerate() {
        let name = if number == 0 { "arguments" } else { "" };
        field(output, name, &format!("\"{}\"", escape_for_display(arg)));
    }
    field(output, "timeout", &format!("{} ms", hook.timeout_ms));
    field(
        output,
        "on failure",
        match hook.on_failure {
            hookward_contract::FailureMode::Continue => {
                "continue: the call goes on without its verdict"
            }
            hookward_contract::FailureMode::Block => "block: the call is denied",
        },
    );
    field(output, "hash", hook.hash.as_str());
    content(hook, snapshot, output);
    changed(hook, snapshot, output);
    for advice in hook.advice() {
        let note = output.paint(Tone::Warning, "note:");
        output.line(format!("  {note} {}", escape_for_display(&advice.message)));
        output.line(format!("        {}", escape_for_display(&advice.help)));
    }
    output.line("");
}

fn field(output: &Output, name: &str, value: &str) {
    output.line(format!(
        "  {} {value}",
        output.paint(Tone::Faint, &format!("{name:<11}"))
    ));
}

/// The files that the hook names, as they are now: what trusting it would record.
fn content(hook: &Hook, snapshot: &Snapshot, output: &Output) {
    match snapshot.review(hook) {
        Ok(review) => {
            for (number, pin) in review.pins().iter().enumerate() {
                let name = if number == 0 { "content" } else { "" };
                let path = escape_for_display(pin.path.as_str());
                field(output, name, &format!("sha256:{} {path}", pin.sha256));
            }
        }
        Err(error) => output.line(format!(
            "  {} {}",
            output.paint(Tone::Bad, "cannot be trusted:"),
            escape_for_display(&error.to_string())
        )),
    }
}

/// What is different from what was trusted before.
fn changed(hook: &Hook, snapshot: &Snapshot, output: &Output) {
    match &hook.trust {
        Trust::Changed(ChangedWhat::Pin { path }) => {
            output.line(format!(
                "  {} the content of {} is not what was reviewed",
                output.paint(Tone::Bad, "changed:"),
                escape_for_display(path.as_str())
            ));
        }
        Trust::Changed(ChangedWhat::Definition { previous }) => {
            output.line(format!(
                "  {} the definition is not what was reviewed ({}):",
                output.paint(Tone::Bad, "changed:"),
                short(previous)
            ));
            let before = snapshot.trust_store().record(previous);
            let before = before.map_or("", |record| record.definition.as_str());
            output.line(format!(
                "    {} {}",
                output.paint(Tone::Bad, "-"),
                escape_for_display(before)
            ));
            output.line(format!(
                "    {} {}",
                output.paint(Tone::Good, "+"),
                escape_for_display(&hook.definition)
            ));
        }
        _ => {}
    }
}
