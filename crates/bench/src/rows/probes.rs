//! The ways in which one hook is run: plainly, by the process crate, by the gate. Each checks that
//! the hook did what it should, since a start that failed is fast.

use std::time::{Duration, Instant};

use hookward_contract::wire::Payload;
use hookward_contract::{Call, EventName, Verdict};
use hookward_engine::Gate;
use hookward_policy::Snapshot;
use hookward_process::{Abort, Command, Containment, End, Limits};

use crate::error::{BenchError, expect};
use crate::programs::{Start, run_plain};
use crate::samples::{Probe, nanoseconds};

/// By the standard library; the program exits 0.
pub(crate) fn plain(start: Start<'_>) -> Probe<'_> {
    Box::new(move || {
        let plain = run_plain(start)?;
        expect("a plain start", &Some(0), &plain.exit)?;
        Ok(plain.nanoseconds)
    })
}

/// By the process crate; the program exits 0.
pub(crate) fn contained<'a>(
    start: Start<'a>,
    containment: Containment,
    abort: &'a Abort,
) -> Probe<'a> {
    Box::new(move || {
        let command = command(start, containment);
        let began = Instant::now();
        let finished = hookward_process::run(&command, abort);
        let time = nanoseconds(began.elapsed());
        expect("a contained start", &End::Exited(0), &finished.end)?;
        Ok(time)
    })
}

/// The command for a start, with the limits of hooks but for a deadline that no machine misses.
pub(crate) fn command(start: Start<'_>, containment: Containment) -> Command<'_> {
    Command {
        program: start.program,
        args: start.args,
        cwd: start.cwd,
        env: start.env,
        stdin: start.stdin,
        limits: Limits {
            timeout: Duration::from_secs(30),
            ..Limits::default()
        },
        containment,
    }
}

/// By the gate; `hooks` of them match and none objects.
pub(crate) fn judged<'a>(
    gate: &'a Gate,
    snapshot: &'a Snapshot,
    call: &'a Call,
    abort: &'a Abort,
    hooks: usize,
) -> Probe<'a> {
    Box::new(move || {
        let began = Instant::now();
        let judgement = gate.judge(snapshot, call, abort);
        let time = nanoseconds(began.elapsed());
        let found = judgement.map(|found| (found.verdict, found.notices, found.runs.len()));
        expect(
            "a judged call",
            &Ok((Verdict::Allow, Vec::new(), hooks)),
            &found,
        )?;
        Ok(time)
    })
}

/// What a hook reads about a call.
pub(crate) fn payload(call: &Call) -> Result<Vec<u8>, BenchError> {
    let written = serde_json::to_vec(&Payload::new(EventName::PreToolUse, call, None));
    written.map_err(|error| BenchError::io("writing a payload")(error.into()))
}
