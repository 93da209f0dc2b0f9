//! What a shell holds while a text runs, and how a policy against `git push` sees it.

mod support;

use support::Verdict::{Allow, Ask, Deny};
use support::all;

/// What a child of the shell gets of its variables.
#[test]
fn exported_variables() {
    all(
        Deny,
        &[
            "export p=push; bash -c 'git $p'",
            "p=status; p=push bash -c 'git $p'",
            "p=push; declare -x p; p=push; bash -c 'git $p'",
            "set -a; p=push; bash -c 'git $p'",
            "p=push eval 'git $p'",
            "f() { git $p; }; p=status; p=push f",
            "env p=push bash -c 'git $p'",
        ],
    );
    all(
        Ask,
        &[
            "p=status; bash -c 'git $p'",
            "export p; unset p; p=status; bash -c 'git $p'",
            "if x; then export p; fi; p=status; bash -c 'git $p'",
        ],
    );
    all(
        Allow,
        &["p=push; p=status eval 'git $p'", "p=push :; git status"],
    );
}

/// Values that are other ones than what is assigned.
#[test]
fn attributes_and_special_variables() {
    all(
        Ask,
        &[
            "declare -u p; p=push; git $p",
            "declare -i p; p=1+1; git $p",
            "readonly p=status; p=push; git $p",
            "_=status; git $_",
            "PWD=status; cd d1; git $PWD",
            "p=status; q=p=push; ((q)); git $p",
            "local p=status; git $p",
            "exec {p}> f; git $p",
            "p=; git ${p-push}",
            "shopt -s lastpipe; p=status; echo push | read p; git $p",
            "set -k; git status",
            "f() { unset p; p=push; }; p=status; f; git $p",
        ],
    );
    all(
        Deny,
        &[
            "x='push a'; local y=$x z; git push",
            "set -e push; git $1",
            "set push; git $1",
        ],
    );
}

/// Loops and functions are left on many ways.
#[test]
fn leaving_early() {
    all(
        Ask,
        &[
            "p=status; for i in 1; do p=push; break; p=status; done; git $p",
            "p=status; for i in 1; do p=push; continue; p=status; done; git $p",
            "p=status; while :; do p=push; break; p=status; done; git $p",
            "f() { p=push; return; p=status; }; f; git $p",
            "f() { for p in push; do return; done; p=status; }; f; git $p",
        ],
    );
}

/// What runs later runs with what is in force then.
#[test]
fn traps_and_hooks() {
    all(
        Deny,
        &[
            "trap f EXIT; f() { git push; }",
            "trap \"trap 'git push' EXIT\" EXIT",
            "command_not_found_handle() { git push; }; nosuch",
        ],
    );
    all(
        Ask,
        &[
            "trap 'git $p' EXIT; p=push",
            "trap '$p' DEBUG; p='git push'; :",
        ],
    );
    all(Allow, &["trap 'git status' EXIT; f() { git push; }"]);
}

/// Which function a name is depends on the way that led there.
#[test]
fn functions_that_may_be_others() {
    all(
        Deny,
        &[
            "if x; then f() { git push; }; else f() { git status; }; fi; f",
            "env() { :; }; unset -f env; env git push",
            "git() { :; }; env git push",
            "git() { :; }; command git push",
            "x && git() { :; }; git push",
            "git() { :; }; bash -c 'git push'",
            "f() { bash; } <<< 'git push'; f",
            "f() { bash <<E; }; f\ngit push\nE",
        ],
    );
    all(Allow, &["git() { :; }; git push"]);
}

/// Standard input is read by whoever comes first.
#[test]
fn standard_input_is_read_once() {
    all(
        Ask,
        &[
            "{ read x; bash; } <<E\n: '\ngit push\n: '\nE",
            "{ (read x); bash; } <<< 'git status'",
        ],
    );
    all(
        Deny,
        &[
            "exec <<< 'git push'; bash",
            "{ echo x; bash; } <<< 'git push'",
        ],
    );
}

/// Other shells read some texts in another way.
#[test]
fn shells_that_are_not_bash() {
    all(
        Ask,
        &[
            "sh -c '((git push))'",
            "sh -c '[[ a && git push ]]'",
            "sh -c $'function f {\\ngit push\\n}'",
            "sh -c 'git {push,}'",
            "sh -c \"alias g='git push'\ng\"",
            "bash --posix -c \"alias g='git push'\ng\"",
        ],
    );
    all(
        Deny,
        &[
            "env -S 'git push'",
            "env -S git push",
            "env -S 'git -C x' push",
        ],
    );
    all(Ask, &["env -S 'git\\_push'"]);
}

/// A script that the text writes is not the one that is there now.
#[test]
fn scripts_that_are_written_first() {
    let files = support::Disk::new().script("/w/ok.sh", "git status");
    for command in [
        "echo 'git push' > ok.sh; bash ok.sh",
        "for i in 1 2; do ./ok.sh; echo 'git push' > ok.sh; done",
        "f=$(word); echo x > $f; . ./ok.sh",
        "cp other ok.sh && sh ok.sh",
    ] {
        assert_eq!(files.exec_verdict("git push", command), Ask, "{command}");
    }
    for command in ["bash ok.sh > out", "echo x > /tmp/out; ./ok.sh"] {
        assert_eq!(
            files.exec_verdict("git push", command),
            support::Verdict::Allow,
            "{command}"
        );
    }
}
