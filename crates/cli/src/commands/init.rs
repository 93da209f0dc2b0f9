//! `hookward init`: the folder of the person's hooks, with a first policy that waits for review.

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::process::ExitCode;

use camino::Utf8Path;
use hookward_contract::SourceKind;
use hookward_policy::add_hooks;
use serde_json::json;

use super::library;
use crate::args::Init;
use crate::error::CliError;
use crate::output::Output;
use crate::world::World;

/// The example policy: plain shell, so that anybody can read it before trusting it.
const NO_PUSH: &str = include_str!("../../assets/no-push.sh");

const USER_STEPS: &str = "
The example denies `git push` in shell commands. Nothing runs before you trust it:
  hookward review
  hookward trust --all
  hookward install claude-code";

const PROJECT_STEPS: &str = "
The example denies `git push` in shell commands. Commit .maka/ and tell your colleagues to run
  hookward install claude-code
  hookward review
  hookward trust --all
Until then these hooks do nothing for them, nor for you.";

const EMPTY: &str = "{\n  \"version\": 2,\n  \"hooks\": {}\n}\n";

const LIBRARY_STEPS: &str = "
Rules of the library are yours to change. None of them judges before you trust it:
  hookward rules test
  hookward review
  hookward trust --all";

pub(crate) fn run(world: &World, options: &Init, output: &Output) -> Result<ExitCode, CliError> {
    if options.list {
        library::list(&world.project, output)?;
        return Ok(ExitCode::SUCCESS);
    }
    let policies = library::texts(&options.with)?;
    let (folder, file) = if options.project_hooks {
        (world.project.root.join(".maka"), world.project.hooks_file())
    } else {
        (world.state.path().to_owned(), world.state.hooks_file())
    };
    make_folder(&folder, !options.project_hooks)?;
    let mut created = Vec::new();
    if file.exists() {
        if policies.is_empty() {
            output.say(format!("{file} exists already and stays as it is."));
        }
    } else {
        let script = folder.join("hooks/no-push.sh");
        let text = if options.empty || !policies.is_empty() {
            EMPTY.to_owned()
        } else {
            make_folder(&folder.join("hooks"), false)?;
            if script.exists() {
                output.say(format!("{script} exists already and stays as it is."));
            } else {
                create(
                    &script,
                    NO_PUSH,
                    if options.project_hooks { 0o755 } else { 0o700 },
                )?;
                created.push(script.clone());
            }
            let command = if options.project_hooks {
                "${project}/.maka/hooks/no-push.sh"
            } else {
                script.as_str()
            };
            example(command)
        };
        create(
            &file,
            &text,
            if options.project_hooks { 0o644 } else { 0o600 },
        )?;
        created.push(file.clone());
    }
    for path in &created {
        output.say(format!("created {path}"));
    }
    let added = if policies.is_empty() {
        Vec::new()
    } else {
        let source = if options.project_hooks {
            SourceKind::Project
        } else {
            SourceKind::User
        };
        add_hooks(source, &world.state, &world.project, &policies).map_err(CliError::policy)?
    };
    for id in &added {
        output.say(format!("added {id} to {file}"));
    }
    if !added.is_empty() {
        output.say(LIBRARY_STEPS);
    } else if !created.is_empty() && !options.empty {
        output.say(if options.project_hooks {
            PROJECT_STEPS
        } else {
            USER_STEPS
        });
    }
    output.document(&json!({"created": created, "added": added}))?;
    Ok(ExitCode::SUCCESS)
}

fn example(command: &str) -> String {
    let hook = json!({
        "id": "no-push", "type": "command", "command": command,
        "onFailure": "block", "description": "Nothing is pushed without a person",
    });
    let file = json!({
        "version": 2,
        "hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [hook]}]},
    });
    // A value made of literals always has a text.
    serde_json::to_string_pretty(&file).unwrap_or_default() + "\n"
}

fn make_folder(path: &Utf8Path, private: bool) -> Result<(), CliError> {
    let mode = if private { 0o700 } else { 0o755 };
    fs::DirBuilder::new()
        .recursive(true)
        .mode(mode)
        .create(path)
        .map_err(CliError::file("creating", path))
}

fn create(path: &Utf8Path, text: &str, mode: u32) -> Result<(), CliError> {
    let mut options = fs::OpenOptions::new();
    let file = options.write(true).create_new(true).mode(mode).open(path);
    file.and_then(|mut file| file.write_all(text.as_bytes()))
        .map_err(CliError::file("writing", path))
}
