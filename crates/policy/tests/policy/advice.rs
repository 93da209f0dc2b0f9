//! What `doctor` and the review say about a hook's files.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use camino::Utf8Path;
use hookward_policy::{Code, Severity};
use serde_json::json;

use crate::scene::{Scene, codes, file, handler, with, write};

fn advice(command: &str, args: &[&str]) -> Vec<Code> {
    let scene = Scene::new();
    let hook = with(handler("a"), "command", command);
    scene.write_user(file(1, &[with(hook, "args", json!(args))]));
    let snapshot = scene.load();
    let advice = snapshot.hooks()[0].advice();
    assert!(
        advice
            .iter()
            .all(|found| found.severity == Severity::Warning)
    );
    codes(&advice)
}

fn program(path: &Utf8Path, text: &str) {
    write(path, text);
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

/// Case B16: an interpreter exits 2 for a missing script, which denies every call.
#[test]
fn b16_missing_scripts_are_told_before_they_deny() {
    let scene = Scene::new();
    let shell = scene.path("python3.12");
    program(&shell, "#!/bin/sh\n");
    let shell = shell.as_str();
    assert_eq!(advice(shell, &["/gone/h.py"]), [Code::ScriptMissing]);
    assert_eq!(advice(shell, &["h.py"]), [Code::RelativeScript]);
    assert_eq!(advice(shell, &["--", "/gone/h.py"]), [Code::ScriptMissing]);
    assert_eq!(advice(shell, &["-c", "/gone/h.py"]), []);
    assert_eq!(advice(shell, &[]), []);
    assert_eq!(advice("/bin/sh", &["/bin/sh"]), []);
    assert_eq!(advice("/bin/sh", &["/"]), [Code::ScriptMissing]);
    // Another program's arguments are its own business.
    let other = scene.path("check");
    program(&other, "#!/bin/sh\n");
    assert_eq!(advice(other.as_str(), &["/gone/h.py"]), []);
}

#[test]
fn programs_that_cannot_start() {
    let scene = Scene::new();
    assert_eq!(advice("/gone/program", &[]), [Code::ProgramMissing]);
    assert_eq!(advice("/", &[]), [Code::ProgramNotFile]);
    let path = scene.path("script");
    write(&path, "#!/bin/sh\n");
    assert_eq!(advice(path.as_str(), &[]), [Code::ProgramNotExecutable]);
    for (line, expected) in [
        ("#!/bin/sh\n", vec![]),
        ("#! /bin/sh -e\n", vec![]),
        ("#!sh\n", vec![Code::BadInterpreter]),
        ("#!./sh", vec![Code::BadInterpreter]),
        // Exists where this test runs, which says nothing about where a call does.
        ("#!Cargo.toml\n", vec![Code::BadInterpreter]),
        ("#!/gone/sh\n", vec![Code::BadInterpreter]),
        ("#!\n", vec![Code::BadInterpreter]),
        ("#!/bin/sh\r\n", vec![Code::BadInterpreter]),
        ("exit 2\n", vec![Code::BadInterpreter]),
        ("", vec![Code::BadInterpreter]),
        ("\u{7f}ELF", vec![]),
    ] {
        program(&path, line);
        assert_eq!(advice(path.as_str(), &[]), expected, "{line:?}");
    }
}

#[test]
fn advice_points_into_the_file() {
    let scene = Scene::new();
    let hook = with(handler("a"), "command", "/gone");
    scene.write_user(file(1, &[hook]));
    let found = &scene.load().hooks()[0].advice()[0];
    assert_eq!(found.pointer, "/hooks/PreToolUse/0/hooks/0/command");
    assert!(found.column > 1);
}
