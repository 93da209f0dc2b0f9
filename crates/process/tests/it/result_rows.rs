//! The ways a program ends, at every level.

use std::time::{Duration, Instant};

use hookward_process::{Abort, Cleanup, Containment, End, SUPERVISOR_NAME};
use hookward_testkit::{survivors, unique_marker};

use crate::support::{LONG, Run, levels, wait_until};

#[test]
fn exit_statuses_are_kept_apart() {
    for level in levels() {
        for status in [0, 1, 2, 127, 130, 137, 255] {
            let finished = Run::script(&["drain", &format!("exit:{status}")])
                .at(*level)
                .run();
            assert_eq!(finished.end, End::Exited(status), "{level}");
            assert_eq!(finished.containment, *level);
            assert_ne!(finished.cleanup, Cleanup::Late);
            assert!(finished.duration > Duration::ZERO);
        }
    }
}

/// Case B20: a signal is not a status, and a program that kills itself has not succeeded, also
/// where a first process of a namespace would ignore it.
#[test]
fn b20_a_program_that_kills_itself_is_seen_to() {
    for level in levels() {
        for signal in [1, 2, 3, 6, 9, 15] {
            let word = format!("signal:{signal}");
            let finished = Run::script(&["drain", &word, "exit:0"]).at(*level).run();
            assert_eq!(finished.end, End::Signaled(signal), "{level}");
        }
    }
}

/// A grace that is not used up, except by the level that cannot see that everything has ended.
fn grace(level: Containment) -> Duration {
    if level.is_full() {
        LONG
    } else {
        Duration::from_secs(1)
    }
}

#[test]
fn a_program_over_its_time_is_told_and_killed() {
    for level in levels() {
        let obedient = Run::script(&["sleep:60000"]).at(*level).limits(|limits| {
            limits.timeout = Duration::from_millis(50);
            limits.grace = grace(*level);
        });
        let begin = Instant::now();
        let finished = obedient.run();
        assert_eq!(finished.end, End::TimedOut, "{level}");
        assert!(finished.duration >= obedient.limits.timeout);
        // SIGTERM was enough: the grace was not used up.
        assert!(begin.elapsed() < LONG, "{level}");

        let stubborn = Run::script(&["ignore:TERM", "sleep:60000"])
            .at(*level)
            .limits(|limits| {
                limits.timeout = Duration::from_millis(50);
                limits.grace = Duration::from_millis(50);
            });
        let finished = stubborn.run();
        assert_eq!(finished.end, End::TimedOut, "{level}");
        assert_ne!(finished.cleanup, Cleanup::Late);
    }
}

/// An exit after SIGTERM is still a timeout, whatever status the program chooses.
#[test]
fn an_exit_on_request_is_a_timeout() {
    for level in levels() {
        let finished = Run::shell("trap 'exit 2' TERM; while :; do :; done")
            .at(*level)
            .limits(|limits| limits.timeout = Duration::from_millis(50))
            .run();
        assert_eq!(finished.end, End::TimedOut, "{level}");
    }
}

/// SIGTERM reaches every generation, in every group and session that the level covers.
#[test]
fn the_whole_tree_is_told_before_it_is_killed() {
    for level in levels() {
        // A slow machine may need longer than the deadline to start three generations.
        let mut timeout = Duration::from_millis(200);
        while told_generations(*level, timeout) < 3 {
            timeout *= 2;
            assert!(timeout < LONG, "{level}: some were not told");
        }
    }
}

/// How many of three generations note that they were told to end.
fn told_generations(level: Containment, timeout: Duration) -> usize {
    let folder = tempfile::tempdir().unwrap();
    let told = folder.path().join("told");
    // Each notes the request and waits for the one below.
    let script = format!(
        "note() {{ echo x >>{}; }}
         trap 'note; wait; exit' TERM
         (trap 'note; wait; exit' TERM
          (trap 'note; exit' TERM; while :; do sleep 0.01 || :; done) &
          while :; do wait; done) &
         while :; do wait; done",
        told.display()
    );
    let mut shell = Run::shell(&script).at(level).limits(|limits| {
        limits.timeout = timeout;
        limits.grace = grace(level);
    });
    shell.env = vec![("PATH".into(), "/usr/bin:/bin".into())];
    assert_eq!(shell.run().end, End::TimedOut);
    let notes = std::fs::read_to_string(told).unwrap_or_default();
    notes.lines().count()
}

/// Case B179: an abort does not need the program's cooperation, and there is no grace in it.
#[test]
fn b179_an_abort_ends_the_run_at_once() {
    for level in levels() {
        let marker = unique_marker();
        let folder = tempfile::tempdir().unwrap();
        let ready = folder.path().join("ready");
        let script = format!("append:{}:up", ready.display());
        let run = Run::script(&["ignore:TERM", "out:before", &script, "sleep:60000", &marker])
            .at(*level)
            .limits(|limits| limits.grace = LONG);
        let abort = Abort::new().unwrap();
        let begin = Instant::now();
        let finished = std::thread::scope(|scope| {
            let running = scope.spawn(|| run.run_until(&abort));
            wait_until("the script", || ready.exists());
            abort.abort();
            running.join().unwrap()
        });
        assert_eq!(finished.end, End::Aborted, "{level}");
        assert_eq!(finished.stdout.bytes, b"before");
        assert!(begin.elapsed() < LONG);
        assert!(survivors(&marker).is_empty(), "{level}");
    }
}

#[test]
fn an_abort_before_the_start_starts_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let proof = folder.path().join("ran");
    let abort = Abort::new().unwrap();
    abort.abort();
    let finished = Run::script(&[&format!("append:{}:x", proof.display())]).run_until(&abort);
    assert_eq!(finished.end, End::Aborted);
    assert_eq!(finished.duration, Duration::ZERO);
    assert!(!proof.exists());
}

#[test]
fn one_abort_ends_many_runs() {
    let abort = Abort::new().unwrap();
    let marker = unique_marker();
    std::thread::scope(|scope| {
        let runs: Vec<_> = (0..8)
            .map(|_| scope.spawn(|| Run::script(&["sleep:60000", &marker]).run_until(&abort)))
            .collect();
        wait_until("eight programs", || survivors(&marker).len() == 8);
        abort.abort();
        for run in runs {
            assert_eq!(run.join().unwrap().end, End::Aborted);
        }
    });
    assert!(survivors(&marker).is_empty());
}

/// The supervisor is found by its name above every program, which is how a program can tell that
/// it runs below one.
#[test]
fn the_supervisor_is_named_above_the_program() {
    for level in levels() {
        let finished = Run::shell(
            "while read -r key value; do [ \"$key\" = PPid: ] && parent=$value; done \
             </proc/self/status; read -r name </proc/$parent/comm; echo \"$name\"",
        )
        .at(*level)
        .run();
        assert_eq!(
            finished.stdout.bytes,
            format!("{SUPERVISOR_NAME}\n").as_bytes(),
            "{level}"
        );
    }
}
