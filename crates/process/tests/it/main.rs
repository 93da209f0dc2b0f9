//! Behaviour of the crate, seen from outside.

#![allow(clippy::unwrap_used, clippy::print_stderr)] // A failure fails a test, output is its log.

mod adversary;
mod engine_death;
mod levels;
mod output;
mod program_state;
mod result_rows;
mod start_errors;
mod stopped;
mod support;
