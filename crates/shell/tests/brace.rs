//! Brace expansion, as Bash 5.2 does it.

mod support;

use hookward_shell::{CommandKind, parse};
use support::words;

#[test]
fn braces() {
    for (text, expected) in [
        ("{a} {} a{b b} {a,", "{a} {} a{b b} {a,"),
        ("{git,push} pre{a,b}post", "git push preapost prebpost"),
        ("{a,{b,c}d} {{a,b}} {a},b}", "a bd cd {a} {b} a} b"),
        (
            "{1..3} {a..e..2} {3..1} {1..5..-2}",
            "1 2 3 a c e 3 2 1 1 3 5",
        ),
        ("{01..3} {-01..1} {+1..2}", "01 02 03 -01 000 001 1 2"),
        (
            "{a..1} {1..2..} {1...3} {..} {ab..c}",
            "{a..1} {1..2..} {1...3} {..} {ab..c}",
        ),
        (
            "{}{a,b} x{}{a,b} {a}{b,c} {a,b}{c}{d,e}",
            "{}a {}b x{}a x{}b {a}b {a}c a{c}d a{c}e b{c}d b{c}e",
        ),
        (
            "{{a,b} {a,b}} {x..}{a,b} a{b{c,d}",
            "{a {b a} b} {x..}a {x..}b a{bc a{bd",
        ),
        (
            "{\"a,b\",c} {a\\,b} \"{a,b}\" ${a}{b,$c}",
            "'a,b' c {a','b} '{a,b}' ${a}b ${a}${c}",
        ),
        ("a{,b} {~,a}", "a ab ~ a"),
    ] {
        assert_eq!(expanded(text).unwrap(), expected, "{text:?}");
    }
}

#[test]
fn braces_are_bounded() {
    assert_eq!(expanded("{1..1024}").unwrap().split(' ').count(), 1024);
    assert_eq!(expanded("{1..1025}"), None);
    assert_eq!(expanded("{1..9223372036854775807}"), None);
    assert_eq!(expanded(&"{a,b}".repeat(11)), None);
    assert_eq!(expanded(&"{".repeat(100_000)), None);
    assert_eq!(expanded(&"{a,".repeat(30)).unwrap(), "{a,".repeat(30));
}

/// The words of a simple command after brace expansion.
fn expanded(text: &str) -> Option<String> {
    let script = parse(text);
    let CommandKind::Simple { words: found, .. } = &script.lists[0].first.commands[0].kind else {
        panic!("{text:?} is no simple command")
    };
    let all: Option<Vec<_>> = found.iter().map(hookward_shell::Word::braces).collect();
    Some(words(&all?.concat()))
}
