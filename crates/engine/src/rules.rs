//! Judges rules in the process. A rule whose patterns do not fit a call does not match it: it leaves
//! no run and no record.

use std::cell::OnceCell;

use hookward_contract::{Cause, HookRun};
use hookward_policy::{Handler, Hook};
use hookward_rules::{Outcome, Scene};

use crate::answer::no_verdict;
use crate::world::Seen;

/// A hook that matches a call, and what it said if it is a rule.
pub(crate) struct Candidate<'a> {
    pub(crate) hook: &'a Hook,
    pub(crate) run: Option<HookRun>,
}

/// The scene of a call, made when the first rule asks for it.
pub(crate) struct Stage<'s> {
    seen: &'s Seen<'s>,
    scene: OnceCell<Scene<'s>>,
}

impl<'s> Stage<'s> {
    pub(crate) const fn new(seen: &'s Seen<'s>) -> Self {
        Self {
            seen,
            scene: OnceCell::new(),
        }
    }

    pub(crate) fn scene(&self) -> &Scene<'s> {
        self.scene.get_or_init(|| self.seen.scene())
    }

    /// What becomes of a hook that covers the call's tool; `None` for a rule that the call does not
    /// concern.
    pub(crate) fn candidate<'a>(&self, hook: &'a Hook) -> Option<Candidate<'a>> {
        let rule = match &hook.handler {
            Handler::Rule(handler) if hook.trust.may_run() => handler,
            _ => return Some(Candidate { hook, run: None }),
        };
        let run = match &rule.rule {
            None => missing(),
            Some(rule) => match rule.judge(self.scene()) {
                Outcome::NotConcerned => return None,
                Outcome::Decided(verdict) => HookRun::Decided(verdict),
                Outcome::Failed(error) => no_verdict(Cause::Evaluation, error.to_string()),
            },
        };
        Some(Candidate {
            hook,
            run: Some(run),
        })
    }
}

/// A rule without its compiled form is one of a file that cannot be read.
pub(crate) fn missing() -> HookRun {
    no_verdict(Cause::BrokenSource, "the rule could not be read")
}
