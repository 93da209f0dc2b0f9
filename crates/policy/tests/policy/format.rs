//! The format of `hooks.json`: every rule and limit of versions 1 and 2.

use std::slice;

use hookward_contract::{EventName, FailureMode};
use hookward_policy::{
    Code, ContainmentMode, FormatVersion, Hook, HookMode, Severity, SourceState,
};
use serde_json::{Value, json};

use crate::scene::{Scene, codes, command_of, file, handler, with};

fn of(version: u8, handler: Value) -> Vec<Code> {
    codes(&Scene::diagnose(file(version, &[handler])))
}

#[test]
fn a_version_1_file_is_read_whole() {
    let scene = Scene::new();
    scene.write_user(
        json!({"version": 1, "hooks": {"PreToolUse": [
            {"matcher": "Bash|Write|Edit|apply_patch", "hooks": [
                {"id": "work-hours-policy", "type": "command",
                 "command": "/absolute/path/to/check-tool-policy",
                 "args": [], "timeoutMs": 3000, "enabled": true}]},
            {"hooks": [{"id": "b", "type": "command", "command": "/b", "args": ["", "x"]}]}]}})
        .to_string(),
    );
    let snapshot = scene.load();
    assert_eq!(snapshot.sources()[0].diagnostics, []);
    let [first, second] = snapshot.hooks() else {
        panic!("two hooks");
    };
    assert_eq!(first.matcher.as_str(), "Bash|Write|Edit|apply_patch");
    assert_eq!(first.format, FormatVersion::V1);
    assert_eq!(first.event, EventName::PreToolUse);
    assert_eq!(second.matcher.as_str(), "*");
    assert_eq!(command_of(second).args, ["", "x"]);
    let defaults = (
        command_of(second).timeout_ms,
        second.on_failure,
        second.enabled,
    );
    assert_eq!(defaults, (3_000, FailureMode::Continue, true));
}

#[test]
fn empty_files_that_are_valid() {
    for text in [
        r#"{"version":1,"hooks":{}}"#,
        r#"{"version":2,"hooks":{"PreToolUse":[]}}"#,
        r#"{"version":1,"hooks":{"PreToolUse":[{"hooks":[]}]}}"#,
    ] {
        assert_eq!(Scene::diagnose(text), [], "{text}");
    }
}

#[test]
fn version_2_adds_failure_mode_and_description() {
    let scene = Scene::new();
    let hook = with(handler("a"), "onFailure", "block");
    scene.write_user(file(2, &[with(hook, "description", "why")]));
    let snapshot = scene.load();
    let hook = &snapshot.hooks()[0];
    assert_eq!(hook.on_failure, FailureMode::Block);
    assert_eq!(hook.description.as_deref(), Some("why"));

    let found = Scene::diagnose(file(1, &[with(handler("a"), "onFailure", "block")]));
    assert_eq!(codes(&found), [Code::UnknownField]);
    assert!(
        found[0].help.contains("\"version\": 2"),
        "{}",
        found[0].help
    );
    assert_eq!(
        of(2, with(handler("a"), "onFailure", "deny")),
        [Code::BadFailureMode]
    );
    assert_eq!(
        of(2, with(handler("a"), "onFailure", true)),
        [Code::WrongType]
    );
    for (bytes, expected) in [(1_024, vec![]), (1_025, vec![Code::BadDescription])] {
        assert_eq!(
            of(2, with(handler("a"), "description", "x".repeat(bytes))),
            expected
        );
    }
}

#[test]
fn all_problems_of_a_file_are_reported_in_one_run() {
    let text = r#"{
  // a comment
  "version": 1,
  "hooks": {
    "PreToolUse": [
      { "matcher": "^Bash$", "hooks": [
        { "id": "a/b", "type": "shell", "command": "guard.sh", "comand": 1,
          "timeoutMs": "5", "enabled": "yes", "args": ["x", 1] },
      ] },
      { "hooks": [ { "id": "c" } ] }
    ],
    "BeforeTool": []
  }
}"#;
    let found = Scene::diagnose(text);
    let places: Vec<_> = found
        .iter()
        .map(|found| (found.code, found.line, found.column, found.pointer.as_str()))
        .collect();
    let first = "/hooks/PreToolUse/0/hooks/0";
    let at = |field: &str| format!("{first}/{field}");
    assert_eq!(
        places,
        [
            (Code::Comment, 2, 3, ""),
            (Code::RegexMatcher, 6, 20, "/hooks/PreToolUse/0/matcher"),
            (Code::BadId, 7, 17, &*at("id")),
            (Code::UnknownType, 7, 32, &*at("type")),
            (Code::RelativeCommand, 7, 52, &*at("command")),
            (Code::UnknownField, 7, 64, &*at("comand")),
            (Code::BadTimeout, 8, 24, &*at("timeoutMs")),
            (Code::WrongType, 8, 40, &*at("enabled")),
            (Code::WrongType, 8, 61, &*at("args/1")),
            (Code::TrailingComma, 8, 65, ""),
            (Code::MissingField, 10, 20, "/hooks/PreToolUse/1/hooks/0"),
            (Code::MissingField, 10, 20, "/hooks/PreToolUse/1/hooks/0"),
            (Code::UnknownEvent, 12, 5, "/hooks/BeforeTool"),
        ]
    );
    let help = |code| &found.iter().find(|found| found.code == code).unwrap().help;
    assert_eq!(help(Code::UnknownField), "did you mean `command`?");
    assert_eq!(
        help(Code::RegexMatcher).split(':').next(),
        Some("write `Bash`")
    );
    assert!(
        found
            .iter()
            .all(|found| !found.help.is_empty() && !found.message.is_empty())
    );
}

/// Case B111: a hook for an event that never happens protects nobody.
#[test]
fn b111_unknown_events_are_errors_with_the_list() {
    for name in ["BeforeTool", "preToolUse", "PostToolUse", "Stop", ""] {
        let text = json!({"version": 2, "hooks": {name: []}}).to_string();
        let found = Scene::diagnose(text);
        assert_eq!(codes(&found), [Code::UnknownEvent], "{name}");
        assert!(found[0].help.contains("PreToolUse"), "{}", found[0].help);
    }
    let later = Scene::diagnose(r#"{"version":2,"hooks":{"preToolUse":[]}}"#);
    assert!(later[0].help.starts_with("did you mean `PreToolUse`?"));
}

/// Case B195: two answers are no answer.
#[test]
fn b195_duplicate_keys_are_located() {
    let found = Scene::diagnose("{\"version\":1,\n \"hooks\":{},\n \"hooks\":{}}");
    assert_eq!(codes(&found), [Code::DuplicateKey]);
    assert_eq!((found[0].line, found[0].column), (3, 2));
    let text = file(2, &[handler("a")]).replace(
        "\"id\"",
        "\"onFailure\":\"block\",\"onFailure\":\"continue\",\"id\"",
    );
    let found = Scene::diagnose(text);
    assert_eq!(codes(&found), [Code::DuplicateKey]);
    assert_eq!(found[0].pointer, "/hooks/PreToolUse/0/hooks/0/onFailure");
}

/// Case B216: odd limits never switch a timer off.
#[test]
fn b216_timeouts_are_plain_integers_in_range() {
    for bad in [
        "\"5\"",
        "-1",
        "NaN",
        "1e9",
        "3e3",
        "3000.0",
        "99",
        "30001",
        "null",
        "99999999999999999999",
        "true",
        "[]",
        "0x64",
        "+100",
        "Infinity",
        "-0",
    ] {
        let text = file(1, &[with(handler("a"), "timeoutMs", 12_345)]).replace("12345", bad);
        let found = Scene::diagnose(text);
        assert!(
            codes(&found).contains(&Code::BadTimeout),
            "{bad}: {found:?}"
        );
        let expected = "/hooks/PreToolUse/0/hooks/0/timeoutMs";
        assert!(found.iter().any(|found| found.pointer == expected));
    }
    for good in [100, 101, 29_999, 30_000] {
        assert_eq!(of(1, with(handler("a"), "timeoutMs", good)), [], "{good}");
    }
}

/// Case B60: what a command means does not depend on where the agent went.
#[test]
fn b60_relative_commands_are_refused() {
    for command in [
        "./hooks/guard.sh",
        "hooks/guard.sh",
        "../x",
        "~/x",
        "$HOME/x",
        "${project}/x",
    ] {
        let found = Scene::diagnose(file(1, &[with(handler("a"), "command", command)]));
        assert_eq!(codes(&found), [Code::RelativeCommand], "{command}");
        assert!(found[0].help.contains("absolute path"), "{}", found[0].help);
    }
}

/// Case B72: a bare name is a lottery.
#[test]
fn b72_bare_program_names_are_refused() {
    let hook = with(handler("a"), "args", json!(["-c", "echo $X"]));
    assert_eq!(
        of(1, with(hook, "command", "bash")),
        [Code::RelativeCommand]
    );
}

/// Case B70: a path with blanks in it is one word.
#[test]
fn b70_blanks_do_not_split_a_command() {
    let scene = Scene::new();
    let command = "/Users/a b/Application Support/h";
    scene.write_user(file(1, &[with(handler("a"), "command", command)]));
    assert_eq!(command_of(&scene.load().hooks()[0]).command, command);
}

/// Case B76: arguments are what the file says.
#[test]
fn b76_arguments_are_unchanged() {
    let scene = Scene::new();
    let args = json!([
        "/c",
        "h.cmd",
        "",
        " ",
        "$X",
        "*",
        "é\u{202e}",
        "a\nb",
        "--x=\"y\""
    ]);
    scene.write_user(file(1, &[with(handler("a"), "args", args.clone())]));
    assert_eq!(json!(command_of(&scene.load().hooks()[0]).args), args);
}

/// Case B91: names are data with a character set and a length.
#[test]
fn b91_ids_are_checked() {
    for bad in [
        "__proto__",
        "",
        "a/b",
        &"x".repeat(5_000),
        "-a",
        "é",
        "a\u{0}",
    ] {
        assert_eq!(of(1, handler(bad)), [Code::BadId], "{bad}");
    }
    for good in ["constructor", "a.b_c-d", "0", &"x".repeat(128)] {
        assert_eq!(of(1, handler(good)), [], "{good}");
    }
    let twice = Scene::diagnose(file(1, &[handler("a"), handler("a")]));
    assert_eq!(codes(&twice), [Code::DuplicateId]);
    assert_eq!(twice[0].pointer, "/hooks/PreToolUse/1/hooks/0/id");
}

#[test]
fn commands_and_arguments_at_their_limits() {
    let command = |bytes: usize| {
        with(
            handler("a"),
            "command",
            format!("/{}", "x".repeat(bytes - 1)),
        )
    };
    assert_eq!(of(1, command(4_095)), []);
    assert_eq!(of(1, command(4_096)), []);
    assert_eq!(of(1, command(4_097)), [Code::BadCommand]);
    assert_eq!(
        of(1, with(handler("a"), "command", "/a\0b")),
        [Code::BadCommand]
    );
    assert_eq!(of(1, with(handler("a"), "command", "")), [Code::BadCommand]);
    let args = |args: Vec<String>| of(1, with(handler("a"), "args", args));
    assert_eq!(args(vec![String::new(); 256]), []);
    assert_eq!(args(vec![String::new(); 257]), [Code::BadArgs]);
    assert_eq!(args(vec!["x".repeat(8_192); 8]), []);
    assert_eq!(args(vec!["x".repeat(8_193)]), [Code::BadArgs]);
    assert_eq!(
        args([vec!["x".repeat(8_192); 8], vec!["x".into()]].concat()),
        [Code::BadArgs]
    );
    assert_eq!(args(vec!["\0".into()]), [Code::BadArgs]);
}

#[test]
fn handlers_at_their_limits() {
    let grouped = |groups: usize, size: usize| {
        let group = |group: usize| {
            let handlers = (0..size).map(|index| handler(&format!("h{group}-{index}")));
            json!({"hooks": handlers.collect::<Vec<_>>()})
        };
        let groups: Vec<_> = (0..groups).map(group).collect();
        let text = json!({"version": 1, "hooks": {"PreToolUse": groups}}).to_string();
        codes(&Scene::diagnose(text))
    };
    assert_eq!(grouped(1, 31), []);
    assert_eq!(grouped(1, 32), []);
    assert_eq!(grouped(1, 33), [Code::TooManyHandlers]);
    assert_eq!(grouped(4, 32), []);
    assert_eq!(grouped(127, 1), []);
    assert_eq!(grouped(129, 1), [Code::TooManyHandlers]);
}

#[test]
fn matchers_at_their_limits_and_in_doubt() {
    let matcher = |text: &str| {
        let group = json!({"matcher": text, "hooks": [handler("a")]});
        Scene::diagnose(json!({"version": 1, "hooks": {"PreToolUse": [group]}}).to_string())
    };
    for (text, code, help) in [
        ("", Code::BadMatcher, "leave `matcher` out"),
        (" ", Code::BadMatcher, "leave `matcher` out"),
        ("\"\"", Code::BadMatcher, "exact names"),
        ("Bash | Write", Code::BadMatcher, "exact names"),
        ("mcp__x__.*", Code::RegexMatcher, "write `mcp__x__*`"),
        ("bash", Code::UnknownTool, "did you mean `Bash`?"),
        ("run_shell_command", Code::ForeignTool, "write `Bash`"),
        (
            "mcp__github",
            Code::IncompleteMcpName,
            "write `mcp__github__*`",
        ),
        ("@exec", Code::BadMatcher, "name the tools"),
    ] {
        let found = matcher(text);
        assert_eq!(codes(&found), [code], "{text}");
        assert!(found[0].help.contains(help), "{text}: {}", found[0].help);
        let warning = matches!(
            code,
            Code::UnknownTool | Code::ForeignTool | Code::IncompleteMcpName
        );
        assert_eq!(found[0].severity == Severity::Warning, warning);
    }
    assert_eq!(matcher(&["Bash"; 63].join("|")), []);
    assert_eq!(matcher(&["Bash"; 64].join("|")), []);
    assert_eq!(codes(&matcher(&["Bash"; 65].join("|"))), [Code::BadMatcher]);
    assert_eq!(
        codes(&matcher(&format!("{}*|Bash", "B".repeat(1_025)))),
        [Code::BadMatcher]
    );
    assert_eq!(matcher("Bash|run_shell_command|mcp__x__y|*"), []);
}

#[test]
fn versions_that_are_not_known() {
    for version in ["0", "3", "1.0", "\"1\"", "null", "1e0"] {
        let text = format!("{{\"version\":{version},\"hooks\":{{}}}}");
        assert_eq!(
            codes(&Scene::diagnose(&text)),
            [Code::BadVersion],
            "{version}"
        );
    }
    assert_eq!(
        codes(&Scene::diagnose("{\"hooks\":{}}")),
        [Code::MissingField]
    );
    assert_eq!(codes(&Scene::diagnose("[]")), [Code::WrongType]);
    assert_eq!(codes(&Scene::diagnose("")), [Code::Syntax]);
}

#[test]
fn fields_that_nobody_knows_are_errors() {
    for field in ["retries", "timeout_ms"] {
        let found = Scene::diagnose(file(2, &[with(handler("a"), field, "x")]));
        assert_eq!(codes(&found), [Code::UnknownField], "{field}");
    }
    let text = r#"{"version":2,"hooks":{},"$schema":"x"}"#;
    assert_eq!(codes(&Scene::diagnose(text)), [Code::UnknownField]);
}

#[test]
fn version_2_adds_mode_containment_and_status_message() {
    let scene = Scene::new();
    let hook = with(handler("a"), "mode", "shadow");
    let hook = with(hook, "containment", "group");
    scene.write_user(file(
        2,
        &[with(hook, "statusMessage", "checking"), handler("b")],
    ));
    let snapshot = scene.load();
    let [first, second] = snapshot.hooks() else {
        panic!("two hooks");
    };
    let parts = |hook: &Hook| (hook.mode, command_of(hook).containment);
    assert_eq!(parts(first), (HookMode::Shadow, ContainmentMode::Group));
    assert_eq!(first.status_message.as_deref(), Some("checking"));
    assert_eq!(parts(second), (HookMode::Enforce, ContainmentMode::Full));
    assert_eq!(second.status_message, None);
    let [warning] = &snapshot.sources()[0].diagnostics[..] else {
        panic!("one warning");
    };
    assert_eq!(warning.code, Code::GroupContainment);
    assert!(warning.pointer.ends_with("/0/containment"), "{warning:?}");

    for (field, value, code) in [
        ("mode", json!("dry"), Code::BadChoice),
        ("mode", json!(true), Code::WrongType),
        ("containment", json!("none"), Code::BadChoice),
        ("containment", json!(null), Code::WrongType),
        ("statusMessage", json!(""), Code::BadReason),
        ("statusMessage", json!("a\u{1b}b"), Code::BadReason),
        ("statusMessage", json!(["x"]), Code::WrongType),
    ] {
        assert_eq!(of(2, with(handler("a"), field, value)), [code], "{field}");
    }
    for (characters, expected) in [(199, vec![]), (200, vec![]), (201, vec![Code::BadReason])] {
        let hook = with(handler("a"), "statusMessage", "é".repeat(characters));
        assert_eq!(of(2, hook), expected, "{characters}");
    }
    for field in ["mode", "containment", "statusMessage", "tests"] {
        let found = Scene::diagnose(file(1, &[with(handler("a"), field, "x")]));
        assert_eq!(codes(&found), [Code::UnknownField], "{field}");
        let help = &found[0].help;
        assert!(help.contains("\"version\": 2"), "{field}: {help}");
    }
}

#[test]
fn project_paths_and_where_they_are_allowed() {
    let scene = Scene::new();
    let hook = with(handler("a"), "command", "${project}/tools/check.sh");
    let hook = with(hook, "args", json!(["${project}/rules", "x${project}/y"]));
    scene.write_project(file(2, slice::from_ref(&hook)));
    let snapshot = scene.load();
    let root = &scene.project.root;
    assert_eq!(
        codes(&snapshot.sources()[1].diagnostics),
        [Code::LiteralPlaceholder]
    );
    let loaded = &snapshot.hooks()[0];
    assert_eq!(command_of(loaded).command, root.join("tools/check.sh"));
    assert_eq!(
        command_of(loaded).args,
        [root.join("rules").as_str(), "x${project}/y"]
    );
    assert_eq!(
        command_of(loaded).written.command,
        "${project}/tools/check.sh"
    );
    // Anywhere else the same text would let an open project supply the user's own program.
    assert_eq!(
        codes(&Scene::diagnose(file(2, &[hook])))[0],
        Code::BadPlaceholder
    );
    for path in [
        "${project}/../x",
        "${project}//x",
        "${project}/",
        "${project}/a/./b",
    ] {
        scene.write_project(file(2, &[with(handler("a"), "command", path)]));
        let snapshot = scene.load();
        assert_eq!(snapshot.sources()[1].state, SourceState::Broken, "{path}");
        assert_eq!(
            codes(&snapshot.sources()[1].diagnostics),
            [Code::BadPlaceholder]
        );
    }
    scene.write_project(file(
        1,
        &[with(handler("a"), "args", json!(["${project}/x"]))],
    ));
    let snapshot = scene.load();
    assert_eq!(
        codes(&snapshot.sources()[1].diagnostics),
        [Code::LiteralPlaceholder]
    );
    assert_eq!(command_of(&snapshot.hooks()[0]).args, ["${project}/x"]);
}
