//! Documents that cross a process boundary: what a hook reads and what it may answer.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::{Call, EventName, HookId, Origin, SourceKind};

/// What a hook of a version 1 file reads from its standard input (source A, "Process protocol").
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(title = "Hook payload")]
pub struct Payload<'a> {
    /// `1` for hooks of version 1 files, `2` for hooks of version 2 files.
    pub schema_version: u8,
    /// The event for which the hook was started.
    pub hook_event_name: EventName,
    /// Session in which the call was asked for.
    pub session_id: &'a str,
    /// Turn of the session.
    pub turn_id: &'a str,
    /// Run of the turn.
    pub run_id: &'a str,
    /// Identity of the call; empty where the agent gives none.
    pub tool_use_id: &'a str,
    /// Canonical name of the tool.
    pub tool_name: &'a str,
    /// The tool's input, byte-faithful.
    #[schemars(with = "serde_json::Value")]
    pub tool_input: &'a RawValue,
    /// Directory in which the tool would run, absolute.
    pub cwd: &'a str,
    /// Permission mode as the agent names it.
    pub permission_mode: &'a str,
    /// How the call came to be.
    pub origin: Origin,
    /// Fields that only version 2 has.
    #[serde(flatten)]
    pub v2: Option<PayloadV2<'a>>,
}

/// The fields that version 2 adds to [`Payload`].
#[derive(Debug, Serialize, JsonSchema)]
pub struct PayloadV2<'a> {
    /// Name of the hook that is being asked.
    pub hook_id: &'a HookId,
    /// Where the hook comes from.
    pub source: SourceKind,
    /// Milliseconds that the hook has from its start.
    pub deadline_ms: u64,
    /// Root of the project, absolute.
    pub project_root: &'a str,
    /// The subagent that asked, or null.
    pub agent_id: Option<&'a str>,
    /// The kind of that subagent, or null.
    pub agent_type: Option<&'a str>,
    /// The call within which this one was made, or null.
    pub parent_tool_use_id: Option<&'a str>,
    /// The agent's own name for the tool, or null where it is the canonical one.
    pub native_tool_name: Option<&'a str>,
    /// What the call would do, as a list of objects with a `kind`: `exec`, `read`, `write`,
    /// `delete`, `network`, `mcp`, `agent` or `opaque`. The reference of effects says which other
    /// fields each kind has.
    #[schemars(with = "Vec<Effect>")]
    pub effects: Option<&'a RawValue>,
}

/// The shape of one effect, for the schema; its fields depend on the kind.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "a schema, never a value")]
struct Effect {
    /// The kind of effect.
    kind: String,
    /// Further fields of the kind.
    #[serde(flatten)]
    fields: std::collections::BTreeMap<String, serde_json::Value>,
}

impl<'a> Payload<'a> {
    /// The payload for `call`; `v2` is given for hooks of version 2 files.
    pub fn new(event: EventName, call: &'a Call, v2: Option<PayloadV2<'a>>) -> Self {
        Self {
            schema_version: if v2.is_some() { 2 } else { 1 },
            hook_event_name: event,
            session_id: &call.session_id,
            turn_id: &call.turn_id,
            run_id: &call.run_id,
            tool_use_id: &call.tool_use_id,
            tool_name: call.tool.as_str(),
            tool_input: call.input.raw(),
            cwd: call.cwd.as_str(),
            permission_mode: &call.permission_mode,
            origin: call.origin,
            v2,
        }
    }
}

/// What a hook may print on standard output: one JSON object, with exit status 0.
// It is read as `Object<Answer>`, which takes no array for an object.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(title = "Hook answer")]
pub struct Answer {
    /// The decision.
    #[serde(deserialize_with = "crate::object")]
    pub hook_specific_output: AnswerDecision,
}

/// The decision inside an [`Answer`].
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AnswerDecision {
    /// The event that the hook was asked about; any other name voids the answer.
    pub hook_event_name: EventName,
    /// What the hook decides.
    pub permission_decision: PermissionDecision,
    /// Why, for the model and the person; optional.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub permission_decision_reason: Option<String>,
}

/// A decision on the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum PermissionDecision {
    /// The hook does not object.
    Allow,
    /// The hook wants a person to be asked; hooks of version 2 files only.
    Ask,
    /// The hook objects.
    Deny,
}
