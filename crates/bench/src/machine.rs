//! The machine: what it is, how much memory is free, and which of its cores this process runs on.

use std::fmt;
use std::fs;

use rustix::process::Pid;
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
use serde::Serialize;

use crate::error::BenchError;

/// What the numbers were measured on.
#[derive(Debug, Serialize)]
pub(crate) struct Machine {
    cpu: String,
    cores: usize,
    kernel: String,
    memory_mib: u64,
    /// Runnable processes over the last minute when the run began, as the kernel tells it.
    load: String,
    /// How the kernel schedules this process and what it starts.
    scheduling: String,
    containment: String,
    rustc: &'static str,
}

impl Machine {
    /// Looks at this machine. What cannot be read is shown as unknown.
    pub(crate) fn look() -> Self {
        let unknown = || "unknown".to_owned();
        let uname = rustix::system::uname();
        Self {
            cpu: field("/proc/cpuinfo", "model name").unwrap_or_else(unknown),
            cores: std::thread::available_parallelism().map_or(1, std::num::NonZero::get),
            kernel: uname.release().to_string_lossy().into_owned(),
            memory_mib: memory_mib("MemTotal"),
            load: fs::read_to_string("/proc/loadavg")
                .ok()
                .and_then(|text| Some(text.split(' ').next()?.to_owned()))
                .unwrap_or_else(unknown),
            scheduling: scheduling().unwrap_or_else(unknown),
            containment: hookward_process::strongest().to_string(),
            rustc: env!("HOOKWARD_BENCH_RUSTC"),
        }
    }
}

impl fmt::Display for Machine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            cpu,
            cores,
            kernel,
            memory_mib,
            load,
            scheduling,
            containment,
            rustc,
        } = self;
        write!(
            f,
            "{cpu}, {cores} cores, {memory_mib} MiB, Linux {kernel}, load {load}, scheduling \
             {scheduling}, containment {containment}, {rustc}"
        )
    }
}

/// Memory that can be taken without pushing anything out, in MiB; 0 if unknown.
pub(crate) fn available_mib() -> u64 {
    memory_mib("MemAvailable")
}

fn memory_mib(name: &str) -> u64 {
    let kib = field("/proc/meminfo", name);
    kib.and_then(|text| text.split(' ').next()?.parse::<u64>().ok())
        .unwrap_or_default()
        / 1024
}

/// `normal`, or a real-time policy with its priority. A real-time run on a busy machine is as good
/// as one on an idle machine, but for what others do to the caches.
fn scheduling() -> Option<String> {
    let stat = fs::read_to_string("/proc/self/stat").ok()?;
    // Fields are counted after the command name, which may hold blanks.
    let (_, fields) = stat.rsplit_once(')')?;
    let mut fields = fields.split_ascii_whitespace().skip(37);
    let (priority, policy) = (fields.next()?, fields.next()?);
    Some(match policy {
        "0" => "normal".to_owned(),
        "1" => format!("fifo {priority}"),
        "2" => format!("round-robin {priority}"),
        other => format!("policy {other}"),
    })
}

/// The value of the first `name: value` line of a file.
fn field(path: &str, name: &str) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    text.lines().find_map(|line| {
        let (key, value) = line.split_once(':')?;
        (key.trim() == name).then(|| value.trim().to_owned())
    })
}

/// The cores this process may use, and the one it is pinned to when that matters.
#[derive(Debug)]
pub(crate) struct Cores {
    all: CpuSet,
    one: CpuSet,
}

impl Cores {
    /// The cores as they are now. The last of them is the one to be pinned to: the first one
    /// serves most interrupts.
    pub(crate) fn now() -> Result<Self, BenchError> {
        let failed =
            |error: rustix::io::Errno| BenchError::io("asking for the cores")(error.into());
        let all = sched_getaffinity(None).map_err(failed)?;
        let mut one = CpuSet::new();
        if let Some(last) = (0..CpuSet::MAX_CPU).rev().find(|core| all.is_set(*core)) {
            one.set(last);
        }
        Ok(Self { all, one })
    }

    /// Pins every thread to one core. A start is bimodal otherwise: it takes twice as long when
    /// the wake-up goes to the other, idle core.
    pub(crate) fn pin(&self) -> Result<(), BenchError> {
        confine(&self.one)
    }

    /// Lets every thread use all cores again.
    pub(crate) fn release(&self) -> Result<(), BenchError> {
        confine(&self.all)
    }
}

/// The spawner thread has its own affinity, and its children inherit it.
fn confine(cores: &CpuSet) -> Result<(), BenchError> {
    let failed = || BenchError::io("setting the cores of the threads");
    for entry in fs::read_dir("/proc/self/task").map_err(failed())? {
        let name = entry.map_err(failed())?.file_name();
        let id = name
            .to_str()
            .and_then(|name| Pid::from_raw(name.parse().ok()?));
        sched_setaffinity(id, cores).map_err(|error| failed()(error.into()))?;
    }
    Ok(())
}
