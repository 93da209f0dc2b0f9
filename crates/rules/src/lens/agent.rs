//! Tools that start another agent, or speak to one, now or later.

use super::view::{Field, View};
use crate::collector::Collector;
use crate::effect::Effect;

/// Fields that name the kind of agent.
const KIND: &[&str] = &[
    "subagent_type",
    "subagentType",
    "agent_type",
    "agentType",
    "agent_name",
    "agentName",
    "agent",
];

/// `Agent`, `Task`, `SendMessage` and their like.
pub(super) fn effects(view: &View<'_>, collector: &mut Collector<'_>) {
    let mut kinds = Vec::new();
    for kind in KIND.iter().map(|key| view.text(key)) {
        match kind {
            Field::Text(kind) => kinds.push(Some(kind.into_owned())),
            Field::Missing => {}
            Field::Other => view.unknown_input(collector),
        }
    }
    if kinds.is_empty() {
        kinds.push(None);
    }
    for agent_type in kinds {
        collector.push(Effect::Agent { agent_type });
    }
}
