//! What a call would do in the world, as far as its text tells.
//!
//! *Cannot know* is a value, [`Effect::Opaque`], and never an absence: a call without effects is
//! one of which it is known that it does nothing that this crate describes.

use std::fmt;

use camino::Utf8PathBuf;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize, Serializer};

use crate::pattern::Match;

/// The kinds of effects, as matchers name them with an `@` before.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum EffectKind {
    /// Starts a program.
    Exec,
    /// Reads a file.
    Read,
    /// Creates or changes a file.
    Write,
    /// Removes a file.
    Delete,
    /// Speaks to a host, fetching included.
    Network,
    /// Calls a tool of an MCP server.
    Mcp,
    /// Starts another agent or speaks to one.
    Agent,
    /// Does something that cannot be known.
    Opaque,
}

impl EffectKind {
    /// All kinds.
    pub const ALL: [Self; 8] = [
        Self::Exec,
        Self::Read,
        Self::Write,
        Self::Delete,
        Self::Network,
        Self::Mcp,
        Self::Agent,
        Self::Opaque,
    ];

    /// `exec`, `read` …
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Exec => "exec",
            Self::Read => "read",
            Self::Write => "write",
            Self::Delete => "delete",
            Self::Network => "network",
            Self::Mcp => "mcp",
            Self::Agent => "agent",
            Self::Opaque => "opaque",
        }
    }
}

/// A set of kinds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct KindSet(u8);

impl KindSet {
    /// With one more kind.
    #[must_use]
    pub const fn with(self, kind: EffectKind) -> Self {
        Self(self.0 | 1 << kind as u8)
    }

    /// Whether the kind is in it.
    pub const fn has(self, kind: EffectKind) -> bool {
        self.0 & (1 << kind as u8) != 0
    }
}

impl FromIterator<EffectKind> for KindSet {
    fn from_iter<I: IntoIterator<Item = EffectKind>>(kinds: I) -> Self {
        kinds.into_iter().fold(Self::default(), Self::with)
    }
}

/// One thing that a call would do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Effect {
    /// Runs a simple command: a program, or a builtin of the shell. Calls of functions that the
    /// same text defines are not listed; what they do is.
    Exec(Exec),
    /// Speaks to a host.
    Network(Network),
    /// Calls a tool of an MCP server.
    Mcp {
        /// The server's name.
        server: String,
        /// The tool's name at the server.
        tool: String,
    },
    /// Starts another agent or speaks to one.
    Agent {
        /// The kind of agent, where the call names it.
        agent_type: Option<String>,
    },
    /// Does something that cannot be known.
    Opaque(Opaque),
    /// Reads, writes or deletes files. A move is a delete of one path and a write of another.
    #[serde(untagged)]
    Path(PathEffect),
}

impl Effect {
    /// Its kind.
    pub const fn kind(&self) -> EffectKind {
        match self {
            Self::Exec(_) => EffectKind::Exec,
            Self::Path(path) => path.access.kind(),
            Self::Network(_) => EffectKind::Network,
            Self::Mcp { .. } => EffectKind::Mcp,
            Self::Agent { .. } => EffectKind::Agent,
            Self::Opaque(_) => EffectKind::Opaque,
        }
    }
}

/// A program that would be started.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Exec {
    /// The program's name: the last component of what is written. A program that cannot be known is
    /// [`Effect::Opaque`] instead.
    pub program: String,
    /// The program as written, where it is written with a path.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Its arguments after expansion.
    #[schemars(with = "Vec<ArgText>")]
    pub args: Vec<Arg>,
    /// Assignments that stand before it: names and, where they are known, values.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub env: Vec<(String, Option<String>)>,
    /// Where it would run; `None` where that cannot be known.
    #[schemars(with = "Option<String>")]
    pub cwd: Option<Utf8PathBuf>,
    /// The command as written.
    pub raw: String,
}

/// One argument.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Arg {
    /// Exactly this text.
    Known(String),
    /// Cannot be known; may stand for any number of arguments. The text as written, with what is
    /// known of it expanded.
    Unknown(String),
}

impl Arg {
    /// The text, where it is known.
    pub fn known(&self) -> Option<&str> {
        match self {
            Self::Known(text) => Some(text),
            Self::Unknown(_) => None,
        }
    }

    /// The text to show.
    pub fn shown(&self) -> &str {
        match self {
            Self::Known(text) | Self::Unknown(text) => text,
        }
    }
}

/// The shapes of an argument in JSON.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[expect(dead_code, reason = "describes what `Arg` writes")]
enum ArgText {
    /// Exactly this text.
    Known(String),
    /// Cannot be known.
    Unknown {
        /// The text as written, with what is known of it expanded.
        unknown: String,
    },
}

impl Serialize for Arg {
    /// A string; one that cannot be known is `{"unknown": "$x"}`.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeMap;
        match self {
            Self::Known(text) => serializer.serialize_str(text),
            Self::Unknown(text) => {
                let mut map = serializer.serialize_map(Some(1))?;
                map.serialize_entry("unknown", text)?;
                map.end()
            }
        }
    }
}

/// What is done to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Access {
    /// Its content is read, or its directory listed.
    Read,
    /// It is created, or its content, mode, owner or name in the directory changes.
    Write,
    /// It is removed.
    Delete,
}

impl Access {
    /// The effect kind.
    pub const fn kind(self) -> EffectKind {
        match self {
            Self::Read => EffectKind::Read,
            Self::Write => EffectKind::Write,
            Self::Delete => EffectKind::Delete,
        }
    }
}

/// A file that would be read, written or deleted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PathEffect {
    /// What is done.
    #[serde(rename = "kind")]
    pub access: Access,
    /// The path as written, made absolute against the directory in force and lexically clean. It
    /// may hold the shell's pattern characters, see [`pattern`](Self::pattern).
    #[schemars(with = "String")]
    pub path: Utf8PathBuf,
    /// The same with all symbolic links followed.
    #[schemars(with = "Option<String>")]
    pub canonical: Canonical,
    /// Whether both forms lie within the project.
    pub inside_project: bool,
    /// Whether `path` is a pattern of the shell (`*`, `?`, `[…]`) that stands for any file that it
    /// matches.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub pattern: bool,
    /// Whether everything below the path is meant, too (`rm -r`, `mv` of a folder).
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub tree: bool,
    /// What does it: the tool, the program, or the redirection (`>`).
    pub via: String,
}

/// A path with its symbolic links followed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Canonical {
    /// This one. Missing last components are kept as they are.
    Known(Utf8PathBuf),
    /// This one, a file that has other names (hard links) elsewhere.
    Shared(Utf8PathBuf),
    /// It cannot be told which file this is.
    Unknown(Unresolvable),
}

impl Canonical {
    /// The path, where it is known.
    pub fn known(&self) -> Option<&Utf8PathBuf> {
        match self {
            Self::Known(path) | Self::Shared(path) => Some(path),
            Self::Unknown(_) => None,
        }
    }

    /// Why the path is not all that there is to know of the file.
    pub(crate) const fn doubt(&self) -> Option<Unresolvable> {
        match self {
            Self::Known(_) => None,
            Self::Shared(_) => Some(Unresolvable::HardLink),
            Self::Unknown(why) => Some(*why),
        }
    }
}

impl Serialize for Canonical {
    /// A string, or `null`; the reason is in an opaque effect of its own.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.known().serialize(serializer)
    }
}

/// Why it cannot be told which file a path is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Unresolvable {
    /// A link below `/proc` or `/dev/fd` that means another file to every process.
    MagicLink,
    /// Too many links, or links in a circle.
    Loop,
    /// A directory on the way cannot be searched.
    NoPermission,
    /// The file has more than one name (hard links).
    HardLink,
    /// The file system gave another error.
    Error,
}

/// A host that would be spoken to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Network {
    /// The host's name or address in lower case, without port; `None` where it is known that the
    /// network is used and not which host (`git fetch`, `npm install`).
    pub host: Option<String>,
    /// The address, where the call has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// What does it: the tool or the program.
    pub via: String,
}

/// Something that cannot be known.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Opaque {
    /// Why.
    #[serde(flatten)]
    pub cause: OpaqueCause,
    /// The part of the call, at most 200 characters.
    pub text: String,
}

impl Opaque {
    /// Whether the thing was looked into after all, so that its effects are among the others and
    /// a rule need not take it as a "might".
    pub const fn is_resolved(&self) -> bool {
        matches!(self.cause, OpaqueCause::ScriptFile { read: true, .. })
    }

    /// How far the thing that cannot be known is an effect of this kind, whatever it is done to.
    ///
    /// A file of which it cannot be told which one it is counts as the one that a pattern means:
    /// cases B154 and B156. One with several names is a doubt.
    pub(crate) fn fits(&self, kind: EffectKind) -> Match {
        let fits = match &self.cause {
            OpaqueCause::ScriptFile { read: true, .. } => return Match::No,
            OpaqueCause::Unresolvable { access, why } => {
                if access.kind() == kind && *why != Unresolvable::HardLink {
                    return Match::Yes;
                }
                access.kind() == kind
            }
            OpaqueCause::UnknownPath { access } => access.kind() == kind,
            OpaqueCause::UnknownHost => kind == EffectKind::Network,
            OpaqueCause::ToolCalls | OpaqueCause::UnknownInput => true,
            _ => !matches!(kind, EffectKind::Mcp | EffectKind::Agent),
        };
        if fits { Match::Might } else { Match::No }
    }

    /// Whether the thing that cannot be known could be an effect of this kind.
    pub fn might(&self, kind: EffectKind) -> bool {
        self.fits(kind) != Match::No
    }
}

/// Why something cannot be known.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(tag = "cause", rename_all = "snake_case")]
#[non_exhaustive]
pub enum OpaqueCause {
    /// The text is no shell text, or goes beyond a limit of the analysis.
    Unparsable {
        /// What is wrong, in words.
        detail: String,
    },
    /// The program's name is expanded from something unknown.
    UnknownProgram,
    /// Arguments that decide what is done arrive at run time: `xargs git`, `git $x`.
    UnknownArguments,
    /// Text that a shell reads at run time: `eval "$x"`, `… | sh`, `sh < file`.
    UnknownText,
    /// Code of another language, given in the call: `python -c`, `node -e`, Code Mode.
    Code {
        /// The interpreter.
        interpreter: String,
    },
    /// Code that can call further tools of the agent.
    ToolCalls,
    /// A shell script in a file.
    ScriptFile {
        /// The file, absolute.
        #[schemars(with = "String")]
        path: Utf8PathBuf,
        /// `sha256:` and the digest of its content, where it could be read.
        digest: Option<String>,
        /// Whether its content was read and its effects are among the others.
        read: bool,
    },
    /// Input for a running process.
    ProcessInput,
    /// A path that is expanded from something unknown, or relative to an unknown directory.
    UnknownPath {
        /// What is done to it.
        access: Access,
    },
    /// A path of which it cannot be told which file it is.
    Unresolvable {
        /// What is done to it.
        access: Access,
        /// Why.
        why: Unresolvable,
    },
    /// A host that is expanded from something unknown.
    UnknownHost,
    /// A tool whose input has another shape than is known.
    UnknownInput,
}

impl OpaqueCause {
    /// What cannot be known, in words.
    pub const fn told(&self) -> &'static str {
        match self {
            Self::Unparsable { .. } => "text that cannot be read",
            Self::UnknownProgram => "a program whose name is not known",
            Self::UnknownArguments => "arguments that are not known",
            Self::UnknownText => "shell text that is made at run time",
            Self::Code { .. } => "code of another language",
            Self::ToolCalls => "code that can call tools",
            Self::ScriptFile { .. } => "a script that could not be read",
            Self::ProcessInput => "input for a running process",
            Self::UnknownPath { .. } => "a path that is not known",
            Self::Unresolvable { why, .. } => match why {
                Unresolvable::MagicLink => "a link that means another file to every process",
                Unresolvable::Loop => "links in a circle",
                Unresolvable::NoPermission => "a folder that cannot be searched",
                Unresolvable::HardLink => "a file that has other names, too",
                Unresolvable::Error => "a path that cannot be followed",
            },
            Self::UnknownHost => "a host that is not known",
            Self::UnknownInput => "input of an unknown shape",
        }
    }

    /// The name in JSON.
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::Unparsable { .. } => "unparsable",
            Self::UnknownProgram => "unknown_program",
            Self::UnknownArguments => "unknown_arguments",
            Self::UnknownText => "unknown_text",
            Self::Code { .. } => "code",
            Self::ToolCalls => "tool_calls",
            Self::ScriptFile { .. } => "script_file",
            Self::ProcessInput => "process_input",
            Self::UnknownPath { .. } => "unknown_path",
            Self::Unresolvable { .. } => "unresolvable",
            Self::UnknownHost => "unknown_host",
            Self::UnknownInput => "unknown_input",
        }
    }
}

impl fmt::Display for OpaqueCause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The schema of an effect knows every kind, and every name under which one is written.
    #[test]
    fn the_schema_says_what_is_written() {
        let schema = serde_json::to_value(schemars::schema_for!(Effect)).unwrap();
        let text = schema.to_string();
        for kind in EffectKind::ALL {
            assert!(text.contains(&format!("\"{}\"", kind.as_str())), "{kind:?}");
        }
        let files = &crate::observation::NoFiles;
        for (tool, input) in [
            ("Write", r#"{"file_path":"~x"}"#),
            ("delete_file", r#"{"path":"a"}"#),
            ("WebFetch", r#"{"url":"http://a.example"}"#),
            ("mcp__a__b", "{}"),
            ("Agent", "{}"),
        ] {
            let effects = crate::testing::effects(&crate::testing::call(tool, input), files);
            for effect in effects.all() {
                let written = serde_json::to_value(effect).unwrap();
                for name in written.as_object().unwrap().keys() {
                    assert!(text.contains(&format!("\"{name}\":")), "{name}");
                }
                assert_eq!(written["kind"], effect.kind().as_str());
            }
        }
        let arg = serde_json::to_value(Arg::Unknown("$x".to_owned())).unwrap();
        assert_eq!(arg, serde_json::json!({"unknown": "$x"}));
        assert!(text.contains("\"unknown\":"));
    }
}
