//! Stacks for the two processes that run on this process's memory.

use std::ffi::c_void;
use std::io;
use std::ptr::{self, NonNull};
use std::sync::{Mutex, PoisonError};

/// Usable bytes of each stack. What runs on them calls a few functions deep; a build without
/// optimization needs some KiB.
const STACK_BYTES: usize = 64 * 1024;
/// How many unused pairs are kept, since mapping and unmapping costs more than the start itself.
const KEPT: usize = 16;

static UNUSED: Mutex<Vec<Stacks>> = Mutex::new(Vec::new());

/// A pair of stacks, each above a page that cannot be touched.
pub(super) struct Stacks {
    start: NonNull<c_void>,
    half: usize,
}

// SAFETY: plain memory that is owned by the value and bound to no thread.
unsafe impl Send for Stacks {}

impl Stacks {
    /// An unused pair. Fails when the process has no memory left.
    pub(super) fn take() -> io::Result<Self> {
        let unused = UNUSED.lock().unwrap_or_else(PoisonError::into_inner).pop();
        unused.map_or_else(Self::map, Ok)
    }

    /// Makes the pair available again. No process may run on it any more.
    pub(super) fn give_back(self) {
        let mut unused = UNUSED.lock().unwrap_or_else(PoisonError::into_inner);
        if unused.len() < KEPT {
            unused.push(self);
        }
    }

    /// The supervisor's top of stack.
    pub(super) fn supervisor(&self) -> *mut c_void {
        self.at(2 * self.half)
    }

    /// The program's process's top of stack.
    pub(super) fn leader(&self) -> *mut c_void {
        self.at(self.half)
    }

    fn at(&self, offset: usize) -> *mut c_void {
        // SAFETY: all callers stay within, or one past, the mapping of twice `half` bytes.
        unsafe { self.start.byte_add(offset) }.as_ptr()
    }

    fn map() -> io::Result<Self> {
        let page = rustix::param::page_size();
        let half = page + STACK_BYTES.next_multiple_of(page);
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_STACK;
        // SAFETY: a new mapping at an address of the kernel's choice concerns nobody else.
        let start = unsafe { libc::mmap(ptr::null_mut(), 2 * half, protection, flags, -1, 0) };
        let start = match NonNull::new(start) {
            Some(start) if start.as_ptr() != libc::MAP_FAILED => start,
            _ => return Err(io::Error::last_os_error()),
        };
        let stacks = Self { start, half };
        for guard in [stacks.at(0), stacks.at(half)] {
            // SAFETY: the page is the lowest of one half of the new mapping.
            if unsafe { libc::mprotect(guard, page, libc::PROT_NONE) } != 0 {
                return Err(io::Error::last_os_error());
            }
        }
        Ok(stacks)
    }
}

impl Drop for Stacks {
    fn drop(&mut self) {
        // SAFETY: the mapping is owned by this value, and no process runs on it any more.
        unsafe { libc::munmap(self.start.as_ptr(), 2 * self.half) };
    }
}
