//! `hookward doctor`: everything that keeps a policy from holding, each with what to do about it.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt as _;
use std::process::ExitCode;

use hookward_contract::{HookId, escape_for_display};
use hookward_engine::audit::{self, AuditEvent, HookStatus};
use hookward_policy::{HookMode, Snapshot, SourceState, Trust, nap};
use hookward_process::Containment;
use serde::Serialize;
use serde_json::json;

use super::nap::told;
use super::{install, list};
use crate::error::CliError;
use crate::output::{Output, Tone, counted, escape_lines};
use crate::world::{Changed, World};

mod agent;

/// Records of the audit from which the health of hooks is read.
const RECENT_RECORDS: usize = 2_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum State {
    Ok,
    Warning,
    Error,
}

/// One thing that was looked at.
#[derive(Debug, Serialize)]
pub(super) struct Check {
    name: String,
    state: State,
    detail: String,
    fix: String,
}

impl Check {
    pub(super) fn new(
        name: impl Into<String>,
        state: State,
        detail: impl Into<String>,
        fix: impl Into<String>,
    ) -> Self {
        Self {
            name: name.into(),
            state,
            detail: detail.into(),
            fix: fix.into(),
        }
    }

    pub(super) fn ok(name: impl Into<String>, detail: impl Into<String>) -> Self {
        Self::new(name, State::Ok, detail, "")
    }
}

pub(crate) fn run(
    world: &World,
    set_aside_trust: bool,
    output: &Output,
) -> Result<ExitCode, CliError> {
    if set_aside_trust {
        set_aside(world, output)?;
    }
    let snapshot = world.snapshot();
    let mut checks = vec![state_root(world)];
    checks.extend(sources(&snapshot));
    checks.extend(hooks(&snapshot));
    checks.extend(health(world));
    checks.push(chain(world));
    checks.push(protection(world));
    checks.push(containment());
    checks.extend(agent::claude_code(world, &install::hook_command(world)?));
    for check in &checks {
        show(check, output);
    }
    let ok = checks.iter().all(|check| check.state != State::Error);
    let (errors, warnings) = (count(&checks, State::Error), count(&checks, State::Warning));
    output.document(&json!({
        "ok": ok, "errors": errors, "warnings": warnings, "checks": checks,
    }))?;
    output.say(format!(
        "\n{}, {} in {} checks",
        counted(errors, "error", "errors"),
        counted(warnings, "warning", "warnings"),
        checks.len()
    ));
    Ok(if ok {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

fn count(checks: &[Check], state: State) -> usize {
    checks.iter().filter(|check| check.state == state).count()
}

fn show(check: &Check, output: &Output) {
    let (tone, word) = match check.state {
        State::Ok => (Tone::Good, "ok     "),
        State::Warning => (Tone::Warning, "warning"),
        State::Error => (Tone::Bad, "error  "),
    };
    let line = format!(
        "{}  {}: {}",
        output.paint(tone, word),
        check.name,
        escape_lines(&check.detail)
    );
    if check.state == State::Ok {
        output.say(line);
    } else {
        output.line(line);
        if !check.fix.is_empty() {
            output.line(format!("         fix: {}", escape_lines(&check.fix)));
        }
    }
}

fn set_aside(world: &World, output: &Output) -> Result<(), CliError> {
    match world.trust_store().set_aside().map_err(CliError::policy)? {
        Some(path) => {
            world.record("store_set_aside", Changed::default(), output);
            output.say(format!(
                "The trust store is now {path}. Nothing is trusted until you review again."
            ));
        }
        None => output.say("There is no broken trust store to set aside."),
    }
    Ok(())
}

fn state_root(world: &World) -> Check {
    let path = world.state.path();
    let name = "state root";
    match path.metadata() {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Check::new(
            name,
            State::Warning,
            format!("{path} does not exist"),
            "hookward init",
        ),
        Err(error) => Check::new(
            name,
            State::Error,
            format!("{path}: {error}"),
            "make it readable",
        ),
        Ok(metadata) if metadata.permissions().mode() & 0o022 != 0 => Check::new(
            name,
            State::Error,
            format!("others may write to {path}, and so change your policy"),
            format!("chmod 700 {path}"),
        ),
        Ok(_) => Check::ok(name, path.as_str()),
    }
}

fn sources(snapshot: &Snapshot) -> Vec<Check> {
    let trust = snapshot.trust_report();
    let named = snapshot
        .sources()
        .iter()
        .map(|source| {
            (
                format!("{} hooks", source.source),
                &source.path,
                source.state,
                &source.diagnostics,
            )
        })
        .chain([(
            "trust store".to_owned(),
            &trust.path,
            trust.state,
            &trust.diagnostics,
        )]);
    let mut checks = Vec::new();
    for (name, path, state, diagnostics) in named {
        let path = escape_for_display(path.as_str());
        if diagnostics.is_empty() {
            let word = list::describe_source(state).1;
            checks.push(Check::ok(&name, format!("{path} ({word})")));
        }
        for diagnostic in diagnostics {
            let state = match diagnostic.severity {
                hookward_policy::Severity::Error => State::Error,
                hookward_policy::Severity::Warning => State::Warning,
            };
            let place = format!("{path}:{}:{}", diagnostic.line, diagnostic.column);
            let detail = format!("{place}: {} [{}]", diagnostic.message, diagnostic.code);
            checks.push(Check::new(&name, state, detail, &diagnostic.help));
        }
        if state == SourceState::Broken && name == "trust store" {
            let fix = "mend the file, or start a new one with `hookward doctor --set-aside-trust`";
            checks.push(Check::new(
                &name,
                State::Error,
                "nothing is trusted while it is broken",
                fix,
            ));
        }
    }
    checks
}

fn hooks(snapshot: &Snapshot) -> Vec<Check> {
    let mut checks = Vec::new();
    for hook in snapshot.hooks() {
        let name = format!("hook {} ({})", hook.id, hook.source);
        let advice = hook.advice();
        let mut state = State::Error;
        let (detail, fix) = match hook.trust {
            Trust::Trusted if hook.mode == HookMode::Shadow => {
                state = State::Warning;
                let detail = "it is in the shadow: its verdict is recorded and never counts";
                let fix = "when you have seen enough, take `mode` out of it and review it again";
                (detail.to_owned(), fix.to_owned())
            }
            Trust::Trusted if advice.is_empty() => {
                checks.push(Check::ok(&name, hook.trust.as_str()));
                (String::new(), String::new())
            }
            Trust::Trusted => (String::new(), String::new()),
            Trust::Disabled => {
                state = State::Warning;
                let fix = format!("hookward enable {}", hook.id);
                ("it is switched off and guards nothing".to_owned(), fix)
            }
            Trust::Untrusted | Trust::UntrustedWorkspace => {
                state = State::Warning;
                let detail = format!("it does not run: {}", hook.trust.as_str());
                (
                    detail,
                    format!("hookward review {0}, then hookward trust {0}", hook.id),
                )
            }
            Trust::Changed(_) => {
                let detail = format!("it does not run: {}", hook.trust.as_str());
                (
                    detail,
                    format!("hookward review {0}, then hookward trust {0}", hook.id),
                )
            }
            _ => {
                let detail = format!("it does not run: {}", hook.trust.as_str());
                (detail, "mend the file that is named above".to_owned())
            }
        };
        if !detail.is_empty() {
            checks.push(Check::new(&name, state, detail, fix));
        }
        let warnings = snapshot.pin_warnings(hook);
        for (state, found) in advice
            .into_iter()
            .map(|found| (State::Error, found))
            .chain(warnings.into_iter().map(|found| (State::Warning, found)))
        {
            let detail = format!("{} [{}]", found.message, found.code);
            checks.push(Check::new(&name, state, detail, found.help));
        }
    }
    for missing in &snapshot.trust_report().missing {
        checks.push(Check::new(
            format!("hook {} ({})", missing.id, missing.source),
            State::Warning,
            "it was trusted and is not in its file any more",
            format!(
                "put it back, or forget it: hookward revoke {}",
                list::short(&missing.hash)
            ),
        ));
    }
    checks
}

/// Hooks that failed lately: a guard that never answers is broken equipment.
fn health(world: &World) -> Vec<Check> {
    let records = audit::tail(&world.state.audit_dir(), RECENT_RECORDS).unwrap_or_default();
    let mut hooks: BTreeMap<HookId, (usize, usize, String)> = BTreeMap::new();
    for record in records {
        let AuditEvent::HookCompleted(completed) = record.event else {
            continue;
        };
        let entry = hooks.entry(completed.hook_id).or_default();
        match completed.status {
            HookStatus::Allowed | HookStatus::Asked | HookStatus::Denied => {
                entry.0 += 1;
                entry.1 += 1;
            }
            HookStatus::Failed => {
                entry.1 += 1;
                entry.2 = completed.failure.unwrap_or_default();
            }
            _ => {}
        }
    }
    hooks
        .into_iter()
        .filter(|(_, (answered, asked, _))| answered < asked)
        .map(|(hook, (answered, asked, cause))| {
            let state = if answered == 0 {
                State::Error
            } else {
                State::Warning
            };
            let detail =
                format!("{answered} of {asked} runs gave a verdict; last failure: {cause}");
            Check::new(
                format!("health of {hook}"),
                state,
                detail,
                "try it: hookward test --tool Bash --input '{\"command\": \"date\"}'",
            )
        })
        .collect()
}

fn chain(world: &World) -> Check {
    match super::audit::verified(world) {
        Ok(report) => match report.problem {
            None => Check::ok(
                "audit",
                format!("the chain holds ({} so far)", report.records),
            ),
            Some(problem) => Check::new(
                "audit",
                State::Error,
                format!("{}:{}: {}", problem.path, problem.line, problem.what),
                "keep the folder for whoever looks into it, then move it away",
            ),
        },
        Err(error) => Check::new(
            "audit",
            State::Error,
            error.to_string(),
            "make it readable and writable",
        ),
    }
}

/// Whether Hookward's own files are protected.
fn protection(world: &World) -> Check {
    let name = "self-protection";
    match nap(&world.state, jiff::Timestamp::now()) {
        None => Check::ok(
            name,
            "awake: calls that would change Hookward's files are refused",
        ),
        Some(until) => Check::new(
            name,
            State::Warning,
            format!("it sleeps until {}", told(until)),
            "hookward nap --end",
        ),
    }
}

fn containment() -> Check {
    let name = "containment";
    let refused: Vec<String> = hookward_process::probe()
        .into_iter()
        .filter_map(|probe| {
            probe
                .result
                .err()
                .map(|why| format!("{}: {why}", probe.level))
        })
        .collect();
    let level = hookward_process::strongest();
    let detail = format!("hooks run under `{level}`");
    match level {
        Containment::PidNamespace | Containment::UserPidNamespace => Check::ok(name, detail),
        Containment::Group => Check::new(
            name,
            State::Warning,
            format!(
                "{detail}, best effort: a hook that detaches survives ({})",
                refused.join("; ")
            ),
            "allow unprivileged user namespaces, or delegate a cgroup",
        ),
        _ => Check::ok(name, format!("{detail} ({})", refused.join("; "))),
    }
}
