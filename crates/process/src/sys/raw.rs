//! System calls without the C library: they report errors by value instead of in `errno`, which
//! the supervisor shares with the spawner thread.
//!
//! Never allocates, locks or panics.

use std::ffi::{CStr, c_char, c_int};
use std::mem::MaybeUninit;
use std::ptr;

use syscalls::{Sysno, syscall};

/// An error number of the operating system.
pub(super) type Errno = i32;
/// A result with the operating system's error number.
pub(super) type Result<T> = std::result::Result<T, Errno>;

/// The size of the kernel's signal sets in bytes.
const SIGSET_BYTES: usize = 8;
/// The highest signal number.
const LAST_SIGNAL: c_int = 64;

fn count(result: std::result::Result<usize, syscalls::Errno>) -> Result<usize> {
    result.map_err(syscalls::Errno::into_raw)
}

fn done(result: std::result::Result<usize, syscalls::Errno>) -> Result<()> {
    count(result).map(|_| ())
}

#[allow(clippy::cast_possible_truncation, clippy::cast_possible_wrap)] // ids and fds are 32 bits
fn number(result: std::result::Result<usize, syscalls::Errno>) -> Result<c_int> {
    count(result).map(|value| value as c_int)
}

pub(super) fn write(fd: c_int, bytes: &[u8]) -> Result<usize> {
    // SAFETY: the kernel only reads the given bytes.
    count(unsafe { syscall!(Sysno::write, fd, bytes.as_ptr(), bytes.len()) })
}

pub(super) fn read(fd: c_int, buffer: &mut [u8]) -> Result<usize> {
    // SAFETY: the kernel writes at most the length of the exclusively borrowed buffer.
    count(unsafe { syscall!(Sysno::read, fd, buffer.as_mut_ptr(), buffer.len()) })
}

pub(super) fn rewind(fd: c_int) -> Result<()> {
    // SAFETY: takes no pointer.
    done(unsafe { syscall!(Sysno::lseek, fd, 0, libc::SEEK_SET) })
}

pub(super) fn open(path: &CStr, flags: c_int) -> Result<c_int> {
    let flags = flags | libc::O_CLOEXEC;
    // SAFETY: the path is a live string that ends in NUL.
    number(unsafe { syscall!(Sysno::openat, libc::AT_FDCWD, path.as_ptr(), flags, 0) })
}

pub(super) fn close(fd: c_int) {
    // SAFETY: takes no pointer; the caller gives up a descriptor of this process's own table.
    let _ = unsafe { syscall!(Sysno::close, fd) };
}

/// Closes all descriptors from `first` to `last`.
pub(super) fn close_range(first: c_int, last: c_int) -> Result<()> {
    // SAFETY: takes no pointer; only this process's own table is concerned.
    done(unsafe { syscall!(Sysno::close_range, first, last, 0) })
}

/// Makes `to` a copy of `from` that survives an exec. The two must differ.
pub(super) fn duplicate(from: c_int, to: c_int) -> Result<()> {
    // SAFETY: takes no pointer; only this process's own table is concerned.
    done(unsafe { syscall!(Sysno::dup3, from, to, 0) })
}

pub(super) fn prctl(option: c_int, argument: usize) -> Result<()> {
    // SAFETY: used with options whose argument is a number, or the address of a static string.
    done(unsafe { syscall!(Sysno::prctl, option, argument, 0, 0, 0) })
}

/// Asks for a signal to this process when the thread that created it ends.
pub(super) fn signal_on_parents_death(signal: c_int) -> Result<()> {
    prctl(libc::PR_SET_PDEATHSIG, signal.unsigned_abs() as usize)
}

pub(super) fn new_session() -> Result<()> {
    // SAFETY: takes no argument.
    done(unsafe { syscall!(Sysno::setsid) })
}

pub(super) fn change_directory(path: &CStr) -> Result<()> {
    // SAFETY: the path is a live string that ends in NUL.
    done(unsafe { syscall!(Sysno::chdir, path.as_ptr()) })
}

/// Executes a program; returns only the error.
///
/// # Safety
/// `argv` and `envp` point to arrays of strings that end in a null pointer.
pub(super) unsafe fn execute(
    program: &CStr,
    argv: *const *const c_char,
    envp: *const *const c_char,
) -> Errno {
    // SAFETY: the caller vouches for the arrays, the program is a string that ends in NUL.
    match unsafe { syscall!(Sysno::execve, program.as_ptr(), argv, envp) } {
        Ok(_) => 0,
        Err(errno) => errno.into_raw(),
    }
}

pub(super) fn own_pid() -> Result<c_int> {
    // SAFETY: takes no argument.
    number(unsafe { syscall!(Sysno::getpid) })
}

pub(super) fn kill(pid: c_int, signal: c_int) -> Result<()> {
    // SAFETY: takes no pointer.
    done(unsafe { syscall!(Sysno::kill, pid, signal) })
}

/// Reaps one child: `pid`, or any for -1. `Ok((0, _))` when `WNOHANG` is set and none has ended.
pub(super) fn wait(pid: c_int, flags: c_int) -> Result<(c_int, c_int)> {
    let mut status: c_int = 0;
    let flags = flags | libc::__WALL;
    // SAFETY: the kernel writes one integer to the exclusively borrowed status.
    let result = unsafe { syscall!(Sysno::wait4, pid, &raw mut status, flags, 0) };
    number(result).map(|pid| (pid, status))
}

/// The wait status of the child `pid` if it has ended. It stays a zombie, so its number stays its
/// own.
pub(super) fn peek(pid: c_int) -> Option<c_int> {
    let mut info = MaybeUninit::<libc::siginfo_t>::zeroed();
    let flags = libc::WEXITED | libc::WNOWAIT | libc::WNOHANG | libc::__WALL;
    // SAFETY: the kernel writes one siginfo to the exclusively borrowed memory.
    unsafe { syscall!(Sysno::waitid, libc::P_PID, pid, info.as_mut_ptr(), flags, 0) }.ok()?;
    // SAFETY: all-zero bytes are a siginfo, and the kernel has filled in its child fields or left
    // the zeroes.
    let (pid, code, status) = unsafe {
        let info = info.assume_init();
        (info.si_pid(), info.si_code, info.si_status())
    };
    match (pid, code) {
        (0, _) => None,
        (_, libc::CLD_EXITED) => Some((status & 0xff) << 8),
        (_, libc::CLD_DUMPED) => Some(status | 0x80),
        _ => Some(status),
    }
}

/// A descriptor that becomes readable when `signal`, which is blocked, is pending.
pub(super) fn signal_descriptor(signal: c_int) -> Result<c_int> {
    let set: u64 = 1 << (signal - 1);
    let new: c_int = -1;
    let flags = libc::SFD_CLOEXEC | libc::SFD_NONBLOCK;
    // SAFETY: the kernel reads a set of the given size.
    number(unsafe { syscall!(Sysno::signalfd4, new, &raw const set, SIGSET_BYTES, flags) })
}

/// Waits until one of the descriptors is ready or the time is over; `None` waits for ever.
pub(super) fn poll(entries: &mut [libc::pollfd], timeout: Option<libc::timespec>) -> Result<()> {
    let timeout = timeout.as_ref().map_or(ptr::null(), ptr::from_ref);
    let (first, length) = (entries.as_mut_ptr(), entries.len());
    // SAFETY: the kernel updates the exclusively borrowed entries; the time is read, or null.
    done(unsafe { syscall!(Sysno::ppoll, first, length, timeout, 0, SIGSET_BYTES) })
}

/// Gives every signal its default disposition.
pub(super) fn default_dispositions() {
    // An all-zero kernel sigaction is SIG_DFL without flags; it is at most this long.
    let action = [0_u64; 8];
    for signal in 1..=LAST_SIGNAL {
        // SAFETY: the kernel reads the zeroed action. SIGKILL and SIGSTOP are refused, rightly.
        let _ = unsafe {
            syscall!(
                Sysno::rt_sigaction,
                signal,
                &raw const action,
                0,
                SIGSET_BYTES
            )
        };
    }
}

/// Blocks no signal.
pub(super) fn unblock_signals() -> Result<()> {
    let none: u64 = 0;
    let set = &raw const none;
    // SAFETY: the kernel reads a set of the given size.
    done(unsafe {
        syscall!(
            Sysno::rt_sigprocmask,
            libc::SIG_SETMASK,
            set,
            0,
            SIGSET_BYTES
        )
    })
}

pub(super) fn exit(code: c_int) -> ! {
    loop {
        // SAFETY: ends this process; runs no handler of the C library.
        let _ = unsafe { syscall!(Sysno::exit_group, code) };
    }
}
