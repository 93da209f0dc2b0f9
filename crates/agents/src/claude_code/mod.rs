//! The dialect of Claude Code (hooks reference of the vendor, read up to version 2.1.332; the
//! behaviour of 2.1.197 checked against the client itself).
//!
//! This module reads the agent's payload, writes the answer in the agent's protocol, and edits the
//! agent's settings. It never decides anything about a call: a verdict comes in, an answer goes
//! out, and no verdict at all is answered with a denial.

mod decode;
mod encode;
mod events;
mod registered;
mod settings;
mod tools;

use std::time::Duration;

pub use decode::{
    DecodeError, DecodeProblem, Decoded, MAX_FIELD_BYTES, MAX_PAYLOAD_BYTES, Note, decode,
};
pub use encode::{HostAnswer, encode, encode_failure};
pub use settings::{install, registration, uninstall};
pub use tools::names as tool_names;

pub use crate::edit::{Edit, HookCommand, InstallError, MAX_SETTINGS_BYTES, Obstacle};
pub use crate::edit::{Registered, Registration};

/// How long the agent waits for the hook, as [`install`] registers it. When it runs out the agent
/// discards the answer, and clients older than 2.1.295 then let the call run.
pub const HOST_TIMEOUT: Duration = Duration::from_secs(60);

/// By when an answer has to be on its way, so that it always arrives before [`HOST_TIMEOUT`].
pub const ANSWER_WITHIN: Duration = Duration::from_secs(55);
