//! Rules at the gate: real files, trusted through the store, judged beside commands.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "helpers of tests may fail a test"
)]

mod support;

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use camino::{Utf8Path, Utf8PathBuf};
use hookward_contract::{Call, HookRun, Verdict};
use hookward_engine::audit::{AuditEvent, HookStatus};
use hookward_engine::{HookEnvironment, Judgement, Protection, RealFiles, World};
use hookward_policy::Trust;
use hookward_process::Abort;
use hookward_rules::{Canonical, Files, ScriptFile};
use serde_json::{Value, json};
use support::{Scene, bash, call, cause, denial, hook, with};

/// A rule with these fields that denies.
fn rule(id: &str, fields: &Value) -> Value {
    let mut rule =
        json!({"id": id, "type": "rule", "decision": "deny", "reason": format!("{id} says no")});
    for (name, value) in fields.as_object().unwrap() {
        rule[name] = value.clone();
    }
    rule
}

fn no_push() -> Value {
    rule("no-push", &json!({"exec": "git push"}))
}

/// Hooks, each with its matcher, trusted.
fn with_matchers(hooks: &[(&str, Value)]) -> Scene {
    let scene = Scene::new();
    let groups = hooks
        .iter()
        .map(|(matcher, hook)| json!({"matcher": matcher, "hooks": [hook]}));
    let groups: Vec<Value> = groups.collect();
    let file = json!({"version": 2, "hooks": {"PreToolUse": groups}});
    std::fs::write(scene.state.hooks_file(), file.to_string()).unwrap();
    scene.trust_all();
    scene
}

fn reasons(verdict: &Verdict) -> Vec<(&str, &str)> {
    let reasons = verdict.reasons().iter();
    reasons
        .map(|reason| (reason.hook.as_str(), reason.text.as_str()))
        .collect()
}

fn ids(judgement: &Judgement) -> Vec<&str> {
    let runs = judgement.runs.iter();
    runs.map(|run| run.hook.as_str()).collect()
}

#[test]
fn a_rule_denies_asks_and_lets_pass() {
    let asking = with(
        rule("ask-publish", &json!({"exec": "npm publish"})),
        "decision",
        "ask",
    );
    let scene = Scene::with_hooks(2, &[no_push(), asking]);
    let judged = scene.judge(&bash("cd api && git -C . push -f"));
    assert_eq!(judged.verdict.as_str(), "deny");
    assert_eq!(reasons(&judged.verdict), [("no-push", "no-push says no")]);
    assert!(!judged.denied_by_failure());
    let judged = scene.judge(&bash("npm publish --access public"));
    assert_eq!(judged.verdict.as_str(), "ask");
    assert_eq!(
        reasons(&judged.verdict),
        [("ask-publish", "ask-publish says no")]
    );
    assert_eq!(
        scene.judge(&bash("echo 'git push'")).verdict,
        Verdict::Allow
    );
    assert_eq!(scene.statuses(), [HookStatus::Denied, HookStatus::Asked]);
}

/// It is as if the rule did not match: no run, no record, no notice.
#[test]
fn a_rule_that_the_call_does_not_concern_leaves_no_trace() {
    let scene = Scene::with_hooks(2, &[no_push()]);
    for call in [bash("git status"), call("Read", r#"{"file_path":"/a"}"#)] {
        let judged = scene.judge(&call);
        assert_eq!(judged.verdict, Verdict::Allow);
        assert!(judged.runs.is_empty() && judged.all_notices().is_empty());
    }
    assert!(scene.audit.records().is_empty());
}

/// A rule whose patterns fit and whose condition does not hold has looked: that is recorded.
#[test]
fn a_condition_that_does_not_hold_is_an_allow_on_record() {
    let evening = rule(
        "evening",
        &json!({"exec": "git push", "when": "now.getHours('Europe/Berlin') >= 18"}),
    );
    let scene = Scene::with_hooks(2, &[evening]);
    let at = |now: &str| {
        let world = World {
            now: Some(now.parse().unwrap()),
            ..World::real(&HookEnvironment::default())
        };
        let gate = scene.gate().with_world(world);
        let abort = Abort::new().unwrap();
        gate.judge(&scene.snapshot(), &bash("git push"), &abort)
            .unwrap()
    };
    assert_eq!(at("2026-03-02T17:59:59+01:00").verdict, Verdict::Allow);
    assert_eq!(at("2026-03-02T18:00:00+01:00").verdict.as_str(), "deny");
    // In July the same clock of the world is an hour later there.
    assert_eq!(at("2026-07-02T16:00:00Z").verdict.as_str(), "deny");
    assert_eq!(at("2026-03-02T16:00:00Z").verdict, Verdict::Allow);
    let expected = [
        HookStatus::Allowed,
        HookStatus::Denied,
        HookStatus::Denied,
        HookStatus::Allowed,
    ];
    assert_eq!(scene.statuses(), expected);
}

/// A condition that fails is no verdict, which denies unless the rule says otherwise.
#[test]
fn a_condition_that_fails_follows_the_failure_mode() {
    let failing = rule(
        "fails",
        &json!({"exec": "date", "when": "int(input.command) > 1"}),
    );
    let scene = Scene::with_hooks(2, std::slice::from_ref(&failing));
    let judged = scene.judge(&bash("date"));
    assert_eq!(cause(&judged), "evaluation");
    assert!(denial(&judged).contains("fails"), "{}", denial(&judged));
    assert!(judged.denied_by_failure() && judged.runs[0].blocked);
    let record = scene.completed().remove(0);
    assert_eq!(record.status, HookStatus::Failed);
    assert_eq!(record.failure.as_deref(), Some("evaluation"));
    assert!(record.blocked && record.exit.is_none());

    let scene = Scene::with_hooks(2, &[with(failing, "onFailure", "continue")]);
    let judged = scene.judge(&bash("date"));
    assert_eq!(judged.verdict, Verdict::Allow);
    assert_eq!(cause(&judged), "evaluation");
    assert_eq!(judged.all_notices().len(), 1);
    assert!(!scene.completed()[0].blocked);
}

/// Work that grows with the square of the input ends at the bound, and the call is denied.
#[test]
fn a_condition_that_costs_too_much_blocks() {
    let when = "input.a.all(x, input.a.all(y, input.a.all(z, x + y + z >= 0)))";
    let costly = rule("costly", &json!({"when": when}));
    let scene = with_matchers(&[("Bash", costly)]);
    let numbers = |count: usize| json!({"command": "date", "a": vec![1; count]}).to_string();
    assert_eq!(
        scene.judge(&call("Bash", &numbers(2))).verdict.as_str(),
        "deny"
    );
    assert!(!scene.judge(&call("Bash", &numbers(2))).denied_by_failure());
    let judged = scene.judge(&call("Bash", &numbers(10_000)));
    assert_eq!(cause(&judged), "evaluation");
    assert!(judged.denied_by_failure(), "{:?}", judged.verdict);
}

/// A hook in the shadow is judged and recorded, and does not count; a command too.
#[test]
fn the_shadow_is_recorded_and_does_not_count() {
    let ran = |scene: &Scene| {
        scene
            .completed()
            .iter()
            .map(|record| (record.shadow, record.status))
            .collect::<Vec<_>>()
    };
    let scene = Scene::with_hooks(
        2,
        &[
            with(no_push(), "mode", "shadow"),
            with(
                hook("command", &["drain", "err:no", "exit:2"]),
                "mode",
                "shadow",
            ),
            with(
                rule("fails", &json!({"exec": "git", "when": "int(tool) > 1"})),
                "mode",
                "shadow",
            ),
        ],
    );
    let judged = scene.judge(&bash("git push"));
    assert_eq!(judged.verdict, Verdict::Allow);
    assert!(judged.all_notices().is_empty() && !judged.denied_by_failure());
    let expected = [
        (true, HookStatus::Denied),
        (true, HookStatus::Denied),
        (true, HookStatus::Failed),
    ];
    assert_eq!(ran(&scene), expected);
    assert!(!scene.completed()[2].blocked);
    // In the file the word stands only where it says something.
    let text = |scene: &Scene| serde_json::to_string(&scene.audit.records()).unwrap();
    assert!(text(&scene).contains("\"shadow\":true"));
    let scene = Scene::with_hooks(2, &[no_push()]);
    scene.judge(&bash("git push"));
    assert!(!text(&scene).contains("shadow"));
}

/// Whether a command hook under this matcher is started for a call. It says so by leaving a line.
struct Started {
    scene: Scene,
    log: Utf8PathBuf,
}

impl Started {
    fn under(matcher: &str) -> Self {
        let scene = Scene::new();
        let log = scene.root.join("log");
        let hook = hook("log", &["drain", &format!("append:{log}:ran")]);
        let file =
            json!({"version": 2, "hooks": {"PreToolUse": [{"matcher": matcher, "hooks": [hook]}]}});
        std::fs::write(scene.state.hooks_file(), file.to_string()).unwrap();
        scene.trust_all();
        Self { scene, log }
    }

    fn lines(&self) -> usize {
        let text = std::fs::read_to_string(&self.log).unwrap_or_default();
        text.lines().count()
    }

    fn by(&self, call: &Call) -> bool {
        let before = self.lines();
        assert_eq!(self.scene.judge(call).verdict, Verdict::Allow);
        self.lines() > before
    }
}

/// Matchers of effects start a command hook for whatever tool does the thing, and for what might.
#[test]
fn matchers_of_effects_start_command_hooks() {
    let read = || call("Read", r#"{"file_path":"/a"}"#);
    let write = || call("Write", r#"{"file_path":"/a","content":""}"#);
    let mcp = || {
        call(
            "mcp__filesystem__write_file",
            r#"{"path":"/a","content":""}"#,
        )
    };
    let patch = || {
        call(
            "apply_patch",
            &json!({"input": "*** Begin Patch\n*** Add File: a\n+x\n*** End Patch\n"}).to_string(),
        )
    };
    let opaque = || bash("eval \"$x\"");
    let cases: [(&str, Vec<Call>, Vec<Call>); 7] = [
        (
            "@write",
            vec![bash("date > /a"), write(), patch(), mcp(), opaque()],
            vec![read(), bash("cat /a"), bash("date"), bash("echo '> /a'")],
        ),
        (
            "@read",
            vec![read(), bash("cat /a"), opaque()],
            vec![write(), bash("date > /a")],
        ),
        (
            "@delete",
            vec![bash("rm a"), opaque()],
            vec![write(), bash("echo rm a")],
        ),
        (
            "@exec",
            vec![bash("date"), opaque()],
            vec![read(), write(), mcp()],
        ),
        (
            "@network",
            vec![
                bash("curl https://a.example"),
                call("WebFetch", r#"{"url":"https://a.example"}"#),
                opaque(),
            ],
            vec![bash("date"), read()],
        ),
        ("@mcp", vec![mcp()], vec![bash("date"), opaque()]),
        (
            "@opaque",
            vec![opaque(), bash("python3 -c 1")],
            vec![bash("date > /a"), read()],
        ),
    ];
    for (matcher, starts, stays) in &cases {
        let hook = Started::under(matcher);
        for call in starts {
            assert!(
                hook.by(call),
                "{matcher}: {} {}",
                call.tool,
                call.input.get()
            );
        }
        for call in stays {
            assert!(
                !hook.by(call),
                "{matcher}: {} {}",
                call.tool,
                call.input.get()
            );
        }
    }
    // A name and an effect: either is enough.
    let hook = Started::under("Read|@write");
    assert!(hook.by(&read()) && hook.by(&bash("date > /a")) && !hook.by(&bash("date")));
}

/// The fields of a call's record that say why a rule was not judged.
fn skipped(scene: &Scene) -> Vec<(HookStatus, bool)> {
    let completed = scene.completed();
    let fields = completed
        .iter()
        .map(|record| (record.status, record.blocked));
    fields.collect()
}

/// A rule that was never reviewed has no say, whatever its failure mode; one that was changed since
/// its review blocks until it is reviewed again.
#[test]
fn rules_count_from_their_review_on() {
    let scene = Scene::new();
    scene.write_user(2, &[no_push()]);
    let judged = scene.judge(&bash("git push"));
    assert_eq!(judged.verdict, Verdict::Allow);
    assert_eq!(cause(&judged), "untrusted");
    assert_eq!(skipped(&scene), [(HookStatus::SkippedUntrusted, false)]);
    scene.trust_all();
    assert_eq!(scene.judge(&bash("git push")).verdict.as_str(), "deny");
    assert!(scene.judge(&bash("date")).runs.is_empty());

    scene.write_user(2, &[rule("no-push", &json!({"exec": "git pull"}))]);
    assert!(matches!(
        scene.snapshot().hooks()[0].trust,
        Trust::Changed(_)
    ));
    let judged = scene.judge(&bash("git push"));
    assert_eq!(cause(&judged), "changed");
    assert!(judged.denied_by_failure());
    assert_eq!(
        skipped(&scene).last(),
        Some(&(HookStatus::SkippedChanged, true))
    );
    scene.trust_all();
    assert_eq!(scene.judge(&bash("git push")).verdict, Verdict::Allow);
    assert_eq!(scene.judge(&bash("git pull")).verdict.as_str(), "deny");
}

/// What is not execution-relevant keeps the trust.
#[test]
fn a_rule_keeps_its_trust_when_its_description_or_place_changes() {
    let scene = Scene::with_hooks(2, &[no_push()]);
    let described = with(no_push(), "description", "for the night");
    let tests = json!([{"tool": "Bash", "input": {"command": "git push"}, "expect": "deny"}]);
    scene.write_user(
        2,
        &[hook("other", &["exit:0"]), with(described, "tests", tests)],
    );
    let judged = scene.judge(&bash("git push"));
    assert_eq!(reasons(&judged.verdict), [("no-push", "no-push says no")]);
}

/// Whoever is faster: runs, records and reasons come in configuration order.
#[test]
fn rules_and_commands_keep_the_order_of_the_file() {
    let slow = hook("first", &["drain", "sleep:50", "err:one", "exit:2"]);
    let third = hook("third", &["drain", "err:three", "exit:2"]);
    let fourth = rule("fourth", &json!({"exec": "git"}));
    let away = rule("away", &json!({"exec": "npm"}));
    let scene = Scene::with_hooks(2, &[slow, no_push(), away, third, fourth]);
    let judged = scene.judge(&bash("git push"));
    let order = ["first", "no-push", "third", "fourth"];
    assert_eq!(ids(&judged), order);
    let heard: Vec<_> = judged
        .verdict
        .reasons()
        .iter()
        .map(|reason| reason.hook.as_str())
        .collect();
    assert_eq!(heard, order);
    let recorded: Vec<_> = scene
        .completed()
        .iter()
        .map(|record| record.hook_id.to_string())
        .collect();
    assert_eq!(recorded, order);
}

/// An allow of one hook never lifts the denial of another, nor does a question.
#[test]
fn a_command_that_allows_does_not_undo_a_rule() {
    let allow =
        r#"out:{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}"#;
    let asking = with(rule("asks", &json!({"exec": "git"})), "decision", "ask");
    let scene = Scene::with_hooks(2, &[hook("allows", &["drain", allow]), no_push(), asking]);
    let judged = scene.judge(&bash("git push"));
    assert_eq!(reasons(&judged.verdict), [("no-push", "no-push says no")]);
    assert_eq!(ids(&judged), ["allows", "no-push", "asks"]);
}

/// Command hooks of version 2 read what the call would do; those of version 1 do not.
#[test]
fn effects_are_in_the_payload_of_version_2() {
    for (version, present) in [(1, false), (2, true)] {
        let scene = Scene::new();
        let saved = scene.root.join("payload");
        scene.write_user(version, &[hook("save", &[&format!("save:{saved}")])]);
        scene.trust_all();
        scene.judge(&bash("cd /srv && date > out; eval \"$x\""));
        let payload: Value =
            serde_json::from_str(&std::fs::read_to_string(saved).unwrap()).unwrap();
        let Some(effects) = payload.get("effects").and_then(Value::as_array) else {
            assert!(!present, "{payload}");
            continue;
        };
        assert!(present);
        let write = effects
            .iter()
            .find(|effect| effect["kind"] == "write")
            .unwrap();
        assert_eq!(write["path"], "/srv/out");
        let date = effects
            .iter()
            .find(|effect| effect["program"] == "date")
            .unwrap();
        assert_eq!(
            (&date["kind"], &date["cwd"]),
            (&json!("exec"), &json!("/srv"))
        );
        let opaque = effects
            .iter()
            .find(|effect| effect["kind"] == "opaque")
            .unwrap();
        assert_eq!(opaque["cause"], "unknown_text");
    }
}

/// The gate's own refusal stands beside those of hooks, is recorded, and sleeps loudly.
#[test]
fn hookwards_own_files_are_protected_until_a_nap() {
    let scene = Scene::with_hooks(2, &[no_push()]);
    let state = scene.state.path().to_owned();
    let judge = |protection: Protection, call: &Call| {
        let gate = scene.gate().with_protection(protection);
        gate.judge(&scene.snapshot(), call, &Abort::new().unwrap())
            .unwrap()
    };
    let awake = || Protection::of(std::slice::from_ref(&state), &[]);
    for command in [
        format!("echo '{{}}' > {state}/hooks.json"),
        format!("rm -rf {state}"),
        format!("cd {state} && rm trust.json"),
        "hookward trust --all".to_owned(),
        "hookward nap 10m".to_owned(),
    ] {
        let judged = judge(awake(), &bash(&command));
        assert_eq!(
            judged.verdict.reasons()[0].hook.as_str(),
            "hookward",
            "{command}"
        );
        assert_eq!(judged.verdict.as_str(), "deny");
        assert!(judged.runs.is_empty());
    }
    for command in [
        format!("cat {state}/hooks.json"),
        "hookward list".to_owned(),
    ] {
        assert_eq!(
            judge(awake(), &bash(&command)).verdict,
            Verdict::Allow,
            "{command}"
        );
    }
    let denied = |event: &AuditEvent| matches!(event, AuditEvent::ProtectionDenied { .. });
    let records = scene.audit.records();
    assert_eq!(
        records
            .iter()
            .filter(|record| denied(&record.event))
            .count(),
        5
    );

    let both = bash(&format!("git push; rm {state}/trust.json"));
    let judged = judge(awake(), &both);
    let speakers: Vec<_> = reasons(&judged.verdict)
        .into_iter()
        .map(|(hook, _)| hook)
        .collect();
    assert_eq!(speakers, ["no-push", "hookward"]);

    let napping = || Protection::Napping("2026-03-02T18:30:00Z".parse().unwrap());
    let judged = judge(napping(), &bash(&format!("rm {state}/trust.json")));
    assert_eq!(judged.verdict, Verdict::Allow);
    let notices = judged.all_notices();
    assert!(
        notices.len() == 1 && notices[0].contains("2026-03-02T18:30:00Z"),
        "{notices:?}"
    );
    // A nap is no holiday for the hooks.
    assert_eq!(judge(napping(), &both).verdict.as_str(), "deny");
}

/// A path that no pattern can hold is no reason to leave it, or the others, open.
#[test]
fn odd_paths_are_protected_like_any_other() {
    let scene = Scene::new();
    let long = Utf8PathBuf::from(format!("/srv{}", "/a-long-name".repeat(100)));
    let odd = Utf8PathBuf::from("/srv/line\nbreak/hooks.json");
    let protection = Protection::of(&[long.clone(), odd.clone(), "/srv/plain".into()], &[]);
    let gate = scene.gate().with_protection(protection);
    let verdict = |path: &str| {
        let input = json!({"file_path": path, "content": ""}).to_string();
        let call = call("Write", &input);
        let judged = gate.judge(&scene.snapshot(), &call, &Abort::new().unwrap());
        judged.unwrap().verdict.as_str()
    };
    for path in [long.as_str(), odd.as_str(), "/srv/plain"] {
        assert_eq!(verdict(path), "deny", "{path}");
    }
    assert_eq!(verdict("/srv/other"), "allow");
}

/// The real file system, with a memory of what was asked.
#[derive(Default)]
struct Watched(Mutex<BTreeSet<Utf8PathBuf>>);

impl Files for Watched {
    fn canonical(&self, path: &Utf8Path) -> Canonical {
        self.0.lock().unwrap().insert(path.to_owned());
        RealFiles.canonical(path)
    }

    fn folds_names(&self, path: &Utf8Path) -> Option<bool> {
        RealFiles.folds_names(path)
    }

    fn script(&self, path: &Utf8Path) -> Option<ScriptFile> {
        RealFiles.script(path)
    }

    fn is_directory(&self, path: &Utf8Path) -> Option<bool> {
        RealFiles.is_directory(path)
    }
}

/// As many rules as two files hold: those that a glance tells do not concern a call are not judged,
/// which shows in that nobody asks where their folders lead.
#[test]
fn rules_that_do_not_concern_a_call_cost_a_glance() {
    let scene = Scene::new();
    let many = |name: &str| {
        let rule = |n| {
            rule(
                &format!("{name}-{n}"),
                &json!({"exec": format!("program-{name}-{n}"), "write": format!("/guarded/{name}/{n}/**")}),
            )
        };
        (0..128).map(rule).collect::<Vec<_>>()
    };
    scene.write_user(2, &many("user"));
    scene.write_project(2, &many("project"));
    scene.trust_all();
    assert_eq!(scene.snapshot().hooks().len(), 256);
    let asked = |command: &str| {
        let files = Arc::new(Watched::default());
        let world = World {
            files: Arc::clone(&files) as _,
            ..World::real(&HookEnvironment::default())
        };
        let gate = scene.gate().with_world(world);
        let judged = gate
            .judge(&scene.snapshot(), &bash(command), &Abort::new().unwrap())
            .unwrap();
        let asked = files.0.lock().unwrap();
        let guarded = asked
            .iter()
            .filter(|path| path.starts_with("/guarded"))
            .count();
        (judged.runs.len(), guarded)
    };
    assert_eq!(asked("cat /a; program-user-1"), (0, 0));
    // Programs share 64 bits, so that a few rules more than the one are looked at, never all.
    let (runs, looked) = asked("program-user-1 > /guarded/user/1/x");
    assert_eq!(runs, 1);
    assert!((1..64).contains(&looked), "{looked}");
    assert!(
        scene
            .completed()
            .iter()
            .all(|record| record.hook_id.as_str() == "user-1")
    );
}

/// What a rule decided is a run like any other.
#[test]
fn a_run_of_a_rule_has_no_process() {
    let scene = Scene::with_hooks(2, &[no_push()]);
    let judged = scene.judge(&bash("git push"));
    let [run] = &judged.runs[..] else {
        panic!("{:?}", judged.runs)
    };
    assert!(matches!(run.run, HookRun::Decided(_)));
    assert!(run.process.is_none() && run.notice.is_none() && !run.blocked);
    assert_eq!(run.queue, std::time::Duration::ZERO);
}
