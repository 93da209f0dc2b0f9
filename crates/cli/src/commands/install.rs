//! `hookward install` and `hookward uninstall`: the agent's own settings file, changed as little as
//! possible, with a backup.

use std::fs;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, chown};
use std::process::ExitCode;

use camino::{Utf8Path, Utf8PathBuf};
use hookward_agents::AgentName;
use hookward_agents::claude_code::{self, Edit, HookCommand, Obstacle};
use serde_json::json;

use super::list::waits;
use crate::args::{Install, Scope};
use crate::context;
use crate::error::CliError;
use crate::output::{Output, Tone, counted, escape_lines};
use crate::settings;
use crate::world::World;

/// The command that an agent starts. It names the State Root, so that the environment in which an
/// agent was started does not decide which policy is read.
pub(crate) fn hook_command(world: &World) -> Result<HookCommand, CliError> {
    let state = world.state.path().as_str();
    let args = ["hook", "claude-code", "--state-root", state];
    Ok(HookCommand {
        program: context::own_program()?.into_string(),
        args: args.map(str::to_owned).to_vec(),
    })
}

pub(crate) fn install(
    world: &World,
    options: &Install,
    output: &Output,
) -> Result<ExitCode, CliError> {
    check_agent(&options.agent)?;
    let path = settings::editable(&world.project, options.scope)?;
    stay_inside(world, &path, options.scope)?;
    let command = hook_command(world)?;
    let old = read(&path)?;
    let located = |error| CliError::Policy(format!("{path}: {error}"));
    let found = claude_code::registration(old.as_deref().unwrap_or_default(), &command);
    refuse_obstacles(&path, &found.map_err(located)?.obstacles, output)?;
    let edit = claude_code::install(old.as_deref(), &command)
        .map_err(|error| CliError::Policy(format!("{path}: {error}")))?;
    apply(&path, old.as_deref(), edit, options.dry_run, output)?;
    if !options.dry_run {
        make_state_root(world)?;
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

/// The folder that the registration names: that it is gone is a fault from now on.
fn make_state_root(world: &World) -> Result<(), CliError> {
    let path = world.state.path();
    let made = fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(path);
    made.map_err(CliError::file("creating", path))
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
    let path = settings::editable(&world.project, options.scope)?;
    stay_inside(world, &path, options.scope)?;
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
    match context::read_text(path, claude_code::MAX_SETTINGS_BYTES as u64) {
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
        if read(path)?.as_deref() != old {
            return Err(CliError::new(
                format!("{path} was changed by somebody else just now"),
                "run the command again",
            ));
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
        match context::read_text(&copy, claude_code::MAX_SETTINGS_BYTES as u64) {
            Ok(kept) if kept == text => return Ok(copy),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                write_whole(&copy, text)?;
                return Ok(copy);
            }
            _ => {}
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
    let target = match path.canonicalize_utf8() {
        Ok(target) => target,
        Err(_) if path.symlink_metadata().is_ok() => {
            return Err(CliError::new(
                format!("{path} is a link that leads nowhere"),
                "remove it, or make the file that it names",
            ));
        }
        Err(_) => path.to_owned(),
    };
    let folder = target.parent().unwrap_or(Utf8Path::new("/"));
    fs::create_dir_all(folder).map_err(CliError::file("creating", folder))?;
    let write = || -> std::io::Result<()> {
        let file = tempfile::NamedTempFile::new_in(folder)?;
        fs::write(file.path(), text)?;
        if let Ok(metadata) = fs::metadata(&target) {
            fs::set_permissions(file.path(), metadata.permissions())?;
            chown(file.path(), Some(metadata.uid()), Some(metadata.gid()))?;
        }
        file.as_file().sync_all()?;
        file.persist(&target)?;
        Ok(())
    };
    write().map_err(CliError::file("writing", path))
}

/// Settings of a project are the project's: a link that leads elsewhere would have this command
/// edit a file that nobody named.
fn stay_inside(world: &World, path: &Utf8Path, scope: Scope) -> Result<(), CliError> {
    let outside = [Some(path), path.parent()]
        .into_iter()
        .flatten()
        .any(|part| {
            let resolved = part.canonicalize_utf8();
            resolved.is_ok_and(|resolved| !resolved.starts_with(&world.project.root))
        });
    if scope == Scope::Project && outside {
        return Err(CliError::new(
            format!("{path} leads out of the project {}", world.project.root),
            "replace the link by a file",
        ));
    }
    Ok(())
}
