//! What can be wrong with an expression, when it is read and when it is evaluated. Nothing here
//! shows a value of a call: only the expression's own text, names and types.

use std::ops::Range;

use super::limits::{MAX_COMPUTED_PATTERN_BYTES, MAX_COST, MAX_NESTING, MAX_TEXT_BYTES};

/// One mistake in the text of an expression.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{kind}")]
pub struct ExpressionError {
    /// Where it is: bytes of the text, on character boundaries; empty at the end of the text.
    pub span: Range<usize>,
    /// What it is.
    pub kind: ExpressionErrorKind,
    /// What to do.
    pub help: String,
}

/// The kinds of mistakes.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ExpressionErrorKind {
    /// Longer than [`MAX_TEXT_BYTES`].
    #[error("the expression is {0} bytes long; the limit is {MAX_TEXT_BYTES}")]
    TooLong(usize),
    /// More than [`MAX_NESTING`] levels.
    #[error("the expression is nested too deeply; the limit is {MAX_NESTING} levels")]
    TooDeep,
    /// Not an expression of the language.
    #[error("{0}")]
    Syntax(String),
    /// A name that is no variable.
    #[error("there is no variable `{0}`")]
    UnknownVariable(String),
    /// A name that is no function.
    #[error("there is no function `{0}`")]
    UnknownFunction(String),
    /// A field that no effect has.
    #[error("no effect has a field `{0}`")]
    UnknownField(String),
    /// A time zone that the database does not have.
    #[error("there is no time zone `{0}`")]
    UnknownTimeZone(String),
    /// A function with too few or too many arguments, or called in the wrong way.
    #[error("`{function}` cannot be called with {found} arguments in this way")]
    WrongArguments {
        /// The function.
        function: String,
        /// How many there are, what stands before the dot not counted.
        found: usize,
    },
    /// An operator or function with operands that it is not for.
    #[error("`{operation}` is not for {types}")]
    Overload {
        /// The operator or function.
        operation: String,
        /// The types it is used with.
        types: String,
    },
    /// A pattern for `matches` that is no regular expression.
    #[error("this is no regular expression: {0}")]
    BadRegex(String),
    /// A pattern for `glob` that is none.
    #[error("this is no glob: {0}")]
    BadGlob(String),
    /// The whole is no truth value.
    #[error("the expression gives {0} and not true or false")]
    NotBool(String),
    /// Part of the language that has no meaning here.
    #[error("{0} cannot be used here")]
    Unsupported(&'static str),
}

/// Why an expression gave no answer for a call. A rule then has no verdict.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EvaluationError {
    /// More work than [`MAX_COST`].
    #[error(
        "the expression costs more than {MAX_COST} units on this call; use fewer loops, or look at \
         smaller parts of the input"
    )]
    Cost,
    /// A field or key that is not there.
    #[error("{} is not there; ask `has(…)` before, or use a condition that holds only where it is",
        .0.as_ref().map_or("a computed key".to_owned(), |key| format!("the key `{key}`")))]
    NoSuchKey(Option<String>),
    /// A place in a list that is not there.
    #[error("a list is shorter than the place that is asked for; compare with `size(…)` before")]
    IndexOutOfBounds,
    /// An operator or function with values of types that it is not for.
    #[error(
        "`{operation}` is not for {types}; ask `type(…)` before, or convert with `string(…)`, \
         `int(…)` …"
    )]
    Overload {
        /// The operator or function.
        operation: String,
        /// The types of the values.
        types: String,
    },
    /// A number, time or duration outside of its range, or a division by zero.
    #[error("a number, time or duration is outside of its range, or divided by zero")]
    Arithmetic,
    /// A function refused its argument.
    #[error("`{0}` cannot read the text it is given; check its form before")]
    Function(String),
    /// A pattern longer than [`MAX_COMPUTED_PATTERN_BYTES`] that was made at run time.
    #[error("a pattern that is made at run time is longer than {MAX_COMPUTED_PATTERN_BYTES} bytes")]
    LongPattern,
    /// The result is neither true nor false.
    #[error("the expression gave {0} and not true or false; compare it with something")]
    NotBool(String),
    /// Anything else that the language calls an error.
    #[error("the expression uses a value in a way that its type does not allow")]
    Other,
}
