//! Rules as a person meets them: `explain`, `rules test`, the library, reviews.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "helpers of tests may fail a test"
)]

mod support;

use std::path::PathBuf;

use serde_json::{Value, json};
use support::{Cli, file};

const EVENING: &str = "2026-03-02T19:30:00+01:00";

fn no_push() -> Value {
    json!({
        "id": "no-push", "type": "rule", "exec": "git push",
        "when": "now.getHours('Europe/Berlin') >= 18", "decision": "deny",
        "reason": "Not after 18:00.",
        "tests": [
            {"tool": "Bash", "input": {"command": "git push"}, "now": EVENING, "expect": "deny"},
            {"tool": "Bash", "input": {"command": "git pull"}, "now": EVENING, "expect": "allow"},
        ],
    })
}

fn explain(cli: &Cli, command: &str, now: &str) -> support::Run {
    let input = json!({"command": command}).to_string();
    cli.run(&[
        "explain", "--json", "--tool", "Bash", "--input", &input, "--now", now,
    ])
}

fn policies() -> Vec<PathBuf> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/policies");
    let entries = std::fs::read_dir(folder).unwrap();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}

#[test]
fn explain_says_why_a_rule_fires_or_not() {
    let shadow = json!({
        "id": "keep", "type": "rule", "delete": "src/**", "decision": "ask", "mode": "shadow",
        "reason": "Really?",
    });
    let cli = Cli::new();
    cli.write_user(&file(2, "@exec", &[no_push(), shadow]));
    cli.run(&["trust", "--all", "--yes"]).expect(0);

    let said = explain(&cli, "cd api && git push -f; rm -r ../src", EVENING)
        .expect(2)
        .json();
    assert_eq!(said["verdict"], "deny");
    assert_eq!(said["effects"][1]["program"], "git");
    let [push, keep] = said["rules"].as_array().unwrap().as_slice() else {
        panic!("{said}");
    };
    assert_eq!(push["id"], "no-push");
    assert_eq!(push["outcome"], "fires");
    assert_eq!(push["covered"], true);
    assert_eq!(push["when"], true);
    assert_eq!(
        push["fields"],
        json!([{"field": "exec", "match": "yes", "effect": 1}])
    );
    assert_eq!(keep["outcome"], "would_fire");
    assert_eq!(keep["verdict"], "ask");

    let said = explain(&cli, "git push", "2026-03-02T12:00:00+01:00")
        .expect(0)
        .json();
    assert_eq!(said["rules"][0]["outcome"], "no");
    assert_eq!(said["rules"][0]["when"], false);
    assert_eq!(said["rules"][1]["fields"][0]["match"], "no");

    let said = explain(&cli, "git $x", EVENING).expect(3).json();
    assert_eq!(said["rules"][0]["outcome"], "might");
    assert_eq!(said["rules"][0]["verdict"], "ask");

    let input = json!({"file_path": "src/a"}).to_string();
    let said = cli.run(&["explain", "--json", "--tool", "Read", "--input", &input]);
    assert_eq!(said.json()["rules"][0]["outcome"], "not_covered");
}

/// A screen, line by line.
#[test]
fn explain_is_readable() {
    let cli = Cli::new();
    cli.write_user(&file(2, "@exec", &[no_push()]));
    cli.run(&["trust", "--all", "--yes"]).expect(0);
    let input = json!({"command": "git push; eval \"$x\""}).to_string();
    let said = cli.run(&[
        "explain", "--tool", "Bash", "--input", &input, "--now", EVENING,
    ]);
    assert_eq!(
        said.out,
        "\
deny  Not after 18:00.
  no-push (user)  denies
effects
  exec     git push
  network  a host that is not known  by git
  exec     eval $x
  opaque   shell text that is made at run time: $x
rules
  no-push (user)  fires: deny
    exec      fits: git push
    when      holds
"
    );
}

#[test]
fn test_and_explain_take_a_folder_and_a_time() {
    let cli = Cli::new();
    let rule = json!({
        "id": "here", "type": "rule", "write": "api/**", "decision": "deny", "reason": "No.",
    });
    cli.write_user(&file(2, "*", &[rule]));
    cli.run(&["trust", "--all", "--yes"]).expect(0);
    let input = json!({"command": "echo > a"}).to_string();
    let call = ["--tool", "Bash", "--input", &input];
    for command in ["test", "explain"] {
        cli.run(&[&[command], &call[..]].concat()).expect(0);
        cli.run(&[&[command], &call[..], &["--cwd", "api"]].concat())
            .expect(2);
        let run = cli.run(&[&[command], &call[..], &["--cwd", "../x"]].concat());
        assert!(run.expect(1).err.contains("--cwd"));
        cli.run(&[&[command], &call[..], &["--now", "noon"]].concat())
            .expect(1);
    }
}

#[test]
fn rules_that_may_not_run_are_explained_all_the_same() {
    let cli = Cli::new();
    cli.write_user(&file(2, "Bash", &[no_push()]));
    let said = explain(&cli, "git push", EVENING).expect(0).json();
    assert_eq!(said["rules"][0]["outcome"], "not_run");
    assert_eq!(said["rules"][0]["trust"], "untrusted");
    assert_eq!(said["rules"][0]["verdict"], "deny");

    cli.run(&["disable", "no-push"]).expect(0);
    let said = explain(&cli, "git push", EVENING).expect(0).json();
    assert_eq!(said["rules"][0]["outcome"], "not_run");
    assert_eq!(said["rules"][0]["trust"], "disabled");
    let why = said["rules"][0]["why"][0].as_str().unwrap();
    assert!(why.contains("hookward enable no-push"), "{why}");
}

#[test]
fn failing_tests_are_located_and_explained() {
    let cli = Cli::new();
    let mut rule = no_push();
    rule["tests"][1]["expect"] = json!("ask");
    cli.write_user(&file(2, "Bash", &[rule]));
    let run = cli.run(&["rules", "test", "--json"]).expect(1).json();
    assert_eq!((&run["passed"], &run["failed"]), (&json!(1), &json!(1)));
    let failure = &run["files"][0]["failures"][0];
    assert_eq!(failure["hook"], "no-push");
    assert_eq!(failure["pointer"], "/hooks/PreToolUse/0/hooks/0/tests/1");
    assert_eq!(failure["expected"], "ask");
    assert_eq!(failure["got"], "allow");
    assert!(
        failure["why"][0]
            .as_str()
            .unwrap()
            .contains("nothing fits git push")
    );
    assert!(failure["column"].as_u64().unwrap() > 1);

    let review = cli.run(&["review"]).expect(0).out;
    assert!(review.contains("2 cases, 1 FAILED"), "{review}");
    assert!(review.contains("got allow"), "{review}");

    cli.write_user(&file(2, "Bash", &[no_push()]));
    let run = cli.run(&["rules", "test"]).expect(0).out;
    assert!(run.contains("2 tests passed, 0 failed, 0 errors"), "{run}");
    assert!(cli.run(&["review"]).out.contains("2 cases, all pass"));
}

/// A rule is tested behind its matcher, as it is judged.
#[test]
fn a_call_that_the_matcher_leaves_out_is_allowed() {
    let cli = Cli::new();
    for (matcher, code) in [("Write", 1), ("@exec", 0), ("@write", 1), ("*", 0)] {
        cli.write_user(&file(2, matcher, &[no_push()]));
        let run = cli.run(&["rules", "test"]).expect(code);
        let told = run.out.contains(&format!("its matcher is {matcher}"));
        assert_eq!(told, code == 1, "{matcher}: {}", run.out);
    }
}

/// Everything that is wrong is said at once.
#[test]
fn errors_and_failing_tests_of_a_file_come_together() {
    let cli = Cli::new();
    let mut failing = no_push();
    failing["tests"][0]["expect"] = json!("ask");
    let broken = |id: &str, field: &str, value: &str| {
        let mut rule = no_push();
        rule["id"] = json!(id);
        rule[field] = json!(value);
        rule
    };
    let rules = [
        failing,
        broken("type", "when", "now.getHours() + 'a' == 3"),
        broken("zone", "when", "now.getHours('Mars/Olympus') == 3"),
        broken("field", "whenn", "true"),
        broken("glob", "write", "a[b"),
        broken("never", "exec", "git\tpush\u{1}"),
    ];
    let path = cli.path("try.json");
    std::fs::write(&path, file(2, "Bash", &rules)).unwrap();
    let run = cli.run(&["rules", "test", "--json", path.to_str().unwrap()]);
    let said = run.expect(1).json();
    let found = said["files"][0]["diagnostics"].as_array().unwrap();
    for index in 1..=5 {
        let pointer = format!("/hooks/PreToolUse/0/hooks/{index}");
        let mut pointers = found.iter().map(|found| found["pointer"].as_str().unwrap());
        assert!(
            pointers.any(|at| at.starts_with(&pointer)),
            "{index}: {found:#?}"
        );
    }
    assert_eq!(said["failed"], 1);
    assert_eq!(said["files"][0]["failures"][0]["got"], "deny");
}

/// Calls in a folder beside the file are put to all of its rules together.
#[test]
fn fixtures_beside_a_file_are_tests_of_all_its_rules() {
    let cli = Cli::new();
    cli.write_user(&file(2, "@exec", &[no_push()]));
    let folder = cli.world.state_root().join("hooks.tests");
    std::fs::create_dir(&folder).unwrap();
    let write = |name: &str, fixture: &Value| {
        std::fs::write(folder.join(name), fixture.to_string()).unwrap();
    };
    let fixture = |command: &str, expect: &str| {
        json!({
            "hook_event_name": "PreToolUse", "tool_name": "Bash",
            "tool_input": {"command": command}, "now": EVENING, "expect": expect,
        })
    };
    write("a.json", &fixture("git push", "deny"));
    write("b.json", &fixture("git pull", "allow"));
    write("notes.txt", &json!("no fixture"));
    let said = cli.run(&["rules", "test", "--json"]).expect(0).json();
    assert_eq!(said["passed"], 4);

    write("c.json", &fixture("cd api && git push", "allow"));
    let said = cli.run(&["rules", "test", "--json"]).expect(1).json();
    let failure = &said["files"][0]["failures"][0];
    assert!(failure["path"].as_str().unwrap().ends_with("c.json"));
    assert_eq!(failure["got"], "deny");
    assert_eq!(failure["why"][0], "no-push says deny");

    write("c.json", &fixture("ls", "maybe"));
    let run = cli.run(&["rules", "test"]).expect(1);
    assert!(run.err.contains("c.json: `expect`"), "{}", run.err);
}

/// Programs are not started for their tests unless that is asked for, and only trusted ones then.
#[test]
fn programs_are_tested_only_when_asked_for() {
    let cli = Cli::new();
    let mut hook = support::hook("guard", &["err:no", "exit:2"]);
    hook["tests"] = json!([{"tool": "Bash", "input": {}, "expect": "deny"}]);
    cli.write_user(&file(2, "Bash", &[hook]));
    let skipped = |args: &[&str]| {
        let said = cli.run(args).expect(0).json();
        (said["passed"].clone(), said["skipped"].clone())
    };
    let (test, run) = (["rules", "test", "--json"], "--run-commands");
    assert_eq!(skipped(&test), (json!(0), json!(1)));
    assert_eq!(skipped(&[&test[..], &[run]].concat()), (json!(0), json!(1)));
    cli.run(&["trust", "--all", "--yes"]).expect(0);
    assert_eq!(skipped(&test), (json!(0), json!(1)));
    assert_eq!(skipped(&[&test[..], &[run]].concat()), (json!(1), json!(0)));
}

#[test]
fn the_library_passes_its_own_tests() {
    let paths = policies();
    assert_eq!(paths.len(), 10);
    let mut args = vec!["rules", "test", "--json"];
    args.extend(paths.iter().map(|path| path.to_str().unwrap()));
    let run = Cli::new().run(&args);
    let said = run.expect(0).json();
    assert_eq!(said["failed"], 0);
    assert!(said["passed"].as_u64().unwrap() > 150);
    for file in said["files"].as_array().unwrap() {
        assert_eq!(file["diagnostics"], json!([]), "{file}");
    }
}

/// Each policy shows what it stops and what it lets through.
#[test]
fn each_policy_has_tests_of_both_kinds() {
    for path in policies() {
        let text = std::fs::read_to_string(&path).unwrap();
        let policy: Value = serde_json::from_str(&text).unwrap();
        for group in policy["hooks"]["PreToolUse"].as_array().unwrap() {
            for hook in group["hooks"].as_array().unwrap() {
                let tests = hook["tests"].as_array().unwrap();
                let allows = tests
                    .iter()
                    .filter(|test| test["expect"] == "allow")
                    .count();
                let stops = tests.len() - allows;
                assert!(
                    allows >= 3 && stops >= 3,
                    "{}: {stops}, {allows}",
                    hook["id"]
                );
                assert!(hook["description"].is_string());
            }
        }
    }
}

#[test]
fn policies_of_the_library_are_added_to_what_is_there() {
    let cli = Cli::new();
    let own = file(2, "Bash", &[no_push()]);
    cli.write_user(&own);
    let said = cli
        .run(&["init", "--json", "--with", "work-hours,no-force-push"])
        .expect(0)
        .json();
    assert_eq!(said["added"], json!(["work-hours", "no-force-push"]));
    let text = std::fs::read_to_string(cli.world.user_hooks()).unwrap();
    let (own, rest) = own.split_at(own.rfind("]}").unwrap());
    assert!(text.starts_with(own) && text.ends_with(rest), "{text}");
    cli.run(&["rules", "test"]).expect(0);

    // A name that is taken, and one that nobody knows, change nothing.
    let run = cli.run(&["init", "--with", "protected-paths,work-hours"]);
    assert!(
        run.expect(1)
            .err
            .contains("has a hook `work-hours` already")
    );
    let run = cli.run(&["init", "--with", "no-such"]);
    assert!(run.expect(1).err.contains("protected-paths"));
    assert_eq!(
        std::fs::read_to_string(cli.world.user_hooks()).unwrap(),
        text
    );
}

#[test]
fn the_whole_library_fits_into_a_new_file() {
    let cli = Cli::new();
    let list = cli.run(&["init", "--list", "--json"]).expect(0).json();
    let names = list["policies"].as_array().unwrap().iter();
    let names: Vec<&str> = names
        .map(|policy| policy["name"].as_str().unwrap())
        .collect();
    assert!(!cli.world.user_hooks().exists());
    for scope in [&[][..], &["--project-hooks"]] {
        let with = names.join(",");
        cli.run(&[&["init", "--with", &with], scope].concat())
            .expect(0);
    }
    let said = cli.run(&["rules", "test", "--json"]).expect(0).json();
    assert_eq!(said["files"].as_array().unwrap().len(), 2);
    cli.run(&["trust", "--all", "--yes", "--workspace"])
        .expect(0);
    cli.bash("git push --force").expect(2);
    cli.bash("ls").expect(0);
}

#[test]
fn a_file_of_version_1_takes_no_rules() {
    let cli = Cli::new();
    cli.write_user(r#"{"version": 1, "hooks": {}}"#);
    let run = cli.run(&["init", "--with", "work-hours"]).expect(1);
    assert!(run.err.contains("version 1"), "{}", run.err);
}
