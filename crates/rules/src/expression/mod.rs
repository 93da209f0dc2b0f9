//! The condition of a rule. Its language is being built in this module; until then every condition
//! is refused.

use std::ops::Range;

use crate::scene::Scene;

/// A compiled condition.
#[derive(Debug, Clone)]
pub struct Expression;

/// Something wrong with a condition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExpressionError {
    /// Bytes of the text.
    pub span: Range<usize>,
    /// What is wrong.
    pub kind: ExpressionErrorKind,
    /// What to do.
    pub help: String,
}

/// What is wrong with a condition.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ExpressionErrorKind {
    /// There are no conditions yet.
    #[error("conditions are not known to this build")]
    Unsupported,
}

/// Why a condition could not be evaluated.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum EvaluationError {
    /// It went beyond the bound of its cost.
    #[error("the condition costs too much")]
    Cost,
}

impl Expression {
    /// Reads a condition.
    pub fn compile(text: &str) -> Result<Self, Vec<ExpressionError>> {
        Err(vec![ExpressionError {
            span: 0..text.len(),
            kind: ExpressionErrorKind::Unsupported,
            help: "use patterns".to_owned(),
        }])
    }

    /// Evaluates the condition.
    pub fn evaluate(&self, _scene: &Scene<'_>) -> Result<bool, EvaluationError> {
        Err(EvaluationError::Cost)
    }
}
