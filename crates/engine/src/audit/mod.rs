//! The audit: value-free records behind a port, and a file that chains them by hash so that a cut
//! or an edit is found. It records what happened and never decides anything.
//!
//! Files of a directory, all of mode 0600: `current.jsonl`, up to [`KEPT_ARCHIVES`] archives named
//! `<first sequence number>.jsonl`, as many files `damaged-<last good number>.jsonl` that did not end
//! where they should, and `head`, which says where the chain ends. A line is
//! `{"seq":…,"prev":…,"hash":…,"record":{…}}` with `hash = SHA-256(prev "\n" seq "\n" record)`.

mod chain;
mod file;
mod record;
mod verify;

use std::io;
use std::sync::{Mutex, PoisonError};

pub use file::{FileAudit, KEPT_ARCHIVES, ROTATE_AT_BYTES};
pub use record::{AuditEvent, AuditRecord, HookCompleted, HookStatus};
pub use verify::{ChainProblem, ChainReport, read_records, tail, verify};

/// Where audit records go. Called after the verdict is known and before it is returned; a failure
/// becomes a notice and changes no verdict. Records of one call arrive together and in
/// configuration order. Must be safe to call concurrently.
pub trait AuditSink: Send + Sync {
    /// Appends `records`, all or none.
    ///
    /// # Errors
    ///
    /// [`AuditError`] when they could not be stored.
    fn append(&self, records: &[AuditRecord]) -> Result<(), AuditError>;
}

/// Audit records could not be stored or read.
#[derive(Debug, thiserror::Error)]
#[error("audit file {path}: {source}")]
pub struct AuditError {
    /// The file or directory.
    pub path: camino::Utf8PathBuf,
    /// What the operating system said.
    #[source]
    pub source: io::Error,
}

/// Keeps records in memory; for tests and for hosts that forward them.
#[derive(Debug, Default)]
pub struct MemoryAudit(Mutex<Vec<AuditRecord>>);

impl MemoryAudit {
    /// The records so far.
    pub fn records(&self) -> Vec<AuditRecord> {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}

impl AuditSink for MemoryAudit {
    fn append(&self, records: &[AuditRecord]) -> Result<(), AuditError> {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .extend_from_slice(records);
        Ok(())
    }
}
