//! Rules: every field, limit and place, and their identity.

use hookward_contract::{FailureMode, HookId, SourceKind};
use hookward_policy::{
    Code, Decision, Definition, Diagnostic, FormatVersion, HandlerText, HookMode, Matcher,
    OpaqueDecision, RuleText, SourceState, Trust,
};
use serde_json::{Value, json};

use crate::scene::{Scene, codes, file, handler, rule, source_state, with, without};

fn of(rule: Value) -> Vec<Code> {
    codes(&Scene::diagnose(file(2, &[rule])))
}

#[test]
fn a_rule_is_read_whole() {
    let scene = Scene::new();
    let whole = json!({
        "id": "whole", "type": "rule", "exec": "git push", "write": ["src/**", "!src/gen/**"],
        "read": ".env", "delete": ["a", "b"], "network": "*.example.com", "mcp": "github/*",
        "when": "tool == 'Bash'", "decision": "ask", "opaque": "allow", "reason": "why",
        "onFailure": "continue", "enabled": false, "mode": "shadow", "description": "what for",
        "statusMessage": "looking"
    });
    scene.write_user(file(2, &[whole, rule("least")]));
    let snapshot = scene.load();
    assert_eq!(snapshot.sources()[0].diagnostics, []);
    let [first, second] = snapshot.hooks() else {
        panic!("two hooks");
    };
    let list = |texts: &[&str]| texts.iter().map(ToString::to_string).collect::<Vec<_>>();
    let text = RuleText {
        exec: list(&["git push"]),
        write: list(&["src/**", "!src/gen/**"]),
        read: list(&[".env"]),
        delete: list(&["a", "b"]),
        network: list(&["*.example.com"]),
        mcp: list(&["github/*"]),
        when: Some("tool == 'Bash'".to_owned()),
        decision: Decision::Ask,
        opaque: OpaqueDecision::Allow,
        reason: "why".to_owned(),
    };
    let handler = first.rule().unwrap();
    assert_eq!(handler.text, text);
    assert!(handler.rule.is_some());
    assert_eq!(first.handler.kind(), "rule");
    assert_eq!(first.command(), None);
    assert_eq!(
        (first.on_failure, first.mode),
        (FailureMode::Continue, HookMode::Shadow)
    );
    assert_eq!(first.trust, Trust::Disabled);
    let least = &second.rule().unwrap().text;
    assert_eq!((least.opaque, &least.when), (OpaqueDecision::Ask, &None));
    assert_eq!(
        (second.on_failure, second.mode),
        (FailureMode::Block, HookMode::Enforce)
    );
    assert!(snapshot.review(second).unwrap().pins().is_empty());
}

#[test]
fn a_rule_is_trusted_by_its_exact_text() {
    let scene = Scene::new();
    scene.write_user(file(2, &[rule("a")]));
    let state = || scene.states()[0].1.clone();
    assert_eq!(state(), Trust::Untrusted);
    scene.trust_all();
    assert_eq!(state(), Trust::Trusted);
    for (field, value) in [
        ("exec", json!("git  push")),
        ("write", json!("x")),
        ("read", json!("x")),
        ("delete", json!("x")),
        ("network", json!("x")),
        ("mcp", json!("x/y")),
        ("when", json!("true")),
        ("decision", json!("ask")),
        ("opaque", json!("allow")),
        ("reason", json!("No")),
        ("onFailure", json!("continue")),
        ("mode", json!("shadow")),
    ] {
        scene.write_user(file(2, &[with(rule("a"), field, value)]));
        assert!(
            matches!(state(), Trust::Changed(_)),
            "{field}: {:?}",
            state()
        );
    }
    // A list of one is the text alone, and words for people are not judged by.
    let same = with(rule("a"), "exec", json!(["git push"]));
    let test = json!({"tool": "Bash", "input": {}, "expect": "allow"});
    let same = with(with(same, "description", "other"), "tests", json!([test]));
    scene.write_user(file(2, &[with(same, "statusMessage", "other")]));
    assert_eq!(state(), Trust::Trusted);
}

fn definition(text: RuleText) -> Definition {
    Definition {
        format: FormatVersion::V2,
        source: SourceKind::User,
        owner: "user".to_owned(),
        event: hookward_contract::EventName::PreToolUse,
        matcher: Matcher::parse("Bash|@exec", FormatVersion::V2).unwrap(),
        handler: HandlerText::Rule(text),
        on_failure: FailureMode::Block,
        mode: HookMode::Enforce,
    }
}

fn text() -> RuleText {
    RuleText {
        exec: vec!["git push".to_owned()],
        write: Vec::new(),
        read: Vec::new(),
        delete: Vec::new(),
        network: Vec::new(),
        mcp: Vec::new(),
        when: None,
        decision: Decision::Deny,
        opaque: OpaqueDecision::Ask,
        reason: "Ask \u{e9} \"first\".".to_owned(),
    }
}

/// Hashes computed with another implementation of SHA-256 and JSON.
#[test]
fn golden_vectors_of_rules() {
    let other = RuleText {
        exec: Vec::new(),
        write: vec!["src/**".to_owned(), "!src/gen/**".to_owned()],
        network: vec!["*".to_owned()],
        when: Some("now.getHours('Europe/Berlin') >= 18".to_owned()),
        decision: Decision::Ask,
        opaque: OpaqueDecision::Allow,
        ..text()
    };
    let shadow = Definition {
        mode: HookMode::Shadow,
        on_failure: FailureMode::Continue,
        ..definition(other)
    };
    for (definition, canonical, hash) in [
        (
            definition(text()),
            "[2,\"user\",\"user\",\"PreToolUse\",\"Bash|@exec\",\"rule\",[\"git push\"],[],[],[],[],[],null,\
             \"deny\",\"ask\",\"Ask \u{e9} \\\"first\\\".\",\"block\",\"enforce\"]",
            "4f2aafc87ca222f21311b366e4772da3f7a13052f2e382f1b14fe6ddcd34887e",
        ),
        (
            shadow,
            "[2,\"user\",\"user\",\"PreToolUse\",\"Bash|@exec\",\"rule\",[],[\"src/**\",\"!src/gen/**\"],[],[],\
             [\"*\"],[],\"now.getHours('Europe/Berlin') >= 18\",\"ask\",\"allow\",\"Ask \u{e9} \\\"first\\\".\",\
             \"continue\",\"shadow\"]",
            "a87a8724d0cd67b95cc3cb63becd754ece39a9e89915853373fd3b105ff6c50a",
        ),
    ] {
        assert_eq!(definition.canonical(), canonical);
        assert_eq!(definition.hash().as_str(), format!("sha256:{hash}"));
        assert_eq!(Definition::from_canonical(canonical), Ok(definition));
    }
}

#[test]
fn only_the_canonical_text_of_a_rule_is_read_back() {
    let text = definition(text()).canonical();
    let replaced = |from: &str, to: &str| text.replacen(from, to, 1);
    for wrong in [
        replaced("[2", "[1"),
        replaced("[\"git push\"]", "\"git push\""),
        replaced("[\"git push\"]", "[\"\"]"),
        replaced("[\"git push\"]", "[7]"),
        replaced("[],", "null,"),
        replaced("null", "\"\""),
        replaced("\"deny\"", "\"allow\""),
        replaced("\"deny\"", "\"Deny\""),
        replaced("\"ask\"", "\"maybe\""),
        replaced("\"Ask ", "\"\\u001b"),
        replaced("\"block\"", "\"never\""),
        replaced(",\"enforce\"", ""),
        replaced("\"enforce\"", "\"enforce\",1"),
        replaced("\"rule\"", "\"wasm\""),
        replaced("@exec", "@exce"),
    ] {
        assert_ne!(wrong, text);
        assert!(Definition::from_canonical(&wrong).is_err(), "{wrong}");
    }
}

#[test]
fn a_rule_of_a_broken_file_is_remembered_and_never_runs() {
    let scene = Scene::new();
    scene.write_user(file(2, &[rule("a")]));
    scene.trust_all();
    scene.write_user("{");
    let snapshot = scene.load();
    let [hook] = snapshot.hooks() else {
        panic!("one hook");
    };
    assert_eq!(hook.trust, Trust::BrokenSource);
    assert_eq!(hook.on_failure, FailureMode::Block);
    let handler = hook.rule().unwrap();
    assert!(handler.rule.is_none());
    assert_eq!(handler.text.exec, ["git push"]);
}

#[test]
fn fields_of_the_other_kind_say_where_they_belong() {
    for (base, field, value, owner) in [
        (rule("a"), "command", json!("/bin/true"), "`command`"),
        (rule("a"), "args", json!([]), "`command`"),
        (rule("a"), "timeoutMs", json!(500), "`command`"),
        (rule("a"), "containment", json!("full"), "`command`"),
        (handler("a"), "exec", json!("x"), "`rule`"),
        (handler("a"), "when", json!("true"), "`rule`"),
        (handler("a"), "decision", json!("deny"), "`rule`"),
        (handler("a"), "opaque", json!("deny"), "`rule`"),
        (handler("a"), "reason", json!("x"), "`rule`"),
    ] {
        let found = Scene::diagnose(file(2, &[with(base, field, value)]));
        assert_eq!(codes(&found), [Code::ForeignField], "{field}");
        assert!(found[0].message.contains(owner), "{}", found[0].message);
        assert!(found[0].pointer.ends_with(field), "{}", found[0].pointer);
    }
    let misspelt = Scene::diagnose(file(2, &[with(rule("a"), "decison", "deny")]));
    assert_eq!(misspelt[0].help, "did you mean `decision`?");
}

#[test]
fn version_1_has_no_rules() {
    let found = Scene::diagnose(file(1, &[rule("a")]));
    let kind = found.iter().find(|found| found.code == Code::UnknownType);
    assert_eq!(kind.unwrap().help, "write `\"version\": 2`");
    assert!(
        found
            .iter()
            .all(|found| found.help.contains("\"version\": 2")),
        "{found:?}"
    );
}

#[test]
fn what_a_rule_has_to_say() {
    for (rule, expected) in [
        (without(rule("a"), "decision"), Code::MissingField),
        (without(rule("a"), "reason"), Code::MissingField),
        (without(rule("a"), "type"), Code::MissingField),
        (with(rule("a"), "decision", "allow"), Code::BadChoice),
        (with(rule("a"), "decision", true), Code::WrongType),
        (with(rule("a"), "opaque", "maybe"), Code::BadChoice),
        (with(rule("a"), "reason", 7), Code::WrongType),
        (with(rule("a"), "reason", " "), Code::BadReason),
        (with(rule("a"), "reason", "a\nb"), Code::BadReason),
        (with(rule("a"), "reason", "a\u{1b}[2Jb"), Code::BadReason),
        (with(rule("a"), "when", ""), Code::BadExpression),
        (with(rule("a"), "when", json!(["true"])), Code::WrongType),
        (with(rule("a"), "exec", ""), Code::BadPattern),
        (with(rule("a"), "exec", json!([])), Code::BadPattern),
        (with(rule("a"), "exec", json!([""])), Code::BadPattern),
        (with(rule("a"), "exec", json!([1])), Code::WrongType),
        (with(rule("a"), "exec", json!({})), Code::WrongType),
        (with(rule("a"), "write", "a\0b"), Code::BadPattern),
        (with(rule("a"), "onFailure", "ask"), Code::BadFailureMode),
    ] {
        assert_eq!(of(rule.clone()), [expected], "{rule}");
    }
}

/// A rule without any condition is one about its tools; about every tool, it is a mistake.
#[test]
fn a_rule_says_which_calls_it_is_about() {
    let bare = without(rule("a"), "exec");
    let grouped = |matcher: &str, rule: &Value| {
        let groups = json!([{"matcher": matcher, "hooks": [rule]}]);
        let file = json!({"version": 2, "hooks": {"PreToolUse": groups}});
        codes(&Scene::diagnose(file.to_string()))
    };
    assert_eq!(of(bare.clone()), [Code::UnboundedRule]);
    for (matcher, expected) in [
        ("*", vec![Code::UnboundedRule]),
        ("Bash|*", vec![Code::UnboundedRule]),
        ("WebFetch|mcp__*", vec![]),
        ("@network", vec![]),
    ] {
        assert_eq!(grouped(matcher, &bare), expected, "{matcher}");
        assert_eq!(grouped(matcher, &rule("a")), [], "{matcher}");
        let when = with(bare.clone(), "when", "true");
        assert_eq!(grouped(matcher, &when), [], "{matcher}");
    }
}

#[test]
fn limits_of_rules_at_below_and_above() {
    let expect = |good: bool, code: Code| if good { vec![] } else { vec![code] };
    for (count, good) in [(63, true), (64, true), (65, false)] {
        let patterns: Vec<_> = (0..count).map(|index| format!("tool{index}")).collect();
        for field in ["exec", "write", "read", "delete", "network"] {
            let found = of(with(rule("a"), field, json!(patterns)));
            assert_eq!(found, expect(good, Code::BadPattern), "{field} {count}");
        }
    }
    for (bytes, good) in [(1_023, true), (1_024, true), (1_025, false)] {
        for field in ["exec", "write", "read", "delete"] {
            let pattern = json!(["x", "y".repeat(bytes)]);
            let found = Scene::diagnose(file(2, &[with(rule("a"), field, pattern)]));
            assert_eq!(
                codes(&found),
                expect(good, Code::BadPattern),
                "{field} {bytes}"
            );
        }
    }
    for (bytes, good) in [(4_095, true), (4_096, true), (4_097, false)] {
        let when = format!("true{}", " ".repeat(bytes - 4));
        let found = of(with(rule("a"), "when", when));
        assert_eq!(found, expect(good, Code::BadExpression), "{bytes}");
    }
    for (characters, good) in [(1, true), (1_999, true), (2_000, true), (2_001, false)] {
        let found = of(with(rule("a"), "reason", "\u{e9}".repeat(characters)));
        assert_eq!(found, expect(good, Code::BadReason), "{characters}");
    }
    let case = json!({"tool": "Bash", "input": {}, "expect": "deny"});
    for (count, good) in [(63, true), (64, true), (65, false)] {
        for base in [rule("a"), handler("a")] {
            let found = of(with(base, "tests", vec![case.clone(); count]));
            assert_eq!(found, expect(good, Code::BadTest), "{count}");
        }
    }
    for (count, good) in [(63, true), (64, true), (65, false)] {
        let env: serde_json::Map<_, _> =
            (0..count).map(|n| (format!("V{n}"), "x".into())).collect();
        let found = of(with(
            rule("a"),
            "tests",
            json!([with(case.clone(), "env", env)]),
        ));
        assert_eq!(found, expect(good, Code::BadTest), "{count}");
    }
}

fn only(text: &str) -> Diagnostic {
    let found = Scene::diagnose(text);
    let [found] = found.as_slice() else {
        panic!("one problem: {found:?}");
    };
    found.clone()
}

/// What the compiler of rules finds is told at the very character, whatever escapes stand before it.
#[test]
fn faults_of_rules_are_told_at_their_character() {
    let lines = |field: &str| {
        format!(
            "{{\"version\":2,\"hooks\":{{\"PreToolUse\":[{{\"hooks\":[\n{{\"id\":\"a\",\"type\":\"rule\",\
             \"decision\":\"deny\",\"reason\":\"r\",\n{field}\n}}]}}]}}}}"
        )
    };
    let handler = "/hooks/PreToolUse/0/hooks/0";
    for (field, code, column, pointer) in [
        (r#""when": "1 + + 1""#, Code::BadExpression, 14, "/when"),
        (
            r#""when": "'\u00e9\ud83d\ude00' + + 1""#,
            Code::BadExpression,
            33,
            "/when",
        ),
        (r#""write": "src/[a""#, Code::BadPattern, 15, "/write"),
        (
            r#""write": ["ok", "\u0073rc/[a"]"#,
            Code::BadPattern,
            27,
            "/write/1",
        ),
    ] {
        let found = only(&lines(field));
        assert_eq!((found.code, found.line), (code, 3), "{field}: {found:?}");
        assert_eq!(found.pointer, format!("{handler}{pointer}"), "{field}");
        assert_eq!(found.column, column, "{field}: {found:?}");
        assert!(
            !found.message.is_empty() && !found.help.is_empty(),
            "{found:?}"
        );
    }
}

#[test]
fn all_faults_of_a_rule_are_told_at_once() {
    let faulty = json!({
        "id": "a", "type": "rule", "exec": [], "write": "src/[a", "when": "1 +", "decision": "no",
        "reason": "", "command": "/bin/true", "tests": [{"tool": ""}]
    });
    let mut found = of(faulty);
    found.sort_unstable();
    let expected = [
        Code::MissingField,
        Code::MissingField,
        Code::BadPattern,
        Code::BadPattern,
        Code::BadExpression,
        Code::BadChoice,
        Code::BadReason,
        Code::BadTest,
        Code::ForeignField,
    ];
    assert_eq!(found, expected);
}

#[test]
fn a_broken_rule_breaks_its_file_and_no_other() {
    let scene = Scene::new();
    scene.write_user(file(2, &[with(rule("a"), "when", "1 +"), handler("b")]));
    scene.write_project(file(2, &[rule("c")]));
    let snapshot = scene.load();
    let states = [SourceKind::User, SourceKind::Project].map(|s| source_state(&snapshot, s));
    assert_eq!(states, [SourceState::Broken, SourceState::Loaded]);
    assert_eq!(snapshot.hooks().len(), 1);
}

/// Switching a rule changes its `enabled` and nothing else, and its cases stay.
#[test]
fn rules_are_switched_like_commands() {
    let scene = Scene::new();
    let case = json!({"tool": "Bash", "input": {"command": "x"}, "expect": "deny"});
    scene.write_user(file(2, &[with(rule("a"), "tests", json!([case]))]));
    scene.trust_all();
    let id = HookId::try_from("a").unwrap();
    for (enabled, trust) in [(false, Trust::Disabled), (true, Trust::Trusted)] {
        let source = SourceKind::User;
        hookward_policy::set_enabled(source, &scene.state, &scene.project, &id, enabled).unwrap();
        let snapshot = scene.load();
        assert_eq!(snapshot.hooks()[0].trust, trust);
        assert_eq!(snapshot.hooks()[0].tests().len(), 1);
    }
}
