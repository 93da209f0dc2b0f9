//! Content pins: what the files that a hook names held when it was reviewed.
//!
//! Files inside the project or the State Root are enforced, since an agent can edit them there.
//! Files elsewhere, such as an interpreter that gets updated, are compared on request only. Nothing
//! here reads a file itself.

use std::io;
use std::path::Path;

use camino::{Utf8Path, Utf8PathBuf};
use hookward_contract::SourceKind;
use serde::{Deserialize, Serialize};

use crate::content::Files;
use crate::handler::CommandHandler;
use crate::hook::Hook;
use crate::project::Project;
use crate::state_root::StateRoot;

/// Largest file that is pinned, in bytes (256 MiB).
pub const MAX_PINNED_BYTES: u64 = 256 * 1024 * 1024;

/// Most interpreters of interpreters that are followed; the system follows as many.
const MAX_INTERPRETERS: usize = 5;

/// The content of one file at review.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pin {
    /// Relative to the project root for files of a project's hook inside it, so that it holds in
    /// every work tree; else absolute.
    pub path: Utf8PathBuf,
    /// Its size in bytes, at most [`MAX_PINNED_BYTES`]: a file of another size is not read.
    pub size: u64,
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

/// A file that decides what a hook does.
struct NamedFile {
    path: Utf8PathBuf,
    /// The path under which it is stored.
    key: Utf8PathBuf,
    /// Whether the hook itself names it, rather than the first line of a script.
    by_hook: bool,
}

/// Where an agent can edit files: pins there are enforced.
#[derive(Debug, Clone)]
pub(crate) struct Zone {
    root: Utf8PathBuf,
    state: Vec<Utf8PathBuf>,
}

impl Zone {
    #[expect(
        clippy::disallowed_methods,
        reason = "follows links: a zone is a place, not a name"
    )]
    pub(crate) fn new(project: &Project, state_root: &StateRoot) -> Self {
        let written = state_root.path().to_owned();
        let canonical = written.canonicalize_utf8().ok();
        Self {
            root: project.root.clone(),
            state: std::iter::once(written).chain(canonical).collect(),
        }
    }

    /// Whether a path is in the zone by its letters or by what it resolves to.
    #[expect(
        clippy::disallowed_methods,
        reason = "follows links: a zone is a place, not a name"
    )]
    fn covers(&self, path: &Utf8Path) -> bool {
        self.contains(path.as_std_path())
            || path
                .canonicalize()
                .is_ok_and(|resolved| self.contains(&resolved))
    }

    fn contains(&self, path: &Path) -> bool {
        path.starts_with(&self.root) || self.state.iter().any(|dir| path.starts_with(dir))
    }

    /// The program and every argument that is an absolute path, whether they exist or not, each with
    /// what the first lines of scripts name: an interpreter decides what its script does.
    fn named_files(&self, hook: &Hook, files: &mut Files) -> Vec<NamedFile> {
        let mut named: Vec<NamedFile> = Vec::new();
        let mut name = |path: &Utf8Path, by_hook| {
            let inside = match hook.source {
                SourceKind::User => None,
                _ => path.strip_prefix(&self.root).ok(),
            };
            let key = inside.unwrap_or(path).to_owned();
            if let Some(known) = named.iter_mut().find(|file| file.key == key) {
                known.by_hook |= by_hook;
            } else {
                let path = path.to_owned();
                named.push(NamedFile { path, key, by_hook });
            }
        };
        let words = hook.command().into_iter().flat_map(CommandHandler::words);
        for path in words.filter(|path| path.is_absolute()) {
            name(path, true);
            let mut script = path.to_owned();
            for _ in 0..MAX_INTERPRETERS {
                let line = files.first_line(&script);
                for path in line {
                    name(path, false);
                }
                let Some(interpreter) = line.first() else {
                    break;
                };
                script = interpreter.clone();
            }
        }
        named
    }

    /// Looks at every file that decides whether a hook with these pins is as it was reviewed, and
    /// reads no more than first lines.
    pub(crate) fn look_at(&self, hook: &Hook, pins: &[Pin], files: &mut Files) {
        for file in self.named_files(hook, files) {
            files.first_line(&file.path);
        }
        for copy in pins.iter().filter(|pin| !pin.path.is_absolute()) {
            files.first_line(&self.root.join(&copy.path));
        }
    }

    /// The pins to record for a hook as its files are now. Outside of the zone, a file that cannot
    /// be read is left out, and so is what only a first line names.
    pub(crate) fn record(&self, hook: &Hook, files: &mut Files) -> Result<Vec<Pin>, PinError> {
        let mut pins = Vec::new();
        for file in self.named_files(hook, files) {
            let NamedFile { path, key, by_hook } = file;
            if !by_hook && !self.covers(&path) {
                continue;
            }
            match files.pin(&path) {
                Ok(Some((size, sha256))) => pins.push(Pin {
                    path: key,
                    size,
                    sha256,
                }),
                Err(error) if self.covers(&path) => return Err(error),
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
    pub(crate) fn first_change(&self, hook: &Hook, files: &mut Files) -> Option<Utf8PathBuf> {
        let pins = &hook.pins;
        let named = self.named_files(hook, files);
        let differing = named.iter().find(|file| {
            let pin = find_pin(file, &named, pins);
            let enforced =
                self.covers(&file.path) || pin.is_some_and(|pin| !pin.path.is_absolute());
            enforced && !files.holds(&file.path, pin)
        });
        if let Some(file) = differing {
            return Some(file.path.clone());
        }
        // A copy in this work tree, where the hook runs that of another: an altered one shows that
        // the trees differ in what they enforce. One that is not there is no difference.
        pins.iter()
            .filter(|pin| !pin.path.is_absolute())
            .map(|pin| (pin, self.root.join(&pin.path)))
            .filter(|(_, path)| named.iter().all(|file| file.path != *path))
            .find(|(pin, path)| !files.holds(path, None) && !files.holds(path, Some(pin)))
            .map(|(_, path)| path)
    }

    /// Files outside of the zone that differ from the pins.
    pub(crate) fn outside_changes(&self, hook: &Hook, files: &mut Files) -> Vec<Utf8PathBuf> {
        let named = self.named_files(hook, files);
        let differing = named.iter().filter(|file| {
            let pin = find_pin(file, &named, &hook.pins);
            pin.is_some() && !self.covers(&file.path) && !files.holds(&file.path, pin)
        });
        differing.map(|file| file.path.clone()).collect()
    }
}

/// The pin of a file: under its own key, or under the one it has in another work tree. The latter is
/// a guess by the end of the path; a pin that belongs to another of the named files is none.
fn find_pin<'p>(file: &NamedFile, named: &[NamedFile], pins: &'p [Pin]) -> Option<&'p Pin> {
    let by_key = pins.iter().find(|pin| pin.path == file.key);
    by_key
        .or_else(|| pins.iter().find(|pin| pin.path == file.path))
        .or_else(|| {
            let of_another = |pin: &Pin| {
                named.iter().any(|other| {
                    let closer = other.by_hook && !file.by_hook;
                    other.key == pin.path || (closer && other.path.ends_with(&pin.path))
                })
            };
            pins.iter().find(|pin| {
                !pin.path.is_absolute() && file.path.ends_with(&pin.path) && !of_another(pin)
            })
        })
}
