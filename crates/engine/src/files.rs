//! The real file system, as far as rules may look at it: links, kinds of files, short scripts. Reads
//! only; every look is bounded, and none waits for a device or a pipe.

use std::borrow::Cow;
use std::fs::{File, Metadata};
use std::io::{ErrorKind, Read};
use std::os::unix::fs::MetadataExt;

use camino::{Utf8Path, Utf8PathBuf};
use hookward_contract::sha256_hex;
use hookward_rules::{Canonical, Files, MAX_SCRIPT_BYTES, ScriptFile, Unresolvable, magic_link};
use rustix::fs::{Mode, OFlags};

/// Most symbolic links on the way to a file; the kernel's own limit.
const MAX_LINKS: usize = 40;
/// Longest path that is followed, in bytes; the kernel's own limit.
const MAX_PATH_BYTES: usize = 4_096;

/// File systems that fold names whatever their settings: FAT, exFAT, NTFS (two drivers), SMB.
const FOLDING: &[u64] = &[
    0x4d44,
    0x2011_bab0,
    0x5346_544e,
    0x7366_746e,
    0xff53_4d42,
    0xfe53_4d42,
];
/// File systems that show another's files, so that nobody can tell: FUSE, 9p, a virtual
/// machine's folders, HFS+.
const UNCLEAR: &[u64] = &[0x6573_5546, 0x0102_1997, 0x786f_4256, 0x482b];

/// `FS_CASEFOLD_FL`: a folder of ext4, f2fs or tmpfs that folds names.
const CASEFOLD: u32 = 0x4000_0000;

/// The file system of this machine.
#[derive(Debug, Clone, Copy, Default)]
pub struct RealFiles;

impl Files for RealFiles {
    fn canonical(&self, path: &Utf8Path) -> Canonical {
        follow(path).unwrap_or_else(Canonical::Unknown)
    }

    fn folds_names(&self, path: &Utf8Path) -> Option<bool> {
        let directory = path.ancestors().skip(1).find(|parent| parent.is_dir())?;
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let directory = rustix::fs::open(directory.as_std_path(), flags, Mode::empty()).ok()?;
        #[expect(clippy::cast_sign_loss, reason = "a magic number, whatever its type")]
        let kind = rustix::fs::fstatfs(&directory).ok()?.f_type as u64 & 0xffff_ffff;
        if FOLDING.contains(&kind) {
            return Some(true);
        }
        if UNCLEAR.contains(&kind) {
            return None;
        }
        let flags = rustix::fs::ioctl_getflags(&directory);
        Some(flags.is_ok_and(|flags| flags.bits() & CASEFOLD != 0))
    }

    fn script(&self, path: &Utf8Path) -> Option<ScriptFile> {
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC | OFlags::NOCTTY;
        let file = rustix::fs::open(path.as_std_path(), flags, Mode::empty()).ok()?;
        let mut file = File::from(file);
        let metadata = file.metadata().ok()?;
        let limit = MAX_SCRIPT_BYTES as u64;
        if !metadata.is_file() || metadata.len() > limit {
            return None;
        }
        let mut bytes = Vec::new();
        file.by_ref().take(limit + 1).read_to_end(&mut bytes).ok()?;
        if bytes.len() > MAX_SCRIPT_BYTES || bytes.contains(&0) {
            return None;
        }
        let digest = format!("sha256:{}", sha256_hex(&bytes));
        let text = String::from_utf8(bytes).ok()?;
        Some(ScriptFile { text, digest })
    }

    fn is_directory(&self, path: &Utf8Path) -> Option<bool> {
        Some(path.is_dir())
    }
}

/// Follows a path component by component, as the kernel does, and goes on where it ends.
fn follow(path: &Utf8Path) -> Result<Canonical, Unresolvable> {
    if path.as_str().len() > MAX_PATH_BYTES || path.as_str().contains('\0') {
        return Err(Unresolvable::Error);
    }
    let mut real = Utf8PathBuf::from("/");
    let mut ahead: Vec<Cow<'_, str>> = names(path).rev().map(Cow::Borrowed).collect();
    let mut links = 0;
    let mut last = None;
    // Below a component that does not exist nothing needs a look.
    let mut missing = false;
    while let Some(name) = ahead.pop() {
        if name == ".." {
            real.pop();
            continue;
        }
        real.push(&*name);
        if let Some(why) = magic_link(&real) {
            return Err(why);
        }
        if missing {
            continue;
        }
        let metadata = match std::fs::symlink_metadata(&real) {
            Ok(metadata) => metadata,
            Err(error) => {
                match error.kind() {
                    ErrorKind::NotFound | ErrorKind::NotADirectory => {}
                    ErrorKind::PermissionDenied => return Err(Unresolvable::NoPermission),
                    _ => return Err(Unresolvable::Error),
                }
                missing = true;
                last = None;
                continue;
            }
        };
        if metadata.is_symlink() {
            links += 1;
            if links > MAX_LINKS {
                return Err(Unresolvable::Loop);
            }
            let target = std::fs::read_link(&real).map_err(|_| Unresolvable::Error)?;
            let target = Utf8PathBuf::try_from(target).map_err(|_| Unresolvable::Error)?;
            if target.is_absolute() {
                real = Utf8PathBuf::from("/");
            } else {
                real.pop();
            }
            let names = names(&target).rev();
            ahead.extend(names.map(|name| Cow::Owned(name.to_owned())));
            continue;
        }
        last = Some(metadata);
    }
    let is_shared = |metadata: Metadata| metadata.is_file() && metadata.nlink() > 1;
    Ok(if last.is_some_and(is_shared) {
        Canonical::Shared(real)
    } else {
        Canonical::Known(real)
    })
}

fn names(path: &Utf8Path) -> impl DoubleEndedIterator<Item = &str> {
    let names = path.as_str().split('/');
    names.filter(|name| !name.is_empty() && *name != ".")
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn folder() -> (tempfile::TempDir, Utf8PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = Utf8PathBuf::try_from(folder.path().canonicalize().unwrap()).unwrap();
        (folder, path)
    }

    /// Case B154 with a real file system.
    #[test]
    fn b154_real_links() {
        let (_keep, w) = folder();
        std::fs::create_dir_all(w.join("keep")).unwrap();
        std::fs::create_dir_all(w.join("a/b")).unwrap();
        std::fs::write(w.join("file"), "x").unwrap();
        symlink(w.join("keep/new"), w.join("dangling")).unwrap();
        symlink("loop", w.join("loop")).unwrap();
        symlink("a/b", w.join("relative")).unwrap();
        symlink("/proc/self/cwd", w.join("magic")).unwrap();
        std::fs::hard_link(w.join("file"), w.join("other")).unwrap();
        symlink("file", w.join("to-file")).unwrap();
        let known = |path: &str| Canonical::Known(w.join(path));
        for (path, expected) in [
            ("dangling", known("keep/new")),
            ("dangling/x", known("keep/new/x")),
            ("relative/../c", known("a/c")),
            ("a/./b/../../new", known("new")),
            ("keep/missing/../x", known("keep/x")),
            ("loop", Canonical::Unknown(Unresolvable::Loop)),
            ("magic/x", Canonical::Unknown(Unresolvable::MagicLink)),
            ("other", Canonical::Shared(w.join("other"))),
            ("to-file", Canonical::Shared(w.join("file"))),
        ] {
            assert_eq!(RealFiles.canonical(&w.join(path)), expected, "{path}");
        }
        let long = Utf8PathBuf::from(format!("/{}", "x".repeat(5_000)));
        assert_eq!(
            RealFiles.canonical(&long),
            Canonical::Unknown(Unresolvable::Error)
        );
    }

    #[test]
    fn scripts_are_short_regular_text() {
        let (_keep, w) = folder();
        std::fs::write(w.join("s.sh"), "git push").unwrap();
        std::fs::write(w.join("big.sh"), "x".repeat(MAX_SCRIPT_BYTES + 1)).unwrap();
        std::fs::write(w.join("binary"), [0, 1, 2]).unwrap();
        let script = RealFiles.script(&w.join("s.sh")).unwrap();
        assert_eq!(script.text, "git push");
        assert!(script.digest.starts_with("sha256:"));
        for path in ["big.sh", "binary", "missing", ""] {
            assert_eq!(RealFiles.script(&w.join(path)), None, "{path}");
        }
        assert_eq!(RealFiles.script(Utf8Path::new("/dev/zero")), None);
        assert_eq!(RealFiles.is_directory(&w), Some(true));
        assert_eq!(RealFiles.is_directory(&w.join("s.sh")), Some(false));
    }

    #[test]
    fn ordinary_folders_do_not_fold() {
        assert_eq!(RealFiles.folds_names(Utf8Path::new("/proc/x")), Some(false));
    }
}
