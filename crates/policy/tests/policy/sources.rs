//! Several sources: each on its own, all of them in force.

use std::fs;

use hookward_contract::SourceKind;
use hookward_policy::{Code, Project, Snapshot, SourceState, StateRoot, Trust};
use serde_json::json;

use crate::scene::{Scene, codes, file, handler, source_state, states};

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
    let spelt = scene.project.root.join(".maka/../.maka");
    let snapshot = Snapshot::load(&StateRoot::new(spelt), &scene.project);
    assert_eq!(snapshot.hooks().len(), 1);
    assert_eq!(snapshot.hooks()[0].source, SourceKind::User);
    assert_eq!(codes(&snapshot.sources()[1].diagnostics), [Code::SameFile]);
}

/// A hard link in place of a project's file does not make its reviewed guards vanish.
#[test]
fn a_hard_link_to_the_users_file_is_broken() {
    let scene = Scene::new();
    scene.write_user(file(1, &[handler("own")]));
    scene.write_project(file(1, &[handler("guard")]));
    scene.trust_all();
    let path = scene.project.hooks_file();
    std::fs::remove_file(&path).unwrap();
    std::fs::hard_link(scene.state.hooks_file(), &path).unwrap();
    let snapshot = scene.load();
    assert_eq!(snapshot.sources()[1].state, SourceState::Broken);
    assert_eq!(snapshot.hooks()[1].trust, Trust::BrokenSource);
}

/// Whoever may write the folder may replace its files.
#[test]
fn a_state_root_that_others_may_write_is_broken() {
    use std::os::unix::fs::PermissionsExt as _;
    let scene = Scene::new();
    scene.write_user(file(1, &[handler("own")]));
    for mode in [0o777, 0o720, 0o702] {
        let path = scene.state.path();
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
        let snapshot = scene.load();
        assert_eq!(snapshot.sources()[0].state, SourceState::Broken, "{mode:o}");
        assert_eq!(snapshot.trust_report().state, SourceState::Broken);
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
