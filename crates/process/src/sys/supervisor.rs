//! The process between the caller and the program: starts the program, reaps whatever is orphaned,
//! reports how the program ended, and leaves only when nothing is left of it.
//!
//! A program must not be the first process of its PID namespace itself: that one ignores signals
//! it has no handler for, so that a program which kills itself would seem to go on, and it would
//! have to reap orphans. This process takes that role.
//!
//! Runs on borrowed memory (see the parent module): system calls only, and it never panics,
//! allocates, locks or returns.

use std::ffi::{CStr, c_int, c_void};

use super::leader;
use super::plan::{Failure, Message, Plan, TERMINATE};
use super::raw::{self, Errno};
use crate::{Containment, Stage};

/// Where the supervisor writes messages.
const STATUS: c_int = 3;
/// Where the supervisor reads orders.
pub(super) const CONTROL: c_int = 4;

/// [`SUPERVISOR_NAME`](crate::SUPERVISOR_NAME) for the kernel.
const NAME: &CStr = c"hookward/hook";

/// How long a round of killing waits when it found no victim although a child exists.
const ROUND: libc::timespec = libc::timespec {
    tv_sec: 0,
    tv_nsec: 1_000_000,
};

/// The entry point of the supervisor process. Its exit status is 0 when nothing is left of the
/// program that the level can see.
pub(super) extern "C" fn supervise(plan: *mut c_void) -> c_int {
    // SAFETY: the spawner passes a plan that stays until this process was reaped.
    let plan = unsafe { &*plan.cast::<Plan>() };
    let code = match arrange_descriptors(plan) {
        Err(errno) => {
            report(
                plan.stdio.status,
                Message::NotStarted(Stage::Descriptors, errno),
            );
            1
        }
        Ok(()) => match start(plan) {
            Ok(watch) => watch.run(),
            Err((stage, errno)) => {
                report(STATUS, Message::NotStarted(stage, errno));
                0
            }
        },
    };
    raw::exit(code)
}

/// The caller reads messages until the end of the pipe; that it is gone is seen on the control
/// pipe.
fn report(fd: c_int, message: Message) {
    let _ = raw::write(fd, &message.encode());
}

/// Leaves exactly 0 to 2 for the program, [`STATUS`] and [`CONTROL`] in this process's table.
fn arrange_descriptors(plan: &Plan) -> Result<(), Errno> {
    let [stdin, stdout, stderr] = plan.stdio.program;
    raw::duplicate(stdin, 0)?;
    raw::duplicate(stdout, 1)?;
    raw::duplicate(stderr, 2)?;
    raw::duplicate(plan.stdio.status, STATUS)?;
    raw::duplicate(plan.stdio.control, CONTROL)?;
    raw::close_range(CONTROL + 1, c_int::MAX)
}

fn start(plan: &Plan) -> Result<Watch, Failure> {
    let at = |stage: Stage| move |errno: Errno| (stage, errno);
    // Together with the control pipe, whose end is seen even if the caller died before this.
    let farewell = if plan.level.is_namespace() {
        // All that a signal to everyone may reach is the namespace. Nothing goes on without it.
        if raw::own_pid() != Ok(1) {
            return Err((Stage::Clone, libc::EPROTO));
        }
        libc::SIGKILL
    } else {
        // It has work to do then, also if something has stopped it.
        libc::SIGCONT
    };
    let _ = raw::signal_on_parents_death(farewell);
    let _ = raw::prctl(libc::PR_SET_NAME, NAME.as_ptr().expose_provenance());
    // A session of its own: signals for the caller's process group do not end the supervisor
    // before it has done its work.
    raw::new_session().map_err(at(Stage::Session))?;
    raw::default_dispositions();
    if plan.level == Containment::UserPidNamespace {
        map_ids(plan).map_err(at(Stage::IdMap))?;
    }
    let mut children = -1;
    if plan.level.adopts() {
        raw::prctl(libc::PR_SET_CHILD_SUBREAPER, 1).map_err(at(Stage::Subreaper))?;
        children = raw::open(c"/proc/thread-self/children", libc::O_RDONLY)
            .map_err(at(Stage::Subreaper))?;
    }
    let signals = raw::signal_descriptor(libc::SIGCHLD).map_err(at(Stage::Descriptors))?;
    let leader = leader::start(plan)?;
    raw::close_range(0, 2).map_err(at(Stage::Descriptors))?;
    Ok(Watch {
        level: plan.level,
        leader,
        leader_ended: false,
        signals,
        children,
    })
}

/// Makes the caller's user and group the only ones of the user namespace.
fn map_ids(plan: &Plan) -> Result<(), Errno> {
    write_file(c"/proc/self/setgroups", b"deny")?;
    write_file(c"/proc/self/uid_map", plan.uid_map.to_bytes())?;
    write_file(c"/proc/self/gid_map", plan.gid_map.to_bytes())
}

pub(super) fn write_file(path: &CStr, content: &[u8]) -> Result<(), Errno> {
    let fd = raw::open(path, libc::O_WRONLY)?;
    let written = raw::write(fd, content);
    raw::close(fd);
    written.map(|_| ())
}

/// The supervisor while the program runs.
struct Watch {
    level: Containment,
    /// The process that executed the program; leader of its session and group.
    leader: c_int,
    leader_ended: bool,
    /// Readable when a child ended.
    signals: c_int,
    /// `/proc/…/children` of this process, where orphans are adopted.
    children: c_int,
}

impl Watch {
    fn run(mut self) -> c_int {
        loop {
            let ordered = self.wait_for_something(None);
            if self.reap() {
                return 0;
            }
            // Orders come after exits: an exit that happened before an order is reported first.
            if ordered {
                let mut order = [0_u8];
                match raw::read(CONTROL, &mut order) {
                    Ok(1) if order == [TERMINATE] => self.terminate(),
                    Err(libc::EINTR | libc::EAGAIN) => {}
                    _ => return self.end(),
                }
            }
        }
    }

    /// Waits for an exit or an order. True when there is an order, or the caller is gone.
    fn wait_for_something(&self, timeout: Option<libc::timespec>) -> bool {
        let entry = |fd| libc::pollfd {
            fd,
            events: libc::POLLIN,
            revents: 0,
        };
        let mut entries = [entry(self.signals), entry(CONTROL)];
        let _ = raw::poll(&mut entries, timeout);
        let [signals, control] = entries;
        if signals.revents != 0 {
            // One SIGCHLD at most is pending; what it stands for is found by waiting.
            let mut record = [0_u8; size_of::<libc::signalfd_siginfo>()];
            let _ = raw::read(self.signals, &mut record);
        }
        control.revents != 0
    }

    /// Reaps what has ended and reports the program's end. True when nothing is left of it.
    fn reap(&mut self) -> bool {
        if self.level == Containment::Group {
            // The leader stays a zombie until the end, so that its group's number stays its own.
            if !self.leader_ended
                && let Some(status) = raw::peek(self.leader)
            {
                self.leader_over(status);
            }
            return false;
        }
        loop {
            match raw::wait(-1, libc::WNOHANG) {
                Ok((0, _)) => return false,
                Ok((pid, status)) if pid == self.leader && !self.leader_ended => {
                    self.leader_over(status);
                }
                Ok(_) | Err(libc::EINTR) => {}
                Err(_) => return self.leader_ended,
            }
        }
    }

    fn leader_over(&mut self, status: c_int) {
        self.leader_ended = true;
        report(STATUS, Message::Ended(status));
    }

    /// Sends SIGTERM as far as the level reaches at once. Where orphans are adopted, the caller
    /// walks the tree.
    fn terminate(&self) {
        if self.level.is_namespace() {
            let _ = raw::kill(-1, libc::SIGTERM);
        } else if self.level == Containment::Group {
            let _ = raw::kill(-self.leader, libc::SIGTERM);
        }
        report(STATUS, Message::Terminating);
    }

    /// Ends everything that is left. In a namespace the kernel does so when this process ends.
    fn end(&mut self) -> c_int {
        match self.level {
            Containment::PidNamespace | Containment::UserPidNamespace => {}
            Containment::Cgroup | Containment::Subreaper => self.kill_children(),
            Containment::Group => {
                let _ = raw::kill(-self.leader, libc::SIGKILL);
                while raw::wait(self.leader, 0) == Err(libc::EINTR) {}
            }
        }
        0
    }

    /// Kills children and those that become children by it until there is none.
    fn kill_children(&self) {
        loop {
            // With a victim the wait below is for a process that is dying; without one it could
            // be for an orphan that came after the look.
            let victims = self.kill_listed();
            let mut flags = if victims > 0 { 0 } else { libc::WNOHANG };
            loop {
                match raw::wait(-1, flags) {
                    Ok((0, _)) => break,
                    Ok(_) => flags = libc::WNOHANG,
                    Err(libc::EINTR) => {}
                    Err(_) => return,
                }
            }
            if victims == 0 {
                let mut nothing = [];
                let _ = raw::poll(&mut nothing, Some(ROUND));
            }
        }
    }

    /// Sends SIGKILL to every child of this process. They are unreaped, so their numbers are
    /// theirs. Returns how many there were.
    fn kill_listed(&self) -> u32 {
        let mut victims = 0;
        let mut pid: c_int = 0;
        let mut buffer = [0_u8; 1024];
        if raw::rewind(self.children).is_err() {
            return 0;
        }
        loop {
            let length = match raw::read(self.children, &mut buffer) {
                Ok(length) if length > 0 => length,
                Err(libc::EINTR) => continue,
                _ => return victims,
            };
            // A list of decimal numbers, each followed by a blank; one may be cut by the buffer.
            for byte in buffer.iter().take(length) {
                if byte.is_ascii_digit() {
                    pid = pid.wrapping_mul(10).wrapping_add(c_int::from(byte & 0xf));
                } else if pid > 0 {
                    let _ = raw::kill(pid, libc::SIGKILL);
                    victims += 1;
                    pid = 0;
                }
            }
        }
    }
}
