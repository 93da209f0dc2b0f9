//! The functions of expressions beside those of the language, and the internal ones that prepared
//! expressions call. Each looks at its arguments and at nothing else.

#![expect(
    clippy::needless_pass_by_value,
    reason = "the evaluator wants functions of this shape"
)]

use std::sync::{Arc, LazyLock};

use cel::common::types::{CelBool, CelInt, CelString, DYN_TYPE, STRING_TYPE};
use cel::common::value::CowVal;
use cel::{Context, Env, ExecutionError};

use super::cost::{
    BUDGET, Budget, CHARGE, GROWN, PATTERN, RUN_TIME_GLOB, RUN_TIME_REGEX, UNIT_BYTES,
};
use super::limits::{MAX_COMPUTED_PATTERN_BYTES, MAX_COST};
use super::patterns::{Pattern, Patterns};
use super::texts;
use crate::values;

/// What compiling a pattern at run time is worth, in units.
const COMPILE_UNITS: u64 = 4_096;

/// The functions of the language, which are set up once for the process.
pub(super) static ROOT: LazyLock<Context<'static, 'static>> = LazyLock::new(|| {
    let mut env = Env::default().with_optional_support(false).with_stdlib();
    let declared = [
        env.add_overload(CHARGE, CHARGE, vec![DYN_TYPE, DYN_TYPE, DYN_TYPE], charge),
        env.add_overload(GROWN, GROWN, vec![DYN_TYPE, DYN_TYPE], grown),
        env.add_overload(
            PATTERN,
            PATTERN,
            vec![DYN_TYPE, DYN_TYPE, STRING_TYPE],
            pattern,
        ),
        env.add_overload(
            RUN_TIME_REGEX,
            RUN_TIME_REGEX,
            vec![DYN_TYPE, STRING_TYPE, STRING_TYPE],
            run_time_regex,
        ),
        env.add_overload(
            RUN_TIME_GLOB,
            RUN_TIME_GLOB,
            vec![DYN_TYPE, STRING_TYPE, STRING_TYPE],
            run_time_glob,
        ),
        env.add_overload("under", "under", vec![STRING_TYPE, STRING_TYPE], under),
        env.add_overload("host", "host", vec![STRING_TYPE], host),
    ];
    debug_assert!(declared.iter().all(Result::is_ok), "{declared:?}");
    Context::with_env(Arc::new(env))
});

/// What an error of a pattern says that is too long to be compiled.
pub(super) const LONG_PATTERN: &str = "pattern too long";

type Args<'b, 'v> = Vec<CowVal<'b, 'v>>;
type Outcome<'b, 'v> = Result<CowVal<'b, 'v>, ExecutionError>;

/// An internal function was called in a way in which it never is.
fn misuse(function: &str) -> ExecutionError {
    ExecutionError::function_error(function, "misused")
}

fn answer<'b, 'v>(answer: bool) -> CowVal<'b, 'v> {
    CowVal::owned(CelBool::from(answer))
}

fn spend(budget: &Budget, bytes: u64) -> Result<(), ExecutionError> {
    if budget.spend(bytes) {
        Ok(())
    } else {
        Err(ExecutionError::undeclared_reference(BUDGET))
    }
}

fn bytes_of(value: &CowVal<'_, '_>) -> u64 {
    let most = usize::try_from(MAX_COST * UNIT_BYTES).unwrap_or(usize::MAX);
    u64::try_from(values::size(value.as_ref(), most)).unwrap_or(u64::MAX)
}

fn charge<'b, 'v>(args: Args<'b, 'v>) -> Outcome<'b, 'v> {
    let [budget, times, value] = args.as_slice() else {
        return Err(misuse(CHARGE));
    };
    let (Some(budget), Some(times)) = (
        budget.downcast_ref::<Budget>(),
        times.downcast_ref::<CelInt>(),
    ) else {
        return Err(misuse(CHARGE));
    };
    let times = u64::try_from(*times.inner()).unwrap_or_default();
    if budget.is_spent() {
        spend(budget, 0)?;
    }
    spend(
        budget,
        UNIT_BYTES.saturating_add(bytes_of(value).saturating_mul(times)),
    )?;
    Ok(answer(true))
}

fn grown<'b, 'v>(mut args: Args<'b, 'v>) -> Outcome<'b, 'v> {
    let (Some(value), Some(budget)) = (args.pop(), args.pop()) else {
        return Err(misuse(GROWN));
    };
    let budget = budget
        .downcast_ref::<Budget>()
        .ok_or_else(|| misuse(GROWN))?;
    spend(budget, bytes_of(&value))?;
    Ok(value)
}

fn pattern<'b, 'v>(args: Args<'b, 'v>) -> Outcome<'b, 'v> {
    let found = || {
        let [patterns, number, text] = args.as_slice() else {
            return None;
        };
        let patterns = patterns.downcast_ref::<Patterns>()?;
        let number = usize::try_from(*number.downcast_ref::<CelInt>()?.inner()).ok()?;
        let text = text.downcast_ref::<CelString>()?;
        Some(patterns.0.get(number)?.is_match(text.inner()))
    };
    found().map(answer).ok_or_else(|| misuse(PATTERN))
}

fn run_time_regex<'b, 'v>(args: Args<'b, 'v>) -> Outcome<'b, 'v> {
    run_time_pattern("matches", &args).map(answer)
}

fn run_time_glob<'b, 'v>(args: Args<'b, 'v>) -> Outcome<'b, 'v> {
    run_time_pattern("glob", &args).map(answer)
}

fn run_time_pattern(function: &str, args: &[CowVal<'_, '_>]) -> Result<bool, ExecutionError> {
    let [budget, pattern, text] = args else {
        return Err(misuse(function));
    };
    let (Some(budget), Some(pattern), Some(text)) = (
        budget.downcast_ref::<Budget>(),
        pattern.downcast_ref::<CelString>(),
        text.downcast_ref::<CelString>(),
    ) else {
        return Err(misuse(function));
    };
    if pattern.inner().len() > MAX_COMPUTED_PATTERN_BYTES {
        return Err(ExecutionError::function_error(function, LONG_PATTERN));
    }
    spend(budget, COMPILE_UNITS * UNIT_BYTES)?;
    let pattern = Pattern::compile(function, pattern.inner())
        .map_err(|_| ExecutionError::function_error(function, "no pattern"))?;
    Ok(pattern.is_match(text.inner()))
}

fn under<'b, 'v>(args: Args<'b, 'v>) -> Outcome<'b, 'v> {
    let found = || {
        let [path, directory] = args.as_slice() else {
            return None;
        };
        let path = path.downcast_ref::<CelString>()?;
        let directory = directory.downcast_ref::<CelString>()?;
        Some(texts::is_under(path.inner(), directory.inner()))
    };
    found().map(answer).ok_or_else(|| misuse("under"))
}

fn host<'b, 'v>(args: Args<'b, 'v>) -> Outcome<'b, 'v> {
    let url = args.first().and_then(|url| url.downcast_ref::<CelString>());
    let host = url.map(|url| texts::host(url.inner()));
    let host = host.ok_or_else(|| misuse("host"))?;
    Ok(CowVal::owned(CelString::from(host)))
}
