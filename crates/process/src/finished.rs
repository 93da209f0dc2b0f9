//! What became of a run.

use std::time::Duration;

use crate::{Containment, StartError};

/// The result of one run.
#[derive(Debug, Clone)]
#[must_use]
pub struct Finished {
    /// How the program ended.
    pub end: End,
    /// The head of its stdout.
    pub stdout: Captured,
    /// The head of its stderr.
    pub stderr: Captured,
    /// From the start of the process until its outputs were read and its descendants were dealt
    /// with. Zero when nothing was started. Waiting before the start is not in it.
    pub duration: Duration,
    /// The level that held its descendants together.
    pub containment: Containment,
    /// Whether its descendants are gone.
    pub cleanup: Cleanup,
    /// How many bytes of stdin the pipe took. A program need not read its stdin; fewer bytes than
    /// given is no failure.
    pub stdin_written: usize,
    /// How often the start was repeated because another process held the executable open for
    /// writing (`ETXTBSY`).
    pub start_retries: u32,
}

/// How a program ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum End {
    /// It exited with this status, 0 to 255.
    Exited(i32),
    /// It was ended by this signal, which this crate did not send.
    Signaled(i32),
    /// It was still running at its deadline and was killed.
    TimedOut,
    /// It was still running when the caller gave up and was killed, or was not started any more.
    Aborted,
    /// It never ran.
    NotStarted(StartError),
}

/// Whether the descendants of a program are gone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cleanup {
    /// None is left, as certainly as the level promises (see [`Containment`]).
    Confirmed,
    /// Within [`kill_wait`](crate::Limits::kill_wait) not all of them were found, killed and dead.
    /// That goes on in the background as long as the calling process lives, and after that in the
    /// supervisor unless something keeps it stopped (see [`Containment`]).
    Late,
    /// They were killed as far as they could be found, and the level cannot prove that none is
    /// left: the level is `Group`, or something killed the supervisor.
    Unproven,
}

/// The head of an output stream.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Captured {
    /// The first bytes, at most as many as the limit. Any bytes; not necessarily text.
    pub bytes: Vec<u8>,
    /// How many bytes were written in all, as far as they were read.
    pub total: u64,
}

impl Captured {
    /// Whether more was written than kept.
    pub fn truncated(&self) -> bool {
        u64::try_from(self.bytes.len()).is_ok_and(|kept| kept < self.total)
    }

    /// Keeps what still fits below `limit` and counts the rest.
    pub(crate) fn take(&mut self, chunk: &[u8], limit: usize) {
        let room = limit.saturating_sub(self.bytes.len());
        self.bytes.extend(chunk.iter().take(room));
        self.total = self.total.saturating_add(chunk.len() as u64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn capture_keeps_the_head_and_counts_the_rest() {
        let mut captured = Captured::default();
        captured.take(b"abc", 4);
        assert!(!captured.truncated());
        captured.take(b"def", 4);
        assert_eq!(
            (captured.bytes.as_slice(), captured.total),
            (&b"abcd"[..], 6)
        );
        assert!(captured.truncated());
    }
}
