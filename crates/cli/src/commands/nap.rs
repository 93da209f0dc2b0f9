//! `hookward nap`: lets the protection of Hookward's own files sleep, for a person who wants an agent
//! to work on them. Never touches a hook.

use std::process::ExitCode;
use std::time::Duration;

use hookward_engine::audit::AuditEvent;
use hookward_policy::{begin_nap, end_nap, nap};
use jiff::{SignedDuration, Timestamp};
use serde_json::json;

use crate::context;
use crate::error::CliError;
use crate::output::{Output, Tone};
use crate::world::World;

pub(crate) fn run(
    world: &World,
    time: &[String],
    end: bool,
    output: &Output,
) -> Result<ExitCode, CliError> {
    let until = if end {
        wake(world, output)?;
        None
    } else if time.is_empty() {
        nap(&world.state, Timestamp::now())
    } else {
        let length = length(&time.join(" "))?;
        context::require_a_terminal("a nap")?;
        let until = begin_nap(&world.state, Timestamp::now(), length).map_err(CliError::policy)?;
        world.append(changed(Some(until)), output);
        Some(until)
    };
    output.document(&json!({"napping": until.is_some(), "until": until.map(told)}))?;
    output.line(match until {
        None => "Hookward protects its own files.".to_owned(),
        Some(until) => format!(
            "{} until {}. Hooks go on judging.",
            output.paint(Tone::Warning, "Hookward does not protect its own files"),
            told(until)
        ),
    });
    if until.is_some() {
        output.say("Wake it: hookward nap --end");
    }
    Ok(ExitCode::SUCCESS)
}

/// A point in time as screens and records have it.
pub(super) fn told(until: Timestamp) -> String {
    format!("{until:.0}")
}

fn wake(world: &World, output: &Output) -> Result<(), CliError> {
    if end_nap(&world.state).map_err(CliError::policy)? {
        world.append(changed(None), output);
    }
    Ok(())
}

/// A length in the words of people: `10m`, `1h 30m`, `90 minutes`, `PT10M`.
fn length(text: &str) -> Result<Duration, CliError> {
    let length: Option<SignedDuration> = text.parse().ok();
    let length = length.and_then(|length| Duration::try_from(length).ok());
    length.ok_or_else(|| {
        CliError::new(
            format!("`{text}` is no length of time"),
            "for example hookward nap 10m, or hookward nap 1h 30m",
        )
    })
}

fn changed(until: Option<Timestamp>) -> AuditEvent {
    AuditEvent::NapChanged {
        until: until.map(told),
    }
}
