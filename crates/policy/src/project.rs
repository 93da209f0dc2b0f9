//! Which project a directory belongs to, and who that project is.
//!
//! Reads a few small files of the repository and starts no program. Identity is what trust is tied
//! to, so nothing that a directory merely claims about itself is believed: a link to somebody
//! else's repository does not make a directory part of it.

#![expect(
    clippy::disallowed_methods,
    reason = "reads the files that say whose project a folder is"
)]

use std::fmt;
use std::fs;
use std::io;

use camino::{Utf8Path, Utf8PathBuf};
use serde::{Deserialize, Serialize};

use crate::file;

/// Largest repository link file that is read, in bytes.
const MAX_LINK_BYTES: u64 = 16 * 1024;

/// Who a project is: `git:<canonical common directory>`, shared by all linked work trees of a
/// repository, or `folder:<canonical path>`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ProjectIdentity(String);

impl ProjectIdentity {
    /// The identity of a repository by its canonical common directory.
    pub fn git(common_dir: &Utf8Path) -> Self {
        Self(format!("git:{common_dir}"))
    }

    /// The identity of a directory outside of any repository.
    pub fn folder(path: &Utf8Path) -> Self {
        Self(format!("folder:{path}"))
    }

    /// The identity as it is stored and hashed.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ProjectIdentity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A directory whose hooks are in force, and its identity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Project {
    /// Canonical root: the work tree's, or the directory itself.
    pub root: Utf8PathBuf,
    /// What trust is tied to.
    pub identity: ProjectIdentity,
}

/// A working directory for which no project can be named.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProjectError {
    /// The directory does not exist or cannot be entered.
    #[error("cannot enter the working directory `{path}`: {source}; name a directory that exists")]
    Unreachable {
        /// The directory asked for.
        path: Utf8PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The canonical path is not UTF-8.
    #[error("the path of the working directory `{0}` is not UTF-8; rename the directory")]
    NotUtf8(String),
}

impl Project {
    /// Largest distance to the file system root that is walked, in directories.
    const MAX_ANCESTORS: usize = 1_024;

    /// Finds the project of `cwd`: the nearest directory at or above it that is the root of a git
    /// work tree, else `cwd` itself.
    ///
    /// An ancestor counts only if its `.git` is a directory with `HEAD`, `objects` and `refs` or a
    /// link file to such a directory, so that an empty `.git` hides no hooks further up. The
    /// repository's identity is taken over only from a real `.git` directory, or from a linked work
    /// tree that the repository itself lists; any other `.git` gives the identity of the folder.
    pub fn discover(cwd: &Utf8Path) -> Result<Self, ProjectError> {
        let cwd = canonical(cwd)?;
        let found = cwd
            .ancestors()
            .take(Self::MAX_ANCESTORS)
            .find_map(|dir| Some((dir, repository(dir)?)));
        Ok(match found {
            Some((root, identity)) => Self {
                root: root.to_owned(),
                identity: identity.unwrap_or_else(|| ProjectIdentity::folder(root)),
            },
            None => Self {
                identity: ProjectIdentity::folder(&cwd),
                root: cwd,
            },
        })
    }

    /// Finds the project of a session that is in `cwd`, which may have been removed since: then
    /// the nearest directory above it that still exists counts, so that removing a directory
    /// neither leaves a project's policy nor stops every call.
    pub fn of_session(cwd: &Utf8Path) -> Result<Self, ProjectError> {
        Self::discover(nearest_directory(cwd))
    }

    /// The file that holds the project's hooks.
    pub fn hooks_file(&self) -> Utf8PathBuf {
        self.root.join(Self::DIR).join(Self::HOOKS)
    }

    pub(crate) const DIR: &'static str = ".maka";
    pub(crate) const HOOKS: &'static str = "hooks.json";
}

/// `path` if it is a directory, else the nearest one above it that exists.
pub fn nearest_directory(path: &Utf8Path) -> &Utf8Path {
    let gone = |error: &io::Error| {
        matches!(
            error.kind(),
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
        )
    };
    path.ancestors()
        .find(|dir| match fs::metadata(dir) {
            Ok(metadata) => metadata.is_dir(),
            // A directory that is there and cannot be looked at is not passed over.
            Err(error) => !gone(&error),
        })
        .unwrap_or(path)
}

fn canonical(path: &Utf8Path) -> Result<Utf8PathBuf, ProjectError> {
    let resolved = fs::canonicalize(path).and_then(|resolved| {
        if resolved.is_dir() {
            Ok(resolved)
        } else {
            Err(io::Error::from(io::ErrorKind::NotADirectory))
        }
    });
    let resolved = resolved.map_err(|source| ProjectError::Unreachable {
        path: path.to_owned(),
        source,
    })?;
    Utf8PathBuf::from_path_buf(resolved)
        .map_err(|path| ProjectError::NotUtf8(path.display().to_string()))
}

/// `None`: not a work tree root. `Some(None)`: one, without a repository identity to take over.
#[expect(clippy::option_option, reason = "both levels are described above")]
fn repository(dir: &Utf8Path) -> Option<Option<ProjectIdentity>> {
    let git = dir.join(".git");
    let kind = fs::symlink_metadata(&git).ok()?.file_type();
    if kind.is_dir() {
        return is_git_dir(&git).then(|| Some(ProjectIdentity::git(&git)));
    }
    if kind.is_symlink() && fs::metadata(&git).ok()?.is_dir() {
        return is_git_dir(&git).then_some(None);
    }
    let git_dir = linked_git_dir(dir, &git)?;
    Some(listed_common_dir(&git, &git_dir).map(|common| ProjectIdentity::git(&common)))
}

fn is_git_dir(dir: &Utf8Path) -> bool {
    fs::symlink_metadata(dir.join("HEAD")).is_ok()
        && dir.join("objects").is_dir()
        && dir.join("refs").is_dir()
}

/// The git directory that a `.git` link file names.
fn linked_git_dir(dir: &Utf8Path, link: &Utf8Path) -> Option<Utf8PathBuf> {
    let text = link_text(link)?;
    let target = dir.join(text.strip_prefix("gitdir:")?.trim_start());
    let target = target.canonicalize_utf8().ok()?;
    let is_linked = target.join("commondir").is_file() && target.join("HEAD").exists();
    (is_linked || is_git_dir(&target)).then_some(target)
}

/// The common directory of a linked work tree, if the repository lists that tree as its own.
fn listed_common_dir(link: &Utf8Path, git_dir: &Utf8Path) -> Option<Utf8PathBuf> {
    let common = git_dir.join(link_text(&git_dir.join("commondir"))?);
    let common = common.canonicalize_utf8().ok()?;
    let listed = git_dir.join(link_text(&git_dir.join("gitdir"))?);
    let is_listed = git_dir.parent() == Some(&common.join("worktrees"))
        && is_git_dir(&common)
        && listed.canonicalize_utf8().ok()? == link.canonicalize_utf8().ok()?;
    is_listed.then_some(common)
}

/// The one line of a small regular file.
fn link_text(path: &Utf8Path) -> Option<String> {
    let bytes = file::read_small(path, MAX_LINK_BYTES)?;
    let text = String::from_utf8(bytes).ok()?;
    let line = text.trim_end_matches(['\n', '\r']);
    (!line.is_empty() && !line.contains(['\n', '\0'])).then(|| line.to_owned())
}
