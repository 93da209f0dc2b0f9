//! Signal masks of threads of this process.

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
