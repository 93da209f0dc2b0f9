//! Reviewed hooks that block when they fail, and what an edit of their file does to them.

use hookward_contract::{Cause, EventName, FailureMode};
use hookward_policy::{ChangedWhat, EffectKind, HookMode, KindSet, Snapshot, Trust};
use serde_json::{Value, json};

use crate::scene::{Scene, handler, states, with};

fn guard() -> Value {
    with(handler("guard"), "onFailure", "block")
}

/// The user's file with one hook.
fn write(scene: &Scene, matcher: &str, hook: &Value) {
    let group = json!({"matcher": matcher, "hooks": [hook]});
    scene.write_user(json!({"version": 2, "hooks": {"PreToolUse": [group]}}).to_string());
}

/// A scene with a guard that was reviewed for these tools.
fn reviewed(matcher: &str) -> Scene {
    let scene = Scene::new();
    write(&scene, matcher, &guard());
    scene.trust_all();
    scene
}

fn covers(snapshot: &Snapshot, tool: &str) -> bool {
    let mut found = snapshot.matching(EventName::PreToolUse, [tool].into_iter(), &KindSet::default);
    found.next().is_some_and(|hook| hook.id.as_str() == "guard")
}

fn assert_changed(snapshot: &Snapshot) {
    let hook = &snapshot.hooks()[0];
    assert!(
        matches!(hook.trust, Trust::Changed(ChangedWhat::Definition { .. })),
        "{:?}",
        hook.trust
    );
    assert_eq!(hook.trust.skip_cause(), Some(Cause::Changed));
    assert_eq!(hook.on_failure, FailureMode::Block);
}

#[test]
fn an_edited_matcher_takes_no_tool_away_from_a_reviewed_hook() {
    let scene = reviewed("Bash|Write");
    let before = scene.load().digest().clone();
    write(&scene, "Read", &guard());
    let snapshot = scene.load();
    assert_changed(&snapshot);
    let met = ["Bash", "Write", "Read", "Grep"].map(|tool| covers(&snapshot, tool));
    assert_eq!(met, [true, true, true, false]);
    assert_ne!(snapshot.digest(), &before);
    // A review of the new definition settles what it covers.
    scene.trust_all();
    let snapshot = scene.load();
    let met = ["Bash", "Read"].map(|tool| covers(&snapshot, tool));
    assert_eq!(met, [false, true]);
    assert_eq!(snapshot.hooks()[0].reviewed_matcher, None);
}

/// What an edited hook covers depends on its review, and so does the digest.
#[test]
fn an_edit_takes_no_reviewed_hook_into_the_shadow() {
    let scene = reviewed("Bash");
    let shadow = with(guard(), "mode", "shadow");
    write(&scene, "Bash", &with(shadow.clone(), "enabled", false));
    assert_changed(&scene.load());
    write(&scene, "Bash", &shadow);
    let snapshot = scene.load();
    assert_changed(&snapshot);
    assert_eq!(snapshot.hooks()[0].mode, HookMode::Enforce);
    // A review lets it into the shadow; from there it guards nothing.
    scene.trust_all();
    let snapshot = scene.load();
    let hook = &snapshot.hooks()[0];
    assert_eq!(
        (hook.mode, &hook.trust),
        (HookMode::Shadow, &Trust::Trusted)
    );
    write(&scene, "Bash", &with(shadow, "enabled", false));
    let snapshot = scene.load();
    let report = snapshot.trust_report();
    assert_eq!(snapshot.hooks()[0].trust, Trust::Disabled);
    assert!(!report.switched_off[0].guards(["Bash"].into_iter(), &KindSet::default));
}

#[test]
fn reviewed_effects_are_covered_until_the_next_review() {
    let scene = reviewed("@exec");
    write(&scene, "Read", &guard());
    let snapshot = scene.load();
    let exec = || KindSet::default().with(EffectKind::Exec);
    let read = || KindSet::default().with(EffectKind::Read);
    for (kinds, met) in [(&exec as &dyn Fn() -> KindSet, 1), (&read, 0)] {
        let names = ["Other"].into_iter();
        assert_eq!(
            snapshot.matching(EventName::PreToolUse, names, kinds).len(),
            met
        );
    }
    // One that is gone guarded the same calls.
    scene.write_user(r#"{"version":2,"hooks":{}}"#);
    let snapshot = scene.load();
    let gone = &snapshot.trust_report().missing[0];
    assert!(gone.guards(["Other"].into_iter(), &exec));
    assert!(!gone.guards(["Other"].into_iter(), &read));
}

#[test]
fn a_digest_tells_what_was_reviewed() {
    let scene = Scene::new();
    let digests = ["Bash", "Write"].map(|matcher| {
        write(&scene, matcher, &guard());
        scene.trust_all();
        write(&scene, "Read", &guard());
        let snapshot = scene.load();
        let hook = &snapshot.hooks()[0];
        (hook.reviewed_matcher.clone(), snapshot.digest().clone())
    });
    assert_ne!(digests[0].0, digests[1].0);
    assert_ne!(digests[0].1, digests[1].1);
}

#[test]
fn a_reviewed_guard_cannot_be_edited_and_switched_off_in_one() {
    let scene = reviewed("Bash");
    let off = with(guard(), "enabled", false);
    for (matcher, hook) in [
        ("Read", off.clone()),
        ("Bash", with(off.clone(), "timeoutMs", 100)),
        ("Bash", with(off, "onFailure", "continue")),
    ] {
        write(&scene, matcher, &hook);
        let snapshot = scene.load();
        assert_changed(&snapshot);
        assert!(covers(&snapshot, "Bash"), "{hook}");
        assert!(snapshot.trust_report().switched_off.is_empty());
    }
}

#[test]
fn a_guard_that_is_merely_switched_off_is_told() {
    let scene = reviewed("Bash");
    let before = scene.load();
    assert!(before.trust_report().switched_off.is_empty());
    // Trust follows the definition, whatever the hook is called.
    for id in ["guard", "renamed"] {
        let hook = with(with(guard(), "enabled", false), "id", id);
        write(&scene, "Bash", &hook);
        let snapshot = scene.load();
        assert_eq!(states(&snapshot), [(id.to_owned(), Trust::Disabled)]);
        assert!(!covers(&snapshot, "Bash"));
        assert!(!snapshot.has_hooks(EventName::PreToolUse));
        let report = snapshot.trust_report();
        assert!(report.missing.is_empty());
        let [off] = report.switched_off.as_slice() else {
            panic!("{report:?}");
        };
        assert_eq!((off.id.as_str(), &off.hash), (id, &before.hooks()[0].hash));
        assert!(off.guards(["Read", "Bash"].into_iter(), &KindSet::default));
        assert!(!off.guards(["Read"].into_iter(), &KindSet::default));
    }
}

#[test]
fn hooks_that_guard_nothing_are_switched_off_as_they_stand() {
    let scene = Scene::new();
    write(&scene, "Bash", &handler("guard"));
    scene.trust_all();
    let off = with(handler("guard"), "enabled", false);
    write(&scene, "Bash", &off);
    let snapshot = scene.load();
    assert_eq!(snapshot.hooks()[0].trust, Trust::Disabled);
    let report = snapshot.trust_report();
    assert!(!report.switched_off[0].guards(["Bash"].into_iter(), &KindSet::default));
    write(&scene, "Bash", &with(off.clone(), "timeoutMs", 100));
    let snapshot = scene.load();
    assert_eq!(snapshot.hooks()[0].trust, Trust::Disabled);
    assert!(snapshot.trust_report().switched_off.is_empty());
    // One that was never reviewed has nothing to keep, and nobody has to be told of it.
    let unknown = with(with(off, "id", "new"), "onFailure", "block");
    write(&scene, "Bash", &unknown);
    let snapshot = scene.load();
    assert_eq!(snapshot.hooks()[0].trust, Trust::Disabled);
    assert!(snapshot.trust_report().switched_off.is_empty());
}

/// A hook that stands in its file under its name is not gone, whatever became of its definition.
#[test]
fn an_edited_hook_is_not_missing() {
    let scene = reviewed("Bash");
    write(&scene, "Bash", &with(guard(), "timeoutMs", 100));
    assert!(scene.load().trust_report().missing.is_empty());
    write(
        &scene,
        "Bash",
        &with(with(guard(), "timeoutMs", 100), "id", "other"),
    );
    let snapshot = scene.load();
    let missing = &snapshot.trust_report().missing;
    assert_eq!(missing.len(), 1);
    assert_eq!(missing[0].id.as_str(), "guard");
    assert!(missing[0].guards(["Bash"].into_iter(), &KindSet::default));
}
