//! Self-protection and its nap, as an agent and a person meet them.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "helpers of tests may fail a test"
)]

mod support;

use std::os::unix::fs::symlink;

use serde_json::json;
use support::{Cli, file, hook};

const REFUSED: &str = "this would change";

/// A world with a trusted script of the user.
fn guarded() -> Cli {
    let cli = Cli::new();
    let script = cli.world.state_root().join("hooks/guard.sh");
    std::fs::create_dir_all(script.parent().unwrap()).unwrap();
    std::fs::copy(hookward_testkit::scripted_hook(), &script).unwrap();
    let mut guard = hook("guard", &["exit:0"]);
    guard["command"] = json!(script);
    cli.write_user(&file(2, "Bash", &[guard]));
    cli.run(&["trust", "--all", "--yes"]).expect(0);
    cli
}

fn state(cli: &Cli) -> String {
    cli.world.state_root().display().to_string()
}

#[test]
fn an_agent_cannot_change_the_policy_by_a_shell() {
    let cli = guarded();
    let state = state(&cli);
    symlink(&state, cli.path("link")).unwrap();
    let link = cli.path("link");
    let link = link.to_str().unwrap();
    let program = env!("CARGO_BIN_EXE_hookward");
    for command in [
        format!("echo {{}} > {state}/hooks.json"),
        format!("rm -rf {state}"),
        format!("rm -rf {state}/audit"),
        format!("echo {{}} > {link}/hooks.json"),
        format!("ln {state}/hooks.json /tmp/other"),
        format!("mv {state} /tmp/other"),
        format!("mv {state}/trust.json /tmp/other"),
        format!("sed -i s/exit/true/ {state}/hooks/guard.sh"),
        format!("cp /dev/null {program}"),
        format!("cd {state} && tee trust.json < /dev/null"),
        format!("sh -c 'echo > {state}/nap.json'"),
        "echo {} > .maka/hooks.json".to_owned(),
        "rm -rf .maka".to_owned(),
        "echo {} > ~/.claude/settings.json".to_owned(),
        "cp x .claude/settings.local.json".to_owned(),
        "hookward trust --all --yes".to_owned(),
        "sudo -E hookward --json revoke guard".to_owned(),
        "hookward nap 10m".to_owned(),
        "hookward uninstall claude-code".to_owned(),
    ] {
        let run = cli.bash(&command).expect(2);
        assert!(run.err.contains(REFUSED), "{command}: {}", run.err);
    }
    let record = cli.run(&["audit", "tail"]).expect(0);
    assert!(
        record.out.contains("it would have changed Hookward itself"),
        "{}",
        record.out
    );
}

#[test]
fn an_agent_cannot_change_the_policy_by_tools_of_files() {
    let cli = guarded();
    let hooks = cli.world.user_hooks();
    for (tool, input) in [
        ("Write", json!({"file_path": hooks, "content": "{}"})),
        (
            "Edit",
            json!({"file_path": hooks, "old_string": "a", "new_string": "b"}),
        ),
        (
            "Write",
            json!({"file_path": cli.world.project_hooks(), "content": "{}"}),
        ),
        (
            "mcp__files__write_file",
            json!({"path": hooks, "content": "{}"}),
        ),
    ] {
        let payload = cli.payload(tool, &input);
        let run = cli
            .run_with(&["hook", "claude-code"], payload.as_bytes())
            .expect(2);
        assert!(run.err.contains(REFUSED), "{tool}: {}", run.err);
    }
}

#[test]
fn reading_and_daily_work_pass() {
    let cli = guarded();
    let state = state(&cli);
    for command in [
        format!("cat {state}/hooks.json"),
        format!("ls -la {state}"),
        format!("grep -r guard {state}"),
        "echo x > notes.txt".to_owned(),
        "rm -rf target".to_owned(),
        "git checkout .".to_owned(),
        "git stash && git pull".to_owned(),
        "hookward list".to_owned(),
        "hookward test --tool Bash --input '{}'".to_owned(),
        "echo hookward trust --all".to_owned(),
        "make > /dev/null 2> /dev/stderr".to_owned(),
        "eval \"$x\"".to_owned(),
    ] {
        let run = cli.bash(&command);
        assert_eq!(run.code, 0, "{command}: {}", run.err);
    }
    let payload = cli.payload("Read", &json!({"file_path": cli.world.user_hooks()}));
    cli.run_with(&["hook", "claude-code"], payload.as_bytes())
        .expect(0);
}

/// Nothing is protected where nothing is set up.
#[test]
fn without_hooks_and_without_a_state_root_nothing_is_refused() {
    let cli = Cli::new();
    std::fs::remove_dir_all(cli.world.state_root()).unwrap();
    cli.bash("mkdir .maka && echo {} > .maka/hooks.json")
        .expect(0);
}

#[test]
fn a_nap_lets_files_be_changed_and_no_hook_sleep() {
    let cli = Cli::with_hooks(2, &[hook("guard", &["err:not now", "exit:2"])]);
    let change = format!("echo > {}/hooks.json", state(&cli));
    assert!(cli.bash(&change).expect(2).err.contains(REFUSED));

    let nap = cli
        .run_at_terminal(&["nap", "10m", "--json"])
        .expect(0)
        .json();
    assert_eq!(nap["napping"], true);
    let run = cli.bash(&change).expect(2);
    assert!(!run.err.contains(REFUSED), "{}", run.err);
    assert!(run.err.contains("not now"), "{}", run.err);
    assert!(
        run.out.contains("does not protect its own files"),
        "{}",
        run.out
    );
    assert_eq!(
        cli.run(&["list", "--json"]).expect(0).json()["nap"],
        nap["until"]
    );
    for command in ["list", "doctor", "nap"] {
        let told = cli.run(&[command]).out;
        assert!(told.contains("until 20"), "{command}: {told}");
    }
    let tested = cli.run(&["test", "--tool", "Bash", "--input", "{}"]);
    assert!(tested.out.contains("nap --end"), "{}", tested.out);

    cli.run(&["nap", "--end"]).expect(0);
    assert!(cli.bash(&change).expect(2).err.contains(REFUSED));
    let records = cli.run(&["audit", "export"]).expect(0).out;
    assert_eq!(records.matches("nap_changed").count(), 2, "{records}");
}

#[test]
fn a_nap_is_bounded_and_for_people() {
    let cli = guarded();
    for length in ["30s", "9h", "-10m", "soon", "0"] {
        let run = cli.run_at_terminal(&["nap", "--", length]).expect(1);
        assert!(run.err.contains("nap"), "{length}: {}", run.err);
    }
    cli.run_at_terminal(&["nap", "1h", "30m"]).expect(0);
    let piped = cli.run(&["nap", "10m"]).expect(3);
    assert!(piped.err.contains("terminal"), "{}", piped.err);
    let cli = cli.env("CLAUDECODE", "1");
    cli.run_at_terminal(&["nap", "10m"]).expect(3);
    cli.run(&["nap"]).expect(0);
    // To wake it weakens nothing.
    cli.run(&["nap", "--end"]).expect(0);
}

/// What is not a nap by the letter is none.
#[test]
fn a_broken_or_far_or_past_nap_is_none() {
    let cli = guarded();
    let nap = cli.world.state_root().join("nap.json");
    for text in [
        "",
        "{}",
        r#"{"version":1,"until":"2020-01-01T00:00:00Z"}"#,
        r#"{"version":1,"until":"2999-01-01T00:00:00Z"}"#,
        r#"{"version":1,"until":"tomorrow"}"#,
    ] {
        std::fs::write(&nap, text).unwrap();
        let told = cli.run(&["nap", "--json"]).expect(0).json();
        assert_eq!(told["napping"], false, "{text}");
    }
    cli.run_at_terminal(&["nap", "1m"]).expect(0);
    let text = std::fs::read_to_string(&nap).unwrap();
    for damaged in [
        text.replace("\"version\":1", "\"version\":2"),
        text.replace('{', r#"{"more":1,"#),
        text.replace('{', "[{"),
    ] {
        std::fs::write(&nap, &damaged).unwrap();
        let told = cli.run(&["nap", "--json"]).expect(0).json();
        assert_eq!(told["napping"], false, "{damaged}");
    }
    std::fs::write(&nap, text).unwrap();
    assert_eq!(cli.run(&["nap", "--json"]).json()["napping"], true);
}
