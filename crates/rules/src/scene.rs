//! What an expression can see of one call, as values that are built when they are first asked for.
//! It decides nothing, and builds nothing that no expression mentions.

use std::sync::OnceLock;

use cel::common::types::{CelList, CelMap, CelNull, CelTimestamp};
use cel::common::value::Val;
use chrono::DateTime;
use hookward_contract::{Call, Origin};

use crate::effect::Effect;
use crate::expression::Variable;
use crate::lens::Effects;
use crate::observation::Observation;
use crate::pattern::Glance;
use crate::shared::SharedMap;
use crate::values::{self, Value};

/// One call with what it would do and what is known of the world. Rules that are judged together
/// share one, so that each value is built at most once.
pub struct Scene<'a> {
    call: &'a Call,
    effects: &'a Effects,
    observation: &'a Observation<'a>,
    cells: [OnceLock<Cell<'a>>; Variable::ALL.len()],
    /// What patterns need.
    pub(crate) glance: Glance,
}

/// A built value.
pub(crate) struct Cell<'a> {
    pub(crate) value: Value<'a>,
    /// About how many bytes it holds.
    pub(crate) bytes: usize,
}

impl<'a> Scene<'a> {
    /// Puts the three together. Builds no value yet.
    pub fn new(call: &'a Call, effects: &'a Effects, observation: &'a Observation<'a>) -> Self {
        Self {
            call,
            effects,
            observation,
            cells: [const { OnceLock::new() }; Variable::ALL.len()],
            glance: Glance::new(effects),
        }
    }

    /// The call.
    pub fn call(&self) -> &'a Call {
        self.call
    }

    /// What it would do.
    pub fn effects(&self) -> &'a Effects {
        self.effects
    }

    /// What is known of the world.
    pub fn observation(&self) -> &'a Observation<'a> {
        self.observation
    }

    /// The value of a variable.
    pub(crate) fn cell(&self, variable: Variable) -> &Cell<'a> {
        self.cells[variable as usize].get_or_init(|| {
            let value = self.build(variable);
            let bytes = values::size(value.as_ref(), usize::MAX);
            Cell { value, bytes }
        })
    }

    fn build(&self, variable: Variable) -> Value<'a> {
        let Self {
            call, observation, ..
        } = *self;
        match variable {
            Variable::Tool => values::text(call.tool.as_str()),
            Variable::NativeTool => {
                values::text(call.native_tool.as_ref().unwrap_or(&call.tool).as_str())
            }
            Variable::Input => values::from_json(call.input.get()),
            Variable::Effects => effects_value(self.effects.all()),
            Variable::Cwd => values::text(call.cwd.as_str()),
            Variable::Project => values::text(observation.project.as_str()),
            Variable::Origin => values::text(origin_name(call.origin)),
            Variable::Agent => values::text(call.agent_id.as_deref().unwrap_or_default()),
            Variable::AgentType => values::text(call.agent_type.as_deref().unwrap_or_default()),
            Variable::Mode => values::text(call.permission_mode.as_str()),
            Variable::Session => values::text(call.session_id.as_str()),
            Variable::Now => now(observation.now),
            Variable::Env => values::text_map(observation.env),
        }
    }
}

/// The effects in the shape of their JSON.
fn effects_value(effects: &[Effect]) -> Value<'static> {
    let items = effects.iter().map(|effect| {
        let value = cel::to_value(effect).ok();
        let value = value.and_then(|value| Box::<dyn Val>::try_from(value).ok());
        let value = value.unwrap_or_else(|| Box::new(CelNull));
        // Loops copy their items at each turn.
        match value.downcast_ref::<CelMap>() {
            Some(map) => Box::new(SharedMap::new(map.clone())),
            None => value,
        }
    });
    let items: Vec<Value<'static>> = items.collect();
    Box::new(CelList::from(items))
}

/// The instant of the call. Every instant of one clock is one of the other.
fn now(now: jiff::Timestamp) -> Value<'static> {
    let nanoseconds = u32::try_from(now.subsec_nanosecond()).unwrap_or_default();
    let now = DateTime::from_timestamp(now.as_second(), nanoseconds).unwrap_or_default();
    Box::new(CelTimestamp::from(now.fixed_offset()))
}

/// The origin's name in JSON.
fn origin_name(origin: Origin) -> String {
    match serde_json::to_value(origin) {
        Ok(serde_json::Value::String(name)) => name,
        _ => String::new(),
    }
}
