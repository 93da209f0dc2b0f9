//! Ways around a policy that were found by trying, and that must stay closed.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "helpers of tests may fail a test"
)]

mod support;

use std::fs;
use std::os::unix::fs::symlink;

use serde_json::json;
use support::{Cli, file, hook};

/// A world whose user guard denies everything, also when it fails.
fn guarded() -> Cli {
    let mut guard = hook("guard", &["drain", "exit:2"]);
    guard["onFailure"] = json!("block");
    Cli::with_hooks(2, &[guard])
}

/// A program that a repository names as a hook of the agent is never started by `doctor`.
#[test]
fn doctor_starts_nothing_that_a_project_names() {
    let cli = Cli::new();
    let project = cli.world.project();
    fs::create_dir(project.join(".claude")).unwrap();
    let proof = cli.path("ran");
    let evil = project.join("evil");
    fs::write(&evil, format!("#!/bin/sh\ntouch '{}'\n", proof.display())).unwrap();
    fs::set_permissions(&evil, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    for program in [evil.to_str().unwrap(), "./evil", "/bin/true"] {
        let entry = json!({"type": "command", "command": program, "args": ["hook", "claude-code"]});
        let settings = json!({"hooks": {"PreToolUse": [{"matcher": "*", "hooks": [entry]}]}});
        fs::write(project.join(".claude/settings.json"), settings.to_string()).unwrap();
        let run = cli.run(&["doctor"]);
        assert!(!proof.exists());
        assert!(run.out.contains("does not ask this program"), "{}", run.out);
    }
}

/// A FIFO or a device where a settings file, a fixture or a record is expected holds up nothing.
#[test]
fn special_files_hold_up_no_command() {
    let cli = guarded();
    let mkfifo = |path: &std::path::Path| {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let _ = fs::remove_file(path);
        assert!(
            std::process::Command::new("mkfifo")
                .arg(path)
                .status()
                .unwrap()
                .success()
        );
    };
    let settings = cli.path(".claude/settings.json");
    mkfifo(&settings);
    cli.run(&["doctor"]).expect(1);
    cli.run(&["install", "claude-code"]).expect(1);
    fs::remove_file(&settings).unwrap();
    symlink("/dev/zero", &settings).unwrap();
    cli.run(&["doctor"]).expect(1);
    let fixture = cli.path("fixture");
    mkfifo(&fixture);
    cli.run(&["test", fixture.to_str().unwrap()]).expect(1);
    cli.run(&["test", "/dev/zero"]).expect(1);
    cli.bash("date").expect(2);
    for name in ["head", "0000000000000009.jsonl", "current.jsonl"] {
        mkfifo(&cli.world.state_root().join("audit").join(name));
        for command in [&["audit", "verify"][..], &["audit", "tail"], &["doctor"]] {
            cli.run(command).expect(1);
        }
        cli.run(&["list"]).expect(0);
        cli.bash("date").expect(2);
    }
}

/// An installed hook reads the policy that it was installed with, whatever its environment says.
#[test]
fn the_environment_does_not_choose_the_policy() {
    let cli = guarded();
    cli.run(&["install", "claude-code"]).expect(0);
    let settings = fs::read_to_string(cli.path(".claude/settings.json")).unwrap();
    let settings: serde_json::Value = serde_json::from_str(&settings).unwrap();
    let args = settings["hooks"]["PreToolUse"][0]["hooks"][0]["args"].clone();
    let args: Vec<&str> = args
        .as_array()
        .unwrap()
        .iter()
        .map(|arg| arg.as_str().unwrap())
        .collect();
    let payload = cli.payload("Bash", &json!({"command": "date"}));
    let cli = cli
        .env("HOOKWARD_STATE_ROOT", "/nonexistent")
        .env("HOME", "/nonexistent");
    cli.run_with(&args, payload.as_bytes()).expect(2);
    // And that its folder is gone is a fault, not an empty policy.
    fs::rename(cli.world.state_root(), cli.path("moved")).unwrap();
    let run = cli.run_with(&args, payload.as_bytes()).expect(2);
    assert!(run.err.contains("is gone"), "{}", run.err);
}

/// Every command line that an agent may have registered ends with a status that the agent knows.
#[test]
fn a_wrong_registration_denies() {
    let cli = guarded();
    for args in [
        &["hook", "claude-code", "--bogus"][..],
        &["hook", "claude-code", "x"],
        &["hook", "claude-code", "--state-root"],
        &["hook"],
        &["--bogus", "hook", "claude-code"],
    ] {
        let run = cli.run(args).expect(2);
        assert!(
            run.err.contains("mend the registration"),
            "{args:?}: {run:?}"
        );
    }
}

/// A verdict that the agent could not read was not said.
#[test]
fn an_answer_that_cannot_be_written_denies() {
    let ask =
        r#"out:{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask"}}"#;
    let cli = Cli::with_hooks(2, &[hook("h", &["drain", ask])]);
    let payload = cli.path("payload");
    fs::write(&payload, cli.payload("Bash", &json!({"command": "date"}))).unwrap();
    let status = std::process::Command::new(env!("CARGO_BIN_EXE_hookward"))
        .args(["hook", "claude-code", "--state-root"])
        .arg(cli.world.state_root())
        .env_clear()
        .stdin(fs::File::open(&payload).unwrap())
        .stdout(fs::File::options().write(true).open("/dev/full").unwrap())
        .stderr(std::process::Stdio::null())
        .status()
        .unwrap();
    assert_eq!(status.code(), Some(2));
}

/// What was not written was not exported.
#[test]
fn an_export_that_is_lost_fails() {
    let cli = guarded();
    cli.bash("date").expect(2);
    for args in [&["audit", "export"][..], &["list"]] {
        let status = std::process::Command::new(env!("CARGO_BIN_EXE_hookward"))
            .args(args)
            .arg("--state-root")
            .arg(cli.world.state_root())
            .current_dir(cli.world.project())
            .stdout(fs::File::options().write(true).open("/dev/full").unwrap())
            .stderr(std::process::Stdio::null())
            .status()
            .unwrap();
        assert_eq!(status.code(), Some(1));
    }
}

/// A project's settings file that is a link does not lead an installation elsewhere.
#[test]
fn install_stays_inside_the_project() {
    let cli = Cli::new();
    let other = cli.path("other.json");
    fs::write(&other, "{}").unwrap();
    let folder = cli.world.project().join(".claude");
    fs::create_dir(&folder).unwrap();
    symlink(&other, folder.join("settings.json")).unwrap();
    let install = ["install", "claude-code", "--scope", "project"];
    assert!(
        cli.run(&install)
            .expect(1)
            .err
            .contains("leads out of the project")
    );
    assert_eq!(fs::read_to_string(&other).unwrap(), "{}");
    fs::remove_file(&other).unwrap();
    cli.run(&install).expect(1);
    assert!(!other.exists());
}

/// Names from outside reach the terminal as visible escapes.
#[test]
fn no_name_controls_the_terminal() {
    let cli = guarded();
    let payload = cli.payload("\u{202e}evil\u{2066}", &json!({}));
    cli.run_with(&["hook", "claude-code"], payload.as_bytes())
        .expect(2);
    let odd = cli.world.project().join("a\u{1b}[2Jb");
    fs::create_dir(&odd).unwrap();
    let odd = odd.to_str().unwrap();
    for args in [
        &["audit", "tail"][..],
        &["list", "--project", odd],
        &["trust", "--workspace", "--yes", "--project", odd],
        &["doctor", "--project", odd],
    ] {
        let run = cli.run(args);
        let printed = format!("{}{}", run.out, run.err);
        assert!(
            !printed.contains(['\u{1b}', '\u{202e}', '\u{2066}']),
            "{args:?}: {printed:?}"
        );
    }
}

/// An audit that was removed is not an audit without problems.
#[test]
fn a_removed_audit_is_a_problem() {
    let cli = guarded();
    cli.bash("date").expect(2);
    fs::remove_dir_all(cli.world.state_root().join("audit")).unwrap();
    assert!(
        cli.run(&["audit", "verify"])
            .expect(1)
            .err
            .contains("was removed")
    );
    cli.run(&["doctor"]).expect(1);
}

/// What was trusted and is gone is not "as reviewed".
#[test]
fn require_trusted_notices_what_is_gone() {
    let cli = Cli::with_hooks(1, &[hook("h", &["exit:0"])]);
    cli.run(&["list", "--require-trusted"]).expect(0);
    fs::remove_file(cli.world.user_hooks()).unwrap();
    cli.run(&["list", "--require-trusted"]).expect(4);
    let store = cli.world.state_root().join("trust.json");
    fs::write(store, "{").unwrap();
    cli.run(&["list", "--require-trusted"]).expect(4);
}

/// A session's project that is no folder any more is looked for where it was.
#[test]
fn a_vanished_session_folder_keeps_the_project() {
    let cli = Cli::new();
    cli.write_project(&file(1, "*", &[hook("h", &["drain", "exit:2"])]));
    cli.run(&["trust", "--all", "--yes", "--workspace"])
        .expect(0);
    let gone = cli.world.project().join("gone");
    let payload = cli.payload("Bash", &json!({"command": "date"}));
    let payload = payload.replace(cli.world.project().to_str().unwrap(), "/");
    let cli = cli.env("CLAUDE_PROJECT_DIR", gone.to_str().unwrap());
    cli.run_with(&["hook", "claude-code"], payload.as_bytes())
        .expect(2);
}

/// A reviewed guard is not taken away by an edit of the fields that say which calls it sees.
#[test]
fn an_edit_of_matcher_or_switch_takes_no_call_from_a_guard() {
    let guard = |matcher: &str, change: &[(&str, serde_json::Value)]| {
        let mut guard = hook("guard", &["drain", "exit:2"]);
        guard["onFailure"] = json!("block");
        for (field, value) in change {
            guard[field] = value.clone();
        }
        file(2, matcher, &[guard])
    };
    let cli = Cli::new();
    cli.write_user(&guard("*", &[]));
    cli.run(&["trust", "--all", "--yes"]).expect(0);
    for text in [
        guard("Nope", &[]),
        guard("Nope", &[("enabled", json!(false))]),
        guard("Nope", &[("onFailure", json!("continue"))]),
        guard("*", &[("enabled", json!(false)), ("timeoutMs", json!(100))]),
    ] {
        cli.write_user(&text);
        let run = cli.bash("date").expect(2);
        assert!(run.err.contains("changed"), "{}", run.err);
    }
    // Switched off and nothing else: that is what `disable` does, and every call says so.
    cli.write_user(&guard("*", &[("enabled", json!(false))]));
    let run = cli.bash("date").expect(0);
    assert!(
        run.out.contains("the guard guard is switched off"),
        "{}",
        run.out
    );
}

/// A limit on file sizes keeps the audit from being written and does not end the program before its
/// verdict.
#[test]
fn a_limit_on_file_sizes_loses_no_verdict() {
    let cli = guarded();
    let payload = cli.path("payload");
    fs::write(&payload, cli.payload("Bash", &json!({"command": "date"}))).unwrap();
    let output = std::process::Command::new("/bin/sh")
        .args([
            "-c",
            "ulimit -f 0; exec \"$0\" hook claude-code --state-root \"$1\" <\"$2\"",
        ])
        .arg(env!("CARGO_BIN_EXE_hookward"))
        .arg(cli.world.state_root())
        .arg(&payload)
        .env_clear()
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(said.contains("the audit was not written"), "{said}");
}
