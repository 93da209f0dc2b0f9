//! One program in two roles: the stub that stands for every program that a shell script may start,
//! and, under the name `runner`, the process that runs scripts one after the other.
//!
//! The folder of the program's parent is the sandbox: `stub/` and `bin/` hold links to this program,
//! `log` what stubs were started, `fixture/` what a script finds in its directory.
//!
//! The runner reads requests from its standard input, and answers each on its standard output:
//! a request is the search path and the script, an answer the log and the changed files. All four
//! are a length of four bytes, little endian, and that many bytes. A record of the log has the
//! directory and the arguments, program first, separated by NUL.

#![forbid(unsafe_code)]

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};
use std::{env, thread};

use rustix::io::Errno;
use rustix::process::{
    Pid, Resource, Rlimit, Signal, WaitOptions, getpid, kill_process_group, set_child_subreaper,
    setrlimit, wait,
};

/// The directory of the script that runs: deep, so that `cd ..` stays within the sandbox.
const WORK: &str = "1/2/3/4/5/6/work";
/// How long a script may take.
const PATIENCE: Duration = Duration::from_secs(2);
/// Most bytes of a request.
const MAX_REQUEST: usize = 1 << 20;

fn main() -> ExitCode {
    let args: Vec<Vec<u8>> = env::args_os().map(|arg| arg.as_bytes().to_vec()).collect();
    let called = args.first().map_or(&[][..], Vec::as_slice);
    let name = called.rsplit(|byte| *byte == b'/').next();
    let name = name.unwrap_or_default();
    let done = if name == b"runner" {
        serve()
    } else {
        record(&args).map(|()| speak(name))
    };
    match done {
        Ok(()) if name.starts_with(b"fail") => ExitCode::FAILURE,
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(io::stderr(), "shell-sandbox: {error}");
            ExitCode::from(64)
        }
    }
}

/// The sandbox's folder; without `/proc` it is the root.
fn sandbox() -> PathBuf {
    let program = env::current_exe().ok();
    let folder = program.as_deref().and_then(|path| path.parent()?.parent());
    folder.map_or_else(|| PathBuf::from("/"), Path::to_owned)
}

/// Adds this start to the log in one write.
fn record(args: &[Vec<u8>]) -> io::Result<()> {
    let mut record = env::current_dir()?.as_os_str().as_bytes().to_vec();
    for arg in args {
        record.push(0);
        record.extend(arg);
    }
    let mut log = OpenOptions::new()
        .append(true)
        .open(sandbox().join("log"))?;
    log.write_all(&framed(&record))
}

/// Some stubs print something, for substitutions and pipes.
fn speak(name: &[u8]) {
    let text: &[u8] = match name {
        b"word" => b"push\n",
        b"two" => b"git push\n",
        // The name that stands for every new temporary file.
        b"mktemp" => b"/tmp/tmp.XXXXXXXXXX\n",
        b"lines" => b"one\ntwo three\n",
        _ => return,
    };
    // Nobody may read it.
    let _ = io::stdout().write_all(text);
}

fn framed(bytes: &[u8]) -> Vec<u8> {
    let length = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
    [&length.to_le_bytes(), bytes].concat()
}

/// The next frame, or `None` at the end.
fn frame(input: &mut impl Read) -> io::Result<Option<Vec<u8>>> {
    let mut length = [0; 4];
    match input.read_exact(&mut length) {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        other => other?,
    }
    let length = u32::from_le_bytes(length) as usize;
    if length > MAX_REQUEST {
        return Err(io::Error::new(
            io::ErrorKind::InvalidData,
            "a request too long",
        ));
    }
    let mut bytes = vec![0; length];
    input.read_exact(&mut bytes)?;
    Ok(Some(bytes))
}

fn serve() -> io::Result<()> {
    set_child_subreaper(Some(getpid()))?;
    for (resource, most) in [
        (Resource::Fsize, 1 << 20),
        (Resource::Nproc, 512),
        (Resource::As, 2 << 30),
        (Resource::Core, 0),
    ] {
        let limit = Rlimit {
            current: Some(most),
            maximum: Some(most),
        };
        setrlimit(resource, limit)?;
    }
    let root = sandbox();
    let (mut input, mut output) = (io::stdin().lock(), io::stdout().lock());
    while let (Some(search), Some(script)) = (frame(&mut input)?, frame(&mut input)?) {
        let work = root.join(WORK);
        fresh(&root.join("fixture"), &work)?;
        File::create(root.join("log"))?;
        let before = files(&work)?;
        run(&root, &work, &search, &script)?;
        let after = files(&work)?;
        let changed = after
            .iter()
            .filter(|(path, stamp)| before.get(*path) != Some(stamp));
        let changed: Vec<&[u8]> = changed
            .map(|(path, _)| path.as_os_str().as_bytes())
            .collect();
        output.write_all(&framed(&fs::read(root.join("log"))?))?;
        output.write_all(&framed(&changed.join(&0)))?;
        output.flush()?;
    }
    Ok(())
}

/// Makes `work` a copy of `fixture`.
fn fresh(fixture: &Path, work: &Path) -> io::Result<()> {
    match fs::remove_dir_all(work) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => fs::create_dir_all(work)?,
    }
    for entry in fs::read_dir(fixture)? {
        let entry = entry?;
        let to = work.join(entry.file_name());
        let kind = entry.file_type()?;
        if kind.is_dir() {
            fresh(&entry.path(), &to)?;
        } else if kind.is_symlink() {
            std::os::unix::fs::symlink(fs::read_link(entry.path())?, to)?;
        } else {
            fs::copy(entry.path(), to)?;
        }
    }
    Ok(())
}

/// What tells one state of a file from another.
type Stamp = (u64, u64, i64, i64);

/// All files below a folder.
fn files(folder: &Path) -> io::Result<BTreeMap<PathBuf, Stamp>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            found.append(&mut files(&entry.path())?);
        } else {
            let meta = entry.metadata()?;
            let stamp = (meta.ino(), meta.size(), meta.mtime(), meta.mtime_nsec());
            found.insert(entry.path(), stamp);
        }
    }
    Ok(found)
}

/// Runs one script and waits until nothing that it started is left.
fn run(root: &Path, work: &Path, search: &[u8], script: &[u8]) -> io::Result<()> {
    let search: Vec<_> = search.split(|byte| *byte == b':').collect();
    let search: Vec<_> = search
        .iter()
        .map(|folder| root.join(std::ffi::OsStr::from_bytes(folder)))
        .collect();
    let search = env::join_paths(search).map_err(io::Error::other)?;
    let child = Command::new("/bin/bash")
        .args(["--norc", "--noprofile", "-c"])
        .arg(std::ffi::OsStr::from_bytes(script))
        .env_clear()
        .env("PATH", search)
        .env("HOME", work.join("home"))
        .env("GIVEN", "git push")
        .env("LC_ALL", "C.UTF-8")
        .current_dir(work)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .process_group(0)
        .spawn()?;
    let group = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    let end = Instant::now() + PATIENCE;
    let mut pause = Duration::from_micros(200);
    loop {
        match wait(WaitOptions::NOHANG) {
            Err(Errno::CHILD) => return Ok(()),
            Err(error) => return Err(error.into()),
            Ok(Some(_)) => {}
            Ok(None) if Instant::now() < end => {
                thread::sleep(pause);
                pause = (pause * 2).min(Duration::from_millis(2));
            }
            Ok(None) if Instant::now() < end + PATIENCE => {
                kill_all(group);
                thread::sleep(pause);
            }
            Ok(None) => return Err(io::Error::other("a script left processes that stay")),
        }
    }
}

/// Ends what a script started: in a process namespace of its own all others, else the group.
fn kill_all(group: Option<Pid>) {
    if getpid().is_init() {
        // The group of the first process stands for everything in the namespace but itself.
        let _ = kill_process_group(getpid(), Signal::KILL);
    } else if let Some(group) = group {
        let _ = kill_process_group(group, Signal::KILL);
    }
}
