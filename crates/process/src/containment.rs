//! The levels of containment and which of them this machine offers.

use std::fmt;
use std::str::FromStr;

/// How the descendants of a program are held together, so that none of them outlives the run.
///
/// The order is the ladder, the strongest first. What a level promises:
///
/// | level | no survivor after the run | after a SIGKILL of the caller | needs |
/// | --- | --- | --- | --- |
/// | `PidNamespace` | always | always | `CAP_SYS_ADMIN` |
/// | `UserPidNamespace` | always | always | unprivileged user namespaces |
/// | `Cgroup` | unless a descendant may move itself to another cgroup | unless the supervisor is killed too | a writable cgroup v2 |
/// | `Subreaper` | unless a descendant kills the supervisor | likewise | `/proc/…/children` |
/// | `Group` | only members of the program's process group | likewise | nothing |
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
