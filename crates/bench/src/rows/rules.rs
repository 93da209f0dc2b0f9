//! Rules: what a call would do, what rules over that cost in the process, in a whole start, and over
//! a history of calls.

use std::hint::black_box;
use std::sync::Arc;

use camino::Utf8PathBuf;
use hookward_contract::Call;
use hookward_engine::audit::{AuditError, AuditRecord, AuditSink};
use hookward_engine::{Gate, RealFiles};
use hookward_policy::Snapshot;
use hookward_process::Abort;
use hookward_replay::{Histories, Judge, Outcome, ReadOptions, Recorded, Replay, ReplayOptions};
use hookward_rules::{Effects, NoFiles, Observation, Rule, Scene as RuleScene};
use jiff::Timestamp;
use serde_json::{Value, json};

use super::hook_path::{self, Case};
use super::policies::{compiled, history_line, long_text, rule, some_rules, strange_rules};
use crate::Bench;
use crate::error::{BenchError, expect};
use crate::report::{Measured, Row, Target};
use crate::samples::{Probe, Series, interleave, mean_of};
use crate::scene::{Scene, gate, groups, typical_input};

/// Calls whose mean is one sample.
const CALLS: u32 = 16;
/// Calls of the history.
const HISTORY: u32 = 10_000;
/// What one rule may cost with what the call would do, in nanoseconds.
const ONE: f64 = 10_000.0;

pub(crate) fn measure(bench: &mut Bench) -> Result<(), BenchError> {
    bench.cores.pin()?;
    in_the_gate(bench)?;
    that_match_none(bench)?;
    replayed(bench)?;
    let case = Case::new(
        "10 trusted rules, judged, none concerned",
        Scene::with_user_hooks(&groups("*", &some_rules(10)))?,
        vec![Target::Ratio(1.7), Target::P50(1.3e6), Target::P99(2e6)],
    );
    hook_path::together(bench, &[case], &hook_path::environment(), "").map(drop)
}

/// Rules on one call, judged by the gate.
struct Judged {
    what: &'static str,
    scene: Scene,
    call: Call,
    verdict: &'static str,
    targets: Vec<Target>,
}

impl Judged {
    fn new(what: &'static str, rules: &[Value], input: &Value) -> Result<Self, BenchError> {
        let scene = Scene::with_user_hooks(&groups("*", rules))?;
        let call = scene.call("Bash", input)?;
        Ok(Self {
            what,
            scene,
            call,
            verdict: "allow",
            targets: vec![Target::P50(ONE)],
        })
    }

    /// The same that denies the call.
    fn denying(self) -> Self {
        Self {
            verdict: "deny",
            ..self
        }
    }

    /// The same with another limit, in nanoseconds.
    fn within(self, most: f64) -> Self {
        Self {
            targets: vec![Target::P50(most)],
            ..self
        }
    }
}

fn cases() -> Result<[Judged; 6], BenchError> {
    let typical = typical_input();
    let one = |fields: Value| [rule("one", fields)];
    let clock = "now.getHours('Europe/Berlin') >= 25";
    let written = "effects.exists(e, e.kind == 'write' && e.path.startsWith('/etc/'))";
    Ok([
        Judged::new(
            "1 rule that does not fit",
            &one(json!({"exec": "git push"})),
            &typical,
        )?,
        Judged::new(
            "1 rule that denies",
            &one(json!({"exec": "cargo test"})),
            &typical,
        )?
        .denying(),
        Judged::new(
            "1 rule with a condition on the clock",
            &one(json!({"exec": "git", "when": clock})),
            &typical,
        )?,
        Judged::new(
            "1 rule with a condition on effects",
            &one(json!({"exec": "git", "when": written})),
            &typical,
        )?,
        Judged::new("100 rules", &some_rules(100), &typical)?.within(100_000.0),
        Judged::new(
            "1 rule on a shell text of 2 KB",
            &one(json!({"exec": "git push", "when": "true"})),
            &json!({"command": long_text()}),
        )?
        .within(50_000.0),
    ])
}

fn in_the_gate(bench: &mut Bench) -> Result<(), BenchError> {
    let abort = Abort::new().map_err(BenchError::io("making an abort"))?;
    let gate = gate(Arc::new(Discard));
    let cases = cases()?;
    let snapshots: Vec<Arc<Snapshot>> = cases.iter().map(|case| case.scene.snapshot()).collect();
    for (case, snapshot) in cases.iter().zip(&snapshots) {
        let judged = gate.judge(snapshot, &case.call, &abort);
        let verdict = judged.map(|judged| judged.verdict.as_str());
        expect(case.what, &Ok(case.verdict), &verdict)?;
    }
    let [first, ..] = &cases;
    let typical = Facts::of(first);
    let mut probes: Vec<Probe<'_>> = vec![
        Box::new(|| Ok(mean_of(CALLS, || nothing(black_box(&first.call))))),
        Box::new(|| {
            Ok(mean_of(CALLS, || {
                drop(black_box(typical.effects(&first.call)));
            }))
        }),
    ];
    for (case, snapshot) in cases.iter().zip(&snapshots) {
        probes.push(judging(&gate, snapshot, &case.call, &abort));
    }
    let mut series = interleave(bench.rounds(5_000, 200), &mut probes)?.into_iter();
    let empty = series.next().unwrap_or_default();
    let effects = (
        "Effects::of, a typical Bash call".to_owned(),
        vec![Target::P50(ONE)],
    );
    let judged = cases.iter().map(|case| {
        (
            format!("Gate::judge, effects included: {}", case.what),
            case.targets.clone(),
        )
    });
    for ((what, targets), ours) in std::iter::once(effects).chain(judged).zip(series) {
        add(bench, what, ("empty function", &empty), ours, targets);
    }
    Ok(())
}

/// As many rules as no file holds, of which a glance tells that they do not concern the call; and as
/// many as one file holds.
fn that_match_none(bench: &mut Bench) -> Result<(), BenchError> {
    let abort = Abort::new().map_err(BenchError::io("making an abort"))?;
    let gate = gate(Arc::new(Discard));
    let scenes = [10, 128].map(|count| Judged::new("", &strange_rules(count), &typical_input()));
    let [few, full] = scenes;
    let (few, full) = (few?, full?);
    let snapshots = [few.scene.snapshot(), full.scene.snapshot()];
    let rules = compiled(&snapshots[1]);
    let rules: Vec<&Rule> = rules.iter().cycle().take(1_000).collect();
    expect("rules to look at", &1_000, &rules.len())?;
    let facts = Facts::of(&few);
    let looked = |count: usize| -> Probe<'_> {
        let (facts, rules, call) = (&facts, &rules, &few.call);
        Box::new(move || {
            let look = || {
                let seen = facts.concerned(black_box(call), rules.iter().take(count).copied());
                black_box(seen);
            };
            Ok(mean_of(CALLS, look))
        })
    };
    expect(
        "rules that are concerned",
        &0,
        &facts.concerned(&few.call, rules.iter().copied()),
    )?;
    let mut probes = [
        looked(10),
        looked(1_000),
        judging(&gate, &snapshots[0], &few.call, &abort),
        judging(&gate, &snapshots[1], &full.call, &abort),
    ];
    let mut series = interleave(bench.rounds(5_000, 200), &mut probes)?.into_iter();
    for what in [
        "Effects::of and 1,000 rules that match none",
        "Gate::judge, 128 rules that match none",
    ] {
        let (ten, more) = (
            series.next().unwrap_or_default(),
            series.next().unwrap_or_default(),
        );
        add(
            bench,
            what.to_owned(),
            ("itself with 10", &ten),
            more,
            vec![Target::Ratio(2.0)],
        );
    }
    Ok(())
}

/// A history of calls put to ten rules, next to reading it.
fn replayed(bench: &mut Bench) -> Result<(), BenchError> {
    let case = Judged::new("", &some_rules(10), &typical_input())?;
    let rules = compiled(&case.scene.snapshot());
    let file = case.scene.project.root.join("calls.jsonl");
    let lines: String = (0..HISTORY).map(history_line).collect();
    std::fs::write(&file, lines).map_err(BenchError::io("writing a history"))?;
    let facts = Facts::of(&case);
    let by_rules = |recorded: &Recorded| {
        black_box(facts.concerned(&recorded.call, rules.iter()));
        Outcome::default()
    };
    let unjudged = |_: &Recorded| Outcome::default();
    let run = |judge: &dyn Judge| {
        let options = ReadOptions {
            format: None,
            cwd: facts.project.clone(),
        };
        let mut histories = Histories::open(std::slice::from_ref(&file), options);
        Replay::new(judge, ReplayOptions::default())
            .run(&mut histories, &mut |_| ())
            .calls
    };
    expect("calls of a history", &u64::from(HISTORY), &run(&by_rules))?;
    let timed = |judge: &dyn Judge| {
        mean_of(1, || {
            black_box(run(judge));
        }) / f64::from(HISTORY)
    };
    let mut probes: [Probe<'_>; 2] = [
        Box::new(|| Ok(timed(&unjudged))),
        Box::new(|| Ok(timed(&by_rules))),
    ];
    let mut series = interleave(bench.rounds(60, 6), &mut probes)?.into_iter();
    let (read, judged) = (
        series.next().unwrap_or_default(),
        series.next().unwrap_or_default(),
    );
    let what = format!("replay of {HISTORY} calls with 10 rules, per call");
    // 200,000 calls per second.
    add(
        bench,
        what,
        ("reading them", &read),
        judged,
        vec![Target::P50(5_000.0)],
    );
    Ok(())
}

/// What rules know of the world here.
struct Facts {
    project: Utf8PathBuf,
}

impl Facts {
    fn of(case: &Judged) -> Self {
        Self {
            project: case.scene.project.root.clone(),
        }
    }

    fn effects(&self, call: &Call) -> Effects {
        let observation = Observation {
            files: &RealFiles,
            ..self.observation()
        };
        Effects::of(call, &observation)
    }

    /// How many rules concern a call, seen without a file system as replay does.
    fn concerned<'r>(&self, call: &Call, rules: impl Iterator<Item = &'r Rule>) -> usize {
        let observation = self.observation();
        let effects = Effects::of(call, &observation);
        let scene = RuleScene::new(call, &effects, &observation);
        let judged = rules.map(|rule| rule.judge(&scene));
        judged
            .filter(|outcome| *black_box(outcome) != hookward_rules::Outcome::NotConcerned)
            .count()
    }

    fn observation(&self) -> Observation<'_> {
        Observation {
            project: &self.project,
            home: None,
            now: Timestamp::UNIX_EPOCH,
            env: &[],
            files: &NoFiles,
        }
    }
}

/// An audit that keeps nothing, so that a long run does not fill the memory.
struct Discard;

impl AuditSink for Discard {
    fn append(&self, _records: &[AuditRecord]) -> Result<(), AuditError> {
        Ok(())
    }
}

fn judging<'a>(
    gate: &'a Gate,
    snapshot: &'a Snapshot,
    call: &'a Call,
    abort: &'a Abort,
) -> Probe<'a> {
    Box::new(move || {
        Ok(mean_of(CALLS, || {
            drop(black_box(gate.judge(snapshot, black_box(call), abort)));
        }))
    })
}

#[inline(never)]
fn nothing(call: &Call) {
    black_box(call);
}

fn add(
    bench: &mut Bench,
    what: String,
    baseline: (&str, &Series),
    ours: Series,
    targets: Vec<Target>,
) {
    let (name, series) = baseline;
    bench.report.add(Row {
        what,
        baseline: Measured {
            what: name.to_owned(),
            series: series.clone(),
        },
        ours,
        targets,
    });
}
