//! `hookward audit`: the end of the record, a check of its chain, all of it.

use std::process::ExitCode;

use hookward_contract::{SourceKind, escape_for_display};
use hookward_engine::audit::{self, AuditEvent, AuditRecord, HookCompleted, HookStatus};

use crate::args::Audit;
use crate::error::CliError;
use crate::output::{Output, Tone};
use crate::world::World;

pub(crate) fn run(world: &World, action: &Audit, output: &Output) -> Result<ExitCode, CliError> {
    let dir = world.state.audit_dir();
    match action {
        Audit::Tail { lines } => {
            warn_if_damaged(world, output)?;
            let records = audit::tail(&dir, *lines).map_err(CliError::policy)?;
            if records.is_empty() {
                output.say("There is no record that can be read.");
            }
            for record in records {
                if output.json {
                    output.raw(&serde_json::to_string(&record).map_err(CliError::policy)?);
                } else {
                    output.line(sentence(&record, output));
                }
            }
            Ok(ExitCode::SUCCESS)
        }
        Audit::Export => {
            for record in audit::read_records(&dir).map_err(CliError::policy)? {
                output.raw(&serde_json::to_string(&record).map_err(CliError::policy)?);
            }
            Ok(ExitCode::SUCCESS)
        }
        Audit::Verify => verify(world, output),
    }
}

/// The state of the chain. Whoever trusted a hook left a record of it, so an audit without any
/// beside a trust store with some was removed.
pub(crate) fn verified(world: &World) -> Result<audit::ChainReport, CliError> {
    let dir = world.state.audit_dir();
    let mut report = audit::verify(&dir).map_err(CliError::policy)?;
    if report.records == 0 && report.problem.is_none() && !world.trust_store().records().is_empty()
    {
        report.problem = Some(audit::ChainProblem {
            path: dir,
            line: 0,
            what: "hooks were trusted, and there is no record of it: the audit was removed"
                .to_owned(),
        });
    }
    Ok(report)
}

/// Lines that do not hold are left out of what is shown, which must not look like an empty audit.
fn warn_if_damaged(world: &World, output: &Output) -> Result<(), CliError> {
    let report = verified(world)?;
    if let Some(problem) = report.problem {
        output.error(&CliError::new(
            format!("{}:{}: {}", problem.path, problem.line, problem.what),
            "records that do not hold are not shown; see `hookward audit verify`",
        ));
    }
    Ok(())
}

fn verify(world: &World, output: &Output) -> Result<ExitCode, CliError> {
    let report = verified(world)?;
    output.document(&serde_json::json!({
        "ok": report.problem.is_none(),
        "records": report.records,
        "first_seq": report.first_seq,
        "last_seq": report.last_seq,
        "problem": report.problem.as_ref().map(|problem| serde_json::json!({
            "path": problem.path, "line": problem.line, "what": problem.what,
        })),
    }))?;
    match report.problem {
        None => {
            let held = output.paint(Tone::Good, "The chain holds");
            output.line(match report.records {
                0 => format!("{held}: nothing was recorded yet."),
                count => {
                    let (first, last) = (report.first_seq, report.last_seq);
                    format!("{held}: records {first} to {last}, {count} in all.")
                }
            });
            Ok(ExitCode::SUCCESS)
        }
        Some(problem) => Err(CliError::new(
            format!("{}:{}: {}", problem.path, problem.line, problem.what),
            format!(
                "the {} records before that hold; keep the folder for whoever looks into it",
                report.records
            ),
        )),
    }
}

/// One record as a line for a person.
fn sentence(record: &AuditRecord, output: &Output) -> String {
    let what = match &record.event {
        AuditEvent::HookCompleted(completed) => completed_sentence(completed, output),
        AuditEvent::SourceBroken { source, codes, .. } => {
            format!(
                "{} {source} ({})",
                output.paint(Tone::Bad, "source broken"),
                codes.join(", ")
            )
        }
        AuditEvent::TrustChanged {
            action,
            hook_id,
            source,
            project,
            ..
        } => {
            let hook = hook_id
                .as_ref()
                .map_or_else(String::new, |id| format!(" {id}"));
            let owner = match source {
                Some(SourceKind::User) => "user hook",
                _ => project.as_str(),
            };
            let owner = escape_for_display(owner);
            format!("{action}{hook} ({owner})")
        }
        AuditEvent::ProtectionDenied { tool_name, .. } => format!(
            "{} {}: it would have changed Hookward itself",
            output.paint(Tone::Warning, "refused"),
            escape_for_display(tool_name.as_str())
        ),
        AuditEvent::NapChanged { until } => match until {
            Some(until) => format!("self-protection sleeps until {}", escape_for_display(until)),
            None => "self-protection was woken".to_owned(),
        },
        AuditEvent::ChainRestarted { found } => {
            format!("{}: {found}", output.paint(Tone::Bad, "chain restarted"))
        }
        _ => "a record of a newer version".to_owned(),
    };
    format!("{}  {what}", output.paint(Tone::Faint, &record.time))
}

fn completed_sentence(completed: &HookCompleted, output: &Output) -> String {
    let (tone, status) = describe_status(completed.status);
    let failure = match (&completed.failure, completed.status) {
        (Some(cause), HookStatus::Failed) => format!(" {cause}"),
        _ => String::new(),
    };
    let blocked = if completed.blocked {
        ", call blocked"
    } else {
        ""
    };
    let shadow = if completed.shadow {
        ", in the shadow"
    } else {
        ""
    };
    let milliseconds = completed.duration_us / 1_000;
    format!(
        "{}{failure}{blocked}{shadow}  {} on {}  {milliseconds} ms",
        output.paint(tone, status),
        completed.hook_id,
        escape_for_display(completed.tool_name.as_str()),
    )
}

/// A status in words, and how it is meant.
pub(crate) fn describe_status(status: HookStatus) -> (Tone, &'static str) {
    match status {
        HookStatus::Allowed => (Tone::Good, "allowed"),
        HookStatus::Asked => (Tone::Warning, "asked"),
        HookStatus::Denied => (Tone::Warning, "denied"),
        HookStatus::Failed => (Tone::Bad, "no verdict"),
        HookStatus::SkippedUntrusted => (Tone::Bad, "not run (untrusted)"),
        HookStatus::SkippedChanged => (Tone::Bad, "not run (changed)"),
        HookStatus::SkippedBroken => (Tone::Bad, "not run (broken source)"),
        HookStatus::Aborted => (Tone::Faint, "aborted"),
    }
}
