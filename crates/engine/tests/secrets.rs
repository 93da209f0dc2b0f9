//! One policy, "nothing writes `secrets/**`", against every way in which a call could do it, with
//! files and links on disk: what does it is denied, what may do it is asked about, and what does not
//! is let pass.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "helpers of tests may fail a test"
)]

mod support;

use std::os::unix::fs::symlink;
use std::sync::Arc;

use camino::Utf8PathBuf;
use hookward_contract::{Call, ToolInput, ToolName};
use hookward_engine::Gate;
use hookward_policy::Snapshot;
use hookward_process::Abort;
use serde_json::{Value, json};
use support::Scene;

/// A project with secrets in it, and other names for them:
///
/// | name | is |
/// | --- | --- |
/// | `secrets/a`, `secrets/deep/b` | files |
/// | `link` | a symbolic link to the folder |
/// | `innocent.txt` | a symbolic link to `secrets/a` |
/// | `dangling` | a symbolic link to `secrets/new`, which is not there |
/// | `hard.txt` | another name of `secrets/a` |
/// | `src/main.rs`, `Makefile`, `package.json` | other files |
/// | `leak.sh`, `honest.sh` | scripts; one writes a secret |
struct Guarded {
    scene: Scene,
    gate: Gate,
    snapshot: Arc<Snapshot>,
}

impl Guarded {
    fn new() -> Self {
        let scene = Scene::new();
        let root = scene.project.root.clone();
        for folder in ["secrets/deep", "src", "tests"] {
            std::fs::create_dir_all(root.join(folder)).unwrap();
        }
        for (file, text) in [
            ("secrets/a", "key"),
            ("secrets/deep/b", "key"),
            ("src/main.rs", "fn main() {}"),
            ("Makefile", "all:\n\ttrue\n"),
            ("package.json", "{}"),
            ("leak.sh", "echo x > secrets/a\n"),
            ("honest.sh", "echo x > src/log\n"),
        ] {
            std::fs::write(root.join(file), text).unwrap();
        }
        symlink("secrets", root.join("link")).unwrap();
        symlink(root.join("secrets/a"), root.join("innocent.txt")).unwrap();
        symlink("secrets/new", root.join("dangling")).unwrap();
        std::fs::hard_link(root.join("secrets/a"), root.join("hard.txt")).unwrap();
        let rule = |field: &str| {
            json!({"id": format!("no-{field}"), "type": "rule", field: "secrets/**",
                   "decision": "deny", "reason": "Secrets are changed by people."})
        };
        scene.write_user(2, &[rule("write"), rule("delete")]);
        scene.trust_all();
        let gate = scene.gate();
        let snapshot = scene.snapshot();
        Self {
            scene,
            gate,
            snapshot,
        }
    }

    /// The call in the project's root; a leading `$P/` in its input is that root.
    fn call(&self, tool: &str, input: &Value) -> Call {
        let root = &self.scene.project.root;
        let input = input.to_string().replace("$P/", &format!("{root}/"));
        let input = ToolInput::parse(&input).unwrap().0;
        Call::hand_written(
            "session-1",
            ToolName::try_from(tool).unwrap(),
            input,
            root.clone(),
        )
    }

    /// What the gate says, with what it saw where that is not what is expected.
    fn check(&self, tool: &str, input: &Value, expected: &str) -> Option<String> {
        let call = self.call(tool, input);
        let judged = self
            .gate
            .judge(&self.snapshot, &call, &Abort::new().unwrap())
            .unwrap();
        let verdict = judged.verdict.as_str();
        (verdict != expected).then(|| {
            let effects = self.gate.explain(&self.snapshot, &call).effects;
            let effects: Vec<String> = effects
                .iter()
                .map(|effect| serde_json::to_string(effect).unwrap())
                .collect();
            format!(
                "{tool} {input}\n  is {verdict}, not {expected}:\n  {}",
                effects.join("\n  ")
            )
        })
    }

    /// Checks a table of shell texts.
    fn check_commands(&self, table: &str, expected: &str) -> Vec<String> {
        let lines = table.lines();
        let commands = lines.filter(|line| !line.is_empty() && !line.starts_with("# "));
        commands
            .filter_map(|line| {
                let command = line.replace('⏎', "\n");
                self.check("Bash", &json!({ "command": command }), expected)
            })
            .collect()
    }
}

fn none(wrong: &[String]) {
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

fn patch(body: &str) -> Value {
    json!({"input": format!("*** Begin Patch\n{body}*** End Patch\n")})
}

#[test]
fn no_tool_writes_a_secret() {
    let guarded = Guarded::new();
    let file = |path: &str| json!({"file_path": path, "content": "x"});
    let edit = |path: &str| json!({"file_path": path, "old_string": "a", "new_string": "b"});
    let update = "@@\n-key\n+x\n";
    let mut calls = vec![
        (
            "MultiEdit",
            json!({"file_path": "$P/secrets/a", "edits": [{"old_string": "a", "new_string": "b"}]}),
        ),
        (
            "NotebookEdit",
            json!({"notebook_path": "$P/secrets/n.ipynb", "new_source": "x"}),
        ),
        ("apply_patch", patch("*** Add File: secrets/new\n+x\n")),
        (
            "apply_patch",
            patch(&format!("*** Update File: secrets/a\n{update}")),
        ),
        ("apply_patch", patch("*** Delete File: secrets/a\n")),
        (
            "apply_patch",
            patch(&format!(
                "*** Update File: src/main.rs\n*** Move to: secrets/m\n{update}"
            )),
        ),
        (
            "apply_patch",
            patch(&format!(
                "*** Update File: secrets/a\n*** Move to: src/a\n{update}"
            )),
        ),
        (
            "apply_patch",
            patch(&format!("*** Update File: link/a\n{update}")),
        ),
        (
            "mcp__filesystem__write_file",
            json!({"path": "$P/secrets/a", "content": "x"}),
        ),
        (
            "mcp__filesystem__write_file",
            json!({"path": "secrets/a", "content": "x"}),
        ),
        (
            "mcp__filesystem__edit_file",
            json!({"path": "$P/secrets/a", "edits": [{"oldText": "a", "newText": "b"}]}),
        ),
        (
            "mcp__filesystem__move_file",
            json!({"source": "$P/secrets/a", "destination": "$P/x"}),
        ),
        (
            "mcp__filesystem__move_file",
            json!({"source": "$P/x", "destination": "$P/secrets/a"}),
        ),
        (
            "mcp__filesystem__create_directory",
            json!({"path": "$P/secrets/more"}),
        ),
        (
            "Batch",
            json!({"calls": [{"tool": "Read", "input": {"file_path": "src/main.rs"}},
                                   {"tool": "Write", "input": {"file_path": "secrets/a", "content": ""}}]}),
        ),
        (
            "Batch",
            json!({"calls": [{"tool": "Bash", "input": {"command": "echo x > secrets/a"}}]}),
        ),
    ];
    for path in [
        "secrets/a",
        "$P/secrets/a",
        "$P/secrets/new/er",
        "$P/src/../secrets/a",
        "$P//secrets/./a",
        "$P/link/a",
        "$P/innocent.txt",
        "$P/dangling",
        "$P/link/../secrets/a",
    ] {
        calls.push(("Write", file(path)));
        calls.push(("Edit", edit(path)));
    }
    let wrong = calls
        .iter()
        .filter_map(|(tool, input)| guarded.check(tool, input, "deny"));
    none(&wrong.collect::<Vec<_>>());
}

#[test]
fn no_shell_text_writes_a_secret() {
    let guarded = Guarded::new();
    let wrong = guarded.check_commands(include_str!("secrets/deny.txt"), "deny");
    none(&wrong);
}

#[test]
fn what_may_write_a_secret_is_asked_about() {
    let guarded = Guarded::new();
    let mut wrong = guarded.check_commands(include_str!("secrets/ask.txt"), "ask");
    for (tool, input) in [
        ("Write", json!({"file_path": "$P/hard.txt", "content": "x"})),
        (
            "exec",
            json!({"code": "await tools.Write({file_path: 'secrets/a'})"}),
        ),
        ("Write", json!({"content": "no path"})),
        ("apply_patch", json!({"input": "no patch"})),
    ] {
        wrong.extend(guarded.check(tool, &input, "ask"));
    }
    none(&wrong);
}

#[test]
fn honest_calls_are_let_pass() {
    let guarded = Guarded::new();
    let mut wrong = guarded.check_commands(include_str!("secrets/allow.txt"), "allow");
    for (tool, input) in [
        ("Read", json!({"file_path": "$P/secrets/a"})),
        (
            "Write",
            json!({"file_path": "$P/src/x", "content": "secrets/a"}),
        ),
        (
            "Edit",
            json!({"file_path": "$P/src/main.rs", "old_string": "secrets/a", "new_string": "> secrets/a"}),
        ),
        ("Grep", json!({"pattern": "secrets/a", "path": "$P/"})),
        ("Glob", json!({"pattern": "secrets/**"})),
        (
            "apply_patch",
            patch("*** Add File: src/y\n+*** Delete File: secrets/a\n"),
        ),
        (
            "mcp__filesystem__read_file",
            json!({"path": "$P/secrets/a"}),
        ),
        (
            "mcp__filesystem__list_directory",
            json!({"path": "$P/secrets"}),
        ),
        (
            "mcp__filesystem__write_file",
            json!({"path": "$P/src/z", "content": "see secrets/a"}),
        ),
        (
            "mcp__filesystem__move_file",
            json!({"source": "$P/src/z", "destination": "$P/src/q"}),
        ),
        (
            "WebFetch",
            json!({"url": "https://a.example/secrets/a", "prompt": "read it"}),
        ),
        (
            "TodoWrite",
            json!({"todos": [{"content": "rotate secrets/a", "status": "pending"}]}),
        ),
        (
            "Task",
            json!({"description": "look", "prompt": "what writes secrets/a?"}),
        ),
    ] {
        wrong.extend(guarded.check(tool, &input, "allow"));
    }
    none(&wrong);
}

/// The tables mean something only if their links are what they say, and the policy is in force.
#[test]
fn the_project_of_the_tables_is_as_described() {
    let guarded = Guarded::new();
    let root = &guarded.scene.project.root;
    let real = |path: &str| root.join(path).canonicalize_utf8().unwrap();
    let expected: Utf8PathBuf = root.join("secrets/a");
    assert_eq!(real("link/a"), expected);
    assert_eq!(real("innocent.txt"), expected);
    assert!(!root.join("dangling").exists());
    assert_eq!(guarded.snapshot.hooks().len(), 2);
    assert!(
        guarded
            .snapshot
            .hooks()
            .iter()
            .all(|hook| hook.trust.may_run())
    );
}
