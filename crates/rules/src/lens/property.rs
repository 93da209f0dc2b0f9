//! Any input to any tool.

use proptest::prelude::*;

use crate::effect::Effect;
use crate::observation::NoFiles;
use crate::testing::{call, effects};

const TOOLS: &[&str] = &[
    "Read",
    "Edit",
    "str_replace_editor",
    "read_many_files",
    "Glob",
    "Grep",
    "apply_patch",
    "Bash",
    "WebFetch",
    "WebSearch",
    "Agent",
    "Workflow",
    "exec",
    "PowerShell",
    "WriteStdin",
    "computer",
    "Batch",
    "ReadMcpResourceTool",
    "ListMcpResourcesTool",
    "move_file",
    "copy_file",
    "mcp__a__b__c",
    "mcp__x__write",
    "frobnicate",
    "TodoWrite",
];

const WORDS: &[&str] = &[
    "file_path",
    "path",
    "command",
    "cmd",
    "args",
    "calls",
    "tool",
    "input",
    "function",
    "name",
    "arguments",
    "pattern",
    "url",
    "prompt",
    "patch",
    "code",
    "data",
    "server",
    "uri",
    "edits",
    "/a",
    "~",
    "~x/y",
    "file://%ff",
    "http://[",
    "**/{a",
    "*** Begin Patch\n*** Update File: a\n***",
    "diff --git a\u{e9} b",
    "--- \"\\\n+++ \"\\8\"",
    "{\"calls\":[",
    "\0",
    "",
    "Batch",
    "Read",
    "$serde_json::private::Number",
    "$serde_json::private::RawValue",
];

fn value() -> impl Strategy<Value = serde_json::Value> {
    let word = || {
        prop_oneof![
            4 => prop::sample::select(WORDS).prop_map(str::to_owned),
            1 => any::<String>(),
        ]
    };
    let leaf = prop_oneof![
        6 => word().prop_map(serde_json::Value::from),
        1 => any::<i64>().prop_map(serde_json::Value::from),
        1 => any::<bool>().prop_map(serde_json::Value::from),
        1 => Just(serde_json::Value::Null),
    ];
    leaf.prop_recursive(4, 32, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(serde_json::Value::from),
            prop::collection::vec((word(), inner), 0..6)
                .prop_map(|fields| serde_json::Value::Object(fields.into_iter().collect())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    /// Any input to any tool has effects, none of them relative or unclean.
    #[test]
    fn any_input_to_any_tool(tool in prop::sample::select(TOOLS), input in value()) {
        let effects = effects(&call(tool, &input.to_string()), &NoFiles);
        for effect in effects.all() {
            if let Effect::Path(path) = effect {
                prop_assert!(path.path.is_absolute());
                prop_assert!(!path.path.as_str().contains('\0'));
                prop_assert_eq!(&crate::paths::clean("/".into(), path.path.as_str()), &path.path);
            }
        }
    }
}
