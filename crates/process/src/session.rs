//! One run from the start of its supervisor to the last byte: one loop that writes stdin, reads
//! both outputs, and hears the supervisor, the clock and the caller.
//!
//! Never blocks in a read or write, and no amount of output keeps it from its deadlines.

use std::os::fd::{AsFd as _, OwnedFd};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{Errno, read, write};

use crate::sys::{Child, Message, TERMINATE, WaitStatus};
use crate::{Abort, Captured, Containment, End, Limits, Stage, tree};

/// How much is read at once.
const CHUNK: usize = 64 * 1024;
/// How often a supervisor that was told to end is helped to do so.
const ROUND: Duration = Duration::from_millis(5);

/// The caller's ends of the pipes of a run.
pub(crate) struct Pipes {
    pub(crate) stdin: OwnedFd,
    pub(crate) stdout: OwnedFd,
    pub(crate) stderr: OwnedFd,
    pub(crate) status: OwnedFd,
    pub(crate) control: OwnedFd,
}

/// A run whose supervisor exists.
pub(crate) struct Session<'a> {
    child: Child,
    level: Containment,
    limits: Limits,
    pub(crate) started: Instant,
    /// What of stdin is not written yet.
    input: &'a [u8],
    pub(crate) written: usize,
    stdin: Option<OwnedFd>,
    pub(crate) stdout: Output,
    pub(crate) stderr: Output,
    status: Option<OwnedFd>,
    control: Option<OwnedFd>,
    /// How the supervisor ended, once it was reaped.
    gone: Option<WaitStatus>,
    buffer: Box<[u8]>,
}

/// An output of the program and what is kept of it.
pub(crate) struct Output {
    pipe: Option<OwnedFd>,
    pub(crate) captured: Captured,
    limit: usize,
}

/// What happened next. Of several, the earliest in this order.
enum Event {
    Message(Message),
    /// The supervisor has ended and was reaped.
    Gone(WaitStatus),
    Aborted,
    TimeUp,
    /// Bytes were moved or an output has ended.
    Moved,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Source {
    Status,
    Child,
    Abort,
    Stdin,
    Stdout,
    Stderr,
}

impl<'a> Session<'a> {
    pub(crate) fn new(
        child: Child,
        pipes: Pipes,
        level: Containment,
        limits: Limits,
        input: &'a [u8],
    ) -> Self {
        Self {
            child,
            level,
            limits,
            started: Instant::now(),
            input,
            written: 0,
            stdin: (!input.is_empty()).then_some(pipes.stdin),
            stdout: Output::new(pipes.stdout, limits.stdout),
            stderr: Output::new(pipes.stderr, limits.stderr),
            status: Some(pipes.status),
            control: Some(pipes.control),
            gone: None,
            buffer: vec![0; CHUNK].into_boxed_slice(),
        }
    }

    /// Runs until the program has ended, its time is up, or the caller gives up.
    pub(crate) fn wait_for_end(&mut self, abort: &Abort) -> Result<End, (Stage, i32)> {
        let deadline = self.started.checked_add(self.limits.timeout);
        let end = loop {
            match self.next_event(deadline, Some(abort)) {
                Event::Message(Message::Ended(status)) => break ended(WaitStatus(status)),
                Event::Message(Message::NotStarted(stage, errno)) => return Err((stage, errno)),
                Event::Gone(status) => break lost(status)?,
                Event::Aborted => break End::Aborted,
                Event::TimeUp => break self.terminate(abort)?,
                Event::Message(Message::Terminating) | Event::Moved => {}
            }
        };
        self.stdin = None;
        Ok(end)
    }

    /// SIGTERM to the tree, then time to comply. The supervisor reports an exit before it confirms
    /// the order if the program was faster.
    fn terminate(&mut self, abort: &Abort) -> Result<End, (Stage, i32)> {
        if let Some(control) = &self.control {
            // It fails only when the supervisor is gone, which is the next event.
            let _ = write(control, &[TERMINATE]);
        }
        self.child.resume();
        let kill_at = Instant::now().checked_add(self.limits.grace);
        let mut told = false;
        loop {
            match self.next_event(kill_at, Some(abort)) {
                Event::Message(Message::Ended(status)) if !told => {
                    return Ok(ended(WaitStatus(status)));
                }
                Event::Message(Message::NotStarted(stage, errno)) => return Err((stage, errno)),
                Event::Message(Message::Terminating) => {
                    told = true;
                    if self.level.adopts() {
                        tree::terminate(&self.child);
                    }
                }
                Event::Gone(_) | Event::Aborted | Event::TimeUp => return Ok(End::TimedOut),
                Event::Message(Message::Ended(_)) | Event::Moved => {}
            }
        }
    }

    /// Reads what is left of the outputs of a program that has ended. A descendant that holds one
    /// open is not waited for longer than the limit.
    pub(crate) fn drain(&mut self, abort: &Abort) {
        let until = Instant::now().checked_add(self.limits.drain);
        while self.stdout.pipe.is_some() || self.stderr.pipe.is_some() {
            if let Event::Aborted | Event::TimeUp = self.next_event(until, Some(abort)) {
                return;
            }
        }
    }

    /// Ends everything that is left. Returns how the supervisor ended, if it did by then.
    pub(crate) fn kill(&mut self, until: Option<Instant>) -> Option<WaitStatus> {
        self.control = None;
        if self.level.is_namespace() {
            self.child.kill();
        } else {
            self.child.resume();
        }
        while self.gone.is_none() {
            let round = Instant::now().checked_add(ROUND);
            let next = [round, until].into_iter().flatten().min();
            if let Event::TimeUp = self.next_event(next, None) {
                if until.is_some_and(|until| Instant::now() >= until) {
                    break;
                }
                if !self.level.is_namespace() {
                    tree::help_to_end(&self.child);
                }
            }
        }
        self.gone
    }

    /// The supervisor, for whoever waits for it after the bound.
    pub(crate) fn into_parts(self) -> (Child, Captured, Captured) {
        (self.child, self.stdout.captured, self.stderr.captured)
    }

    /// Waits for the next event, moving bytes meanwhile.
    fn next_event(&mut self, until: Option<Instant>, abort: Option<&Abort>) -> Event {
        let ready = self.poll(until, abort);
        let is_ready = |source| ready.contains(&source);
        if is_ready(Source::Stdin) {
            self.feed();
        }
        if is_ready(Source::Stdout) {
            self.stdout.take(&mut self.buffer);
        }
        if is_ready(Source::Stderr) {
            self.stderr.take(&mut self.buffer);
        }
        if is_ready(Source::Status)
            && let Some(message) = self.hear()
        {
            return Event::Message(message);
        }
        if is_ready(Source::Child)
            && !is_ready(Source::Status)
            && let Some(status) = self.child.try_reap()
        {
            self.gone = Some(status);
            return Event::Gone(status);
        }
        if is_ready(Source::Abort) {
            return Event::Aborted;
        }
        if until.is_some_and(|until| Instant::now() >= until) {
            return Event::TimeUp;
        }
        Event::Moved
    }

    /// The sources that are ready, after waiting for one until the given time.
    fn poll(&self, until: Option<Instant>, abort: Option<&Abort>) -> Vec<Source> {
        let child = self.gone.is_none().then_some(self.child.as_fd());
        let watched = [
            (Source::Status, self.status.as_ref().map(|fd| fd.as_fd())),
            (Source::Child, child),
            (Source::Abort, abort.map(|abort| abort.as_fd())),
            (Source::Stdin, self.stdin.as_ref().map(|fd| fd.as_fd())),
            (
                Source::Stdout,
                self.stdout.pipe.as_ref().map(|fd| fd.as_fd()),
            ),
            (
                Source::Stderr,
                self.stderr.pipe.as_ref().map(|fd| fd.as_fd()),
            ),
        ];
        let (sources, mut entries): (Vec<_>, Vec<_>) = watched
            .into_iter()
            .filter_map(|(source, fd)| {
                let wanted = match source {
                    Source::Stdin => PollFlags::OUT,
                    _ => PollFlags::IN,
                };
                Some((source, PollFd::from_borrowed_fd(fd?, wanted)))
            })
            .unzip();
        let timeout = until.and_then(|until| {
            let left = until.saturating_duration_since(Instant::now());
            Timespec::try_from(left).ok()
        });
        if poll(&mut entries, timeout.as_ref()).is_err() {
            // Interrupted: the caller comes back with the time that is left.
            return Vec::new();
        }
        sources
            .into_iter()
            .zip(&entries)
            .filter_map(|(source, entry)| (!entry.revents().is_empty()).then_some(source))
            .collect()
    }

    /// Writes what the pipe takes. A program that does not read is no failure.
    fn feed(&mut self) {
        let Some(stdin) = &self.stdin else { return };
        match write(stdin, self.input) {
            Ok(count) => {
                self.written += count;
                self.input = self.input.get(count..).unwrap_or_default();
                if self.input.is_empty() {
                    self.stdin = None;
                }
            }
            Err(Errno::AGAIN | Errno::INTR) => {}
            Err(_) => self.stdin = None,
        }
    }

    /// The next message of the supervisor; `None` at the end of the pipe.
    fn hear(&mut self) -> Option<Message> {
        let mut bytes = [0; Message::BYTES];
        match read(self.status.as_ref()?, &mut bytes) {
            Ok(Message::BYTES) => return Message::decode(bytes),
            Err(Errno::AGAIN | Errno::INTR) => {}
            Ok(_) | Err(_) => self.status = None,
        }
        None
    }
}

impl Output {
    fn new(pipe: OwnedFd, limit: usize) -> Self {
        Self {
            pipe: Some(pipe),
            captured: Captured::default(),
            limit,
        }
    }

    /// Reads one chunk, or notes the end.
    fn take(&mut self, buffer: &mut [u8]) {
        let Some(pipe) = &self.pipe else { return };
        match read(pipe, &mut *buffer) {
            Ok(0) => self.pipe = None,
            Ok(count) => {
                let chunk = buffer.get(..count).unwrap_or_default();
                self.captured.take(chunk, self.limit);
            }
            Err(Errno::AGAIN | Errno::INTR) => {}
            Err(_) => self.pipe = None,
        }
    }
}

/// The end that a wait status of the program stands for.
fn ended(status: WaitStatus) -> End {
    match (status.exit_status(), status.signal()) {
        (Some(status), _) => End::Exited(status),
        (None, signal) => End::Signaled(signal.unwrap_or_default()),
    }
}

/// The end of a program whose supervisor ended without a report: somebody has killed it, and the
/// program with it.
fn lost(status: WaitStatus) -> Result<End, (Stage, i32)> {
    match status.signal() {
        Some(signal) => Ok(End::Signaled(signal)),
        None => Err((Stage::Report, libc::EPIPE)),
    }
}
