//! The run and its report: numbers, examples, differences, the page.

#![allow(clippy::unwrap_used, reason = "tests")]

use std::fs;

use camino::{Utf8Path, Utf8PathBuf};
use hookward_replay::{
    Decision, Histories, Outcome, ReadOptions, Recorded, Replay, ReplayOptions, Report, RuleEffect,
    RuleResult, html,
};

/// A policy for tests: denies or asks by words in the input.
fn by_words(
    rules: &'static [(&'static str, &'static str, RuleEffect)],
) -> impl Fn(&Recorded) -> Outcome {
    move |recorded| {
        let mut outcome = Outcome::default();
        for (rule, word, effect) in rules {
            if recorded.call.input.get().contains(word) {
                let verdict = match effect {
                    RuleEffect::Denies => Decision::Deny,
                    RuleEffect::Asks => Decision::Ask,
                    _ => Decision::Allow,
                };
                outcome.verdict = outcome.verdict.max(verdict);
                outcome.rules.push(RuleResult {
                    rule: (*rule).into(),
                    effect: *effect,
                    reason: format!("because of {word}"),
                });
            }
        }
        outcome
    }
}

const OLD: &[(&str, &str, RuleEffect)] = &[
    ("user/push", "git push", RuleEffect::Denies),
    ("user/shadow", "rm", RuleEffect::WouldDeny),
];
const NEW: &[(&str, &str, RuleEffect)] = &[
    ("user/push", "git push --force", RuleEffect::Denies),
    ("user/remove", "rm", RuleEffect::Asks),
    ("user/broken", "make", RuleEffect::Fails),
];

const CALLS: &str = r#"
{"tool":"Bash","input":{"command":"git push"},"session":"a","at":"2026-03-01T10:00:00Z"}
{"tool":"Bash","input":{"command":"git push"},"session":"b","at":"2026-03-02T10:00:00Z"}
{"tool":"Bash","input":{"command":"git push --force"},"session":"b","at":"2026-03-03T10:00:00Z"}
{"tool":"Bash","input":{"command":"rm -r x"},"session":"b"}
{"tool":"Bash","input":{"command":"make"},"session":"c","cwd":"/srv/shop"}
{"tool":"Write","input":{"file_path":"<script>alert(1)</script>\u202e","content":"git push"},"session":"c"}
"#;

fn histories(folder: &Utf8Path) -> Histories {
    let path = folder.join("calls.jsonl");
    fs::write(&path, CALLS).unwrap();
    let cwd = Utf8PathBuf::from("/srv");
    Histories::open(&[path], ReadOptions { format: None, cwd })
}

fn run(options: ReplayOptions) -> Report {
    let folder = tempfile::tempdir().unwrap();
    let mut histories = histories(Utf8Path::from_path(folder.path()).unwrap());
    let (old, new) = (by_words(OLD), by_words(NEW));
    let mut last = 0;
    let report = Replay::new(&old, options)
        .against(&new)
        .run(&mut histories, &mut |bytes| last = bytes);
    assert_eq!(last, histories.bytes_total());
    report
}

#[test]
fn numbers_add_up() {
    let report = run(ReplayOptions::default());
    let sums = (report.calls, report.allowed, report.asked, report.denied);
    assert_eq!(sums, (6, 2, 0, 4));
    assert_eq!(
        (report.files, report.unknown_cwd, report.session_count),
        (1, 5, 3)
    );
    assert_eq!(report.first.unwrap().to_string(), "2026-03-01T10:00:00Z");
    assert_eq!(report.last.unwrap().to_string(), "2026-03-03T10:00:00Z");
    let rules: Vec<_> = report
        .rules
        .iter()
        .map(|row| (row.rule.as_str(), row.denied, row.would_deny))
        .collect();
    assert_eq!(rules, [("user/push", 4, 0), ("user/shadow", 0, 1)]);
    let tools: Vec<_> = report
        .tools
        .iter()
        .map(|row| (row.tool.as_str(), row.calls, row.denied))
        .collect();
    assert_eq!(tools, [("Bash", 5, 3), ("Write", 1, 1)]);
    let sessions: Vec<_> = report
        .sessions
        .iter()
        .map(|row| (row.session.as_str(), row.calls, row.denied))
        .collect();
    assert_eq!(sessions, [("b", 3, 2), ("a", 1, 1), ("c", 2, 1)]);
}

#[test]
fn examples_are_distinct_bounded_and_escaped() {
    let report = run(ReplayOptions::default());
    let shown: Vec<&str> = report.rules[0]
        .examples
        .iter()
        .map(|one| one.shown.as_str())
        .collect();
    assert_eq!(
        shown,
        [
            "git push",
            "git push --force",
            "<script>alert(1)</script>\\u{202e}"
        ]
    );
    let first = &report.rules[0].examples[0];
    assert_eq!(
        (first.line, first.reason.as_str()),
        (2, "because of git push")
    );
    let options = ReplayOptions {
        examples: 1,
        ..ReplayOptions::default()
    };
    assert_eq!(run(options).rules[0].examples.len(), 1);
    let options = ReplayOptions {
        examples: 0,
        ..ReplayOptions::default()
    };
    assert!(run(options).rules[0].examples.is_empty());
}

#[test]
fn two_policies_differ_by_old_and_new_verdict_and_rule() {
    let difference = run(ReplayOptions::default()).difference.unwrap();
    assert_eq!((difference.same, difference.changed), (2, 4));
    let groups: Vec<_> = difference
        .groups
        .iter()
        .map(|group| {
            let rules: Vec<_> = group
                .rules
                .iter()
                .map(|it| (it.rule.as_str(), it.calls))
                .collect();
            (group.from, group.to, group.calls, rules)
        })
        .collect();
    assert_eq!(
        groups,
        [
            (Decision::Allow, Decision::Ask, 1, vec![("user/remove", 1)]),
            (Decision::Deny, Decision::Allow, 3, vec![("user/push", 3)]),
        ]
    );
    assert_eq!(difference.groups[0].examples[0].shown, "rm -r x");
}

#[test]
fn calls_before_a_date_or_without_one_are_left_out() {
    let since = Some("2026-03-02T00:00:00Z".parse().unwrap());
    let report = run(ReplayOptions {
        since,
        ..ReplayOptions::default()
    });
    assert_eq!((report.calls, report.left_out), (2, 4));
}

#[test]
fn two_runs_give_the_same_bytes() {
    let json = |report: &Report| {
        let mut value = serde_json::to_value(report).unwrap();
        // The folder of the test is another one each time.
        let text = value.to_string();
        value = serde_json::from_str(&text).unwrap();
        let mut text = value.to_string();
        while let Some(at) = text.find("\"file\":\"") {
            let end = text[at + 8..].find('"').unwrap() + at + 9;
            text.replace_range(at..end, "");
        }
        text
    };
    let options = ReplayOptions::default();
    assert_eq!(json(&run(options)), json(&run(options)));
}

#[test]
fn the_page_stands_alone_and_escapes_everything() {
    let mut report = run(ReplayOptions::default());
    report.sessions[0].session = "\"><img src=x onerror=alert(1)>".to_owned();
    let page = html(&report, "the <b>old</b> policy", Some("new")).unwrap();
    for wanted in [
        "default-src 'none'",
        "because of git push",
        "user/remove",
        "would be denied (shadow)",
        "#60;script",
    ] {
        assert!(page.contains(wanted), "{wanted}\n{page}");
    }
    for unwanted in [
        "<script", "<img", "<b>old", "http:", "https:", "src=\"", "url(",
    ] {
        assert!(!page.contains(unwanted), "{unwanted}");
    }
}
