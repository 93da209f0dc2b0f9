//! `hookward test`: judges a call that can never run a tool. Hooks run for real, with the same
//! code as for an agent; nothing is written to the audit.

use std::process::ExitCode;
use std::sync::Arc;

use hookward_contract::{Call, HookRun, HookVerdict, Verdict, join_reasons};
use hookward_engine::audit::MemoryAudit;
use hookward_engine::{Gate, Judgement, RunReport};
use hookward_policy::{HookMode, KNOWN_TOOLS, Snapshot, Trust};
use hookward_process::Abort;
use serde_json::{Value, json};

use super::calls;
use crate::args;
use crate::context;
use crate::error::CliError;
use crate::output::{Output, Tone, escape_lines};
use crate::protection;
use crate::world::{World, require_trusted};

pub(crate) fn run(
    world: &World,
    options: &args::Test,
    output: &Output,
) -> Result<ExitCode, CliError> {
    judge_all(world, options, output, |_, _, _, _| {})
}

/// Judges every call of the command line and shows the verdicts; `more` adds to each of them.
pub(super) fn judge_all(
    world: &World,
    options: &args::Test,
    output: &Output,
    more: impl Fn(&Gate, &Snapshot, &Call, &mut Value),
) -> Result<ExitCode, CliError> {
    let snapshot = world.snapshot();
    if options.require_trusted {
        require_trusted(&snapshot)?;
    }
    let gate = gate(&snapshot, options.now);
    let abort = Abort::new().map_err(CliError::policy)?;
    let mut documents = Vec::new();
    let mut worst = 0;
    for (path, call) in calls::read(world, options)? {
        let judgement = gate
            .judge(&snapshot, &call, &abort)
            .map_err(CliError::policy)?;
        if let Some(path) = path {
            output.line(output.paint(Tone::Strong, &escape_lines(path.as_str())));
        }
        show(&judgement, &call, &snapshot, output);
        let mut judged = document(&judgement);
        more(&gate, &snapshot, &call, &mut judged);
        documents.push(judged);
        worst = worst.max(exit_code(&judgement));
    }
    match &documents[..] {
        [only] => output.document(only)?,
        many => output.document(&json!({"results": many}))?,
    }
    Ok(ExitCode::from(worst))
}

/// The gate that judges an agent's calls, but that it records nothing. `now` stops its clock.
pub(super) fn gate(snapshot: &Snapshot, now: Option<jiff::Timestamp>) -> Gate {
    let environment = context::hook_environment();
    let facts = hookward_engine::World {
        now,
        ..hookward_engine::World::real(&environment)
    };
    Gate::new(&environment, Arc::new(MemoryAudit::default()))
        .with_world(facts)
        .with_protection(protection::of(snapshot))
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
    let shadow = run.mode == HookMode::Shadow;
    let (tone, what) = match &run.run {
        HookRun::Decided(HookVerdict::Allow) => (Tone::Good, "no objection".to_owned()),
        HookRun::Decided(HookVerdict::Ask(_)) if shadow => {
            (Tone::Warning, "would ask (in the shadow)".to_owned())
        }
        HookRun::Decided(HookVerdict::Deny(_)) if shadow => {
            (Tone::Warning, "would deny (in the shadow)".to_owned())
        }
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
        "hook": run.hook, "source": run.source, "hash": run.hash, "mode": run.mode,
        "outcome": outcome,
        "verdict": verdict, "cause": cause, "detail": detail, "blocked": run.blocked,
        "duration_us": process.map(|process| process.duration.as_micros()),
        "queue_us": run.queue.as_micros(),
        "exit": process.and_then(|process| process.exit),
        "stdout_bytes": process.map(|process| process.stdout_bytes),
        "stderr_bytes": process.map(|process| process.stderr_bytes),
        "containment": process.map(|process| process.containment.as_str()),
    })
}
