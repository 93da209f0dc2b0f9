//! `hookward install` and `hookward uninstall`: the agent's own settings file, changed as little as
//! possible, with a backup.

use std::fs;
use std::process::ExitCode;

use camino::{Utf8Path, Utf8PathBuf};
use hookward_agents::AgentName;
use hookward_agents::claude_code::{self, Edit, HookCommand, Obstacle};
use serde_json::json;

use super::list::waits;
use crate::args::{Global, Install, Scope};
use crate::context;
use crate::error::CliError;
use crate::output::{Output, Tone, counted, escape_lines};
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
    let located = |error| CliError::Policy(format!("{path}: {error}"));
    let found = claude_code::registration(old.as_deref().unwrap_or_default(), &command);
    refuse_obstacles(&path, &found.map_err(located)?.obstacles, output)?;
    let edit = claude_code::install(old.as_deref(), &command)
        .map_err(|error| CliError::Policy(format!("{path}: {error}")))?;
    apply(&path, old.as_deref(), edit, options.dry_run, output)?;
    if !options.dry_run {
        in_force(world, output);
    }
    if options.scope == Scope::Project {
        output.say(format!(
            "{} the entry names {}, a path of this machine; think before you commit it.",
            output.paint(Tone::Warning, "note:"),
            command.program
        ));
    }
    Ok(ExitCode::SUCCESS)
}

/// Settings in which no hook would run are not added to: that would look like protection.
fn refuse_obstacles(
    path: &Utf8Path,
    obstacles: &[Obstacle],
    output: &Output,
) -> Result<(), CliError> {
    for obstacle in obstacles {
        match obstacle {
            // Without effect in the files that this command edits.
            Obstacle::ManagedHooksOnly | Obstacle::PluginHooksOnly => {
                let label = output.paint(Tone::Warning, "note:");
                output.say(format!("{label} {path}: {obstacle}"));
            }
            _ => {
                return Err(CliError::new(
                    format!("{path}: {obstacle}, so nothing would be guarded"),
                    "mend the settings and run the command again",
                ));
            }
        }
    }
    Ok(())
}

/// What the registration is worth right now.
fn in_force(world: &World, output: &Output) {
    let snapshot = world.snapshot();
    let trusted = snapshot.hooks().iter().filter(|hook| hook.trust.may_run());
    let trusted = trusted.count();
    let waiting = snapshot.hooks().iter().filter(|hook| waits(hook)).count();
    output.say(format!(
        "Claude Code asks Hookward before each tool call: {} in force here, {waiting} waiting.",
        counted(trusted, "hook is", "hooks are")
    ));
    output.say(if trusted == 0 {
        "Nothing is denied before a hook is trusted: hookward review"
    } else {
        "Check it: hookward doctor"
    });
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
    if edit == Edit::Unchanged {
        output.say(format!("Hookward is not in {path}; nothing to take out."));
        output.document(&json!({"path": path, "changed": false}))?;
        return Ok(ExitCode::SUCCESS);
    }
    apply(&path, old.as_deref(), edit, options.dry_run, output)?;
    if !options.dry_run {
        output.say(format!("Your policy stays in {}.", world.state.path()));
    }
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
            let copy = back_up(path, old)?;
            output.say(format!("The file as it was: {copy}"));
            backup = Some(copy);
        }
        write_whole(path, &new_text)?;
    }
    output.document(&json!({
        "path": path, "changed": true, "dry_run": dry_run, "backup": backup, "diff": diff,
    }))
}

/// Writes `text` beside the file under a name of its own; a backup is never overwritten.
fn back_up(path: &Utf8Path, text: &str) -> Result<Utf8PathBuf, CliError> {
    let names = std::iter::once(String::new()).chain((2..=MAX_BACKUPS).map(|n| format!(".{n}")));
    for number in names {
        let copy = Utf8PathBuf::from(format!("{path}.hookward-backup{number}"));
        match fs::read_to_string(&copy) {
            Ok(kept) if kept == text => return Ok(copy),
            Ok(_) => {}
            Err(_) if copy.exists() => {}
            Err(_) => {
                write_whole(&copy, text)?;
                return Ok(copy);
            }
        }
    }
    Err(CliError::new(
        format!("there are {MAX_BACKUPS} backups of {path}"),
        "remove those that you do not need",
    ))
}

/// Backups that are kept of one settings file.
const MAX_BACKUPS: usize = 100;

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
