//! Shells that a command starts, and scripts in files.

use std::rc::Rc;

use camino::{Utf8Path, Utf8PathBuf};

use super::options::is_harmless_option;
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

/// What gives a program another name; redirections included.
const COPIERS: &[&str] = &[
    "cp", "mv", "ln", "link", "install", "dd", "tee", "rsync", ">", ">>", ">&",
];

/// How a shell was called.
#[allow(
    clippy::struct_excessive_bools,
    reason = "they are independent of each other"
)]
#[derive(Default)]
struct Call<'f> {
    /// `-c`
    command: bool,
    /// `-s`
    from_stdin: bool,
    /// A file that is read first: `--rcfile`, `--init-file`.
    first: Option<&'f Field>,
    operands: &'f [Field],
    /// Whether it is an option or an argument that may be one of which the meaning is not known.
    unknown: bool,
    /// `--posix`
    posix: bool,
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
        let foreign = call.posix || !matches!(name, "bash" | "rbash");
        if call.unknown {
            self.opaque(OpaqueCause::UnknownText, raw);
            return true;
        }
        if let Some(first) = call.first {
            self.script_file(first, None, &mut state.fresh(foreign));
        }
        if call.command {
            let Some((text, params)) = call.operands.split_first() else {
                return true;
            };
            let mut own = state.fresh(foreign);
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
                self.script_file(file, parameters(params), &mut state.fresh(foreign));
            }
            _ => self.text_at_stdin(raw, &mut state.fresh(foreign)),
        }
        true
    }

    /// A shell that reads its text from standard input.
    pub(super) fn text_at_stdin(&mut self, raw: &str, state: &mut State) {
        match std::mem::replace(&mut state.stdin, Stdin::Unknown) {
            Stdin::Inherited => {}
            Stdin::Text(text) => self.nested_text(&text, state),
            Stdin::File(file) => self.script_file(&file, None, state),
            Stdin::Unknown => self.opaque(OpaqueCause::UnknownText, raw),
        }
    }

    /// A program that is named with its path: a script of a shell is looked into.
    pub(super) fn executed_file(&mut self, written: &str, state: &State) {
        if state.elsewhere {
            return;
        }
        let base = match state.directories.only() {
            Some(base) => base,
            None if written.starts_with('/') => Utf8Path::new("/"),
            None => return self.opaque(OpaqueCause::UnknownText, written),
        };
        let path = paths::clean(base, written);
        // A copy of a program, or another name of it: `ln -s /usr/bin/git x; ./x push`.
        let copied = |via: &str| COPIERS.contains(&via);
        if self.has_changed(&path, copied) {
            self.opaque(OpaqueCause::UnknownProgram, written);
        }
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
            let bash = script.is_some_and(|script| {
                script
                    .text
                    .lines()
                    .next()
                    .unwrap_or_default()
                    .ends_with("bash")
            });
            self.script_file(&Field::known(written), None, &mut state.fresh(!bash));
        }
    }

    /// Looks into a shell script in a file, and says that what it holds when it runs may differ.
    pub(super) fn script_file(
        &mut self,
        file: &Field,
        positional: Option<Rc<[String]>>,
        state: &mut State,
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
        self.touch(Access::Read, file, "sh", false, state);
        let script = self.observation().files.script(&path);
        let again = self.files.contains(&path);
        let cause = OpaqueCause::ScriptFile {
            path: path.clone(),
            digest: script.as_ref().map(|script| script.digest.clone()),
            read: script.is_some(),
        };
        self.opaque(cause, written);
        let Some(script) = script.filter(|_| !again) else {
            state.taint();
            return;
        };
        let before = std::mem::replace(&mut state.positional, positional);
        self.files.push(path);
        self.returns.push(None);
        self.nested_text(&script.text, state);
        if let Some(left) = self.returns.pop().flatten() {
            state.join(&left);
        }
        self.files.pop();
        state.positional = before;
    }

    /// `source` and `.`: the script runs in this shell.
    pub(super) fn sourced(&mut self, args: &[Field], raw: &str, state: &mut State) {
        let args = match args.split_first() {
            Some((first, rest)) if first.exact() == Some("--") => rest,
            _ => args,
        };
        let Some((file, params)) = args.split_first() else {
            return;
        };
        let named = file.exact().is_some_and(|name| name.contains('/')) && !file.pipe;
        if named || file.exact().is_some() && !file.pipe {
            let positional = if params.is_empty() {
                state.positional.clone()
            } else {
                parameters(params)
            };
            self.script_file(file, positional, state);
        }
        // A name without a slash is looked for in PATH first.
        if !named {
            self.opaque(OpaqueCause::UnknownText, raw);
            state.taint();
        }
        if state.foreign {
            // Other shells do not give it parameters of its own.
            state.positional = None;
        }
    }
}

fn has_shell_name(path: &str) -> bool {
    let extension = Utf8PathBuf::from(path);
    matches!(extension.extension(), Some("sh" | "bash" | "zsh" | "ksh"))
}

fn parameters(fields: &[Field]) -> Option<Rc<[String]>> {
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
            call.posix |= long == "posix";
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
        let (named, other) = after.split_at(names.min(after.len()));
        call.unknown |= letters.contains(['k', 'B', 'P', 'H', 'r'])
            || named
                .iter()
                .any(|name| !name.exact().is_some_and(is_harmless_option));
        rest = other;
    }
    call.operands = rest;
    call
}
