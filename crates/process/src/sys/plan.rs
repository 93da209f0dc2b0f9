//! Everything the supervisor and the program's process need, prepared before either exists, and
//! the messages they send.

use std::ffi::{CStr, CString, c_char, c_void};
use std::os::fd::RawFd;
use std::ptr;
use std::sync::atomic::{AtomicI32, AtomicU8, Ordering};

use super::raw::Errno;
use crate::{Containment, Stage};

/// The byte that asks the supervisor to end the program politely. The end of the control pipe asks
/// it to end everything at once.
pub(crate) const TERMINATE: u8 = b'T';

/// The descriptors the supervisor is started with, by their number in the caller.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stdio {
    /// stdin, stdout and stderr of the program; each above 2.
    pub(crate) program: [RawFd; 3],
    /// Where the supervisor writes messages; at least [`FIRST_FREE_FD`](super::FIRST_FREE_FD).
    pub(crate) status: RawFd,
    /// Where the supervisor reads orders; at least [`FIRST_FREE_FD`](super::FIRST_FREE_FD).
    pub(crate) control: RawFd,
}

/// The immutable order for one start.
pub(crate) struct Plan {
    pub(super) level: Containment,
    pub(super) program: CString,
    pub(super) cwd: CString,
    /// `cgroup.procs` of the cgroup to enter.
    cgroup: Option<CString>,
    pub(super) uid_map: CString,
    pub(super) gid_map: CString,
    pub(super) stdio: Stdio,
    /// The top of the stack of the program's process until it executes.
    pub(super) leader_stack: *mut c_void,
    argv: Strings,
    envp: Strings,
    /// Written by the program's process before it gives up, while the supervisor is suspended.
    failed_stage: AtomicU8,
    failed_errno: AtomicI32,
}

// SAFETY: the raw pointers refer to memory that the plan owns and never changes, or (the stack) to
// memory that only the one process it is meant for uses.
unsafe impl Send for Plan {}
// SAFETY: as above; the only shared mutation goes through atomics.
unsafe impl Sync for Plan {}

impl Plan {
    pub(crate) fn new(
        level: Containment,
        paths: (CString, CString, Option<CString>),
        args: Vec<CString>,
        env: Vec<CString>,
        stdio: Stdio,
    ) -> Self {
        let (program, cwd, cgroup) = paths;
        let own = |id: u32| CString::new(format!("{id} {id} 1")).unwrap_or_default();
        Self {
            level,
            program,
            cwd,
            cgroup,
            uid_map: own(rustix::process::geteuid().as_raw()),
            gid_map: own(rustix::process::getegid().as_raw()),
            stdio,
            leader_stack: ptr::null_mut(),
            argv: Strings::new(args),
            envp: Strings::new(env),
            failed_stage: AtomicU8::new(0),
            failed_errno: AtomicI32::new(0),
        }
    }

    pub(super) fn argv(&self) -> *const *const c_char {
        self.argv.pointers.as_ptr()
    }

    pub(super) fn envp(&self) -> *const *const c_char {
        self.envp.pointers.as_ptr()
    }

    pub(super) fn cgroup(&self) -> Option<&CStr> {
        self.cgroup.as_deref()
    }

    /// Notes why the program's process gives up.
    pub(super) fn fail(&self, failure: Failure) {
        self.failed_errno.store(failure.1, Ordering::Relaxed);
        self.failed_stage.store(failure.0.code(), Ordering::Release);
    }

    /// Why the program's process gave up, if it did.
    pub(super) fn failure(&self) -> Option<Failure> {
        let stage = Stage::from_code(self.failed_stage.load(Ordering::Acquire))?;
        Some((stage, self.failed_errno.load(Ordering::Relaxed)))
    }
}

/// A failed step of the start and the operating system's reason.
pub(super) type Failure = (Stage, Errno);

/// Owned strings and the null-terminated array of pointers to them.
struct Strings {
    pointers: Vec<*const c_char>,
    _owned: Vec<CString>,
}

impl Strings {
    fn new(owned: Vec<CString>) -> Self {
        let mut pointers: Vec<_> = owned.iter().map(|text| text.as_ptr()).collect();
        pointers.push(ptr::null());
        Self {
            pointers,
            _owned: owned,
        }
    }
}

/// What the supervisor tells the caller, in the order in which it happens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Message {
    /// The program ended with this wait status.
    Ended(i32),
    /// The program could not be started.
    NotStarted(Stage, i32),
    /// SIGTERM is being sent; the program had not ended before.
    Terminating,
}

impl Message {
    /// The length of every message. Pipes keep writes of this size together.
    pub(crate) const BYTES: usize = size_of::<u64>();

    /// One word: the kind in the lowest byte, the stage in the next, the number in the upper half.
    pub(super) fn encode(self) -> [u8; Self::BYTES] {
        let (kind, stage, number) = match self {
            Self::Ended(status) => (1, 0, status),
            Self::NotStarted(stage, errno) => (2, stage.code(), errno),
            Self::Terminating => (3, 0, 0),
        };
        let upper = u64::from(number.cast_unsigned()) << 32;
        (upper | u64::from(stage) << 8 | kind).to_ne_bytes()
    }

    pub(crate) fn decode(bytes: [u8; Self::BYTES]) -> Option<Self> {
        let [kind, stage, _, _, ..] = u64::from_ne_bytes(bytes).to_le_bytes();
        let [_, _, _, _, upper @ ..] = u64::from_ne_bytes(bytes).to_le_bytes();
        let number = i32::from_le_bytes(upper);
        match kind {
            1 => Some(Self::Ended(number)),
            2 => Some(Self::NotStarted(Stage::from_code(stage)?, number)),
            3 => Some(Self::Terminating),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_survive_the_pipe() {
        for message in [
            Message::Ended(0x0200),
            Message::Ended(-1),
            Message::NotStarted(Stage::Exec, libc::ENOENT),
            Message::Terminating,
        ] {
            assert_eq!(Message::decode(message.encode()), Some(message));
        }
        assert_eq!(Message::decode([0; Message::BYTES]), None);
    }
}
