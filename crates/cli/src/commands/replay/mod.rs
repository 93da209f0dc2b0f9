//! `hookward replay`: what a policy would have done about what agents did so far. Reads histories,
//! runs no tool, and records nothing.

mod policy;
mod show;

use std::fs::OpenOptions;
use std::io::{IsTerminal as _, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::process::ExitCode;

use camino::{Utf8Path, Utf8PathBuf};
use hookward_replay::{Format, Histories, ReadOptions, Replay, ReplayOptions, html};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use self::policy::Policy;
use crate::args;
use crate::context;
use crate::error::CliError;
use crate::output::Output;
use crate::world::World;

/// Histories over this size show how far reading is, in bytes.
const LONG_BYTES: u64 = 64 * 1024 * 1024;

pub(crate) fn run(
    world: &World,
    options: &args::Replay,
    output: &Output,
) -> Result<ExitCode, CliError> {
    let policy = match &options.policy {
        Some(file) => Policy::of_file(file, world, output)?,
        None => Policy::in_force(world, options.run_commands)?,
    };
    let against = options.against.as_ref();
    let against = against
        .map(|file| Policy::of_file(file, world, output))
        .transpose()?;
    let paths = match &options.paths[..] {
        [] => known_places()?,
        given => given.to_vec(),
    };
    let mut histories = Histories::open(
        &paths,
        ReadOptions {
            format: options.format,
            cwd: world.project.root.clone(),
        },
    );
    let run_options = ReplayOptions {
        examples: options.examples,
        since: options.since,
    };
    let mut replay = Replay::new(&policy, run_options);
    if let Some(other) = &against {
        replay = replay.against(other);
    }
    let bar = progress_bar(histories.bytes_total());
    let report = replay.run(&mut histories, &mut |bytes| bar.set_position(bytes));
    bar.finish_and_clear();
    show::report(&report, &policy, output);
    if report.files == 0 {
        return Err(CliError::new(
            "nothing could be read",
            "name a history, or a folder that holds some; --format says which kind it is",
        ));
    }
    if let Some(path) = &options.html {
        let other = against.as_ref().map(|policy| policy.name.as_str());
        let page = html(&report, &policy.name, other).map_err(CliError::policy)?;
        write_page(path, &page).map_err(CliError::file("writing", path))?;
        output.say(format!("\nThe report is in {path}"));
    }
    output.document(&report)?;
    Ok(ExitCode::SUCCESS)
}

/// The folders in which agents keep their histories, as far as they are there.
fn known_places() -> Result<Vec<Utf8PathBuf>, CliError> {
    let home = context::home()?;
    let folders = Format::ALL.iter().filter_map(|format| format.home_folder());
    let places: Vec<Utf8PathBuf> = folders
        .map(|folder| home.join(folder))
        .filter(|place| place.is_dir())
        .collect();
    if places.is_empty() {
        return Err(CliError::new(
            format!("no agent keeps histories in {home}"),
            "name a history, or a folder that holds some: hookward replay PATH",
        ));
    }
    Ok(places)
}

/// Shown on a terminal, for long histories.
fn progress_bar(bytes: u64) -> ProgressBar {
    if bytes < LONG_BYTES || !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::with_draw_target(Some(bytes), ProgressDrawTarget::stderr());
    match ProgressStyle::with_template("{bar:30} {bytes} of {total_bytes}, {eta} left") {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}

/// The page has calls in it, so that it is for its owner alone.
fn write_page(path: &Utf8Path, page: &str) -> std::io::Result<()> {
    let mut file = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .mode(0o600)
        .open(path)?;
    file.write_all(page.as_bytes())
}
