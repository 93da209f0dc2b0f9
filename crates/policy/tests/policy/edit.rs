//! Switching hooks on and off in their files.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use hookward_contract::{HookId, SourceKind};
use hookward_policy::{EditError, EnableChange, Trust, limits, set_enabled};

use crate::scene::{Scene, file, handler, with, write};

fn set(scene: &Scene, id: &str, enabled: bool) -> Result<EnableChange, EditError> {
    let id = HookId::try_from(id).unwrap();
    set_enabled(SourceKind::User, &scene.state, &scene.project, &id, enabled)
}

const TEXT: &str = "\u{feff}{ \"version\" : 1,\r\n\t\"hooks\": {\"PreToolUse\": [\r\n\
    \t\t{ \"hooks\": [ {\"id\":\"a\", \"type\":\"command\",   \"command\":\"/a\"},\r\n\
    \t\t  { \"enabled\": true, \"id\": \"b\", \"type\": \"command\", \"command\": \"/b\" } ] } ] } }\r\n";

#[test]
fn only_the_one_value_changes() {
    let scene = Scene::new();
    scene.write_user(TEXT);
    assert_eq!(set(&scene, "b", false).unwrap(), EnableChange::Changed);
    let text = fs::read_to_string(scene.state.hooks_file()).unwrap();
    assert_eq!(
        text,
        TEXT.replace("\"enabled\": true", "\"enabled\": false")
    );
    assert_eq!(set(&scene, "b", false).unwrap(), EnableChange::AlreadySo);
    assert_eq!(set(&scene, "b", true).unwrap(), EnableChange::Changed);
    assert_eq!(fs::read_to_string(scene.state.hooks_file()).unwrap(), TEXT);
}

#[test]
fn a_missing_field_is_added_to_its_hook_alone() {
    let scene = Scene::new();
    scene.write_user(TEXT);
    scene.trust_all();
    set(&scene, "a", false).unwrap();
    let text = fs::read_to_string(scene.state.hooks_file()).unwrap();
    let added = "\"command\":\"/a\",   \"enabled\": false";
    assert_eq!(text, TEXT.replace("\"command\":\"/a\"", added));
    assert_eq!(
        scene.states(),
        [
            ("a".to_owned(), Trust::Disabled),
            ("b".to_owned(), Trust::Trusted)
        ]
    );
    // Being disabled for a while costs no trust.
    set(&scene, "a", true).unwrap();
    assert_eq!(scene.states()[0].1, Trust::Trusted);
}

#[test]
fn an_added_field_is_laid_out_like_its_neighbours() {
    let scene = Scene::new();
    let text = serde_json::from_str::<serde_json::Value>(&file(1, &[handler("a")])).unwrap();
    let text = serde_json::to_string_pretty(&text).unwrap();
    scene.write_user(&text);
    set(&scene, "a", false).unwrap();
    let edited = fs::read_to_string(scene.state.hooks_file()).unwrap();
    let kind = "\"type\": \"command\"";
    let indent = " ".repeat(12);
    assert_eq!(
        edited,
        text.replace(kind, &format!("{kind},\n{indent}\"enabled\": false"))
    );
}

#[test]
fn permissions_stay_and_nothing_is_left_behind() {
    let scene = Scene::new();
    scene.write_user(file(1, &[handler("a")]));
    let path = scene.state.hooks_file();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
    set(&scene, "a", false).unwrap();
    assert_eq!(
        fs::metadata(&path).unwrap().permissions().mode() & 0o777,
        0o640
    );
    let entries = fs::read_dir(scene.state.path()).unwrap();
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["hooks.json", "policy.lock"]);
}

/// Case B91: ids are data, in editing too.
#[test]
fn b91_editing_by_odd_names() {
    let scene = Scene::new();
    scene.write_user(file(1, &[handler("constructor"), handler("a")]));
    set(&scene, "constructor", false).unwrap();
    assert_eq!(scene.states()[0].1, Trust::Disabled);
    assert_ne!(scene.states()[1].1, Trust::Disabled);
    assert!(matches!(
        set(&scene, "toString", false),
        Err(EditError::NoSuchHook { .. })
    ));
    // A value that looks like a hook is none.
    let decoy = with(handler("b"), "args", vec!["\"id\":\"c\""]);
    scene.write_user(file(1, &[decoy]));
    assert!(matches!(
        set(&scene, "c", false),
        Err(EditError::NoSuchHook { .. })
    ));
}

#[test]
fn broken_absent_and_linked_files_are_left_alone() {
    let scene = Scene::new();
    assert!(matches!(
        set(&scene, "a", false),
        Err(EditError::NoSuchHook { .. })
    ));
    scene.write_user("{\"version\": 1, // words\n \"hooks\": {}}");
    let error = set(&scene, "a", false).unwrap_err();
    assert!(error.to_string().contains("comments"), "{error}");
    let target = scene.path("target.json");
    write(&target, file(1, &[handler("a")]));
    fs::remove_file(scene.state.hooks_file()).unwrap();
    symlink(&target, scene.state.hooks_file()).unwrap();
    assert!(matches!(
        set(&scene, "a", false),
        Err(EditError::Broken { .. })
    ));
    assert_eq!(
        fs::read_to_string(&target).unwrap(),
        file(1, &[handler("a")])
    );
}

#[test]
fn project_files_are_edited_in_the_project_only() {
    let scene = Scene::new();
    scene.write_project(file(1, &[handler("a")]));
    let id = HookId::try_from("a").unwrap();
    let disable = || {
        set_enabled(
            SourceKind::Project,
            &scene.state,
            &scene.project,
            &id,
            false,
        )
    };
    assert_eq!(disable().unwrap(), EnableChange::Changed);
    let dir = scene.project.root.join(".maka");
    fs::remove_dir_all(&dir).unwrap();
    write(&scene.path("other/hooks.json"), file(1, &[handler("a")]));
    symlink("../other", &dir).unwrap();
    assert!(matches!(disable(), Err(EditError::Broken { .. })));
}

/// A file at its size limit would be broken by one more field.
#[test]
fn a_file_is_not_made_too_large() {
    let scene = Scene::new();
    let text = TEXT.to_owned();
    let padding = usize::try_from(limits::MAX_FILE_BYTES).unwrap() - text.len();
    scene.write_user(&(text + &" ".repeat(padding)));
    let error = set(&scene, "a", false).unwrap_err().to_string();
    assert!(error.contains("larger than 1 MiB"), "{error}");
    // One byte longer, but of a field that is there; and shorter again.
    assert!(set(&scene, "b", false).is_err());
    scene.write_user(&(TEXT.to_owned() + &" ".repeat(padding - 1)));
    assert_eq!(set(&scene, "b", false).unwrap(), EnableChange::Changed);
    assert_eq!(scene.states().len(), 2);
}
