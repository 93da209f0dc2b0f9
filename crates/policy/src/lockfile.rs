//! A list of reviewed hooks that a person hands to machines where nobody can be asked.
//!
//! It names definitions without the identity of the project they are from, so that it holds in any
//! checkout; what a machine trusts by it is still tied to that machine's project.

use std::io::{self, Read};

use camino::{Utf8Path, Utf8PathBuf};
use hookward_contract::{HookId, Object, SourceKind, objects};
use serde::{Deserialize, Serialize};

use crate::definition::Definition;
use crate::diagnostic::shown;
use crate::file;
use crate::pins::Pin;
use crate::snapshot::Snapshot;
use crate::trust::Review;
use crate::trust_file::MAX_STORE_BYTES;

const VERSION: u32 = 1;

/// One reviewed hook: everything that a review looks at, but for the project's identity.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LockedHook {
    /// Its name.
    pub hook_id: HookId,
    /// Where it comes from.
    pub source: SourceKind,
    /// The canonical text of its definition, with the source's name in place of the owner.
    pub definition: String,
    /// Content of its enforced files.
    #[serde(deserialize_with = "objects")]
    pub pins: Vec<Pin>,
}

/// The list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lockfile {
    version: u32,
    #[serde(deserialize_with = "objects")]
    hooks: Vec<LockedHook>,
}

/// A list that cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LockfileError {
    /// It cannot be read, or is no regular file of at most [`MAX_STORE_BYTES`].
    #[error("cannot read the lockfile `{path}`: {source}")]
    Unreadable {
        /// The file.
        path: Utf8PathBuf,
        /// What is wrong.
        source: io::Error,
    },
    /// It is not a list of this version.
    #[error("`{path}` is not a lockfile: {problem}; write one with `hookward trust --export`")]
    Invalid {
        /// The file.
        path: Utf8PathBuf,
        /// What is wrong, with its place.
        problem: String,
    },
}

impl Lockfile {
    /// A list of these hooks.
    pub fn new(hooks: Vec<LockedHook>) -> Self {
        Self {
            version: VERSION,
            hooks,
        }
    }

    /// Reads a list from a file.
    pub fn read(path: &Utf8Path) -> Result<Self, LockfileError> {
        let text = read_text(path).map_err(|source| LockfileError::Unreadable {
            path: path.to_owned(),
            source,
        })?;
        let invalid = |problem: String| LockfileError::Invalid {
            path: path.to_owned(),
            problem,
        };
        let Object(list): Object<Self> =
            serde_json::from_str(&text).map_err(|error| invalid(shown(&error.to_string())))?;
        if list.version == VERSION {
            Ok(list)
        } else {
            Err(invalid(format!("its version is {}", list.version)))
        }
    }

    /// The hooks of the list.
    pub fn hooks(&self) -> &[LockedHook] {
        &self.hooks
    }

    /// Whether exactly this hook, content of its files included, is in the list.
    pub fn allows(&self, hook: &LockedHook) -> bool {
        self.hooks.contains(hook)
    }

    /// The text of the file.
    pub fn to_text(&self) -> String {
        // Strings and integers always have a JSON form.
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }
}

impl Snapshot {
    /// A reviewed hook as a lockfile names it: with the content of its files that the review saw.
    pub fn lock(&self, review: &Review) -> LockedHook {
        let hook = review.hook();
        let definition = Definition::from_canonical(&hook.definition).map(|definition| {
            let owner = hook.source.as_str().to_owned();
            Definition {
                owner,
                ..definition
            }
        });
        let zone = self.zone();
        let enforced = review.pins().iter().filter(|pin| zone.enforces(pin));
        LockedHook {
            hook_id: hook.id.clone(),
            source: hook.source,
            // The text of a loaded hook is canonical; should it not be, it equals itself alone.
            definition: definition.map_or_else(|_| hook.definition.clone(), |it| it.canonical()),
            pins: enforced.cloned().collect(),
        }
    }
}

fn read_text(path: &Utf8Path) -> io::Result<String> {
    let file = file::open_regular(path)?.ok_or_else(|| io::Error::other("not a regular file"))?;
    let mut text = String::new();
    file.take(MAX_STORE_BYTES + 1).read_to_string(&mut text)?;
    if text.len() as u64 > MAX_STORE_BYTES {
        return Err(io::Error::other("larger than 4 MiB"));
    }
    Ok(text)
}
