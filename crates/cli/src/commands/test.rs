//! `hookward test`: judges a call that can never run a tool. Hooks run for real, with the same
//! code as for an agent; nothing is written to the audit.

use std::process::ExitCode;
use std::sync::Arc;

use camino::Utf8Path;
use hookward_agents::claude_code::{self, Decoded};
use hookward_contract::{
    Call, HookRun, HookVerdict, Origin, ToolInput, ToolName, Verdict, join_reasons,
};
use hookward_engine::audit::MemoryAudit;
use hookward_engine::{Gate, Judgement, RunReport};
use hookward_policy::{KNOWN_TOOLS, Snapshot, Trust};
use hookward_process::Abort;
use serde_json::{Value, json};

use crate::args;
use crate::context;
use crate::error::CliError;
use crate::output::{Output, Tone, escape_lines};
use crate::world::{World, require_trusted};

/// Largest fixture that is read.
const MAX_FIXTURE_BYTES: u64 = 16 * 1024 * 1024;

pub(crate) fn run(
    world: &World,
    options: &args::Test,
    output: &Output,
) -> Result<ExitCode, CliError> {
    let snapshot = world.snapshot();
    if options.require_trusted {
        require_trusted(&snapshot)?;
    }
    if options.fixtures.is_empty() && options.tool.is_none() {
        return Err(CliError::new(
            "test which call?",
            r#"for example hookward test --tool Bash --input '{"command": "git push"}'"#,
        ));
    }
    let mut calls = Vec::new();
    if let (Some(tool), Some(input)) = (&options.tool, &options.input) {
        calls.push((None, made_up_call(world, tool, input)?));
    }
    for path in &options.fixtures {
        calls.push((Some(path), read_fixture(path)?));
    }
    let mut documents = Vec::new();
    let mut worst = 0;
    for (path, call) in &calls {
        let judgement = judge(&snapshot, call)?;
        if let Some(path) = path {
            output.line(output.paint(Tone::Strong, path.as_str()));
        }
        show(&judgement, call, &snapshot, output);
        documents.push(document(&judgement));
        worst = worst.max(exit_code(&judgement));
    }
    match &documents[..] {
        [only] => output.document(only)?,
        many => output.document(&json!({"results": many}))?,
    }
    Ok(ExitCode::from(worst))
}

fn made_up_call(world: &World, tool: &str, input: &str) -> Result<Call, CliError> {
    let tool = ToolName::try_from(tool)
        .map_err(|error| CliError::new(format!("--tool: {error}"), "for example --tool Bash"))?;
    let (input, _) = ToolInput::parse(input).map_err(|error| {
        CliError::new(
            format!("--input: {error}"),
            r#"for example --input '{"command": "git push"}'"#,
        )
    })?;
    if !input.get().starts_with('{') {
        return Err(CliError::new(
            "--input: a tool's input is an object",
            r#"for example --input '{"command": "git push"}'"#,
        ));
    }
    let cwd = world.project.root.clone();
    Ok(Call::hand_written("test", tool, input, cwd))
}

/// A fixture is a call as a hook would read it, which is also what agents of the Claude Code
/// family send.
fn read_fixture(path: &Utf8Path) -> Result<Call, CliError> {
    let bytes =
        context::read_bounded(path, MAX_FIXTURE_BYTES).map_err(CliError::file("reading", path))?;
    match claude_code::decode(&bytes) {
        Ok(Decoded::Judge { mut call, .. }) => {
            call.origin = Origin::Replay;
            Ok(*call)
        }
        Ok(Decoded::NoPolicy { event_name }) => Err(CliError::new(
            format!("{path}: there is nothing to judge about the event {event_name}"),
            "a fixture needs `tool_name`, `tool_input` and `cwd`",
        )),
        Err(error) => Err(CliError::new(
            format!("{path}: {error}"),
            "a fixture needs `tool_name`, `tool_input` and `cwd`; see `hookward schema payload`",
        )),
    }
}

pub(crate) fn judge(snapshot: &Snapshot, call: &Call) -> Result<Judgement, CliError> {
    let gate = Gate::new(
        &context::hook_environment(),
        Arc::new(MemoryAudit::default()),
    );
    let abort = Abort::new().map_err(CliError::policy)?;
    gate.judge(snapshot, call, &abort).map_err(CliError::policy)
}

/// 0 allowed, 2 denied, 3 asked, 4 denied because hooks failed that must not fail.
pub(crate) fn exit_code(judgement: &Judgement) -> u8 {
    match &judgement.verdict {
        Verdict::Allow => 0,
        Verdict::Deny(_) if judgement.denied_by_failure() => 4,
        Verdict::Deny(_) => 2,
        Verdict::Ask(_) => 3,
    }
}

fn show(judgement: &Judgement, call: &Call, snapshot: &Snapshot, output: &Output) {
    let (tone, word) = match &judgement.verdict {
        Verdict::Allow => (Tone::Good, "allow"),
        Verdict::Ask(_) => (Tone::Warning, "ask"),
        Verdict::Deny(_) => (Tone::Bad, "deny"),
    };
    output.line(format!(
        "{}  {}",
        output.paint(tone, word),
        summary(judgement)
    ));
    for run in &judgement.runs {
        show_run(run, output);
    }
    let notices = judgement.notices.iter().cloned();
    for notice in notices.chain(doubts(call, snapshot)) {
        let label = output.paint(Tone::Warning, "note:");
        output.say(format!("  {label} {}", escape_lines(&notice)));
    }
}

/// What the verdict comes from, in one sentence.
fn summary(judgement: &Judgement) -> String {
    if judgement.verdict != Verdict::Allow {
        return escape_lines(&join_reasons(judgement.verdict.reasons()));
    }
    let without: Vec<&str> = judgement
        .runs
        .iter()
        .filter(|run| matches!(run.run, HookRun::NoVerdict(_)))
        .map(|run| run.hook.as_str())
        .collect();
    match (judgement.runs.len(), without.len()) {
        (0, _) => "no hook matches this call".to_owned(),
        (_, 0) => "no hook objects; the agent's own checks still apply".to_owned(),
        (all, failed) if all == failed => {
            format!("NOT JUDGED: no verdict from {}", without.join(", "))
        }
        _ => format!(
            "no other hook objects; no verdict from {}",
            without.join(", ")
        ),
    }
}

fn show_run(run: &RunReport, output: &Output) {
    let took = run.process.map_or_else(String::new, |process| {
        format!("  {} ms", process.duration.as_millis())
    });
    let (tone, what) = match &run.run {
        HookRun::Decided(HookVerdict::Allow) => (Tone::Good, "no objection".to_owned()),
        HookRun::Decided(HookVerdict::Ask(_)) => (Tone::Warning, "asks".to_owned()),
        HookRun::Decided(HookVerdict::Deny(_)) => (Tone::Bad, "denies".to_owned()),
        HookRun::NoVerdict(failure) if failure.cause.is_skip() => {
            (Tone::Warning, format!("not run ({})", failure.cause))
        }
        HookRun::NoVerdict(failure) => (Tone::Warning, format!("no verdict ({})", failure.cause)),
    };
    let what = output.paint(tone, &what);
    output.line(format!("  {} ({})  {what}{took}", run.hook, run.source));
    if let HookRun::NoVerdict(failure) = &run.run {
        output.line(format!("    {}", escape_lines(&failure.detail)));
        if !failure.advice.is_empty() {
            output.line(format!("    {}", escape_lines(&failure.advice)));
        }
    }
}

/// What may not be meant as it was written: a tool that nobody has, hooks that are switched off.
fn doubts(call: &Call, snapshot: &Snapshot) -> Vec<String> {
    let mut doubts = Vec::new();
    let tool = call.tool.as_str();
    if !KNOWN_TOOLS.contains(&tool) && !tool.starts_with("mcp__") {
        let alike = KNOWN_TOOLS
            .iter()
            .find(|known| known.eq_ignore_ascii_case(tool));
        let hint = alike.map_or_else(String::new, |known| format!("; did you mean `{known}`?"));
        doubts.push(format!(
            "no tool known to this release is called `{tool}`{hint}"
        ));
    }
    let disabled: Vec<&str> = snapshot
        .hooks()
        .iter()
        .filter(|hook| hook.trust == Trust::Disabled && hook.matcher.matches(tool))
        .map(|hook| hook.id.as_str())
        .collect();
    if !disabled.is_empty() {
        doubts.push(format!("switched off: {}", disabled.join(", ")));
    }
    doubts
}

fn document(judgement: &Judgement) -> Value {
    json!({
        "verdict": judgement.verdict.as_str(),
        "reasons": judgement.verdict.reasons(),
        "runs": judgement.runs.iter().map(run_document).collect::<Vec<_>>(),
        "notices": judgement.all_notices(),
        "snapshot": judgement.snapshot,
    })
}

fn run_document(run: &RunReport) -> Value {
    let (outcome, verdict, cause, detail) = match &run.run {
        HookRun::Decided(verdict) => ("decided", Some(verdict.as_str()), None, None),
        HookRun::NoVerdict(failure) => {
            let outcome = if failure.cause.is_skip() {
                "skipped"
            } else {
                "no_verdict"
            };
            (outcome, None, Some(failure.cause), Some(&failure.detail))
        }
    };
    let process = run.process;
    json!({
        "hook": run.hook, "source": run.source, "hash": run.hash, "outcome": outcome,
        "verdict": verdict, "cause": cause, "detail": detail, "blocked": run.blocked,
        "duration_us": process.map(|process| process.duration.as_micros()),
        "queue_us": run.queue.as_micros(),
        "exit": process.and_then(|process| process.exit),
        "stdout_bytes": process.map(|process| process.stdout_bytes),
        "stderr_bytes": process.map(|process| process.stderr_bytes),
        "containment": process.map(|process| process.containment.as_str()),
    })
}
