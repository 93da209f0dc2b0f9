//! Whatever Bash accepts is read without an error. What it rejects may be read, since nothing of it
//! runs.

use std::process::{Command, Stdio};

use hookward_shell::parse;

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
