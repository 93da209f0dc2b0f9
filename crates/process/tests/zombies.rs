//! In a process of its own, since it counts all children of the process.

#![allow(clippy::unwrap_used)] // Here a failure is a failed test.

use std::path::Path;
use std::time::{Duration, Instant};

use hookward_process::{Abort, Command, End, Limits, SUPERVISOR_NAME, probe, run};
use hookward_testkit::{scripted_hook, zombie_children};

const WAIT: Duration = Duration::from_secs(60);

/// Case B25: 500 short runs at each level, and runs that fail, leave no zombie.
#[test]
fn b25_nothing_is_left_unreaped() {
    let abort = Abort::new().unwrap();
    let levels = probe().into_iter().filter(|probe| probe.result.is_ok());
    for level in levels.map(|probe| probe.level) {
        let go = |program: &Path, word: &str, kill_wait| {
            let args = ["drain".to_owned(), word.to_owned()];
            let command = Command {
                program,
                args: &args,
                cwd: Path::new("/"),
                env: &[],
                stdin: b"{}",
                limits: Limits {
                    kill_wait,
                    ..Limits::default()
                },
                containment: level,
            };
            run(&command, &abort).end
        };
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..125 {
                        assert_eq!(go(scripted_hook(), "exit:0", WAIT), End::Exited(0));
                    }
                    assert_eq!(go(scripted_hook(), "signal:9", WAIT), End::Signaled(9));
                    assert!(matches!(
                        go(Path::new("/gone"), "", WAIT),
                        End::NotStarted(_)
                    ));
                });
            }
        });
        assert_eq!(zombie_children(), 0, "{level}");
        // Those that are not waited for are reaped as well, soon.
        assert_eq!(
            go(scripted_hook(), "exit:0", Duration::ZERO),
            End::Exited(0)
        );
        let until = Instant::now() + Duration::from_secs(60);
        while supervisors() > 0 {
            assert!(Instant::now() < until, "{level}: an unreaped supervisor");
            std::thread::yield_now();
        }
    }
}

/// How many supervisors of this process exist, ended or not.
fn supervisors() -> usize {
    let myself = std::process::id().to_string();
    let name = format!("({SUPERVISOR_NAME})");
    std::fs::read_dir("/proc")
        .unwrap()
        .filter_map(|entry| std::fs::read_to_string(entry.ok()?.path().join("stat")).ok())
        .filter(|stat| {
            // pid (name) state parent …
            let mut fields = stat.split(' ');
            fields.nth(1) == Some(&name) && fields.nth(1) == Some(&myself)
        })
        .count()
}
