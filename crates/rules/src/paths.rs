//! Paths as text: absolute and lexically clean forms, and links that mean another file to everyone.

use camino::{Utf8Component, Utf8Path, Utf8PathBuf};
use caseless::Caseless;
use unicode_normalization::UnicodeNormalization;

use crate::effect::Unresolvable;

/// `path` against `base`, with `.`, `..` and doubled slashes taken out lexically.
///
/// `base` is absolute. A `..` above the root is dropped, as the kernel does.
pub(crate) fn clean(base: &Utf8Path, path: &str) -> Utf8PathBuf {
    let mut clean = Utf8PathBuf::from("/");
    for component in base.join(path).components() {
        match component {
            Utf8Component::ParentDir => {
                clean.pop();
            }
            Utf8Component::Normal(name) => clean.push(name),
            Utf8Component::CurDir | Utf8Component::RootDir | Utf8Component::Prefix(_) => {}
        }
    }
    clean
}

/// Whether a clean path goes through a link that means another file to every process
/// (`/proc/self/…`, `/proc/<pid>/…`, `/dev/fd/…`, `/dev/stdin` and its kin).
pub fn magic_link(path: &Utf8Path) -> Option<Unresolvable> {
    let mut parts = path.as_str().split('/').skip(1);
    let magic = match (parts.next(), parts.next(), parts.next()) {
        (Some("proc"), Some("self" | "thread-self"), _) => true,
        (Some("proc"), Some(pid), Some("root" | "cwd" | "fd" | "exe" | "map_files" | "task")) => {
            pid.bytes().all(|byte| byte.is_ascii_digit())
        }
        (Some("dev"), Some("fd"), Some(_)) => true,
        _ => false,
    };
    magic.then_some(Unresolvable::MagicLink)
}

/// The form in which names are equal on file systems that fold them: accents composed in one way,
/// full case folding (`ß` is `ss`), as ext4 and APFS do it.
pub(crate) fn fold(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    text.nfd().default_case_fold().nfd().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lexical_forms() {
        for (base, path, expected) in [
            ("/w", "a", "/w/a"),
            ("/w", "/a//b/./c", "/a/b/c"),
            ("/w/x", "../../../a", "/a"),
            ("/w", "", "/w"),
            ("/w", ".", "/w"),
        ] {
            assert_eq!(clean(Utf8Path::new(base), path), expected, "{base} {path}");
        }
    }

    /// Case B156: magic links are told from ordinary files.
    #[test]
    fn b156_magic_links_are_recognised() {
        for path in [
            "/proc/self/root/w/keep/.env",
            "/proc/self/cwd/.env",
            "/proc/1234/root/x",
            "/dev/fd/9",
            "/proc/thread-self/fd/3",
        ] {
            assert!(magic_link(Utf8Path::new(path)).is_some(), "{path}");
        }
        for path in [
            "/proc/cpuinfo",
            "/dev/null",
            "/dev/fd",
            "/w/proc/self/root",
            "/proc/12/status",
        ] {
            assert!(magic_link(Utf8Path::new(path)).is_none(), "{path}");
        }
    }
}
