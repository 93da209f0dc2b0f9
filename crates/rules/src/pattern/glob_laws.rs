//! Laws of name patterns: agreement with the crate `globset` where both speak the same language, and
//! with a search over names where two patterns meet.

use globset::GlobBuilder;
use proptest::prelude::*;
use proptest::sample::select;

use super::glob::{NameGlob, alternatives};

/// Letters of names: few, so that things meet.
const LETTERS: [&str; 5] = ["a", "b", "c", ".", "-"];

fn name() -> impl Strategy<Value = String> {
    prop::collection::vec(select(&LETTERS[..]), 0..7).prop_map(|letters| letters.concat())
}

/// One token, without what means something else in a path (`**`).
fn token() -> impl Strategy<Value = &'static str> {
    prop_oneof![
        3 => select(&LETTERS[..]),
        2 => Just("*"),
        1 => select(&["?", "[ab]", "[!a]", "[^b]", "[a-c]", "[]a]", "[a-]", "\\*", "\\a", "\\["][..]),
    ]
}

/// A pattern without two stars in a row.
fn pattern() -> impl Strategy<Value = String> {
    prop::collection::vec(token(), 1..6).prop_map(|mut tokens| {
        tokens.dedup_by(|a, b| *a == "*" && *b == "*");
        tokens.concat()
    })
}

/// The same with braces, at most one within another.
fn braced() -> impl Strategy<Value = String> {
    let inner = (pattern(), pattern()).prop_map(|(a, b)| format!("{{{a},{b}}}"));
    let part = prop_oneof![2 => pattern(), 1 => inner];
    (pattern(), part.clone(), part, pattern()).prop_map(|(before, a, b, after)| {
        let text = format!("{before}{{{a},{b}}}{after}");
        // A star after a brace that ends in one is `**` to the other crate.
        text.replace("*}*", "*}").replace("*{*", "*{")
    })
}

fn glob(text: &str) -> NameGlob {
    NameGlob::compile(text, 0).unwrap()
}

fn ours(text: &str, name: &str) -> bool {
    let each = alternatives(text).unwrap();
    each.iter().any(|text| glob(text).matches(name))
}

fn theirs(text: &str, name: &str) -> bool {
    let glob = GlobBuilder::new(text)
        .literal_separator(true)
        .backslash_escape(true)
        .empty_alternates(true)
        .build();
    glob.unwrap().compile_matcher().is_match(name)
}

/// All names of up to `length` letters.
fn names(length: usize) -> Vec<String> {
    let mut all = vec![String::new()];
    let mut from = 0;
    for _ in 0..length {
        let longer = all[from..].iter().flat_map(|name| {
            let longer = |letter: &&str| format!("{name}{letter}");
            LETTERS.iter().map(longer).collect::<Vec<_>>()
        });
        let longer: Vec<String> = longer.collect();
        from = all.len();
        all.extend(longer);
    }
    all
}

/// Two or three tokens; the shortest name that two such patterns share has as many letters as both
/// have tokens at most, and fewer where letters stand for letters.
fn short(tokens: &'static [&'static str]) -> impl Strategy<Value = String> {
    prop::collection::vec(select(tokens), 1..3).prop_map(|tokens| tokens.concat())
}

const PLAIN: [&str; 5] = ["a", "b", ".", "*", "?"];
const WITH_SETS: [&str; 7] = ["a", ".", "*", "?", "[ab]", "[!a]", "[b-c]"];

/// Whether some name fits both. A shell's wildcards match no leading dot, which counts where the
/// rule's pattern begins with one.
fn common_name(own: &str, shell: &str) -> bool {
    if own.starts_with('.') && !shell.starts_with('.') {
        return false;
    }
    let (own, shell) = (glob(own), glob(shell));
    let fits = |name: &String| own.matches(name) && shell.matches(name);
    names(4).iter().any(fits)
}

fn cases(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases,
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(cases(2_000))]

    #[test]
    fn names_match_as_in_globset(text in pattern(), name in name()) {
        prop_assert_eq!(ours(&text, &name), theirs(&text, &name), "{} {}", text, name);
    }

    #[test]
    fn braces_match_as_in_globset(text in braced(), name in name()) {
        prop_assert_eq!(ours(&text, &name), theirs(&text, &name), "{} {}", text, name);
    }
}

proptest! {
    #![proptest_config(cases(300))]

    /// Neither misses a name nor makes one up.
    #[test]
    fn two_patterns_meet_exactly_where_a_name_fits_both(own in short(&PLAIN), shell in short(&PLAIN)) {
        prop_assert_eq!(glob(&own).meets(&shell), common_name(&own, &shell), "{} {}", own, shell);
    }

    /// With sets it may see a meeting where there is none, never the other way round.
    #[test]
    fn no_meeting_is_missed(own in short(&WITH_SETS), shell in short(&WITH_SETS)) {
        prop_assert!(glob(&own).meets(&shell) || !common_name(&own, &shell), "{} {}", own, shell);
    }

    /// Only the leading dot tells the two sides apart.
    #[test]
    fn meeting_is_symmetric(a in pattern(), b in pattern()) {
        let dotted = |text: &str| text.starts_with('.');
        prop_assume!(dotted(&a) == dotted(&b));
        // A pattern of the shell that is a mere name is compared as that name.
        prop_assume!(glob(&a).literal().is_none() && glob(&b).literal().is_none());
        prop_assert_eq!(glob(&a).meets(&b), glob(&b).meets(&a), "{} {}", a, b);
    }
}
