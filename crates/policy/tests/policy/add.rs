//! Adding hooks to files, and looking at texts that are not in force.

use std::fs;

use hookward_contract::{HookId, SourceKind};
use hookward_policy::{EditError, Severity, add_hooks, check_file};

use crate::scene::Scene;

/// A policy with one rule of this name.
fn policy(id: &str) -> String {
    format!(
        r#"{{"version": 2, "hooks": {{"PreToolUse": [{{"matcher": "Bash", "hooks": [{{"id": "{id}",
        "type": "rule", "exec": "git push", "decision": "deny", "reason": "No."}}]}}]}}}}"#
    )
}

fn add(scene: &Scene, policies: &[&str]) -> Result<Vec<HookId>, EditError> {
    add_hooks(SourceKind::User, &scene.state, &scene.project, policies)
}

fn ids(scene: &Scene) -> Vec<String> {
    let snapshot = scene.load();
    let hooks = snapshot.hooks().iter();
    hooks.map(|hook| hook.id.to_string()).collect()
}

#[test]
fn hooks_are_added_to_every_shape_of_file() {
    for text in [
        r#"{"version": 2, "hooks": {}}"#.to_owned(),
        "\u{feff}{\"version\": 2,\r\n \"hooks\": { }\r\n}".to_owned(),
        r#"{"version": 2, "hooks": {"PreToolUse": []}}"#.to_owned(),
        r#"{"hooks": {"PreToolUse": [ ]}, "version": 2}"#.to_owned(),
        policy("own"),
    ] {
        let scene = Scene::new();
        scene.write_user(&text);
        let before = ids(&scene);
        let added = add(&scene, &[&policy("a"), &policy("b")]).unwrap();
        assert_eq!(added.len(), 2);
        let expected = [before, vec!["a".to_owned(), "b".to_owned()]].concat();
        assert_eq!(ids(&scene), expected, "{text}");
    }
}

#[test]
fn nothing_is_added_where_something_is_wrong() {
    let own = policy("own");
    let with_tail = format!("{own},");
    for (text, policies) in [
        (own.as_str(), [policy("a"), policy("own")]),
        (own.as_str(), [policy("a"), policy("a")]),
        (own.as_str(), [policy("a"), "{}".to_owned()]),
        (with_tail.as_str(), [policy("a"), policy("b")]),
        (r#"{"version": 1, "hooks": {}}"#, [policy("a"), policy("b")]),
    ] {
        let scene = Scene::new();
        scene.write_user(text);
        let [one, other] = &policies;
        let error = add(&scene, &[one, other]).unwrap_err();
        assert!(!error.to_string().is_empty());
        let kept = fs::read_to_string(scene.state.hooks_file()).unwrap();
        assert_eq!(kept, text);
    }
    let scene = Scene::new();
    assert!(matches!(
        add(&scene, &[&policy("a")]),
        Err(EditError::Io { .. })
    ));
}

/// To be tested, each hook of a text stands for itself; to be in force, none does.
#[test]
fn the_sound_hooks_of_a_faulty_text_are_seen() {
    let scene = Scene::new();
    let faulty = policy("faulty").replace("\"deny\"", "\"never\"");
    let group = |text: &str| {
        let start = text.find("[{").unwrap() + 1;
        text[start..text.len() - 3].to_owned()
    };
    let text = policy("sound").replace("]}}", &format!(", {}]}}}}", group(&faulty)));
    let checked = check_file(text.as_bytes(), SourceKind::User, &scene.project);
    let errors = checked.diagnostics.iter();
    let errors = errors.filter(|found| found.severity == Severity::Error);
    assert_eq!(errors.count(), 1, "{:#?}", checked.diagnostics);
    let hooks: Vec<&str> = checked.hooks.iter().map(|hook| hook.id.as_str()).collect();
    assert_eq!(hooks, ["sound"]);
    assert!(checked.hooks.iter().all(|hook| !hook.trust.may_run()));

    for text in [&b"\xff"[..], b"", b"[]", b"{\"version\": 2}"] {
        let checked = check_file(text, SourceKind::User, &scene.project);
        assert!(!checked.diagnostics.is_empty());
        assert!(checked.hooks.is_empty());
    }
}
