//! Tools that make several calls at once: each inner call is read as if it stood alone.

use hookward_contract::ToolInput;
use serde_json::value::RawValue;

use super::json::{self, Entries};
use super::view::View;
use crate::collector::Collector;
use crate::effect::OpaqueCause;

/// How deep calls may lie within calls; deeper ones are opaque.
const MAX_DEPTH: u8 = 4;

/// Fields that hold a list of calls.
pub(super) const CALLS: &[&str] = &[
    "calls",
    "tool_calls",
    "toolCalls",
    "tool_uses",
    "invocations",
];
/// Fields of an inner call that name its tool.
const NAME: &[&str] = &["tool", "name", "tool_name", "toolName", "recipient_name"];
/// Fields of an inner call that hold its input.
const INPUT: &[&str] = &[
    "input",
    "arguments",
    "parameters",
    "params",
    "args",
    "tool_input",
];

/// Whether the input holds a list of calls.
pub(super) fn is_batch(view: &View<'_>) -> bool {
    let mut lists = CALLS.iter().filter_map(|key| view.field(key));
    lists.any(|list| list.get().starts_with('['))
}

/// `{calls: [{tool, input}]}`, `{tool_calls: [{function: {name, arguments}}]}` and their like.
pub(super) fn effects(view: &View<'_>, collector: &mut Collector<'_>) {
    let mut found = false;
    for calls in CALLS.iter().filter_map(|key| view.field(key)) {
        found = true;
        if !calls.get().starts_with('[') {
            view.unknown_input(collector);
        } else if view.depth() >= MAX_DEPTH {
            collector.opaque(OpaqueCause::ToolCalls, calls.get());
        } else {
            list(view, calls, collector);
        }
    }
    if !found {
        view.unknown_input(collector);
    }
}

/// Reads a list of inner calls.
fn list(view: &View<'_>, calls: &RawValue, collector: &mut Collector<'_>) {
    let calls = Entries::of(calls);
    for (_, call) in &calls.list {
        if collector.is_full() {
            return;
        }
        inner(view, call, collector);
    }
    if calls.cut {
        collector.opaque(OpaqueCause::ToolCalls, view.tool());
    }
}

/// Reads one inner call. Inputs may be given as text that holds JSON. Of two fields that could be
/// its name, or its input, the first is read; which one the tool takes cannot be known.
fn inner(view: &View<'_>, call: &RawValue, collector: &mut Collector<'_>) {
    let outer = Entries::of(call);
    let fields = match outer.get("function") {
        Some(function) if json::is_nested(function) => Entries::of(function),
        _ => outer,
    };
    let all = |keys: &[&str]| {
        keys.iter()
            .filter_map(|key| fields.get(key))
            .collect::<Vec<_>>()
    };
    let (names, inputs) = (all(NAME), all(INPUT));
    let name = names.first().and_then(|name| json::text(name));
    if names.len() > 1 || inputs.len() > 1 || fields.cut || name.is_none() {
        collector.opaque(OpaqueCause::ToolCalls, call.get());
    }
    let Some(name) = name else {
        return;
    };
    // A prefix that one provider puts before names of its parallel calls.
    let name = name.strip_prefix("functions.").unwrap_or(&name);
    // A call without an input of its own is one whose fields are the input.
    let input = inputs.first().copied().unwrap_or(call);
    let parsed = json::text(input).and_then(|text| ToolInput::parse(&text).ok());
    match &parsed {
        Some((input, _)) => super::read(&view.inner(name, input.raw()), collector),
        // A tool may take a plain text for its input.
        None => super::read(&view.inner(name, input), collector),
    }
}
