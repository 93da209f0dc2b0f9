//! One limit for all handlers of a process: first in, first out, and a wait in the queue ends at
//! once when the call is aborted. It never looks at what it admits.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use hookward_process::Abort;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;

/// Admits a bounded number of handlers at a time.
#[derive(Debug)]
pub(crate) struct Limiter {
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    free: usize,
    queue: VecDeque<Arc<Ticket>>,
}

/// A place in the queue. `granted` is raised when the place has become a permit.
#[derive(Debug)]
struct Ticket {
    granted: Abort,
}

/// The right to run one handler; given back when dropped.
#[derive(Debug)]
pub(crate) struct Permit<'a> {
    limiter: &'a Limiter,
    /// How long the handler waited for it.
    pub(crate) waited: Duration,
}

/// Why a handler was not admitted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum NotAdmitted {
    /// The call was aborted before or while it waited.
    #[error("the call was aborted in the queue")]
    Aborted,
    /// The process has no file descriptor left to wait on.
    #[error("no file descriptor is left to wait in the queue")]
    Exhausted,
}

impl Limiter {
    /// A limiter that admits `limit` handlers at a time, at least one.
    pub(crate) fn new(limit: usize) -> Self {
        let state = State {
            free: limit.max(1),
            queue: VecDeque::new(),
        };
        Self {
            state: Mutex::new(state),
        }
    }

    /// The limiter that every gate of this process shares: `max(8, 2 × cores)`.
    pub(crate) fn process_wide() -> &'static Self {
        static SHARED: OnceLock<Limiter> = OnceLock::new();
        SHARED.get_or_init(|| {
            let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
            Self::new((2 * cores).max(8))
        })
    }

    /// Waits for a permit.
    ///
    /// # Errors
    ///
    /// [`NotAdmitted::Aborted`] as soon as `abort` is raised; the place in the queue is given up.
    pub(crate) fn acquire(&self, abort: &Abort) -> Result<Permit<'_>, NotAdmitted> {
        let start = Instant::now();
        if abort.is_aborted() {
            return Err(NotAdmitted::Aborted);
        }
        let entered = self.lock().enter()?;
        let waited = match entered {
            None => Duration::ZERO,
            Some(ticket) => {
                wait_for_either(&ticket.granted, abort);
                self.lock().settle(&ticket, abort)?;
                start.elapsed()
            }
        };
        Ok(Permit {
            limiter: self,
            waited,
        })
    }

    /// How many wait.
    #[cfg(any(test, feature = "fuzzing"))]
    pub(crate) fn queued(&self) -> usize {
        self.lock().queue.len()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        // The state is consistent between any two statements that could panic.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Each of these is one step under the lock; nothing else changes the state.
impl State {
    /// Takes a permit (`None`) or a place in the queue.
    fn enter(&mut self) -> Result<Option<Arc<Ticket>>, NotAdmitted> {
        if self.free > 0 {
            self.free -= 1;
            return Ok(None);
        }
        let granted = Abort::new().map_err(|_| NotAdmitted::Exhausted)?;
        let ticket = Arc::new(Ticket { granted });
        self.queue.push_back(Arc::clone(&ticket));
        Ok(Some(ticket))
    }

    /// Ends the wait of a ticket that was granted or whose call was aborted. An abort wins, and
    /// hands on a permit that came in the same instant.
    fn settle(&mut self, ticket: &Arc<Ticket>, abort: &Abort) -> Result<(), NotAdmitted> {
        if !abort.is_aborted() {
            return Ok(());
        }
        let mut queue = self.queue.iter();
        match queue.position(|waiting| Arc::ptr_eq(waiting, ticket)) {
            Some(place) => drop(self.queue.remove(place)),
            None => self.release(),
        }
        Err(NotAdmitted::Aborted)
    }

    fn release(&mut self) {
        match self.queue.pop_front() {
            Some(next) => next.granted.abort(),
            None => self.free += 1,
        }
    }
}

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        self.limiter.lock().release();
    }
}

fn wait_for_either(granted: &Abort, abort: &Abort) {
    while !granted.is_aborted() && !abort.is_aborted() {
        let mut fds = [
            PollFd::new(granted, PollFlags::IN),
            PollFd::new(abort, PollFlags::IN),
        ];
        match poll(&mut fds, None) {
            Ok(_) | Err(Errno::INTR) => {}
            // A poll that cannot work must not spin at full speed.
            Err(_) => std::thread::sleep(Duration::from_millis(1)),
        }
    }
}

#[cfg(test)]
mod model;

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    fn abort() -> Abort {
        Abort::new().unwrap()
    }

    #[test]
    fn never_admits_more_than_the_limit() {
        let (limiter, now, most) = (Limiter::new(3), AtomicUsize::new(0), AtomicUsize::new(0));
        let never = abort();
        std::thread::scope(|scope| {
            for _ in 0..16 {
                scope.spawn(|| {
                    for _ in 0..50 {
                        let _permit = limiter.acquire(&never).unwrap();
                        most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                        std::thread::yield_now();
                        now.fetch_sub(1, Ordering::SeqCst);
                    }
                });
            }
        });
        assert!((2..=3).contains(&most.load(Ordering::SeqCst)));
        assert_eq!(limiter.lock().free, 3);
    }

    #[test]
    fn admits_in_order_of_arrival() {
        let (limiter, never) = (Limiter::new(1), abort());
        let order = Mutex::new(Vec::new());
        let first = limiter.acquire(&never).unwrap();
        std::thread::scope(|scope| {
            for number in 0..8 {
                let (limiter, never, order) = (&limiter, &never, &order);
                scope.spawn(move || {
                    let _permit = limiter.acquire(never).unwrap();
                    order.lock().unwrap().push(number);
                });
                while limiter.queued() <= number {
                    std::thread::yield_now();
                }
            }
            drop(first);
        });
        assert_eq!(*order.lock().unwrap(), (0..8).collect::<Vec<_>>());
    }

    #[test]
    fn an_abort_in_the_queue_returns_and_leaks_no_permit() {
        let limiter = Limiter::new(1);
        let held = limiter.acquire(&abort()).unwrap();
        let given_up = abort();
        std::thread::scope(|scope| {
            let waiting: Vec<_> = (0..4)
                .map(|_| scope.spawn(|| limiter.acquire(&given_up).is_err()))
                .collect();
            while limiter.queued() < 4 {
                std::thread::yield_now();
            }
            given_up.abort();
            assert!(waiting.into_iter().all(|thread| thread.join().unwrap()));
        });
        assert_eq!(limiter.queued(), 0);
        drop(held);
        assert!(limiter.acquire(&abort()).is_ok());
    }

    #[test]
    fn grant_racing_an_abort_keeps_the_count() {
        for _ in 0..200 {
            let (limiter, racer) = (Limiter::new(1), abort());
            let held = limiter.acquire(&abort()).unwrap();
            std::thread::scope(|scope| {
                let waiting = scope.spawn(|| drop(limiter.acquire(&racer)));
                while limiter.queued() == 0 && !waiting.is_finished() {
                    std::thread::yield_now();
                }
                let releasing = scope.spawn(move || drop(held));
                racer.abort();
                releasing.join().unwrap();
                waiting.join().unwrap();
            });
            let state = limiter.lock();
            assert_eq!((state.free, state.queue.len()), (1, 0));
        }
    }
}
