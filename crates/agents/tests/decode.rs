//! What the payloads of Claude Code are read as.

#![allow(clippy::unwrap_used)]

use hookward_agents::claude_code::{
    DecodeError, DecodeProblem, Decoded, MAX_FIELD_BYTES, MAX_PAYLOAD_BYTES, Note, decode,
};
use hookward_contract::{BorderNote, Call, InputError, MAX_INPUT_BYTES, MAX_INPUT_DEPTH, Origin};
use proptest::prelude::*;
use serde_json::{Value, json};

const FIXTURES: &[(&str, &str, bool)] = &[
    (
        "SessionStart",
        include_str!("fixtures/f01-session-start.json"),
        false,
    ),
    (
        "UserPromptSubmit",
        include_str!("fixtures/f02-user-prompt-submit.json"),
        false,
    ),
    (
        "PreToolUse",
        include_str!("fixtures/f03-pre-tool-use-bash.json"),
        true,
    ),
    (
        "PreToolUse",
        include_str!("fixtures/f04-pre-tool-use-mcp-subagent.json"),
        true,
    ),
    (
        "PermissionRequest",
        include_str!("fixtures/f05-permission-request.json"),
        true,
    ),
    (
        "PostToolUse",
        include_str!("fixtures/f06-post-tool-use-edit.json"),
        false,
    ),
    (
        "PostToolUse",
        include_str!("fixtures/f07-post-tool-use-secret.json"),
        false,
    ),
    (
        "PostToolUseFailure",
        include_str!("fixtures/f08-post-tool-use-failure.json"),
        false,
    ),
    ("Stop", include_str!("fixtures/f09-stop.json"), false),
    (
        "SubagentStop",
        include_str!("fixtures/f10-subagent-stop.json"),
        false,
    ),
    (
        "PreSkillShellCommand",
        include_str!("fixtures/f11-pre-skill-shell-command.json"),
        true,
    ),
    (
        "ConfigChange",
        include_str!("fixtures/f12-config-change.json"),
        false,
    ),
];

const BASH: &str = FIXTURES[2].1;
const SUBAGENT: &str = FIXTURES[3].1;
const PERMISSION: &str = FIXTURES[4].1;
const SKILL: &str = FIXTURES[10].1;

/// The plain Bash fixture with some fields replaced, or taken out where the value is `null`.
fn bash_with(changes: &Value) -> Vec<u8> {
    let mut payload: Value = serde_json::from_str(BASH).unwrap();
    for (key, value) in changes.as_object().unwrap() {
        if value.is_null() {
            payload.as_object_mut().unwrap().remove(key);
        } else {
            payload[key] = value.clone();
        }
    }
    payload.to_string().into_bytes()
}

fn judged(payload: impl AsRef<[u8]>) -> (String, Call, Vec<Note>) {
    match decode(payload.as_ref()) {
        Ok(Decoded::Judge {
            event_name,
            call,
            notes,
        }) => (event_name, *call, notes),
        other => panic!("not judged: {other:?}"),
    }
}

fn refused(payload: impl AsRef<[u8]>) -> DecodeProblem {
    decode(payload.as_ref()).unwrap_err().problem
}

#[test]
fn fixtures_are_judged_exactly_if_they_come_before_a_call() {
    for (event, payload, is_judged) in FIXTURES {
        match decode(payload.as_bytes()).unwrap() {
            Decoded::Judge {
                event_name, notes, ..
            } => {
                assert!(is_judged, "{event}");
                assert_eq!((event_name.as_str(), notes), (*event, vec![]));
            }
            Decoded::NoPolicy { event_name } => {
                assert!(!is_judged, "{event}");
                assert_eq!(event_name, *event);
            }
        }
    }
}

#[test]
fn f03_a_bash_call_of_the_main_thread() {
    let (_, call, _) = judged(BASH);
    assert_eq!(call.session_id, "c4d10a77-52be-4e0b-8a0e-91b7f2a3d001");
    assert_eq!(call.turn_id, "5e2f9a10-7c44-4f0a-b1d2-3a6c8e4b9f20");
    assert_eq!(call.run_id, call.turn_id);
    assert_eq!(call.tool_use_id, "toolu_01Depot3");
    assert_eq!(call.tool_names().collect::<Vec<_>>(), ["Bash"]);
    assert_eq!(call.cwd, "/home/kim/depot");
    assert_eq!(call.permission_mode, "acceptEdits");
    assert_eq!(call.origin, Origin::Provider);
    assert_eq!(
        (call.agent_id, call.agent_type, call.parent_tool_use_id),
        (None, None, None)
    );
    let from = BASH.find("{\n    \"command\"").unwrap();
    assert!(
        BASH[from..].starts_with(call.input.get()),
        "{}",
        call.input.get()
    );
}

#[test]
fn f04_an_mcp_call_of_a_subagent() {
    let (_, call, _) = judged(SUBAGENT);
    assert_eq!(call.origin, Origin::Subagent);
    assert_eq!(call.agent_id.as_deref(), Some("b27fe109"));
    assert_eq!(call.agent_type.as_deref(), Some("stock-auditor"));
    assert_eq!(call.tool.as_str(), "mcp__stockdb__run_query");
}

#[test]
fn f05_and_f11_have_empty_ids_where_the_agent_gives_none() {
    let (_, permission, _) = judged(PERMISSION);
    assert_eq!(permission.tool_use_id, "");
    let (_, skill, _) = judged(SKILL);
    assert_eq!(skill.permission_mode, "");
    assert_eq!(
        skill.turn_id, skill.session_id,
        "no prompt yet: the session is the turn"
    );
}

#[test]
fn an_agent_named_on_the_command_line_is_not_a_subagent() {
    let (_, call, _) = judged(bash_with(&json!({"agent_type": "reviewer"})));
    assert_eq!(call.origin, Origin::Provider);
    assert_eq!(call.agent_type.as_deref(), Some("reviewer"));
}

#[test]
fn which_events_are_judged() {
    let tool = json!({"tool_name": "Bash", "tool_input": {}});
    let bare = json!({"tool_name": null, "tool_input": null});
    let only_name = json!({"tool_input": null});
    for (event, fields, is_judged) in [
        ("PreToolUse", &tool, true),
        ("PreSkillShellCommand", &tool, true),
        ("PermissionRequest", &tool, true),
        ("ToolAboutToRun", &tool, true),
        ("pretooluse", &tool, true),
        ("ToolAboutToRun", &only_name, false),
        ("ToolAboutToRun", &bare, false),
        ("Notification", &bare, false),
        ("PostToolUse", &tool, false),
        ("PostToolUseFailure", &tool, false),
        ("PostToolBatch", &tool, false),
        ("PermissionDenied", &tool, false),
    ] {
        let mut payload: Value = serde_json::from_slice(&bash_with(fields)).unwrap();
        payload["hook_event_name"] = json!(event);
        match decode(payload.to_string().as_bytes()) {
            Ok(Decoded::Judge { event_name, .. }) => assert!(is_judged && event_name == event),
            Ok(Decoded::NoPolicy { event_name }) => assert!(!is_judged && event_name == event),
            Err(error) => panic!("{event}: {error}"),
        }
    }
}

#[test]
fn a_call_without_an_event_name_is_judged() {
    for name in [json!(null), json!(7), json!(""), json!(["PostToolUse"])] {
        let (event, _, notes) = judged(bash_with(&json!({"hook_event_name": name})));
        assert_eq!(event, "PreToolUse");
        assert!(notes.contains(&Note::MissingEventName), "{notes:?}");
    }
    let nothing = json!({"hook_event_name": null, "tool_name": null, "tool_input": null});
    assert_eq!(refused(bash_with(&nothing)), DecodeProblem::NoToolName);
    assert_eq!(refused("{}"), DecodeProblem::NoToolName);
}

#[test]
fn unknown_fields_values_and_modes_pass() {
    let (_, call, notes) = judged(bash_with(&json!({
        "permission_mode": "yolo-2", "effort": 9, "brand_new": {"a": [1, {"b": null}]},
        "transcript_path": 5, "mcp_server": "later",
    })));
    assert_eq!(call.permission_mode, "yolo-2");
    assert_eq!(notes, []);
}

#[test]
fn optional_fields_of_a_wrong_type_are_noted_and_ignored() {
    let long = "x".repeat(MAX_FIELD_BYTES + 1);
    for wrong in [json!(1), json!(true), json!([]), json!({}), json!(long)] {
        for field in [
            "session_id",
            "prompt_id",
            "agent_id",
            "agent_type",
            "tool_use_id",
            "permission_mode",
        ] {
            let (_, call, notes) = judged(bash_with(&json!({ field: wrong })));
            assert!(
                notes.contains(&Note::IgnoredField(field)),
                "{field}: {notes:?}"
            );
            assert_eq!((call.origin, call.agent_id), (Origin::Provider, None));
        }
    }
    let at_limit = "x".repeat(MAX_FIELD_BYTES);
    let (_, call, notes) = judged(bash_with(&json!({"tool_use_id": at_limit})));
    assert_eq!((call.tool_use_id.len(), notes), (MAX_FIELD_BYTES, vec![]));
}

#[test]
fn a_missing_session_is_noted() {
    let (_, call, notes) = judged(bash_with(&json!({"session_id": null, "prompt_id": null})));
    assert_eq!((call.session_id.as_str(), call.turn_id.as_str()), ("", ""));
    assert_eq!(notes, [Note::MissingSessionId]);
}

#[test]
fn what_cannot_be_judged_is_an_error() {
    let long = format!("/{}", "x".repeat(MAX_FIELD_BYTES));
    for (changes, expected) in [
        (json!({"tool_name": null}), DecodeProblem::NoToolName),
        (json!({"tool_name": 3}), DecodeProblem::NoToolName),
        (json!({"tool_input": null}), DecodeProblem::NoToolInput),
        (json!({"cwd": null}), DecodeProblem::NoCwd),
        (json!({"cwd": 3}), DecodeProblem::NoCwd),
        (json!({"cwd": long}), DecodeProblem::NoCwd),
    ] {
        assert_eq!(refused(bash_with(&changes)), expected, "{changes}");
    }
    for name in ["", "a\nb", &"x".repeat(1_025)] {
        let problem = refused(bash_with(&json!({"tool_name": name})));
        assert!(matches!(problem, DecodeProblem::ToolName(_)), "{problem}");
    }
}

#[test]
fn an_error_keeps_the_event_that_decides_the_form_of_the_refusal() {
    let payload = PERMISSION.replace("/home/kim/depot\"", "depot\"");
    let DecodeError {
        event_name,
        problem,
    } = decode(payload.as_bytes()).unwrap_err();
    assert_eq!(event_name.as_deref(), Some("PermissionRequest"));
    assert!(matches!(problem, DecodeProblem::Cwd(_)));
    assert_eq!(decode(b"{").unwrap_err().event_name(), None);
}

#[test]
fn junk_is_not_json() {
    for junk in [
        "", " ", "null", "[]", "\"x\"", "7", "{", "{\"a\":}", "{} {}", "{'a':1}", "\u{1}",
    ] {
        assert!(
            matches!(refused(junk), DecodeProblem::NotJson(_)),
            "{junk:?}"
        );
    }
    assert_eq!(refused(b"{\"cwd\":\"\xff\"}"), DecodeProblem::NotUtf8(8));
}

#[test]
fn one_byte_order_mark_is_encoding() {
    judged(format!("\u{feff}{BASH}"));
    assert!(matches!(
        refused(format!("\u{feff}\u{feff}{BASH}")),
        DecodeProblem::NotJson(_)
    ));
}

#[test]
fn errors_are_short_and_free_of_control_characters() {
    let nasty = format!("\u{1b}[2J\u{202e}\n{}", "y".repeat(3_000));
    for payload in [
        bash_with(&json!({ "cwd": nasty })),
        bash_with(&json!({ "cwd": format!("/../{}", &nasty[..99]) })),
        format!("{{\"{0}\":1,\"{0}\":2}}", "\\u001b[2J".repeat(90)).into_bytes(),
        format!("{{\"tool_name\":{}}}", "\u{1b}".repeat(9)).into_bytes(),
    ] {
        let text = decode(&payload).unwrap_err().to_string();
        assert!(text.chars().count() < 500, "{text}");
        assert!(!text.chars().any(char::is_control), "{text:?}");
        assert!(!text.contains('\u{202e}'), "{text:?}");
    }
}

#[test]
fn payload_size_below_at_and_above_the_limit() {
    let padded = |total: usize| {
        let mut payload = BASH.trim_end().to_owned();
        payload.insert_str(1, "\"pad\":\"\",");
        payload.insert_str(8, &"x".repeat(total - payload.len()));
        payload
    };
    for total in [MAX_PAYLOAD_BYTES - 1, MAX_PAYLOAD_BYTES] {
        judged(padded(total));
    }
    assert_eq!(
        refused(padded(MAX_PAYLOAD_BYTES + 1)),
        DecodeProblem::TooLarge
    );
}

#[test]
fn input_size_at_and_above_the_limit() {
    let sized = |bytes: usize| bash_with(&json!({"tool_input": "x".repeat(bytes - 2)}));
    judged(sized(MAX_INPUT_BYTES));
    let problem = refused(sized(MAX_INPUT_BYTES + 1));
    assert_eq!(
        problem,
        DecodeProblem::ToolInput(InputError::TooLarge(MAX_INPUT_BYTES + 1))
    );
}

#[test]
fn any_json_value_can_be_an_input() {
    for input in ["null", "[]", "\"text\"", "0.10", "{\"b\":1,\"a\":2}"] {
        let payload = format!(
            "{{\"hook_event_name\":\"PreToolUse\",\"tool_name\":\"T\",\"cwd\":\"/w\",\"tool_input\": {input} }}"
        );
        assert_eq!(judged(payload).1.input.get(), input);
    }
}

/// Case B62: a working directory is absolute and clean, or the event is refused.
#[test]
fn b62_an_unclean_cwd_is_refused() {
    for cwd in ["-P", "-", "", "../x", "/w/./a//b", "/w/../x"] {
        let problem = refused(bash_with(&json!({ "cwd": cwd })));
        assert!(matches!(problem, DecodeProblem::Cwd(_)), "{cwd}: {problem}");
    }
}

/// Case B107: the canonical name of an MCP tool is the reported one, whatever characters it has.
#[test]
fn b107_mcp_names_are_not_folded() {
    for name in [
        "mcp__my-hub__create.item",
        "mcp__plugin_pack_my-hub__create.item",
    ] {
        let server = json!({"name": "my-hub", "source": "plugin"});
        let (_, call, notes) = judged(bash_with(&json!({"tool_name": name, "mcp_server": server})));
        assert_eq!(call.tool_names().collect::<Vec<_>>(), [name]);
        assert_eq!(notes, []);
    }
}

/// Case B109: a server whose name forges the separator is reported.
#[test]
fn b109_server_names_that_forge_a_separator_are_noted() {
    for (server, tool) in [
        ("a__b", "mcp__a__b__c"),
        ("a_", "mcp__a___t"),
        ("_a", "mcp___a__t"),
    ] {
        let (_, _, notes) = judged(bash_with(
            &json!({"tool_name": tool, "mcp_server": {"name": server, "source": "user"}}),
        ));
        assert_eq!(notes, [Note::AmbiguousServer(server.to_owned())]);
    }
}

/// Case B193: the digits of a number reach the policy as they came.
#[test]
fn b193_numbers_keep_their_digits() {
    let input = r#"{"id":7960607143101464577,"z":1.50,"a":1e400}"#;
    let payload = format!(
        "{{\"hook_event_name\":\"PreToolUse\",\"tool_name\":\"mcp__db__del\",\"tool_input\":{input},\"cwd\":\"/w\"}}"
    );
    assert_eq!(judged(payload).1.input.get(), input);
}

/// Case B195, for payloads: two answers are no answer.
#[test]
fn b195_duplicate_keys_are_refused_by_name() {
    for key in ["tool_input", "tool_name", "cwd", "later"] {
        let payload = BASH.replacen('{', &format!("{{\"{key}\":\"/x\",\"later\":0,"), 1);
        assert_eq!(
            refused(payload),
            DecodeProblem::DuplicateKey(key.to_owned())
        );
    }
    let spelled = BASH.replacen('{', "{\"tool_n\\u0061me\":\"Read\",", 1);
    assert_eq!(
        refused(spelled),
        DecodeProblem::DuplicateKey("tool_name".to_owned())
    );
    let inside = BASH.replace("\"command\":", "\"command\": \"ls\", \"command\":");
    let expected = InputError::DuplicateKey("command".to_owned());
    assert_eq!(refused(inside), DecodeProblem::ToolInput(expected));
}

/// Case B197: a lone surrogate stops at the border, with a note, and poisons no other field.
#[test]
fn b197_lone_surrogates_are_replaced_and_noted() {
    let payload = BASH.replace("make test", "make \\ud99c test");
    let (_, call, notes) = judged(payload);
    assert!(call.input.get().contains("make \\ufffd test"));
    assert_eq!(notes, [Note::Input(BorderNote::LoneSurrogates(1))]);
    let (_, call, notes) = judged(BASH.replace("toolu_01Depot3", "\\ud99c"));
    assert_eq!(
        (call.tool_use_id.as_str(), notes),
        ("", vec![Note::IgnoredField("tool_use_id")])
    );
}

/// Case B199: beyond the stated depth the call is refused, never unhooked; fields that nobody
/// reads may be as deep as they like.
#[test]
fn b199_depth_below_at_and_above_the_limit() {
    let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
    let with = |field: &str, depth: usize| {
        BASH.replacen(
            "\"tool_input\"",
            "\"old_input\"",
            usize::from(field == "tool_input"),
        )
        .replacen('{', &format!("{{\"{field}\":{},", nested(depth)), 1)
    };
    for depth in [MAX_INPUT_DEPTH - 1, MAX_INPUT_DEPTH] {
        judged(with("tool_input", depth));
    }
    for depth in [MAX_INPUT_DEPTH + 1, 200, 500_000] {
        let problem = refused(with("tool_input", depth));
        assert_eq!(problem, DecodeProblem::ToolInput(InputError::TooDeep));
    }
    judged(with("later", 500_000));
}

#[test]
fn both_names_of_the_subagent_tool_match() {
    for reported in ["Agent", "Task"] {
        let (_, call, _) = judged(bash_with(&json!({"tool_name": reported})));
        assert_eq!(call.tool_names().collect::<Vec<_>>(), ["Agent", "Task"]);
    }
}

proptest! {
    /// Cut and overwritten payloads are read or refused, never a panic.
    #[test]
    fn damaged_payloads_never_panic(
        which in 0..FIXTURES.len(),
        at in any::<prop::sample::Index>(),
        junk in prop::collection::vec(any::<u8>(), 0..6),
        cut in 0_usize..40,
    ) {
        let mut payload = FIXTURES[which].1.as_bytes().to_vec();
        let at = at.index(payload.len());
        let end = (at + cut).min(payload.len());
        payload.splice(at..end, junk);
        let _ = decode(&payload);
    }
}
