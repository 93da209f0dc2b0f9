//! Self-protection: an agent may not change the policy that judges it. Not overridable by a project,
//! and best effort against code that no text shows; a sandbox is what holds against that.

use camino::{Utf8Path, Utf8PathBuf};
use hookward_contract::{HookId, HookVerdict, Reason};
use hookward_rules::{
    Access, Decision, Effect, OpaqueDecision, Outcome, Rule, RuleText, Scene, escape_pattern,
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
    /// These rules hold.
    Rules {
        /// For every call.
        strict: Vec<Rule>,
        /// For every call as if it wrote no whole project.
        project: Vec<Rule>,
    },
    /// A person let it sleep until then.
    Napping(Timestamp),
}

impl Protection {
    /// Protects files and folders, everything below included, and the commands that change trust.
    ///
    /// A call that writes the tree of a whole project (`git checkout .`) may change the paths of
    /// `project`: that is daily work, and what it does to hooks their trust finds out. Writing them
    /// by name, or the folder that they are in, is refused, and so is every removal.
    pub fn of(paths: &[Utf8PathBuf], project: &[Utf8PathBuf]) -> Self {
        let commands = "this would change which hooks are in force, and only a person may do that";
        let exec = COMMANDS.iter().map(|command| format!("hookward {command}"));
        let commands = RuleText {
            exec: exec.collect(),
            ..text(commands)
        };
        let all = paths.iter().chain(project);
        let deletes = all.filter_map(|path| nearest(path, deletes));
        let strict = paths.iter().filter_map(|path| nearest(path, writes));
        let project = project.iter().filter_map(|path| nearest(path, writes));
        Self::Rules {
            strict: Rule::compile(&commands)
                .into_iter()
                .chain(deletes)
                .chain(strict)
                .collect(),
            project: project.collect(),
        }
    }

    /// Why the call is refused, if it is.
    pub(crate) fn judge(&self, scene: &Scene<'_>) -> Option<Reason> {
        let Self::Rules { strict, project } = self else {
            return None;
        };
        let told = denial(strict, scene).or_else(|| {
            denial(project, scene)?;
            let root = scene.observation().project;
            let effects = scene.effects().without(|effect| writes_all(effect, root));
            let scene = Scene::new(scene.call(), &effects, scene.observation());
            denial(project, &scene)
        });
        let hook = HookId::try_from(PROTECTION_ID).ok()?;
        told.map(|text| Reason { hook, text })
    }
}

/// What the first of the rules that denies the call says.
fn denial(rules: &[Rule], scene: &Scene<'_>) -> Option<String> {
    let rules = rules.iter().filter(|rule| rule.may_concern(scene));
    rules
        .map(|rule| rule.judge(scene).outcome)
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
