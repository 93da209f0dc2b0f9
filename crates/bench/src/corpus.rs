//! Calls whose verdicts are known, judged by the gate and by the program that is measured: a build
//! that is fast because it is wrong must not pass.

use std::sync::Arc;

use hookward_engine::audit::MemoryAudit;
use hookward_process::Abort;
use serde_json::{Value, json};

use crate::Bench;
use crate::error::BenchError;
use crate::programs::{Start, run_plain};
use crate::scene::{Scene, gate, groups, handler, typical_input};

/// One hook: its words for the scripted hook program, and fields of its definition.
type Hook = (&'static [&'static str], Mode);

/// What a failure of the hook means, and whether it was reviewed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    Continue,
    Block,
    /// Never reviewed; a failure denies.
    UnreviewedBlock,
    /// Never reviewed.
    Unreviewed,
}

use Mode::{Block, Continue, Unreviewed, UnreviewedBlock};

const ALLOWS: &[&str] =
    &[r#"out:{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}"#];
const ASKS: &[&str] =
    &[r#"out:{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask"}}"#];
const DENIES: &[&str] =
    &[r#"out:{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny"}}"#];
const DENIES_WITH_MORE: &[&str] = &[
    r#"out:{"x":1,"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny"}}"#,
];
const ALLOWS_WITH_MORE: &[&str] = &[
    r#"out:{"x":1,"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}"#,
];
const OTHER_EVENT: &[&str] =
    &[r#"out:{"hookSpecificOutput":{"hookEventName":"Stop","permissionDecision":"allow"}}"#];
const DENIES_AND_FAILS: &[&str] = &[
    r#"out:{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny"}}"#,
    "exit:1",
];
const SILENT: &[&str] = &["drain"];
const UNREAD: &[&str] = &["noread"];
const EXITS_2: &[&str] = &["exit:2"];
const EXITS_2_WITH_JUNK: &[&str] = &["out:{]", "err:not now", "exit:2"];
const FAILS: &[&str] = &["exit:1"];
const KILLED: &[&str] = &["signal:9"];
const BABBLES: &[&str] = &["out:sure, go ahead"];
const FLOODS: &[&str] = &["outbytes:70000"];
const HANGS: &[&str] = &["sleep:10000"];

/// Hooks that match, and the verdict over them.
const ANSWERS: &[(&[Hook], &str)] = &[
    (&[], "allow"),
    (&[(SILENT, Block)], "allow"),
    (&[(UNREAD, Block)], "allow"),
    (&[(ALLOWS, Block)], "allow"),
    (&[(ASKS, Continue)], "ask"),
    (&[(DENIES, Continue)], "deny"),
    (&[(DENIES_WITH_MORE, Continue)], "deny"),
    (&[(EXITS_2, Continue)], "deny"),
    (&[(EXITS_2_WITH_JUNK, Continue)], "deny"),
    (&[(FAILS, Continue)], "allow"),
    (&[(FAILS, Block)], "deny"),
    (&[(KILLED, Continue)], "allow"),
    (&[(KILLED, Block)], "deny"),
    (&[(BABBLES, Continue)], "allow"),
    (&[(BABBLES, Block)], "deny"),
    (&[(FLOODS, Continue)], "allow"),
    (&[(FLOODS, Block)], "deny"),
    (&[(HANGS, Continue)], "allow"),
    (&[(HANGS, Block)], "deny"),
    (&[(ALLOWS_WITH_MORE, Block)], "deny"),
    (&[(OTHER_EVENT, Block)], "deny"),
    (&[(DENIES_AND_FAILS, Continue)], "allow"),
    (&[(SILENT, Unreviewed)], "allow"),
    (&[(SILENT, UnreviewedBlock)], "allow"),
    (&[(ALLOWS, Continue), (EXITS_2, Continue)], "deny"),
    (&[(EXITS_2, Continue), (ALLOWS, Continue)], "deny"),
    (&[(ASKS, Continue), (DENIES, Continue)], "deny"),
    (&[(ALLOWS, Continue), (ASKS, Continue)], "ask"),
    (&[(ASKS, Continue), (FAILS, Continue)], "ask"),
    (&[(ASKS, Continue), (FAILS, Block)], "deny"),
    (&[(FAILS, Continue), (SILENT, Continue)], "allow"),
    (&[(HANGS, Continue), (EXITS_2, Continue)], "deny"),
];

/// Matcher of a hook that denies, a tool, and the verdict.
const MATCHERS: &[(&str, &str, &str)] = &[
    ("Bash|Write", "Write", "deny"),
    ("Bash|Write", "Edit", "allow"),
    ("bash", "Bash", "allow"),
    ("Read", "ReadFile", "allow"),
    ("Read*", "Read", "deny"),
    ("Read*", "ReadFile", "deny"),
    ("Read*", "Rea", "allow"),
    ("mcp__files__*", "mcp__files__delete", "deny"),
    ("mcp__files__*", "mcp__files2__delete", "allow"),
    ("Task", "Agent", "deny"),
];

/// One call and its verdict.
struct Case {
    matcher: &'static str,
    tool: &'static str,
    hooks: &'static [Hook],
    expected: &'static str,
}

/// Judges all calls; returns a line for each wrong verdict.
pub(crate) fn check(bench: &mut Bench) -> Result<Vec<String>, BenchError> {
    let mut wrong = Vec::new();
    let mut calls = 0;
    for case in cases() {
        let scene = case.scene(&bench.programs.scripted)?;
        for (by, got) in [
            ("the gate", case.by_gate(&scene)?),
            ("hookward", case.by_program(bench, &scene)?),
        ] {
            calls += 1;
            if got != case.expected {
                let Case {
                    matcher,
                    tool,
                    hooks,
                    expected,
                } = &case;
                wrong.push(format!(
                    "wrong verdict of {by}: {got} instead of {expected} for {tool}, matcher \
                     {matcher}, hooks {hooks:?}"
                ));
            }
        }
    }
    bench.report.note(format!(
        "verdict corpus: {calls} judgements, {} wrong",
        wrong.len()
    ));
    Ok(wrong)
}

fn cases() -> impl Iterator<Item = Case> {
    let answers = ANSWERS.iter().map(|(hooks, expected)| Case {
        matcher: "*",
        tool: "Bash",
        hooks,
        expected,
    });
    let matchers = MATCHERS.iter().map(|(matcher, tool, expected)| Case {
        matcher,
        tool,
        hooks: &[(EXITS_2, Continue)],
        expected,
    });
    answers.chain(matchers)
}

impl Case {
    fn scene(&self, program: &std::path::Path) -> Result<Scene, BenchError> {
        let definition = |(index, (words, mode)): (usize, &Hook)| -> Value {
            let name = if matches!(mode, Unreviewed | UnreviewedBlock) {
                "untrusted"
            } else {
                "hook"
            };
            let mut hook = handler(&format!("{name}-{index}"), program, words);
            if matches!(mode, Block | UnreviewedBlock) {
                hook["onFailure"] = json!("block");
            }
            if *words == HANGS {
                hook["timeoutMs"] = json!(100);
            }
            hook
        };
        let handlers: Vec<Value> = self.hooks.iter().enumerate().map(definition).collect();
        Scene::with_user_hooks(&groups(self.matcher, &handlers))
    }

    fn by_gate(&self, scene: &Scene) -> Result<String, BenchError> {
        let abort = Abort::new().map_err(BenchError::io("making an abort"))?;
        let call = scene.call(self.tool, &typical_input())?;
        let gate = gate(Arc::new(MemoryAudit::default()));
        let judged = gate.judge(&scene.snapshot(), &call, &abort);
        Ok(judged.map_or_else(
            |error| error.to_string(),
            |judged| judged.verdict.as_str().to_owned(),
        ))
    }

    /// What the agent makes of the answer of `hookward hook claude-code`.
    fn by_program(&self, bench: &Bench, scene: &Scene) -> Result<String, BenchError> {
        let args = [
            "hook",
            "claude-code",
            "--state-root",
            scene.state.path().as_str(),
        ];
        let answer = run_plain(Start {
            program: &bench.programs.hookward,
            args: &args.map(str::to_owned),
            cwd: scene.project.root.as_std_path(),
            env: &[("HOME".to_owned(), "/home/ann".to_owned())],
            stdin: &scene.payload(self.tool, &typical_input()),
        })?;
        let output: Value = serde_json::from_slice(&answer.stdout).unwrap_or_default();
        let decision = output["hookSpecificOutput"]["permissionDecision"].as_str();
        Ok(match (answer.exit, decision) {
            (Some(2), _) => "deny".to_owned(),
            (Some(0), None) => "allow".to_owned(),
            (Some(0), Some(decision)) => decision.to_owned(),
            (exit, _) => format!("exit status {exit:?}"),
        })
    }
}
