//! The whole process that an agent starts for each tool call, next to a program that does nothing.

use std::path::Path;

use super::audit::{HISTORY, fill};
use super::probes::plain;
use crate::Bench;
use crate::error::BenchError;
use crate::programs::Start;
use crate::report::{Measured, Row, Target};
use crate::samples::{Probe, Series, interleave};
use crate::scene::{Scene, groups, handler, typical_input};

/// A call and the hooks that judge it.
pub(super) struct Case {
    what: &'static str,
    scene: Scene,
    targets: Vec<Target>,
    payload: Vec<u8>,
    args: Vec<String>,
    /// The case that this one should cost the same as; none for the empty program.
    like: Option<usize>,
}

impl Case {
    pub(super) fn new(what: &'static str, scene: Scene, targets: Vec<Target>) -> Self {
        let payload = scene.payload("Bash", &typical_input());
        let args = [
            "hook",
            "claude-code",
            "--state-root",
            scene.state.path().as_str(),
        ];
        let args = args.map(str::to_owned).to_vec();
        Self {
            what,
            scene,
            targets,
            payload,
            args,
            like: None,
        }
    }

    /// The same, next to an earlier case.
    fn like(self, earlier: usize) -> Self {
        Self {
            like: Some(earlier),
            ..self
        }
    }

    fn start<'a>(&'a self, program: &'a Path, env: &'a [(String, String)]) -> Start<'a> {
        Start {
            program,
            args: &self.args,
            cwd: self.scene.project.root.as_std_path(),
            env,
            stdin: &self.payload,
        }
    }
}

pub(crate) fn measure(bench: &mut Bench) -> Result<(), BenchError> {
    let cases = cases()?;
    let env = environment();
    bench.cores.pin()?;
    beyond_a_start(bench, &cases, &env, "")?;
    bench.cores.release()?;
    beyond_a_start(bench, &cases, &env, ", on any core")?;
    bench
        .report
        .note("hook path: an untrusted hook is matched, checked and recorded, and not started");
    Ok(())
}

/// Variables as an agent hands them down.
pub(super) fn environment() -> [(String, String); 3] {
    let env = [
        ("HOME", "/home/ann"),
        ("PATH", "/usr/bin:/bin"),
        ("USER", "ann"),
    ];
    env.map(|(name, value)| (name.to_owned(), value.to_owned()))
}

/// Measures the cases, and says what the last of them, which runs a hook, costs beyond that hook.
fn beyond_a_start(
    bench: &mut Bench,
    cases: &[Case],
    env: &[(String, String)],
    cores: &str,
) -> Result<(), BenchError> {
    let measured = together(bench, cases, env, cores)?;
    if let [hook, .., run] = &measured[..] {
        let beyond = (run.p50() - hook.p50()) / 1e3;
        bench.report.note(format!(
            "hook path{cores}: a trusted hook that matches and is run, without a plain start of that \
             hook (/bin/true): {beyond:.0} µs"
        ));
    }
    Ok(())
}

fn cases() -> Result<[Case; 5], BenchError> {
    let hook = |id: &str| handler(id, "/bin/true".as_ref(), &[]);
    let with = |matcher: &str, id: &str| Scene::with_user_hooks(&groups(matcher, &[hook(id)]));
    let aged = with("Bash", "untrusted")?;
    fill(&aged.state.audit_dir(), HISTORY)?;
    let full = |most_ms: f64| vec![Target::Ratio(1.7), Target::P50(most_ms * 1e6)];
    let whole = [full(1.3), vec![Target::P99(2e6)]].concat();
    Ok([
        Case::new("no hooks", Scene::new()?, full(1.3)),
        Case::new(
            "a trusted hook that does not match",
            with("Write", "other")?,
            full(1.3),
        ),
        Case::new(
            "an untrusted hook that matches, recorded",
            with("Bash", "untrusted")?,
            whole,
        ),
        Case::new(
            "the same after 100,000 records",
            aged,
            vec![Target::Ratio(1.1)],
        )
        .like(2),
        Case::new(
            "a trusted hook that matches, run, recorded",
            with("Bash", "one")?,
            Vec::new(),
        ),
    ])
}

/// Measures whole starts next to a program that does nothing. Returns the times of `/bin/true` and of
/// each case.
pub(super) fn together(
    bench: &mut Bench,
    cases: &[Case],
    env: &[(String, String)],
    cores: &str,
) -> Result<Vec<Series>, BenchError> {
    let (Some(first), hookward) = (cases.first(), &bench.programs.hookward) else {
        return Ok(Vec::new());
    };
    let mut probes: Vec<Probe<'_>> = vec![
        plain(Start {
            args: &[],
            ..first.start(&bench.programs.empty, env)
        }),
        plain(Start {
            args: &[],
            ..first.start("/bin/true".as_ref(), env)
        }),
    ];
    probes.extend(cases.iter().map(|case| plain(case.start(hookward, env))));
    let mut series = interleave(bench.rounds(1_500, 40), &mut probes)?.into_iter();
    let empty = series.next().unwrap_or_default();
    let empty = || Measured {
        what: "empty Rust program".to_owned(),
        series: empty.clone(),
    };
    let measured: Vec<Series> = series.collect();
    let Some((hook, starts)) = measured.split_first() else {
        return Ok(measured);
    };
    bench.report.add(Row {
        what: format!("/bin/true{cores}"),
        baseline: empty(),
        ours: hook.clone(),
        targets: Vec::new(),
    });
    for (case, ours) in cases.iter().zip(starts) {
        let earlier = case
            .like
            .and_then(|index| starts.get(index))
            .map(|series| Measured {
                what: "itself after few".to_owned(),
                series: series.clone(),
            });
        bench.report.add(Row {
            what: format!("hookward hook claude-code{cores}: {}", case.what),
            baseline: earlier.unwrap_or_else(empty),
            ours: ours.clone(),
            targets: case.targets.clone(),
        });
    }
    Ok(measured)
}
