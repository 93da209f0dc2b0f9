//! In a process of its own, since it changes a disposition and a limit of the process.

#![allow(clippy::unwrap_used)] // Here a failure is a failed test.

use std::fs::File;
use std::io::{ErrorKind, Write as _};
use std::path::Path;

use hookward_process::{
    Abort, Command, Containment, End, Limits, ignore_file_size_signal, probe, run,
};
use rustix::process::{Resource, getrlimit, setrlimit};

/// Far more than a log of a test has.
const LIMIT: u64 = 1 << 30;

/// A shell that appends to a file.
fn append(file: &Path, level: Containment) -> End {
    let args = ["-c", "printf x >>\"$0\"", file.to_str().unwrap()].map(str::to_owned);
    let command = Command {
        program: Path::new("/bin/sh"),
        args: &args,
        cwd: Path::new("/"),
        env: &[],
        stdin: &[],
        limits: Limits::default(),
        containment: level,
    };
    run(&command, &Abort::new().unwrap()).end
}

/// The signal that is ignored here ends a program that is run, as everywhere.
#[test]
fn a_file_beyond_the_limit_is_an_error_here_and_a_signal_in_programs() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("full");
    let mut file = File::options()
        .create(true)
        .append(true)
        .open(&path)
        .unwrap();
    file.set_len(LIMIT).unwrap();
    let mut limit = getrlimit(Resource::Fsize);
    limit.current = Some(LIMIT);
    setrlimit(Resource::Fsize, limit).unwrap();

    ignore_file_size_signal();
    let error = file.write(b"x").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::FileTooLarge);
    for probe in probe().iter().filter(|probe| probe.result.is_ok()) {
        let end = append(&path, probe.level);
        assert_eq!(end, End::Signaled(libc::SIGXFSZ), "{}", probe.level);
    }
}
