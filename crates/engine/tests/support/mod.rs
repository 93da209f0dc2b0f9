//! A State Root and a project in a temporary folder, with hooks that are scripted and trusted.

#![allow(dead_code, reason = "each test file uses a part of it")]

use std::path::PathBuf;
use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};
use hookward_contract::{Call, Origin, ToolInput, ToolName, Verdict};
use hookward_engine::audit::{AuditEvent, HookCompleted, HookStatus, MemoryAudit};
use hookward_engine::{Gate, HookEnvironment, Judgement};
use hookward_policy::{Consent, Project, Snapshot, StateRoot, Trust, TrustStore};
use hookward_process::Abort;
use hookward_testkit::World;
use serde_json::{Value, json};

pub(crate) struct Scene {
    _world: World,
    pub(crate) root: Utf8PathBuf,
    pub(crate) state: StateRoot,
    pub(crate) project: Project,
    pub(crate) audit: Arc<MemoryAudit>,
}

/// A hook that runs the given script of the scripted hook program.
pub(crate) fn hook(id: &str, script: &[&str]) -> Value {
    json!({"id": id, "type": "command", "command": hookward_testkit::scripted_hook(), "args": script})
}

/// The hook with a field more.
pub(crate) fn with(mut hook: Value, field: &str, value: impl Into<Value>) -> Value {
    hook[field] = value.into();
    hook
}

pub(crate) fn bash(command: &str) -> Call {
    call("Bash", &json!({"command": command}).to_string())
}

pub(crate) fn call(tool: &str, input: &str) -> Call {
    let (tool, input) = (
        ToolName::try_from(tool).unwrap(),
        ToolInput::parse(input).unwrap().0,
    );
    Call {
        turn_id: "turn-1".to_owned(),
        run_id: "run-1".to_owned(),
        tool_use_id: "call-1".to_owned(),
        origin: Origin::Provider,
        ..Call::hand_written("session-1", tool, input, Utf8PathBuf::from("/"))
    }
}

impl Scene {
    pub(crate) fn new() -> Self {
        let world = World::new();
        let utf8 = |path: PathBuf| Utf8PathBuf::from_path_buf(path).unwrap();
        let root = utf8(world.root().to_owned());
        let project = Project::discover(&utf8(world.project())).unwrap();
        let state = StateRoot::new(utf8(world.state_root()));
        Self {
            _world: world,
            root,
            state,
            project,
            audit: Arc::default(),
        }
    }

    /// A scene whose user file holds these hooks for every tool, all trusted.
    pub(crate) fn with_hooks(version: u32, hooks: &[Value]) -> Self {
        let scene = Self::new();
        scene.write_user(version, hooks);
        scene.trust_all();
        scene
    }

    pub(crate) fn write_user(&self, version: u32, hooks: &[Value]) {
        write_hooks(&self.state.hooks_file(), version, hooks);
    }

    pub(crate) fn write_project(&self, version: u32, hooks: &[Value]) {
        write_hooks(&self.project.hooks_file(), version, hooks);
    }

    pub(crate) fn trust_all(&self) {
        let snapshot = self.snapshot();
        let hooks = snapshot
            .hooks()
            .iter()
            .filter(|hook| hook.trust != Trust::BrokenSource);
        let reviews: Vec<_> = hooks.map(|hook| snapshot.review(hook).unwrap()).collect();
        TrustStore::load(&self.state)
            .trust(
                &self.project,
                &reviews,
                Consent::HooksAndWorkspace,
                "2026-01-01T00:00:00Z",
            )
            .unwrap();
    }

    pub(crate) fn snapshot(&self) -> Arc<Snapshot> {
        Snapshot::load(&self.state, &self.project)
    }

    pub(crate) fn gate(&self) -> Gate {
        let audit = Arc::clone(&self.audit);
        Gate::new(&HookEnvironment::default(), audit)
    }

    pub(crate) fn judge(&self, call: &Call) -> Judgement {
        self.gate()
            .judge(&self.snapshot(), call, &Abort::new().unwrap())
            .unwrap()
    }

    pub(crate) fn completed(&self) -> Vec<HookCompleted> {
        self.audit
            .records()
            .into_iter()
            .filter_map(|record| match record.event {
                AuditEvent::HookCompleted(completed) => Some(*completed),
                _ => None,
            })
            .collect()
    }

    pub(crate) fn statuses(&self) -> Vec<HookStatus> {
        self.completed()
            .into_iter()
            .map(|completed| completed.status)
            .collect()
    }
}

pub(crate) fn write_hooks(path: &Utf8Path, version: u32, hooks: &[Value]) {
    let groups: Vec<Value> = hooks
        .chunks(32)
        .map(|hooks| json!({"matcher": "*", "hooks": hooks}))
        .collect();
    let file = json!({"version": version, "hooks": {"PreToolUse": groups}});
    std::fs::write(path, file.to_string()).unwrap();
}

/// Judges a call by one trusted hook.
pub(crate) fn judge_one(version: u32, hook: Value) -> (Scene, Judgement) {
    let scene = Scene::with_hooks(version, &[hook]);
    let judgement = scene.judge(&bash("date"));
    (scene, judgement)
}

pub(crate) fn denial(judgement: &Judgement) -> String {
    match &judgement.verdict {
        Verdict::Deny(reasons) => hookward_contract::join_reasons(reasons),
        other => panic!(
            "expected a denial, got {other:?}; notices: {:?}",
            judgement.all_notices()
        ),
    }
}

/// The cause of the only hook's failure, as text.
pub(crate) fn cause(judgement: &Judgement) -> String {
    match &judgement.runs[0].run {
        hookward_contract::HookRun::NoVerdict(failure) => failure.cause.to_string(),
        decided @ hookward_contract::HookRun::Decided(_) => panic!("decided: {decided:?}"),
    }
}
