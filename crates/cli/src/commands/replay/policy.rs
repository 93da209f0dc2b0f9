//! A policy that is tried on recorded calls: rules in this process, programs only where they are to
//! be started.

use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};
use hookward_contract::{Call, Cause, EventName, FailureMode, HookRun, HookVerdict, SourceKind};
use hookward_engine::audit::MemoryAudit;
use hookward_engine::{Gate, Judgement};
use hookward_policy::{
    Handler, Hook, HookMode, Project, Snapshot, SourceState, StateRoot, Trust, limits,
};
use hookward_process::Abort;
use hookward_replay::{Decision, Judge, Outcome, Recorded, RuleEffect, RuleResult};
use hookward_rules::{Effects, NoFiles, Observation, Outcome as RuleOutcome, Scene};
use jiff::Timestamp;

use crate::context;
use crate::error::CliError;
use crate::output::Output;
use crate::world::World;

/// Hooks to put calls to.
pub(super) struct Policy {
    /// What it is called in the report.
    pub(super) name: String,
    snapshot: Arc<Snapshot>,
    /// Whether the hooks of the project count, too.
    with_project: bool,
    /// Starts programs; `None` where none is to be started.
    gate: Option<(Gate, Abort)>,
    home: Option<Utf8PathBuf>,
    /// The clock for calls without a time.
    now: Timestamp,
    /// The projects of the folders so far.
    projects: RefCell<HashMap<Utf8PathBuf, Utf8PathBuf>>,
}

impl Policy {
    /// The hooks in force for the project. Programs are started with `run_commands` only, and of
    /// those only the trusted ones.
    pub(super) fn in_force(world: &World, run_commands: bool) -> Result<Self, CliError> {
        let snapshot = world.snapshot();
        let mut sources = snapshot.sources().iter();
        if let Some(broken) = sources.find(|source| source.state == SourceState::Broken) {
            return Err(CliError::new(
                format!("{} cannot be used", broken.path),
                "`hookward doctor` says why; or try another file with --policy",
            ));
        }
        let gate = run_commands.then(|| {
            let audit = Arc::new(MemoryAudit::default());
            let gate = Gate::new(&context::hook_environment(), audit);
            Abort::new().map(|abort| (gate, abort))
        });
        let name = format!("the hooks in force in {}", world.project.root);
        let gate = gate.transpose().map_err(CliError::policy)?;
        Ok(Self {
            with_project: true,
            gate,
            ..Self::new(name, snapshot)
        })
    }

    /// The hooks of a file alone, as if they were the user's. No program of it is started: nobody
    /// has reviewed them.
    pub(super) fn of_file(
        file: &Utf8Path,
        world: &World,
        output: &Output,
    ) -> Result<Self, CliError> {
        let bytes = context::read_bounded(file, limits::MAX_FILE_BYTES)
            .map_err(CliError::file("reading", file))?;
        let folder = tempfile::tempdir().map_err(CliError::file("making", "a temporary folder"))?;
        let root = Utf8PathBuf::from_path_buf(folder.path().to_owned())
            .map_err(|_| CliError::new("the temporary folder is not UTF-8", "set TMPDIR"))?;
        let state = StateRoot::new(root);
        private_file(&state.hooks_file(), &bytes)
            .map_err(CliError::file("writing", state.hooks_file()))?;
        let snapshot = Snapshot::load(&state, &world.project);
        let mut sources = snapshot.sources().iter();
        let source = sources.find(|source| source.source == SourceKind::User);
        if let Some(source) = source {
            for diagnostic in &source.diagnostics {
                output.diagnostic(file.as_str(), diagnostic);
            }
            if source.state == SourceState::Broken {
                return Err(CliError::new(
                    format!("{file} is not a policy that can be tried"),
                    "mend what is said above",
                ));
            }
        }
        Ok(Self::new(file.to_string(), snapshot))
    }

    fn new(name: String, snapshot: Arc<Snapshot>) -> Self {
        Self {
            name,
            snapshot,
            with_project: false,
            gate: None,
            home: context::home().ok(),
            now: Timestamp::now(),
            projects: RefCell::default(),
        }
    }

    /// Whether programs are left out.
    pub(super) fn leaves_out_programs(&self) -> bool {
        self.gate.is_none()
    }

    /// The project of a call: the work tree of its folder if that is still there, else the folder.
    fn project(&self, cwd: &Utf8Path) -> Utf8PathBuf {
        if let Some(known) = self.projects.borrow().get(cwd) {
            return known.clone();
        }
        let found = Project::discover(cwd).map_or_else(|_| cwd.to_owned(), |project| project.root);
        let mut projects = self.projects.borrow_mut();
        projects.insert(cwd.to_owned(), found.clone());
        found
    }

    /// What programs say; nothing where they are not to be started, or were stopped.
    fn programs(&self, call: &Call) -> Option<Judgement> {
        let (gate, abort) = self.gate.as_ref()?;
        gate.judge(&self.snapshot, call, abort).ok()
    }
}

impl Judge for Policy {
    /// Whether a hook is trusted matters for programs alone: a rule can do nothing but judge. The
    /// clock of a rule is that of the call, and it sees no file and no variable.
    fn judge(&self, recorded: &Recorded) -> Outcome {
        let call = &recorded.call;
        let project = self.project(&call.cwd);
        let observation = Observation {
            project: &project,
            home: self.home.as_deref(),
            now: recorded.at.unwrap_or(self.now),
            env: &[],
            files: &NoFiles,
        };
        // Most of the work, and many calls concern no rule.
        let effects = OnceCell::new();
        let effects = || effects.get_or_init(|| Effects::of(call, &observation));
        let mut scene = None;
        let is_own = self.with_project && project == self.snapshot.project().root;
        let kinds = || effects().kinds();
        let hooks = self
            .snapshot
            .matching(EventName::PreToolUse, call.tool_names(), &kinds)
            .filter(|hook| is_own || hook.source == SourceKind::User);
        let (mut outcome, mut judgement) = (Outcome::default(), None);
        for hook in hooks {
            let said = match &hook.handler {
                Handler::Rule(handler) => {
                    let scene =
                        scene.get_or_insert_with(|| Scene::new(call, effects(), &observation));
                    match handler.rule.as_ref().map(|rule| rule.judge(scene)) {
                        Some(outcome) => of_rule(outcome),
                        None => Some(Said::failed("its file cannot be read")),
                    }
                }
                Handler::Command(_) if self.gate.is_none() || hook.trust != Trust::Trusted => {
                    Some(Said::not_judged())
                }
                Handler::Command(_) => {
                    let judgement = judgement.get_or_insert_with(|| self.programs(call));
                    of_program(judgement.as_ref(), hook)
                }
            };
            if let Some(said) = said {
                said.count(hook, &mut outcome);
            }
        }
        outcome
    }
}

/// What one hook says, as long as it does not simply let the call pass.
struct Said {
    effect: RuleEffect,
    reason: String,
}

impl Said {
    fn failed(reason: impl Into<String>) -> Self {
        Self {
            effect: RuleEffect::Fails,
            reason: reason.into(),
        }
    }

    fn not_judged() -> Self {
        Self {
            effect: RuleEffect::NotJudged,
            reason: String::new(),
        }
    }

    fn of_verdict(verdict: HookVerdict) -> Option<Self> {
        let (effect, reason) = match verdict {
            HookVerdict::Allow => return None,
            HookVerdict::Ask(reason) => (RuleEffect::Asks, reason),
            HookVerdict::Deny(reason) => (RuleEffect::Denies, reason),
        };
        Some(Self { effect, reason })
    }

    /// Adds it to what is said about the call. In the shadow nothing counts.
    fn count(self, hook: &Hook, outcome: &mut Outcome) {
        let blocks = hook.on_failure == FailureMode::Block;
        let (verdict, in_shadow) = match self.effect {
            RuleEffect::Denies => (Decision::Deny, RuleEffect::WouldDeny),
            RuleEffect::Asks => (Decision::Ask, RuleEffect::WouldAsk),
            RuleEffect::Fails if blocks => (Decision::Deny, RuleEffect::Fails),
            other => (Decision::Allow, other),
        };
        let enforced = hook.mode == HookMode::Enforce;
        if enforced {
            outcome.verdict = outcome.verdict.max(verdict);
        }
        outcome.rules.push(RuleResult {
            rule: format!("{}/{}", hook.source, hook.id).into(),
            effect: if enforced { self.effect } else { in_shadow },
            reason: self.reason,
        });
    }
}

fn of_rule(outcome: RuleOutcome) -> Option<Said> {
    match outcome {
        RuleOutcome::NotConcerned => None,
        RuleOutcome::Decided(verdict) => Said::of_verdict(verdict),
        RuleOutcome::Failed(error) => Some(Said::failed(error.to_string())),
    }
}

fn of_program(judgement: Option<&Judgement>, hook: &Hook) -> Option<Said> {
    let mut runs = judgement?.runs.iter();
    let run = runs.find(|run| run.hook == hook.id && run.source == hook.source)?;
    match &run.run {
        HookRun::Decided(verdict) => Said::of_verdict(verdict.clone()),
        HookRun::NoVerdict(failure) if failure.cause == Cause::Untrusted => {
            Some(Said::not_judged())
        }
        HookRun::NoVerdict(failure) => Some(Said::failed(failure.detail.clone())),
    }
}

fn private_file(path: &Utf8Path, bytes: &[u8]) -> std::io::Result<()> {
    let mut file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path)?;
    file.write_all(bytes)
}
