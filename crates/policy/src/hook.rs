//! One hook as it is in force for a turn: its definition, resolved, and whether it may run.

use camino::{Utf8Path, Utf8PathBuf};
use hookward_contract::{Cause, DefinitionHash, EventName, FailureMode, HookId, SourceKind};
use hookward_rules::Rule;
use serde::{Serialize, Serializer};

use crate::config::{ParsedHook, Places};
use crate::definition::{Definition, FormatVersion};
use crate::diagnostic::Location;
use crate::handler::{CommandHandler, Handler, HookMode, RuleHandler};
use crate::hook_test::HookTest;
use crate::matcher::Matcher;
use crate::pins::Pin;

/// Whether a hook may run, and if not, why.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Trust {
    /// Exactly this definition was reviewed and its enforced files are as they were.
    Trusted,
    /// Never reviewed.
    Untrusted,
    /// A project's hook, and the project itself was never trusted.
    UntrustedWorkspace,
    /// Reviewed in another form.
    Changed(ChangedWhat),
    /// Switched off in its file; no call sees it. A reviewed guard (`onFailure: "block"`) whose
    /// definition was edited is not switched off that way: it is changed.
    Disabled,
    /// The trust store cannot be read, so nobody can tell.
    Unknown,
    /// Reviewed, and the file that held it cannot be read now.
    BrokenSource,
}

/// What differs from the review.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChangedWhat {
    /// A hook of this source and id was reviewed with another definition.
    Definition {
        /// Hash of the definition reviewed last.
        previous: DefinitionHash,
    },
    /// An enforced file has other content, is gone, or was not there at the review.
    Pin {
        /// The file, absolute.
        path: Utf8PathBuf,
    },
}

impl Trust {
    /// The state as screens and JSON name it.
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::Trusted => "trusted",
            Self::Untrusted => "untrusted",
            Self::UntrustedWorkspace => "untrusted workspace",
            Self::Changed(_) => "changed",
            Self::Disabled => "disabled",
            Self::Unknown => "unknown",
            Self::BrokenSource => "broken source",
        }
    }

    /// Whether the program may be started.
    pub const fn may_run(&self) -> bool {
        matches!(self, Self::Trusted)
    }

    /// Why a hook that matches a call is not started; its failure mode decides what that
    /// means for the call.
    pub const fn skip_cause(&self) -> Option<Cause> {
        match self {
            Self::Trusted | Self::Disabled => None,
            Self::Untrusted | Self::UntrustedWorkspace => Some(Cause::Untrusted),
            Self::Changed(_) => Some(Cause::Changed),
            Self::Unknown | Self::BrokenSource => Some(Cause::BrokenSource),
        }
    }
}

impl Serialize for Trust {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// One hook of a snapshot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hook {
    /// Name, unique in its file.
    pub id: HookId,
    /// Where it comes from.
    pub source: SourceKind,
    /// `user`, or the identity of its project: what its trust is tied to.
    pub owner: String,
    /// When it runs.
    pub event: EventName,
    /// Version of its file.
    pub format: FormatVersion,
    /// For which tools.
    pub matcher: Matcher,
    /// For which tools another definition of it was reviewed last, while this one is not: it
    /// covers those, too, until it is reviewed again.
    pub reviewed_matcher: Option<Matcher>,
    /// What it runs.
    pub handler: Handler,
    /// What *no verdict* means now: for a changed hook the stricter of what was reviewed and what
    /// the file says.
    pub on_failure: FailureMode,
    /// What becomes of its verdict now: a changed hook is in the shadow only if it was when it was
    /// reviewed, too.
    pub mode: HookMode,
    /// What its file says; whether calls see it is up to [`trust`](Self::trust).
    pub enabled: bool,
    /// What it is for, in the words of the file.
    pub description: Option<String>,
    /// What to show while it runs.
    pub status_message: Option<String>,
    /// Identity of the definition.
    pub hash: DefinitionHash,
    /// The canonical text that [`hash`](Self::hash) is the hash of.
    pub definition: String,
    /// Whether it may run.
    pub trust: Trust,
    /// Content of its files at the last review of exactly this definition.
    pub pins: Vec<Pin>,
    /// Where it stands in its file; `None` if that file cannot be read.
    pub location: Option<Location>,
    pub(crate) places: Option<Places>,
    pub(crate) tests: Vec<HookTest>,
}

impl Hook {
    /// A hook from its file, not yet judged.
    pub(crate) fn from_file(
        parsed: ParsedHook,
        format: FormatVersion,
        source: SourceKind,
        owner: &str,
        root: &Utf8Path,
    ) -> Self {
        let definition = Definition {
            format,
            source,
            owner: owner.to_owned(),
            event: parsed.event,
            matcher: parsed.matcher,
            handler: parsed.handler,
            on_failure: parsed.on_failure,
            mode: parsed.mode,
        };
        Self {
            enabled: parsed.enabled,
            description: parsed.description,
            status_message: parsed.status_message,
            location: Some(parsed.places.handler.clone()),
            places: Some(parsed.places),
            tests: parsed.tests,
            ..Self::new(definition, parsed.rule, parsed.id, root)
        }
    }

    /// A hook that is known by its definition alone, not yet judged. A rule is not compiled.
    pub(crate) fn from_definition(definition: Definition, id: HookId, root: &Utf8Path) -> Self {
        Self::new(definition, None, id, root)
    }

    fn new(definition: Definition, rule: Option<Rule>, id: HookId, root: &Utf8Path) -> Self {
        let canonical = definition.canonical();
        Self {
            id,
            source: definition.source,
            event: definition.event,
            format: definition.format,
            handler: Handler::of(definition.handler, rule, definition.format, root),
            on_failure: definition.on_failure,
            mode: definition.mode,
            enabled: true,
            description: None,
            status_message: None,
            hash: DefinitionHash::of_definition(&canonical),
            definition: canonical,
            trust: Trust::Untrusted,
            pins: Vec::new(),
            location: None,
            places: None,
            tests: Vec::new(),
            owner: definition.owner,
            matcher: definition.matcher,
            reviewed_matcher: None,
        }
    }

    /// The program that it starts, if it is a command.
    pub const fn command(&self) -> Option<&CommandHandler> {
        match &self.handler {
            Handler::Command(command) => Some(command),
            Handler::Rule(_) => None,
        }
    }

    /// The rule by which it judges, if it is one.
    pub fn rule(&self) -> Option<&RuleHandler> {
        match &self.handler {
            Handler::Command(_) => None,
            Handler::Rule(rule) => Some(rule),
        }
    }

    /// The cases of its file: calls with the verdict that the hook is meant to give. No part of the
    /// identity.
    pub fn tests(&self) -> &[HookTest] {
        &self.tests
    }
}
