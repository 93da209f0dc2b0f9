//! In-process policy: what a call would do ([`Effects`]), and rules over that ([`Rule`]).
//!
//! Pure: facts about the world enter through one [`Observation`]. This crate never reads a file, the
//! environment or a clock, starts nothing, and speaks to nobody.

#![forbid(unsafe_code)]

mod address;
mod collector;
mod effect;
mod expression;
mod lens;
mod observation;
mod patch;
mod paths;
mod pattern;
mod programs;
mod rule;
mod scene;
mod shared;
#[cfg(test)]
mod testing;
mod values;

pub use effect::{
    Access, Arg, Canonical, Effect, EffectKind, Exec, KindSet, Network, Opaque, OpaqueCause,
    PathEffect, Unresolvable,
};
pub use expression::{
    EvaluationError, Expression, ExpressionError, ExpressionErrorKind, MAX_CHAIN,
    MAX_COMPUTED_PATTERN_BYTES, MAX_COST, MAX_NESTING, MAX_TEXT_BYTES,
};
pub use lens::Effects;
pub use observation::{Files, MAX_SCRIPT_BYTES, NoFiles, Observation, ScriptFile};
pub use paths::magic_link;
pub use pattern::{MAX_PATTERN_BYTES, MAX_PATTERNS, Match, escape_pattern};
pub use rule::{
    Decision, Judged, OpaqueDecision, Outcome, Rule, RuleError, RuleField, RuleText, Trace,
};
pub use scene::Scene;
