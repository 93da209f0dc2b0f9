//! Self-protection: an agent may not change the policy that judges it. Not overridable by a project,
//! and best effort against code that no text shows; a sandbox is what holds against that.

use camino::{Utf8Path, Utf8PathBuf};
use hookward_contract::{HookId, HookVerdict, Reason};
use hookward_rules::{
    Decision, OpaqueDecision, Outcome, Rule, RuleError, RuleText, Scene, escape_pattern,
};
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
        let commands = "this would change which hooks are in force, and only a person may do that";
        let exec = COMMANDS.iter().map(|command| format!("hookward {command}"));
        let commands = RuleText {
            exec: exec.collect(),
            ..text(commands)
        };
        let files = paths.iter().flat_map(|path| nearest(path));
        Self::Rules(Rule::compile(&commands).into_iter().chain(files).collect())
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

/// The rules that keep a path from being written and deleted. One whose pattern would be too long is
/// protected by its nearest folder whose pattern is not: too much is safe, nothing is not.
fn nearest(path: &Utf8Path) -> Vec<Rule> {
    let mut rules = path.ancestors().map(of_file);
    rules.find_map(Result::ok).unwrap_or_default()
}

fn of_file(path: &Utf8Path) -> Result<Vec<Rule>, Vec<RuleError>> {
    let reason = "this would change Hookward's own files, and only a person may do that";
    let pattern = || vec![escape_pattern(path.as_str())];
    let writes = RuleText {
        write: pattern(),
        ..text(reason)
    };
    let deletes = RuleText {
        delete: pattern(),
        ..text(reason)
    };
    [writes, deletes].iter().map(Rule::compile).collect()
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
