//! Programs that run the command that follows their own options: `sudo git push`.
//!
//! From the manuals of coreutils, util-linux, sudo and the other programs.

/// How a program finds the command that it runs.
pub(crate) struct Wrapper {
    pub(crate) name: &'static str,
    /// Options with a value in the next word.
    pub(crate) values: &'static [&'static str],
    /// Options without a value.
    pub(crate) flags: &'static [&'static str],
    /// Options whose value is the directory in which the command runs.
    pub(crate) directory: &'static [&'static str],
    /// Options whose value is text that a shell runs.
    pub(crate) text: &'static [&'static str],
    /// Operands before the command: a duration, a mask, a user.
    pub(crate) skip: usize,
    /// What the words after that are.
    pub(crate) rest: Rest,
}

/// What follows the options of a wrapper.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rest {
    /// Program and arguments.
    Command,
    /// Assignments, then program and arguments.
    AssignmentsAndCommand,
    /// Words that a shell runs, joined by blanks.
    Joined,
    /// Nothing that is run.
    Nothing,
}

const PLAIN: Wrapper = Wrapper {
    name: "",
    values: &[],
    flags: &[],
    directory: &[],
    text: &[],
    skip: 0,
    rest: Rest::Command,
};

/// All wrappers.
pub(crate) const WRAPPERS: &[Wrapper] = &[
    Wrapper {
        name: "sudo",
        values: &[
            "-u",
            "--user",
            "-g",
            "--group",
            "-h",
            "--host",
            "-p",
            "--prompt",
            "-C",
            "--close-from",
            "-r",
            "--role",
            "-t",
            "--type",
            "-T",
            "--command-timeout",
            "-U",
            "--other-user",
            "-R",
            "--chroot",
            "-a",
            "--auth-type",
            "-c",
            "--login-class",
        ],
        flags: &[
            "-A",
            "--askpass",
            "-b",
            "--background",
            "-B",
            "--bell",
            "-E",
            "--preserve-env",
            "-H",
            "--set-home",
            "-i",
            "--login",
            "-k",
            "-K",
            "-n",
            "--non-interactive",
            "-P",
            "--preserve-groups",
            "-S",
            "--stdin",
            "-s",
            "--shell",
            "-v",
            "-V",
            "-l",
            "--list",
            "-N",
            "--no-update",
        ],
        directory: &["-D", "--chdir"],
        rest: Rest::AssignmentsAndCommand,
        ..PLAIN
    },
    Wrapper {
        name: "doas",
        values: &["-u", "-C", "-a"],
        flags: &["-n", "-s", "-L"],
        ..PLAIN
    },
    Wrapper {
        name: "pkexec",
        values: &["--user"],
        flags: &["--disable-internal-agent", "--keep-cwd"],
        ..PLAIN
    },
    Wrapper {
        name: "env",
        values: &["-u", "--unset", "-a", "--argv0"],
        flags: &[
            "-i",
            "--ignore-environment",
            "-0",
            "--null",
            "-v",
            "--debug",
            "--default-signal",
            "--ignore-signal",
            "--block-signal",
            "--list-signal-handling",
            "-",
        ],
        directory: &["-C", "--chdir"],
        text: &["-S", "--split-string"],
        rest: Rest::AssignmentsAndCommand,
        ..PLAIN
    },
    Wrapper {
        name: "nohup",
        ..PLAIN
    },
    Wrapper {
        name: "timeout",
        values: &["-s", "--signal", "-k", "--kill-after"],
        flags: &[
            "-f",
            "--foreground",
            "-p",
            "--preserve-status",
            "-v",
            "--verbose",
        ],
        skip: 1,
        ..PLAIN
    },
    Wrapper {
        name: "nice",
        values: &["-n", "--adjustment"],
        ..PLAIN
    },
    Wrapper {
        name: "ionice",
        values: &[
            "-c",
            "--class",
            "-n",
            "--classdata",
            "-p",
            "--pid",
            "-P",
            "--pgid",
            "-u",
            "--uid",
        ],
        flags: &["-t", "--ignore"],
        ..PLAIN
    },
    Wrapper {
        name: "chrt",
        values: &[
            "-T",
            "-P",
            "-D",
            "--sched-runtime",
            "--sched-period",
            "--sched-deadline",
        ],
        flags: &["-a", "-b", "-f", "-i", "-o", "-r", "-R", "-v", "-d"],
        skip: 1,
        ..PLAIN
    },
    Wrapper {
        name: "taskset",
        flags: &["-a", "--all-tasks", "-c", "--cpu-list"],
        skip: 1,
        ..PLAIN
    },
    Wrapper {
        name: "numactl",
        values: &["-m", "-i", "-C", "-N", "-p", "-l"],
        ..PLAIN
    },
    Wrapper {
        name: "setsid",
        flags: &["-c", "--ctty", "-f", "--fork", "-w", "--wait"],
        ..PLAIN
    },
    Wrapper {
        name: "stdbuf",
        values: &["-i", "--input", "-o", "--output", "-e", "--error"],
        ..PLAIN
    },
    Wrapper {
        name: "time",
        values: &["-f", "--format", "-o", "--output"],
        flags: &[
            "-p",
            "--portability",
            "-a",
            "--append",
            "-v",
            "--verbose",
            "-q",
            "--quiet",
        ],
        ..PLAIN
    },
    Wrapper {
        name: "chroot",
        values: &["--userspec", "--groups"],
        flags: &["--skip-chdir"],
        skip: 1,
        ..PLAIN
    },
    Wrapper {
        name: "unshare",
        values: &[
            "-S",
            "--setuid",
            "-G",
            "--setgid",
            "-R",
            "--root",
            "--propagation",
            "--setgroups",
            "--map-user",
            "--map-group",
            "--map-users",
            "--map-groups",
            "--boottime",
            "--monotonic",
        ],
        flags: &[
            "-m",
            "--mount",
            "-u",
            "--uts",
            "-i",
            "--ipc",
            "-n",
            "--net",
            "-p",
            "--pid",
            "-U",
            "--user",
            "-C",
            "--cgroup",
            "-T",
            "--time",
            "-f",
            "--fork",
            "-r",
            "--map-root-user",
            "-c",
            "--map-current-user",
            "--map-auto",
            "--keep-caps",
            "--kill-child",
            "--mount-proc",
        ],
        directory: &["-w", "--wd"],
        ..PLAIN
    },
    Wrapper {
        name: "nsenter",
        values: &[
            "-t",
            "--target",
            "-S",
            "--setuid",
            "-G",
            "--setgid",
            "-N",
            "--net-socket",
        ],
        flags: &[
            "-a",
            "--all",
            "-m",
            "-u",
            "-i",
            "-n",
            "-p",
            "-C",
            "-U",
            "-T",
            "-F",
            "--no-fork",
            "-e",
            "-r",
            "-Z",
        ],
        directory: &["-W", "--wdns"],
        ..PLAIN
    },
    Wrapper {
        name: "setpriv",
        values: &[
            "--reuid",
            "--regid",
            "--groups",
            "--inh-caps",
            "--ambient-caps",
            "--bounding-set",
            "--ruid",
            "--euid",
            "--rgid",
            "--egid",
            "--securebits",
            "--pdeathsig",
            "--selinux-label",
            "--apparmor-profile",
        ],
        flags: &[
            "--clear-groups",
            "--keep-groups",
            "--init-groups",
            "--no-new-privs",
            "--nnp",
            "--reset-env",
        ],
        ..PLAIN
    },
    Wrapper {
        name: "prlimit",
        values: &["-p", "--pid", "-o", "--output"],
        ..PLAIN
    },
    Wrapper {
        name: "flock",
        values: &["-w", "--wait", "--timeout", "-E", "--conflict-exit-code"],
        flags: &[
            "-e",
            "-x",
            "--exclusive",
            "-s",
            "--shared",
            "-n",
            "--nonblock",
            "--nb",
            "-o",
            "--close",
            "-F",
            "--no-fork",
            "-u",
            "--unlock",
            "--verbose",
        ],
        text: &["-c", "--command"],
        skip: 1,
        ..PLAIN
    },
    Wrapper {
        name: "watch",
        values: &["-n", "--interval", "-q", "--equexit", "-s", "--shotsdir"],
        flags: &[
            "-b",
            "--beep",
            "-c",
            "--color",
            "-d",
            "--differences",
            "-e",
            "--errexit",
            "-g",
            "--chgexit",
            "-p",
            "--precise",
            "-r",
            "-t",
            "--no-title",
            "-w",
            "--no-wrap",
            "-x",
            "--exec",
        ],
        rest: Rest::Joined,
        ..PLAIN
    },
    Wrapper {
        name: "su",
        values: &["-s", "--shell", "-g", "--group", "-G", "--supp-group", "-w"],
        flags: &[
            "-",
            "-l",
            "--login",
            "-f",
            "--fast",
            "-m",
            "-p",
            "--preserve-environment",
            "-P",
            "--pty",
        ],
        text: &["-c", "--command", "--session-command"],
        rest: Rest::Nothing,
        ..PLAIN
    },
    Wrapper {
        name: "runuser",
        values: &["-u", "--user", "-s", "--shell", "-g", "--group", "-G", "-w"],
        flags: &["-", "-l", "--login", "-f", "-m", "-p", "-P"],
        text: &["-c", "--command", "--session-command"],
        ..PLAIN
    },
    Wrapper {
        name: "gosu",
        skip: 1,
        ..PLAIN
    },
    Wrapper {
        name: "su-exec",
        skip: 1,
        ..PLAIN
    },
    Wrapper {
        name: "sg",
        text: &["-c"],
        skip: 1,
        rest: Rest::Joined,
        ..PLAIN
    },
    Wrapper {
        name: "strace",
        values: &[
            "-e", "-o", "-p", "-s", "-u", "-E", "-a", "-O", "-S", "-P", "-I", "-b", "-U", "-X",
        ],
        flags: &[
            "-f", "-ff", "-F", "-c", "-C", "-d", "-i", "-k", "-n", "-q", "-qq", "-r", "-t", "-tt",
            "-ttt", "-T", "-v", "-w", "-x", "-xx", "-y", "-yy", "-z", "-Z",
        ],
        ..PLAIN
    },
    Wrapper {
        name: "ltrace",
        values: &["-e", "-o", "-p", "-s", "-u", "-a", "-l", "-n", "-x"],
        flags: &["-f", "-c", "-C", "-i", "-r", "-S", "-t", "-T"],
        ..PLAIN
    },
    Wrapper {
        name: "valgrind",
        ..PLAIN
    },
    Wrapper {
        name: "gdb",
        flags: &["--args", "-q", "--quiet", "-batch", "--batch"],
        values: &["-x", "-p"],
        ..PLAIN
    },
    Wrapper {
        name: "perf",
        skip: 1,
        values: &["-e", "-o", "-r", "-F", "-C", "-p"],
        ..PLAIN
    },
    Wrapper {
        name: "systemd-run",
        values: &[
            "-p",
            "--property",
            "-u",
            "--unit",
            "-M",
            "--machine",
            "-H",
            "--host",
            "-E",
            "--setenv",
            "--slice",
            "--uid",
            "--gid",
            "--nice",
            "--description",
            "--on-active",
            "--on-calendar",
        ],
        flags: &[
            "--user",
            "--scope",
            "-t",
            "--pty",
            "-P",
            "--pipe",
            "-q",
            "--quiet",
            "-G",
            "--collect",
            "--wait",
            "-r",
            "--no-block",
            "-S",
            "--shell",
            "-d",
            "--same-dir",
        ],
        directory: &["--working-directory"],
        ..PLAIN
    },
    Wrapper {
        name: "systemd-inhibit",
        values: &["--what", "--who", "--why", "--mode"],
        ..PLAIN
    },
    Wrapper {
        name: "dbus-run-session",
        values: &["--config-file", "--dbus-daemon"],
        ..PLAIN
    },
    Wrapper {
        name: "dbus-launch",
        flags: &["--exit-with-session"],
        ..PLAIN
    },
    Wrapper {
        name: "xvfb-run",
        values: &[
            "-n",
            "--server-num",
            "-f",
            "--auth-file",
            "-e",
            "--error-file",
            "-s",
            "--server-args",
            "-p",
            "--xauth-protocol",
            "-w",
            "--wait",
        ],
        flags: &["-a", "--auto-servernum", "-l", "--listen-tcp"],
        ..PLAIN
    },
    Wrapper {
        name: "faketime",
        values: &["-f"],
        flags: &["-m"],
        skip: 1,
        ..PLAIN
    },
    Wrapper {
        name: "unbuffer",
        flags: &["-p"],
        ..PLAIN
    },
    Wrapper {
        name: "setarch",
        flags: &["-R", "-v", "-F", "-X"],
        ..PLAIN
    },
    Wrapper {
        name: "linux32",
        ..PLAIN
    },
    Wrapper {
        name: "linux64",
        ..PLAIN
    },
    Wrapper {
        name: "torsocks",
        ..PLAIN
    },
    Wrapper {
        name: "torify",
        ..PLAIN
    },
    Wrapper {
        name: "proxychains",
        values: &["-f"],
        flags: &["-q"],
        ..PLAIN
    },
    Wrapper {
        name: "proxychains4",
        values: &["-f"],
        flags: &["-q"],
        ..PLAIN
    },
    Wrapper {
        name: "firejail",
        ..PLAIN
    },
    Wrapper {
        name: "fakeroot",
        values: &["-l", "-s", "-i", "-b"],
        flags: &["-u"],
        ..PLAIN
    },
    Wrapper {
        name: "tini",
        values: &["-e", "-p"],
        flags: &["-s", "-v", "-g"],
        ..PLAIN
    },
    Wrapper {
        name: "dumb-init",
        values: &["-r", "--rewrite"],
        flags: &["-c", "-v"],
        ..PLAIN
    },
    Wrapper {
        name: "catchsegv",
        ..PLAIN
    },
    Wrapper {
        name: "caffeinate",
        values: &["-t", "-w"],
        flags: &["-d", "-i", "-m", "-s", "-u"],
        ..PLAIN
    },
    Wrapper {
        name: "chpst",
        values: &[
            "-u", "-U", "-e", "-/", "-n", "-l", "-L", "-m", "-d", "-o", "-p", "-f", "-c",
        ],
        ..PLAIN
    },
    Wrapper {
        name: "command",
        flags: &["-p"],
        ..PLAIN
    },
    Wrapper {
        name: "builtin",
        ..PLAIN
    },
    Wrapper {
        name: "exec",
        values: &["-a"],
        flags: &["-c", "-l"],
        ..PLAIN
    },
    Wrapper {
        name: "nocorrect",
        ..PLAIN
    },
    Wrapper {
        name: "noglob",
        ..PLAIN
    },
];

/// The wrapper of this name.
pub(crate) fn wrapper(name: &str) -> Option<&'static Wrapper> {
    WRAPPERS.iter().find(|wrapper| wrapper.name == name)
}
