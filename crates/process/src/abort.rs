//! The request to give up: set once, seen by every waiter, never taken back.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;

use rustix::event::{EventfdFlags, PollFd, PollFlags, Timespec, eventfd, poll};

/// A request to stop what is running, shared by any number of threads.
///
/// It is level-triggered: once [`abort`](Abort::abort) was called, every present and future waiter
/// sees it. Clones share one state. Waiters poll the descriptor from [`AsFd`] for readability and
/// must never read from it.
#[derive(Debug, Clone)]
pub struct Abort {
    event: Arc<OwnedFd>,
}

impl Abort {
    /// A request that was not made yet.
    ///
    /// # Errors
    /// The operating system's error when no descriptor is left.
    pub fn new() -> io::Result<Self> {
        let event = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?;
        Ok(Self {
            event: Arc::new(event),
        })
    }

    /// Makes the request. Calling it again changes nothing.
    pub fn abort(&self) {
        // The only failure is a counter at its maximum, and that one is readable as well.
        let _ = rustix::io::write(&*self.event, &1_u64.to_ne_bytes());
    }

    /// Whether the request was made.
    pub fn is_aborted(&self) -> bool {
        let mut entry = [PollFd::new(&*self.event, PollFlags::IN)];
        let now = Timespec::default();
        loop {
            match poll(&mut entry, Some(&now)) {
                Err(rustix::io::Errno::INTR) => {}
                ready => return ready.is_ok_and(|count| count > 0),
            }
        }
    }
}

/// The descriptor that becomes and stays readable once the request was made.
impl AsFd for Abort {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.event.as_fd()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stays_set_for_every_clone() {
        let abort = Abort::new().unwrap();
        let other = abort.clone();
        assert!(!abort.is_aborted() && !other.is_aborted());
        other.abort();
        other.abort();
        for _ in 0..3 {
            assert!(abort.is_aborted() && other.is_aborted());
        }
    }
}
