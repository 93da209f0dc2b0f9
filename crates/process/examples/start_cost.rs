//! Prints the median cost of running a program at every level, next to `std::process::Command`.
#![allow(clippy::print_stdout, clippy::unwrap_used)]
use std::io::{Read, Write};
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use hookward_process::{Abort, Command, Containment, End, Limits, probe, run};

const ROUNDS: usize = 400;

fn main() {
    let program = std::env::args().nth(1).unwrap_or("/bin/true".to_owned());
    let program = Path::new(&program);
    let input = vec![b'x'; 400];
    let abort = Abort::new().unwrap();
    let levels: Vec<_> = probe()
        .into_iter()
        .filter_map(|probe| match probe.result {
            Ok(()) => Some(probe.level),
            Err(error) => {
                println!("{}: {error}", probe.level);
                None
            }
        })
        .collect();
    let mut samples = vec![Vec::new(); levels.len() + 1];
    for _ in 0..ROUNDS {
        samples[0].push(baseline(program, &input));
        for (samples, level) in samples[1..].iter_mut().zip(&levels) {
            samples.push(contained(program, &input, *level, &abort));
        }
    }
    let names = std::iter::once("std".to_owned()).chain(levels.iter().map(Containment::to_string));
    let base = median(&mut samples[0].clone());
    for (name, mut samples) in names.zip(samples) {
        let median = median(&mut samples);
        let ratio = median.as_secs_f64() / base.as_secs_f64();
        println!(
            "{name:20} p50 {median:8.1?}  p95 {:8.1?}  {ratio:.2}",
            samples[samples.len() * 95 / 100]
        );
    }
}

fn median(samples: &mut [Duration]) -> Duration {
    samples.sort();
    samples[samples.len() / 2]
}

fn baseline(program: &Path, input: &[u8]) -> Duration {
    let start = Instant::now();
    let mut child = std::process::Command::new(program)
        .env_clear()
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let _ = child.stdin.take().unwrap().write_all(input);
    let mut bytes = Vec::new();
    child
        .stdout
        .take()
        .unwrap()
        .read_to_end(&mut bytes)
        .unwrap();
    child
        .stderr
        .take()
        .unwrap()
        .read_to_end(&mut bytes)
        .unwrap();
    child.wait().unwrap();
    start.elapsed()
}

fn contained(program: &Path, input: &[u8], containment: Containment, abort: &Abort) -> Duration {
    let start = Instant::now();
    let finished = run(
        &Command {
            program,
            args: &[],
            cwd: Path::new("/"),
            env: &[],
            stdin: input,
            limits: Limits::default(),
            containment,
        },
        abort,
    );
    assert_eq!(finished.end, End::Exited(0));
    start.elapsed()
}
