//! The caller's own hand on a tree that no namespace holds: signals to everything below the
//! supervisor, however deep, and the help that a stopped supervisor needs to do its work.
//!
//! Never signals by number: each process is pinned by a descriptor first, and its place in the
//! tree is confirmed after that. What escapes a look, or is beyond its bound, is the supervisor's,
//! or is found by the next look.

use std::os::fd::OwnedFd;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};

use crate::procfs::{self, children};
use crate::sys::Child;

/// Most descendants that one look finds, since each takes a descriptor for a moment.
const MAX_TOLD: usize = 256;

/// Sends SIGTERM to the descendants of the supervisor, whose level is without a namespace.
pub(crate) fn terminate(supervisor: &Child) {
    if let Some(pid) = supervisor.pid() {
        signal_below(pid, Signal::TERM);
    }
}

/// Lets a supervisor that was told to end, and whose level is without a namespace, go on if
/// something has stopped it. To be repeated until it has ended: what has stopped it may do so
/// again, unless it is among those that are killed here meanwhile.
pub(crate) fn help_to_end(supervisor: &Child) {
    if let Some(pid) = supervisor.pid() {
        kill_below_if_stopped(pid);
    }
    supervisor.resume();
}

fn kill_below_if_stopped(root: Pid) {
    if procfs::is_stopped(root) {
        signal_below(root, Signal::KILL);
    }
}

/// Signals the descendants of `root`, a child of this process that was not reaped.
fn signal_below(root: Pid, signal: Signal) {
    if !procfs::is_own() {
        return;
    }
    let mut told: Vec<(Pid, OwnedFd)> = Vec::new();
    let mut next = 0;
    let mut parent = root;
    loop {
        let space = MAX_TOLD.saturating_sub(told.len());
        // Those that have ended do not count: a supervisor that is stopped reaps none.
        let mut pinned: Vec<_> = children(parent)
            .into_iter()
            .filter_map(|pid| Some((pid, pidfd_open(pid, PidfdFlags::empty()).ok()?)))
            .filter(|(_, descriptor)| lives(descriptor))
            .take(space)
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
        let _ = pidfd_send_signal(descriptor, signal);
    }
}

/// Whether the process has not ended yet, so that its number is its own.
fn lives(descriptor: &OwnedFd) -> bool {
    let mut entry = [PollFd::new(descriptor, PollFlags::IN)];
    poll(&mut entry, Some(&Timespec::default())).is_ok_and(|ended| ended == 0)
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};
    use std::thread::yield_now;
    use std::time::{Duration, Instant};

    use rustix::process::kill_process;

    use super::*;

    /// More children that have ended than one look finds, then one that lives and has a child.
    const SCRIPT: &str = r#"
        exec 3<&0; i=0
        while [ $i -lt 300 ]; do (read -r line <&3) & i=$((i + 1)); done
        sh -c 'sh -c "kill -STOP \$\$" & kill -STOP $$' 3<&- &
        exec sh -c 'kill -STOP $$' 3<&-
    "#;

    /// The children of a process that have not ended.
    fn living(pid: Pid) -> Vec<Pid> {
        let pin = |pid: &Pid| pidfd_open(*pid, PidfdFlags::empty());
        let lives = |pid: &Pid| pin(pid).is_ok_and(|descriptor| lives(&descriptor));
        children(pid).into_iter().filter(lives).collect()
    }

    #[track_caller]
    fn wait_until(condition: impl Fn() -> bool) {
        let until = Instant::now() + Duration::from_secs(60);
        while !condition() {
            assert!(Instant::now() < until, "it did not come");
            yield_now();
        }
    }

    /// However many zombies a process has that is stopped and reaps none.
    #[test]
    fn what_lives_below_a_stopped_process_is_killed() {
        let mut root = Command::new("/bin/sh")
            .args(["-c", SCRIPT])
            .stdin(Stdio::piped())
            .spawn()
            .unwrap();
        let pid = Pid::from_child(&root);
        wait_until(|| procfs::is_stopped(pid));
        drop(root.stdin.take());
        wait_until(|| living(pid).len() == 1);
        let child = living(pid)[0];
        wait_until(|| procfs::is_stopped(child) && living(child).len() == 1);
        let grandchild = pidfd_open(living(child)[0], PidfdFlags::empty()).unwrap();
        assert!(children(pid).len() > MAX_TOLD);

        kill_below_if_stopped(pid);
        wait_until(|| living(pid).is_empty() && !lives(&grandchild));
        assert!(procfs::is_stopped(pid));

        kill_process(pid, Signal::KILL).unwrap();
        root.wait().unwrap();
    }
}
