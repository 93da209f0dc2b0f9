//! How verdicts are worded, read back the way the agent reads them.

#![allow(clippy::unwrap_used)]

use hookward_agents::claude_code::{HostAnswer, encode, encode_failure};
use hookward_contract::{HookId, MAX_JOINED_REASON_CHARS, Reason, Verdict};
use serde_json::{Value, json};

/// What a client does with an answer (hooks reference of the vendor, "Exit code output"), as far
/// as hooks that gate a call go.
#[derive(Debug, PartialEq)]
enum Effect {
    /// The agent's own rules and prompts decide.
    NoDecision,
    /// The call does not run; the model reads the text.
    Blocked(String),
    /// A person is asked.
    Asked(String),
    /// The hook loosened something. No answer of ours may.
    Granted,
    /// The client reports a broken hook and the call runs.
    Broken,
}

/// The clients before and after 2.1.214, which started to honour exit 2 beside JSON that it does
/// not accept.
#[derive(Clone, Copy)]
enum Client {
    Old,
    New,
}

fn effect(client: Client, event: &str, answer: &HostAnswer) -> Effect {
    let out = answer.stdout.trim();
    let stderr = answer.stderr.trim_end().to_owned();
    let looks_like_json = out.starts_with('{') && out.ends_with('}');
    let json = looks_like_json
        .then(|| serde_json::from_str::<Value>(out).ok())
        .flatten();
    let accepted = json.filter(|json| {
        let specific = &json["hookSpecificOutput"];
        let known = ["PreToolUse", "PermissionRequest", "PreSkillShellCommand"].contains(&event);
        specific.is_null() || (known && specific["hookEventName"] == event)
    });
    match (&accepted, answer.exit, client) {
        (None, 2, Client::Old) if looks_like_json => return Effect::Broken,
        (None, 0, _) if !out.is_empty() => return Effect::Broken,
        (_, 0 | 2, _) => {}
        _ => return Effect::Broken,
    }
    let specific = accepted
        .map(|json| json["hookSpecificOutput"].clone())
        .unwrap_or_default();
    let text = |key: &str| specific[key].as_str().unwrap_or_default().to_owned();
    let behavior = &specific["decision"]["behavior"];
    match specific["permissionDecision"].as_str() {
        Some("deny") => Effect::Blocked(text("permissionDecisionReason")),
        _ if behavior == "deny" => Effect::Blocked(
            specific["decision"]["message"]
                .as_str()
                .unwrap_or_default()
                .to_owned(),
        ),
        // Exit 2 has no effect on this event: only the JSON decides.
        _ if event == "PermissionRequest" && behavior.is_null() => Effect::NoDecision,
        _ if answer.exit == 2 => Effect::Blocked(stderr),
        Some("ask") => Effect::Asked(text("permissionDecisionReason")),
        None if behavior.is_null() => Effect::NoDecision,
        _ => Effect::Granted,
    }
}

const EVENTS: &[&str] = &[
    "PreToolUse",
    "PermissionRequest",
    "PreSkillShellCommand",
    "ToolAboutToRun",
    "",
];

fn reason(id: &str, text: &str) -> Reason {
    Reason {
        hook: HookId::try_from(id).unwrap(),
        text: text.to_owned(),
    }
}

fn denied(text: &str) -> Verdict {
    Verdict::Deny(vec![reason("guard", text)])
}

fn asked(text: &str) -> Verdict {
    Verdict::Ask(vec![reason("guard", text)])
}

fn stdout_of(answer: &HostAnswer) -> Value {
    serde_json::from_str(&answer.stdout).unwrap()
}

#[test]
fn the_table_of_answers() {
    let pre = |event, decision| {
        json!({"hookSpecificOutput": {"hookEventName": event, "permissionDecision": decision,
            "permissionDecisionReason": "no pushes"}})
    };
    let request = json!({"hookSpecificOutput": {"hookEventName": "PermissionRequest",
        "decision": {"behavior": "deny", "message": "no pushes"}}});
    for (event, verdict, exit, stdout, stderr) in [
        ("PreToolUse", Verdict::Allow, 0, None, ""),
        (
            "PreToolUse",
            asked("no pushes"),
            0,
            Some(pre("PreToolUse", "ask")),
            "",
        ),
        (
            "PreToolUse",
            denied("no pushes"),
            2,
            Some(pre("PreToolUse", "deny")),
            "no pushes\n",
        ),
        ("PreSkillShellCommand", Verdict::Allow, 0, None, ""),
        (
            "PreSkillShellCommand",
            asked("no pushes"),
            0,
            Some(pre("PreSkillShellCommand", "ask")),
            "",
        ),
        (
            "PreSkillShellCommand",
            denied("no pushes"),
            2,
            Some(pre("PreSkillShellCommand", "deny")),
            "no pushes\n",
        ),
        ("PermissionRequest", Verdict::Allow, 0, None, ""),
        (
            "PermissionRequest",
            asked("no pushes"),
            0,
            Some(json!({"systemMessage": "no pushes"})),
            "",
        ),
        (
            "PermissionRequest",
            denied("no pushes"),
            0,
            Some(request),
            "no pushes\n",
        ),
        ("ToolAboutToRun", Verdict::Allow, 0, None, ""),
        ("ToolAboutToRun", asked("no pushes"), 2, None, "no pushes\n"),
        (
            "ToolAboutToRun",
            denied("no pushes"),
            2,
            None,
            "no pushes\n",
        ),
    ] {
        let answer = encode(event, &verdict, &[]);
        let found = (!answer.stdout.is_empty()).then(|| stdout_of(&answer));
        assert_eq!(
            (answer.exit, found, answer.stderr.as_str()),
            (exit, stdout, stderr),
            "{event}"
        );
    }
}

/// Cases B01, B03 and B05: a denial stops the call on every event, in every client, with its text.
#[test]
fn b01_b03_b05_a_denial_blocks_everywhere() {
    for event in EVENTS {
        for client in [Client::Old, Client::New] {
            let answer = encode(event, &denied("locked"), &["a notice".to_owned()]);
            assert_eq!(
                effect(client, event, &answer),
                Effect::Blocked("locked".to_owned()),
                "{event}"
            );
        }
    }
}

/// Case B13: a question that the event cannot carry, or that is being asked anyway, is never an
/// approval.
#[test]
fn b13_a_question_is_asked_or_denied() {
    for client in [Client::Old, Client::New] {
        let ask = |event: &str| effect(client, event, &encode(event, &asked("sure?"), &[]));
        assert_eq!(ask("PreToolUse"), Effect::Asked("sure?".to_owned()));
        assert_eq!(
            ask("PreSkillShellCommand"),
            Effect::Asked("sure?".to_owned())
        );
        assert_eq!(ask("PermissionRequest"), Effect::NoDecision);
        assert_eq!(ask("ToolAboutToRun"), Effect::Blocked("sure?".to_owned()));
    }
}

#[test]
fn no_objection_is_no_opinion_and_never_a_grant() {
    for event in EVENTS {
        assert_eq!(
            encode(event, &Verdict::Allow, &[]),
            HostAnswer::no_opinion()
        );
        let loud = encode(event, &Verdict::Allow, &["guard timed out".to_owned()]);
        assert_eq!((loud.exit, loud.stderr.as_str()), (0, ""));
        assert_eq!(
            stdout_of(&loud),
            json!({"systemMessage": "guard timed out"})
        );
        for verdict in [Verdict::Allow, asked("a"), denied("d")] {
            let answer = encode(event, &verdict, &["n".to_owned()]);
            assert!(!answer.stdout.contains("\"allow\""), "{}", answer.stdout);
            assert_ne!(effect(Client::New, event, &answer), Effect::Granted);
        }
    }
}

#[test]
fn answers_have_only_exit_0_and_2_and_one_json_object_at_most() {
    for event in EVENTS {
        for verdict in [Verdict::Allow, asked("a"), denied("d")] {
            for notices in [vec![], vec!["one".to_owned(), "two\nlines".to_owned()]] {
                let answer = encode(event, &verdict, &notices);
                assert!([0, 2].contains(&answer.exit));
                assert!(answer.stdout.is_empty() || stdout_of(&answer).is_object());
                assert!(!answer.stdout.contains('\n'));
            }
        }
    }
}

#[test]
fn notices_reach_the_person_and_not_the_model() {
    let notices = [
        "guard failed: exit(1)".to_owned(),
        String::new(),
        "second\u{1b}[2J".to_owned(),
    ];
    let answer = encode("PreToolUse", &denied("locked"), &notices);
    assert_eq!(
        stdout_of(&answer)["systemMessage"],
        "guard failed: exit(1)\nsecond[2J"
    );
    assert_eq!(answer.stderr, "locked\n");
    let many = vec!["x".repeat(3_000); 9];
    let shown = stdout_of(&encode("PreToolUse", &Verdict::Allow, &many));
    let length = shown["systemMessage"].as_str().unwrap().chars().count();
    assert_eq!(length, MAX_JOINED_REASON_CHARS, "the agent cuts at 10,000");
}

/// Case B211: a refusal always has words, and they differ from those of a failure.
#[test]
fn b211_a_denial_without_words_still_has_some() {
    for verdict in [Verdict::Deny(vec![]), denied(""), denied("  ")] {
        let answer = encode("PreToolUse", &verdict, &[]);
        assert_eq!(answer.stderr, "denied by policy\n");
        assert_eq!(
            stdout_of(&answer)["hookSpecificOutput"]["permissionDecisionReason"],
            "denied by policy"
        );
    }
    let failure = encode_failure(Some("PreToolUse"), "the payload is not JSON");
    assert!(!failure.stderr.contains("denied by policy"));
    assert!(failure.stderr.contains("not a policy"));
}

/// Case B213: the reasons of all denials arrive together, in order, and no text of ours names a
/// way around the hook.
#[test]
fn b213_all_reasons_arrive_and_none_names_a_bypass() {
    let verdict = Verdict::Deny(vec![reason("b", "second"), reason("a", "first")]);
    assert_eq!(
        encode("PreToolUse", &verdict, &[]).stderr,
        "b: second\na: first\n"
    );
    let failure = encode_failure(None, "x").stderr;
    for word in ["uninstall", "disable", "revoke", "settings.json"] {
        assert!(!failure.contains(word), "{failure}");
    }
}

#[test]
fn what_could_not_be_judged_is_blocked_on_every_event() {
    for event in EVENTS.iter().map(|event| Some(*event)).chain([None]) {
        for client in [Client::Old, Client::New] {
            let name = event.unwrap_or("PreToolUse");
            let answer = encode_failure(event, "the payload is not JSON.\u{1b}[2J");
            let Effect::Blocked(text) = effect(client, name, &answer) else {
                panic!("{name}: {answer:?}");
            };
            assert!(text.contains("the payload is not JSON.[2J."), "{text}");
            assert!(text.contains("hookward doctor"), "{text}");
        }
    }
    let long = encode_failure(None, &"é".repeat(9_000)).stderr;
    assert!(long.chars().count() < MAX_JOINED_REASON_CHARS);
    assert!(long.contains("hookward doctor"), "the cut keeps the advice");
}
