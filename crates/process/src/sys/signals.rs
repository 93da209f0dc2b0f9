//! Signals of this process: masks of its threads, and the one disposition that can be chosen.

use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::ptr;

/// Blocks every signal in the calling thread, for good. Processes it creates start that way.
pub(super) fn block_all() {
    // SAFETY: the set is filled before it is read; masks of a thread concern that thread only.
    unsafe {
        let mut set = MaybeUninit::<libc::sigset_t>::zeroed();
        libc::sigfillset(set.as_mut_ptr());
        libc::pthread_sigmask(libc::SIG_SETMASK, set.as_ptr(), ptr::null_mut());
    }
}

/// Makes a write beyond the limit of file sizes (`RLIMIT_FSIZE`, as `ulimit -f` sets it) fail with
/// `EFBIG` instead of ending this process by SIGXFSZ.
///
/// For programs that have to answer whatever happens; to be called once, at the start of `main`.
/// It concerns the whole process. Programs that [`run()`](crate::run()) starts get the default
/// disposition all the same, others that the process starts inherit this one.
pub fn ignore_file_size_signal() {
    // SAFETY: no handler is installed. It cannot fail: the signal exists and may be ignored.
    unsafe { libc::signal(libc::SIGXFSZ, libc::SIG_IGN) };
}

/// Keeps SIGPIPE from the calling thread while it lives: writing to a program that does not read
/// is normal, and the process around this crate may not ignore that signal.
pub(crate) struct SigpipeBlocked {
    before: libc::sigset_t,
    /// A mask belongs to its thread.
    _thread: PhantomData<*const ()>,
}

impl SigpipeBlocked {
    pub(crate) fn new() -> Self {
        let mut before = MaybeUninit::<libc::sigset_t>::zeroed();
        // SAFETY: the set is initialized before it is read, and all-zero bytes are a set too.
        let before = unsafe {
            let set = sigpipe();
            libc::pthread_sigmask(libc::SIG_BLOCK, &raw const set, before.as_mut_ptr());
            before.assume_init()
        };
        Self {
            before,
            _thread: PhantomData,
        }
    }
}

impl Drop for SigpipeBlocked {
    fn drop(&mut self) {
        // SAFETY: only initialized sets are read; a pending SIGPIPE of this thread is taken off
        // before the former mask would deliver it, unless the caller had it blocked as well.
        unsafe {
            if libc::sigismember(&raw const self.before, libc::SIGPIPE) == 0 {
                let set = sigpipe();
                let now = libc::timespec {
                    tv_sec: 0,
                    tv_nsec: 0,
                };
                libc::sigtimedwait(&raw const set, ptr::null_mut(), &raw const now);
            }
            libc::pthread_sigmask(libc::SIG_SETMASK, &raw const self.before, ptr::null_mut());
        }
    }
}

/// The set of SIGPIPE alone.
fn sigpipe() -> libc::sigset_t {
    let mut set = MaybeUninit::<libc::sigset_t>::zeroed();
    // SAFETY: `sigemptyset` initializes the set.
    unsafe {
        libc::sigemptyset(set.as_mut_ptr());
        libc::sigaddset(set.as_mut_ptr(), libc::SIGPIPE);
        set.assume_init()
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::c_int;
    use std::sync::atomic::{AtomicU32, Ordering};

    use rustix::io::{Errno, write};

    use super::*;

    static CAUGHT: AtomicU32 = AtomicU32::new(0);

    extern "C" fn catch(_: c_int) {
        CAUGHT.fetch_add(1, Ordering::Relaxed);
    }

    fn is_pending() -> bool {
        let mut set = sigpipe();
        // SAFETY: the set is initialized, before and after the call.
        unsafe {
            libc::sigpending(&raw mut set);
            libc::sigismember(&raw const set, libc::SIGPIPE) == 1
        }
    }

    #[test]
    fn a_sigpipe_meets_neither_a_handler_nor_is_it_taken_from_the_caller() {
        let handler: extern "C" fn(c_int) = catch;
        // SAFETY: the handler does nothing but count.
        unsafe { libc::signal(libc::SIGPIPE, handler as libc::sighandler_t) };
        let (reader, writer) = rustix::pipe::pipe().unwrap();
        drop(reader);
        let fail = || assert_eq!(write(&writer, b"x"), Err(Errno::PIPE));
        let caught = || CAUGHT.load(Ordering::Relaxed);

        let blocked = SigpipeBlocked::new();
        fail();
        assert!(is_pending());
        drop(blocked);
        assert!(!is_pending() && caught() == 0);

        // A caller that blocks it itself keeps what is pending.
        let callers = SigpipeBlocked::new();
        let blocked = SigpipeBlocked::new();
        fail();
        drop(blocked);
        assert!(is_pending());
        drop(callers);
        assert_eq!(caught(), 0);

        fail();
        assert_eq!(caught(), 1);
    }
}
