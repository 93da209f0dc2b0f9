//! Settings of Claude Code: an installation can be taken back byte for byte, doing either twice is
//! doing it once, and nothing that was there means anything else afterwards.

#![no_main]

use std::sync::LazyLock;

use hookward_agents::claude_code::{
    Edit, HookCommand, Registered, install, registration, uninstall,
};
use libfuzzer_sys::fuzz_target;
use serde_json::Value;

static OURS: LazyLock<HookCommand> = LazyLock::new(|| HookCommand {
    program: "/opt/hook ward/bin/hookward".to_owned(),
    args: vec!["hook".to_owned(), "claude-code".to_owned()],
});

fuzz_target!(|bytes: &[u8]| {
    let Ok(before) = std::str::from_utf8(bytes) else {
        return;
    };
    let Ok(found) = registration(before, &OURS) else {
        // What cannot be read for sure is never changed.
        assert!(install(Some(before), &OURS).is_err() && uninstall(before).is_err());
        return;
    };
    let Ok(edit) = uninstall(before) else {
        return; // more entries of ours than are taken out
    };
    let without = text(before, &edit);
    assert_eq!(
        registration(&without, &OURS).expect("it still reads").state,
        Registered::Absent
    );
    assert_eq!(
        uninstall(&without),
        Ok(Edit::Unchanged),
        "taking out twice is taking out once"
    );
    if found.state == Registered::Absent {
        assert_eq!(
            edit,
            Edit::Unchanged,
            "nothing of ours, nothing to take out"
        );
    }

    let edit = install(Some(before), &OURS).expect("settings that read can be added to");
    assert_eq!(edit == Edit::Unchanged, found.state == Registered::Current);
    let with = text(before, &edit);
    assert_eq!(
        registration(&with, &OURS).expect("it still reads").state,
        Registered::Current
    );
    assert_eq!(
        install(Some(&with), &OURS),
        Ok(Edit::Unchanged),
        "adding twice is adding once"
    );

    if found.state == Registered::Absent {
        let restored = text(
            &with,
            &uninstall(&with).expect("what was added can be taken out"),
        );
        let mark = if before.starts_with('\u{feff}') {
            "\u{feff}"
        } else {
            ""
        };
        if before[mark.len()..].trim().is_empty() {
            assert_eq!(restored, format!("{mark}{{}}\n"));
        } else {
            assert_eq!(restored, before);
        }
        check_meaning(before, &with);
    }
});

fn text(before: &str, edit: &Edit) -> String {
    match edit {
        Edit::Unchanged => before.to_owned(),
        Edit::Changed { new_text, diff } => {
            assert!(new_text != before && !diff.is_empty());
            new_text.clone()
        }
    }
}

/// Strict JSON stays strict JSON, and all that changes is one group at the end of `PreToolUse`.
fn check_meaning(before: &str, with: &str) {
    let json = |text: &str| serde_json::from_str::<Value>(text.trim_start_matches('\u{feff}')).ok();
    let Some(mut old) = json(before) else { return };
    let new = json(with).expect("strict JSON stays strict JSON");
    let object = |value: &mut Value, key: &str| {
        let object = value.as_object_mut().expect("an object");
        object
            .entry(key)
            .or_insert_with(|| Value::Object(serde_json::Map::new()));
    };
    object(&mut old, "hooks");
    let groups = old["hooks"]
        .as_object_mut()
        .expect("an object")
        .entry("PreToolUse");
    let groups = groups.or_insert_with(|| Value::Array(Vec::new()));
    let added = new["hooks"]["PreToolUse"]
        .as_array()
        .and_then(|list| list.last())
        .expect("a group");
    let handler = &added["hooks"][0];
    assert_eq!(handler["command"], OURS.program.as_str());
    assert_eq!(handler["args"], Value::from(OURS.args.clone()));
    groups.as_array_mut().expect("a list").push(added.clone());
    assert_eq!(old, new, "nothing else means anything else");
}
