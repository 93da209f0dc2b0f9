//! `hookward review`: the exact definition of a hook, before anybody trusts it. Nothing is
//! abbreviated, and what could mislead the eye is shown as an escape.

use std::process::ExitCode;

use hookward_contract::{bounded, escape_for_display, sha256_hex};
use hookward_policy::{
    ChangedWhat, CommandHandler, ContainmentMode, Decision, Handler, Hook, HookMode,
    OpaqueDecision, Pin, Review, RuleHandler, Snapshot, SourceState, Trust,
};
use serde_json::json;

use super::list::{describe_trust, hook_document, short, waits};
use super::trial::Stage;
use crate::context;
use crate::error::CliError;
use crate::output::{Output, Tone, counted, escape_lines};
use crate::world::{World, find_hooks};

pub(crate) fn run(
    world: &World,
    words: &[String],
    all: bool,
    output: &Output,
) -> Result<ExitCode, CliError> {
    let snapshot = world.snapshot();
    let hooks: Vec<&Hook> = if words.is_empty() {
        let hooks = snapshot.hooks().iter();
        hooks.filter(|hook| all || waits(hook)).collect()
    } else {
        find_hooks(&snapshot, words)?
    };
    let reviewed: Vec<_> = hooks
        .iter()
        .map(|hook| (*hook, snapshot.review(hook)))
        .collect();
    output.document(&json!({
        "snapshot": snapshot.digest(),
        "hooks": reviewed.iter().map(|(hook, review)| {
            let mut document = hook_document(hook, None);
            document["pins"] = json!(review.as_ref().map(Review::pins).unwrap_or_default());
            document
        }).collect::<Vec<_>>(),
    }))?;
    for (hook, review) in &reviewed {
        match review {
            Ok(review) => show(review, &snapshot, output),
            Err(error) => {
                definition(hook, &snapshot, output);
                let label = output.paint(Tone::Bad, "cannot be trusted:");
                output.line(format!("  {label} {}\n", escape_lines(&error.to_string())));
            }
        }
    }
    refuse_broken(&snapshot, output)?;
    if snapshot.hooks().is_empty() {
        output.say("There are no hooks yet. Start with: hookward init");
    } else if hooks.is_empty() {
        output.say("Nothing waits for review: every hook is trusted or disabled.");
    } else if hooks.iter().any(|hook| waits(hook)) {
        output.say("Trust one: hookward trust HASH    Trust all of these: hookward trust --all");
    }
    Ok(ExitCode::SUCCESS)
}

/// Hooks of a file that cannot be read cannot be reviewed: shows what is wrong with it and refuses.
pub(crate) fn refuse_broken(snapshot: &Snapshot, output: &Output) -> Result<(), CliError> {
    let broken: Vec<_> = snapshot
        .sources()
        .iter()
        .filter(|source| source.state == SourceState::Broken)
        .collect();
    for source in &broken {
        for diagnostic in &source.diagnostics {
            output.diagnostic(&escape_for_display(source.path.as_str()), diagnostic);
        }
    }
    match broken[..] {
        [] => Ok(()),
        [first, ..] => Err(CliError::new(
            format!(
                "{} cannot be used, so its hooks cannot be reviewed",
                first.path
            ),
            "mend what is named above; until then those hooks are not in force",
        )),
    }
}

/// Everything that a person has to see before deciding.
pub(crate) fn show(review: &Review, snapshot: &Snapshot, output: &Output) {
    let hook = review.hook();
    definition(hook, snapshot, output);
    for (number, pin) in review.pins().iter().enumerate() {
        let name = if number == 0 { "content" } else { "" };
        let path = escape_for_display(pin.path.as_str());
        field(output, name, &format!("sha256:{} {path}", pin.sha256));
    }
    changed(hook, snapshot, output);
    show_advice(hook, output);
    for pin in review.pins() {
        script(pin, snapshot, output);
    }
    output.line("");
}

/// What is doubtful about the hook's files.
pub(crate) fn show_advice(hook: &Hook, output: &Output) {
    for advice in hook.advice() {
        let note = output.paint(Tone::Warning, "note:");
        output.line(format!("  {note} {}", escape_for_display(&advice.message)));
        output.line(format!("        {}", escape_for_display(&advice.help)));
    }
}

/// Longest script that is shown in a review, in bytes.
const MAX_SHOWN_BYTES: usize = 4 * 1024;

/// The text of a pinned script, if it is one that can be shown and is what the pin says.
fn script(pin: &Pin, snapshot: &Snapshot, output: &Output) {
    let path = snapshot.project().root.join(&pin.path);
    let Ok(metadata) = path.metadata() else {
        return;
    };
    if metadata.len() > MAX_SHOWN_BYTES as u64 {
        if pin.path.starts_with(snapshot.state_root().path()) || !pin.path.is_absolute() {
            output.line(format!(
                "  read it: less {}",
                escape_for_display(path.as_str())
            ));
        }
        return;
    }
    let Ok(bytes) = context::read_bounded(&path, MAX_SHOWN_BYTES as u64) else {
        return;
    };
    let Ok(text) = std::str::from_utf8(&bytes) else {
        return;
    };
    if sha256_hex(&bytes) != pin.sha256 {
        let label = output.paint(Tone::Bad, "changed while it was read:");
        output.line(format!("  {label} {}", escape_for_display(path.as_str())));
        return;
    }
    for line in text.lines() {
        let bar = output.paint(Tone::Faint, "|");
        output.line(format!("  {bar} {}", escape_for_display(line)));
    }
}

fn definition(hook: &Hook, snapshot: &Snapshot, output: &Output) {
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
    match &hook.handler {
        Handler::Command(handler) => command(handler, output),
        Handler::Rule(handler) => rule(handler, output),
    }
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
    if hook.mode == HookMode::Shadow {
        field(
            output,
            "mode",
            "shadow: its verdict is recorded and never counts",
        );
    }
    if let Some(message) = &hook.status_message {
        field(output, "status", &escape_for_display(message));
    }
    tests(hook, snapshot, output);
    field(output, "hash", hook.hash.as_str());
}

fn rule(rule: &RuleHandler, output: &Output) {
    let text = &rule.text;
    for (name, patterns) in rule.patterns() {
        list(output, name, patterns);
    }
    if let Some(when) = &text.when {
        field(output, "condition", &escape_for_display(when));
    }
    let decision = match text.decision {
        Decision::Deny => "deny: the call does not run",
        Decision::Ask => "ask: a person decides",
    };
    field(output, "decision", decision);
    let opaque = match text.opaque {
        OpaqueDecision::Deny => "deny: the call does not run",
        OpaqueDecision::Ask => "ask: a person decides",
        OpaqueDecision::Allow => "allow: the rule does not fire",
    };
    field(output, "if unclear", opaque);
    field(output, "reason", &escape_for_display(&text.reason));
}

/// The cases that the hook brings along, each on a line, with what a rule says about them.
fn tests(hook: &Hook, snapshot: &Snapshot, output: &Output) {
    if hook.tests().is_empty() {
        return;
    }
    let count = counted(hook.tests().len(), "case", "cases");
    let home = context::home().ok();
    let stage = Stage {
        project: &snapshot.project().root,
        home: home.as_deref(),
        now: jiff::Timestamp::now(),
    };
    let rule = hook.rule().and_then(|handler| handler.rule.as_ref());
    let trials = hook.tests().iter().map(|test| {
        let trial = rule.map(|rule| stage.rule(hook, rule, test));
        (test, trial)
    });
    let trials: Vec<_> = trials.collect();
    let passing = trials.iter().filter(|(test, trial)| {
        let trial = trial.as_ref();
        trial.is_some_and(|trial| trial.passes(test))
    });
    let outcome = match (rule, passing.count()) {
        (None, _) => String::new(),
        (Some(_), passed) if passed == trials.len() => output.paint(Tone::Good, ", all pass"),
        (Some(_), passed) => {
            let failed = trials.len() - passed;
            output.paint(Tone::Bad, &format!(", {failed} FAILED"))
        }
    };
    field(output, "tests", &format!("{count}{outcome}"));
    for (test, trial) in &trials {
        let now = test
            .now
            .map_or_else(String::new, |now| format!(" at {now}"));
        let call = format!("{} {}{now}", test.tool.as_str(), test.input.get());
        let call = bounded(&escape_for_display(&call), MAX_SHOWN_CALL);
        let got = match trial {
            Some(trial) if !trial.passes(test) => {
                output.paint(Tone::Bad, &format!("  got {}", trial.got))
            }
            _ => String::new(),
        };
        field(
            output,
            "",
            &format!("{:<5} {call}{got}", test.expect.as_str()),
        );
    }
}

/// Longest call of a case that is shown, in characters. Cases decide nothing about what runs.
const MAX_SHOWN_CALL: usize = 200;

fn command(command: &CommandHandler, output: &Output) {
    let program = escape_for_display(command.command.as_str());
    field(output, "program", &program);
    list(output, "arguments", &command.args);
    field(output, "timeout", &format!("{} ms", command.timeout_ms));
    if command.containment == ContainmentMode::Group {
        let held = "group: what leaves the hook's process group outlives it";
        field(output, "contained", &output.paint(Tone::Warning, held));
    }
}

/// Texts on lines of their own, in quotes.
fn list(output: &Output, name: &str, texts: &[String]) {
    for (number, text) in texts.iter().enumerate() {
        let name = if number == 0 { name } else { "" };
        field(output, name, &format!("\"{}\"", escape_for_display(text)));
    }
}

fn field(output: &Output, name: &str, value: &str) {
    output.line(format!(
        "  {} {value}",
        output.paint(Tone::Faint, &format!("{name:<11}"))
    ));
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
