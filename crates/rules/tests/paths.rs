//! What policies on files say to the ways in which a path can hide which file it is.
//!
//! The policy of the cases: nothing below `/w/keep` may be written, and `/w/keep/.env` not read.

mod support;

use hookward_rules::Unresolvable;
use serde_json::json;
use support::Verdict::{Allow, Ask, Deny};
use support::{Disk, Verdict, bash, call, judge, judge_paths, rule_text};

fn read(disk: &Disk, pattern: &str, path: &str) -> Verdict {
    let mut text = rule_text();
    text.read = vec![pattern.to_owned()];
    judge(disk, &text, &call("Read", &json!({ "file_path": path })))
}

fn write(disk: &Disk, patterns: &[&str], path: &str) -> Verdict {
    let mut text = rule_text();
    text.write = patterns.iter().map(|&pattern| pattern.to_owned()).collect();
    judge(
        disk,
        &text,
        &call("Write", &json!({ "file_path": path, "content": "x" })),
    )
}

/// Case B152: rule and request are each compared in both forms.
#[test]
fn b152_links_on_both_sides() {
    let disk = Disk::new().link("/w/link", "/w/keep");
    assert_eq!(read(&disk, "/w/link/.env", "/w/keep/.env"), Deny);
    assert_eq!(read(&disk, "/w/keep/.env", "/w/link/.env"), Deny);
    assert_eq!(read(&disk, "/w/link/**", "/w/link/x"), Deny);
    assert_eq!(read(&disk, "link/**", "/w/keep/x"), Deny);
    assert_eq!(read(&disk, "/w/link/.env", "/w/other/.env"), Allow);
    // `..` after a link leads to the parent of its target.
    let disk = Disk::new().link("/w/link", "/srv/keep/sub");
    assert_eq!(write(&disk, &["/srv/keep/**"], "/w/link/../x"), Deny);
    assert_eq!(write(&disk, &["/w/x"], "/w/link/../x"), Deny);
}

/// Case B154: what cannot be followed is not fine.
#[test]
fn b154_unresolvable_paths() {
    let disk = Disk::new()
        .link("/w/ok/dangling", "/w/keep/new")
        .unresolvable("/w/ok/loop", Unresolvable::Loop)
        .unresolvable("/w/ok/closed", Unresolvable::NoPermission);
    for path in ["/w/ok/dangling", "/w/ok/loop", "/w/ok/closed/x"] {
        assert_eq!(write(&disk, &["/w/keep/**"], path), Deny, "{path}");
    }
    assert_eq!(write(&disk, &["/w/keep/**"], "/w/ok/new"), Allow);
    let linked = Disk::new().unresolvable("/w/ok/hard", Unresolvable::HardLink);
    assert_eq!(write(&linked, &["/w/keep/**"], "/w/ok/hard"), Ask);
}

/// Case B156: links that mean another file to every process are refused, not followed.
#[test]
fn b156_magic_links() {
    let disk = Disk::new();
    for path in [
        "/proc/self/root/w/keep/.env",
        "/proc/self/cwd/.env",
        "/dev/fd/9",
        "/proc/1/root/x",
        "/proc/../proc/self/environ",
    ] {
        assert_eq!(read(&disk, "/w/keep/.env", path), Deny, "{path}");
    }
    assert_eq!(read(&disk, "/w/keep/.env", "/proc/cpuinfo"), Allow);
}

/// Case B158: names are compared as the file system compares them.
#[test]
fn b158_case_of_names() {
    let folding = Disk::new().folding();
    for path in ["/w/Keep/.ENV", "/W/KEEP/.env"] {
        assert_eq!(read(&folding, "/w/keep/.env", path), Deny, "{path}");
        assert_eq!(read(&Disk::new(), "/w/keep/.env", path), Allow, "{path}");
    }
    assert_eq!(read(&folding, "/w/KEEP/*", "/w/keep/.env"), Deny);
    // An exclusion lets through only what is surely meant.
    assert_eq!(
        write(&folding, &["/w/**", "!/w/build/**"], "/w/BUILD/x"),
        Deny
    );
}

/// Case B160: accents and special letters are equal where the file system says so.
#[test]
fn b160_composed_names() {
    let folding = Disk::new().folding();
    for (pattern, path) in [
        ("/w/\u{e9}.txt", "/w/e\u{301}.txt"),
        ("/w/stra\u{df}e", "/w/STRASSE"),
        ("/w/\u{fb01}le", "/w/file"),
    ] {
        assert_eq!(read(&folding, pattern, path), Deny, "{pattern} {path}");
        assert_eq!(read(&Disk::new(), pattern, path), Allow, "{pattern} {path}");
    }
}

#[test]
fn forms_of_patterns() {
    let disk = Disk::new();
    for (pattern, path, expected) in [
        (".env", "/w/.env", Deny),
        (".env", "/w/a/b/.env", Deny),
        (".env", "/other/.env", Deny),
        (".env", "/w/.envrc", Allow),
        ("*.pem", "/w/k/x.pem", Deny),
        ("secrets/**", "/w/secrets/a/b", Deny),
        ("secrets/**", "/w/other/secrets/a", Allow),
        ("secrets", "/w/x/secrets/a", Deny),
        ("./top", "/w/top", Deny),
        ("./top", "/w/x/top", Allow),
        ("${project}/top", "/w/top", Deny),
        ("~/.ssh/**", "/home/dev/.ssh/config", Deny),
        ("/etc/**", "/etc/passwd", Deny),
        ("src/**/*.rs", "/w/src/a.rs", Deny),
        ("src/**/*.rs", "/w/src/x/y/a.rs", Deny),
        ("src/*.rs", "/w/src/x/a.rs", Allow),
        ("*.{key,pem}", "/w/a.key", Deny),
        ("a/**/b", "/w/a/b", Deny),
        ("**", "/anything", Deny),
    ] {
        assert_eq!(write(&disk, &[pattern], path), expected, "{pattern} {path}");
    }
    let outside = ["/**", "!${project}/**", "!/tmp/**"];
    assert_eq!(write(&disk, &outside, "/w/a"), Allow);
    assert_eq!(write(&disk, &outside, "/tmp/a"), Allow);
    assert_eq!(write(&disk, &outside, "/w/../etc/passwd"), Deny);
    let linked = Disk::new().link("/w/out", "/etc");
    assert_eq!(write(&linked, &outside, "/w/out/passwd"), Deny);
    assert_eq!(write(&disk, &["!src/**"], "/w/src/a"), Allow);
    assert_eq!(write(&disk, &["!src/**"], "/w/docs/a"), Deny);
}

#[test]
fn patterns_of_the_shell_meet_patterns_of_rules() {
    let mut text = rule_text();
    text.write = vec!["secrets/**".to_owned()];
    for (command, expected) in [
        ("echo x > secrets/a", Deny),
        ("echo x > s*/a", Deny),
        ("echo x > 's*/a'", Allow),
        ("echo x > other/a", Allow),
        ("echo x > $f", Ask),
        ("echo x > secrets/$f", Ask),
        ("echo x > /dev/null 2>&1", Allow),
        ("cd secrets && echo x > a", Deny),
        ("x > \"$(mktemp)\"", Allow),
        ("echo x >> ./secrets/../secrets/a", Deny),
        ("echo x >| secrets/a", Deny),
        ("echo x &> secrets/a", Deny),
        ("exec 3<> secrets/a", Deny),
        ("{ echo; } > secrets/a", Deny),
        ("while :; do echo; done > secrets/a", Deny),
        ("f() { echo; } > secrets/a; f", Deny),
        ("bash -c 'echo > secrets/a'", Deny),
        ("sh -c 'echo > \"$1\"' x secrets/a", Deny),
        ("git push > other/secrets/a", Allow),
        (
            "apply_patch <<'E'\n*** Begin Patch\n*** Add File: secrets/a\n+x\n*** End Patch\nE",
            Deny,
        ),
        (
            "apply_patch <<'E'\n*** Begin Patch\n*** Add File: a\n+x\n*** End Patch\nE",
            Allow,
        ),
        ("apply_patch \"$p\"", Ask),
    ] {
        assert_eq!(
            judge(&Disk::new(), &text, &bash(command)),
            expected,
            "{command}"
        );
    }
}

/// `.` is the project, not a name in any folder.
#[test]
fn a_dot_is_the_project() {
    for pattern in [".", "./", "${project}"] {
        assert_eq!(
            judge_paths("write", pattern, "touch x"),
            Verdict::Deny,
            "{pattern}"
        );
        assert_eq!(
            judge_paths("write", pattern, "touch /etc/x"),
            Verdict::Allow,
            "{pattern}"
        );
    }
}

/// A folder that the call itself makes is none yet when the call is judged.
#[test]
fn a_folder_that_the_call_makes() {
    let verdict = |command: &str| {
        let mut text = rule_text();
        text.write = vec!["secrets/**".to_owned()];
        judge(&Disk::new(), &text, &bash(command))
    };
    for command in [
        "mkdir -p secrets && cp a secrets",
        "mkdir secrets; mv a secrets",
        "mkdir -p x/secrets; touch x/secrets/a; mv x/secrets .",
    ] {
        assert_eq!(verdict(command), Deny, "{command}");
    }
    // A file that takes the place of another is no folder.
    for command in ["jq . a > tmp && mv tmp a", "mv a b"] {
        let mut text = rule_text();
        text.write = vec!["*.pem".to_owned()];
        assert_eq!(
            judge(&Disk::new(), &text, &bash(command)),
            Allow,
            "{command}"
        );
    }
}

/// What `find` deletes by name lies below its starting points.
#[test]
fn deletions_by_name() {
    for (pattern, command, verdict) in [
        ("secrets/**", "find secrets -name x -delete", Deny),
        ("secrets/**", "find . -name x -delete", Deny),
        ("*.pem", "find a -name '*' -delete", Deny),
        ("secrets/**", "find other -name x -delete", Allow),
        ("./.", "find other -name x -delete", Deny),
    ] {
        assert_eq!(
            judge_paths("delete", pattern, command),
            verdict,
            "{pattern} {command}"
        );
    }
}
