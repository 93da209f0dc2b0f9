//! Hostile texts end: work is bounded by what is walked, never by what a text could make of it.
//! A text that goes beyond a bound is opaque.

mod support;

use hookward_rules::{Arg, Effect, OpaqueCause};
use support::{Verdict, effects, judge_paths, push};

/// Most effects of one text, with the one that says so.
const MAX_EFFECTS: usize = 2_049;

/// The effects of a text. A test's thread has the stack that threads have.
fn bounded(script: &str) -> Vec<Effect> {
    let effects = effects(script);
    assert!(effects.len() <= MAX_EFFECTS, "{}", effects.len());
    effects
}

/// Lines that differ in a number.
fn numbered(count: usize, line: impl Fn(usize) -> String) -> String {
    let lines: Vec<String> = (0..count).map(line).collect();
    lines.concat()
}

fn is_opaque(effects: &[Effect]) -> bool {
    effects
        .iter()
        .any(|effect| matches!(effect, Effect::Opaque(_)))
}

fn is_cut(effects: &[Effect]) -> bool {
    effects.iter().any(|effect| match effect {
        Effect::Opaque(opaque) => matches!(
            opaque.cause,
            OpaqueCause::Unparsable { .. } | OpaqueCause::UnknownArguments
        ),
        _ => false,
    })
}

fn runs(effects: &[Effect], program: &str) -> bool {
    effects
        .iter()
        .any(|effect| matches!(effect, Effect::Exec(exec) if exec.program == program))
}

#[test]
fn deep_texts() {
    for (open, inside, close) in [
        ("( ", "git push", " )"),
        ("{ ", "git push;", " }"),
        ("$(", "git push", ")"),
        ("if ", "git push", "; then :; fi"),
        ("${x:-", "$(git push)", "}"),
        ("x[", "$(git push)", "]=1"),
        ("eval ", "git push", ""),
        ("env ", "git push", ""),
        ("command ", "git push", ""),
        ("nohup ", "git push", ""),
        ("! ", "git push", ""),
        ("time ", "git push", ""),
    ] {
        for depth in [20, 200, 1_000, 20_000] {
            let text = format!("{}{inside}{}", open.repeat(depth), close.repeat(depth));
            let effects = bounded(&text);
            assert!(
                is_opaque(&effects) || runs(&effects, "git"),
                "{open} {depth}"
            );
        }
    }
    // Functions that are each as deep as a text may be.
    let (open, close) = ("( ".repeat(60), " )".repeat(60));
    let deep = |level: u32| format!("f{level}() {{ {open} f{} {close}; }}\n", level + 1);
    let text: String = (0..30).map(deep).collect();
    assert!(is_cut(&bounded(&format!(
        "{text}f30() {{ git push; }}\nf0"
    ))));
    assert!(is_cut(&bounded(&format!(
        "env -S '{}git push'",
        "-S ".repeat(2_000)
    ))));
}

#[test]
fn texts_that_double() {
    // Each value is four of the one before.
    let text = format!("a=git\n{}$a push", "a=$a$a$a$a\n".repeat(60));
    assert!(is_opaque(&bounded(&text)));
    let text = format!("a=x\n{}alpha $a", "a=$a$a$a$a\n".repeat(60));
    let effects = bounded(&text);
    assert!(effects.iter().any(|effect| match effect {
        Effect::Exec(exec) => matches!(exec.args.as_slice(), [Arg::Unknown(_)]),
        _ => false,
    }));
    // Each function calls the one before twice.
    let level = |level: u32| format!("f{}() {{ f{level}; f{level}; }}\n", level + 1);
    let text: String = (0..20).map(level).collect();
    assert!(is_cut(&bounded(&format!(
        "f0() {{ git push; }}\n{text}f20"
    ))));
    assert!(is_cut(&bounded("f() { f; f; }; f")));
    assert!(is_cut(&bounded("f() { f | f & }; f")));
    assert!(is_cut(&bounded(
        "x='eval \"$x$x\"'; x='eval \"$x;$x\"'; f() { eval \"f;f;$x\"; }; f"
    )));
}

#[test]
fn loops_in_loops() {
    let words = "a b c d e f g h i j k l m n o p";
    for kind in [
        format!("for x in {words}; do "),
        "while alpha; do ".into(),
        "for x; do ".into(),
    ] {
        let text = format!(
            "{}git push; cd ..; p=$p$x; {}",
            kind.repeat(12),
            "done; ".repeat(12)
        );
        let effects = bounded(&text);
        assert!(is_cut(&effects) || runs(&effects, "git"), "{kind}");
    }
}

#[test]
fn long_texts() {
    let cases = [
        format!("alpha {}", "word ".repeat(200_000)),
        format!("alpha {}", "$x".repeat(300_000)),
        format!("alpha {}", "{1..1000} ".repeat(5_000)),
        "alpha {1..100000} {a..z}{a..z}{a..z}{a..z}".to_owned(),
        format!("cat <<E\n{}E\nalpha", "some text $x\n".repeat(80_000)),
        format!(
            "{{ {} }} <<E\n{}E\n",
            "(:);".repeat(4_000),
            "text\n".repeat(200_000)
        ),
        numbered(10_000, |n| format!("v{n}=value{n}; alpha $v{n}\n")),
        "cd d\nalpha\n".repeat(5_000),
        "cd d || ".repeat(5_000) + "alpha",
        "alpha && ".repeat(10_000) + "beta",
        "alpha && beta || ".repeat(5_000) + "gamma",
        "alpha | ".repeat(10_000) + "beta",
        format!("cd {}\nalpha\n", "d".repeat(2_000)).repeat(500),
        format!(
            "set -- {}\n{}",
            "word ".repeat(50_000),
            "(alpha $1); shift\n".repeat(5_000)
        ),
        numbered(5_000, |n| format!("f{n}() {{ alpha; }}; f{n}\n")),
        numbered(3_000, |n| {
            format!("if x; then v{n}=1; f{n}() {{ :; }}; fi\n")
        }),
        format!("case $x in {} esac", "a) v=1;; ".repeat(5_000)),
        format!(
            "f() {{ alpha {}; }}\n{}",
            "word ".repeat(20_000),
            "f\n".repeat(5_000)
        ),
        numbered(3_000, |n| format!("trap 'alpha {n}' EXIT\n")),
        format!("env {} alpha", "A=b ".repeat(100_000)),
        format!("(( {} ))", "x=1+".repeat(100_000)),
        "`".repeat(100_001),
        "'\"".repeat(50_000),
        "<<E ".repeat(10_000),
        "a=(".repeat(10_000),
        "\\\n".repeat(100_000),
    ];
    for text in cases {
        let start: String = text.chars().take(40).collect();
        let runs_something = text.contains("alpha");
        let effects = bounded(&text);
        assert!(
            !runs_something || is_opaque(&effects) || runs(&effects, "alpha"),
            "{start}"
        );
    }
}

/// Memory that is copied for every arm, and patterns longer than any path, are beyond a limit.
#[test]
fn copies_of_a_large_memory_are_counted() {
    let arms = numbered(20_000, |n| format!("{n}) a{n}=1;; "));
    let chain = numbered(20_000, |n| format!("a{n}=1 && "));
    let pattern = "*a".repeat(100_000);
    for text in [
        format!("case $x in {arms} esac; git status"),
        format!("{chain} git status"),
    ] {
        assert_eq!(push(&text), Verdict::Ask, "{}", &text[..40]);
    }
    assert_eq!(
        judge_paths("write", "*.pem", &format!("touch {pattern}")),
        Verdict::Ask
    );
}
