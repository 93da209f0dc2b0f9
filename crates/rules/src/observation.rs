//! The facts about the world that a judgement may look at. This crate never looks itself: what is
//! not given here does not exist for a rule.

use camino::Utf8Path;
use jiff::Timestamp;

use crate::effect::Canonical;

/// What is known about the world when a call is judged.
#[derive(Clone, Copy)]
pub struct Observation<'a> {
    /// The project's root, absolute.
    pub project: &'a Utf8Path,
    /// The home directory of the person, for `~`.
    pub home: Option<&'a Utf8Path>,
    /// The clock.
    pub now: Timestamp,
    /// The environment variables that rules may see: names and values.
    pub env: &'a [(String, String)],
    /// The file system.
    pub files: &'a dyn Files,
}

/// Looks at the file system. Every answer is bounded in time and size, and none is an error: what
/// cannot be told is a value.
pub trait Files: Sync {
    /// Follows the symbolic links of an absolute path as the kernel does, as far as it exists: a
    /// `..` after a link leads to the parent of the link's target. Missing last components are kept.
    ///
    /// Links below `/proc/<pid>/`, `/proc/self` and `/dev/fd` are
    /// [`MagicLink`](crate::Unresolvable::MagicLink) and are not followed. A regular file with more
    /// than one name is [`Shared`](Canonical::Shared).
    fn canonical(&self, path: &Utf8Path) -> Canonical;

    /// Whether names that differ only in case, or in the way in which accents are composed, are the
    /// same file there. `None` where that cannot be told.
    fn folds_names(&self, path: &Utf8Path) -> Option<bool>;

    /// The content of a script, at most [`MAX_SCRIPT_BYTES`] of UTF-8, and its digest.
    fn script(&self, path: &Utf8Path) -> Option<ScriptFile>;

    /// Whether a directory is there. `None` where that cannot be told.
    fn is_directory(&self, path: &Utf8Path) -> Option<bool>;
}

/// Largest script that is looked into, in bytes.
pub const MAX_SCRIPT_BYTES: usize = 64 * 1024;

/// A script in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScriptFile {
    /// Its content.
    pub text: String,
    /// `sha256:` and the digest of the content.
    pub digest: String,
}

/// A file system about which nothing can be told: every path is what it says. For policies that are
/// tried without the machine on which a call was made, as in replay.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoFiles;

impl Files for NoFiles {
    fn canonical(&self, path: &Utf8Path) -> Canonical {
        let clean = crate::paths::clean(Utf8Path::new("/"), path.as_str());
        match crate::paths::magic_link(&clean) {
            Some(why) => Canonical::Unknown(why),
            None => Canonical::Known(clean),
        }
    }

    fn folds_names(&self, _path: &Utf8Path) -> Option<bool> {
        Some(false)
    }

    fn script(&self, _path: &Utf8Path) -> Option<ScriptFile> {
        None
    }

    fn is_directory(&self, _path: &Utf8Path) -> Option<bool> {
        None
    }
}
