//! Replay: reads the histories that agents keep of their sessions, puts every tool call in them to a
//! judge, and reports what would have happened.
//!
//! Nothing here ever runs a tool or a hook, decides about a call, or writes a file. A history is
//! material from outside: whatever is in it, reading it is bounded, never panics, and what could
//! not be read is counted with a reason.

#![forbid(unsafe_code)]

mod canonical;
mod files;
mod histories;
mod html;
mod judge;
mod lines;
mod readers;
mod recorded;
mod report;
mod run;
mod seen;
mod skipped;
mod tally;

pub use files::{MAX_DEPTH, MAX_FILES};
pub use histories::{Histories, ReadOptions};
pub use html::{HtmlError, html};
pub use judge::{Decision, Judge, Outcome, RuleEffect, RuleResult};
pub use lines::MAX_LINE_BYTES;
pub use readers::{Format, MAX_DOCUMENT_BYTES, UnknownFormat};
pub use recorded::{CallOutcome, Place, Recorded};
pub use report::{
    AuditRow, Changed, ChangedRule, Difference, Example, Report, RuleRow, SessionRow, ToolRow,
};
pub use run::{Replay, ReplayOptions};
pub use skipped::{SkipReason, SkippedFile};
