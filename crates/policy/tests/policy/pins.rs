//! Content pins: what changes when a file that a hook names does.

use std::fs;
use std::os::unix::fs::symlink;
use std::sync::Arc;

use camino::Utf8PathBuf;
use hookward_policy::{
    ChangedWhat, Code, Pin, PinError, Project, Snapshot, SnapshotCache, Trust, TrustError,
};
use serde_json::{Value, json};

use crate::projects::make_linked;
use crate::scene::{Scene, codes, command_of, file, handler, source_state, with, write};

/// SHA-256 of `one`, computed with another program.
const SHA256_OF_ONE: &str = "7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed";

fn runs(command: &str, args: &[&str]) -> Value {
    with(with(handler("a"), "command", command), "args", json!(args))
}

fn state(snapshot: &Snapshot) -> Trust {
    snapshot.hooks()[0].trust.clone()
}

fn changed(path: impl Into<Utf8PathBuf>) -> Trust {
    Trust::Changed(ChangedWhat::Pin { path: path.into() })
}

#[test]
fn files_of_the_project_and_the_state_root_are_enforced() {
    let scene = Scene::new();
    let inside = scene.project.root.join("guard.sh");
    let own = scene.state.path().join("hooks/guard.sh");
    let outside = scene.path("usr/guard.sh");
    for (path, enforced) in [(&inside, true), (&own, true), (&outside, false)] {
        write(path, "one");
        scene.write_user(file(1, &[runs("/bin/sh", &[path.as_str()])]));
        scene.trust_all();
        assert_eq!(state(&scene.load()), Trust::Trusted, "{path}");
        write(path, "two");
        let expected = if enforced {
            changed(path)
        } else {
            Trust::Trusted
        };
        assert_eq!(state(&scene.load()), expected, "{path}");
        fs::remove_file(path).unwrap();
        assert_eq!(state(&scene.load()), expected, "{path} removed");
        write(path, "one");
        assert_eq!(state(&scene.load()), Trust::Trusted, "{path} restored");
    }
}

/// A user's hook runs the same file whichever project is open.
#[test]
fn files_of_the_users_hooks_are_pinned_absolutely() {
    let scene = Scene::new();
    let path = scene.project.root.join("guard.sh");
    write(&path, "one");
    scene.write_user(file(1, &[runs("/bin/sh", &[path.as_str()])]));
    scene.trust_all();
    assert_eq!(scene.load().hooks()[0].pins[1].path, path);
    let other = scene.another_project("other");
    write(&other.root.join("guard.sh"), "two");
    assert_eq!(state(&load(&scene, &other)), Trust::Trusted);
}

#[test]
fn files_elsewhere_warn_on_request() {
    let scene = Scene::new();
    let path = scene.path("usr/guard.sh");
    write(&path, "one");
    scene.write_user(file(1, &[runs("/bin/sh", &[path.as_str()])]));
    scene.trust_all();
    let snapshot = scene.load();
    assert_eq!(snapshot.pin_warnings(&snapshot.hooks()[0]), []);
    write(&path, "two");
    let snapshot = scene.load();
    let warnings = snapshot.pin_warnings(&snapshot.hooks()[0]);
    assert_eq!(codes(&warnings), [Code::PinDiffers]);
    assert!(warnings[0].message.contains("usr/guard.sh"));
}

#[test]
fn a_file_that_appears_after_the_review_was_not_reviewed() {
    let scene = Scene::new();
    let path = scene.project.root.join("guard.sh");
    scene.write_user(file(1, &[runs("/bin/sh", &[path.as_str()])]));
    scene.trust_all();
    assert_eq!(state(&scene.load()), Trust::Trusted);
    write(&path, "exit 0");
    assert_eq!(state(&scene.load()), changed(&path));
}

#[test]
fn a_file_that_changes_during_the_review_is_not_trusted() {
    let scene = Scene::new();
    let path = scene.path("usr/guard.sh");
    write(&path, "one");
    scene.write_user(file(1, &[runs("/bin/sh", &[path.as_str()])]));
    let snapshot = scene.load();
    let review = snapshot.review(&snapshot.hooks()[0]).unwrap();
    assert!(review.pins().contains(&Pin {
        path: path.clone(),
        size: 3,
        sha256: SHA256_OF_ONE.into()
    }));
    write(&path, "two");
    let error = hookward_policy::TrustStore::load(&scene.state)
        .trust(
            &scene.project,
            &[review],
            hookward_policy::Consent::Hooks,
            crate::scene::WHEN,
        )
        .unwrap_err();
    assert!(
        matches!(error, TrustError::ChangedSinceReview(_)),
        "{error}"
    );
    assert_eq!(state(&scene.load()), Trust::Untrusted);
}

#[test]
fn links_into_the_project_are_enforced_too() {
    let scene = Scene::new();
    let (link, target) = (scene.path("link.sh"), scene.project.root.join("guard.sh"));
    write(&target, "one");
    symlink(&target, &link).unwrap();
    scene.write_user(file(1, &[runs("/bin/sh", &[link.as_str()])]));
    scene.trust_all();
    write(&target, "two");
    assert_eq!(state(&scene.load()), changed(&link));
}

/// A file of another size is not the reviewed one, and nothing of it is read: not even one that
/// would be too large to be pinned takes time.
#[test]
fn a_file_that_grew_is_changed_without_being_read() {
    let scene = Scene::new();
    let path = scene.project.root.join("guard.sh");
    write(&path, "one");
    scene.write_user(file(1, &[runs("/bin/sh", &[path.as_str()])]));
    scene.trust_all();
    assert_eq!(scene.load().hooks()[0].pins[1].size, 3);
    let grown = fs::OpenOptions::new().write(true).open(&path).unwrap();
    for size in [4, 1 << 40] {
        grown.set_len(size).unwrap();
        assert_eq!(state(&scene.load()), changed(&path), "{size}");
    }
    grown.set_len(3).unwrap();
    assert_eq!(state(&scene.load()), Trust::Trusted);
    // Another content of the same size is read.
    write(&path, "two");
    assert_eq!(state(&scene.load()), changed(&path));
}

#[test]
fn a_file_that_is_too_large_cannot_be_reviewed() {
    let scene = Scene::new();
    let path = scene.project.root.join("guard.sh");
    let sparse = fs::File::create(&path).unwrap();
    sparse
        .set_len(hookward_policy::MAX_PINNED_BYTES + 1)
        .unwrap();
    scene.write_user(file(1, &[runs("/bin/sh", &[path.as_str()])]));
    let snapshot = scene.load();
    let error = snapshot.review(&snapshot.hooks()[0]).unwrap_err();
    assert!(matches!(error, PinError::TooLarge(_)), "{error}");
}

#[test]
fn directories_devices_and_absent_files_are_not_pinned() {
    let scene = Scene::new();
    let args = ["/dev/null", "/", "/gone", "relative", "", "--x=/bin/sh"];
    scene.write_user(file(1, &[runs("/bin/sh", &args)]));
    scene.trust_all();
    let paths: Vec<_> = scene.load().hooks()[0]
        .pins
        .iter()
        .map(|pin| pin.path.clone())
        .collect();
    assert_eq!(paths, ["/bin/sh"]);
}

/// A repository with a linked work tree; both hold the same version 2 hook and script.
fn two_trees(scene: &Scene) -> (Project, Project) {
    let (repo, tree) = (scene.path("repo"), scene.path("tree"));
    make_linked(&repo, &tree);
    let hook = runs("/bin/sh", &["${project}/tools/guard.sh"]);
    for root in [&repo, &tree] {
        write(
            &root.join(".maka/hooks.json"),
            file(2, std::slice::from_ref(&hook)),
        );
        write(&root.join("tools/guard.sh"), "one");
    }
    (
        Project::discover(&repo).unwrap(),
        Project::discover(&tree).unwrap(),
    )
}

fn load(scene: &Scene, project: &Project) -> Arc<Snapshot> {
    Snapshot::load(&scene.state, project)
}

/// Case B93: a linked work tree is the same repository and asks nothing again.
#[test]
fn b93_linked_work_trees_share_trust() {
    let scene = Scene::new();
    let (main, tree) = two_trees(&scene);
    assert_eq!(state(&load(&scene, &tree)), Trust::UntrustedWorkspace);
    let snapshot = load(&scene, &main);
    scene.trust(&snapshot, &[&snapshot.hooks()[0]]).unwrap();
    let shared = load(&scene, &tree);
    assert_eq!(state(&shared), Trust::Trusted);
    assert_eq!(
        command_of(&shared.hooks()[0]).args,
        [tree.root.join("tools/guard.sh").as_str()]
    );
    assert_eq!(shared.hooks()[0].pins[1].path, "tools/guard.sh");
}

/// Case B97: an altered script in one tree is changed there, and only there.
#[test]
fn b97_an_altered_script_is_changed_in_its_tree() {
    let scene = Scene::new();
    let (main, tree) = two_trees(&scene);
    let snapshot = load(&scene, &main);
    scene.trust(&snapshot, &[&snapshot.hooks()[0]]).unwrap();
    let script = tree.root.join("tools/guard.sh");
    write(&script, "exit 0");
    assert_eq!(state(&load(&scene, &tree)), changed(&script));
    assert_eq!(state(&load(&scene, &main)), Trust::Trusted);
    fs::remove_file(&script).unwrap();
    assert_eq!(state(&load(&scene, &tree)), changed(&script));
}

/// Case B97 with a version 1 hook: the path is absolute, so every tree runs the main tree's script.
#[test]
fn b97_absolute_scripts_are_checked_from_every_tree() {
    let scene = Scene::new();
    let (main, tree) = two_trees(&scene);
    let script = main.root.join("tools/guard.sh");
    for project in [&main, &tree] {
        write(
            &project.hooks_file(),
            file(1, &[runs("/bin/sh", &[script.as_str()])]),
        );
    }
    let snapshot = load(&scene, &main);
    scene.trust(&snapshot, &[&snapshot.hooks()[0]]).unwrap();
    assert_eq!(state(&load(&scene, &tree)), Trust::Trusted);
    write(&script, "exit 0");
    assert_eq!(state(&load(&scene, &main)), changed(&script));
    assert_eq!(state(&load(&scene, &tree)), changed(&script));
    write(&script, "one");
    let copy = tree.root.join("tools/guard.sh");
    let cache = SnapshotCache::new(scene.state.clone(), tree.clone());
    assert_eq!(state(&cache.snapshot()), Trust::Trusted);
    write(&copy, "exit 0");
    assert_eq!(state(&load(&scene, &tree)), changed(&copy));
    assert_eq!(state(&cache.snapshot()), changed(&copy));
    fs::remove_file(&copy).unwrap();
    assert_eq!(state(&load(&scene, &tree)), Trust::Trusted);
}

#[test]
fn a_project_path_that_becomes_a_link_outwards_breaks_its_source() {
    let scene = Scene::new();
    let script = scene.project.root.join("guard.sh");
    write(&script, "one");
    scene.write_project(file(2, &[runs("/bin/sh", &["${project}/guard.sh"])]));
    scene.trust_all();
    fs::remove_file(&script).unwrap();
    write(&scene.path("elsewhere.sh"), "one");
    symlink("../elsewhere.sh", &script).unwrap();
    let snapshot = scene.load();
    let project = hookward_contract::SourceKind::Project;
    assert_eq!(
        source_state(&snapshot, project),
        hookward_policy::SourceState::Broken
    );
    assert_eq!(
        codes(&snapshot.sources()[1].diagnostics),
        [Code::BadPlaceholder]
    );
    assert_eq!(state(&snapshot), Trust::BrokenSource);
}
