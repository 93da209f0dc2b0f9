//! Test support for the packages of this workspace: a program that stands for a hook, a look at
//! what survived, and temporary worlds to run hooks in.
//!
//! Never used outside of tests. Its functions panic where a test could not go on.

#![forbid(unsafe_code)]
#![allow(clippy::expect_used)]

mod processes;
mod world;

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

pub use processes::{survivors, unique_marker, zombie_children};
pub use world::World;

/// The scripted hook program, built when it is first asked for. Its words are described in
/// `src/bin/scripted-hook/main.rs`.
pub fn scripted_hook() -> &'static Path {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM.get_or_init(|| built("scripted-hook"))
}

/// The program that runs shell scripts among stubs, built when it is first asked for. Its roles are
/// described in `src/bin/shell-sandbox.rs`.
pub fn shell_sandbox() -> &'static Path {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM.get_or_init(|| built("shell-sandbox"))
}

fn built(name: &str) -> PathBuf {
    escargot::CargoBuild::new()
        .manifest_path(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"))
        .bin(name)
        .arg("--offline")
        .run()
        .expect("a program of the test kit builds")
        .path()
        .to_owned()
}
