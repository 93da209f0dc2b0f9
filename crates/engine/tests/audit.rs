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
