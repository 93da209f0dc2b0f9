//! One lens per family of tools: from a call to what it would do.

use hookward_contract::Call;

use crate::collector::Collector;
use crate::effect::{Effect, EffectKind, KindSet};
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

    /// The kinds of effects that there are, and those that something opaque might be.
    pub fn kinds(&self) -> KindSet {
        let might = |effect: &Effect, kind| match effect {
            Effect::Opaque(opaque) => opaque.might(kind),
            _ => false,
        };
        let is = |kind: &EffectKind| {
            let mut effects = self.list.iter();
            effects.any(|effect| effect.kind() == *kind || might(effect, *kind))
        };
        EffectKind::ALL.into_iter().filter(is).collect()
    }
}
