//! Runs one child program safely: arguments without a shell, bytes on stdin, a deadline, a bounded
//! capture of both outputs, and containment of everything the program starts.
//!
//! [`run()`] blocks the calling thread until the program and all its descendants are gone, or until
//! the bound for that is over. It needs Linux 5.9 or newer and never forks: the cost of a start
//! does not grow with the memory of the calling process.
//!
//! This crate knows nothing of hooks. It never reads configuration, environment or terminal, never
//! interprets output, never passes on what it was not given, and never signals a process id that
//! may have been reused.

mod abort;
mod cgroup;
mod command;
mod containment;
mod finished;
mod procfs;
mod run;
mod session;
mod start_error;
mod sys;
mod tree;

pub use abort::Abort;
pub use command::{Command, Limits};
pub use containment::{Containment, ParseContainmentError, Probe, probe, strongest};
pub use finished::{Captured, Cleanup, End, Finished};
pub use run::run;
pub use start_error::{NotExecutable, Stage, StartError};
pub use sys::ignore_file_size_signal;

/// The command name (`/proc/PID/comm`) of the supervisor that sits between the calling process and
/// the program. No executed file can have it, since a file name holds no slash, so an ancestor of
/// this name proves that a process runs below [`run()`].
pub const SUPERVISOR_NAME: &str = "hookward/hook";
