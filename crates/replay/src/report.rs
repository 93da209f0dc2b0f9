//! What a replay found, as values that a terminal, a program or a page can show. Texts from histories
//! are bounded and free of control and invisible characters.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::Serialize;

use crate::judge::Decision;
use crate::readers::AuditCounts;
use crate::skipped::SkippedFile;

/// What a replay found. The JSON of `hookward replay --json` is this, with `schema_version` before
/// it; fields are added, never changed.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Report {
    /// Calls that were judged.
    pub calls: u64,
    /// Of them: nothing objected.
    pub allowed: u64,
    /// Of them: a person would have been asked.
    pub asked: u64,
    /// Of them: would not have run.
    pub denied: u64,
    /// Copies of calls in resumed and forked sessions, which were not counted again.
    pub repeated: u64,
    /// Calls that were left out because they are older than the wanted date, or have no date.
    pub left_out: u64,
    /// Calls whose history does not name their directory.
    pub unknown_cwd: u64,
    /// Files of a known format.
    pub files: u64,
    /// Time of the oldest call.
    pub first: Option<Timestamp>,
    /// Time of the newest call.
    pub last: Option<Timestamp>,
    /// Every rule that had something to say, by name.
    pub rules: Vec<RuleRow>,
    /// Every tool, by name.
    pub tools: Vec<ToolRow>,
    /// Sessions with calls, most objections first, then by name; at most 1,000.
    pub sessions: Vec<SessionRow>,
    /// How many sessions there are.
    pub session_count: u64,
    /// Where two policies differ; `None` where one was tried.
    pub difference: Option<Difference>,
    /// What Hookward's audit says of calls that it recorded. It has no inputs, so that these calls
    /// were not judged again and are in no other number.
    pub audit: Vec<AuditRow>,
    /// What was not read.
    pub skipped: Vec<SkippedFile>,
}

/// What one rule did.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct RuleRow {
    /// The rule: `source/id`.
    pub rule: String,
    /// Calls that it denied.
    pub denied: u64,
    /// Calls about which it asked.
    pub asked: u64,
    /// Calls that it would have denied, in shadow mode.
    pub would_deny: u64,
    /// Calls about which it would have asked, in shadow mode.
    pub would_ask: u64,
    /// Calls on which it failed.
    pub failed: u64,
    /// Calls that it covers and that were not put to it.
    pub not_judged: u64,
    /// The first distinct calls among those.
    pub examples: Vec<Example>,
}

/// What became of the calls of one tool.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct ToolRow {
    /// Canonical name.
    pub tool: String,
    /// All calls of it.
    pub calls: u64,
    /// Of them asked about.
    pub asked: u64,
    /// Of them denied.
    pub denied: u64,
}

/// What became of the calls of one session.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct SessionRow {
    /// Its id, as its writer names it.
    pub session: String,
    /// All calls of it.
    pub calls: u64,
    /// Of them asked about.
    pub asked: u64,
    /// Of them denied.
    pub denied: u64,
}

/// One call, to look at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Example {
    /// Canonical name of the tool.
    pub tool: String,
    /// What it was to do: the command, the path or the beginning of the input; at most 200 characters.
    pub shown: String,
    /// What the rule says about it; empty where it says nothing.
    pub reason: String,
    /// When it was asked for.
    pub at: Option<Timestamp>,
    /// The history that holds it.
    pub file: String,
    /// Line in the history, from 1.
    pub line: u64,
}

/// Where two policies differ.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// Calls with the same verdict.
    pub same: u64,
    /// Calls with another verdict.
    pub changed: u64,
    /// Those, by old and new verdict.
    pub groups: Vec<Changed>,
}

/// Calls whose verdict changes in one way.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Changed {
    /// What the first policy says.
    pub from: Decision,
    /// What the other policy says.
    pub to: Decision,
    /// How many calls.
    pub calls: u64,
    /// Rules that make the difference, by name: those of the stricter side.
    pub rules: Vec<ChangedRule>,
    /// The first distinct ones.
    pub examples: Vec<Example>,
}

/// A rule that makes a difference.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ChangedRule {
    /// The rule: `source/id`.
    pub rule: String,
    /// In how many calls.
    pub calls: u64,
}

/// How often hooks were settled in one way for one tool, as the audit has it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AuditRow {
    /// Canonical name of the tool.
    pub tool: String,
    /// `allowed`, `asked`, `denied`, `failed`, `skipped_untrusted` …
    pub status: String,
    /// How many records.
    pub records: u64,
}

impl AuditRow {
    pub(crate) fn list(AuditCounts(counts): &AuditCounts) -> Vec<Self> {
        let shown = |text: &str| hookward_contract::escape_for_display(text);
        counts_of(counts, |(tool, status), records| Self {
            tool: shown(tool),
            status: shown(status),
            records,
        })
    }
}

/// The rows of a table of counts, in the order of its keys.
pub(crate) fn counts_of<K, T>(counts: &BTreeMap<K, u64>, row: impl Fn(&K, u64) -> T) -> Vec<T> {
    counts.iter().map(|(key, count)| row(key, *count)).collect()
}
