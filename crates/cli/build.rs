//! Links the program at a fixed address. Tables of time zones and of Unicode hold some fifty thousand
//! pointers; a program that can be loaded anywhere has each of them written at every start, and this
//! program is started for every tool call.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let target = |name: &str| std::env::var(name).unwrap_or_default();
    if target("CARGO_CFG_TARGET_OS") == "linux" && target("CARGO_CFG_TARGET_ENV") == "gnu" {
        println!("cargo:rustc-link-arg-bins=-no-pie");
    }
}
