//! One call from a command to its result: prepares, starts, repeats a start that met a busy
//! executable, and puts the result together.

use std::ffi::CString;
use std::io;
use std::os::fd::{AsFd, AsRawFd, OwnedFd, RawFd};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{OFlags, fcntl_setfl};
use rustix::io::fcntl_dupfd_cloexec;
use rustix::pipe::{PipeFlags, pipe_with};

use crate::cgroup::Cgroup;
use crate::session::{Pipes, Session};
use crate::sys::{self, Child, Plan, SigpipeBlocked, Stdio};
use crate::{
    Abort, Captured, Cleanup, Command, Containment, End, Finished, Stage, StartError, procfs, tree,
};

/// How often a start is repeated while another process holds the executable open for writing.
const MAX_RETRIES: u32 = 20;
/// The longest pause before such a repetition; the first is 1 ms and each doubles.
const MAX_PAUSE: Duration = Duration::from_millis(25);
/// How often a supervisor that is waited for in the background is helped to end.
const LATE_ROUND: Duration = Duration::from_millis(50);

/// Runs one program and blocks the calling thread until it and its descendants are dealt with.
///
/// - The program's end is its exit, also when a descendant still holds its outputs open: those are
///   read for [`Limits::drain`](crate::Limits::drain) more, then every descendant is killed, after
///   success as well.
/// - At the deadline the tree gets SIGTERM, and SIGKILL after the grace. An exit that came before
///   the SIGTERM is the result, however late it is seen.
/// - When `abort` is requested the tree gets SIGKILL at once. An exit that was seen before is the
///   result.
/// - The program starts in a session of its own without a terminal, with default signal
///   dispositions, no blocked signal and no descriptor above 2.
///
/// Any number of threads may run commands at the same time. Failures are values in the result.
pub fn run(command: &Command<'_>, abort: &Abort) -> Finished {
    let _sigpipe = SigpipeBlocked::new();
    let mut retries = 0;
    let mut pause = Duration::from_millis(1);
    loop {
        let mut finished = if abort.is_aborted() {
            unstarted(command, End::Aborted)
        } else {
            attempt(command, abort)
        };
        finished.start_retries = retries;
        if !is_busy(&finished.end) || retries == MAX_RETRIES {
            return finished;
        }
        retries += 1;
        pause_until(abort, pause);
        pause = MAX_PAUSE.min(pause * 2);
    }
}

fn is_busy(end: &End) -> bool {
    let busy = StartError::Other {
        stage: Stage::Exec,
        errno: libc::ETXTBSY,
    };
    matches!(end, End::NotStarted(error) if *error == busy)
}

/// Waits, but not longer than until there is something to read.
fn pause_until(ready: &impl AsFd, pause: Duration) {
    let mut entry = [PollFd::new(ready, PollFlags::IN)];
    // Interrupted or not, the pause is a courtesy.
    let _ = poll(&mut entry, Timespec::try_from(pause).ok().as_ref());
}

fn unstarted(command: &Command<'_>, end: End) -> Finished {
    Finished {
        end,
        stdout: Captured::default(),
        stderr: Captured::default(),
        duration: Duration::ZERO,
        containment: command.containment,
        cleanup: Cleanup::Confirmed,
        stdin_written: 0,
        start_retries: 0,
    }
}

fn attempt(command: &Command<'_>, abort: &Abort) -> Finished {
    match start(command) {
        Ok((session, cgroup)) => finish(command, session, cgroup, abort),
        Err(error) => unstarted(command, End::NotStarted(error)),
    }
}

fn start<'a>(command: &Command<'a>) -> Result<(Session<'a>, Option<Cgroup>), StartError> {
    let failed = |stage: Stage| {
        move |error: io::Error| StartError::Other {
            stage,
            errno: error.raw_os_error().unwrap_or(libc::ENOSYS),
        }
    };
    let texts = Texts::of(command)?;
    if command.containment.adopts() && !procfs::is_own() {
        // As good as none: the numbers of children there are not those that can be signalled.
        let errno = libc::ENOENT;
        let stage = Stage::Subreaper;
        return Err(StartError::Other { stage, errno });
    }
    let (pipes, theirs) = open_pipes().map_err(failed(Stage::Prepare))?;
    let cgroup = match command.containment {
        Containment::Cgroup => Some(Cgroup::create().map_err(failed(Stage::Cgroup))?),
        _ => None,
    };
    let plan = texts.plan(command, cgroup.as_ref(), &theirs)?;
    match sys::spawn(plan) {
        Ok(child) => {
            let (level, limits) = (command.containment, command.limits);
            let session = Session::new(child, pipes, level, limits, command.stdin);
            Ok((session, cgroup))
        }
        Err((stage, error)) => {
            if let Some(cgroup) = cgroup {
                cgroup.remove(Some(Instant::now()));
            }
            Err(failed(stage)(error))
        }
    }
}

fn finish(
    command: &Command<'_>,
    mut session: Session<'_>,
    cgroup: Option<Cgroup>,
    abort: &Abort,
) -> Finished {
    let end = session.wait_for_end(abort);
    if let Ok(End::Exited(_) | End::Signaled(_)) = end {
        session.drain(abort);
    }
    if let Some(cgroup) = &cgroup {
        cgroup.kill();
    }
    let kill_until = Instant::now().checked_add(command.limits.kill_wait);
    let supervisor = session.kill(kill_until);
    let removed = cgroup
        .as_ref()
        .is_none_or(|cgroup| cgroup.remove(kill_until));
    let cleanup = match (supervisor, command.containment) {
        (None, _) => Cleanup::Late,
        (_, Containment::Cgroup) if !removed => Cleanup::Late,
        // Nothing ran that could have left something.
        _ if end.is_err() => Cleanup::Confirmed,
        (_, Containment::Group) => Cleanup::Unproven,
        (Some(status), Containment::Subreaper) if status.exit_status() != Some(0) => {
            Cleanup::Unproven
        }
        (Some(_), _) => Cleanup::Confirmed,
    };
    let (started, stdin_written) = (session.started, session.written);
    let (child, stdout, stderr) = session.into_parts();
    if cleanup == Cleanup::Late {
        wait_in_background(child, command.containment, cgroup);
    }
    let (end, duration) = match end {
        Ok(end) => (end, started.elapsed()),
        Err((stage, errno)) => (
            End::NotStarted(StartError::diagnose(command, stage, errno)),
            Duration::ZERO,
        ),
    };
    Finished {
        end,
        stdout,
        stderr,
        duration,
        containment: command.containment,
        cleanup,
        stdin_written,
        start_retries: 0,
    }
}

/// Reaps a supervisor that has not ended within the bound, whenever it does, and helps it to.
fn wait_in_background(mut child: Child, level: Containment, cgroup: Option<Cgroup>) {
    let wait = move || {
        while child.pid().is_some() && child.try_reap().is_none() {
            if !level.is_namespace() {
                tree::help_to_end(&child);
            }
            pause_until(&child, LATE_ROUND);
        }
        if let Some(cgroup) = cgroup {
            cgroup.remove(None);
        }
    };
    // Without a thread the handle is dropped here, which waits as well.
    let _ = thread::Builder::new()
        .name("hookward-late".to_owned())
        .spawn(wait);
}

/// The program's and the supervisor's ends of the pipes.
struct Theirs {
    program: [OwnedFd; 3],
    status: OwnedFd,
    control: OwnedFd,
}

fn open_pipes() -> io::Result<(Pipes, Theirs)> {
    let program = |fd| at_least(fd, 3);
    let own = |fd| at_least(fd, sys::FIRST_FREE_FD);
    let pipe = || pipe_with(PipeFlags::CLOEXEC);
    let (stdin_read, stdin) = pipe()?;
    let (stdout, stdout_write) = pipe()?;
    let (stderr, stderr_write) = pipe()?;
    let (status, status_write) = pipe()?;
    let (control_read, control) = pipe()?;
    for fd in [&stdin, &stdout, &stderr, &status, &control] {
        fcntl_setfl(fd, OFlags::NONBLOCK)?;
    }
    let theirs = Theirs {
        program: [
            program(stdin_read)?,
            program(stdout_write)?,
            program(stderr_write)?,
        ],
        status: own(status_write)?,
        control: own(control_read)?,
    };
    let pipes = Pipes {
        stdin,
        stdout,
        stderr,
        status,
        control,
    };
    Ok((pipes, theirs))
}

/// The descriptor, or a copy of it, with a number of at least `lowest`.
fn at_least(fd: OwnedFd, lowest: RawFd) -> io::Result<OwnedFd> {
    if fd.as_raw_fd() >= lowest {
        return Ok(fd);
    }
    Ok(fcntl_dupfd_cloexec(fd, lowest)?)
}

/// The command's texts as the operating system takes them.
struct Texts {
    program: CString,
    cwd: CString,
    args: Vec<CString>,
    env: Vec<CString>,
}

impl Texts {
    fn of(command: &Command<'_>) -> Result<Self, StartError> {
        let program = path_text("the program's path", command.program)?;
        let cwd = path_text("the working directory's path", command.cwd)?;
        let mut args = vec![program.clone()];
        for (index, arg) in command.args.iter().enumerate() {
            let arg = text(|| format!("argument {}", index + 1), arg.as_bytes())?;
            args.push(arg);
        }
        let mut env = Vec::new();
        for (name, value) in command.env {
            let what = || format!("the environment variable {name:?}");
            if name.is_empty() || name.contains('=') {
                return Err(StartError::Unpassable {
                    what: what(),
                    problem: "its name is empty or holds an equals sign",
                });
            }
            env.push(text(what, format!("{name}={value}").as_bytes())?);
        }
        Ok(Self {
            program,
            cwd,
            args,
            env,
        })
    }

    fn plan(
        self,
        command: &Command<'_>,
        cgroup: Option<&Cgroup>,
        theirs: &Theirs,
    ) -> Result<Plan, StartError> {
        let cgroup = cgroup
            .map(|cgroup| path_text("the cgroup's path", &cgroup.procs()))
            .transpose()?;
        let stdio = Stdio {
            program: theirs.program.each_ref().map(AsRawFd::as_raw_fd),
            status: theirs.status.as_raw_fd(),
            control: theirs.control.as_raw_fd(),
        };
        let paths = (self.program, self.cwd, cgroup);
        Ok(Plan::new(
            command.containment,
            paths,
            self.args,
            self.env,
            stdio,
        ))
    }
}

fn path_text(what: &str, path: &Path) -> Result<CString, StartError> {
    text(|| what.to_owned(), path.as_os_str().as_bytes())
}

fn text(what: impl FnOnce() -> String, bytes: &[u8]) -> Result<CString, StartError> {
    CString::new(bytes).map_err(|_| StartError::Unpassable {
        what: what(),
        problem: "it holds a NUL byte",
    })
}
