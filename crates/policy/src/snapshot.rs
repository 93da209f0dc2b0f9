//! The hook set of one turn: immutable, complete, and the same for the same files.
//!
//! One builder serves start-up and reload. It reads the files of the two sources and the trust
//! store, and depends on nothing else: not on the time, the surface or an earlier snapshot.

use std::sync::Arc;

use camino::Utf8PathBuf;
use hookward_contract::{
    DefinitionHash, EventName, FailureMode, HookId, SnapshotDigest, SourceKind,
};
use serde::Serialize;

use crate::definition::Definition;
use crate::diagnostic::Diagnostic;
use crate::hook::{ChangedWhat, Hook, Trust};
use crate::index::MatchIndex;
use crate::matcher::Matcher;
use crate::pins::{PinError, Zone};
use crate::project::Project;
use crate::source::{self, LoadedSource, SourceReport};
use crate::stamp::Stamp;
use crate::state_root::StateRoot;
use crate::trust::{Review, SourceState, TrustStore};

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
    /// Whether the store can be read. While it is broken every hook is [`Trust::Unknown`].
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
    /// Whether it was reviewed as a guard that blocks when it fails, for a tool of one of these
    /// names.
    pub fn guards<'n>(&self, mut names: impl Iterator<Item = &'n str>) -> bool {
        Definition::from_canonical(&self.definition).is_ok_and(|definition| {
            definition.on_failure == FailureMode::Block
                && names.any(|name| definition.matcher.matches(name))
        })
    }
}

impl Snapshot {
    /// Reads the policy files. Never fails: what cannot be read is a reported state.
    pub fn load(state_root: &StateRoot, project: &Project) -> Arc<Self> {
        let zone = Zone::new(project, state_root);
        let store = TrustStore::load(state_root);
        let mut user = source::load(SourceKind::User, state_root, project);
        let mut own = source::load(SourceKind::Project, state_root, project);
        if user.identity.is_some() && user.identity == own.identity {
            own.yield_to(&user.report);
        }
        let judge = Judge {
            project,
            store: &store,
            zone: &zone,
        };
        let mut hooks = judge.hooks(&mut user);
        hooks.extend(judge.hooks(&mut own));
        // Before any of the files is read, so that one that changes later differs from its stamp.
        let named = judge.stamps(&hooks);
        for hook in &mut hooks {
            judge.decide(hook);
        }
        let sources = vec![user.report, own.report];
        let trust = TrustReport {
            path: store.path(),
            state: store.state(),
            diagnostics: store.diagnostics().to_vec(),
            workspace_trusted: store.is_workspace_trusted(&project.identity),
            missing: judge.missing(&sources, &hooks),
            switched_off: judge.switched_off(&hooks),
        };
        let indexes = EventName::ALL
            .iter()
            .map(|event| (*event, index(*event, &hooks)))
            .collect();
        let digest = digest(project, &sources, &trust, &hooks);
        Arc::new(Self {
            state_root: state_root.clone(),
            project: project.clone(),
            sources,
            store,
            trust,
            hooks,
            indexes,
            digest,
            named,
        })
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

    /// Whether any hook waits for this event, [`Trust::Disabled`] ones apart.
    pub fn has_hooks(&self, event: EventName) -> bool {
        self.index(event).is_some_and(|index| !index.is_empty())
    }

    /// The hooks that cover a tool known by any of `names`, [`Trust::Disabled`] ones apart: in
    /// configuration order, each once, whether they may run or not. A hook that was edited covers
    /// what it was reviewed for, too ([`Hook::reviewed_matcher`]).
    ///
    /// The cost does not depend on the number of hooks that do not match, and nothing is allocated
    /// when none does.
    pub fn matching<'a, 'n>(
        &'a self,
        event: EventName,
        names: impl Iterator<Item = &'n str>,
    ) -> Matching<'a> {
        let mut found = Vec::new();
        if let Some(index) = self.index(event) {
            names.for_each(|name| index.collect(name, &mut found));
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
            pins: self.zone().record(hook)?,
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

/// Tells what may run.
struct Judge<'a> {
    project: &'a Project,
    store: &'a TrustStore,
    zone: &'a Zone,
}

impl Judge<'_> {
    /// The hooks of a source: of its file, or if that is broken, those that were reviewed.
    fn hooks(&self, source: &mut LoadedSource) -> Vec<Hook> {
        let (kind, root) = (source.report.source, &self.project.root);
        let owner = Definition::owner(kind, &self.project.identity);
        if source.report.state == SourceState::Broken {
            return self.remembered(kind, owner);
        }
        std::mem::take(&mut source.hooks)
            .into_iter()
            .map(|parsed| Hook::from_file(parsed, source.format, kind, owner, root))
            .collect()
    }

    /// What is left of the reviewed hooks of a broken source: never run, and not silent either.
    fn remembered(&self, kind: SourceKind, owner: &str) -> Vec<Hook> {
        let records = self.store.latest_of_source(kind, owner);
        let hooks = records.into_iter().filter_map(|record| {
            // The store has checked every definition when it was read.
            let definition = Definition::from_canonical(&record.definition).ok()?;
            let id = record.hook_id.clone();
            Some(Hook {
                trust: Trust::BrokenSource,
                pins: record.pins.clone(),
                ..Hook::from_definition(definition, id, &self.project.root)
            })
        });
        hooks.collect()
    }

    fn stamps(&self, hooks: &[Hook]) -> Vec<(Utf8PathBuf, Stamp)> {
        let files = hooks.iter().flat_map(|hook| {
            let record = self.store.record(&hook.hash);
            let pins = record.map_or(&[][..], |record| &record.pins);
            self.zone.watched(hook, pins)
        });
        files
            .map(|path| {
                let stamp = Stamp::following(&path);
                (path, stamp)
            })
            .collect()
    }

    /// Sets what depends on trust: state, pins, effective failure mode.
    fn decide(&self, hook: &mut Hook) {
        if hook.trust == Trust::BrokenSource {
            return;
        }
        let exact = self.store.record(&hook.hash);
        let earlier = match exact {
            Some(_) => None,
            None => self.store.latest(hook.source, &hook.owner, &hook.id),
        };
        if let Some(record) = exact {
            hook.pins.clone_from(&record.pins);
        }
        let mut edited_guard = false;
        if let Some(record) = earlier
            && let Ok(reviewed) = Definition::from_canonical(&record.definition)
        {
            // An edit of the file can neither soften what was reviewed nor take calls away from
            // it: not by its failure mode, its matcher, or by switching it off on the way.
            hook.on_failure = hook.on_failure.strictest(reviewed.on_failure);
            edited_guard = reviewed.on_failure == FailureMode::Block;
            hook.reviewed_matcher = Some(reviewed.matcher);
        }
        hook.trust = if !hook.enabled && !edited_guard {
            Trust::Disabled
        } else if self.store.state() == SourceState::Broken {
            Trust::Unknown
        } else if hook.source == SourceKind::Project
            && !self.store.is_workspace_trusted(&self.project.identity)
        {
            Trust::UntrustedWorkspace
        } else if exact.is_some() {
            match self.zone.first_change(hook) {
                None => Trust::Trusted,
                Some(path) => Trust::Changed(ChangedWhat::Pin { path }),
            }
        } else if let Some(record) = earlier {
            let previous = record.definition_hash.clone();
            Trust::Changed(ChangedWhat::Definition { previous })
        } else {
            Trust::Untrusted
        };
    }

    /// Hooks that were reviewed exactly as they are, and that are switched off.
    fn switched_off(&self, hooks: &[Hook]) -> Vec<LapsedHook> {
        hooks
            .iter()
            .filter(|hook| hook.trust == Trust::Disabled && self.store.record(&hook.hash).is_some())
            .map(|hook| LapsedHook {
                id: hook.id.clone(),
                source: hook.source,
                hash: hook.hash.clone(),
                definition: hook.definition.clone(),
            })
            .collect()
    }

    /// Reviewed hooks that are in force nowhere. Those of a broken source are: they are remembered.
    fn missing(&self, sources: &[SourceReport], hooks: &[Hook]) -> Vec<LapsedHook> {
        let records = sources.iter().flat_map(|report| {
            let owner = Definition::owner(report.source, &self.project.identity);
            self.store.latest_of_source(report.source, owner)
        });
        records
            .filter(|record| {
                !hooks.iter().any(|hook| {
                    hook.hash == record.definition_hash
                        || (hook.source == record.source && hook.id == record.hook_id)
                })
            })
            .map(|record| LapsedHook {
                id: record.hook_id.clone(),
                source: record.source,
                hash: record.definition_hash.clone(),
                definition: record.definition.clone(),
            })
            .collect()
    }
}

fn index(event: EventName, hooks: &[Hook]) -> MatchIndex {
    let in_force = (0..)
        .zip(hooks)
        .filter(|(_, hook)| hook.trust != Trust::Disabled && hook.event == event)
        .flat_map(|(position, hook)| {
            let matchers = [Some(&hook.matcher), hook.reviewed_matcher.as_ref()];
            matchers
                .into_iter()
                .flatten()
                .map(move |matcher| (position, matcher))
        });
    MatchIndex::build(in_force)
}

fn digest(
    project: &Project,
    sources: &[SourceReport],
    trust: &TrustReport,
    hooks: &[Hook],
) -> SnapshotDigest {
    let sources: Vec<_> = sources
        .iter()
        .map(|report| (report.source, report.state))
        .collect();
    let hooks: Vec<_> = hooks
        .iter()
        .map(|hook| {
            let reviewed_for = hook.reviewed_matcher.as_ref().map(Matcher::as_str);
            let state = (&hook.trust, hook.enabled, hook.on_failure, reviewed_for);
            (&hook.id, hook.source, &hook.hash, state, &hook.pins)
        })
        .collect();
    let hashes = |lapsed: &[LapsedHook]| -> Vec<DefinitionHash> {
        lapsed.iter().map(|hook| hook.hash.clone()).collect()
    };
    let lapsed = (hashes(&trust.missing), hashes(&trust.switched_off));
    let trust = (trust.state, trust.workspace_trusted, lapsed);
    let root = (project.root.as_str(), &project.identity);
    let text = serde_json::to_vec(&("hookward-snapshot-1", root, sources, trust, hooks));
    // All of this has a JSON form.
    SnapshotDigest::of(&text.unwrap_or_default())
}
