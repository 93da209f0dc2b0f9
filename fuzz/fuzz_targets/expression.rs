//! The condition of a rule: a text is refused with mistakes at places that exist, or it evaluates
//! to an answer or an error within its budget, twice to the same. The text ends at a NUL; what
//! follows is the input of the call, where it is one.

#![no_main]

use camino::{Utf8Path, Utf8PathBuf};
use hookward_contract::{Call, ToolInput, ToolName};
use hookward_rules::{Effects, EvaluationError, Expression, MAX_COST, NoFiles, Observation, Scene};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(all) = std::str::from_utf8(bytes) else {
        return;
    };
    let (text, input) = all.split_once('\0').unwrap_or((all, "{}"));
    let expression = match Expression::compile(text) {
        Ok(expression) => expression,
        Err(errors) => {
            assert!(!errors.is_empty());
            for error in errors {
                assert!(text.get(error.span.clone()).is_some(), "{error:?}");
                assert!(!error.to_string().is_empty() && !error.help.is_empty());
            }
            return;
        }
    };
    let Ok((input, _)) = ToolInput::parse(input) else {
        return;
    };
    let tool = ToolName::try_from("Other").expect("a good name");
    let call = Call::hand_written("fuzz", tool, input, Utf8PathBuf::from("/w"));
    let observation = Observation {
        project: Utf8Path::new("/w"),
        home: None,
        now: "2026-03-02T18:30:00Z".parse().expect("an instant"),
        env: &[("X".to_owned(), "3".to_owned())],
        files: &NoFiles,
    };
    let effects = Effects::of(&call, &observation);
    let scene = Scene::new(&call, &effects, &observation);
    let (first, cost) = expression.evaluate_counted(&scene);
    assert_eq!(first == Err(EvaluationError::Cost), cost > MAX_COST);
    assert!(cost < 4 * MAX_COST, "{cost}");
    assert_eq!(expression.evaluate_counted(&scene), (first, cost));
});
