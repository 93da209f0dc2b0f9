//! What a hook printed and how it ended. The first three bytes say how it ended, which format its
//! file has and how much was cut; a NUL then separates standard output from standard error.

#![no_main]

use std::sync::LazyLock;
use std::time::Duration;

use hookward_contract::{
    Cause, EventName, FailureMode, HookId, HookRun, HookVerdict, MAX_REASON_CHARS, SourceKind,
    Verdict, strip_controls,
};
use hookward_engine::{DENY_STATUS, fuzzing, redact};
use hookward_policy::{
    CommandText, ContainmentMode, Definition, FormatVersion, HandlerText, Hook, HookMode, Matcher,
};
use hookward_process::{Captured, Cleanup, Containment, End, Finished};
use libfuzzer_sys::fuzz_target;
use serde_json::Value;

/// One hook per format; the second one is an interpreter without its script.
static HOOKS: LazyLock<[Hook; 2]> = LazyLock::new(|| {
    [
        hook(FormatVersion::V1, "/opt/policy", &[]),
        hook(FormatVersion::V2, "/bin/sh", &["/nonexistent/policy.sh"]),
    ]
});

fn hook(format: FormatVersion, command: &str, args: &[&str]) -> Hook {
    let definition = Definition {
        format,
        source: SourceKind::User,
        owner: "user".to_owned(),
        event: EventName::PreToolUse,
        matcher: Matcher::all(),
        handler: HandlerText::Command(CommandText {
            command: command.to_owned(),
            args: args.iter().map(|arg| (*arg).to_owned()).collect(),
            timeout_ms: 3_000,
            containment: ContainmentMode::Full,
        }),
        on_failure: FailureMode::Block,
        mode: HookMode::Enforce,
    };
    fuzzing_hook(definition)
}

fn fuzzing_hook(definition: Definition) -> Hook {
    hookward_policy::fuzzing::hook(definition, HookId::try_from("gate").unwrap())
}

fuzz_target!(|bytes: &[u8]| {
    let [end, version, cut, rest @ ..] = bytes else {
        return;
    };
    let (stdout, stderr) = match rest.iter().position(|byte| *byte == 0) {
        Some(at) => (&rest[..at], &rest[at + 1..]),
        None => (rest, &[][..]),
    };
    let hook = &HOOKS[usize::from(version & 1)];
    let end = match end {
        b't' => End::TimedOut,
        b'a' => End::Aborted,
        b's' => End::Signaled(9),
        other => End::Exited(i32::from(other.wrapping_sub(b'0'))),
    };
    let captured = |bytes: &[u8], cut: u8| Captured {
        bytes: bytes.to_vec(),
        total: bytes.len() as u64 + u64::from(cut),
    };
    let finished = Finished {
        end: end.clone(),
        stdout: captured(stdout, cut & 1),
        stderr: captured(stderr, cut & 2),
        duration: Duration::ZERO,
        containment: Containment::Group,
        cleanup: Cleanup::Confirmed,
        stdin_written: 0,
        start_retries: 0,
    };
    let run = fuzzing::read(hook, &finished);
    assert_eq!(
        run.is_none(),
        end == End::Aborted,
        "an abort and nothing else is an abort"
    );
    let Some(run) = run else { return };
    check_run(hook, &finished, &run);
    check_verdict(hook, &run);
});

fn check_run(hook: &Hook, finished: &Finished, run: &HookRun) {
    let is_cut = finished.stdout.truncated();
    match (&finished.end, run) {
        (End::Exited(DENY_STATUS), HookRun::Decided(HookVerdict::Deny(_))) => {}
        (End::Exited(DENY_STATUS), run) => panic!("exit 2 is a denial, not {run:?}"),
        (End::Exited(0), HookRun::Decided(verdict)) => {
            assert!(!is_cut, "an answer that is cut decides nothing");
            check_decision(hook, &finished.stdout.bytes, verdict);
        }
        (End::Exited(0), HookRun::NoVerdict(failure)) => {
            let expected = if is_cut {
                Cause::Overflow
            } else {
                Cause::BadOutput
            };
            assert_eq!(failure.cause, expected);
        }
        (End::Exited(status), HookRun::NoVerdict(failure)) => {
            assert_eq!(failure.cause, Cause::Exit(*status));
        }
        (End::Signaled(number), HookRun::NoVerdict(failure)) => {
            assert_eq!(failure.cause, Cause::Signal(*number));
        }
        (End::TimedOut, HookRun::NoVerdict(failure)) => assert_eq!(failure.cause, Cause::Timeout),
        (end, run) => panic!("{end:?} was read as {run:?}"),
    }
    if let HookRun::Decided(HookVerdict::Ask(text) | HookVerdict::Deny(text)) = run {
        check_words(text);
    }
}

/// Exit 0: an allow is empty or strictly valid, a question is strictly valid and of version 2.
fn check_decision(hook: &Hook, stdout: &[u8], verdict: &HookVerdict) {
    let text = String::from_utf8_lossy(stdout);
    let text = text.trim_matches([' ', '\t', '\r', '\n']);
    let decision = match verdict {
        HookVerdict::Allow if text.is_empty() => return,
        HookVerdict::Allow => "allow",
        HookVerdict::Ask(_) => {
            assert_eq!(hook.format, FormatVersion::V2);
            "ask"
        }
        HookVerdict::Deny(_) => {
            assert!(
                ["deny", "block", "\\u"]
                    .iter()
                    .any(|word| text.contains(word)),
                "{text}"
            );
            return;
        }
    };
    let json: Value = serde_json::from_str(text).expect("an answer is one JSON document");
    let outer = json.as_object().expect("an answer is an object");
    assert!(outer.len() == 1, "nothing stands beside the decision");
    let inner = outer["hookSpecificOutput"]
        .as_object()
        .expect("the decision is an object");
    assert_eq!(inner["hookEventName"], "PreToolUse");
    assert_eq!(inner["permissionDecision"], decision);
    let reason = inner.get("permissionDecisionReason");
    assert!(reason.is_none_or(|reason| reason.is_string() || reason.is_null()));
    assert_eq!(inner.len(), if reason.is_some() { 3 } else { 2 });
    // A plain reader keeps the last of two equal keys, so both are looked for in the text.
    if !text.contains('\\') && reason.is_none() {
        for key in [
            "\"hookSpecificOutput\"",
            "\"permissionDecision\"",
            "\"hookEventName\"",
        ] {
            assert_eq!(text.matches(key).count(), 1, "{text}");
        }
    }
}

/// Words of a hook for a model: no controls, no more than the limit, nothing left to redact.
fn check_words(text: &str) {
    assert!(!text.is_empty());
    assert!(
        text.chars().count() <= MAX_REASON_CHARS,
        "{}",
        text.chars().count()
    );
    assert!(
        text.chars().all(|c| c == '\n' || !c.is_control()),
        "{text:?}"
    );
    assert_eq!(strip_controls(text), text.trim(), "{text:?}");
    // Words about a missing script are appended later. A cut may go through `[redacted]`, and what
    // is left of it is redacted once more.
    let own = text
        .split(" (the interpreter itself exits")
        .next()
        .unwrap_or(text);
    assert!(text.ends_with('…') || redact(own) == own, "{text:?}");
}

/// The hook blocks on failure, so nothing but an answer can let the call pass.
fn check_verdict(hook: &Hook, run: &HookRun) {
    let verdict = fuzzing::verdict(&[(hook.clone(), run.clone())]);
    let expected = match run {
        HookRun::Decided(decided) => decided.as_str(),
        HookRun::NoVerdict(_) => "deny",
    };
    assert_eq!(verdict.as_str(), expected);
    let (Verdict::Ask(reasons) | Verdict::Deny(reasons)) = verdict else {
        return;
    };
    for reason in &reasons {
        assert!(reason.text.chars().count() <= MAX_REASON_CHARS);
        assert!(
            reason.text.chars().all(|c| c == '\n' || !c.is_control()),
            "{:?}",
            reason.text
        );
    }
}
