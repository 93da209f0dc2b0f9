//! Reading the audit back: the whole chain, or its end.

use std::io::{BufRead as _, BufReader};

use camino::{Utf8Path, Utf8PathBuf};

use super::chain::{GENESIS, Line, Link};
use super::file::{CURRENT, HEAD, KEPT_ARCHIVES, archives, read_head};
use super::{AuditError, AuditEvent, AuditRecord};

/// Longest line that is read; a longer one is no line of ours.
const MAX_LINE_BYTES: u64 = 64 * 1024;

/// What a check of the chain found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChainReport {
    /// Lines that were checked and hold together.
    pub records: u64,
    /// Sequence number of the oldest line that is kept; 0 where there is none.
    pub first_seq: u64,
    /// Sequence number of the last line that holds; 0 where there is none.
    pub last_seq: u64,
    /// The first broken link, if there is one.
    pub problem: Option<ChainProblem>,
}

/// A place where the chain does not hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChainProblem {
    /// The file.
    pub path: Utf8PathBuf,
    /// The line in it, from 1.
    pub line: u64,
    /// What is wrong, for a person.
    pub what: String,
}

/// Checks every line that is kept, and that the chain ends where `head` says.
///
/// A missing directory is an empty audit, not an error.
pub fn verify(dir: &Utf8Path) -> Result<ChainReport, AuditError> {
    let mut report = ChainReport {
        records: 0,
        first_seq: 0,
        last_seq: 0,
        problem: None,
    };
    let mut end: Option<Link> = None;
    let files = files(dir)?;
    // Only rotation removes records, and it leaves all the archives that are kept.
    let may_start_late = files.len() > KEPT_ARCHIVES;
    for path in files {
        let mut number = 0;
        let ended = each_line(&path, |text| {
            number += 1;
            match check_line(text, end.as_ref(), may_start_late) {
                Ok(link) => {
                    if report.records == 0 {
                        report.first_seq = link.seq;
                    }
                    report.records += 1;
                    report.last_seq = link.seq;
                    end = Some(link);
                    true
                }
                Err(what) => {
                    let path = path.clone();
                    report.problem = Some(ChainProblem {
                        path,
                        line: number,
                        what,
                    });
                    false
                }
            }
        })?;
        if !ended {
            return Ok(report);
        }
    }
    report.problem = check_head(dir, end.as_ref())?;
    Ok(report)
}

fn check_line(text: &str, end: Option<&Link>, may_start_late: bool) -> Result<Link, String> {
    let line = Line::read(text).ok_or("the line was changed: its hash does not fit its content")?;
    if let Some(end) = end {
        if line.prev != end.hash {
            return Err(format!(
                "does not follow record {}: lines were cut or inserted",
                end.seq
            ));
        }
        if line.seq <= end.seq {
            return Err(format!(
                "record {} comes after record {}",
                line.seq, end.seq
            ));
        }
    } else if !may_start_late && (line.seq != 1 || line.prev != GENESIS) {
        return Err("the first record does not start a chain: earlier ones are missing".to_owned());
    }
    let record: AuditRecord = serde_json::from_str(line.record.get())
        .map_err(|error| format!("the record does not read: {error}"))?;
    if let AuditEvent::ChainRestarted { found } = record.event {
        return Err(format!("the chain was started again here: {found}"));
    }
    Ok(line.link())
}

fn check_head(dir: &Utf8Path, end: Option<&Link>) -> Result<Option<ChainProblem>, AuditError> {
    let path = dir.join(HEAD);
    let problem = |what: String| {
        Some(ChainProblem {
            path: path.clone(),
            line: 1,
            what,
        })
    };
    let head = match std::fs::File::open(&path) {
        Ok(mut file) => read_head(&mut file).map_err(|e| failed(&path, e))?,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
        Err(error) => return Err(failed(&path, error)),
    };
    Ok(match (head, end) {
        (None, None) => None,
        (None, Some(_)) => problem("there are records and no head".to_owned()),
        (Some(head), end) => {
            let last = end.cloned().unwrap_or_else(Link::genesis);
            // A writer killed between its two writes leaves the head behind, never ahead.
            if head.link.seq > last.seq || (head.link.seq == last.seq && head.link != last) {
                let (said, found) = (head.link.seq, last.seq);
                problem(format!(
                    "records are missing at the end: {said} were written, {found} found"
                ))
            } else {
                None
            }
        }
    })
}

/// The last `count` records, oldest first. Lines that do not hold are left out.
pub fn tail(dir: &Utf8Path, count: usize) -> Result<Vec<AuditRecord>, AuditError> {
    let mut newest_first = Vec::new();
    for path in files(dir)?.into_iter().rev() {
        let mut records = read_file(&path)?;
        records.reverse();
        newest_first.append(&mut records);
        if newest_first.len() >= count {
            break;
        }
    }
    newest_first.truncate(count);
    newest_first.reverse();
    Ok(newest_first)
}

/// Every record that is kept and holds, oldest first.
pub fn read_records(dir: &Utf8Path) -> Result<Vec<AuditRecord>, AuditError> {
    tail(dir, usize::MAX)
}

fn read_file(path: &Utf8Path) -> Result<Vec<AuditRecord>, AuditError> {
    let mut records = Vec::new();
    each_line(path, |text| {
        let record = Line::read(text).and_then(|line| serde_json::from_str(line.record.get()).ok());
        records.extend(record);
        true
    })?;
    Ok(records)
}

/// The files of the audit that exist, oldest first.
fn files(dir: &Utf8Path) -> Result<Vec<Utf8PathBuf>, AuditError> {
    let mut files = match archives(dir) {
        Ok(files) => files,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(failed(dir, error)),
    };
    let current = dir.join(CURRENT);
    if current.is_file() {
        files.push(current);
    }
    Ok(files)
}

/// Calls `use_line` for each line until it returns false; returns whether it never did.
fn each_line(path: &Utf8Path, mut use_line: impl FnMut(&str) -> bool) -> Result<bool, AuditError> {
    let file = std::fs::File::open(path).map_err(|error| failed(path, error))?;
    let mut reader = BufReader::new(file);
    let mut line = Vec::new();
    loop {
        line.clear();
        let limited = &mut std::io::Read::take(&mut reader, MAX_LINE_BYTES);
        let read = limited
            .read_until(b'\n', &mut line)
            .map_err(|error| failed(path, error))?;
        if read == 0 {
            return Ok(true);
        }
        let text = String::from_utf8_lossy(&line);
        // A line without its end is torn, and reads as none.
        if !use_line(text.strip_suffix('\n').unwrap_or_default()) {
            return Ok(false);
        }
    }
}

fn failed(path: &Utf8Path, source: std::io::Error) -> AuditError {
    AuditError {
        path: path.to_owned(),
        source,
    }
}
