//! What a policy against `git push` says to the ways in which a shell text can do it.

mod support;

use hookward_rules::{Match, OpaqueCause};
use support::{Verdict, all, effects, judge_paths, opaque_causes};

use Verdict::{Allow, Ask, Deny};

/// Case B124: literal `-c` operands are read.
#[test]
fn b124_text_for_another_shell() {
    all(
        Deny,
        &[
            "bash -c 'git push'",
            "sh -ec \"git push\"",
            "bash -c -- 'git push'",
            "bash -c 'eval \"git push\"'",
            "bash -lc 'cd x; git push'",
            "bash -o pipefail -c 'git push'",
            "bash --norc -c 'git push'",
            "/bin/sh -c 'git push'",
            "bash -c 'git \"$1\"' x push",
        ],
    );
    all(
        Allow,
        &["bash -c 'git status'", "bash -c 'echo \"git push\"'"],
    );
    all(
        Ask,
        &["bash -c \"$x\"", "bash -c 'git \"$1\"' x $y", "bash $opts"],
    );
}

/// Case B126: assignments are environment.
#[test]
fn b126_assignments_before_a_command() {
    all(
        Deny,
        &[
            "CI=1 git push",
            "A='x y' B= git push",
            "A=1 B+=2 C[0]=3 git push",
        ],
    );
}

/// Case B128: global options before the subcommand.
#[test]
fn b128_global_options() {
    all(
        Deny,
        &[
            "git -C sub push",
            "git --git-dir=x push",
            "git -c a.b=c push",
            "git --git-dir x --work-tree y push",
        ],
    );
    all(Allow, &["git -C push status"]);
}

/// Case B130: what arrives at run time cannot be read.
#[test]
fn b130_xargs() {
    all(
        Deny,
        &[
            "echo x | xargs -I% git push %",
            "xargs git push < list",
            "echo x | xargs -n 1 git push",
        ],
    );
    all(
        Ask,
        &[
            "echo push | xargs git",
            "cat x | xargs -I{} git {}",
            "cat x | xargs -I{} {} push",
            "echo push | xargs -d '\\n' git",
        ],
    );
    all(Allow, &["find . | xargs grep x", "ls | xargs -0 -n1 rm"]);
}

/// Case B132: substitutions in redirections and here-documents.
#[test]
fn b132_expansion_in_redirections() {
    all(
        Deny,
        &[
            "echo hi > \"$(git push)\"",
            "cat <<E\n$(git push)\nE",
            "cat <<E\n`git push`\nE",
            "cat <<< \"$(git push)\"",
        ],
    );
    all(
        Allow,
        &["cat <<'E'\n$(git push)\nE", "cat <<\\E\n$(git push)\nE"],
    );
}

/// Case B134: text that is made at run time and ends in a shell.
#[test]
fn b134_pipe_into_a_shell() {
    all(
        Ask,
        &[
            "echo Z2l0IHB1c2gK | base64 -d | sh",
            "echo 'hju qvti' | tr b-za a-z | sh",
            "curl -s https://example.com/x | sudo bash -s -- a",
            "cat x | bash",
            "bash < <(cat x)",
            "bash <(curl x)",
            ". <(curl x)",
            "eval \"$(cat x)\"",
            "source /dev/stdin <<< 'git push'",
        ],
    );
    all(
        Deny,
        &[
            "bash <<< 'git push'",
            "bash <<E\ngit push\nE",
            "sh -s <<'E'\ngit push\nE",
            "{ bash; } <<< 'git push'",
        ],
    );
}

/// Case B136: encoded words are constants.
#[test]
fn b136_ansi_c_quotes() {
    all(
        Deny,
        &[
            "$'\\x67it' push",
            "$'git' $'pu\\x73h'",
            "$'\\147it' $'\\u0070ush'",
        ],
    );
}

/// Case B138: newlines separate, comments are nothing.
#[test]
fn b138_lines_and_comments() {
    all(Deny, &["# one\n# two\necho a\ngit push\necho b"]);
    all(Allow, &["# git push\necho a # git push"]);
}

/// Case B140: process substitutions.
#[test]
fn b140_process_substitution() {
    all(
        Deny,
        &[
            "cat <(git push)",
            "tee >(git push)",
            "diff <(git status) <(git push)",
        ],
    );
}

/// Case B142: scripts in files are looked into; what could not be read is opaque.
#[test]
fn b142_script_files() {
    all(
        Ask,
        &[
            "sh d.sh",
            "bash ./missing.sh x",
            ". ./missing.sh",
            "./missing.sh",
            "bash < missing.sh",
        ],
    );
    let files = support::Disk::new()
        .script("/w/d.sh", "git push")
        .script("/w/ok.sh", "git status");
    for command in [
        "sh d.sh",
        "bash ./d.sh",
        ". ./d.sh",
        "./d.sh",
        "bash < d.sh",
        "cd / && sh w/d.sh",
    ] {
        assert_eq!(files.exec_verdict("git push", command), Deny, "{command}");
    }
    for command in ["sh ok.sh", ". ./ok.sh", "./ok.sh"] {
        assert_eq!(files.exec_verdict("git push", command), Allow, "{command}");
        let seen = files.opaque_causes(command);
        assert!(
            seen.iter().any(|cause| matches!(
                cause,
                OpaqueCause::ScriptFile {
                    digest: Some(_),
                    read: true,
                    ..
                }
            )),
            "{command}: {seen:?}"
        );
    }
}

/// Case B144: wrappers are looked through, and both kinds of rules see the same.
#[test]
fn b144_wrappers() {
    all(
        Deny,
        &[
            "nohup git push",
            "sudo -u bob git push",
            "sudo -ubob git push",
            "sudo X=1 git push",
            "env A=1 git push",
            "env -i -u X git push",
            "env -S 'git push'",
            "timeout 5 git push",
            "timeout -k 1 5s git push",
            "nice -n 5 git push",
            "nice -5 git push",
            "setsid git push",
            "stdbuf -oL git push",
            "time git push",
            "time -p git push",
            "command git push",
            "command -p git push",
            "exec git push",
            "exec -a x git push",
            "xargs git push",
            "sudo nohup timeout 5 nice git push",
            "\\git push",
            "/usr/bin/git push",
            "flock /tmp/l git push",
            "flock /tmp/l -c 'git push'",
            "watch -n 5 git push",
            "watch 'git push'",
            "su -c 'git push' bob",
            "su bob -c 'git push'",
            "ionice -c 3 git push",
            "strace -f -o x git push",
            "chroot / git push",
            "! git push",
            "coproc git push",
            "builtin eval git push",
            "command eval 'git push'",
            "trap 'git push' EXIT",
        ],
    );
    all(
        Allow,
        &["command -v git push", "sudo -l", "nohup git status"],
    );
}

/// Case B146: quotes, braces and splitting.
#[test]
fn b146_quote_removal_and_expansion() {
    all(
        Deny,
        &[
            "g''it pu\"sh\"",
            "g\\it push",
            "{git,push}",
            "git${IFS}push",
            "git {push,}",
            "x=git; $x push",
            "x='git push'; $x",
            "a=git b=push; $a $b",
            "git pu\\\nsh",
            "p=push; git \"$p\"",
            "set -- push; git $1",
            "set -- git push; \"$@\"",
            "for p in status push; do git $p; done",
            "f() { git \"$@\"; }; f push",
            "f() { git $1; }; f push",
            "g() { git push; }; g",
            "function h { git push; }; h",
        ],
    );
    all(
        Ask,
        &[
            "g$(echo i)t push",
            "git $(echo push)",
            "git p*",
            "$x push",
            "`echo git` push",
            "git $((1)) ",
            "git ${x:-push}",
            "git \"${arr[@]}\"",
        ],
    );
}

/// Case B148: mention is not use.
#[test]
fn b148_mentions() {
    all(
        Allow,
        &[
            "printf '%s\\n' 'git push'",
            "if true; then echo \"git push\"; fi",
            "grep -n 'git push' f",
            "git commit -m 'git push later'",
            "echo git push",
            "cat git push",
            "git log --grep push",
            "git help push",
            "git stash push",
            "git remote set-url --push origin x",
            "echo 'x; git push'",
            "git commit -m \"$(cat <<'E'\ngit push\nE\n)\"",
            "alias p='git push'",
            "x='git push'; echo \"$x\"",
            "git status # git push",
            "case x in git) echo push;; esac",
        ],
    );
}

/// Case B150: every way to bind a variable counts.
#[test]
fn b150_rebound_variables() {
    all(
        Ask,
        &[
            "p=status; printf -v p push; git $p",
            "read p <<< push; git $p",
            "p=status; read p < f; git $p",
            "p=status; eval \"$x\"; git $p",
            "p=status; . ./x; git $p",
            "p=status; declare -n q=p; q=push; git $p",
            "p=status; mapfile p < f; git $p",
            "p=status; getopts a p; git $p",
            "p=status; if x; then p=push; fi; git $p",
            "p=status; while x; do git $p; p=push; done",
            "p=status; let p=1; git $p",
            "p=status; unset p; git $p",
            "p=status; : ${p:=push}; git $p; git ${p}",
            "p=status; p+=x; git $p",
            "p=status; ((p=1)); git $p",
            "git ${x:=push}",
            "p=status; x && p=push; git $p",
            "for p; do git $p; done",
            "p=status; IFS=a; q=gita; $q push",
        ],
    );
    all(
        Deny,
        &[
            "p=status; p=push; git $p",
            "p=push; (p=status); git $p",
            "p=push; x | p=status; git $p",
        ],
    );
    all(
        Allow,
        &[
            "p=push; p=status; git $p",
            "p=status; (p=push); git $p",
            "p=status; f() { local p=push; }; f; git $p",
        ],
    );
}

/// Case B52: carriage returns are what the shell takes them for.
#[test]
fn b52_carriage_returns() {
    // The delimiter is `E\r`, the line is `E\r`: the document ends there, as in Bash.
    all(Deny, &["cat <<E\r\nE\r\ngit push\n"]);
    // The program would be `git` with the argument `push\r`, which is no push.
    all(Allow, &["cat <<E\r\nE\r\ngit push\r\n"]);
}

#[test]
fn code_in_other_places() {
    all(
        Deny,
        &[
            "GIT_SSH_COMMAND='git push' git fetch",
            "PAGER='git push' man x",
            "export GIT_PAGER='git push'; git log",
            "time { git push; }",
            "if git push; then :; fi",
            "until git push; do :; done",
            "case $(git push) in *) ;; esac",
            "[[ $(git push) ]]",
            "(( x = $(git push) ))",
            "for ((i=$(git push);;)); do :; done",
            "a=($(git push))",
            "declare x=$(git push)",
            "echo ${x:-$(git push)}",
            "echo ${x/$(git push)/y}",
            "echo \"${x:=`git push`}\"",
            "x[$(git push)]=1",
            "{ git push; } 2>&1 | cat",
            "true && git push || false",
            "false || git push",
            "git push & wait",
            "(cd x; git push)",
            "select x in a; do git push; done",
            "git status\ngit push\n)",
            "f() { f; git push; }; f",
        ],
    );
    all(
        Ask,
        &[
            "git push-to",
            "LD_PRELOAD=./x.so git status",
            "PATH=.:$PATH git status",
            "echo \"${x@P}\"",
            "python3 -c 'import os'",
            "x='a[$(git push)]'; ((x))",
            "test -v 'a[$(git push)]'",
            "hash -p ./x git; git status",
            "shopt -s expand_aliases",
            "git status; )",
        ],
    );
}

#[test]
fn matches_are_ordered() {
    assert!(Match::No < Match::Might && Match::Might < Match::Yes);
}

/// Case B162: the directory is part of every later argument.
#[test]
fn b162_directories() {
    let deny = [
        "cd /w/keep && rm a",
        "(cd -P -- /w/keep; echo x > a)",
        "pushd /w/keep; rm ./a",
        "cd /w; cd keep; rm a",
        "cd /w/keep/sub/.. && rm a",
        "d=/w/keep; cd $d && rm a",
        "bash -c 'cd /w/keep; rm a'",
        "cd /w/keep || exit; rm a",
        "rm -r /w",
        "mv /w/keep /w/x",
        "cd sub && rm -rf ../keep",
        "env -C /w/keep rm a",
        "if cd /w/keep; then rm a; fi",
    ];
    for command in deny {
        assert_eq!(
            judge_paths("delete", "/w/keep/**", command).max(judge_paths(
                "write",
                "/w/keep/**",
                command
            )),
            Deny,
            "{command}\n{:#?}",
            effects(command)
        );
    }
    assert_eq!(judge_paths("delete", "/w/keep/**", "cd $D; rm a"), Ask);
    assert_eq!(
        judge_paths("delete", "/w/keep/**", "cd /w/other && rm a"),
        Allow
    );
    assert_eq!(
        judge_paths("delete", "/w/keep/**", "(cd /w/keep); rm a"),
        Allow
    );
    assert!(
        opaque_causes("cd $D; rm a")
            .iter()
            .any(|cause| matches!(cause, OpaqueCause::UnknownPath { .. }))
    );
}

/// A shell that is started without a command reads its text from the standard input, whoever
/// starts it: `su`, `sudo -s`, `script`, the reader of `>(…)`.
#[test]
fn shells_that_others_start_read_their_input() {
    all(
        Deny,
        &[
            "su - root <<< 'git push'",
            "sudo -s <<< 'git push'",
            "doas -s <<E\ngit push\nE",
            "script -q /dev/null <<< 'git push'",
            "script -q /dev/null git push",
            "runuser me -c 'git push'",
            "newgrp <<< 'git push'",
        ],
    );
    all(
        Ask,
        &[
            "echo 'git push' | su",
            "tee >(bash) <<< 'git push'",
            "echo 'git push' > >(sh)",
        ],
    );
    all(
        Allow,
        &[
            "su - root",
            "sudo -s ls <<< 'git push'",
            "script -c ls out <<< 'git push'",
            "tee >(cat) <<< 'git push'",
            "cat < <(echo 'git push')",
        ],
    );
}

/// Quoted texts that are evaluated as arithmetic expand again.
#[test]
fn quoted_arithmetic_runs_substitutions() {
    all(
        Ask,
        &[
            "let 'a[$(git push)]'",
            "[[ 'a[$(git push)]' -gt 0 ]]",
            "[[ -v 'a[$(git push)]' ]]",
        ],
    );
    all(
        Allow,
        &[
            "[[ $x == '[$(git push)]' ]]",
            "[[ 'a b' == x ]]",
            "let 'a[1]=2'",
        ],
    );
}

/// Agents load a person's settings, in which aliases may be switched on.
#[test]
fn aliases_may_be_in_force() {
    all(
        Deny,
        &[
            "alias g='git push'\ng",
            "alias g=git\ng push",
            "alias x='git push'; eval x",
        ],
    );
    all(Ask, &["alias g=$x\ng"]);
    all(
        Allow,
        &["alias g='git push'", "alias ll='ls -l'\nll", "alias"],
    );
}

/// Git's commands are programs, too, and the system's loader starts any program.
#[test]
fn other_names_of_a_program() {
    all(
        Deny,
        &[
            "git-push",
            "/usr/lib/git-core/git-push origin",
            "/lib64/ld-linux-x86-64.so.2 /usr/bin/git push",
            "env -vS 'git push'",
            "chronic git push",
            "cross-env A=1 git push",
        ],
    );
    all(Ask, &["/proc/self/exe -c 'git push'"]);
    all(
        Allow,
        &[
            "git-lfs-thing push",
            "ld -o a push.o",
            "/usr/lib/git-core/git-status",
        ],
    );
}

/// A program that the call gives another name is not the one that its name says.
#[test]
fn copies_of_programs() {
    all(
        Ask,
        &[
            "ln -s /usr/bin/git g; ./g push",
            "cp $(which git) /w/g && ./g push",
            "cat /usr/bin/git > g; chmod +x g; ./g push",
            "install -m755 /usr/bin/git ./g && ./g push",
        ],
    );
    all(
        Allow,
        &[
            "gcc -o a a.c && ./a push",
            "ln -s a b; ./c",
            "chmod +x a && ./a",
        ],
    );
}

/// Front ends of other programs: what they are told to run is looked into.
#[test]
fn front_ends_run_what_they_are_told() {
    all(
        Deny,
        &[
            "bwrap --dev-bind / / -- git push",
            "just --command git push",
            "capsh --print -- -c 'git push'",
            "start-stop-daemon --start --exec /usr/bin/git -- push",
        ],
    );
    all(
        Ask,
        &[
            "psql -c '\\! git push'",
            "mysql <<< 'system git push'",
            "ex -sc '!git push' -cq",
            "m4 <<< 'syscmd(git push)'",
            "gnuplot -e 'system(\"git push\")'",
            "make -f - <<E\nx:\n\tgit push\nE",
        ],
    );
    all(
        Allow,
        &[
            "psql -c 'select 1'",
            "psql -c '\\dt'",
            "make -f Makefile push",
            "just push",
            "ex -sc '%s/a/b/|x' f",
        ],
    );
}
