//! Shells that a command starts, and scripts in files.

use camino::Utf8PathBuf;

use super::state::State;
use super::walker::Walker;
use crate::effect::{Access, OpaqueCause};
use crate::paths;
use crate::programs::{Field, Stdin};

/// Shells whose language is read as Bash is; where theirs is larger, what differs is unparsable.
const SHELLS: &[&str] = &[
    "sh", "bash", "dash", "ash", "ksh", "ksh93", "mksh", "zsh", "rbash", "rzsh", "yash", "posh",
];
/// Shells with a language of their own.
const OTHER_SHELLS: &[&str] = &["fish", "csh", "tcsh", "nu", "elvish", "xonsh", "rc", "es"];

/// How a shell was called.
#[derive(Default)]
struct Call<'f> {
    /// `-c`
    command: bool,
    /// `-s`
    from_stdin: bool,
    /// A file that is read first: `--rcfile`, `--init-file`.
    first: Option<&'f Field>,
    operands: &'f [Field],
    /// An argument that may be an option stands before the operands.
    unknown: bool,
}

impl Walker<'_, '_> {
    /// Follows a shell; `false` if the program is none.
    pub(super) fn shell(&mut self, name: &str, args: &[Field], raw: &str, state: &State) -> bool {
        if OTHER_SHELLS.contains(&name) {
            let interpreter = name.to_owned();
            if !args.is_empty() || !Self::stdin_is_empty(state) {
                self.opaque(OpaqueCause::Code { interpreter }, raw);
            }
            return true;
        }
        if !SHELLS.contains(&name) {
            return false;
        }
        let call = read_call(args);
        if call.unknown {
            self.opaque(OpaqueCause::UnknownText, raw);
            return true;
        }
        if let Some(first) = call.first {
            self.script_file(first, None, state.clone());
        }
        if call.command {
            let Some((text, params)) = call.operands.split_first() else {
                return true;
            };
            let mut own = self.fresh(state);
            own.positional = parameters(params.get(1..).unwrap_or_default());
            if text.known {
                self.nested_text(&text.text, &mut own);
            } else {
                self.opaque(OpaqueCause::UnknownText, &text.text);
            }
            return true;
        }
        match call.operands.split_first() {
            Some((file, params)) if !call.from_stdin && file.exact() != Some("-") => {
                let own = self.fresh(state);
                self.script_file(file, parameters(params), own);
            }
            _ => self.from_stdin(raw, state),
        }
        true
    }

    /// A shell that reads its text from standard input.
    fn from_stdin(&mut self, raw: &str, state: &State) {
        match state.stdin.clone() {
            Stdin::Inherited => {}
            Stdin::Text(text) => {
                let mut own = self.fresh(state);
                own.stdin = Stdin::Unknown;
                self.nested_text(&text, &mut own);
            }
            Stdin::File(file) => {
                let own = self.fresh(state);
                self.script_file(&file, None, own);
            }
            Stdin::Unknown => self.opaque(OpaqueCause::UnknownText, raw),
        }
    }

    /// The memory of a new shell: its parent's exported variables may be any of the known ones, so
    /// they are kept, and functions too (`export -f`).
    fn fresh(&self, state: &State) -> State {
        let mut own = state.clone();
        own.positional = None;
        own.locals.clear();
        own
    }

    /// A program that is named with its path: a script of a shell is looked into.
    pub(super) fn executed_file(&mut self, written: &str, state: &State) {
        if state.elsewhere {
            return;
        }
        let Some(base) = state.directories.only() else {
            return;
        };
        let path = paths::clean(base, written);
        let script = self.observation().files.script(&path);
        let is_shell = match &script {
            Some(script) => match script
                .text
                .lines()
                .next()
                .and_then(|line| line.strip_prefix("#!"))
            {
                Some(line) => line
                    .split([' ', '\t', '/'])
                    .any(|word| SHELLS.contains(&word)),
                // The kernel refuses it, and the shell then reads it itself.
                None => true,
            },
            None => has_shell_name(written),
        };
        if is_shell {
            self.script_file(&Field::known(written), None, self.fresh(state));
        }
    }

    /// Looks into a shell script in a file, and says that what it holds when it runs may differ.
    pub(super) fn script_file(
        &mut self,
        file: &Field,
        positional: Option<Vec<String>>,
        mut state: State,
    ) {
        if state.elsewhere {
            return;
        }
        let (Some(written), Some(base)) = (file.exact(), state.directories.only()) else {
            self.opaque(OpaqueCause::UnknownText, &file.text);
            return;
        };
        if file.pipe {
            self.opaque(OpaqueCause::UnknownText, written);
            return;
        }
        let path = paths::clean(base, written);
        self.touch(Access::Read, file, "sh", false, &state);
        let script = self.observation().files.script(&path);
        let again = self.files.contains(&path);
        let cause = OpaqueCause::ScriptFile {
            path: path.clone(),
            digest: script.as_ref().map(|script| script.digest.clone()),
            read: script.is_some(),
        };
        self.opaque(cause, written);
        let Some(script) = script.filter(|_| !again) else {
            return;
        };
        state.positional = positional;
        self.files.push(path);
        self.nested_text(&script.text, &mut state);
        self.files.pop();
    }

    /// `source` and `.`: the script runs in this shell.
    pub(super) fn sourced(&mut self, args: &[Field], raw: &str, state: &mut State) {
        let Some(file) = args.first() else {
            return;
        };
        if file.pipe {
            self.opaque(OpaqueCause::UnknownText, raw);
        } else if file.exact().is_some_and(|name| name.contains('/')) {
            self.script_file(file, None, state.clone());
        } else if file.exact().is_some() {
            // A name without a slash is looked for in PATH first.
            self.script_file(file, None, state.clone());
            self.opaque(OpaqueCause::UnknownText, raw);
        } else {
            self.opaque(OpaqueCause::UnknownText, raw);
        }
        state.taint();
    }
}

fn has_shell_name(path: &str) -> bool {
    let extension = Utf8PathBuf::from(path);
    matches!(extension.extension(), Some("sh" | "bash" | "zsh" | "ksh"))
}

fn parameters(fields: &[Field]) -> Option<Vec<String>> {
    fields
        .iter()
        .map(|field| field.exact().map(str::to_owned))
        .collect()
}

fn read_call(args: &[Field]) -> Call<'_> {
    let mut call = Call::default();
    let mut rest = args;
    while let Some((first, after)) = rest.split_first() {
        let Some(word) = first.exact() else {
            // Where a command is expected, the text itself is not known; before, it may be `-c`.
            call.unknown = !call.command;
            break;
        };
        if word == "--" || word == "-" {
            rest = after;
            break;
        }
        if let Some(long) = word.strip_prefix("--") {
            rest = after;
            if matches!(long, "rcfile" | "init-file") {
                call.first = after.first();
                rest = after.get(1..).unwrap_or_default();
            }
            continue;
        }
        let Some(letters) = word.strip_prefix(['-', '+']) else {
            break;
        };
        call.command |= word.starts_with('-') && letters.contains('c');
        call.from_stdin |= word.starts_with('-') && letters.contains('s');
        // Each `o` and `O` takes the name of an option.
        let names = letters.chars().filter(|c| matches!(c, 'o' | 'O')).count();
        rest = after.get(names.min(after.len())..).unwrap_or_default();
    }
    call.operands = rest;
    call
}
