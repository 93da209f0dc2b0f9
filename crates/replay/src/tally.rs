//! Adds up what is said about calls, one after the other, into a report.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use hookward_contract::{ToolName, bounded, escape_for_display};
use serde::Deserialize;

use crate::judge::{Decision, Outcome, RuleEffect, RuleResult};
use crate::readers::Text;
use crate::recorded::Recorded;
use crate::report::{
    Changed, ChangedRule, Difference, Example, Report, RuleRow, SessionRow, ToolRow, counts_of,
};

/// Most sessions in a report.
const MAX_SESSIONS: usize = 1_000;
/// Longest text of an example, in characters.
const MAX_SHOWN_CHARS: usize = 200;

/// The sums so far.
pub(crate) struct Tally {
    report: Report,
    examples: usize,
    rules: BTreeMap<Arc<str>, Rule>,
    tools: HashMap<ToolName, ToolRow>,
    sessions: HashMap<String, SessionRow>,
    groups: BTreeMap<(Decision, Decision), Group>,
}

#[derive(Default)]
struct Rule {
    row: RuleRow,
    examples: Examples,
}

#[derive(Default)]
struct Group {
    calls: u64,
    rules: BTreeMap<Arc<str>, u64>,
    examples: Examples,
}

impl Tally {
    /// `examples` distinct calls are kept for each rule and each kind of difference.
    pub(crate) fn new(examples: usize) -> Self {
        Self {
            report: Report::default(),
            examples,
            rules: BTreeMap::new(),
            tools: HashMap::new(),
            sessions: HashMap::new(),
            groups: BTreeMap::new(),
        }
    }

    pub(crate) fn left_out(&mut self) {
        self.report.left_out += 1;
    }

    /// Adds a call and what the policy says about it.
    pub(crate) fn add(&mut self, recorded: &Recorded, outcome: &Outcome) {
        let report = &mut self.report;
        report.calls += 1;
        report.unknown_cwd += u64::from(!recorded.cwd_known);
        if let Some(at) = recorded.at {
            report.first = Some(report.first.map_or(at, |first| first.min(at)));
            report.last = Some(report.last.map_or(at, |last| last.max(at)));
        }
        let (asked, denied) = match outcome.verdict {
            Decision::Allow => (0, 0),
            Decision::Ask => (1, 0),
            Decision::Deny => (0, 1),
        };
        report.allowed += 1 - asked - denied;
        report.asked += asked;
        report.denied += denied;
        let call = &recorded.call;
        let tool = match self.tools.get_mut(&call.tool) {
            Some(tool) => tool,
            None => self.tools.entry(call.tool.clone()).or_default(),
        };
        tool.calls += 1;
        tool.asked += asked;
        tool.denied += denied;
        let session = match self.sessions.get_mut(&call.session_id) {
            Some(session) => session,
            None => self.sessions.entry(call.session_id.clone()).or_default(),
        };
        session.calls += 1;
        session.asked += asked;
        session.denied += denied;
        for result in &outcome.rules {
            self.rule(recorded, result);
        }
    }

    fn rule(&mut self, recorded: &Recorded, result: &RuleResult) {
        let rule = self.rules.entry(Arc::clone(&result.rule)).or_default();
        let row = &mut rule.row;
        *match result.effect {
            RuleEffect::Denies => &mut row.denied,
            RuleEffect::Asks => &mut row.asked,
            RuleEffect::WouldDeny => &mut row.would_deny,
            RuleEffect::WouldAsk => &mut row.would_ask,
            RuleEffect::Fails => &mut row.failed,
            RuleEffect::NotJudged => &mut row.not_judged,
        } += 1;
        rule.examples.add(recorded, &result.reason, self.examples);
    }

    /// Adds the verdicts of two policies on one call.
    pub(crate) fn compare(&mut self, recorded: &Recorded, old: &Outcome, new: &Outcome) {
        let difference = self.report.difference.get_or_insert_default();
        if old.verdict == new.verdict {
            difference.same += 1;
            return;
        }
        difference.changed += 1;
        let group = self.groups.entry((old.verdict, new.verdict)).or_default();
        group.calls += 1;
        let stricter = if new.verdict > old.verdict { new } else { old };
        let enforced = |result: &&RuleResult| {
            matches!(
                result.effect,
                RuleEffect::Denies | RuleEffect::Asks | RuleEffect::Fails
            )
        };
        let mut reason = "";
        for result in stricter.rules.iter().filter(enforced) {
            *group.rules.entry(Arc::clone(&result.rule)).or_default() += 1;
            if reason.is_empty() {
                reason = &result.reason;
            }
        }
        group.examples.add(recorded, reason, self.examples);
    }

    /// The report over all that was added; what is known about reading is left to the caller.
    pub(crate) fn finish(self) -> Report {
        let mut report = self.report;
        report.rules = self
            .rules
            .into_iter()
            .map(|(name, rule)| RuleRow {
                rule: escape_for_display(&name),
                examples: rule.examples.list,
                ..rule.row
            })
            .collect();
        let tools = self.tools.into_iter().map(|(name, row)| ToolRow {
            tool: escape_for_display(name.as_str()),
            ..row
        });
        report.tools = tools.collect();
        report.tools.sort_by(|a, b| a.tool.cmp(&b.tool));
        report.session_count = self.sessions.len() as u64;
        let sessions = self.sessions.into_iter().map(|(name, row)| SessionRow {
            session: bounded(&escape_for_display(&name), MAX_SHOWN_CHARS),
            ..row
        });
        report.sessions = sessions.collect();
        let objections = |row: &SessionRow| row.denied + row.asked;
        report.sessions.sort_by(|a, b| {
            let by_objections = objections(b).cmp(&objections(a));
            by_objections.then_with(|| a.session.cmp(&b.session))
        });
        report.sessions.truncate(MAX_SESSIONS);
        if let Some(difference) = &mut report.difference {
            difference.groups = groups(self.groups);
        }
        report
    }

    /// A difference without calls, so that two policies over nothing are told from one.
    pub(crate) fn expect_difference(&mut self) {
        self.report.difference = Some(Difference::default());
    }
}

fn groups(groups: BTreeMap<(Decision, Decision), Group>) -> Vec<Changed> {
    let rows = groups.into_iter().map(|((from, to), group)| Changed {
        from,
        to,
        calls: group.calls,
        rules: counts_of(&group.rules, |rule, calls| ChangedRule {
            rule: escape_for_display(rule),
            calls,
        }),
        examples: group.examples.list,
    });
    rows.collect()
}

/// The first distinct calls of a kind.
#[derive(Default)]
struct Examples {
    list: Vec<Example>,
    known: HashSet<(String, String)>,
}

impl Examples {
    fn add(&mut self, recorded: &Recorded, reason: &str, most: usize) {
        if self.list.len() >= most {
            return;
        }
        let tool = escape_for_display(recorded.call.tool.as_str());
        let shown = shown(recorded.call.input.get());
        if !self.known.insert((tool.clone(), shown.clone())) {
            return;
        }
        self.list.push(Example {
            tool,
            shown,
            reason: bounded(&escape_for_display(reason), MAX_SHOWN_CHARS),
            at: recorded.at,
            file: escape_for_display(recorded.place.file.as_str()),
            line: recorded.place.line,
        });
    }
}

/// The fields that say what a call is to do, in the order in which they are looked for.
#[derive(Deserialize)]
struct Telling<'a> {
    #[serde(borrow)]
    command: Option<Text<'a>>,
    #[serde(borrow, alias = "notebook_path")]
    file_path: Option<Text<'a>>,
    #[serde(borrow)]
    url: Option<Text<'a>>,
    #[serde(borrow)]
    pattern: Option<Text<'a>>,
    #[serde(borrow)]
    path: Option<Text<'a>>,
}

fn shown(input: &str) -> String {
    let telling: Option<Telling<'_>> = serde_json::from_str(input).ok();
    let telling = telling.and_then(|it| {
        let fields = [it.command, it.file_path, it.url, it.pattern, it.path];
        fields.into_iter().flatten().next()
    });
    let text = telling.map_or_else(|| input.to_owned(), |Text(text)| text.into_owned());
    // Cut before it is escaped, too: an input may be megabytes long.
    let cut = bounded(&text, MAX_SHOWN_CHARS);
    bounded(&escape_for_display(&cut), MAX_SHOWN_CHARS)
}
