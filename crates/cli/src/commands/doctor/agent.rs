//! Whether an agent really asks Hookward: its registration, and a question sent through it. Never
//! starts anything but this program: settings of a project name programs that nobody has read.

use std::io::Write as _;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use hookward_agents::claude_code::{self, HookCommand, Obstacle, Registered};

use super::{Check, State};
use crate::context;
use crate::settings;
use crate::world::World;

const NAME: &str = "claude-code";
const REINSTALL: &str = "run `hookward install claude-code` again";

/// How long the answer to the question may take.
const PATIENCE: Duration = Duration::from_secs(10);

/// The registration in each settings file, and a question through the first that is ours.
pub(super) fn claude_code(world: &World, expected: &HookCommand) -> Vec<Check> {
    let mut checks = Vec::new();
    let mut ours = None;
    for (scope, path) in settings::claude_code(&world.project) {
        let name = format!("{NAME} ({scope} settings)");
        let limit = claude_code::MAX_SETTINGS_BYTES as u64;
        let text = match context::read_text(&path, limit) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
            Err(error) => {
                let detail = format!("{path}: {error}");
                checks.push(Check::new(name, State::Error, detail, "mend the file"));
                continue;
            }
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
                        ours.get_or_insert(expected.clone());
                    }
                    Registered::Stale { command, differs } => {
                        let differs = differs.join(", ");
                        let program = &command.program;
                        let detail = format!("{path} registers {program}, with another {differs}");
                        checks.push(Check::new(name, State::Warning, detail, REINSTALL));
                        if command.program == expected.program {
                            ours.get_or_insert(command);
                        }
                    }
                }
            }
        }
    }
    checks.push(match ours {
        None => Check::new(
            NAME,
            State::Warning,
            "Claude Code does not ask this program",
            "hookward install claude-code",
        ),
        Some(command) => question(&command),
    });
    checks
}

/// Sends something that no version can judge, so that no hook runs and the answer is known.
fn question(command: &HookCommand) -> Check {
    let name = format!("{NAME} answers");
    let program = &command.program;
    let failed = |detail: String| Check::new(&name, State::Error, detail, REINSTALL);
    match ask(command) {
        Ok(Some(said)) if said.contains("Hookward could not judge this call") => {
            Check::ok(&name, "what cannot be judged is denied")
        }
        Ok(Some(_)) => failed(format!("{program} gave another answer than a denial")),
        Ok(None) => failed(format!(
            "{program} gave no answer in {} s",
            PATIENCE.as_secs()
        )),
        Err(error) => failed(format!("{program}: {error}")),
    }
}

/// What the registered command says on standard error; `None` where it takes too long.
fn ask(command: &HookCommand) -> std::io::Result<Option<String>> {
    let mut child = Command::new(&command.program)
        .args(&command.args)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()?;
    if let Some(mut stdin) = child.stdin.take() {
        // It may answer without reading.
        let _ = stdin.write_all(b"{}\n");
    }
    if !ended(&mut child)? {
        child.kill()?;
        child.wait()?;
        return Ok(None);
    }
    let output = child.wait_with_output()?;
    Ok(Some(String::from_utf8_lossy(&output.stderr).into_owned()))
}

fn ended(child: &mut Child) -> std::io::Result<bool> {
    let until = Instant::now() + PATIENCE;
    while child.try_wait()?.is_none() {
        if Instant::now() > until {
            return Ok(false);
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    Ok(true)
}
