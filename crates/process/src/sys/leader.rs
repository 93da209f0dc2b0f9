//! The program's process until it executes the program.
//!
//! Runs on borrowed memory (see the parent module) while the supervisor is suspended: system calls
//! only, and it never panics, allocates, locks or returns.

use std::ffi::{c_int, c_void};
use std::io;

use super::plan::{Failure, Plan};
use super::raw::{self, Errno};
use super::supervisor::write_file;
use crate::{Containment, Stage};

/// Starts the program and returns its process id, or says which step failed.
pub(super) fn start(plan: &Plan) -> Result<c_int, Failure> {
    let argument = std::ptr::from_ref(plan).cast_mut().cast::<c_void>();
    let flags = libc::CLONE_VM | libc::CLONE_VFORK | libc::SIGCHLD;
    // SAFETY: the new process runs `lead` on a stack that nobody else uses, with a plan that
    // outlives it, and this process is suspended until it executes or exits. The C library's
    // wrapper touches thread-local storage only to store `errno` when it fails; the spawner
    // thread, which it is shared with, may then misreport an error of its own, nothing more.
    let leader = unsafe { libc::clone(lead, plan.leader_stack, flags, argument) };
    if leader < 0 {
        let errno = io::Error::last_os_error().raw_os_error();
        return Err((Stage::Fork, errno.unwrap_or(libc::EAGAIN)));
    }
    let Some(failure) = plan.failure() else {
        return Ok(leader);
    };
    while raw::wait(leader, 0) == Err(libc::EINTR) {}
    Err(failure)
}

extern "C" fn lead(plan: *mut c_void) -> c_int {
    // SAFETY: `start` passes its plan.
    let plan = unsafe { &*plan.cast::<Plan>() };
    plan.fail(become_program(plan));
    raw::exit(127)
}

/// Returns only on failure.
fn become_program(plan: &Plan) -> Failure {
    if let Err(failure) = prepare(plan) {
        return failure;
    }
    // SAFETY: the plan's arrays end in null pointers and hold strings that end in NUL.
    let errno = unsafe { raw::execute(&plan.program, plan.argv(), plan.envp()) };
    (Stage::Exec, errno)
}

fn prepare(plan: &Plan) -> Result<(), Failure> {
    let at = |stage: Stage| move |errno: Errno| (stage, errno);
    match plan.level {
        // Even as the namespace's root the program must not look into the supervisor, whose
        // memory is the caller's.
        Containment::UserPidNamespace => {
            raw::prctl(libc::PR_CAPBSET_DROP, CAP_SYS_PTRACE).map_err(at(Stage::IdMap))?;
        }
        // No namespace ends the program when the supervisor is killed.
        Containment::Cgroup | Containment::Subreaper | Containment::Group => {
            let _ = raw::signal_on_parents_death(libc::SIGKILL);
        }
        Containment::PidNamespace => {}
    }
    raw::new_session().map_err(at(Stage::Session))?;
    if let Some(cgroup) = plan.cgroup() {
        write_file(cgroup, b"0").map_err(at(Stage::Cgroup))?;
    }
    raw::change_directory(&plan.cwd).map_err(at(Stage::Chdir))?;
    raw::close_range(3, c_int::MAX).map_err(at(Stage::Descriptors))?;
    raw::unblock_signals().map_err(at(Stage::Exec))
}

/// `CAP_SYS_PTRACE` of linux/capability.h.
const CAP_SYS_PTRACE: usize = 19;
