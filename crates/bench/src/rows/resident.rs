//! A start out of a process that holds much memory: a start that copied page tables would take
//! longer the more there is.

use std::hint::black_box;

use hookward_process::{Abort, strongest};

use super::probes::contained;
use crate::Bench;
use crate::error::BenchError;
use crate::machine::available_mib;
use crate::programs::Start;
use crate::report::{Measured, Row, Target};
use crate::samples::{Series, interleave};

/// How often small and large take turns.
const TURNS: usize = 3;
/// What must stay free beside the memory that is held.
const SPARE_MIB: u64 = 1024;

pub(crate) fn measure(bench: &mut Bench) -> Result<(), BenchError> {
    bench.cores.pin()?;
    let held_mib = if bench.short { 1024 } else { 4096 };
    if available_mib() < held_mib + SPARE_MIB {
        bench.report.note(format!(
            "start with {held_mib} MiB resident: not measured, since less than {} MiB are free",
            held_mib + SPARE_MIB
        ));
        return Ok(());
    }
    let abort = Abort::new().map_err(BenchError::io("making an abort"))?;
    let start = Start {
        program: "/bin/true".as_ref(),
        args: &[],
        cwd: "/".as_ref(),
        env: &[],
        stdin: &[b'x'; 400],
    };
    let rounds = bench.rounds(600, 30);
    let block = || interleave(rounds, &mut [contained(start, strongest(), &abort)]);
    let (mut small, mut large) = (Vec::new(), Vec::new());
    for _ in 0..TURNS {
        small.extend(block()?);
        // Filled with other than zeroes, so that every page is there.
        let held = vec![1_u8; usize::try_from(held_mib << 20).unwrap_or_default()];
        black_box(&held);
        large.extend(block()?);
    }
    bench.report.add(Row {
        what: format!(
            "process::run, {}: /bin/true, {held_mib} MiB resident",
            strongest()
        ),
        baseline: Measured {
            what: "itself with a small parent".to_owned(),
            series: Series::joined(small),
        },
        ours: Series::joined(large),
        targets: vec![Target::Ratio(1.1)],
    });
    Ok(())
}
