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
    /// Options whose value is a file that is written.
    pub(crate) writes: &'static [&'static str],
    /// Operands before the command: a duration, a mask, a user.
    pub(crate) skip: usize,
    /// What the words after that are.
    pub(crate) rest: Rest,
    /// Whether it starts a shell where there is no command.
    pub(crate) shell: bool,
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
    writes: &[],
    skip: 0,
    rest: Rest::Command,
    shell: false,
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
        shell: true,
        ..PLAIN
    },
    Wrapper {
        name: "doas",
        values: &["-u", "-C", "-a"],
        flags: &["-n", "-s", "-L"],
        shell: true,
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
        values: &["-f", "--format"],
        writes: &["-o", "--output"],
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
        shell: true,
        values: &["--userspec", "--groups"],
        flags: &["--skip-chdir"],
        skip: 1,
        ..PLAIN
    },
    Wrapper {
        name: "unshare",
        shell: true,
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
        shell: true,
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
        shell: true,
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
        shell: true,
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
        shell: true,
        text: &["-c"],
        skip: 1,
        rest: Rest::Joined,
        ..PLAIN
    },
    Wrapper {
        name: "strace",
        values: &[
            "-e", "-p", "-s", "-u", "-E", "-a", "-O", "-S", "-P", "-I", "-b", "-U", "-X",
        ],
        writes: &["-o", "--output"],
        flags: &[
            "-f", "-ff", "-F", "-c", "-C", "-d", "-i", "-k", "-n", "-q", "-qq", "-r", "-t", "-tt",
            "-ttt", "-T", "-v", "-w", "-x", "-xx", "-y", "-yy", "-z", "-Z",
        ],
        ..PLAIN
    },
    Wrapper {
        name: "ltrace",
        values: &["-e", "-p", "-s", "-u", "-a", "-l", "-n", "-x"],
        writes: &["-o", "--output"],
        flags: &["-f", "-c", "-C", "-i", "-r", "-S", "-t", "-T"],
        ..PLAIN
    },
    Wrapper {
        name: "valgrind",
        writes: &["--log-file", "--xml-file"],
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
        values: &["-e", "-r", "-F", "-C", "-p"],
        writes: &["-o", "--output"],
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
            "-s",
            "--server-args",
            "-p",
            "--xauth-protocol",
            "-w",
            "--wait",
        ],
        writes: &["-f", "--auth-file", "-e", "--error-file"],
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
        name: "newgrp",
        flags: &["-"],
        skip: 1,
        rest: Rest::Nothing,
        shell: true,
        ..PLAIN
    },
    Wrapper {
        name: "i386",
        flags: &["-R", "-v", "-F", "-X"],
        ..PLAIN
    },
    Wrapper {
        name: "x86_64",
        flags: &["-R", "-v", "-F", "-X"],
        ..PLAIN
    },
    Wrapper {
        name: "ld.so",
        values: &["--library-path", "--preload", "--audit", "--argv0"],
        flags: &["--inhibit-cache", "--list", "--verify"],
        ..PLAIN
    },
    Wrapper {
        name: "chronic",
        flags: &["-e", "-v"],
        ..PLAIN
    },
    Wrapper {
        name: "systemd-cat",
        values: &["-t", "--identifier", "-p", "--priority"],
        ..PLAIN
    },
    Wrapper {
        name: "daemonize",
        values: &["-c", "-e", "-o", "-p", "-l", "-u", "-E"],
        flags: &["-a", "-v"],
        ..PLAIN
    },
    Wrapper {
        name: "dtach",
        flags: &["-A", "-c", "-n", "-N", "-E", "-z"],
        values: &["-r", "-e"],
        skip: 1,
        ..PLAIN
    },
    Wrapper {
        name: "abduco",
        flags: &["-A", "-c", "-n", "-f", "-p", "-q", "-r", "-l"],
        values: &["-e"],
        skip: 1,
        ..PLAIN
    },
    Wrapper {
        name: "nq",
        flags: &["-c", "-q", "-t", "-w"],
        ..PLAIN
    },
    Wrapper {
        name: "tsp",
        values: &["-L", "-D", "-N", "-S"],
        flags: &["-n", "-g", "-f", "-m", "-d", "-B", "-E"],
        ..PLAIN
    },
    Wrapper {
        name: "openvt",
        values: &["-c", "--console"],
        flags: &["-f", "-s", "-w", "-l", "-v", "-u"],
        ..PLAIN
    },
    Wrapper {
        name: "dotenv",
        values: &["-e", "-v", "-p", "-f"],
        flags: &["-c", "-o"],
        ..PLAIN
    },
    Wrapper {
        name: "env-cmd",
        values: &["-f", "--file", "-r", "--rc-file", "-e", "--environments"],
        flags: &["--silent", "--verbose", "--no-override"],
        ..PLAIN
    },
    Wrapper {
        name: "cross-env",
        rest: Rest::AssignmentsAndCommand,
        ..PLAIN
    },
    Wrapper {
        name: "cross-env-shell",
        rest: Rest::Joined,
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
    // The loader of programs goes by the names of machines.
    let name = match name.split(['-', '.']).next() {
        Some("ld") if name.contains(".so") => "ld.so",
        _ => name,
    };
    WRAPPERS.iter().find(|wrapper| wrapper.name == name)
}
