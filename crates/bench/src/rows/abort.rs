//! Giving up on a hook that has started twenty processes which do not want to die.

use std::time::{Duration, Instant};

use hookward_process::{Abort, Cleanup, End, Finished, strongest};
use hookward_testkit::{survivors, unique_marker};

use super::probes::command;
use crate::Bench;
use crate::error::{BenchError, expect};
use crate::programs::{Programs, Start};
use crate::report::{Measured, Row, Target};
use crate::samples::{Series, nanoseconds};

/// Descendants of the adversary.
const PROCESSES: usize = 20;
/// How long the descendants may take to be there, and to be gone.
const PATIENCE: Duration = Duration::from_secs(10);

/// One hook that is given up.
struct Given {
    /// From the request to the answer.
    returned: f64,
    /// From the request to a look at all processes of the machine that finds none of them.
    gone: f64,
}

pub(crate) fn measure(bench: &mut Bench) -> Result<(), BenchError> {
    bench.cores.release()?;
    let (mut single, mut many) = (Vec::new(), Vec::new());
    for _ in 0..bench.rounds(300, 10) {
        single.push(give_up(&bench.programs, None)?);
        many.push(give_up(&bench.programs, Some("mixed"))?);
    }
    let series =
        |given: &[Given], time: fn(&Given) -> f64| Series::new(given.iter().map(time).collect());
    let level = strongest();
    let returned: fn(&Given) -> f64 = |given| given.returned;
    let gone: fn(&Given) -> f64 = |given| given.gone;
    for (what, time) in [
        ("from the request to the answer, none left", returned),
        ("from the request to a scan of /proc that finds none", gone),
    ] {
        bench.report.add(Row {
            what: format!("abort of {PROCESSES} adversarial processes, {level}: {what}"),
            baseline: Measured {
                what: "abort of one sleeping process".to_owned(),
                series: series(&single, time),
            },
            ours: series(&many, time),
            targets: vec![Target::P99(5e6)],
        });
    }
    Ok(())
}

fn give_up(programs: &Programs, mode: Option<&str>) -> Result<Given, BenchError> {
    let marker = unique_marker();
    let first = mode.map_or(format!("noread:{marker}"), |mode| {
        format!("spawn:{mode}:{marker}")
    });
    let (args, expected) = (
        [first, "sleep:20000".to_owned()],
        mode.map_or(1, |_| PROCESSES),
    );
    let start = Start {
        program: &programs.scripted,
        args: &args,
        cwd: "/".as_ref(),
        env: &[],
        stdin: &[],
    };
    let mut command = command(start, strongest());
    command.limits.timeout = 2 * PATIENCE;
    let abort = Abort::new().map_err(BenchError::io("making an abort"))?;
    let (began, ended) = std::thread::scope(|scope| {
        let running = scope.spawn(|| (hookward_process::run(&command, &abort), Instant::now()));
        let there = wait_until(|| survivors(&marker).len() >= expected);
        let began = Instant::now();
        abort.abort();
        (there.then_some(began), running.join())
    });
    let gone = wait_until(|| survivors(&marker).is_empty());
    let seen = Instant::now();
    let ended = ended
        .ok()
        .map(|(Finished { end, cleanup, .. }, at)| ((end, cleanup), at));
    expect("an abort", &(true, true), &(began.is_some(), gone))?;
    expect(
        "an abort",
        &Some((End::Aborted, Cleanup::Confirmed)),
        &ended.clone().map(|(end, _)| end),
    )?;
    let since = |later: Option<Instant>| match (began, later) {
        (Some(began), Some(later)) => nanoseconds(later.saturating_duration_since(began)),
        _ => f64::INFINITY,
    };
    Ok(Given {
        returned: since(ended.map(|(_, at)| at)),
        gone: since(Some(seen)),
    })
}

/// Whether a condition came to hold within the bound.
fn wait_until(condition: impl Fn() -> bool) -> bool {
    let until = Instant::now() + PATIENCE;
    while !condition() {
        if Instant::now() > until {
            return false;
        }
        std::thread::yield_now();
    }
    true
}
