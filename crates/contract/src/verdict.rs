use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize, Serializer};

use crate::HookId;

/// Where a hook comes from. The order of the variants is the order in which sources are judged.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum SourceKind {
    /// `<State Root>/hooks.json`: the person's own policy.
    User,
    /// `<project root>/.maka/hooks.json`: the policy that a project brings.
    Project,
}

impl SourceKind {
    /// The name used in files and on screens.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Project => "project",
        }
    }
}

impl fmt::Display for SourceKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Why a call is denied or a question is asked, in the words of one hook.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reason {
    /// The hook that spoke.
    pub hook: HookId,
    /// Cleaned, redacted text of at most [`MAX_REASON_CHARS`](crate::MAX_REASON_CHARS).
    pub text: String,
}

/// What the gate concludes about a call. A verdict can tighten what follows and never grants
/// anything: `Allow` means that no hook objected.
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use]
pub enum Verdict {
    /// No hook objected; every later check still applies.
    Allow,
    /// A person has to be asked. Reasons in configuration order.
    Ask(Vec<Reason>),
    /// The call must not run. Reasons in configuration order.
    Deny(Vec<Reason>),
}

impl Verdict {
    /// `allow`, `ask` or `deny`.
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Ask(_) => "ask",
            Self::Deny(_) => "deny",
        }
    }

    /// The reasons behind the verdict; none for `Allow`.
    pub fn reasons(&self) -> &[Reason] {
        match self {
            Self::Allow => &[],
            Self::Ask(reasons) | Self::Deny(reasons) => reasons,
        }
    }
}

/// The answer of one hook that did answer. There is no failure in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HookVerdict {
    /// The hook does not object.
    Allow,
    /// The hook wants a person to be asked.
    Ask(String),
    /// The hook objects.
    Deny(String),
}

impl HookVerdict {
    /// `allow`, `ask` or `deny`.
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Ask(_) => "ask",
            Self::Deny(_) => "deny",
        }
    }
}

/// What became of one hook in one call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HookRun {
    /// The hook answered.
    Decided(HookVerdict),
    /// The hook gave no verdict; its [`FailureMode`] decides what that means.
    NoVerdict(NoVerdict),
}

/// The one class of handler failure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoVerdict {
    /// The kind of failure, for programs.
    pub cause: Cause,
    /// What happened. Where the failure denies the call, the model reads this, too.
    pub detail: String,
    /// What a person can do about it; empty where that is plain. Never shown to a model, which
    /// could do it in the person's place.
    pub advice: String,
}

/// Why a hook gave no verdict. Every bound that is hit is a cause, never an allow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Cause {
    /// The program does not exist.
    NotFound,
    /// The program exists and cannot be executed (mode, type, interpreter line, format).
    NotExecutable,
    /// The operating system refused to start the program for another reason.
    Spawn,
    /// The program was still running at its deadline.
    Timeout,
    /// The program was ended by this signal, which Hookward did not send.
    Signal(i32),
    /// The program exited with a status other than 0 and 2.
    Exit(i32),
    /// Exit 0 with output that is neither empty nor a valid answer.
    BadOutput,
    /// Exit 0 with more output than is kept.
    Overflow,
    /// More handlers matched than one call may start.
    Queue,
    /// The definition was never reviewed, so it was not started.
    Untrusted,
    /// The definition or a pinned file changed since its review, so it was not started.
    Changed,
    /// The file that held the hook, or the trust store, cannot be read.
    BrokenSource,
    /// An in-process rule failed to evaluate.
    Evaluation,
}

impl Cause {
    /// Whether the hook was not started at all because of its state.
    pub const fn is_skip(self) -> bool {
        matches!(self, Self::Untrusted | Self::Changed | Self::BrokenSource)
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self {
            Self::NotFound => "not_found",
            Self::NotExecutable => "not_executable",
            Self::Spawn => "spawn",
            Self::Timeout => "timeout",
            Self::Signal(number) => return write!(f, "signal({number})"),
            Self::Exit(status) => return write!(f, "exit({status})"),
            Self::BadOutput => "bad_output",
            Self::Overflow => "overflow",
            Self::Queue => "queue",
            Self::Untrusted => "untrusted",
            Self::Changed => "changed",
            Self::BrokenSource => "broken_source",
            Self::Evaluation => "evaluation",
        };
        f.write_str(name)
    }
}

impl Serialize for Cause {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// What *no verdict* means for a hook.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum FailureMode {
    /// The call goes on, with an audit record and a notice. Default of command handlers.
    Continue,
    /// The call is denied, naming the failure.
    Block,
}

impl FailureMode {
    /// The name used in `hooks.json`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Continue => "continue",
            Self::Block => "block",
        }
    }

    /// The stricter of two modes.
    #[must_use]
    pub fn strictest(self, other: Self) -> Self {
        self.max(other)
    }
}
