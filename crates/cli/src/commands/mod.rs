//! One module per command.

mod audit;
mod calls;
mod demo;
mod doctor;
mod explain;
pub(crate) mod hook;
mod init;
mod install;
mod library;
mod list;
mod nap;
mod replay;
mod review;
mod rules;
mod schema;
mod test;
mod toggle;
mod trial;
mod trust;
mod why;

use std::process::ExitCode;

use clap::CommandFactory as _;

use crate::args::{Cli, Command};
use crate::context;
use crate::error::CliError;
use crate::output::Output;
use crate::world::World;

pub(crate) fn run(cli: &Cli, output: &Output) -> Result<ExitCode, CliError> {
    let world = || World::new(&cli.global);
    if let Some(what) = persons_command(&cli.command) {
        context::require_a_person(what)?;
    }
    match &cli.command {
        Command::Init(options) => init::run(&world()?, options, output),
        Command::List { require_trusted } => list::run(&world()?, *require_trusted, output),
        Command::Review { hooks, all } => review::run(&world()?, hooks, *all, output),
        Command::Trust(options) => trust::run(&world()?, options, output),
        Command::Revoke { hashes, workspace } => {
            trust::revoke(&world()?, hashes, *workspace, output)
        }
        Command::Enable { id } => toggle::run(&world()?, id, true, output),
        Command::Disable { id } => toggle::run(&world()?, id, false, output),
        Command::Test(options) => test::run(&world()?, options, output),
        Command::Explain(options) => explain::run(&world()?, options, output),
        Command::Rules { action } => rules::run(&world()?, action, output),
        Command::Nap { time, end } => nap::run(&world()?, time, *end, output),
        Command::Replay(options) => replay::run(&world()?, options, output),
        Command::Doctor { set_aside_trust } => doctor::run(&world()?, *set_aside_trust, output),
        Command::Hook { agent } => Ok(hook::run(&hook::HookArguments {
            agent: agent.clone(),
            state_root: cli.global.state_root.clone(),
        })),
        Command::Install(options) => install::install(&world()?, options, output),
        Command::Uninstall(options) => install::uninstall(&world()?, options, output),
        Command::Audit { action } => audit::run(&world()?, action, output),
        Command::Schema { what } => schema::run(*what, output),
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(*shell, &mut Cli::command(), "hookward", &mut script);
            output.raw(&String::from_utf8_lossy(&script));
            Ok(ExitCode::SUCCESS)
        }
        Command::Demo => demo::run(output),
    }
}

/// What a command that could weaken a policy is called; `None` for the others.
fn persons_command(command: &Command) -> Option<&'static str> {
    match command {
        Command::Trust(options) if options.export.is_none() => Some("`hookward trust`"),
        Command::Revoke { .. } => Some("`hookward revoke`"),
        Command::Disable { .. } => Some("`hookward disable`"),
        Command::Nap { time, .. } if !time.is_empty() => Some("`hookward nap`"),
        Command::Uninstall(options) if !options.dry_run => Some("`hookward uninstall`"),
        Command::Doctor { set_aside_trust } if *set_aside_trust => {
            Some("`hookward doctor --set-aside-trust`")
        }
        _ => None,
    }
}
