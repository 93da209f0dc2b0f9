//! Broken files, and the mistakes that people make: each is visible, none silences anything else.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "helpers of tests may fail a test"
)]

mod support;

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;

use serde_json::json;
use support::{Cli, file, hook};

/// A world in which the user's hook denies everything.
fn guarded() -> Cli {
    Cli::with_hooks(1, &[hook("guard", &["drain", "exit:2"])])
}

fn mkfifo(path: &Path) {
    assert!(
        std::process::Command::new("mkfifo")
            .arg(path)
            .status()
            .unwrap()
            .success()
    );
}

/// The state is in the list, in the doctor and in the audit, and the user's hook still denies.
fn assert_visible(cli: &Cli, source: &str) {
    let run = cli.bash("date").expect(2);
    assert!(run.out.contains("cannot be used"), "{}", run.out);
    let list = cli.run(&["list", "--json"]).expect(0).json();
    let found = list["sources"]
        .as_array()
        .unwrap()
        .iter()
        .find(|found| found["source"] == source);
    let found = found.unwrap();
    assert_eq!(found["state"], "broken");
    let diagnostic = &found["diagnostics"][0];
    for field in ["code", "message", "line", "column", "pointer", "help"] {
        assert!(!diagnostic[field].is_null(), "{field}");
    }
    assert!(cli.run(&["list"]).expect(0).out.contains("BROKEN"));
    assert_eq!(cli.run(&["doctor", "--json"]).expect(1).json()["ok"], false);
    let audit = cli.run(&["audit", "export"]).expect(0).out;
    assert!(audit.contains(r#""type":"source_broken""#), "{audit}");
}

#[test]
fn a_broken_project_file_leaves_the_users_hooks_alone() {
    type Break = fn(&Path);
    let ways: [Break; 7] = [
        |path| fs::write(path, "{ \"version\": 1,").unwrap(),
        |path| fs::write(path, b"\xff\xfe").unwrap(),
        |path| fs::create_dir(path).unwrap(),
        mkfifo,
        |path| symlink("/etc/passwd", path).unwrap(),
        |path| symlink("/dev/zero", path).unwrap(),
        |path| {
            let file = fs::File::create(path).unwrap();
            file.set_len(2 * 1024 * 1024 * 1024).unwrap();
        },
    ];
    for break_it in ways {
        let cli = guarded();
        break_it(&cli.world.project_hooks());
        assert_visible(&cli, "project");
    }
}

/// A link in place of the folder leads out of the project just as well.
#[test]
fn a_linked_folder_that_leaves_the_project_is_refused() {
    let cli = guarded();
    let outside = cli.path("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("hooks.json"), file(1, "*", &[])).unwrap();
    let folder = cli.world.project().join(".maka");
    fs::remove_dir(&folder).unwrap();
    symlink(&outside, &folder).unwrap();
    assert_visible(&cli, "project");
}

/// A broken trust store trusts nothing, says so, and is replaced only on request.
#[test]
fn a_broken_trust_store_is_visible_and_trusts_nothing() {
    for content in ["{", "[]", r#"{"version":9}"#] {
        let mut block = hook("block", &["exit:0"]);
        block["onFailure"] = json!("block");
        let cli = Cli::with_hooks(2, &[hook("open", &["exit:2"]), block]);
        cli.bash("date").expect(2);
        let store = cli.world.state_root().join("trust.json");
        fs::write(&store, content).unwrap();
        // `open` fails open with a notice; `block` denies, and says why.
        let run = cli.bash("date").expect(2);
        assert!(
            run.err.contains("hook block was not run (broken_source)"),
            "{}",
            run.err
        );
        assert!(run.out.contains("trust store"), "{}", run.out);
        let list = cli.run(&["list", "--json"]).expect(0).json();
        assert_eq!(list["trust"]["state"], "broken");
        assert_eq!(list["hooks"][0]["trust"], "unknown");
        assert!(
            cli.run(&["trust", "--all", "--yes"])
                .expect(1)
                .err
                .contains("set-aside")
        );
        cli.run(&["doctor"]).expect(1);
        assert!(
            cli.run(&["audit", "export"])
                .expect(0)
                .out
                .contains(r#""source":"trust""#)
        );
        cli.run(&["doctor", "--set-aside-trust"]);
        cli.run(&["trust", "--all", "--yes"]).expect(0);
        cli.bash("date").expect(2);
    }
}

#[test]
fn a_store_or_file_that_others_may_write_is_not_used() {
    for name in ["hooks.json", "trust.json"] {
        let cli = guarded();
        let path = cli.world.state_root().join(name);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o666)).unwrap();
        let run = cli.bash("date").expect(0);
        assert!(run.out.contains("cannot be used"), "{name}: {}", run.out);
        cli.run(&["doctor"]).expect(1);
    }
}

/// A hook that was reviewed as `block` keeps denying when its file is broken.
#[test]
fn breaking_a_file_does_not_lift_a_block() {
    let mut block = hook("block", &["exit:0"]);
    block["onFailure"] = json!("block");
    let cli = Cli::with_hooks(2, &[block]);
    cli.bash("date").expect(0);
    cli.write_user("not json");
    let run = cli.bash("date").expect(2);
    assert!(run.err.contains("broken_source"), "{}", run.err);
}

/// All problems of a file come in one run, each with its place.
#[test]
fn every_error_of_a_file_comes_at_once() {
    let cli = Cli::new();
    cli.write_user(
        r#"{
  "version": 1,
  "hooks": {
    "PreToolUse": [
      { "matcher": "bash", "hooks": [
        { "id": "a", "type": "command", "command": "guard.sh", },
        { "id": "a", "type": "comand", "command": "/bin/true", "timeout": 5 },
        { "id": "-x", "type": "command", "command": "/bin/true", "timeoutMs": 99 }
      ] }
    ],
    "preToolUse": []
  }
}"#,
    );
    let list = cli.run(&["list", "--json"]).expect(0).json();
    let diagnostics = list["sources"][0]["diagnostics"]
        .as_array()
        .unwrap()
        .clone();
    let at = |line: u64, words: &str| {
        let found = diagnostics.iter().any(|found| {
            let text = format!("{} {}", found["message"], found["help"]);
            found["line"] == line && text.contains(words)
        });
        assert!(found, "line {line}, {words}: {diagnostics:#?}");
    };
    at(5, "Bash");
    at(6, "absolute");
    at(6, "comma");
    at(7, "comand");
    at(7, "timeoutMs");
    at(8, "99");
    at(11, "PreToolUse");
    let words = cli.run(&["list"]).expect(0).out;
    assert!(words.contains("hooks.json:6:"), "{words}");
}

/// The mistakes on the way to a first policy: each gets an answer that says what to do.
#[test]
fn beginners_mistakes_are_answered() {
    let cli = Cli::new();
    let script = |name: &str, mode: u32, text: &str| {
        let path = cli.path(name);
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        path
    };
    let program = |path: &Path| json!({"id": "h", "type": "command", "command": path});
    let test = ["test", "--tool", "Bash", "--input", r#"{"command":"date"}"#];

    // The run bit is missing.
    let path = script("guard.sh", 0o644, "#!/bin/sh\nexit 2\n");
    cli.write_user(&file(1, "Bash", &[program(&path)]));
    assert!(cli.run(&["review"]).expect(0).out.contains("chmod +x"));
    // It was never reviewed.
    let run = cli.run(&test).expect(0);
    assert!(run.out.contains("hookward trust"), "{}", run.out);
    cli.run(&["trust", "--all", "--yes"]).expect(0);
    let run = cli.run(&test).expect(0);
    assert!(run.out.contains("not_executable"), "{}", run.out);
    assert!(cli.run(&["doctor"]).out.contains("chmod +x"));

    // Line ends of another system, no interpreter, and arguments in the command.
    for (text, words) in [
        ("#!/bin/sh\r\nexit 2\r\n", "sed -i"),
        ("exit 2\n", "#!/bin/sh"),
    ] {
        let path = script("odd.sh", 0o755, text);
        cli.write_user(&file(1, "Bash", &[program(&path)]));
        assert!(
            cli.run(&["review"]).expect(0).out.contains(words),
            "{words}"
        );
        assert!(
            cli.run(&["doctor"]).expect(1).out.contains(words),
            "{words}"
        );
    }
    cli.write_user(&file(1, "Bash", &[program(Path::new("/bin/sh x.sh"))]));
    assert!(cli.run(&["review"]).expect(0).out.contains("`args`"));

    // A banner before nothing.
    let path = script("banner.sh", 0o755, "#!/bin/sh\necho ready\nexit 0\n");
    cli.write_user(&file(1, "Bash", &[program(&path)]));
    cli.run(&["trust", "--all", "--yes"]).expect(0);
    let run = cli.run(&test).expect(0);
    assert!(
        run.out.contains("`ready`") && run.out.contains("standard error"),
        "{}",
        run.out
    );

    // The wrong letter case.
    cli.write_user(&file(1, "bash", &[program(&path)]));
    assert!(cli.run(&["list"]).expect(0).out.contains("`Bash`"));

    // A relative path, and a trailing comma.
    cli.write_user(&file(
        1,
        "Bash",
        &[json!({"id": "h", "type": "command", "command": "./guard.sh"})],
    ));
    assert!(cli.run(&["list"]).expect(0).out.contains("absolute"));
    cli.write_user("{\"version\": 1, \"hooks\": {},}");
    let run = cli.run(&["list"]).expect(0);
    assert!(
        run.out.contains("a comma before a closing bracket") && run.out.contains(":1:"),
        "{}",
        run.out
    );
}
