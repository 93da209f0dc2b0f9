//! A State Root and a project with trusted hooks, and calls for them to judge.

use std::path::Path;
use std::sync::Arc;

use camino::Utf8PathBuf;
use hookward_agents::claude_code::{self, Decoded};
use hookward_contract::Call;
use hookward_engine::audit::AuditSink;
use hookward_engine::{Gate, HookEnvironment};
use hookward_policy::{Consent, Project, Snapshot, SourceState, StateRoot, TrustStore, limits};
use hookward_testkit::World;
use serde_json::{Value, json};

use crate::error::BenchError;

/// When all hooks were trusted.
const REVIEWED_AT: &str = "2026-01-01T00:00:00Z";
/// Most handlers of one group of a file.
const GROUP: usize = 32;

/// One world and what was read of it. Its folder vanishes with it.
#[derive(Debug)]
pub(crate) struct Scene {
    world: World,
    pub(crate) state: StateRoot,
    pub(crate) project: Project,
}

/// A handler that runs `program` with `args` and has the longest deadline: a busy machine must not
/// turn a verdict into none.
pub(crate) fn handler(id: &str, program: &Path, args: &[&str]) -> Value {
    json!({
        "id": id,
        "type": "command",
        "command": program,
        "args": args,
        "timeoutMs": limits::MAX_TIMEOUT_MS,
    })
}

/// Groups of one matcher that hold `handlers`.
pub(crate) fn groups(matcher: &str, handlers: &[Value]) -> Vec<Value> {
    let groups = handlers.chunks(GROUP);
    groups
        .map(|hooks| json!({ "matcher": matcher, "hooks": hooks }))
        .collect()
}

impl Scene {
    /// A repository without hooks.
    pub(crate) fn new() -> Result<Self, BenchError> {
        let world = World::new();
        let git = world.project().join(".git");
        for folder in ["objects", "refs"] {
            let made = std::fs::create_dir(git.join(folder));
            made.map_err(BenchError::io("making a repository"))?;
        }
        let written = std::fs::write(git.join("HEAD"), "ref: refs/heads/main\n");
        written.map_err(BenchError::io("making a repository"))?;
        let state = StateRoot::new(utf8(&world.state_root())?);
        let folder = utf8(&world.project())?;
        let project = Project::discover(&folder).map_err(|error| BenchError::Trust {
            folder,
            problem: error.to_string(),
        })?;
        Ok(Self {
            world,
            state,
            project,
        })
    }

    /// A repository whose owner has trusted hooks for all projects, in the groups of a version 2
    /// file, but for those whose id starts with `untrusted`.
    pub(crate) fn with_user_hooks(groups: &[Value]) -> Result<Self, BenchError> {
        let scene = Self::new()?;
        scene.world.write_user_hooks(&file(groups));
        scene.trust()?;
        Ok(scene)
    }

    /// The same with hooks of the project as well.
    pub(crate) fn with_hooks(user: &[Value], project: &[Value]) -> Result<Self, BenchError> {
        let scene = Self::new()?;
        scene.world.write_user_hooks(&file(user));
        scene.world.write_project_hooks(&file(project));
        scene.trust()?;
        Ok(scene)
    }

    fn trust(&self) -> Result<(), BenchError> {
        let failed = |problem: String| BenchError::Trust {
            folder: self.project.root.clone(),
            problem,
        };
        let snapshot = self.snapshot();
        let broken = snapshot
            .sources()
            .iter()
            .find(|source| source.state == SourceState::Broken);
        if let Some(source) = broken {
            return Err(failed(format!("{:?}", source.diagnostics)));
        }
        let reviews = snapshot
            .hooks()
            .iter()
            .filter(|hook| !hook.id.as_str().starts_with("untrusted"))
            .map(|hook| snapshot.review(hook))
            .collect::<Result<Vec<_>, _>>()
            .map_err(|error| failed(error.to_string()))?;
        let mut store = TrustStore::load(&self.state);
        let trusted = store.trust(
            &self.project,
            &reviews,
            Consent::HooksAndWorkspace,
            REVIEWED_AT,
        );
        trusted.map(drop).map_err(|error| failed(error.to_string()))
    }

    /// The hooks as they are on disk.
    pub(crate) fn snapshot(&self) -> Arc<Snapshot> {
        Snapshot::load(&self.state, &self.project)
    }

    /// What the agent tells its hook about a call in this project. `input` is the tool's input.
    pub(crate) fn payload(&self, tool: &str, input: &Value) -> Vec<u8> {
        let payload = json!({
            "session_id": "7f0a9f4c-25a6-4a3e-9d53-3f8a7f6f2c11",
            "transcript_path": "/home/ann/.claude/projects/shop/7f0a9f4c.jsonl",
            "cwd": self.project.root,
            "permission_mode": "default",
            "hook_event_name": "PreToolUse",
            "tool_name": tool,
            "tool_input": input,
            "tool_use_id": "toolu_01A2b3C4d5E6f7G8h9",
        });
        payload.to_string().into_bytes()
    }

    /// The call that the agent means by that.
    pub(crate) fn call(&self, tool: &str, input: &Value) -> Result<Call, BenchError> {
        let unexpected = |got: String| BenchError::Unexpected {
            what: format!("a call of {tool}"),
            expected: "a call to judge".to_owned(),
            got,
        };
        match claude_code::decode(&self.payload(tool, input)) {
            Ok(Decoded::Judge { call, .. }) => Ok(*call),
            Ok(other) => Err(unexpected(format!("{other:?}"))),
            Err(error) => Err(unexpected(error.to_string())),
        }
    }
}

/// A gate as the hook path has it.
pub(crate) fn gate(audit: Arc<dyn AuditSink>) -> Gate {
    Gate::new(&HookEnvironment::default(), audit)
}

/// The input of a typical shell call.
pub(crate) fn typical_input() -> Value {
    json!({
        "command": "git status --short && cargo test --workspace 2>&1 | tail -n 40",
        "description": "Show what changed and run all tests",
        "timeout": 120_000,
    })
}

fn file(groups: &[Value]) -> String {
    json!({ "version": 2, "hooks": { "PreToolUse": groups } }).to_string()
}

fn utf8(path: &Path) -> Result<Utf8PathBuf, BenchError> {
    Utf8PathBuf::from_path_buf(path.to_owned()).map_err(|path| BenchError::Trust {
        folder: path.to_string_lossy().into_owned().into(),
        problem: "the folder for temporary files is not UTF-8; set TMPDIR to another".to_owned(),
    })
}
