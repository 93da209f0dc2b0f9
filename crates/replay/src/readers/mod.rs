//! One module per writer: from a line of a history to the calls in it. They read texts that they
//! are given and keep the state of one file.

mod audit;
mod calls;
mod claude_code;
mod codex;
mod detect;
mod gemini;

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::canonical::Canonical;
use crate::recorded::CallOutcome;
use crate::skipped::SkipReason;

pub(crate) use audit::AuditCounts;
pub(crate) use detect::{Detected, detect};
pub(crate) use gemini::document as gemini_document;

/// Largest document of one value that is read (64 MiB): older sessions of Gemini CLI.
pub const MAX_DOCUMENT_BYTES: u64 = 64 * 1024 * 1024;

/// Who writes histories of a format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Format {
    /// Sessions of Claude Code: `~/.claude/projects/*/*.jsonl`.
    ClaudeCode,
    /// Sessions of Codex: `~/.codex/sessions/YYYY/MM/DD/rollout-*.jsonl`.
    Codex,
    /// Sessions of Gemini CLI: `~/.gemini/tmp/*/chats/*.json` and `.jsonl`.
    GeminiCli,
    /// Hookward's own audit. It is value-free: it has names of tools and what was decided, no
    /// inputs, so that its calls are counted and not judged again.
    Audit,
    /// One call per line: `{"tool", "input", "cwd"?, "session"?, "at"?}`, or what a hook reads.
    Calls,
}

impl Format {
    /// Every format, in the order in which documents list them.
    pub const ALL: &'static [Self] = &[
        Self::ClaudeCode,
        Self::Codex,
        Self::GeminiCli,
        Self::Audit,
        Self::Calls,
    ];

    /// The name used on the command line and in JSON.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude-code",
            Self::Codex => "codex",
            Self::GeminiCli => "gemini-cli",
            Self::Audit => "audit",
            Self::Calls => "calls",
        }
    }

    /// Where its writer keeps histories, relative to the home directory; `None` for formats that
    /// have no such place.
    pub const fn home_folder(self) -> Option<&'static str> {
        match self {
            Self::ClaudeCode => Some(".claude/projects"),
            Self::Codex => Some(".codex/sessions"),
            Self::GeminiCli => Some(".gemini/tmp"),
            Self::Audit | Self::Calls => None,
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The text is not the name of a format.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownFormat(pub String);

impl fmt::Display for UnknownFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all: Vec<&str> = Format::ALL.iter().map(|format| format.as_str()).collect();
        let all = all.join(", ");
        write!(f, "`{}` is not a format; the formats are: {all}", self.0)
    }
}

impl std::error::Error for UnknownFormat {}

impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut all = Self::ALL.iter().copied();
        all.find(|format| format.as_str() == text)
            .ok_or_else(|| UnknownFormat(text.to_owned()))
    }
}

/// A text that is borrowed where it has no escapes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub(crate) struct Text<'a>(#[serde(borrow)] pub(crate) Cow<'a, str>);

/// The text of an optional field, or nothing.
pub(crate) fn or_empty<'t>(text: Option<&'t Text<'_>>) -> &'t str {
    text.map_or("", |Text(text)| text)
}

/// A call as a line has it, not yet checked.
#[derive(Debug)]
pub(crate) struct Found<'a> {
    pub(crate) call: Canonical<'a>,
    /// Identity of the call; empty where there is none.
    pub(crate) id: &'a str,
    /// Identity of what held it, where its writer keeps that across copies.
    pub(crate) message: &'a str,
    pub(crate) session: &'a str,
    /// The session that all copies of this history share, where it is known; else the session.
    pub(crate) lineage: &'a str,
    pub(crate) cwd: Option<&'a str>,
    pub(crate) at: Option<&'a str>,
    pub(crate) agent_id: Option<&'a str>,
    pub(crate) outcome: Option<CallOutcome>,
}

/// Reads the lines of one file, in order.
pub(crate) trait LineReader {
    /// Hands every call of a line to `take`.
    fn line(&mut self, line: &str, take: &mut dyn FnMut(Found<'_>)) -> Result<(), SkipReason>;
}

/// The reader for a file of a format; `project` is what is known of it from beside the file. The
/// audit has no calls and is counted instead.
pub(crate) fn reader(format: Format, project: Option<String>) -> Option<Box<dyn LineReader>> {
    match format {
        Format::ClaudeCode => Some(Box::new(claude_code::Reader)),
        Format::Codex => Some(Box::<codex::Reader>::default()),
        Format::GeminiCli => Some(Box::new(gemini::Reader::new(project))),
        Format::Calls => Some(Box::new(calls::Reader)),
        Format::Audit => None,
    }
}

/// Whether a text has `needle` in it.
pub(crate) fn has(line: &str, needle: &str) -> bool {
    memchr::memmem::find(line.as_bytes(), needle.as_bytes()).is_some()
}

/// A line is an object, whole, and shows one of the marks that all lines of its format have.
pub(crate) fn check_shape(line: &str, marks: &[&str]) -> Result<(), SkipReason> {
    let line = line.trim_ascii();
    if !(line.starts_with('{') && line.ends_with('}')) {
        return Err(SkipReason::NotJson);
    }
    if marks.iter().any(|mark| has(line, mark)) {
        return Ok(());
    }
    match serde_json::from_str::<serde::de::IgnoredAny>(line) {
        Ok(_) => Err(SkipReason::OtherFormat),
        Err(_) => Err(SkipReason::NotJson),
    }
}
