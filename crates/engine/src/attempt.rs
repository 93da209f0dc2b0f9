//! Starts the matching handlers of one call, all of them whatever the others answer, each under the
//! process-wide limit, and waits for every one. It reads no answers and joins no verdicts.

use std::sync::OnceLock;
use std::time::Duration;

use hookward_contract::wire::{Payload, PayloadV2};
use hookward_contract::{Call, Cause, HookRun};
use hookward_policy::{
    ChangedWhat, CommandHandler, ContainmentMode, FormatVersion, Handler, Hook, Snapshot, Trust,
    nearest_directory,
};
use hookward_process::{Abort, Command, Containment, End, Finished, Limits, strongest};

use crate::answer::{self, Reading, failed, no_verdict};
use crate::limiter::{Limiter, NotAdmitted};

/// Most handlers that one call may start; further ones give no verdict (`queue`).
pub const MAX_HANDLERS_PER_CALL: usize = 64;

/// Stack of a thread that waits for one handler; it only polls.
const WAITER_STACK: usize = 256 * 1024;

/// How a handler's process went.
#[derive(Debug, Clone, Copy)]
pub struct ProcessReport {
    /// From its start to its end.
    pub duration: Duration,
    /// Exit status, where it exited.
    pub exit: Option<i32>,
    /// Bytes written to standard output, kept or not.
    pub stdout_bytes: u64,
    /// Bytes written to standard error, kept or not.
    pub stderr_bytes: u64,
    /// How its process tree was contained.
    pub containment: Containment,
}

/// A matching hook and what became of it.
#[derive(Debug)]
pub(crate) struct Attempt<'a> {
    pub(crate) hook: &'a Hook,
    pub(crate) queue: Duration,
    pub(crate) process: Option<ProcessReport>,
    pub(crate) reading: Reading,
}

/// What all handlers of a call have in common.
pub(crate) struct Attempts<'a> {
    pub(crate) snapshot: &'a Snapshot,
    pub(crate) call: &'a Call,
    pub(crate) abort: &'a Abort,
    pub(crate) variables: &'a [(String, String)],
    /// Instead of the one that all gates share.
    pub(crate) limiter: Option<&'a Limiter>,
    /// Instead of the strongest; finding that out costs a start, so it waits for the first hook
    /// that is started.
    pub(crate) containment: Option<Containment>,
}

impl Attempts<'_> {
    /// One attempt per hook, in the order of `hooks`.
    pub(crate) fn make<'h>(&self, hooks: &[&'h Hook]) -> Vec<Attempt<'h>> {
        let v1_payload = OnceLock::new();
        let run = |hook: &'h Hook| self.run(hook, &v1_payload);
        let mut starts = 0;
        let planned: Vec<(&'h Hook, Option<HookRun>)> = hooks
            .iter()
            .map(|hook| {
                // Hooks that do not start use up none of the places.
                let refusal = not_startable(hook).or_else(|| {
                    starts += 1;
                    (starts > MAX_HANDLERS_PER_CALL).then(too_many)
                });
                (*hook, refusal)
            })
            .collect();
        if starts <= 1 {
            let settle = |(hook, refusal): (&'h Hook, Option<HookRun>)| {
                refusal.map_or_else(|| run(hook), |refusal| not_run(hook, refusal))
            };
            return planned.into_iter().map(settle).collect();
        }
        std::thread::scope(|scope| {
            let run = &run;
            let started: Vec<_> = planned
                .into_iter()
                .map(|(hook, refusal)| {
                    let thread = refusal.map_or_else(
                        || {
                            let builder = std::thread::Builder::new().stack_size(WAITER_STACK);
                            Ok(builder.spawn_scoped(scope, move || run(hook)))
                        },
                        Err,
                    );
                    (hook, thread)
                })
                .collect();
            started
                .into_iter()
                .map(|(hook, thread)| match thread {
                    Err(refusal) => not_run(hook, refusal),
                    Ok(thread) => joined(thread).unwrap_or_else(|run| not_run(hook, run)),
                })
                .collect()
        })
    }

    fn run<'h>(&self, hook: &'h Hook, v1_payload: &OnceLock<Vec<u8>>) -> Attempt<'h> {
        match &hook.handler {
            Handler::Command(command) => self.start(hook, command, v1_payload),
            // Its failure mode decides, which is to block where the file names none.
            Handler::Rule(_) => {
                let detail = "rules are not judged by this release";
                not_run(hook, no_verdict(Cause::Evaluation, detail))
            }
        }
    }

    fn start<'h>(
        &self,
        hook: &'h Hook,
        command: &CommandHandler,
        v1_payload: &OnceLock<Vec<u8>>,
    ) -> Attempt<'h> {
        let limiter = self.limiter.unwrap_or_else(|| Limiter::process_wide());
        let permit = match limiter.acquire(self.abort) {
            Ok(permit) => permit,
            Err(NotAdmitted::Aborted) => {
                let reading = Reading::Aborted;
                return Attempt {
                    hook,
                    queue: Duration::ZERO,
                    process: None,
                    reading,
                };
            }
            Err(error @ NotAdmitted::Exhausted) => {
                return not_run(hook, no_verdict(Cause::Queue, error.to_string()));
            }
        };
        let own;
        let stdin = match hook.format {
            FormatVersion::V1 => v1_payload.get_or_init(|| self.payload(hook, command)),
            FormatVersion::V2 => {
                own = self.payload(hook, command);
                &own
            }
        };
        let finished = hookward_process::run(
            &Command {
                program: command.command.as_std_path(),
                args: &command.args,
                // A directory that was removed is no reason to leave a call unjudged.
                cwd: nearest_directory(&self.call.cwd).as_std_path(),
                env: self.variables,
                stdin,
                limits: Limits {
                    timeout: Duration::from_millis(command.timeout_ms.into()),
                    ..Limits::default()
                },
                containment: self.containment(command),
            },
            self.abort,
        );
        let queue = permit.waited;
        drop(permit);
        let process = process_report(&finished);
        Attempt {
            hook,
            queue,
            process,
            reading: answer::read(hook, command, &self.call.cwd, &finished),
        }
    }

    fn containment(&self, command: &CommandHandler) -> Containment {
        match command.containment {
            ContainmentMode::Full => self.containment.unwrap_or_else(strongest),
            ContainmentMode::Group => Containment::Group,
        }
    }

    fn payload(&self, hook: &Hook, command: &CommandHandler) -> Vec<u8> {
        let call = self.call;
        let v2 = (hook.format == FormatVersion::V2).then(|| PayloadV2 {
            hook_id: &hook.id,
            source: hook.source,
            deadline_ms: command.timeout_ms.into(),
            project_root: self.snapshot.project().root.as_str(),
            agent_id: call.agent_id.as_deref(),
            agent_type: call.agent_type.as_deref(),
            parent_tool_use_id: call.parent_tool_use_id.as_deref(),
            native_tool_name: call
                .native_tool
                .as_ref()
                .map(hookward_contract::ToolName::as_str),
        });
        // Strings, numbers and one checked raw value: there is nothing here that can fail to
        // serialize, and an empty document would be refused by any hook that reads it.
        serde_json::to_vec(&Payload::new(hook.event, call, v2)).unwrap_or_default()
    }
}

/// Waits for a thread that runs a handler.
fn joined<'h>(
    thread: std::io::Result<std::thread::ScopedJoinHandle<'_, Attempt<'h>>>,
) -> Result<Attempt<'h>, HookRun> {
    let failed = |detail: String| no_verdict(Cause::Spawn, detail);
    thread
        .map_err(|error| failed(format!("no thread could be started for it: {error}")))?
        .join()
        .map_err(|_| failed("its thread ended early".to_owned()))
}

fn not_run(hook: &Hook, run: HookRun) -> Attempt<'_> {
    Attempt {
        hook,
        queue: Duration::ZERO,
        process: None,
        reading: Reading::Run(run),
    }
}

fn too_many() -> HookRun {
    let detail = format!("more than {MAX_HANDLERS_PER_CALL} hooks would start for this call");
    no_verdict(Cause::Queue, detail)
}

/// Why a hook may not be started in its present state.
fn not_startable(hook: &Hook) -> Option<HookRun> {
    let cause = hook.trust.skip_cause()?;
    let detail = match &hook.trust {
        Trust::UntrustedWorkspace => "its project was never trusted".to_owned(),
        Trust::Changed(ChangedWhat::Definition { .. }) => {
            "its definition changed since it was reviewed".to_owned()
        }
        Trust::Changed(ChangedWhat::Pin { path }) => {
            format!("{path} changed since it was reviewed")
        }
        Trust::Unknown => "the trust store cannot be read, so nothing is trusted".to_owned(),
        Trust::BrokenSource => {
            format!("the {} hooks file that held it cannot be read", hook.source)
        }
        _ => "it was never reviewed".to_owned(),
    };
    let id = &hook.id;
    let advice = match (cause, &hook.trust) {
        (Cause::BrokenSource, _) => "`hookward doctor` says what is wrong".to_owned(),
        (_, Trust::UntrustedWorkspace) => {
            "`hookward review`, then `hookward trust --all`".to_owned()
        }
        _ => format!("`hookward review {id}`, then `hookward trust {id}`"),
    };
    Some(failed(cause, &detail, &advice))
}

fn process_report(finished: &Finished) -> Option<ProcessReport> {
    let exit = match finished.end {
        End::NotStarted(_) => return None,
        End::Exited(status) => Some(status),
        _ => None,
    };
    Some(ProcessReport {
        duration: finished.duration,
        exit,
        stdout_bytes: finished.stdout.total,
        stderr_bytes: finished.stderr.total,
        containment: finished.containment,
    })
}
