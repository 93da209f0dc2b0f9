//! The bound on the work of one evaluation. The parsed expression is rewritten so that loops and
//! everything that builds a value charge a budget; the budget is a value of the evaluation, so no
//! two evaluations share one. It never changes what an expression means.

use std::any::Any;
use std::sync::atomic::{AtomicU64, Ordering};

use cel::common::ast::{
    CallExpr, ComprehensionExpr, EntryExpr, Expr, IdedExpr, LiteralValue, operators,
};
use cel::common::types::{CelBool, CelInt, Type};
use cel::common::value::{StaticVal, Val};

use super::check::literal_text;
use super::limits::MAX_COST;
use super::patterns::{self, Pattern, Patterns};

/// The budget, where an internal function wants it.
pub(super) const BUDGET: &str = "@budget";
/// The compiled patterns, where an internal function wants them.
pub(super) const PATTERNS: &str = "@patterns";
/// `@charge(@budget, times, value)`: charges one unit and the size of the value so many times.
pub(super) const CHARGE: &str = "@charge";
/// `@grown(@budget, value)`: charges the size of the value, which it gives back.
pub(super) const GROWN: &str = "@grown";
/// `@pattern(@patterns, number, text)`: whether a compiled pattern matches.
pub(super) const PATTERN: &str = "@pattern";

/// `@glob(@budget, pattern, text)`: whether a pattern that is made at run time matches.
pub(super) const RUN_TIME_GLOB: &str = "@glob";
/// The same for a regular expression.
pub(super) const RUN_TIME_REGEX: &str = "@matches";

/// What a unit is worth in bytes.
pub(super) const UNIT_BYTES: u64 = 1_024;

/// What is left of the work that an evaluation may do. Once it is used up, it stays so.
#[derive(Debug)]
pub(super) struct Budget {
    /// Spent so far, in bytes of [`UNIT_BYTES`] to the unit.
    spent: AtomicU64,
}

impl Budget {
    /// A new one of which so many units are spent.
    pub(super) const fn with_spent(units: u64) -> Self {
        Self {
            spent: AtomicU64::new(units.saturating_mul(UNIT_BYTES)),
        }
    }

    /// Spends, and tells whether the budget still holds. An evaluation runs on one thread.
    pub(super) fn spend(&self, bytes: u64) -> bool {
        let spent = self.spent.load(Ordering::Relaxed).saturating_add(bytes);
        self.spent.store(spent, Ordering::Relaxed);
        spent <= MAX_COST * UNIT_BYTES
    }

    /// Whether it was used up.
    pub(super) fn is_spent(&self) -> bool {
        !self.spend(0)
    }

    /// The units that were spent, rounded up.
    pub(super) fn units(&self) -> u64 {
        self.spent.load(Ordering::Relaxed).div_ceil(UNIT_BYTES)
    }
}

static BUDGET_TYPE: Type = Type::new_unspecified_type("@budget");

impl Val for Budget {
    fn get_type(&self) -> &Type {
        &BUDGET_TYPE
    }

    fn cel_type() -> &'static Type {
        &BUDGET_TYPE
    }

    /// A copy is a used-up budget: nothing is gained by making one.
    fn clone_as_boxed<'v>(&self) -> Box<dyn Val + 'v> {
        Box::new(Self::with_spent(u64::MAX))
    }

    fn as_any(&self) -> Option<&dyn Any> {
        Some(self)
    }
}

impl StaticVal for Budget {}

/// An expression that is ready to be evaluated.
pub(super) struct Prepared {
    pub(super) expression: IdedExpr,
    pub(super) patterns: Patterns,
    /// Its parts, each of which is worth a unit from the start.
    pub(super) parts: u64,
}

/// Makes a checked expression charge its budget, and compiles its patterns.
pub(super) fn prepare(mut expression: IdedExpr) -> Prepared {
    let mut rewriter = Rewriter::default();
    rewriter.rewrite(&mut expression);
    Prepared {
        expression,
        patterns: Patterns(rewriter.patterns),
        parts: rewriter.parts,
    }
}

#[derive(Default)]
struct Rewriter {
    /// The variables of the loops around.
    locals: Vec<String>,
    patterns: Vec<Pattern>,
    parts: u64,
}

impl Rewriter {
    fn rewrite(&mut self, expression: &mut IdedExpr) {
        self.parts += 1;
        let grows = match &mut expression.expr {
            Expr::Call(call) => {
                self.call(call);
                call.func_name == operators::ADD
            }
            Expr::Select(select) => {
                self.rewrite(&mut select.operand);
                false
            }
            Expr::List(list) => {
                list.elements.iter_mut().for_each(|it| self.rewrite(it));
                !list.elements.is_empty()
            }
            Expr::Map(map) => {
                for entry in &mut map.entries {
                    if let EntryExpr::MapEntry(entry) = &mut entry.expr {
                        self.rewrite(&mut entry.key);
                        self.rewrite(&mut entry.value);
                    }
                }
                !map.entries.is_empty()
            }
            Expr::Comprehension(comprehension) => {
                self.comprehension(comprehension);
                false
            }
            Expr::Ident(_) | Expr::Literal(_) | Expr::Struct(_) | Expr::Unspecified => false,
        };
        if grows {
            let value = std::mem::take(expression);
            *expression = call(GROWN, vec![name(BUDGET), value]);
        }
    }

    fn call(&mut self, it: &mut CallExpr) {
        it.target.iter_mut().for_each(|target| self.rewrite(target));
        it.args.iter_mut().for_each(|arg| self.rewrite(arg));
        let Some((pattern, text)) = patterns::operands(it) else {
            return;
        };
        let text = text.clone();
        let compiled =
            literal_text(pattern).and_then(|literal| Pattern::compile(&it.func_name, literal).ok());
        *it = if let Some(compiled) = compiled {
            let number = i64::try_from(self.patterns.len()).unwrap_or(i64::MAX);
            self.patterns.push(compiled);
            plain_call(PATTERN, vec![name(PATTERNS), int(number), text])
        } else {
            let args = vec![name(BUDGET), pattern.clone(), text];
            let is_glob = it.func_name == patterns::GLOB;
            plain_call(
                if is_glob {
                    RUN_TIME_GLOB
                } else {
                    RUN_TIME_REGEX
                },
                args,
            )
        };
    }

    /// Each turn charges for itself and for the loop variables that it mentions. The condition of
    /// the loop and the accumulating part of its step keep their shapes, by which the evaluator
    /// knows what it may do in place.
    fn comprehension(&mut self, it: &mut ComprehensionExpr) {
        self.rewrite(&mut it.iter_range);
        self.locals.push(it.iter_var.clone());
        let charges = self.charges(&it.loop_step);
        let mut conditional = false;
        if let Expr::Call(step) = &mut it.loop_step.expr {
            match (step.func_name.as_str(), step.args.as_mut_slice()) {
                (operators::LOGICAL_AND | operators::LOGICAL_OR, [_, test]) => {
                    self.rewrite(test);
                    charged(test, charges.clone());
                    conditional = true;
                }
                (operators::CONDITIONAL, [test, then, _]) => {
                    self.rewrite(test);
                    self.appended(then);
                    charged(test, charges.clone());
                    conditional = true;
                }
                _ => {}
            }
        }
        if !conditional {
            self.appended(&mut it.loop_step);
            let step = std::mem::take(&mut it.loop_step);
            let mut go_on = bool(true);
            charged(&mut go_on, charges);
            let otherwise = name(&it.accu_var);
            it.loop_step = call(operators::CONDITIONAL, vec![go_on, step, otherwise]);
        }
        self.locals.pop();
    }

    /// `@result + [value]`: only the value is rewritten.
    fn appended(&mut self, step: &mut IdedExpr) {
        if let Expr::Call(step) = &mut step.expr
            && let [_, added] = step.args.as_mut_slice()
            && let Expr::List(list) = &mut added.expr
        {
            list.elements.iter_mut().for_each(|it| self.rewrite(it));
        }
    }

    /// The loop variables that are mentioned, and how often.
    fn charges(&self, step: &IdedExpr) -> Vec<(String, i64)> {
        let mut charges: Vec<(String, i64)> = Vec::new();
        visit_names(step, &mut |name| {
            if !self.locals.iter().any(|local| local == name) {
                return;
            }
            match charges.iter_mut().find(|(known, _)| known == name) {
                Some((_, times)) => *times += 1,
                None => charges.push((name.to_owned(), 1)),
            }
        });
        charges
    }
}

/// Puts the charges before a condition: `@charge(…) ? condition : false`. A failed charge is an
/// error, and not `false`, wherever an error is not overruled.
fn charged(condition: &mut IdedExpr, mut charges: Vec<(String, i64)>) {
    if charges.is_empty() {
        charges.push((String::new(), 0));
    }
    for (local, times) in charges {
        let value = if times == 0 { int(0) } else { name(&local) };
        let charge = call(CHARGE, vec![name(BUDGET), int(times), value]);
        let inner = std::mem::take(condition);
        *condition = call(operators::CONDITIONAL, vec![charge, inner, bool(false)]);
    }
}

fn visit_names(expression: &IdedExpr, visit: &mut impl FnMut(&str)) {
    match &expression.expr {
        Expr::Ident(name) => visit(name),
        Expr::Call(call) => {
            let parts = call.target.as_deref().into_iter().chain(&call.args);
            parts.for_each(|part| visit_names(part, visit));
        }
        Expr::Select(select) => visit_names(&select.operand, visit),
        Expr::List(list) => list.elements.iter().for_each(|it| visit_names(it, visit)),
        Expr::Map(map) => {
            for entry in &map.entries {
                if let EntryExpr::MapEntry(entry) = &entry.expr {
                    visit_names(&entry.key, visit);
                    visit_names(&entry.value, visit);
                }
            }
        }
        Expr::Comprehension(it) => {
            visit_names(&it.iter_range, visit);
            visit_names(&it.loop_step, visit);
        }
        Expr::Literal(_) | Expr::Struct(_) | Expr::Unspecified => {}
    }
}

fn plain_call(function: &str, args: Vec<IdedExpr>) -> CallExpr {
    CallExpr {
        func_name: function.to_owned(),
        target: None,
        args,
    }
}

fn part(expr: Expr) -> IdedExpr {
    IdedExpr { id: 0, expr }
}

fn call(function: &str, args: Vec<IdedExpr>) -> IdedExpr {
    part(Expr::Call(plain_call(function, args)))
}

fn name(name: &str) -> IdedExpr {
    part(Expr::Ident(name.to_owned()))
}

fn int(value: i64) -> IdedExpr {
    part(Expr::Literal(LiteralValue::Int(CelInt::from(value))))
}

fn bool(value: bool) -> IdedExpr {
    part(Expr::Literal(LiteralValue::Boolean(CelBool::from(value))))
}
