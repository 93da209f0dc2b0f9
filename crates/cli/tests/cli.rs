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
fn require_trusted_refuses_what_is_not_reviewed() {
    let cli = Cli::new();
    cli.write_user(&file(1, "*", &[hook("h", &["exit:0"])]));
    let run = cli.run(&["list", "--require-trusted"]).expect(4);
    assert!(
        run.err.contains("hook h (user) is untrusted"),
        "{}",
        run.err
    );
    cli.run(&[
        "test",
        "--require-trusted",
        "--tool",
        "Bash",
        "--input",
        "{}",
    ])
    .expect(4);
    cli.run(&["trust", "--all", "--yes", "--workspace"])
        .expect(0);
    cli.run(&["list", "--require-trusted"]).expect(0);
    cli.write_project("{");
    cli.run(&["list", "--require-trusted"]).expect(4);
}

#[test]
fn trust_asks_and_without_a_terminal_says_how() {
    let cli = Cli::new();
    cli.write_user(&file(1, "*", &[hook("h", &["exit:0"])]));
    let run = cli.run(&["trust", "--all"]).expect(3);
    assert!(run.err.contains("--yes"), "{}", run.err);
    let list = cli.run(&["list", "--json"]).expect(0).json();
    assert_eq!(list["hooks"][0]["trust"], "untrusted");
}

/// Case B99: consent is as narrow as the wish.
#[test]
fn b99_one_of_five_hooks_is_trusted_and_nothing_else() {
    let cli = Cli::new();
    let hooks: Vec<_> = (0..3)
        .map(|n| hook(&format!("u{n}"), &[&format!("exit:{n}")]))
        .collect();
    cli.write_user(&file(1, "*", &hooks));
    let hooks: Vec<_> = (0..2)
        .map(|n| hook(&format!("p{n}"), &[&format!("exit:{n}")]))
        .collect();
    cli.write_project(&file(1, "*", &hooks));
    let list = cli.run(&["list", "--json"]).expect(0).json();
    let hash = list["hooks"][1]["hash"].as_str().unwrap().to_owned();
    cli.run(&["trust", &hash[..20]]).expect(0);
    let list = cli.run(&["list", "--json"]).expect(0).json();
    let states: Vec<_> = list["hooks"]
        .as_array()
        .unwrap()
        .iter()
        .map(|hook| hook["trust"].as_str().unwrap())
        .collect();
    let w = "untrusted workspace";
    assert_eq!(states, ["untrusted", "trusted", "untrusted", w, w]);
    // A project's hook needs the project, and that is a second step.
    let run = cli.run(&["trust", "p0"]).expect(1);
    assert!(run.err.contains("--workspace"), "{}", run.err);
    cli.run(&["trust", "p0", "--workspace"]).expect(3);
    cli.run(&["trust", "p0", "--workspace", "--yes"]).expect(0);
    let list = cli.run(&["list", "--json"]).expect(0).json();
    assert_eq!(list["hooks"][3]["trust"], "trusted");
    assert_eq!(list["hooks"][4]["trust"], "untrusted");
}

/// Case B101: everything that decides is on the screen before any question.
#[test]
fn b101_a_review_shows_every_argument_and_what_changed() {
    let cli = Cli::new();
    let args: Vec<String> = (0..40)
        .map(|n| format!("argument-{n}\u{202e}\u{1b}[2J"))
        .collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    cli.write_user(&file(1, "Bash|Write", &[hook("h", &args)]));
    let run = cli.run(&["review"]).expect(0);
    for n in 0..40 {
        assert!(
            run.out
                .contains(&format!("\"argument-{n}\\u{{202e}}\\u{{1b}}[2J\"")),
            "{n}"
        );
    }
    for words in [
        "Bash|Write",
        "3000 ms",
        "continue",
        "hooks.json:1:",
        "sha256:",
    ] {
        assert!(run.out.contains(words), "{words}");
    }
    assert!(
        !run.out.contains('\u{1b}'),
        "no colours and no escapes without a terminal"
    );
    cli.run(&["trust", "--all", "--yes"]).expect(0);
    cli.write_user(&file(1, "Bash", &[hook("h", &args)]));
    let run = cli.run(&["review"]).expect(0);
    assert!(
        run.out.contains("changed:") && run.out.contains(r#""Bash|Write""#),
        "{}",
        run.out
    );
}

#[test]
fn trust_goes_and_comes_with_exact_definitions() {
    let cli = Cli::with_hooks(1, &[hook("h", &["exit:2"])]);
    cli.bash("date").expect(2);
    // Id, order and white space are no part of it.
    cli.write_user(&format!(
        "  {}\n\n",
        file(1, "*", &[hook("renamed", &["exit:2"])])
    ));
    cli.bash("date").expect(2);
    // Any edit of what runs is another definition, from the next call on.
    cli.write_user(&file(1, "*", &[hook("renamed", &["exit:0"])]));
    let run = cli.bash("date").expect(0);
    assert!(
        run.out.contains("was never reviewed") || run.out.contains("changed"),
        "{}",
        run.out
    );
    cli.write_user(&file(1, "*", &[hook("renamed", &["exit:2"])]));
    cli.bash("date").expect(2);
    cli.run(&["revoke", "h"]).expect(0);
    cli.bash("date").expect(0);
    cli.run(&["revoke", "h"]).expect(1);
}

#[test]
fn enable_and_disable_edit_one_field() {
    let cli = Cli::with_hooks(1, &[hook("h", &["exit:2"])]);
    let run = cli.run(&["disable", "h", "--json"]).expect(0).json();
    assert_eq!(run["changed"][0]["enabled"], false);
    cli.bash("date").expect(0);
    assert_eq!(
        cli.run(&["disable", "h", "--json"]).expect(0).json()["changed"],
        json!([])
    );
    cli.run(&["enable", "h"]).expect(0);
    cli.bash("date").expect(2);
    cli.run(&["disable", "nobody"]).expect(1);
}

#[test]
fn an_agent_is_told_that_trust_is_a_persons() {
    let cli = Cli::with_hooks(1, &[hook("h", &["exit:2"])]).env("CLAUDECODE", "1");
    for args in [
        &["trust", "--all", "--yes"][..],
        &["revoke", "h"],
        &["disable", "h"],
        &["uninstall", "claude-code"],
        &["doctor", "--set-aside-trust"],
    ] {
        let run = cli.run(args).expect(3);
        assert!(run.err.contains("is for a person"), "{}", run.err);
    }
    cli.run(&["list"]).expect(0);
    cli.bash("date").expect(2);
}

#[test]
fn a_lockfile_carries_reviewed_hooks_to_another_machine() {
    let reviewed = Cli::new();
    let both = |cli: &Cli, script: &str| {
        let program = cli.world.project().join("guard.sh");
        std::fs::write(&program, script).unwrap();
        let mut permissions = program.metadata().unwrap().permissions();
        std::os::unix::fs::PermissionsExt::set_mode(&mut permissions, 0o755);
        std::fs::set_permissions(&program, permissions).unwrap();
        let guard = json!({"id": "guard", "type": "command", "command": "${project}/guard.sh"});
        cli.write_project(&file(2, "*", &[guard]));
    };
    let deny = "#!/bin/sh\nexit 2\n";
    both(&reviewed, deny);
    reviewed
        .run(&["trust", "--all", "--yes", "--workspace"])
        .expect(0);
    let lock = reviewed.path("policy.lock");
    reviewed
        .run(&["trust", "--export", lock.to_str().unwrap()])
        .expect(0);

    let other = Cli::new();
    both(&other, deny);
    other
        .run(&["trust", "--lockfile", lock.to_str().unwrap()])
        .expect(0);
    other.run(&["list", "--require-trusted"]).expect(0);
    other.bash("date").expect(2);

    let tampered = Cli::new();
    both(&tampered, "#!/bin/sh\nexit 0\n");
    tampered
        .run(&["trust", "--lockfile", lock.to_str().unwrap()])
        .expect(0);
    tampered.run(&["list", "--require-trusted"]).expect(4);
    std::fs::write(&lock, "{}").unwrap();
    let run = tampered
        .run(&["trust", "--lockfile", lock.to_str().unwrap()])
        .expect(1);
    assert!(run.err.contains("not a lockfile"), "{}", run.err);
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

/// Hooks of a file that cannot be read are not reviewed behind its back.
#[test]
fn review_and_trust_name_a_broken_file() {
    let cli = Cli::with_hooks(1, &[hook("h", &["exit:0"])]);
    assert!(
        Cli::new()
            .run(&["review"])
            .expect(0)
            .out
            .contains("hookward init")
    );
    cli.write_user("{\"version\": 1,}");
    for command in [&["review"][..], &["trust", "--all", "--yes"]] {
        let run = cli.run(command).expect(1);
        assert!(
            run.out.contains("HW012") && run.err.contains("cannot be used"),
            "{run:?}"
        );
    }
}

/// Trusting by name shows what is trusted and asks; a hash was read by whoever types it.
#[test]
fn trust_by_name_asks() {
    let cli = Cli::new();
    cli.write_user(&file(1, "*", &[hook("h", &["exit:0"])]));
    let run = cli.run(&["trust", "h"]).expect(3);
    assert!(
        run.out.contains("program") && run.err.contains("Trust this hook?"),
        "{run:?}"
    );
    let hash = cli.run(&["list", "--json"]).expect(0).json()["hooks"][0]["hash"].clone();
    cli.run(&["trust", hash.as_str().unwrap()]).expect(0);
}

/// A review shows the script that would run, and trusts what it showed.
#[test]
fn review_shows_the_script() {
    let cli = Cli::new();
    cli.run(&["init"]).expect(0);
    let run = cli.run(&["review"]).expect(0);
    assert!(run.out.contains("| case $command in"), "{}", run.out);
}

/// A guard whose file is deleted is gone, and every call says so.
#[test]
fn a_removed_guard_is_told_with_every_call() {
    let mut guard = hook("guard", &["exit:2"]);
    guard["onFailure"] = json!("block");
    let cli = Cli::with_hooks(2, &[guard]);
    cli.bash("date").expect(2);
    std::fs::remove_file(cli.world.user_hooks()).unwrap();
    let run = cli.bash("date").expect(0);
    assert!(
        run.out
            .contains("the guard guard was trusted and is not in"),
        "{}",
        run.out
    );
    cli.run(&["revoke", "guard"]).expect(0);
    assert_eq!(cli.bash("date").expect(0).out, "");
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
