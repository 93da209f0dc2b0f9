//! Paths as text: absolute and lexically clean forms, and links that mean another file to everyone.

use std::borrow::Cow;

use camino::{Utf8Path, Utf8PathBuf};
use caseless::Caseless;
use unicode_normalization::UnicodeNormalization;

use crate::effect::Unresolvable;

/// `path` against `base`, with `.`, `..` and doubled slashes taken out lexically.
///
/// `base` is absolute. A `..` above the root is dropped, as the kernel does.
pub(crate) fn clean(base: &Utf8Path, path: &str) -> Utf8PathBuf {
    let mut clean = String::with_capacity(base.as_str().len() + path.len() + 1);
    if !path.starts_with('/') {
        push_clean(&mut clean, base.as_str());
    }
    push_clean(&mut clean, path);
    if clean.is_empty() {
        clean.push('/');
    }
    Utf8PathBuf::from(clean)
}

/// Adds the names of `path`, each with a slash before it.
fn push_clean(clean: &mut String, path: &str) {
    for name in path.split('/') {
        match name {
            "" | "." => {}
            ".." => clean.truncate(clean.rfind('/').unwrap_or(0)),
            name => {
                clean.push('/');
                clean.push_str(name);
            }
        }
    }
}

/// Whether a clean path is `base` or below it.
pub(crate) fn is_within(path: &Utf8Path, base: &Utf8Path) -> bool {
    let (path, base) = (path.as_str(), base.as_str().trim_end_matches('/'));
    path.strip_prefix(base)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Whether a clean path goes through a link that means another file to every process
/// (`/proc/self/…`, `/proc/<pid>/…`, `/dev/fd/…`, `/dev/stdin` and its kin).
pub fn magic_link(path: &Utf8Path) -> Option<Unresolvable> {
    let mut parts = path.as_str().split('/').skip(1);
    let magic = match (parts.next(), parts.next(), parts.next()) {
        (Some("proc"), Some("self" | "thread-self"), _) | (Some("dev"), Some("fd"), Some(_)) => {
            true
        }
        (Some("proc"), Some(pid), Some("root" | "cwd" | "fd" | "exe" | "map_files" | "task")) => {
            pid.bytes().all(|byte| byte.is_ascii_digit())
        }
        _ => false,
    };
    magic.then_some(Unresolvable::MagicLink)
}

/// The form in which names are equal on file systems that fold them: accents composed in one way,
/// full case folding (`ß` is `ss`), as ext4 and APFS do it.
pub(crate) fn fold(text: &str) -> Cow<'_, str> {
    if !text.is_ascii() {
        return Cow::Owned(text.nfd().default_case_fold().nfd().collect());
    }
    if text.bytes().any(|byte| byte.is_ascii_uppercase()) {
        return Cow::Owned(text.to_ascii_lowercase());
    }
    Cow::Borrowed(text)
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
