//! Files that are not what they should be: a bounded error, never a wait.

use std::fs::{self, File, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::net::UnixListener;

use camino::Utf8Path;
use hookward_contract::SourceKind;
use hookward_policy::{Code, SourceState};
use rustix::fs::{CWD, FileType, Mode, mknodat};

use crate::scene::{Scene, codes, file, give_away, handler, source_state, write};

fn fifo(path: &Utf8Path) {
    mknodat(
        CWD,
        path.as_std_path(),
        FileType::Fifo,
        Mode::from_raw_mode(0o644),
        0,
    )
    .unwrap();
}

/// Code of the one problem of a source whose place was prepared.
fn broken(scene: &Scene, source: SourceKind) -> Code {
    let snapshot = scene.load();
    assert_eq!(source_state(&snapshot, source), SourceState::Broken);
    let report = snapshot
        .sources()
        .iter()
        .find(|report| report.source == source);
    let found = &report.unwrap().diagnostics;
    assert_eq!(
        (found.len(), found[0].line, found[0].column),
        (1, 1, 1),
        "{found:?}"
    );
    found[0].code
}

/// Puts something at a path.
type Make = fn(&Utf8Path);

#[test]
fn special_files_are_refused_at_once() {
    let kinds: [(Make, Code); 6] = [
        (fifo, Code::NotRegular),
        (|path| fs::create_dir(path).unwrap(), Code::NotRegular),
        (|path| symlink("/dev/zero", path).unwrap(), Code::Symlink),
        (|path| symlink("nowhere", path).unwrap(), Code::Symlink),
        (
            |path| drop(UnixListener::bind(path).unwrap()),
            Code::NotRegular,
        ),
        (
            |path| {
                write(path, "");
                File::options()
                    .write(true)
                    .open(path)
                    .unwrap()
                    .set_len(2 << 30)
                    .unwrap();
            },
            Code::TooLarge,
        ),
    ];
    for (make, code) in kinds {
        let scene = Scene::new();
        make(&scene.project.hooks_file());
        make(&scene.state.hooks_file());
        assert_eq!(broken(&scene, SourceKind::User), code);
        assert_eq!(broken(&scene, SourceKind::Project), code);
    }
}

#[test]
fn size_at_below_and_above_the_limit() {
    let text = file(1, &[handler("a")]);
    for (size, state) in [
        (1_048_575, SourceState::Loaded),
        (1_048_576, SourceState::Loaded),
        (1_048_577, SourceState::Broken),
    ] {
        let scene = Scene::new();
        scene.write_project(format!("{text}{}", " ".repeat(size - text.len())));
        assert_eq!(
            source_state(&scene.load(), SourceKind::Project),
            state,
            "{size}"
        );
    }
}

#[test]
fn links_that_leave_the_project_are_refused_and_inner_ones_are_not() {
    let scene = Scene::new();
    write(
        &scene.path("elsewhere/hooks.json"),
        file(1, &[handler("a")]),
    );
    let dir = scene.project.root.join(".maka");
    for target in ["../elsewhere", scene.path("elsewhere").as_str()] {
        fs::remove_dir(&dir)
            .or_else(|_| fs::remove_file(&dir))
            .unwrap();
        symlink(target, &dir).unwrap();
        assert_eq!(
            broken(&scene, SourceKind::Project),
            Code::Symlink,
            "{target}"
        );
    }
    fs::remove_file(&dir).unwrap();
    write(
        &scene.project.root.join("policy/hooks.json"),
        file(1, &[handler("a")]),
    );
    symlink("policy", &dir).unwrap();
    assert_eq!(
        source_state(&scene.load(), SourceKind::Project),
        SourceState::Loaded
    );
}

#[test]
fn files_that_others_can_change_are_refused_for_the_user_only() {
    for mode in [0o664, 0o646, 0o666] {
        let scene = Scene::new();
        scene.write_user(file(1, &[handler("a")]));
        scene.write_project(file(1, &[handler("a")]));
        for path in [scene.state.hooks_file(), scene.project.hooks_file()] {
            fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
        }
        assert_eq!(broken(&scene, SourceKind::User), Code::UnsafeOwner);
        assert_eq!(
            source_state(&scene.load(), SourceKind::Project),
            SourceState::Loaded
        );
    }
}

#[test]
fn files_of_another_user_are_refused_for_the_user_only() {
    let scene = Scene::new();
    scene.write_user(file(1, &[handler("a")]));
    scene.write_project(file(1, &[handler("a")]));
    scene.trust_all();
    let files = [
        scene.state.hooks_file(),
        scene.state.trust_file(),
        scene.project.hooks_file(),
    ];
    if files.iter().all(|path| give_away(path)) {
        assert_eq!(broken(&scene, SourceKind::User), Code::UnsafeOwner);
        let snapshot = scene.load();
        assert_eq!(
            source_state(&snapshot, SourceKind::Project),
            SourceState::Loaded
        );
        let store = snapshot.trust_report();
        assert_eq!(store.state, SourceState::Broken);
        assert_eq!(codes(&store.diagnostics), [Code::UnsafeOwner]);
    }
}

#[test]
fn a_file_where_a_directory_should_be_is_not_absence() {
    let scene = Scene::new();
    let dir = scene.project.root.join(".maka");
    fs::remove_dir(&dir).unwrap();
    write(&dir, "");
    assert_eq!(broken(&scene, SourceKind::Project), Code::Unreadable);
    fs::remove_file(&dir).unwrap();
    assert_eq!(
        source_state(&scene.load(), SourceKind::Project),
        SourceState::Absent
    );
}

/// Case B48: one mark is tolerated, a second one is an error that names it.
#[test]
fn b48_a_second_byte_order_mark_is_an_error() {
    let text = file(1, &[handler("a")]);
    assert_eq!(Scene::diagnose(format!("\u{feff}{text}")), []);
    let found = Scene::diagnose(format!("\u{feff}\u{feff}{text}"));
    assert_eq!(codes(&found), [Code::ExtraBom]);
    assert!(
        found[0].message.contains("EF BB BF"),
        "{}",
        found[0].message
    );
}

#[test]
fn bytes_that_are_not_utf8_are_located() {
    let mut bytes = b"{\"version\": 1,\n \"x\": \"".to_vec();
    bytes.extend([0xff, b'"', b'}']);
    let found = Scene::diagnose(bytes);
    assert_eq!(codes(&found), [Code::NotUtf8]);
    assert_eq!((found[0].line, found[0].column), (2, 8));
    assert_eq!(
        codes(&Scene::diagnose([0xff, 0xfe, b'{', 0])),
        [Code::NotUtf8]
    );
}

#[test]
fn line_ends_of_another_system_are_fine() {
    let text = serde_json::to_string_pretty(
        &serde_json::from_str::<serde_json::Value>(&file(1, &[handler("a")])).unwrap(),
    );
    assert_eq!(Scene::diagnose(text.unwrap().replace('\n', "\r\n")), []);
}
