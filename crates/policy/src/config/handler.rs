//! One handler: its fields, each with its rule and limit.

use hookward_contract::{FailureMode, HookId, SourceKind};
use jsonc_parser::ast::{Object, ObjectProp, Value};
use jsonc_parser::common::Ranged;

use super::reader::Reader;
use super::{Group, ParsedHook, Places};
use crate::definition::FormatVersion;
use crate::diagnostic::{Code, Location, shown};
use crate::limits::{self, MAX_HANDLERS};

pub(super) const HANDLER_FIELDS_V1: &[&str] =
    &["id", "type", "command", "args", "timeoutMs", "enabled"];
pub(super) const HANDLER_FIELDS_V2: &[&str] = &[
    "id",
    "type",
    "command",
    "args",
    "timeoutMs",
    "enabled",
    "onFailure",
    "description",
];

impl Reader<'_> {
    pub(super) fn handler(&mut self, group: &Group, value: &Value<'_>) -> Option<ParsedHook> {
        self.handlers += 1;
        if self.handlers == MAX_HANDLERS + 1 {
            let message = "the file has more than 128 handlers".to_owned();
            let help = "remove handlers: each one that matches is a process per call";
            self.error(Code::TooManyHandlers, value.start(), message, help);
        }
        let object = self.object(value)?;
        let place = self.findings.locate(object.range.start, &self.pointer);
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
                handler: place,
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
}
