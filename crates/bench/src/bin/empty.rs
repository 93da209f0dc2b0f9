//! Does nothing: what starting and ending a program of this workspace's build profile costs.

#![forbid(unsafe_code)]

fn main() {}
