//! Types that every room of Hookward shares: ids, calls, verdicts, causes and the documents that
//! cross a process boundary.
//!
//! This crate describes; it never reads a file, starts a process, looks at a clock or prints.

#![forbid(unsafe_code)]

mod call;
mod event;
mod ids;
mod input;
mod object;
mod text;
mod verdict;
pub mod wire;

pub use call::{Call, CallError, Origin};
pub use event::{EventName, UnknownEvent};
pub use ids::{DefinitionHash, HookId, InvalidId, SnapshotDigest, ToolName, sha256_hex};
pub use input::{BorderNote, InputError, MAX_INPUT_BYTES, MAX_INPUT_DEPTH, ToolInput};
pub use object::{Object, object, objects};
pub use text::{MAX_JOINED_REASON_CHARS, MAX_REASON_CHARS};
pub use text::{bounded, escape_for_display, join_reasons, strip_controls};
pub use verdict::{
    Cause, FailureMode, HookRun, HookVerdict, NoVerdict, Reason, SourceKind, Verdict,
};
