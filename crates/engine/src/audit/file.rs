//! The audit as files: one writer at a time across processes (a lock on `head`), constant cost
//! whatever the history, bounded size by rotation. Appends are not synced: a power cut may lose the
//! last records, a killed process loses none.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::os::unix::fs::FileExt as _;

use camino::{Utf8Path, Utf8PathBuf};
use rustix::fs::{FlockOperation, Mode, OFlags, flock, ftruncate, mkdir, open};
use serde::{Deserialize, Serialize};

use super::chain::{Line, Link};
use super::{AuditError, AuditEvent, AuditRecord, AuditSink};

/// Size at which the current file becomes an archive.
pub const ROTATE_AT_BYTES: u64 = 4 * 1024 * 1024;
/// Archives that are kept; older ones are removed.
pub const KEPT_ARCHIVES: usize = 3;

/// Most bytes of the end of a file that are read to find where a chain without a head ends.
const TAIL_BYTES: u64 = 64 * 1024;

pub(super) const CURRENT: &str = "current.jsonl";
pub(super) const HEAD: &str = "head";

/// What `head` holds: the end of the chain and the length of the current file there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Head {
    #[serde(flatten)]
    pub(super) link: Link,
    pub(super) len: u64,
}

/// An audit in a directory.
#[derive(Debug, Clone)]
pub struct FileAudit {
    dir: Utf8PathBuf,
    rotate_at: u64,
}

impl FileAudit {
    /// The audit in `dir`. The directory is created with mode 0700 at the first record.
    pub fn new(dir: impl Into<Utf8PathBuf>) -> Self {
        Self {
            dir: dir.into(),
            rotate_at: ROTATE_AT_BYTES,
        }
    }

    /// The same audit with another size limit of the current file.
    #[must_use]
    pub fn rotating_at(self, bytes: u64) -> Self {
        Self {
            rotate_at: bytes,
            ..self
        }
    }

    fn append_locked(&self, records: &[AuditRecord]) -> io::Result<()> {
        let mut head_file = open_private(&self.dir, HEAD, OFlags::RDWR | OFlags::CREATE)?;
        flock(&head_file, FlockOperation::LockExclusive)?;
        let mut log = open_private(&self.dir, CURRENT, OFlags::RDWR | OFlags::CREATE)?;
        let (mut link, mut len, restarted) = self.find_end(&mut head_file, &mut log)?;
        let mut text = String::new();
        if let Some(found) = restarted {
            let note = AuditRecord::now(AuditEvent::ChainRestarted { found });
            link = link.append(&note, &mut text)?;
        }
        for record in records {
            link = link.append(record, &mut text)?;
        }
        if len > 0 && len + text.len() as u64 > self.rotate_at {
            log = self.rotate(log)?;
            len = 0;
        }
        log.seek(SeekFrom::Start(len))?;
        log.write_all(text.as_bytes())?;
        let head = Head {
            link,
            len: len + text.len() as u64,
        };
        let mut written = serde_json::to_string(&head)?;
        written.push('\n');
        head_file.write_all_at(written.as_bytes(), 0)?;
        Ok(ftruncate(&head_file, written.len() as u64)?)
    }

    /// Makes the current file an archive, removes archives over the limit, opens a fresh file.
    fn rotate(&self, mut log: File) -> io::Result<File> {
        let first = first_seq(&mut log)?;
        std::fs::rename(self.dir.join(CURRENT), self.dir.join(archive_name(first)))?;
        let archives = archives(&self.dir)?;
        for old in &archives[..archives.len().saturating_sub(KEPT_ARCHIVES)] {
            std::fs::remove_file(old)?;
        }
        open_private(&self.dir, CURRENT, OFlags::RDWR | OFlags::CREATE)
    }

    /// Where the next line goes: the link to continue, the length to write at, and what was wrong
    /// if the files do not end where the head says.
    fn find_end(
        &self,
        head_file: &mut File,
        log: &mut File,
    ) -> io::Result<(Link, u64, Option<String>)> {
        let len = log.metadata()?.len();
        let head = match read_head(head_file)? {
            Some(head) if head.len == len => return Ok((head.link, len, None)),
            None if len == 0 => return Ok((Link::genesis(), 0, None)),
            head => head,
        };
        let (mut last, end) = last_whole_line(log, len)?;
        if len == 0 {
            // A writer that was killed while it rotated left its last line in an archive.
            last = self.last_archived()?;
        }
        let (seq, said) = match &head {
            Some(head) => (head.link.seq, format!("the head says {} bytes", head.len)),
            None => (0, "there is no head".to_owned()),
        };
        // A writer that was killed between its two writes left whole lines after the head.
        let continues = match (&head, &last) {
            (Some(head), Some(last)) if len == 0 => head.link == *last,
            (Some(head), Some(last)) => head.len < len && end >= head.len && last.seq >= seq,
            _ => false,
        };
        let restarted = (!continues || end < len)
            .then(|| format!("{said}, the file has {len} with whole lines up to {end}"));
        let link = last.unwrap_or_else(Link::genesis);
        // Sequence numbers are never used twice, even if records were cut away.
        Ok((
            Link {
                seq: link.seq.max(seq),
                ..link
            },
            end,
            restarted,
        ))
    }

    fn last_archived(&self) -> io::Result<Option<Link>> {
        let Some(newest) = archives(&self.dir)?.pop() else {
            return Ok(None);
        };
        let mut file = File::open(newest)?;
        let len = file.metadata()?.len();
        Ok(last_whole_line(&mut file, len)?.0)
    }
}

impl AuditSink for FileAudit {
    fn append(&self, records: &[AuditRecord]) -> Result<(), AuditError> {
        if records.is_empty() {
            return Ok(());
        }
        let result = match self.append_locked(records) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                make_dir(&self.dir).and_then(|()| self.append_locked(records))
            }
            other => other,
        };
        result.map_err(|source| AuditError {
            path: self.dir.clone(),
            source,
        })
    }
}

fn make_dir(dir: &Utf8Path) -> io::Result<()> {
    if let Some(parent) = dir.parent() {
        std::fs::create_dir_all(parent)?;
    }
    match mkdir(dir.as_std_path(), Mode::RWXU) {
        Ok(()) | Err(rustix::io::Errno::EXIST) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

fn open_private(dir: &Utf8Path, name: &str, flags: OFlags) -> io::Result<File> {
    let flags = flags | OFlags::CLOEXEC | OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let file = File::from(open(
        dir.join(name).as_std_path(),
        flags,
        Mode::RUSR | Mode::WUSR,
    )?);
    if file.metadata()?.is_file() {
        Ok(file)
    } else {
        Err(io::Error::other(format!("{name} is not a regular file")))
    }
}

fn archive_name(first: u64) -> String {
    format!("{first:016}.jsonl")
}

/// The archives, oldest first.
pub(super) fn archives(dir: &Utf8Path) -> io::Result<Vec<Utf8PathBuf>> {
    let mut found = Vec::new();
    for entry in dir.read_dir_utf8()? {
        let entry = entry?;
        let stem = entry.file_name().strip_suffix(".jsonl").unwrap_or_default();
        if stem.len() == 16 && stem.bytes().all(|byte| byte.is_ascii_digit()) {
            found.push(entry.into_path());
        }
    }
    found.sort();
    Ok(found)
}

pub(super) fn read_head(file: &mut File) -> io::Result<Option<Head>> {
    let mut text = String::new();
    file.take(1024).read_to_string(&mut text)?;
    Ok(serde_json::from_str(&text).ok())
}

/// The last line that reads as one, and where it ends.
fn last_whole_line(log: &mut File, len: u64) -> io::Result<(Option<Link>, u64)> {
    let start = len.saturating_sub(TAIL_BYTES);
    log.seek(SeekFrom::Start(start))?;
    let mut bytes = Vec::new();
    log.take(TAIL_BYTES).read_to_end(&mut bytes)?;
    let mut end = bytes.len();
    while let Some(newline) = bytes[..end].iter().rposition(|byte| *byte == b'\n') {
        let line_start = bytes[..newline]
            .iter()
            .rposition(|byte| *byte == b'\n')
            .map_or(0, |at| at + 1);
        let text = String::from_utf8_lossy(&bytes[line_start..newline]);
        if let Some(line) = Line::read(&text) {
            return Ok((Some(line.link()), start + newline as u64 + 1));
        }
        end = newline;
    }
    Ok((None, start))
}

fn first_seq(log: &mut File) -> io::Result<u64> {
    log.seek(SeekFrom::Start(0))?;
    let mut bytes = vec![0; 4096];
    let read = log.read(&mut bytes)?;
    let line = bytes[..read]
        .split(|byte| *byte == b'\n')
        .next()
        .unwrap_or_default();
    let text = String::from_utf8_lossy(line);
    Ok(Line::read(&text).map_or(0, |line| line.seq))
}
