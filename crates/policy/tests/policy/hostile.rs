//! Files that are made to break, flood or slow down their reader.

use hookward_policy::{Code, Severity, SourceState};
use proptest::prelude::*;
use serde_json::json;

use crate::scene::{Scene, file, handler, with};

#[test]
fn a_flood_of_problems_is_bounded() {
    let found = Scene::diagnose(format!("[{}1]", "1,/**/".repeat(100_000)));
    assert_eq!(found.len(), hookward_policy::MAX_DIAGNOSTICS + 1);
    assert_eq!(found.last().unwrap().code, Code::More);
}

/// A valid file with a piece of it replaced by junk.
fn mutated() -> impl Strategy<Value = Vec<u8>> {
    let hook = with(handler("a"), "onFailure", "block");
    let hook = with(hook, "args", json!(["${project}/x", "\u{1f600}\\"]));
    let text = file(2, &[hook, handler("b")]).into_bytes();
    let length = text.len();
    let junk = prop_oneof![
        prop::collection::vec(any::<u8>(), 0..6),
        "[\\[\\]{}:,\"'/*0-9a-z\\\\\u{feff} ]{0,8}".prop_map(String::into_bytes),
    ];
    (0..length, 0..12_usize, junk).prop_map(move |(at, cut, junk)| {
        let end = (at + cut).min(length);
        [&text[..at], &junk, &text[end..]].concat()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    /// No input makes the parser panic; what it lets through, a strict parser reads, too.
    #[test]
    fn damaged_files_are_reported_and_never_panic(bytes in mutated()) {
        let scene = Scene::new();
        scene.write_project(&bytes);
        let snapshot = scene.load();
        let report = &snapshot.sources()[1];
        if report.state == SourceState::Loaded {
            let text = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(&bytes);
            prop_assert!(serde_json::from_slice::<serde::de::IgnoredAny>(text).is_ok());
        } else {
            prop_assert!(report.diagnostics.iter().any(|found| found.severity == Severity::Error));
            prop_assert!(snapshot.hooks().is_empty());
        }
    }
}

/// Problems that nobody will see are not worded, and positions on one long line not counted from
/// its start.
#[test]
fn files_made_to_be_slow_are_read_all_the_same() {
    let names = vec!["q"; 64].join("|");
    let group = format!("{{\"matcher\":\"{names}\",\"hooks\":[]}},");
    let groups = group.repeat(900_000 / group.len());
    let text = format!("{{\"version\":1,\"hooks\":{{\"PreToolUse\":[{groups}{{\"hooks\":[]}}]}}}}");
    let found = Scene::diagnose(text);
    assert_eq!(found.len(), hookward_policy::MAX_DIAGNOSTICS + 1);

    let hooks: Vec<_> = (0..128)
        .map(|number| with(handler(&format!("h{number}")), "args", vec!["é"; 256]))
        .collect();
    let scene = Scene::new();
    scene.write_user(file(1, &hooks));
    let snapshot = scene.load();
    assert_eq!(snapshot.hooks().len(), 128);
    let columns = snapshot
        .hooks()
        .iter()
        .map(|hook| hook.location.as_ref().unwrap().column);
    assert!(columns.is_sorted());
}
