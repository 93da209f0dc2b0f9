//! Which hooks a call meets.

use hookward_contract::EventName;
use hookward_policy::Snapshot;
use proptest::prelude::*;
use serde_json::json;

use crate::scene::{Scene, file, handler, with};

fn found(snapshot: &Snapshot, names: &[&str]) -> Vec<String> {
    let hooks = snapshot.matching(EventName::PreToolUse, names.iter().copied());
    hooks.map(|hook| hook.id.to_string()).collect()
}

fn scene(matchers: &[&str]) -> Scene {
    let groups: Vec<_> = matchers
        .iter()
        .enumerate()
        .map(|(index, matcher)| json!({"matcher": matcher, "hooks": [handler(&index.to_string())]}))
        .collect();
    let scene = Scene::new();
    scene.write_user(json!({"version": 1, "hooks": {"PreToolUse": groups}}).to_string());
    scene
}

#[test]
fn configuration_order_and_each_once() {
    let snapshot = scene(&["mcp__*", "*", "Bash|B*|Bash", "Write", "mcp__x__y|shell"]).load();
    assert_eq!(found(&snapshot, &["Bash"]), ["1", "2"]);
    assert_eq!(found(&snapshot, &["mcp__x__y"]), ["0", "1", "4"]);
    // A call is known by its canonical and by its native name.
    assert_eq!(found(&snapshot, &["Bash", "shell"]), ["1", "2", "4"]);
    assert_eq!(found(&snapshot, &[]), [""; 0]);
    let matching = snapshot.matching(EventName::PreToolUse, ["Bash"].into_iter());
    assert_eq!(matching.len(), 2);
}

#[test]
fn disabled_hooks_are_not_met() {
    let scene = Scene::new();
    scene.write_user(file(
        1,
        &[with(handler("a"), "enabled", false), handler("b")],
    ));
    let snapshot = scene.load();
    assert_eq!(found(&snapshot, &["Bash"]), ["b"]);
    assert_eq!(snapshot.hooks().len(), 2);
    assert!(snapshot.has_hooks(EventName::PreToolUse));
    scene.write_user(file(1, &[with(handler("a"), "enabled", false)]));
    assert!(!scene.load().has_hooks(EventName::PreToolUse));
    assert!(!Scene::new().load().has_hooks(EventName::PreToolUse));
}

/// Case B109: a separator inside a server's name cannot widen an exact name, and a prefix covers
/// what begins so, which is why servers with such names are refused where tools are named.
#[test]
fn b109_prefixes_are_compared_byte_by_byte() {
    let snapshot = scene(&["mcp__a__*", "mcp__a__b"]).load();
    assert_eq!(found(&snapshot, &["mcp__a__b__c"]), ["0"]);
    assert_eq!(found(&snapshot, &["mcp__a_b"]), [""; 0]);
    assert_eq!(found(&snapshot, &["mcp__A__b"]), [""; 0]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// The index finds what asking every hook finds.
    #[test]
    fn matching_equals_asking_every_hook(
        matchers in prop::collection::vec("([AB_]{1,2}\\*?|\\*)(\\|[AB_]{1,3}\\*?){0,2}", 1..8),
        names in prop::collection::vec("[AB_]{0,4}", 1..3),
    ) {
        let matchers: Vec<_> = matchers.iter().map(String::as_str).collect();
        let names: Vec<_> = names.iter().map(String::as_str).collect();
        let snapshot = scene(&matchers).load();
        let naive: Vec<_> = snapshot
            .hooks()
            .iter()
            .filter(|hook| names.iter().any(|name| hook.matcher.matches(name)))
            .map(|hook| hook.id.to_string())
            .collect();
        prop_assert_eq!(found(&snapshot, &names), naive);
    }
}
