//! What a judgement may know of the world, and one call seen in it. Effects are found out at most
//! once for a call, and only if something asks for them.

use std::cell::OnceCell;
use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};
use hookward_contract::Call;
use hookward_rules::{Effects, Files, KindSet, Observation, Scene};
use jiff::Timestamp;

use crate::environment::HookEnvironment;
use crate::files::RealFiles;

/// Where rules get their facts from.
#[derive(Clone)]
pub struct World {
    /// The home directory of the person.
    pub home: Option<Utf8PathBuf>,
    /// The environment variables that rules may see, the same as those of command hooks.
    pub env: Vec<(String, String)>,
    /// The file system.
    pub files: Arc<dyn Files + Send + Sync>,
    /// The clock, where it stands still: for tests of a policy and for replay.
    pub now: Option<Timestamp>,
}

impl World {
    /// This machine, now.
    pub fn real(environment: &HookEnvironment) -> Self {
        Self {
            home: environment.home.as_deref().map(Utf8PathBuf::from),
            env: environment.variables(),
            files: Arc::new(RealFiles),
            now: None,
        }
    }

    /// The facts for one call.
    pub(crate) fn observe<'a>(&'a self, project: &'a Utf8Path) -> Observation<'a> {
        Observation {
            project,
            home: self.home.as_deref(),
            now: self.now.unwrap_or_else(Timestamp::now),
            env: &self.env,
            files: &*self.files,
        }
    }
}

/// One call and what it would do.
pub(crate) struct Seen<'a> {
    call: &'a Call,
    world: &'a World,
    project: &'a Utf8Path,
    /// Even the clock is looked at only if something asks.
    observation: OnceCell<Observation<'a>>,
    effects: OnceCell<Effects>,
}

impl<'a> Seen<'a> {
    pub(crate) const fn new(call: &'a Call, world: &'a World, project: &'a Utf8Path) -> Self {
        Self {
            call,
            world,
            project,
            observation: OnceCell::new(),
            effects: OnceCell::new(),
        }
    }

    fn observation(&self) -> &Observation<'a> {
        self.observation
            .get_or_init(|| self.world.observe(self.project))
    }

    pub(crate) fn effects(&self) -> &Effects {
        self.effects
            .get_or_init(|| Effects::of(self.call, self.observation()))
    }

    pub(crate) fn kinds(&self) -> KindSet {
        self.effects().kinds()
    }

    /// What rules look at. Made once for all rules of a call.
    pub(crate) fn scene(&self) -> Scene<'_> {
        Scene::new(self.call, self.effects(), self.observation())
    }
}
