//! What reading any part of a file needs: the path to it, its type, and reporting what is wrong.

use std::collections::HashSet;

use hookward_contract::SourceKind;
use jsonc_parser::ast::{Array, Object, ObjectProp, Value};
use jsonc_parser::common::Ranged;

use crate::definition::FormatVersion;
use crate::diagnostic::{Code, Findings, shown};
use crate::json::push_step;
use crate::suggest::closest;

/// The state of reading one file.
pub(super) struct Reader<'t> {
    pub(super) findings: Findings<'t>,
    /// Where the value being read stands.
    pub(super) pointer: String,
    pub(super) source: SourceKind,
    pub(super) format: FormatVersion,
    pub(super) ids: HashSet<String>,
    pub(super) handlers: usize,
}

/// Why a field does not belong into an object, where more is known than that it does not.
pub(super) struct Misplaced {
    pub(super) code: Code,
    /// What is wrong, if it is not that nobody knows the field.
    pub(super) message: Option<String>,
    pub(super) help: String,
}

impl Reader<'_> {
    /// Reports the fields that are none of `known`; `misplaced` may know more about one.
    pub(super) fn known_fields(
        &mut self,
        object: &Object<'_>,
        known: &[&'static str],
        misplaced: impl Fn(&str) -> Option<Misplaced>,
    ) {
        for property in &object.properties {
            let name = property.name.as_str();
            if known.contains(&name) {
                continue;
            }
            let found = misplaced(name).unwrap_or_else(|| Misplaced {
                code: Code::UnknownField,
                message: None,
                help: if self.findings.is_full() {
                    String::new()
                } else if let Some(meant) = closest(name, known) {
                    format!("did you mean `{meant}`?")
                } else {
                    format!("the fields here are: {}", known.join(", "))
                },
            });
            let unknown = || format!("the field `{}` is not known here", shown(name));
            let message = found.message.unwrap_or_else(unknown);
            let at = property.name.start();
            self.step(name, |this| {
                this.error(found.code, at, message, &found.help);
            });
        }
    }

    pub(super) fn required<'o, 'a>(
        &mut self,
        object: &'o Object<'a>,
        name: &str,
    ) -> Option<&'o ObjectProp<'a>> {
        let found = object.get(name);
        if found.is_none() {
            let message = format!("the field `{name}` is missing");
            let value = if name == "version" { ": 2" } else { "" };
            let help = format!("add `\"{name}\"{value}` to this object");
            self.error(Code::MissingField, object.range.start, message, &help);
        }
        found
    }

    pub(super) fn object<'o, 'a>(&mut self, value: &'o Value<'a>) -> Option<&'o Object<'a>> {
        let found = value.as_object();
        if found.is_none() {
            self.wrong_type("an object", value);
        }
        found
    }

    pub(super) fn array<'o, 'a>(&mut self, value: &'o Value<'a>) -> Option<&'o Array<'a>> {
        let found = value.as_array();
        if found.is_none() {
            self.wrong_type("an array", value);
        }
        found
    }

    pub(super) fn string<'o>(&mut self, value: &'o Value<'_>) -> Option<&'o str> {
        let found = value.as_string_lit();
        if found.is_none() {
            self.wrong_type("a string", value);
        }
        found.map(|literal| literal.value.as_ref())
    }

    /// Every element of an array read by `read`, as [`each`](Self::each) does.
    pub(super) fn elements<'a, T>(
        &mut self,
        array: &Array<'a>,
        mut read: impl FnMut(&mut Self, &Value<'a>) -> Option<T>,
    ) -> Option<Vec<T>> {
        let elements: Vec<_> = array.elements.iter().enumerate().collect();
        self.each(&elements, |this, (index, element)| {
            this.step(&index.to_string(), |this| read(this, element))
        })
    }

    /// Every element read by `read`; `None` if one is faulty, after all were looked at.
    pub(super) fn each<E, T>(
        &mut self,
        elements: &[E],
        mut read: impl FnMut(&mut Self, &E) -> Option<T>,
    ) -> Option<Vec<T>> {
        let read: Vec<Option<T>> = elements.iter().map(|element| read(self, element)).collect();
        read.into_iter().collect()
    }

    pub(super) fn wrong_type(&mut self, wanted: &str, value: &Value<'_>) {
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

    /// A field that version 1 does not have; there its presence is already an error.
    pub(super) fn v2_field<'o, 'a>(
        &self,
        object: &'o Object<'a>,
        name: &str,
    ) -> Option<&'o ObjectProp<'a>> {
        object
            .get(name)
            .filter(|_| self.format == FormatVersion::V2)
    }

    /// One of a few words; `what` they are, with an article.
    pub(super) fn choice<T: Copy>(
        &mut self,
        property: &ObjectProp<'_>,
        code: Code,
        what: &str,
        choices: &[(&str, T)],
    ) -> Option<T> {
        self.step(property.name.as_str(), |this| {
            let text = this.string(&property.value)?;
            let chosen = choices.iter().find(|(name, _)| *name == text);
            if chosen.is_none() {
                let message = format!("`{}` is not {what}", shown(text));
                let names = choices.iter().map(|(name, _)| format!("`\"{name}\"`"));
                let help = format!("write {}", names.collect::<Vec<_>>().join(" or "));
                this.error(code, property.value.start(), message, &help);
            }
            chosen.map(|(_, value)| *value)
        })
    }

    pub(super) fn error(&mut self, code: Code, at: usize, message: String, help: &str) {
        self.findings.error(code, at, &self.pointer, message, help);
    }

    /// Reads a part that is one step further in.
    pub(super) fn step<T>(&mut self, step: &str, inside: impl FnOnce(&mut Self) -> T) -> T {
        let length = push_step(&mut self.pointer, step);
        let result = inside(self);
        self.pointer.truncate(length);
        result
    }
}
