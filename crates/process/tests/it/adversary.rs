//! Descendants that do not want to be caught.

use std::time::Duration;

use hookward_process::{Abort, Cleanup, Containment, End};
use hookward_testkit::{survivors, unique_marker};
use rustix::process::{Pid, Signal, kill_process};

use crate::support::{LONG, Lifeline, Run, full_levels, levels, wait_until};

const MODES: [&str; 6] = ["tree", "pgrp", "daemon", "churn", "fastchurn", "mixed"];

/// How often each mode meets each way to end at each level: once, or a thousand times over all
/// ways and levels with `HOOKWARD_LONG=1`.
fn rounds() -> usize {
    let long = std::env::var_os("HOOKWARD_LONG").is_some_and(|value| value == "1");
    if long {
        1_000 / (3 * full_levels().count()) + 1
    } else {
        1
    }
}

#[derive(Debug, Clone, Copy)]
enum Way {
    Exit,
    Timeout,
    Abort,
}

fn round(level: Containment, mode: &str, way: Way) {
    let (marker, lifeline) = (unique_marker(), Lifeline::new());
    let folder = tempfile::tempdir().unwrap();
    let ready = folder.path().join("ready");
    let spawn = format!("spawn:{mode}:{marker}:{}", lifeline.path());
    let note = format!("append:{}:up", ready.display());
    let last = match way {
        Way::Exit => "exit:0",
        Way::Timeout | Way::Abort => "sleep:60000",
    };
    let run = Run::script(&["drain", &spawn, &note, last])
        .at(level)
        .limits(|limits| {
            limits.grace = Duration::from_millis(20);
            if let Way::Timeout = way {
                limits.timeout = Duration::from_millis(60);
            }
        });
    let abort = Abort::new().unwrap();
    let finished = std::thread::scope(|scope| {
        let running = scope.spawn(|| run.run_until(&abort));
        if let Way::Abort = way {
            wait_until("the descendants", || ready.exists());
            assert!(lifeline.is_held());
            abort.abort();
        }
        running.join().unwrap()
    });
    // Nothing is waited for: when the run is over, they are gone.
    assert!(!lifeline.is_held(), "{level} {mode} {way:?}: a survivor");
    let left = survivors(&marker);
    assert!(left.is_empty(), "{level} {mode} {way:?}: {left:?}");
    let expected = match way {
        Way::Exit => End::Exited(0),
        Way::Timeout => End::TimedOut,
        Way::Abort => End::Aborted,
    };
    assert_eq!(finished.end, expected, "{level} {mode}");
    assert_eq!(
        finished.cleanup,
        Cleanup::Confirmed,
        "{level} {mode} {way:?}"
    );
}

/// Cases B23 and B27: after success, timeout and abort alike nothing is left, at every level that
/// promises so, however the descendants detach themselves.
#[test]
fn b23_b27_no_descendant_survives() {
    for level in full_levels() {
        for mode in MODES {
            for way in [Way::Exit, Way::Timeout, Way::Abort] {
                for _ in 0..rounds() {
                    round(level, mode, way);
                }
            }
        }
        eprintln!("{level}: no survivor");
    }
}

/// The answer does not wait longer than its bound for those who die, and they die all the same.
#[test]
fn the_answer_does_not_wait_for_the_end_of_everyone() {
    for level in full_levels() {
        let (marker, lifeline) = (unique_marker(), Lifeline::new());
        let spawn = format!("spawn:mixed:{marker}:{}", lifeline.path());
        let finished = Run::script(&[&spawn, "exit:2"])
            .at(level)
            .limits(|limits| limits.kill_wait = Duration::ZERO)
            .run();
        assert_eq!(finished.end, End::Exited(2));
        assert_eq!(finished.cleanup, Cleanup::Late, "{level}");
        wait_until("their end", || !lifeline.is_held());
        assert!(survivors(&marker).is_empty(), "{level}");
    }
}

/// The group level ends its group and leaves those who left it, on purpose. It also shows that
/// survivors would be seen.
#[test]
fn the_group_level_leaves_who_left_the_group() {
    let (marker, lifeline) = (unique_marker(), Lifeline::new());
    let spawn = |mode: &str| format!("spawn:{mode}:{marker}:{}", lifeline.path());
    let group = |words: &[&str]| Run::script(words).at(Containment::Group).run();
    let finished = group(&[&spawn("tree"), "exit:0"]);
    assert_eq!(finished.end, End::Exited(0));
    wait_until("the end of the group", || !lifeline.is_held());

    let finished = group(&[&spawn("daemon"), "sleep:200", "exit:0"]);
    assert_eq!(finished.end, End::Exited(0));
    assert!(lifeline.is_held());
    let left = survivors(&marker);
    assert!(!left.is_empty());
    for pid in left {
        let pid = Pid::from_raw(pid.try_into().unwrap()).unwrap();
        // Started by this test and ignoring SIGTERM; reparented to whoever reaps on this system.
        let _ = kill_process(pid, Signal::KILL);
    }
    wait_until("their end", || !lifeline.is_held());
}

/// Case B29: the number of a group is not free for others while members are to be signalled: the
/// leader stays a zombie until then.
#[test]
fn b29_the_leader_keeps_its_number_until_its_group_was_ended() {
    let folder = tempfile::tempdir().unwrap();
    let (note, go) = (folder.path().join("leader"), folder.path().join("go"));
    let script = format!(
        "echo $$ >{0}.new; mv {0}.new {0}
         while [ ! -e {1} ]; do sleep 0.01; done &",
        note.display(),
        go.display()
    );
    let mut run = Run::shell(&script)
        .at(Containment::Group)
        .limits(|limits| limits.drain = LONG);
    run.env = vec![("PATH".into(), "/usr/bin:/bin".into())];
    let state = |pid: &str| {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        let (_, rest) = stat.rsplit_once(") ")?;
        rest.chars().next()
    };
    std::thread::scope(|scope| {
        let running = scope.spawn(|| run.run());
        wait_until("the leader's number", || note.exists());
        let leader = std::fs::read_to_string(&note).unwrap();
        let leader = leader.trim();
        // The run is still reading what the background process holds open.
        wait_until("the leader's end", || state(leader) == Some('Z'));
        for _ in 0..50 {
            std::thread::yield_now();
            assert_eq!(state(leader), Some('Z'));
        }
        std::fs::write(&go, "").unwrap();
        assert_eq!(running.join().unwrap().end, End::Exited(0));
        assert_eq!(state(leader), None);
    });
}

/// Short only where the supervisor cannot be killed, so that nothing else ends the run.
fn deadline(level: Containment) -> Duration {
    match level {
        Containment::PidNamespace | Containment::UserPidNamespace => Duration::from_secs(1),
        Containment::Cgroup | Containment::Subreaper | Containment::Group => LONG,
    }
}

/// A program that kills its supervisor does not gain by it: the run ends and is no success.
#[test]
fn killing_the_supervisor_ends_the_run() {
    for level in levels() {
        let marker = unique_marker();
        let finished = Run::script(&["killparent", "sleep:60000", &marker])
            .at(*level)
            .limits(|limits| limits.timeout = deadline(*level))
            .run();
        let (end, cleanup) = match level {
            // Inside a namespace the supervisor cannot be killed.
            Containment::PidNamespace | Containment::UserPidNamespace => {
                (End::TimedOut, Cleanup::Confirmed)
            }
            Containment::Cgroup => (End::Signaled(9), Cleanup::Confirmed),
            Containment::Subreaper | Containment::Group => (End::Signaled(9), Cleanup::Unproven),
        };
        assert_eq!((finished.end, finished.cleanup), (end, cleanup), "{level}");
        wait_until("the program's end", || survivors(&marker).is_empty());
    }
}

/// Where a namespace or a cgroup holds the descendants, none is left after that either.
#[test]
fn descendants_do_not_survive_their_supervisor() {
    let held = full_levels().filter(|level| *level < Containment::Subreaper);
    for level in held {
        let (marker, lifeline) = (unique_marker(), Lifeline::new());
        let spawn = format!("spawn:mixed:{marker}:{}", lifeline.path());
        let finished = Run::script(&[&spawn, "killparent", "sleep:60000"])
            .at(level)
            .limits(|limits| limits.timeout = deadline(level))
            .run();
        assert_ne!(finished.end, End::Exited(0));
        assert_eq!(finished.cleanup, Cleanup::Confirmed, "{level}");
        assert!(
            !lifeline.is_held() && survivors(&marker).is_empty(),
            "{level}"
        );
    }
}

/// A program may make cgroups below its own; they go with it.
#[test]
fn cgroups_made_by_the_program_are_removed() {
    if !levels().contains(&Containment::Cgroup) {
        return;
    }
    let mut run = Run::shell(
        "while IFS=: read -r id _ path; do [ \"$id\" = 0 ] && group=$path; done \
         </proc/self/cgroup
         for root in /sys/fs/cgroup /sys/fs/cgroup/unified; do
             [ -e $root$group/cgroup.procs ] && mkdir -p $root$group/a/b && echo $root$group
         done",
    )
    .at(Containment::Cgroup);
    run.env = vec![("PATH".into(), "/usr/bin:/bin".into())];
    let finished = run.run();
    assert_eq!(finished.cleanup, Cleanup::Confirmed);
    let made = String::from_utf8(finished.stdout.bytes).unwrap();
    let made = std::path::Path::new(made.trim());
    assert!(made.is_absolute() && !made.exists(), "{}", made.display());
}
