//! The audit as files: one writer at a time across processes (a lock on `head`), constant cost
//! whatever the history, bounded size by rotation. Appends are not synced: a power cut may lose the
//! last records, a killed process loses none.

use std::fs::{DirBuilder, File};
use std::io::{self, BufRead as _, BufReader, Read as _, Seek as _, SeekFrom, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, FileExt as _};
use std::time::{Duration, Instant};

use camino::{Utf8Path, Utf8PathBuf};
use rustix::fs::{
    CWD, FlockOperation, Mode, OFlags, RenameFlags, flock, ftruncate, mkdir, open, renameat_with,
};
use rustix::io::Errno;
use serde::{Deserialize, Serialize};

use super::chain::{Line, Link};
use super::{AuditError, AuditEvent, AuditRecord, AuditSink};

/// Size at which the current file becomes an archive.
pub const ROTATE_AT_BYTES: u64 = 4 * 1024 * 1024;
/// Archives that are kept; older ones are removed.
pub const KEPT_ARCHIVES: usize = 3;

/// Longest line; ours are far shorter.
pub(super) const MAX_LINE_BYTES: u64 = 64 * 1024;
/// Most bytes that one writer leaves after the head when it is killed.
const MAX_BATCH_BYTES: u64 = 1024 * 1024;
/// How long a writer waits for its turn.
const LOCK_WAIT: Duration = Duration::from_secs(1);
/// How often it looks whether it is its turn.
const LOCK_PAUSE: Duration = Duration::from_micros(500);
/// How names of files begin that were set aside.
pub(super) const DAMAGED: &str = "damaged-";

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
        lock(&head_file, FlockOperation::NonBlockingLockExclusive)?;
        let mut log = open_private(&self.dir, CURRENT, OFlags::RDWR | OFlags::CREATE)?;
        let mut text = String::new();
        let Place {
            mut link,
            mut len,
            damage,
        } = self.find_end(&mut head_file, &mut log)?;
        if let Some(found) = damage {
            log = self.set_aside(&link)?;
            len = 0;
            let note = AuditRecord::now(AuditEvent::ChainRestarted { found });
            link = link.append(&note, &mut text)?;
        }
        for record in records {
            link = link.append(record, &mut text)?;
        }
        if len > 0 && len + text.len() as u64 > self.rotate_at {
            log = self.rotate(&mut log)?;
            len = 0;
        }
        log.seek(SeekFrom::Start(len))?;
        log.write_all(text.as_bytes())?;
        let len = len + text.len() as u64;
        write_head(&head_file, &Head { link, len })
    }

    /// Makes the current file an archive, removes archives over the limit, opens a fresh file.
    fn rotate(&self, log: &mut File) -> io::Result<File> {
        let first = first_seq(log)?;
        self.retire(&archive_name(first))?;
        remove_oldest(archives(&self.dir)?, KEPT_ARCHIVES)?;
        open_private(&self.dir, CURRENT, OFlags::RDWR | OFlags::CREATE)
    }

    /// Moves a file away that does not end as it should, for whoever looks into it.
    fn set_aside(&self, link: &Link) -> io::Result<File> {
        self.retire(&format!("{DAMAGED}{:016}.jsonl", link.seq))?;
        remove_oldest(damaged(&self.dir)?, KEPT_ARCHIVES)?;
        open_private(&self.dir, CURRENT, OFlags::RDWR | OFlags::CREATE)
    }

    /// Renames the current file, never over another one.
    fn retire(&self, name: &str) -> io::Result<()> {
        let (from, to) = (self.dir.join(CURRENT), self.dir.join(name));
        let flags = RenameFlags::NOREPLACE;
        Ok(renameat_with(
            CWD,
            from.as_std_path(),
            CWD,
            to.as_std_path(),
            flags,
        )?)
    }

    /// Where the next line goes, and what is wrong if the files do not end where the head says.
    fn find_end(&self, head_file: &mut File, log: &mut File) -> io::Result<Place> {
        let file_len = log.metadata()?.len();
        let ready = |link, damage| Place {
            link,
            len: file_len,
            damage,
        };
        let Some(head) = read_head(head_file)? else {
            let genesis = Link::genesis();
            if file_len > 0 || !archives(&self.dir)?.is_empty() {
                let found = format!("there is no head and the file has {file_len} bytes");
                return Ok(ready(genesis, Some(found)));
            }
            // From here on a killed writer leaves a head that is behind, never none.
            let first = Head {
                link: genesis.clone(),
                len: 0,
            };
            write_head(head_file, &first)?;
            return Ok(ready(genesis, None));
        };
        if head.len == file_len {
            return Ok(ready(head.link, None));
        }
        // A writer that was killed between two writes left its last lines after the head: in the
        // file, or in an archive if it was rotating.
        let tail = if file_len == 0 {
            self.last_archived()?.filter(|link| *link == head.link)
        } else if head.len < file_len {
            whole_lines_after(log, head.len, &head.link)?
        } else {
            None
        };
        if let Some(link) = tail {
            return Ok(ready(link, None));
        }
        let said = head.len;
        let found = format!("the head says {said} bytes, the file has {file_len}");
        Ok(ready(head.link, Some(found)))
    }

    fn last_archived(&self) -> io::Result<Option<Link>> {
        let Some(newest) = archives(&self.dir)?.pop() else {
            return Ok(None);
        };
        let mut file = open_read(&newest)?;
        let len = file.metadata()?.len();
        last_line(&mut file, len)
    }
}

/// Where the next line goes.
struct Place {
    link: Link,
    len: u64,
    damage: Option<String>,
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
        // The State Root, if this is the first file in it.
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(parent)?;
    }
    match mkdir(dir.as_std_path(), Mode::RWXU) {
        Ok(()) | Err(Errno::EXIST) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

fn open_private(dir: &Utf8Path, name: &str, flags: OFlags) -> io::Result<File> {
    let flags = flags | OFlags::CLOEXEC | OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let path = dir.join(name);
    regular(File::from(open(
        path.as_std_path(),
        flags,
        Mode::RUSR | Mode::WUSR,
    )?))
}

fn archive_name(first: u64) -> String {
    format!("{first:016}.jsonl")
}

/// The archives, oldest first.
pub(super) fn archives(dir: &Utf8Path) -> io::Result<Vec<Utf8PathBuf>> {
    numbered(dir, "")
}

/// Files that were set aside, oldest first.
pub(super) fn damaged(dir: &Utf8Path) -> io::Result<Vec<Utf8PathBuf>> {
    numbered(dir, DAMAGED)
}

/// Files of the directory that are named by a prefix and a sequence number, in its order.
fn numbered(dir: &Utf8Path, prefix: &str) -> io::Result<Vec<Utf8PathBuf>> {
    let mut found = Vec::new();
    for entry in dir.read_dir_utf8()? {
        let entry = entry?;
        if number_of(entry.file_name(), prefix).is_some() {
            found.push(entry.into_path());
        }
    }
    found.sort();
    Ok(found)
}

/// The sequence number in a file name.
pub(super) fn number_of(name: &str, prefix: &str) -> Option<u64> {
    let digits = name.strip_prefix(prefix)?.strip_suffix(".jsonl")?;
    (digits.len() == 16).then(|| digits.parse().ok())?
}

fn remove_oldest(files: Vec<Utf8PathBuf>, kept: usize) -> io::Result<()> {
    let surplus = files.len().saturating_sub(kept);
    files
        .into_iter()
        .take(surplus)
        .try_for_each(std::fs::remove_file)
}

/// Opens a regular file for reading, without following a link and without waiting.
pub(super) fn open_read(path: &Utf8Path) -> io::Result<File> {
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOFOLLOW | OFlags::NONBLOCK;
    regular(File::from(open(path.as_std_path(), flags, Mode::empty())?))
}

fn regular(file: File) -> io::Result<File> {
    if file.metadata()?.is_file() {
        Ok(file)
    } else {
        Err(io::Error::other("not a regular file"))
    }
}

/// Takes the lock of the audit. Whoever holds it longer than [`LOCK_WAIT`] is not a writer of ours,
/// and a call does not wait for it.
pub(super) fn lock(head: &File, how: FlockOperation) -> io::Result<()> {
    let until = Instant::now() + LOCK_WAIT;
    loop {
        match flock(head, how) {
            Ok(()) => return Ok(()),
            Err(Errno::WOULDBLOCK | Errno::INTR) if Instant::now() < until => {
                std::thread::sleep(LOCK_PAUSE);
            }
            Err(Errno::WOULDBLOCK) => {
                return Err(io::Error::other("another process holds its lock"));
            }
            Err(error) => return Err(error.into()),
        }
    }
}

pub(super) fn read_head(file: &mut File) -> io::Result<Option<Head>> {
    let mut text = String::new();
    file.seek(SeekFrom::Start(0))?;
    file.take(1024).read_to_string(&mut text)?;
    Ok(serde_json::from_str(&text).ok())
}

fn write_head(file: &File, head: &Head) -> io::Result<()> {
    let mut text = serde_json::to_string(head)?;
    text.push('\n');
    file.write_all_at(text.as_bytes(), 0)?;
    Ok(ftruncate(file, text.len() as u64)?)
}

/// The end of the chain, if nothing but whole lines that continue `link` stands after `start`.
fn whole_lines_after(log: &mut File, start: u64, link: &Link) -> io::Result<Option<Link>> {
    log.seek(SeekFrom::Start(start))?;
    let mut text = String::new();
    let read = log.take(MAX_BATCH_BYTES + 1).read_to_string(&mut text);
    if read.is_err() || text.len() as u64 > MAX_BATCH_BYTES || !text.ends_with('\n') {
        return Ok(None);
    }
    let mut end = link.clone();
    for line in text.lines() {
        match Line::read(line) {
            Some(line) if line.prev == end.hash && line.seq == end.seq + 1 => end = line.link(),
            _ => return Ok(None),
        }
    }
    Ok(Some(end))
}

/// The last line of a file, if it is a whole one.
fn last_line(file: &mut File, len: u64) -> io::Result<Option<Link>> {
    file.seek(SeekFrom::Start(len.saturating_sub(MAX_LINE_BYTES)))?;
    let mut text = String::new();
    if file.take(MAX_LINE_BYTES).read_to_string(&mut text).is_err() || !text.ends_with('\n') {
        return Ok(None);
    }
    let last = text.lines().next_back().and_then(Line::read);
    Ok(last.map(|line| line.link()))
}

fn first_seq(log: &mut File) -> io::Result<u64> {
    log.seek(SeekFrom::Start(0))?;
    let mut line = String::new();
    BufReader::new(log.take(MAX_LINE_BYTES)).read_line(&mut line)?;
    let line = Line::read(line.trim_end_matches('\n'));
    line.map(|line| line.seq)
        .ok_or_else(|| io::Error::other("its first line does not read"))
}
