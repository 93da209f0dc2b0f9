//! Histories of every writer and version, read from outside.

#![allow(clippy::unwrap_used, reason = "tests")]

use std::fs;

use camino::{Utf8Path, Utf8PathBuf};
use hookward_replay::{CallOutcome, Format, Histories, ReadOptions, Recorded, SkipReason};

fn fixture(name: &str) -> Utf8PathBuf {
    Utf8Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/fixtures")
        .join(name)
}

fn open(path: &Utf8Path, format: Option<Format>) -> Histories {
    let cwd = Utf8PathBuf::from("/srv/shop/docs");
    Histories::open(&[path.to_owned()], ReadOptions { format, cwd })
}

fn read(path: &Utf8Path) -> (Vec<Recorded>, Histories) {
    let mut histories = open(path, None);
    let calls = histories.by_ref().collect();
    assert_eq!(histories.bytes_read(), histories.bytes_total(), "{path}");
    (calls, histories)
}

/// A call in a line: tool, native name, input, folder.
fn line(recorded: &Recorded) -> String {
    let call = &recorded.call;
    let native = call
        .native_tool
        .as_ref()
        .map_or_else(String::new, |name| format!(" ({name})"));
    format!("{}{native} {} in {}", call.tool, call.input.get(), call.cwd)
}

/// The calls of a folder without anything skipped, and how many copies were not counted.
fn clean(name: &str) -> (Vec<String>, u64) {
    let (calls, histories) = read(&fixture(name));
    assert_eq!(histories.skipped(), []);
    let lines = calls.iter().map(line).collect();
    (lines, histories.repeated())
}

#[test]
fn claude_code_1_has_subagents_in_the_file_and_copies_in_forks() {
    let (calls, repeated) = clean("claude-code-1.0");
    assert_eq!(
        calls,
        [
            r#"Bash {"command":"git status","description":"look"} in /srv/shop"#,
            r#"Write {"file_path":"/srv/shop/café.txt","content":"😀\n"} in /srv/shop"#,
            r#"Agent (Task) {"description":"x","prompt":"y","subagent_type":"general-purpose"} in /srv/shop"#,
            r#"Bash {"command":"ls"} in /srv/shop"#,
            r#"Bash {"command":"git push"} in /srv/shop"#,
        ]
    );
    assert_eq!(repeated, 3);
}

#[test]
fn claude_code_2_0_has_files_of_subagents_and_parallel_calls() {
    let (calls, repeated) = clean("claude-code-2.0");
    assert_eq!(
        calls,
        [
            r#"Bash {"command":"make"} in /srv/shop"#,
            r#"Read {"file_path":"/srv/shop/a"} in /srv/shop"#,
            r#"Bash {"command":"ls src"} in /srv/shop"#,
        ]
    );
    assert_eq!(repeated, 1);
    let (calls, _) = read(&fixture("claude-code-2.0"));
    assert_eq!(calls[2].call.agent_id.as_deref(), Some("a1b2c3d"));
    assert_eq!(calls[0].at.unwrap().to_string(), "2025-09-10T08:00:11Z");
    assert_eq!(
        (calls[0].place.line, calls[0].format),
        (4, Format::ClaudeCode)
    );
    assert!(calls[0].call.session_id.starts_with("33333333-"));
}

#[test]
fn claude_code_2_1_has_folders_of_subagents_and_progress_that_is_no_call() {
    let (calls, repeated) = clean("claude-code-2.1");
    assert_eq!(
        calls,
        [
            r#"mcp__issues__list {"state":"open"} in /srv/shop"#,
            r#"Agent {"description":"x","prompt":"y","subagent_type":"Explore","n":7960607143101464577} in /srv/shop"#,
        ]
    );
    assert_eq!(repeated, 0);
}

const PATCH: &str = r#"{"command":"*** Begin Patch\n*** Add File: a.txt\n+hi\n*** End Patch\n"}"#;

#[test]
fn codex_without_envelopes() {
    let (calls, _) = clean("codex-0.20");
    assert_eq!(
        calls,
        [
            r#"Bash (local_shell) {"command":"make test"} in /srv/shop"#,
            r#"Bash (shell) {"command":"ls -l 'a b'"} in /srv/shop/src"#,
        ]
    );
    let (calls, _) = read(&fixture("codex-0.20"));
    assert!(calls[0].call.session_id.starts_with("aaaaaaaa-"));
}

#[test]
fn codex_with_envelopes() {
    let (calls, _) = clean("codex-0.44");
    let patch = format!("apply_patch (shell) {PATCH} in /srv/shop");
    assert_eq!(
        calls,
        [
            r#"Bash (shell) {"command":"git push"} in /srv/shop"#,
            patch.as_str(),
            r#"update_plan {"plan":[]} in /srv/shop"#,
        ]
    );
}

#[test]
fn a_fork_of_codex_repeats_what_came_before() {
    let (calls, repeated) = clean("codex-0.98");
    let (shell, own) = (
        format!("apply_patch (shell) {PATCH} in /srv/shop"),
        format!("apply_patch {PATCH} in /srv/other"),
    );
    assert_eq!(
        calls,
        [
            r#"Bash (shell) {"command":"git push"} in /srv/shop"#,
            shell.as_str(),
            r#"Bash (shell_command) {"command":"npm test"} in /srv/other/web"#,
            own.as_str(),
        ]
    );
    assert_eq!(repeated, 2);
}

#[test]
fn newer_codex_has_servers_and_forks_without_copies() {
    let (calls, repeated) = clean("codex-0.171");
    assert_eq!(
        calls,
        [
            r#"Bash (exec_command) {"command":"git push --force"} in /srv/shop"#,
            r#"mcp__issues__create {"title":"x"} in /srv/shop"#,
            r#"write_stdin {"session_id":1,"chars":"y\n"} in /srv/shop"#,
        ]
    );
    assert_eq!(repeated, 0);
}

#[test]
fn gemini_documents_name_their_project_by_a_hash_or_a_file() {
    // The input of a document over several lines keeps its own bytes.
    let pretty = "Bash (run_shell_command) {\n            \"command\": \"git push\"\n          } in /srv/shop";
    let run = r#"Bash (run_shell_command) {"command":"git push"} in /srv/shop"#;
    let view = r#"Read (read_file) {"file_path":"/srv/shop/a"} in /srv/shop"#;
    assert_eq!(clean("gemini-cli-0.20").0, [pretty, view]);
    let edit = r#"Edit (replace) {"file_path":"a","old_string":"b","new_string":"c"} in /srv/shop"#;
    assert_eq!(clean("gemini-cli-0.29").0, [run, view, edit]);
    let (calls, _) = read(&fixture("gemini-cli-0.29"));
    let outcomes: Vec<_> = calls.iter().filter_map(|call| call.outcome).collect();
    let expected = [
        CallOutcome::Succeeded,
        CallOutcome::Cancelled,
        CallOutcome::Failed,
    ];
    assert_eq!(outcomes, expected);
    assert!(calls.iter().all(|call| call.cwd_known));
}

#[test]
fn gemini_lines_repeat_a_message_with_its_calls() {
    let (calls, repeated) = clean("gemini-cli-0.61");
    let run =
        r#"Bash (run_shell_command) {"command":"git push","dir_path":"web"} in /srv/shop/web"#;
    let write = r#"Write (write_file) {"file_path":"/srv/shop/a","content":"x"} in /srv/shop"#;
    assert_eq!(calls, [run, write, run]);
    assert_eq!(repeated, 2);
}

#[test]
fn plain_calls_and_payloads_are_all_counted() {
    let (calls, repeated) = clean("calls");
    assert_eq!(
        calls,
        [
            r#"Bash {"command":"ls"} in /srv/shop"#,
            r#"Write (write_file) {"file_path":"a"} in /srv/shop"#,
            r#"Bash {"command":"git push"} in /srv/shop"#,
            r#"Bash {"command":"git push"} in /srv/shop/docs"#,
            r#"Agent (Task) {"prompt":"x"} in /srv/shop/docs"#,
        ]
    );
    assert_eq!(repeated, 0);
    let (calls, _) = read(&fixture("calls"));
    let known: Vec<bool> = calls.iter().map(|call| call.cwd_known).collect();
    assert_eq!(known, [true, true, true, false, false]);
}

#[test]
fn the_audit_is_counted_and_gives_no_calls() {
    let (calls, histories) = read(&fixture("audit"));
    assert!(calls.is_empty());
    let rows: Vec<String> = histories
        .audit()
        .iter()
        .map(|row| format!("{} {} {}", row.tool, row.status, row.records))
        .collect();
    let expected = [
        "Bash allowed 1",
        "Bash denied 2",
        "Bash failed 1",
        "Write allowed 1",
    ];
    assert_eq!(rows, expected);
    assert_eq!(histories.skipped(), []);
}

#[test]
fn what_cannot_be_read_is_counted_with_its_reason_and_place() {
    let (calls, histories) = read(&fixture("hostile"));
    let commands: Vec<&str> = calls.iter().map(|call| call.call.input.get()).collect();
    let expected = ["75", "91", "92", "81", "83", "61", "62"]
        .map(|number| format!(r#"{{"command":"echo {number}"}}"#).replace(':', ": "));
    let compact = |text: &str| text.replace(": ", ":");
    let commands: Vec<String> = commands.iter().map(|text| compact(text)).collect();
    assert_eq!(commands, expected.map(|text| compact(&text)));
    let rows: Vec<String> = histories
        .skipped()
        .iter()
        .map(|one| {
            let name = Utf8Path::new(&one.file).file_name().unwrap();
            let (reason, count) = (one.reason.as_str(), one.count);
            format!("{name} {reason} {count} {:?}", one.first_line)
        })
        .collect();
    assert_eq!(
        rows,
        [
            "bad-calls.jsonl bad_call 4 Some(1)",
            "cut.jsonl not_json 2 Some(3)",
            "mixed.jsonl not_json 1 Some(3)",
            "mixed.jsonl other_format 2 Some(2)",
            "not-utf8.jsonl not_utf8 1 Some(2)",
            "notes.json not_a_history 1 None",
            "old.jsonl.zst compressed 1 None",
            "other.jsonl not_a_history 1 None",
        ]
    );
}

/// The line of one writer in the file of another is neither read nor lost without a word.
#[test]
fn mixed_files_tell_lines_of_other_writers() {
    let folder = tempfile::tempdir().unwrap();
    let sample = |name: &str, number: usize| {
        let (calls, _) = read(&fixture(name));
        let place = &calls[0].place;
        let text = fs::read_to_string(place.file.as_std_path()).unwrap();
        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
        (
            lines[..number].join("\n"),
            lines[usize::try_from(place.line).unwrap() - 1].clone(),
        )
    };
    let writers = ["claude-code-2.0", "codex-0.44", "gemini-cli-0.61"];
    for own in writers {
        for other in writers.iter().filter(|other| **other != own) {
            let (head, call) = sample(own, 2);
            let (_, foreign) = sample(other, 1);
            let path = Utf8PathBuf::from_path_buf(folder.path().join("mixed.jsonl")).unwrap();
            fs::write(&path, format!("{head}\n{foreign}\n{call}\n")).unwrap();
            let (calls, histories) = read(&path);
            assert_eq!(calls.len(), 1, "{own} with {other}");
            let skipped = histories.skipped();
            assert_eq!(skipped.len(), 1, "{own} with {other}");
            assert_eq!(
                (skipped[0].reason, skipped[0].first_line),
                (SkipReason::OtherFormat, Some(3)),
                "{own} with {other}"
            );
        }
    }
}

#[test]
fn a_given_format_is_not_second_guessed() {
    let path = fixture("claude-code-2.0");
    let mut histories = open(&path, Some(Format::Codex));
    assert_eq!(histories.by_ref().count(), 0);
    let reasons: Vec<SkipReason> = histories.skipped().iter().map(|one| one.reason).collect();
    assert!(!reasons.is_empty());
    assert!(
        reasons
            .iter()
            .all(|reason| *reason == SkipReason::OtherFormat)
    );
}

/// Wherever a history is cut, what stands before the cut is read, and nothing panics.
#[test]
fn every_cut_of_every_history_is_read_up_to_the_cut() {
    let folder = tempfile::tempdir().unwrap();
    let path = Utf8PathBuf::from_path_buf(folder.path().join("cut.jsonl")).unwrap();
    for name in [
        "claude-code-1.0",
        "codex-0.98",
        "codex-0.20",
        "gemini-cli-0.61",
        "calls",
    ] {
        let (calls, _) = read(&fixture(name));
        let file = &calls.last().unwrap().place.file;
        let bytes = fs::read(file.as_std_path()).unwrap();
        let whole = read(file).0;
        let up_to = |lines: usize| {
            let before = whole.iter().filter(|call| call.place.line <= lines as u64);
            before.count()
        };
        for cut in (0..bytes.len()).step_by(7) {
            fs::write(&path, &bytes[..cut]).unwrap();
            let found = read(&path).0.len();
            let lines = bytes[..cut].split(|byte| *byte == b'\n').count() - 1;
            assert!(found >= up_to(lines), "{name} cut at {cut}");
            assert!(found <= up_to(lines + 1), "{name} cut at {cut}");
        }
    }
}

/// Whatever byte of a history is damaged, the rest is read, and nothing panics.
#[test]
fn every_damaged_byte_costs_at_most_its_line() {
    let folder = tempfile::tempdir().unwrap();
    let path = Utf8PathBuf::from_path_buf(folder.path().join("damaged.jsonl")).unwrap();
    for name in ["claude-code-2.0", "codex-0.171", "calls"] {
        let file = read(&fixture(name)).0.remove(0).place.file;
        let bytes = fs::read(file.as_std_path()).unwrap();
        let format = read(&file).0[0].format;
        let full = read(&file).0.len();
        for (number, at) in (0..bytes.len()).step_by(11).enumerate() {
            let mut damaged = bytes.clone();
            damaged[at] = [b'"', b'\\', 0, 0xff, b'{'][number % 5];
            fs::write(&path, damaged).unwrap();
            let mut histories = open(&path, Some(format));
            let found = histories.by_ref().count();
            // A parallel call of the damaged line is lost with it.
            assert!(
                found <= full && found + 1 >= full,
                "{name} at {at}: {found}"
            );
        }
    }
}

#[test]
fn paths_that_are_no_histories_are_reasons_and_no_errors() {
    let folder = tempfile::tempdir().unwrap();
    let folder = Utf8Path::from_path(folder.path()).unwrap();
    rustix::fs::mknodat(
        rustix::fs::CWD,
        folder.join("pipe.jsonl").as_std_path(),
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RUSR,
        0,
    )
    .unwrap();
    let mut named = open(&folder.join("pipe.jsonl"), None);
    assert_eq!(named.by_ref().count(), 0);
    assert_eq!(named.skipped()[0].reason, SkipReason::NotAFile);
    let mut missing = open(&folder.join("missing"), None);
    assert_eq!(missing.by_ref().count(), 0);
    assert_eq!(missing.skipped()[0].reason, SkipReason::Unreadable);
    let mut walked = open(folder, None);
    assert_eq!(walked.by_ref().count(), 0);
    assert_eq!(walked.skipped(), []);
}

#[test]
fn a_line_that_is_too_long_is_passed_over() {
    let folder = tempfile::tempdir().unwrap();
    let path = Utf8PathBuf::from_path_buf(folder.path().join("long.jsonl")).unwrap();
    let call = r#"{"tool":"Bash","input":{"command":"ls"}}"#;
    let long = format!(
        r#"{{"tool":"Write","input":{{"content":"{}"}}}}"#,
        "x".repeat(hookward_replay::MAX_LINE_BYTES)
    );
    fs::write(&path, format!("{call}\n{long}\n{call}\n")).unwrap();
    let (calls, histories) = read(&path);
    assert_eq!(calls.len(), 2);
    let skipped = histories.skipped();
    assert_eq!(
        (skipped[0].reason, skipped[0].first_line),
        (SkipReason::LineTooLong, Some(2))
    );
}
