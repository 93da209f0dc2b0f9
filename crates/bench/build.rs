//! Tells the harness which compiler built it.

use std::env;
use std::process::Command;

fn main() {
    let rustc = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let version = Command::new(rustc)
        .arg("--version")
        .output()
        .ok()
        .and_then(|output| String::from_utf8(output.stdout).ok())
        .unwrap_or_else(|| "rustc unknown".to_owned());
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-env=HOOKWARD_BENCH_RUSTC={}", version.trim());
}
