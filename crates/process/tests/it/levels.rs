//! Levels and their names.

use hookward_process::{Containment, StartError, probe, strongest};

use crate::support::levels;

#[test]
fn the_strongest_level_is_the_first_that_works() {
    assert_eq!(Some(&strongest()), levels().first());
}

#[test]
fn a_level_that_does_not_work_says_which_step_failed() {
    let probes = probe();
    assert_eq!(probes.len(), Containment::LADDER.len());
    for probe in probes {
        if let Err(error) = probe.result {
            assert!(matches!(error, StartError::Other { .. }), "{error}");
        }
    }
}
