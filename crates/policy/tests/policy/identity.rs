//! What a definition's hash covers, and what it does not.

use std::slice;

use hookward_contract::{DefinitionHash, EventName, FailureMode, SourceKind};
use hookward_policy::{
    CommandText, ContainmentMode, Definition, FormatVersion, HandlerText, HookMode, Matcher,
};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::scene::{Scene, command_of, file, handler, with};

fn text(command: &str, args: &[&str], timeout_ms: u32) -> CommandText {
    CommandText {
        command: command.to_owned(),
        args: args.iter().map(ToString::to_string).collect(),
        timeout_ms,
        containment: ContainmentMode::Full,
    }
}

fn command(command: &str, args: &[&str], timeout_ms: u32) -> HandlerText {
    HandlerText::Command(text(command, args, timeout_ms))
}

fn definition() -> Definition {
    Definition {
        format: FormatVersion::V1,
        source: SourceKind::User,
        owner: "user".to_owned(),
        event: EventName::PreToolUse,
        matcher: Matcher::parse("Bash|Write|Edit|apply_patch", FormatVersion::V1).unwrap(),
        handler: command("/absolute/path/to/check-tool-policy", &[], 3_000),
        on_failure: FailureMode::Continue,
        mode: HookMode::Enforce,
    }
}

/// Hashes computed with another implementation of SHA-256 and JSON.
#[test]
fn golden_vectors() {
    let project = Definition {
        source: SourceKind::Project,
        owner: "git:/w/repo/.git".to_owned(),
        matcher: Matcher::all(),
        handler: command("/opt/a b/h", &["--x", "", "é\u{2028}\"\\\n\t\u{1}"], 100),
        ..definition()
    };
    let version_2 = Definition {
        format: FormatVersion::V2,
        source: SourceKind::Project,
        owner: "folder:/w/p".to_owned(),
        matcher: Matcher::parse("mcp__x__*", FormatVersion::V2).unwrap(),
        handler: command(
            "${project}/tools/check.sh",
            &["${project}/rules.txt"],
            30_000,
        ),
        on_failure: FailureMode::Block,
        ..definition()
    };
    let plain = Definition {
        format: FormatVersion::V2,
        matcher: Matcher::all(),
        handler: command("/bin/true", &[], 3_000),
        ..definition()
    };
    for (definition, hash) in [
        (
            definition(),
            "ef915d896e92ff051ab158e4259877b80b815e1d129d75be448f6d00bc3443f0",
        ),
        (
            project,
            "302cabbf9e7667301e47cda222a945c3cc7dfe536366685cd772b9f104dedd06",
        ),
        (
            version_2,
            "430068d2d36b4084ecff7223e7eb22ef178cb482e93d9a259d2fe44213afe6fe",
        ),
        (
            plain,
            "f643d7ee4db4eeac86f345f1e437b5ffda05bb66a05d5580a58f0524753de709",
        ),
    ] {
        assert_eq!(definition.hash().as_str(), format!("sha256:{hash}"));
        let text = definition.canonical();
        assert_eq!(Definition::from_canonical(&text), Ok(definition));
    }
}

/// What is not the default is added at the end; what was trusted before keeps its identity.
#[test]
fn containment_and_mode_are_hashed_where_they_are_named() {
    let plain = Definition {
        format: FormatVersion::V2,
        handler: command("/bin/true", &[], 3_000),
        ..definition()
    };
    let held = |containment| {
        HandlerText::Command(CommandText {
            containment,
            ..text("/bin/true", &[], 3_000)
        })
    };
    let group = held(ContainmentMode::Group);
    for (handler, mode, end) in [
        (
            held(ContainmentMode::Full),
            HookMode::Enforce,
            r#","continue"]"#,
        ),
        (
            group.clone(),
            HookMode::Enforce,
            r#","continue","group","enforce"]"#,
        ),
        (
            held(ContainmentMode::Full),
            HookMode::Shadow,
            r#","continue","full","shadow"]"#,
        ),
        (group, HookMode::Shadow, r#","continue","group","shadow"]"#),
    ] {
        let definition = Definition {
            handler,
            mode,
            ..plain.clone()
        };
        let text = definition.canonical();
        assert!(text.ends_with(end), "{text}");
        assert_eq!(Definition::from_canonical(&text), Ok(definition));
    }
    let named = plain
        .canonical()
        .replace("\"continue\"", "\"continue\",\"full\",\"enforce\"");
    assert!(Definition::from_canonical(&named).is_err(), "{named}");
}

#[test]
fn only_the_canonical_text_is_read_back() {
    let text = definition().canonical();
    let replaced = |from: &str, to: &str| text.replacen(from, to, 1);
    for wrong in [
        replaced(",", ", "),
        replaced("3000", "99"),
        replaced("3000", "3e3"),
        replaced("/absolute", "\\u002fabsolute"),
        replaced("[1", "[3"),
        replaced("PreToolUse", "Stop"),
        replaced("\"command\"", "\"rule\""),
        replaced("Bash|", "|"),
        replaced("3000]", "3000,1]"),
        replaced("\"user\"", "\"nobody\""),
        String::new(),
        "[1,".to_owned(),
        "{}".to_owned(),
    ] {
        assert!(Definition::from_canonical(&wrong).is_err(), "{wrong}");
    }
}

fn hash_of(text: &str) -> DefinitionHash {
    let scene = Scene::new();
    scene.write_user(text);
    scene.load().hooks()[0].hash.clone()
}

/// Case B48: a byte order mark is encoding, not content.
#[test]
fn b48_one_byte_order_mark_does_not_change_the_hash() {
    let text = file(1, &[handler("a")]);
    assert_eq!(hash_of(&text), hash_of(&format!("\u{feff}{text}")));
    let scene = Scene::new();
    scene.write_user(file(1, &[with(handler("a"), "args", json!(["\u{feff}x"]))]));
    assert_eq!(command_of(&scene.load().hooks()[0]).args, ["\u{feff}x"]);
}

#[test]
fn every_field_that_matters_changes_the_hash() {
    let base = with(handler("a"), "args", json!(["x"]));
    let group = |version: u8, matcher: &str, handler: &Value| {
        let group = json!({"matcher": matcher, "hooks": [handler]});
        hash_of(&json!({"version": version, "hooks": {"PreToolUse": [group]}}).to_string())
    };
    let hashes = [
        group(1, "*", &base),
        group(2, "*", &base),
        group(1, "Bash", &base),
        group(1, "*", &with(base.clone(), "command", "/bin/false")),
        group(1, "*", &with(base.clone(), "args", json!(["y"]))),
        group(1, "*", &with(base.clone(), "args", json!(["x", ""]))),
        group(1, "*", &with(base.clone(), "timeoutMs", 3_001)),
        group(2, "*", &with(base.clone(), "onFailure", "block")),
    ];
    for (index, hash) in hashes.iter().enumerate() {
        assert!(!hashes[..index].contains(hash), "{index}");
    }
    let scene = Scene::new();
    scene.write_user(file(1, slice::from_ref(&base)));
    scene.write_project(file(1, &[base]));
    let snapshot = scene.load();
    assert_ne!(snapshot.hooks()[0].hash, snapshot.hooks()[1].hash);
}

/// The object's text with its keys in the given order and blanks around everything.
fn spelled(handler: &Value, order: usize, blank: &str) -> String {
    let mut fields: Vec<_> = handler.as_object().unwrap().iter().collect();
    let count = fields.len();
    fields.rotate_left(order % count);
    let fields: Vec<_> = fields
        .iter()
        .map(|(key, value)| format!("{blank}\"{key}\"{blank}:{blank}{value}"))
        .collect();
    format!("{blank}{{{}{blank}}}{blank}", fields.join(","))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    /// Spelling, order, id, `enabled` and description are not part of the identity.
    #[test]
    fn the_hash_is_stable(
        order in 0..7_usize,
        blank in "[ \t\n]{0,3}|\r\n",
        id in "[a-z]{1,8}",
        enabled: bool,
        description in "[ -~]{0,20}",
        before in 0..3_usize,
    ) {
        let reference = with(handler("a"), "args", json!(["x", "é"]));
        let expected = hash_of(&file(2, slice::from_ref(&reference)));
        let varied = with(reference, "id", id);
        let varied = with(varied, "enabled", enabled);
        let varied = with(varied, "description", description);
        let others: Vec<_> = (0..before).map(|n| handler(&format!("other.{n}")).to_string()).collect();
        let handlers = [others, vec![spelled(&varied, order, &blank)]].concat().join(",");
        let text = format!(
            "{{\"hooks\":{{\"PreToolUse\":[{{\"hooks\":[{handlers}]}}]}},{blank}\"version\":2}}"
        );
        let scene = Scene::new();
        scene.write_user(text);
        let snapshot = scene.load();
        prop_assert_eq!(&snapshot.hooks()[before].hash, &expected);
    }
}
