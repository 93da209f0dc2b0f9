//! Programs that stop their supervisor, which keeps it from its work.

use std::time::Duration;

use hookward_process::{Abort, Cleanup, Containment, End};
use hookward_testkit::{scripted_hook, survivors, unique_marker};

use crate::support::{LONG, Lifeline, Run, levels, wait_until};

/// Stops the supervisor once. A first process of a namespace is not stopped by its own.
const ONCE: &str = "kill -STOP $PPID";
/// Stops it again and again, from more processes than a machine of a few cores runs at once.
const ALWAYS: &str = "for i in 1 2 3 4; do (while :; do kill -STOP $PPID; done) & done";

/// A program with descendants that then stops its supervisor.
struct Stopper {
    marker: String,
    lifeline: Lifeline,
    folder: tempfile::TempDir,
}

impl Stopper {
    fn new() -> Self {
        Self {
            marker: unique_marker(),
            lifeline: Lifeline::new(),
            folder: tempfile::tempdir().unwrap(),
        }
    }

    fn run(&self, level: Containment, stop: &str) -> Run {
        let script = format!(
            "\"$1\" \"$2\"; {stop}; kill -STOP $PPID; : >\"$3\"; exec \"$1\" sleep:60000 \"$0\""
        );
        // At the group level those in other groups are nobody's.
        let mode = if level.is_full() { "mixed" } else { "tree" };
        let spawn = format!("spawn:{mode}:{}:{}", self.marker, self.lifeline.path());
        let (hook, ready) = (scripted_hook(), self.folder.path().join("ready"));
        let words = [hook.to_str().unwrap(), &spawn, ready.to_str().unwrap()];
        let words = [&["-c", &script, &self.marker][..], &words].concat();
        Run::program("/bin/sh", &words).at(level)
    }

    fn wait_until_stopped(&self) {
        let ready = self.folder.path().join("ready");
        wait_until("the program", || ready.exists());
        assert!(self.lifeline.is_held());
    }

    /// Nothing is left. At the group level the killed may take a moment to die.
    fn assert_gone(&self, level: Containment) {
        let gone = || !self.lifeline.is_held() && survivors(&self.marker).is_empty();
        if !level.is_full() {
            wait_until("the end of the group", gone);
        }
        assert!(gone(), "{level}: {:?}", survivors(&self.marker));
    }
}

/// The cleanup that a level claims when the supervisor has done its work.
fn done(level: Containment) -> Cleanup {
    if level.is_full() {
        Cleanup::Confirmed
    } else {
        Cleanup::Unproven
    }
}

#[test]
fn a_stopped_supervisor_does_its_work_after_an_abort() {
    for level in levels() {
        for stop in [ONCE, ALWAYS] {
            let stopper = Stopper::new();
            let run = stopper.run(*level, stop);
            let abort = Abort::new().unwrap();
            let finished = std::thread::scope(|scope| {
                let running = scope.spawn(|| run.run_until(&abort));
                stopper.wait_until_stopped();
                abort.abort();
                running.join().unwrap()
            });
            assert_eq!(finished.end, End::Aborted, "{level}");
            assert_eq!(finished.cleanup, done(*level), "{level} {stop}");
            stopper.assert_gone(*level);
        }
    }
}

/// With a deadline before or after the stop, whatever the machine's speed.
#[test]
fn a_stopped_supervisor_does_its_work_after_a_timeout() {
    for level in levels() {
        for stop in [ONCE, ALWAYS] {
            let stopper = Stopper::new();
            let finished = stopper
                .run(*level, stop)
                .limits(|limits| limits.timeout = Duration::from_millis(200))
                .run();
            assert_eq!(finished.end, End::TimedOut, "{level}");
            assert_eq!(finished.cleanup, done(*level), "{level} {stop}");
            stopper.assert_gone(*level);
        }
    }
}

/// An exit that a stopped supervisor could not report is the result all the same.
#[test]
fn an_exit_behind_a_stopped_supervisor_is_an_exit() {
    for level in levels() {
        let mut timeout = Duration::from_millis(200);
        let script = format!("{ONCE}; exit 2");
        while Run::shell(&script)
            .at(*level)
            .limits(|limits| limits.timeout = timeout)
            .run()
            .end
            != End::Exited(2)
        {
            // On a slow machine the deadline may come first.
            timeout *= 2;
            assert!(timeout < LONG, "{level}: no exit");
        }
    }
}

/// What the answer does not wait for is ended in the background.
#[test]
fn a_stopped_supervisor_is_helped_after_the_answer() {
    for level in levels().iter().copied() {
        let stopper = Stopper::new();
        let run = stopper
            .run(level, ALWAYS)
            .limits(|limits| limits.kill_wait = Duration::ZERO);
        let abort = Abort::new().unwrap();
        let finished = std::thread::scope(|scope| {
            let running = scope.spawn(|| run.run_until(&abort));
            stopper.wait_until_stopped();
            abort.abort();
            running.join().unwrap()
        });
        assert_eq!(finished.cleanup, Cleanup::Late, "{level}");
        wait_until("their end", || {
            !stopper.lifeline.is_held() && survivors(&stopper.marker).is_empty()
        });
    }
}
