//! The cases of a hook: calls and the verdict that it is meant to give.

use camino::Utf8PathBuf;
use hookward_contract::{Call, ToolInput, ToolName};
use jiff::Timestamp;
use jsonc_parser::ast::{Object, Value};
use jsonc_parser::common::Ranged;

use super::reader::Reader;
use crate::diagnostic::{Code, shown};
use crate::hook_test::{Expected, HookTest};
use crate::limits::{MAX_TEST_VARIABLES, MAX_TESTS};

const FIELDS: &[&str] = &[
    "tool",
    "input",
    "cwd",
    "now",
    "env",
    "expect",
    "native_tool",
    "mode",
];

impl Reader<'_> {
    /// The cases of a handler, all of them checked.
    pub(super) fn tests(&mut self, object: &Object<'_>) -> Option<Vec<HookTest>> {
        let Some(property) = self.v2_field(object, "tests") else {
            return Some(Vec::new());
        };
        self.step("tests", |this| {
            let tests = this.array(&property.value)?;
            let count = tests.elements.len();
            if count > MAX_TESTS {
                let message = format!("{count} tests; the limit of a hook is {MAX_TESTS}");
                let help = "keep the cases that differ in what they show";
                this.error(Code::BadTest, tests.range.start, message, help);
                return None;
            }
            this.elements(tests, Self::test)
        })
    }

    fn test(&mut self, value: &Value<'_>) -> Option<HookTest> {
        let object = self.object(value)?;
        let location = self.findings.locate(object.range.start, &self.pointer);
        self.known_fields(object, FIELDS, |_| None);
        let tool = self
            .required(object, "tool")
            .and_then(|_| self.tool(object, "tool")?);
        let native_tool = self.tool(object, "native_tool");
        let input = self.input(object);
        let cwd = self.optional(object, "cwd", directory);
        let now = self.optional(object, "now", |text| {
            let time: Result<Timestamp, _> = text.parse();
            time.map_err(|_| "is not an RFC 3339 time such as 2026-01-31T12:00:00Z".to_owned())
        });
        let env = self.env(object);
        let mode = self.optional(object, "mode", |text| Ok(text.to_owned()));
        let choices = Expected::ALL.map(|verdict| (verdict.as_str(), verdict));
        let expect = self
            .required(object, "expect")
            .and_then(|property| self.choice(property, Code::BadChoice, "a verdict", &choices));
        Some(HookTest {
            tool: tool?,
            native_tool: native_tool?,
            input: input?,
            cwd: cwd?,
            now: now?,
            env: env?,
            mode: mode?,
            expect: expect?,
            location,
        })
    }

    #[expect(clippy::option_option, reason = "outer: valid; inner: present")]
    fn tool(&mut self, object: &Object<'_>, name: &str) -> Option<Option<ToolName>> {
        self.optional(object, name, |text| {
            ToolName::try_from(text).map_err(|error| format!("is no name of a tool: {error}"))
        })
    }

    /// The input, an object as tools get it, by its very text.
    fn input(&mut self, object: &Object<'_>) -> Option<ToolInput> {
        let property = self.required(object, "input")?;
        self.step("input", |this| {
            this.object(&property.value)?;
            let range = property.value.start()..property.value.end();
            let text = this.findings.text().get(range).unwrap_or_default();
            match ToolInput::parse(text) {
                Ok((input, _)) => Some(input),
                Err(error) => {
                    // What is no JSON is already an error of the file.
                    let help = "write the input as the tool would get it";
                    let message = shown(&error.to_string());
                    this.error(Code::BadTest, property.value.start(), message, help);
                    None
                }
            }
        })
    }

    fn env(&mut self, object: &Object<'_>) -> Option<Vec<(String, String)>> {
        let Some(property) = object.get("env") else {
            return Some(Vec::new());
        };
        self.step("env", |this| {
            let variables = &this.object(&property.value)?.properties;
            if variables.len() > MAX_TEST_VARIABLES {
                let count = variables.len();
                let message = format!("{count} variables; the limit is {MAX_TEST_VARIABLES}");
                let help = "name only those that the rule looks at";
                this.error(Code::BadTest, property.value.start(), message, help);
                return None;
            }
            this.each(variables, |this, variable| {
                let name = variable.name.as_str();
                this.step(name, |this| {
                    if name.is_empty() || name.contains(['=', '\0']) {
                        let message = format!("`{}` is no name of a variable", shown(name));
                        let help = "write a name without `=`";
                        this.error(Code::BadTest, variable.name.start(), message, help);
                        return None;
                    }
                    let value = this.string(&variable.value)?;
                    Some((name.to_owned(), value.to_owned()))
                })
            })
        })
    }

    /// A text that may be absent, read by `read`, whose error says what is wrong with it.
    #[expect(clippy::option_option, reason = "outer: valid; inner: present")]
    fn optional<T>(
        &mut self,
        object: &Object<'_>,
        name: &str,
        read: impl Fn(&str) -> Result<T, String>,
    ) -> Option<Option<T>> {
        let Some(property) = object.get(name) else {
            return Some(None);
        };
        self.step(name, |this| {
            let text = this.string(&property.value)?;
            match read(text) {
                Ok(value) => Some(Some(value)),
                Err(problem) => {
                    let message = format!("`{}` {problem}", shown(text));
                    let help = "correct the case, or leave the field out if it is optional";
                    this.error(Code::BadTest, property.value.start(), message, help);
                    None
                }
            }
        })
    }
}

/// A directory: absolute, or below the project's root.
fn directory(text: &str) -> Result<Utf8PathBuf, String> {
    let absolute = match text {
        "" => return Err("is empty".to_owned()),
        _ if text.starts_with('/') => text.to_owned(),
        _ => format!("/{text}"),
    };
    match Call::clean_cwd(&absolute) {
        Ok(_) => Ok(Utf8PathBuf::from(text)),
        Err(_) => Err("has `.`, `..`, `//` or NUL in it".to_owned()),
    }
}
