//! Tells whether this process runs below a hook. A hook that starts an agent must not have that
//! agent's calls start hooks again: the loop lies outside of any single process, and so does its
//! guard. The mark is an ancestor that supervises a hook, not an environment variable, which
//! whoever starts a process could set in order to be left alone.

use std::os::unix::fs::MetadataExt as _;

use hookward_process::SUPERVISOR_NAME;

/// Most ancestors that are looked at.
const MAX_ANCESTORS: usize = 64;

/// Whether an ancestor of this process supervises a running hook.
///
/// Reads `/proc`; where an ancestor cannot be read the walk ends there. Any process can take a
/// supervisor's name, so an ancestor whose program can be seen to be another one is none.
pub fn below_running_hook() -> bool {
    let mut pid = "self".to_owned();
    for _ in 0..MAX_ANCESTORS {
        let Some((name, parent)) = stat(&pid) else {
            return false;
        };
        if name == SUPERVISOR_NAME && !runs_another_program(&pid) {
            return true;
        }
        if parent == "0" {
            return false;
        }
        pid = parent;
    }
    false
}

/// Whether the program of a process can be seen, and is not this one. That of a supervisor in a
/// user namespace cannot be seen from below it.
fn runs_another_program(pid: &str) -> bool {
    let program = |pid: &str| std::fs::metadata(format!("/proc/{pid}/exe"));
    match (program(pid), program("self")) {
        (Ok(theirs), Ok(own)) => (theirs.dev(), theirs.ino()) != (own.dev(), own.ino()),
        _ => false,
    }
}

/// The name and the parent of a process, from `/proc/<pid>/stat`.
fn stat(pid: &str) -> Option<(String, String)> {
    let text = std::fs::read(format!("/proc/{pid}/stat")).ok()?;
    let text = String::from_utf8_lossy(&text);
    // The name stands in parentheses and may hold any character, parentheses included.
    let (name, rest) = text.split_once('(')?.1.rsplit_once(')')?;
    let parent = rest.split_ascii_whitespace().nth(1)?;
    Some((name.to_owned(), parent.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_has_readable_ancestors_and_none_of_them_is_a_hook() {
        let (_, parent) = stat("self").unwrap();
        assert_eq!(parent, std::os::unix::process::parent_id().to_string());
        assert!(!below_running_hook());
    }
}
