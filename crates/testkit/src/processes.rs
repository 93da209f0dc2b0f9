//! What runs on this machine, as `/proc` shows it.

use std::fs;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

/// A text that no other test, run or process uses; letters, digits and dashes.
pub fn unique_marker() -> String {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_nanos());
    format!("marker-{}-{now}-{number}-end", std::process::id())
}

/// The ids of all processes, other than the calling one, that have the marker in their arguments.
/// Zombies have no arguments and are not among them.
pub fn survivors(marker: &str) -> Vec<u32> {
    let myself = std::process::id();
    let marker = marker.as_bytes();
    fs::read_dir("/proc")
        .expect("/proc is readable")
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .filter(|pid| *pid != myself)
        .filter(|pid| {
            fs::read(format!("/proc/{pid}/cmdline"))
                .is_ok_and(|arguments| arguments.windows(marker.len()).any(|part| part == marker))
        })
        .collect()
}

/// How many children of the calling process have ended and were not waited for.
pub fn zombie_children() -> usize {
    let myself = std::process::id().to_string();
    fs::read_dir("/proc")
        .expect("/proc is readable")
        .filter_map(|entry| fs::read_to_string(entry.ok()?.path().join("stat")).ok())
        .filter(|stat| {
            // After the command name, which may hold anything: state, then parent.
            let mut fields = stat
                .rsplit(')')
                .next()
                .unwrap_or("")
                .split_ascii_whitespace();
            fields.next() == Some("Z") && fields.next() == Some(myself.as_str())
        })
        .count()
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};

    use super::*;

    #[test]
    fn a_survivor_and_a_zombie_are_seen() {
        let marker = unique_marker();
        assert_ne!(marker, unique_marker());
        let mut child = Command::new("/bin/sh")
            .args(["-c", "read -r line", &marker])
            .stdin(Stdio::piped())
            .spawn()
            .unwrap();
        // A process has no arguments for a moment after it was started.
        while survivors(&marker).is_empty() {
            std::thread::yield_now();
        }
        assert_eq!(survivors(&marker), [child.id()]);
        let before = zombie_children();
        drop(child.stdin.take());
        while zombie_children() == before {
            std::thread::yield_now();
        }
        assert_eq!(survivors(&marker), [] as [u32; 0]);
        child.wait().unwrap();
        assert_eq!(zombie_children(), before);
    }
}
