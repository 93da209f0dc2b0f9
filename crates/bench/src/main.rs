//! Measures Hookward next to its floors and prints one table.
//!
//! Every number has its own baseline, measured in turn with it in the same run: absolute times on
//! shared machines mean little, ratios do. A run fails when something that is measured does not do
//! what it should, or when a verdict of the corpus is wrong, and never because of time.

#![forbid(unsafe_code)]

mod corpus;
mod error;
mod machine;
mod programs;
mod report;
mod rows;
mod samples;
mod scene;

use std::io::Write as _;
use std::process::ExitCode;

use camino::Utf8PathBuf;
use clap::Parser;

use crate::error::BenchError;
use crate::machine::{Cores, Machine};
use crate::programs::Programs;
use crate::report::Report;

/// Measures Hookward next to its floors; fails only when something is wrong, never when it is slow.
#[derive(Debug, Parser)]
struct Arguments {
    /// Take few samples, for a check that everything still runs.
    #[arg(long)]
    short: bool,
    /// Write percentiles and samples to this file.
    #[arg(long, value_name = "FILE")]
    json: Option<Utf8PathBuf>,
    /// Measure only the sections whose name contains this text.
    #[arg(long, value_name = "TEXT", default_value = "")]
    only: String,
}

/// What every section needs.
struct Bench {
    short: bool,
    cores: Cores,
    programs: Programs,
    report: Report,
}

impl Bench {
    /// How many rounds to measure, in a full and in a short run.
    fn rounds(&self, full: usize, short: usize) -> usize {
        if self.short { short } else { full }
    }
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            progress(&error.to_string());
            ExitCode::FAILURE
        }
    }
}

/// Whether every verdict was right.
fn run(arguments: &Arguments) -> Result<bool, BenchError> {
    let machine = Machine::look();
    progress("building the programs to be measured");
    let mut bench = Bench {
        short: arguments.short,
        cores: Cores::now()?,
        programs: Programs::build()?,
        report: Report::default(),
    };
    let wrong = corpus::check(&mut bench)?;
    for (name, section) in rows::SECTIONS {
        if name.contains(&arguments.only) {
            section(&mut bench)?;
        }
    }
    let table = format!("{machine}\n\n{}", bench.report.markdown());
    let printed = std::io::stdout().write_all(table.as_bytes());
    printed.map_err(BenchError::io("printing the table"))?;
    if let Some(path) = &arguments.json {
        let document = bench.report.json(&machine, arguments.short);
        std::fs::write(path, document).map_err(BenchError::io(format!("writing {path}")))?;
    }
    for line in &wrong {
        progress(line);
    }
    Ok(wrong.is_empty())
}

/// Tells the person who waits how far it is.
fn progress(line: &str) {
    // Nobody may be reading.
    let _ = writeln!(std::io::stderr(), "{line}");
}
