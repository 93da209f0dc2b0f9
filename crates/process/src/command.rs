//! What to run and within which bounds.

use std::path::Path;
use std::time::Duration;

use crate::Containment;

/// One program to run. Nothing is inherited from the calling process: what is not in here does not
/// reach the program.
#[derive(Debug, Clone, Copy)]
pub struct Command<'a> {
    /// The executable. A path, never looked up in `PATH`; a relative one is relative to `cwd`.
    pub program: &'a Path,
    /// The arguments after the program's own name, passed as they are, without a shell.
    pub args: &'a [String],
    /// The working directory of the program.
    pub cwd: &'a Path,
    /// The complete environment, in this order.
    pub env: &'a [(String, String)],
    /// Everything the program can read from its stdin, which is closed after the last byte.
    pub stdin: &'a [u8],
    /// Bounds in time and size.
    pub limits: Limits,
    /// How descendants are held together. It is applied as given or the start fails; there is no
    /// silent fall to a weaker level. See [`strongest`](crate::strongest).
    pub containment: Containment,
}

/// Bounds of one run. A duration too large for the clock means no bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// From the start of the process to SIGTERM.
    pub timeout: Duration,
    /// From SIGTERM to SIGKILL after a timeout. It ends early when nothing is left to kill, which
    /// cannot be seen at the `Group` level.
    pub grace: Duration,
    /// How long outputs are still read after the program ended while a descendant holds them open.
    pub drain: Duration,
    /// How long the answer waits for processes that do not die of SIGKILL.
    pub kill_wait: Duration,
    /// How many bytes of stdout are kept, from its start. The rest is read, counted and dropped.
    pub stdout: usize,
    /// How many bytes of stderr are kept, from its start. The rest is read, counted and dropped.
    pub stderr: usize,
}

impl Default for Limits {
    /// Timeout 3 s (source A, "Version 1", `timeoutMs`), grace 200 ms, drain 100 ms, kill wait
    /// 1 s, 64 KiB of stdout, 16 KiB of stderr.
    fn default() -> Self {
        Self {
            timeout: Duration::from_secs(3),
            grace: Duration::from_millis(200),
            drain: Duration::from_millis(100),
            kill_wait: Duration::from_secs(1),
            stdout: 64 * 1024,
            stderr: 16 * 1024,
        }
    }
}
