//! The chained audit on disk: what a record costs, and that it costs the same after many.

use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::time::Instant;

use camino::{Utf8Path, Utf8PathBuf};
use hookward_contract::{DefinitionHash, EventName, HookId, SnapshotDigest, SourceKind, ToolName};
use hookward_engine::audit::{
    AuditEvent, AuditRecord, AuditSink as _, FileAudit, HookCompleted, HookStatus,
};

use crate::Bench;
use crate::error::BenchError;
use crate::report::{Measured, Row, Target};
use crate::samples::{Probe, interleave, nanoseconds};
use crate::scene::Scene;

/// Records of a long history, as many as a busy person makes in a year.
pub(crate) const HISTORY: usize = 100_000;
/// Records that are written at a time while a history is made.
const BATCH: usize = 500;

pub(crate) fn measure(bench: &mut Bench) -> Result<(), BenchError> {
    bench.cores.pin()?;
    let (young, old) = (Scene::new()?, Scene::new()?);
    fill(&old.state.audit_dir(), HISTORY)?;
    let rounds = bench.rounds(3_000, 100);
    // Room for all appends of the run, so that only the old one has a history.
    let young_audit = FileAudit::new(young.state.audit_dir());
    let old_audit = FileAudit::new(old.state.audit_dir());
    let folder = young.state.path().to_owned();
    std::fs::create_dir_all(&folder).map_err(BenchError::io("making a folder"))?;
    let mut probes = [
        plain_append(folder.join("plain"))?,
        append(&young_audit)?,
        append(&old_audit)?,
    ];
    let mut series = interleave(rounds, &mut probes)?.into_iter();
    let plain = series.next().unwrap_or_default();
    let young = series.next().unwrap_or_default();
    let old = series.next().unwrap_or_default();
    bench.report.add(Row {
        what: "FileAudit::append, one record".to_owned(),
        baseline: Measured {
            what: "open, write the same bytes, close".to_owned(),
            series: plain,
        },
        ours: young.clone(),
        targets: Vec::new(),
    });
    bench.report.add(Row {
        what: format!("FileAudit::append after {HISTORY} records"),
        baseline: Measured {
            what: "itself after few".to_owned(),
            series: young,
        },
        ours: old,
        targets: vec![Target::Ratio(1.1)],
    });
    Ok(())
}

/// Writes a history of `records` to an audit.
pub(crate) fn fill(folder: &Utf8Path, records: usize) -> Result<(), BenchError> {
    let audit = FileAudit::new(folder);
    let batch = vec![record()?; BATCH];
    for _ in 0..records / BATCH {
        audit
            .append(&batch)
            .map_err(|error| BenchError::io("filling an audit")(error.source))?;
    }
    Ok(())
}

fn append(audit: &FileAudit) -> Result<Probe<'_>, BenchError> {
    let record = [record()?];
    Ok(Box::new(move || {
        let began = Instant::now();
        let appended = audit.append(&record);
        let time = nanoseconds(began.elapsed());
        appended.map_err(|error| BenchError::io("appending a record")(error.source))?;
        Ok(time)
    }))
}

/// The least that a short-lived process can do to keep a line.
fn plain_append(path: Utf8PathBuf) -> Result<Probe<'static>, BenchError> {
    let text = serde_json::to_string(&record()?);
    let mut line = text.map_err(|error| BenchError::io("writing a record")(error.into()))?;
    line.push_str(&"x".repeat(160));
    line.push('\n');
    File::create(&path).map_err(BenchError::io("making a file"))?;
    Ok(Box::new(move || {
        let began = Instant::now();
        let file = OpenOptions::new().append(true).open(&path);
        let written = file.and_then(|mut file| file.write_all(line.as_bytes()));
        let time = nanoseconds(began.elapsed());
        written.map_err(BenchError::io("appending a line"))?;
        Ok(time)
    }))
}

fn record() -> Result<AuditRecord, BenchError> {
    let invalid = |error: hookward_contract::InvalidId| BenchError::Unexpected {
        what: "an audit record".to_owned(),
        expected: "valid names".to_owned(),
        got: error.to_string(),
    };
    Ok(AuditRecord::now(AuditEvent::HookCompleted(Box::new(
        HookCompleted {
            snapshot: SnapshotDigest::of(b"snapshot"),
            hook_id: HookId::try_from("no-force-push").map_err(invalid)?,
            definition_hash: DefinitionHash::of_definition("[]"),
            source: SourceKind::User,
            event: EventName::PreToolUse,
            tool_name: ToolName::try_from("Bash").map_err(invalid)?,
            tool_use_id: "toolu_01A2b3C4d5E6f7G8h9".to_owned(),
            status: HookStatus::Allowed,
            failure: None,
            blocked: false,
            exit: Some(0),
            duration_us: 812,
            queue_us: 0,
            stdout_bytes: 0,
            stderr_bytes: 0,
            shadow: false,
        },
    ))))
}
