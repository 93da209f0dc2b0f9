//! A program whose arguments are a script: it stands for a hook in tests.
//!
//! Words are run one after the other; what follows an `exit` is never looked at.
//!
//! | word | does |
//! | --- | --- |
//! | `drain`, `noread` | reads stdin to its end; does not read it |
//! | `echo` | copies stdin to stdout while reading |
//! | `save:PATH` | writes all of stdin to a file |
//! | `out:TEXT`, `err:TEXT` | writes a text, without a line end |
//! | `outhex:HEX`, `errhex:HEX` | writes bytes |
//! | `outbytes:N`, `errbytes:N`, `bothbytes:N` | writes N bytes of `x` to stdout, stderr, or both in turn |
//! | `sleep:MS` | waits |
//! | `waitfile:PATH` | waits until a file exists |
//! | `append:PATH:TEXT` | adds a line to a file: the proof that this program ran |
//! | `env`, `cwd`, `fds`, `pid` | prints the environment, directory, open descriptors, process id |
//! | `read:PATH` | copies a file to stdout, or `error: …` |
//! | `exit:N`, `signal:N` | exits with a status; sends a signal to itself |
//! | `killparent` | sends SIGKILL to its parent |
//! | `ignore:TERM` | ignores SIGTERM from here on |
//! | `holdstdout:MARKER` | starts a process that keeps the outputs open |
//! | `spawn:MODE:MARKER` | starts descendants that are hard to catch, see `adversary` |
//! | `spawn:MODE:MARKER:FIFO` | the same; all of them keep the FIFO open for writing |
//!
//! An unknown word, or one that fails, ends the program with status 64 and a line on stderr.

#![forbid(unsafe_code)]

mod adversary;

use std::fs::{self, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::Duration;
use std::{env, process, thread};

use rustix::process::{Signal, getpid, getppid, kill_process};

/// The status of a script that cannot be run (`EX_USAGE`).
const USAGE: u8 = 64;

fn main() -> ExitCode {
    let words: Vec<String> = env::args().skip(1).collect();
    if let Some(part) = adversary::part(&words) {
        return part;
    }
    for (index, word) in words.iter().enumerate() {
        let rest = words.get(index + 1..).unwrap_or_default();
        match step(word, rest) {
            Ok(None) => {}
            Ok(Some(code)) => return code,
            Err(error) => {
                let _ = writeln!(io::stderr(), "scripted-hook: `{word}`: {error}");
                return ExitCode::from(USAGE);
            }
        }
    }
    ExitCode::SUCCESS
}

/// Runs one word. Returns the status to end with, if it ends the program.
fn step(word: &str, rest: &[String]) -> io::Result<Option<ExitCode>> {
    let (name, value) = word.split_once(':').unwrap_or((word, ""));
    let (mut stdin, mut out, mut err) = (io::stdin(), io::stdout(), io::stderr());
    match name {
        "noread" => {}
        "drain" => drop(io::copy(&mut stdin, &mut io::sink())?),
        "echo" => drop(io::copy(&mut stdin, &mut out)?),
        "save" => {
            let mut input = Vec::new();
            stdin.read_to_end(&mut input)?;
            fs::write(value, input)?;
        }
        "out" => out.write_all(value.as_bytes())?,
        "err" => err.write_all(value.as_bytes())?,
        "outhex" => out.write_all(&bytes(value)?)?,
        "errhex" => err.write_all(&bytes(value)?)?,
        "outbytes" => flood(&mut [&mut out], number(value)?)?,
        "errbytes" => flood(&mut [&mut err], number(value)?)?,
        "bothbytes" => flood(&mut [&mut out, &mut err], number(value)?)?,
        "sleep" => thread::sleep(Duration::from_millis(number(value)?)),
        "waitfile" => {
            while !Path::new(value).exists() {
                thread::sleep(Duration::from_millis(1));
            }
        }
        "append" => {
            let (path, text) = value.split_once(':').ok_or_else(|| invalid("PATH:TEXT"))?;
            let line = format!("{text}\n");
            let mut file = OpenOptions::new().create(true).append(true).open(path)?;
            file.write_all(line.as_bytes())?;
        }
        "env" => {
            for (name, value) in env::vars_os() {
                out.write_all(&[name.as_bytes(), b"=", value.as_bytes(), b"\n"].concat())?;
            }
        }
        "cwd" => out.write_all(env::current_dir()?.as_os_str().as_bytes())?,
        "fds" => out.write_all(descriptors()?.as_bytes())?,
        "pid" => out.write_all(process::id().to_string().as_bytes())?,
        "read" => match fs::read(value) {
            Ok(content) => out.write_all(&content)?,
            Err(error) => write!(out, "error: {error}")?,
        },
        "exit" => {
            // A status is what the operating system keeps of it.
            out.flush()?;
            process::exit(value.parse().map_err(|_| invalid("a number"))?);
        }
        "signal" => {
            out.flush()?;
            let number = value.parse().map_err(|_| invalid("a number"))?;
            let signal = Signal::from_named_raw(number).ok_or_else(|| invalid("a signal"))?;
            kill_process(getpid(), signal)?;
        }
        "killparent" => {
            let parent = getppid().ok_or_else(|| invalid("a visible parent"))?;
            kill_process(parent, Signal::KILL)?;
        }
        "ignore" if value == "TERM" => return Err(ignoring_term(rest)),
        "holdstdout" => adversary::hold_outputs(value)?,
        "spawn" => {
            let mut parts = value.splitn(3, ':');
            let (Some(mode), Some(marker)) = (parts.next(), parts.next()) else {
                return Err(invalid("MODE:MARKER"));
            };
            adversary::spawn(mode, marker, parts.next())?;
        }
        _ => return Err(invalid("a known word")),
    }
    out.flush()?;
    Ok(None)
}

fn invalid(wanted: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, format!("expected {wanted}"))
}

fn number(text: &str) -> io::Result<u64> {
    text.parse().map_err(|_| invalid("a number"))
}

fn bytes(hex: &str) -> io::Result<Vec<u8>> {
    let digits = hex.as_bytes().chunks(2);
    digits
        .map(|pair| {
            let pair = str::from_utf8(pair).map_err(|_| invalid("hexadecimal digits"))?;
            u8::from_str_radix(pair, 16).map_err(|_| invalid("hexadecimal digits"))
        })
        .collect()
}

/// Writes `count` bytes to each output, a block to each in turn.
fn flood(outputs: &mut [&mut dyn Write], count: u64) -> io::Result<()> {
    let block = [b'x'; 16 * 1024];
    let mut left = count;
    while left > 0 {
        let length = block
            .len()
            .min(usize::try_from(left).unwrap_or(block.len()));
        for output in &mut *outputs {
            output.write_all(block.get(..length).unwrap_or_default())?;
        }
        left -= length as u64;
    }
    Ok(())
}

/// The open descriptors, one a line, without the one that lists them.
fn descriptors() -> io::Result<String> {
    let listed: Vec<_> = fs::read_dir("/proc/self/fd")?
        .filter_map(|entry| Some(entry.ok()?.file_name()))
        .collect();
    let mut lines = String::new();
    for name in listed {
        let still_open = Path::new("/proc/self/fd").join(&name).symlink_metadata();
        if let (Ok(_), Some(name)) = (still_open, name.to_str()) {
            lines.push_str(name);
            lines.push('\n');
        }
    }
    Ok(lines)
}

/// Goes on with the rest of the script with SIGTERM ignored, which is inherited over an exec.
/// Returns only when that fails.
fn ignoring_term(rest: &[String]) -> io::Error {
    let myself = match env::current_exe() {
        Ok(path) => path,
        Err(error) => return error,
    };
    Command::new("/bin/sh")
        .args(["-c", "trap '' TERM; exec \"$0\" \"$@\""])
        .arg(myself)
        .args(rest)
        .exec()
}
