//! The directory of the policy files: whoever can write to it decides what runs.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::sync::Arc;

use camino::Utf8Path;
use hookward_contract::{HookId, SourceKind};
use hookward_policy::{
    Code, Diagnostic, EditError, ProjectIdentity, Snapshot, SnapshotCache, SourceState, StateRoot,
    Trust, TrustError, TrustStore, set_enabled,
};

use crate::scene::{
    Scene, WHEN, file, give_away, handler, make_private, source_state, states, with,
};

/// A scene with one reviewed guard of the user and one of the project.
fn reviewed() -> Scene {
    let scene = Scene::new();
    scene.write_user(file(2, &[with(handler("u"), "onFailure", "block")]));
    scene.write_project(file(2, &[with(handler("p"), "onFailure", "block")]));
    scene.trust_all();
    scene
}

/// The one problem of the user's source and of the store, which are both broken.
fn broken(snapshot: &Snapshot) -> Diagnostic {
    let source = &snapshot.sources()[0];
    let store = snapshot.trust_report();
    assert_eq!(
        (source.state, store.state),
        (SourceState::Broken, SourceState::Broken)
    );
    let [problem] = source.diagnostics.as_slice() else {
        panic!("{source:?}");
    };
    assert_eq!(store.diagnostics, source.diagnostics);
    assert_eq!((problem.line, problem.column), (1, 1));
    assert!(!snapshot.hooks().iter().any(|hook| hook.trust.may_run()));
    problem.clone()
}

/// Nothing is changed in such a directory; every refusal says why and what to do.
fn assert_refused(state: &StateRoot, scene: &Scene, help: &str) {
    let mut store = TrustStore::load(state);
    let identity = ProjectIdentity::folder(Utf8Path::new("/p"));
    let errors = [
        store.trust_workspace(&identity, WHEN).unwrap_err(),
        store.set_aside().unwrap_err(),
    ];
    for error in errors {
        assert!(matches!(error, TrustError::StateRoot(_)), "{error:?}");
        assert!(error.to_string().contains(help), "{error}");
    }
    let id = HookId::try_from("u").unwrap();
    let error = set_enabled(SourceKind::User, state, &scene.project, &id, false).unwrap_err();
    assert!(matches!(error, EditError::StateRoot(_)), "{error:?}");
    assert!(error.to_string().contains(help), "{error}");
}

#[test]
fn a_state_root_that_others_may_write_to_is_broken() {
    for mode in [0o720, 0o702, 0o777, 0o1777] {
        let scene = reviewed();
        fs::set_permissions(scene.state.path(), Permissions::from_mode(mode)).unwrap();
        let snapshot = scene.load();
        let problem = broken(&snapshot);
        assert_eq!(problem.code, Code::UnsafeOwner, "{mode:o}");
        assert!(problem.help.contains("chmod 700"), "{problem:?}");
        // The project's source is its own; nobody can tell what was trusted of it.
        assert_eq!(states(&snapshot), [("p".to_owned(), Trust::Unknown)]);
        assert_refused(&scene.state, &scene, "chmod 700");
    }
    for mode in [0o700, 0o755, 0o500] {
        let scene = reviewed();
        fs::set_permissions(scene.state.path(), Permissions::from_mode(mode)).unwrap();
        let trust: Vec<_> = states(&scene.load()).into_iter().map(|it| it.1).collect();
        assert_eq!(trust, [Trust::Trusted, Trust::Trusted], "{mode:o}");
        fs::set_permissions(scene.state.path(), Permissions::from_mode(0o700)).unwrap();
    }
}

#[test]
fn a_state_root_of_another_user_is_broken() {
    let scene = reviewed();
    if give_away(scene.state.path()) {
        let problem = broken(&scene.load());
        assert_eq!(problem.code, Code::UnsafeOwner);
        assert!(problem.message.contains("12345"), "{problem:?}");
        assert!(problem.help.contains("chmod 700"), "{problem:?}");
        assert_refused(&scene.state, &scene, "chmod 700");
    }
}

#[test]
fn a_link_that_leads_nowhere_is_not_absence() {
    let scene = reviewed();
    let (link, target) = (scene.path("link"), scene.path("target"));
    symlink("target", &link).unwrap();
    let roots = [
        StateRoot::new(link.clone()),
        StateRoot::new(link.join("below/hookward")),
    ];
    for state in &roots {
        let problem = broken(&Snapshot::load(state, &scene.project));
        assert_eq!(problem.code, Code::Symlink);
        assert!(problem.message.contains(link.as_str()), "{problem:?}");
        assert_refused(state, &scene, "remove the link");
    }
    // Where it leads somewhere, it is as good as the directory.
    make_private(&target);
    for state in &roots {
        let snapshot = Snapshot::load(state, &scene.project);
        let user = source_state(&snapshot, SourceKind::User);
        let store = snapshot.trust_report().state;
        assert_eq!((user, store), (SourceState::Absent, SourceState::Absent));
    }
}

#[test]
fn a_file_in_place_of_the_state_root_is_broken() {
    let scene = reviewed();
    let place = scene.path("place");
    fs::write(&place, "").unwrap();
    let state = StateRoot::new(place.clone());
    let problem = broken(&Snapshot::load(&state, &scene.project));
    assert_eq!(problem.code, Code::Unreadable);
    assert!(problem.message.contains("not a directory"), "{problem:?}");
    assert_refused(&state, &scene, "not a directory");
    assert_eq!(fs::read(&place).unwrap(), b"");
}

#[test]
fn a_snapshot_is_not_kept_when_the_state_root_is_opened_to_others() {
    let scene = reviewed();
    let cache = SnapshotCache::new(scene.state.clone(), scene.project.clone());
    let first = cache.snapshot();
    fs::set_permissions(scene.state.path(), Permissions::from_mode(0o777)).unwrap();
    broken(&cache.snapshot());
    fs::set_permissions(scene.state.path(), Permissions::from_mode(0o700)).unwrap();
    let again = cache.snapshot();
    assert_eq!(again.digest(), first.digest());
    // Other files come and go there.
    fs::create_dir(scene.state.audit_dir()).unwrap();
    assert!(Arc::ptr_eq(&again, &cache.snapshot()));
}

#[test]
fn what_stands_in_place_of_the_lock_is_named() {
    let scene = reviewed();
    let lock = scene.state.lock_file();
    fs::remove_file(&lock).unwrap();
    fs::create_dir(&lock).unwrap();
    let identity = ProjectIdentity::folder(Utf8Path::new("/p"));
    let error = TrustStore::load(&scene.state)
        .trust_workspace(&identity, WHEN)
        .unwrap_err();
    assert!(matches!(error, TrustError::Lock { .. }), "{error:?}");
    assert!(error.to_string().contains("policy.lock"), "{error}");
    let id = HookId::try_from("u").unwrap();
    let error =
        set_enabled(SourceKind::User, &scene.state, &scene.project, &id, false).unwrap_err();
    assert!(matches!(error, EditError::Lock { .. }), "{error:?}");
    assert!(error.to_string().contains("policy.lock"), "{error}");
}
