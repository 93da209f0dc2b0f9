//! The trust store: which exact definitions a person has reviewed, and which projects they trust.
//!
//! Reading never fails; a store that cannot be read is a state of its own that trusts nothing.
//! Every change is made under the policy lock, on what the file holds at that moment, and is
//! durable when the call returns.

use std::collections::HashMap;
use std::io;

use camino::Utf8PathBuf;
use hookward_contract::{DefinitionHash, HookId, SourceKind};

use crate::content::Files;
use crate::definition::Definition;
use crate::diagnostic::Diagnostic;
use crate::file::{FileProblem, Ownership, Place};
use crate::hook::{Hook, Trust};
use crate::lock::{Lock, LockError};
use crate::pins::{Pin, PinError, Zone};
use crate::project::{Project, ProjectIdentity};
use crate::state_root::StateRoot;
use crate::trust_file::{self, Contents};

pub use crate::trust_file::{MAX_STORE_BYTES, MAX_TRUST_RECORDS, TrustRecord, WorkspaceRecord};

/// What became of a policy file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum SourceState {
    /// There is no such file.
    Absent,
    /// In force.
    Loaded,
    /// There is one and it cannot be used. Never to be shown or treated as empty.
    Broken,
}

/// The content of `trust.json`, or why there is none.
#[derive(Debug, Clone)]
pub struct TrustStore {
    state_root: StateRoot,
    state: SourceState,
    diagnostics: Vec<Diagnostic>,
    contents: Contents,
    by_hash: HashMap<DefinitionHash, usize>,
}

/// A hook together with the content of its files, as a person looks at them.
#[derive(Debug, Clone)]
pub struct Review {
    pub(crate) hook: Hook,
    pub(crate) pins: Vec<Pin>,
}

impl Review {
    /// The hook under review.
    pub fn hook(&self) -> &Hook {
        &self.hook
    }

    /// What will be recorded about its files.
    pub fn pins(&self) -> &[Pin] {
        &self.pins
    }
}

/// How far a person's yes goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Consent {
    /// The reviewed hooks only.
    Hooks,
    /// The reviewed hooks, and the project they are from.
    HooksAndWorkspace,
}

/// A change of trust that was not made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TrustError {
    /// The store cannot be read, so it cannot be added to.
    #[error("the trust store `{path}` is broken: {problem}; repair it, or set it aside")]
    Broken {
        /// The store.
        path: Utf8PathBuf,
        /// Its first problem.
        problem: String,
    },
    /// A store that can be read is not set aside.
    #[error("the trust store `{0}` is not broken; revoke single hooks instead")]
    NotBroken(Utf8PathBuf),
    /// The project was never trusted.
    #[error("the project {0} is not trusted; trust the project, too, or first")]
    WorkspaceUntrusted(ProjectIdentity),
    /// The hook was loaded for another project.
    #[error("the hook `{0}` belongs to another project; review it there")]
    ForeignHook(HookId),
    /// There is no definition in force that could be trusted.
    #[error("the file that held the hook `{0}` is broken; repair it and review again")]
    NotReviewable(HookId),
    /// A file of the hook changed while the person was looking.
    #[error("a file of the hook `{0}` changed during the review; review it again")]
    ChangedSinceReview(HookId),
    /// A file of the hook cannot be pinned.
    #[error(transparent)]
    Pin(#[from] PinError),
    /// The time is not RFC 3339.
    #[error("`{0}` is not an RFC 3339 time such as 2026-01-31T12:00:00Z")]
    Time(String),
    /// Over [`MAX_TRUST_RECORDS`] or [`MAX_STORE_BYTES`].
    #[error("the trust store is full ({0}); revoke hooks that are no longer used")]
    Full(&'static str),
    /// Another process holds the lock.
    #[error("another process is changing `{0}`; try again")]
    Locked(Utf8PathBuf),
    /// The lock of policy files cannot be made or opened.
    #[error("cannot use the lock `{path}`: {source}; remove what stands in its place")]
    Lock {
        /// The lock file.
        path: Utf8PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The State Root is no directory, or others could change its files.
    #[error("{0}")]
    StateRoot(String),
    /// The store cannot be written.
    #[error("cannot write the trust store `{path}`: {source}")]
    Io {
        /// The store or its directory.
        path: Utf8PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

impl TrustStore {
    /// Reads the store of a State Root.
    pub fn load(state_root: &StateRoot) -> Self {
        let mut store = Self {
            state_root: state_root.clone(),
            state: SourceState::Absent,
            diagnostics: Vec::new(),
            contents: Contents::default(),
            by_hash: HashMap::new(),
        };
        match read(state_root) {
            Ok(None) => {}
            Ok(Some(bytes)) => match trust_file::decode(&bytes) {
                Ok(contents) => {
                    store.state = SourceState::Loaded;
                    store.set(contents);
                }
                Err(diagnostic) => store.set_broken(*diagnostic),
            },
            Err(problem) => store.set_broken(problem.diagnostic()),
        }
        store
    }

    fn set_broken(&mut self, diagnostic: Diagnostic) {
        self.state = SourceState::Broken;
        self.diagnostics = vec![diagnostic];
    }

    fn set(&mut self, contents: Contents) {
        let hashes = contents.records.iter().enumerate();
        self.by_hash = hashes
            .map(|(index, record)| (record.definition_hash.clone(), index))
            .collect();
        self.contents = contents;
    }

    /// The file.
    pub fn path(&self) -> Utf8PathBuf {
        self.state_root.trust_file()
    }

    /// Whether the store can be read.
    pub fn state(&self) -> SourceState {
        self.state
    }

    /// Why the store is broken.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }

    /// Every reviewed definition, the latest review last.
    pub fn records(&self) -> &[TrustRecord] {
        &self.contents.records
    }

    /// Every trusted project.
    pub fn workspaces(&self) -> &[WorkspaceRecord] {
        &self.contents.workspaces
    }

    /// The record of exactly this definition.
    pub fn record(&self, hash: &DefinitionHash) -> Option<&TrustRecord> {
        self.by_hash
            .get(hash)
            .and_then(|index| self.contents.records.get(*index))
    }

    /// The latest record of a hook by its name.
    pub fn latest(&self, source: SourceKind, owner: &str, id: &HookId) -> Option<&TrustRecord> {
        self.owned(source, owner)
            .rev()
            .find(|record| record.hook_id == *id)
    }

    /// The latest record of each hook of a source, in the order of their review.
    pub fn latest_of_source(&self, source: SourceKind, owner: &str) -> Vec<&TrustRecord> {
        let mut latest: Vec<&TrustRecord> = Vec::new();
        for record in self.owned(source, owner).rev() {
            if !latest.iter().any(|later| later.hook_id == record.hook_id) {
                latest.push(record);
            }
        }
        latest.reverse();
        latest
    }

    fn owned(
        &self,
        source: SourceKind,
        owner: &str,
    ) -> impl DoubleEndedIterator<Item = &TrustRecord> {
        self.records()
            .iter()
            .filter(move |record| record.source == source && record.project_identity == owner)
    }

    /// Whether hooks of a project may be trusted and run at all.
    pub fn is_workspace_trusted(&self, identity: &ProjectIdentity) -> bool {
        self.contents.has_workspace(identity)
    }

    /// Trusts reviewed hooks of one project or of the user, all of them or none. `when` is an
    /// RFC 3339 time. Returns the hashes that were trusted.
    ///
    /// Refused if the project of a project hook is neither trusted nor covered by `consent`, or if
    /// a file of a hook is no longer what the review showed.
    pub fn trust(
        &mut self,
        project: &Project,
        reviews: &[Review],
        consent: Consent,
        when: &str,
    ) -> Result<Vec<DefinitionHash>, TrustError> {
        let when = normal_time(when)?;
        let zone = Zone::new(project, &self.state_root);
        self.change(|contents| {
            if consent == Consent::HooksAndWorkspace {
                contents.add_workspace(&project.identity, &when);
            }
            let mut files = Files::default();
            for review in reviews {
                check(review, project, contents)?;
                if zone.record(&review.hook, &mut files)? != review.pins {
                    return Err(TrustError::ChangedSinceReview(review.hook.id.clone()));
                }
                contents.add_record(TrustRecord::new(&review.hook, &review.pins, &when));
            }
            let hashes = reviews.iter().map(|review| review.hook.hash.clone());
            Ok(hashes.collect())
        })
    }

    /// Trusts a project, so that its hooks can be trusted. Whether that is news.
    pub fn trust_workspace(
        &mut self,
        identity: &ProjectIdentity,
        when: &str,
    ) -> Result<bool, TrustError> {
        let when = normal_time(when)?;
        self.change(|contents| Ok(contents.add_workspace(identity, &when)))
    }

    /// Forgets a definition. Whether it was known.
    pub fn revoke(&mut self, hash: &DefinitionHash) -> Result<bool, TrustError> {
        self.change(|contents| {
            let before = contents.records.len();
            contents
                .records
                .retain(|record| record.definition_hash != *hash);
            Ok(contents.records.len() < before)
        })
    }

    /// Forgets that a project is trusted; its hooks stay known and become inactive. Whether it was.
    pub fn revoke_workspace(&mut self, identity: &ProjectIdentity) -> Result<bool, TrustError> {
        self.change(|contents| {
            let before = contents.workspaces.len();
            contents
                .workspaces
                .retain(|record| record.project_identity != *identity);
            Ok(contents.workspaces.len() < before)
        })
    }

    /// Moves a broken store out of the way and starts an empty one, which trusts nothing. Returns
    /// where the broken one is now; `None` if there is no store.
    pub fn set_aside(&mut self) -> Result<Option<Utf8PathBuf>, TrustError> {
        let _lock = self.lock()?;
        *self = Self::load(&self.state_root);
        match self.state {
            SourceState::Absent => return Ok(None),
            SourceState::Loaded => return Err(TrustError::NotBroken(self.path())),
            SourceState::Broken => {}
        }
        let io = |error| self.io(error);
        let place = place(&self.state_root).map_err(|problem| self.problem(problem))?;
        let place = place.ok_or_else(|| io(io::ErrorKind::NotFound.into()))?;
        for number in 1..=1_000 {
            let name = format!("{}.broken-{number}", StateRoot::TRUST);
            match place.move_aside(&name) {
                Ok(()) => {
                    *self = Self::load(&self.state_root);
                    return Ok(Some(self.state_root.path().join(name)));
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(io(error)),
            }
        }
        Err(io(io::ErrorKind::AlreadyExists.into()))
    }

    /// Applies `edit` to what the file holds now and writes the result.
    fn change<T>(
        &mut self,
        edit: impl FnOnce(&mut Contents) -> Result<T, TrustError>,
    ) -> Result<T, TrustError> {
        let _lock = self.lock()?;
        *self = Self::load(&self.state_root);
        if let Some(first) = self.diagnostics.first() {
            return Err(TrustError::Broken {
                path: self.path(),
                problem: first.message.clone(),
            });
        }
        let mut contents = self.contents.clone();
        let result = edit(&mut contents)?;
        if contents != self.contents {
            let bytes = trust_file::encode(&contents).map_err(TrustError::Full)?;
            let place = place(&self.state_root).map_err(|problem| self.problem(problem))?;
            place
                .ok_or_else(|| io::ErrorKind::NotFound.into())
                .and_then(|place| place.replace(&bytes, None))
                .map_err(|error| self.io(error))?;
            self.state = SourceState::Loaded;
            self.set(contents);
        }
        Ok(result)
    }

    fn lock(&self) -> Result<Lock, TrustError> {
        Lock::acquire(&self.state_root).map_err(|error| match error {
            LockError::Busy => TrustError::Locked(self.path()),
            LockError::StateRoot(problem) => TrustError::StateRoot(problem.text()),
            LockError::Io(source) => TrustError::Lock {
                path: self.state_root.lock_file(),
                source,
            },
        })
    }

    fn io(&self, source: io::Error) -> TrustError {
        TrustError::Io {
            path: self.path(),
            source,
        }
    }

    fn problem(&self, problem: FileProblem) -> TrustError {
        TrustError::Broken {
            path: self.path(),
            problem: problem.message,
        }
    }
}

fn place(state_root: &StateRoot) -> Result<Option<Place>, FileProblem> {
    let dir = state_root.path();
    Place::in_private(dir, StateRoot::TRUST, state_root.trust_file())
}

fn read(state_root: &StateRoot) -> Result<Option<Vec<u8>>, FileProblem> {
    let Some(place) = place(state_root)? else {
        return Ok(None);
    };
    let content = place.read(MAX_STORE_BYTES, Ownership::Private)?;
    Ok(content.map(|content| content.bytes))
}

fn normal_time(when: &str) -> Result<String, TrustError> {
    let time: Result<jiff::Timestamp, _> = when.parse();
    time.map(|time| time.to_string())
        .map_err(|_| TrustError::Time(hookward_contract::escape_for_display(when)))
}

fn check(review: &Review, project: &Project, contents: &Contents) -> Result<(), TrustError> {
    let hook = &review.hook;
    if hook.trust == Trust::BrokenSource {
        return Err(TrustError::NotReviewable(hook.id.clone()));
    }
    if hook.owner != Definition::owner(hook.source, &project.identity) {
        return Err(TrustError::ForeignHook(hook.id.clone()));
    }
    if hook.source == SourceKind::Project && !contents.has_workspace(&project.identity) {
        return Err(TrustError::WorkspaceUntrusted(project.identity.clone()));
    }
    Ok(())
}
