//! What of a history was not read, and why. Nothing is left out without being counted here.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use camino::Utf8Path;
use serde::{Serialize, Serializer};

/// Why a file or a line of it was not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum SkipReason {
    /// The file could not be opened or read to its end.
    Unreadable,
    /// A FIFO, a device, a socket.
    NotAFile,
    /// The file is compressed.
    Compressed,
    /// No known writer's format, at least in its beginning.
    NotAHistory,
    /// A document of one value over [`MAX_DOCUMENT_BYTES`](crate::MAX_DOCUMENT_BYTES).
    DocumentTooLarge,
    /// The folder holds more files than [`MAX_FILES`](crate::MAX_FILES), or deeper ones than
    /// [`MAX_DEPTH`](crate::MAX_DEPTH).
    TooManyFiles,
    /// The line is over [`MAX_LINE_BYTES`](crate::MAX_LINE_BYTES).
    LineTooLong,
    /// The line is not UTF-8.
    NotUtf8,
    /// The line is cut, or no JSON object of the shape that its format has.
    NotJson,
    /// The line is not of the format of its file.
    OtherFormat,
    /// The line holds a call that cannot be judged: its input breaks a limit, names a key twice, or
    /// is no object.
    BadCall,
}

impl SkipReason {
    /// The name in JSON.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Unreadable => "unreadable",
            Self::NotAFile => "not_a_file",
            Self::Compressed => "compressed",
            Self::NotAHistory => "not_a_history",
            Self::DocumentTooLarge => "document_too_large",
            Self::TooManyFiles => "too_many_files",
            Self::LineTooLong => "line_too_long",
            Self::NotUtf8 => "not_utf8",
            Self::NotJson => "not_json",
            Self::OtherFormat => "other_format",
            Self::BadCall => "bad_call",
        }
    }

    /// Whether it is about a line, not the file as a whole.
    pub const fn is_about_a_line(self) -> bool {
        matches!(
            self,
            Self::LineTooLong | Self::NotUtf8 | Self::NotJson | Self::OtherFormat | Self::BadCall
        )
    }
}

impl fmt::Display for SkipReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Unreadable => "cannot be read",
            Self::NotAFile => "not a regular file",
            Self::Compressed => "compressed; unpack it first",
            Self::NotAHistory => "not a history of a known format",
            Self::DocumentTooLarge => "one document of more than 64 MiB",
            Self::TooManyFiles => "more or deeper files than are read",
            Self::LineTooLong => "lines over 16 MiB",
            Self::NotUtf8 => "lines that are not UTF-8",
            Self::NotJson => "lines that are cut or not JSON",
            Self::OtherFormat => "lines of another format",
            Self::BadCall => "calls that cannot be judged",
        })
    }
}

impl Serialize for SkipReason {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// Something of one file that was skipped for one reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SkippedFile {
    /// The file or folder.
    pub file: String,
    /// Why.
    pub reason: SkipReason,
    /// How many lines; 1 where it is the file as a whole.
    pub count: u64,
    /// The first such line, from 1; `None` where it is the file as a whole.
    pub first_line: Option<u64>,
}

/// Counts what was skipped, per file and reason.
#[derive(Debug, Default)]
pub(crate) struct Skipped(BTreeMap<(Arc<Utf8Path>, SkipReason), (u64, u64)>);

impl Skipped {
    pub(crate) fn file(&mut self, file: &Arc<Utf8Path>, reason: SkipReason) {
        self.line(file, 0, reason);
    }

    pub(crate) fn line(&mut self, file: &Arc<Utf8Path>, line: u64, reason: SkipReason) {
        let entry = self.0.entry((Arc::clone(file), reason));
        entry.or_insert((0, line)).0 += 1;
    }

    /// Everything, by file and reason.
    pub(crate) fn list(&self) -> Vec<SkippedFile> {
        let rows = self.0.iter();
        rows.map(|((file, reason), (count, line))| SkippedFile {
            file: file.to_string(),
            reason: *reason,
            count: *count,
            first_line: reason.is_about_a_line().then_some(*line),
        })
        .collect()
    }
}
