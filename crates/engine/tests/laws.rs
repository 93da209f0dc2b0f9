//! Laws of rules at the gate, over generated rules and calls: a rule only tightens, order decides
//! nothing, the same is judged the same, and a glance is never wrong about a *no*.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "helpers of tests may fail a test"
)]

mod support;

use camino::Utf8Path;
use hookward_contract::{Call, SourceKind, Verdict};
use hookward_policy::{Handler, Hook};
use hookward_process::Abort;
use hookward_rules::{Effects, NoFiles, Observation, Outcome, Rule};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select, subsequence};
use serde_json::{Value, json};
use support::{Scene, call};

/// Patterns per field, and conditions: those that fit some of the calls below, and some that fail.
const EXEC: &[&str] = &[
    "git push",
    "git",
    "rm -rf",
    "g* push",
    "npm **",
    "*",
    "!git status",
    "curl",
];
const PATHS: &[&str] = &[
    "secrets/**",
    "/w/p/src/*",
    "**",
    "!src/**",
    "*.pem",
    "~/.ssh/**",
    "s?c*",
];
const HOSTS: &[&str] = &["a.example", "*.example", "!b.example", "127.0.0.1"];
const SERVERS: &[&str] = &["fs/*", "fs/write_file", "db", "*/drop"];
const CONDITIONS: &[&str] = &[
    "tool == 'Bash'",
    "effects.exists(e, e.kind == 'write')",
    "size(effects) > 2",
    "input.command.contains('a')",
    "int(tool) > 1",
    "now.getHours() < 12",
];

/// A rule as its file has it, without an id.
fn rule() -> impl Strategy<Value = Value> {
    let some = |patterns: &'static [&'static str]| {
        prop::option::weighted(0.35, subsequence(patterns, 1..=2))
    };
    let fields = (
        some(EXEC),
        some(PATHS),
        some(PATHS),
        some(PATHS),
        some(HOSTS),
        some(SERVERS),
    );
    let when = prop::option::weighted(0.3, select(CONDITIONS));
    let decisions = (
        select(&["deny", "ask"][..]),
        select(&["allow", "ask", "deny"][..]),
    );
    let failure = select(&["block", "continue"][..]);
    (fields, when, decisions, failure).prop_map(|(fields, when, decisions, failure)| {
        let (exec, write, read, delete, network, mcp) = fields;
        let mut rule = json!({"type": "rule", "decision": decisions.0, "opaque": decisions.1,
                              "onFailure": failure, "reason": "no"});
        let lists = [
            ("exec", exec),
            ("write", write),
            ("read", read),
            ("delete", delete),
            ("network", network),
            ("mcp", mcp),
        ];
        for (name, list) in lists {
            if let Some(list) = list {
                rule[name] = json!(list);
            }
        }
        if let Some(when) = when {
            rule["when"] = json!(when);
        }
        rule
    })
}

/// Shell texts that do a few things, some of them opaque.
fn command() -> impl Strategy<Value = String> {
    let part = select(
        &[
            "git push",
            "git -C x push -f",
            "git status",
            "rm -rf src",
            "npm run a",
            "echo 'git push'",
            "cat secrets/a",
            "date > secrets/a",
            "cp a.pem /w/p/src/b",
            "eval \"$x\"",
            "$p push",
            "curl https://a.example/x",
            "curl \"$u\"",
            "ssh 127.0.0.1",
            "python3 -c 1",
            "cd secrets",
            "rm *",
            "echo x > \"$f\"",
            "cat < ~/.ssh/id",
            "xargs git",
            "if x; then",
            "# a",
        ][..],
    );
    let joint = select(&["; ", " && ", " | ", "\n", " || "][..]);
    vec((part, joint), 1..4).prop_map(|parts| {
        let words = parts.into_iter().flat_map(|(part, joint)| [part, joint]);
        words.collect()
    })
}

fn any_call() -> impl Strategy<Value = Call> {
    let path = select(
        &[
            "secrets/a",
            "/w/p/src/x",
            "k.pem",
            "~/.ssh/id",
            "$f",
            "/etc/x",
            "..",
        ][..],
    );
    let tools = select(
        &[
            "Write",
            "Read",
            "Edit",
            "delete_file",
            "mcp__fs__write_file",
            "mcp__db__drop",
            "unknown_tool",
        ][..],
    );
    let of_files = (tools, path).prop_map(|(tool, path)| {
        call(
            tool,
            &json!({"file_path": path, "path": path, "content": "x"}).to_string(),
        )
    });
    let of_web = select(&["https://a.example/", "http://b.example", "not an address"][..])
        .prop_map(|url| call("WebFetch", &json!({"url": url}).to_string()));
    let of_code = Just(call("exec", r#"{"code":"await tools.Write({})"}"#));
    prop_oneof![
        4 => command().prop_map(|command| support::bash(&command)),
        3 => of_files,
        1 => of_web,
        1 => of_code,
    ]
}

/// A file with these rules for every tool; a rule without any condition has a matcher.
fn file(rules: &[Value]) -> Value {
    let groups = rules.iter().enumerate().map(|(at, rule)| {
        let mut rule = rule.clone();
        rule["id"] = rule
            .get("id")
            .cloned()
            .unwrap_or_else(|| json!(format!("rule-{at}")));
        let unbounded = !["exec", "write", "read", "delete", "network", "mcp", "when"]
            .iter()
            .any(|name| rule.get(name).is_some());
        json!({"matcher": if unbounded { "Write|Read" } else { "*" }, "hooks": [rule]})
    });
    json!({"version": 2, "hooks": {"PreToolUse": groups.collect::<Vec<_>>()}})
}

fn hooks(rules: &[Value]) -> Vec<Hook> {
    let bytes = file(rules).to_string();
    let (hooks, diagnostics) = hookward_policy::fuzzing::hooks(bytes.as_bytes(), SourceKind::User);
    hooks.unwrap_or_else(|| panic!("{bytes}\n{diagnostics:?}"))
}

fn with_scene<T>(call: &Call, look: impl FnOnce(&hookward_rules::Scene<'_>) -> T) -> T {
    let observation = Observation {
        project: Utf8Path::new("/w/p"),
        home: Some(Utf8Path::new("/home/ann")),
        now: "2026-03-02T09:30:00Z".parse().unwrap(),
        env: &[],
        files: &NoFiles,
    };
    let effects = Effects::of(call, &observation);
    look(&hookward_rules::Scene::new(call, &effects, &observation))
}

fn compiled(hook: &Hook) -> &Rule {
    match &hook.handler {
        Handler::Rule(handler) => handler.rule.as_ref().unwrap(),
        Handler::Command(_) => panic!("a command"),
    }
}

/// What the gate says to a call under these rules, all trusted.
fn verdict(scene: &Scene, rules: &[Value], call: &Call) -> Verdict {
    std::fs::write(scene.state.hooks_file(), file(rules).to_string()).unwrap();
    scene.trust_all();
    let gate = scene.gate();
    let snapshot = scene.snapshot();
    let judge = || gate.judge(&snapshot, call, &Abort::new().unwrap()).unwrap();
    let judged = judge();
    assert_eq!(judge().verdict, judged.verdict, "judged twice");
    judged.verdict
}

fn rank(verdict: &Verdict) -> u8 {
    match verdict {
        Verdict::Allow => 0,
        Verdict::Ask(_) => 1,
        Verdict::Deny(_) => 2,
    }
}

/// The names of those who speak, sorted.
fn speakers(verdict: &Verdict) -> Vec<String> {
    let mut names: Vec<String> = verdict
        .reasons()
        .iter()
        .map(|reason| reason.hook.to_string())
        .collect();
    names.sort();
    names
}

fn cases(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases,
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(cases(1_000))]

    /// A glance is never wrong about a *no*, and a judgement is the same twice, in a scene that was
    /// used before and in a fresh one.
    #[test]
    fn a_glance_misses_nothing_and_judging_is_repeatable(rules in vec(rule(), 1..5), call in any_call()) {
        let hooks = hooks(&rules);
        let judge = |hook: &Hook, scene: &hookward_rules::Scene<'_>| compiled(hook).explain(scene).outcome;
        let together: Vec<Outcome> = with_scene(&call, |scene| {
            let outcomes: Vec<_> = hooks.iter().map(|hook| judge(hook, scene)).collect();
            for (hook, outcome) in hooks.iter().zip(&outcomes) {
                let concerned = *outcome != Outcome::NotConcerned;
                assert!(!concerned || compiled(hook).may_concern(scene), "{rules:?} {}", call.input.get());
                assert_eq!(&judge(hook, scene), outcome);
            }
            outcomes
        });
        for (hook, outcome) in hooks.iter().zip(together) {
            prop_assert_eq!(with_scene(&call, |scene| judge(hook, scene)), outcome);
        }
    }
}

proptest! {
    #![proptest_config(cases(48))]

    /// One rule more never loosens a verdict, wherever it stands; another order changes neither the
    /// verdict nor who speaks.
    #[test]
    fn rules_only_tighten_in_any_order(rules in vec(rule(), 1..5), more in rule(), at in any::<Index>(), call in any_call()) {
        let scene = Scene::new();
        let mut named: Vec<Value> = rules;
        for (at, rule) in named.iter_mut().enumerate() {
            rule["id"] = json!(format!("rule-{at}"));
        }
        let before = verdict(&scene, &named, &call);
        let mut extended = named.clone();
        let mut more = more;
        more["id"] = json!("more");
        extended.insert(at.index(named.len() + 1), more);
        let after = verdict(&scene, &extended, &call);
        prop_assert!(rank(&after) >= rank(&before), "{:?} then {:?}", before, after);
        extended.reverse();
        let back = verdict(&scene, &extended, &call);
        prop_assert_eq!(after.as_str(), back.as_str());
        prop_assert_eq!(speakers(&after), speakers(&back));
    }
}

/// The laws mean something only if the generated calls meet the generated rules in every way.
#[test]
fn generated_rules_decide_in_every_way() {
    use proptest::strategy::ValueTree as _;
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let mut seen = std::collections::BTreeMap::new();
    for _ in 0..2_000 {
        let rule = rule().new_tree(&mut runner).unwrap().current();
        let call = any_call().new_tree(&mut runner).unwrap().current();
        let hooks = hooks(&[rule]);
        let outcome = with_scene(&call, |scene| compiled(&hooks[0]).judge(scene));
        let name = match &outcome {
            Outcome::NotConcerned => "none",
            Outcome::Decided(verdict) => verdict.as_str(),
            Outcome::Failed(_) => "failed",
        };
        *seen.entry(name.to_owned()).or_insert(0) += 1;
    }
    let ways: Vec<_> = seen.keys().map(String::as_str).collect();
    assert_eq!(ways, ["allow", "ask", "deny", "failed", "none"], "{seen:?}");
    assert!(seen.values().all(|count| *count >= 10), "{seen:?}");
}
