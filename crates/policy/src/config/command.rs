//! The fields of a command: a program, its arguments, its deadline and how it is held.

use hookward_contract::SourceKind;
use jsonc_parser::ast::{Object, Value};
use jsonc_parser::common::Ranged;

use super::reader::Reader;
use crate::definition::FormatVersion;
use crate::diagnostic::{Code, Location, shown};
use crate::handler::{CommandText, ContainmentMode};
use crate::limits;

/// The fields that only commands have.
pub(super) const COMMAND_FIELDS: &[&str] = &["command", "args", "timeoutMs", "containment"];

/// A command that was read, and where its program and its arguments stand.
pub(super) struct ReadCommand {
    pub(super) text: CommandText,
    pub(super) command: Location,
    pub(super) args: Vec<Location>,
}

impl Reader<'_> {
    pub(super) fn command_handler(&mut self, object: &Object<'_>) -> Option<ReadCommand> {
        let command = self.command(object);
        let args = self.args(object);
        let timeout_ms = self.timeout(object);
        let containment = self.containment(object);
        let (command, command_at) = command?;
        let (args, args_at) = args?;
        Some(ReadCommand {
            text: CommandText {
                command,
                args,
                timeout_ms: timeout_ms?,
                containment: containment?,
            },
            command: command_at,
            args: args_at,
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
            let texts = this.elements(array, Self::arg);
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

    fn containment(&mut self, object: &Object<'_>) -> Option<ContainmentMode> {
        let Some(property) = self.v2_field(object, "containment") else {
            return Some(ContainmentMode::Full);
        };
        let choices = [ContainmentMode::Full, ContainmentMode::Group];
        let choices = choices.map(|mode| (mode.as_str(), mode));
        let what = "a containment";
        let chosen = self.choice(property, Code::BadChoice, what, &choices)?;
        if chosen == ContainmentMode::Group {
            let at = property.value.start();
            self.step("containment", |this| {
                let message = "what leaves the hook's process group outlives it".to_owned();
                let help = "keep this only for a program that needs to gain privileges or to \
                            outlive its call; else remove the field";
                let code = Code::GroupContainment;
                this.findings
                    .warning(code, at, &this.pointer, message, help);
            });
        }
        Some(chosen)
    }
}
