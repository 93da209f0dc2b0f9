//! Bytes in and out.

use std::time::{Duration, Instant};

use hookward_process::{Abort, Cleanup, Containment, End};
use hookward_testkit::{survivors, unique_marker};

use crate::support::{LONG, Run, levels, wait_until};

const MIB: usize = 1024 * 1024;

/// Case B32: not reading stdin is a program's right, and an error of the writer is none of a run.
#[test]
fn b32_stdin_need_not_be_read() {
    let huge = vec![b'x'; 8 * MIB];
    for level in levels() {
        for status in [0, 2] {
            let finished = Run::script(&["noread", &format!("exit:{status}")])
                .at(*level)
                .stdin(huge.clone())
                .run();
            assert_eq!(finished.end, End::Exited(status), "{level}");
            assert!(finished.stdin_written < huge.len());
        }
    }
    let payload = vec![b'x'; 200_000];
    for _ in 0..100 {
        let finished = Run::script(&["noread", "out:allow", "exit:0"])
            .stdin(payload.clone())
            .run();
        assert_eq!(finished.end, End::Exited(0));
        assert_eq!(finished.stdout.bytes, b"allow");
    }
}

/// Case B34: stdin is closed after its last byte, and at once when it has none.
#[test]
fn b34_stdin_ends() {
    for level in levels() {
        for length in [0, 1, 300, 65_535, 65_536, 65_537] {
            let finished = Run::script(&["drain", "out:end"])
                .at(*level)
                .stdin(vec![b'x'; length])
                .run();
            assert_eq!(finished.end, End::Exited(0), "{level}");
            assert_eq!(
                (finished.stdin_written, finished.stdout.bytes),
                (length, b"end".into())
            );
        }
    }
}

/// Case B36: runs at the same time each get all of their own stdin.
#[test]
fn b36_every_run_has_a_stdin_of_its_own() {
    std::thread::scope(|scope| {
        for byte in b'a'..=b'h' {
            scope.spawn(move || {
                let input = vec![byte; 30_000];
                let finished = Run::script(&["echo"]).stdin(input.clone()).run();
                assert_eq!(finished.stdout.bytes, input);
            });
        }
    });
}

/// Case B38: stdin is written while stdout is read, so neither waits for the other.
#[test]
fn b38_what_is_echoed_while_read_comes_back() {
    for level in levels() {
        for length in [65_535, 65_537, MIB + 1, 16 * MIB] {
            let input: Vec<u8> = (0..=u8::MAX).cycle().take(length).collect();
            let finished = Run::script(&["echo"])
                .at(*level)
                .stdin(input.clone())
                .limits(|limits| limits.stdout = usize::MAX)
                .run();
            assert_eq!(finished.end, End::Exited(0), "{level}");
            assert_eq!(finished.stdin_written, length);
            assert!(finished.stdout.bytes == input && !finished.stdout.truncated());
        }
    }
}

/// Case B42: both outputs are flooded; the heads are kept, all is counted, nobody is blocked.
#[test]
fn b42_floods_are_counted_and_cut() {
    let flood = 20 * MIB as u64;
    for word in ["outbytes", "errbytes", "bothbytes"] {
        let finished = Run::script(&["drain", &format!("{word}:{flood}"), "exit:2"]).run();
        assert_eq!(finished.end, End::Exited(2));
        for (stream, limit, other) in [
            (&finished.stdout, 64 * 1024, "errbytes"),
            (&finished.stderr, 16 * 1024, "outbytes"),
        ] {
            let expected = if word == other { 0 } else { flood };
            assert_eq!(stream.total, expected);
            assert_eq!(stream.bytes.len() as u64, expected.min(limit));
            assert!(stream.bytes.capacity() < MIB);
            assert_eq!(stream.truncated(), expected > 0);
        }
    }
}

#[test]
fn the_capture_is_exact_around_its_limit() {
    for (length, truncated) in [(65_535, false), (65_536, false), (65_537, true)] {
        let finished = Run::script(&[&format!("outbytes:{length}")]).run();
        assert_eq!(finished.stdout.total, length);
        assert_eq!(finished.stdout.bytes.len() as u64, length.min(65_536));
        assert_eq!(finished.stdout.truncated(), truncated);
    }
}

/// A program that never stops writing is ended at its deadline all the same.
#[test]
fn an_endless_flood_does_not_outlast_the_deadline() {
    let flood = format!("bothbytes:{}", u64::MAX);
    for level in levels() {
        // A slow machine may need longer than the deadline to fill both.
        let mut timeout = Duration::from_millis(100);
        loop {
            let finished = Run::script(&["ignore:TERM", &flood])
                .at(*level)
                .limits(|limits| {
                    limits.timeout = timeout;
                    limits.grace = Duration::from_millis(50);
                })
                .run();
            assert_eq!(finished.end, End::TimedOut, "{level}");
            if finished.stdout.truncated() && finished.stderr.truncated() {
                break;
            }
            timeout *= 2;
            assert!(timeout < LONG, "{level}: no flood");
        }
    }
}

/// Cases B44 and B46: bytes are kept as they are, however they were split.
#[test]
fn b44_b46_invalid_bytes_are_kept() {
    let finished = Run::script(&[
        "drain",
        "errhex:41bb",
        "sleep:5",
        "errhex:ff42",
        "outhex:c3",
        "sleep:5",
        "outhex:a900",
        "exit:2",
    ])
    .run();
    assert_eq!(finished.end, End::Exited(2));
    assert_eq!(finished.stderr.bytes, [0x41, 0xbb, 0xff, 0x42]);
    assert_eq!(finished.stdout.bytes, [0xc3, 0xa9, 0x00]);
}

/// Less than descendants hold outputs open, which is ten seconds.
const HELD: Duration = Duration::from_secs(9);

/// Nothing is left. At the group level the killed may take a moment to die.
fn assert_gone(level: Containment, marker: &str) {
    if !level.is_full() {
        wait_until("the end of the group", || survivors(marker).is_empty());
    }
    assert_eq!(survivors(marker), [0; 0], "{level}");
}

/// Case B21: a background process that holds the outputs neither delays nor changes the end.
#[test]
fn b21_a_process_that_holds_stdout_does_not_delay_the_end() {
    for level in levels() {
        for status in [0, 2] {
            let marker = unique_marker();
            let begin = Instant::now();
            let finished = Run::script(&[
                "drain",
                &format!("holdstdout:{marker}"),
                "out:said",
                &format!("exit:{status}"),
            ])
            .at(*level)
            .run();
            assert_eq!(finished.end, End::Exited(status), "{level}");
            assert_eq!(finished.stdout.bytes, b"said");
            assert!(begin.elapsed() < HELD, "{level}");
            assert_gone(*level, &marker);
        }
        let marker = unique_marker();
        let finished = Run::script(&[&format!("holdstdout:{marker}"), "sleep:60000"])
            .at(*level)
            .limits(|limits| limits.timeout = Duration::from_millis(100))
            .run();
        assert_eq!(finished.end, End::TimedOut, "{level}");
        assert!(finished.duration < HELD);
        assert_gone(*level, &marker);
    }
}

/// What a descendant writes soon after the program has ended still counts as its output.
#[test]
fn late_output_is_read_for_a_while() {
    for level in levels() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let (marker, up, go) = (unique_marker(), path("up"), path("go"));
        let late = format!("waitfile:{}", go.display());
        let script = "\"$1\" \"$2\" out:late & printf early; : >\"$3\"";
        let program = hookward_testkit::scripted_hook().to_str().unwrap();
        let words = ["-c", script, &marker, program, &late, up.to_str().unwrap()];
        let run = Run::program("/bin/sh", &words)
            .at(*level)
            .limits(|limits| limits.drain = LONG);
        let finished = std::thread::scope(|scope| {
            let running = scope.spawn(|| run.run());
            wait_until("the program", || up.exists());
            // The program has the marker in its arguments; its child has other ones.
            wait_until("the program's end", || survivors(&marker).is_empty());
            std::fs::write(&go, "").unwrap();
            running.join().unwrap()
        });
        assert_eq!(finished.end, End::Exited(0), "{level}");
        assert_eq!(finished.stdout.bytes, b"earlylate", "{level}");
    }
}

/// Whoever gives up does not wait for late output either, and what has ended has ended.
#[test]
fn an_abort_ends_the_wait_for_late_output() {
    for level in levels() {
        // An abort that is seen before the exit says nothing.
        let ends = std::iter::repeat_with(|| abort_while_draining(*level)).take(100);
        let conclusive = ends.into_iter().find(|end| *end != End::Aborted);
        assert_eq!(conclusive, Some(End::Exited(3)), "{level}");
    }
}

/// Gives up when the program has ended and its child holds the outputs open.
fn abort_while_draining(level: Containment) -> End {
    let (marker, folder) = (unique_marker(), tempfile::tempdir().unwrap());
    let up = folder.path().join("up");
    let script = "\"$1\" sleep:60000 & : >\"$2\"; exit 3";
    let program = hookward_testkit::scripted_hook().to_str().unwrap();
    let words = ["-c", script, &marker, program, up.to_str().unwrap()];
    let run = Run::program("/bin/sh", &words)
        .at(level)
        .limits(|limits| limits.drain = Duration::MAX);
    let (abort, begin) = (Abort::new().unwrap(), Instant::now());
    let finished = std::thread::scope(|scope| {
        let running = scope.spawn(|| run.run_until(&abort));
        wait_until("the program", || up.exists());
        wait_until("the program's end", || survivors(&marker).is_empty());
        abort.abort();
        running.join().unwrap()
    });
    assert!(begin.elapsed() < Duration::from_secs(60), "{level}");
    finished.end
}

/// Bounds that no clock can count to are no bounds, and do not panic.
#[test]
fn endless_limits_are_no_limits() {
    let finished = Run::script(&["exit:2"])
        .limits(|limits| {
            limits.timeout = Duration::MAX;
            limits.grace = Duration::MAX;
            limits.drain = Duration::MAX;
            limits.kill_wait = Duration::MAX;
        })
        .run();
    assert_eq!(finished.end, End::Exited(2));
    let finished = Run::script(&["sleep:60000"])
        .limits(|limits| {
            limits.timeout = Duration::ZERO;
            limits.grace = Duration::ZERO;
        })
        .run();
    assert_eq!(finished.end, End::TimedOut);
}

/// The answer says when it cannot vouch for the end of every descendant.
#[test]
fn only_the_group_level_proves_nothing() {
    for level in levels() {
        let expected = match level {
            Containment::Group => Cleanup::Unproven,
            _ => Cleanup::Confirmed,
        };
        let finished = Run::script(&["drain"]).at(*level).run();
        assert_eq!(finished.cleanup, expected, "{level}");
    }
}
