//! Levels and their names.

use hookward_process::{Containment, StartError, probe, strongest};

use crate::support::levels;

#[test]
fn the_strongest_level_is_the_first_that_works() {
    assert_eq!(Some(&strongest()), levels().first());
}

/// A level is missing because the system refuses it, not because this crate made a mistake.
#[test]
fn a_level_that_does_not_work_was_refused_by_the_system() {
    let refusals = [
        libc::EPERM,
        libc::EACCES,
        libc::EROFS,
        libc::ENOSPC,
        libc::ENOENT,
        libc::ENOSYS,
    ];
    let probes = probe();
    assert_eq!(probes.len(), Containment::LADDER.len());
    for probe in probes {
        match probe.result {
            Ok(()) => {}
            Err(StartError::Other { errno, .. }) if refusals.contains(&errno) => {}
            Err(error) => panic!("{}: {error}", probe.level),
        }
    }
}
