//! What a hook runs: as its definition has it, and as it is in force.

use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};
use hookward_rules::{Rule, RuleText};
use serde::{Deserialize, Serialize};

use crate::definition::FormatVersion;
use crate::limits;

/// What becomes of a hook's verdict.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize, Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum HookMode {
    /// It is recorded as what the hook would have said, and never counts.
    Shadow,
    /// It counts.
    #[default]
    Enforce,
}

impl HookMode {
    /// The name used in `hooks.json`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Shadow => "shadow",
            Self::Enforce => "enforce",
        }
    }

    /// The stricter of two modes.
    #[must_use]
    pub fn strictest(self, other: Self) -> Self {
        self.max(other)
    }
}

/// How firmly the processes of a command are held together.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize, Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum ContainmentMode {
    /// By the strongest means that the machine has; nothing survives the hook.
    #[default]
    Full,
    /// By their process group alone: what leaves the group outlives the hook, and programs may
    /// gain privileges.
    Group,
}

impl ContainmentMode {
    /// The name used in `hooks.json`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::Group => "group",
        }
    }
}

/// What a hook runs, as its file has it; part of the identity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HandlerText {
    /// A program.
    Command(CommandText),
    /// A rule; version 2 alone has them.
    Rule(RuleText),
}

/// A program and how it is run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandText {
    /// The program as written, a project placeholder unresolved.
    pub command: String,
    /// The arguments as written.
    pub args: Vec<String>,
    /// Deadline, 100 to 30,000 milliseconds.
    pub timeout_ms: u32,
    /// How it is held; always full in version 1.
    pub containment: ContainmentMode,
}

/// What a hook runs, ready to be run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Handler {
    /// A program.
    Command(CommandHandler),
    /// A rule that is judged in the process.
    Rule(Arc<RuleHandler>),
}

/// A rule to judge by.
#[derive(Debug, Clone)]
pub struct RuleHandler {
    /// The rule as its file has it; this is hashed.
    pub text: RuleText,
    /// The rule, compiled; a function of the text. `None` for a hook whose file cannot be read: it
    /// is known by its reviewed definition alone and never runs.
    pub rule: Option<Rule>,
}

impl RuleHandler {
    /// The patterns by the name of their field; a field that the file does not have is empty.
    pub fn patterns(&self) -> [(&'static str, &[String]); 6] {
        let text = &self.text;
        [
            ("exec", &text.exec),
            ("write", &text.write),
            ("read", &text.read),
            ("delete", &text.delete),
            ("network", &text.network),
            ("mcp", &text.mcp),
        ]
        .map(|(name, patterns)| (name, patterns.as_slice()))
    }
}

impl PartialEq for RuleHandler {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for RuleHandler {}

/// A program to start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandHandler {
    /// The program, absolute, a project placeholder resolved.
    pub command: Utf8PathBuf,
    /// The arguments, project placeholders resolved.
    pub args: Vec<String>,
    /// Program and arguments as the file has them; these are hashed.
    pub written: Written,
    /// Deadline, 100 to 30,000 milliseconds.
    pub timeout_ms: u32,
    /// How its processes are held together.
    pub containment: ContainmentMode,
}

/// Program and arguments as the file has them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Written {
    /// The program.
    pub command: String,
    /// Its arguments.
    pub args: Vec<String>,
}

impl Handler {
    /// The name of the kind in `hooks.json`.
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Command(_) => COMMAND,
            Self::Rule(_) => RULE,
        }
    }

    /// The handler of a definition, with what a rule was compiled to.
    pub(crate) fn of(
        text: HandlerText,
        rule: Option<Rule>,
        format: FormatVersion,
        root: &Utf8Path,
    ) -> Self {
        match text {
            HandlerText::Command(text) => Self::Command(CommandHandler::of(text, format, root)),
            HandlerText::Rule(text) => Self::Rule(Arc::new(RuleHandler { text, rule })),
        }
    }
}

impl CommandHandler {
    fn of(text: CommandText, format: FormatVersion, root: &Utf8Path) -> Self {
        let resolved = |text: &str| resolve(text, format, root);
        Self {
            command: resolved(&text.command).into(),
            args: text.args.iter().map(|arg| resolved(arg)).collect(),
            timeout_ms: text.timeout_ms,
            containment: text.containment,
            written: Written {
                command: text.command,
                args: text.args,
            },
        }
    }

    /// Program and arguments as resolved.
    pub(crate) fn words(&self) -> impl Iterator<Item = &Utf8Path> {
        std::iter::once(self.command.as_path()).chain(self.args.iter().map(Utf8Path::new))
    }
}

/// `type` of a program.
pub(crate) const COMMAND: &str = "command";
/// `type` of a rule.
pub(crate) const RULE: &str = "rule";

fn resolve(text: &str, format: FormatVersion, root: &Utf8Path) -> String {
    match limits::project_path(text) {
        Some(Ok(rest)) if format == FormatVersion::V2 => root.join(rest).into_string(),
        _ => text.to_owned(),
    }
}
