//! `hookward hook claude-code` as Claude Code starts it.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "helpers of tests may fail a test"
)]

mod support;

use serde_json::{Value, json};
use support::{Cli, file, hook};

fn judge(cli: &Cli, payload: &str) -> support::Run {
    cli.run_with(&["hook", "claude-code"], payload.as_bytes())
}

#[test]
fn allow_is_no_opinion() {
    let run = Cli::with_hooks(1, &[hook("h", &["drain"])])
        .bash("date")
        .expect(0);
    assert_eq!((run.out.as_str(), run.err.as_str()), ("", ""));
    let run = Cli::new().bash("date").expect(0);
    assert_eq!((run.out.as_str(), run.err.as_str()), ("", ""));
}

#[test]
fn deny_is_on_both_channels() {
    let run = Cli::with_hooks(1, &[hook("h", &["drain", "err:not now", "exit:2"])])
        .bash("date")
        .expect(2);
    assert_eq!(run.err.trim(), "not now");
    let output = &run.json()["hookSpecificOutput"];
    assert_eq!(output["permissionDecision"], "deny");
    assert_eq!(output["permissionDecisionReason"], "not now");
}

#[test]
fn ask_is_a_question() {
    let ask = r#"out:{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask","permissionDecisionReason":"sure?"}}"#;
    let run = Cli::with_hooks(2, &[hook("h", &["drain", ask])])
        .bash("date")
        .expect(0);
    let output = &run.json()["hookSpecificOutput"];
    assert_eq!(output["permissionDecision"], "ask");
    assert_eq!(output["permissionDecisionReason"], "sure?");
}

/// Failing open is loud, and the loudness is for the person.
#[test]
fn a_failure_that_goes_on_is_a_message_to_the_person() {
    let run = Cli::with_hooks(1, &[hook("h", &["drain", "exit:1"])])
        .bash("date")
        .expect(0);
    let message = run.json()["systemMessage"].as_str().unwrap().to_owned();
    assert!(
        message.contains("hook h gave no verdict (exit(1))"),
        "{message}"
    );
    assert!(run.json()["hookSpecificOutput"].is_null());
}

/// What cannot be judged is denied; a policy is not dodged by an unreadable payload.
#[test]
fn an_unreadable_payload_is_denied() {
    let cli = Cli::with_hooks(1, &[hook("h", &["drain"])]);
    let deep = format!(r#"{{"a":{}1{}}}"#, "[".repeat(200), "]".repeat(200));
    let with_input = |input: &str| {
        format!(
            r#"{{"hook_event_name":"PreToolUse","tool_name":"Bash","cwd":"/","tool_input":{input}}}"#
        )
    };
    for payload in [
        String::new(),
        "{".to_owned(),
        "[]".to_owned(),
        r#"{"hook_event_name":"PreToolUse"}"#.to_owned(),
        with_input(&deep),
        with_input(r#"{"command":"a","command":"b"}"#),
        with_input("{}").replace(r#""cwd":"/""#, r#""cwd":"relative""#),
    ] {
        let run = judge(&cli, &payload).expect(2);
        assert!(!run.err.trim().is_empty(), "{payload}");
    }
    let run = cli.run_with(&["hook", "no-such-agent"], b"{}").expect(2);
    assert!(run.err.contains("claude-code"), "{}", run.err);
}

#[test]
fn a_payload_beyond_every_limit_is_denied_and_not_kept() {
    let cli = Cli::with_hooks(1, &[hook("h", &["drain"])]);
    let huge = cli.payload("Write", &json!({"content": "x".repeat(20 * 1024 * 1024)}));
    let run = judge(&cli, &huge).expect(2);
    assert!(run.err.contains("MiB"), "{}", run.err);
}

/// Unknown events and tools are judged; events after a call have no verdict to give.
#[test]
fn unknown_events_are_judged_and_later_events_are_not() {
    let cli = Cli::with_hooks(1, &[hook("h", &["drain", "exit:2"])]);
    let event = |name: &str| {
        let mut payload: Value =
            serde_json::from_str(&cli.payload("SomeNewTool", &json!({"x": 1}))).unwrap();
        payload["hook_event_name"] = json!(name);
        payload.to_string()
    };
    for name in [
        "PreToolUse",
        "PreSkillShellCommand",
        "PermissionRequest",
        "PreSomethingNew",
    ] {
        let run = judge(&cli, &event(name));
        let denied = run.code == 2 || run.out.contains("deny");
        assert!(denied, "{name}: {run:?}");
    }
    for name in ["PostToolUse", "PostToolUseFailure", "PermissionDenied"] {
        judge(&cli, &event(name)).expect(0);
    }
    let stop = json!({"session_id": "s", "cwd": "/", "hook_event_name": "Stop"}).to_string();
    judge(&cli, &stop).expect(0);
}

/// No secret of the agent's environment reaches a hook, and no descriptor above 2 is open in it.
#[test]
fn b64_no_secret_and_no_descriptor_reaches_a_hook() {
    let names = [
        "ANTHROPIC_API_KEY",
        "ANTHROPIC_AUTH_TOKEN",
        "ANTHROPIC_BASE_URL",
        "OPENAI_API_KEY",
        "OPENAI_ORG_ID",
        "AZURE_OPENAI_API_KEY",
        "GEMINI_API_KEY",
        "GOOGLE_API_KEY",
        "GOOGLE_APPLICATION_CREDENTIALS",
        "MISTRAL_API_KEY",
        "COHERE_API_KEY",
        "HF_TOKEN",
        "AWS_ACCESS_KEY_ID",
        "AWS_SECRET_ACCESS_KEY",
        "AWS_SESSION_TOKEN",
        "AZURE_CLIENT_SECRET",
        "ARM_CLIENT_SECRET",
        "CLOUDFLARE_API_TOKEN",
        "DIGITALOCEAN_TOKEN",
        "HEROKU_API_KEY",
        "GITHUB_TOKEN",
        "GH_TOKEN",
        "GITLAB_TOKEN",
        "BITBUCKET_TOKEN",
        "NPM_TOKEN",
        "PYPI_TOKEN",
        "CARGO_REGISTRY_TOKEN",
        "DOCKER_PASSWORD",
        "SLACK_BOT_TOKEN",
        "DISCORD_TOKEN",
        "TELEGRAM_BOT_TOKEN",
        "STRIPE_SECRET_KEY",
        "TWILIO_AUTH_TOKEN",
        "SENDGRID_API_KEY",
        "DATABASE_URL",
        "PGPASSWORD",
        "MYSQL_PWD",
        "REDIS_PASSWORD",
        "VAULT_TOKEN",
        "SSH_AUTH_SOCK",
        "CLAUDE_CODE_OAUTH_TOKEN",
        "X_API_KEY",
    ];
    let cli = Cli::new();
    let saved = cli.path("environment");
    let save = format!("env > '{0}'; ls /proc/self/fd > '{0}.fds'", saved.display());
    let program = json!({"id": "h", "type": "command", "command": "/bin/sh", "args": ["-c", save]});
    cli.write_user(&file(1, "*", &[program]));
    cli.run(&["trust", "--all", "--yes"]).expect(0);
    let cli = names
        .iter()
        .fold(cli, |cli, name| cli.env(name, "hunter2-the-secret"));
    let cli = cli.env("TZ", "Europe/Berlin").env("USER", "ann");
    let run = cli.bash("date").expect(0);
    assert_eq!(run.out, "");
    let environment = std::fs::read_to_string(&saved).unwrap();
    assert!(!environment.contains("hunter2"), "{environment}");
    let mut found: Vec<&str> = environment
        .lines()
        .filter_map(|line| line.split_once('='))
        .map(|(name, _)| name)
        .collect();
    found.sort_unstable();
    // PWD and the last command are the shell's own.
    found.retain(|name| !["PWD", "_", "OLDPWD", "SHLVL"].contains(name));
    let expected = [
        "HOME",
        "HOOKWARD_HOOK",
        "LANG",
        "LC_ALL",
        "LOGNAME",
        "PATH",
        "TMPDIR",
        "TZ",
        "USER",
    ];
    assert_eq!(found, expected);
    // `ls` itself opens the folder, as 3.
    let descriptors = std::fs::read_to_string(saved.with_extension("fds")).unwrap();
    assert_eq!(
        descriptors.split_whitespace().collect::<Vec<_>>(),
        ["0", "1", "2", "3"]
    );
}

/// Case B171: a hook that starts an agent is not judged by hooks again. A variable alone, which
/// anybody can set, does not switch hooks off.
#[test]
fn b171_a_hook_below_a_hook_runs_no_hooks() {
    let cli = Cli::new();
    let (log, payload) = (cli.path("log"), cli.path("payload"));
    std::fs::write(&payload, cli.payload("Bash", &json!({"command": "date"}))).unwrap();
    let nested = format!(
        "cat >/dev/null; echo run >> '{log}'; \
         env -i HOOKWARD_STATE_ROOT='{state}' HOME='{state}' '{program}' hook claude-code < '{payload}'; \
         echo \"inner $?\" >> '{log}'; exit 2",
        log = log.display(),
        state = cli.world.state_root().display(),
        program = env!("CARGO_BIN_EXE_hookward"),
        payload = payload.display(),
    );
    let program = json!({
        "id": "h", "type": "command", "command": "/bin/sh", "args": ["-c", nested], "timeoutMs": 20000,
    });
    cli.write_user(&file(1, "*", &[program]));
    cli.run(&["trust", "--all", "--yes"]).expect(0);
    let run = cli.bash("date");
    assert_eq!(std::fs::read_to_string(&log).unwrap(), "run\ninner 0\n");
    assert_eq!(run.code, 2, "{run:?}");

    std::fs::remove_file(&log).unwrap();
    let cli = cli.env("HOOKWARD_HOOK", "1");
    cli.bash("date").expect(2);
    assert!(
        log.exists(),
        "a variable that anybody can set switched hooks off"
    );
}

/// The project is the session's: a policy is not left by a change of directory.
#[test]
fn a_project_policy_holds_after_a_change_of_directory() {
    let cli = Cli::new();
    cli.write_project(&file(1, "*", &[hook("h", &["drain", "exit:2"])]));
    cli.run(&["trust", "--all", "--yes", "--workspace"])
        .expect(0);
    let project = cli.world.project();
    let inside = cli.payload("Bash", &json!({"command": "date"}));
    let outside = inside.replace(project.to_str().unwrap(), "/");
    judge(&cli, &inside).expect(2);
    judge(&cli, &outside).expect(0);
    let cli = cli.env("CLAUDE_PROJECT_DIR", project.to_str().unwrap());
    judge(&cli, &outside).expect(2);
}

/// Case B95 seen from an agent: trust in one project is none in another.
#[test]
fn b95_a_trusted_definition_of_another_project_does_not_run() {
    let here = Cli::new();
    let definition = file(1, "*", &[hook("h", &["drain", "exit:2"])]);
    here.write_project(&definition);
    here.run(&["trust", "--all", "--yes", "--workspace"])
        .expect(0);
    here.bash("date").expect(2);
    let other = here.path("other");
    std::fs::create_dir_all(other.join(".git")).unwrap();
    std::fs::create_dir_all(other.join(".maka")).unwrap();
    std::fs::write(other.join(".maka/hooks.json"), &definition).unwrap();
    let payload = here.payload("Bash", &json!({"command": "date"}));
    let payload = payload.replace(
        here.world.project().to_str().unwrap(),
        other.to_str().unwrap(),
    );
    let run = judge(&here, &payload).expect(0);
    assert!(run.out.contains("untrusted"), "{}", run.out);
}

/// Case B11, over processes: the health of a guard that never answers is in the doctor.
#[test]
fn b11_doctor_counts_the_runs_without_a_verdict() {
    let cli = Cli::with_hooks(1, &[hook("silent", &["exit:1"])]);
    for _ in 0..20 {
        cli.bash("date").expect(0);
    }
    let doctor = cli.run(&["doctor"]).expect(1).out;
    assert!(doctor.contains("0 of 20 runs gave a verdict"), "{doctor}");
}

#[test]
fn install_is_minimal_idempotent_and_undone() {
    let cli = Cli::new();
    let settings = cli.path(".claude/settings.json");
    std::fs::create_dir_all(settings.parent().unwrap()).unwrap();
    let before = "{\n  \"model\": \"opus\"\n}\n";
    std::fs::write(&settings, before).unwrap();
    let run = cli.run(&["install", "claude-code", "--dry-run"]).expect(0);
    assert!(run.out.contains('+') && std::fs::read_to_string(&settings).unwrap() == before);
    cli.run(&["install", "claude-code"]).expect(0);
    let installed = std::fs::read_to_string(&settings).unwrap();
    assert!(installed.contains("PreToolUse") && installed.contains("\"model\": \"opus\""));
    let backup = cli.path(".claude/settings.json.hookward-backup");
    assert_eq!(std::fs::read_to_string(backup).unwrap(), before);
    assert!(
        cli.run(&["install", "claude-code"])
            .expect(0)
            .out
            .contains("nothing to change")
    );
    let doctor = cli.run(&["doctor", "--json"]).json();
    let checks = doctor["checks"].as_array().unwrap();
    let answers = checks
        .iter()
        .find(|check| check["name"] == "claude-code answers")
        .unwrap();
    assert_eq!(answers["state"], "ok");
    cli.run(&["uninstall", "claude-code"]).expect(0);
    assert_eq!(std::fs::read_to_string(&settings).unwrap(), before);
    cli.run(&["install", "nobody"]).expect(1);
}

/// Case B81: an edit takes effect with the next call, and waits for trust.
#[test]
fn b81_an_edit_is_in_force_with_the_next_call() {
    let cli = Cli::with_hooks(1, &[hook("h", &["drain", "exit:0"])]);
    cli.bash("date").expect(0);
    cli.write_user(&file(1, "*", &[hook("h", &["drain", "exit:2"])]));
    assert!(cli.bash("date").expect(0).out.contains("changed"));
    cli.run(&["trust", "--all", "--yes"]).expect(0);
    cli.bash("date").expect(2);
}

/// Every fixture of the dialect, through the program: calls are judged, the rest is let be.
#[test]
fn every_fixture_is_answered() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../agents/tests/fixtures");
    let (open, guarded) = (
        Cli::new(),
        Cli::with_hooks(1, &[hook("h", &["drain", "exit:2"])]),
    );
    let mut judged = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let payload = std::fs::read_to_string(entry.unwrap().path()).unwrap();
        let run = judge(&open, &payload).expect(0);
        assert_eq!((run.out.as_str(), run.err.as_str()), ("", ""));
        let event = serde_json::from_str::<Value>(&payload).unwrap()["hook_event_name"].clone();
        let run = judge(&guarded, &payload);
        if run.code == 2 || run.out.contains("deny") {
            assert!(run.err.contains("denied by h"), "{event}: {run:?}");
            judged.push(event.as_str().unwrap().to_owned());
        } else {
            assert_eq!((run.code, run.out.as_str()), (0, ""), "{event}");
        }
    }
    judged.sort();
    assert_eq!(
        judged,
        [
            "PermissionRequest",
            "PreSkillShellCommand",
            "PreToolUse",
            "PreToolUse"
        ]
    );
}

/// A directory that was removed neither leaves a policy nor stops every call.
#[test]
fn a_removed_directory_is_judged_by_what_is_left() {
    let cli = Cli::new();
    let gone = cli.world.project().join("gone/deeper");
    cli.write_project(&file(1, "*", &[hook("h", &["drain", "cwd", "exit:2"])]));
    cli.run(&["trust", "--all", "--yes", "--workspace"])
        .expect(0);
    let payload = cli.payload("Bash", &json!({"command": "date"}));
    let project = cli.world.project().to_str().unwrap().to_owned();
    let payload = payload.replace(
        &format!("\"{project}\""),
        &format!("\"{}\"", gone.display()),
    );
    let run = judge(&cli, &payload).expect(2);
    assert_eq!(run.err.trim(), project);
}

/// Case B40: a call that is too large to judge is refused whole; no hook reads half a document.
#[test]
fn b40_a_call_over_the_limit_is_refused_and_starts_no_hook() {
    let cli = Cli::new();
    let proof = cli.path("ran");
    cli.write_user(&file(
        1,
        "*",
        &[hook("h", &[&format!("append:{}:x", proof.display())])],
    ));
    cli.run(&["trust", "--all", "--yes"]).expect(0);
    let sized = |bytes: usize| cli.payload("Write", &json!({"content": "x".repeat(bytes)}));
    let run = judge(&cli, &sized(8 * 1024 * 1024)).expect(2);
    assert!(run.err.contains("8 MiB"), "{}", run.err);
    assert!(!proof.exists());
    judge(&cli, &sized(8 * 1024 * 1024 - 64)).expect(0);
    assert!(proof.exists());
}

/// Case B50: no shell is started, so no start file of a shell can print into an answer.
#[test]
fn b50_start_files_of_shells_are_never_read() {
    let cli = Cli::new();
    for name in [
        ".profile",
        ".bashrc",
        ".bash_profile",
        ".zshrc",
        ".zshenv",
        ".shrc",
    ] {
        std::fs::write(cli.path(name), "echo ready\n").unwrap();
    }
    let answer = r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no"}}"#;
    let script = format!("cat >/dev/null; echo '{answer}'");
    let programs = ["/bin/sh", "/bin/bash"].map(std::path::Path::new);
    for program in programs.into_iter().filter(|program| program.exists()) {
        let hook =
            json!({"id": "h", "type": "command", "command": program, "args": ["-c", script]});
        cli.write_user(&file(1, "*", &[hook]));
        cli.run(&["trust", "--all", "--yes"]).expect(0);
        assert_eq!(cli.bash("date").expect(2).err.trim(), "no");
    }
}
