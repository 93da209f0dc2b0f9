//! What a command works on: the State Root, the project, and the snapshot of their hooks.

use std::sync::Arc;

use hookward_contract::{DefinitionHash, HookId, SourceKind};
use hookward_engine::audit::{AuditEvent, AuditRecord, AuditSink as _, FileAudit};
use hookward_policy::{Hook, Project, Snapshot, SourceState, StateRoot, Trust, TrustStore};

use crate::args::Global;
use crate::context;
use crate::error::CliError;
use crate::output::Output;

pub(crate) struct World {
    pub(crate) state: StateRoot,
    pub(crate) project: Project,
}

impl World {
    pub(crate) fn new(global: &Global) -> Result<Self, CliError> {
        Ok(Self {
            state: context::state_root(global.state_root.as_deref())?,
            project: context::project(global.project.as_deref())?,
        })
    }

    pub(crate) fn snapshot(&self) -> Arc<Snapshot> {
        Snapshot::load(&self.state, &self.project)
    }

    pub(crate) fn trust_store(&self) -> TrustStore {
        TrustStore::load(&self.state)
    }

    pub(crate) fn audit(&self) -> FileAudit {
        FileAudit::new(self.state.audit_dir())
    }

    /// Records what a person changed about trust.
    pub(crate) fn record(&self, action: &str, change: Changed<'_>, output: &Output) {
        let event = AuditEvent::TrustChanged {
            action: action.to_owned(),
            hook_id: change.hook_id.cloned(),
            definition_hash: change.hash.cloned(),
            source: change.source,
            project: match change.source {
                Some(SourceKind::User) => "user".to_owned(),
                _ => self.project.identity.to_string(),
            },
        };
        self.append(event, output);
    }

    /// Records something. The change stands even if the record cannot be written.
    pub(crate) fn append(&self, event: AuditEvent, output: &Output) {
        if let Err(error) = self.audit().append(&[AuditRecord::now(event)]) {
            output.error(&CliError::new(
                format!("the change was made, and not recorded: {error}"),
                "make the audit folder writable; `hookward doctor` checks it",
            ));
        }
    }
}

/// What a recorded change is about.
#[derive(Clone, Copy, Default)]
pub(crate) struct Changed<'a> {
    pub(crate) hook_id: Option<&'a HookId>,
    pub(crate) hash: Option<&'a DefinitionHash>,
    pub(crate) source: Option<SourceKind>,
}

impl<'a> Changed<'a> {
    pub(crate) fn hook(hook: &'a Hook) -> Self {
        Self {
            hook_id: Some(&hook.id),
            hash: Some(&hook.hash),
            source: Some(hook.source),
        }
    }
}

/// Now, as trust records and the audit write it.
pub(crate) fn now() -> String {
    format!("{:.0}", jiff::Timestamp::now())
}

/// Refuses where something is broken or waits for review, for `--require-trusted`.
pub(crate) fn require_trusted(snapshot: &Snapshot) -> Result<(), CliError> {
    let broken = snapshot
        .sources()
        .iter()
        .find(|source| source.state == SourceState::Broken);
    if let Some(source) = broken {
        return Err(CliError::NotTrusted(format!("{} is broken", source.path)));
    }
    if snapshot.trust_report().state == SourceState::Broken {
        return Err(CliError::NotTrusted(format!(
            "{} is broken",
            snapshot.trust_report().path
        )));
    }
    if let Some(gone) = snapshot.trust_report().missing.first() {
        let (id, source) = (&gone.id, gone.source);
        return Err(CliError::NotTrusted(format!(
            "hook {id} ({source}) was trusted and is not in its file any more"
        )));
    }
    let waiting = snapshot
        .hooks()
        .iter()
        .find(|hook| !matches!(hook.trust, Trust::Trusted | Trust::Disabled));
    match waiting {
        Some(hook) => Err(CliError::NotTrusted(format!(
            "hook {} ({}) is {}",
            hook.id,
            hook.source,
            hook.trust.as_str()
        ))),
        None => Ok(()),
    }
}

/// The hooks that `words` name: ids, `source/id`, hashes or their first 8 digits or more.
pub(crate) fn find_hooks<'a>(
    snapshot: &'a Snapshot,
    words: &[String],
) -> Result<Vec<&'a Hook>, CliError> {
    let mut found = Vec::new();
    for word in words {
        let named: Vec<&Hook> = snapshot
            .hooks()
            .iter()
            .filter(|hook| is_named(hook, word))
            .collect();
        match named[..] {
            [] => {
                return Err(CliError::new(
                    format!("no hook is called `{word}` or has that hash"),
                    "`hookward list` shows ids and hashes",
                ));
            }
            [first, ref others @ ..] if others.iter().all(|hook| hook.hash == first.hash) => {
                // Equal definitions are one definition, whatever their ids.
                found.extend(named);
            }
            [..] => {
                let options: Vec<String> = named
                    .iter()
                    .map(|hook| format!("{}/{}", hook.source, hook.id))
                    .collect();
                return Err(CliError::new(
                    format!("`{word}` names {} hooks", named.len()),
                    format!("say which: {}", options.join(", ")),
                ));
            }
        }
    }
    Ok(found)
}

fn is_named(hook: &Hook, word: &str) -> bool {
    let digits = |text: &str| text.strip_prefix("sha256:").unwrap_or(text).to_owned();
    let prefix = digits(word);
    let hash = digits(hook.hash.as_str());
    let by_hash = prefix.len() >= 8 && hash.starts_with(&prefix);
    by_hash || hook.id.as_str() == word || format!("{}/{}", hook.source, hook.id) == word
}
