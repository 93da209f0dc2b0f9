//! The `when` of a rule: an expression of the Common Expression Language (CEL) over one call.
//!
//! An expression is read, checked and prepared once ([`Expression::compile`]) and then evaluated
//! for calls ([`Expression::evaluate`]). It is never evaluated while it is read, and an evaluation
//! reads nothing but its [`Scene`] and does bounded work.

mod check;
mod cost;
mod error;
mod functions;
mod limits;
mod patterns;
mod runtime;
mod span;
mod texts;
mod types;
mod variables;

use std::fmt;
use std::sync::Arc;

use cel::IdedExpr;
use cel::common::ast::SourceInfo;
use cel::parser::{ParseErrors, Parser, PrattParser};

pub use error::{EvaluationError, ExpressionError, ExpressionErrorKind};
pub use limits::{MAX_CHAIN, MAX_COMPUTED_PATTERN_BYTES, MAX_COST, MAX_NESTING, MAX_TEXT_BYTES};
pub(crate) use variables::Variable;

use crate::scene::Scene;

/// A checked expression of the Common Expression Language (CEL) over one call. Cheap to clone.
///
/// # Variables
///
/// | name | type | what it is |
/// | --- | --- | --- |
/// | `tool` | string | the tool's canonical name |
/// | `native_tool` | string | the agent's own name for it; the same as `tool` where it has none |
/// | `input` | any | the tool's input, see below |
/// | `effects` | list of maps | what the call would do, each in the shape of its JSON |
/// | `cwd` | string | the directory in which the tool would run |
/// | `project` | string | the project's root |
/// | `origin` | string | how the call came to be, `provider`, `subagent` … |
/// | `agent` | string | the subagent that asks; empty where none does |
/// | `agent_type` | string | its kind; empty where there is none |
/// | `mode` | string | the permission mode as the agent names it |
/// | `session` | string | the session's id |
/// | `now` | timestamp | the clock |
/// | `env` | map of strings | the environment variables that rules may see |
///
/// Numbers of `input` keep their digits: a whole number is an `int` where it fits one, else a `uint`,
/// else a string of its digits; a number with a fraction or exponent is a `double`, or a string
/// where no `double` reaches it.
///
/// Fields of an effect depend on its kind, so `e.kind == 'exec' && e.program == 'git'` asks for the
/// kind first.
///
/// # Functions
///
/// Those of the language's standard library and its macros `has`, `all`, `exists`, `exists_one`,
/// `map` and `filter`, and:
///
/// | call | result |
/// | --- | --- |
/// | `glob(pattern, text)`, `text.glob(pattern)` | whether the whole text fits; `*` stops at `/`, `**` does not |
/// | `text.matches(regex)` | whether a part of the text fits; no look-around, linear in time |
/// | `under(path, directory)` | whether the path is the directory or lies below, by their text |
/// | `host(url)` | the host in lower case, of `git@host:path` as well; empty where there is none |
///
/// # Errors of an evaluation
///
/// What is not there is an error: `input.command` on an input without it is
/// [`EvaluationError::NoSuchKey`]; `has(input.command) && …` asks first. As the language has it, an
/// error on one side of `&&` or `||` does not count where the other side decides alone: `error ||
/// true` is true and `error && false` is false, in either order. `all` and `exists` do the same
/// over their items. Only [`EvaluationError::Cost`] cannot be overruled.
#[derive(Clone)]
pub struct Expression(Arc<Inner>);

struct Inner {
    text: String,
    prepared: cost::Prepared,
}

impl Expression {
    /// Reads and checks an expression.
    ///
    /// # Errors
    ///
    /// All mistakes that can be found at once, in the order of the text. A text that is too long or
    /// nested too deeply, or whose grammar is wrong, is not looked into further.
    pub fn compile(text: &str) -> Result<Self, Vec<ExpressionError>> {
        if text.len() > MAX_TEXT_BYTES {
            return Err(vec![ExpressionError {
                span: span::clamped(MAX_TEXT_BYTES..text.len(), text),
                kind: ExpressionErrorKind::TooLong(text.len()),
                help: "split it into several rules".to_owned(),
            }]);
        }
        if let Some(span) = limits::too_deep(text) {
            return Err(vec![ExpressionError {
                span: span::clamped(span, text),
                kind: ExpressionErrorKind::TooDeep,
                help: "use fewer brackets and shorter chains, or split it into several rules"
                    .to_owned(),
            }]);
        }
        let expression = match quickly(text) {
            Some(expression) => expression,
            None => with_faults(text)?,
        };
        Ok(Self(Arc::new(Inner {
            text: text.to_owned(),
            prepared: cost::prepare(expression),
        })))
    }

    /// The text.
    pub fn text(&self) -> &str {
        &self.0.text
    }

    /// Whether it holds for a call.
    ///
    /// # Errors
    ///
    /// Where the expression has no answer for this call; see [above](Self#errors-of-an-evaluation).
    pub fn evaluate(&self, scene: &Scene<'_>) -> Result<bool, EvaluationError> {
        self.evaluate_counted(scene).0
    }

    /// Like [`evaluate`](Self::evaluate), with the units of work that it took, of which
    /// [`MAX_COST`] are allowed.
    pub fn evaluate_counted(&self, scene: &Scene<'_>) -> (Result<bool, EvaluationError>, u64) {
        runtime::evaluate(&self.0.prepared, &self.0.text, scene)
    }
}

impl fmt::Debug for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Expression").field(&self.0.text).finish()
    }
}

/// Reads a text without faults. The other parser of the library builds tables at its first use, which
/// take longer than the rest of a start, and knows where each part stands: it is asked for faults only.
fn quickly(text: &str) -> Option<IdedExpr> {
    let expression = PrattParser::new().parse(text).ok()?;
    let faultless = check::check(&expression, &SourceInfo::default()).is_empty();
    faultless.then_some(expression)
}

/// Reads a text and says what is wrong with it and where.
fn with_faults(text: &str) -> Result<IdedExpr, Vec<ExpressionError>> {
    let parsed = Parser::default().parse_with_source_info(text);
    let (expression, source) = parsed.map_err(|errors| syntax_errors(errors, text))?;
    let errors = check::check(&expression, &source);
    if errors.is_empty() {
        Ok(expression)
    } else {
        Err(errors)
    }
}

/// The parser's errors, at their places. It may repeat itself at one place; the first error counts.
fn syntax_errors(errors: ParseErrors, text: &str) -> Vec<ExpressionError> {
    let mut found: Vec<ExpressionError> = Vec::new();
    for error in errors.errors {
        let (line, column) = error.pos;
        let span = span::at(line, column, text);
        if found.iter().any(|it| it.span == span) {
            continue;
        }
        let message = error
            .msg
            .strip_prefix("Syntax error: ")
            .unwrap_or(&error.msg);
        let message = hookward_contract::escape_for_display(message);
        found.push(ExpressionError {
            span,
            kind: ExpressionErrorKind::Syntax(hookward_contract::bounded(&message, 200)),
            help: "see the syntax of CEL; texts stand in quotes, as in `tool == 'Bash'`".to_owned(),
        });
    }
    found
}

/// A part of an expression's text, fit to be shown.
fn shown(text: &str) -> String {
    hookward_contract::bounded(&hookward_contract::escape_for_display(text), 80)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The numbers that a parser gives to the parts do not matter.
    fn plain(expression: &IdedExpr) -> String {
        let text = format!("{expression:?}");
        let parts = text.split("id: ");
        let parts = parts.map(|part| part.trim_start_matches(|c: char| c.is_ascii_digit()));
        parts.collect()
    }

    #[test]
    fn both_parsers_agree() {
        for text in [
            r#"tool == 'Bash' && !(mode in ['plan', "x"]) || size(input) > 2"#,
            "now.getHours('Europe/Berlin') >= 18 ? true : now.getDayOfWeek() == 0",
            "effects.exists(e, e.kind == 'exec' && e.program == 'git')",
            "effects.all(e, has(e.path) && e.path.startsWith('/tmp/')) && -1 < 2 - -3",
            "input.items.map(i, i.a + 1).filter(i, i % 2 == 0)[0] == 4u",
            "input.items.exists_one(i, i == 1.5e3) || [1, 2, 3][1] == 0x10",
            "{'a': 1, 'b': {'c': [true, null]}}.b.c[0] == true",
            r"text.matches('a|b') != r'\d' && b'x' == b'\x78'",
            "a.b.c(1, 2).d && timestamp('2026-01-01T00:00:00Z') < now - duration('1h')",
            r#"'''x\ny''' == "\u00e9\n" && 1 + 2 * 3 - 4 / 5 % 6 == -7"#,
            "a && b && c || d && e || f",
            "(a ? b : c) ? d : e ? f : g",
            "!a.b && !!c && - -1 == 1",
            "a // a comment\n && b",
        ] {
            let quick = PrattParser::new().parse(text).map(|it| plain(&it));
            let thorough = Parser::default().parse(text).map(|it| plain(&it));
            assert_eq!(quick.ok(), thorough.ok(), "{text}");
        }
    }
}
