//! Self-protection: an agent may not change the policy that judges it. Not overridable by a project,
//! and best effort against code that no text shows; a sandbox is what holds against that.

use std::sync::OnceLock;

use camino::{Utf8Path, Utf8PathBuf};
use hookward_contract::{HookId, HookVerdict, Reason};
use hookward_rules::{
    Access, Decision, Effect, EffectKind, OpaqueDecision, Outcome, Rule, RuleText, Scene,
    escape_pattern,
};
use jiff::Timestamp;

/// Name under which the protection speaks.
pub const PROTECTION_ID: &str = "hookward";

/// Commands by which a person changes the policy.
const COMMANDS: &[&str] = &["trust", "revoke", "enable", "disable", "uninstall", "nap"];

/// Whether, and what, the gate protects of Hookward itself.
#[derive(Debug, Clone, Default)]
pub enum Protection {
    /// Nothing: the surface has other means, or the call is a test.
    #[default]
    Off,
    /// These files are protected, and the commands that change trust.
    Of(Protected),
    /// A person let it sleep until then.
    Napping(Timestamp),
}

/// What is protected. Its rules are made when a call first needs them: most calls neither write nor
/// delete, and most processes judge one call.
#[derive(Debug, Clone)]
pub struct Protected {
    paths: Vec<Utf8PathBuf>,
    project: Vec<Utf8PathBuf>,
    commands: OnceLock<Vec<Rule>>,
    files: OnceLock<FileRules>,
}

/// Rules about files.
#[derive(Debug, Clone)]
struct FileRules {
    /// For every call.
    strict: Vec<Rule>,
    /// For every call as if it wrote no whole project.
    project: Vec<Rule>,
}

impl Protection {
    /// Protects files and folders, everything below included, and the commands that change trust.
    ///
    /// A call that writes the tree of a whole project (`git checkout .`) may change the paths of
    /// `project`: that is daily work, and what it does to hooks their trust finds out. Writing them
    /// by name, or the folder that they are in, is refused, and so is every removal.
    pub fn of(paths: &[Utf8PathBuf], project: &[Utf8PathBuf]) -> Self {
        Self::Of(Protected {
            paths: paths.to_vec(),
            project: project.to_vec(),
            commands: OnceLock::new(),
            files: OnceLock::new(),
        })
    }

    /// Why the call is refused, if it is.
    pub(crate) fn judge(&self, scene: &Scene<'_>) -> Option<Reason> {
        let Self::Of(protected) = self else {
            return None;
        };
        let text = protected.judge(scene)?;
        let hook = HookId::try_from(PROTECTION_ID).ok()?;
        Some(Reason { hook, text })
    }
}

impl Protected {
    fn judge(&self, scene: &Scene<'_>) -> Option<String> {
        let kinds = scene.effects().kinds();
        let has = |kind: EffectKind| kinds.has(kind);
        let by_command = has(EffectKind::Exec)
            .then(|| denial(self.commands.get_or_init(commands), scene))
            .flatten();
        if by_command.is_some() || !(has(EffectKind::Write) || has(EffectKind::Delete)) {
            return by_command;
        }
        let files = self.files.get_or_init(|| self.file_rules());
        denial(&files.strict, scene).or_else(|| {
            denial(&files.project, scene)?;
            let root = scene.observation().project;
            let effects = scene.effects().without(|effect| writes_all(effect, root));
            let scene = Scene::new(scene.call(), &effects, scene.observation());
            denial(&files.project, &scene)
        })
    }

    fn file_rules(&self) -> FileRules {
        let all = self.paths.iter().chain(&self.project);
        let deletes = all.filter_map(|path| nearest(path, deletes));
        let strict = self.paths.iter().filter_map(|path| nearest(path, writes));
        let project = self.project.iter().filter_map(|path| nearest(path, writes));
        FileRules {
            strict: deletes.chain(strict).collect(),
            project: project.collect(),
        }
    }
}

/// The rule about the commands.
fn commands() -> Vec<Rule> {
    let reason = "this would change which hooks are in force, and only a person may do that";
    let exec = COMMANDS.iter().map(|command| format!("hookward {command}"));
    let text = RuleText {
        exec: exec.collect(),
        ..text(reason)
    };
    // Fixed words always compile.
    Rule::compile(&text).into_iter().collect()
}

/// What the first of the rules that denies the call says.
fn denial(rules: &[Rule], scene: &Scene<'_>) -> Option<String> {
    let rules = rules.iter().filter(|rule| rule.may_concern(scene));
    rules
        .map(|rule| rule.judge(scene))
        .find_map(|outcome| match outcome {
            Outcome::Decided(HookVerdict::Deny(text)) => Some(text),
            _ => None,
        })
}

/// Whether an effect is a write of the project's whole tree, or of a tree that holds it.
fn writes_all(effect: &Effect, root: &Utf8Path) -> bool {
    match effect {
        Effect::Path(path) => {
            path.access == Access::Write && path.tree && root.starts_with(&path.path)
        }
        _ => false,
    }
}

/// The rule about a path. One whose pattern would be too long is protected by its nearest folder
/// whose pattern is not: too much is safe, nothing is not.
fn nearest(path: &Utf8Path, about: fn(Vec<String>) -> RuleText) -> Option<Rule> {
    let mut rules = path
        .ancestors()
        .map(|path| Rule::compile(&about(vec![escape_pattern(path.as_str())])));
    rules.find_map(Result::ok)
}

const FILES: &str = "this would change Hookward's own files, and only a person may do that";

fn writes(write: Vec<String>) -> RuleText {
    RuleText {
        write,
        ..text(FILES)
    }
}

fn deletes(delete: Vec<String>) -> RuleText {
    RuleText {
        delete,
        ..text(FILES)
    }
}

fn text(reason: &str) -> RuleText {
    RuleText {
        exec: Vec::new(),
        write: Vec::new(),
        read: Vec::new(),
        delete: Vec::new(),
        network: Vec::new(),
        mcp: Vec::new(),
        when: None,
        decision: Decision::Deny,
        opaque: OpaqueDecision::Allow,
        reason: reason.to_owned(),
    }
}
