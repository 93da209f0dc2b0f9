//! Review and trust from outside: what is shown, what is asked, what it changes.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "helpers of tests may fail a test"
)]

mod support;

use serde_json::{Value, json};
use support::{Cli, file, hook};

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

/// A rule is shown whole: what it looks for, what follows, and what it says of itself.
#[test]
fn b101_a_review_shows_the_whole_rule() {
    let rule = json!({
        "id": "no-push", "type": "rule", "exec": ["git push", "gh pr merge"], "write": "!*\u{202e}",
        "when": "tool == 'Bash'", "decision": "deny", "opaque": "allow", "reason": "not now",
        "mode": "shadow", "statusMessage": "looking", "tests": [
            {"tool": "Bash", "input": {"command": "git push"}, "expect": "deny",
             "now": "2026-03-02T19:30:00+01:00"},
            {"tool": "Bash", "input": {"command": "\u{1b}[2J"}, "expect": "allow"},
        ],
    });
    let cli = Cli::new();
    cli.write_user(&file(2, "@exec|Write", &[rule]));
    let run = cli.run(&["review"]).expect(0);
    for words in [
        "PreToolUse on @exec|Write",
        "exec        \"git push\"",
        "            \"gh pr merge\"",
        "write       \"!*\\u{202e}\"",
        "condition   tool == 'Bash'",
        "decision    deny",
        "if unclear  allow",
        "reason      not now",
        "on failure  block",
        "mode        shadow",
        "status      looking",
        "tests       2 cases",
        "deny  Bash {\"command\":\"git push\"} at 2026-03-02T18:30:00Z",
        "allow Bash",
    ] {
        assert!(run.out.contains(words), "{words}: {}", run.out);
    }
    assert!(!run.out.contains('\u{1b}') && !run.out.contains("program"));

    let list = cli.run(&["list", "--json"]).expect(0).json();
    let hook = &list["hooks"][0];
    assert_eq!(
        (&hook["type"], &hook["mode"]),
        (&json!("rule"), &json!("shadow"))
    );
    for field in ["command", "args", "timeout_ms", "containment"] {
        assert_eq!(hook[field], Value::Null, "{field}");
    }
    assert_eq!(hook["rule"]["exec"], json!(["git push", "gh pr merge"]));
    assert_eq!(hook["rule"]["delete"], json!([]));
    assert_eq!(hook["rule"]["when"], "tool == 'Bash'");
    assert_eq!(hook["tests"], 2);

    cli.run(&["trust", "--all", "--yes"]).expect(0);
    let words = cli.run(&["list"]).expect(0).out;
    assert!(words.contains("trusted, in the shadow"), "{words}");
    let words = cli.run(&["doctor"]).out;
    assert!(
        words.contains("hook no-push (user): it is in the shadow"),
        "{words}"
    );
}

#[test]
fn a_command_that_is_held_by_its_group_is_told() {
    let mut held = hook("h", &["exit:0"]);
    held["containment"] = json!("group");
    let cli = Cli::with_hooks(2, &[held]);
    let words = cli.run(&["review", "h"]).expect(0).out;
    assert!(words.contains("contained   group"), "{words}");
    let words = cli.run(&["doctor"]).out;
    assert!(words.contains("[HW055]"), "{words}");
    let list = cli.run(&["list", "--json"]).expect(0).json();
    assert_eq!(list["hooks"][0]["containment"], "group");
    assert_eq!(list["hooks"][0]["rule"], Value::Null);
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
    assert!(run.out.contains("| case $input in"), "{}", run.out);
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
