//! The policy lock: one writer of policy files at a time, across processes.
//!
//! It protects writers from each other. Readers never take it, since files are replaced as a whole.

#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "is a lock on a file, and waits for it"
)]

use std::fs::DirBuilder;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::DirBuilderExt;
use std::thread;
use std::time::Duration;

use rustix::fs::{FlockOperation, Mode, OFlags};
use rustix::io::Errno;

use crate::file::{self, FileProblem};
use crate::state_root::StateRoot;

/// The right to change policy files: one writer at a time, across processes.
#[derive(Debug)]
pub(crate) struct Lock {
    _file: OwnedFd,
}

/// Why there is no right to change policy files.
#[derive(Debug)]
pub(crate) enum LockError {
    /// The State Root is no directory, or others than the user could change its files.
    StateRoot(FileProblem),
    /// Another process holds the lock.
    Busy,
    /// The lock file cannot be made or opened.
    Io(io::Error),
}

impl Lock {
    const TRIES: u32 = 500;
    const PAUSE: Duration = Duration::from_millis(10);

    /// Makes the State Root, private to the user, if it is not there, and waits for its lock, about
    /// five seconds at most.
    pub(crate) fn acquire(state_root: &StateRoot) -> Result<Self, LockError> {
        let dir = state_root.path();
        if file::open_private(dir)
            .map_err(LockError::StateRoot)?
            .is_none()
        {
            let made = DirBuilder::new().recursive(true).mode(0o700).create(dir);
            made.map_err(|error| {
                let message = format!("cannot make its directory: {error}");
                LockError::Io(io::Error::new(error.kind(), message))
            })?;
        }
        let flags =
            OFlags::RDWR | OFlags::CREATE | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let mode = Mode::from_raw_mode(0o600);
        let io = |error: Errno| LockError::Io(error.into());
        let path = state_root.lock_file();
        let file = rustix::fs::open(path.as_std_path(), flags, mode).map_err(io)?;
        for _ in 0..Self::TRIES {
            match rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive) {
                Ok(()) => return Ok(Self { _file: file }),
                Err(Errno::WOULDBLOCK | Errno::INTR) => thread::sleep(Self::PAUSE),
                Err(error) => return Err(io(error)),
            }
        }
        Err(LockError::Busy)
    }
}
