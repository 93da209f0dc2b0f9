//! `hookward replay` from outside: histories in, a report out, and no tool or program run unasked.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "helpers of tests may fail a test"
)]

mod support;

use serde_json::{Value, json};
use support::{Cli, file, hook};

const CALLS: &str = r#"{"tool":"Bash","input":{"command":"git push"},"session":"a","at":"2026-03-02T19:30:00+01:00"}
{"tool":"Bash","input":{"command":"git push"},"session":"b","at":"2026-03-02T09:30:00+01:00"}
{"tool":"Bash","input":{"command":"echo 'git push'"},"session":"b"}
{"tool":"Bash","input":{"com
"#;

fn rule(id: &str, decision: &str, fields: &Value) -> Value {
    let mut rule = json!({"id": id, "type": "rule", "decision": decision, "reason": "because"});
    rule.as_object_mut()
        .unwrap()
        .extend(fields.as_object().unwrap().clone());
    rule
}

fn written(cli: &Cli, name: &str, text: &str) -> String {
    let path = cli.path(name);
    std::fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

#[test]
fn rules_judge_the_past_by_the_clock_of_the_past() {
    let cli = Cli::new();
    let evening = json!({"exec": "git push", "when": "now.getHours('Europe/Berlin') >= 18"});
    cli.write_user(&file(2, "Bash", &[rule("no-push", "deny", &evening)]));
    let calls = written(&cli, "calls.jsonl", CALLS);
    let report = cli.run(&["replay", &calls, "--json"]).expect(0).json();
    assert_eq!(report["schema_version"], 1);
    assert_eq!(
        (&report["calls"], &report["denied"]),
        (&json!(3), &json!(1))
    );
    assert_eq!(report["rules"][0]["rule"], "user/no-push");
    assert_eq!(report["rules"][0]["examples"][0]["line"], 1);
    assert_eq!(report["skipped"][0]["reason"], "not_json");
    let run = cli.run(&["replay", &calls]).expect(0);
    for words in ["1 denied", "user/no-push", "git push", "lines that are cut"] {
        assert!(run.out.contains(words), "{words}: {}", run.out);
    }
}

#[test]
fn a_shadow_rule_counts_and_decides_nothing() {
    let cli = Cli::new();
    let shadow = json!({"exec": "git push", "mode": "shadow"});
    cli.write_user(&file(2, "Bash", &[rule("no-push", "deny", &shadow)]));
    let calls = written(&cli, "calls.jsonl", CALLS);
    let report = cli.run(&["replay", &calls, "--json"]).expect(0).json();
    assert_eq!(
        (&report["denied"], &report["allowed"]),
        (&json!(0), &json!(3))
    );
    assert_eq!(report["rules"][0]["would_deny"], 2);
}

#[test]
fn two_files_are_compared_and_need_no_trust() {
    let cli = Cli::new();
    let push = json!({"exec": "git push"});
    let old = file(2, "Bash", &[rule("push", "deny", &push)]);
    let new = file(2, "Bash", &[rule("push", "ask", &push)]);
    let (old, new) = (
        written(&cli, "old.json", &old),
        written(&cli, "new.json", &new),
    );
    let calls = written(&cli, "calls.jsonl", CALLS);
    let arguments = [
        "replay",
        &calls,
        "--policy",
        &old,
        "--against",
        &new,
        "--json",
    ];
    let report = cli.run(&arguments).expect(0).json();
    let group = &report["difference"]["groups"][0];
    assert_eq!(
        (&group["from"], &group["to"]),
        (&json!("deny"), &json!("ask"))
    );
    assert_eq!(
        (&group["calls"], &report["difference"]["same"]),
        (&json!(2), &json!(1))
    );
}

#[test]
fn programs_are_started_only_when_asked_for_and_trusted() {
    let cli = Cli::new();
    cli.write_user(&file(2, "Bash", &[hook("no", &["err:no", "exit:2"])]));
    let calls = written(&cli, "calls.jsonl", CALLS);
    let counts = |arguments: &[&str]| {
        let report = cli.run(arguments).expect(0).json();
        let rule = &report["rules"][0];
        (report["denied"].clone(), rule["not_judged"].clone())
    };
    let (plain, started) = (
        ["replay", &calls, "--json"],
        ["replay", &calls, "--json", "--run-commands"],
    );
    assert_eq!(counts(&plain), (json!(0), json!(3)));
    assert_eq!(counts(&started), (json!(0), json!(3)));
    cli.run(&["trust", "--all", "--yes"]).expect(0);
    assert_eq!(counts(&plain), (json!(0), json!(3)));
    assert_eq!(counts(&started), (json!(3), json!(0)));
}

#[test]
fn a_page_is_written_for_its_owner_alone() {
    use std::os::unix::fs::PermissionsExt as _;
    let cli = Cli::new();
    let calls = written(&cli, "calls.jsonl", CALLS);
    let page = cli.path("report.html");
    cli.run(&["replay", &calls, "--html", page.to_str().unwrap()])
        .expect(0);
    let text = std::fs::read_to_string(&page).unwrap();
    assert!(text.starts_with("<!doctype html>") && text.contains("default-src 'none'"));
    let mode = std::fs::metadata(&page).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn nothing_to_read_and_a_broken_policy_are_failures() {
    let cli = Cli::new();
    let notes = written(&cli, "notes.txt", "hello");
    let run = cli.run(&["replay", &notes]).expect(1);
    assert!(run.err.contains("nothing could be read"), "{}", run.err);
    assert!(run.out.contains("not a history"), "{}", run.out);
    let broken = written(&cli, "broken.json", "{");
    let run = cli.run(&["replay", &notes, "--policy", &broken]).expect(1);
    assert!(run.err.contains("not a policy"), "{}", run.err);
    cli.write_user("{");
    let run = cli.run(&["replay", &notes]).expect(1);
    assert!(run.err.contains("cannot be used"), "{}", run.err);
    cli.run(&["replay", "--since", "yesterday"]).expect(1);
}
