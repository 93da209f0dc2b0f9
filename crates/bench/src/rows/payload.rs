//! Large tool inputs: their cost grows with their size and not faster.

use std::sync::Arc;

use hookward_engine::HookEnvironment;
use hookward_engine::audit::MemoryAudit;
use hookward_process::{Abort, strongest};
use serde_json::json;

use super::probes::{judged, payload, plain};
use crate::Bench;
use crate::error::BenchError;
use crate::programs::Start;
use crate::report::{Measured, Row};
use crate::samples::interleave;
use crate::scene::{Scene, gate, groups, handler};

/// Bytes of the text that a call would write to a file.
const SIZES: [(&str, u32); 3] = [("400 B", 0), ("64 KiB", 64 << 10), ("1 MiB", 1 << 20)];

pub(crate) fn measure(bench: &mut Bench) -> Result<(), BenchError> {
    bench.cores.pin()?;
    let abort = Abort::new().map_err(BenchError::io("making an abort"))?;
    let hook = handler("reader", &bench.programs.scripted, &["drain"]);
    let scene = Scene::with_user_hooks(&groups("*", &[hook]))?;
    let (snapshot, gate) = (scene.snapshot(), gate(Arc::new(MemoryAudit::default())));
    let (env, args) = (HookEnvironment::default().variables(), ["drain".to_owned()]);
    let mut smallest = None;
    for (name, bytes) in SIZES {
        let input = json!({ "file_path": "/home/ann/shop/notes.txt", "content": text(bytes) });
        let call = scene.call("Write", &input)?;
        let stdin = payload(&call)?;
        let start = Start {
            program: &bench.programs.scripted,
            args: &args,
            cwd: call.cwd.as_std_path(),
            env: &env,
            stdin: &stdin,
        };
        let mut probes = [plain(start), judged(&gate, &snapshot, &call, &abort, 1)];
        let mut series = interleave(bench.rounds(600, 20), &mut probes)?.into_iter();
        let baseline = series.next().unwrap_or_default();
        let ours = series.next().unwrap_or_default();
        let (first_plain, first_ours) = *smallest.get_or_insert((baseline.p50(), ours.p50()));
        if bytes > 0 {
            let per_byte = |now: f64, first: f64| (now - first) / f64::from(bytes);
            bench.report.note(format!(
                "payload of {name}: {:.3} ns a byte beyond the start, {:.3} ns for the plain start",
                per_byte(ours.p50(), first_ours),
                per_byte(baseline.p50(), first_plain),
            ));
        }
        bench.report.add(Row {
            what: format!("Gate::judge, {}, a payload of {name} read", strongest()),
            baseline: Measured {
                what: "plain posix_spawn".to_owned(),
                series: baseline,
            },
            ours,
            targets: Vec::new(),
        });
    }
    Ok(())
}

/// Text with what has to be escaped in it, as source code has.
fn text(bytes: u32) -> String {
    let line = "    let answer = \"forty two\";\n";
    line.chars().cycle().take(bytes as usize).collect()
}
