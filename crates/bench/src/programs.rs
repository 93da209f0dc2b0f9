//! The programs that are measured, built in the release profile, and the plain way to run one.

use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use crate::error::BenchError;
use crate::samples::nanoseconds;

/// Where the programs are.
#[derive(Debug)]
pub(crate) struct Programs {
    /// The product.
    pub(crate) hookward: PathBuf,
    /// A program that does nothing.
    pub(crate) empty: PathBuf,
    /// The scripted hook of the test kit.
    pub(crate) scripted: PathBuf,
}

impl Programs {
    /// Builds what is not built yet.
    pub(crate) fn build() -> Result<Self, BenchError> {
        Ok(Self {
            hookward: build("hookward", concat!(env!("CARGO_MANIFEST_DIR"), "/../cli"))?,
            empty: build("hookward-bench-empty", env!("CARGO_MANIFEST_DIR"))?,
            scripted: build(
                "scripted-hook",
                concat!(env!("CARGO_MANIFEST_DIR"), "/../testkit"),
            )?,
        })
    }
}

fn build(program: &'static str, package: &str) -> Result<PathBuf, BenchError> {
    let built = escargot::CargoBuild::new()
        .manifest_path(Path::new(package).join("Cargo.toml"))
        .bin(program)
        .release()
        .arg("--locked")
        .run();
    let built = built.map_err(|source| BenchError::Build { program, source })?;
    Ok(built.path().to_owned())
}

/// One way to run a program.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Start<'a> {
    pub(crate) program: &'a Path,
    pub(crate) args: &'a [String],
    pub(crate) cwd: &'a Path,
    pub(crate) env: &'a [(String, String)],
    pub(crate) stdin: &'a [u8],
}

/// What a program did, and the nanoseconds from before its start to after its end.
#[derive(Debug)]
pub(crate) struct Plain {
    pub(crate) nanoseconds: f64,
    /// Exit status; `None` after a signal.
    pub(crate) exit: Option<i32>,
    pub(crate) stdout: Vec<u8>,
}

/// Runs a program by the standard library, which uses `posix_spawn` here: three pipes, the payload
/// written, both outputs read to their end, a wait; no containment, no deadline.
///
/// Fit for programs that read their input before they write much: one output is read after the
/// other.
pub(crate) fn run_plain(start: Start<'_>) -> Result<Plain, BenchError> {
    let failed = || BenchError::io(format!("running {}", start.program.display()));
    let began = Instant::now();
    let mut child = Command::new(start.program)
        .args(start.args)
        .current_dir(start.cwd)
        .env_clear()
        .envs(start.env.iter().map(|(name, value)| (name, value)))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(failed())?;
    if let Some(mut stdin) = child.stdin.take() {
        // A program need not read its input.
        let _ = stdin.write_all(start.stdin);
    }
    let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
    if let Some(mut pipe) = child.stdout.take() {
        pipe.read_to_end(&mut stdout).map_err(failed())?;
    }
    if let Some(mut pipe) = child.stderr.take() {
        pipe.read_to_end(&mut stderr).map_err(failed())?;
    }
    let status = child.wait().map_err(failed())?;
    Ok(Plain {
        nanoseconds: nanoseconds(began.elapsed()),
        exit: status.code(),
        stdout,
    })
}
