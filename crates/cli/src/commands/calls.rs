//! The calls that `test` and `explain` are asked about: made up on the command line, or read from
//! files. None of them can ever run a tool.

use camino::{Utf8Path, Utf8PathBuf};
use hookward_agents::claude_code::{self, Decoded};
use hookward_contract::{Call, Origin, ToolInput, ToolName};

use crate::args;
use crate::context;
use crate::error::CliError;
use crate::world::World;

/// Largest fixture that is read.
const MAX_FIXTURE_BYTES: u64 = 16 * 1024 * 1024;

/// A call, and the file that it is from.
pub(super) type Asked<'a> = (Option<&'a Utf8PathBuf>, Call);

/// All calls of a command line, at least one.
pub(super) fn read<'a>(world: &World, options: &'a args::Test) -> Result<Vec<Asked<'a>>, CliError> {
    let mut calls = Vec::new();
    if let (Some(tool), Some(input)) = (&options.tool, &options.input) {
        calls.push((None, made_up_call(world, tool, input)?));
    }
    for path in &options.fixtures {
        calls.push((Some(path), fixture(path)?));
    }
    if calls.is_empty() {
        return Err(CliError::new(
            "which call?",
            r#"for example --tool Bash --input '{"command": "git push"}'"#,
        ));
    }
    if let Some(cwd) = &options.cwd {
        let cwd = context::absolute(cwd)?;
        let cwd = Call::clean_cwd(cwd.as_str()).map_err(|error| {
            CliError::new(format!("--cwd: {error}"), "write the folder without `..`")
        })?;
        for (_, call) in &mut calls {
            call.cwd.clone_from(&cwd);
        }
    }
    Ok(calls)
}

fn made_up_call(world: &World, tool: &str, input: &str) -> Result<Call, CliError> {
    let tool = ToolName::try_from(tool)
        .map_err(|error| CliError::new(format!("--tool: {error}"), "for example --tool Bash"))?;
    let (input, _) = ToolInput::parse(input).map_err(|error| {
        CliError::new(
            format!("--input: {error}"),
            r#"for example --input '{"command": "git push"}'"#,
        )
    })?;
    if !input.get().starts_with('{') {
        return Err(CliError::new(
            "--input: a tool's input is an object",
            r#"for example --input '{"command": "git push"}'"#,
        ));
    }
    let cwd = world.project.root.clone();
    Ok(Call::hand_written("test", tool, input, cwd))
}

/// A fixture is a call as a hook would read it, which is also what agents of the Claude Code
/// family send.
pub(super) fn fixture(path: &Utf8Path) -> Result<Call, CliError> {
    let bytes =
        context::read_bounded(path, MAX_FIXTURE_BYTES).map_err(CliError::file("reading", path))?;
    match claude_code::decode(&bytes) {
        Ok(Decoded::Judge { mut call, .. }) => {
            call.origin = Origin::Replay;
            Ok(*call)
        }
        Ok(Decoded::NoPolicy { event_name }) => Err(CliError::new(
            format!("{path}: there is nothing to judge about the event {event_name}"),
            "a fixture needs `tool_name`, `tool_input` and `cwd`",
        )),
        Err(error) => Err(CliError::new(
            format!("{path}: {error}"),
            "a fixture needs `tool_name`, `tool_input` and `cwd`; see `hookward schema payload`",
        )),
    }
}
