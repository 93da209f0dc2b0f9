use std::fmt;
use std::sync::Arc;

use camino::Utf8Path;
use hookward_contract::Call;
use jiff::Timestamp;
use serde::Serialize;

use crate::readers::Format;

/// Where in a history a call stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The file.
    pub file: Arc<Utf8Path>,
    /// The line, from 1; 1 for every call of a file that is one document.
    pub line: u64,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

/// What became of a call, where the record of the call itself says so.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CallOutcome {
    /// The tool ran and reported no error.
    Succeeded,
    /// The tool reported an error.
    Failed,
    /// It was refused or stopped.
    Cancelled,
}

/// A call as a history has it.
#[derive(Debug, Clone)]
pub struct Recorded {
    /// The call, in canonical names. Its origin is [`Replay`](hookward_contract::Origin::Replay),
    /// and its permission mode is empty: no history says reliably which one was in force.
    pub call: Call,
    /// When it was asked for. A forked session of older clients has the time of the fork.
    pub at: Option<Timestamp>,
    /// Where it stands.
    pub place: Place,
    /// Who wrote the history.
    pub format: Format,
    /// What became of it.
    pub outcome: Option<CallOutcome>,
    /// Whether the history says in which directory it was asked for; if not, the call has the
    /// directory of [`ReadOptions::cwd`](crate::ReadOptions::cwd).
    pub cwd_known: bool,
}
