//! `hookward install` and `hookward uninstall`: the agent's own settings file, changed as little as
//! possible, with a backup.

use std::fs;
use std::process::ExitCode;

use camino::{Utf8Path, Utf8PathBuf};
use hookward_agents::AgentName;
use hookward_agents::claude_code::{self, Edit, HookCommand};
use serde_json::json;

use crate::args::{Global, Install, Scope};
use crate::context;
use crate::error::CliError;
use crate::output::{Output, Tone, escape_lines};
use crate::world::World;

/// The command that an agent starts. A State Root that was named is named in it, too.
pub(crate) fn hook_command(global: &Global) -> Result<HookCommand, CliError> {
    let mut args = vec!["hook".to_owned(), "claude-code".to_owned()];
    if global.state_root.is_some() {
        let state = context::state_root(global.state_root.as_deref())?;
        args.extend(["--state-root".to_owned(), state.path().to_string()]);
    }
    Ok(HookCommand {
        program: context::own_program()?.into_string(),
        args,
    })
}

/// The settings file of the agent.
pub(crate) fn settings_file(world: &World, scope: Scope) -> Result<Utf8PathBuf, CliError> {
    Ok(match scope {
        Scope::Project => world.project.root.join(".claude/settings.json"),
        Scope::User => match context::variable("CLAUDE_CONFIG_DIR") {
            Some(folder) => Utf8PathBuf::from(folder).join("settings.json"),
            None => context::home()?.join(".claude/settings.json"),
        },
    })
}

pub(crate) fn install(
    world: &World,
    global: &Global,
    options: &Install,
    output: &Output,
) -> Result<ExitCode, CliError> {
    check_agent(&options.agent)?;
    let path = settings_file(world, options.scope)?;
    let command = hook_command(global)?;
    let old = read(&path)?;
    let edit = claude_code::install(old.as_deref(), &command)
        .map_err(|error| CliError::Policy(format!("{path}: {error}")))?;
    apply(&path, old.as_deref(), edit, options.dry_run, output)?;
    let text = read(&path)?.unwrap_or_default();
    let found = claude_code::registration(&text, &command)
        .map_err(|error| CliError::Policy(format!("{path}: {error}")))?;
    for obstacle in found.obstacles {
        let label = output.paint(Tone::Warning, "warning:");
        output.line(format!("{label} {path}: {obstacle}"));
    }
    if !options.dry_run {
        output.say(format!(
            "Claude Code now asks {} before each tool call. Check it: hookward doctor",
            command.program
        ));
    }
    Ok(ExitCode::SUCCESS)
}

pub(crate) fn uninstall(
    world: &World,
    options: &Install,
    output: &Output,
) -> Result<ExitCode, CliError> {
    check_agent(&options.agent)?;
    let path = settings_file(world, options.scope)?;
    let old = read(&path)?;
    let edit = match &old {
        None => Edit::Unchanged,
        Some(text) => claude_code::uninstall(text)
            .map_err(|error| CliError::Policy(format!("{path}: {error}")))?,
    };
    apply(&path, old.as_deref(), edit, options.dry_run, output)?;
    Ok(ExitCode::SUCCESS)
}

fn check_agent(name: &str) -> Result<AgentName, CliError> {
    name.parse().map_err(|_| {
        CliError::new(
            format!("`{name}` is not an agent that this version knows"),
            "the agents are: claude-code",
        )
    })
}

fn read(path: &Utf8Path) -> Result<Option<String>, CliError> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(CliError::file("reading", path)(error)),
    }
}

fn apply(
    path: &Utf8Path,
    old: Option<&str>,
    edit: Edit,
    dry_run: bool,
    output: &Output,
) -> Result<(), CliError> {
    let Edit::Changed { new_text, diff } = edit else {
        output.say(format!("{path} is as it should be; nothing to change."));
        return output.document(&json!({"path": path, "changed": false}));
    };
    output.say(format!(
        "{} {path}",
        if dry_run { "Would change" } else { "Changing" }
    ));
    for line in diff.lines() {
        let tone = match line.chars().next() {
            Some('+') => Tone::Good,
            Some('-') => Tone::Bad,
            _ => Tone::Faint,
        };
        output.say(format!("  {}", output.paint(tone, &escape_lines(line))));
    }
    let mut backup = None;
    if !dry_run {
        if let Some(old) = old {
            let copy = Utf8PathBuf::from(format!("{path}.hookward-backup"));
            write_whole(&copy, old)?;
            output.say(format!("The file as it was: {copy}"));
            backup = Some(copy);
        }
        write_whole(path, &new_text)?;
    }
    output.document(&json!({
        "path": path, "changed": true, "dry_run": dry_run, "backup": backup, "diff": diff,
    }))
}

/// Replaces a file in one step, so that an agent never reads half of it. A link is followed: people
/// keep settings in repositories of their own.
fn write_whole(path: &Utf8Path, text: &str) -> Result<(), CliError> {
    let target = path.canonicalize_utf8().unwrap_or_else(|_| path.to_owned());
    let folder = target.parent().unwrap_or(Utf8Path::new("/"));
    fs::create_dir_all(folder).map_err(CliError::file("creating", folder))?;
    let write = || -> std::io::Result<()> {
        let file = tempfile::NamedTempFile::new_in(folder)?;
        fs::write(file.path(), text)?;
        if let Ok(metadata) = fs::metadata(&target) {
            fs::set_permissions(file.path(), metadata.permissions())?;
        }
        file.as_file().sync_all()?;
        file.persist(&target)?;
        Ok(())
    };
    write().map_err(CliError::file("writing", path))
}
