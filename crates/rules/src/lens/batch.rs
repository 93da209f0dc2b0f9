//! Tools that make several calls at once: each inner call is read as if it stood alone.

use std::borrow::Cow;

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
    let calls = CALLS.iter().find_map(|key| view.field(key));
    let Some(calls) = calls.filter(|calls| calls.get().starts_with('[')) else {
        return view.unknown_input(collector);
    };
    if view.depth() >= MAX_DEPTH {
        return collector.opaque(OpaqueCause::ToolCalls, calls.get());
    }
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

/// Reads one inner call. Inputs may be given as text that holds JSON.
fn inner(view: &View<'_>, call: &RawValue, collector: &mut Collector<'_>) {
    let unknown = |collector: &mut Collector<'_>| {
        collector.opaque(OpaqueCause::ToolCalls, call.get());
    };
    let outer = Entries::of(call);
    let fields = match outer.get("function") {
        Some(function) if json::is_nested(function) => Entries::of(function),
        _ => outer,
    };
    let Some((name, input)) = parts(&fields, call) else {
        return unknown(collector);
    };
    // A prefix that one provider puts before names of its parallel calls.
    let name = name.strip_prefix("functions.").unwrap_or(&name);
    let Some(text) = json::text(input) else {
        return super::read(&view.inner(name, input), collector);
    };
    match ToolInput::parse(&text) {
        Ok((input, _)) => super::read(&view.inner(name, input.raw()), collector),
        // A tool may take a plain text for its input.
        Err(_) => super::read(&view.inner(name, input), collector),
    }
}

/// Name and input; a call without an input of its own is one whose fields are the input.
fn parts<'a>(fields: &Entries<'a>, call: &'a RawValue) -> Option<(Cow<'a, str>, &'a RawValue)> {
    let get = |keys: &[&str]| keys.iter().find_map(|key| fields.get(key));
    let name = json::text(get(NAME)?)?;
    Some((name, get(INPUT).unwrap_or(call)))
}
