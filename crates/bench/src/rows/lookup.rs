//! What a call costs for which no hook was configured, or none that matches: a look into a
//! snapshot that is held.

use std::hint::black_box;
use std::sync::Arc;

use hookward_contract::{Call, EventName};
use hookward_engine::Gate;
use hookward_engine::audit::MemoryAudit;
use hookward_policy::{KindSet, Snapshot};
use hookward_process::Abort;
use serde_json::Value;

use crate::Bench;
use crate::error::{BenchError, expect};
use crate::report::{Measured, Row, Target};
use crate::samples::{Probe, Series, interleave, mean_of};
use crate::scene::{Scene, gate, groups, handler, typical_input};

/// Calls whose mean is one sample: a clock read costs as much as a lookup.
const CALLS: u32 = 64;
/// Hooks that a file can hold.
const FILE: usize = 128;

/// One set of hooks, none of which matches.
struct Set {
    name: &'static str,
    hooks: usize,
    /// Tools that each hook names.
    tools: usize,
    most_p50: f64,
}

const SETS: [Set; 4] = [
    Set {
        name: "no hooks",
        hooks: 0,
        tools: 0,
        most_p50: 50.0,
    },
    Set {
        name: "1 hook",
        hooks: 1,
        tools: 1,
        most_p50: 50.0,
    },
    Set {
        name: "100 hooks",
        hooks: 100,
        tools: 1,
        most_p50: 50.0,
    },
    // As many as two files can hold; an index of names does not know how many hooks share them.
    Set {
        name: "256 hooks that name 1,024 tools",
        hooks: 2 * FILE,
        tools: 4,
        most_p50: 100.0,
    },
];

/// Names that no hook covers: one that differs in its first byte, and one that shares all but the
/// last part with many that are covered.
const NAMES: [(&str, &str); 2] = [
    ("none matches", "Read"),
    (
        "none matches, many begin like the name",
        "mcp__server7__absent",
    ),
];

pub(crate) fn measure(bench: &mut Bench) -> Result<(), BenchError> {
    bench.cores.pin()?;
    let rounds = bench.rounds(20_000, 500);
    let abort = Abort::new().map_err(BenchError::io("making an abort"))?;
    let gate = gate(Arc::new(MemoryAudit::default()));
    for set in &SETS {
        let scene = set.scene()?;
        let snapshot = scene.snapshot();
        // Without hooks all names are alike.
        for (kind, name) in NAMES.into_iter().take(1 + set.hooks.min(1)) {
            let call = scene.call(name, &typical_input())?;
            let found = (snapshot.hooks().len(), matching(&snapshot, &call));
            expect(set.name, &(set.hooks, 0), &found)?;
            let judge = || drop(black_box(gate.judge(&snapshot, black_box(&call), &abort)));
            let look = || {
                black_box(matching(&snapshot, black_box(&call)));
            };
            let mut probes: [Probe<'_>; 3] = [
                Box::new(|| Ok(mean_of(CALLS, || nothing(black_box(&call))))),
                Box::new(|| Ok(mean_of(CALLS, look))),
                Box::new(|| Ok(mean_of(CALLS, judge))),
            ];
            let [empty, looked, judged] = three(interleave(rounds, &mut probes)?);
            let targets = vec![Target::P50(set.most_p50), Target::P99(1_000.0)];
            for (what, ours) in [("Snapshot::matching", looked), ("Gate::judge", judged)] {
                bench.report.add(Row {
                    what: format!("{what}, {}, {kind}", set.name),
                    baseline: Measured {
                        what: "empty function".to_owned(),
                        series: empty.clone(),
                    },
                    ours,
                    targets: targets.clone(),
                });
            }
        }
    }
    single_calls(bench, &gate, &abort)
}

/// Each call timed on its own, for the far end of the distribution.
fn single_calls(bench: &mut Bench, gate: &Gate, abort: &Abort) -> Result<(), BenchError> {
    let [.., largest] = &SETS;
    let scene = largest.scene()?;
    let snapshot = scene.snapshot();
    let call = scene.call("Read", &typical_input())?;
    let judge = || drop(black_box(gate.judge(&snapshot, black_box(&call), abort)));
    let mut probes: [Probe<'_>; 2] = [
        Box::new(|| Ok(mean_of(1, || nothing(black_box(&call))))),
        Box::new(|| Ok(mean_of(1, judge))),
    ];
    let [empty, judged, _] = three(interleave(bench.rounds(200_000, 5_000), &mut probes)?);
    bench.report.add(Row {
        what: format!(
            "Gate::judge, {}, each call timed alone, two clock reads included",
            largest.name
        ),
        baseline: Measured {
            what: "empty function, timed so".to_owned(),
            series: empty,
        },
        ours: judged,
        targets: vec![Target::P99(1_000.0)],
    });
    Ok(())
}

#[inline(never)]
fn nothing(call: &Call) {
    black_box(call);
}

fn matching(snapshot: &Snapshot, call: &Call) -> usize {
    snapshot
        .matching(EventName::PreToolUse, call.tool_names(), &KindSet::default)
        .count()
}

/// The first three series; empty ones where there are fewer.
fn three(series: Vec<Series>) -> [Series; 3] {
    let mut series = series.into_iter();
    [(); 3].map(|()| series.next().unwrap_or_default())
}

impl Set {
    /// Half of the hooks are the user's, half the project's.
    fn scene(&self) -> Result<Scene, BenchError> {
        let all: Vec<Value> = (0..self.hooks).map(|hook| self.group(hook)).collect();
        let (user, project) = all.split_at(all.len().min(FILE));
        Scene::with_hooks(user, project)
    }

    fn group(&self, hook: usize) -> Value {
        let first = hook * self.tools;
        let names = (first..first + self.tools)
            .map(|tool| format!("mcp__server{}__tool{tool}", tool % 17))
            .collect::<Vec<_>>();
        let handlers = [handler(&format!("hook-{hook}"), "/bin/true".as_ref(), &[])];
        groups(&names.join("|"), &handlers)
            .pop()
            .unwrap_or_default()
    }
}
