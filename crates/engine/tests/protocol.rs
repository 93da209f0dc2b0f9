//! The process protocol, row by row: what a hook does, and what it means under both failure modes.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "helpers of tests may fail a test"
)]

mod support;

use hookward_contract::Verdict;
use serde_json::json;
use support::{Scene, bash, call, cause, denial, hook, judge_one, with};

const DENY_JSON: &str = r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"said no"}}"#;
const ALLOW_JSON: &str =
    r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}"#;
const ASK_JSON: &str = r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask","permissionDecisionReason":"sure?"}}"#;

/// Runs that decide: the script, and the verdict with its text.
#[test]
fn decisions() {
    let out = |json: &str| format!("out:{json}");
    let rows: Vec<(u32, Vec<String>, &str, &str)> = vec![
        (1, vec!["drain".into(), "exit:0".into()], "allow", ""),
        (
            1,
            vec!["drain".into(), "out: \n\t ".into(), "exit:0".into()],
            "allow",
            "",
        ),
        (1, vec!["drain".into(), out(ALLOW_JSON)], "allow", ""),
        (1, vec!["drain".into(), out(DENY_JSON)], "deny", "said no"),
        (2, vec!["drain".into(), out(ASK_JSON)], "ask", "sure?"),
        (
            1,
            vec!["drain".into(), "err:no".into(), "exit:2".into()],
            "deny",
            "no",
        ),
        // The exit status wins over everything that was printed.
        (
            1,
            vec!["drain".into(), out(ALLOW_JSON), "exit:2".into()],
            "deny",
            "denied by h",
        ),
        (
            1,
            vec!["drain".into(), out(DENY_JSON), "exit:2".into()],
            "deny",
            "said no",
        ),
        (
            1,
            vec![
                "drain".into(),
                out(DENY_JSON),
                "err:loud".into(),
                "exit:2".into(),
            ],
            "deny",
            "loud",
        ),
        (
            1,
            vec!["drain".into(), "out:plain words".into(), "exit:2".into()],
            "deny",
            "plain words",
        ),
        (
            1,
            vec!["drain".into(), "exit:2".into()],
            "deny",
            "denied by h",
        ),
        (
            1,
            vec!["drain".into(), "out:{broken".into(), "exit:2".into()],
            "deny",
            "denied by h",
        ),
    ];
    for (version, script, verdict, text) in rows {
        let script: Vec<&str> = script.iter().map(String::as_str).collect();
        let (_scene, judgement) = judge_one(version, hook("h", &script));
        assert_eq!(judgement.verdict.as_str(), verdict, "{script:?}");
        let said = judgement
            .verdict
            .reasons()
            .first()
            .map_or("", |reason| &reason.text);
        assert_eq!(said, text, "{script:?}");
        assert!(
            judgement.all_notices().is_empty(),
            "{script:?}: {:?}",
            judgement.all_notices()
        );
    }
}

/// A denial is recognised whatever surrounds it; an allow never is.
#[test]
fn denials_are_read_leniently_and_allows_strictly() {
    let inside = |event: &str, decision: &str, extra: &str| {
        format!(
            r#"{{"hookSpecificOutput":{{"hookEventName":"{event}","permissionDecision":"{decision}"{extra}}}}}"#
        )
    };
    for output in [
        inside("PreToolUse", "deny", r#","why":"x""#),
        inside("PostToolUse", "deny", ""),
        inside("PreToolUse", "deny", r#","permissionDecisionReason":7"#),
        format!("starting up\n{DENY_JSON}"),
        format!("{DENY_JSON}\nbye"),
        r#"{"decision":"block","reason":"old form"}"#.to_owned(),
        r#"{"permissionDecision":"deny"}"#.to_owned(),
        format!("{{\"level\":\"info\"}}\n{DENY_JSON}"),
        "checking {x} and {y}\n{\"decision\":\"block\"}".to_owned(),
    ] {
        let (_scene, judgement) = judge_one(1, hook("h", &["drain", &format!("out:{output}")]));
        assert_eq!(judgement.verdict.as_str(), "deny", "{output}");
    }
    for output in [
        inside("PreToolUse", "allow", r#","why":"x""#),
        inside("PostToolUse", "allow", ""),
        inside("PreToolUse", "approve", ""),
        inside("PreToolUse", "Allow", ""),
        inside("PreToolUse", "ask", ""),
        format!("ready\n{ALLOW_JSON}"),
        format!("{ALLOW_JSON}{ALLOW_JSON}"),
        r#"{"hookSpecificOutput":{}}"#.to_owned(),
        "{}".to_owned(),
        "[]".to_owned(),
        "null".to_owned(),
        "true".to_owned(),
        "plain text".to_owned(),
        r#"{"score":NaN}"#.to_owned(),
        "{".to_owned(),
        "\u{a0}".to_owned(),
    ] {
        let (_scene, judgement) = judge_one(1, hook("h", &["drain", &format!("out:{output}")]));
        assert_eq!(cause(&judgement), "bad_output", "{output}");
        assert_eq!(judgement.verdict, Verdict::Allow, "{output}");
        assert_eq!(judgement.all_notices().len(), 1, "{output}");
    }
}

/// Every failure is one class: it goes on with a notice, or it blocks, naming its kind.
#[test]
fn failures_mean_what_the_failure_mode_says() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let write = |name: &str, mode: u32, text: &[u8]| {
        use std::os::unix::fs::PermissionsExt as _;
        std::fs::write(path(name), text).unwrap();
        std::fs::set_permissions(path(name), std::fs::Permissions::from_mode(mode)).unwrap();
        path(name)
    };
    let program = |command: String| json!({"id": "h", "type": "command", "command": command});
    let rows = [
        (hook("h", &["drain", "exit:1"]), "exit(1)"),
        (hook("h", &["drain", "exit:3"]), "exit(3)"),
        (hook("h", &["drain", "exit:255"]), "exit(255)"),
        (hook("h", &["drain", "signal:15"]), "signal(15)"),
        (hook("h", &["drain", "signal:9"]), "signal(9)"),
        (
            with(hook("h", &["drain", "sleep:60000"]), "timeoutMs", 100),
            "timeout",
        ),
        (hook("h", &["drain", "outbytes:65537"]), "overflow"),
        (hook("h", &["drain", "outbytes:10485760"]), "overflow"),
        (hook("h", &["drain", "outhex:ff00fe"]), "bad_output"),
        (program(path("missing")), "not_found"),
        (
            program(write("plain", 0o644, b"#!/bin/sh\n")),
            "not_executable",
        ),
        (
            program(folder.path().to_str().unwrap().to_owned()),
            "not_executable",
        ),
        (
            program(write("interp", 0o755, b"#!/no/such/interpreter\n")),
            "not_executable",
        ),
        (
            program(write("noformat", 0o755, b"\x00\x01\x02")),
            "not_executable",
        ),
    ];
    for (hook, expected) in rows {
        let (scene, judgement) = judge_one(2, hook.clone());
        assert_eq!(cause(&judgement), expected);
        assert_eq!(judgement.verdict, Verdict::Allow, "{expected}");
        assert!(
            judgement.all_notices()[0].contains(expected),
            "{:?}",
            judgement.all_notices()
        );
        assert_eq!(scene.completed()[0].failure.as_deref(), Some(expected));

        let (scene, judgement) = judge_one(2, with(hook, "onFailure", "block"));
        let text = denial(&judgement);
        assert!(text.contains(expected) && text.contains("hook h"), "{text}");
        assert!(judgement.denied_by_failure() && scene.completed()[0].blocked);
    }
}

#[test]
fn output_at_the_cap_is_read_and_one_byte_more_is_not() {
    let padded = |bytes: usize| format!("out:{}{DENY_JSON}", " ".repeat(bytes - DENY_JSON.len()));
    // The answer may be up to 64 KiB; one argument of a hook may not, so the script repeats blanks.
    let (_scene, judgement) = judge_one(1, hook("h", &["drain", &padded(8_000)]));
    assert_eq!(denial(&judgement), "said no");
    for (bytes, expected) in [(65_536, "bad_output"), (65_537, "overflow")] {
        let (_scene, judgement) = judge_one(1, hook("h", &["drain", &format!("outbytes:{bytes}")]));
        assert_eq!(cause(&judgement), expected);
    }
}

#[test]
fn a_denial_of_eight_mebibytes_unread_is_a_denial() {
    let scene = Scene::with_hooks(1, &[hook("h", &["noread", "err:no", "exit:2"])]);
    let input = json!({"content": "x".repeat(8 * 1024 * 1024 - 64)}).to_string();
    let judgement = scene.judge(&call("Write", &input));
    assert_eq!(denial(&judgement), "no");
}

#[test]
fn a_background_child_that_holds_stdout_changes_nothing() {
    let marker = hookward_testkit::unique_marker();
    let hold = format!("holdstdout:{marker}");
    let (_scene, judgement) = judge_one(1, hook("h", &["drain", &hold, "exit:0"]));
    assert_eq!(judgement.verdict, Verdict::Allow);
    assert!(judgement.all_notices().is_empty());
    let (_scene, judgement) = judge_one(1, hook("h", &["drain", &hold, "err:no", "exit:2"]));
    assert_eq!(denial(&judgement), "no");
    assert!(hookward_testkit::survivors(&marker).is_empty());
}

/// The payload of both versions, byte-faithful where it matters.
#[test]
fn payloads_are_what_the_protocol_says() {
    let input = r#"{"z":1.50,"command":"git  push","a":7960607143101464577,"e":1e400}"#;
    for version in [1, 2] {
        let scene = Scene::new();
        let saved = scene.root.join("payload");
        scene.write_user(version, &[hook("h", &[&format!("save:{saved}")])]);
        scene.trust_all();
        let mut call = call("Bash", input);
        call.agent_id = Some("sub-1".to_owned());
        assert_eq!(scene.judge(&call).verdict, Verdict::Allow);
        let text = std::fs::read_to_string(&saved).unwrap();
        assert!(text.contains(&format!(r#""tool_input":{input}"#)), "{text}");
        let payload: serde_json::Value = serde_json::from_str(&text).unwrap();
        let mut expected = json!({
            "schema_version": version, "hook_event_name": "PreToolUse", "session_id": "session-1",
            "turn_id": "turn-1", "run_id": "run-1", "tool_use_id": "call-1", "tool_name": "Bash",
            "tool_input": serde_json::from_str::<serde_json::Value>(input).unwrap(),
            "cwd": "/", "permission_mode": "default", "origin": "provider",
        });
        if version == 2 {
            let more = json!({
                "hook_id": "h", "source": "user", "deadline_ms": 3000,
                "project_root": scene.project.root, "agent_id": "sub-1", "agent_type": null,
                "parent_tool_use_id": null, "native_tool_name": null,
                "effects": [{
                    "kind": "exec", "program": "git", "args": ["push"], "cwd": "/",
                    "raw": "git  push",
                }, { "kind": "network", "host": null, "via": "git" }],
            });
            let more = more.as_object().unwrap().clone();
            expected.as_object_mut().unwrap().extend(more);
        }
        assert_eq!(payload, expected);
    }
}

#[test]
fn an_untrusted_hook_is_not_started_and_says_so() {
    let scene = Scene::new();
    let proof = scene.root.join("ran");
    let append = format!("append:{proof}:x");
    scene.write_user(
        2,
        &[with(hook("h", &[&append, "exit:2"]), "onFailure", "block")],
    );
    let judgement = scene.judge(&bash("date"));
    assert_eq!(judgement.verdict, Verdict::Allow);
    assert_eq!(cause(&judgement), "untrusted");
    assert!(judgement.all_notices()[0].contains("hookward review"));
    assert!(!proof.exists());
}
