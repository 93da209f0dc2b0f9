//! The fields of a rule: patterns over effects, an expression, and what follows. What the compiler
//! of rules finds wrong is put at its place in the file.

use std::ops::Range;

use hookward_contract::{bounded, escape_for_display};
use hookward_rules::{Decision, OpaqueDecision, Rule, RuleError, RuleField, RuleText};
use jsonc_parser::ast::{Object, Value};
use jsonc_parser::common::Ranged;

use super::reader::Reader;
use crate::diagnostic::{Code, Severity};
use crate::json;
use crate::limits;
use crate::matcher::Matcher;

/// The fields that only rules have.
pub(super) const RULE_FIELDS: &[&str] = &[
    "exec", "write", "read", "delete", "network", "mcp", "when", "decision", "opaque", "reason",
];

/// Longest words of the compiler about one problem, in characters.
const MAX_WORDS_CHARS: usize = 400;

impl Reader<'_> {
    /// Reads a rule of a group with this matcher, `None` if that is faulty.
    pub(super) fn rule_handler(
        &mut self,
        object: &Object<'_>,
        matcher: Option<&Matcher>,
    ) -> Option<(RuleText, Rule)> {
        self.bounds(object, matcher);
        let patterns = ["exec", "write", "read", "delete", "network", "mcp"];
        let patterns = patterns.map(|name| self.patterns(object, name));
        let when = self.rule_text(object, "when", Code::BadExpression, limits::check_when);
        let decision = self.decision(object);
        let opaque = self.opaque(object);
        let reason = self.required(object, "reason").and_then(|_| {
            self.rule_text(object, "reason", Code::BadReason, limits::check_reason)?
        });
        let whole = patterns.iter().all(Option::is_some) && when.is_some();
        let [exec, write, read, delete, network, mcp] = patterns.map(Option::unwrap_or_default);
        // What can be compiled is, so that one run tells all that is wrong.
        let text = RuleText {
            exec,
            write,
            read,
            delete,
            network,
            mcp,
            when: when.flatten(),
            decision: decision.unwrap_or(Decision::Deny),
            opaque: opaque.unwrap_or_default(),
            reason: reason.clone().unwrap_or_default(),
        };
        let rule = self.compile(&text, object)?;
        let complete = whole && decision.is_some() && opaque.is_some() && reason.is_some();
        complete.then_some((text, rule))
    }

    /// A rule has to say about which calls it is: by a pattern, by an expression, or by its matcher.
    fn bounds(&mut self, object: &Object<'_>, matcher: Option<&Matcher>) {
        let conditions = RULE_FIELDS.iter().take_while(|name| **name != "decision");
        let unconditional = conditions
            .into_iter()
            .all(|name| object.get(name).is_none());
        if unconditional && matcher.is_some_and(Matcher::is_all) {
            let message = "this rule would fire on every call of every tool".to_owned();
            let help = "add a pattern such as `exec`, or `when`, or name tools in the matcher";
            self.error(Code::UnboundedRule, object.range.start, message, help);
        }
    }

    /// The patterns of one field: a text or a list of them; none if the field is not there.
    fn patterns(&mut self, object: &Object<'_>, name: &str) -> Option<Vec<String>> {
        let Some(property) = object.get(name) else {
            return Some(Vec::new());
        };
        self.step(name, |this| {
            let value = &property.value;
            let patterns: Option<Vec<String>> = match value {
                Value::StringLit(text) => Some(vec![text.value.to_string()]),
                Value::Array(array) if array.elements.is_empty() => {
                    let message = "an empty list of patterns matches nothing".to_owned();
                    let help = "write a pattern, or leave the field out";
                    this.error(Code::BadPattern, value.start(), message, help);
                    return None;
                }
                Value::Array(array) => {
                    this.elements(array, |this, value| Some(this.string(value)?.to_owned()))
                }
                _ => {
                    this.wrong_type("a string or an array of strings", value);
                    return None;
                }
            };
            let patterns = patterns?;
            limits::check_patterns(&patterns)
                .map_err(|found| {
                    let at = element(value, found.index.unwrap_or(0)).map_or(value, |(at, _)| at);
                    let help = "write shorter patterns, or several rules";
                    this.error(Code::BadPattern, at.start(), found.problem, help);
                })
                .ok()?;
            Some(patterns)
        })
    }

    /// A text of the rule that may be absent.
    #[expect(clippy::option_option, reason = "outer: valid; inner: present")]
    fn rule_text(
        &mut self,
        object: &Object<'_>,
        name: &str,
        code: Code,
        check: fn(&str) -> Result<(), String>,
    ) -> Option<Option<String>> {
        let Some(property) = object.get(name) else {
            return Some(None);
        };
        self.step(name, |this| {
            let text = this.string(&property.value)?;
            if let Err(problem) = check(text) {
                let help = "write one line of text";
                this.error(code, property.value.start(), problem, help);
                return None;
            }
            Some(Some(text.to_owned()))
        })
    }

    fn decision(&mut self, object: &Object<'_>) -> Option<Decision> {
        let property = self.required(object, "decision")?;
        let choices = [("deny", Decision::Deny), ("ask", Decision::Ask)];
        self.choice(property, Code::BadChoice, "a decision of a rule", &choices)
    }

    fn opaque(&mut self, object: &Object<'_>) -> Option<OpaqueDecision> {
        let Some(property) = object.get("opaque") else {
            return Some(OpaqueDecision::default());
        };
        let choices = [
            ("ask", OpaqueDecision::Ask),
            ("deny", OpaqueDecision::Deny),
            ("allow", OpaqueDecision::Allow),
        ];
        let what = "a decision about what cannot be known";
        self.choice(property, Code::BadChoice, what, &choices)
    }

    fn compile(&mut self, text: &RuleText, object: &Object<'_>) -> Option<Rule> {
        let (rule, found, severity) = match Rule::compile(text) {
            Ok(rule) => {
                let warnings = rule.warnings().to_vec();
                (Some(rule), warnings, Severity::Warning)
            }
            Err(errors) => (None, errors, Severity::Error),
        };
        for problem in &found {
            self.report(problem, severity, object);
        }
        rule
    }

    /// Puts what the compiler found at its place in the file.
    fn report(&mut self, problem: &RuleError, severity: Severity, object: &Object<'_>) {
        let code = match (severity, problem.field) {
            (Severity::Warning, _) => Code::NeverMatches,
            (Severity::Error, RuleField::When) => Code::BadExpression,
            (Severity::Error, _) => Code::BadPattern,
        };
        let field = problem.field.as_str();
        let value = object.get(field).map(|property| &property.value);
        let found = value.and_then(|value| element(value, problem.index));
        let (value, index) = found.unzip();
        let at = value.map_or(object.range.start, |value| {
            self.place_inside(value, problem.span.as_ref())
        });
        let index = index.flatten().map(|index| format!("/{index}"));
        let pointer = format!("{}/{field}{}", self.pointer, index.unwrap_or_default());
        let words = |text: &str| bounded(&escape_for_display(text), MAX_WORDS_CHARS);
        let (message, help) = (words(&problem.message), words(&problem.help));
        self.findings
            .found(code, severity, at, &pointer, message, &help);
    }

    /// Where a part of a text stands in the file: escapes take more room there than in the text.
    fn place_inside(&self, value: &Value<'_>, span: Option<&Range<usize>>) -> usize {
        let start = value.start();
        let raw = self.findings.text().get(start..value.end());
        match (raw, span) {
            (Some(raw), Some(span)) => start + json::offset_in_literal(raw, span.start),
            _ => start,
        }
    }
}

/// One text of a field, and its position if the field is a list.
fn element<'v, 'a>(value: &'v Value<'a>, index: usize) -> Option<(&'v Value<'a>, Option<usize>)> {
    match value {
        Value::Array(array) => Some((array.elements.get(index)?, Some(index))),
        _ => Some((value, None)),
    }
}
