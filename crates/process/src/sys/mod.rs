//! The only place with unsafe code: creating the supervisor process, what runs inside of it until
//! the program is executed, and signal masks.
//!
//! The supervisor is created with `CLONE_VM` and without `CLONE_THREAD`: a process of its own that
//! runs on this process's memory, with its own descriptors, signal handlers, session and, by
//! level, namespaces. It is therefore as cheap as a thread at any size of the caller, and it is
//! bound by the rules of code between fork and exec: system calls only, no allocation, no lock, no
//! panic, no destructor, nothing that uses thread-local storage.

#![allow(unsafe_code)]

mod leader;
mod plan;
mod raw;
mod signals;
mod spawner;
mod stack;
mod supervisor;

pub(crate) use plan::{Message, Plan, Stdio, TERMINATE};
pub(crate) use signals::SigpipeBlocked;
pub use signals::ignore_file_size_signal;
pub(crate) use spawner::{Child, WaitStatus, spawn};

/// Lowest number that a descriptor for the supervisor may have before the start: it arranges its
/// own below this one.
pub(crate) const FIRST_FREE_FD: i32 = supervisor::CONTROL + 1;
