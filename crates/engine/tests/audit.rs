//! The audit as files: chained, bounded, shared between processes, honest about damage.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "helpers of tests may fail a test"
)]

use camino::{Utf8Path, Utf8PathBuf};
use hookward_engine::audit::{
    AuditEvent, AuditRecord, AuditSink as _, FileAudit, KEPT_ARCHIVES, ROTATE_AT_BYTES, tail,
    verify,
};

fn record(note: &str) -> AuditRecord {
    AuditRecord::now(AuditEvent::TrustChanged {
        action: note.to_owned(),
        hook_id: None,
        definition_hash: None,
        source: None,
        project: "user".to_owned(),
    })
}

fn folder() -> (tempfile::TempDir, Utf8PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let dir = Utf8PathBuf::from_path_buf(folder.path().join("audit")).unwrap();
    (folder, dir)
}

fn filled(dir: &Utf8Path, count: usize) -> FileAudit {
    let audit = FileAudit::new(dir);
    for n in 0..count {
        audit.append(&[record(&format!("note-{n}"))]).unwrap();
    }
    audit
}

fn lines(dir: &Utf8Path) -> Vec<String> {
    let text = std::fs::read_to_string(dir.join("current.jsonl")).unwrap();
    text.lines().map(str::to_owned).collect()
}

fn rewrite(dir: &Utf8Path, lines: &[String]) {
    std::fs::write(dir.join("current.jsonl"), lines.join("\n") + "\n").unwrap();
}

fn problem(dir: &Utf8Path) -> (u64, String) {
    let problem = verify(dir).unwrap().problem.expect("the chain holds");
    (problem.line, problem.what)
}

#[test]
fn an_honest_audit_verifies_and_reads_back_in_order() {
    let (_guard, dir) = folder();
    assert_eq!(verify(&dir).unwrap().records, 0);
    filled(&dir, 5).append(&[record("a"), record("b")]).unwrap();
    let report = verify(&dir).unwrap();
    assert_eq!(
        (
            report.records,
            report.first_seq,
            report.last_seq,
            report.problem
        ),
        (7, 1, 7, None)
    );
    let notes: Vec<_> = tail(&dir, 3)
        .unwrap()
        .into_iter()
        .map(|record| record.event)
        .collect();
    assert!(matches!(&notes[..], [.., AuditEvent::TrustChanged { action, .. }] if action == "b"));
    assert_eq!(notes.len(), 3);
}

#[test]
fn files_are_private() {
    use std::os::unix::fs::PermissionsExt as _;
    let (_guard, dir) = folder();
    filled(&dir, 1);
    assert_eq!(dir.metadata().unwrap().permissions().mode() & 0o777, 0o700);
    for entry in std::fs::read_dir(&dir).unwrap() {
        assert_eq!(
            entry.unwrap().metadata().unwrap().permissions().mode() & 0o777,
            0o600
        );
    }
}

#[test]
fn every_kind_of_tampering_is_found_and_placed() {
    type Tamper = fn(&mut Vec<String>);
    let rows: [(Tamper, u64, &str); 7] = [
        (
            |lines| lines[2] = lines[2].replace("note-2", "note-9"),
            3,
            "was changed",
        ),
        (|lines| drop(lines.remove(2)), 3, "cut or inserted"),
        (|lines| lines.swap(1, 2), 2, "cut or inserted"),
        (
            |lines| lines.insert(3, lines[2].clone()),
            4,
            "cut or inserted",
        ),
        (|lines| drop(lines.remove(0)), 1, "earlier ones are missing"),
        (|lines| lines.truncate(4), 1, "missing at the end"),
        (|lines| lines.clear(), 1, "was changed"),
    ];
    for (tamper, line, what) in rows {
        let (_guard, dir) = folder();
        filled(&dir, 6);
        let mut kept = lines(&dir);
        tamper(&mut kept);
        rewrite(&dir, &kept);
        let (found_line, found) = problem(&dir);
        assert_eq!(found_line, line, "{found}");
        assert!(found.contains(what), "{found}");
        // And it stays found after more records were written.
        filled(&dir, 2);
        assert!(verify(&dir).unwrap().problem.is_some(), "{what}");
    }
}

#[test]
fn a_removed_file_is_found() {
    let (_guard, dir) = folder();
    filled(&dir, 3);
    std::fs::remove_file(dir.join("current.jsonl")).unwrap();
    assert!(problem(&dir).1.contains("missing at the end"));
    filled(&dir, 1);
    assert!(verify(&dir).unwrap().problem.is_some());
}

/// A writer that was killed between its writes leaves whole lines, or half of one.
#[test]
fn a_killed_writer_costs_nothing_that_was_whole() {
    let (_guard, dir) = folder();
    filled(&dir, 2);
    let head = std::fs::read(dir.join("head")).unwrap();
    filled(&dir, 1);
    std::fs::write(dir.join("head"), head).unwrap();
    assert_eq!(verify(&dir).unwrap().problem, None);
    filled(&dir, 1);
    let report = verify(&dir).unwrap();
    assert_eq!((report.records, report.problem), (4, None));

    let mut text = std::fs::read_to_string(dir.join("current.jsonl")).unwrap();
    text.push_str("{\"seq\":5,\"pr");
    std::fs::write(dir.join("current.jsonl"), text).unwrap();
    filled(&dir, 1);
    let records = tail(&dir, 10).unwrap();
    assert_eq!(
        records.len(),
        6,
        "four, the note about the damage, and the new one"
    );
    assert!(matches!(
        &records[4].event,
        AuditEvent::ChainRestarted { .. }
    ));
}

/// Case B191: every file that is written has a bound.
#[test]
fn b191_every_file_of_the_audit_is_bounded() {
    let (_guard, dir) = folder();
    let limit = 20_000;
    let audit = FileAudit::new(&dir).rotating_at(limit);
    for n in 0..2_000 {
        audit.append(&[record(&format!("note-{n}"))]).unwrap();
    }
    let report = verify(&dir).unwrap();
    assert_eq!(report.problem, None);
    assert_eq!(report.last_seq, 2_000);
    assert!(report.first_seq > 1);
    let sizes: Vec<u64> = std::fs::read_dir(&dir)
        .unwrap()
        .map(|entry| entry.unwrap().metadata().unwrap().len())
        .collect();
    assert_eq!(sizes.len(), KEPT_ARCHIVES + 2);
    assert!(sizes.iter().all(|size| *size <= limit), "{sizes:?}");
    assert!(ROTATE_AT_BYTES * (KEPT_ARCHIVES as u64 + 1) < 20 * 1024 * 1024);
}

#[test]
fn many_writers_make_one_chain() {
    let (_guard, dir) = folder();
    std::thread::scope(|scope| {
        for writer in 0..8 {
            let dir = &dir;
            scope.spawn(move || {
                let audit = FileAudit::new(dir).rotating_at(50_000);
                for n in 0..50 {
                    audit.append(&[record(&format!("w{writer}-{n}"))]).unwrap();
                }
            });
        }
    });
    let report = verify(&dir).unwrap();
    assert_eq!((report.last_seq, report.problem), (400, None));
}

#[test]
fn a_directory_that_cannot_be_written_is_an_error_with_its_path() {
    let (_guard, dir) = folder();
    std::fs::write(&dir, "a file in the way").unwrap();
    let error = FileAudit::new(&dir).append(&[record("x")]).unwrap_err();
    assert!(error.to_string().contains(dir.as_str()), "{error}");
}

/// A FIFO or a link in place of a file is refused at once.
#[test]
fn special_files_in_the_way_are_refused() {
    let (_guard, dir) = folder();
    std::fs::create_dir(&dir).unwrap();
    std::os::unix::fs::symlink("/dev/null", dir.join("current.jsonl")).unwrap();
    assert!(FileAudit::new(&dir).append(&[record("x")]).is_err());
    std::fs::remove_file(dir.join("current.jsonl")).unwrap();
    let status = std::process::Command::new("mkfifo")
        .arg(dir.join("current.jsonl"))
        .status()
        .unwrap();
    assert!(status.success());
    assert!(FileAudit::new(&dir).append(&[record("x")]).is_err());
}

fn set_head(dir: &Utf8Path, change: impl FnOnce(&mut serde_json::Value)) {
    let path = dir.join("head");
    let mut head = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    change(&mut head);
    std::fs::write(path, format!("{head}\n")).unwrap();
}

/// What the head says is checked against what is there.
#[test]
fn a_head_that_does_not_fit_is_found() {
    let (_guard, dir) = folder();
    filled(&dir, 3);
    for (field, value) in [("len", 7.into()), ("hash", "00".into()), ("seq", 9.into())] {
        let honest = std::fs::read(dir.join("head")).unwrap();
        set_head(&dir, |head| head[field] = value);
        assert!(verify(&dir).unwrap().problem.is_some(), "{field}");
        std::fs::write(dir.join("head"), honest).unwrap();
    }
    assert_eq!(verify(&dir).unwrap().problem, None);
    // The last line without its end is a cut, too.
    let text = std::fs::read_to_string(dir.join("current.jsonl")).unwrap();
    std::fs::write(dir.join("current.jsonl"), text.trim_end()).unwrap();
    assert!(verify(&dir).unwrap().problem.is_some());
}

/// Files that look like archives are no excuse for a late start.
#[test]
fn empty_or_misnamed_archives_are_found() {
    let (_guard, dir) = folder();
    filled(&dir, 5);
    let kept = lines(&dir);
    for first in 1..=3 {
        std::fs::write(dir.join(format!("{first:016}.jsonl")), "").unwrap();
    }
    rewrite(&dir, &kept[4..]);
    assert!(problem(&dir).1.contains("named after"));
    std::fs::write(dir.join("0000000000000001.jsonl"), format!("{}\n", kept[1])).unwrap();
    assert!(verify(&dir).unwrap().problem.is_some());
}

/// A sequence number is never left out, even where the hashes fit.
#[test]
fn numbers_follow_each_other() {
    let (_guard, dir) = folder();
    let audit = filled(&dir, 1);
    set_head(&dir, |head| head["seq"] = 5.into());
    audit.append(&[record("late")]).unwrap();
    assert!(problem(&dir).1.contains("comes after record"));
}

/// A lock that somebody holds does not hold up a call for longer than a moment.
#[test]
fn a_held_lock_is_an_error_soon() {
    let (_guard, dir) = folder();
    let audit = filled(&dir, 1);
    let head = std::fs::File::open(dir.join("head")).unwrap();
    head.lock().unwrap();
    let error = audit.append(&[record("x")]).unwrap_err();
    assert!(error.to_string().contains("holds its lock"), "{error}");
    head.unlock().unwrap();
    audit.append(&[record("y")]).unwrap();
    assert_eq!(verify(&dir).unwrap().records, 2);
}

/// Records with long lines rotate like any others and lose nothing.
#[test]
fn long_lines_rotate() {
    let (_guard, dir) = folder();
    let audit = FileAudit::new(&dir).rotating_at(30_000);
    for n in 0..20 {
        audit
            .append(&[record(&format!("{n}-{}", "x".repeat(5_000)))])
            .unwrap();
    }
    let report = verify(&dir).unwrap();
    assert_eq!((report.last_seq, report.problem), (20, None));
}

/// A link to a file that is none of the audit's is not written to.
#[test]
fn a_link_to_another_file_is_not_followed() {
    let (guard, dir) = folder();
    std::fs::create_dir(&dir).unwrap();
    let other = guard.path().join("other");
    std::fs::write(&other, "untouched").unwrap();
    std::os::unix::fs::symlink(&other, dir.join("current.jsonl")).unwrap();
    assert!(FileAudit::new(&dir).append(&[record("x")]).is_err());
    assert_eq!(std::fs::read_to_string(&other).unwrap(), "untouched");
}

/// Junk at the end is kept for whoever looks into it, told once, and not told again.
#[test]
fn junk_is_set_aside_once() {
    let (_guard, dir) = folder();
    filled(&dir, 2);
    let mut text = std::fs::read_to_string(dir.join("current.jsonl")).unwrap();
    text.push_str(&"junk ".repeat(20_000));
    std::fs::write(dir.join("current.jsonl"), &text).unwrap();
    filled(&dir, 3);
    let restarts = lines(&dir)
        .iter()
        .filter(|line| line.contains("chain_restarted"))
        .count();
    assert_eq!(restarts, 1);
    let aside = dir.join("damaged-0000000000000002.jsonl");
    assert_eq!(std::fs::read_to_string(aside).unwrap(), text);
}
