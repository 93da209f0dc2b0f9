//! Several hooks, several calls: order, limits, aborts.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "helpers of tests may fail a test"
)]

mod support;

use std::sync::atomic::{AtomicUsize, Ordering};

use hookward_contract::Verdict;
use hookward_engine::audit::HookStatus;
use hookward_engine::{Aborted, HookEnvironment, MAX_HANDLERS_PER_CALL};
use hookward_process::Abort;
use support::{Scene, bash, denial, hook, with};

/// Case B77: two denials, the slower one first in the file; reasons in file order, always.
#[test]
fn b77_reasons_come_in_file_order_whoever_is_faster() {
    let scene = Scene::with_hooks(
        1,
        &[
            hook("slow", &["sleep:150", "err:a", "exit:2"]),
            hook("fast", &["err:b", "exit:2"]),
        ],
    );
    for _ in 0..5 {
        assert_eq!(denial(&scene.judge(&bash("date"))), "slow: a\nfast: b");
    }
    let records = scene.completed();
    assert!(records[0].duration_us > records[1].duration_us);
}

/// Case B79: a denial stops no other hook from running.
#[test]
fn b79_an_observer_runs_although_a_guard_denied() {
    let scene = Scene::new();
    let log = scene.root.join("log");
    scene.write_user(
        1,
        &[
            hook("guard", &["exit:2"]),
            hook("log", &["drain", &format!("append:{log}:seen")]),
        ],
    );
    scene.trust_all();
    assert_eq!(scene.judge(&bash("date")).verdict.as_str(), "deny");
    assert_eq!(std::fs::read_to_string(&log).unwrap(), "seen\n");
}

#[test]
fn one_denial_one_timeout_one_crash_is_a_denial_with_three_records() {
    let scene = Scene::with_hooks(
        1,
        &[
            with(hook("hangs", &["sleep:60000"]), "timeoutMs", 100),
            hook("denies", &["err:no", "exit:2"]),
            hook("crashes", &["signal:6"]),
        ],
    );
    let judgement = scene.judge(&bash("date"));
    assert_eq!(denial(&judgement), "no");
    assert_eq!(judgement.all_notices().len(), 2);
    assert!(!judgement.denied_by_failure());
    let failures: Vec<_> = scene
        .completed()
        .into_iter()
        .map(|r| (r.status, r.failure))
        .collect();
    assert_eq!(
        failures,
        [
            (HookStatus::Failed, Some("timeout".to_owned())),
            (HookStatus::Denied, None),
            (HookStatus::Failed, Some("signal(6)".to_owned())),
        ]
    );
}

#[test]
fn deny_wins_over_ask_and_ask_over_allow() {
    let ask =
        r#"out:{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask"}}"#;
    let allow = hook("allow", &["exit:0"]);
    let scene = Scene::with_hooks(
        2,
        &[
            allow.clone(),
            hook("ask", &[ask]),
            hook("deny", &["exit:2"]),
        ],
    );
    assert_eq!(denial(&scene.judge(&bash("date"))), "denied by deny");
    let scene = Scene::with_hooks(2, &[hook("ask", &[ask]), allow]);
    let Verdict::Ask(reasons) = scene.judge(&bash("date")).verdict else {
        panic!("not asked")
    };
    assert_eq!(reasons[0].text, "ask wants a person to decide");
}

/// Case B177: 32 calls at once, 8 hooks each; never more processes than the limit, queue time is
/// no hook's own.
#[test]
fn b177_the_limit_holds_over_all_calls() {
    let scene = Scene::new();
    let marker = hookward_testkit::unique_marker();
    let hooks: Vec<_> = (0..8)
        .map(|n| {
            let hook = hook(&format!("h{n}"), &["drain", "sleep:5", "exit:0", &marker]);
            with(hook, "timeoutMs", 30_000)
        })
        .collect();
    scene.write_user(1, &hooks);
    scene.trust_all();
    let (gate, snapshot) = (scene.gate().with_limit(3), scene.snapshot());
    let (most, running) = (AtomicUsize::new(0), AtomicUsize::new(32));
    std::thread::scope(|scope| {
        for _ in 0..32 {
            scope.spawn(|| {
                let judged = gate
                    .judge(&snapshot, &bash("date"), &Abort::new().unwrap())
                    .unwrap();
                assert_eq!(judged.verdict, Verdict::Allow, "{:?}", judged.all_notices());
                assert!(judged.all_notices().is_empty());
                running.fetch_sub(1, Ordering::SeqCst);
            });
        }
        while running.load(Ordering::SeqCst) > 0 {
            most.fetch_max(hookward_testkit::survivors(&marker).len(), Ordering::SeqCst);
        }
    });
    assert!(
        (1..=3).contains(&most.load(Ordering::SeqCst)),
        "{most:?} at once"
    );
    let records = scene.completed();
    assert_eq!(records.len(), 32 * 8);
    assert!(
        records
            .iter()
            .any(|record| record.queue_us > record.duration_us)
    );
}

#[test]
fn an_abort_in_the_queue_starts_nothing() {
    let scene = Scene::new();
    let (started, blocker) = (scene.root.join("started"), scene.root.join("go"));
    let first = hook(
        "first",
        &[
            &format!("append:{started}:first"),
            &format!("waitfile:{blocker}"),
        ],
    );
    let second = hook("second", &[&format!("append:{started}:second")]);
    scene.write_user(1, &[with(first, "timeoutMs", 30_000), second]);
    scene.trust_all();
    let (gate, snapshot, abort) = (
        scene.gate().with_limit(1),
        scene.snapshot(),
        Abort::new().unwrap(),
    );
    let result = std::thread::scope(|scope| {
        let judging = scope.spawn(|| gate.judge(&snapshot, &bash("date"), &abort));
        while !started.exists() {
            std::thread::yield_now();
        }
        abort.abort();
        judging.join().unwrap()
    });
    assert_eq!(result.unwrap_err(), Aborted);
    let lines = std::fs::read_to_string(&started).unwrap();
    assert_eq!(lines.lines().count(), 1, "{lines}");
    assert_eq!(scene.statuses(), [HookStatus::Aborted, HookStatus::Aborted]);
}

/// Case B179: a handler that never settles cannot keep an abort from arriving.
#[test]
fn b179_an_abort_needs_no_cooperation() {
    let marker = hookward_testkit::unique_marker();
    let stubborn = hook(
        "h",
        &[
            "ignore:TERM",
            &format!("spawn:mixed:{marker}"),
            "sleep:60000",
        ],
    );
    let scene = Scene::with_hooks(1, &[with(stubborn, "timeoutMs", 30_000)]);
    let (gate, snapshot, abort) = (scene.gate(), scene.snapshot(), Abort::new().unwrap());
    let result = std::thread::scope(|scope| {
        let judging = scope.spawn(|| gate.judge(&snapshot, &bash("date"), &abort));
        while hookward_testkit::survivors(&marker).is_empty() {
            std::thread::yield_now();
        }
        abort.abort();
        judging.join().unwrap()
    });
    assert_eq!(result.unwrap_err(), Aborted);
    assert!(hookward_testkit::survivors(&marker).is_empty());
}

#[test]
fn an_already_aborted_call_starts_nothing() {
    let scene = Scene::with_hooks(1, &[hook("h", &["exit:2"])]);
    let abort = Abort::new().unwrap();
    abort.abort();
    assert!(
        scene
            .gate()
            .judge(&scene.snapshot(), &bash("date"), &abort)
            .is_err()
    );
    assert_eq!(scene.statuses(), [HookStatus::Aborted]);
}

#[test]
fn handlers_beyond_the_limit_of_a_call_give_no_verdict() {
    let count = MAX_HANDLERS_PER_CALL + 2;
    let hooks: Vec<_> = (0..count)
        .map(|n| hook(&format!("h{n}"), &["exit:0"]))
        .collect();
    let scene = Scene::with_hooks(1, &hooks);
    let judgement = scene.judge(&bash("date"));
    assert_eq!(judgement.all_notices().len(), 2);
    let failures: Vec<_> = scene
        .completed()
        .into_iter()
        .filter_map(|r| r.failure)
        .collect();
    assert_eq!(failures, ["queue", "queue"]);
}

#[test]
fn a_call_that_no_hook_matches_leaves_no_trace() {
    let scene = Scene::new();
    let judgement = scene.judge(&bash("date"));
    assert_eq!(judgement.verdict, Verdict::Allow);
    assert!(judgement.runs.is_empty() && judgement.all_notices().is_empty());
    assert!(scene.audit.records().is_empty());
}

/// Hooks that were never reviewed use up no place of those that were.
#[test]
fn unreviewed_hooks_take_no_places() {
    let scene = Scene::new();
    scene.write_user(1, &[hook("guard", &["exit:2"])]);
    scene.trust_all();
    let mut hooks: Vec<_> = (0..MAX_HANDLERS_PER_CALL + 6)
        .map(|n| hook(&format!("junk{n}"), &[&format!("exit:{}", 10 + n)]))
        .collect();
    hooks.push(hook("guard", &["exit:2"]));
    scene.write_user(1, &hooks);
    let judgement = scene.judge(&bash("date"));
    assert_eq!(denial(&judgement), "denied by guard");
    // And their crowd hides nothing: one sentence for all of them.
    assert_eq!(judgement.all_notices().len(), 1);
}

/// Two failures do not cancel each other out.
#[test]
fn two_damaged_files_deny() {
    let scene = Scene::with_hooks(1, &[hook("h", &["exit:0"])]);
    for path in [scene.state.hooks_file(), scene.state.trust_file()] {
        std::fs::write(path, "damaged").unwrap();
    }
    let judgement = scene.judge(&bash("date"));
    assert!(denial(&judgement).contains("nobody can tell"));
    assert!(judgement.denied_by_failure());
}

/// An audit that cannot be written is told and changes no verdict.
#[test]
fn a_failing_audit_is_told() {
    struct Full;
    impl hookward_engine::audit::AuditSink for Full {
        fn append(
            &self,
            _: &[hookward_engine::audit::AuditRecord],
        ) -> Result<(), hookward_engine::audit::AuditError> {
            Err(hookward_engine::audit::AuditError {
                path: "/audit".into(),
                source: std::io::Error::from(std::io::ErrorKind::StorageFull),
            })
        }
    }
    let scene = Scene::with_hooks(1, &[hook("h", &["exit:2"])]);
    let gate = hookward_engine::Gate::new(&HookEnvironment::default(), std::sync::Arc::new(Full));
    let judgement = gate
        .judge(&scene.snapshot(), &bash("date"), &Abort::new().unwrap())
        .unwrap();
    assert_eq!(denial(&judgement), "denied by h");
    assert!(judgement.all_notices()[0].contains("the audit was not written"));
}

/// Answers that came before an abort are void.
#[test]
fn an_abort_voids_answers_that_are_there() {
    let scene = Scene::new();
    let (done, go) = (scene.root.join("done"), scene.root.join("go"));
    let fast = hook("fast", &["exit:2"]);
    let slow = hook(
        "slow",
        &[&format!("append:{done}:x"), &format!("waitfile:{go}")],
    );
    scene.write_user(1, &[fast, with(slow, "timeoutMs", 30_000)]);
    scene.trust_all();
    let (gate, snapshot, abort) = (scene.gate(), scene.snapshot(), Abort::new().unwrap());
    let result = std::thread::scope(|scope| {
        let judging = scope.spawn(|| gate.judge(&snapshot, &bash("date"), &abort));
        while !done.exists() {
            std::thread::yield_now();
        }
        abort.abort();
        judging.join().unwrap()
    });
    assert_eq!(result.unwrap_err(), Aborted);
    assert_eq!(scene.statuses(), [HookStatus::Aborted, HookStatus::Aborted]);
}
