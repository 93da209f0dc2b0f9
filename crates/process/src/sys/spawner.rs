//! The thread that creates supervisors, and the handle to one of them.
//!
//! One thread creates all of them and never ends: the kernel ends a supervisor with the thread
//! that created it, and its thread-local storage is what a supervisor shares.

use std::ffi::{c_int, c_void};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, FromRawFd as _, OwnedFd};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::{process, thread};

use rustix::process::{Pid, Signal, pidfd_send_signal};

use super::plan::Plan;
use super::signals;
use super::stack::Stacks;
use super::supervisor::supervise;
use crate::{Containment, Stage};

/// The way to the spawner thread, once it runs, and the process it runs in: a forked copy of this
/// process has the way and not the thread.
static SPAWNER: Mutex<Option<(u32, Sender<Job>)>> = Mutex::new(None);

struct Job {
    plan: Arc<Plan>,
    stacks: Stacks,
    reply: SyncSender<io::Result<Child>>,
}

/// Creates the supervisor of `plan`. The caller's copies of the plan's descriptors can be closed
/// when this returns.
pub(crate) fn spawn(mut plan: Plan) -> Result<Child, (Stage, io::Error)> {
    let stacks = Stacks::take().map_err(|error| (Stage::Prepare, error))?;
    plan.leader_stack = stacks.leader();
    let (reply, answer) = sync_channel(1);
    let job = Job {
        plan: Arc::new(plan),
        stacks,
        reply,
    };
    let lost = || (Stage::Thread, io::Error::from(io::ErrorKind::BrokenPipe));
    let spawner = spawner().map_err(|error| (Stage::Thread, error))?;
    spawner.send(job).map_err(|_| lost())?;
    let child = answer.recv().map_err(|_| lost())?;
    child.map_err(|error| (Stage::Clone, error))
}

fn spawner() -> io::Result<Sender<Job>> {
    let mut spawner = SPAWNER.lock().unwrap_or_else(PoisonError::into_inner);
    let process = process::id();
    if let Some((home, jobs)) = &*spawner
        && *home == process
    {
        return Ok(jobs.clone());
    }
    let (jobs, received) = channel();
    thread::Builder::new()
        .name("hookward-spawn".to_owned())
        .spawn(move || serve(&received))?;
    *spawner = Some((process, jobs.clone()));
    Ok(jobs)
}

fn serve(jobs: &Receiver<Job>) {
    signals::block_all();
    // Ends never: a sender stays in `SPAWNER`.
    for job in jobs {
        let child = create(job.plan, job.stacks);
        // Whoever gave up waiting drops the answer, and with it ends the process.
        let _ = job.reply.send(child);
    }
}

fn create(plan: Arc<Plan>, stacks: Stacks) -> io::Result<Child> {
    let namespaces = match plan.level {
        Containment::PidNamespace => libc::CLONE_NEWPID,
        Containment::UserPidNamespace => libc::CLONE_NEWPID | libc::CLONE_NEWUSER,
        Containment::Cgroup | Containment::Subreaper | Containment::Group => 0,
    };
    // No exit signal: the supervisor raises no SIGCHLD in the process around this crate, is not
    // reaped by a SIGCHLD that is ignored there, nor by a wait for any child.
    let flags = libc::CLONE_VM | libc::CLONE_PIDFD | namespaces;
    let argument = Arc::as_ptr(&plan).cast_mut().cast::<c_void>();
    let mut pidfd: c_int = -1;
    // SAFETY: the new process runs `supervise` on a stack of its own. The handle below keeps stack
    // and plan until that process was reaped. It runs on this memory, and keeps to the rules of
    // the parent module.
    let pid = unsafe {
        libc::clone(
            supervise,
            stacks.supervisor(),
            flags,
            argument,
            &raw mut pidfd,
        )
    };
    if pid < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the kernel has stored a descriptor that nobody else knows.
    let pidfd = unsafe { OwnedFd::from_raw_fd(pidfd) };
    Ok(Child {
        pid,
        pidfd,
        running: Some(Running {
            _plan: plan,
            stacks,
        }),
    })
}

/// What a supervisor uses of this process's memory.
struct Running {
    _plan: Arc<Plan>,
    stacks: Stacks,
}

/// A supervisor. Dropped before it was reaped, it is killed and waited for.
pub(crate) struct Child {
    pid: c_int,
    pidfd: OwnedFd,
    /// Until it was reaped.
    running: Option<Running>,
}

/// How a supervisor ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct WaitStatus(pub(crate) i32);

impl WaitStatus {
    pub(crate) fn exit_status(self) -> Option<i32> {
        libc::WIFEXITED(self.0).then(|| libc::WEXITSTATUS(self.0))
    }

    pub(crate) fn signal(self) -> Option<i32> {
        libc::WIFSIGNALED(self.0).then(|| libc::WTERMSIG(self.0))
    }
}

impl Child {
    /// Its process id, which is its own until it was reaped.
    pub(crate) fn pid(&self) -> Option<Pid> {
        self.running.as_ref().and_then(|_| Pid::from_raw(self.pid))
    }

    /// Sends it SIGKILL.
    pub(crate) fn kill(&self) {
        // It fails only if the process is gone.
        let _ = pidfd_send_signal(&self.pidfd, Signal::KILL);
    }

    /// Sends it SIGCONT, which does nothing unless something has stopped it.
    pub(crate) fn resume(&self) {
        // It fails only if the process is gone.
        let _ = pidfd_send_signal(&self.pidfd, Signal::CONT);
    }

    /// Reaps it if it has ended.
    pub(crate) fn try_reap(&mut self) -> Option<WaitStatus> {
        self.reap(libc::WNOHANG)
    }

    fn reap(&mut self, flags: c_int) -> Option<WaitStatus> {
        self.running.as_ref()?;
        let mut status = 0;
        let pid = loop {
            // SAFETY: writes one integer; the number belongs to this child, which is unreaped.
            let pid = unsafe { libc::waitpid(self.pid, &raw mut status, flags | libc::__WALL) };
            if pid >= 0 || io::Error::last_os_error().kind() != io::ErrorKind::Interrupted {
                break pid;
            }
        };
        if pid == 0 {
            return None;
        }
        if pid < 0 {
            // Something else in this process has reaped it; a clean end cannot be claimed.
            status = libc::SIGKILL;
        }
        if let Some(running) = self.running.take() {
            running.stacks.give_back();
        }
        Some(WaitStatus(status))
    }
}

/// The descriptor that becomes readable when the supervisor has ended.
impl AsFd for Child {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.pidfd.as_fd()
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        if self.running.is_some() {
            self.kill();
            self.reap(0);
        }
    }
}
