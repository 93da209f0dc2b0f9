//! Why a program could not be started, in words a person can act on.

use std::fmt;
use std::io;
use std::path::PathBuf;

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
             correct the line (it must end in a plain newline)", .0.display())]
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

/// A step of a start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Stage {
    /// Creating pipes and memory for the run.
    Prepare,
    /// Starting the thread that starts programs.
    Thread,
    /// Creating the supervisor process (with its namespaces).
    Clone,
    /// Arranging the descriptors of the supervisor.
    Descriptors,
    /// Mapping the own user and group into the user namespace.
    IdMap,
    /// Becoming the reaper of orphans.
    Subreaper,
    /// Creating the cgroup or moving into it.
    Cgroup,
    /// Creating the program's process.
    Fork,
    /// Leaving the caller's session and terminal.
    Session,
    /// Entering the working directory.
    Chdir,
    /// Executing the program.
    Exec,
    /// Waiting for the supervisor's report, which never came.
    Report,
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Prepare => "creating pipes and memory",
            Self::Thread => "starting the spawner thread",
            Self::Clone => "creating the supervisor process",
            Self::Descriptors => "arranging descriptors",
            Self::IdMap => "mapping user and group into the user namespace",
            Self::Subreaper => "becoming the reaper of orphans",
            Self::Cgroup => "entering a cgroup",
            Self::Fork => "creating the program's process",
            Self::Session => "starting a session",
            Self::Chdir => "entering the working directory",
            Self::Exec => "executing the program",
            Self::Report => "waiting for the supervisor's report",
        })
    }
}

/// The operating system's words for an error number.
fn os(errno: i32) -> io::Error {
    io::Error::from_raw_os_error(errno)
}
