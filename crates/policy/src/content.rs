//! What the files that hooks name hold: their state, their first line, their digest.
//!
//! Every file is looked at once, however many hooks name it. What a content means for trust is
//! decided elsewhere.

#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "reads the files that hooks name"
)]

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read};

use camino::{Utf8Path, Utf8PathBuf};
use sha2::{Digest, Sha256};

use crate::file;
use crate::pins::{MAX_PINNED_BYTES, Pin, PinError};
use crate::stamp::Stamp;

/// Longest `#!` line that the system reads, in bytes.
pub(crate) const MAX_SHEBANG_BYTES: u64 = 256;

/// Files as they were when each was first looked at.
#[derive(Debug, Default)]
pub(crate) struct Files {
    seen: HashMap<Utf8PathBuf, Seen>,
    /// SHA-256 by the state of the file that was read, so that links to it share it.
    digests: HashMap<Stamp, String>,
}

#[derive(Debug)]
struct Seen {
    stamp: Stamp,
    first_line: Vec<Utf8PathBuf>,
}

impl Files {
    /// The absolute paths in the `#!` line of a file, the interpreter first; empty if there is no
    /// such line or no such file.
    pub(crate) fn first_line(&mut self, path: &Utf8Path) -> &[Utf8PathBuf] {
        let seen = self.seen.entry(path.to_owned()).or_insert_with(|| Seen {
            // Older than anything that is read of the file: if that changes, the stamp differs.
            stamp: Stamp::following(path),
            first_line: first_line(path),
        });
        &seen.first_line
    }

    /// Every file that was looked at, as it was before any of its content was read.
    pub(crate) fn into_stamps(self) -> Vec<(Utf8PathBuf, Stamp)> {
        let seen = self.seen.into_iter();
        seen.map(|(path, seen)| (path, seen.stamp)).collect()
    }

    /// Size and SHA-256 of a regular file, links followed; `None` if the path names none.
    pub(crate) fn pin(&mut self, path: &Utf8Path) -> Result<Option<(u64, String)>, PinError> {
        let Some((file, stamp, size)) = open(path)? else {
            return Ok(None);
        };
        Ok(Some((size, self.digest(path, file, stamp, size)?)))
    }

    /// Whether a file is as its pin has it; one that was absent at review is still absent. A file
    /// of another size is not read.
    pub(crate) fn holds(&mut self, path: &Utf8Path, pin: Option<&Pin>) -> bool {
        match (pin, open(path)) {
            (None, Ok(None)) => true,
            (Some(pin), Ok(Some((file, stamp, size)))) => {
                let digest = || self.digest(path, file, stamp, size);
                pin.size == size && digest().is_ok_and(|sha256| pin.sha256 == sha256)
            }
            _ => false,
        }
    }

    fn digest(
        &mut self,
        path: &Utf8Path,
        file: File,
        stamp: Stamp,
        size: u64,
    ) -> Result<String, PinError> {
        if let Some(known) = self.digests.get(&stamp) {
            return Ok(known.clone());
        }
        let too_large = || PinError::TooLarge(path.to_owned());
        if size > MAX_PINNED_BYTES {
            return Err(too_large());
        }
        let sha256 = hash(file)
            .map_err(|error| unreadable(path, error))?
            .ok_or_else(too_large)?;
        self.digests.insert(stamp, sha256.clone());
        Ok(sha256)
    }
}

fn unreadable(path: &Utf8Path, source: io::Error) -> PinError {
    PinError::Unreadable {
        path: path.to_owned(),
        source,
    }
}

fn open(path: &Utf8Path) -> Result<Option<(File, Stamp, u64)>, PinError> {
    let unreadable = |error| unreadable(path, error);
    let Some(file) = file::open_regular(path).map_err(unreadable)? else {
        return Ok(None);
    };
    let meta = file.metadata().map_err(unreadable)?;
    Ok(Some((file, Stamp::of(&meta), meta.len())))
}

/// SHA-256 of all of a file; `None` if it grew over [`MAX_PINNED_BYTES`] on the way.
fn hash(file: File) -> io::Result<Option<String>> {
    let mut reader = file.take(MAX_PINNED_BYTES + 1);
    let (mut hasher, mut length) = (Sha256::new(), 0_u64);
    let mut buffer = vec![0; 64 * 1024];
    loop {
        let count = match reader.read(&mut buffer) {
            Ok(0) => break,
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        hasher.update(buffer.get(..count).unwrap_or_default());
        length += count as u64;
    }
    let hex = hasher
        .finalize()
        .iter()
        .fold(String::new(), |mut hex, byte| {
            use std::fmt::Write as _;
            // Writing to a String cannot fail.
            let _ = write!(hex, "{byte:02x}");
            hex
        });
    Ok((length <= MAX_PINNED_BYTES).then_some(hex))
}

fn first_line(path: &Utf8Path) -> Vec<Utf8PathBuf> {
    let head = file::read_head(path, MAX_SHEBANG_BYTES).unwrap_or_default();
    let words = shebang(&head).unwrap_or_default().split([' ', '\t']);
    let paths = words.filter(|word| word.starts_with('/'));
    paths.map(Utf8PathBuf::from).collect()
}

/// The first line of a script after its `#!`, as the system reads it: without blanks around it, and
/// with a carriage return.
pub(crate) fn shebang(head: &[u8]) -> Option<&str> {
    let line = head
        .strip_prefix(b"#!")?
        .split(|byte| *byte == b'\n')
        .next()?;
    Some(std::str::from_utf8(line).ok()?.trim_matches([' ', '\t']))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    /// However many hooks name a file, and by whatever link, its content is read once.
    #[test]
    fn a_file_is_read_once() {
        let folder = tempfile::tempdir().unwrap();
        let base = Utf8Path::from_path(folder.path()).unwrap();
        let (path, link) = (base.join("file"), base.join("link"));
        fs::write(&path, "one").unwrap();
        symlink("file", &link).unwrap();
        let mut files = Files::default();
        let pin = files.pin(&path).unwrap();
        assert_eq!(pin.as_ref().map(|(size, _)| *size), Some(3));
        // A digest that only this cache can have come up with.
        files
            .digests
            .values_mut()
            .for_each(|known| *known = "known".to_owned());
        for path in [&path, &link] {
            assert_eq!(files.pin(path).unwrap(), Some((3, "known".to_owned())));
        }
        let pin = |size| Pin {
            path: path.clone(),
            size,
            sha256: "known".to_owned(),
        };
        assert!(files.holds(&link, Some(&pin(3))));
        assert!(!files.holds(&link, Some(&pin(4))));
        assert!(!files.holds(&link, None));
        fs::write(&path, "other").unwrap();
        assert!(!files.holds(&path, Some(&pin(5))));
        fs::remove_file(&path).unwrap();
        assert!(!files.holds(&path, Some(&pin(5))));
        assert!(files.holds(&path, None));
        assert_eq!(files.digests.len(), 2);
    }

    #[test]
    fn first_lines_as_the_system_reads_them() {
        for (head, expected) in [
            ("#!/bin/sh\n/x", Some("/bin/sh")),
            ("#! \t/bin/sh -e \nx", Some("/bin/sh -e")),
            ("#!/bin/sh\r\n", Some("/bin/sh\r")),
            ("#!", Some("")),
            ("#", None),
            (" #!/bin/sh", None),
            ("", None),
        ] {
            assert_eq!(shebang(head.as_bytes()), expected, "{head:?}");
        }
        assert_eq!(shebang(b"#!/\xff\n"), None);
    }
}
