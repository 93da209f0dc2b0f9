//! One snapshot kept for as long as its files are unchanged.
//!
//! Asking costs one `stat` per file that went into the snapshot. A change takes effect with the
//! next question; a snapshot that was handed out never changes.

use std::sync::{Arc, Mutex, PoisonError};

use camino::Utf8PathBuf;
use hookward_contract::SourceKind;

use crate::project::Project;
use crate::snapshot::Snapshot;
use crate::source;
use crate::stamp::{Access, Stamp};
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
    policy: PolicyStamps,
}

/// What decides whether the policy files are as they were.
#[derive(Debug, PartialEq, Eq)]
struct PolicyStamps {
    state_root: Access,
    files: [Stamp; 3],
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
    /// size, modification and change time of every file that went into it are the same, and so
    /// are owner and permissions of the State Root.
    pub fn snapshot(&self) -> Arc<Snapshot> {
        self.loaded_by(|| Snapshot::load(&self.state_root, &self.project))
    }

    fn loaded_by(&self, load: impl FnOnce() -> Arc<Snapshot>) -> Arc<Snapshot> {
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
        let snapshot = load();
        let held = Held { snapshot, policy };
        Arc::clone(&current.insert(held).snapshot)
    }

    fn policy_stamps(&self) -> PolicyStamps {
        let source = |kind| source::path(kind, &self.state_root, &self.project);
        let files = [
            source(SourceKind::User),
            source(SourceKind::Project),
            self.state_root.trust_file(),
        ];
        PolicyStamps {
            state_root: Access::to(self.state_root.path()),
            files: files.map(|path| Stamp::not_following(&path)),
        }
    }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "a test makes its files")]
mod tests {
    use std::fs;

    use camino::Utf8Path;

    use super::*;

    /// A file that changes while it is read: what was read is old, and is not kept as if it were
    /// the file's present content.
    #[test]
    fn a_policy_file_that_changes_while_it_is_read_is_read_again() {
        let folder = tempfile::tempdir().unwrap();
        let base = Utf8Path::from_path(folder.path()).unwrap();
        let project = Project::discover(base).unwrap();
        let state_root = StateRoot::new(base.join("state"));
        let file = project.hooks_file();
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, "{").unwrap();
        let cache = SnapshotCache::new(state_root.clone(), project.clone());
        let old = cache.loaded_by(|| {
            let snapshot = Snapshot::load(&state_root, &project);
            fs::write(&file, "another length").unwrap();
            snapshot
        });
        let new = cache.snapshot();
        assert!(!Arc::ptr_eq(&old, &new));
        assert!(Arc::ptr_eq(&new, &cache.snapshot()));
    }
}
