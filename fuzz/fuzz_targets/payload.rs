//! What Claude Code writes to its hook: an accepted call is unambiguous and byte-faithful, and
//! every payload, accepted or not, gets an answer that the agent can read.

#![no_main]

use hookward_agents::claude_code::{
    DecodeError, Decoded, HostAnswer, MAX_FIELD_BYTES, Note, decode, encode, encode_failure,
};
use hookward_contract::wire::Payload;
use hookward_contract::{BorderNote, Call, EventName, HookId, MAX_INPUT_DEPTH, Reason, Verdict};
use jsonc_parser::ast::Value as Ast;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};
use libfuzzer_sys::fuzz_target;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

fuzz_target!(|bytes: &[u8]| match decode(bytes) {
    Ok(Decoded::Judge {
        event_name,
        call,
        notes,
    }) => {
        check_call(&call);
        check_faithful(bytes, &call, &notes);
        check_payload(&call);
        check_answers(&event_name);
    }
    Ok(Decoded::NoPolicy { event_name }) => assert!(!event_name.is_empty()),
    Err(error) => check_refusal(&error),
});

fn check_call(call: &Call) {
    let cwd = call.cwd.as_str();
    assert!(cwd.starts_with('/') && !cwd.contains('\0') && cwd.len() <= MAX_FIELD_BYTES);
    let mut parts = cwd.split('/').skip(1);
    assert!(
        cwd == "/" || parts.all(|part| !["", ".", ".."].contains(&part)),
        "{cwd:?}"
    );
    let tool = call.tool.as_str();
    assert!(
        !tool.is_empty() && !tool.chars().any(char::is_control),
        "{tool:?}"
    );
    for text in [
        &call.session_id,
        &call.turn_id,
        &call.tool_use_id,
        &call.permission_mode,
    ] {
        assert!(text.len() <= MAX_FIELD_BYTES);
    }
    let options = ParseOptions::default();
    let ast = parse_to_ast(call.input.get(), &CollectOptions::default(), &options);
    check_unambiguous(
        &ast.expect("the input is JSON")
            .value
            .expect("and not blank"),
        0,
    );
}

/// No key stands twice and nothing is nested too deep, as another parser sees it.
fn check_unambiguous(value: &Ast<'_>, depth: usize) {
    assert!(depth <= MAX_INPUT_DEPTH);
    match value {
        Ast::Object(object) => {
            assert!(depth < MAX_INPUT_DEPTH);
            let mut keys: Vec<_> = object.properties.iter().map(|p| p.name.as_str()).collect();
            keys.sort_unstable();
            assert!(keys.windows(2).all(|pair| pair[0] != pair[1]), "{keys:?}");
            object
                .properties
                .iter()
                .for_each(|p| check_unambiguous(&p.value, depth + 1));
        }
        Ast::Array(array) => {
            assert!(depth < MAX_INPUT_DEPTH);
            array
                .elements
                .iter()
                .for_each(|e| check_unambiguous(e, depth + 1));
        }
        _ => {}
    }
}

/// The input is the text that arrived, but for surrogates that have no partner.
fn check_faithful(bytes: &[u8], call: &Call, notes: &[Note]) {
    #[derive(Deserialize)]
    struct Sent<'a> {
        #[serde(borrow)]
        tool_input: &'a RawValue,
    }
    let bytes = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes);
    let sent: Sent<'_> = serde_json::from_slice(bytes).expect("an accepted payload is JSON");
    let (sent, kept) = (sent.tool_input.get(), call.input.get());
    let replaced = notes.iter().find_map(|note| match note {
        Note::Input(BorderNote::LoneSurrogates(count)) => Some(*count),
        _ => None,
    });
    assert_eq!(sent.len(), kept.len());
    let differing = sent
        .bytes()
        .zip(kept.bytes())
        .filter(|(a, b)| a != b)
        .count();
    match replaced {
        None => assert_eq!(sent, kept),
        Some(count) => assert!(differing > 0 && differing <= 4 * count),
    }
    serde_json::from_str::<serde::de::IgnoredAny>(kept).expect("the input is strict JSON");
}

/// A hook reads one JSON document that holds the input unchanged.
fn check_payload(call: &Call) {
    let text = serde_json::to_string(&Payload::new(EventName::PreToolUse, call, None)).unwrap();
    assert!(text.contains(&format!("\"tool_input\":{}", call.input.get())));
    #[derive(Deserialize)]
    struct Read<'a> {
        #[serde(borrow)]
        tool_input: &'a RawValue,
        tool_name: String,
        cwd: String,
    }
    let read: Read<'_> = serde_json::from_str(&text).expect("a payload is JSON");
    assert_eq!(read.tool_input.get(), call.input.get());
    assert_eq!(
        (read.tool_name.as_str(), read.cwd.as_str()),
        (call.tool.as_str(), call.cwd.as_str())
    );
}

fn check_answers(event: &str) {
    let reasons = || {
        let hook = HookId::try_from("gate").unwrap();
        vec![Reason {
            hook,
            text: "not now".to_owned(),
        }]
    };
    let allowed = encode(event, &Verdict::Allow, &[]);
    assert_eq!(allowed, HostAnswer::no_opinion(), "an allow grants nothing");
    check_denial(
        &encode(event, &Verdict::Deny(reasons()), &[]),
        event,
        "not now",
    );
    let asked = encode(event, &Verdict::Ask(reasons()), &[]);
    let output = read(&asked);
    assert!(!asked.stdout.contains("\"allow\""));
    assert!(
        asked.exit == 2 || output.is_some(),
        "a question is never silence"
    );
}

fn check_refusal(error: &DecodeError) {
    let words = error.to_string();
    assert!(!words.is_empty() && words.chars().count() < 1_000);
    assert!(!words.chars().any(char::is_control), "{words:?}");
    let event = error.event_name().unwrap_or("PreToolUse");
    check_denial(
        &encode_failure(error.event_name(), &words),
        event,
        "could not judge",
    );
}

/// The agent reads it as a denial: by status 2, or by the one event that has a wording for it.
fn check_denial(answer: &HostAnswer, event: &str, words: &str) {
    let output = read(answer);
    if event == "PermissionRequest" {
        let output = output.expect("an answer");
        assert_eq!(output["hookSpecificOutput"]["decision"]["behavior"], "deny");
    } else {
        assert_eq!(answer.exit, 2);
        let decision = output.map(|o| o["hookSpecificOutput"]["permissionDecision"].clone());
        assert!(decision.is_none_or(|decision| decision == "deny"));
    }
    assert!(answer.stderr.contains(words));
    assert!(answer.stderr.chars().all(|c| c == '\n' || !c.is_control()));
}

/// Standard output is empty or one JSON object on one line.
fn read(answer: &HostAnswer) -> Option<Value> {
    assert!([0, 2].contains(&answer.exit));
    assert!(!answer.stdout.contains('\n'));
    if answer.stdout.is_empty() {
        return None;
    }
    let output: Value = serde_json::from_str(&answer.stdout).expect("output is JSON");
    assert!(output.is_object());
    Some(output)
}
