//! Reads what a command handler did as a verdict, or as the one class of failure. The table is
//! "What an answer means" of the process protocol; nothing else in the engine looks at exit codes
//! or output.

use camino::Utf8Path;
use hookward_contract::wire::{Answer, PermissionDecision};
use hookward_contract::{
    Cause, HookRun, HookVerdict, MAX_REASON_CHARS, NoVerdict, Object, bounded, escape_for_display,
    strip_controls,
};
use hookward_policy::{CommandHandler, FormatVersion, Hook};
use hookward_process::{Captured, End, Finished, StartError};
use serde_json::Value;

use crate::environment::HOOK_PATH;
use crate::redact::redact;

/// The one status that denies.
pub const DENY_STATUS: i32 = 2;

/// How a started handler came out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Reading {
    Run(HookRun),
    Aborted,
}

/// Reads the end of a handler. The exit status wins over everything that was printed.
pub(crate) fn read(
    hook: &Hook,
    command: &CommandHandler,
    cwd: &Utf8Path,
    finished: &Finished,
) -> Reading {
    Reading::Run(match &finished.end {
        End::Aborted => return Reading::Aborted,
        End::Exited(0) => read_success(hook, &finished.stdout),
        End::Exited(DENY_STATUS) => decided(HookVerdict::Deny(denial_reason(hook, cwd, finished))),
        End::Exited(status) => no_verdict(Cause::Exit(*status), exit_detail(*status, finished)),
        End::Signaled(number) => no_verdict(
            Cause::Signal(*number),
            format!("it was ended by signal {number}"),
        ),
        End::TimedOut => {
            let limit = command.timeout_ms;
            no_verdict(
                Cause::Timeout,
                format!("it was still running after {limit} ms"),
            )
        }
        End::NotStarted(error) => no_verdict(start_cause(error), error.to_string()),
    })
}

/// Longest account of a failure, in characters.
const MAX_DETAIL_CHARS: usize = 500;

/// A failure, told in `detail` and mended by `advice`. Details quote programs, paths and parsers,
/// so they are one bounded line without controls or secrets, wherever they are shown.
pub(crate) fn failed(cause: Cause, detail: &str, advice: &str) -> HookRun {
    let detail = escape_for_display(detail);
    HookRun::NoVerdict(NoVerdict {
        cause,
        detail: bounded(&redact(&detail), MAX_DETAIL_CHARS),
        advice: advice.to_owned(),
    })
}

pub(crate) fn no_verdict(cause: Cause, detail: impl AsRef<str>) -> HookRun {
    failed(cause, detail.as_ref(), "")
}

fn decided(verdict: HookVerdict) -> HookRun {
    HookRun::Decided(verdict)
}

/// Text of a hook as it may be shown: no controls, no secrets, bounded, in this order, so that a
/// secret is neither hidden from redaction by a control character nor cut in half before it.
pub(crate) fn shown(text: &str) -> String {
    bounded(redact(&strip_controls(text)).as_ref(), MAX_REASON_CHARS)
}

fn start_cause(error: &StartError) -> Cause {
    match error {
        StartError::NotFound { .. } => Cause::NotFound,
        StartError::NotExecutable { .. } => Cause::NotExecutable,
        _ => Cause::Spawn,
    }
}

fn exit_detail(status: i32, finished: &Finished) -> String {
    let first_line = shown(&String::from_utf8_lossy(&finished.stderr.bytes));
    let first_line = first_line
        .lines()
        .next()
        .map(|line| bounded(line, 200))
        .unwrap_or_default();
    let said = if first_line.is_empty() {
        String::new()
    } else {
        format!(" saying `{first_line}`")
    };
    match status {
        126 | 127 => format!(
            "it exited with {status}{said}, which shells use for a program that they cannot run; \
             hooks run with PATH={HOOK_PATH}"
        ),
        _ => format!("it exited with {status}{said}; only exit status 2 denies"),
    }
}

// ---- exit 0 ----------------------------------------------------------------------------------

fn read_success(hook: &Hook, stdout: &Captured) -> HookRun {
    if stdout.truncated() {
        let total = stdout.total;
        return no_verdict(
            Cause::Overflow,
            format!(
                "it printed {total} bytes; an answer may have {}",
                stdout.bytes.len()
            ),
        );
    }
    let text = String::from_utf8_lossy(&stdout.bytes);
    let text = text.trim_matches([' ', '\t', '\r', '\n']);
    if text.is_empty() {
        return decided(HookVerdict::Allow);
    }
    match serde_json::from_str::<Object<Answer>>(text) {
        Ok(Object(answer)) => read_answer(hook, &answer),
        // A denial that can be recognised holds, whatever else is wrong with the output.
        Err(error) => match recognised_denial(text) {
            Some(reason) => decided(HookVerdict::Deny(reason_or_default(hook, &reason))),
            None => no_verdict(Cause::BadOutput, bad_output_detail(text, &error)),
        },
    }
}

fn read_answer(hook: &Hook, answer: &Answer) -> HookRun {
    let decision = &answer.hook_specific_output;
    let reason = decision
        .permission_decision_reason
        .as_deref()
        .unwrap_or_default();
    match decision.permission_decision {
        PermissionDecision::Deny => decided(HookVerdict::Deny(reason_or_default(hook, reason))),
        _ if decision.hook_event_name != hook.event => no_verdict(
            Cause::BadOutput,
            format!(
                "its answer is about {}, not {}",
                decision.hook_event_name, hook.event
            ),
        ),
        PermissionDecision::Allow => decided(HookVerdict::Allow),
        PermissionDecision::Ask if hook.format == FormatVersion::V1 => no_verdict(
            Cause::BadOutput,
            "it answered `ask`, which only hooks of version 2 files may do",
        ),
        PermissionDecision::Ask => {
            let text = shown(reason);
            decided(HookVerdict::Ask(if text.is_empty() {
                format!("{} wants a person to decide", hook.id)
            } else {
                text
            }))
        }
    }
}

/// The reason of a denial in output that is not a valid answer: unknown keys, a wrong event name,
/// text around the object, or the older form `{"decision": "block"}`.
fn recognised_denial(text: &str) -> Option<String> {
    let mut rest = text;
    while let Some(start) = rest.find('{') {
        rest = rest.get(start..)?;
        let mut values = serde_json::Deserializer::from_str(rest).into_iter::<Value>();
        match values.next() {
            Some(Ok(value)) => {
                if let Some(reason) = denial_in(&value) {
                    return Some(reason);
                }
                rest = rest.get(values.byte_offset()..)?;
            }
            _ => rest = rest.get(1..)?,
        }
    }
    None
}

/// The reason of one object, if it denies.
fn denial_in(value: &Value) -> Option<String> {
    let specific = &value["hookSpecificOutput"];
    let forms = [
        (
            &specific["permissionDecision"],
            &specific["permissionDecisionReason"],
        ),
        (
            &value["permissionDecision"],
            &value["permissionDecisionReason"],
        ),
        (&value["decision"], &value["reason"]),
    ];
    forms
        .into_iter()
        .find(|(decision, _)| matches!(decision.as_str(), Some("deny" | "block")))
        .map(|(_, reason)| reason.as_str().unwrap_or_default().to_owned())
}

fn bad_output_detail(text: &str, error: &serde_json::Error) -> String {
    let begins = bounded(&escape_for_display(&shown(text)), 60);
    if text.starts_with('{') {
        let error = bounded(&error.to_string(), 200);
        format!("its answer is not valid ({error}); it begins `{begins}`")
    } else {
        format!(
            "with exit 0 it may print nothing or one JSON answer, and it printed `{begins}`; \
             send logs and banners to standard error"
        )
    }
}

// ---- exit 2 ----------------------------------------------------------------------------------

/// Standard error, else the reason of a structured denial, else plain standard output, else a
/// sentence that no failure uses.
fn denial_reason(hook: &Hook, cwd: &Utf8Path, finished: &Finished) -> String {
    let stderr = shown(&String::from_utf8_lossy(&finished.stderr.bytes));
    let stdout = String::from_utf8_lossy(&finished.stdout.bytes);
    let said = if stderr.is_empty() {
        recognised_denial(&stdout)
            .map(|reason| shown(&reason))
            .filter(|reason| !reason.is_empty())
            .or_else(|| (!stdout.trim_start().starts_with('{')).then(|| shown(&stdout)))
            .unwrap_or_default()
    } else {
        stderr
    };
    let said = reason_or_default(hook, &said);
    match missing_script(hook, cwd) {
        Some(script) => bounded(
            &format!(
                "{said} (the interpreter itself exits with 2 when it cannot open its script, and \
                 {} does not exist)",
                escape_for_display(script)
            ),
            MAX_REASON_CHARS,
        ),
        None => said,
    }
}

fn reason_or_default(hook: &Hook, said: &str) -> String {
    let text = shown(said);
    if text.is_empty() {
        format!("denied by {}", hook.id)
    } else {
        text
    }
}

/// The script argument of an interpreter, where it names a file that does not exist; a relative one
/// is looked for in the call's directory.
fn missing_script<'h>(hook: &'h Hook, cwd: &Utf8Path) -> Option<&'h str> {
    let script = hook.script_argument()?;
    (!cwd.join(script).exists()).then_some(script)
}
