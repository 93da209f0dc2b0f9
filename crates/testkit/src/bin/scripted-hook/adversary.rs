//! Descendants that are hard to catch. Every one of them ignores SIGTERM, SIGHUP and SIGINT, keeps
//! the marker in its arguments, and ends by itself after about ten seconds.
//!
//! | mode | descendants |
//! | --- | --- |
//! | `tree` | nine in three generations, in the program's own group |
//! | `pgrp` | four in process groups of their own |
//! | `daemon` | three that forked twice and left the session |
//! | `churn` | two chains that start a successor in a new session and exit, every few ms |
//! | `fastchurn` | two chains of shells that fork a successor and exit, as fast as they can |
//! | `mixed` | all of them |

use std::env;
use std::fs::{File, OpenOptions};
use std::io;
use std::process::{Command, ExitCode, Stdio};
use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The first argument of a descendant; the others are the part it plays, when it ends (in seconds
/// since the epoch), and the marker.
const PART: &str = "--adversary";
/// How long descendants live.
const LIFE: Duration = Duration::from_secs(10);
/// What a shell runs as a chain of forks. Each link is a new process, a hundred of them between
/// two execs, which bounds the depth; `$1` counts the execs down, and `$0` is the marker.
const CHAIN: &str = r#"
trap '' TERM HUP INT
again=$2
link() {
    if [ "$1" -gt 0 ]; then (link $(($1 - 1))) & else
        [ "$again" -gt 0 ] && exec /bin/sh -c "$CHAIN" "$0" x $((again - 1))
    fi
    exit 0
}
shift $(($# - 2))
link 100
"#;
/// How many execs a chain has, with 100 processes each: some seconds in all.
const CHAIN_EXECS: &str = "25";

/// What a descendant has as its stdout, which its own descendants get as well.
enum Output<'a> {
    /// That of the one who starts it.
    Inherited,
    /// A FIFO, so that its reader sees the end of the file when the last descendant is gone.
    Fifo(&'a File),
    Nothing,
}

/// Starts the descendants of a mode.
pub(crate) fn spawn(mode: &str, marker: &str, fifo: Option<&str>) -> io::Result<()> {
    let fifo = fifo
        .map(|path| OpenOptions::new().write(true).open(path))
        .transpose()?;
    let output = fifo.as_ref().map_or(Output::Nothing, Output::Fifo);
    let end = now() + LIFE.as_secs();
    let mut known = false;
    for (name, part, count) in [
        ("tree", "branch", 3),
        ("pgrp", "group", 4),
        ("daemon", "parent", 3),
        ("churn", "session", 2),
        ("fastchurn", "chain", 2),
    ] {
        if mode == name || mode == "mixed" {
            known = true;
            for _ in 0..count {
                play(part, end, marker, &output)?;
            }
        }
    }
    if known {
        Ok(())
    } else {
        Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "expected a known mode",
        ))
    }
}

/// Starts a process that keeps the outputs open.
pub(crate) fn hold_outputs(marker: &str) -> io::Result<()> {
    play("hold", now() + LIFE.as_secs(), marker, &Output::Inherited)
}

/// Plays the part that the arguments ask for; `None` if they are a script.
pub(crate) fn part(words: &[String]) -> Option<ExitCode> {
    let [first, part, end, marker] = words else {
        return None;
    };
    if first != PART {
        return None;
    }
    let end: u64 = end.parse().ok()?;
    Some(match act(part, end, marker) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    })
}

fn act(part: &str, end: u64, marker: &str) -> io::Result<()> {
    let start = |part| play(part, end, marker, &Output::Inherited);
    match part {
        // Two more generations below.
        "branch" => {
            start("leaf")?;
            start("leaf")?;
        }
        "group" => rustix::process::setpgid(None, None)?,
        // The middle one of a double fork.
        "parent" => {
            rustix::process::setsid()?;
            start("leaf")?;
            return Ok(());
        }
        "session" => {
            rustix::process::setsid()?;
            if now() < end {
                start("session")?;
            }
            return Ok(());
        }
        _ => {}
    }
    while now() < end {
        thread::sleep(Duration::from_millis(100));
    }
    Ok(())
}

/// Starts a descendant with signals ignored, which it inherits over the shell's exec.
fn play(part: &str, end: u64, marker: &str, output: &Output<'_>) -> io::Result<()> {
    let mut command = Command::new("/bin/sh");
    if part == "chain" {
        command
            .args(["-c", CHAIN, marker, "x", CHAIN_EXECS])
            .env("CHAIN", CHAIN);
    } else {
        command
            .args(["-c", "trap '' TERM HUP INT; exec \"$0\" \"$@\""])
            .arg(env::current_exe()?)
            .args([PART, part, &end.to_string(), marker]);
    }
    match output {
        Output::Inherited => {}
        Output::Fifo(file) => drop(command.stdout(file.try_clone()?)),
        Output::Nothing => drop(command.stdout(Stdio::null())),
    }
    if part != "hold" {
        command.stdin(Stdio::null()).stderr(Stdio::null());
    }
    command.spawn().map(drop)
}

/// Seconds since the epoch.
fn now() -> u64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_secs())
}
