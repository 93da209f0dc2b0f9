//! In-process policy: what a call would do ([`Effects`]), and rules over that ([`Rule`]).
//!
//! Pure: facts about the world enter through one [`Observation`]. This crate never reads a file, the
//! environment or a clock, starts nothing, and speaks to nobody.

#![forbid(unsafe_code)]

mod collector;
mod effect;
mod lens;
mod observation;
mod paths;

pub use effect::{
    Access, Arg, Canonical, Effect, EffectKind, Exec, KindSet, Network, Opaque, OpaqueCause,
    PathEffect, Unresolvable,
};
pub use lens::Effects;
pub use observation::{Files, MAX_SCRIPT_BYTES, NoFiles, Observation, ScriptFile};
