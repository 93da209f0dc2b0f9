//! The `hookward` program: reads the command line, the environment and the terminal, and hands
//! values to the libraries. It decides nothing about calls.

#![forbid(unsafe_code)]

mod args;
mod commands;
mod context;
mod error;
mod output;
mod protection;
mod settings;
mod world;

use std::process::ExitCode;

use clap::Parser as _;

fn main() -> ExitCode {
    // Agents start this form for every tool call; it is decided before anything else is built.
    if let Some(call) = commands::hook::HookArguments::of_process() {
        return commands::hook::run(&call);
    }
    let cli = match args::Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return usage(&error),
    };
    let output = output::Output::new(cli.global.color, cli.global.json, cli.global.quiet);
    match commands::run(&cli, &output) {
        Ok(code) => output.end(code),
        Err(error) => {
            output.failure(&error);
            error.exit_code()
        }
    }
}

/// Help and version are no failure; a wrong command line ends with 1, since 2 says `denied`.
fn usage(error: &clap::Error) -> ExitCode {
    let for_an_agent = std::env::args_os()
        .skip(1)
        .any(|argument| argument == "hook");
    if for_an_agent && error.use_stderr() {
        return commands::hook::wrong_command_line(&error.to_string());
    }
    let _ = error.print();
    if error.use_stderr() {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    }
}
