//! Reading the audit back: the whole chain, or its end.

use std::cmp::Ordering;
use std::io::{BufRead as _, BufReader};

use camino::{Utf8Path, Utf8PathBuf};
use rustix::fs::FlockOperation;

use super::chain::{GENESIS, Line, Link};
use super::file::{
    CURRENT, DAMAGED, HEAD, Head, KEPT_ARCHIVES, MAX_LINE_BYTES, archives, damaged, lock,
    number_of, open_read, read_head,
};
use super::{AuditError, AuditEvent, AuditRecord};

/// What a check of the chain found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
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

/// Checks every line that is kept, and that the chain ends where `head` says. Writers wait meanwhile.
///
/// A missing directory is an empty audit, not an error.
pub fn verify(dir: &Utf8Path) -> Result<ChainReport, AuditError> {
    let head_path = dir.join(HEAD);
    let mut head_file = match open_read(&head_path) {
        Ok(file) => Some(file),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
        Err(error) => return Err(failed(&head_path, error)),
    };
    if let Some(file) = &head_file {
        lock(file, FlockOperation::NonBlockingLockShared).map_err(|e| failed(&head_path, e))?;
    }
    let head = head_file.as_mut().map(read_head).transpose();
    let head = head.map_err(|error| failed(&head_path, error))?.flatten();
    let files = files(dir)?;
    let mut check = Check {
        // Only rotation removes records, and it leaves all the archives that are kept.
        may_start_late: files.len() > KEPT_ARCHIVES,
        ..Check::default()
    };
    for path in files {
        if !check.file(&path)? {
            return Ok(check.report);
        }
    }
    check.report.problem = check_head(dir, head.as_ref(), check.end.as_ref())?;
    Ok(check.report)
}

/// A check under way.
#[derive(Default)]
struct Check {
    report: ChainReport,
    end: Option<Link>,
    may_start_late: bool,
}

impl Check {
    /// Checks the lines of one file; false if one of them does not hold.
    fn file(&mut self, path: &Utf8Path) -> Result<bool, AuditError> {
        let mut number = 0;
        let mut first = None;
        let held = each_line(path, |text| {
            number += 1;
            match check_line(text, self.end.as_ref(), self.may_start_late) {
                Ok(link) => {
                    first.get_or_insert(link.seq);
                    self.holds(link);
                    true
                }
                Err(what) => {
                    self.problem(path, number, what);
                    false
                }
            }
        })?;
        // An archive is named after its first record and is never empty.
        let name = path.file_name().unwrap_or_default();
        if held && name != CURRENT && number_of(name, "") != first {
            self.problem(
                path,
                1,
                "the archive does not begin with the record it is named after",
            );
            return Ok(false);
        }
        Ok(held)
    }

    fn holds(&mut self, link: Link) {
        if self.report.records == 0 {
            self.report.first_seq = link.seq;
        }
        self.report.records += 1;
        self.report.last_seq = link.seq;
        self.end = Some(link);
    }

    fn problem(&mut self, path: &Utf8Path, line: u64, what: impl Into<String>) {
        self.report.problem = Some(ChainProblem {
            path: path.to_owned(),
            line,
            what: what.into(),
        });
    }
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
        if line.seq != end.seq + 1 {
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

fn check_head(
    dir: &Utf8Path,
    head: Option<&Head>,
    end: Option<&Link>,
) -> Result<Option<ChainProblem>, AuditError> {
    let path = dir.join(HEAD);
    let problem = |what: String| {
        Some(ChainProblem {
            path: path.clone(),
            line: 1,
            what,
        })
    };
    let Some(head) = head else {
        let what = "there are records and no head".to_owned();
        return Ok(end.and_then(|_| problem(what)));
    };
    let last = end.cloned().unwrap_or_else(Link::genesis);
    let current = dir.join(CURRENT);
    let len = match current.metadata() {
        Ok(metadata) => metadata.len(),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => 0,
        Err(error) => return Err(failed(&current, error)),
    };
    let (said, found) = (head.link.seq, last.seq);
    Ok(match said.cmp(&found) {
        Ordering::Greater => problem(format!(
            "records are missing at the end: {said} were written, {found} found"
        )),
        Ordering::Equal if head.link != last || head.len != len => {
            problem(format!("it does not fit the last record, {found}"))
        }
        // A writer killed between its two writes leaves the head behind.
        Ordering::Equal | Ordering::Less => None,
    })
}

/// The last `count` records, oldest first. Lines that do not hold are left out.
pub fn tail(dir: &Utf8Path, count: usize) -> Result<Vec<AuditRecord>, AuditError> {
    let mut newest_first = Vec::new();
    for path in readable_files(dir)?.into_iter().rev() {
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

/// The files of the audit with those that were set aside, whose whole lines are records, too.
fn readable_files(dir: &Utf8Path) -> Result<Vec<Utf8PathBuf>, AuditError> {
    let mut files = files(dir)?;
    if let Some(position) = files.len().checked_sub(1) {
        let damaged = damaged(dir).map_err(|error| failed(dir, error))?;
        files.splice(position..position, damaged);
        let number = |path: &Utf8PathBuf| {
            let name = path.file_name().unwrap_or_default();
            let number = number_of(name, "").or_else(|| number_of(name, DAMAGED));
            number.unwrap_or(u64::MAX)
        };
        files.sort_by_key(number);
    }
    Ok(files)
}

/// The files of the audit that exist, oldest first.
fn files(dir: &Utf8Path) -> Result<Vec<Utf8PathBuf>, AuditError> {
    let mut files = match archives(dir) {
        Ok(files) => files,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(failed(dir, error)),
    };
    let current = dir.join(CURRENT);
    if current.symlink_metadata().is_ok() {
        files.push(current);
    }
    Ok(files)
}

/// Calls `use_line` for each line until it returns false; returns whether it never did.
fn each_line(path: &Utf8Path, mut use_line: impl FnMut(&str) -> bool) -> Result<bool, AuditError> {
    let file = open_read(path).map_err(|error| failed(path, error))?;
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
