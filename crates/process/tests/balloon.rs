//! In a process of its own, since it fills the memory of the process.

#![allow(clippy::unwrap_used, clippy::print_stderr)] // A failure fails a test, output is its log.

use std::path::Path;
use std::time::{Duration, Instant};

use hookward_process::{Abort, Command, End, Limits, run, strongest};

const ROUNDS: usize = 60;
const BALLOON: usize = 1 << 30;

/// The shortest time of a run, which says least about what else the machine does.
fn cost() -> Duration {
    let abort = Abort::new().unwrap();
    let args = ["-c".to_owned(), "exit 0".to_owned()];
    let command = Command {
        program: Path::new("/bin/sh"),
        args: &args,
        cwd: Path::new("/"),
        env: &[],
        stdin: b"{}",
        limits: Limits::default(),
        containment: strongest(),
    };
    (0..ROUNDS)
        .map(|_| {
            let start = Instant::now();
            assert_eq!(run(&command, &abort).end, End::Exited(0));
            start.elapsed()
        })
        .min()
        .unwrap()
}

/// A start does not copy the caller's memory: a fork would cost about twenty times as much.
#[test]
fn a_start_costs_the_same_with_a_gigabyte_in_memory() {
    let small = cost();
    let balloon = vec![1_u8; BALLOON];
    let large = cost();
    assert_eq!(std::hint::black_box(&balloon).last(), Some(&1));
    eprintln!("{}: small {small:?}, large {large:?}", strongest());
    assert!(large < 5 * small, "small {small:?}, large {large:?}");
}
