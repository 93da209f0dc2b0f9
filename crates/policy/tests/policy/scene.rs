//! A State Root and a project in a folder of their own, which is removed at the end of a test.

use std::fs;
use std::os::unix::fs::{PermissionsExt, chown};
use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};
use hookward_contract::SourceKind;
use hookward_policy::{
    Code, CommandHandler, Consent, Diagnostic, Hook, Project, Severity, Snapshot, SourceState,
    StateRoot, Trust, TrustError, TrustStore,
};
use serde_json::{Value, json};

pub(crate) const WHEN: &str = "2026-01-31T12:00:00Z";

pub(crate) struct Scene {
    folder: tempfile::TempDir,
    pub(crate) state: StateRoot,
    pub(crate) project: Project,
}

impl Scene {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let base = Utf8Path::from_path(folder.path()).unwrap();
        let base = base.canonicalize_utf8().unwrap();
        make_private(&base.join("state"));
        fs::create_dir_all(base.join("project/.maka")).unwrap();
        Self {
            folder,
            state: StateRoot::new(base.join("state")),
            project: Project::discover(&base.join("project")).unwrap(),
        }
    }

    /// A path in the scene's folder.
    pub(crate) fn path(&self, name: &str) -> Utf8PathBuf {
        let base = Utf8Path::from_path(self.folder.path()).unwrap();
        base.canonicalize_utf8().unwrap().join(name)
    }

    /// Another project next to the first.
    pub(crate) fn another_project(&self, name: &str) -> Project {
        fs::create_dir_all(self.path(name).join(".maka")).unwrap();
        Project::discover(&self.path(name)).unwrap()
    }

    pub(crate) fn write_user(&self, text: impl AsRef<[u8]>) {
        write(&self.state.hooks_file(), text);
    }

    pub(crate) fn write_project(&self, text: impl AsRef<[u8]>) {
        write(&self.project.hooks_file(), text);
    }

    pub(crate) fn load(&self) -> Arc<Snapshot> {
        Snapshot::load(&self.state, &self.project)
    }

    /// Trusts every hook that is in force, and the project.
    pub(crate) fn trust_all(&self) {
        let snapshot = self.load();
        self.trust(&snapshot, &snapshot.hooks().iter().collect::<Vec<_>>())
            .unwrap();
    }

    pub(crate) fn trust(&self, snapshot: &Snapshot, hooks: &[&Hook]) -> Result<(), TrustError> {
        let reviews: Result<Vec<_>, _> = hooks.iter().map(|hook| snapshot.review(hook)).collect();
        let consent = Consent::HooksAndWorkspace;
        TrustStore::load(&self.state)
            .trust(snapshot.project(), &reviews?, consent, WHEN)
            .map(drop)
    }

    /// State of each hook by id.
    pub(crate) fn states(&self) -> Vec<(String, Trust)> {
        states(&self.load())
    }

    /// The diagnostics of the user's file with this text.
    pub(crate) fn diagnose(text: impl AsRef<[u8]>) -> Vec<Diagnostic> {
        let scene = Self::new();
        scene.write_user(text);
        let snapshot = scene.load();
        let report = &snapshot.sources()[0];
        let errors = report
            .diagnostics
            .iter()
            .any(|found| found.severity == Severity::Error);
        assert_eq!(errors, report.state == SourceState::Broken, "{report:?}");
        assert_eq!(report.state == SourceState::Loaded, !errors);
        report.diagnostics.clone()
    }
}

/// Makes a directory that nobody else may write to, whatever the umask.
pub(crate) fn make_private(dir: &Utf8Path) {
    fs::create_dir_all(dir).unwrap();
    fs::set_permissions(dir, fs::Permissions::from_mode(0o700)).unwrap();
}

pub(crate) fn write(path: &Utf8Path, text: impl AsRef<[u8]>) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o644)).unwrap();
}

pub(crate) fn states(snapshot: &Snapshot) -> Vec<(String, Trust)> {
    let state = |hook: &Hook| (hook.id.to_string(), hook.trust.clone());
    snapshot.hooks().iter().map(state).collect()
}

/// What a hook that is a command runs.
pub(crate) fn command_of(hook: &Hook) -> &CommandHandler {
    hook.command().unwrap()
}

/// A file with one group per handler, all of them for every tool.
pub(crate) fn file(version: u8, handlers: &[Value]) -> String {
    let groups: Vec<_> = handlers
        .iter()
        .map(|handler| json!({"hooks": [handler]}))
        .collect();
    json!({"version": version, "hooks": {"PreToolUse": groups}}).to_string()
}

/// Gives a path to a user who is neither this one nor root. `false`, with a note, where only root
/// could and this user is not.
pub(crate) fn give_away(path: &Utf8Path) -> bool {
    const STRANGER: u32 = 12_345;
    let is_root = rustix::process::geteuid().is_root();
    if is_root {
        chown(path, Some(STRANGER), None).unwrap();
    } else {
        eprintln!("not tested: only root can give {path} away");
    }
    is_root
}

pub(crate) fn handler(id: &str) -> Value {
    json!({"id": id, "type": "command", "command": "/bin/true"})
}

/// A rule that is no more than it has to be.
pub(crate) fn rule(id: &str) -> Value {
    json!({"id": id, "type": "rule", "exec": "git push", "decision": "deny", "reason": "no"})
}

/// A handler with one field set.
pub(crate) fn with(mut handler: Value, field: &str, value: impl Into<Value>) -> Value {
    handler[field] = value.into();
    handler
}

/// A handler without one field.
pub(crate) fn without(mut handler: Value, field: &str) -> Value {
    handler.as_object_mut().unwrap().remove(field);
    handler
}

pub(crate) fn codes(found: &[Diagnostic]) -> Vec<Code> {
    found.iter().map(|found| found.code).collect()
}

pub(crate) fn source_state(snapshot: &Snapshot, source: SourceKind) -> SourceState {
    let report = snapshot
        .sources()
        .iter()
        .find(|report| report.source == source);
    report.unwrap().state
}
