//! Two other opinions. Whatever Bash accepts is read without an error; what it rejects may be read,
//! since nothing of it runs. Where brush-parser reads a script, it sees the same simple commands.

mod generated;
mod support;

use std::process::{Command, Stdio};

use brush_parser::{ParserOptions, TokenizerOptions, parse_tokens, tokenize_str_with_options};
use generated::{mutated, plain, script};
use hookward_shell::parse;
use proptest::prelude::*;

const BASH: &str = "/bin/bash";

/// Scripts that Bash accepts and this reader does not, each with its reason.
const EXCEPTIONS: &[(&str, &str)] = &[
    ("[[ ]]", SILENT),
    ("[[ a && ]]", SILENT),
    ("for ((a;b;c);) do d; done", SILENT),
];

/// Bash says nothing, and runs neither this nor what follows.
const SILENT: &str = "an error without a message";

fn corpus() -> Vec<String> {
    include_str!("corpus.txt")
        .lines()
        .filter(|line| !line.starts_with("# "))
        .map(|line| line.replace('¶', "\n").replace('→', "\t"))
        .collect()
}

/// Whether Bash finds no error in `script`, without running it; `None` without Bash. The status says
/// nothing about errors within `[[ ]]`, so that the messages are looked at: all but warnings.
fn bash_accepts(script: &str) -> Option<bool> {
    let output = Command::new(BASH)
        .args(["--norc", "-n", "-c", script])
        .env_clear()
        .env("LC_ALL", "C.UTF-8")
        .stdin(Stdio::null())
        .output()
        .ok()?;
    let messages = String::from_utf8_lossy(&output.stderr);
    Some(output.status.success() && messages.lines().all(|line| line.contains("warning: ")))
}

fn is_exception(script: &str) -> bool {
    EXCEPTIONS.iter().any(|(exception, _)| *exception == script)
}

#[test]
fn what_bash_accepts_is_read() {
    let mut wrong = Vec::new();
    for script in corpus() {
        let Some(accepted) = bash_accepts(&script) else {
            println!("skipped: there is no {BASH}");
            return;
        };
        let error = parse(&script).error;
        if accepted && (error.is_some() != is_exception(&script)) {
            wrong.push(format!("{script:?}: {error:?}"));
        }
        if !accepted && error.is_none() && std::env::var_os("SHOW_LENIENT").is_some() {
            println!("lenient: {script:?}");
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 600, ..ProptestConfig::default() })]

    /// What stands in the body of a here-document, in a substitution with two parentheses, and in a `${ `
    /// (commands only from Bash 5.3 on), Bash reads when it expands it and this reader before: an
    /// error there is known too early, so that damaged ones are left out.
    #[test]
    fn generated_scripts_that_bash_accepts_are_read(text in prop_oneof![script(), mutated()]) {
        prop_assume!(!text.contains('\0'));
        let error = parse(&text).error;
        let early = ["<<", "((", "${ ", "${\t", "${\n", "${|"];
        let early = early.iter().any(|start| text.contains(start));
        prop_assume!(error.is_none() || !early);
        if error.is_some() {
            prop_assert_ne!(bash_accepts(&text), Some(true), "{:?}: {:?}", text, error);
        }
    }

    /// It takes `( (` for `((`, which Bash does not.
    #[test]
    fn brush_sees_the_same_simple_commands(text in plain()) {
        prop_assume!(!text.contains("( ("));
        if let Some(theirs) = brush_names(&text) {
            prop_assert_eq!(support::names(&text), theirs, "{:?}", text);
        }
    }
}

/// The first words of the simple commands that brush-parser finds, as they are written.
fn brush_names(text: &str) -> Option<Vec<String>> {
    let tokens = tokenize_str_with_options(text, &TokenizerOptions::default()).ok()?;
    let program = parse_tokens(&tokens, &ParserOptions::default()).ok()?;
    let debug = format!("{program:?}");
    let names = debug.split("word_or_name: Some(").skip(1);
    Some(names.filter_map(debug_string).collect())
}

/// The first string in a debug form.
fn debug_string(debug: &str) -> Option<String> {
    let mut text = String::new();
    let mut chars = debug.split_once('"')?.1.chars();
    while let Some(char) = chars.next().filter(|char| *char != '"') {
        match char {
            '\\' => text.extend(chars.next()),
            _ => text.push(char),
        }
    }
    Some(text)
}
