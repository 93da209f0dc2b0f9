//! Dialects: how each agent describes a tool call to its hook, how it wants to be answered, and
//! how its settings are edited so that it asks at all.
//!
//! Everything here is a pure function over bytes and texts that the caller read. This crate never
//! opens a file, looks at the environment, starts a process or prints.

#![forbid(unsafe_code)]

pub mod claude_code;

mod agent;
mod edit;
mod jsonc;

pub use agent::{AgentName, UnknownAgent};
