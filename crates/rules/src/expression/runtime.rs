//! Evaluates prepared expressions: the variables of a scene, and what the evaluator's errors mean.
//! It reads nothing but the scene.

use cel::ExecutionError;
use cel::common::types::CelBool;
use cel::common::value::CowVal;
use cel::context::VariableResolver;

use super::cost::{BUDGET, Budget, PATTERNS, Prepared};
use super::error::EvaluationError;
use super::functions::{LONG_PATTERN, ROOT};
use super::patterns::Patterns;
use super::shown;
use super::variables::Variable;
use crate::scene::Scene;

/// Evaluates, and counts the units of work.
pub(super) fn evaluate(
    prepared: &Prepared,
    text: &str,
    scene: &Scene<'_>,
) -> (Result<bool, EvaluationError>, u64) {
    let resolver = Resolver {
        scene,
        patterns: &prepared.patterns,
        budget: Budget::with_spent(prepared.parts),
    };
    let mut context = ROOT.new_inner_scope();
    context.set_variable_resolver(&resolver);
    let result = match cel::Value::resolve_val(&prepared.expression, &context) {
        // An error that says that the budget is used up may have been overruled.
        _ if resolver.budget.is_spent() => Err(EvaluationError::Cost),
        Ok(value) => match value.downcast_ref::<CelBool>() {
            Some(answer) => Ok(*answer.inner()),
            None => Err(EvaluationError::NotBool(value.get_type().name().to_owned())),
        },
        Err(error) => Err(meaning(error, text)),
    };
    (result, resolver.budget.units())
}

/// The variables of one evaluation.
struct Resolver<'s, 'a> {
    scene: &'s Scene<'a>,
    patterns: &'s Patterns,
    budget: Budget,
}

impl VariableResolver for Resolver<'_, '_> {
    fn resolve<'b>(&'b self, name: &str) -> Option<CowVal<'b, 'b>> {
        match name {
            BUDGET => return Some(CowVal::Borrowed(&self.budget)),
            PATTERNS => return Some(CowVal::Borrowed(self.patterns)),
            _ => {}
        }
        let variable = Variable::named(name)?;
        if self.budget.is_spent() {
            return None;
        }
        let cell = self.scene.cell(variable);
        let bytes = u64::try_from(cell.bytes).unwrap_or(u64::MAX);
        (self.budget.spend(bytes)).then(|| CowVal::Borrowed(cell.value.as_ref()))
    }
}

/// What went wrong, without the values that it went wrong with.
fn meaning(error: ExecutionError, text: &str) -> EvaluationError {
    match error {
        ExecutionError::NoSuchKey(key) => {
            let is_written = text.contains(key.as_str());
            EvaluationError::NoSuchKey(is_written.then(|| shown(&key)))
        }
        ExecutionError::IndexOutOfBounds(_) => EvaluationError::IndexOutOfBounds,
        ExecutionError::NoSuchOverload(error) => EvaluationError::Overload {
            operation: shown(&operator(error.function())),
            types: error.argument_types().join(" and "),
        },
        ExecutionError::UnsupportedBinaryOperator(name, left, right) => EvaluationError::Overload {
            operation: name.to_owned(),
            types: format!("{} and {}", left.type_of(), right.type_of()),
        },
        ExecutionError::UnexpectedType { got, want } if want == "bool" => {
            EvaluationError::NotBool(got)
        }
        ExecutionError::DivisionByZero(_)
        | ExecutionError::RemainderByZero(_)
        | ExecutionError::Overflow(..) => EvaluationError::Arithmetic,
        ExecutionError::FunctionError { message, .. } if message == LONG_PATTERN => {
            EvaluationError::LongPattern
        }
        ExecutionError::FunctionError { function, .. } => {
            EvaluationError::Function(shown(&operator(&function)))
        }
        _ => EvaluationError::Other,
    }
}

/// `_<_` as `<`, and internal names as those they stand for.
fn operator(name: &str) -> String {
    name.trim_matches(['_', '@']).to_owned()
}
