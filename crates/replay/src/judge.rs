//! What judges a recorded call, as replay sees it. Who implements it chooses policy and engine.

use std::fmt;
use std::sync::Arc;

use serde::Serialize;

use crate::recorded::Recorded;

/// A policy that is tried on histories.
///
/// Called for one call after the other. Must not run the call's tool; a failure is an effect of
/// the rule that failed, never a panic.
pub trait Judge {
    /// What the policy would have said.
    fn judge(&self, recorded: &Recorded) -> Outcome;
}

impl<F: Fn(&Recorded) -> Outcome> Judge for F {
    fn judge(&self, recorded: &Recorded) -> Outcome {
        self(recorded)
    }
}

/// A verdict without its reasons, from mild to strict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Decision {
    /// Nothing objected.
    #[default]
    Allow,
    /// A person would have been asked.
    Ask,
    /// The call would not have run.
    Deny,
}

impl Decision {
    /// `allow`, `ask` or `deny`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Deny => "deny",
        }
    }
}

impl fmt::Display for Decision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What the policy says about one call.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Outcome {
    /// Over all rules.
    pub verdict: Decision,
    /// Every rule that did not simply let the call pass, in configuration order.
    pub rules: Vec<RuleResult>,
}

/// What one rule says about one call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleResult {
    /// The rule: `source/id`.
    pub rule: Arc<str>,
    /// What it does.
    pub effect: RuleEffect,
    /// In its words; empty where it has none.
    pub reason: String,
}

/// What a rule does about a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RuleEffect {
    /// It denies the call.
    Denies,
    /// It asks a person.
    Asks,
    /// It is in shadow mode and would deny.
    WouldDeny,
    /// It is in shadow mode and would ask.
    WouldAsk,
    /// It gave no verdict.
    Fails,
    /// It covers the call and was not judged, as it is a program and programs were not to run.
    NotJudged,
}
