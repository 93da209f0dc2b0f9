//! One lens per family of tools: from a call to what it would do.

mod shell;

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
        let mut collector = Collector::new(observation);
        let input: serde_json::Value = serde_json::from_str(call.input.get()).unwrap_or_default();
        if let Some(text) = input.get("command").and_then(|text| text.as_str()) {
            shell::script_text(text, &call.cwd, &mut collector);
        }
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
