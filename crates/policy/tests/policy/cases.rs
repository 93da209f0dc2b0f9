//! The cases of hooks: what they may say, and where they stand.

use std::slice;

use hookward_policy::{Code, Expected};
use serde_json::json;

use crate::scene::{Scene, codes, file, handler, rule, with, without};

#[test]
fn cases_are_kept_with_their_place() {
    let scene = Scene::new();
    let text = r#"{"version": 2, "hooks": {"PreToolUse": [{"hooks": [
      {"id": "a", "type": "rule", "exec": "git push", "decision": "deny", "reason": "no", "tests": [
        {"tool": "Bash", "input": {"command": "git push", "n": 1.50}, "expect": "deny"},
        {"tool": "Edit", "native_tool": "replace", "input": {}, "cwd": "sub/dir", "mode": "plan",
         "now": "2026-03-02T19:30:00+01:00", "env": {"CI": "1", "B": ""}, "expect": "ask"}]}]}]}}"#;
    scene.write_user(text);
    let snapshot = scene.load();
    assert_eq!(snapshot.sources()[0].diagnostics, []);
    let [first, second] = snapshot.hooks()[0].tests() else {
        panic!("two cases");
    };
    assert_eq!(first.tool.as_str(), "Bash");
    assert_eq!(first.input.get(), r#"{"command": "git push", "n": 1.50}"#);
    assert_eq!((first.expect, first.location.line), (Expected::Deny, 3));
    assert_eq!((&first.cwd, &first.now, &first.mode), (&None, &None, &None));
    assert!(first.env.is_empty() && first.native_tool.is_none());
    assert_eq!(second.native_tool.as_ref().unwrap().as_str(), "replace");
    assert_eq!(second.cwd.as_ref().unwrap(), "sub/dir");
    assert_eq!(second.mode.as_deref(), Some("plan"));
    assert_eq!(second.now.unwrap().to_string(), "2026-03-02T18:30:00Z");
    let env = [("CI", "1"), ("B", "")].map(|(name, value)| (name.to_owned(), value.to_owned()));
    assert_eq!(second.env, env);
    assert_eq!(second.expect, Expected::Ask);
    assert!(
        second.location.pointer.ends_with("/hooks/0/tests/1"),
        "{:?}",
        second.location
    );
}

#[test]
fn cases_are_read_strictly() {
    let case = json!({"tool": "Bash", "input": {}, "expect": "deny"});
    for (case, expected, place) in [
        (json!("x"), Code::WrongType, "/0"),
        (without(case.clone(), "tool"), Code::MissingField, "/0"),
        (without(case.clone(), "input"), Code::MissingField, "/0"),
        (without(case.clone(), "expect"), Code::MissingField, "/0"),
        (with(case.clone(), "tool", ""), Code::BadTest, "/0/tool"),
        (
            with(case.clone(), "native_tool", "a\u{1}"),
            Code::BadTest,
            "/0/native_tool",
        ),
        (
            with(case.clone(), "input", "x"),
            Code::WrongType,
            "/0/input",
        ),
        (
            with(case.clone(), "input", json!([])),
            Code::WrongType,
            "/0/input",
        ),
        (
            with(case.clone(), "expect", "block"),
            Code::BadChoice,
            "/0/expect",
        ),
        (with(case.clone(), "cwd", ""), Code::BadTest, "/0/cwd"),
        (with(case.clone(), "cwd", "../x"), Code::BadTest, "/0/cwd"),
        (with(case.clone(), "cwd", "/a//b"), Code::BadTest, "/0/cwd"),
        (with(case.clone(), "now", "18:00"), Code::BadTest, "/0/now"),
        (
            with(case.clone(), "now", "2026-03-02T19:30:00"),
            Code::BadTest,
            "/0/now",
        ),
        (
            with(case.clone(), "env", json!([])),
            Code::WrongType,
            "/0/env",
        ),
        (
            with(case.clone(), "env", json!({"A=B": "x"})),
            Code::BadTest,
            "/0/env/A=B",
        ),
        (
            with(case.clone(), "env", json!({"A": 1})),
            Code::WrongType,
            "/0/env/A",
        ),
        (with(case.clone(), "mode", 1), Code::WrongType, "/0/mode"),
        (
            with(case.clone(), "expects", "deny"),
            Code::UnknownField,
            "/0/expects",
        ),
    ] {
        for base in [rule("a"), handler("a")] {
            let hook = with(base, "tests", json!([case]));
            let found = Scene::diagnose(file(2, slice::from_ref(&hook)));
            assert_eq!(codes(&found), [expected], "{case}");
            let pointer = format!("/hooks/PreToolUse/0/hooks/0/tests{place}");
            assert_eq!(found[0].pointer, pointer, "{case}");
        }
    }
    let none = with(rule("a"), "tests", json!({}));
    let found = Scene::diagnose(file(2, slice::from_ref(&none)));
    assert_eq!(codes(&found), [Code::WrongType]);
}
