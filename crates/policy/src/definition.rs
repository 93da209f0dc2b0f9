//! The identity of a definition: the canonical text that is hashed, trusted and compared.
//!
//! The text holds every field that matters for what runs and nothing else: no id, no `enabled`, no
//! position. Reading a text back is as strict as the limits of `hooks.json`.

use hookward_contract::{DefinitionHash, EventName, FailureMode, SourceKind};
use serde::Serialize;

use crate::diagnostic::shown;
use crate::limits;
use crate::matcher::Matcher;
use crate::project::ProjectIdentity;

/// Version of the `hooks.json` that holds a hook.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(into = "u8")]
pub enum FormatVersion {
    /// Source A, unchanged.
    V1,
    /// Version 1 and what Hookward adds to it.
    V2,
}

impl FormatVersion {
    /// `1` or `2`.
    pub const fn number(self) -> u8 {
        match self {
            Self::V1 => 1,
            Self::V2 => 2,
        }
    }
}

impl From<FormatVersion> for u8 {
    fn from(version: FormatVersion) -> Self {
        version.number()
    }
}

/// Everything that identifies a command hook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Definition {
    /// Version of the file.
    pub format: FormatVersion,
    /// Where the hook comes from.
    pub source: SourceKind,
    /// `user` for hooks of the person, else the project's identity.
    pub owner: String,
    /// When the hook runs.
    pub event: EventName,
    /// For which tools.
    pub matcher: Matcher,
    /// The program as written, a project placeholder unresolved.
    pub command: String,
    /// The arguments as written.
    pub args: Vec<String>,
    /// Deadline, 100 to 30,000 milliseconds.
    pub timeout_ms: u32,
    /// What *no verdict* means; always `continue` in version 1.
    pub on_failure: FailureMode,
}

/// A text that is not the canonical form of a definition.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("not the canonical text of a definition: {0}")]
pub struct InvalidDefinition(String);

/// Owner of the person's own hooks.
const USER: &str = "user";
/// The one handler kind.
const COMMAND: &str = "command";

type CanonicalV1 = (
    u8,
    SourceKind,
    String,
    EventName,
    String,
    String,
    String,
    Vec<String>,
    u32,
);
type CanonicalV2 = (
    u8,
    SourceKind,
    String,
    EventName,
    String,
    String,
    String,
    Vec<String>,
    u32,
    FailureMode,
);

impl Definition {
    /// The owner that is part of the identity of hooks of this source in this project.
    pub fn owner(source: SourceKind, project: &ProjectIdentity) -> &str {
        match source {
            SourceKind::User => USER,
            _ => project.as_str(),
        }
    }

    /// The canonical text: a compact JSON array.
    ///
    /// Version 1: `[1, source, owner, event, matcher, "command", command, args, timeoutMs]`.
    /// Version 2 starts with `2` and ends with the failure mode.
    pub fn canonical(&self) -> String {
        let matcher = self.matcher.as_str();
        let (number, timeout) = (self.format.number(), self.timeout_ms);
        let (owner, command, args) = (&self.owner, &self.command, &self.args);
        let (source, event) = (self.source, self.event);
        let text = match self.format {
            FormatVersion::V1 => serde_json::to_string(&(
                number, source, owner, event, matcher, COMMAND, command, args, timeout,
            )),
            FormatVersion::V2 => serde_json::to_string(&(
                number,
                source,
                owner,
                event,
                matcher,
                COMMAND,
                command,
                args,
                timeout,
                self.on_failure,
            )),
        };
        // Strings and integers always have a JSON form.
        text.unwrap_or_default()
    }

    /// Hash of the canonical text.
    pub fn hash(&self) -> DefinitionHash {
        DefinitionHash::of_definition(&self.canonical())
    }

    /// Reads a canonical text back.
    pub fn from_canonical(text: &str) -> Result<Self, InvalidDefinition> {
        let invalid = |problem: &dyn ToString| InvalidDefinition(shown(&problem.to_string()));
        let (format, fields, on_failure) = if text.starts_with("[1,") {
            let fields: CanonicalV1 = serde_json::from_str(text).map_err(|e| invalid(&e))?;
            (FormatVersion::V1, fields, FailureMode::Continue)
        } else {
            let all: CanonicalV2 = serde_json::from_str(text).map_err(|e| invalid(&e))?;
            let (version, source, owner, event, matcher, kind, command, args, timeout, mode) = all;
            let fields = (
                version, source, owner, event, matcher, kind, command, args, timeout,
            );
            (FormatVersion::V2, fields, mode)
        };
        let (_, source, owner, event, matcher, _, command, args, timeout_ms) = fields;
        let definition = Self {
            format,
            source,
            owner,
            event,
            matcher: Matcher::parse(&matcher).map_err(|e| invalid(&e))?,
            command,
            args,
            timeout_ms,
            on_failure,
        };
        limits::check_command(&definition.command).map_err(|e| invalid(&e))?;
        limits::check_args(&definition.args).map_err(|e| invalid(&e.problem))?;
        limits::check_timeout(definition.timeout_ms).map_err(|e| invalid(&e))?;
        if definition.canonical() == text {
            Ok(definition)
        } else {
            Err(invalid(&"it is not written in the canonical way"))
        }
    }
}
