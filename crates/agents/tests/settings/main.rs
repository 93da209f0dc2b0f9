//! What an installation does to a settings text, and that taking it out undoes exactly that.

#![allow(clippy::unwrap_used)]

mod layouts;

use hookward_agents::claude_code::{
    Edit, HookCommand, InstallError, MAX_SETTINGS_BYTES, Obstacle, Registered, install,
    registration, uninstall,
};
use serde_json::{Value, json};

fn command() -> HookCommand {
    at("/opt/hook ward/bin/hookward")
}

fn at(program: &str) -> HookCommand {
    let args = vec!["hook".to_owned(), "claude-code".to_owned()];
    HookCommand {
        program: program.to_owned(),
        args,
    }
}

fn changed(edit: Edit) -> String {
    match edit {
        Edit::Changed { new_text, .. } => new_text,
        Edit::Unchanged => panic!("unchanged"),
    }
}

fn installed(text: &str) -> String {
    changed(install(Some(text), &command()).unwrap())
}

fn uninstalled(text: &str) -> String {
    changed(uninstall(text).unwrap())
}

/// The settings as the agent reads them; texts with comments are not read that way.
fn parsed(text: &str) -> Value {
    serde_json::from_str(text.trim_start_matches('\u{feff}')).unwrap()
}

fn our_group() -> Value {
    json!({"matcher": "*", "hooks": [{"type": "command", "command": "/opt/hook ward/bin/hookward",
        "args": ["hook", "claude-code"], "timeout": 60, "onFailure": "block"}]})
}

/// Settings of every shape that matters, with and without what an installation needs.
const SETTINGS: &[&str] = &[
    "{}",
    "{}\n",
    "{ }",
    "{\n}\n",
    "{\n  \n}",
    "{\"hooks\":{}}",
    "{\"hooks\":{\n}}",
    "{\n  \"hooks\": {}\n}\n",
    "{\n  \"hooks\": {\n  }\n}\n",
    "{\"hooks\":{\"PreToolUse\":[]}}",
    "{\n  \"hooks\": {\n    \"PreToolUse\": []\n  }\n}\n",
    "{\n  \"hooks\": {\n    \"PreToolUse\": [\n    ]\n  }\n}\n",
    "{\n  \"hooks\": {\n    \"PreToolUse\": [\n      \n    ]\n  }\n}\n",
    "{\"model\":\"opus\"}",
    "{\n  \"model\": \"opus\"\n}",
    "{\n\t\"model\": \"opus\",\n\t\"env\": {\n\t\t\"A\": \"é — 日本\"\n\t}\n}\n",
    "{\r\n    \"model\": \"opus\"\r\n}\r\n",
    "\u{feff}{\r\n  \"a\": 1\r\n}",
    "{\n  \"hooks\": {\n    \"Stop\": [\n      { \"hooks\": [] }\n    ]\n  },\n  \"z\": [1, 2]\n}\n",
    "{\"hooks\":{\"PreToolUse\":[{\"matcher\":\"Bash\",\"hooks\":[{\"type\":\"command\",\"command\":\"/g\"}]}]}}",
    "{\n  \"hooks\": {\n    \"PreToolUse\": [\n      {\n        \"matcher\": \"Bash\",\n        \"hooks\": []\n      }\n    ],\n    \"Stop\": []\n  }\n}\n",
    "  {\n    \"a\": {}\n  }  \n\n",
];

/// The same with comments and trailing commas.
const COMMENTED: &[&str] = &[
    "// mine\n{\n  // nothing yet\n}\n",
    "{ /* empty */ }",
    "{\n  \"a\": 1, // last\n}\n",
    "{\n  \"a\": 1 // last\n}\n",
    "{\n  \"a\": 1 /* x */ /* y */,  // ,\n  // more\n}\n",
    "{\n  \"hooks\": {\n    \"PreToolUse\": [\n      {}, /* one */ // two\n    ], // three\n  }, // four\n}\n",
    "{\n  \"hooks\": { // here\n    \"PreToolUse\": [ // there\n    ]\n  }\n}\n// end",
    "{\"hooks\":{\"PreToolUse\":[/* , ] */]}}",
    "{\r\n  \"a\": \"//\", // c\r\n}",
];

fn every_text() -> impl Iterator<Item = &'static str> {
    SETTINGS.iter().chain(COMMENTED).copied()
}

#[test]
fn a_new_file_holds_exactly_the_documented_entry() {
    let expected = "{
  \"hooks\": {
    \"PreToolUse\": [
      {
        \"matcher\": \"*\",
        \"hooks\": [
          {
            \"type\": \"command\",
            \"command\": \"/opt/hook ward/bin/hookward\",
            \"args\": [\"hook\", \"claude-code\"],
            \"timeout\": 60,
            \"onFailure\": \"block\"
          }
        ]
      }
    ]
  }
}
";
    for absent in [None, Some(""), Some(" \n"), Some("\u{feff}")] {
        let text = changed(install(absent, &command()).unwrap());
        assert_eq!(text.trim_start_matches('\u{feff}'), expected);
        assert_eq!(uninstalled(&text).trim_start_matches('\u{feff}'), "{}\n");
    }
}

#[test]
fn an_installation_adds_one_group_and_changes_no_other_value() {
    for text in SETTINGS {
        let mut expected = parsed(text);
        let groups = &mut expected["hooks"]["PreToolUse"];
        match groups.as_array_mut() {
            Some(groups) => groups.push(our_group()),
            None => *groups = json!([our_group()]),
        }
        assert_eq!(parsed(&installed(text)), expected, "{text}");
    }
}

#[test]
fn taking_it_out_restores_every_byte() {
    for text in every_text() {
        assert_eq!(
            uninstalled(&installed(text)),
            text,
            "installed:\n{}",
            installed(text)
        );
    }
}

#[test]
fn installing_twice_is_installing_once() {
    for text in every_text() {
        let once = installed(text);
        assert_eq!(
            install(Some(&once), &command()).unwrap(),
            Edit::Unchanged,
            "{once}"
        );
        assert_eq!(
            registration(&once, &command()).unwrap().state,
            Registered::Current
        );
        assert_eq!(
            registration(text, &command()).unwrap().state,
            Registered::Absent
        );
        assert_eq!(uninstall(text).unwrap(), Edit::Unchanged);
    }
}

#[test]
fn an_edit_only_adds_lines_and_keeps_the_layout() {
    let text = "{\r\n\t\"model\": \"opus\", // mine\r\n\t\"env\": {} // last\r\n}";
    let expected = "{\r\n\t\"model\": \"opus\", // mine\r\n\t\"env\": {}, // last\r\n\t\"hooks\": {\r\n\
        \t\t\"PreToolUse\": [\r\n\t\t\t{\r\n\t\t\t\t\"matcher\": \"*\",\r\n\t\t\t\t\"hooks\": [\r\n\
        \t\t\t\t\t{\r\n\t\t\t\t\t\t\"type\": \"command\",\r\n\
        \t\t\t\t\t\t\"command\": \"/opt/hook ward/bin/hookward\",\r\n\
        \t\t\t\t\t\t\"args\": [\"hook\", \"claude-code\"],\r\n\t\t\t\t\t\t\"timeout\": 60,\r\n\
        \t\t\t\t\t\t\"onFailure\": \"block\"\r\n\t\t\t\t\t}\r\n\t\t\t\t]\r\n\t\t\t}\r\n\t\t]\r\n\t}\r\n}";
    assert_eq!(installed(text), expected);
}

#[test]
fn a_comment_stays_with_the_line_that_it_is_on() {
    for (text, line) in [
        ("{\n  \"a\": 1 // first\n}\n", "\"a\": 1, // first"),
        ("{\n  \"a\": 1, // first\n}\n", "\"a\": 1, // first"),
        (
            "{\n  \"a\": 1, /* x */ /* y */\n}\n",
            "\"a\": 1, /* x */ /* y */",
        ),
    ] {
        let new_text = installed(text);
        assert_eq!(
            new_text.lines().nth(1).map(str::trim),
            Some(line),
            "{new_text}"
        );
    }
}

#[test]
fn obstacles_are_named_by_their_setting() {
    for (obstacle, setting) in [
        (Obstacle::AllHooksDisabled, "disableAllHooks"),
        (Obstacle::ManagedHooksOnly, "allowManagedHooksOnly"),
        (Obstacle::PluginHooksOnly, "strictPluginOnlyCustomization"),
        (Obstacle::NotStrictJson("line 3".to_owned()), "line 3"),
    ] {
        assert!(obstacle.to_string().contains(setting), "{obstacle}");
    }
}

#[test]
fn the_diff_shows_what_changes_and_nothing_else() {
    let text = "{\n  \"model\": \"opus\"\n}\n";
    let Edit::Changed { diff, .. } = install(Some(text), &command()).unwrap() else {
        panic!("unchanged");
    };
    assert!(diff.starts_with("--- before\n+++ after\n@@ "), "{diff}");
    let lines = |sign: char| {
        diff.lines()
            .skip(2)
            .filter(|line| line.starts_with(sign))
            .count()
    };
    assert_eq!((lines('-'), lines('+')), (1, 17), "{diff}");
    assert!(
        diff.contains("+            \"command\": \"/opt/hook ward/bin/hookward\",\n"),
        "{diff}"
    );
}

/// Case B70: a path with blanks and quotes is one value, which no shell splits.
#[test]
fn b70_paths_survive_as_they_are() {
    for program in [
        "/Users/a b/Application Support/hookward",
        "/x/\"q\"/\\/$HOME/'é'",
    ] {
        let text = changed(install(None, &at(program)).unwrap());
        let handler = &parsed(&text)["hooks"]["PreToolUse"][0]["hooks"][0];
        assert_eq!(handler["command"], program);
        assert_eq!(handler["args"], json!(["hook", "claude-code"]));
        assert_eq!(uninstalled(&text), "{}\n");
    }
    let error = install(None, &at("bin/hookward")).unwrap_err();
    assert_eq!(
        error,
        InstallError::RelativeProgram("bin/hookward".to_owned())
    );
}

#[test]
fn a_moved_program_replaces_its_entry() {
    let old = installed("{\n  \"model\": \"opus\"\n}\n");
    let moved = at("/usr/bin/hookward");
    let state = registration(&old, &moved).unwrap().state;
    assert_eq!(
        state,
        Registered::Stale {
            command: command(),
            differs: vec!["command"]
        }
    );
    let new = changed(install(Some(&old), &moved).unwrap());
    assert_eq!(
        new,
        old.replace("/opt/hook ward/bin/hookward", "/usr/bin/hookward")
    );
    assert_eq!(
        registration(&new, &moved).unwrap().state,
        Registered::Current
    );
}

#[test]
fn other_arguments_replace_the_entry() {
    let mut with_root = command();
    with_root
        .args
        .extend(["--state-root".to_owned(), "/srv/state".to_owned()]);
    let old = installed("{}");
    let state = registration(&old, &with_root).unwrap().state;
    assert_eq!(
        state,
        Registered::Stale {
            command: command(),
            differs: vec!["args"]
        }
    );
    let new = changed(install(Some(&old), &with_root).unwrap());
    assert_eq!(
        parsed(&new)["hooks"]["PreToolUse"]
            .as_array()
            .unwrap()
            .len(),
        1
    );
    assert_eq!(uninstalled(&new), "{}");
}

/// An entry that sees fewer calls, or blocks in fewer cases, is not the one that is wanted.
#[test]
fn a_weakened_entry_is_stale_and_is_put_right() {
    let entry = installed("{}");
    for (from, to, field) in [
        ("\"matcher\": \"*\"", "\"matcher\": \"Bash\"", "matcher"),
        ("\"timeout\": 60", "\"timeout\": 5", "timeout"),
        ("\"timeout\": 60", "\"timeout\": \"long\"", "timeout"),
        (
            "\"onFailure\": \"block\"",
            "\"onFailure\": \"continue\"",
            "onFailure",
        ),
        ("\"timeout\": 60", "\"if\": \"Bash(git *)\"", "if"),
        ("\"timeout\": 60", "\"async\": true", "async"),
        ("\"timeout\": 60", "\"asyncRewake\": true", "asyncRewake"),
    ] {
        let weak = entry.replace(from, to);
        assert_ne!(weak, entry);
        let state = registration(&weak, &command()).unwrap().state;
        assert_eq!(
            state,
            Registered::Stale {
                command: command(),
                differs: vec![field]
            }
        );
        let mended = changed(install(Some(&weak), &command()).unwrap());
        assert_eq!(
            parsed(&mended)["hooks"]["PreToolUse"],
            json!([our_group()]),
            "{mended}"
        );
    }
    for (from, to) in [
        ("\"matcher\": \"*\"", "\"matcher\": \"\""),
        ("\"matcher\": \"*\",", ""),
        ("\"timeout\": 60", "\"timeout\": 120"),
        ("\"timeout\": 60", "\"async\": false"),
        ("\"timeout\": 60,", "\"statusMessage\": \"asking\","),
    ] {
        let state = registration(&entry.replace(from, to), &command())
            .unwrap()
            .state;
        assert_eq!(state, Registered::Current, "{to}");
    }
}

#[test]
fn entries_of_others_are_left_alone() {
    for ours in [
        r#"{"type":"command","command":"/x/hookward hook claude-code"}"#,
        r#"{"type":"command","command":"/x/hookward","args":["hook"]}"#,
        r#"{"type":"command","command":"/x/hookward","args":["hook","codex"]}"#,
        r#"{"type":"command","command":"/x/hookward","args":["hook","claude-code",1]}"#,
        r#"{"type":"http","command":"/x/hookward","args":["hook","claude-code"]}"#,
        r#"{"type":"command","command":["/x"],"args":["hook","claude-code"]}"#,
        r#""hook""#,
    ] {
        let text =
            format!(r#"{{"hooks":{{"PreToolUse":[7,null,{{"hooks":1}},{{"hooks":[{ours}]}}]}}}}"#);
        assert_eq!(
            registration(&text, &command()).unwrap().state,
            Registered::Absent,
            "{ours}"
        );
        assert_eq!(uninstall(&text).unwrap(), Edit::Unchanged);
        assert_eq!(uninstalled(&installed(&text)), text);
    }
}

#[test]
fn a_handler_in_a_shared_group_goes_alone() {
    let ours = serde_json::to_string(&our_group()["hooks"][0]).unwrap();
    let other = r#"{"type":"command","command":"/other"}"#;
    for handlers in [
        format!("{ours}, {other}"),
        format!("{other}, {ours}"),
        format!("{other},{ours},{other}"),
    ] {
        let text =
            format!(r#"{{"hooks":{{"PreToolUse":[{{"matcher":"*","hooks":[{handlers}]}}]}}}}"#);
        let mut expected = parsed(&text);
        let list = expected["hooks"]["PreToolUse"][0]["hooks"]
            .as_array_mut()
            .unwrap();
        list.retain(|handler| handler["command"] == "/other");
        assert_eq!(parsed(&uninstalled(&text)), expected);
    }
}

/// The agent rewrites its settings with its own printer; the entry still goes, and only it.
#[test]
fn a_rearranged_entry_is_taken_out_all_the_same() {
    for text in SETTINGS {
        let mut settings = parsed(&installed(text));
        let printed = serde_json::to_string_pretty(&settings).unwrap();
        let left = parsed(&uninstalled(&printed));
        let groups = settings["hooks"]["PreToolUse"].as_array_mut().unwrap();
        groups.retain(|group| *group != our_group());
        for emptied in ["/hooks/PreToolUse", "/hooks"] {
            let value = settings.pointer(emptied).unwrap();
            if !(*value == json!([]) || *value == json!({})) {
                break;
            }
            let (parent, name) = emptied.rsplit_once('/').unwrap();
            settings
                .pointer_mut(parent)
                .unwrap()
                .as_object_mut()
                .unwrap()
                .remove(name);
        }
        assert_eq!(left, settings, "{printed}");
    }
}

#[test]
fn every_copy_goes_up_to_a_bound() {
    let ours = serde_json::to_string(&our_group()).unwrap();
    let copies = |count: usize| {
        format!(
            "{{\"hooks\":{{\"PreToolUse\":[{}]}}}}",
            vec![ours.as_str(); count].join(",")
        )
    };
    assert_eq!(uninstalled(&copies(3)), "{}");
    assert_eq!(
        uninstall(&copies(80)).unwrap_err(),
        InstallError::TooManyEntries(64)
    );
}

#[test]
fn wrong_types_are_located_and_nothing_changes() {
    let wrong = |line, column, pointer: &str, expected| InstallError::WrongType {
        line,
        column,
        pointer: pointer.to_owned(),
        expected,
    };
    for (text, expected) in [
        ("[]", wrong(1, 1, "", "an object")),
        ("\n  7", wrong(2, 3, "", "an object")),
        ("// mine\n", wrong(2, 1, "", "an object")),
        (
            "{\"é\": 1, \"hooks\": []}",
            wrong(1, 19, "/hooks", "an object"),
        ),
        ("{\n \"hooks\": null}", wrong(2, 11, "/hooks", "an object")),
        (
            "{\"hooks\":{\"PreToolUse\":{}}}",
            wrong(1, 24, "/hooks/PreToolUse", "an array"),
        ),
    ] {
        assert_eq!(
            install(Some(text), &command()).unwrap_err(),
            expected,
            "{text}"
        );
        assert_eq!(uninstall(text).unwrap_err(), expected);
        assert_eq!(registration(text, &command()).unwrap_err(), expected);
    }
    let error = wrong(2, 11, "/hooks", "an object").to_string();
    assert_eq!(
        error,
        "line 2, column 11: `/hooks` must be an object; correct it and run the command again"
    );
}

#[test]
fn text_that_is_not_json_is_refused() {
    for text in [
        "{",
        "{\"a\" 1}",
        "{'a': 1}",
        "{a: 1}",
        "{\"a\": 0x1}",
        "{\"a\": .5}",
        "{\"a\": NaN}",
        "{\"a\": 1 \"b\": 2}",
        "{} {}",
        "\u{feff}\u{feff}{}",
        "{\"a\":\"\n",
    ] {
        let error = install(Some(text), &command()).unwrap_err();
        assert!(
            matches!(error, InstallError::Syntax(_)),
            "{text:?}: {error}"
        );
    }
    let deep = "[".repeat(100_000);
    assert!(matches!(
        uninstall(&deep).unwrap_err(),
        InstallError::Syntax(_)
    ));
    let large = format!("\"{}\"", "x".repeat(MAX_SETTINGS_BYTES - 1));
    assert_eq!(
        uninstall(&large).unwrap_err(),
        InstallError::TooLarge(MAX_SETTINGS_BYTES + 1)
    );
}

/// Case B195, for the agent's settings: a key given twice is an error with its place.
#[test]
fn b195_duplicate_keys_are_located() {
    for (text, column, pointer) in [
        ("{\"hooks\":{},\"hooks\":{}}", 13, "/hooks"),
        (
            "{\"hooks\":{\"PreToolUse\":[],\"PreToolUse\":[]}}",
            27,
            "/hooks/PreToolUse",
        ),
        ("{\"hooks\":{},\"hook\\u0073\":{}}", 13, "/hooks"),
    ] {
        let error = install(Some(text), &command()).unwrap_err();
        let pointer = pointer.to_owned();
        assert_eq!(
            error,
            InstallError::DuplicateKey {
                line: 1,
                column,
                pointer
            }
        );
    }
}

#[test]
fn what_keeps_hooks_from_running_is_noticed() {
    let obstacles = |text: &str| registration(text, &command()).unwrap().obstacles;
    for (text, expected) in [
        ("", None),
        (
            "{\"disableAllHooks\":false,\"allowManagedHooksOnly\":false}",
            None,
        ),
        (
            "{\"disableAllHooks\":true}",
            Some(Obstacle::AllHooksDisabled),
        ),
        (
            "{\"allowManagedHooksOnly\":true}",
            Some(Obstacle::ManagedHooksOnly),
        ),
        (
            "{\"allowManagedHooksOnly\":\"no\"}",
            Some(Obstacle::ManagedHooksOnly),
        ),
        (
            "{\"strictPluginOnlyCustomization\":true}",
            Some(Obstacle::PluginHooksOnly),
        ),
        (
            "{\"strictPluginOnlyCustomization\":[\"a\",\"hooks\"]}",
            Some(Obstacle::PluginHooksOnly),
        ),
        ("{\"strictPluginOnlyCustomization\":[\"agents\"]}", None),
    ] {
        assert_eq!(
            obstacles(text),
            expected.into_iter().collect::<Vec<_>>(),
            "{text}"
        );
    }
    for text in COMMENTED {
        let found = obstacles(text);
        assert!(
            matches!(found[..], [Obstacle::NotStrictJson(_)]),
            "{text}: {found:?}"
        );
    }
    let both = obstacles("{\"disableAllHooks\":true,}");
    assert_eq!(both.len(), 2, "{both:?}");
}

/// Found by fuzzing: blanks behind a line comment belong to the comment.
#[test]
fn blanks_behind_a_line_comment_come_back() {
    for text in [
        "{ \"a\": 1 // note \t\n}",
        "{ \"a\": 1, // note  \r\n}",
        "{ // note \n \"a\": 1 /* x */ // y \n // z \n}\n",
        "{ \"hooks\": { \"PreToolUse\": [ {} // note \n ] } }",
    ] {
        assert_eq!(uninstalled(&installed(text)), text);
    }
}
