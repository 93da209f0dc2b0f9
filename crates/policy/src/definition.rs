//! The identity of a definition: the canonical text that is hashed, trusted and compared.
//!
//! The text holds every field that matters for what runs and nothing else: no id, no `enabled`, no
//! position. Reading a text back is as strict as the limits of `hooks.json`.

use hookward_contract::{DefinitionHash, EventName, FailureMode, SourceKind};
use hookward_rules::RuleText;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::diagnostic::shown;
use crate::handler::{COMMAND, CommandText, ContainmentMode, HandlerText, HookMode, RULE};
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

/// Everything that identifies a hook.
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
    /// What runs.
    pub handler: HandlerText,
    /// What *no verdict* means; always `continue` in version 1.
    pub on_failure: FailureMode,
    /// What becomes of its verdict; always `enforce` in version 1.
    pub mode: HookMode,
}

/// A text that is not the canonical form of a definition.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("not the canonical text of a definition: {0}")]
pub struct InvalidDefinition(String);

impl InvalidDefinition {
    fn new(problem: &(impl ToString + ?Sized)) -> Self {
        Self(shown(&problem.to_string()))
    }
}

/// Owner of the person's own hooks.
const USER: &str = "user";

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
    /// - Version 1: `[1, source, owner, event, matcher, "command", command, args, timeoutMs]`.
    /// - Version 2 starts with `2` and ends with `onFailure`, and, if not both of them are what
    ///   hooks have that name none, with `containment, mode` after it.
    /// - A rule: `[2, source, owner, event, matcher, "rule", exec, write, read, delete, network, mcp,
    ///   when, decision, opaque, reason, onFailure, mode]`, its patterns always as lists.
    pub fn canonical(&self) -> String {
        let mut fields = vec![
            json!(self.format.number()),
            json!(self.source),
            json!(self.owner),
            json!(self.event),
            json!(self.matcher.as_str()),
        ];
        match &self.handler {
            HandlerText::Command(command) => self.command_fields(command, &mut fields),
            HandlerText::Rule(rule) => self.rule_fields(rule, &mut fields),
        }
        Value::Array(fields).to_string()
    }

    fn command_fields(&self, command: &CommandText, fields: &mut Vec<Value>) {
        let CommandText {
            command,
            args,
            timeout_ms,
            containment,
        } = command;
        fields.extend([
            json!(COMMAND),
            json!(command),
            json!(args),
            json!(timeout_ms),
        ]);
        if self.format == FormatVersion::V1 {
            return;
        }
        fields.push(json!(self.on_failure));
        // What was trusted before there were these fields stays what it is.
        if (*containment, self.mode) != Default::default() {
            fields.extend([json!(containment), json!(self.mode)]);
        }
    }

    fn rule_fields(&self, rule: &RuleText, fields: &mut Vec<Value>) {
        let RuleText {
            exec,
            write,
            read,
            delete,
            network,
            mcp,
            when,
            decision,
            opaque,
            reason,
        } = rule;
        fields.push(json!(RULE));
        fields.extend([exec, write, read, delete, network, mcp].map(|patterns| json!(patterns)));
        fields.extend([json!(when), json!(decision), json!(opaque), json!(reason)]);
        fields.extend([json!(self.on_failure), json!(self.mode)]);
    }

    /// Whether it is a guard: its failure denies.
    pub fn is_guard(&self) -> bool {
        self.on_failure == FailureMode::Block && self.mode == HookMode::Enforce
    }

    /// Hash of the canonical text.
    pub fn hash(&self) -> DefinitionHash {
        DefinitionHash::of_definition(&self.canonical())
    }

    /// Reads a canonical text back.
    pub fn from_canonical(text: &str) -> Result<Self, InvalidDefinition> {
        let fields: Vec<Value> =
            serde_json::from_str(text).map_err(|e| InvalidDefinition::new(&e))?;
        let definition = Self::from_fields(&mut Fields(fields.into_iter()))?;
        // This finds whatever the fields say in another way than the one, and fields too many.
        if definition.canonical() == text {
            Ok(definition)
        } else {
            Err(InvalidDefinition::new(
                "it is not written in the canonical way",
            ))
        }
    }

    fn from_fields(fields: &mut Fields) -> Result<Self, InvalidDefinition> {
        let format = match fields.take()? {
            1_u8 => FormatVersion::V1,
            2 => FormatVersion::V2,
            _ => return Err(InvalidDefinition::new("its version is neither 1 nor 2")),
        };
        let (source, owner, event) = (fields.take()?, fields.take()?, fields.take()?);
        let matcher: String = fields.take()?;
        let matcher = Matcher::parse(&matcher, format).map_err(|e| InvalidDefinition::new(&e))?;
        let kind: String = fields.take()?;
        let (handler, on_failure, mode) = match (format, kind.as_str()) {
            (_, COMMAND) => fields.command(format)?,
            (FormatVersion::V2, RULE) => fields.rule()?,
            _ => return Err(InvalidDefinition::new("its handler type is not known")),
        };
        Ok(Self {
            format,
            source,
            owner,
            event,
            matcher,
            handler,
            on_failure,
            mode,
        })
    }
}

/// The fields of a canonical text that are still to be read.
struct Fields(std::vec::IntoIter<Value>);

impl Fields {
    fn take<T: DeserializeOwned>(&mut self) -> Result<T, InvalidDefinition> {
        let field = self.0.next();
        let field = field.ok_or_else(|| InvalidDefinition::new("it has too few fields"))?;
        serde_json::from_value(field).map_err(|e| InvalidDefinition::new(&e))
    }

    fn command(
        &mut self,
        format: FormatVersion,
    ) -> Result<(HandlerText, FailureMode, HookMode), InvalidDefinition> {
        let (command, args): (String, Vec<String>) = (self.take()?, self.take()?);
        let timeout_ms = self.take()?;
        limits::check_command(&command).map_err(|e| InvalidDefinition::new(&e))?;
        limits::check_args(&args).map_err(|e| InvalidDefinition::new(&e.problem))?;
        limits::check_timeout(timeout_ms).map_err(|e| InvalidDefinition::new(&e))?;
        let on_failure = match format {
            FormatVersion::V1 => FailureMode::Continue,
            FormatVersion::V2 => self.take()?,
        };
        let (containment, mode) = if self.0.len() == 0 {
            <(ContainmentMode, HookMode)>::default()
        } else {
            (self.take()?, self.take()?)
        };
        let text = CommandText {
            command,
            args,
            timeout_ms,
            containment,
        };
        Ok((HandlerText::Command(text), on_failure, mode))
    }

    /// A rule is checked against the limits and not compiled: what an older release accepted must
    /// not make the store that remembers it unreadable.
    fn rule(&mut self) -> Result<(HandlerText, FailureMode, HookMode), InvalidDefinition> {
        let text = RuleText {
            exec: self.take()?,
            write: self.take()?,
            read: self.take()?,
            delete: self.take()?,
            network: self.take()?,
            mcp: self.take()?,
            when: self.take()?,
            decision: self.take()?,
            opaque: self.take()?,
            reason: self.take()?,
        };
        limits::check_rule(&text).map_err(|e| InvalidDefinition::new(&e))?;
        Ok((HandlerText::Rule(text), self.take()?, self.take()?))
    }
}
