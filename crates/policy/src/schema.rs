//! The JSON Schema of `hooks.json`, from the same limits that the reader enforces. A schema cannot
//! say everything (unique ids, paths that exist, sums of lengths); the reader is the authority.

use hookward_contract::{EventName, HookId};
use serde_json::{Map, Value, json};

use crate::limits::{
    DEFAULT_TIMEOUT_MS, MAX_ARG_BYTES, MAX_ARGS, MAX_COMMAND_BYTES, MAX_DESCRIPTION_BYTES,
    MAX_GROUP_HANDLERS, MAX_TIMEOUT_MS, MIN_TIMEOUT_MS,
};
use crate::matcher::MAX_MATCHER_BYTES;

/// The schema: version 1 or version 2.
pub fn schema() -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "hooks.json",
        "oneOf": [file(1), file(2)],
    })
}

fn file(version: u8) -> Value {
    let events: Map<String, Value> = EventName::ALL
        .iter()
        .map(|event| {
            (
                event.to_string(),
                json!({"type": "array", "items": group(version)}),
            )
        })
        .collect();
    json!({
        "type": "object",
        "required": ["version", "hooks"],
        "additionalProperties": false,
        "properties": {
            "version": {"const": version},
            "hooks": {"type": "object", "additionalProperties": false, "properties": events},
        },
    })
}

fn group(version: u8) -> Value {
    json!({
        "type": "object",
        "required": ["hooks"],
        "additionalProperties": false,
        "properties": {
            "matcher": {
                "type": "string", "minLength": 1, "maxLength": MAX_MATCHER_BYTES, "default": "*",
                "description": "Tool names joined by `|`; a trailing `*` in one makes it a prefix",
            },
            "hooks": {"type": "array", "maxItems": MAX_GROUP_HANDLERS, "items": handler(version)},
        },
    })
}

fn handler(version: u8) -> Value {
    let mut properties = json!({
        "id": {
            "type": "string", "maxLength": HookId::MAX_BYTES,
            "pattern": "^[A-Za-z0-9][A-Za-z0-9._-]*$",
        },
        "type": {"const": "command"},
        "command": {
            "type": "string", "maxLength": MAX_COMMAND_BYTES,
            "pattern": if version == 1 { "^/" } else { r"^(/|\$\{project\}/)" },
            "description": "Absolute path of a program, started without a shell",
        },
        "args": {
            "type": "array", "maxItems": MAX_ARGS, "default": [],
            "items": {"type": "string", "maxLength": MAX_ARG_BYTES},
        },
        "timeoutMs": {
            "type": "integer", "minimum": MIN_TIMEOUT_MS, "maximum": MAX_TIMEOUT_MS,
            "default": DEFAULT_TIMEOUT_MS,
        },
        "enabled": {"type": "boolean", "default": true},
    });
    if version == 2 {
        properties["onFailure"] = json!({"enum": ["continue", "block"], "default": "continue"});
        properties["description"] = json!({"type": "string", "maxLength": MAX_DESCRIPTION_BYTES});
    }
    json!({
        "type": "object",
        "required": ["id", "type", "command"],
        "additionalProperties": false,
        "properties": properties,
    })
}
