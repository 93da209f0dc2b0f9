//! The gate of Hookward: runs the handlers that match a call, reads their answers, reduces them to
//! one verdict and records what happened.
//!
//! ```no_run
//! use std::sync::Arc;
//! use hookward_contract::{Call, Verdict};
//! use hookward_engine::{Gate, HookEnvironment, audit::MemoryAudit};
//! use hookward_policy::{Project, Snapshot, StateRoot};
//! use hookward_process::Abort;
//!
//! # fn call() -> Call { unimplemented!() }
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let gate = Gate::new(&HookEnvironment::default(), Arc::new(MemoryAudit::default()));
//! let snapshot = Snapshot::load(&StateRoot::new("/home/ann/.hookward"), &Project::discover("/home/ann/shop".into())?);
//! let call = call();
//! match gate.judge(&snapshot, &call, &Abort::new()?)?.verdict {
//!     Verdict::Allow => println!("no hook objects"),
//!     Verdict::Ask(reasons) | Verdict::Deny(reasons) => println!("{reasons:?}"),
//! }
//! # Ok(())
//! # }
//! ```

#![forbid(unsafe_code)]

mod answer;
mod attempt;
pub mod audit;
mod environment;
mod explain;
mod files;
#[cfg(feature = "fuzzing")]
#[doc(hidden)]
pub mod fuzzing;
mod gate;
mod limiter;
mod protection;
mod recursion;
mod redact;
mod reduce;
mod rules;
mod world;

pub use answer::DENY_STATUS;
pub use attempt::{MAX_HANDLERS_PER_CALL, ProcessReport};
pub use environment::{HOOK_MARKER, HOOK_PATH, HookEnvironment};
pub use explain::{ExplainedRule, Explanation};
pub use files::RealFiles;
pub use gate::{Aborted, Gate, Judgement, RunReport};
pub use protection::{PROTECTION_ID, Protected, Protection};
pub use recursion::below_running_hook;
pub use redact::redact;
pub use world::World;
