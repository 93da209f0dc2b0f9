//! One snapshot kept for as long as its files are unchanged.
//!
//! Asking costs one `stat` per file that went into the snapshot. A change takes effect with the
//! next question; a snapshot that was handed out never changes.

use std::sync::{Arc, Mutex, PoisonError};

use camino::Utf8PathBuf;
use hookward_contract::SourceKind;

use crate::file::Stamp;
use crate::project::Project;
use crate::snapshot::Snapshot;
use crate::source;
use crate::state_root::StateRoot;

/// The snapshots of one project and State Root over time.
#[derive(Debug)]
pub struct SnapshotCache {
    state_root: StateRoot,
    project: Project,
    current: Mutex<Option<Held>>,
}

#[derive(Debug)]
struct Held {
    snapshot: Arc<Snapshot>,
    policy: [Stamp; 3],
}

impl SnapshotCache {
    /// An empty cache.
    pub fn new(state_root: StateRoot, project: Project) -> Self {
        Self {
            state_root,
            project,
            current: Mutex::new(None),
        }
    }

    /// The snapshot of the files as they are now: the one handed out before if device, inode,
    /// size, modification and change time of every file that went into it are the same.
    pub fn snapshot(&self) -> Arc<Snapshot> {
        let mut current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        let policy = self.policy_stamps();
        let unchanged = |(path, stamp): &(Utf8PathBuf, Stamp)| Stamp::following(path) == *stamp;
        if let Some(held) = &*current
            && held.policy == policy
            && held.snapshot.named().iter().all(unchanged)
        {
            return Arc::clone(&held.snapshot);
        }
        // The stamps are older than what is read now: a file that changes in between is read again
        // at the next question.
        let snapshot = Snapshot::load(&self.state_root, &self.project);
        let held = Held { snapshot, policy };
        Arc::clone(&current.insert(held).snapshot)
    }

    fn policy_stamps(&self) -> [Stamp; 3] {
        let source = |kind| source::path(kind, &self.state_root, &self.project);
        [
            source(SourceKind::User),
            source(SourceKind::Project),
            self.state_root.trust_file(),
        ]
        .map(|path| Stamp::not_following(&path))
    }
}
