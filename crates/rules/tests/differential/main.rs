//! What Bash really starts is among the effects, or the effects say that it cannot be known.
//!
//! The short form runs a few hundred scripts that a generator writes. The long form,
//! `HOOKWARD_LONG=1 cargo test --release -p hookward-rules --test differential`, runs 20,000, with
//! broken ones and scripts that are found on the machine among them, in a sandbox of its own.

#![allow(clippy::expect_used, reason = "a test that cannot go on says so")]
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::print_stdout,
    reason = "a test runs a real shell, and tells what it saw"
)]

mod compare;
mod corpus;
mod generator;
mod sandbox;
mod shrink;

use std::collections::BTreeSet;
use std::sync::Mutex;

use compare::Analysis;
use generator::{Generator, Manner};
use hookward_rules::EffectKind;
use sandbox::{Sandbox, Wrappers};

/// Most misses that are shown.
const MAX_SHOWN: usize = 12;

/// Where a script comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Source {
    /// Everyday commands.
    Tame,
    /// Everything that the generator knows.
    Wild,
    Mutated,
    Corpus,
    Found,
}

struct Case {
    source: Source,
    script: String,
    wrappers: Wrappers,
}

#[derive(Debug, Default, Clone, Copy)]
struct Count {
    scripts: usize,
    starts: usize,
    files: usize,
    opaque: usize,
    alarms: usize,
    misses: usize,
}

fn generated(source: Source, seed: u64, relative: bool) -> Case {
    let manner = if source == Source::Tame {
        Manner::Tame
    } else {
        Manner::Wild
    };
    let mut generator = Generator::new(seed, manner, relative);
    let mut script = generator.script();
    if source == Source::Mutated {
        script = generator.mutated(&script);
    }
    let wrappers = if seed.is_multiple_of(4) {
        Wrappers::Stubs
    } else {
        Wrappers::Real
    };
    Case {
        source,
        script,
        wrappers,
    }
}

/// Runs all cases, each in one of two sandboxes, and prints the counts.
fn run(cases: &[Case], sandbox: impl Fn() -> Sandbox + Sync) {
    let counts = Mutex::new(std::collections::BTreeMap::<Source, Count>::new());
    let shown = Mutex::new(BTreeSet::new());
    std::thread::scope(|scope| {
        for half in 0..2 {
            let (counts, shown, sandbox) = (&counts, &shown, &sandbox);
            scope.spawn(move || {
                let mut sandbox = sandbox();
                for case in cases.iter().skip(half).step_by(2) {
                    let misses = one(case, &mut sandbox, counts);
                    if misses && shown.lock().expect("a lock").len() < MAX_SHOWN {
                        let small = shrink::smallest(&case.script, |script| {
                            missed(script, case.wrappers, &mut sandbox).is_some()
                        });
                        let what = missed(&small, case.wrappers, &mut sandbox).unwrap_or_default();
                        let text = format!("{:?}: {small:?}\n    {what}", case.source);
                        shown.lock().expect("a lock").insert(text);
                    }
                }
            });
        }
    });
    let counts = counts.into_inner().expect("a lock");
    for (source, count) in &counts {
        println!("{source:?}: {count:?}");
    }
    let shown = shown.into_inner().expect("a lock");
    let missed: usize = counts.values().map(|count| count.misses).sum();
    let shown: Vec<String> = shown.into_iter().collect();
    assert!(
        missed == 0,
        "{missed} scripts do more than is told:\n{}",
        shown.join("\n")
    );
    let starts: usize = counts.values().map(|count| count.starts).sum();
    assert!(
        starts > cases.len(),
        "the scripts start programs at all: {starts}"
    );
    let tame = counts.get(&Source::Tame).copied().unwrap_or_default();
    assert!(
        tame.opaque * 10 < tame.scripts * 4,
        "most everyday commands are known: {tame:?}"
    );
}

/// Whether the script does something that is not told.
fn one(
    case: &Case,
    sandbox: &mut Sandbox,
    counts: &Mutex<std::collections::BTreeMap<Source, Count>>,
) -> bool {
    let seen = sandbox
        .run(&case.script, case.wrappers)
        .expect("a sandbox that runs");
    let work = sandbox.work.clone();
    let analysis = Analysis::of(&case.script, &work);
    let misses = !analysis.misses(&seen).is_empty();
    let opaque = analysis.is_opaque(EffectKind::Exec);
    let mut counts = counts.lock().expect("a lock");
    let count = counts.entry(case.source).or_default();
    count.scripts += 1;
    count.starts += seen.starts.len();
    count.files += seen.files.len();
    count.opaque += usize::from(opaque);
    count.misses += usize::from(misses);
    count.alarms += usize::from(!opaque && analysis.alarms(&seen) > 0);
    misses
}

fn missed(script: &str, wrappers: Wrappers, sandbox: &mut Sandbox) -> Option<String> {
    let seen = sandbox.run(script, wrappers).expect("a sandbox that runs");
    let work = sandbox.work.clone();
    let misses = Analysis::of(script, &work).misses(&seen);
    (!misses.is_empty()).then(|| misses.join("; "))
}

fn is_long() -> bool {
    std::env::var_os("HOOKWARD_LONG").is_some()
}

#[test]
fn what_bash_starts_is_told() {
    let stubs = corpus::stub_names();
    if !std::path::Path::new("/bin/bash").exists() {
        println!("skipped: there is no /bin/bash");
        return;
    }
    if !is_long() {
        let tame = (0..350).map(|seed| generated(Source::Tame, seed, true));
        let wild = (0..250).map(|seed| generated(Source::Wild, seed, true));
        let cases: Vec<Case> = tame.chain(wild).collect();
        return run(&cases, || {
            Sandbox::open(&stubs).expect("a folder for scripts")
        });
    }
    let mut cases: Vec<Case> = Vec::new();
    for (source, count) in [
        (Source::Tame, 7_000),
        (Source::Wild, 7_000),
        (Source::Mutated, 5_000),
    ] {
        let first = 1_000 + 100_000 * source as u64;
        cases.extend((first..first + count).map(|seed| generated(source, seed, false)));
    }
    let real = |source, script| Case {
        source,
        script,
        wrappers: Wrappers::Real,
    };
    cases.extend(
        corpus::written()
            .into_iter()
            .map(|script| real(Source::Corpus, script)),
    );
    cases.extend(
        corpus::found()
            .into_iter()
            .map(|script| real(Source::Found, script)),
    );
    println!("{} scripts", cases.len());
    run(&cases, || {
        Sandbox::closed(&stubs).expect("a sandbox: unshare, chroot and ldd")
    });
}

/// One script from the environment, for a person who looks into a miss.
#[test]
fn one_script() {
    let Ok(script) = std::env::var("HOOKWARD_SCRIPT") else {
        return;
    };
    let stubs = corpus::stub_names();
    let mut sandbox = Sandbox::closed(&stubs).expect("a sandbox: unshare, chroot and ldd");
    let seen = sandbox
        .run(&script, Wrappers::Real)
        .expect("a sandbox that runs");
    let work = sandbox.work.clone();
    let analysis = Analysis::of(&script, &work);
    println!("{seen:#?}\n{:#?}", analysis.effects());
    let misses = analysis.misses(&seen);
    assert!(misses.is_empty(), "{misses:?}");
}
