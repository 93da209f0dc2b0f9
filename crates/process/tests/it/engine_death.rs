//! What happens to a run when the process around it is killed, stopped, or used by others.

use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use hookward_process::{Containment, End, Stage, StartError, probe};
use hookward_testkit::{scripted_hook, survivors, unique_marker};
use rustix::process::{Pid, Signal, kill_process};

use crate::support::{LONG, Lifeline, Run, full_levels, levels, wait_until};

/// The environment variable that gives the engine below its order.
const ORDER: &str = "HOOKWARD_TEST_ENGINE";

/// Not a test: the process that other tests start, and kill or stop.
#[test]
#[ignore = "started by other tests"]
fn engine() {
    let Ok(order) = std::env::var(ORDER) else {
        return;
    };
    let mut words = order.split('\n');
    let level: Containment = words.next().unwrap().parse().unwrap();
    let timeout = Duration::from_millis(words.next().unwrap().parse().unwrap());
    let result = words.next().unwrap();
    let program = words.next().unwrap();
    let script: Vec<_> = words.collect();
    let finished = Run::program(program, &script)
        .at(level)
        .limits(|limits| limits.timeout = timeout)
        .run();
    std::fs::write(result, format!("{:?}", finished.end)).unwrap();
}

/// The arguments that make this program an engine.
const ENGINE: [&str; 4] = [
    "--exact",
    "engine_death::engine",
    "--ignored",
    "--nocapture",
];

/// The order to run a program, whose arguments hold no line end, and to note its end in a file.
fn order(
    level: Containment,
    timeout: Duration,
    result: &Path,
    program: &Path,
    args: &[&str],
) -> String {
    let (timeout, args) = (timeout.as_millis(), args.join("\n"));
    let (result, program) = (result.display(), program.display());
    format!("{level}\n{timeout}\n{result}\n{program}\n{args}")
}

/// Starts an engine that runs a script.
fn start_engine(level: Containment, timeout: Duration, result: &Path, script: &[&str]) -> Child {
    let order = order(level, timeout, result, scripted_hook(), script);
    start(
        Command::new(std::env::current_exe().unwrap()).args(ENGINE),
        &order,
    )
}

fn start(engine: &mut Command, order: &str) -> Child {
    engine
        .env(ORDER, order)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

fn signal(child: &Child, signal: Signal) {
    let pid = Pid::from_raw(child.id().try_into().unwrap()).unwrap();
    kill_process(pid, signal).unwrap();
}

#[test]
fn descendants_die_with_a_killed_engine() {
    for level in full_levels() {
        let (marker, lifeline) = (unique_marker(), Lifeline::new());
        let folder = tempfile::tempdir().unwrap();
        let (ready, result) = (folder.path().join("ready"), folder.path().join("result"));
        let script = [
            &format!("spawn:mixed:{marker}:{}", lifeline.path()),
            &format!("append:{}:up", ready.display()),
            "sleep:60000",
        ];
        let mut engine = start_engine(level, LONG, &result, &script);
        wait_until("the descendants", || ready.exists());
        assert!(lifeline.is_held());
        signal(&engine, Signal::KILL);
        engine.wait().unwrap();
        let killed = Instant::now();
        wait_until("their end", || {
            !lifeline.is_held() && survivors(&marker).is_empty()
        });
        // By themselves they would end after ten seconds.
        assert!(killed.elapsed() < Duration::from_secs(5), "{level}");
        assert!(!result.exists());
    }
    assert_stale_cgroups_are_removed();
}

/// What killed engines, of other tests too, left of cgroups is removed.
fn assert_stale_cgroups_are_removed() {
    if levels().contains(&Containment::Cgroup) {
        wait_until("the removal of cgroups", || {
            probe();
            stale_cgroups() == 0
        });
    }
}

/// A program that stops its supervisor does not outlive the engine by it.
#[test]
fn a_stopped_supervisor_does_its_work_when_the_engine_is_killed() {
    for level in full_levels() {
        let (marker, lifeline) = (unique_marker(), Lifeline::new());
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let (ready, result) = (path("ready"), path("result"));
        let spawn = format!("spawn:mixed:{marker}:{}", lifeline.path());
        let script = "\"$1\" \"$2\"; kill -STOP $PPID; : >\"$3\"; exec \"$1\" sleep:300000 \"$0\"";
        let (hook, note) = (scripted_hook().to_str().unwrap(), ready.to_str().unwrap());
        let args = ["-c", script, &marker, hook, &spawn, note];
        let order = order(level, LONG, &result, Path::new("/bin/sh"), &args);
        let this = std::env::current_exe().unwrap();
        let mut engine = start(Command::new(this).args(ENGINE), &order);
        wait_until("the program", || ready.exists());
        assert!(lifeline.is_held());
        signal(&engine, Signal::KILL);
        engine.wait().unwrap();
        // The sleep is longer than the wait.
        wait_until("their end", || {
            !lifeline.is_held() && survivors(&marker).is_empty()
        });
    }
    assert_stale_cgroups_are_removed();
}

/// A run in another PID namespace is none of a dead process, although its process is not found.
#[test]
fn a_cgroup_of_another_namespace_is_not_swept() {
    let namespace = || {
        let mut unshare = Command::new("unshare");
        unshare.args(["--pid", "--fork", "--kill-child", "--mount-proc"]);
        unshare
    };
    let works = namespace().arg("true").stderr(Stdio::null()).status();
    let has_level = levels().contains(&Containment::Cgroup);
    if !has_level || !works.is_ok_and(|status| status.success()) {
        eprintln!("skipped: needs unshare, the right to use it, and the level cgroup");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let (ready, go, result) = (path("ready"), path("go"), path("result"));
    let args = [
        &format!("append:{}:up", ready.display()),
        &*format!("waitfile:{}", go.display()),
        "exit:2",
    ];
    let order = order(Containment::Cgroup, LONG, &result, scripted_hook(), &args);
    let this = std::env::current_exe().unwrap();
    let mut engine = start(namespace().arg(this).args(ENGINE), &order);
    wait_until("the program", || ready.exists() || result.exists());
    probe();
    std::fs::write(&go, "").unwrap();
    engine.wait().unwrap();
    let end = std::fs::read_to_string(&result).unwrap();
    assert_eq!(end, format!("{:?}", End::Exited(2)));
}

/// Numbers that `/proc` shows of another namespace are not signalled here: levels that need it are
/// refused.
#[test]
fn a_proc_of_another_namespace_is_not_believed() {
    let Some(outer) = levels()
        .first()
        .filter(|level| **level < Containment::Cgroup)
    else {
        eprintln!("skipped: needs a namespace");
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let result = folder.path().join("result");
    let this = std::env::current_exe().unwrap();
    for inner in [
        Containment::Cgroup,
        Containment::Subreaper,
        Containment::Group,
    ] {
        let order = order(inner, LONG, &result, scripted_hook(), &["exit:2"]);
        let mut engine = Run::program(&this, &ENGINE).at(*outer);
        engine.env = vec![(ORDER.to_owned(), order)];
        assert_eq!(engine.run().end, End::Exited(0));
        let expected = match inner {
            Containment::Group => End::Exited(2),
            _ => End::NotStarted(StartError::Other {
                stage: Stage::Subreaper,
                errno: libc::ENOENT,
            }),
        };
        let end = std::fs::read_to_string(&result).unwrap();
        assert_eq!(end, format!("{expected:?}"), "{inner}");
    }
}

/// Cgroups that name a process of this PID namespace which does not exist.
fn stale_cgroups() -> usize {
    let home = std::fs::metadata("/proc/self/ns/pid").unwrap().ino();
    let home = home.to_string();
    let roots = ["/sys/fs/cgroup", "/sys/fs/cgroup/unified"];
    let entries = roots.iter().filter_map(|root| std::fs::read_dir(root).ok());
    entries
        .flatten()
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| {
            let mut parts = name.split('-');
            parts.next() == Some("hookward")
                && parts.next() == Some(&home)
                && parts
                    .next()
                    .is_some_and(|pid| !Path::new("/proc").join(pid).exists())
        })
        .count()
}

/// An exit that came before the deadline is an exit, however late it is seen: the engine is
/// stopped while the program ends and its time runs out.
#[test]
fn an_exit_seen_after_the_deadline_is_an_exit() {
    std::thread::scope(|scope| {
        for level in levels() {
            scope.spawn(|| until_conclusive(|timeout| exit_while_stopped(*level, timeout)));
        }
    });
}

/// Repeats a round with more time for the program, until something was stopped within that time.
fn until_conclusive(round: impl Fn(Duration) -> bool) {
    let mut timeout = Duration::from_secs(2);
    while !round(timeout) {
        timeout *= 2;
        assert!(timeout < LONG, "this machine is too slow");
    }
}

/// True when the engine was stopped before the deadline.
fn exit_while_stopped(level: Containment, timeout: Duration) -> bool {
    let marker = unique_marker();
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let (ready, go, result) = (path("ready"), path("go"), path("result"));
    let script = [
        &format!("append:{}:up", ready.display()),
        &format!("waitfile:{}", go.display()),
        "exit:2",
        &marker,
    ];
    let begin = Instant::now();
    let mut engine = start_engine(level, timeout, &result, &script);
    wait_until("the program", || ready.exists() || result.exists());
    let started = Instant::now();
    signal(&engine, Signal::STOP);
    let in_time = ready.exists() && begin.elapsed() < timeout;
    std::fs::write(&go, "").unwrap();
    // The engine's own arguments do not hold the marker.
    wait_until("the program's end", || survivors(&marker).is_empty());
    wait_until("the deadline", || started.elapsed() > timeout);
    signal(&engine, Signal::CONT);
    engine.wait().unwrap();
    let end = std::fs::read_to_string(&result).unwrap();
    assert!(
        !in_time || end == format!("{:?}", End::Exited(2)),
        "{level}: {end}"
    );
    in_time
}

/// The same when it is the supervisor that is late: it finds an exit and an order to end the
/// program, and the exit was first.
#[test]
fn an_exit_before_sigterm_is_an_exit() {
    std::thread::scope(|scope| {
        for level in levels() {
            scope.spawn(|| {
                until_conclusive(|timeout| exit_while_supervisor_is_stopped(*level, timeout));
            });
        }
    });
}

/// True when the supervisor was stopped before the deadline.
fn exit_while_supervisor_is_stopped(level: Containment, timeout: Duration) -> bool {
    let (marker, folder) = (unique_marker(), tempfile::tempdir().unwrap());
    let go = folder.path().join("go");
    let run = Run::script(&[&format!("waitfile:{}", go.display()), "exit:2", &marker])
        .at(level)
        .limits(|limits| {
            limits.timeout = timeout;
            limits.grace = LONG;
        });
    std::thread::scope(|scope| {
        let started = Instant::now();
        let running = scope.spawn(|| run.run());
        let mut program = None;
        wait_until("the program", || {
            program = survivors(&marker).first().copied();
            program.is_some() || running.is_finished()
        });
        let Some(program) = program else {
            return false;
        };
        let stat = || std::fs::read_to_string(format!("/proc/{program}/stat")).unwrap_or_default();
        // pid (name) state parent …
        let field = |number| {
            let stat = stat();
            let fields = stat.rsplit_once(") ").map(|(_, rest)| rest.split(' '));
            fields.and_then(|mut fields| fields.nth(number).map(str::to_owned))
        };
        let parent = field(1).and_then(|number| number.parse().ok());
        let Some(supervisor) = parent.filter(|parent| *parent > 1).and_then(Pid::from_raw) else {
            return false;
        };
        // Both are gone where the deadline came first.
        let _ = kill_process(supervisor, Signal::STOP);
        let in_time = started.elapsed() < timeout;
        std::fs::write(&go, "").unwrap();
        wait_until("the program's end", || {
            field(0).is_none_or(|state| state == "Z")
        });
        // The order is sent at the deadline. Going on too early would only prove less.
        wait_until("the order", || started.elapsed() > timeout + timeout / 6);
        let _ = kill_process(supervisor, Signal::CONT);
        let end = running.join().unwrap().end;
        assert!(!in_time || end == End::Exited(2), "{level}: {end:?}");
        in_time
    })
}
