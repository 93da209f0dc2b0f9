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
    let kind = view.first_text(KIND);
    if kind == Field::Other {
        view.unknown_input(collector);
    }
    let agent_type = match kind {
        Field::Text(kind) => Some(kind.into_owned()),
        Field::Missing | Field::Other => None,
    };
    collector.push(Effect::Agent { agent_type });
}
