//! Options that stand between a program and its subcommand, and which of them take a value.
//!
//! Taken from the manuals of the programs. A program that is not in the table may have options of
//! any kind, so what follows one of them may be its value.

use crate::effect::Arg;
use crate::pattern::Operand;

/// Program, options with a value in the next word, options without.
struct Row(
    &'static str,
    &'static [&'static str],
    &'static [&'static str],
);

/// Programs whose global options are known.
const PROGRAMS: &[Row] = &[
    Row(
        "git",
        &[
            "-C",
            "-c",
            "--git-dir",
            "--work-tree",
            "--namespace",
            "--super-prefix",
            "--config-env",
            "--attr-source",
            "--exec-path",
            "--list-cmds",
        ],
        &[
            "-p",
            "-P",
            "--paginate",
            "--no-pager",
            "--bare",
            "--no-replace-objects",
            "--no-lazy-fetch",
            "--no-optional-locks",
            "--no-advice",
            "--literal-pathspecs",
            "--glob-pathspecs",
            "--noglob-pathspecs",
            "--icase-pathspecs",
            "--html-path",
            "--man-path",
            "--info-path",
            "--version",
            "--help",
            "-v",
            "-h",
        ],
    ),
    Row(
        "gh",
        &["-R", "--repo", "--hostname"],
        &["--help", "--version"],
    ),
    Row(
        "docker",
        &[
            "-H",
            "--host",
            "-c",
            "--context",
            "--config",
            "-l",
            "--log-level",
            "--tlscacert",
            "--tlscert",
            "--tlskey",
        ],
        &["-D", "--debug", "--tls", "--tlsverify", "-v", "--version"],
    ),
    Row(
        "podman",
        &[
            "-c",
            "--connection",
            "--log-level",
            "--root",
            "--runroot",
            "--url",
            "--identity",
            "--storage-driver",
            "--storage-opt",
            "--tmpdir",
            "--module",
        ],
        &["-r", "--remote", "--syslog", "-v", "--version"],
    ),
    Row(
        "kubectl",
        &[
            "-n",
            "--namespace",
            "--context",
            "--cluster",
            "--user",
            "--kubeconfig",
            "-s",
            "--server",
            "--token",
            "--as",
            "--as-group",
            "--as-uid",
            "--cache-dir",
            "--certificate-authority",
            "--client-certificate",
            "--client-key",
            "--profile",
            "--profile-output",
            "--request-timeout",
            "--tls-server-name",
            "-v",
            "--v",
        ],
        &[
            "--insecure-skip-tls-verify",
            "--match-server-version",
            "--warnings-as-errors",
            "--help",
        ],
    ),
    Row(
        "helm",
        &[
            "-n",
            "--namespace",
            "--kube-context",
            "--kubeconfig",
            "--kube-apiserver",
            "--kube-as-user",
            "--kube-token",
            "--registry-config",
            "--repository-cache",
            "--repository-config",
        ],
        &["--debug", "--help"],
    ),
    Row(
        "terraform",
        &[],
        &["-help", "-version", "--help", "--version"],
    ),
    Row("tofu", &[], &["-help", "-version", "--help", "--version"]),
    Row(
        "aws",
        &[
            "--profile",
            "--region",
            "--endpoint-url",
            "--output",
            "--query",
            "--color",
            "--ca-bundle",
            "--cli-read-timeout",
            "--cli-connect-timeout",
            "--cli-binary-format",
        ],
        &[
            "--debug",
            "--no-verify-ssl",
            "--no-paginate",
            "--no-sign-request",
            "--no-cli-pager",
            "--version",
        ],
    ),
    Row(
        "gcloud",
        &[
            "--project",
            "--account",
            "--configuration",
            "--format",
            "--verbosity",
            "--impersonate-service-account",
            "--billing-project",
            "--access-token-file",
            "--flags-file",
            "--flatten",
        ],
        &[
            "-q",
            "--quiet",
            "--log-http",
            "--user-output-enabled",
            "-h",
            "--help",
        ],
    ),
    Row(
        "cargo",
        &[
            "--color",
            "-C",
            "-Z",
            "--config",
            "--manifest-path",
            "--lockfile-path",
        ],
        &[
            "-v",
            "-vv",
            "--verbose",
            "-q",
            "--quiet",
            "--frozen",
            "--locked",
            "--offline",
            "-V",
            "--version",
            "--list",
            "-h",
            "--help",
        ],
    ),
    Row(
        "npm",
        &[
            "--prefix",
            "-C",
            "-w",
            "--workspace",
            "--loglevel",
            "--registry",
            "--userconfig",
            "--cache",
            "--tag",
            "--otp",
            "--access",
        ],
        &[
            "-g",
            "--global",
            "-s",
            "--silent",
            "-d",
            "--verbose",
            "--workspaces",
            "-ws",
            "--dry-run",
            "-f",
            "--force",
            "-y",
            "--yes",
            "--version",
            "-v",
            "-h",
            "--help",
        ],
    ),
    Row(
        "pnpm",
        &[
            "-C",
            "--dir",
            "-F",
            "--filter",
            "--loglevel",
            "--registry",
            "--reporter",
        ],
        &[
            "-r",
            "--recursive",
            "-w",
            "--workspace-root",
            "-s",
            "--silent",
            "--color",
            "--no-color",
        ],
    ),
    Row(
        "yarn",
        &["--cwd", "--mutex", "--registry"],
        &["-s", "--silent", "--verbose"],
    ),
    Row(
        "systemctl",
        &[
            "-H",
            "--host",
            "-M",
            "--machine",
            "-t",
            "--type",
            "-p",
            "--property",
            "--root",
            "-s",
            "--signal",
        ],
        &[
            "--user",
            "--system",
            "--global",
            "-q",
            "--quiet",
            "--no-block",
            "--now",
            "-f",
            "--force",
            "--no-pager",
        ],
    ),
    Row(
        "apt-get",
        &[
            "-o",
            "--option",
            "-c",
            "--config-file",
            "-t",
            "--target-release",
        ],
        &[
            "-y",
            "--yes",
            "-q",
            "--quiet",
            "-qq",
            "-s",
            "--simulate",
            "-f",
            "--fix-broken",
            "--no-install-recommends",
        ],
    ),
    Row(
        "pip",
        &[
            "--python",
            "--log",
            "--proxy",
            "--retries",
            "--timeout",
            "--cache-dir",
            "--cert",
        ],
        &[
            "-q",
            "--quiet",
            "-v",
            "--verbose",
            "--isolated",
            "--no-input",
            "--no-color",
        ],
    ),
];

/// Other names of programs in the table.
const SAME: &[(&str, &str)] = &[
    ("apt", "apt-get"),
    ("pip3", "pip"),
    ("oc", "kubectl"),
    ("nerdctl", "docker"),
    ("hub", "git"),
];

fn row(program: &str) -> Option<&'static Row> {
    let same = SAME.iter().find(|(other, _)| *other == program);
    let program = same.map_or(program, |(_, name)| name);
    PROGRAMS.iter().find(|row| row.0 == program)
}

/// Whether a word is an option of the program that takes a value.
pub(crate) fn is_value_option(program: &str, word: &str) -> bool {
    row(program).is_some_and(|row| row.1.contains(&word))
}

/// The arguments that are no options, with those that may be values of options marked. Everything
/// after `--` is an operand. Options after the first operand belong to a subcommand that no table
/// knows, so their values are marked, too.
pub(crate) fn operands<'a>(program: &str, args: &'a [Arg]) -> Vec<Operand<'a>> {
    let row = row(program);
    let mut operands: Vec<Operand<'a>> = Vec::new();
    let mut after = After::Nothing;
    let mut options_end = false;
    for (at, arg) in args.iter().enumerate() {
        let option = match arg {
            Arg::Known(text) if !options_end => text.starts_with('-') && text.len() > 1,
            _ => false,
        };
        if !option {
            // Text that is not known may be more words than the option takes.
            let more = at + 1 == args.len() && arg.known().is_none();
            if after == After::ValueOption && !more {
                after = After::Nothing;
                continue;
            }
            let maybe_value = after == After::UnknownOption;
            operands.push(Operand { arg, maybe_value });
            after = After::Nothing;
            continue;
        }
        let text = arg.shown();
        if text == "--" {
            options_end = true;
            after = After::Nothing;
            continue;
        }
        // An option takes the next word whatever that looks like.
        if after == After::ValueOption {
            after = After::Nothing;
            continue;
        }
        after = match row {
            _ if text.contains('=') => After::Nothing,
            Some(row) if operands.is_empty() && row.1.contains(&text) => After::ValueOption,
            Some(row) if operands.is_empty() && row.2.contains(&text) => After::Nothing,
            _ => After::UnknownOption,
        };
    }
    operands
}

/// What the word before was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum After {
    Nothing,
    /// An option that takes a value.
    ValueOption,
    /// An option of which it is not known whether it takes one.
    UnknownOption,
}
