//! One command hook from its start to the verdict, next to a plain start of the same program.

use std::path::Path;
use std::sync::Arc;

use hookward_engine::HookEnvironment;
use hookward_engine::audit::{FileAudit, MemoryAudit};
use hookward_process::{Abort, Containment, strongest};

use super::probes::{contained, judged, payload, plain};
use crate::Bench;
use crate::error::BenchError;
use crate::programs::Start;
use crate::report::{Measured, Row, Target};
use crate::samples::interleave;
use crate::scene::{Scene, gate, groups, handler, typical_input};

pub(crate) fn measure(bench: &mut Bench) -> Result<(), BenchError> {
    bench.cores.pin()?;
    let scripted = bench.programs.scripted.clone();
    program(bench, "/bin/true", "/bin/true".as_ref(), &[])?;
    program(
        bench,
        "a Rust hook that reads its input",
        &scripted,
        &["drain"],
    )
}

fn program(bench: &mut Bench, name: &str, program: &Path, args: &[&str]) -> Result<(), BenchError> {
    let abort = Abort::new().map_err(BenchError::io("making an abort"))?;
    let scene = Scene::with_user_hooks(&groups("*", &[handler("one", program, args)]))?;
    let (snapshot, call) = (scene.snapshot(), scene.call("Bash", &typical_input())?);
    let (stdin, env) = (payload(&call)?, HookEnvironment::default().variables());
    let words: Vec<String> = args.iter().map(|arg| (*arg).to_owned()).collect();
    let cwd = call.cwd.as_std_path();
    let start = Start {
        program,
        args: &words,
        cwd,
        env: &env,
        stdin: &stdin,
    };
    let memory = gate(Arc::new(MemoryAudit::default()));
    let filed = gate(Arc::new(FileAudit::new(scene.state.audit_dir())));
    let level = strongest();
    let mut probes = [
        plain(start),
        contained(start, Containment::Group, &abort),
        contained(start, level, &abort),
        judged(&memory, &snapshot, &call, &abort, 1),
        judged(&filed, &snapshot, &call, &abort, 1),
    ];
    let mut series = interleave(bench.rounds(3_000, 60), &mut probes)?.into_iter();
    let baseline = series.next().unwrap_or_default();
    let rows = [
        ("process::run, process group only".to_owned(), Some(1.05)),
        (format!("process::run, {level}"), Some(1.3)),
        (format!("Gate::judge, {level}"), Some(1.3)),
        (format!("Gate::judge, {level}, audit on disk"), None),
    ];
    for ((what, most), ours) in rows.into_iter().zip(series) {
        bench.report.add(Row {
            what: format!("{what}: {name}"),
            baseline: Measured {
                what: "plain posix_spawn".to_owned(),
                series: baseline.clone(),
            },
            ours,
            targets: most.map(Target::Ratio).into_iter().collect(),
        });
    }
    Ok(())
}
