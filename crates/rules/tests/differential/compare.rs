//! Whether everything that Bash did is among the effects.

use camino::{Utf8Path, Utf8PathBuf};
use hookward_contract::{Call, ToolInput, ToolName};
use hookward_rules::{
    Access, Arg, Effect, EffectKind, Effects, Exec, Files as _, Observation, PathEffect,
};

use crate::sandbox::{Fixture, Seen, Start};

/// One script's effects.
pub(crate) struct Analysis<'a> {
    effects: Vec<Effect>,
    fixture: Fixture<'a>,
}

impl<'a> Analysis<'a> {
    pub(crate) fn of(script: &str, work: &'a Utf8Path) -> Self {
        let fixture = Fixture { work };
        let input = serde_json::json!({ "command": script }).to_string();
        let (input, _) = ToolInput::parse(&input).expect("an object");
        let name = ToolName::try_from("Bash").expect("a name");
        let home = work.join("home");
        let observation = Observation {
            project: work,
            home: Some(&home),
            now: "2026-03-02T18:30:00Z".parse().expect("an instant"),
            env: &[],
            files: &fixture,
        };
        let call = Call::hand_written("t", name, input, work.to_owned());
        let effects = Effects::of(&call, &observation).all().to_vec();
        Self { effects, fixture }
    }

    /// Whether something that cannot be known could be such an effect.
    pub(crate) fn is_opaque(&self, kind: EffectKind) -> bool {
        self.effects.iter().any(|effect| match effect {
            Effect::Opaque(opaque) => !opaque.is_resolved() && opaque.might(kind),
            _ => false,
        })
    }

    pub(crate) fn effects(&self) -> &[Effect] {
        &self.effects
    }

    fn execs(&self) -> impl Iterator<Item = &Exec> {
        self.effects.iter().filter_map(|effect| match effect {
            Effect::Exec(exec) => Some(exec),
            _ => None,
        })
    }

    /// What was done and is not among the effects, in words.
    pub(crate) fn misses(&self, seen: &Seen) -> Vec<String> {
        let mut misses = Vec::new();
        if !self.is_opaque(EffectKind::Exec) {
            let missed = seen
                .starts
                .iter()
                .filter(|start| !self.execs().any(|exec| self.covers(exec, start)));
            misses.extend(
                missed.map(|start| format!("{:?} in {}", start.arguments, start.directory)),
            );
        }
        if !self.is_opaque(EffectKind::Write) {
            let missed = seen.files.iter().filter(|file| !self.writes(file));
            misses.extend(missed.map(|file| format!("wrote {file}")));
        }
        misses
    }

    /// Programs among the effects that did not start.
    pub(crate) fn alarms(&self, seen: &Seen) -> usize {
        let started = |exec: &&Exec| seen.starts.iter().any(|start| self.covers(exec, start));
        let builtin = |exec: &&Exec| BUILTINS.contains(&exec.program.as_str());
        self.execs()
            .filter(|exec| !started(exec) && !builtin(exec))
            .count()
    }

    fn covers(&self, exec: &Exec, start: &Start) -> bool {
        let Some((program, arguments)) = start.arguments.split_first() else {
            return false;
        };
        let name = program.rsplit('/').next().unwrap_or_default();
        // A login shell's name has a dash before it.
        exec.program == name.trim_start_matches('-')
            && fits(&exec.args, arguments)
            && exec
                .cwd
                .as_ref()
                .is_none_or(|cwd| self.real(cwd) == self.real(&start.directory))
    }

    fn real(&self, path: &Utf8Path) -> Option<Utf8PathBuf> {
        self.fixture.canonical(path).known().cloned()
    }

    fn writes(&self, file: &Utf8Path) -> bool {
        self.effects.iter().any(|effect| match effect {
            Effect::Path(path) => path.access == Access::Write && is_meant(path, file),
            _ => false,
        })
    }
}

fn is_meant(path: &PathEffect, file: &Utf8Path) -> bool {
    path.path == file
        || path.canonical.known().is_some_and(|known| known == file)
        || path.pattern && glob(path.path.as_str().as_bytes(), file.as_str().as_bytes())
}

/// Builtins that are recorded as commands and start nothing.
const BUILTINS: &[&str] = &[
    "cd", ":", "true", "false", "echo", "printf", "export", "declare", "local", "readonly", "read",
    "mapfile", "getopts", "let", "unset", "wait", "set", "shift", "trap", "eval", "exec",
    "command", "builtin", "test", "[", "return", "break", "continue", "exit", "pushd", "popd",
    "source", ".", "shopt", "alias", "type", "bash", "sh", "env", "xargs", "timeout", "nohup",
    "nice",
];

/// Whether the arguments are what is known of them; an unknown one stands for any number.
fn fits(known: &[Arg], given: &[String]) -> bool {
    match known.split_first() {
        None => given.is_empty(),
        Some((Arg::Known(text), rest)) => given
            .split_first()
            .is_some_and(|(first, after)| first == text && fits(rest, after)),
        Some((Arg::Unknown(_), rest)) => {
            (0..=given.len()).any(|skipped| fits(rest, &given[skipped..]))
        }
    }
}

/// A pattern of the shell; a set stands for any one character, which is enough here.
fn glob(pattern: &[u8], text: &[u8]) -> bool {
    match (pattern, text) {
        ([], []) => true,
        ([b'*', rest @ ..], _) => (0..=text.len()).any(|skipped| glob(rest, &text[skipped..])),
        ([b'\\', exact, rest @ ..], [first, after @ ..]) if exact == first => glob(rest, after),
        ([b'?', rest @ ..], [_, after @ ..]) => glob(rest, after),
        ([b'[', set @ ..], [_, after @ ..]) if set.contains(&b']') => {
            let end = set
                .iter()
                .position(|byte| *byte == b']')
                .unwrap_or_default();
            glob(&set[end + 1..], after) || pattern == text
        }
        ([exact, rest @ ..], [first, after @ ..]) if exact == first => glob(rest, after),
        _ => false,
    }
}
