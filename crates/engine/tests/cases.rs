//! Situations from public bug reports, by their number.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "helpers of tests may fail a test"
)]

mod support;

use hookward_contract::Verdict;
use hookward_engine::audit::HookStatus;
use serde_json::json;
use support::{Scene, bash, call, cause, denial, hook, judge_one, with};

/// The verdict is applied at the one seam, whatever the tool.
#[test]
fn b01_a_denial_holds_for_every_tool_of_its_matcher() {
    let scene = Scene::new();
    let group =
        json!({"matcher": "Write|Edit", "hooks": [hook("h", &["drain", "err:locked", "exit:2"])]});
    let file = json!({"version": 1, "hooks": {"PreToolUse": [group]}});
    std::fs::write(scene.state.hooks_file(), file.to_string()).unwrap();
    scene.trust_all();
    for tool in ["Write", "Edit"] {
        assert_eq!(
            denial(&scene.judge(&call(tool, r#"{"path":"a"}"#))),
            "locked"
        );
    }
    assert_eq!(
        scene.judge(&call("Read", r#"{"path":"a"}"#)).verdict,
        Verdict::Allow
    );
}

/// Exit 2 is a whole denial by itself; a malformed second channel does not weaken it.
#[test]
fn b03_a_malformed_answer_does_not_weaken_exit_2() {
    for out in [r#"out:{"permissionDecision":7}"#, "out:"] {
        let (scene, judgement) = judge_one(1, hook("h", &["drain", "err:no", out, "exit:2"]));
        assert_eq!(denial(&judgement), "no");
        assert_eq!(scene.statuses(), [HookStatus::Denied]);
    }
}

/// The permission mode says who is asked; policy says what may run.
#[test]
fn b05_a_denial_holds_in_every_permission_mode() {
    let scene = Scene::with_hooks(1, &[hook("h", &["drain", "exit:2"])]);
    for mode in [
        "default",
        "plan",
        "acceptEdits",
        "bypassPermissions",
        "a mode nobody knows",
    ] {
        let mut call = bash("date");
        call.permission_mode = mode.to_owned();
        assert_eq!(denial(&scene.judge(&call)), "denied by h");
    }
}

/// An unfinished decision is not a yes.
#[test]
fn b07_a_hook_that_waits_too_long_gave_no_verdict() {
    let waits = with(
        hook("h", &["drain", "waitfile:/nonexistent/ok.txt"]),
        "timeoutMs",
        150,
    );
    let (_scene, judgement) = judge_one(2, waits.clone());
    assert_eq!(
        (cause(&judgement).as_str(), &judgement.verdict),
        ("timeout", &Verdict::Allow)
    );
    assert!(judgement.all_notices()[0].contains("was not judged by it"));
    let (_scene, judgement) = judge_one(2, with(waits, "onFailure", "block"));
    assert!(denial(&judgement).contains("timeout"));
}

/// 1 is every author's first guess, so the mistake is loud at once.
#[test]
fn b09_exit_1_says_that_only_exit_2_denies() {
    let (_scene, judgement) = judge_one(1, hook("h", &["drain", "err:tool call denied", "exit:1"]));
    assert_eq!(judgement.verdict, Verdict::Allow);
    assert!(
        judgement.all_notices()[0].contains("tool call denied"),
        "{:?}",
        judgement.all_notices()
    );
    assert!(judgement.all_notices()[0].contains("only exit status 2 denies"));
}

/// A guard that never answers is broken equipment, not a quiet day.
#[test]
fn b11_every_silent_failure_is_recorded() {
    let scene = Scene::with_hooks(1, &[hook("h", &["exit:1"])]);
    for _ in 0..20 {
        assert_eq!(scene.judge(&bash("date")).all_notices().len(), 1);
    }
    assert_eq!(scene.statuses(), vec![HookStatus::Failed; 20]);
}

/// Only a person can tell `never installed` from `deleted to escape`.
#[test]
fn b15_a_missing_program_blocks_by_name_under_block() {
    let hook =
        json!({"id": "h", "type": "command", "command": "/gone/guard", "onFailure": "block"});
    let (_scene, judgement) = judge_one(2, hook);
    let text = denial(&judgement);
    assert!(
        text.contains("/gone/guard") && text.contains("not_found"),
        "{text}"
    );
}

/// An interpreter's own exit 2 for a missing script denies by contract, and says why.
#[test]
fn b16_an_interpreter_without_its_script_denies_and_explains() {
    let hook = json!({"id": "h", "type": "command", "command": "/bin/sh", "args": ["/gone/h.sh"]});
    let (_scene, judgement) = judge_one(1, hook);
    let text = denial(&judgement);
    assert!(text.contains("/gone/h.sh does not exist"), "{text}");
}

/// Both channels deny, and a denial is recorded as a decision, not as an error.
#[test]
fn b18_both_channels_deny_and_are_recorded_alike() {
    let deny = r#"out:{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"x"}}"#;
    for script in [
        vec!["drain", deny, "exit:0"],
        vec!["drain", "err:x", "exit:2"],
    ] {
        let (scene, judgement) = judge_one(1, hook("h", &script));
        assert_eq!(denial(&judgement), "x");
        assert_eq!(scene.statuses(), [HookStatus::Denied]);
        assert!(scene.completed()[0].failure.is_none());
    }
}

/// A number means something only with its type and with who sent the signal.
#[test]
fn b20_signals_exits_and_timeouts_are_four_different_records() {
    let rows = [
        (hook("h", &["drain", "signal:2"]), "signal(2)"),
        (hook("h", &["drain", "exit:130"]), "exit(130)"),
        (hook("h", &["drain", "exit:137"]), "exit(137)"),
        (
            with(hook("h", &["drain", "sleep:60000"]), "timeoutMs", 100),
            "timeout",
        ),
    ];
    for (hook, expected) in rows {
        let (_scene, judgement) = judge_one(1, hook);
        assert_eq!(cause(&judgement), expected);
    }
}

/// Not reading the payload is the hook's right; the exit status is the verdict.
#[test]
fn b32_a_hook_that_never_reads_is_no_failure() {
    let hook = with(hook("h", &["noread", "exit:0"]), "onFailure", "block");
    let scene = Scene::with_hooks(2, &[hook]);
    let input = json!({"content": "x".repeat(200_000)}).to_string();
    let (gate, snapshot) = (scene.gate(), scene.snapshot());
    let abort = hookward_process::Abort::new().unwrap();
    for _ in 0..500 {
        let judgement = gate
            .judge(&snapshot, &call("Write", &input), &abort)
            .unwrap();
        assert_eq!(
            judgement.verdict,
            Verdict::Allow,
            "{:?}",
            judgement.all_notices()
        );
    }
}

/// End of input is part of the contract: a hook that reads to the end is not waited for.
#[test]
fn b34_standard_input_is_closed_after_the_payload() {
    let (_scene, judgement) = judge_one(1, with(hook("h", &["drain"]), "timeoutMs", 30_000));
    assert_eq!(judgement.verdict, Verdict::Allow);
    assert!(judgement.all_notices().is_empty());
}

/// Every hook gets the whole payload, and the same one.
#[test]
fn b36_two_hooks_see_identical_bytes() {
    let scene = Scene::new();
    let saved = [scene.root.join("a"), scene.root.join("b")];
    let hooks: Vec<_> = saved
        .iter()
        .enumerate()
        .map(|(n, path)| hook(&format!("h{n}"), &[&format!("save:{path}")]))
        .collect();
    scene.write_user(1, &hooks);
    scene.trust_all();
    scene.judge(&bash(&"x".repeat(300_000)));
    let [a, b] = saved.map(|path| std::fs::read(path).unwrap());
    assert!(a.len() > 300_000);
    assert_eq!(a, b);
}

/// A pipe is a bounded queue in each direction, so both directions move at once.
#[test]
fn b38_a_hook_that_echoes_a_large_payload_finishes() {
    for size in [65_535, 65_537, 1_048_577, 8 * 1024 * 1024 - 64] {
        let scene = Scene::with_hooks(1, &[with(hook("h", &["echo"]), "timeoutMs", 30_000)]);
        let input = json!({"content": "x".repeat(size)}).to_string();
        let judgement = scene.judge(&call("Write", &input));
        assert_eq!(
            cause(&judgement),
            if size > 65_000 {
                "overflow"
            } else {
                "bad_output"
            }
        );
    }
}

/// Stop keeping, never stop reading: a flood on both streams is still a denial.
#[test]
fn b42_a_flood_is_drained_and_the_denial_holds() {
    let flood = hook(
        "h",
        &["drain", "outbytes:20000000", "errbytes:20000000", "exit:2"],
    );
    let (scene, judgement) = judge_one(1, with(flood, "timeoutMs", 30_000));
    assert_eq!(
        denial(&judgement).chars().count(),
        hookward_contract::MAX_REASON_CHARS
    );
    let record = &scene.completed()[0];
    assert_eq!(
        (record.stdout_bytes, record.stderr_bytes),
        (20_000_000, 20_000_000)
    );
}

/// Display text may be lossy, a verdict may not.
#[test]
fn b44_invalid_utf8_in_a_reason_is_a_denial() {
    let (_scene, judgement) = judge_one(1, hook("h", &["drain", "errhex:41bbff42", "exit:2"]));
    assert_eq!(denial(&judgement), "A\u{fffd}\u{fffd}B");
}

/// Text is decoded once, at the end: no character is damaged by how it was written.
#[test]
fn b46_a_character_split_over_two_writes_survives() {
    let script = [
        "drain",
        "errhex:c3",
        "sleep:20",
        "errhex:a90a",
        "errhex:c4e3bac30a",
        "exit:2",
    ];
    let (_scene, judgement) = judge_one(1, hook("h", &script));
    let text = denial(&judgement);
    assert_eq!(text.lines().next(), Some("é"));
    assert!(text.contains('\u{fffd}'));
}

/// Plain text with exit 0 gives no verdict; the call goes on and the person learns why.
#[test]
fn b54_plain_text_goes_on_with_an_explanation() {
    let (_scene, judgement) = judge_one(1, hook("h", &["drain", "out:plain text", "exit:0"]));
    assert_eq!(judgement.verdict, Verdict::Allow);
    assert!(
        judgement.all_notices()[0].contains("`plain text`"),
        "{:?}",
        judgement.all_notices()
    );
    assert!(judgement.all_notices()[0].contains("standard error"));
}

/// Arguments are attacker text; a hook that repeats them cannot forge a line on the terminal.
#[test]
fn b56_controls_in_a_reason_are_neutralised() {
    let forged = "err:refused: x\n\u{1b}[32mall clear\u{1b}[0m";
    let (_scene, judgement) = judge_one(1, hook("h", &["drain", forged, "exit:2"]));
    assert_eq!(denial(&judgement), "refused: x\n[32mall clear[0m");
}

/// All control characters go, not one family of them.
#[test]
fn b58_every_kind_of_control_sequence_goes() {
    let script = "errhex:1b5d35323b633b414141411b5c61c29b33316d0d08621b637f63";
    let (_scene, judgement) = judge_one(1, hook("h", &["drain", script, "exit:2"]));
    let text = denial(&judgement);
    assert!(
        text.chars().all(|c| c == '\n' || !c.is_control()),
        "{text:?}"
    );
    assert!(text.ends_with("bcc"), "{text:?}");
}

/// A failure inside the hook names the PATH that it had.
#[test]
fn b68_a_missing_program_inside_a_hook_names_the_path() {
    let hook = json!({"id": "h", "type": "command", "command": "/bin/sh", "args": ["-c", "no-such-program"]});
    let (_scene, judgement) = judge_one(1, hook);
    assert_eq!(cause(&judgement), "exit(127)");
    assert!(
        judgement.all_notices()[0].contains("PATH=/usr/local/sbin"),
        "{:?}",
        judgement.all_notices()
    );
}

/// A path with blanks is a path with blanks: there is nothing to split.
#[test]
fn b70_a_program_with_blanks_in_its_path_runs() {
    let scene = Scene::new();
    let folder = scene.root.join("a b/Application Support");
    std::fs::create_dir_all(&folder).unwrap();
    let program = folder.join("h");
    std::os::unix::fs::symlink(hookward_testkit::scripted_hook(), &program).unwrap();
    let hook =
        json!({"id": "h", "type": "command", "command": program, "args": ["err:no", "exit:2"]});
    scene.write_user(1, &[hook]);
    scene.trust_all();
    assert_eq!(denial(&scene.judge(&bash("date"))), "no");
}

/// The same hook in two sources is two hooks, each with trust of its own; both run.
#[test]
fn b85_equal_hooks_in_two_sources_both_run() {
    let scene = Scene::new();
    let same = hook("same", &["drain", "exit:0"]);
    scene.write_user(1, std::slice::from_ref(&same));
    scene.write_project(1, &[same]);
    scene.trust_all();
    let judgement = scene.judge(&bash("date"));
    let sources: Vec<_> = judgement
        .runs
        .iter()
        .map(|run| run.source.as_str())
        .collect();
    assert_eq!(sources, ["user", "project"]);
    assert_eq!(scene.statuses(), [HookStatus::Allowed, HookStatus::Allowed]);
}

/// A project that brings a broken file cannot switch off the person's own hooks.
#[test]
fn b89_a_project_cannot_remove_the_users_guard() {
    let scene = Scene::with_hooks(1, &[hook("guard", &["exit:2"])]);
    for broken in ["{", "[]", r#"{"version":1,"hooks":{}}"#] {
        std::fs::write(scene.project.hooks_file(), broken).unwrap();
        assert_eq!(denial(&scene.judge(&bash("date"))), "denied by guard");
    }
}

/// Policy belongs to the tree: a subagent's calls are judged like the main agent's.
#[test]
fn b113_a_subagents_call_is_judged() {
    let scene = Scene::with_hooks(1, &[hook("h", &["exit:2"])]);
    let mut call = bash("date");
    call.agent_id = Some("a1".to_owned());
    assert_eq!(denial(&scene.judge(&call)), "denied by h");
}

/// A policy hook changes nothing: an answer that rewrites the input is no answer, unless it denies.
#[test]
fn b164_b166_b168_b170_a_rewrite_of_the_input_is_refused() {
    let answer = |decision: &str| {
        json!({"hookSpecificOutput": {
            "hookEventName": "PreToolUse", "permissionDecision": decision,
            "updatedInput": {"command": "true"},
        }})
    };
    for version in [1, 2] {
        for decision in ["allow", "ask"] {
            let out = format!("out:{}", answer(decision));
            let (_scene, judgement) = judge_one(version, hook("h", &["drain", &out]));
            assert_eq!(cause(&judgement), "bad_output", "{decision}");
        }
        let out = format!("out:{}", answer("deny"));
        let (_scene, judgement) = judge_one(version, hook("h", &["drain", &out]));
        assert_eq!(denial(&judgement), "denied by h");
    }
}

/// A policy on rounded numbers guards another object: the digits are those of the call.
#[test]
fn b193_hooks_read_the_digits_of_the_call() {
    let scene = Scene::new();
    let saved = scene.root.join("payload");
    scene.write_user(1, &[hook("h", &[&format!("save:{saved}")])]);
    scene.trust_all();
    scene.judge(&call("mcp__db__del", r#"{"id":7960607143101464577}"#));
    assert!(
        std::fs::read_to_string(saved)
            .unwrap()
            .contains(r#"{"id":7960607143101464577}"#)
    );
}

/// One language's default is another's syntax error.
#[test]
fn b203_nan_is_not_json() {
    let (_scene, judgement) = judge_one(1, hook("h", &["drain", r#"out:{"score":NaN}"#, "exit:0"]));
    assert_eq!(cause(&judgement), "bad_output");
    let (_scene, judgement) = judge_one(1, hook("h", &["drain", r#"out:{"score":NaN}"#, "exit:2"]));
    assert_eq!(judgement.verdict.as_str(), "deny");
}

/// A refusal without a reason reads as a fault, so the reason falls back to what there is.
#[test]
fn b211_the_reason_falls_back_to_stdout_and_then_to_the_hooks_name() {
    let (_scene, judgement) = judge_one(1, hook("h", &["drain", "out:not on Fridays", "exit:2"]));
    assert_eq!(denial(&judgement), "not on Fridays");
    let (_scene, judgement) = judge_one(1, hook("h", &["drain", "exit:2"]));
    assert_eq!(denial(&judgement), "denied by h");
}

/// Reasons of all denials arrive together, and none names a way around them.
#[test]
fn b213_all_reasons_arrive_together() {
    let scene = Scene::with_hooks(
        1,
        &[
            hook("a", &["err:use sed", "exit:2"]),
            hook("b", &["err:no sed here", "exit:2"]),
        ],
    );
    assert_eq!(
        denial(&scene.judge(&bash("date"))),
        "a: use sed\nb: no sed here"
    );
}

/// A refusal never tells the model how a person would lift it; the person's notice does.
#[test]
fn b213_only_the_person_learns_what_would_lift_a_refusal() {
    let scene = Scene::new();
    let script = scene.root.join("state/guard");
    std::fs::copy(hookward_testkit::scripted_hook(), &script).unwrap();
    let guard = json!({"id": "guard", "type": "command", "command": script, "onFailure": "block"});
    scene.write_user(2, &[guard]);
    scene.trust_all();
    std::fs::write(&script, "#!/bin/sh\nexit 0\n").unwrap();
    let judgement = scene.judge(&bash("date"));
    let told = denial(&judgement);
    assert!(told.contains("guard") && told.contains("changed"), "{told}");
    assert!(
        !told.contains("hookward trust") && !told.contains("`hookward"),
        "{told}"
    );
    assert!(judgement.all_notices()[0].contains("hookward trust"));
}

/// The audit of ten thousand calls with large inputs stays small: it holds sizes, not values.
#[test]
fn b189_records_hold_no_values() {
    let scene = Scene::with_hooks(1, &[hook("h", &["drain", "err:private words", "exit:2"])]);
    let input = json!({"content": "confidential".repeat(10_000)}).to_string();
    scene.judge(&call("Write", &input));
    let record = serde_json::to_string(&scene.audit.records()).unwrap();
    assert!(record.len() < 1_000, "{}", record.len());
    assert!(!record.contains("confidential") && !record.contains("private"));
}

/// What a hook prints of a secret is gone before anybody reads it.
#[test]
fn secrets_in_a_reason_are_redacted_everywhere() {
    let secret = "err:token=abcdef0123456789secret was used";
    let (_scene, judgement) = judge_one(1, hook("h", &["drain", secret, "exit:2"]));
    assert_eq!(denial(&judgement), "token=[redacted] was used");
}
