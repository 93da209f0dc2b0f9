//! From the text of a `hooks.json` to checked hooks: versions 1 and 2, every problem reported.
//!
//! Pure: a function of the text and of the source it is from. What exists on disk is looked at
//! elsewhere.

mod cases;
mod command;
mod handler;
mod reader;
mod rule;

use std::collections::HashSet;

use hookward_contract::{EventName, FailureMode, HookId, SourceKind};
use hookward_rules::Rule;
use jsonc_parser::ast::{Object, ObjectProp, Value};
use jsonc_parser::common::Ranged;

use crate::definition::FormatVersion;
use crate::diagnostic::{Code, Diagnostic, Findings, Location, shown};
use crate::handler::{HandlerText, HookMode};
use crate::hook_test::HookTest;
use crate::json;
use crate::limits::MAX_GROUP_HANDLERS;
use crate::matcher::{Doubt, Matcher};
use crate::suggest::closest;

use self::reader::Reader;

/// One handler as its file defines it.
#[derive(Debug, Clone)]
pub(crate) struct ParsedHook {
    pub(crate) id: HookId,
    pub(crate) event: EventName,
    pub(crate) matcher: Matcher,
    pub(crate) handler: HandlerText,
    /// What a rule was compiled to.
    pub(crate) rule: Option<Rule>,
    pub(crate) on_failure: FailureMode,
    pub(crate) mode: HookMode,
    pub(crate) enabled: bool,
    pub(crate) description: Option<String>,
    pub(crate) status_message: Option<String>,
    pub(crate) tests: Vec<HookTest>,
    pub(crate) places: Places,
}

impl ParsedHook {
    /// Whether two handlers are the same in everything but `enabled` and where they stand.
    pub(crate) fn same_but_enabled(&self, other: &Self) -> bool {
        fn parts(hook: &ParsedHook) -> impl PartialEq {
            let ParsedHook {
                id,
                event,
                matcher,
                handler,
                rule: _,
                on_failure,
                mode,
                enabled: _,
                description,
                status_message,
                tests: _,
                places: _,
            } = hook;
            let words = (description, status_message);
            (id, event, matcher, handler, (on_failure, mode), words)
        }
        let tests = self.tests.iter().zip(&other.tests);
        parts(self) == parts(other)
            && self.tests.len() == other.tests.len()
            && tests.into_iter().all(|(one, other)| one.same(other))
    }
}

/// Where the parts of a handler stand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Places {
    pub(crate) handler: Location,
    /// Of a command.
    pub(crate) command: Option<Location>,
    /// One per argument of a command.
    pub(crate) args: Vec<Location>,
}

/// A file that was read: its hooks if it has no error, and everything found in it.
#[derive(Debug)]
pub(crate) struct ParsedFile {
    pub(crate) hooks: Option<(FormatVersion, Vec<ParsedHook>)>,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

/// What can be read of a file, errors or not.
#[derive(Debug)]
pub(crate) struct Draft {
    pub(crate) format: FormatVersion,
    /// The handlers that have no error of their own.
    pub(crate) hooks: Vec<ParsedHook>,
    /// Whether the file has no error.
    intact: bool,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

/// Reads the text of a file, given without its byte order mark.
pub(crate) fn parse(text: &str, source: SourceKind) -> ParsedFile {
    let draft = draft(text, source);
    ParsedFile {
        hooks: draft.intact.then_some((draft.format, draft.hooks)),
        diagnostics: draft.diagnostics,
    }
}

/// The same, with what can be read of a file that has errors.
pub(crate) fn draft(text: &str, source: SourceKind) -> Draft {
    let mut reader = Reader {
        findings: Findings::new(text),
        pointer: String::new(),
        source,
        format: FormatVersion::V2,
        ids: HashSet::new(),
        handlers: 0,
    };
    let hooks = json::parse(text, &mut reader.findings).and_then(|root| reader.file(&root));
    Draft {
        format: reader.format,
        intact: reader.findings.errors() == 0 && hooks.is_some(),
        hooks: hooks.unwrap_or_default(),
        diagnostics: reader.findings.finish(),
    }
}

const FILE_FIELDS: &[&str] = &["version", "hooks"];
const GROUP_FIELDS: &[&str] = &["matcher", "hooks"];

/// What is common to the handlers of a group.
struct Group {
    event: EventName,
    /// `None` if the matcher is faulty; the handlers are checked all the same.
    matcher: Option<Matcher>,
}

impl Reader<'_> {
    fn file(&mut self, root: &Value<'_>) -> Option<Vec<ParsedHook>> {
        let root = self.object(root)?;
        self.version(root);
        self.known_fields(root, FILE_FIELDS, |_| None);
        let events = self.required(root, "hooks")?;
        let mut hooks = Vec::new();
        self.step("hooks", |this| {
            let events = this.object(&events.value)?;
            for event in &events.properties {
                this.step(event.name.as_str(), |this| this.event(event, &mut hooks));
            }
            Some(())
        })?;
        Some(hooks)
    }

    /// Sets the format; a faulty version is checked as the newest, which knows the most fields.
    fn version(&mut self, root: &Object<'_>) {
        let Some(property) = self.required(root, "version") else {
            return;
        };
        let written = match &property.value {
            Value::NumberLit(number) => number.value,
            _ => "",
        };
        match written {
            "1" => self.format = FormatVersion::V1,
            "2" => self.format = FormatVersion::V2,
            _ => {
                let at = property.value.start();
                let message = "the version is neither 1 nor 2".to_owned();
                let help = "write `\"version\": 1`, or `2` for rules, effects, `onFailure` and `${project}/`";
                self.step("version", |this| {
                    this.error(Code::BadVersion, at, message, help);
                });
            }
        }
    }

    fn event(&mut self, property: &ObjectProp<'_>, hooks: &mut Vec<ParsedHook>) {
        let name = property.name.as_str();
        let event = name.parse::<EventName>().ok();
        if event.is_none() {
            let names: Vec<_> = EventName::ALL.iter().map(|event| event.as_str()).collect();
            let meant = closest(name, &names)
                .or_else(|| before_tool(name))
                // A hook for what happens later does not become one for what happens before.
                .filter(|_| !LATER_EVENTS.contains(&name));
            let meant = match meant {
                Some(name) => format!("did you mean `{name}`? "),
                None if LATER_EVENTS.contains(&name) => {
                    "leave this hook in the agent's own settings. ".to_owned()
                }
                None => String::new(),
            };
            let help = format!("{meant}The events are: {}", names.join(", "));
            let message = format!("`{}` is not an event known to this release", shown(name));
            self.error(Code::UnknownEvent, property.name.start(), message, &help);
        }
        let Some(groups) = self.array(&property.value) else {
            return;
        };
        for (index, group) in groups.elements.iter().enumerate() {
            self.step(&index.to_string(), |this| {
                // Groups of an unknown event are checked too, and then dropped with the file.
                let event = event.unwrap_or(EventName::PreToolUse);
                this.group(event, group, hooks)
            });
        }
    }

    fn group(
        &mut self,
        event: EventName,
        value: &Value<'_>,
        hooks: &mut Vec<ParsedHook>,
    ) -> Option<()> {
        let object = self.object(value)?;
        self.known_fields(object, GROUP_FIELDS, |_| None);
        let matcher = match object.get("matcher") {
            None => Some(Matcher::all()),
            Some(property) => self.step("matcher", |this| this.matcher(&property.value)),
        };
        let handlers = self.required(object, "hooks")?;
        let group = Group { event, matcher };
        self.step("hooks", |this| {
            let handlers = this.array(&handlers.value)?;
            let count = handlers.elements.len();
            if count > MAX_GROUP_HANDLERS {
                let message = format!("{count} handlers; the limit of a group is 32");
                let help = "spread the handlers over several groups";
                this.error(Code::TooManyHandlers, handlers.range.start, message, help);
            }
            for (index, handler) in handlers.elements.iter().enumerate() {
                let hook = this.step(&index.to_string(), |this| this.handler(&group, handler));
                hooks.extend(hook);
            }
            Some(())
        })
    }

    fn matcher(&mut self, value: &Value<'_>) -> Option<Matcher> {
        let (text, at) = (self.string(value)?, value.start());
        let matcher = match Matcher::parse(text, self.format) {
            Ok(matcher) => matcher,
            Err(error) => {
                let code = match error {
                    crate::MatcherError::Regex { .. } => Code::RegexMatcher,
                    _ => Code::BadMatcher,
                };
                self.error(code, at, error.to_string(), &error.help());
                return None;
            }
        };
        if self.findings.is_full() {
            return Some(matcher);
        }
        for doubt in matcher.doubts() {
            let (code, message, help) = told(&doubt);
            self.findings
                .warning(code, at, &self.pointer, message, &help);
        }
        Some(matcher)
    }
}

/// Names that other agents give to the moment before a tool call.
/// Events of agents that are no question about a call.
const LATER_EVENTS: &[&str] = &[
    "PostToolUse",
    "PostToolUseFailure",
    "Notification",
    "UserPromptSubmit",
    "SessionStart",
    "SessionEnd",
    "Stop",
    "SubagentStart",
    "SubagentStop",
    "PreCompact",
    "PostCompact",
];

fn before_tool(name: &str) -> Option<&'static str> {
    ["BeforeTool", "PreRunCommand", "ToolPre", "BeforeToolUse"]
        .into_iter()
        .any(|other| closest(name, &[other]).is_some())
        .then_some("PreToolUse")
}

fn told(doubt: &Doubt<'_>) -> (Code, String, String) {
    match doubt {
        Doubt::Foreign { name, canonical } => (
            Code::ForeignTool,
            format!("`{}` is another agent's name for a tool", shown(name)),
            format!("write `{canonical}`, which covers the same call of every agent"),
        ),
        Doubt::IncompleteMcp { name, instead } => (
            Code::IncompleteMcpName,
            format!("`{}` is not a complete MCP tool name", shown(name)),
            format!(
                "write `{}`; the form is `mcp__server__tool`",
                shown(instead)
            ),
        ),
        Doubt::Unknown { name, meant } => (
            Code::UnknownTool,
            format!("`{}` matches no tool known to this release", shown(name)),
            match meant {
                Some(meant) => format!("did you mean `{meant}`? Names are case-sensitive"),
                None => "check the name in the agent's list of tools".to_owned(),
            },
        ),
    }
}
