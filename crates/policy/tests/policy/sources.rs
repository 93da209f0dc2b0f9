//! Several sources: each on its own, all of them in force.

use std::fs;

use hookward_contract::{FailureMode, SourceKind};
use hookward_policy::{Code, Project, Severity, Snapshot, SourceState, StateRoot, Trust};
use serde_json::json;

use crate::scene::{Scene, codes, file, handler, make_private, source_state, states, with};

#[test]
fn order_is_source_then_position() {
    let scene = Scene::new();
    scene.write_project(file(1, &[handler("c"), handler("a")]));
    scene.write_user(file(1, &[handler("z"), handler("b")]));
    let snapshot = scene.load();
    let ids: Vec<_> = snapshot
        .hooks()
        .iter()
        .map(|hook| hook.id.as_str())
        .collect();
    assert_eq!(ids, ["z", "b", "c", "a"]);
}

/// Source A let one broken file switch off all hooks.
#[test]
fn a_broken_project_file_leaves_the_user_in_force() {
    let scene = Scene::new();
    scene.write_user(file(1, &[handler("guard")]));
    scene.trust_all();
    scene.write_project("{ nonsense");
    let snapshot = scene.load();
    assert_eq!(
        source_state(&snapshot, SourceKind::Project),
        SourceState::Broken
    );
    assert_eq!(states(&snapshot), [("guard".to_owned(), Trust::Trusted)]);
}

/// Case B85: equal hooks of two sources are two hooks.
#[test]
fn b85_equal_hooks_in_two_sources_both_run() {
    let scene = Scene::new();
    scene.write_user(file(1, &[handler("a")]));
    scene.write_project(file(1, &[handler("a")]));
    scene.trust_all();
    let snapshot = scene.load();
    assert!(
        snapshot
            .hooks()
            .iter()
            .all(|hook| hook.trust == Trust::Trusted)
    );
    assert_eq!(snapshot.hooks().len(), 2);
    assert_ne!(snapshot.hooks()[0].hash, snapshot.hooks()[1].hash);
}

/// Case B87: one file named twice is loaded once, however it is spelt.
#[test]
fn b87_one_file_is_loaded_once() {
    let scene = Scene::new();
    scene.write_project(file(1, &[handler("a")]));
    make_private(&scene.project.root.join(".maka"));
    let spelt = scene.project.root.join(".maka/../.maka");
    let snapshot = Snapshot::load(&StateRoot::new(spelt), &scene.project);
    assert_eq!(snapshot.hooks().len(), 1);
    assert_eq!(snapshot.hooks()[0].source, SourceKind::User);
    let report = &snapshot.sources()[1];
    assert_eq!(report.state, SourceState::Absent);
    assert_eq!(codes(&report.diagnostics), [Code::SameFile]);
    assert_eq!(report.diagnostics[0].severity, Severity::Warning);
}

/// A hard link to the user's file in place of the project's does not make its reviewed guards
/// vanish, whatever the user's file holds.
#[test]
fn a_hard_link_to_the_users_file_breaks_its_source() {
    let scene = Scene::new();
    scene.write_user(file(1, &[handler("own")]));
    scene.write_project(file(2, &[with(handler("guard"), "onFailure", "block")]));
    scene.trust_all();
    let path = scene.project.hooks_file();
    fs::remove_file(&path).unwrap();
    fs::hard_link(scene.state.hooks_file(), &path).unwrap();
    for (text, state) in [
        (file(1, &[handler("own")]), SourceState::Loaded),
        ("{".to_owned(), SourceState::Broken),
    ] {
        scene.write_user(text);
        let snapshot = scene.load();
        assert_eq!(source_state(&snapshot, SourceKind::User), state);
        assert_eq!(
            source_state(&snapshot, SourceKind::Project),
            SourceState::Broken
        );
        let report = &snapshot.sources()[1];
        assert_eq!(codes(&report.diagnostics), [Code::SameFile]);
        assert_eq!(report.diagnostics[0].severity, Severity::Error);
        let guard = snapshot.hooks().last().unwrap();
        assert_eq!(guard.id.as_str(), "guard");
        assert_eq!(guard.trust, Trust::BrokenSource);
        assert_eq!(guard.on_failure, FailureMode::Block);
    }
}

/// Case B89: a project can only add.
#[test]
fn b89_a_project_file_removes_nothing() {
    let scene = Scene::new();
    scene.write_user(file(1, &[handler("guard")]));
    scene.trust_all();
    for text in [
        r#"{"version":1,"hooks":{}}"#,
        r#"{"version":1,"hooks":{"PreToolUse":[]}}"#,
    ] {
        scene.write_project(text);
        assert_eq!(scene.states(), [("guard".to_owned(), Trust::Trusted)]);
    }
}

#[test]
fn hooks_of_the_root_are_seen_from_a_subdirectory() {
    let scene = Scene::new();
    for part in [".git/objects", ".git/refs", "src/deep"] {
        fs::create_dir_all(scene.project.root.join(part)).unwrap();
    }
    fs::write(
        scene.project.root.join(".git/HEAD"),
        "ref: refs/heads/main\n",
    )
    .unwrap();
    scene.write_project(file(1, &[handler("a")]));
    let project = Project::discover(&scene.project.root.join("src/deep")).unwrap();
    assert_eq!(project.root, scene.project.root);
    assert_eq!(Snapshot::load(&scene.state, &project).hooks().len(), 1);
}

/// Case B83: the same files give the same set and the same digest, whoever loads them.
#[test]
fn b83_equal_inputs_give_equal_digests() {
    let scene = Scene::new();
    scene.write_user(file(1, &[handler("a"), handler("b")]));
    scene.write_project(file(2, &[handler("c")]));
    scene.trust_all();
    let digest = scene.load().digest().clone();
    assert_eq!(scene.load().digest(), &digest);
    // The same content written again is the same input.
    scene.write_user(file(1, &[handler("a"), handler("b")]));
    assert_eq!(scene.load().digest(), &digest);

    let mut seen = vec![digest];
    let mut differs = |what: &str| {
        let digest = scene.load().digest().clone();
        assert!(!seen.contains(&digest), "{what}");
        seen.push(digest);
    };
    scene.write_user(file(1, &[handler("b"), handler("a")]));
    differs("order");
    scene.write_user(file(
        1,
        &[
            handler("a"),
            json!({"id": "b", "type": "command",
        "command": "/bin/true", "enabled": false}),
        ],
    ));
    differs("enabled");
    scene.write_user("{");
    differs("broken");
    fs::remove_file(scene.state.hooks_file()).unwrap();
    differs("absent");
    fs::write(scene.state.trust_file(), "{").unwrap();
    differs("broken trust");
}
