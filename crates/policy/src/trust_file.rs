//! The format of `trust.json`: strict decoding, limits, and encoding.
//!
//! Pure: bytes to records and back. A store with anything odd in it is refused as a whole, since a
//! record that is half understood must not let anything run.

use std::collections::HashSet;

use camino::{Utf8Component, Utf8Path};
use hookward_contract::{DefinitionHash, HookId, Object, SourceKind, objects};
use serde::{Deserialize, Serialize};

use crate::definition::Definition;
use crate::diagnostic::{Code, Diagnostic, Location, Severity, shown};
use crate::hook::Hook;
use crate::pins::{MAX_PINNED_BYTES, Pin};
use crate::project::ProjectIdentity;

/// Most records of a store, and most trusted projects.
pub const MAX_TRUST_RECORDS: usize = 4_096;
/// Largest store, in bytes (4 MiB).
pub const MAX_STORE_BYTES: u64 = 4 * 1024 * 1024;

const VERSION: u32 = 1;

/// One reviewed definition.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TrustRecord {
    /// Hash of [`definition`](Self::definition).
    pub definition_hash: DefinitionHash,
    /// Where the hook comes from.
    pub source: SourceKind,
    /// `user`, or the identity of the hook's project.
    pub project_identity: String,
    /// When it was reviewed, RFC 3339.
    pub trusted_at: String,
    /// Content of its files at review.
    #[serde(deserialize_with = "objects")]
    pub pins: Vec<Pin>,
    /// Its name at review.
    pub hook_id: HookId,
    /// The canonical text of the definition: what a later review compares with, and what is left
    /// of the hook when its file breaks.
    pub definition: String,
}

/// One trusted project.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct WorkspaceRecord {
    /// The project.
    pub project_identity: ProjectIdentity,
    /// When it was trusted, RFC 3339.
    pub trusted_at: String,
}

/// Everything a store holds.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Contents {
    pub(crate) records: Vec<TrustRecord>,
    pub(crate) workspaces: Vec<WorkspaceRecord>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Stored {
    version: u32,
    #[serde(deserialize_with = "objects")]
    records: Vec<TrustRecord>,
    #[serde(deserialize_with = "objects")]
    workspaces: Vec<WorkspaceRecord>,
}

#[derive(Serialize)]
struct Storing<'a> {
    version: u32,
    records: &'a [TrustRecord],
    workspaces: &'a [WorkspaceRecord],
}

impl TrustRecord {
    pub(crate) fn new(hook: &Hook, pins: &[Pin], when: &str) -> Self {
        Self {
            definition_hash: hook.hash.clone(),
            source: hook.source,
            project_identity: hook.owner.clone(),
            trusted_at: when.to_owned(),
            pins: pins.to_vec(),
            hook_id: hook.id.clone(),
            definition: hook.definition.clone(),
        }
    }

    fn check(&self) -> Result<(), String> {
        let definition =
            Definition::from_canonical(&self.definition).map_err(|error| error.to_string())?;
        if DefinitionHash::of_definition(&self.definition) != self.definition_hash {
            return Err("the definition does not have the hash it is stored under".to_owned());
        }
        if definition.source != self.source || definition.owner != self.project_identity {
            return Err("the definition belongs to another source or project".to_owned());
        }
        check_time(&self.trusted_at)?;
        let pins = self.pins.iter().map(|pin| pin.path.as_path());
        check_unique(pins)
            .map_err(|path| format!("the file `{}` is pinned twice", shown(path.as_str())))?;
        self.pins.iter().try_for_each(check_pin)
    }
}

impl Contents {
    pub(crate) fn has_workspace(&self, identity: &ProjectIdentity) -> bool {
        self.workspaces
            .iter()
            .any(|workspace| workspace.project_identity == *identity)
    }

    /// Whether the project was not trusted before.
    pub(crate) fn add_workspace(&mut self, identity: &ProjectIdentity, when: &str) -> bool {
        let is_new = !self.has_workspace(identity);
        if is_new {
            self.workspaces.push(WorkspaceRecord {
                project_identity: identity.clone(),
                trusted_at: when.to_owned(),
            });
        }
        is_new
    }

    /// Adds a record as the latest one; an earlier review of the same definition is replaced.
    pub(crate) fn add_record(&mut self, record: TrustRecord) {
        self.records
            .retain(|old| old.definition_hash != record.definition_hash);
        self.records.push(record);
    }

    fn check(&self) -> Result<(), Problem> {
        if self.records.len().max(self.workspaces.len()) > MAX_TRUST_RECORDS {
            let message = format!("the trust store holds more than {MAX_TRUST_RECORDS} records");
            return Err(Problem(Code::TrustFull, String::new(), message));
        }
        for (index, record) in self.records.iter().enumerate() {
            let pointer = format!("/records/{index}");
            record
                .check()
                .map_err(|problem| Problem(Code::TrustRecord, pointer, problem))?;
        }
        for (index, workspace) in self.workspaces.iter().enumerate() {
            let pointer = format!("/workspaces/{index}");
            check_time(&workspace.trusted_at)
                .map_err(|problem| Problem(Code::TrustRecord, pointer, problem))?;
        }
        let twice = |what: &str| {
            let message = format!("the trust store holds `{}` twice", shown(what));
            Problem(Code::TrustDuplicate, String::new(), message)
        };
        let hashes = self.records.iter().map(|record| &record.definition_hash);
        check_unique(hashes).map_err(|hash| twice(hash.as_str()))?;
        let projects = self
            .workspaces
            .iter()
            .map(|record| &record.project_identity);
        check_unique(projects).map_err(|identity| twice(identity.as_str()))
    }
}

/// Code, pointer and message of what is wrong with a decoded store.
struct Problem(Code, String, String);

/// Reads a store; the problem is boxed because it is large and rare.
pub(crate) fn decode(bytes: &[u8]) -> Result<Contents, Box<Diagnostic>> {
    let help = "repair the file, or set it aside and review your hooks again";
    let Object(stored): Object<Stored> = serde_json::from_slice(bytes).map_err(|error| {
        let at = Location {
            line: u32::try_from(error.line()).unwrap_or(u32::MAX).max(1),
            column: u32::try_from(error.column()).unwrap_or(u32::MAX).max(1),
            pointer: String::new(),
        };
        let message = format!("not a trust store: {}", shown(&error.to_string()));
        Diagnostic::at(&at, Code::TrustSyntax, Severity::Error, message, help)
    })?;
    let wrong = |pointer: String, code, message| {
        let at = Location {
            pointer,
            ..Location::START
        };
        Box::new(Diagnostic::at(&at, code, Severity::Error, message, help))
    };
    if stored.version != VERSION {
        let message = format!("the trust store has version {}, not 1", stored.version);
        return Err(wrong("/version".to_owned(), Code::TrustSyntax, message));
    }
    let contents = Contents {
        records: stored.records,
        workspaces: stored.workspaces,
    };
    match contents.check() {
        Ok(()) => Ok(contents),
        Err(Problem(code, pointer, message)) => Err(wrong(pointer, code, message)),
    }
}

/// Writes a store; refused with the limit that it would exceed.
pub(crate) fn encode(contents: &Contents) -> Result<Vec<u8>, &'static str> {
    if contents.records.len().max(contents.workspaces.len()) > MAX_TRUST_RECORDS {
        return Err("4096 records");
    }
    let storing = Storing {
        version: VERSION,
        records: &contents.records,
        workspaces: &contents.workspaces,
    };
    let mut bytes = serde_json::to_vec_pretty(&storing).map_err(|_| "memory")?;
    bytes.push(b'\n');
    if bytes.len() as u64 > MAX_STORE_BYTES {
        return Err("4 MiB");
    }
    Ok(bytes)
}

fn check_time(text: &str) -> Result<(), String> {
    let time: Result<jiff::Timestamp, _> = text.parse();
    time.map(drop)
        .map_err(|_| format!("`{}` is not an RFC 3339 time", shown(text)))
}

fn check_pin(pin: &Pin) -> Result<(), String> {
    let path = pin.path.as_str();
    let below = path.strip_prefix('/').unwrap_or(path);
    let is_path = !below.is_empty() && !below.contains('\0');
    let climbs = Utf8Path::new(below)
        .components()
        .any(|part| matches!(part, Utf8Component::ParentDir));
    let relative = !pin.path.is_absolute();
    if !is_path || (relative && climbs) {
        return Err(format!("`{}` is no path of a pinned file", shown(path)));
    }
    if pin.size > MAX_PINNED_BYTES {
        return Err(format!("{} is no size of a pinned file", pin.size));
    }
    let is_hex = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    if pin.sha256.len() != 64 || !pin.sha256.bytes().all(is_hex) {
        return Err(format!("`{}` is no SHA-256", shown(&pin.sha256)));
    }
    Ok(())
}

/// The first item that is there twice.
fn check_unique<T: Copy + Eq + std::hash::Hash>(items: impl Iterator<Item = T>) -> Result<(), T> {
    let mut seen = HashSet::new();
    for item in items {
        if !seen.insert(item) {
            return Err(item);
        }
    }
    Ok(())
}
