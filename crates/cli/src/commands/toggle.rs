//! `hookward enable` and `hookward disable`: one field of one hook, in its own file.

use std::process::ExitCode;

use hookward_policy::{EnableChange, set_enabled};
use serde_json::json;

use crate::error::CliError;
use crate::output::Output;
use crate::world::{Changed, World, find_hooks};

pub(crate) fn run(
    world: &World,
    id: &str,
    enabled: bool,
    output: &Output,
) -> Result<ExitCode, CliError> {
    let snapshot = world.snapshot();
    let hook = find_hooks(&snapshot, &[id.to_owned()])?.remove(0);
    let word = if enabled { "enabled" } else { "disabled" };
    let change = set_enabled(hook.source, &world.state, &world.project, &hook.id, enabled)
        .map_err(CliError::policy)?;
    let changed = change == EnableChange::Changed;
    if changed {
        world.record(word, Changed::hook(hook), output);
    }
    output.say(format!("{} {} ({})", word, hook.id, hook.source));
    let entry =
        json!({"id": hook.id, "source": hook.source, "hash": hook.hash, "enabled": enabled});
    output.document(&json!({"changed": if changed { vec![entry] } else { vec![] }}))?;
    Ok(ExitCode::SUCCESS)
}
