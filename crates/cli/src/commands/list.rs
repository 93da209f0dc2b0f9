//! `hookward list`: every hook of every source, what is wrong with sources, which set is in force.

use std::collections::HashMap;
use std::process::ExitCode;

use comfy_table::{Table, presets};
use hookward_contract::{DefinitionHash, bounded, escape_for_display};
use hookward_engine::audit::{self, AuditEvent, HookCompleted};
use hookward_policy::{Hook, HookMode, RuleHandler, Snapshot, SourceState, Trust, nap};
use serde_json::{Value, json};

use super::audit::describe_status;
use super::nap::told;
use crate::error::CliError;
use crate::output::{Output, Tone};
use crate::world::{World, require_trusted};

/// Records of the audit that are searched for the last result of each hook.
const RECENT_RECORDS: usize = 2_000;

pub(crate) fn run(world: &World, strict: bool, output: &Output) -> Result<ExitCode, CliError> {
    let snapshot = world.snapshot();
    let last = last_results(world);
    let nap = nap(&world.state, jiff::Timestamp::now());
    let mut listed = document(&snapshot, &last);
    listed["nap"] = json!(nap.map(told));
    output.document(&listed)?;
    sources(&snapshot, output);
    hooks(&snapshot, &last, output);
    if let Some(until) = nap {
        output.line(format!(
            "{} Hookward does not protect its own files until {}; `hookward nap --end` wakes it",
            output.paint(Tone::Warning, "nap:"),
            told(until)
        ));
    }
    for missing in &snapshot.trust_report().missing {
        output.line(format!(
            "{}: {} was trusted from {} and is not there any more; `hookward revoke {}` forgets it",
            output.paint(Tone::Warning, "missing"),
            missing.id,
            missing.source,
            short(&missing.hash),
        ));
    }
    output.say(output.paint(Tone::Faint, &format!("snapshot {}", snapshot.digest())));
    if strict {
        require_trusted(&snapshot)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn sources(snapshot: &Snapshot, output: &Output) {
    output.line(format!(
        "Project {}",
        escape_for_display(snapshot.project().root.as_str())
    ));
    let trust = snapshot.trust_report();
    let named = snapshot
        .sources()
        .iter()
        .map(|source| {
            (
                source.source.as_str(),
                &source.path,
                source.state,
                &source.diagnostics,
            )
        })
        .chain([("trust", &trust.path, trust.state, &trust.diagnostics)]);
    for (name, path, state, diagnostics) in named {
        let (tone, word) = describe_source(state);
        let path = escape_for_display(path.as_str());
        output.line(format!(
            "  {name:<8} {}  {path}",
            output.paint(tone, &format!("{word:<7}"))
        ));
        for diagnostic in diagnostics {
            output.diagnostic(&path, diagnostic);
        }
    }
}

fn hooks(snapshot: &Snapshot, last: &HashMap<DefinitionHash, HookCompleted>, output: &Output) {
    if snapshot.hooks().is_empty() {
        if snapshot
            .sources()
            .iter()
            .all(|source| source.state != SourceState::Broken)
        {
            output.line("No hooks. `hookward init` writes a first one.");
        }
        return;
    }
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_header([
        "HOOK",
        "SOURCE",
        "TYPE",
        "TOOLS",
        "STATE",
        "LAST RESULT",
        "HASH",
    ]);
    for hook in snapshot.hooks() {
        let (tone, state) = describe_trust(hook);
        let result = last.get(&hook.hash).map_or_else(
            || output.paint(Tone::Faint, "never asked"),
            |completed| {
                let (tone, word) = describe_status(completed.status);
                let shadow = if completed.shadow { "would: " } else { "" };
                output.paint(tone, &format!("{shadow}{word}"))
            },
        );
        table.add_row([
            hook.id.to_string(),
            hook.source.to_string(),
            hook.handler.kind().to_owned(),
            bounded(&escape_for_display(hook.matcher.as_str()), 40),
            output.paint(tone, &state),
            result,
            output.paint(Tone::Faint, &short(&hook.hash)),
        ]);
    }
    output.line("");
    output.line(table.trim_fmt());
    let waiting = snapshot.hooks().iter().filter(|hook| waits(hook)).count();
    if waiting > 0 {
        output.say(format!(
            "\n{waiting} of {} hooks will not run. See why: hookward review",
            snapshot.hooks().len()
        ));
    }
}

/// Whether the hook waits for a person before it runs.
pub(crate) fn waits(hook: &Hook) -> bool {
    !matches!(hook.trust, Trust::Trusted | Trust::Disabled)
}

pub(crate) fn describe_trust(hook: &Hook) -> (Tone, String) {
    let tone = match hook.trust {
        Trust::Trusted => Tone::Good,
        Trust::Disabled => Tone::Faint,
        Trust::Untrusted | Trust::UntrustedWorkspace => Tone::Warning,
        _ => Tone::Bad,
    };
    let shadow = hook.mode == HookMode::Shadow && hook.trust.may_run();
    let shadow = if shadow { ", in the shadow" } else { "" };
    (tone, format!("{}{shadow}", hook.trust.as_str()))
}

pub(crate) fn describe_source(state: SourceState) -> (Tone, &'static str) {
    match state {
        SourceState::Absent => (Tone::Faint, "absent"),
        SourceState::Loaded => (Tone::Good, "loaded"),
        SourceState::Broken => (Tone::Bad, "BROKEN"),
    }
}

/// The first 12 digits of a hash: enough to tell hooks apart and to name one on the command line.
pub(crate) fn short(hash: &DefinitionHash) -> String {
    hash.as_str()
        .trim_start_matches("sha256:")
        .chars()
        .take(12)
        .collect()
}

fn last_results(world: &World) -> HashMap<DefinitionHash, HookCompleted> {
    let records = audit::tail(&world.state.audit_dir(), RECENT_RECORDS).unwrap_or_default();
    let completed = records.into_iter().filter_map(|record| match record.event {
        AuditEvent::HookCompleted(completed) => Some(*completed),
        _ => None,
    });
    completed
        .map(|completed| (completed.definition_hash.clone(), completed))
        .collect()
}

fn document(snapshot: &Snapshot, last: &HashMap<DefinitionHash, HookCompleted>) -> Value {
    let trust = snapshot.trust_report();
    json!({
        "snapshot": snapshot.digest(),
        "project": {"root": snapshot.project().root, "identity": snapshot.project().identity},
        "sources": snapshot.sources().iter().map(|source| json!({
            "source": source.source, "path": source.path, "state": describe_source(source.state).1.to_lowercase(),
            "diagnostics": source.diagnostics,
        })).collect::<Vec<_>>(),
        "trust": {
            "path": trust.path, "state": describe_source(trust.state).1.to_lowercase(),
            "diagnostics": trust.diagnostics,
        },
        "hooks": snapshot.hooks().iter().map(|hook| hook_document(hook, last.get(&hook.hash))).collect::<Vec<_>>(),
        "missing": trust.missing.iter().map(|missing| json!({
            "id": missing.id, "source": missing.source, "hash": missing.hash,
        })).collect::<Vec<_>>(),
    })
}

pub(crate) fn hook_document(hook: &Hook, last: Option<&HookCompleted>) -> Value {
    let command = hook.command();
    let rule = hook.rule().map(rule_document);
    json!({
        "id": hook.id, "source": hook.source, "event": hook.event, "matcher": hook.matcher.as_str(),
        "type": hook.handler.kind(),
        "command": command.map(|command| &command.command),
        "args": command.map(|command| &command.args),
        "timeout_ms": command.map(|command| command.timeout_ms),
        "rule": rule,
        "containment": command.map(|command| command.containment),
        "on_failure": hook.on_failure, "mode": hook.mode,
        "enabled": hook.enabled, "trust": hook.trust.as_str(), "hash": hook.hash,
        "pins": hook.pins,
        "description": hook.description,
        "status_message": hook.status_message,
        "tests": hook.tests().len(),
        "line": hook.location.as_ref().map(|place| place.line),
        "column": hook.location.as_ref().map(|place| place.column),
        "pointer": hook.location.as_ref().map(|place| &place.pointer),
        "last_result": last,
    })
}

/// A rule as its file has it, every field of it.
fn rule_document(rule: &RuleHandler) -> Value {
    let text = &rule.text;
    let mut document = json!({
        "when": text.when, "decision": text.decision, "opaque": text.opaque, "reason": text.reason,
    });
    for (field, patterns) in rule.patterns() {
        document[field] = json!(patterns);
    }
    document
}
