//! From the text of a `hooks.json` to checked hooks: versions 1 and 2, every problem reported.
//!
//! Pure: a function of the text and of the source it is from. What exists on disk is looked at
//! elsewhere.

use std::collections::HashSet;

use hookward_contract::{EventName, FailureMode, HookId, SourceKind};
use jsonc_parser::ast::{Array, Object, ObjectProp, Value};
use jsonc_parser::common::Ranged;

use crate::definition::FormatVersion;
use crate::diagnostic::{Code, Diagnostic, Findings, Location, shown};
use crate::json::{self, within};
use crate::limits::{self, MAX_GROUP_HANDLERS, MAX_HANDLERS};
use crate::matcher::{Doubt, Matcher};
use crate::suggest::closest;

/// One handler as its file defines it.
#[derive(Debug, Clone)]
pub(crate) struct ParsedHook {
    pub(crate) id: HookId,
    pub(crate) event: EventName,
    pub(crate) matcher: Matcher,
    pub(crate) command: String,
    pub(crate) args: Vec<String>,
    pub(crate) timeout_ms: u32,
    pub(crate) on_failure: FailureMode,
    pub(crate) enabled: bool,
    pub(crate) description: Option<String>,
    pub(crate) places: Places,
}

impl ParsedHook {
    /// Whether two handlers are the same in everything but `enabled` and where they stand.
    pub(crate) fn same_but_enabled(&self, other: &Self) -> bool {
        let parts = |hook: &Self| {
            let Self {
                id,
                event,
                matcher,
                command,
                args,
                timeout_ms,
                on_failure,
                enabled: _,
                description,
                places: _,
            } = hook.clone();
            let run = (command, args, timeout_ms, on_failure);
            (id, event, matcher, run, description)
        };
        parts(self) == parts(other)
    }
}

/// Where the parts of a handler stand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Places {
    pub(crate) handler: Location,
    pub(crate) command: Location,
    /// One per argument.
    pub(crate) args: Vec<Location>,
}

/// A file that was read: its hooks if it has no error, and everything found in it.
#[derive(Debug)]
pub(crate) struct ParsedFile {
    pub(crate) hooks: Option<(FormatVersion, Vec<ParsedHook>)>,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

/// Reads the text of a file, given without its byte order mark.
pub(crate) fn parse(text: &str, source: SourceKind) -> ParsedFile {
    let mut reader = Reader {
        findings: Findings::new(text),
        pointer: String::new(),
        source,
        format: FormatVersion::V2,
        ids: HashSet::new(),
        handlers: 0,
    };
    let hooks = json::parse(text, &mut reader.findings).and_then(|root| reader.file(&root));
    let intact = reader.findings.errors() == 0;
    ParsedFile {
        hooks: hooks.filter(|_| intact).map(|hooks| (reader.format, hooks)),
        diagnostics: reader.findings.finish(),
    }
}

const FILE_FIELDS: &[&str] = &["version", "hooks"];
const GROUP_FIELDS: &[&str] = &["matcher", "hooks"];
const HANDLER_FIELDS_V1: &[&str] = &["id", "type", "command", "args", "timeoutMs", "enabled"];
const HANDLER_FIELDS_V2: &[&str] = &[
    "id",
    "type",
    "command",
    "args",
    "timeoutMs",
    "enabled",
    "onFailure",
    "description",
];

struct Reader<'t> {
    findings: Findings<'t>,
    pointer: String,
    source: SourceKind,
    format: FormatVersion,
    ids: HashSet<String>,
    handlers: usize,
}

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
        self.known_fields(root, FILE_FIELDS);
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
                let help = "write `\"version\": 1`, or `2` for `onFailure` and `${project}/`";
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
            let meant = closest(name, &names).or_else(|| before_tool(name));
            let help = match meant {
                Some(meant) => format!("did you mean `{meant}`?"),
                None => format!("the events are: {}", names.join(", ")),
            };
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
        self.known_fields(object, GROUP_FIELDS);
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
        let matcher = match Matcher::parse(text) {
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
        for doubt in matcher.doubts() {
            let (code, message, help) = told(&doubt);
            self.findings
                .warning(code, at, &self.pointer, message, &help);
        }
        Some(matcher)
    }

    fn handler(&mut self, group: &Group, value: &Value<'_>) -> Option<ParsedHook> {
        self.handlers += 1;
        if self.handlers == MAX_HANDLERS + 1 {
            let message = "the file has more than 128 handlers".to_owned();
            let help = "remove handlers: each one that matches is a process per call";
            self.error(Code::TooManyHandlers, value.start(), message, help);
        }
        let object = self.object(value)?;
        self.handler_fields(object);
        let id = self.id(object);
        self.kind(object);
        let command = self.command(object);
        let args = self.args(object);
        let timeout_ms = self.timeout(object);
        let enabled = self.enabled(object);
        let on_failure = self.on_failure(object);
        let description = self.description(object);
        let (command, command_at) = command?;
        let (args, args_at) = args?;
        Some(ParsedHook {
            id: id?,
            event: group.event,
            matcher: group.matcher.clone()?,
            command,
            args,
            timeout_ms: timeout_ms?,
            on_failure: on_failure?,
            enabled: enabled?,
            description: description?,
            places: Places {
                handler: self.findings.locate(object.range.start, &self.pointer),
                command: command_at,
                args: args_at,
            },
        })
    }

    fn handler_fields(&mut self, object: &Object<'_>) {
        let fields = match self.format {
            FormatVersion::V1 => HANDLER_FIELDS_V1,
            FormatVersion::V2 => HANDLER_FIELDS_V2,
        };
        self.known_fields(object, fields);
    }

    fn id(&mut self, object: &Object<'_>) -> Option<HookId> {
        let property = self.required(object, "id")?;
        self.step("id", |this| {
            let (text, at) = (this.string(&property.value)?, property.value.start());
            if !this.ids.insert(text.to_owned()) {
                let message = format!("the id `{}` is used twice in this file", shown(text));
                let help = "give each hook an id of its own";
                this.error(Code::DuplicateId, at, message, help);
            }
            let checked = HookId::try_from(text);
            if let Err(error) = &checked {
                let help =
                    "use 1 to 128 of the characters A-Z a-z 0-9 . _ -, a letter or digit first";
                this.error(Code::BadId, at, format!("invalid id: {error}"), help);
            }
            checked.ok()
        })
    }

    fn kind(&mut self, object: &Object<'_>) -> Option<()> {
        let property = self.required(object, "type")?;
        self.step("type", |this| {
            let kind = this.string(&property.value)?;
            if kind != "command" {
                let message = format!(
                    "`{}` is not a handler type known to this release",
                    shown(kind)
                );
                let help = "write `\"type\": \"command\"`";
                this.error(Code::UnknownType, property.value.start(), message, help);
            }
            Some(())
        })
    }

    fn command(&mut self, object: &Object<'_>) -> Option<(String, Location)> {
        let property = self.required(object, "command")?;
        self.step("command", |this| {
            let (text, at) = (this.string(&property.value)?, property.value.start());
            if let Err(problem) = limits::check_command(text) {
                let help = "write the absolute path of a program; it is started without a shell";
                this.error(Code::BadCommand, at, problem, help);
            } else if !this.is_project_path(text, at)? && !text.starts_with('/') {
                let message = format!("the command `{}` is not an absolute path", shown(text));
                let help = this.relative_help(text);
                this.error(Code::RelativeCommand, at, message, help);
            }
            Some((text.to_owned(), this.findings.locate(at, &this.pointer)))
        })
    }

    fn relative_help(&self, text: &str) -> &'static str {
        match (self.format, self.source) {
            (FormatVersion::V1, SourceKind::Project) if text.starts_with(limits::PLACEHOLDER) => {
                "`${project}/` needs `\"version\": 2`"
            }
            (_, SourceKind::Project) => {
                "write the absolute path of the program, or `${project}/…` in a version 2 file \
                 for a program that the project holds"
            }
            _ if text.contains(' ') => {
                "write the absolute path of the program, and its arguments in `args`: no shell \
                 splits the command or searches PATH"
            }
            _ => "write the absolute path of the program: no shell searches PATH or expands `~`",
        }
    }

    /// Whether a command or argument names a file of the project. `None` if it does so in a way
    /// that is an error.
    fn is_project_path(&mut self, text: &str, at: usize) -> Option<bool> {
        if !text.contains(limits::PLACEHOLDER) {
            return Some(false);
        }
        let (problem, help) = match (self.format, limits::project_path(text)) {
            (FormatVersion::V2, Some(Ok(_))) if self.source == SourceKind::Project => {
                return Some(true);
            }
            (FormatVersion::V2, Some(Ok(_))) => (
                "`${project}/` in a file that is not a project's",
                "write an absolute path: else whichever project is open would supply the program",
            ),
            (FormatVersion::V2, Some(Err(problem))) => (problem, "write a path below the root"),
            (FormatVersion::V1, _) | (FormatVersion::V2, None) => {
                if !text.starts_with('/') && self.pointer.ends_with("/command") {
                    return Some(false);
                }
                let message = "`${project}` is passed to the program as it stands".to_owned();
                let help = "it is resolved only at the start of a command or argument, before a \
                            `/`, in a version 2 file";
                self.findings
                    .warning(Code::LiteralPlaceholder, at, &self.pointer, message, help);
                return Some(false);
            }
        };
        self.error(Code::BadPlaceholder, at, problem.to_owned(), help);
        None
    }

    fn args(&mut self, object: &Object<'_>) -> Option<(Vec<String>, Vec<Location>)> {
        let Some(property) = object.get("args") else {
            return Some((Vec::new(), Vec::new()));
        };
        self.step("args", |this| {
            let array = this.array(&property.value)?;
            let texts: Option<Vec<_>> = array
                .elements
                .iter()
                .enumerate()
                .map(|(index, value)| this.step(&index.to_string(), |this| this.arg(value)))
                // Collected first, so that every element is checked.
                .collect::<Vec<_>>()
                .into_iter()
                .collect();
            let (texts, places): (Vec<_>, Vec<_>) = texts?.into_iter().unzip();
            if let Err(found) = limits::check_args(&texts) {
                let element = found.index.and_then(|index| array.elements.get(index));
                let at = element.map_or(array.range.start, Ranged::start);
                let help = "pass long data in a file and name the file";
                this.error(Code::BadArgs, at, found.problem, help);
            }
            Some((texts, places))
        })
    }

    fn arg(&mut self, value: &Value<'_>) -> Option<(String, Location)> {
        let text = self.string(value)?;
        self.is_project_path(text, value.start())?;
        let place = self.findings.locate(value.start(), &self.pointer);
        Some((text.to_owned(), place))
    }

    /// Case B216: nothing but a plain integer in its range is a timeout.
    fn timeout(&mut self, object: &Object<'_>) -> Option<u32> {
        let Some(property) = object.get("timeoutMs") else {
            return Some(limits::DEFAULT_TIMEOUT_MS);
        };
        self.step("timeoutMs", |this| {
            let written = match &property.value {
                Value::NumberLit(number) => number.value,
                _ => "",
            };
            let plain = !written.is_empty() && written.bytes().all(|byte| byte.is_ascii_digit());
            // More digits than fit are out of the range, too.
            let value = plain.then(|| written.parse().unwrap_or(u32::MAX));
            let problem = match value.map(|value| (value, limits::check_timeout(value))) {
                Some((value, Ok(()))) => return Some(value),
                Some((_, Err(problem))) => problem,
                None => "the timeout is not an integer".to_owned(),
            };
            let help = "write whole milliseconds from 100 to 30000, such as `3000`";
            this.error(Code::BadTimeout, property.value.start(), problem, help);
            None
        })
    }

    fn enabled(&mut self, object: &Object<'_>) -> Option<bool> {
        let Some(property) = object.get("enabled") else {
            return Some(true);
        };
        if let Value::BooleanLit(value) = &property.value {
            return Some(value.value);
        }
        self.step("enabled", |this| {
            this.wrong_type("true or false", &property.value);
        });
        None
    }

    fn on_failure(&mut self, object: &Object<'_>) -> Option<FailureMode> {
        let Some(property) = self.v2_field(object, "onFailure") else {
            return Some(FailureMode::Continue);
        };
        self.step("onFailure", |this| match this.string(&property.value)? {
            "continue" => Some(FailureMode::Continue),
            "block" => Some(FailureMode::Block),
            other => {
                let message = format!("`{}` is not a failure mode", shown(other));
                let help = "write `\"continue\"` or `\"block\"`";
                this.error(Code::BadFailureMode, property.value.start(), message, help);
                None
            }
        })
    }

    #[expect(clippy::option_option, reason = "outer: valid; inner: present")]
    fn description(&mut self, object: &Object<'_>) -> Option<Option<String>> {
        let Some(property) = self.v2_field(object, "description") else {
            return Some(None);
        };
        self.step("description", |this| {
            let text = this.string(&property.value)?;
            if text.len() > limits::MAX_DESCRIPTION_BYTES || text.contains('\0') {
                let message = "the description is longer than 1024 bytes or has a NUL in it";
                let help = "say in a sentence what the hook is for";
                let at = property.value.start();
                this.error(Code::BadDescription, at, message.to_owned(), help);
                return None;
            }
            Some(Some(text.to_owned()))
        })
    }

    /// A field that version 1 does not have; there its presence is already an error.
    fn v2_field<'o, 'a>(&self, object: &'o Object<'a>, name: &str) -> Option<&'o ObjectProp<'a>> {
        object
            .get(name)
            .filter(|_| self.format == FormatVersion::V2)
    }

    fn known_fields(&mut self, object: &Object<'_>, known: &[&'static str]) {
        for property in &object.properties {
            let name = property.name.as_str();
            if known.contains(&name) {
                continue;
            }
            let help = if HANDLER_FIELDS_V2.contains(&name) && known == HANDLER_FIELDS_V1 {
                "this field needs `\"version\": 2`".to_owned()
            } else if let Some(meant) = closest(name, known) {
                format!("did you mean `{meant}`?")
            } else {
                format!("the fields here are: {}", known.join(", "))
            };
            let message = format!("the field `{}` is not known here", shown(name));
            let at = property.name.start();
            self.step(name, |this| {
                this.error(Code::UnknownField, at, message, &help);
            });
        }
    }

    fn required<'o, 'a>(
        &mut self,
        object: &'o Object<'a>,
        name: &str,
    ) -> Option<&'o ObjectProp<'a>> {
        let found = object.get(name);
        if found.is_none() {
            let message = format!("the field `{name}` is missing");
            let help = format!("add `\"{name}\"` to this object");
            self.error(Code::MissingField, object.range.start, message, &help);
        }
        found
    }

    fn object<'o, 'a>(&mut self, value: &'o Value<'a>) -> Option<&'o Object<'a>> {
        let found = value.as_object();
        if found.is_none() {
            self.wrong_type("an object", value);
        }
        found
    }

    fn array<'o, 'a>(&mut self, value: &'o Value<'a>) -> Option<&'o Array<'a>> {
        let found = value.as_array();
        if found.is_none() {
            self.wrong_type("an array", value);
        }
        found
    }

    fn string<'o>(&mut self, value: &'o Value<'_>) -> Option<&'o str> {
        let found = value.as_string_lit();
        if found.is_none() {
            self.wrong_type("a string", value);
        }
        found.map(|literal| literal.value.as_ref())
    }

    fn wrong_type(&mut self, wanted: &str, value: &Value<'_>) {
        let found = match value {
            Value::Object(_) => "an object",
            Value::Array(_) => "an array",
            Value::StringLit(_) => "a string",
            Value::NumberLit(_) => "a number",
            Value::BooleanLit(_) => "a boolean",
            Value::NullKeyword(_) => "null",
        };
        let message = format!("expected {wanted}, found {found}");
        let help = format!("write {wanted}, or leave the field out if it is optional");
        self.error(Code::WrongType, value.start(), message, &help);
    }

    fn error(&mut self, code: Code, at: usize, message: String, help: &str) {
        self.findings.error(code, at, &self.pointer, message, help);
    }

    fn step<T>(&mut self, step: &str, inside: impl FnOnce(&mut Self) -> T) -> T {
        let mut pointer = std::mem::take(&mut self.pointer);
        let result = within(&mut pointer, step, |pointer| {
            self.pointer = std::mem::take(pointer);
            let result = inside(self);
            *pointer = std::mem::take(&mut self.pointer);
            result
        });
        self.pointer = pointer;
        result
    }
}

/// Names that other agents give to the moment before a tool call.
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
