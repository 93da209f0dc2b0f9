//! The hook set of one turn: immutable, complete, and the same for the same files.
//!
//! One builder (`load`) serves start-up and reload. It reads the files of the two sources, the trust
//! store and the files that hooks name, and depends on nothing else: not on the time, the surface or
//! an earlier snapshot.

mod load;

use std::sync::Arc;

use camino::Utf8PathBuf;
use hookward_contract::{DefinitionHash, EventName, HookId, SnapshotDigest, SourceKind};
use hookward_rules::{EffectKind, KindSet};
use serde::Serialize;

use crate::content::Files;
use crate::definition::Definition;
use crate::diagnostic::Diagnostic;
use crate::hook::Hook;
use crate::index::MatchIndex;
use crate::matcher::Matcher;
use crate::pins::{PinError, Zone};
use crate::project::Project;
use crate::source::SourceReport;
use crate::stamp::Stamp;
use crate::state_root::StateRoot;
use crate::trust::{Review, SourceState, TrustStore};

use self::load::Draft;

/// The effective hooks of a project for one State Root, at one moment.
#[derive(Debug)]
pub struct Snapshot {
    state_root: StateRoot,
    project: Project,
    sources: Vec<SourceReport>,
    store: TrustStore,
    trust: TrustReport,
    hooks: Vec<Hook>,
    indexes: Vec<(EventName, MatchIndex)>,
    digest: SnapshotDigest,
    named: Vec<(Utf8PathBuf, Stamp)>,
}

/// What the trust store says about this project.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TrustReport {
    /// The store's file.
    pub path: Utf8PathBuf,
    /// Whether the store can be read. While it is broken every hook is [`Trust::Unknown`](crate::Trust::Unknown).
    pub state: SourceState,
    /// Why it is broken.
    pub diagnostics: Vec<Diagnostic>,
    /// Whether the project's own hooks may be trusted.
    pub workspace_trusted: bool,
    /// Hooks that were reviewed and that the intact (or absent) file no longer holds.
    pub missing: Vec<LapsedHook>,
    /// Hooks that were reviewed exactly as they are and that their file switches off.
    pub switched_off: Vec<LapsedHook>,
}

/// A reviewed hook that its file took out of force. That blocks nothing, and is told.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LapsedHook {
    /// Its name: at review if it is gone, else in its file.
    pub id: HookId,
    /// Where it was or is.
    pub source: SourceKind,
    /// Its definition's identity.
    pub hash: DefinitionHash,
    /// The canonical text of its definition.
    pub definition: String,
}

impl LapsedHook {
    /// Whether it was reviewed as a guard that blocks when it fails, for a call of a tool of one of
    /// these names, or with effects of these kinds. They are asked for only where it matters.
    pub fn guards<'n>(
        &self,
        mut names: impl Iterator<Item = &'n str>,
        kinds: &dyn Fn() -> KindSet,
    ) -> bool {
        let mut covers = |matcher: &Matcher| {
            let wanted = matcher.effects();
            names.any(|name| matcher.matches(name))
                || (wanted != KindSet::default() && overlap(wanted, kinds()))
        };
        Definition::from_canonical(&self.definition)
            .is_ok_and(|definition| definition.is_guard() && covers(&definition.matcher))
    }
}

impl Snapshot {
    /// Reads the policy files. Never fails: what cannot be read is a reported state.
    pub fn load(state_root: &StateRoot, project: &Project) -> Arc<Self> {
        Arc::new(Draft::read(state_root, project).judged())
    }

    /// Digest over everything that decides which hooks run and how.
    pub fn digest(&self) -> &SnapshotDigest {
        &self.digest
    }

    /// The project.
    pub fn project(&self) -> &Project {
        &self.project
    }

    /// The State Root.
    pub fn state_root(&self) -> &StateRoot {
        &self.state_root
    }

    /// Every source in its order, absent ones included.
    pub fn sources(&self) -> &[SourceReport] {
        &self.sources
    }

    /// State of the trust store and what it remembers of this project.
    pub fn trust_report(&self) -> &TrustReport {
        &self.trust
    }

    /// The trust store as it was read for this snapshot.
    pub fn trust_store(&self) -> &TrustStore {
        &self.store
    }

    /// Every hook in configuration order, disabled and untrusted ones included.
    pub fn hooks(&self) -> &[Hook] {
        &self.hooks
    }

    /// Whether any hook waits for this event, [`Trust::Disabled`](crate::Trust::Disabled) ones apart.
    pub fn has_hooks(&self, event: EventName) -> bool {
        self.index(event).is_some_and(|index| !index.is_empty())
    }

    /// The hooks that cover a call of a tool known by any of `names` that has, or might have,
    /// effects of `kinds`, [`Trust::Disabled`](crate::Trust::Disabled) ones apart: in configuration
    /// order, each once, whether they may run or not. A hook that was edited covers what it was
    /// reviewed for, too ([`Hook::reviewed_matcher`]).
    ///
    /// `kinds` is asked, once, only if a hook of the event is for an effect. The cost does not
    /// depend on the number of hooks that do not match, and nothing is allocated when none does.
    pub fn matching<'a, 'n>(
        &'a self,
        event: EventName,
        names: impl Iterator<Item = &'n str>,
        kinds: &dyn Fn() -> KindSet,
    ) -> Matching<'a> {
        let mut found = Vec::new();
        if let Some(index) = self.index(event) {
            names.for_each(|name| index.collect(name, &mut found));
            if index.asks_for_effects() {
                index.collect_effects(kinds(), &mut found);
            }
        }
        found.sort_unstable();
        found.dedup();
        Matching {
            hooks: &self.hooks,
            found: found.into_iter(),
        }
    }

    fn index(&self, event: EventName) -> Option<&MatchIndex> {
        self.indexes
            .iter()
            .find(|(indexed, _)| *indexed == event)
            .map(|(_, index)| index)
    }

    /// A hook of this snapshot with the content of its files as they are now, to be shown to a
    /// person before [`TrustStore::trust`].
    pub fn review(&self, hook: &Hook) -> Result<Review, PinError> {
        Ok(Review {
            hook: hook.clone(),
            pins: self.zone().record(hook, &mut Files::default())?,
        })
    }

    /// The files that hooks name, each as it was before it was looked at.
    pub(crate) fn named(&self) -> &[(Utf8PathBuf, Stamp)] {
        &self.named
    }

    pub(crate) fn zone(&self) -> Zone {
        Zone::new(&self.project, &self.state_root)
    }
}

fn overlap(one: KindSet, other: KindSet) -> bool {
    let mut kinds = EffectKind::ALL.into_iter();
    kinds.any(|kind| one.has(kind) && other.has(kind))
}

/// The hooks that cover one call; see [`Snapshot::matching`].
#[derive(Debug, Clone)]
pub struct Matching<'a> {
    hooks: &'a [Hook],
    found: std::vec::IntoIter<u32>,
}

impl<'a> Iterator for Matching<'a> {
    type Item = &'a Hook;

    fn next(&mut self) -> Option<&'a Hook> {
        self.hooks.get(self.found.next()? as usize)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.found.size_hint()
    }
}

impl ExactSizeIterator for Matching<'_> {}
