//! Whether an agent really asks Hookward: its registration, and a call sent through it.

use std::io::Write as _;
use std::process::{Command, Stdio};

use hookward_agents::claude_code::{self, HookCommand, Obstacle, Registered};
use serde_json::json;

use super::{Check, State, settings_files};
use crate::args::Scope;
use crate::world::World;

const NAME: &str = "claude-code";
const REINSTALL: &str = "run `hookward install claude-code` again";

/// The registration in each settings file, and a harmless call through the first that is there.
pub(super) fn claude_code(world: &World, expected: &HookCommand) -> Vec<Check> {
    let mut checks = Vec::new();
    let mut registered = None;
    for (scope, path) in settings_files(world) {
        let scope = match scope {
            Scope::User => "user",
            Scope::Project => "project",
        };
        let name = format!("{NAME} ({scope} settings)");
        let Ok(text) = std::fs::read_to_string(&path) else {
            continue;
        };
        match claude_code::registration(&text, expected) {
            Err(error) => {
                let detail = format!("{path}: {error}");
                checks.push(Check::new(name, State::Error, detail, "mend the file"));
            }
            Ok(found) => {
                checks.extend(found.obstacles.iter().map(|obstacle| {
                    let state = match obstacle {
                        // Without effect where these files are read from.
                        Obstacle::ManagedHooksOnly | Obstacle::PluginHooksOnly => State::Warning,
                        _ => State::Error,
                    };
                    let detail = format!("{path}: {obstacle}");
                    Check::new(&name, state, detail, "mend the settings")
                }));
                match found.state {
                    Registered::Absent => {}
                    Registered::Current => {
                        checks.push(Check::ok(name, format!("registered in {path}")));
                        registered.get_or_insert(expected.clone());
                    }
                    Registered::Stale { command, differs } => {
                        let differs = differs.join(", ");
                        let detail = format!(
                            "{path} registers {}, with another {differs}",
                            command.program
                        );
                        checks.push(Check::new(name, State::Warning, detail, REINSTALL));
                        registered.get_or_insert(command);
                    }
                }
            }
        }
    }
    match registered {
        None => checks.push(Check::new(
            NAME,
            State::Warning,
            "Claude Code does not ask Hookward",
            "hookward install claude-code",
        )),
        Some(command) => checks.push(synthetic_call(world, &command)),
    }
    checks
}

/// Sends a call of a tool that does not exist, so that only hooks for every tool see it.
fn synthetic_call(world: &World, command: &HookCommand) -> Check {
    let name = format!("{NAME} answers");
    let payload = json!({
        "session_id": "doctor", "hook_event_name": "PreToolUse", "tool_name": "HookwardDoctor",
        "tool_input": {}, "tool_use_id": "doctor", "cwd": world.project.root,
        "permission_mode": "default",
    });
    match send(command, &payload.to_string()) {
        Ok(Some(status @ (0 | 2))) => {
            Check::ok(name, format!("a harmless call was judged (exit {status})"))
        }
        Ok(status) => {
            let status = status.map_or("a signal".to_owned(), |status| format!("exit {status}"));
            Check::new(
                name,
                State::Error,
                format!("{} ended with {status}", command.program),
                REINSTALL,
            )
        }
        Err(error) => Check::new(
            name,
            State::Error,
            format!("{}: {error}", command.program),
            REINSTALL,
        ),
    }
}

fn send(command: &HookCommand, payload: &str) -> std::io::Result<Option<i32>> {
    let mut child = Command::new(&command.program)
        .args(&command.args)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    let sent = child
        .stdin
        .take()
        .map(|mut stdin| stdin.write_all(payload.as_bytes()));
    let status = child.wait()?.code();
    match sent {
        Some(Err(error)) if error.kind() != std::io::ErrorKind::BrokenPipe => Err(error),
        _ => Ok(status),
    }
}
