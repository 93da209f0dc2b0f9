//! The patterns of `matches` and `glob`, compiled once where their text is in the expression. It
//! looks at texts only, never at files.

use std::any::Any;

use cel::common::ast::{CallExpr, IdedExpr};
use cel::common::types::Type;
use cel::common::value::{StaticVal, Val};
use globset::{GlobBuilder, GlobMatcher};
use regex::{Regex, RegexBuilder};

use super::error::ExpressionErrorKind as Kind;

/// Largest compiled regular expression, in bytes.
const MAX_REGEX_BYTES: usize = 1 << 20;

/// A compiled pattern.
#[derive(Debug, Clone)]
pub(super) enum Pattern {
    Regex(Regex),
    Glob(GlobMatcher),
}

impl Pattern {
    /// Compiles the pattern of the function of this name, `matches` or `glob`.
    pub(super) fn compile(function: &str, pattern: &str) -> Result<Self, Kind> {
        if function == GLOB {
            return GlobBuilder::new(pattern)
                .literal_separator(true)
                .backslash_escape(true)
                .build()
                .map(|glob| Self::Glob(glob.compile_matcher()))
                .map_err(|error| Kind::BadGlob(error.kind().to_string()));
        }
        RegexBuilder::new(pattern)
            .size_limit(MAX_REGEX_BYTES)
            .build()
            .map(Self::Regex)
            .map_err(|error| Kind::BadRegex(last_line(&error.to_string())))
    }

    pub(super) fn is_match(&self, text: &str) -> bool {
        match self {
            Self::Regex(regex) => regex.is_match(text),
            Self::Glob(glob) => glob.is_match(text),
        }
    }
}

/// The function for globs.
pub(super) const GLOB: &str = "glob";

/// The pattern and the text of a call of `matches` or `glob`, in this order.
pub(super) fn operands(call: &CallExpr) -> Option<(&IdedExpr, &IdedExpr)> {
    let is_glob = call.func_name == GLOB;
    if !is_glob && call.func_name != "matches" {
        return None;
    }
    match (call.target.as_deref(), call.args.as_slice()) {
        (None, [pattern, text]) if is_glob => Some((pattern, text)),
        (Some(text), [pattern]) | (None, [text, pattern]) => Some((pattern, text)),
        _ => None,
    }
}

/// What is wrong, without the drawing of where.
fn last_line(message: &str) -> String {
    let line = message.lines().last().unwrap_or_default();
    let line = line.strip_prefix("error: ").unwrap_or(line);
    hookward_contract::bounded(line, 200)
}

/// The patterns of one expression, as a value that only internal functions can use.
#[derive(Debug, Clone, Default)]
pub(super) struct Patterns(pub(super) Vec<Pattern>);

static PATTERNS_TYPE: Type = Type::new_unspecified_type("@patterns");

impl Val for Patterns {
    fn get_type(&self) -> &Type {
        &PATTERNS_TYPE
    }

    fn cel_type() -> &'static Type {
        &PATTERNS_TYPE
    }

    fn clone_as_boxed<'v>(&self) -> Box<dyn Val + 'v> {
        Box::new(self.clone())
    }

    fn as_any(&self) -> Option<&dyn Any> {
        Some(self)
    }
}

impl StaticVal for Patterns {}
