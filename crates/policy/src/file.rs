//! Reading and replacing policy files without trusting what stands at their paths.
//!
//! A read is bounded, never waits on a pipe or device, and never follows a symbolic link out of
//! the place that was asked for. A write is atomic and durable. Nothing here knows what is in the
//! files.

#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "reads and replaces policy files"
)]

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::fs::MetadataExt;

use camino::{Utf8Path, Utf8PathBuf};
use rustix::fs::{AtFlags, Mode, OFlags, ResolveFlags};
use rustix::io::Errno;

use crate::diagnostic::{Code, Diagnostic};
use crate::stamp::{Stamp, dangling_link};

/// Why a file was not read.
#[derive(Debug)]
pub(crate) struct FileProblem {
    pub(crate) code: Code,
    pub(crate) message: String,
    pub(crate) help: &'static str,
}

impl FileProblem {
    fn new(code: Code, message: String, help: &'static str) -> Self {
        Self {
            code,
            message,
            help,
        }
    }

    fn io(path: &Utf8Path, error: &io::Error) -> Self {
        let message = format!("cannot read `{path}`: {error}");
        Self::new(
            Code::Unreadable,
            message,
            "make the file readable, or remove it",
        )
    }

    /// What is wrong and what to do, in one line.
    pub(crate) fn text(&self) -> String {
        format!("{}; {}", self.message, self.help)
    }

    pub(crate) fn diagnostic(self) -> Diagnostic {
        Diagnostic::of_file(self.code, self.message, self.help)
    }
}

/// Whose files are accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ownership {
    /// Owned by the user or root, writable by nobody else.
    Private,
    /// Anybody's: a project's files belong to whoever wrote the project.
    Any,
}

/// A file name in an open directory.
#[derive(Debug)]
pub(crate) struct Place {
    dir: OwnedFd,
    name: &'static str,
    path: Utf8PathBuf,
}

/// What a regular file held when it was read.
#[derive(Debug)]
pub(crate) struct Content {
    pub(crate) bytes: Vec<u8>,
    pub(crate) stamp: Stamp,
    mode: u32,
}

impl Place {
    /// A file of a directory in which nobody else can replace files, by [`open_private`]; `None` if
    /// there is no such directory.
    pub(crate) fn in_private(
        dir: &Utf8Path,
        name: &'static str,
        path: Utf8PathBuf,
    ) -> Result<Option<Self>, FileProblem> {
        Ok(open_private(dir)?.map(|dir| Self { dir, name, path }))
    }

    /// A file of a sub-directory of `root`, which may be a symbolic link only if it stays below
    /// `root`; `None` if there is no such directory.
    pub(crate) fn beneath(
        root: &Utf8Path,
        sub: &str,
        name: &'static str,
        path: Utf8PathBuf,
    ) -> Result<Option<Self>, FileProblem> {
        match open_beneath(root, sub) {
            Ok(dir) => Ok(Some(Self { dir, name, path })),
            Err(Errno::NOENT) => Ok(None),
            Err(Errno::XDEV | Errno::LOOP) => Err(FileProblem::new(
                Code::Symlink,
                format!("`{root}/{sub}` is a link that leaves the project"),
                "keep the hooks of a project inside it, in a real directory",
            )),
            Err(error) => Err(FileProblem::io(&root.join(sub), &error.into())),
        }
    }

    /// The whole file; `None` if it does not exist.
    pub(crate) fn read(
        &self,
        limit: u64,
        ownership: Ownership,
    ) -> Result<Option<Content>, FileProblem> {
        let file = match rustix::fs::openat(&self.dir, self.name, READ, Mode::empty()) {
            Ok(fd) => File::from(fd),
            Err(Errno::NOENT) => return Ok(None),
            Err(Errno::LOOP) => {
                return Err(FileProblem::new(
                    Code::Symlink,
                    format!("`{}` is a symbolic link", self.path),
                    "put the file itself there: a link can be pointed elsewhere unseen",
                ));
            }
            Err(Errno::NXIO) => return Err(self.not_regular()),
            Err(error) => return Err(FileProblem::io(&self.path, &error.into())),
        };
        let meta = file
            .metadata()
            .map_err(|error| FileProblem::io(&self.path, &error))?;
        self.check(&meta, limit, ownership)?;
        let bytes = read_up_to(file, limit)
            .map_err(|error| FileProblem::io(&self.path, &error))?
            .ok_or_else(|| self.too_large(limit))?;
        Ok(Some(Content {
            bytes,
            stamp: Stamp::of(&meta),
            mode: meta.mode() & 0o777,
        }))
    }

    fn check(
        &self,
        meta: &fs::Metadata,
        limit: u64,
        ownership: Ownership,
    ) -> Result<(), FileProblem> {
        if !meta.is_file() {
            return Err(self.not_regular());
        }
        if ownership == Ownership::Private {
            match others_may_change(meta) {
                None => {}
                Some(Stranger::Owner(owner)) => {
                    return Err(FileProblem::new(
                        Code::UnsafeOwner,
                        format!("`{}` belongs to user {owner}", self.path),
                        "make the file your own: its owner decides what runs",
                    ));
                }
                Some(Stranger::Writer) => {
                    return Err(FileProblem::new(
                        Code::UnsafeOwner,
                        format!("`{}` can be written by group or others", self.path),
                        "run `chmod go-w` on the file and look through its content",
                    ));
                }
            }
        }
        if meta.len() > limit {
            return Err(self.too_large(limit));
        }
        Ok(())
    }

    fn not_regular(&self) -> FileProblem {
        FileProblem::new(
            Code::NotRegular,
            format!("`{}` is not a regular file", self.path),
            "replace it by a regular file, or remove it",
        )
    }

    fn too_large(&self, limit: u64) -> FileProblem {
        FileProblem::new(
            Code::TooLarge,
            format!("`{}` is larger than {limit} bytes", self.path),
            "shorten the file",
        )
    }

    /// Replaces the file as a whole: after a crash there is the old content or the new one. The
    /// caller holds the [`Lock`](crate::lock::Lock). `like` gives the permissions; without it they
    /// are 0600. After an error, what stood there stands there still, and nothing beside it.
    pub(crate) fn replace(&self, bytes: &[u8], like: Option<&Content>) -> io::Result<()> {
        let temporary = format!(".{}.new", self.name);
        // Under the lock, a file of this name is what a writer that died left behind.
        self.unlink(&temporary)?;
        let written = self.write_new(&temporary, bytes, like).and_then(|()| {
            rustix::fs::renameat(&self.dir, &temporary, &self.dir, self.name)?;
            Ok(())
        });
        if let Err(error) = written {
            // What went wrong first is what is told.
            let _ = self.unlink(&temporary);
            return Err(error);
        }
        rustix::fs::fsync(&self.dir)?;
        Ok(())
    }

    fn write_new(&self, name: &str, bytes: &[u8], like: Option<&Content>) -> io::Result<()> {
        let mode = Mode::from_raw_mode(0o600);
        let fd = rustix::fs::openat(&self.dir, name, CREATE_NEW, mode)?;
        let mut file = File::from(fd);
        file.write_all(bytes)?;
        if let Some(content) = like {
            rustix::fs::fchmod(&file, Mode::from_raw_mode(content.mode))?;
        }
        file.sync_all()
    }

    /// Removes a file of the directory, if it is there.
    fn unlink(&self, name: &str) -> io::Result<()> {
        match rustix::fs::unlinkat(&self.dir, name, AtFlags::empty()) {
            Ok(()) | Err(Errno::NOENT) => Ok(()),
            Err(error) => {
                let error = io::Error::from(error);
                let message = format!("cannot remove `{name}` beside it: {error}");
                Err(io::Error::new(error.kind(), message))
            }
        }
    }

    /// Removes the file. Whether it was there. The caller holds the [`Lock`](crate::lock::Lock).
    pub(crate) fn remove(&self) -> io::Result<bool> {
        match rustix::fs::unlinkat(&self.dir, self.name, AtFlags::empty()) {
            Ok(()) => {
                rustix::fs::fsync(&self.dir)?;
                Ok(true)
            }
            Err(Errno::NOENT) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// Moves the file to another name of its directory, which must not exist.
    pub(crate) fn move_aside(&self, name: &str) -> io::Result<()> {
        let flags = rustix::fs::RenameFlags::NOREPLACE;
        rustix::fs::renameat_with(&self.dir, self.name, &self.dir, name, flags)?;
        rustix::fs::fsync(&self.dir)?;
        Ok(())
    }
}

const DIRECTORY: OFlags = OFlags::RDONLY
    .union(OFlags::DIRECTORY)
    .union(OFlags::CLOEXEC);
const READ: OFlags = OFlags::RDONLY
    .union(OFlags::NOFOLLOW)
    .union(OFlags::NONBLOCK)
    .union(OFlags::NOCTTY)
    .union(OFlags::CLOEXEC);
const CREATE_NEW: OFlags = OFlags::WRONLY
    .union(OFlags::CREATE)
    .union(OFlags::EXCL)
    .union(OFlags::NOFOLLOW)
    .union(OFlags::CLOEXEC);

/// Who else decides about a file or directory.
enum Stranger {
    /// Its owner, neither the user nor root.
    Owner(u32),
    /// Its group or everybody, who may write to it.
    Writer,
}

fn others_may_change(meta: &fs::Metadata) -> Option<Stranger> {
    let owner = meta.uid();
    let user = rustix::process::geteuid().as_raw();
    if owner != user && owner != 0 {
        return Some(Stranger::Owner(owner));
    }
    (meta.mode() & 0o022 != 0).then_some(Stranger::Writer)
}

/// Opens a directory that the user or root owns and nobody else may write to, since whoever writes
/// to a directory can replace its files. `None` if nothing is there; a link that leads nowhere is
/// something.
pub(crate) fn open_private(dir: &Utf8Path) -> Result<Option<OwnedFd>, FileProblem> {
    let problem = |code, message, help| Err(FileProblem::new(code, message, help));
    let file = match rustix::fs::open(dir.as_std_path(), DIRECTORY, Mode::empty()) {
        Ok(fd) => File::from(fd),
        Err(Errno::NOENT) => {
            let Some(link) = dangling_link(dir) else {
                return Ok(None);
            };
            let message = format!("`{link}` is a link that leads nowhere");
            let help = "restore the directory that it names, or remove the link";
            return problem(Code::Symlink, message, help);
        }
        Err(Errno::NOTDIR) => {
            let message = format!("`{dir}` is not a directory");
            let help = "move away what stands in place of the directory";
            return problem(Code::Unreadable, message, help);
        }
        Err(error) => return Err(FileProblem::io(dir, &error.into())),
    };
    let meta = file
        .metadata()
        .map_err(|error| FileProblem::io(dir, &error))?;
    match others_may_change(&meta) {
        None => Ok(Some(file.into())),
        Some(Stranger::Owner(owner)) => {
            let message = format!("the directory `{dir}` belongs to user {owner}");
            let help = "make the directory your own, run `chmod 700` on it and look through its \
                        files: its owner could replace them";
            problem(Code::UnsafeOwner, message, help)
        }
        Some(Stranger::Writer) => {
            let message = format!("the directory `{dir}` can be written by group or others");
            let help = "run `chmod 700` on the directory and look through its files: others could \
                        have replaced them";
            problem(Code::UnsafeOwner, message, help)
        }
    }
}

fn open_beneath(root: &Utf8Path, sub: &str) -> rustix::io::Result<OwnedFd> {
    let base = rustix::fs::open(root.as_std_path(), DIRECTORY, Mode::empty())?;
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS;
    // The kernel answers EAGAIN when a directory moved while it looked.
    for _ in 0..8 {
        match rustix::fs::openat2(&base, sub, DIRECTORY, Mode::empty(), resolve) {
            Err(Errno::AGAIN | Errno::INTR) => {}
            // An old kernel, or a filter that refuses what it does not know.
            Err(Errno::NOSYS | Errno::PERM) => return open_checked(root, sub),
            answer => return answer,
        }
    }
    Err(Errno::AGAIN)
}

/// [`open_beneath`] without the kernel's help: resolve, compare, open what was resolved.
fn open_checked(root: &Utf8Path, sub: &str) -> rustix::io::Result<OwnedFd> {
    let errno = |error: io::Error| Errno::from_io_error(&error).unwrap_or(Errno::IO);
    let root = fs::canonicalize(root).map_err(errno)?;
    let dir = fs::canonicalize(root.join(sub)).map_err(errno)?;
    if !dir.starts_with(&root) {
        return Err(Errno::XDEV);
    }
    rustix::fs::open(&dir, DIRECTORY | OFlags::NOFOLLOW, Mode::empty())
}

/// All of a reader's bytes; `None` if there are more than `limit`.
fn read_up_to(reader: impl Read, limit: u64) -> io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    reader.take(limit + 1).read_to_end(&mut bytes)?;
    Ok((bytes.len() as u64 <= limit).then_some(bytes))
}

/// Opens a regular file by a path whose links are followed, without ever waiting; `None` if there
/// is none.
pub(crate) fn open_regular(path: &Utf8Path) -> io::Result<Option<File>> {
    let flags = READ.difference(OFlags::NOFOLLOW);
    let file = match rustix::fs::open(path.as_std_path(), flags, Mode::empty()) {
        Ok(fd) => File::from(fd),
        Err(Errno::NOENT | Errno::NOTDIR | Errno::NXIO | Errno::NAMETOOLONG) => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    Ok(file.metadata()?.is_file().then_some(file))
}

/// A small regular file; `None` if it is none, is larger, or cannot be read.
pub(crate) fn read_small(path: &Utf8Path, limit: u64) -> Option<Vec<u8>> {
    read_up_to(open_regular(path).ok()??, limit).ok()?
}

/// The first bytes of a regular file; `None` if it is none or cannot be read.
pub(crate) fn read_head(path: &Utf8Path, limit: u64) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let file = open_regular(path).ok()??;
    file.take(limit).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    /// What stands in for the kernel's own check has the same answers.
    #[test]
    fn both_ways_of_staying_beneath_a_root_agree() {
        let folder = tempfile::tempdir().unwrap();
        let base = Utf8Path::from_path(folder.path()).unwrap();
        let root = base.join("root");
        fs::create_dir_all(root.join("real")).unwrap();
        fs::create_dir_all(base.join("outside")).unwrap();
        fs::write(root.join("file"), "").unwrap();
        symlink("real", root.join("inner")).unwrap();
        symlink("../outside", root.join("outer")).unwrap();
        symlink(base.join("outside"), root.join("absolute")).unwrap();
        symlink("nowhere", root.join("dangling")).unwrap();
        symlink("loop", root.join("loop")).unwrap();
        for (sub, expected) in [
            ("real", None),
            ("inner", None),
            ("outer", Some(Errno::XDEV)),
            ("absolute", Some(Errno::XDEV)),
            ("dangling", Some(Errno::NOENT)),
            ("absent", Some(Errno::NOENT)),
            ("loop", Some(Errno::LOOP)),
            ("file", Some(Errno::NOTDIR)),
        ] {
            assert_eq!(open_beneath(&root, sub).err(), expected, "{sub}");
            assert_eq!(open_checked(&root, sub).err(), expected, "{sub}, checked");
        }
    }

    /// The last step of a write fails where a directory stands in the file's place.
    #[test]
    fn a_write_that_fails_leaves_nothing_behind() {
        let folder = tempfile::tempdir().unwrap();
        let base = Utf8Path::from_path(folder.path()).unwrap();
        fs::set_permissions(base, fs::Permissions::from_mode(0o700)).unwrap();
        let path = base.join("hooks.json");
        fs::create_dir(&path).unwrap();
        let place = Place::in_private(base, "hooks.json", path).unwrap();
        place.unwrap().replace(b"text", None).unwrap_err();
        let left = fs::read_dir(base).unwrap().map(|entry| entry.unwrap());
        let left: Vec<_> = left.map(|entry| entry.file_name()).collect();
        assert_eq!(left, ["hooks.json"]);
    }
}
