//! Content pins: what the files that a hook names held when it was reviewed.
//!
//! Files inside the project or the State Root are enforced, since an agent can edit them there.
//! Files elsewhere, such as an interpreter that gets updated, are compared on request only.

use std::io::{self, Read};
use std::path::Path;

use camino::{Utf8Path, Utf8PathBuf};
use hookward_contract::SourceKind;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::file;
use crate::hook::Hook;
use crate::project::Project;
use crate::state_root::StateRoot;

/// Largest file that is pinned, in bytes (256 MiB).
pub const MAX_PINNED_BYTES: u64 = 256 * 1024 * 1024;

/// The content of one file at review.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pin {
    /// Relative to the project root for files of a project's hook inside it, so that it holds in
    /// every work tree; else absolute.
    pub path: Utf8PathBuf,
    /// SHA-256 of the content, 64 lower-case hex digits.
    pub sha256: String,
}

/// A file that has to be pinned and cannot be.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PinError {
    /// The file cannot be read.
    #[error("cannot read `{path}`, which the hook names: {source}; make it readable to you")]
    Unreadable {
        /// The file.
        path: Utf8PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Over [`MAX_PINNED_BYTES`].
    #[error("`{0}`, which the hook names, is larger than 256 MiB; pass a smaller file")]
    TooLarge(Utf8PathBuf),
}

/// A file that a hook names as its program or as an argument.
struct NamedFile<'a> {
    path: &'a Utf8Path,
    /// The path under which it is stored.
    key: Utf8PathBuf,
}

/// Where an agent can edit files: pins there are enforced.
#[derive(Debug, Clone)]
pub(crate) struct Zone {
    root: Utf8PathBuf,
    state: Vec<Utf8PathBuf>,
}

impl Zone {
    pub(crate) fn new(project: &Project, state_root: &StateRoot) -> Self {
        let written = state_root.path().to_owned();
        let canonical = written.canonicalize_utf8().ok();
        Self {
            root: project.root.clone(),
            state: std::iter::once(written).chain(canonical).collect(),
        }
    }

    /// Whether a path is in the zone by its letters or by what it resolves to.
    fn covers(&self, path: &Utf8Path) -> bool {
        self.contains(path.as_std_path())
            || path
                .canonicalize()
                .is_ok_and(|resolved| self.contains(&resolved))
    }

    fn contains(&self, path: &Path) -> bool {
        path.starts_with(&self.root) || self.state.iter().any(|dir| path.starts_with(dir))
    }

    /// The program and every argument that is an absolute path, whether they exist or not.
    fn named_files<'a>(&self, hook: &'a Hook) -> Vec<NamedFile<'a>> {
        let mut files: Vec<NamedFile<'a>> = Vec::new();
        for path in hook.words().filter(|path| path.is_absolute()) {
            let inside = match hook.source {
                SourceKind::User => None,
                _ => path.strip_prefix(&self.root).ok(),
            };
            let key = inside.unwrap_or(path).to_owned();
            if !files.iter().any(|file| file.key == key) {
                files.push(NamedFile { path, key });
            }
        }
        files
    }

    /// Every file that decides whether a hook with these pins is as it was reviewed.
    pub(crate) fn watched(&self, hook: &Hook, pins: &[Pin]) -> Vec<Utf8PathBuf> {
        let named = self.named_files(hook).into_iter();
        let named = named.map(|file| file.path.to_owned());
        let copies = pins.iter().filter(|pin| !pin.path.is_absolute());
        named
            .chain(copies.map(|pin| self.root.join(&pin.path)))
            .collect()
    }

    /// The pins to record for a hook as its files are now. Outside of the zone, a file that cannot
    /// be read is left out.
    pub(crate) fn record(&self, hook: &Hook) -> Result<Vec<Pin>, PinError> {
        let mut pins = Vec::new();
        for NamedFile { path, key } in self.named_files(hook) {
            match digest(path) {
                Ok(Some(sha256)) => pins.push(Pin { path: key, sha256 }),
                Err(error) if self.covers(path) => return Err(error),
                Ok(None) | Err(_) => {}
            }
        }
        Ok(pins)
    }

    /// Whether a recorded pin is of an enforced file.
    pub(crate) fn enforces(&self, pin: &Pin) -> bool {
        !pin.path.is_absolute() || self.covers(&pin.path)
    }

    /// The first enforced file that is not as the hook's pins have it.
    pub(crate) fn first_change(&self, hook: &Hook) -> Option<Utf8PathBuf> {
        let pins = &hook.pins;
        let files = self.named_files(hook);
        let named = files.iter().find(|file| {
            let pin = find_pin(file, pins);
            let enforced = self.covers(file.path) || pin.is_some_and(|pin| !pin.path.is_absolute());
            enforced && !holds(pin, digest(file.path))
        });
        if let Some(file) = named {
            return Some(file.path.to_owned());
        }
        // A copy in this work tree, where the hook runs that of another: an altered one shows that
        // the trees differ in what they enforce. One that is not there is no difference.
        pins.iter()
            .filter(|pin| !pin.path.is_absolute())
            .map(|pin| (pin, self.root.join(&pin.path)))
            .filter(|(_, path)| files.iter().all(|file| file.path != path))
            .find(|(pin, path)| {
                let found = digest(path);
                !matches!(found, Ok(None)) && !holds(Some(pin), found)
            })
            .map(|(_, path)| path)
    }

    /// Files outside of the zone that differ from the pins.
    pub(crate) fn outside_changes<'a>(&self, hook: &'a Hook) -> Vec<&'a Utf8Path> {
        let files = self.named_files(hook);
        let differing = files.into_iter().filter(|file| {
            let pin = find_pin(file, &hook.pins);
            pin.is_some() && !self.covers(file.path) && !holds(pin, digest(file.path))
        });
        differing.map(|file| file.path).collect()
    }
}

/// The pin of a file: under its own key, or under the one it has in another work tree.
fn find_pin<'p>(file: &NamedFile<'_>, pins: &'p [Pin]) -> Option<&'p Pin> {
    let by_key = pins.iter().find(|pin| pin.path == file.key);
    by_key
        .or_else(|| pins.iter().find(|pin| pin.path == file.path))
        .or_else(|| {
            let of_tree = |pin: &&Pin| !pin.path.is_absolute() && file.path.ends_with(&pin.path);
            pins.iter().find(of_tree)
        })
}

/// Whether a file is as its pin has it: a file that was absent at review is still absent.
fn holds(pin: Option<&Pin>, found: Result<Option<String>, PinError>) -> bool {
    match (pin, found) {
        (Some(pin), Ok(Some(sha256))) => pin.sha256 == sha256,
        (None, Ok(None)) => true,
        _ => false,
    }
}

/// SHA-256 of a regular file, links followed; `None` if the path names none.
fn digest(path: &Utf8Path) -> Result<Option<String>, PinError> {
    let unreadable = |source| PinError::Unreadable {
        path: path.to_owned(),
        source,
    };
    let Some(file) = file::open_regular(path).map_err(unreadable)? else {
        return Ok(None);
    };
    let mut reader = file.take(MAX_PINNED_BYTES + 1);
    let (mut hasher, mut length) = (Sha256::new(), 0_u64);
    let mut buffer = vec![0; 64 * 1024];
    loop {
        let count = match reader.read(&mut buffer) {
            Ok(0) => break,
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(unreadable(error)),
        };
        hasher.update(buffer.get(..count).unwrap_or_default());
        length += count as u64;
    }
    if length > MAX_PINNED_BYTES {
        return Err(PinError::TooLarge(path.to_owned()));
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
    Ok(Some(hex))
}
