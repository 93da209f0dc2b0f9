//! Running scripts of the scripted hook, at any level.

use std::fs::File;
use std::io::{ErrorKind, Read as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use hookward_process::{Abort, Command, Containment, Finished, Limits, probe, run};
use hookward_testkit::scripted_hook;

/// Far longer than anything takes, and a bound if something hangs.
pub(crate) const LONG: Duration = Duration::from_secs(60);

/// One run, to be changed where a test differs.
pub(crate) struct Run {
    pub(crate) program: PathBuf,
    pub(crate) args: Vec<String>,
    pub(crate) cwd: PathBuf,
    pub(crate) env: Vec<(String, String)>,
    pub(crate) stdin: Vec<u8>,
    pub(crate) limits: Limits,
    pub(crate) level: Containment,
}

impl Run {
    pub(crate) fn program(program: impl AsRef<Path>, args: &[&str]) -> Self {
        Self {
            program: program.as_ref().to_owned(),
            args: args.iter().map(|word| (*word).to_owned()).collect(),
            cwd: PathBuf::from("/"),
            env: Vec::new(),
            stdin: Vec::new(),
            limits: Limits {
                timeout: LONG,
                kill_wait: Duration::from_secs(20),
                ..Limits::default()
            },
            level: hookward_process::strongest(),
        }
    }

    pub(crate) fn script(words: &[&str]) -> Self {
        Self::program(scripted_hook(), words)
    }

    pub(crate) fn shell(script: &str) -> Self {
        Self::program("/bin/sh", &["-c", script])
    }

    pub(crate) fn stdin(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.stdin = bytes.into();
        self
    }

    pub(crate) fn at(mut self, level: Containment) -> Self {
        self.level = level;
        self
    }

    pub(crate) fn limits(mut self, change: impl FnOnce(&mut Limits)) -> Self {
        change(&mut self.limits);
        self
    }

    pub(crate) fn run(&self) -> Finished {
        self.run_until(&Abort::new().unwrap())
    }

    pub(crate) fn run_until(&self, abort: &Abort) -> Finished {
        let command = Command {
            program: &self.program,
            args: &self.args,
            cwd: &self.cwd,
            env: &self.env,
            stdin: &self.stdin,
            limits: self.limits,
            containment: self.level,
        };
        run(&command, abort)
    }
}

/// The levels that work here. Said once, so that a log shows what was tested.
pub(crate) fn levels() -> &'static [Containment] {
    static LEVELS: OnceLock<Vec<Containment>> = OnceLock::new();
    LEVELS.get_or_init(|| {
        let probes = probe();
        for probe in &probes {
            match &probe.result {
                Ok(()) => eprintln!("{}: available", probe.level),
                Err(error) => eprintln!("{}: {error}", probe.level),
            }
        }
        let works = probes.into_iter().filter(|probe| probe.result.is_ok());
        let levels: Vec<_> = works.map(|probe| probe.level).collect();
        assert!(levels.contains(&Containment::Group));
        levels
    })
}

/// The levels that promise to leave no survivor.
pub(crate) fn full_levels() -> impl Iterator<Item = Containment> {
    levels().iter().copied().filter(|level| level.is_full())
}

/// Waits until the condition holds, and fails if it does not for far too long.
#[track_caller]
pub(crate) fn wait_until(what: &str, mut condition: impl FnMut() -> bool) {
    let until = Instant::now() + LONG;
    while !condition() {
        assert!(Instant::now() < until, "{what} did not come");
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// A FIFO that descendants keep open for writing: whether one of them lives is certain, however
/// fast they change.
pub(crate) struct Lifeline {
    path: PathBuf,
    reader: File,
    _folder: tempfile::TempDir,
}

impl Lifeline {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lifeline");
        rustix::fs::mknodat(
            rustix::fs::CWD,
            &path,
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR,
            0,
        )
        .unwrap();
        let mut options = File::options();
        options.read(true).custom_flags(libc::O_NONBLOCK);
        let reader = options.open(&path).unwrap();
        Self {
            path,
            reader,
            _folder: folder,
        }
    }

    pub(crate) fn path(&self) -> &str {
        self.path.to_str().unwrap()
    }

    /// Whether a process has it open for writing.
    pub(crate) fn is_held(&self) -> bool {
        match (&self.reader).read(&mut [0]) {
            Ok(0) => false,
            Err(error) if error.kind() == ErrorKind::WouldBlock => true,
            other => panic!("nothing is ever written: {other:?}"),
        }
    }
}
