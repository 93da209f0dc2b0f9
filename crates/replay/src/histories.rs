//! The calls of many histories, one after the other. Memory is bounded by the longest line that is
//! read, the calls in it, and 16 bytes for each call that was met.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Read as _, Seek as _};
use std::sync::Arc;

use camino::{Utf8Component, Utf8Path, Utf8PathBuf};
use hookward_contract::{Call, Origin, ToolInput, ToolName, sha256_hex};
use rustix::fs::{Mode, OFlags};

use crate::files::{self, Found as Listed};
use crate::lines::{Line, Lines};
use crate::readers::{
    AuditCounts, Detected, Format, Found, LineReader, MAX_DOCUMENT_BYTES, detect, gemini_document,
    reader,
};
use crate::recorded::{Place, Recorded};
use crate::report::AuditRow;
use crate::seen::{Identity, Seen};
use crate::skipped::{SkipReason, Skipped, SkippedFile};

/// How histories are read.
#[derive(Debug, Clone)]
pub struct ReadOptions {
    /// The format of every file; `None` to tell it by the content of each.
    pub format: Option<Format>,
    /// The directory of calls whose history does not name one: absolute and clean.
    pub cwd: Utf8PathBuf,
}

/// The calls of files and folders, in the order of their names. An iterator over [`Recorded`]: a
/// call that several files repeat comes once.
pub struct Histories {
    options: ReadOptions,
    files: VecDeque<Listed>,
    current: Option<Open>,
    ready: VecDeque<Recorded>,
    seen: Seen,
    skipped: Skipped,
    audit: AuditCounts,
    bytes_total: u64,
    bytes_read: u64,
    files_read: u64,
    repeated: u64,
}

/// A file that is being read.
struct Open {
    path: Arc<Utf8Path>,
    format: Format,
    lines: Lines<File>,
    reader: Option<Box<dyn LineReader>>,
}

impl Histories {
    /// Finds the files that `paths` name. Nothing is read yet, and no path is an error: what cannot be
    /// read is in [`skipped`](Self::skipped).
    pub fn open(paths: &[Utf8PathBuf], options: ReadOptions) -> Self {
        let mut skipped = Skipped::default();
        let files = files::find(paths, &mut skipped);
        Self {
            options,
            bytes_total: files.iter().map(|file| file.bytes).sum(),
            files: files.into(),
            current: None,
            ready: VecDeque::new(),
            seen: Seen::default(),
            skipped,
            audit: AuditCounts::default(),
            bytes_read: 0,
            files_read: 0,
            repeated: 0,
        }
    }

    /// Size of all files when they were found, in bytes.
    pub fn bytes_total(&self) -> u64 {
        self.bytes_total
    }

    /// How far reading is, in bytes.
    pub fn bytes_read(&self) -> u64 {
        let current = self.current.as_ref();
        self.bytes_read + current.map_or(0, |open| open.lines.bytes())
    }

    /// Files of a known format so far.
    pub fn files_read(&self) -> u64 {
        self.files_read
    }

    /// Calls so far that were copies of others.
    pub fn repeated(&self) -> u64 {
        self.repeated
    }

    /// What was not read so far, by file and reason.
    pub fn skipped(&self) -> Vec<SkippedFile> {
        self.skipped.list()
    }

    /// What audit files say about the calls that they recorded.
    pub fn audit(&self) -> Vec<AuditRow> {
        AuditRow::list(&self.audit)
    }

    /// Opens the next file; `false` where there is none.
    fn next_file(&mut self) -> bool {
        if let Some(open) = self.current.take() {
            self.bytes_read += open.lines.bytes();
        }
        let Some(file) = self.files.pop_front() else {
            return false;
        };
        match self.open_file(&file) {
            Ok(Some(open)) => {
                self.files_read += 1;
                self.current = Some(open);
            }
            Ok(None) => self.bytes_read += file.bytes,
            Err(error) => {
                let reason = if error.kind() == io::ErrorKind::InvalidInput {
                    SkipReason::NotAFile
                } else {
                    SkipReason::Unreadable
                };
                self.skipped.file(&file.path, reason);
                self.bytes_read += file.bytes;
            }
        }
        true
    }

    /// A file whose lines are to be read; `None` where it is done with.
    fn open_file(&mut self, listed: &Listed) -> io::Result<Option<Open>> {
        let path = &listed.path;
        let mut file = open_regular(path)?;
        let detected = match self.options.format {
            Some(Format::GeminiCli) | None => detect(&file)?,
            Some(format) => Detected::Lines(format),
        };
        file.rewind()?;
        let format = match (detected, self.options.format) {
            (Detected::Empty, _) => return Ok(None),
            (Detected::Document, _) => {
                self.document(&file, path)?;
                return Ok(None);
            }
            (_, Some(format)) | (Detected::Lines(format), None) => format,
            (Detected::Unknown, None) => {
                self.skipped.file(path, SkipReason::NotAHistory);
                return Ok(None);
            }
        };
        Ok(Some(Open {
            path: Arc::clone(path),
            format,
            lines: Lines::new(file),
            reader: reader(format, self.project_beside(path)),
        }))
    }

    fn document(&mut self, file: &File, path: &Arc<Utf8Path>) -> io::Result<()> {
        let mut text = String::new();
        let read = file.take(MAX_DOCUMENT_BYTES + 1).read_to_string(&mut text);
        let not_utf8 = matches!(&read, Err(error) if error.kind() == io::ErrorKind::InvalidData);
        if not_utf8 {
            self.skipped.line(path, 1, SkipReason::NotUtf8);
            return Ok(());
        }
        read?;
        if text.len() as u64 > MAX_DOCUMENT_BYTES {
            self.skipped.file(path, SkipReason::DocumentTooLarge);
            return Ok(());
        }
        let project = self.project_beside(path);
        let place = Place {
            file: Arc::clone(path),
            line: 1,
        };
        let result = {
            let mut intake = self.intake(&place, Format::GeminiCli);
            gemini_document(&text, project.as_deref(), &mut |found| intake.take(&found))
        };
        match result {
            Ok(()) => self.files_read += 1,
            Err(SkipReason::NotJson) => self.skipped.file(path, SkipReason::NotAHistory),
            Err(reason) => self.skipped.line(path, 1, reason),
        }
        Ok(())
    }

    /// Reads one line of the current file; `false` at its end.
    fn next_line(&mut self) -> bool {
        let Some(mut open) = self.current.take() else {
            return false;
        };
        let place = Place {
            file: Arc::clone(&open.path),
            line: open.lines.number() + 1,
        };
        let more = match open.lines.next() {
            Ok(None) => false,
            Err(_) => {
                self.skipped.file(&open.path, SkipReason::Unreadable);
                false
            }
            Ok(Some(line)) => {
                let text = match line {
                    Line::TooLong => Err(SkipReason::LineTooLong),
                    Line::Whole(bytes) => {
                        std::str::from_utf8(bytes).map_err(|_| SkipReason::NotUtf8)
                    }
                };
                let result = match (text.map(str::trim_ascii), &mut open.reader) {
                    (Err(reason), _) => Err(reason),
                    (Ok(""), _) => Ok(()),
                    (Ok(text), None) => self.audit.line(text),
                    (Ok(text), Some(reader)) => {
                        let mut intake = self.intake(&place, open.format);
                        reader.line(text, &mut |found| intake.take(&found))
                    }
                };
                if let Err(reason) = result {
                    self.skipped.line(&place.file, place.line, reason);
                }
                true
            }
        };
        self.current = Some(open);
        more
    }

    fn intake<'a>(&'a mut self, place: &'a Place, format: Format) -> Intake<'a> {
        Intake {
            place,
            format,
            cwd: &self.options.cwd,
            ready: &mut self.ready,
            seen: &mut self.seen,
            skipped: &mut self.skipped,
            repeated: &mut self.repeated,
        }
    }

    /// The project of sessions of Gemini CLI, from the file that names it in a folder above, or from
    /// the folder's name, which is a hash of it.
    fn project_beside(&self, path: &Utf8Path) -> Option<String> {
        /// A session lies at most this many folders below its project's.
        const LEVELS: usize = 4;
        for folder in path.ancestors().skip(1).take(LEVELS) {
            if let Ok(file) = open_regular(&folder.join(".project_root")) {
                let mut text = String::new();
                file.take(4_096).read_to_string(&mut text).ok()?;
                return Some(text.trim_end_matches('\n').to_owned());
            }
            let name = folder.file_name().unwrap_or_default();
            let is_named = |root: &&Utf8Path| sha256_hex(root.as_str().as_bytes()) == name;
            if name.len() == 64
                && let Some(root) = self.options.cwd.ancestors().find(is_named)
            {
                return Some(root.to_string());
            }
        }
        None
    }
}

impl Iterator for Histories {
    type Item = Recorded;

    fn next(&mut self) -> Option<Recorded> {
        loop {
            if let Some(recorded) = self.ready.pop_front() {
                return Some(recorded);
            }
            if !self.next_line() && !self.next_file() {
                return None;
            }
        }
    }
}

/// Opens a file without ever waiting for one that is none.
fn open_regular(path: &Utf8Path) -> io::Result<File> {
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK;
    let file = File::from(rustix::fs::open(path.as_std_path(), flags, Mode::empty())?);
    if !file.metadata()?.is_file() {
        return Err(io::Error::from(io::ErrorKind::InvalidInput));
    }
    Ok(file)
}

/// Takes the calls of one line.
struct Intake<'a> {
    place: &'a Place,
    format: Format,
    cwd: &'a Utf8Path,
    ready: &'a mut VecDeque<Recorded>,
    seen: &'a mut Seen,
    skipped: &'a mut Skipped,
    repeated: &'a mut u64,
}

impl Intake<'_> {
    fn take(&mut self, found: &Found<'_>) {
        let is_new = self.seen.is_new(&Identity {
            id: found.id,
            message: found.message,
            lineage: found.lineage,
            tool: &found.call.tool,
            input: &found.call.input,
        });
        if !is_new {
            *self.repeated += 1;
            return;
        }
        if let Some(recorded) = self.recorded(found) {
            self.ready.push_back(recorded);
        } else {
            let Place { file, line } = self.place;
            self.skipped.line(file, *line, SkipReason::BadCall);
        }
    }

    fn recorded(&self, found: &Found<'_>) -> Option<Recorded> {
        let (input, _) = ToolInput::parse(&found.call.input).ok()?;
        if !input.get().starts_with('{') {
            return None;
        }
        let named = found.cwd.filter(|cwd| cwd.starts_with('/'));
        let base = named.map_or(self.cwd, Utf8Path::new);
        let folder = found.call.folder.as_deref().unwrap_or_default();
        let session = found.session.to_owned();
        let call = Call {
            turn_id: session.clone(),
            run_id: session.clone(),
            session_id: session,
            tool_use_id: found.id.to_owned(),
            tool: ToolName::try_from(found.call.tool.as_ref()).ok()?,
            native_tool: found.call.native.map(ToolName::try_from).transpose().ok()?,
            input,
            cwd: clean(&base.join(folder)),
            permission_mode: String::new(),
            origin: Origin::Replay,
            agent_id: found.agent_id.map(str::to_owned),
            agent_type: None,
            parent_tool_use_id: None,
        };
        Some(Recorded {
            call,
            at: found.at.and_then(|at| at.parse().ok()),
            place: self.place.clone(),
            format: self.format,
            outcome: found.outcome,
            cwd_known: named.is_some(),
        })
    }
}

/// An absolute path without `.`, `..` and doubled slashes.
fn clean(path: &Utf8Path) -> Utf8PathBuf {
    if let Ok(clean) = Call::clean_cwd(path.as_str()) {
        return clean;
    }
    let mut clean = Utf8PathBuf::from("/");
    for part in path.components() {
        match part {
            Utf8Component::ParentDir => {
                clean.pop();
            }
            Utf8Component::Normal(name) if !name.contains('\0') => clean.push(name),
            _ => {}
        }
    }
    clean
}
