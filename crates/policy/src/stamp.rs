//! What tells that a file may have changed, for the price of one `stat`. Never its content.

#![expect(
    clippy::disallowed_methods,
    reason = "asks the file system whether a file changed"
)]

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;

use camino::Utf8Path;

/// The state of one path. Equal stamps mean an unchanged file, up to the
/// granularity of the file system's clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Stamp {
    Absent,
    Unreadable(Option<i32>),
    File {
        device: u64,
        inode: u64,
        size: u64,
        modified: (i64, i64),
        changed: (i64, i64),
    },
}

impl Stamp {
    pub(crate) fn of(meta: &fs::Metadata) -> Self {
        Self::File {
            device: meta.dev(),
            inode: meta.ino(),
            size: meta.size(),
            modified: (meta.mtime(), meta.mtime_nsec()),
            changed: (meta.ctime(), meta.ctime_nsec()),
        }
    }

    /// The stamp of what a path names, links followed.
    pub(crate) fn following(path: &Utf8Path) -> Self {
        Self::of_result(fs::metadata(path))
    }

    /// The stamp of a path's last component itself.
    pub(crate) fn not_following(path: &Utf8Path) -> Self {
        Self::of_result(fs::symlink_metadata(path))
    }

    fn of_result(result: io::Result<fs::Metadata>) -> Self {
        match result {
            Ok(meta) => Self::of(&meta),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Self::Absent,
            Err(error) => Self::Unreadable(error.raw_os_error()),
        }
    }

    /// Device and inode of an existing file.
    pub(crate) fn identity(&self) -> Option<(u64, u64)> {
        match self {
            Self::File { device, inode, .. } => Some((*device, *inode)),
            _ => None,
        }
    }
}

/// Who may replace the files of a directory; what is in it does not matter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    Absent,
    /// There is something that cannot be looked at, such as a link that leads nowhere.
    Unknown,
    Of {
        device: u64,
        inode: u64,
        owner: u32,
        mode: u32,
    },
}

impl Access {
    /// Access to what a path names, links followed.
    pub(crate) fn to(path: &Utf8Path) -> Self {
        match fs::metadata(path) {
            Ok(meta) => Self::Of {
                device: meta.dev(),
                inode: meta.ino(),
                owner: meta.uid(),
                mode: meta.mode(),
            },
            Err(error)
                if error.kind() == io::ErrorKind::NotFound && dangling_link(path).is_none() =>
            {
                Self::Absent
            }
            Err(_) => Self::Unknown,
        }
    }
}

/// The link that leads nowhere on the way to a path that does not exist.
pub(crate) fn dangling_link(path: &Utf8Path) -> Option<&Utf8Path> {
    let nearest = path
        .ancestors()
        .find(|part| fs::symlink_metadata(part).is_ok());
    nearest.filter(|part| fs::metadata(part).is_err())
}
