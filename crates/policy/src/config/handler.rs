//! One handler: what kind it is, and the fields that every kind has.

use hookward_contract::{FailureMode, HookId};
use hookward_rules::Rule;
use jsonc_parser::ast::{Object, Value};
use jsonc_parser::common::Ranged;

use super::command::COMMAND_FIELDS;
use super::reader::{Misplaced, Reader};
use super::rule::RULE_FIELDS;
use super::{Group, ParsedHook, Places};
use crate::definition::FormatVersion;
use crate::diagnostic::{Code, Location, shown};
use crate::handler::{COMMAND, HandlerText, HookMode, RULE};
use crate::limits::{self, MAX_HANDLERS};

const FIELDS_V1: &[&str] = &["id", "type", "command", "args", "timeoutMs", "enabled"];
/// The fields of every kind of handler in version 2.
const COMMON_FIELDS: &[&str] = &[
    "id",
    "type",
    "enabled",
    "onFailure",
    "mode",
    "description",
    "statusMessage",
    "tests",
];

/// The kinds of handlers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Command,
    Rule,
}

/// What only one kind of handler has, and where it stands.
struct Read {
    text: HandlerText,
    rule: Option<Rule>,
    command: Option<Location>,
    args: Vec<Location>,
}

/// Texts for people.
struct Words {
    description: Option<String>,
    status_message: Option<String>,
}

impl Kind {
    const ALL: [Self; 2] = [Self::Command, Self::Rule];

    const fn as_str(self) -> &'static str {
        match self {
            Self::Command => COMMAND,
            Self::Rule => RULE,
        }
    }

    /// What *no verdict* means for hooks that do not say it.
    const fn on_failure(self) -> FailureMode {
        match self {
            Self::Command => FailureMode::Continue,
            Self::Rule => FailureMode::Block,
        }
    }

    const fn fields(self) -> &'static [&'static str] {
        match self {
            Self::Command => COMMAND_FIELDS,
            Self::Rule => RULE_FIELDS,
        }
    }
}

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
        let id = self.id(object);
        let kind = self.kind(object);
        self.handler_fields(object, kind);
        let read = self.kind_handler(object, kind, group);
        let enabled = self.enabled(object);
        let on_failure = self.on_failure(object, kind);
        let mode = self.mode(object);
        let words = self.words(object);
        let tests = self.tests(object);
        let (read, words) = (read?, words?);
        Some(ParsedHook {
            id: id?,
            event: group.event,
            matcher: group.matcher.clone()?,
            handler: read.text,
            rule: read.rule,
            on_failure: on_failure?,
            mode: mode?,
            enabled: enabled?,
            description: words.description,
            status_message: words.status_message,
            tests: tests?,
            places: Places {
                handler: place,
                command: read.command,
                args: read.args,
            },
        })
    }

    /// The fields that only one kind of handler has.
    fn kind_handler(&mut self, object: &Object<'_>, kind: Kind, group: &Group) -> Option<Read> {
        match kind {
            Kind::Command => self.command_handler(object).map(|read| Read {
                text: HandlerText::Command(read.text),
                rule: None,
                command: Some(read.command),
                args: read.args,
            }),
            Kind::Rule => {
                let (text, rule) = self.rule_handler(object, group.matcher.as_ref())?;
                Some(Read {
                    text: HandlerText::Rule(text),
                    rule: Some(rule),
                    command: None,
                    args: Vec::new(),
                })
            }
        }
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

    /// The kind of handler that the object is meant to be: what it says, else what its fields say.
    fn kind(&mut self, object: &Object<'_>) -> Kind {
        let has = |kind: Kind| kind.fields().iter().any(|name| object.get(name).is_some());
        let written = self
            .required(object, "type")
            .and_then(|property| self.step("type", |this| this.kind_of(&property.value)));
        written.unwrap_or(if has(Kind::Rule) && !has(Kind::Command) {
            Kind::Rule
        } else {
            Kind::Command
        })
    }

    fn kind_of(&mut self, value: &Value<'_>) -> Option<Kind> {
        let name = self.string(value)?;
        let kind = Kind::ALL.into_iter().find(|kind| kind.as_str() == name);
        if kind == Some(Kind::Rule) && self.format == FormatVersion::V1 {
            let message = "a version 1 file has no rules".to_owned();
            self.error(
                Code::UnknownType,
                value.start(),
                message,
                "write `\"version\": 2`",
            );
        } else if kind.is_none() {
            let message = format!(
                "`{}` is not a handler type known to this release",
                shown(name)
            );
            let help = "write `\"type\": \"command\"`, or `\"rule\"` in a version 2 file";
            self.error(Code::UnknownType, value.start(), message, help);
        }
        kind
    }

    fn handler_fields(&mut self, object: &Object<'_>, kind: Kind) {
        let of_kinds = |name: &str| {
            Kind::ALL
                .into_iter()
                .find(|kind| kind.fields().contains(&name))
        };
        match self.format {
            FormatVersion::V1 => self.known_fields(object, FIELDS_V1, |name| {
                let later = COMMON_FIELDS.contains(&name) || of_kinds(name).is_some();
                later.then(|| Misplaced {
                    code: Code::UnknownField,
                    message: None,
                    help: "this field needs `\"version\": 2`".to_owned(),
                })
            }),
            FormatVersion::V2 => {
                let known = [COMMON_FIELDS, kind.fields()].concat();
                self.known_fields(object, &known, |name| {
                    let owner = of_kinds(name)?.as_str();
                    let kind = kind.as_str();
                    Some(Misplaced {
                        code: Code::ForeignField,
                        message: Some(format!(
                            "the field `{name}` belongs to handlers of the type `{owner}`, and \
                             this is a `{kind}`"
                        )),
                        help: "remove the field, or make two hooks of this one".to_owned(),
                    })
                });
            }
        }
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

    fn on_failure(&mut self, object: &Object<'_>, kind: Kind) -> Option<FailureMode> {
        let Some(property) = self.v2_field(object, "onFailure") else {
            return Some(kind.on_failure());
        };
        let choices = [FailureMode::Continue, FailureMode::Block];
        let choices = choices.map(|mode| (mode.as_str(), mode));
        self.choice(property, Code::BadFailureMode, "a failure mode", &choices)
    }

    fn mode(&mut self, object: &Object<'_>) -> Option<HookMode> {
        let Some(property) = self.v2_field(object, "mode") else {
            return Some(HookMode::Enforce);
        };
        let choices = [HookMode::Enforce, HookMode::Shadow].map(|mode| (mode.as_str(), mode));
        self.choice(property, Code::BadChoice, "a mode", &choices)
    }

    fn words(&mut self, object: &Object<'_>) -> Option<Words> {
        let checks = [
            (
                "description",
                Code::BadDescription,
                limits::check_description as fn(&str) -> Result<(), String>,
                "say in a sentence what the hook is for",
            ),
            (
                "statusMessage",
                Code::BadReason,
                limits::check_status_message,
                "say in a few words what a person is waiting for",
            ),
        ];
        let [description, status_message] = checks.map(|(name, code, check, help)| {
            let Some(property) = self.v2_field(object, name) else {
                return Some(None);
            };
            self.step(name, |this| {
                let text = this.string(&property.value)?;
                if let Err(problem) = check(text) {
                    this.error(code, property.value.start(), problem, help);
                    return None;
                }
                Some(Some(text.to_owned()))
            })
        });
        Some(Words {
            description: description?,
            status_message: status_message?,
        })
    }
}
