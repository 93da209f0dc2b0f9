//! The levels of containment and which of them this machine offers.

use std::fmt;
use std::path::Path;
use std::str::FromStr;
use std::sync::OnceLock;

use crate::{Abort, Command, End, Limits, Stage, StartError, cgroup, run};

/// How the descendants of a program are held together, so that none of them outlives the run.
///
/// The order is the ladder, the strongest first. What a level promises:
///
/// | level | no survivor after the run | after a SIGKILL of the caller | needs |
/// | --- | --- | --- | --- |
/// | `PidNamespace` | always | always | `CAP_SYS_ADMIN` |
/// | `UserPidNamespace` | always | always | unprivileged user namespaces |
/// | `Cgroup` | unless a descendant moves itself to another cgroup, if it may, and kills the supervisor | unless a descendant kills the supervisor or keeps it stopped | a writable cgroup v2, `/proc/…/children` |
/// | `Subreaper` | unless a descendant kills the supervisor | likewise | `/proc/…/children` |
/// | `Group` | only members of the program's process group | likewise | nothing |
///
/// A supervisor that a descendant has stopped is made to go on when the run is to end, and once
/// more when the caller is gone. As long as it is stopped again, the caller itself kills what is
/// below it. `Cgroup` and `Subreaper` need a `/proc` of the caller's own PID namespace.
///
/// In a namespace the program has another process id than `/proc`, which stays that of the
/// system, shows for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Containment {
    /// A PID namespace. Set-user-id programs keep working.
    PidNamespace,
    /// A PID namespace inside a user namespace that knows only the caller's own user and group, so
    /// that set-user-id programs lose their effect and the caller's memory is out of reach.
    UserPidNamespace,
    /// A cgroup of its own, ended with `cgroup.kill`.
    Cgroup,
    /// A supervisor that adopts every orphan and kills until it has no child left.
    Subreaper,
    /// The process group of the program. Best effort: a descendant that leaves it survives.
    Group,
}

impl Containment {
    /// The whole ladder, the strongest level first.
    pub const LADDER: [Self; 5] = [
        Self::PidNamespace,
        Self::UserPidNamespace,
        Self::Cgroup,
        Self::Subreaper,
        Self::Group,
    ];

    /// The name used in settings and on screens.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::PidNamespace => "pid-namespace",
            Self::UserPidNamespace => "user-pid-namespace",
            Self::Cgroup => "cgroup",
            Self::Subreaper => "subreaper",
            Self::Group => "group",
        }
    }

    /// Whether every descendant is ended, however it detached itself. False only for
    /// [`Group`](Self::Group).
    pub const fn is_full(self) -> bool {
        !matches!(self, Self::Group)
    }

    /// Whether the supervisor is the first process of a PID namespace.
    pub(crate) const fn is_namespace(self) -> bool {
        matches!(self, Self::PidNamespace | Self::UserPidNamespace)
    }

    /// Whether the supervisor adopts orphans without a namespace.
    pub(crate) const fn adopts(self) -> bool {
        matches!(self, Self::Cgroup | Self::Subreaper)
    }
}

impl fmt::Display for Containment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A name that is not one of the levels.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "unknown containment `{0}`: use pid-namespace, user-pid-namespace, cgroup, subreaper or group"
)]
pub struct ParseContainmentError(String);

impl FromStr for Containment {
    type Err = ParseContainmentError;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Self::LADDER
            .into_iter()
            .find(|level| level.as_str() == name)
            .ok_or_else(|| ParseContainmentError(name.to_owned()))
    }
}

/// Whether one level works here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Probe {
    /// The level that was tried.
    pub level: Containment,
    /// `Ok` if it works, else the step that the operating system refused.
    pub result: Result<(), StartError>,
}

/// Tries every level with a start of its own and reports them, the strongest first. About 100 µs
/// each. Also ends and removes cgroups that runs of dead processes have left.
pub fn probe() -> Vec<Probe> {
    Containment::LADDER
        .into_iter()
        .map(|level| Probe {
            level,
            result: try_level(level),
        })
        .collect()
}

/// The strongest level that works here. Tried once per process with real starts, then remembered.
/// Where nothing works it is [`Group`](Containment::Group), and runs report why they fail.
pub fn strongest() -> Containment {
    static STRONGEST: OnceLock<Containment> = OnceLock::new();
    *STRONGEST.get_or_init(|| {
        Containment::LADDER
            .into_iter()
            .find(|level| try_level(*level).is_ok())
            .unwrap_or(Containment::Group)
    })
}

/// Starts a directory as a program: every step of the level is taken, and the last one, executing
/// it, is refused. So no program is needed and none runs.
fn try_level(level: Containment) -> Result<(), StartError> {
    if level == Containment::Cgroup {
        cgroup::sweep();
    }
    let root = Path::new("/");
    let command = Command {
        program: root,
        args: &[],
        cwd: root,
        env: &[],
        stdin: &[],
        limits: Limits::default(),
        containment: level,
    };
    let abort = Abort::new().map_err(|error| StartError::Other {
        stage: Stage::Prepare,
        errno: error.raw_os_error().unwrap_or_default(),
    })?;
    match run(&command, &abort).end {
        End::NotStarted(StartError::NotExecutable { .. }) => Ok(()),
        End::NotStarted(error) => Err(error),
        _ => Err(StartError::Other {
            stage: Stage::Report,
            errno: libc::ETIME,
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ladder_is_ordered_and_named() {
        assert!(Containment::LADDER.is_sorted());
        for level in Containment::LADDER {
            assert_eq!(level.to_string().parse(), Ok(level));
        }
        assert!("docker".parse::<Containment>().is_err());
    }
}
