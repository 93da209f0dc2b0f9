//! The tests that rules bring along, run in this process: a rule sees the call, the clock and the
//! environment of its test, the project and the home directory, and no file.

use camino::{Utf8Path, Utf8PathBuf};
use hookward_contract::Call;
use hookward_policy::{EffectKind, Hook, HookTest, KindSet};
use hookward_rules::{Effects, NoFiles, Observation, Outcome, Rule, Scene};
use jiff::Timestamp;

use super::why::Finding;

/// What a hook says about its test.
#[derive(Debug)]
pub(super) struct Trial {
    /// `allow`, `ask`, `deny`, or `no verdict`.
    pub(super) got: &'static str,
    /// Why, in lines.
    pub(super) why: Vec<String>,
}

impl Trial {
    /// Whether that is what the test expects.
    pub(super) fn passes(&self, test: &HookTest) -> bool {
        self.got == test.expect.as_str()
    }
}

/// Where tests are run.
pub(super) struct Stage<'a> {
    pub(super) project: &'a Utf8Path,
    pub(super) home: Option<&'a Utf8Path>,
    /// The clock of tests that have none.
    pub(super) now: Timestamp,
}

impl Stage<'_> {
    /// The call of a test. It can never run a tool.
    pub(super) fn call(&self, test: &HookTest) -> Call {
        let cwd: Utf8PathBuf = match &test.cwd {
            None => self.project.to_owned(),
            Some(cwd) => self.project.join(cwd),
        };
        let mut call = Call::hand_written("test", test.tool.clone(), test.input.clone(), cwd);
        call.native_tool.clone_from(&test.native_tool);
        if let Some(mode) = &test.mode {
            call.permission_mode.clone_from(mode);
        }
        call
    }

    /// Runs one test of a rule. Whether the hook is trusted or in the shadow does not matter: a rule
    /// can do nothing but judge.
    pub(super) fn rule(&self, hook: &Hook, rule: &Rule, test: &HookTest) -> Trial {
        self.judge(hook, rule, &self.call(test), test.now, &test.env)
    }

    /// What a rule says about a call at a time, with these variables in its environment.
    pub(super) fn judge(
        &self,
        hook: &Hook,
        rule: &Rule,
        call: &Call,
        now: Option<Timestamp>,
        env: &[(String, String)],
    ) -> Trial {
        let observation = Observation {
            project: self.project,
            home: self.home,
            now: now.unwrap_or(self.now),
            env,
            files: &NoFiles,
        };
        let effects = Effects::of(call, &observation);
        let judged = rule.explain(&Scene::new(call, &effects, &observation));
        let covered = covers(hook, call, effects.kinds());
        let got = match &judged.outcome {
            _ if !covered => "allow",
            Outcome::NotConcerned => "allow",
            Outcome::Decided(verdict) => verdict.as_str(),
            Outcome::Failed(_) => NO_VERDICT,
        };
        let finding = Finding::of(hook, covered, Some(&judged), effects.all());
        Trial {
            got,
            why: finding.why(),
        }
    }
}

/// What a hook says that fails.
pub(super) const NO_VERDICT: &str = "no verdict";

/// Whether a hook's matcher covers a call with effects of these kinds.
fn covers(hook: &Hook, call: &Call, kinds: KindSet) -> bool {
    let wanted = hook.matcher.effects();
    let mut names = call.tool_names();
    names.any(|name| hook.matcher.matches(name))
        || EffectKind::ALL
            .into_iter()
            .any(|kind| wanted.has(kind) && kinds.has(kind))
}
