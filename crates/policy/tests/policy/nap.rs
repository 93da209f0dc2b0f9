//! The nap of self-protection: its bounds, to the second.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::time::Duration;

use hookward_policy::{MAX_NAP, MIN_NAP, NapError, begin_nap, end_nap, nap};
use jiff::{Timestamp, ToSpan};

use crate::scene::Scene;

fn now() -> Timestamp {
    "2026-03-02T12:00:00Z".parse().unwrap()
}

#[test]
fn a_nap_lasts_until_its_end_and_no_longer() {
    let scene = Scene::new();
    assert_eq!(nap(&scene.state, now()), None);
    let until = begin_nap(&scene.state, now(), MIN_NAP).unwrap();
    assert_eq!(until, now() + 60.seconds());
    assert_eq!(nap(&scene.state, now()), Some(until));
    assert_eq!(nap(&scene.state, until - 1.nanosecond()), Some(until));
    assert_eq!(nap(&scene.state, until), None);
    assert!(end_nap(&scene.state).unwrap());
    assert!(!end_nap(&scene.state).unwrap());
    assert_eq!(nap(&scene.state, now()), None);
}

#[test]
fn its_length_is_bounded() {
    let scene = Scene::new();
    let second = Duration::from_secs(1);
    for length in [Duration::ZERO, Duration::from_secs(59), MAX_NAP + second] {
        let error = begin_nap(&scene.state, now(), length).unwrap_err();
        assert!(matches!(error, NapError::Length), "{error}");
    }
    let until = begin_nap(&scene.state, now(), MAX_NAP).unwrap();
    assert_eq!(nap(&scene.state, now()), Some(until));
    // A clock that was set back makes no nap longer.
    assert_eq!(nap(&scene.state, now() - 1.second()), None);
}

/// What others could have put there is no nap.
#[test]
fn a_file_of_others_and_a_link_are_no_nap() {
    let scene = Scene::new();
    begin_nap(&scene.state, now(), MIN_NAP).unwrap();
    let file = scene.state.nap_file();
    let mode = fs::metadata(&file).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    fs::set_permissions(&file, fs::Permissions::from_mode(0o666)).unwrap();
    assert_eq!(nap(&scene.state, now()), None);
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
    assert!(nap(&scene.state, now()).is_some());
    let other = scene.state.path().join("other.json");
    fs::rename(&file, &other).unwrap();
    symlink(&other, &file).unwrap();
    assert_eq!(nap(&scene.state, now()), None);
}
