//! A fresh cgroup (version 2) for one run.
//!
//! Never reuses a cgroup: one that was killed once kills everything that is cloned into it. Never
//! touches a cgroup that another living process made.

use std::io::{self, ErrorKind};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use std::{fs, process, thread};

use crate::procfs::{self, start_time};

/// The start of the names of this crate's cgroups: `hookward-NAMESPACE-PID-STARTTIME-NUMBER`. A
/// process id says something only in its PID namespace.
const PREFIX: &str = "hookward-";
/// How deep cgroups that members have made are removed.
const MAX_DEPTH: u32 = 64;
/// How often an ending cgroup is looked at.
const ROUND: Duration = Duration::from_millis(1);

/// The cgroup of one run.
#[derive(Debug)]
pub(crate) struct Cgroup {
    directory: PathBuf,
}

impl Cgroup {
    /// Makes a cgroup below the own one.
    ///
    /// # Errors
    /// `NotFound` without a cgroup v2, else what the operating system refuses.
    pub(crate) fn create() -> io::Result<Self> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let pid = process::id();
        let start = start_time(pid)?;
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("{PREFIX}{}-{pid}-{start}-{number}", namespace()?);
        let directory = own_directory()?.join(name);
        fs::create_dir(&directory)?;
        Ok(Self { directory })
    }

    /// The file to which a process writes `0` to enter.
    pub(crate) fn procs(&self) -> PathBuf {
        self.directory.join("cgroup.procs")
    }

    /// Kills every member.
    pub(crate) fn kill(&self) {
        // It fails only when the cgroup is gone.
        let _ = fs::write(self.directory.join("cgroup.kill"), "1");
    }

    /// Kills until no member lives and removes the cgroup. False when that is not so by `until`;
    /// without that bound it goes on.
    pub(crate) fn remove(&self, until: Option<Instant>) -> bool {
        loop {
            match remove_tree(&self.directory, MAX_DEPTH) {
                Ok(()) => return true,
                Err(error) if error.kind() == ErrorKind::NotFound => return true,
                Err(_) if until.is_some_and(|until| Instant::now() >= until) => return false,
                Err(_) => {
                    self.kill();
                    thread::sleep(ROUND);
                }
            }
        }
    }
}

/// Removes a cgroup and those that members have made below it.
fn remove_tree(directory: &Path, depth: u32) -> io::Result<()> {
    match fs::remove_dir(directory) {
        Err(error) if error.kind() != ErrorKind::NotFound && depth > 0 => {
            for entry in fs::read_dir(directory)? {
                let entry = entry?;
                if entry.file_type()?.is_dir() {
                    remove_tree(&entry.path(), depth - 1)?;
                }
            }
            fs::remove_dir(directory)
        }
        result => result,
    }
}

/// Ends and removes what was left by processes that no longer live.
pub(crate) fn sweep() {
    // Numbers of another namespace say nothing of who lives here.
    if !procfs::is_own() {
        return;
    }
    let Ok(entries) = own_directory().and_then(fs::read_dir) else {
        return;
    };
    for entry in entries.flatten() {
        if entry.file_name().to_str().is_some_and(is_stale) {
            let stale = Cgroup {
                directory: entry.path(),
            };
            stale.kill();
            stale.remove(Some(Instant::now() + 10 * ROUND));
        }
    }
}

/// Whether a name is one of this crate's, from this PID namespace, and the process that gave it is
/// gone. What cannot be found out counts as living.
fn is_stale(name: &str) -> bool {
    let numbers = name.strip_prefix(PREFIX).map(|rest| {
        rest.split('-')
            .map(str::parse)
            .collect::<Result<Vec<u64>, _>>()
    });
    let Some(Ok([home, pid, start, _])) = numbers.as_ref().map(|numbers| numbers.as_deref()) else {
        return false;
    };
    let Ok(pid) = u32::try_from(*pid) else {
        return false;
    };
    let is_gone = match start_time(pid) {
        Ok(found) => found != *start,
        Err(error) => error.kind() == ErrorKind::NotFound,
    };
    is_gone && namespace().is_ok_and(|here| here == *home)
}

/// The number of the PID namespace that `/proc` shows for this process.
fn namespace() -> io::Result<u64> {
    Ok(fs::metadata("/proc/self/ns/pid")?.ino())
}

/// The directory of the cgroup that this process is in.
fn own_directory() -> io::Result<PathBuf> {
    let mounts = fs::read_to_string("/proc/self/mountinfo")?;
    let groups = fs::read_to_string("/proc/self/cgroup")?;
    locate(&mounts, &groups).ok_or_else(|| ErrorKind::NotFound.into())
}

/// Finds the own cgroup v2 directory in the texts of `mountinfo` and `cgroup`.
fn locate(mounts: &str, groups: &str) -> Option<PathBuf> {
    let group = groups.lines().find_map(|line| line.strip_prefix("0::"))?;
    mounts.lines().find_map(|line| {
        // id parent device root mount-point options [optional…] - type source options
        let (left, right) = line.split_once(" - ")?;
        let mut fields = left.split(' ').skip(3);
        let (root, point) = (fields.next()?, fields.next()?);
        let below = Path::new(group).strip_prefix(root).ok()?;
        let is_v2 = right.split(' ').next() == Some("cgroup2");
        is_v2.then(|| Path::new(point).join(below))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOUNTS: &str = "\
24 1 0:22 / /sys/fs/cgroup rw - tmpfs tmpfs rw
30 24 0:27 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu
31 24 0:28 / /sys/fs/cgroup/unified rw,relatime shared:4 - cgroup2 cgroup2 rw
";

    #[test]
    fn own_cgroup_is_found_below_its_mount() {
        let found = locate(MOUNTS, "4:memory:/x\n0::/user.slice/a.scope\n");
        let expected = "/sys/fs/cgroup/unified/user.slice/a.scope";
        assert_eq!(found.as_deref(), Some(Path::new(expected)));
        assert_eq!(locate(MOUNTS, "4:memory:/x\n"), None);
        let elsewhere = MOUNTS.replace(" / /sys/fs/cgroup/unified", " /other /mnt");
        assert_eq!(locate(&elsewhere, "0::/mine\n"), None);
    }

    #[test]
    fn only_cgroups_of_the_dead_are_stale() {
        let (pid, home) = (process::id(), namespace().unwrap());
        let start = start_time(pid).unwrap();
        assert!(!is_stale(&format!("hookward-{home}-{pid}-{start}-0")));
        assert!(is_stale(&format!("hookward-{home}-{pid}-{}-0", start + 1)));
        assert!(is_stale(&format!("hookward-{home}-{}-{start}-0", i32::MAX)));
        let elsewhere = home + 1;
        assert!(!is_stale(&format!(
            "hookward-{elsewhere}-{pid}-{}-0",
            start + 1
        )));
        for other in [
            "hookward-x-1-1-0",
            "hookward-1-2",
            "hookward-",
            "user.slice",
        ] {
            assert!(!is_stale(other), "{other}");
        }
    }
}
