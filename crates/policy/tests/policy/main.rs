//! Behaviour of the policy crate, seen from outside: files in, snapshots and diagnostics out.

#![cfg(test)]

mod advice;
mod cache;
mod edit;
mod format;
mod identity;
mod matching;
mod pins;
mod projects;
mod reading;
mod scene;
mod sources;
mod store;
mod trust;
