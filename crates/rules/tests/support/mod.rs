//! Judging hand-written calls over a file system that stands in a list.

#![allow(dead_code, reason = "each test file uses its part")]
#![allow(clippy::unwrap_used, reason = "helpers of tests may fail a test")]

use camino::{Utf8Path, Utf8PathBuf};
use hookward_contract::{Call, HookVerdict, ToolInput, ToolName};
use hookward_rules::{
    Canonical, Decision, Effect, Effects, Files, NoFiles, Observation, OpaqueCause, OpaqueDecision,
    Outcome, Rule, RuleText, Scene, ScriptFile, Unresolvable,
};

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Verdict {
    Allow,
    Ask,
    Deny,
}

/// A file system in a list. What is not in it does not exist.
#[derive(Debug, Default, Clone)]
pub(crate) struct Disk {
    scripts: Vec<(Utf8PathBuf, String)>,
    links: Vec<(Utf8PathBuf, Result<Utf8PathBuf, Unresolvable>)>,
    directories: Vec<Utf8PathBuf>,
    folds: bool,
}

impl Disk {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    pub(crate) fn script(mut self, path: &str, text: &str) -> Self {
        self.scripts.push((path.into(), text.into()));
        self
    }

    pub(crate) fn link(mut self, path: &str, target: &str) -> Self {
        self.links.push((path.into(), Ok(target.into())));
        self
    }

    pub(crate) fn unresolvable(mut self, path: &str, why: Unresolvable) -> Self {
        self.links.push((path.into(), Err(why)));
        self
    }

    pub(crate) fn directory(mut self, path: &str) -> Self {
        self.directories.push(path.into());
        self
    }

    pub(crate) fn folding(mut self) -> Self {
        self.folds = true;
        self
    }

    pub(crate) fn exec_verdict(&self, pattern: &str, command: &str) -> Verdict {
        let mut text = rule_text();
        text.exec = vec![pattern.to_owned()];
        judge(self, &text, &bash(command))
    }

    pub(crate) fn opaque_causes(&self, command: &str) -> Vec<OpaqueCause> {
        causes(self, &bash(command))
    }
}

impl Files for Disk {
    fn canonical(&self, path: &Utf8Path) -> Canonical {
        let mut real = Utf8PathBuf::from("/");
        for name in path
            .as_str()
            .split('/')
            .filter(|name| !name.is_empty() && *name != ".")
        {
            if name == ".." {
                real.pop();
                continue;
            }
            real.push(name);
            if let Some((_, target)) = self.links.iter().find(|(link, _)| *link == real) {
                match target {
                    Ok(target) => real = target.clone(),
                    Err(why) => return Canonical::Unknown(*why),
                }
            }
        }
        Canonical::Known(real)
    }

    fn folds_names(&self, _path: &Utf8Path) -> Option<bool> {
        Some(self.folds)
    }

    fn script(&self, path: &Utf8Path) -> Option<ScriptFile> {
        let found = self.scripts.iter().find(|(known, _)| known == path);
        found.map(|(_, text)| ScriptFile {
            text: text.clone(),
            digest: format!("sha256:{}", hookward_contract::sha256_hex(text.as_bytes())),
        })
    }

    fn is_directory(&self, path: &Utf8Path) -> Option<bool> {
        Some(self.directories.iter().any(|known| known == path))
    }
}

pub(crate) fn rule_text() -> RuleText {
    RuleText {
        exec: vec![],
        write: vec![],
        read: vec![],
        delete: vec![],
        network: vec![],
        mcp: vec![],
        when: None,
        decision: Decision::Deny,
        opaque: OpaqueDecision::Ask,
        reason: "no".into(),
    }
}

pub(crate) fn call(tool: &str, input: &serde_json::Value) -> Call {
    let (input, _) = ToolInput::parse(&input.to_string()).unwrap();
    Call::hand_written("t", ToolName::try_from(tool).unwrap(), input, "/w".into())
}

pub(crate) fn bash(command: &str) -> Call {
    call("Bash", &serde_json::json!({ "command": command }))
}

pub(crate) fn with_effects<T>(
    files: &dyn Files,
    call: &Call,
    look: impl FnOnce(&Scene<'_>) -> T,
) -> T {
    let observation = Observation {
        project: Utf8Path::new("/w"),
        home: Some(Utf8Path::new("/home/dev")),
        now: "2026-03-02T18:30:00Z".parse().unwrap(),
        env: &[],
        files,
    };
    let effects = Effects::of(call, &observation);
    look(&Scene::new(call, &effects, &observation))
}

pub(crate) fn judge(files: &dyn Files, text: &RuleText, call: &Call) -> Verdict {
    let rule = Rule::compile(text).unwrap();
    with_effects(files, call, |scene| {
        let verdict = match rule.judge(scene) {
            Outcome::NotConcerned | Outcome::Decided(HookVerdict::Allow) => Verdict::Allow,
            Outcome::Decided(HookVerdict::Ask(_)) => Verdict::Ask,
            Outcome::Decided(HookVerdict::Deny(_)) => Verdict::Deny,
            Outcome::Failed(error) => panic!("{error}"),
        };
        assert!(verdict == Verdict::Allow || rule.may_concern(scene));
        verdict
    })
}

pub(crate) fn exec_verdict(pattern: &str, command: &str) -> Verdict {
    let mut text = rule_text();
    text.exec = vec![pattern.to_owned()];
    judge(&NoFiles, &text, &bash(command))
}

/// What a rule over one field of paths says to a shell text.
pub(crate) fn judge_paths(field: &str, pattern: &str, command: &str) -> Verdict {
    let mut text = rule_text();
    match field {
        "write" => text.write.push(pattern.to_owned()),
        "read" => text.read.push(pattern.to_owned()),
        "delete" => text.delete.push(pattern.to_owned()),
        other => panic!("{other}"),
    }
    judge(&NoFiles, &text, &bash(command))
}

pub(crate) fn effects(command: &str) -> Vec<Effect> {
    with_effects(&NoFiles, &bash(command), |scene| {
        scene.effects().all().to_vec()
    })
}

fn causes(files: &dyn Files, call: &Call) -> Vec<OpaqueCause> {
    with_effects(files, call, |scene| {
        let opaque = scene
            .effects()
            .all()
            .iter()
            .filter_map(|effect| match effect {
                Effect::Opaque(opaque) => Some(opaque.cause.clone()),
                _ => None,
            });
        opaque.collect()
    })
}

pub(crate) fn opaque_causes(command: &str) -> Vec<OpaqueCause> {
    causes(&NoFiles, &bash(command))
}

/// The policy of tests of shell texts: deny what runs `git push`, ask where that cannot be known.
pub(crate) fn push(command: &str) -> Verdict {
    exec_verdict("git push", command)
}

/// Whether all texts are judged alike.
pub(crate) fn all(verdict: Verdict, commands: &[&str]) {
    for command in commands {
        assert_eq!(push(command), verdict, "{command}\n{:#?}", effects(command));
    }
}
