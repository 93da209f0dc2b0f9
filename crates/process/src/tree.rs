//! The polite half of ending a tree that no namespace holds: SIGTERM to everything below a
//! process, however deep.
//!
//! Never signals by number: each process is pinned by a descriptor first, and its place in the
//! tree is confirmed after that. What escapes a look, or is beyond the bound, gets SIGKILL later.

use std::fs;
use std::os::fd::OwnedFd;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};

/// Most descendants that get a SIGTERM, since each takes a descriptor for a moment.
const MAX_TOLD: usize = 256;

/// Sends SIGTERM to the descendants of `root`, a child of this process that was not reaped.
pub(crate) fn terminate_below(root: Pid) {
    let mut told: Vec<(Pid, OwnedFd)> = Vec::new();
    let mut next = 0;
    let mut parent = root;
    loop {
        let space = MAX_TOLD.saturating_sub(told.len());
        let mut pinned: Vec<_> = children(parent)
            .into_iter()
            .take(space)
            .filter_map(|pid| Some((pid, pidfd_open(pid, PidfdFlags::empty()).ok()?)))
            .collect();
        // A number that is still listed below a parent that still lives was not reused.
        let still = children(parent);
        pinned.retain(|(pid, _)| still.contains(pid));
        if parent == root || told.get(next - 1).is_some_and(|(_, fd)| lives(fd)) {
            told.append(&mut pinned);
        }
        let Some((pid, _)) = told.get(next) else {
            break;
        };
        parent = *pid;
        next += 1;
    }
    // Parents last, so that they see their children end and not the other way round.
    for (_, descriptor) in told.iter().rev() {
        // It fails only for a process that is gone.
        let _ = pidfd_send_signal(descriptor, Signal::TERM);
    }
}

/// Whether the process has not ended yet, so that its number is its own.
fn lives(descriptor: &OwnedFd) -> bool {
    let mut entry = [PollFd::new(descriptor, PollFlags::IN)];
    poll(&mut entry, Some(&Timespec::default())).is_ok_and(|ended| ended == 0)
}

/// The children of all threads of a process; none if it is gone.
fn children(pid: Pid) -> Vec<Pid> {
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
