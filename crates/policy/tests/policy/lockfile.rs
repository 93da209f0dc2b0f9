//! Carrying reviewed hooks to another machine.

use std::fs;

use hookward_policy::{Lockfile, LockfileError, Snapshot};
use serde_json::json;

use crate::scene::{Scene, file, handler, with, write};

/// A scene with a trusted hook of the user, and one of the project that runs its own script.
fn machine() -> Scene {
    let scene = Scene::new();
    write(&scene.project.root.join("guard.sh"), "one");
    let script = with(handler("p"), "args", json!(["${project}/guard.sh"]));
    scene.write_project(file(2, &[script]));
    scene.write_user(file(1, &[handler("u")]));
    scene
}

fn exported(scene: &Scene) -> String {
    scene.trust_all();
    let snapshot = scene.load();
    let hooks = snapshot.hooks().iter();
    Lockfile::new(
        hooks
            .map(|hook| snapshot.lock(&snapshot.review(hook).unwrap()))
            .collect(),
    )
    .to_text()
}

fn read(text: &str) -> Result<Lockfile, LockfileError> {
    let scene = Scene::new();
    let path = scene.path("hooks.lock");
    write(&path, text);
    Lockfile::read(&path)
}

fn allowed(lockfile: &Lockfile, snapshot: &Snapshot) -> Vec<bool> {
    let hooks = snapshot.hooks().iter();
    hooks
        .map(|hook| lockfile.allows(&snapshot.lock(&snapshot.review(hook).unwrap())))
        .collect()
}

#[test]
fn reviewed_hooks_are_known_again_in_another_place() {
    let lockfile = read(&exported(&machine())).unwrap();
    assert_eq!(lockfile.hooks().len(), 2);
    assert_eq!(allowed(&lockfile, &machine().load()), [true, true]);
}

#[test]
fn another_definition_or_content_is_not_allowed() {
    let lockfile = read(&exported(&machine())).unwrap();
    let other = machine();
    write(&other.project.root.join("guard.sh"), "two");
    other.write_user(file(1, &[with(handler("u"), "timeoutMs", 100)]));
    assert_eq!(allowed(&lockfile, &other.load()), [false, false]);
    fs::remove_file(other.project.root.join("guard.sh")).unwrap();
    assert_eq!(allowed(&lockfile, &other.load()), [false, false]);
    // A hook reviewed as the user's is none of the project's.
    let moved = Scene::new();
    moved.write_project(file(1, &[handler("u")]));
    assert_eq!(allowed(&lockfile, &moved.load()), [false]);
}

#[test]
fn a_file_that_was_not_there_at_the_review_is_not_allowed() {
    let scene = machine();
    let script = scene.project.root.join("guard.sh");
    fs::remove_file(&script).unwrap();
    let lockfile = read(&exported(&scene)).unwrap();
    assert_eq!(allowed(&lockfile, &scene.load()), [true, true]);
    write(&script, "one");
    assert_eq!(allowed(&lockfile, &scene.load()), [true, false]);
}

#[test]
fn reading_is_strict() {
    let text = exported(&machine());
    for (from, to) in [
        ("\"version\": 1", "\"version\": 2"),
        ("\"source\": \"user\"", "\"source\": \"nobody\""),
        ("\"hooks\": [", "\"more\": 1, \"hooks\": ["),
        ("\"hookId\"", "\"hookID\""),
        ("{", ""),
    ] {
        assert!(text.contains(from), "{from}");
        let error = read(&text.replacen(from, to, 1)).unwrap_err();
        assert!(
            matches!(error, LockfileError::Invalid { .. }),
            "{to}: {error}"
        );
    }
    for path in ["/nowhere/hooks.lock", "/"] {
        let error = Lockfile::read(path.into()).unwrap_err();
        assert!(matches!(error, LockfileError::Unreadable { .. }), "{error}");
    }
}
