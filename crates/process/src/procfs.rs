//! What `/proc` says of processes.
//!
//! Never vouches for a number: a process id can be reused as soon as its process was reaped.

use std::io::{self, ErrorKind};
use std::sync::atomic::{AtomicU32, Ordering};
use std::{fs, process};

use rustix::process::Pid;

/// Whether `/proc` shows the PID namespace that this process is in, so that its numbers are those
/// that system calls take. Without a mount of its own, a new namespace sees its parent's.
pub(crate) fn is_own() -> bool {
    /// The process for which it was found to be so; a forked copy looks again.
    static VERIFIED: AtomicU32 = AtomicU32::new(0);
    let process = process::id();
    if VERIFIED.load(Ordering::Relaxed) == process {
        return true;
    }
    let own = fs::read_to_string("/proc/self/status").is_ok_and(|status| has_one_pid(&status));
    if own {
        VERIFIED.store(process, Ordering::Relaxed);
    }
    own
}

/// Whether a process has no other id in a namespace below the one that is shown. A kernel without
/// PID namespaces does not list ids at all.
fn has_one_pid(status: &str) -> bool {
    let ids = status.lines().find_map(|line| line.strip_prefix("NSpid:"));
    ids.is_none_or(|ids| ids.split_ascii_whitespace().count() == 1)
}

/// When a process was started, in ticks since boot.
pub(crate) fn start_time(pid: u32) -> io::Result<u64> {
    stat_field(pid, 19)?
        .parse()
        .map_err(|_| ErrorKind::InvalidData.into())
}

/// Whether something has stopped a process, by a signal or as its tracer.
pub(crate) fn is_stopped(pid: Pid) -> bool {
    let pid = pid.as_raw_nonzero().get().unsigned_abs();
    stat_field(pid, 0).is_ok_and(|state| matches!(state.as_str(), "T" | "t"))
}

/// A field of a process's `stat`, counted from its state, which is 0. What is before that may hold
/// blanks and parentheses.
fn stat_field(pid: u32, number: usize) -> io::Result<String> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat"))?;
    stat.rsplit_once(')')
        .and_then(|(_, fields)| fields.split_ascii_whitespace().nth(number))
        .map(str::to_owned)
        .ok_or_else(|| ErrorKind::InvalidData.into())
}

/// The children of all threads of a process; none if it is gone.
pub(crate) fn children(pid: Pid) -> Vec<Pid> {
    let tasks = fs::read_dir(format!("/proc/{}/task", pid.as_raw_nonzero()));
    tasks
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|task| fs::read_to_string(task.path().join("children")).ok())
        .flat_map(|list| {
            list.split_ascii_whitespace()
                .filter_map(|number| Pid::from_raw(number.parse().ok()?))
                .collect::<Vec<_>>()
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_id_is_one_of_another_namespace() {
        assert!(has_one_pid("Name:\tx\nNSpid:\t77\nNSpgid:\t77\t1\n"));
        assert!(!has_one_pid("Name:\tx\nNSpid:\t77\t1\n"));
        assert!(has_one_pid("Name:\tx\n"));
    }
}
