//! The JSON Schema of `hooks.json`, from the same limits that the reader enforces. A schema cannot
//! say everything (unique ids, paths that exist, sums of lengths); the reader is the authority.

use hookward_contract::{EventName, FailureMode, HookId, MAX_REASON_CHARS, ToolName};
use serde_json::{Map, Value, json};

use crate::handler::{COMMAND, RULE};
use crate::hook_test::Expected;
use crate::limits::{
    DEFAULT_TIMEOUT_MS, MAX_ARG_BYTES, MAX_ARGS, MAX_COMMAND_BYTES, MAX_DESCRIPTION_BYTES,
    MAX_GROUP_HANDLERS, MAX_PATTERN_BYTES, MAX_PATTERNS, MAX_STATUS_CHARS, MAX_TEST_VARIABLES,
    MAX_TESTS, MAX_TIMEOUT_MS, MAX_WHEN_BYTES, MIN_TIMEOUT_MS,
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
                "description": if version == 1 {
                    "Tool names joined by `|`; a trailing `*` in one makes it a prefix"
                } else {
                    "Tool names joined by `|`; a trailing `*` in one makes it a prefix; `@exec`, \
                     `@write` and the like match by what a call would do"
                },
            },
            "hooks": {"type": "array", "maxItems": MAX_GROUP_HANDLERS, "items": handler(version)},
        },
    })
}

fn handler(version: u8) -> Value {
    if version == 1 {
        command(1)
    } else {
        json!({"oneOf": [command(2), rule()]})
    }
}

fn command(version: u8) -> Value {
    let mut properties = json!({
        "id": id(),
        "type": {"const": COMMAND},
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
        properties["containment"] = json!({
            "enum": ["full", "group"], "default": "full",
            "description": "How the processes of the program are held together",
        });
        add_common(&mut properties, FailureMode::Continue);
    }
    object(&["id", "type", "command"], &properties)
}

fn rule() -> Value {
    let mut properties = json!({
        "id": id(),
        "type": {"const": RULE},
        "exec": patterns("Programs with leading arguments, such as `git push`"),
        "write": patterns("Globs of files, relative to the project; a leading `!` excludes"),
        "read": patterns("Globs of files, relative to the project; a leading `!` excludes"),
        "delete": patterns("Globs of files, relative to the project; a leading `!` excludes"),
        "network": patterns("Hosts, such as `*.example.com`"),
        "mcp": patterns("Tools of MCP servers, such as `github/*`"),
        "when": {
            "type": "string", "minLength": 1, "maxLength": MAX_WHEN_BYTES,
            "description": "A condition in CEL",
        },
        "decision": {"enum": ["deny", "ask"]},
        "opaque": {
            "enum": ["ask", "deny", "allow"], "default": "ask",
            "description": "What follows where it cannot be known whether the patterns match",
        },
        "reason": {
            "type": "string", "minLength": 1, "maxLength": MAX_REASON_CHARS,
            "description": "Why, for the model and the person",
        },
        "enabled": {"type": "boolean", "default": true},
    });
    add_common(&mut properties, FailureMode::Block);
    object(&["id", "type", "decision", "reason"], &properties)
}

fn id() -> Value {
    json!({
        "type": "string", "maxLength": HookId::MAX_BYTES,
        "pattern": "^[A-Za-z0-9][A-Za-z0-9._-]*$",
    })
}

fn patterns(description: &str) -> Value {
    let pattern = json!({"type": "string", "minLength": 1, "maxLength": MAX_PATTERN_BYTES});
    json!({
        "description": description,
        "oneOf": [
            pattern,
            {"type": "array", "minItems": 1, "maxItems": MAX_PATTERNS, "items": pattern},
        ],
    })
}

/// Adds what version 2 adds to handlers of every kind.
fn add_common(properties: &mut Value, on_failure: FailureMode) {
    properties["onFailure"] = json!({"enum": ["continue", "block"], "default": on_failure});
    properties["mode"] = json!({
        "enum": ["enforce", "shadow"], "default": "enforce",
        "description": "In the shadow, the verdict is recorded and never counts",
    });
    properties["description"] = json!({"type": "string", "maxLength": MAX_DESCRIPTION_BYTES});
    properties["statusMessage"] =
        json!({"type": "string", "minLength": 1, "maxLength": MAX_STATUS_CHARS});
    properties["tests"] = json!({"type": "array", "maxItems": MAX_TESTS, "items": test()});
}

fn test() -> Value {
    let tool = json!({"type": "string", "minLength": 1, "maxLength": ToolName::MAX_BYTES});
    let properties = json!({
        "tool": tool,
        "native_tool": tool,
        "input": {"type": "object"},
        "cwd": {
            "type": "string", "minLength": 1,
            "description": "Absolute, or relative to the project's root",
        },
        "now": {"type": "string", "format": "date-time"},
        "env": {
            "type": "object", "maxProperties": MAX_TEST_VARIABLES,
            "additionalProperties": {"type": "string"},
        },
        "mode": {"type": "string"},
        "expect": {"enum": Expected::ALL},
    });
    object(&["tool", "input", "expect"], &properties)
}

fn object(required: &[&str], properties: &Value) -> Value {
    json!({
        "type": "object",
        "required": required,
        "additionalProperties": false,
        "properties": properties,
    })
}
