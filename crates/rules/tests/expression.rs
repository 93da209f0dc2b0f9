//! Conditions of rules: what they mean, what is wrong with them and where, and what they may cost.

#![allow(clippy::unwrap_used, clippy::expect_used)]
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "a test looks at an expression from several threads and with little stack"
)]

use camino::{Utf8Path, Utf8PathBuf};
use hookward_contract::{Call, ToolInput, ToolName};
use hookward_rules::{
    Effects, EvaluationError, Expression, ExpressionErrorKind, MAX_COST, MAX_TEXT_BYTES, NoFiles,
    Observation, Scene,
};
use proptest::prelude::*;

/// The clock of the tests, a Monday.
const NOW: &str = "2026-03-02T18:30:00Z";

fn call(input: &str) -> Call {
    let (input, _) = ToolInput::parse(input).unwrap();
    let tool = ToolName::try_from("Bash").unwrap();
    Call {
        native_tool: Some(ToolName::try_from("shell").unwrap()),
        agent_id: Some("a1".to_owned()),
        ..Call::hand_written("session", tool, input, Utf8PathBuf::from("/w/api"))
    }
}

/// Evaluates for an input and a clock.
fn counted(text: &str, input: &str, now: &str) -> (Result<bool, EvaluationError>, u64) {
    let expression = match Expression::compile(text) {
        Ok(expression) => expression,
        Err(errors) => panic!("{text}: {errors:?}"),
    };
    let env = [("X".to_owned(), "3".to_owned())];
    let observation = Observation {
        project: Utf8Path::new("/w"),
        home: None,
        now: now.parse().unwrap(),
        env: &env,
        files: &NoFiles,
    };
    let call = call(input);
    let effects = Effects::of(&call, &observation);
    expression.evaluate_counted(&Scene::new(&call, &effects, &observation))
}

fn evaluate(text: &str, input: &str) -> Result<bool, EvaluationError> {
    counted(text, input, NOW).0
}

fn assert_all(input: &str, texts: &[&str]) {
    for text in texts {
        assert_eq!(evaluate(text, input), Ok(true), "{text}");
    }
}

/// The first mistake: its kind's text, the part of the text it points at, and its help.
fn mistake(text: &str) -> (ExpressionErrorKind, &str, String) {
    let errors = Expression::compile(text).expect_err(text);
    let error = errors.into_iter().next().unwrap();
    (error.kind, &text[error.span], error.help)
}

#[test]
fn variables_have_their_values() {
    assert_all(
        r#"{"command": "git push", "n": 3, "list": [1, 2], "nothing": null}"#,
        &[
            "tool == 'Bash' && native_tool == 'shell'",
            "input.command == 'git push' && input['n'] == 3 && input.list[1] == 2",
            "input.nothing == null && !has(input.other)",
            "size(effects) >= 0",
            "cwd == '/w/api' && project == '/w'",
            "origin == 'replay' && agent == 'a1' && agent_type == ''",
            "mode == 'default' && session == 'session'",
            "env.X == '3' && env['X'] == '3' && !('Y' in env)",
            "now == timestamp('2026-03-02T18:30:00Z')",
            "type(input.n) == int && type(now) == google.protobuf.Timestamp",
        ],
    );
}

/// Case B193: a number of the input equals the literal with the same digits, and no other.
#[test]
fn b193_numbers_keep_their_digits() {
    let input = r#"{"id": 7960607143101464577, "u": 18446744073709551615, "f": 1.5,
        "big": 123456789012345678901234567890}"#;
    assert_all(
        input,
        &[
            "input.id == 7960607143101464577",
            "input.id != 7960607143101464576",
            "input.u == 18446744073709551615u",
            "input.f == 1.5 && input.f > 1",
            "input.big == '123456789012345678901234567890'",
        ],
    );
}

#[test]
fn time_zones() {
    for (now, text) in [
        (NOW, "now.getHours('Europe/Berlin') == 19"),
        (NOW, "now.getHours() == 18 && now.getMinutes() == 30"),
        (
            NOW,
            "now.getHours('+05:30') == 0 && now.getDate('+05:30') == 3",
        ),
        (NOW, "now.getHours('-03:00') == 15"),
        (NOW, "now.getDayOfWeek('America/New_York') == 1"),
        (
            "2026-03-02T03:00:00Z",
            "now.getDayOfWeek('America/New_York') == 0",
        ),
        // The clocks of Berlin go forward at 01:00Z on 29 March and back on 25 October.
        ("2026-03-29T00:59:59Z", "now.getHours('Europe/Berlin') == 1"),
        ("2026-03-29T01:00:00Z", "now.getHours('Europe/Berlin') == 3"),
        ("2026-10-25T00:30:00Z", "now.getHours('Europe/Berlin') == 2"),
        ("2026-10-25T01:30:00Z", "now.getHours('Europe/Berlin') == 2"),
        ("2026-10-25T02:00:00Z", "now.getHours('Europe/Berlin') == 3"),
        ("0001-01-01T00:00:00Z", "now.getDayOfYear('-23:00') > 300"),
        ("9999-12-30T22:00:00Z", "now.getFullYear('+23:00') == 9999"),
        (
            NOW,
            "now - timestamp('2026-03-02T00:00:00Z') == duration('18h30m')",
        ),
    ] {
        assert_eq!(counted(text, "{}", now).0, Ok(true), "{now} {text}");
    }
    let (far, _) = counted("now.getDayOfYear() >= 0", "{}", "-009999-01-02T01:59:59Z");
    assert_eq!(far, Ok(true));
}

#[test]
fn functions() {
    assert_all(
        r#"{"url": "https://u@Example.com:1/x", "path": "/w/src/a.rs", "re": "^/w", "g": "/w/**"}"#,
        &[
            "glob('/w/*/a.rs', input.path) && input.path.glob('/w/**')",
            "!glob('/w/*.rs', input.path) && input.path.glob('**/*.{rs,toml}')",
            "input.path.glob(input.g) && input.path.matches(input.re)",
            "matches(input.path, 'src/[a-z]+') && !input.path.matches('^src')",
            "under(input.path, project) && !under('/wide', '/w')",
            "host(input.url) == 'example.com' && host('git@github.com:a/b') == 'github.com'",
            "host('none') == ''",
        ],
    );
}

/// The language's own rule: an error does not count where the other side decides alone.
#[test]
fn errors_count_only_where_they_decide() {
    assert_all(
        r#"{"list": [1, 2]}"#,
        &[
            "input.x == 1 || true",
            "true || input.x == 1",
            "!(input.x == 1 && false)",
            "!(false && input.x == 1)",
            "[{'a': 1}, {'b': 2}].exists(it, it.b == 2)",
            "!has(input.x) || input.x == 1",
            "!(has(input.x) && input.x == 1)",
        ],
    );
    let missing = |key: &str| Err(EvaluationError::NoSuchKey(Some(key.to_owned())));
    assert_eq!(evaluate("input.command == 'x'", "{}"), missing("command"));
    assert_eq!(evaluate("input.x == 1 && true", "{}"), missing("x"));
    assert_eq!(evaluate("input.x == 1 || false", "{}"), missing("x"));
    assert_eq!(
        evaluate("[{'a': 1}].exists(it, it.b == 2)", "{}"),
        missing("b")
    );
}

#[test]
fn errors_of_evaluations_say_what_and_show_no_values() {
    let input = r#"{"secret": "s3cret", "list": [1], "n": -9223372036854775808, "z": 0}"#;
    for (text, expected) in [
        ("input.list[1] == 1", "a list is shorter"),
        ("input.list[-1] == 1", "a list is shorter"),
        ("input[input.secret] == 1", "a computed key is not there"),
        ("input.secret < 1", "`<` is not for string and int"),
        ("input.secret + 1 == 1", "`add` is not for string and int"),
        (
            "input.secret.getHours() == 1",
            "`getHours` is not for string",
        ),
        ("input.secret && true", "`&&` is not for string and bool"),
        ("input.secret", "gave string and not true or false"),
        ("int(input.secret) == 1", "`int` cannot read"),
        ("timestamp(input.secret) < now", "`timestamp` cannot read"),
        (
            "duration(input.secret) < duration('1s')",
            "`duration` cannot read",
        ),
        ("now.getHours(input.secret) == 1", "`timezone` cannot read"),
        ("1 / input.z == 1", "divided by zero"),
        ("1 % input.z == 1", "divided by zero"),
        ("input.n - 1 == 1", "outside of its range"),
        ("input.n * 2 == 1", "outside of its range"),
        ("input.n / -1 == 1", "outside of its range"),
        ("input.n % -1 == 1", ""),
        ("-input.n == 1", "outside of its range"),
        (
            "now + duration('2562047h') > now && now + duration('2562047h') + duration('2562047h')\
          + duration('2562047h') + duration('2562047h') > now",
            "",
        ),
        (
            "timestamp('9999-12-31T23:59:59Z') + duration('24h') > now",
            "outside of its range",
        ),
        ("timestamp(input.n) > now", "`timestamp` cannot read"),
        ("int(1e300) == 1", ""),
        ("'a'.matches(input.secret + '(')", "`matches` cannot read"),
    ] {
        let Err(error) = evaluate(text, input) else {
            assert_eq!(expected, "", "{text}");
            continue;
        };
        let error = error.to_string();
        assert!(error.contains(expected), "{text}: {error}");
        assert!(!error.contains("s3cret"), "{text}: {error}");
    }
}

/// Mistakes that are found when a text is read: what, at which part of the text, and a piece of the
/// help.
#[test]
#[expect(clippy::too_many_lines, reason = "a table")]
fn mistakes_are_located() {
    use ExpressionErrorKind as Kind;
    let overload = |operation: &str, types: &str| Kind::Overload {
        operation: operation.to_owned(),
        types: types.to_owned(),
    };
    let arguments = |function: &str, found| Kind::WrongArguments {
        function: function.to_owned(),
        found,
    };
    let name = str::to_owned;
    for (text, kind, part, help) in [
        (
            "tol == 'Bash'",
            Kind::UnknownVariable(name("tol")),
            "tol",
            "`tool`",
        ),
        (
            "'\u{e9}' == zzz",
            Kind::UnknownVariable(name("zzz")),
            "zzz",
            "agent_type, cwd",
        ),
        (
            "[1].all(itx, ity > 0)",
            Kind::UnknownVariable(name("ity")),
            "ity",
            "`itx`",
        ),
        (
            "hots(tool) == 'a'",
            Kind::UnknownFunction(name("hots")),
            "hots(tool)",
            "`host`",
        ),
        (
            "tool.startWith('a')",
            Kind::UnknownFunction(name("startWith")),
            "tool.startWith('a')",
            "`startsWith`",
        ),
        (
            "under(cwd)",
            arguments("under", 1),
            "under(cwd)",
            "under(path, directory)",
        ),
        (
            "tool.size(1) > 0",
            arguments("size", 1),
            "tool.size(1)",
            "`string.size()`",
        ),
        (
            "startsWith(tool, 'a')",
            arguments("startsWith", 2),
            "startsWith(tool, 'a')",
            "`string.startsWith(string)`",
        ),
        (
            "input.list.exists(it)",
            arguments("exists", 1),
            "input.list.exists(it)",
            "list.exists(x, condition)",
        ),
        (
            "effects.exists(e, e.programm == 'git')",
            Kind::UnknownField(name("programm")),
            "e.programm",
            "`program`",
        ),
        (
            "effects.filter(e, e.kind == 'exec').all(e, e.arg == 1)",
            Kind::UnknownField(name("arg")),
            "e.arg",
            "`args`",
        ),
        (
            "effects[0].knd == 'exec'",
            Kind::UnknownField(name("knd")),
            "effects[0].knd",
            "`kind`",
        ),
        (
            "has(effects[0].knd)",
            Kind::UnknownField(name("knd")),
            "effects[0].knd",
            "`kind`",
        ),
        (
            "now.getHours('Europe/Berln') > 1",
            Kind::UnknownTimeZone(name("Europe/Berln")),
            "'Europe/Berln'",
            "`Europe/Berlin`",
        ),
        (
            "now.getHours('+25:00') > 1",
            Kind::UnknownTimeZone(name("+25:00")),
            "'+25:00'",
            "+02:00",
        ),
        (
            "now.getHours('Europe/Berlin') >= '18'",
            overload(">=", "int and string"),
            "now.getHours('Europe/Berlin') >= '18'",
            "convert",
        ),
        (
            "tool + 1 == 'a'",
            overload("+", "string and int"),
            "tool + 1",
            "convert",
        ),
        (
            "env.X == 3",
            overload("==", "string and int"),
            "env.X == 3",
            "convert",
        ),
        (
            "tool && true",
            overload("&&", "string and bool"),
            "tool && true",
            "convert",
        ),
        ("!tool", overload("!", "string"), "!tool", "convert"),
        (
            "tool ? true : false",
            overload("?:", "string and bool and bool"),
            "tool ? true : false",
            "convert",
        ),
        ("3 in ['a']", overload("in", "int and list"), "", "convert"),
        (
            "now < 3",
            overload("<", "timestamp and int"),
            "now < 3",
            "convert",
        ),
        (
            "tool.name == 'a'",
            overload(".name", "string"),
            "tool.name",
            "have fields",
        ),
        (
            "tool.all(c, c == 'a')",
            overload("a loop", "string"),
            "tool",
            "lists and maps",
        ),
        (
            "size(1) > 0",
            overload("size", "int"),
            "size(1)",
            "`size(string)`",
        ),
        (
            "effects.map(e, e.kind)[0] == 1",
            overload("==", "string and int"),
            "",
            "convert",
        ),
        ("tool", Kind::NotBool(name("string")), "tool", "compare"),
        (
            "effects.map(e, e.kind)",
            Kind::NotBool(name("list")),
            "effects.map(e, e.kind)",
            "compare",
        ),
        (
            "effects.filter(e, e.kind).size() > 0",
            Kind::NotBool(name("string")),
            "e.kind",
            "true or false",
        ),
        (
            "A{b: 1} == 1",
            Kind::Unsupported("a message with named fields"),
            "",
            "map",
        ),
    ] {
        let (found, at, told) = mistake(text);
        assert_eq!(found, kind, "{text}");
        if !part.is_empty() {
            assert_eq!(at, part, "{text}");
        }
        assert!(told.contains(help), "{text}: {told}");
    }
}

#[test]
fn syntax_and_patterns_are_located() {
    for (text, part, message) in [
        ("tool ==", "", "<EOF>"),
        ("'\u{e9}' == ) 1", ")", "extraneous input"),
        ("\n\n  tool =! 1", "=", "token recognition error"),
        ("tool == 'a", "'", "token recognition error"),
        ("if == 1", "i", "reserved"),
        ("input.all(1, true)", "1", "simple name"),
        ("has(tool)", "t", "has()"),
        ("input.?x == 1", "?", ""),
        ("99999999999999999999 == 1", "9", "invalid int"),
        (
            "tool.matches('a(')",
            "'a('",
            "no regular expression: unclosed group",
        ),
        ("matches(tool, '(?=a)')", "'(?=a)'", "look-around"),
        (
            "tool.matches('(a{1000}){1000}')",
            "'(a{1000}){1000}'",
            "size limit",
        ),
        ("tool.glob('a[')", "'a['", "no glob"),
        ("glob('{a', tool)", "'{a'", "no glob"),
        ("", "", ""),
    ] {
        let (kind, at, help) = mistake(text);
        let told = kind.to_string();
        assert!(told.contains(message), "{text}: {told}");
        assert!(at == part || text.contains(".?"), "{text}: {at}");
        assert!(!help.is_empty(), "{text}");
    }
}

#[test]
fn all_mistakes_are_found_at_once() {
    let text = "tol == 'a' && hots(tool) && effects.all(e, e.knd == 1) && tool + 1 > 2";
    let errors = Expression::compile(text).unwrap_err();
    let parts: Vec<&str> = errors.iter().map(|it| &text[it.span.clone()]).collect();
    assert_eq!(parts, ["tol", "hots(tool)", "e.knd", "tool + 1"]);
}

/// What is right, or may be, is never refused.
#[test]
fn no_false_alarms() {
    for text in [
        "input.command && true",
        "input.a + 1 > 2 && input.a + 'x' != ''",
        "input.a[input.b] == env[input.c]",
        "1 < 1.5 && 1 == 1u && 2u > 1",
        "null == input.a && tool != null",
        "'kind' in effects[0] && 'X' in env && 1 in [1, 2u, 3.0] && 'a' in input",
        "effects[0]['kind'] == 'exec' && effects.all(e, e.all(key, key != ''))",
        "effects.map(e, e.kind == 'exec', e.program).exists_one(p, p == 'git')",
        "effects.map(e, size(e.args) > 0).all(it, it)",
        "[[1], []].all(l, l.all(x, x > 0)) && [] == [1] && {} == {'a': 1}",
        "{'a': 1, 'b': 'x'}['b'] == 'x' && {'a': {'b': true}}.a.b",
        "(input.a ? 1 : 'x') == 1",
        "[1, 'x'].all(x, x == 1 || x == 'x')",
        "dyn(tool) == 1 || type(tool) == string",
        "size([1] + ['a']) == 2 && size({'a': 1}) == 1 && size(b'abc') == 3",
        "timestamp('2026-01-01T00:00:00Z') + duration('1h') < now - duration('1m')",
        "duration('1h').getMinutes() == 60 && int(now) > 0 && string(1) == '1'",
        "effects.exists(e, e.host == null || e.host.endsWith('.com'))",
        "effects.exists(e, e.canonical != e.path && e.inside_project)",
        "[1].exists(tool, tool == 1)",
        "[now].all(t, t.getHours(input.zone) < 24)",
        "-1 < 0 && -1.5 < 0 && - input.a < 0 && true < (false || true)",
        "'a' < 'b' && b'a' < b'b' && r'\\d' != '' && '''x''' == 'x'",
        "true ? tool == 'x' : false",
        "tool // a comment\n == 'x'",
        "bool('true') && double('1') == 1.0 && uint(1) == 1u && bytes('a') == b'a'",
        "now.getHours('') == now.getHours('UTC') && now.getHours('5:30') > 0",
    ] {
        if let Err(errors) = Expression::compile(text) {
            panic!("{text}: {errors:?}");
        }
    }
}

/// Deep and long texts are refused before a parser descends into them, and what is just within the
/// limits works on a small stack.
#[test]
fn nesting_is_bounded() {
    let deep = |text: &str| matches!(mistake(text).0, ExpressionErrorKind::TooDeep);
    for unit in [
        "(", "[", "{", "!", "-", "f(", "{1:", "a ? b : ", "a[", "[[", "-(", "!!",
    ] {
        let text = unit.repeat(MAX_TEXT_BYTES / unit.len());
        assert!(deep(&text), "{unit}");
    }
    for unit in [".a", "+a", "[0]", " in a", "==a", ".size()", "*-a"] {
        let text = "a".to_owned() + &unit.repeat((MAX_TEXT_BYTES - 1) / unit.len());
        assert!(deep(&text), "{unit}");
    }
    let long = " ".repeat(MAX_TEXT_BYTES + 1);
    assert!(matches!(mistake(&long).0, ExpressionErrorKind::TooLong(_)));
    let within = [
        "(".repeat(32) + "true" + &")".repeat(32),
        "tool == 'a' ? true : ".repeat(32) + "false",
        "tool == 'a' || ".repeat(270) + "true",
        "input".to_owned() + &".a".repeat(126) + " == 1 || true",
        "1".to_owned() + &" + 1".repeat(126) + " > 1",
        "input.all(x, ".repeat(30) + "true" + &")".repeat(30),
        "-".repeat(120) + "1 < 2",
    ];
    let run = std::thread::Builder::new().stack_size(2 << 20);
    let run = run.spawn(move || {
        for text in within {
            let result = evaluate(&text, "{}");
            assert!(result.is_ok(), "{text}: {result:?}");
        }
    });
    run.unwrap().join().unwrap();
}

/// An input with a list of so many numbers.
fn numbers(count: usize) -> String {
    format!("{{\"items\": [0{}]}}", ",1".repeat(count - 1))
}

#[test]
fn loops_are_bounded() {
    let input = numbers(100_000);
    let (one, cost) = counted("input.items.all(x, x < 2)", &input, NOW);
    assert_eq!(one, Ok(true));
    assert!((100_000..150_000).contains(&cost), "{cost}");
    for text in [
        "input.items.all(x, input.items.all(y, x < 2 || y < 2))",
        "input.items.map(x, input.items).size() > 0",
        "input.items.map(x, input.items.filter(y, y == x)).size() > 0",
        "input.items.filter(x, input.items.exists_one(y, y == x)).size() > 0",
        "input.items.exists_one(x, input.items.exists_one(y, x == y))",
        "input.items.all(x, input.items.all(y, true)) || true",
        "input.items.all(x, input.items == input.items)",
    ] {
        let (result, cost) = counted(text, &input, NOW);
        assert_eq!(result, Err(EvaluationError::Cost), "{text}");
        // What goes beyond is at most one more value of the size of the whole budget.
        assert!((MAX_COST..3 * MAX_COST).contains(&cost), "{text}: {cost}");
    }
}

/// Values that double with each step, long texts that are looked through again and again, and
/// patterns that are made in loops.
#[test]
fn growth_is_bounded() {
    let text = format!(
        "{{\"s\": \"{}\", \"l\": {}}}",
        "x".repeat(4_000_000),
        "[1,2,3,4,5,6,7,8]"
    );
    let doubled = |start: &str, step: &str| {
        start.to_owned() + &format!(".map(x, {step})").repeat(60) + ".size() > 0"
    };
    for expression in [
        doubled("[input.s]", "x + x"),
        doubled("[[1]]", "[x, x]"),
        doubled("[1]", "{'a': x, 'b': x}"),
        "input.s".to_owned() + &" + input.s".repeat(50) + " == ''",
        "input.s == '' || ".repeat(100) + "true",
        "input.l.map(a, input.l.map(b, input.l.map(c, input.s.size()))).size() > 0".to_owned(),
        "[input.s].all(s, input.l.all(a, input.l.all(b, s.contains('y') == false)))".to_owned(),
        "input.l.all(a, input.l.all(b, input.l.all(c, 'x'.matches('y' + string(a)) == false)))"
            .to_owned(),
    ] {
        let (result, cost) = counted(&expression, &text, NOW);
        assert_eq!(result, Err(EvaluationError::Cost), "{expression}");
        assert!(cost < 4 * MAX_COST, "{expression}: {cost}");
    }
    let once = "input.s.contains('y') || input.s.matches('y$') || input.s.size() == 4000000";
    assert_eq!(evaluate(once, &text), Ok(true));
    let long = "'a'.matches(input.s)";
    assert_eq!(evaluate(long, &text), Err(EvaluationError::LongPattern));
}

#[test]
fn every_evaluation_has_a_budget_of_its_own() {
    let input = numbers(100_000);
    let run = || {
        let costs: Vec<_> = (0..4)
            .map(|_| counted("input.items.all(x, x < 2)", &input, NOW))
            .collect();
        assert!(costs.iter().all(|cost| *cost == costs[0]), "{costs:?}");
        costs[0].clone()
    };
    let (here, there) = std::thread::scope(|scope| {
        let other = scope.spawn(run);
        (run(), other.join().unwrap())
    });
    assert_eq!(here, there);
    assert_eq!(here.0, Ok(true));
}

/// Many rules over one call see one value, and it is read once however many ask for it.
#[test]
fn a_scene_serves_many_expressions() {
    let observation = Observation {
        project: Utf8Path::new("/w"),
        home: None,
        now: NOW.parse().unwrap(),
        env: &[],
        files: &NoFiles,
    };
    let call = call(r#"{"command": "git push"}"#);
    let effects = Effects::of(&call, &observation);
    let scene = Scene::new(&call, &effects, &observation);
    for text in ["git", "push", "git push"] {
        let expression = Expression::compile(&format!("input.command.contains('{text}')"));
        assert_eq!(expression.unwrap().evaluate(&scene), Ok(true), "{text}");
    }
}

/// Pieces of which texts are put together that get far into the parser and the evaluator.
fn piece() -> impl Strategy<Value = String> {
    const PIECES: &[&str] = &[
        "tool",
        "input",
        "effects",
        "now",
        "env",
        "e",
        "x",
        "@result",
        "a",
        ".",
        ".",
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        ",",
        ":",
        "?",
        "&&",
        "||",
        "!",
        "-",
        "+",
        "*",
        "/",
        "%",
        "==",
        "!=",
        "<",
        ">=",
        " in ",
        "'a'",
        "\"b\"",
        "r'\\d'",
        "b'x'",
        "'''",
        "'",
        "1",
        "1u",
        "2.5",
        "0x1F",
        "1e9",
        "9223372036854775807",
        "-9223372036854775808",
        "null",
        "true",
        "false",
        "all",
        "exists",
        "exists_one",
        "map",
        "filter",
        "has",
        "size",
        "matches",
        "glob",
        "getHours",
        "timestamp",
        "duration",
        "string",
        "int",
        "type",
        "dyn",
        "`a`",
        ".?",
        "[?",
        "\n",
        "//",
        "\\",
        "\u{e9}",
        "\u{1f600}",
        "#",
        "x, ",
        "in",
        "if",
        "google.protobuf.Timestamp",
        "'2026-01-01T00:00:00Z'",
        "'9h'",
        "T{",
        "command",
    ];
    prop_oneof![
        8 => proptest::sample::select(PIECES).prop_map(str::to_owned),
        1 => "\\PC{0,3}",
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    /// Whatever the text, it is refused with located mistakes or evaluates to a result.
    #[test]
    fn no_text_breaks_anything(pieces in proptest::collection::vec(piece(), 0..24)) {
        let text = pieces.concat();
        match Expression::compile(&text) {
            Err(errors) => {
                prop_assert!(!errors.is_empty());
                for error in errors {
                    prop_assert!(text.get(error.span.clone()).is_some(), "{text:?} {error:?}");
                    prop_assert!(!error.to_string().is_empty() && !error.help.is_empty());
                }
            }
            Ok(expression) => {
                let again = Expression::compile(expression.text());
                prop_assert!(again.is_ok());
                let _ = evaluate(&text, r#"{"command": "x", "a": [1, {"b": null}]}"#);
            }
        }
    }
}
