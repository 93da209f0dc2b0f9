//! `hookward hook <agent>`: what an agent starts before each tool call. Short-lived, so it does no
//! work that a verdict does not need, and every way out of it is an answer in the agent's protocol:
//! what cannot be judged is denied, never silently allowed.

use std::io::{IsTerminal as _, Read as _, Write as _};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use camino::{Utf8Path, Utf8PathBuf};
use hookward_agents::claude_code::{self, Decoded, HostAnswer};
use hookward_contract::Call;
use hookward_engine::audit::FileAudit;
use hookward_engine::{Gate, Judgement, below_running_hook};
use hookward_policy::{Project, Snapshot};
use hookward_process::Abort;

use crate::context;
use crate::protection;

/// The variable in which Claude Code names the project of the session. It does not move when the
/// agent changes directory, so a project's policy cannot be left by a `cd`.
const SESSION_PROJECT: &str = "CLAUDE_PROJECT_DIR";

/// The arguments of `hookward hook`.
#[derive(Debug)]
pub(crate) struct HookArguments {
    pub(crate) agent: String,
    pub(crate) state_root: Option<Utf8PathBuf>,
}

impl HookArguments {
    /// The arguments of this process, if they are exactly those that `install` registers.
    pub(crate) fn of_process() -> Option<Self> {
        let mut arguments = std::env::args_os().skip(1);
        if arguments.next()?.to_str() != Some("hook") {
            return None;
        }
        let agent = arguments.next()?.into_string().ok()?;
        let state_root = match arguments.next() {
            None => None,
            Some(flag) if flag.to_str() == Some("--state-root") => {
                Some(Utf8PathBuf::from(arguments.next()?.into_string().ok()?))
            }
            Some(_) => return None,
        };
        let simple = arguments.next().is_none() && !agent.starts_with('-');
        simple.then_some(Self { agent, state_root })
    }
}

/// Reads a payload from standard input, judges it and answers.
pub(crate) fn run(arguments: &HookArguments) -> ExitCode {
    deny_on_panic();
    // A death by signal lets the call run; a record that cannot be written is an error instead.
    hookward_process::ignore_file_size_signal();
    deny_after(claude_code::ANSWER_WITHIN);
    let answer = if arguments.agent == "claude-code" {
        answer(arguments.state_root.as_deref())
    } else {
        let message = format!(
            "`hookward hook {}` names no agent that this version knows (claude-code); mend the \
             registration",
            hookward_contract::escape_for_display(&arguments.agent)
        );
        claude_code::encode_failure(None, &message)
    };
    ExitCode::from(give(&answer))
}

/// The answer to a command line that cannot be read. It may stand in an agent's settings, where any
/// status but that of a denial would let calls run.
pub(crate) fn wrong_command_line(message: &str) -> ExitCode {
    let first = message.lines().next().unwrap_or_default();
    let message = format!("its command line is wrong ({first}); mend the registration");
    ExitCode::from(give(&claude_code::encode_failure(None, &message)))
}

/// Writes an answer and returns its exit code. Only the first answer of a process counts. What an
/// agent could not read was not said, so an answer that cannot be written is a denial.
fn give(answer: &HostAnswer) -> u8 {
    static GIVEN: AtomicBool = AtomicBool::new(false);
    if GIVEN.swap(true, Ordering::SeqCst) {
        // Another thread is about to end the process with its answer.
        loop {
            std::thread::park();
        }
    }
    let _ = std::io::stderr().write_all(answer.stderr.as_bytes());
    let mut stdout = std::io::stdout();
    let written = stdout
        .write_all(answer.stdout.as_bytes())
        .and_then(|()| stdout.flush());
    if written.is_err() { DENY } else { answer.exit }
}

/// The status that agents read as a denial, whatever else they can read.
const DENY: u8 = 2;

/// A fault of this program must not become an allow: agents let a call run whose hook died.
fn deny_on_panic() {
    std::panic::set_hook(Box::new(|fault| {
        let place = fault
            .location()
            .map_or_else(String::new, |at| format!(" at {at}"));
        end_with_failure(&format!("Hookward itself failed{place}"));
    }));
}

/// The answer has to be there before the agent stops waiting for it, or the call would run. Covers
/// everything: the payload, the policy files, the hooks, the audit.
fn deny_after(limit: Duration) {
    let watch = move || {
        std::thread::sleep(limit);
        let seconds = limit.as_secs();
        end_with_failure(&format!("no verdict was reached within {seconds} s"));
    };
    // Without this thread each hook still has its own limit.
    let _ = std::thread::Builder::new()
        .stack_size(64 * 1024)
        .spawn(watch);
}

/// Denies and ends the process; hooks that run end with it.
fn end_with_failure(message: &str) {
    let code = give(&claude_code::encode_failure(None, message));
    std::process::exit(code.into());
}

/// For a person who typed what an agent starts.
const WAITING: &[u8] =
    b"Waiting for a payload on standard input, as agents send it. To try a call: \
    hookward test --tool Bash --input '{\"command\": \"ls\"}'\n";

/// One byte more than a payload may have, so that a longer one is seen to be longer.
const LIMIT: u64 = claude_code::MAX_PAYLOAD_BYTES as u64 + 1;

fn answer(state_root: Option<&Utf8Path>) -> HostAnswer {
    if std::io::stdin().is_terminal() {
        let _ = std::io::stderr().write_all(WAITING);
    }
    let mut payload = Vec::new();
    let read = std::io::stdin()
        .lock()
        .take(LIMIT)
        .read_to_end(&mut payload);
    if let Err(error) = read {
        return claude_code::encode_failure(None, &format!("the payload was not read: {error}"));
    }
    // A hook that starts an agent must not be judged by hooks again, without end.
    if below_running_hook() {
        return HostAnswer::no_opinion();
    }
    match claude_code::decode(&payload) {
        Ok(Decoded::Judge {
            event_name, call, ..
        }) => match judge(state_root, &call) {
            Ok(judged) => claude_code::encode(&event_name, &judged.verdict, &judged.all_notices()),
            Err(message) => claude_code::encode_failure(Some(&event_name), &message),
        },
        Ok(Decoded::NoPolicy { .. }) => HostAnswer::no_opinion(),
        Err(error) => claude_code::encode_failure(error.event_name(), &error.to_string()),
    }
}

fn judge(given: Option<&Utf8Path>, call: &Call) -> Result<Judgement, String> {
    let state_root = context::state_root(given).map_err(|error| error.to_string())?;
    if given.is_some() && !state_root.path().is_dir() {
        // Registered with a folder that held a policy; that it is gone is not "no hooks".
        return Err(format!(
            "the folder of the user's hooks, {}, is gone",
            state_root.path()
        ));
    }
    let folder = context::variable(SESSION_PROJECT)
        .and_then(|folder| Call::clean_cwd(&folder).ok())
        .unwrap_or_else(|| call.cwd.clone());
    let project = Project::of_session(&folder).map_err(|error| error.to_string())?;
    let snapshot = Snapshot::load(&state_root, &project);
    let audit = Arc::new(FileAudit::new(state_root.audit_dir()));
    let gate =
        Gate::new(&context::hook_environment(), audit).with_protection(protection::of(&snapshot));
    let abort = Abort::new().map_err(|error| format!("no file descriptor is left: {error}"))?;
    gate.judge(&snapshot, call, &abort)
        .map_err(|aborted| aborted.to_string())
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use std::time::Duration;

    use super::{deny_after, deny_on_panic};

    const CHILD: &str = "HOOKWARD_TEST_PANIC";

    /// Runs itself once more, where it panics, in the thread of the verdict or in another, or waits.
    #[test]
    fn a_fault_and_a_passed_deadline_are_denials() {
        if let Ok(place) = std::env::var(CHILD) {
            deny_on_panic();
            if place == "deadline" {
                deny_after(Duration::from_millis(20));
                loop {
                    std::thread::park();
                }
            }
            if place == "thread" {
                let _ = std::thread::spawn(|| panic!("a fault")).join();
            }
            panic!("a fault");
        }
        let fault = "Hookward itself failed at";
        for (place, words) in [
            ("here", fault),
            ("thread", fault),
            ("deadline", "no verdict was reached"),
        ] {
            let run = Command::new(std::env::current_exe().unwrap())
                .args([
                    "--exact",
                    "commands::hook::tests::a_fault_and_a_passed_deadline_are_denials",
                    "--nocapture",
                ])
                .env(CHILD, place)
                .output()
                .unwrap();
            assert_eq!(run.status.code(), Some(2));
            let said = String::from_utf8_lossy(&run.stderr);
            assert!(said.contains(words), "{said}");
            let answer = String::from_utf8_lossy(&run.stdout);
            assert!(
                answer.contains(r#""permissionDecision":"deny""#),
                "{answer}"
            );
        }
    }
}
