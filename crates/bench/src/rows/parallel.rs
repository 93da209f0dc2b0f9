//! Many hooks of one call: they wait at the same time, not one after the other.

use std::sync::Arc;

use hookward_engine::audit::MemoryAudit;
use hookward_process::Abort;
use serde_json::Value;

use super::probes::judged;
use crate::Bench;
use crate::error::BenchError;
use crate::report::{Measured, Row, Target};
use crate::samples::interleave;
use crate::scene::{Scene, gate, groups, handler, typical_input};

/// Hooks of the large call; as many as run at once on the smallest machine.
const HOOKS: usize = 8;

pub(crate) fn measure(bench: &mut Bench) -> Result<(), BenchError> {
    bench.cores.release()?;
    let abort = Abort::new().map_err(BenchError::io("making an abort"))?;
    let sleeper = |index: usize| {
        handler(
            &format!("sleeper-{index}"),
            &bench.programs.scripted,
            &["sleep:200"],
        )
    };
    let sleepers: Vec<Value> = (0..HOOKS).map(sleeper).collect();
    let one = Scene::with_user_hooks(&groups("*", &[sleeper(0)]))?;
    let many = Scene::with_user_hooks(&groups("*", &sleepers))?;
    let (one_snapshot, many_snapshot) = (one.snapshot(), many.snapshot());
    let call = one.call("Bash", &typical_input())?;
    let gate = gate(Arc::new(MemoryAudit::default()));
    let mut probes = [
        judged(&gate, &one_snapshot, &call, &abort, 1),
        judged(&gate, &many_snapshot, &call, &abort, HOOKS),
    ];
    let mut series = interleave(bench.rounds(30, 3), &mut probes)?.into_iter();
    bench.report.add(Row {
        what: format!("Gate::judge, {HOOKS} hooks that sleep 200 ms each"),
        baseline: Measured {
            what: "one of them".to_owned(),
            series: series.next().unwrap_or_default(),
        },
        ours: series.next().unwrap_or_default(),
        targets: vec![Target::Ratio(1.2)],
    });
    Ok(())
}
