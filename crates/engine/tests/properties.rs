//! Laws of the pure parts of the engine, over generated values: reduction, reading, cleaning, the
//! chain, the queue.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "helpers of tests may fail a test"
)]

use std::fs::File;
use std::os::unix::fs::FileExt as _;
use std::sync::Mutex;
use std::time::Duration;

use camino::{Utf8Path, Utf8PathBuf};
use hookward_contract::{
    Cause, EventName, FailureMode, HookId, HookRun, HookVerdict, MAX_REASON_CHARS, NoVerdict,
    SourceKind, Verdict, strip_controls,
};
use hookward_engine::audit::{AuditEvent, AuditRecord, AuditSink as _, FileAudit, verify};
use hookward_engine::fuzzing::{self, Turnstile};
use hookward_policy::{
    CommandText, ContainmentMode, Definition, FormatVersion, HandlerText, Hook, HookMode, Matcher,
};
use hookward_process::{Abort, Captured, Cleanup, Containment, End, Finished};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

fn hook(id: &str, format: FormatVersion, on_failure: FailureMode) -> Hook {
    let definition = Definition {
        format,
        source: SourceKind::User,
        owner: "user".to_owned(),
        event: EventName::PreToolUse,
        matcher: Matcher::all(),
        handler: HandlerText::Command(CommandText {
            command: "/opt/policy".to_owned(),
            args: Vec::new(),
            timeout_ms: 3_000,
            containment: ContainmentMode::Full,
        }),
        on_failure,
        mode: HookMode::Enforce,
    };
    hookward_policy::fuzzing::hook(definition, HookId::try_from(id).unwrap())
}

fn finished(end: End, stdout: &str, stderr: &str) -> Finished {
    let captured = |text: &str| Captured {
        bytes: text.as_bytes().to_vec(),
        total: text.len() as u64,
    };
    Finished {
        end,
        stdout: captured(stdout),
        stderr: captured(stderr),
        duration: Duration::ZERO,
        containment: Containment::Group,
        cleanup: Cleanup::Confirmed,
        stdin_written: 0,
        start_retries: 0,
    }
}

fn read(format: FormatVersion, end: End, stdout: &str, stderr: &str) -> HookRun {
    let hook = hook("gate", format, FailureMode::Continue);
    fuzzing::read(&hook, &finished(end, stdout, stderr)).expect("it was not aborted")
}

/// So many cases; a failure prints its values and leaves no file behind.
fn cases(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases,
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

// ---- reduction -------------------------------------------------------------------------------

const CAUSES: &[Cause] = &[
    Cause::NotFound,
    Cause::Timeout,
    Cause::Exit(1),
    Cause::BadOutput,
    Cause::Overflow,
    Cause::Queue,
    Cause::Untrusted,
    Cause::Changed,
    Cause::BrokenSource,
];

fn run() -> impl Strategy<Value = HookRun> {
    let failure = |cause| {
        HookRun::NoVerdict(NoVerdict {
            cause,
            detail: "it failed".to_owned(),
            advice: String::new(),
        })
    };
    prop_oneof![
        Just(HookRun::Decided(HookVerdict::Allow)),
        "[a-z]{1,8}".prop_map(|text| HookRun::Decided(HookVerdict::Ask(text))),
        "[a-z]{1,8}".prop_map(|text| HookRun::Decided(HookVerdict::Deny(text))),
        select(CAUSES).prop_map(failure),
    ]
}

/// Hooks with ids that name their position, each with its run.
fn runs() -> impl Strategy<Value = Vec<(Hook, HookRun)>> {
    let mode = select(vec![FailureMode::Continue, FailureMode::Block]);
    vec((mode, run()), 0..8).prop_map(|list| {
        let numbered = list.into_iter().enumerate();
        numbered
            .map(|(at, (mode, run))| (hook(&format!("h{at}"), FormatVersion::V2, mode), run))
            .collect()
    })
}

/// The table of the protocol, written once more: 0 allow, 1 ask, 2 deny.
fn rank_of_run(hook: &Hook, run: &HookRun) -> u8 {
    match run {
        HookRun::Decided(HookVerdict::Allow) => 0,
        HookRun::Decided(HookVerdict::Ask(_)) => 1,
        HookRun::Decided(HookVerdict::Deny(_)) => 2,
        HookRun::NoVerdict(NoVerdict { cause, .. }) => {
            let blocks = hook.on_failure == FailureMode::Block && *cause != Cause::Untrusted;
            if blocks { 2 } else { 0 }
        }
    }
}

fn rank(verdict: &Verdict) -> u8 {
    match verdict {
        Verdict::Allow => 0,
        Verdict::Ask(_) => 1,
        Verdict::Deny(_) => 2,
    }
}

proptest! {
    #![proptest_config(cases(256))]

    /// The strictest run decides; the reasons are those of the runs that decided, in their order.
    #[test]
    fn the_strictest_run_decides_and_reasons_keep_their_order(runs in runs()) {
        let verdict = fuzzing::verdict(&runs);
        let ranks: Vec<u8> = runs.iter().map(|(hook, run)| rank_of_run(hook, run)).collect();
        let strictest = ranks.iter().copied().max().unwrap_or(0);
        prop_assert_eq!(rank(&verdict), strictest);
        let speakers = runs.iter().zip(&ranks).filter(|(_, rank)| **rank == strictest.max(1));
        let speakers: Vec<_> = speakers.map(|((hook, _), _)| &hook.id).collect();
        let heard: Vec<_> = verdict.reasons().iter().map(|reason| &reason.hook).collect();
        prop_assert_eq!(heard, speakers);
    }

    /// One hook more never loosens a verdict, and an allow more changes nothing, wherever it stands.
    #[test]
    fn another_hook_only_tightens(runs in runs(), more in run(), at in any::<prop::sample::Index>()) {
        let verdict = fuzzing::verdict(&runs);
        let at = at.index(runs.len() + 1);
        let with = |run: HookRun| {
            let mut runs = runs.clone();
            runs.insert(at, (hook("more", FormatVersion::V2, FailureMode::Block), run));
            fuzzing::verdict(&runs)
        };
        prop_assert!(rank(&with(more)) >= rank(&verdict));
        prop_assert_eq!(with(HookRun::Decided(HookVerdict::Allow)), verdict);
    }

    /// Configuration order decides about the order of reasons and nothing else.
    #[test]
    fn order_changes_no_verdict(runs in runs()) {
        let mut reversed = runs.clone();
        reversed.reverse();
        let (there, back) = (fuzzing::verdict(&runs), fuzzing::verdict(&reversed));
        prop_assert_eq!(there.as_str(), back.as_str());
        let mut reasons = back.reasons().to_vec();
        reasons.reverse();
        prop_assert_eq!(there.reasons(), reasons);
    }
}

// ---- reading ---------------------------------------------------------------------------------

/// Output that has something of an answer in it.
fn output() -> impl Strategy<Value = String> {
    let piece =
        prop_oneof![
        select(vec![
            "{", "}", ":", ",", "\"", "\n", " ", "null", "true", "log: ",
            "\"hookSpecificOutput\":", "\"hookEventName\":\"PreToolUse\"",
            "\"hookEventName\":\"Stop\"", "\"permissionDecision\":\"allow\"",
            "\"permissionDecision\":\"deny\"", "\"permissionDecision\":\"ask\"",
            "\"permissionDecisionReason\":\"why\"", "\"decision\":\"block\"",
            r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}"#,
            r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask"}}"#,
            r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny"}}"#,
        ]).prop_map(str::to_owned),
        "\\PC{0,6}",
    ];
    vec(piece, 0..8).prop_map(|pieces| pieces.concat())
}

/// The allows that are read as allows, and no other text.
const ALLOW: &str =
    r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}"#;

proptest! {
    #![proptest_config(cases(256))]

    #[test]
    fn exit_2_always_denies(stdout in output(), stderr in output()) {
        for format in [FormatVersion::V1, FormatVersion::V2] {
            let run = read(format, End::Exited(2), &stdout, &stderr);
            let HookRun::Decided(HookVerdict::Deny(reason)) = run else {
                panic!("{run:?}");
            };
            prop_assert!(!reason.is_empty());
        }
    }

    /// Exit 0 allows when nothing or a valid allow was printed. Any other byte voids it.
    #[test]
    fn exit_0_allows_only_by_silence_or_a_strict_answer(stdout in output()) {
        let run = read(FormatVersion::V1, End::Exited(0), &stdout, "");
        let text = stdout.trim_matches([' ', '\t', '\r', '\n']);
        if run == HookRun::Decided(HookVerdict::Allow) {
            let json: serde_json::Value = serde_json::from_str(text).unwrap_or_default();
            let plain = json["hookSpecificOutput"]["permissionDecision"] == "allow";
            prop_assert!(text.is_empty() || plain, "{}", text);
        }
        if text.is_empty() || text == ALLOW {
            prop_assert_eq!(run, HookRun::Decided(HookVerdict::Allow));
        }
    }

    #[test]
    fn any_other_end_is_no_verdict(stdout in output(), stderr in output(), status in 3..=255) {
        let ends = [End::Exited(1), End::Exited(status), End::Signaled(9), End::TimedOut];
        for end in ends {
            let run = read(FormatVersion::V2, end.clone(), &stdout, &stderr);
            prop_assert!(matches!(run, HookRun::NoVerdict(_)), "{end:?}: {run:?}");
        }
    }

    /// An allow with anything else beside it is no allow.
    #[test]
    fn an_allow_with_a_byte_too_many_is_void(at in 0..ALLOW.len(), byte in "[!-~]") {
        let mut text = ALLOW.to_owned();
        text.insert_str(at, &byte);
        prop_assume!(text != ALLOW);
        let run = read(FormatVersion::V2, End::Exited(0), &text, "");
        prop_assert_ne!(run, HookRun::Decided(HookVerdict::Allow));
    }
}

/// Found by fuzzing: the parser quotes what it does not know, and its words reach a model.
#[test]
fn an_invalid_answer_is_quoted_without_controls_or_secrets() {
    let key = format!("\u{7f} token=s3cr3tValue0123456789 {}", "x".repeat(5_000));
    let stdout = serde_json::json!({ key: 1 }).to_string();
    let hook = hook("gate", FormatVersion::V2, FailureMode::Block);
    let run = fuzzing::read(&hook, &finished(End::Exited(0), &stdout, "")).unwrap();
    let HookRun::NoVerdict(failure) = &run else {
        panic!("{run:?}");
    };
    assert_eq!(failure.cause, Cause::BadOutput);
    assert!(failure.detail.chars().count() <= 500, "{}", failure.detail);
    let verdict = fuzzing::verdict(&[(hook, run.clone())]);
    let texts = [&failure.detail, &verdict.reasons()[0].text];
    for text in texts {
        assert!(!text.contains("s3cr3t"), "{text}");
        assert!(!text.chars().any(char::is_control), "{text:?}");
    }
}

/// Found by fuzzing: a list of the fields is no answer.
#[test]
fn an_allow_written_as_an_array_is_void() {
    for stdout in [
        r#"[["PreToolUse","allow"]]"#,
        r#"{"hookSpecificOutput":["PreToolUse","allow"]}"#,
        r#"[{"hookEventName":"PreToolUse","permissionDecision":"allow"}]"#,
    ] {
        let run = read(FormatVersion::V2, End::Exited(0), stdout, "");
        let HookRun::NoVerdict(failure) = run else {
            panic!("{stdout}: {run:?}");
        };
        assert_eq!(failure.cause, Cause::BadOutput);
    }
}

// ---- words -----------------------------------------------------------------------------------

/// Words with secrets, controls and invisible characters in all the wrong places.
fn words() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        select(vec![
            "token=",
            "PASSWORD: ",
            "\"api_key\" : \"",
            "Bearer ",
            "basic ",
            "AKIA",
            "ghp_",
            "sk-",
            "xoxb-",
            "eyJ",
            ".",
            "https://ann:",
            "@example.org",
            "-----BEGIN PRIVATE KEY-----",
            "-----END PRIVATE KEY-----",
            "[redacted]",
            "\u{1b}[31m",
            "\u{202e}",
            "\u{200b}",
            "\r\n",
            "\t",
            "\n",
            " ",
            "'",
            "\"",
            ",",
            "\0",
            "\u{85}",
            "…",
        ])
        .prop_map(str::to_owned),
        "[A-Za-z0-9]{1,24}",
        "\\PC{0,4}",
    ];
    vec(piece, 0..14).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(cases(256))]

    #[test]
    fn shown_words_are_clean_and_bounded(words in words(), times in 1..30_usize) {
        let shown = fuzzing::shown(&words.repeat(times));
        prop_assert!(shown.chars().count() <= MAX_REASON_CHARS);
        prop_assert!(shown.chars().all(|c| c == '\n' || !c.is_control()), "{shown:?}");
        prop_assert_eq!(strip_controls(&shown), shown.trim());
    }

    /// A secret is found whatever invisible characters are put into it.
    #[test]
    fn a_secret_cannot_hide_behind_a_control(at in 0..36_usize, c in select(vec!['\0', '\u{200b}', '\u{1b}', '\u{202e}'])) {
        let mut text = "ghp_0123456789abcdefghij0123456789ab".to_owned();
        text.insert(at, c);
        prop_assert_eq!(fuzzing::shown(&text), "[redacted]");
    }
}

// ---- the chain -------------------------------------------------------------------------------

fn record(action: &str) -> AuditRecord {
    AuditRecord::now(AuditEvent::TrustChanged {
        action: action.to_owned(),
        hook_id: None,
        definition_hash: None,
        source: Some(SourceKind::User),
        project: "user".to_owned(),
    })
}

/// A chain of three records in a folder of its own, and its text.
fn chain() -> (tempfile::TempDir, Utf8PathBuf, Vec<u8>) {
    let folder = tempfile::tempdir().unwrap();
    let dir = Utf8PathBuf::from_path_buf(folder.path().to_owned()).unwrap();
    let audit = FileAudit::new(&dir);
    audit
        .append(&[record("trusted"), record("enabled")])
        .unwrap();
    audit.append(&[record("revoked")]).unwrap();
    let text = std::fs::read(dir.join("current.jsonl")).unwrap();
    assert_eq!(verify(&dir).unwrap().problem, None);
    (folder, dir, text)
}

/// Whether a check of the chain finds that its file now holds `text`.
fn is_found(dir: &Utf8Path, text: &[u8]) -> bool {
    // In place: some file systems flush a file that is emptied first.
    let file = File::options()
        .write(true)
        .open(dir.join("current.jsonl"))
        .unwrap();
    file.write_all_at(text, 0).unwrap();
    file.set_len(text.len() as u64).unwrap();
    verify(dir).unwrap().problem.is_some()
}

/// Every byte of a chain, changed in several ways, taken out and doubled.
#[test]
fn every_changed_byte_of_a_chain_is_found() {
    let (_folder, dir, text) = chain();
    for at in 0..text.len() {
        let mut edits: Vec<Vec<u8>> = [1, 2, 0x20, 0x80]
            .iter()
            .map(|bits| {
                let mut edited = text.clone();
                edited[at] ^= bits;
                edited
            })
            .collect();
        for byte in [b' ', b'\n', b'0'] {
            let mut edited = text.clone();
            edited[at] = byte;
            edits.push(edited);
            let mut edited = text.clone();
            edited.insert(at, byte);
            edits.push(edited);
        }
        let mut edited = text.clone();
        edited.remove(at);
        edits.push(edited);
        for edited in edits.iter().filter(|edited| **edited != text) {
            let shown = String::from_utf8_lossy(edited);
            assert!(is_found(&dir, edited), "byte {at}: {shown}");
        }
    }
}

proptest! {
    #![proptest_config(cases(64))]

    /// Cutting, swapping and repeating whole lines is found as well as bytes that are moved.
    #[test]
    fn moved_text_of_a_chain_is_found(from in any::<prop::sample::Index>(), to in any::<prop::sample::Index>(), length in 1..400_usize) {
        let (_folder, dir, text) = chain();
        let from = from.index(text.len());
        let mut edited = text.clone();
        let piece: Vec<u8> = edited.drain(from..(from + length).min(text.len())).collect();
        prop_assert!(is_found(&dir, &edited));
        let to = to.index(edited.len() + 1);
        edited.splice(to..to, piece);
        prop_assert!(edited == text || is_found(&dir, &edited));
    }

    #[test]
    fn lines_in_another_order_are_found(order in Just(vec![0, 1, 2]).prop_shuffle(), count in 0..=3_usize) {
        let (_folder, dir, text) = chain();
        let lines: Vec<_> = text.split_inclusive(|byte| *byte == b'\n').collect();
        let edited: Vec<u8> = order.iter().take(count).flat_map(|at| lines[*at].to_vec()).collect();
        prop_assert!(edited == text || is_found(&dir, &edited));
    }
}

// ---- the queue -------------------------------------------------------------------------------

proptest! {
    #![proptest_config(cases(32))]

    /// Who waits is served in the order of arrival, whoever gives up in between.
    #[test]
    fn the_queue_is_served_in_order(given_up in vec(any::<bool>(), 1..10)) {
        let turnstile = Turnstile::new(1);
        let aborts: Vec<_> = given_up.iter().map(|_| Abort::new().unwrap()).collect();
        let served = Mutex::new(Vec::new());
        let reached = |count: usize| {
            while turnstile.queued() != count {
                std::thread::yield_now();
            }
        };
        std::thread::scope(|scope| {
            let first = Abort::new().unwrap();
            turnstile.pass(&first, || {
                for (number, abort) in aborts.iter().enumerate() {
                    let (turnstile, served) = (&turnstile, &served);
                    scope.spawn(move || {
                        turnstile.pass(abort, || served.lock().unwrap().push(number));
                    });
                    reached(number + 1);
                }
                let leaving = aborts.iter().zip(&given_up).filter(|(_, leaves)| **leaves);
                leaving.for_each(|(abort, _)| abort.abort());
                reached(given_up.iter().filter(|leaves| !**leaves).count());
            });
        });
        let stayed: Vec<_> = (0..given_up.len()).filter(|number| !given_up[*number]).collect();
        prop_assert_eq!(served.into_inner().unwrap(), stayed);
        prop_assert_eq!(turnstile.queued(), 0);
    }
}
