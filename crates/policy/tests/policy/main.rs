//! Behaviour of the policy crate, seen from outside: files in, snapshots and diagnostics out.

#![cfg(test)]
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "tests make files"
)]

mod add;
mod advice;
mod cache;
mod cases;
mod edit;
mod format;
mod guards;
mod hostile;
mod identity;
mod interpreters;
mod lockfile;
mod matching;
mod nap;
mod pins;
mod projects;
mod reading;
mod rules;
mod scene;
mod schema;
mod sources;
mod state_root;
mod store;
mod trust;
