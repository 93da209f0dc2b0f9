//! Which hooks a call meets.

use std::cell::Cell;

use hookward_contract::EventName;
use hookward_policy::{Code, EffectKind, KindSet, Snapshot};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::scene::{Scene, codes, file, handler, with};

fn found(snapshot: &Snapshot, names: &[&str]) -> Vec<String> {
    let hooks = snapshot.matching(
        EventName::PreToolUse,
        names.iter().copied(),
        &KindSet::default,
    );
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
    let matching = snapshot.matching(
        EventName::PreToolUse,
        ["Bash"].into_iter(),
        &KindSet::default,
    );
    assert_eq!(matching.len(), 2);
}

/// Kinds are asked for once, and only if a hook that may be met is for an effect.
#[test]
fn effects_are_asked_for_only_where_a_hook_is_for_one() {
    let of = |version: u8, groups: Value| {
        let scene = Scene::new();
        let file = json!({"version": version, "hooks": {"PreToolUse": groups}});
        scene.write_user(file.to_string());
        scene.load()
    };
    let group = |matcher: &str, hook: Value| json!({"matcher": matcher, "hooks": [hook]});
    let asked = Cell::new(0);
    let met = |snapshot: &Snapshot, names: &[&str], kinds: &[EffectKind]| {
        let kinds: KindSet = kinds.iter().copied().collect();
        let lazily = || {
            asked.set(asked.get() + 1);
            kinds
        };
        let names = names.iter().copied();
        let hooks = snapshot.matching(EventName::PreToolUse, names, &lazily);
        hooks.map(|hook| hook.id.to_string()).collect::<Vec<_>>()
    };
    let plain = of(
        2,
        json!([group("Bash", handler("a")), group("*", handler("b"))]),
    );
    assert_eq!(met(&plain, &["Bash"], &EffectKind::ALL), ["a", "b"]);
    let off = with(handler("b"), "enabled", false);
    let off = of(2, json!([group("Bash", handler("a")), group("@exec", off)]));
    assert_eq!(met(&off, &["Bash"], &EffectKind::ALL), ["a"]);
    assert_eq!(asked.get(), 0, "no hook is for an effect");

    let mixed = of(
        2,
        json!([
            group("@write|@exec", handler("a")),
            group("Bash", handler("b")),
            group("Write|@write|Bash", handler("c")),
            group("@opaque", handler("d")),
        ]),
    );
    assert!(mixed.has_hooks(EventName::PreToolUse));
    let exec = [EffectKind::Exec, EffectKind::Write];
    assert_eq!(met(&mixed, &["Bash"], &exec), ["a", "b", "c"]);
    assert_eq!(asked.get(), 1);
    assert_eq!(met(&mixed, &["Bash"], &[]), ["b", "c"]);
    assert_eq!(met(&mixed, &["Other"], &[EffectKind::Opaque]), ["d"]);
    assert_eq!(met(&mixed, &["@exec"], &[]), [""; 0]);

    // Version 1 says where such a matcher belongs.
    let old = of(1, json!([group("Bash|@exec", handler("a"))]));
    let found = &old.sources()[0].diagnostics;
    assert_eq!(codes(found), [Code::BadMatcher]);
    assert!(found[0].help.contains("\"version\": 2"), "{found:?}");
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
