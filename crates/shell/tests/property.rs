//! What holds for every text: reading ends, in order, within the text.

mod generated;

use generated::{mutated, script, soup};
use hookward_shell::{MAX_DEPTH, parse};
use proptest::prelude::*;

/// Every span in a script, from its debug form, so that none is forgotten.
fn spans(debug: &str) -> Vec<(usize, usize)> {
    let span = |rest: &str| {
        let (start, rest) = rest.split_once("..")?;
        let end: String = rest.chars().take_while(char::is_ascii_digit).collect();
        Some((start.parse().ok()?, end.parse().ok()?))
    };
    debug.split("span: ").skip(1).filter_map(span).collect()
}

fn check(text: &str) {
    let script = parse(text);
    if let Some(error) = script.error {
        assert!(error.offset as usize <= text.len(), "{error} in {text:?}");
    }
    let debug = format!("{:?}", script.lists);
    for (start, end) in spans(&debug) {
        assert!(start <= end, "{start}..{end} in {text:?}");
        assert!(text.get(start..end).is_some(), "{start}..{end} in {text:?}");
    }
    assert_eq!(script, parse(text), "the same text reads the same");
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 1_000, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_read(text in any::<String>()) {
        check(&text);
    }

    #[test]
    fn any_heap_of_tokens_is_read(text in soup()) {
        check(&text);
    }

    #[test]
    fn damaged_scripts_are_read(text in mutated()) {
        check(&text);
    }

    #[test]
    fn scripts_are_read_without_an_error(text in script()) {
        check(&text);
        prop_assert_eq!(parse(&text).error, None, "{:?}", text);
    }

    /// Bash runs a text line by line, so what follows cannot change what was read before.
    #[test]
    fn what_follows_on_other_lines_changes_nothing(text in script(), more in soup()) {
        prop_assume!(!more.contains('\0'));
        let alone = parse(&text);
        let longer = format!("{text}\n{more}");
        let both = parse(&longer);
        prop_assert!(both.lists.len() >= alone.lists.len(), "{:?}", longer);
        prop_assert_eq!(&both.lists[..alone.lists.len()], &alone.lists[..], "{:?}", longer);
    }

    #[test]
    fn braces_give_what_they_say(text in "[{},.a1x\"$]{1,24}") {
        let word = hookward_shell::Word { parts: vec![hookward_shell::Part::Literal(text.as_str().into())], span: 0..0 };
        let words = word.braces();
        prop_assert!(words.is_none_or(|words| !words.is_empty() && words.len() <= 1_024));
    }
}

#[test]
fn the_deepest_script_is_within_the_limit() {
    let text = format!("{}a{}", "$(".repeat(100), ")".repeat(100));
    assert!(parse(&text).error.is_some());
    let depth = (MAX_DEPTH / 2 - 1) as usize;
    let text = format!("{}a{}", "$(".repeat(depth), ")".repeat(depth));
    assert_eq!(parse(&text).error, None);
}
