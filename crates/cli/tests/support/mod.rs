//! Runs the program in a temporary world, with an environment of its own.

#![allow(dead_code, reason = "each test file uses a part of it")]

use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use hookward_testkit::World;
use serde_json::{Value, json};

pub(crate) struct Cli {
    pub(crate) world: World,
    environment: Vec<(String, String)>,
}

/// What a run printed and how it ended.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Run {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// The run, if it ended with this code.
    pub(crate) fn expect(self, code: i32) -> Self {
        assert_eq!(self.code, code, "{}\n{}", self.out, self.err);
        self
    }
}

pub(crate) fn hook(id: &str, script: &[&str]) -> Value {
    json!({"id": id, "type": "command", "command": hookward_testkit::scripted_hook(), "args": script})
}

pub(crate) fn file(version: u32, matcher: &str, hooks: &[Value]) -> String {
    let groups: Vec<Value> = hooks
        .chunks(32)
        .map(|hooks| json!({"matcher": matcher, "hooks": hooks}))
        .collect();
    json!({"version": version, "hooks": {"PreToolUse": groups}}).to_string()
}

impl Cli {
    pub(crate) fn new() -> Self {
        Self {
            world: World::new(),
            environment: Vec::new(),
        }
    }

    /// A world whose user hooks are these, trusted.
    pub(crate) fn with_hooks(version: u32, hooks: &[Value]) -> Self {
        let cli = Self::new();
        cli.write_user(&file(version, "*", hooks));
        cli.run(&["trust", "--all", "--yes"]).expect(0);
        cli
    }

    pub(crate) fn env(mut self, name: &str, value: &str) -> Self {
        self.environment.push((name.to_owned(), value.to_owned()));
        self
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.world.root().join(name)
    }

    pub(crate) fn write_user(&self, text: &str) {
        std::fs::write(self.world.user_hooks(), text).unwrap();
    }

    pub(crate) fn write_project(&self, text: &str) {
        std::fs::write(self.world.project_hooks(), text).unwrap();
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_hookward"));
        command
            .args(args)
            .current_dir(self.world.project())
            .env_clear()
            .env("PATH", "/usr/bin:/bin")
            .env("HOME", self.world.root())
            .env("HOOKWARD_STATE_ROOT", self.world.state_root())
            .envs(self.environment.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// Runs with nothing on standard input.
    pub(crate) fn run(&self, args: &[&str]) -> Run {
        self.run_with(args, b"")
    }

    pub(crate) fn run_with(&self, args: &[&str], stdin: &[u8]) -> Run {
        let mut child = self.command(args).spawn().unwrap();
        let mut pipe = child.stdin.take().unwrap();
        let Output {
            status,
            stdout,
            stderr,
        } = std::thread::scope(|scope| {
            // The program may answer without reading; a broken pipe is its right.
            scope.spawn(move || drop(pipe.write_all(stdin)));
            child.wait_with_output().unwrap()
        });
        Run {
            code: status.code().unwrap_or(-1),
            out: String::from_utf8(stdout).unwrap(),
            err: String::from_utf8(stderr).unwrap(),
        }
    }

    /// Runs as a person does, with a terminal on standard input on which nothing is typed.
    pub(crate) fn run_at_terminal(&self, args: &[&str]) -> Run {
        use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
        let terminal = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&terminal).unwrap();
        unlockpt(&terminal).unwrap();
        let name = ptsname(&terminal, Vec::new()).unwrap();
        let keyboard = std::fs::File::open(name.to_str().unwrap()).unwrap();
        let output = self.command(args).stdin(keyboard).output().unwrap();
        Run {
            code: output.status.code().unwrap_or(-1),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// A payload of Claude Code for this tool call.
    pub(crate) fn payload(&self, tool: &str, input: &Value) -> String {
        json!({
            "session_id": "s", "transcript_path": "/t.jsonl", "cwd": self.world.project(),
            "permission_mode": "default", "hook_event_name": "PreToolUse", "tool_name": tool,
            "tool_input": input, "tool_use_id": "toolu_1",
        })
        .to_string()
    }

    /// What Claude Code gets to hear about a shell command.
    pub(crate) fn bash(&self, command: &str) -> Run {
        let payload = self.payload("Bash", &json!({"command": command}));
        self.run_with(&["hook", "claude-code"], payload.as_bytes())
    }
}
