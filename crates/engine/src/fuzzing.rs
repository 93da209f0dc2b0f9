//! Doors for fuzz targets and property tests: pure parts of this crate that its API reaches only
//! through processes. They decide nothing that the API does not; nobody else may rely on them.

use camino::Utf8Path;
use hookward_contract::{HookRun, Verdict};
use hookward_policy::Hook;
use hookward_process::{Abort, Finished};

use crate::answer::{self, Reading};
use crate::limiter::Limiter;
use crate::reduce;

/// What the end of a handler's process means for a call made in `/`; `None` for an abort and for a hook
/// that is no command.
pub fn read(hook: &Hook, finished: &Finished) -> Option<HookRun> {
    match answer::read(hook, hook.command()?, Utf8Path::new("/"), finished) {
        Reading::Run(run) => Some(run),
        Reading::Aborted => None,
    }
}

/// The verdict over the runs of all hooks, given in configuration order.
pub fn verdict(runs: &[(Hook, HookRun)]) -> Verdict {
    let settled: Vec<_> = runs
        .iter()
        .map(|(hook, run)| (hook, reduce::settle(hook, run)))
        .collect();
    reduce::reduce(settled.iter().map(|(hook, settled)| (*hook, settled)))
}

/// A hook's words as they reach a model or a person.
pub fn shown(text: &str) -> String {
    answer::shown(text)
}

/// The limit on handlers, without handlers.
#[derive(Debug)]
pub struct Turnstile(Limiter);

impl Turnstile {
    /// Lets `limit` through at a time.
    pub fn new(limit: usize) -> Self {
        Self(Limiter::new(limit))
    }

    /// Waits for a place and runs `inside` in it; `None` if `abort` came first.
    pub fn pass<T>(&self, abort: &Abort, inside: impl FnOnce() -> T) -> Option<T> {
        let _permit = self.0.acquire(abort).ok()?;
        Some(inside())
    }

    /// How many wait.
    pub fn queued(&self) -> usize {
        self.0.queued()
    }
}
