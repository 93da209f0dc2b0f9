//! Rules: patterns over effects, refined by an expression, with a decision.

use std::ops::Range;

use hookward_contract::HookVerdict;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::effect::{Effect, EffectKind};
use crate::expression::{EvaluationError, Expression};
use crate::pattern::{ExecPattern, HostPattern, Located, Match, McpPattern, PathPattern};
use crate::pattern::{Pattern, Patterns};
use crate::scene::Scene;

/// What a rule that fires does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Decision {
    /// The call must not run.
    Deny,
    /// A person has to be asked.
    Ask,
}

/// What a rule does about a call of which it cannot be known whether the rule's patterns fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum OpaqueDecision {
    /// The rule does not fire.
    Allow,
    /// A person has to be asked.
    #[default]
    Ask,
    /// The call must not run.
    Deny,
}

/// A rule as its file has it. Several fields mean *and*, a list means *or*; an empty list is a field
/// that is not there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleText {
    /// Programs with their leading arguments.
    pub exec: Vec<String>,
    /// Files that are created or changed.
    pub write: Vec<String>,
    /// Files that are read.
    pub read: Vec<String>,
    /// Files that are removed.
    pub delete: Vec<String>,
    /// Hosts that are spoken to.
    pub network: Vec<String>,
    /// Tools of MCP servers.
    pub mcp: Vec<String>,
    /// A condition in CEL.
    pub when: Option<String>,
    /// What the rule does.
    pub decision: Decision,
    /// What it does where it cannot be known whether its patterns fit.
    pub opaque: OpaqueDecision,
    /// Why, for the model and the person.
    pub reason: String,
}

/// A field of a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum RuleField {
    /// `exec`
    Exec,
    /// `write`
    Write,
    /// `read`
    Read,
    /// `delete`
    Delete,
    /// `network`
    Network,
    /// `mcp`
    Mcp,
    /// `when`
    When,
}

impl RuleField {
    /// The name in `hooks.json`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Exec => "exec",
            Self::Write => "write",
            Self::Read => "read",
            Self::Delete => "delete",
            Self::Network => "network",
            Self::Mcp => "mcp",
            Self::When => "when",
        }
    }
}

/// Something wrong with a rule, or a pattern that can never match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleError {
    /// In which field.
    pub field: RuleField,
    /// In which element of the field's list; 0 for `when`.
    pub index: usize,
    /// Which bytes of the text; `None` for all of it.
    pub span: Option<Range<usize>>,
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub help: String,
}

/// A compiled rule. Judging it reads the scene and nothing else.
#[derive(Debug, Clone)]
pub struct Rule {
    fields: Vec<Field>,
    /// The programs that the `exec` patterns can match, as bits; `None` for a rule without any.
    programs: Option<u64>,
    when: Option<Expression>,
    decision: Decision,
    opaque: OpaqueDecision,
    reason: String,
    warnings: Vec<RuleError>,
}

#[derive(Debug, Clone)]
struct Field {
    name: RuleField,
    kind: EffectKind,
    patterns: FieldPatterns,
}

#[derive(Debug, Clone)]
enum FieldPatterns {
    Exec(Patterns<ExecPattern>),
    Path(Patterns<PathPattern>),
    Network(Patterns<HostPattern>),
    Mcp(Patterns<McpPattern>),
}

/// What a rule found.
#[derive(Debug, Clone)]
pub struct Judged {
    /// What follows.
    pub outcome: Outcome,
    /// How it came about, for `hookward explain`.
    pub trace: Trace,
}

/// What follows from a rule.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// No pattern of the rule fits the call; it is as if the rule did not match the tool.
    NotConcerned,
    /// The rule's decision, or an allow where its condition does not hold.
    Decided(HookVerdict),
    /// The condition could not be evaluated: no verdict.
    Failed(EvaluationError),
}

/// How far each part of a rule held.
#[derive(Debug, Clone, Default)]
pub struct Trace {
    /// Per field that the rule has, in the order of [`RuleField`]: how far it fits, and the position
    /// of the effect that fits best.
    pub fields: Vec<(RuleField, Match, Option<usize>)>,
    /// What the condition gave; `None` where there is none, or it was not reached or failed.
    pub when: Option<bool>,
}

impl Rule {
    /// Reads a rule; all its errors at once.
    pub fn compile(text: &RuleText) -> Result<Self, Vec<RuleError>> {
        let mut compiler = Compiler::default();
        compiler.field(
            RuleField::Exec,
            EffectKind::Exec,
            &text.exec,
            FieldPatterns::Exec,
        );
        for (name, kind, texts) in [
            (RuleField::Write, EffectKind::Write, &text.write),
            (RuleField::Read, EffectKind::Read, &text.read),
            (RuleField::Delete, EffectKind::Delete, &text.delete),
        ] {
            compiler.field(name, kind, texts, FieldPatterns::Path);
        }
        let network = FieldPatterns::Network;
        compiler.field(
            RuleField::Network,
            EffectKind::Network,
            &text.network,
            network,
        );
        compiler.field(
            RuleField::Mcp,
            EffectKind::Mcp,
            &text.mcp,
            FieldPatterns::Mcp,
        );
        let when = text.when.as_deref().and_then(|when| compiler.when(when));
        if !compiler.errors.is_empty() {
            return Err(compiler.errors);
        }
        let programs = compiler
            .fields
            .iter()
            .find_map(|field| match &field.patterns {
                FieldPatterns::Exec(patterns) => Some(programs(patterns)),
                _ => None,
            });
        Ok(Self {
            programs,
            fields: compiler.fields,
            when,
            decision: text.decision,
            opaque: text.opaque,
            reason: text.reason.clone(),
            warnings: compiler.warnings,
        })
    }

    /// Patterns that can never match.
    pub fn warnings(&self) -> &[RuleError] {
        &self.warnings
    }

    /// Whether the rule has patterns; without any, every call of its tools concerns it.
    pub fn has_patterns(&self) -> bool {
        !self.fields.is_empty()
    }

    /// Judges a call. A rule that cannot concern it is told at a glance.
    #[inline]
    pub fn judge(&self, scene: &Scene<'_>) -> Outcome {
        if self.may_concern(scene) {
            self.explain(scene).outcome
        } else {
            Outcome::NotConcerned
        }
    }

    /// Judges a call and says how far every part of the rule held.
    pub fn explain(&self, scene: &Scene<'_>) -> Judged {
        let mut trace = Trace::default();
        let matched = self.fit(scene, &mut trace);
        let outcome = match matched {
            Match::No => Outcome::NotConcerned,
            Match::Might if self.opaque == OpaqueDecision::Allow => Outcome::NotConcerned,
            matched => self.conclude(matched, scene, &mut trace),
        };
        Judged { outcome, trace }
    }

    /// Whether the rule could concern the call, told from the kinds of effects and the names of
    /// programs alone. Costs a few nanoseconds and is never wrong about a *no*.
    #[inline]
    pub fn may_concern(&self, scene: &Scene<'_>) -> bool {
        let kinds = scene.glance.kinds;
        let programs = |bits| bits & scene.glance.programs != 0;
        self.fields.iter().all(|field| kinds.has(field.kind)) && self.programs.is_none_or(programs)
    }

    fn fit(&self, scene: &Scene<'_>, trace: &mut Trace) -> Match {
        let mut worst = Match::Yes;
        for field in &self.fields {
            let (matched, effect) = match &field.patterns {
                FieldPatterns::Exec(patterns) => patterns.best(scene),
                FieldPatterns::Path(patterns) => patterns.best(scene),
                FieldPatterns::Network(patterns) => patterns.best(scene),
                FieldPatterns::Mcp(patterns) => patterns.best(scene),
            };
            trace.fields.push((field.name, matched, effect));
            worst = worst.min(matched);
        }
        worst
    }

    fn conclude(&self, matched: Match, scene: &Scene<'_>, trace: &mut Trace) -> Outcome {
        if let Some(when) = &self.when {
            match when.evaluate(scene) {
                Ok(held) => trace.when = Some(held),
                Err(error) => return Outcome::Failed(error),
            }
        }
        if trace.when == Some(false) {
            return Outcome::Decided(HookVerdict::Allow);
        }
        let deny = match matched {
            Match::Might => self.opaque == OpaqueDecision::Deny,
            _ => self.decision == Decision::Deny,
        };
        let reason = self.told(matched, scene, trace);
        Outcome::Decided(if deny {
            HookVerdict::Deny(reason)
        } else {
            HookVerdict::Ask(reason)
        })
    }

    /// The rule's reason, and for a doubt, what cannot be known.
    fn told(&self, matched: Match, scene: &Scene<'_>, trace: &Trace) -> String {
        let doubt = trace
            .fields
            .iter()
            .find(|(_, matched, _)| *matched == Match::Might);
        let effect = doubt.and_then(|(_, _, position)| scene.effects().all().get((*position)?));
        match (matched, effect) {
            (Match::Might, Some(effect)) => {
                format!(
                    "{} (whether the call does this cannot be told: {})",
                    self.reason,
                    unknown(effect)
                )
            }
            _ => self.reason.clone(),
        }
    }
}

/// What about an effect cannot be known.
fn unknown(effect: &Effect) -> String {
    match effect {
        Effect::Opaque(opaque) => format!("{}: {}", opaque.cause.told(), opaque.text),
        Effect::Exec(exec) => format!("arguments that are not known: {}", exec.raw),
        Effect::Network(network) => format!("{} speaks to a host that is not known", network.via),
        _ => "its text does not say".to_owned(),
    }
}

fn programs(patterns: &Patterns<ExecPattern>) -> u64 {
    match patterns.includes() {
        [] => u64::MAX,
        some => some
            .iter()
            .fold(0, |bits, pattern| bits | pattern.programs()),
    }
}

/// Gathers the parts of a rule and all that is wrong with them.
#[derive(Default)]
struct Compiler {
    fields: Vec<Field>,
    errors: Vec<RuleError>,
    warnings: Vec<RuleError>,
}

impl Compiler {
    fn field<P: Pattern>(
        &mut self,
        name: RuleField,
        kind: EffectKind,
        texts: &[String],
        wrap: fn(Patterns<P>) -> FieldPatterns,
    ) {
        if texts.is_empty() {
            return;
        }
        let told = |located: Located| RuleError {
            field: name,
            index: located.index,
            span: Some(located.fault.span),
            message: located.fault.message,
            help: located.fault.help,
        };
        let mut warnings = Vec::new();
        match Patterns::compile(kind, texts, &mut warnings) {
            Ok(patterns) => self.fields.push(Field {
                name,
                kind,
                patterns: wrap(patterns),
            }),
            Err(faults) => self.errors.extend(faults.into_iter().map(told)),
        }
        self.warnings.extend(warnings.into_iter().map(told));
    }

    fn when(&mut self, text: &str) -> Option<Expression> {
        match Expression::compile(text) {
            Ok(expression) => Some(expression),
            Err(errors) => {
                self.errors
                    .extend(errors.into_iter().map(|error| RuleError {
                        field: RuleField::When,
                        index: 0,
                        span: Some(error.span),
                        message: error.kind.to_string(),
                        help: error.help,
                    }));
                None
            }
        }
    }
}
