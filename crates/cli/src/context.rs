//! The only place that reads the environment, the home directory and the current directory.

use std::env;
use std::fs::File;
use std::io::IsTerminal as _;
use std::io::Read as _;

use camino::{Utf8Path, Utf8PathBuf};
use hookward_engine::HookEnvironment;
use hookward_policy::{Project, StateRoot};
use rustix::fs::{Mode, OFlags};

use crate::error::CliError;

/// Name of the State Root's folder in the home directory.
const DEFAULT_STATE_ROOT: &str = ".hookward";

/// A variable of the environment that is set, not empty and UTF-8.
pub(crate) fn variable(name: &str) -> Option<String> {
    env::var(name).ok().filter(|value| !value.is_empty())
}

/// The home directory.
pub(crate) fn home() -> Result<Utf8PathBuf, CliError> {
    variable("HOME")
        .map(Utf8PathBuf::from)
        .filter(|home| home.is_absolute())
        .ok_or_else(|| {
            CliError::new(
                "HOME is not set to an absolute path",
                "set HOME, or pass --state-root",
            )
        })
}

/// The State Root: the one given, else `HOOKWARD_STATE_ROOT`, else `~/.hookward`.
pub(crate) fn state_root(given: Option<&Utf8Path>) -> Result<StateRoot, CliError> {
    let given = given.map(Utf8Path::to_owned);
    let given = given.or_else(|| variable("HOOKWARD_STATE_ROOT").map(Utf8PathBuf::from));
    let path = match given {
        Some(path) => absolute(&path)?,
        None => home()?.join(DEFAULT_STATE_ROOT),
    };
    Ok(StateRoot::new(path))
}

/// The project that holds the given folder, or the current directory.
pub(crate) fn project(given: Option<&Utf8Path>) -> Result<Project, CliError> {
    let folder = match given {
        Some(path) => absolute(path)?,
        None => current_dir()?,
    };
    Project::discover(&folder).map_err(CliError::policy)
}

/// `path` made absolute against the current directory.
pub(crate) fn absolute(path: &Utf8Path) -> Result<Utf8PathBuf, CliError> {
    if path.is_absolute() {
        Ok(path.to_owned())
    } else {
        Ok(current_dir()?.join(path))
    }
}

pub(crate) fn current_dir() -> Result<Utf8PathBuf, CliError> {
    let path = env::current_dir().map_err(CliError::file("reading", "the current directory"))?;
    Utf8PathBuf::from_path_buf(path).map_err(|path| {
        CliError::new(
            format!("the current directory {} is not UTF-8", path.display()),
            "rename it, or pass --project with another folder",
        )
    })
}

/// Refuses to do what only a person may do where an agent's marks are in the environment. A stop
/// for agents that try the obvious, not a wall: whoever can run this program can clear them.
pub(crate) fn require_a_person(what: &str) -> Result<(), CliError> {
    match AGENT_MARKS.iter().find(|name| variable(name).is_some()) {
        None => Ok(()),
        Some(name) => Err(CliError::NobodyToAsk {
            question: format!("{what} is for a person, and {name} says that an agent runs this"),
            help: "run it in a terminal of your own".to_owned(),
        }),
    }
}

/// Refuses to do what only a person may do where nobody sits at a terminal. Agents start programs
/// without one.
pub(crate) fn require_a_terminal(what: &str) -> Result<(), CliError> {
    if std::io::stdin().is_terminal() {
        return Ok(());
    }
    Err(CliError::NobodyToAsk {
        question: format!("{what} is for a person at a terminal, and there is no terminal"),
        help: "run it in a terminal of your own".to_owned(),
    })
}

/// Variables that agents set for the programs that they start.
const AGENT_MARKS: &[&str] = &["CLAUDECODE", "CLAUDE_CODE_CHILD_SESSION"];

/// This program, as an absolute path.
pub(crate) fn own_program() -> Result<Utf8PathBuf, CliError> {
    let path = env::current_exe().map_err(CliError::file("finding", "this program"))?;
    Utf8PathBuf::from_path_buf(path).map_err(|path| {
        CliError::new(
            format!("{} is not UTF-8", path.display()),
            "install it under another path",
        )
    })
}

/// What hooks get to know about the person.
pub(crate) fn hook_environment() -> HookEnvironment {
    HookEnvironment {
        home: variable("HOME"),
        user: variable("USER").or_else(|| variable("LOGNAME")),
        tmpdir: variable("TMPDIR"),
        tz: variable("TZ"),
    }
}

/// Reads a regular file of at most `limit` bytes, without ever waiting for one that is none.
pub(crate) fn read_bounded(path: &Utf8Path, limit: u64) -> std::io::Result<Vec<u8>> {
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK;
    let file = File::from(rustix::fs::open(path.as_std_path(), flags, Mode::empty())?);
    if !file.metadata()?.is_file() {
        return Err(std::io::Error::other("not a regular file"));
    }
    let mut bytes = Vec::new();
    file.take(limit + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit {
        return Err(std::io::Error::other(format!("larger than {limit} bytes")));
    }
    Ok(bytes)
}

/// The same for a text.
pub(crate) fn read_text(path: &Utf8Path, limit: u64) -> std::io::Result<String> {
    let invalid = |error| std::io::Error::new(std::io::ErrorKind::InvalidData, error);
    String::from_utf8(read_bounded(path, limit)?).map_err(invalid)
}
