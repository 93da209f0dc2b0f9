//! One lens per family of tools: from a call to what it would do.

use hookward_contract::Call;

use crate::collector::Collector;
use crate::effect::{Effect, EffectKind};
use crate::observation::Observation;

/// What a call would do, in the order in which its text says so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Effects {
    list: Vec<Effect>,
}

impl Effects {
    /// Reads a call. Takes time linear in the size of its text.
    pub fn of(call: &Call, observation: &Observation<'_>) -> Self {
        let collector = Collector::new(observation);
        let _ = call;
        Self {
            list: collector.finish(),
        }
    }

    /// All of them.
    pub fn all(&self) -> &[Effect] {
        &self.list
    }

    /// Whether there is one of this kind.
    pub fn has(&self, kind: EffectKind) -> bool {
        self.list.iter().any(|effect| effect.kind() == kind)
    }
}
