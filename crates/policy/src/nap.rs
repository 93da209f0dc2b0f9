//! The nap of Hookward's self-protection: until when it sleeps, in a file of the State Root.
//!
//! Nothing here looks at a clock. Anything odd about the file means that nothing sleeps.

use std::io;
use std::time::Duration;

use camino::Utf8PathBuf;
use hookward_contract::Object;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::file::{Ownership, Place};
use crate::lock::{Lock, LockError};
use crate::state_root::StateRoot;

/// Shortest nap.
pub const MIN_NAP: Duration = Duration::from_secs(60);
/// Longest nap.
pub const MAX_NAP: Duration = Duration::from_secs(8 * 60 * 60);

/// Largest file, in bytes.
const MAX_NAP_BYTES: u64 = 1_024;
const VERSION: u32 = 1;

/// A nap that was not written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NapError {
    /// Out of bounds.
    #[error("a nap takes from 1 minute to 8 hours")]
    Length,
    /// Another process holds the policy lock.
    #[error("another process is changing policy files; try again")]
    Locked,
    /// The State Root is no directory, or others could change its files.
    #[error("{0}")]
    StateRoot(String),
    /// The file or the lock cannot be written.
    #[error("cannot write `{path}`: {source}")]
    Io {
        /// The file.
        path: Utf8PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Stored {
    version: u32,
    until: Timestamp,
}

/// Until when self-protection sleeps; `None` if it is awake. A file that cannot be read, that is
/// broken, that is over, or that ends later than any nap could, is no nap.
pub fn nap(state_root: &StateRoot, now: Timestamp) -> Option<Timestamp> {
    let content = place(state_root)?
        .read(MAX_NAP_BYTES, Ownership::Private)
        .ok()??;
    let Object(stored): Object<Stored> = serde_json::from_slice(&content.bytes).ok()?;
    let latest = now.checked_add(MAX_NAP).ok()?;
    let holds = stored.version == VERSION && now < stored.until && stored.until <= latest;
    holds.then_some(stored.until)
}

/// Lets self-protection sleep for a while from `now`. Returns until when.
pub fn begin_nap(
    state_root: &StateRoot,
    now: Timestamp,
    length: Duration,
) -> Result<Timestamp, NapError> {
    if !(MIN_NAP..=MAX_NAP).contains(&length) {
        return Err(NapError::Length);
    }
    let until = now.checked_add(length).map_err(|_| NapError::Length)?;
    let stored = Stored {
        version: VERSION,
        until,
    };
    let _lock = lock(state_root)?;
    let mut bytes = serde_json::to_vec(&stored).map_err(|error| io(state_root, error.into()))?;
    bytes.push(b'\n');
    place(state_root)
        .ok_or_else(|| io::ErrorKind::NotFound.into())
        .and_then(|place| place.replace(&bytes, None))
        .map_err(|error| io(state_root, error))?;
    Ok(until)
}

/// Wakes self-protection. Whether there was a file of a nap, over or not.
pub fn end_nap(state_root: &StateRoot) -> Result<bool, NapError> {
    if place(state_root).is_none() {
        return Ok(false);
    }
    let _lock = lock(state_root)?;
    let place = place(state_root).ok_or_else(|| io(state_root, io::ErrorKind::NotFound.into()))?;
    place.remove().map_err(|error| io(state_root, error))
}

/// The place of the file, in a State Root that nobody else can change.
fn place(state_root: &StateRoot) -> Option<Place> {
    let (dir, file) = (state_root.path(), state_root.nap_file());
    Place::in_private(dir, StateRoot::NAP, file).ok()?
}

fn lock(state_root: &StateRoot) -> Result<Lock, NapError> {
    Lock::acquire(state_root).map_err(|error| match error {
        LockError::Busy => NapError::Locked,
        LockError::StateRoot(problem) => NapError::StateRoot(problem.text()),
        LockError::Io(source) => NapError::Io {
            path: state_root.lock_file(),
            source,
        },
    })
}

fn io(state_root: &StateRoot, source: io::Error) -> NapError {
    NapError::Io {
        path: state_root.nap_file(),
        source,
    }
}
