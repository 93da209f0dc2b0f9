//! Scripts by chance: valid ones, damaged ones, and heaps of tokens.

#![allow(dead_code, reason = "no test uses all of it")]

use proptest::collection::vec;
use proptest::prelude::*;

/// What the heaps are made of.
const TOKENS: &[&str] = &[
    "a",
    "b c",
    " ",
    "\n",
    "\t",
    ";",
    ";;",
    "&",
    "&&",
    "|",
    "||",
    "|&",
    "(",
    ")",
    "((",
    "))",
    "{",
    "}",
    " { ",
    "; }",
    "[[ ",
    " ]]",
    "<",
    ">",
    "<<E\n",
    "\nE\n",
    "<<-'E'\n",
    "<<<",
    "<(",
    ">(",
    ">&",
    "&>",
    "$",
    "$(",
    "${",
    "$((",
    "$[",
    "]",
    "[",
    "`",
    "'",
    "\"",
    "$'",
    "\\",
    "\\\n",
    "#",
    " #",
    "!",
    " ! ",
    "=",
    "a=",
    "a=(",
    "a[",
    "+=",
    "if ",
    "then ",
    "fi",
    "else ",
    "while ",
    "do ",
    "done",
    "for x in ",
    "for ((",
    "case x in ",
    "esac",
    "f() ",
    "function f ",
    "coproc ",
    "time ",
    ":-",
    "#",
    "%",
    "/",
    "@(",
    "*",
    "?",
    "é",
    "\u{1F600}",
    "\r",
    "\0",
    "2>&1",
    "{x}>",
    "1",
];

pub(crate) fn soup() -> impl Strategy<Value = String> {
    vec(prop::sample::select(TOKENS), 0..40).prop_map(|tokens| tokens.concat())
}

fn word() -> impl Strategy<Value = String> {
    let plain = prop::sample::select(vec![
        "a",
        "git",
        "push",
        "-f",
        "x.y",
        "'q r'",
        "\"s t\"",
        "\\;",
        "u\\ v",
        "$w",
        "${x}",
        "\"$y\"",
        "${z:-d}",
        "\"${z:-'e f'}\"",
        "$((1 + 2))",
        "*.c",
        "{g,h}",
        "$'i\\n'",
        "a=b",
        "''",
        "if",
        "done",
        "esac",
        "~",
        "%",
        "é",
        "$1",
        "\"a\\\"b\"",
        "a\\\nb",
    ]);
    plain.prop_map(str::to_owned)
}

fn redirect() -> impl Strategy<Value = String> {
    let kinds = vec![">f", "2>&1", "<g", ">> h", "<<<i", "&>j", "3<&-", "{k}>l"];
    prop::sample::select(kinds).prop_map(str::to_owned)
}

/// A simple command whose first word is a name, so that it can stand anywhere.
fn simple() -> impl Strategy<Value = String> {
    let name = prop::sample::select(vec![
        "a",
        "git",
        "c1",
        "A=1 d",
        "B= C='x y' e",
        "\"f\"",
        "g\\h",
    ]);
    (name, vec(word(), 0..4), vec(redirect(), 0..2)).prop_map(|(name, words, redirects)| {
        let mut all = vec![name.to_owned()];
        all.extend(words);
        all.extend(redirects);
        all.join(" ")
    })
}

/// Commands without substitutions, which hold others.
pub(crate) fn plain() -> impl Strategy<Value = String> {
    simple().prop_recursive(4, 24, 3, |inner| {
        let pair = (inner.clone(), inner.clone());
        prop_oneof![
            pair.clone().prop_map(|(a, b)| format!("{a} | {b}")),
            pair.clone().prop_map(|(a, b)| format!("{a} && {b}")),
            pair.clone().prop_map(|(a, b)| format!("{{ {a}; {b}; }}")),
            pair.clone()
                .prop_map(|(a, b)| format!("{{ {a}\n{b}\n}} 2>f")),
            inner.clone().prop_map(|a| format!("( {a} )")),
            pair.clone()
                .prop_map(|(a, b)| format!("if {a}; then {b}; fi")),
            pair.clone()
                .prop_map(|(a, b)| format!("while {a}\ndo {b}\ndone")),
            inner
                .clone()
                .prop_map(|a| format!("for v in 1 2; do {a}; done")),
            pair.prop_map(|(a, b)| format!("case w in x|y) {a};; *) {b}\n;; esac")),
            inner.prop_map(|a| format!("f() {{ {a}; }}")),
        ]
    })
}

/// Any command.
fn command() -> impl Strategy<Value = String> {
    plain().prop_recursive(3, 24, 3, |inner| {
        let pair = (inner.clone(), inner.clone());
        prop_oneof![
            inner
                .clone()
                .prop_map(|a| format!("echo $( {a}) \"$( {a} )\"")),
            inner
                .clone()
                .prop_map(|a| format!("x=$( {a}\n) y=(1 \"$( {a})\")")),
            inner
                .clone()
                .prop_map(|a| format!("diff <( {a}) >( {a}) < <( {a})")),
            inner
                .clone()
                .prop_map(|a| format!("echo ${{z:-$( {a})}} \"${{z:-\"$( {a})\"}}\"")),
            inner.clone().prop_map(|a| format!("(( $( {a}) + 1 ))")),
            inner
                .clone()
                .prop_map(|a| format!("[[ $( {a}) == b* && ! -f c ]]")),
            pair.prop_map(|(a, b)| format!("echo $( ({a}); {b})")),
            inner.prop_map(|a| {
                // Not the delimiter of a here-document within.
                let end = a.len();
                format!("cat <<E{end}\ntext $( {a})\nE{end}\n")
            }),
        ]
    })
}

/// A valid script, of some lines.
pub(crate) fn script() -> impl Strategy<Value = String> {
    vec(command(), 1..3).prop_map(|commands| commands.join("\n"))
}

/// A script with a few bytes changed.
pub(crate) fn mutated() -> impl Strategy<Value = String> {
    let change = (
        any::<prop::sample::Index>(),
        0_usize..4,
        prop::sample::select(TOKENS),
    );
    (script(), vec(change, 1..4)).prop_map(|(script, changes)| {
        let mut chars: Vec<char> = script.chars().collect();
        for (at, removed, token) in changes {
            let at = at.index(chars.len() + 1);
            let end = (at + removed).min(chars.len());
            chars.splice(at..end, token.chars());
        }
        chars.into_iter().collect()
    })
}
