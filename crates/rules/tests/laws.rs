//! Laws of patterns of files over generated paths, and of what a glance tells of many rules.

mod support;

use hookward_rules::{NoFiles, Outcome, Rule, escape_pattern};
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::json;
use support::Verdict::{Allow, Deny};
use support::{Verdict, bash, call, judge, rule_text, with_effects};

/// A name that a file may have, rich in characters that mean something to patterns, placeholders
/// and shells.
fn name() -> impl Strategy<Value = String> {
    let letters = select("ab*?[]{}\\,!~$.-^é \"'#:|".chars().collect::<Vec<_>>());
    prop::collection::vec(letters, 1..6)
        .prop_map(|letters| letters.into_iter().collect::<String>())
        .prop_filter("names with a meaning of their own", |name| {
            name != "." && name != ".." && name.trim() == name
        })
}

fn path() -> impl Strategy<Value = String> {
    prop::collection::vec(name(), 1..4).prop_map(|names| format!("/{}", names.join("/")))
}

fn write(pattern: &str, path: &str) -> Verdict {
    let mut text = rule_text();
    text.write = vec![pattern.to_owned()];
    let input = json!({"file_path": path, "content": ""});
    judge(&NoFiles, &text, &call("Write", &input))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000, failure_persistence: None, ..ProptestConfig::default() })]

    /// The pattern of a path matches it, what is below it, and nothing else.
    #[test]
    fn an_escaped_path_matches_itself_and_what_is_below(path in path(), other in path(), below in name()) {
        let pattern = escape_pattern(&path);
        prop_assert_eq!(write(&pattern, &path), Deny, "{}", pattern);
        prop_assert_eq!(write(&pattern, &format!("{path}/{below}")), Deny, "{}", pattern);
        let meant = other == path || other.starts_with(&format!("{path}/"));
        prop_assert_eq!(write(&pattern, &other), if meant { Deny } else { Allow }, "{} {}", pattern, other);
        for near in [format!("{path}x"), path[..path.len() - last(&path)].to_owned()] {
            prop_assert_eq!(write(&pattern, &near), Allow, "{} {}", pattern, near);
        }
    }

    /// An exclusion of all that is included leaves nothing.
    #[test]
    fn what_is_excluded_is_not_included(path in path(), other in path()) {
        let mut text = rule_text();
        let pattern = escape_pattern(&path);
        text.write = vec!["/**".to_owned(), format!("!{pattern}")];
        let input = |path: &str| json!({"file_path": path, "content": ""});
        prop_assert_eq!(judge(&NoFiles, &text, &call("Write", &input(&path))), Allow);
        let expected = match write(&pattern, &other) { Allow => Deny, _ => Allow };
        prop_assert_eq!(judge(&NoFiles, &text, &call("Write", &input(&other))), expected);
    }
}

/// The length of the last character.
fn last(text: &str) -> usize {
    text.chars().next_back().map_or(0, char::len_utf8)
}

/// How many of a thousand rules a glance leaves to be judged, told by counting and not by time.
#[test]
fn a_thousand_rules_that_match_none_are_told_at_a_glance() {
    let compiled = |write: bool| -> Vec<Rule> {
        let rule = |n| {
            let mut text = rule_text();
            text.exec = vec![format!("unheard-of-{n} deploy")];
            if write {
                text.write = vec![format!("/srv/{n}/**")];
            }
            Rule::compile(&text).unwrap()
        };
        (0..1_000).map(rule).collect()
    };
    let typical = bash("git status --short && cargo test --workspace 2>&1 | tail -n 40");
    let left = |rules: &[Rule]| {
        with_effects(&NoFiles, &typical, |scene| {
            let left = rules.iter().filter(|rule| rule.may_concern(scene));
            let concerned = |rule: &&Rule| rule.explain(scene).outcome != Outcome::NotConcerned;
            assert_eq!(rules.iter().filter(concerned).count(), 0);
            left.count()
        })
    };
    // Nothing is written.
    assert_eq!(left(&compiled(true)), 0);
    // Three programs are started, and programs share 64 bits: about three rules in 64 are left.
    let left = left(&compiled(false));
    assert!(left <= 100, "{left}");
}
