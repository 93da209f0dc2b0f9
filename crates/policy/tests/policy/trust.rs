//! Trust states, and what an edit can and cannot do to them.

use std::fs;
use std::slice;

use hookward_contract::{Cause, EventName, FailureMode, SourceKind};
use hookward_policy::{
    ChangedWhat, Consent, Hook, KindSet, Snapshot, SourceState, Trust, TrustError, TrustStore,
};
use serde_json::json;

use crate::scene::{Scene, WHEN, command_of, file, handler, source_state, states, with, write};

fn trusted(id: &str) -> (String, Trust) {
    (id.to_owned(), Trust::Trusted)
}

#[test]
fn nothing_is_trusted_before_its_review() {
    let scene = Scene::new();
    scene.write_user(file(
        1,
        &[handler("a"), with(handler("off"), "enabled", false)],
    ));
    scene.write_project(file(1, &[handler("p")]));
    assert_eq!(
        scene.states(),
        [
            ("a".to_owned(), Trust::Untrusted),
            ("off".to_owned(), Trust::Disabled),
            ("p".to_owned(), Trust::UntrustedWorkspace),
        ]
    );
    let names: Vec<_> = scene
        .states()
        .iter()
        .map(|(_, trust)| trust.as_str())
        .collect();
    assert_eq!(names, ["untrusted", "disabled", "untrusted workspace"]);
}

/// Case B99: a yes is as narrow as the wish.
#[test]
fn b99_one_yes_trusts_one_hook() {
    let scene = Scene::new();
    let different = |id: &str| with(handler(id), "args", json!([id]));
    scene.write_user(file(1, &[different("a"), different("b"), different("c")]));
    scene.write_project(file(1, &[different("b"), different("d")]));
    let snapshot = scene.load();
    let review = snapshot.review(&snapshot.hooks()[1]).unwrap();
    let mut store = TrustStore::load(&scene.state);
    store
        .trust(&scene.project, &[review], Consent::Hooks, WHEN)
        .unwrap();
    let now = scene.states();
    assert_eq!(now[1], trusted("b"));
    assert_eq!(now.iter().filter(|(_, trust)| trust.may_run()).count(), 1);
    assert!(!store.is_workspace_trusted(&scene.project.identity));
}

/// Case B101: everything a person has to see is there.
#[test]
fn b101_a_review_shows_the_whole_definition() {
    let scene = Scene::new();
    let args: Vec<_> = (0..40).map(|index| format!("--arg={index}")).collect();
    let hook = with(
        with(handler("a"), "args", json!(args)),
        "onFailure",
        "block",
    );
    scene.write_user(file(2, &[hook]));
    let snapshot = scene.load();
    let review = snapshot.review(&snapshot.hooks()[0]).unwrap();
    let hook = review.hook();
    assert_eq!(command_of(hook).args, args);
    assert_eq!(
        (command_of(hook).timeout_ms, hook.on_failure),
        (3_000, FailureMode::Block)
    );
    assert_eq!(
        hook.location.as_ref().unwrap().pointer,
        "/hooks/PreToolUse/0/hooks/0"
    );
    assert_eq!(review.pins()[0].path, "/bin/true");
    assert!(
        hook.definition
            .starts_with(r#"[2,"user","user","PreToolUse","*","command""#)
    );
}

/// Case B95: trust of one project says nothing about another.
#[test]
fn b95_trust_is_not_replayed_into_another_project() {
    let scene = Scene::new();
    scene.write_project(file(1, &[handler("a")]));
    scene.trust_all();
    let other = scene.another_project("other");
    fs::copy(scene.project.hooks_file(), other.hooks_file()).unwrap();
    let there = Snapshot::load(&scene.state, &other);
    assert_eq!(
        states(&there),
        [("a".to_owned(), Trust::UntrustedWorkspace)]
    );
    TrustStore::load(&scene.state)
        .trust_workspace(&other.identity, WHEN)
        .unwrap();
    let there = Snapshot::load(&scene.state, &other);
    assert_eq!(states(&there), [("a".to_owned(), Trust::Untrusted)]);
    assert_eq!(scene.states(), [trusted("a")]);
    // A hook that was loaded for one project cannot be trusted into another.
    let review = there.review(&there.hooks()[0]).unwrap();
    let error = TrustStore::load(&scene.state)
        .trust(&scene.project, &[review], Consent::HooksAndWorkspace, WHEN)
        .unwrap_err();
    assert!(matches!(error, TrustError::ForeignHook(_)), "{error}");
}

#[test]
fn project_hooks_need_a_trusted_workspace() {
    let scene = Scene::new();
    scene.write_project(file(1, &[handler("p")]));
    let snapshot = scene.load();
    let review = || snapshot.review(&snapshot.hooks()[0]).unwrap();
    let mut store = TrustStore::load(&scene.state);
    let error = store
        .trust(&scene.project, &[review()], Consent::Hooks, WHEN)
        .unwrap_err();
    assert!(
        matches!(error, TrustError::WorkspaceUntrusted(_)),
        "{error}"
    );
    assert!(store.records().is_empty());
    store
        .trust(
            &scene.project,
            &[review()],
            Consent::HooksAndWorkspace,
            WHEN,
        )
        .unwrap();
    assert_eq!(scene.states(), [trusted("p")]);
    assert!(store.revoke_workspace(&scene.project.identity).unwrap());
    assert_eq!(
        scene.states(),
        [("p".to_owned(), Trust::UntrustedWorkspace)]
    );
    assert!(
        store
            .trust_workspace(&scene.project.identity, WHEN)
            .unwrap()
    );
    assert!(
        !store
            .trust_workspace(&scene.project.identity, WHEN)
            .unwrap()
    );
    assert_eq!(scene.states(), [trusted("p")]);
}

#[test]
fn an_edit_makes_a_hook_changed_and_cannot_soften_it() {
    let scene = Scene::new();
    let hook = with(handler("a"), "onFailure", "block");
    scene.write_user(file(2, slice::from_ref(&hook)));
    scene.trust_all();
    let reviewed = scene.load().hooks()[0].hash.clone();
    let soft = with(hook, "onFailure", "continue");
    for edited in [soft.clone(), with(soft, "timeoutMs", 100)] {
        scene.write_user(file(2, &[edited]));
        let snapshot = scene.load();
        let hook = &snapshot.hooks()[0];
        let previous = reviewed.clone();
        assert_eq!(
            hook.trust,
            Trust::Changed(ChangedWhat::Definition { previous })
        );
        assert_eq!(hook.on_failure, FailureMode::Block);
        assert_eq!(hook.trust.skip_cause(), Some(Cause::Changed));
        assert!(snapshot.trust_store().record(&reviewed).is_some());
    }
    // A version 1 file has no failure mode, and softens nothing either.
    scene.write_user(file(1, &[handler("a")]));
    assert_eq!(scene.load().hooks()[0].on_failure, FailureMode::Block);
    // What a person reviews counts.
    scene.trust_all();
    assert_eq!(scene.load().hooks()[0].on_failure, FailureMode::Continue);
}

#[test]
fn a_hardening_edit_is_as_strict_as_it_says() {
    let scene = Scene::new();
    scene.write_user(file(2, &[handler("a")]));
    scene.trust_all();
    scene.write_user(file(2, &[with(handler("a"), "onFailure", "block")]));
    assert_eq!(scene.load().hooks()[0].on_failure, FailureMode::Block);
}

#[test]
fn moving_renaming_and_respelling_keep_trust() {
    let scene = Scene::new();
    let b = with(handler("b"), "args", json!(["x"]));
    scene.write_user(file(1, &[handler("a"), b.clone()]));
    scene.trust_all();
    scene.write_user(file(1, &[b, with(handler("renamed"), "timeoutMs", 3_000)]));
    assert_eq!(scene.states(), [trusted("b"), trusted("renamed")]);
    assert!(scene.load().trust_report().missing.is_empty());
}

#[test]
fn a_hook_that_vanished_is_reported_and_blocks_nothing() {
    let scene = Scene::new();
    let gone = with(handler("gone"), "onFailure", "block");
    scene.write_user(file(2, &[gone, with(handler("a"), "args", json!(["x"]))]));
    scene.trust_all();
    scene.write_user(file(2, &[with(handler("a"), "args", json!(["x"]))]));
    let snapshot = scene.load();
    assert_eq!(states(&snapshot), [trusted("a")]);
    let missing = &snapshot.trust_report().missing;
    assert_eq!(missing.len(), 1);
    assert_eq!(
        (missing[0].id.as_str(), missing[0].source),
        ("gone", SourceKind::User)
    );
    // A whole file that is gone is no different; a broken one holds its hooks.
    fs::remove_file(scene.state.hooks_file()).unwrap();
    assert_eq!(scene.load().trust_report().missing.len(), 2);
    scene.write_user("{");
    assert!(scene.load().trust_report().missing.is_empty());
}

#[test]
fn reviewed_hooks_of_a_broken_source_are_not_silent() {
    let scene = Scene::new();
    let hook = |id: &str| with(with(handler(id), "onFailure", "block"), "args", json!([id]));
    scene.write_user(file(2, &[hook("u")]));
    let group = json!({"matcher": "Bash", "hooks": [hook("one"), hook("two")]});
    scene.write_project(json!({"version": 2, "hooks": {"PreToolUse": [group]}}).to_string());
    scene.trust_all();
    let before = scene.load();
    scene.write_project("{ broken");
    let snapshot = scene.load();
    let expected = [
        trusted("u"),
        ("one".to_owned(), Trust::BrokenSource),
        ("two".to_owned(), Trust::BrokenSource),
    ];
    assert_eq!(states(&snapshot), expected);
    for (old, new) in before.hooks().iter().zip(snapshot.hooks()) {
        assert_eq!(
            (&old.hash, &command_of(old).args, old.on_failure),
            (&new.hash, &command_of(new).args, new.on_failure)
        );
    }
    assert_eq!(
        snapshot.hooks()[1].trust.skip_cause(),
        Some(Cause::BrokenSource)
    );
    let met = |name: &str| {
        let hooks = snapshot.matching(EventName::PreToolUse, [name].into_iter(), &KindSet::default);
        hooks.map(|hook| hook.id.as_str()).collect::<Vec<_>>()
    };
    assert_eq!(met("Bash"), ["u", "one", "two"]);
    assert_eq!(met("Read"), ["u"]);
    let review = snapshot.review(&snapshot.hooks()[1]).unwrap();
    let error = TrustStore::load(&scene.state)
        .trust(&scene.project, &[review], Consent::Hooks, WHEN)
        .unwrap_err();
    assert!(matches!(error, TrustError::NotReviewable(_)), "{error}");
}

#[test]
fn only_the_latest_review_of_a_name_outlives_a_broken_file() {
    let scene = Scene::new();
    for mode in ["block", "continue"] {
        scene.write_user(file(2, &[with(handler("a"), "onFailure", mode)]));
        scene.trust_all();
    }
    scene.write_user("{");
    let snapshot = scene.load();
    assert_eq!(snapshot.hooks().len(), 1);
    assert_eq!(snapshot.hooks()[0].on_failure, FailureMode::Continue);
    // Both definitions stay trusted, as branches of a repository may hold either.
    scene.write_user(file(2, &[with(handler("a"), "onFailure", "block")]));
    assert_eq!(scene.states(), [trusted("a")]);
}

#[test]
fn a_broken_store_trusts_nothing_and_keeps_failure_modes() {
    let scene = Scene::new();
    scene.write_user(file(2, &[with(handler("a"), "onFailure", "block")]));
    scene.write_project(file(1, &[handler("p")]));
    scene.trust_all();
    write(&scene.state.trust_file(), "{ broken");
    let snapshot = scene.load();
    let unknown = |id: &str| (id.to_owned(), Trust::Unknown);
    assert_eq!(states(&snapshot), [unknown("a"), unknown("p")]);
    assert_eq!(snapshot.trust_report().state, SourceState::Broken);
    assert_eq!(snapshot.trust_report().diagnostics.len(), 1);
    assert_eq!(snapshot.hooks()[0].on_failure, FailureMode::Block);
    assert_eq!(
        snapshot.hooks()[0].trust.skip_cause(),
        Some(Cause::BrokenSource)
    );
    // The sources themselves are fine.
    assert_eq!(
        source_state(&snapshot, SourceKind::User),
        SourceState::Loaded
    );
}

#[test]
fn revoking_takes_trust_back() {
    let scene = Scene::new();
    scene.write_user(file(1, &[handler("a")]));
    scene.trust_all();
    let hash = scene.load().hooks()[0].hash.clone();
    let mut store = TrustStore::load(&scene.state);
    assert!(store.revoke(&hash).unwrap());
    assert!(!store.revoke(&hash).unwrap());
    assert_eq!(scene.states(), [("a".to_owned(), Trust::Untrusted)]);
}

#[test]
fn all_or_nothing() {
    let scene = Scene::new();
    scene.write_user(file(1, &[handler("a")]));
    scene.write_project(file(1, &[handler("p")]));
    let snapshot = scene.load();
    let review = |hook: &Hook| snapshot.review(hook).unwrap();
    let reviews: Vec<_> = snapshot.hooks().iter().map(review).collect();
    let mut store = TrustStore::load(&scene.state);
    store
        .trust(&scene.project, &reviews, Consent::Hooks, WHEN)
        .unwrap_err();
    assert!(TrustStore::load(&scene.state).records().is_empty());
    assert_eq!(scene.states()[0].1, Trust::Untrusted);
}
