//! The trust store's file: strict, bounded, durable, one writer at a time.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::process::{Command, Stdio};
use std::slice;
use std::thread;

use camino::Utf8Path;
use hookward_contract::DefinitionHash;
use hookward_policy::{
    Code, MAX_PINNED_BYTES, MAX_TRUST_RECORDS, ProjectIdentity, SourceState, StateRoot, TrustError,
    TrustStore,
};
use serde_json::{Value, json};

use crate::scene::{Scene, WHEN, file, handler, write};

fn identity(name: &str) -> ProjectIdentity {
    ProjectIdentity::folder(Utf8Path::new(name))
}

fn record(number: usize) -> Value {
    record_of(&format!(
        r#"[1,"user","user","PreToolUse","*","command","/h",["{number}"],3000]"#
    ))
}

fn record_of(definition: &str) -> Value {
    json!({
        "definitionHash": DefinitionHash::of_definition(definition), "source": "user",
        "projectIdentity": "user", "trustedAt": WHEN, "pins": [], "hookId": "a",
        "definition": definition,
    })
}

fn store(records: &[Value]) -> Value {
    json!({"version": 1, "records": records, "workspaces": []})
}

/// Loads a store with this text; the code of what is wrong with it.
fn load(text: &str) -> Result<usize, Code> {
    let scene = Scene::new();
    write(&scene.state.trust_file(), text);
    let store = TrustStore::load(&scene.state);
    match store.state() {
        SourceState::Broken => {
            assert!(store.records().is_empty() && store.workspaces().is_empty());
            Err(store.diagnostics()[0].code)
        }
        _ => Ok(store.records().len()),
    }
}

#[test]
fn decoding_is_strict() {
    let good = record(1);
    assert_eq!(load(&store(slice::from_ref(&good)).to_string()), Ok(1));
    let with = |field: &str, value: Value| {
        let mut record = good.clone();
        record[field] = value;
        load(&store(&[record]).to_string())
    };
    let sized = |path: &str, size: u64, sha256: &str| json!([{"path": path, "size": size, "sha256": sha256}]);
    let pin = |path: &str, sha256: &str| sized(path, 1, sha256);
    let hex = "0".repeat(64);
    assert_eq!(with("pins", pin("/x", &hex)), Ok(1));
    assert_eq!(with("pins", pin("a/b", &hex)), Ok(1));
    assert_eq!(with("pins", sized("/x", MAX_PINNED_BYTES, &hex)), Ok(1));
    let other = DefinitionHash::of_definition("[]");
    for (field, value, code) in [
        ("definitionHash", json!(other), Code::TrustRecord),
        ("definitionHash", json!("sha256:0"), Code::TrustSyntax),
        ("definition", json!("[]"), Code::TrustRecord),
        ("source", json!("project"), Code::TrustRecord),
        ("projectIdentity", json!("folder:/x"), Code::TrustRecord),
        ("trustedAt", json!("yesterday"), Code::TrustRecord),
        ("hookId", json!("a/b"), Code::TrustSyntax),
        ("extra", json!(1), Code::TrustSyntax),
        ("pins", json!({}), Code::TrustSyntax),
        (
            "pins",
            json!([{"path": "/x", "sha256": hex}]),
            Code::TrustSyntax,
        ),
        (
            "pins",
            sized("/x", MAX_PINNED_BYTES + 1, &hex),
            Code::TrustRecord,
        ),
        ("pins", pin("../x", &hex), Code::TrustRecord),
        ("pins", pin("", &hex), Code::TrustRecord),
        ("pins", pin("/x", "00"), Code::TrustRecord),
        ("pins", pin("/x", &"F".repeat(64)), Code::TrustRecord),
    ] {
        assert_eq!(with(field, value.clone()), Err(code), "{field}: {value}");
    }
    let twice = store(&[good.clone(), good.clone()]).to_string();
    assert_eq!(load(&twice), Err(Code::TrustDuplicate));
    let text = store(&[good]).to_string();
    for (from, to) in [
        ("\"version\":1", "\"version\":2"),
        ("\"version\":1,", ""),
        ("\"workspaces\":[]", "\"workspaces\":[],\"workspaces\":[]"),
        ("\"pins\":[]", "\"pins\":[],\"pins\":[]"),
        ("\"version\"", "\"more\":1,\"version\""),
        ("}]", "},]"),
    ] {
        assert_eq!(
            load(&text.replace(from, to)),
            Err(Code::TrustSyntax),
            "{to}"
        );
    }
    assert_eq!(load(&format!("{text} x")), Err(Code::TrustSyntax));
    assert_eq!(load(""), Err(Code::TrustSyntax));
    let workspace = json!({"projectIdentity": "folder:/x", "trustedAt": WHEN});
    let two = json!({"version": 1, "records": [], "workspaces": [workspace, workspace]});
    assert_eq!(load(&two.to_string()), Err(Code::TrustDuplicate));
}

#[test]
fn records_at_below_and_above_the_limit() {
    let records: Vec<_> = (0..=MAX_TRUST_RECORDS).map(record).collect();
    for (count, expected) in [
        (MAX_TRUST_RECORDS - 1, Ok(MAX_TRUST_RECORDS - 1)),
        (MAX_TRUST_RECORDS, Ok(MAX_TRUST_RECORDS)),
        (MAX_TRUST_RECORDS + 1, Err(Code::TrustFull)),
    ] {
        assert_eq!(
            load(&store(&records[..count]).to_string()),
            expected,
            "{count}"
        );
    }
    let scene = Scene::new();
    write(
        &scene.state.trust_file(),
        store(&records[..MAX_TRUST_RECORDS]).to_string(),
    );
    scene.write_user(file(1, &[handler("one-more")]));
    let snapshot = scene.load();
    let error = scene.trust(&snapshot, &[&snapshot.hooks()[0]]).unwrap_err();
    assert!(matches!(error, TrustError::Full(_)), "{error}");
    assert_eq!(
        TrustStore::load(&scene.state).records().len(),
        MAX_TRUST_RECORDS
    );
}

#[test]
fn unsafe_and_special_stores_are_broken_and_left_alone() {
    let too_large = " ".repeat((4 << 20) + 1);
    assert_eq!(load(&too_large), Err(Code::TooLarge));
    let scene = Scene::new();
    let path = scene.state.trust_file();
    write(&path, store(&[]).to_string());
    fs::set_permissions(&path, fs::Permissions::from_mode(0o666)).unwrap();
    let mut broken = TrustStore::load(&scene.state);
    assert_eq!(broken.diagnostics()[0].code, Code::UnsafeOwner);
    let error = broken.trust_workspace(&identity("/p"), WHEN).unwrap_err();
    assert!(matches!(error, TrustError::Broken { .. }), "{error}");
    fs::remove_file(&path).unwrap();
    symlink("/dev/null", &path).unwrap();
    assert_eq!(
        TrustStore::load(&scene.state).diagnostics()[0].code,
        Code::Symlink
    );
}

#[test]
fn a_broken_store_is_moved_aside_on_request_only() {
    let scene = Scene::new();
    let mut trust = TrustStore::load(&scene.state);
    assert_eq!(trust.set_aside().unwrap(), None);
    for (number, junk) in ["{", "also broken"].iter().enumerate() {
        write(&scene.state.trust_file(), junk);
        let mut trust = TrustStore::load(&scene.state);
        assert!(trust.trust_workspace(&identity("/p"), WHEN).is_err());
        let aside = trust.set_aside().unwrap().unwrap();
        assert_eq!(
            aside.file_name(),
            Some(&*format!("trust.json.broken-{}", number + 1))
        );
        assert_eq!(fs::read_to_string(aside).unwrap(), *junk);
        assert_eq!(trust.state(), SourceState::Absent);
    }
    trust.trust_workspace(&identity("/p"), WHEN).unwrap();
    assert!(matches!(trust.set_aside(), Err(TrustError::NotBroken(_))));
}

#[test]
fn a_state_root_and_its_store_are_private() {
    let scene = Scene::new();
    let state = StateRoot::new(scene.path("new/state"));
    let mut trust = TrustStore::load(&state);
    assert_eq!(trust.state(), SourceState::Absent);
    trust.trust_workspace(&identity("/p"), WHEN).unwrap();
    let mode = |path: &Utf8Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(state.path()), 0o700);
    assert_eq!(mode(&state.trust_file()), 0o600);
}

#[test]
fn times_are_checked_and_written_in_one_way() {
    let scene = Scene::new();
    let mut trust = TrustStore::load(&scene.state);
    for bad in ["", "now", "2026-01-31", "2026-01-31 12:00", "1769860800"] {
        let error = trust.trust_workspace(&identity("/p"), bad).unwrap_err();
        assert!(matches!(error, TrustError::Time(_)), "{error}");
    }
    trust
        .trust_workspace(&identity("/p"), "2026-01-31T14:00:00+02:00")
        .unwrap();
    assert_eq!(trust.workspaces()[0].trusted_at, WHEN);
}

/// A writer that dies between writing and renaming leaves the old store in force, and nothing that
/// stops the next writer.
#[test]
fn a_temporary_file_left_behind_changes_nothing() {
    let scene = Scene::new();
    let mut trust = TrustStore::load(&scene.state);
    trust.trust_workspace(&identity("/p"), WHEN).unwrap();
    let leftover = scene.state.path().join(".trust.json.new");
    fs::write(&leftover, "{\"version\":1,\"rec").unwrap();
    assert_eq!(TrustStore::load(&scene.state).workspaces().len(), 1);
    trust.trust_workspace(&identity("/q"), WHEN).unwrap();
    assert_eq!(TrustStore::load(&scene.state).workspaces().len(), 2);
    assert!(!leftover.exists());
}

#[test]
fn a_store_is_replaced_as_a_whole() {
    let scene = Scene::new();
    let mut trust = TrustStore::load(&scene.state);
    trust.trust_workspace(&identity("/p"), WHEN).unwrap();
    let inode = || fs::metadata(scene.state.trust_file()).unwrap().ino();
    let held = fs::File::open(scene.state.trust_file()).unwrap();
    let before = fs::read_to_string(scene.state.trust_file()).unwrap();
    let first = inode();
    trust.trust_workspace(&identity("/q"), WHEN).unwrap();
    assert_ne!(inode(), first);
    assert_eq!(std::io::read_to_string(held).unwrap(), before);
}

#[test]
fn threads_that_race_lose_nothing() {
    let scene = Scene::new();
    thread::scope(|scope| {
        for worker in 0..4 {
            let state = &scene.state;
            scope.spawn(move || trust_many(state, &format!("thread-{worker}")));
        }
    });
    assert_eq!(TrustStore::load(&scene.state).workspaces().len(), 4 * EACH);
}

const EACH: usize = 8;

fn trust_many(state: &StateRoot, worker: &str) {
    for number in 0..EACH {
        let identity = identity(&format!("/{worker}/{number}"));
        // A store of its own, loaded before the lock is held: what it holds may be old.
        TrustStore::load(state)
            .trust_workspace(&identity, WHEN)
            .unwrap();
    }
}

const RACER: &str = "HOOKWARD_TEST_RACER_STATE";

#[test]
fn processes_that_race_lose_nothing() {
    let scene = Scene::new();
    let program = std::env::current_exe().unwrap();
    let start = |worker: usize| {
        Command::new(&program)
            .args(["--exact", "store::racer", "--test-threads=1"])
            .env(RACER, format!("{}|process-{worker}", scene.state.path()))
            .stdout(Stdio::null())
            .spawn()
            .unwrap()
    };
    for mut racer in [start(0), start(1)] {
        assert!(racer.wait().unwrap().success());
    }
    assert_eq!(TrustStore::load(&scene.state).workspaces().len(), 2 * EACH);
}

/// Not a test by itself: what [`processes_that_race_lose_nothing`] starts.
#[test]
fn racer() {
    if let Ok(role) = std::env::var(RACER) {
        let (state, worker) = role.split_once('|').unwrap();
        trust_many(&StateRoot::new(state), worker);
    }
}

/// Found by fuzzing: what a record quotes reaches screens and audit as it stands.
#[test]
fn problems_of_a_store_are_told_without_controls() {
    let mode =
        record_of(r#"[2,"user","user","PreToolUse","*","command","/h",[],3000,"bl\u007fck"]"#);
    let pin = json!({"path": "/a\u{1b}[2J", "size": 1, "sha256": "0".repeat(64)});
    let mut pinned_twice = record(1);
    pinned_twice["pins"] = json!([pin, pin]);
    for record in [mode, pinned_twice] {
        let scene = Scene::new();
        write(&scene.state.trust_file(), store(&[record]).to_string());
        let loaded = TrustStore::load(&scene.state);
        let problem = &loaded.diagnostics()[0];
        assert_eq!(problem.code, Code::TrustRecord);
        assert!(
            !problem.message.chars().any(char::is_control),
            "{problem:?}"
        );
    }
}

/// Found by fuzzing: a list of the fields is no object, whatever a derived reader takes it for.
#[test]
fn arrays_in_place_of_objects_are_refused() {
    let fields = |value: &Value| -> Value {
        let record = value.as_object().unwrap();
        let names = "definitionHash source projectIdentity trustedAt pins hookId definition";
        names.split(' ').map(|name| record[name].clone()).collect()
    };
    let pinned = |pin: Value| {
        let mut record = record(1);
        record["pins"] = json!([pin]);
        store(&[record])
    };
    let hex = "0".repeat(64);
    assert_eq!(
        load(&pinned(json!({"path": "/a", "size": 1, "sha256": hex})).to_string()),
        Ok(1)
    );
    for text in [
        json!([1, [], []]),
        store(&[fields(&record(1))]),
        pinned(json!(["/a", 1, hex])),
        json!({"version": 1, "records": [], "workspaces": [["folder:/a", WHEN]]}),
    ] {
        assert_eq!(load(&text.to_string()), Err(Code::TrustSyntax), "{text}");
    }
}
