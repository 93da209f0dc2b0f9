//! Why a program could not be started, in words a person can act on.

use std::ffi::OsStr;
use std::io::{self, Read as _};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::{fmt, fs};

use rustix::fs::Access;

use crate::Command;

/// Why a program could not be started.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// No file has this path.
    #[error("program {} does not exist; check the path", program.display())]
    NotFound {
        /// The program as given.
        program: PathBuf,
    },
    /// There is something at this path that cannot be executed.
    #[error("program {} cannot be executed: {why}", program.display())]
    NotExecutable {
        /// The program as given.
        program: PathBuf,
        /// What is in the way.
        why: NotExecutable,
    },
    /// The working directory cannot be entered.
    #[error("working directory {} cannot be entered: {}; check that it exists", cwd.display(), os(*errno))]
    Cwd {
        /// The directory as given.
        cwd: PathBuf,
        /// The operating system's error number.
        errno: i32,
    },
    /// A path, argument or environment entry holds a NUL byte, or a variable's name is empty or
    /// holds `=`.
    #[error("{what} cannot be passed to a program: {problem}; remove it")]
    Unpassable {
        /// Which part of the command.
        what: String,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// The operating system refused one step of the start.
    #[error("start failed while {stage}: {}", os(*errno))]
    Other {
        /// The step that failed.
        stage: Stage,
        /// The operating system's error number.
        errno: i32,
    },
}

/// What keeps an existing path from being executed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NotExecutable {
    /// No execute permission for this user.
    #[error("no execute permission; try `chmod +x`")]
    Mode,
    /// A directory, or another file that is not a regular one.
    #[error("it is not a regular file; name the program itself")]
    NotAFile,
    /// The first line names an interpreter that cannot be executed.
    #[error("its first line names the interpreter {}, which does not exist or cannot be executed; \
             correct that line", .0.display().to_string().escape_debug())]
    Interpreter(PathBuf),
    /// A binary whose loader is missing.
    #[error("the loader it was linked for does not exist on this system; install or rebuild it")]
    Loader,
    /// Neither a known binary format nor an interpreter line.
    #[error("it is neither a binary for this machine nor a script with a `#!` first line")]
    Format,
    /// A directory on the way, or the file system (`noexec`), does not permit it.
    #[error("permission denied on the way to it or by its file system")]
    Denied,
}

macro_rules! stages {
    ($($(#[$doc:meta])* $name:ident = $code:literal, $text:literal;)*) => {
        /// A step of a start.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[non_exhaustive]
        pub enum Stage { $($(#[$doc])* $name,)* }

        impl Stage {
            /// The number of the step in messages of the supervisor; never 0.
            pub(crate) const fn code(self) -> u8 {
                match self { $(Self::$name => $code,)* }
            }

            /// The step with this number.
            pub(crate) const fn from_code(code: u8) -> Option<Self> {
                match code { $($code => Some(Self::$name),)* _ => None }
            }
        }

        impl fmt::Display for Stage {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(match self { $(Self::$name => $text,)* })
            }
        }
    };
}

stages! {
    /// Creating pipes and memory for the run.
    Prepare = 1, "creating pipes and memory";
    /// Starting the thread that creates processes.
    Thread = 2, "starting the spawner thread";
    /// Creating the supervisor process with its namespaces.
    Clone = 3, "creating the supervisor process";
    /// Arranging descriptors.
    Descriptors = 4, "arranging descriptors";
    /// Mapping the own user and group into the user namespace.
    IdMap = 5, "mapping user and group into the user namespace";
    /// Becoming the one who adopts orphans.
    Subreaper = 6, "preparing to adopt orphans";
    /// Creating the cgroup or moving into it.
    Cgroup = 7, "entering a cgroup";
    /// Creating the program's process.
    Fork = 8, "creating the program's process";
    /// Leaving the caller's session and terminal.
    Session = 9, "starting a session";
    /// Entering the working directory.
    Chdir = 10, "entering the working directory";
    /// Executing the program.
    Exec = 11, "executing the program";
    /// Waiting for the supervisor's report, which never came.
    Report = 12, "waiting for the supervisor's report";
}

/// The operating system's words for an error number.
fn os(errno: i32) -> io::Error {
    io::Error::from_raw_os_error(errno)
}

impl StartError {
    /// The words for a failed step of `command`. What is wrong with the program is looked up now,
    /// so it is a best guess where the file system has changed meanwhile.
    pub(crate) fn diagnose(command: &Command<'_>, stage: Stage, errno: i32) -> Self {
        match stage {
            Stage::Chdir => Self::Cwd {
                cwd: command.cwd.to_owned(),
                errno,
            },
            Stage::Exec => Self::diagnose_exec(command, errno),
            _ => Self::Other { stage, errno },
        }
    }

    fn diagnose_exec(command: &Command<'_>, errno: i32) -> Self {
        let program = command.program.to_owned();
        let path = command.cwd.join(command.program);
        let why = match (errno, fs::metadata(&path)) {
            (libc::ENOENT | libc::ENOTDIR, Err(_)) => return Self::NotFound { program },
            (libc::ENOENT | libc::EACCES, Ok(found)) if found.is_file() => {
                let script = interpreter(&path);
                match script {
                    _ if found.permissions().mode() & 0o111 == 0 => NotExecutable::Mode,
                    Some(interpreter) if !executable(&interpreter) => {
                        NotExecutable::Interpreter(interpreter)
                    }
                    _ if errno == libc::ENOENT => NotExecutable::Loader,
                    _ if rustix::fs::access(&path, Access::EXEC_OK).is_err() => NotExecutable::Mode,
                    _ => NotExecutable::Denied,
                }
            }
            (libc::EACCES, Ok(_)) => NotExecutable::NotAFile,
            (libc::EACCES, Err(_)) => NotExecutable::Denied,
            (libc::ENOEXEC | libc::ELIBBAD, _) => NotExecutable::Format,
            _ => {
                return Self::Other {
                    stage: Stage::Exec,
                    errno,
                };
            }
        };
        Self::NotExecutable { program, why }
    }
}

/// The interpreter that the first line of a regular file names. A carriage return before the line
/// end belongs to the name, as it does for the kernel.
fn interpreter(path: &Path) -> Option<PathBuf> {
    let mut head = Vec::new();
    fs::File::open(path)
        .ok()?
        .take(MAX_FIRST_LINE)
        .read_to_end(&mut head)
        .ok()?;
    let line = head
        .strip_prefix(b"#!")?
        .split(|byte| *byte == b'\n')
        .next()?;
    let name = line
        .split(|byte| matches!(byte, b' ' | b'\t'))
        .find(|word| !word.is_empty())?;
    Some(PathBuf::from(OsStr::from_bytes(name)))
}

/// How much of a first line the kernel reads (`BINPRM_BUF_SIZE`).
const MAX_FIRST_LINE: u64 = 256;

fn executable(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|found| found.is_file())
        && rustix::fs::access(path, Access::EXEC_OK).is_ok()
}
