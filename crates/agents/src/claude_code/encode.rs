//! The answer in the agent's protocol. Exit statuses other than 0 and 2 mean "carry on" to the
//! agent, so they do not exist here.

use hookward_contract::{
    MAX_JOINED_REASON_CHARS, MAX_REASON_CHARS, Reason, Verdict, bounded, join_reasons,
    strip_controls,
};
use serde_json::{Map, Value, json};

use super::events::{DEFAULT_EVENT, Wording, wording};

/// What the hook process hands to the agent.
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use]
pub struct HostAnswer {
    /// Standard output: empty, or one JSON object.
    pub stdout: String,
    /// Standard error: empty, or the reason of a denial.
    pub stderr: String,
    /// Exit status: 0 or 2.
    pub exit: u8,
}

impl HostAnswer {
    /// Nothing to say: the agent goes on as if there were no hook.
    pub const fn no_opinion() -> Self {
        Self {
            stdout: String::new(),
            stderr: String::new(),
            exit: 0,
        }
    }
}

/// The status by which the agent knows a denial, whatever stands on standard output.
const BLOCK: u8 = 2;

/// What the model and the person read when a denial came without a word.
const NO_REASON: &str = "denied by policy";

/// Words `verdict` for the event that the agent named.
///
/// `Allow` is *no opinion*: nothing is granted, the agent's own rules and prompts still apply.
/// `notices` reach the person, whatever the verdict; they never reach the model.
///
/// | event | deny | ask |
/// | --- | --- | --- |
/// | `PreToolUse`, `PreSkillShellCommand` | exit 2, reason on both streams | exit 0, `permissionDecision: "ask"` |
/// | `PermissionRequest` | exit 0, `decision.behavior: "deny"`, reason on both streams | no opinion: the person is about to be asked; the reasons are shown |
/// | any other | exit 2, reason on standard error alone | as deny, since nothing is known about a question there |
///
/// On events outside the table standard output stays empty on purpose: a client older than 2.1.214
/// that does not accept the JSON lets the call run in spite of exit 2.
pub fn encode(event_name: &str, verdict: &Verdict, notices: &[String]) -> HostAnswer {
    match (verdict, wording(event_name)) {
        (Verdict::Allow, _) => exit_0(Map::new(), notices),
        (Verdict::Ask(reasons), Wording::PermissionDecision) => exit_0(
            permission_decision(event_name, "ask", &reason_text(reasons)),
            notices,
        ),
        (Verdict::Ask(reasons), Wording::Behavior) => {
            let mut shown = notices.to_vec();
            shown.push(reason_text(reasons));
            exit_0(Map::new(), &shown)
        }
        (Verdict::Ask(reasons) | Verdict::Deny(reasons), _) => {
            deny(event_name, reason_text(reasons), notices)
        }
    }
}

/// Denies a call that could not be judged. `message` says what went wrong; `event_name` is `None`
/// if not even that could be read.
pub fn encode_failure(event_name: Option<&str>, message: &str) -> HostAnswer {
    let message = bounded(&strip_controls(message), MAX_REASON_CHARS);
    let message = message.trim_end_matches('.');
    let text = format!(
        "Hookward could not judge this call, so it is blocked: {message}. This is a fault, not a \
         policy; the person at the keyboard can run `hookward doctor`."
    );
    deny(event_name.unwrap_or(DEFAULT_EVENT), text, &[])
}

fn deny(event_name: &str, reason: String, notices: &[String]) -> HostAnswer {
    let (output, exit) = match wording(event_name) {
        Wording::PermissionDecision => (permission_decision(event_name, "deny", &reason), BLOCK),
        Wording::Behavior => (behavior_deny(event_name, &reason), 0),
        Wording::DenyOnly => {
            return HostAnswer {
                stdout: String::new(),
                stderr: reason + "\n",
                exit: BLOCK,
            };
        }
    };
    HostAnswer {
        stderr: reason + "\n",
        exit,
        ..exit_0(output, notices)
    }
}

fn exit_0(mut output: Map<String, Value>, notices: &[String]) -> HostAnswer {
    let shown: Vec<String> = notices
        .iter()
        .map(|notice| strip_controls(notice))
        .filter(|notice| !notice.is_empty())
        .collect();
    if !shown.is_empty() {
        let shown = bounded(&shown.join("\n"), MAX_JOINED_REASON_CHARS);
        output.insert("systemMessage".to_owned(), Value::String(shown));
    }
    let stdout = if output.is_empty() {
        String::new()
    } else {
        Value::Object(output).to_string()
    };
    HostAnswer {
        stdout,
        stderr: String::new(),
        exit: 0,
    }
}

fn permission_decision(event_name: &str, decision: &str, reason: &str) -> Map<String, Value> {
    specific(json!({
        "hookEventName": event_name,
        "permissionDecision": decision,
        "permissionDecisionReason": reason,
    }))
}

fn behavior_deny(event_name: &str, reason: &str) -> Map<String, Value> {
    specific(json!({
        "hookEventName": event_name,
        "decision": { "behavior": "deny", "message": reason },
    }))
}

fn specific(output: Value) -> Map<String, Value> {
    Map::from_iter([("hookSpecificOutput".to_owned(), output)])
}

fn reason_text(reasons: &[Reason]) -> String {
    let joined = join_reasons(reasons);
    if joined.trim().is_empty() {
        NO_REASON.to_owned()
    } else {
        joined
    }
}
