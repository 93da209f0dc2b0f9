//! Effects and rules in words: what a call would do, what a rule made of it and why. Judges nothing.

use hookward_contract::{Call, HookVerdict, bounded, escape_for_display};
use hookward_policy::{Hook, HookMode, Trust};
use hookward_rules::{
    Arg, Canonical, Effect, Judged, Match, OpaqueCause, Outcome, PathEffect, RuleField,
};
use serde_json::{Value, json};

use super::list::describe_trust;
use crate::output::{Output, Tone};

/// Longest text of a call that is shown on a line, in characters.
const MAX_SHOWN: usize = 160;

/// An effect on one line: its kind, and what is done to what by what.
pub(super) fn effect(effect: &Effect, call: &Call, output: &Output) -> String {
    let kind = format!("{:<8}", effect.kind().as_str());
    let place = match effect {
        Effect::Exec(exec) => match &exec.cwd {
            None => "  in a folder that is not known".to_owned(),
            Some(cwd) if *cwd == call.cwd => String::new(),
            Some(cwd) => format!("  in {}", escape_for_display(cwd.as_str())),
        },
        Effect::Path(path) => details(path),
        Effect::Network(network) => via(&network.via),
        _ => String::new(),
    };
    let tone = match effect {
        Effect::Opaque(opaque) if !opaque.is_resolved() => Tone::Warning,
        _ => Tone::Faint,
    };
    format!(
        "{} {}{}",
        output.paint(tone, &kind),
        what(effect),
        output.paint(Tone::Faint, &place)
    )
}

/// What an effect is about, in few words.
fn what(effect: &Effect) -> String {
    let text = match effect {
        Effect::Exec(exec) => {
            let arguments = exec.args.iter().map(Arg::shown);
            let words: Vec<&str> = std::iter::once(exec.program.as_str())
                .chain(arguments)
                .collect();
            words.join(" ")
        }
        Effect::Path(path) => path.path.to_string(),
        Effect::Network(network) => {
            let host = network.host.as_deref();
            host.unwrap_or("a host that is not known").to_owned()
        }
        Effect::Mcp { server, tool } => format!("{server}/{tool}"),
        Effect::Agent { agent_type } => {
            let kind = agent_type.as_deref();
            kind.map_or_else(|| "an agent".to_owned(), |kind| format!("agent {kind}"))
        }
        Effect::Opaque(opaque) => {
            let cause = match &opaque.cause {
                OpaqueCause::ScriptFile { read: true, .. } => "a script that was looked into",
                cause => cause.told(),
            };
            format!("{cause}: {}", opaque.text)
        }
    };
    bounded(&escape_for_display(&text), MAX_SHOWN)
}

fn details(path: &PathEffect) -> String {
    let mut text = match &path.canonical {
        Canonical::Known(canonical) if *canonical != path.path => {
            format!("  which is {}", escape_for_display(canonical.as_str()))
        }
        _ => String::new(),
    };
    if path.tree {
        text += ", with everything below";
    }
    if !path.inside_project {
        text += ", outside the project";
    }
    text + &via(&path.via)
}

fn via(by: &str) -> String {
    format!("  by {}", escape_for_display(by))
}

/// What became of a rule for a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Became {
    /// Its matcher leaves the call out.
    NotCovered,
    /// It is not trusted; what it says does not count.
    NotRun,
    /// It decided.
    Fires,
    /// It decided in the shadow.
    WouldFire,
    /// It could not be known whether it is concerned, and it decided what that means.
    Might,
    /// It has no objection.
    No,
    /// It gave no verdict.
    Failed,
}

impl Became {
    const fn as_str(self) -> &'static str {
        match self {
            Self::NotCovered => "not_covered",
            Self::NotRun => "not_run",
            Self::Fires => "fires",
            Self::WouldFire => "would_fire",
            Self::Might => "might",
            Self::No => "no",
            Self::Failed => "failed",
        }
    }
}

/// One rule, what it made of a call, and why.
pub(super) struct Finding<'a> {
    hook: &'a Hook,
    covered: bool,
    judged: Option<&'a Judged>,
    effects: &'a [Effect],
    became: Became,
}

impl<'a> Finding<'a> {
    /// Puts together what is known. `judged` is `None` for a rule that could not be read.
    pub(super) fn of(
        hook: &'a Hook,
        covered: bool,
        judged: Option<&'a Judged>,
        effects: &'a [Effect],
    ) -> Self {
        let became = match judged.map(|judged| (&judged.outcome, in_doubt(judged))) {
            _ if hook.trust == Trust::Disabled => Became::NotRun,
            _ if !covered => Became::NotCovered,
            _ if !hook.trust.may_run() => Became::NotRun,
            None | Some((Outcome::Failed(_), _)) => Became::Failed,
            Some((Outcome::NotConcerned | Outcome::Decided(HookVerdict::Allow), _)) => Became::No,
            Some((Outcome::Decided(_), true)) => Became::Might,
            Some((Outcome::Decided(_), false)) if hook.mode == HookMode::Shadow => {
                Became::WouldFire
            }
            Some((Outcome::Decided(_), false)) => Became::Fires,
        };
        Self {
            hook,
            covered,
            judged,
            effects,
            became,
        }
    }

    pub(super) fn show(&self, output: &Output) {
        let hook = self.hook;
        let verdict = self.verdict().unwrap_or("allow");
        let shadow = hook.mode == HookMode::Shadow;
        let (tone, word) = match self.became {
            Became::NotCovered => (Tone::Faint, "does not cover the call".to_owned()),
            Became::NotRun if hook.trust == Trust::Disabled => {
                (Tone::Faint, "is switched off".to_owned())
            }
            Became::NotRun => {
                let state = describe_trust(hook).1;
                let word = format!("does not run ({state}); it would say {verdict}");
                (Tone::Warning, word)
            }
            Became::Fires if verdict == "deny" => (Tone::Bad, "fires: deny".to_owned()),
            Became::Fires => (Tone::Warning, format!("fires: {verdict}")),
            Became::Might if shadow => (
                Tone::Warning,
                format!("might fire in the shadow: would {verdict}"),
            ),
            Became::Might => (Tone::Warning, format!("might fire: {verdict}")),
            Became::WouldFire => (
                Tone::Warning,
                format!("fires in the shadow: would {verdict}"),
            ),
            Became::No => (Tone::Faint, "does not fire".to_owned()),
            Became::Failed => (Tone::Bad, "gives no verdict".to_owned()),
        };
        output.line(format!(
            "  {} ({})  {}",
            hook.id,
            hook.source,
            output.paint(tone, &word)
        ));
        for line in self.why() {
            output.line(format!("    {line}"));
        }
    }

    /// Why, in lines.
    pub(super) fn why(&self) -> Vec<String> {
        if self.hook.trust == Trust::Disabled {
            return vec![format!("switch it on: hookward enable {}", self.hook.id)];
        }
        if !self.covered {
            let matcher = escape_for_display(self.hook.matcher.as_str());
            return vec![format!("its matcher is {matcher}")];
        }
        let Some(judged) = self.judged else {
            return vec!["its file cannot be read".to_owned()];
        };
        let mut lines: Vec<String> = judged
            .trace
            .fields
            .iter()
            .map(|field| self.field(field))
            .collect();
        lines.extend(match (&judged.outcome, judged.trace.when) {
            (Outcome::Failed(error), _) => Some(format!(
                "when      fails: {}",
                escape_for_display(&error.to_string())
            )),
            (_, Some(true)) => Some("when      holds".to_owned()),
            (_, Some(false)) => Some("when      does not hold".to_owned()),
            (Outcome::NotConcerned, None) if in_doubt(judged) => {
                Some("opaque    what cannot be known is let through".to_owned())
            }
            _ => None,
        });
        lines
    }

    fn field(&self, (field, matched, position): &(RuleField, Match, Option<usize>)) -> String {
        let name = field.as_str();
        let effect = position.and_then(|position| self.effects.get(position));
        let found = effect.map(what).unwrap_or_default();
        match matched {
            Match::Yes => format!("{name:<9} fits: {found}"),
            Match::Might => format!("{name:<9} might fit: {found}"),
            Match::No => {
                let there = self
                    .effects
                    .iter()
                    .any(|effect| effect.kind().as_str() == name);
                let wanted = bounded(&escape_for_display(&self.patterns(name)), MAX_SHOWN);
                if there {
                    format!("{name:<9} nothing fits {wanted}")
                } else {
                    format!("{name:<9} the call has no such effect; wanted is {wanted}")
                }
            }
        }
    }

    fn patterns(&self, field: &str) -> String {
        let patterns = self.hook.rule().map(hookward_policy::RuleHandler::patterns);
        let patterns = patterns.into_iter().flatten();
        let found = patterns.filter(|(name, _)| *name == field);
        let texts: Vec<&str> = found
            .flat_map(|(_, patterns)| patterns.iter().map(String::as_str))
            .collect();
        texts.join(", ")
    }

    /// What the rule says, whether that counts or not; `None` without a verdict.
    fn verdict(&self) -> Option<&'static str> {
        match &self.judged?.outcome {
            Outcome::NotConcerned => Some("allow"),
            Outcome::Decided(verdict) => Some(verdict.as_str()),
            Outcome::Failed(_) => None,
        }
    }

    pub(super) fn document(&self) -> Value {
        let hook = self.hook;
        let trace = self.judged.map(|judged| &judged.trace);
        let fields = trace.map_or(&[][..], |trace| &trace.fields);
        let error = match self.judged.map(|judged| &judged.outcome) {
            Some(Outcome::Failed(error)) => Some(error.to_string()),
            _ => None,
        };
        json!({
            "id": hook.id, "source": hook.source, "trust": hook.trust.as_str(), "mode": hook.mode,
            "covered": self.covered, "outcome": self.became.as_str(), "verdict": self.verdict(),
            "fields": fields.iter().map(|(field, matched, effect)| json!({
                "field": field, "match": match_name(*matched), "effect": effect,
            })).collect::<Vec<_>>(),
            "when": trace.and_then(|trace| trace.when),
            "error": error, "why": self.why(),
        })
    }
}

/// Whether it could not be known if the rule is concerned.
fn in_doubt(judged: &Judged) -> bool {
    let matches = judged.trace.fields.iter().map(|(_, matched, _)| *matched);
    matches.min() == Some(Match::Might)
}

const fn match_name(matched: Match) -> &'static str {
    match matched {
        Match::Yes => "yes",
        Match::Might => "might",
        Match::No => "no",
    }
}
