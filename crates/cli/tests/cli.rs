//! The program from outside: every command, its exit codes, its JSON, its words.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "helpers of tests may fail a test"
)]

mod support;

use serde_json::json;
use support::{Cli, file, hook};

#[test]
fn the_demo_goes_as_it_should() {
    let run = Cli::new().run(&["demo"]).expect(0);
    assert!(
        run.out.ends_with("7 of 7 steps went as they should\n"),
        "{}",
        run.out
    );
    let run = Cli::new().run(&["demo", "--json"]).expect(0);
    assert_eq!(run.json()["ok"], true);
    assert_eq!(run.json()["steps"].as_array().unwrap().len(), 7);
}

/// From nothing to a denied push.
#[test]
fn five_commands_from_nothing_to_a_denied_push() {
    let cli = Cli::new();
    let run = cli.run(&["init"]).expect(0);
    assert!(run.out.contains("hookward review"));
    let run = cli.run(&["review"]).expect(0);
    for words in [
        "no-push",
        "untrusted",
        "block: the call is denied",
        "sha256:",
        "no-push.sh",
    ] {
        assert!(run.out.contains(words), "{words}: {}", run.out);
    }
    cli.run(&["trust", "--all", "--yes"]).expect(0);
    cli.run(&["install", "claude-code"]).expect(0);
    let run = cli.bash("git push origin main").expect(2);
    assert!(run.err.contains("left to a person"), "{}", run.err);
    cli.bash("git status").expect(0);
    // A second init changes nothing.
    assert!(cli.run(&["init"]).expect(0).out.contains("exists already"));
    cli.bash("git push").expect(2);
}

#[test]
fn the_example_of_source_a_works_unchanged() {
    let cli = Cli::new();
    let program = cli.path("check-tool-policy");
    std::fs::copy(hookward_testkit::scripted_hook(), &program).unwrap();
    let text = r#"{
      "version": 1,
      "hooks": {
        "PreToolUse": [
          { "matcher": "Bash|Write|Edit|apply_patch",
            "hooks": [
              { "id": "work-hours-policy", "type": "command", "command": "/absolute/path/to/check-tool-policy",
                "args": [], "timeoutMs": 3000, "enabled": true } ] } ] } }"#;
    cli.write_user(&text.replace(
        "/absolute/path/to/check-tool-policy",
        program.to_str().unwrap(),
    ));
    let list = cli.run(&["list", "--json"]).expect(0).json();
    assert_eq!(list["hooks"][0]["id"], "work-hours-policy");
    assert_eq!(list["sources"][0]["diagnostics"], json!([]));
    cli.run(&["trust", "--all", "--yes"]).expect(0);
    for tool in ["Bash", "Write", "Edit", "apply_patch"] {
        let run = cli
            .run(&["test", "--json", "--tool", tool, "--input", "{}"])
            .expect(0)
            .json();
        assert_eq!(run["runs"][0]["outcome"], "decided", "{tool}");
    }
    let run = cli
        .run(&["test", "--json", "--tool", "Read", "--input", "{}"])
        .expect(0)
        .json();
    assert_eq!(run["runs"], json!([]));
}

#[test]
fn test_has_the_documented_codes_and_fields() {
    let ask =
        r#"out:{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask"}}"#;
    let mut fails = hook("fails", &["exit:1"]);
    fails["onFailure"] = json!("block");
    for (hook, code, verdict) in [
        (hook("h", &["exit:0"]), 0, "allow"),
        (hook("h", &["err:no", "exit:2"]), 2, "deny"),
        (hook("h", &["drain", ask]), 3, "ask"),
        (hook("h", &["exit:1"]), 0, "allow"),
        (fails, 4, "deny"),
    ] {
        let cli = Cli::with_hooks(2, &[hook]);
        let args = [
            "test",
            "--json",
            "--tool",
            "Bash",
            "--input",
            r#"{"command":"date"}"#,
        ];
        let run = cli.run(&args).expect(code);
        let document = run.json();
        assert_eq!(document["verdict"], verdict);
        assert_eq!(document["schema_version"], 1);
        assert!(
            document["snapshot"]
                .as_str()
                .unwrap()
                .starts_with("sha256:")
        );
        let fields = document["runs"][0].as_object().unwrap();
        for field in [
            "hook",
            "hash",
            "outcome",
            "verdict",
            "cause",
            "duration_us",
            "queue_us",
            "exit",
            "stdout_bytes",
            "stderr_bytes",
            "containment",
        ] {
            assert!(fields.contains_key(field), "{field}");
        }
        // The same in words, with the same code.
        cli.run(&["test", "--tool", "Bash", "--input", r#"{"command":"date"}"#])
            .expect(code);
    }
    let cli = Cli::new();
    for args in [
        &["test"][..],
        &["test", "--tool", "Bash"],
        &["test", "--tool", "Bash", "--input", "{"],
        &["test", "/no/such/fixture.json"],
    ] {
        let run = cli.run(args);
        assert!(run.code != 0 && !run.err.is_empty(), "{args:?}: {run:?}");
    }
}

#[test]
fn a_fixture_is_judged_and_never_run() {
    let cli = Cli::with_hooks(1, &[hook("h", &["drain", "exit:2"])]);
    let fixture = cli.path("call.json");
    std::fs::write(
        &fixture,
        cli.payload("Bash", &json!({"command": "touch ran"})),
    )
    .unwrap();
    let run = cli
        .run(&["test", "--json", fixture.to_str().unwrap()])
        .expect(2);
    assert_eq!(run.json()["reasons"][0]["text"], "denied by h");
    assert!(!cli.world.project().join("ran").exists());
    assert!(
        cli.run(&["audit", "export"])
            .expect(0)
            .out
            .lines()
            .all(|line| !line.contains("hook_completed"))
    );
}

#[test]
fn audit_verifies_and_names_the_first_broken_link() {
    let cli = Cli::with_hooks(1, &[hook("h", &["drain", "exit:2"])]);
    for _ in 0..3 {
        cli.bash("date").expect(2);
    }
    assert_eq!(
        cli.run(&["audit", "verify", "--json"]).expect(0).json()["ok"],
        true
    );
    assert!(
        cli.run(&["audit", "tail"])
            .expect(0)
            .out
            .contains("denied  h on Bash")
    );
    let exported = cli.run(&["audit", "export"]).expect(0).out;
    assert_eq!(
        exported
            .lines()
            .filter(|line| line.contains("hook_completed"))
            .count(),
        3
    );
    let log = cli.world.state_root().join("audit/current.jsonl");
    let text = std::fs::read_to_string(&log).unwrap();
    std::fs::write(&log, text.replacen("denied", "allowed", 1)).unwrap();
    let run = cli.run(&["audit", "verify"]).expect(1);
    assert!(run.err.contains("current.jsonl:2:"), "{}", run.err);
    let doctor = cli.run(&["doctor", "--json"]).expect(1).json();
    let checks = doctor["checks"].as_array().unwrap();
    assert!(
        checks
            .iter()
            .any(|check| check["name"] == "audit" && check["state"] == "error")
    );
}

#[test]
fn schemas_and_completions_are_printed() {
    for what in ["config", "payload", "answer"] {
        let schema = Cli::new().run(&["schema", what]).expect(0).json();
        let golden = format!("{}/tests/schemas/{what}.json", env!("CARGO_MANIFEST_DIR"));
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            std::fs::write(&golden, format!("{schema:#}\n")).unwrap();
        }
        let expected: serde_json::Value =
            serde_json::from_str(&std::fs::read_to_string(&golden).unwrap()).unwrap();
        assert_eq!(
            schema, expected,
            "run with UPDATE_GOLDEN=1 if the change is meant"
        );
    }
    for shell in ["bash", "zsh", "fish"] {
        assert!(
            Cli::new()
                .run(&["completions", shell])
                .expect(0)
                .out
                .contains("hookward")
        );
    }
}

#[test]
fn output_has_no_colours_unless_asked_for() {
    let cli = Cli::with_hooks(1, &[hook("h", &["exit:0"])]);
    assert!(!cli.run(&["list"]).expect(0).out.contains('\u{1b}'));
    assert!(
        cli.run(&["list", "--color", "always"])
            .expect(0)
            .out
            .contains('\u{1b}')
    );
}

/// The code of a denial says `denied` and nothing else.
#[test]
fn a_wrong_command_line_is_no_denial() {
    for args in [
        &["isntall"][..],
        &["test", "--inptu"],
        &[],
        &["trust", "--frobnicate"],
    ] {
        let run = Cli::new().run(args).expect(1);
        assert!(!run.err.is_empty());
    }
    Cli::new().run(&["--help"]).expect(0);
    Cli::new().run(&["--version"]).expect(0);
}

#[test]
fn errors_are_documents_for_programs() {
    let run = Cli::new().run(&["trust", "nobody", "--json"]).expect(1);
    assert!(
        run.json()["error"]["message"]
            .as_str()
            .unwrap()
            .contains("nobody")
    );
    assert!(run.json()["error"]["help"].is_string());
}

/// What looks judged was judged.
#[test]
fn test_says_when_nothing_judged_the_call() {
    let cli = Cli::new();
    cli.write_user(&file(1, "*", &[hook("h", &["exit:0"])]));
    let date = ["test", "--tool", "Bash", "--input", r#"{"command":"date"}"#];
    assert!(
        cli.run(&date)
            .expect(0)
            .out
            .starts_with("allow  NOT JUDGED")
    );
    cli.run(&["trust", "--all", "--yes"]).expect(0);
    assert!(cli.run(&date).expect(0).out.contains("no hook objects"));
    cli.run(&["disable", "h"]).expect(0);
    assert!(cli.run(&date).expect(0).out.contains("switched off: h"));
    let run = cli
        .run(&["test", "--tool", "bash", "--input", "{}"])
        .expect(0);
    assert!(run.out.contains("did you mean `Bash`?"), "{}", run.out);
}

/// Settings in which nothing would run are not added to, and backups are kept.
#[test]
fn install_refuses_settings_that_run_no_hooks() {
    let cli = Cli::new();
    let settings = cli.path(".claude/settings.json");
    std::fs::create_dir_all(settings.parent().unwrap()).unwrap();
    for text in ["{\"a\": 1,}", "{\"disableAllHooks\": true}", "{} // note"] {
        std::fs::write(&settings, text).unwrap();
        let run = cli.run(&["install", "claude-code"]).expect(1);
        assert!(run.err.contains("nothing would be guarded"), "{}", run.err);
        assert_eq!(std::fs::read_to_string(&settings).unwrap(), text);
    }
    for text in ["{\"a\": 1}\n", "{\"a\": 2}\n"] {
        std::fs::write(&settings, text).unwrap();
        cli.run(&["install", "claude-code"]).expect(0);
    }
    let backup = |name: &str| std::fs::read_to_string(cli.path(name)).unwrap();
    assert_eq!(
        backup(".claude/settings.json.hookward-backup"),
        "{\"a\": 1}\n"
    );
    assert_eq!(
        backup(".claude/settings.json.hookward-backup.2"),
        "{\"a\": 2}\n"
    );
}
