//! Self-protection: an agent may not change the policy that judges it. Not overridable by a project,
//! and best effort against code that no text shows; a sandbox is what holds against that.

use camino::{Utf8Path, Utf8PathBuf};
use hookward_contract::{HookId, HookVerdict, Reason};
use hookward_rules::{Decision, OpaqueDecision, Outcome, Rule, RuleText, Scene, escape_pattern};
use jiff::Timestamp;

/// Name under which the protection speaks.
pub const PROTECTION_ID: &str = "hookward";

/// Commands by which a person changes the policy.
const COMMANDS: &[&str] = &["trust", "revoke", "enable", "disable", "uninstall", "nap"];

/// Whether, and what, the gate protects of Hookward itself.
#[derive(Debug, Clone, Default)]
pub enum Protection {
    /// Nothing: the surface has other means, or the call is a test.
    #[default]
    Off,
    /// These rules hold.
    Rules(Vec<Rule>),
    /// A person let it sleep until then.
    Napping(Timestamp),
}

impl Protection {
    /// Protects files and folders, everything below included, and the commands that change trust.
    pub fn of(paths: &[Utf8PathBuf]) -> Self {
        let patterns: Vec<String> = paths.iter().map(|path| pattern(path)).collect();
        let files = "this would change Hookward's own files, and only a person may do that";
        let commands = "this would change which hooks are in force, and only a person may do that";
        let exec = COMMANDS.iter().map(|command| format!("hookward {command}"));
        let texts = [
            RuleText {
                write: patterns.clone(),
                ..text(files)
            },
            RuleText {
                delete: patterns,
                ..text(files)
            },
            RuleText {
                exec: exec.collect(),
                ..text(commands)
            },
        ];
        // Escaped paths and fixed words always compile; a rule that does not would leave its
        // files to the others.
        let rules = texts.iter().filter_map(|text| Rule::compile(text).ok());
        Self::Rules(rules.collect())
    }

    /// Why the call is refused, if it is.
    pub(crate) fn judge(&self, scene: &Scene<'_>) -> Option<Reason> {
        let Self::Rules(rules) = self else {
            return None;
        };
        let hook = HookId::try_from(PROTECTION_ID).ok()?;
        let denials = rules.iter().filter(|rule| rule.may_concern(scene));
        let text =
            denials
                .map(|rule| rule.judge(scene).outcome)
                .find_map(|outcome| match outcome {
                    Outcome::Decided(HookVerdict::Deny(text)) => Some(text),
                    _ => None,
                })?;
        Some(Reason { hook, text })
    }
}

fn pattern(path: &Utf8Path) -> String {
    escape_pattern(path.as_str())
}

fn text(reason: &str) -> RuleText {
    RuleText {
        exec: Vec::new(),
        write: Vec::new(),
        read: Vec::new(),
        delete: Vec::new(),
        network: Vec::new(),
        mcp: Vec::new(),
        when: None,
        decision: Decision::Deny,
        opaque: OpaqueDecision::Allow,
        reason: reason.to_owned(),
    }
}
