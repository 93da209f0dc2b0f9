//! Programs that cannot be started.

use std::fs::{self, File, OpenOptions};
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use hookward_process::{Abort, Cleanup, End, NotExecutable, Stage, StartError};
use hookward_testkit::scripted_hook;

use crate::support::{Run, levels, wait_until};

fn file(folder: &Path, name: &str, content: &[u8], mode: u32) -> PathBuf {
    let path = folder.join(name);
    fs::write(&path, content).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
    path
}

fn not_executable(program: &Path, why: NotExecutable) -> StartError {
    StartError::NotExecutable {
        program: program.to_owned(),
        why,
    }
}

#[test]
fn each_reason_has_a_name() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let missing = folder.join("missing");
    let plain = file(folder, "plain", b"#!/bin/sh\nexit 0\n", 0o644);
    let lost = file(folder, "lost", b"#!/gone/interpreter -x\n", 0o755);
    let windows = file(folder, "windows", b"#!/bin/sh\r\nexit 0\r\n", 0o755);
    let text = file(folder, "text", b"exit 0\n", 0o755);
    let below_file = plain.join("program");
    let rows = [
        (missing.clone(), StartError::NotFound { program: missing }),
        (
            below_file.clone(),
            StartError::NotFound {
                program: below_file,
            },
        ),
        (plain.clone(), not_executable(&plain, NotExecutable::Mode)),
        (
            folder.to_owned(),
            not_executable(folder, NotExecutable::NotAFile),
        ),
        (
            lost.clone(),
            not_executable(
                &lost,
                NotExecutable::Interpreter("/gone/interpreter".into()),
            ),
        ),
        (
            windows.clone(),
            not_executable(&windows, NotExecutable::Interpreter("/bin/sh\r".into())),
        ),
        (text.clone(), not_executable(&text, NotExecutable::Format)),
    ];
    for level in levels() {
        for (program, expected) in &rows {
            let finished = Run::program(program, &[]).at(*level).stdin("x").run();
            assert_eq!(finished.end, End::NotStarted(expected.clone()), "{level}");
            assert_eq!(finished.cleanup, Cleanup::Confirmed);
            assert!(finished.duration.is_zero());
        }
    }
    let interpreter = not_executable(&windows, NotExecutable::Interpreter("/bin/sh\r".into()));
    assert!(
        interpreter.to_string().contains(r"/bin/sh\r"),
        "{interpreter}"
    );
}

#[test]
fn a_missing_directory_is_not_a_missing_program() {
    for level in levels() {
        let mut run = Run::script(&["exit:0"]).at(*level);
        run.cwd = "/nowhere/at/all".into();
        let expected = StartError::Cwd {
            cwd: run.cwd.clone(),
            errno: libc::ENOENT,
        };
        assert_eq!(run.run().end, End::NotStarted(expected), "{level}");
    }
}

#[test]
fn texts_with_a_nul_are_refused() {
    let mut runs = [
        Run::program("/bin/s\0h", &[]),
        Run::script(&["out:a", "out:b\0c"]),
        Run::script(&[]),
        Run::script(&[]),
        Run::script(&[]),
    ];
    runs[2].cwd = "/\0".into();
    runs[3].env = vec![("A".into(), "b\0".into())];
    runs[4].env = vec![("A=B".into(), "c".into())];
    let named = [
        "program's path",
        "argument 2",
        "directory",
        "variable \"A\"",
        "variable \"A=B\"",
    ];
    for (run, name) in runs.iter().zip(named) {
        let End::NotStarted(error @ StartError::Unpassable { .. }) = run.run().end else {
            panic!("{name} was accepted");
        };
        assert!(error.to_string().contains(name), "{error}");
    }
}

#[test]
fn arguments_beyond_the_systems_limit_are_an_error() {
    let finished = Run::script(&["out:x", &"x".repeat(8 << 20)]).run();
    let expected = StartError::Other {
        stage: Stage::Exec,
        errno: libc::E2BIG,
    };
    assert_eq!(finished.end, End::NotStarted(expected));
}

/// Case B209: an executable that was just written may be held open by a sibling that is between
/// fork and exec.
#[test]
fn b209_a_fresh_executable_starts_among_other_starts() {
    let folder = tempfile::tempdir().unwrap();
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                while !stop.load(Ordering::Relaxed) {
                    let mut child = std::process::Command::new("/bin/sh");
                    let _ = child.args(["-c", ":"]).status();
                }
            });
            scope.spawn(|| {
                while !stop.load(Ordering::Relaxed) {
                    let _ = Run::shell(":").run();
                }
            });
        }
        let ends: Vec<_> = (0..100)
            .map(|round| {
                let name = format!("fresh-{round}");
                let program = file(folder.path(), &name, b"#!/bin/sh\nexit 2\n", 0o755);
                Run::program(program, &[]).run().end
            })
            .collect();
        stop.store(true, Ordering::Relaxed);
        assert!(ends.iter().all(|end| *end == End::Exited(2)), "{ends:?}");
    });
}

/// A copy of the scripted hook that somebody has open for writing.
fn busy_program(folder: &Path, name: &str) -> (PathBuf, File) {
    let program = folder.join(name);
    fs::copy(scripted_hook(), &program).unwrap();
    let writer = OpenOptions::new().append(true).open(&program).unwrap();
    (program, writer)
}

#[test]
fn b209_a_busy_executable_is_tried_again() {
    let folder = tempfile::tempdir().unwrap();
    let mut round = 0;
    // The first attempt must come before the file is let go, which the loop makes sure of.
    wait_until("a start that was repeated", || {
        round += 1;
        let (program, mut writer) = busy_program(folder.path(), &format!("busy-{round}"));
        let finished = std::thread::scope(|scope| {
            let running = scope.spawn(|| Run::program(&program, &["exit:2"]).run());
            writer.flush().unwrap();
            std::thread::sleep(std::time::Duration::from_millis(10));
            drop(writer);
            running.join().unwrap()
        });
        assert_eq!(finished.end, End::Exited(2));
        finished.start_retries > 0
    });
}

#[test]
fn b209_an_executable_that_stays_busy_is_given_up() {
    let folder = tempfile::tempdir().unwrap();
    let (program, _writer) = busy_program(folder.path(), "busy");
    let finished = Run::program(&program, &["exit:0"]).run();
    let busy = StartError::Other {
        stage: Stage::Exec,
        errno: libc::ETXTBSY,
    };
    assert_eq!(finished.end, End::NotStarted(busy));
    assert!(finished.start_retries > 0);
    let abort = Abort::new().unwrap();
    abort.abort();
    assert_eq!(
        Run::program(&program, &[]).run_until(&abort).end,
        End::Aborted
    );
}
