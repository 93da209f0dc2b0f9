//! In a process of its own, since it counts all children of the process.

use std::path::Path;

use hookward_process::{Abort, Command, End, Limits, probe, run};
use hookward_testkit::{scripted_hook, zombie_children};

/// Case B25: 500 short runs at each level, and runs that fail, leave no zombie.
#[test]
fn b25_nothing_is_left_unreaped() {
    let abort = Abort::new().unwrap();
    let levels = probe().into_iter().filter(|probe| probe.result.is_ok());
    for level in levels.map(|probe| probe.level) {
        let go = |program: &Path, word: &str| {
            let args = ["drain".to_owned(), word.to_owned()];
            let command = Command {
                program,
                args: &args,
                cwd: Path::new("/"),
                env: &[],
                stdin: b"{}",
                limits: Limits::default(),
                containment: level,
            };
            run(&command, &abort).end
        };
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..125 {
                        assert_eq!(go(scripted_hook(), "exit:0"), End::Exited(0));
                    }
                    assert_eq!(go(scripted_hook(), "signal:9"), End::Signaled(9));
                    assert!(matches!(go(Path::new("/gone"), ""), End::NotStarted(_)));
                });
            }
        });
        assert_eq!(zombie_children(), 0, "{level}");
    }
}
