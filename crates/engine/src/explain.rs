//! Why each rule did or did not fire for a call. Starts no process, records nothing and decides
//! nothing.

use hookward_contract::{Call, EventName};
use hookward_policy::{Handler, Hook, Snapshot};
use hookward_rules::{Effect, Judged, KindSet};

use crate::gate::Gate;
use crate::rules::Stage;
use crate::world::Seen;

/// What a call would do, and what every rule makes of it.
#[derive(Debug, Clone)]
pub struct Explanation<'a> {
    /// The effects, in the order in which the call's text says them.
    pub effects: Vec<Effect>,
    /// The kinds that there are, or might be.
    pub kinds: KindSet,
    /// All rules of the snapshot, in configuration order.
    pub rules: Vec<ExplainedRule<'a>>,
}

/// One rule and what it makes of a call.
#[derive(Debug, Clone)]
pub struct ExplainedRule<'a> {
    /// The hook.
    pub hook: &'a Hook,
    /// Whether its matcher covers the call.
    pub covered: bool,
    /// What it found, also where it may not run or does not cover the call; `None` for a rule that
    /// could not be read.
    pub judged: Option<Judged>,
}

impl Gate {
    /// Explains a call.
    pub fn explain<'a>(&self, snapshot: &'a Snapshot, call: &Call) -> Explanation<'a> {
        let seen = Seen::new(call, self.world(), &snapshot.project().root);
        let stage = Stage::new(&seen);
        let covering =
            snapshot.matching(EventName::PreToolUse, call.tool_names(), &|| seen.kinds());
        let covering: Vec<&Hook> = covering.collect();
        let rules = snapshot.hooks().iter().filter_map(|hook| {
            let Handler::Rule(rule) = &hook.handler else {
                return None;
            };
            Some(ExplainedRule {
                hook,
                covered: covering
                    .iter()
                    .any(|covering| std::ptr::eq(*covering, hook)),
                judged: rule.rule.as_ref().map(|rule| rule.explain(stage.scene())),
            })
        });
        let rules = rules.collect();
        Explanation {
            effects: seen.effects().all().to_vec(),
            kinds: seen.kinds(),
            rules,
        }
    }
}
