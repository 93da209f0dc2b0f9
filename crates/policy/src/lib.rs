//! What a hook *is*: `hooks.json` to normalized definitions, matchers, identity hashes, trust and
//! the immutable snapshot of one turn.
//!
//! This crate never starts a process, looks at a clock, reads the environment or prints. It reads
//! and writes the policy files that it is pointed to, and nothing else.

#![forbid(unsafe_code)]

mod add;
mod advice;
mod cache;
mod check;
mod config;
mod content;
mod definition;
mod diagnostic;
mod edit;
mod file;
#[cfg(feature = "fuzzing")]
#[doc(hidden)]
pub mod fuzzing;
mod handler;
mod hook;
mod hook_test;
mod index;
mod json;
pub mod limits;
mod lock;
mod lockfile;
mod matcher;
mod nap;
mod pins;
mod project;
mod schema;
mod snapshot;
mod source;
mod stamp;
mod state_root;
mod suggest;
mod tools;
mod trust;
mod trust_file;

pub use add::add_hooks;
pub use cache::SnapshotCache;
pub use check::{CheckedFile, check_file};
pub use definition::{Definition, FormatVersion, InvalidDefinition};
pub use diagnostic::{Code, Diagnostic, Location, MAX_DIAGNOSTICS, Severity};
pub use edit::{EditError, EnableChange, set_enabled};
pub use handler::{
    CommandHandler, CommandText, ContainmentMode, Handler, HandlerText, HookMode, RuleHandler,
    Written,
};
pub use hook::{ChangedWhat, Hook, Trust};
pub use hook_test::{Expected, HookTest};
pub use hookward_rules::{Decision, EffectKind, KindSet, OpaqueDecision, RuleText};
pub use json::MAX_DEPTH;
pub use lockfile::{LockedHook, Lockfile, LockfileError};
pub use matcher::{Alternative, MAX_ALTERNATIVES, MAX_MATCHER_BYTES, Matcher, MatcherError};
pub use nap::{MAX_NAP, MIN_NAP, NapError, begin_nap, end_nap, nap};
pub use pins::{MAX_PINNED_BYTES, Pin, PinError};
pub use project::{Project, ProjectError, ProjectIdentity, nearest_directory};
pub use schema::schema;
pub use snapshot::{LapsedHook, Matching, Snapshot, TrustReport};
pub use source::SourceReport;
pub use state_root::StateRoot;
pub use tools::KNOWN_TOOLS;
pub use trust::{Consent, Review, SourceState, TrustError, TrustStore};
pub use trust::{MAX_STORE_BYTES, MAX_TRUST_RECORDS, TrustRecord, WorkspaceRecord};
