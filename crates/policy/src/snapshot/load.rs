//! From the files as they are to the hooks that are in force: reading first, judging afterwards.

use hookward_contract::{DefinitionHash, EventName, SnapshotDigest, SourceKind};

use super::{LapsedHook, Snapshot, TrustReport};
use crate::content::Files;
use crate::definition::Definition;
use crate::hook::{ChangedWhat, Hook, Trust};
use crate::index::MatchIndex;
use crate::matcher::Matcher;
use crate::pins::Zone;
use crate::project::Project;
use crate::source::{self, LoadedSource, SourceReport};
use crate::state_root::StateRoot;
use crate::trust::{SourceState, TrustStore};

/// The policy files as they were read, and the files that hooks name as they stood at that moment.
/// None of the latter has been read yet, so that one that changes from now on differs from what is
/// known of it.
pub(super) struct Draft<'a> {
    state_root: &'a StateRoot,
    project: &'a Project,
    zone: Zone,
    store: TrustStore,
    sources: Vec<SourceReport>,
    hooks: Vec<Hook>,
    files: Files,
}

impl<'a> Draft<'a> {
    /// Reads the policy files.
    pub(super) fn read(state_root: &'a StateRoot, project: &'a Project) -> Self {
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
        let files = judge.look(&hooks);
        Self {
            state_root,
            project,
            sources: vec![user.report, own.report],
            hooks,
            files,
            zone,
            store,
        }
    }

    /// Reads what the hooks name and tells what may run.
    pub(super) fn judged(mut self) -> Snapshot {
        let (project, store) = (self.project, &self.store);
        let judge = Judge {
            project,
            store,
            zone: &self.zone,
        };
        for hook in &mut self.hooks {
            judge.decide(hook, &mut self.files);
        }
        let trust = TrustReport {
            path: store.path(),
            state: store.state(),
            diagnostics: store.diagnostics().to_vec(),
            workspace_trusted: store.is_workspace_trusted(&project.identity),
            missing: judge.missing(&self.sources, &self.hooks),
            switched_off: judge.switched_off(&self.hooks),
        };
        let events = EventName::ALL.iter();
        Snapshot {
            state_root: self.state_root.clone(),
            project: project.clone(),
            indexes: events
                .map(|event| (*event, index(*event, &self.hooks)))
                .collect(),
            digest: digest(project, &self.sources, &trust, &self.hooks),
            sources: self.sources,
            trust,
            hooks: self.hooks,
            named: self.files.into_stamps(),
            store: self.store,
        }
    }
}

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

    /// Looks at the files that decide about the hooks, before any of them is read.
    fn look(&self, hooks: &[Hook]) -> Files {
        let mut files = Files::default();
        for hook in hooks {
            let record = self.store.record(&hook.hash);
            let pins = record.map_or(&[][..], |record| &record.pins);
            self.zone.look_at(hook, pins, &mut files);
        }
        files
    }

    /// Sets what depends on trust: state, pins, effective failure mode.
    fn decide(&self, hook: &mut Hook, files: &mut Files) {
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
            // it: not by its failure mode, its mode, its matcher, or by switching it off on the way.
            hook.on_failure = hook.on_failure.strictest(reviewed.on_failure);
            hook.mode = hook.mode.strictest(reviewed.mode);
            edited_guard = reviewed.is_guard();
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
            match self.zone.first_change(hook, files) {
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
            let state = (
                &hook.trust,
                hook.enabled,
                hook.on_failure,
                hook.mode,
                reviewed_for,
            );
            (&hook.id, hook.source, &hook.hash, state, &hook.pins)
        })
        .collect();
    let hashes = |lapsed: &[LapsedHook]| -> Vec<DefinitionHash> {
        lapsed.iter().map(|hook| hook.hash.clone()).collect()
    };
    let lapsed = (hashes(&trust.missing), hashes(&trust.switched_off));
    let trust = (trust.state, trust.workspace_trusted, lapsed);
    let root = (project.root.as_str(), &project.identity);
    let text = serde_json::to_vec(&("hookward-snapshot-2", root, sources, trust, hooks));
    // All of this has a JSON form.
    SnapshotDigest::of(&text.unwrap_or_default())
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "a test makes its files")]
mod tests {
    use std::fs;

    use camino::Utf8Path;

    use super::*;
    use crate::stamp::Stamp;

    /// A file that changes between being looked at and being read: what the snapshot remembers of it
    /// is older than what it has read, so that it is not kept.
    #[test]
    fn files_are_looked_at_before_they_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let base = Utf8Path::from_path(folder.path()).unwrap();
        let project = Project::discover(base).unwrap();
        let script = project.root.join("guard.sh");
        fs::write(&script, "one").unwrap();
        let hooks_file = project.hooks_file();
        fs::create_dir(hooks_file.parent().unwrap()).unwrap();
        let text = r#"{"version": 1, "hooks": {"PreToolUse": [{"hooks": [
            {"id": "a", "type": "command", "command": "SCRIPT"}]}]}}"#;
        fs::write(&hooks_file, text.replace("SCRIPT", script.as_str())).unwrap();
        let state_root = StateRoot::new(base.join("state"));
        let draft = Draft::read(&state_root, &project);
        fs::write(&script, "another length").unwrap();
        let snapshot = draft.judged();
        let remembered = snapshot.named.iter().find(|(path, _)| *path == script);
        assert_ne!(remembered.unwrap().1, Stamp::following(&script));
    }
}
