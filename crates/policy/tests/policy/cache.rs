//! Reloading: the same snapshot while nothing changed, a fresh one afterwards.

use std::fs;
use std::slice;
use std::sync::Arc;

use hookward_policy::{ChangedWhat, SnapshotCache, Trust};
use serde_json::json;

use crate::scene::{Scene, file, handler, states, with, write};

fn cache(scene: &Scene) -> SnapshotCache {
    SnapshotCache::new(scene.state.clone(), scene.project.clone())
}

#[test]
fn unchanged_files_give_the_same_snapshot() {
    let scene = Scene::new();
    scene.write_user(file(1, &[handler("a")]));
    scene.trust_all();
    let cache = cache(&scene);
    let first = cache.snapshot();
    assert!(Arc::ptr_eq(&first, &cache.snapshot()));
    assert_eq!(first.digest(), scene.load().digest());
}

/// Case B81: a turn keeps its snapshot, the next turn sees the edit.
#[test]
fn b81_edits_count_from_the_next_snapshot_on() {
    let scene = Scene::new();
    scene.write_user(file(1, &[handler("a")]));
    scene.trust_all();
    let cache = cache(&scene);
    let turn_1 = cache.snapshot();
    scene.write_user(file(1, &[handler("a"), handler("new")]));
    assert_eq!(states(&turn_1), [("a".to_owned(), Trust::Trusted)]);
    let turn_2 = cache.snapshot();
    let ids: Vec<_> = turn_2.hooks().iter().map(|hook| hook.id.as_str()).collect();
    assert_eq!(ids, ["a", "new"]);
    assert_ne!(turn_1.digest(), turn_2.digest());
}

#[test]
fn every_file_that_counts_is_watched() {
    let scene = Scene::new();
    let script = scene.project.root.join("guard.sh");
    write(&script, "one");
    let hook = with(handler("a"), "args", json!([script.as_str()]));
    let cache = cache(&scene);
    let mut last = cache.snapshot();
    let mut changed = |what: &str| {
        let next = cache.snapshot();
        assert!(!Arc::ptr_eq(&last, &next), "{what}");
        last = next.clone();
        next
    };
    scene.write_user(file(1, slice::from_ref(&hook)));
    changed("user file");
    scene.write_project(file(1, &[]));
    changed("project file");
    scene.trust_all();
    assert_eq!(states(&changed("trust store"))[0].1, Trust::Trusted);
    write(&script, "another length");
    let pin = Trust::Changed(ChangedWhat::Pin {
        path: script.clone(),
    });
    assert_eq!(states(&changed("pinned file"))[0].1, pin);
    fs::remove_file(&script).unwrap();
    changed("pinned file removed");
    fs::remove_file(scene.project.hooks_file()).unwrap();
    changed("project file removed");
    fs::remove_file(scene.state.trust_file()).unwrap();
    assert_eq!(
        states(&changed("trust store removed"))[0].1,
        Trust::Untrusted
    );
}
