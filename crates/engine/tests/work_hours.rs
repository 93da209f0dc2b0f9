//! The example of the documentation, "no `git push` after 18:00", once as a command and once as a
//! rule: both say the same to the same call at the same time.
//!
//! **The clock.** A script that asks `date` cannot be told a time, and a test must not wait for the
//! evening. The script of the demonstration reads the hour from a file instead, so each hour of the
//! day has a folder with that file. The rule gets the instant itself. The hour in Berlin is computed
//! here by the law of the European Union for 2026, by neither side's table of time zones.
//!
//! **The calls.** The script looks for the words `git push` in the text of the whole call; the rule
//! knows what a shell would run. They can agree only where both are right, so the calls are made of
//! parts that keep to these forms: a push is written `git push`, with one blank and nothing between
//! the words (the script does not see `git -C api push`, `git  push` or `g\it push`), and stands
//! where a shell runs it (the script also stops `echo 'git push'` and a file that holds the words).
//! Nothing in a call is beyond knowing, where a rule would ask.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "helpers of tests may fail a test"
)]

mod support;

use std::cell::Cell;
use std::os::unix::fs::PermissionsExt as _;

use hookward_contract::{Call, Verdict};
use hookward_engine::{Gate, HookEnvironment, World};
use hookward_process::Abort;
use jiff::{SignedDuration, Timestamp};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};
use support::{Scene, bash, call};

/// Commands that push, written as the script sees them.
const PUSHES: &[&str] = &[
    "git push",
    "git push -f",
    "git push origin HEAD:main",
    "CI=1 git push --tags",
    "sudo git push",
    "timeout 60 git push",
    "bash -c 'cd api; git push'",
    "(cd api && git push)",
    "if true; then git push; fi",
    "echo \"$(git push)\"",
    "xargs git push < refs",
];

/// Commands that do not, and in which the script sees nothing.
const OTHERS: &[&str] = &[
    "git pull",
    "git status --short",
    "git stash push",
    "git commit -m 'push it'",
    "git fetch && git log",
    "echo push",
    "npm test",
    "cat push.txt",
    "grep -r push src",
    "docker push registry.example/x",
];

/// Calls of other tools, none of which runs anything.
const TOOLS: &[(&str, &str)] = &[
    ("Read", r#"{"file_path":"/srv/push"}"#),
    ("Write", r#"{"file_path":"/srv/a","content":"push"}"#),
    ("Grep", r#"{"pattern":"git"}"#),
    ("WebFetch", r#"{"url":"https://a.example/git/push"}"#),
    ("mcp__git__push", r#"{"branch":"main"}"#),
];

fn any_call() -> impl Strategy<Value = Call> {
    let command = prop_oneof![1 => select(PUSHES), 2 => select(OTHERS)];
    let joint = select(&["; ", " && ", " || ", " | ", "\n"][..]);
    let text = (command.clone(), vec((joint, command), 0..3)).prop_map(|(first, rest)| {
        let rest = rest
            .into_iter()
            .flat_map(|(joint, command)| [joint, command]);
        std::iter::once(first).chain(rest).collect::<String>()
    });
    prop_oneof![
        6 => text.prop_map(|text| bash(&text)),
        1 => select(TOOLS).prop_map(|(tool, input)| call(tool, input)),
    ]
}

fn instant(text: &str) -> Timestamp {
    text.parse().unwrap()
}

/// An instant of 2026; every third near a change of the clocks or of the policy.
fn any_instant() -> impl Strategy<Value = Timestamp> {
    let start = instant("2026-01-01T00:00:00Z");
    let edges = [
        "2026-03-29T01:00:00Z",
        "2026-10-25T01:00:00Z",
        "2026-02-02T17:00:00Z",
        "2026-07-07T16:00:00Z",
        "2026-12-31T23:00:00Z",
    ];
    let near = (select(edges.map(instant).to_vec()), -3_600_i64..3_600);
    prop_oneof![
        2 => (0..365 * 86_400_i64).prop_map(move |seconds| start + SignedDuration::from_secs(seconds)),
        1 => near.prop_map(|(edge, seconds)| edge + SignedDuration::from_secs(seconds)),
    ]
}

/// The hour in Berlin: summer time from the last Sunday of March to that of October, 01:00 UTC.
fn hour_in_berlin(now: Timestamp) -> i64 {
    let summer = instant("2026-03-29T01:00:00Z") <= now && now < instant("2026-10-25T01:00:00Z");
    let offset = if summer { 2 } else { 1 };
    (now.as_second() / 3_600 + offset) % 24
}

/// A State Root with one trusted hook for every tool.
fn with_hook(hook: impl FnOnce(&Scene) -> Value) -> (Scene, Gate) {
    let scene = Scene::new();
    scene.write_user(2, &[hook(&scene)]);
    scene.trust_all();
    let gate = scene.gate();
    (scene, gate)
}

/// The script, at this hour.
fn script(scene: &Scene, hour: i64) -> Value {
    let program = scene.root.join("work-hours.sh");
    std::fs::write(&program, include_str!("../../cli/assets/work-hours.sh")).unwrap();
    let mode = std::fs::Permissions::from_mode(0o700);
    std::fs::set_permissions(&program, mode).unwrap();
    std::fs::write(scene.root.join("hour"), format!("{hour}\n")).unwrap();
    json!({"id": "hours", "type": "command", "command": "/bin/sh", "args": [program, scene.root], "onFailure": "block", "timeoutMs": 30_000})
}

fn rule() -> Value {
    json!({"id": "hours", "type": "rule", "exec": "git push", "when": "now.getHours('Europe/Berlin') >= 18",
           "decision": "deny", "reason": "No pushes after 18:00."})
}

#[test]
fn the_rule_and_the_script_agree() {
    let scripts: Vec<(Scene, Gate)> = (0..24)
        .map(|hour| with_hook(|scene| script(scene, hour)))
        .collect();
    let (ruled, _) = with_hook(|_| rule());
    let abort = Abort::new().unwrap();
    let by_rule = ruled.snapshot();
    let by_script: Vec<_> = scripts.iter().map(|(scene, _)| scene.snapshot()).collect();
    let (calls, denials) = (Cell::new(0), Cell::new(0));
    let config = ProptestConfig {
        cases: 1_000,
        failure_persistence: None,
        ..ProptestConfig::default()
    };
    proptest!(config, |(call in any_call(), now in any_instant())| {
        let hour = usize::try_from(hour_in_berlin(now)).unwrap();
        let script = scripts[hour].1.judge(&by_script[hour], &call, &abort).unwrap();
        prop_assert!(script.all_notices().is_empty(), "{:?}", script.all_notices());
        let world = World { now: Some(now), ..World::real(&HookEnvironment::default()) };
        let rule = ruled.gate().with_world(world).judge(&by_rule, &call, &abort).unwrap();
        prop_assert_eq!(rule.verdict.as_str(), script.verdict.as_str(), "{} at {}, hour {}", call.input.get(), now, hour);
        calls.set(calls.get() + 1);
        denials.set(denials.get() + usize::from(rule.verdict != Verdict::Allow));
    });
    // About two calls in five push, and a quarter of all hours are late.
    let (calls, denials) = (calls.get(), denials.get());
    assert!(
        calls >= 1_000 && (calls / 50..calls / 2).contains(&denials),
        "{denials} of {calls}"
    );
}
