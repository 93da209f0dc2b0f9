//! What a person should look at about a hook's files: checked when asked for, never on the way of
//! a call. Nothing here keeps a hook from running.

#![expect(
    clippy::disallowed_methods,
    reason = "looks at the files that hooks name"
)]

use std::fs::{self, Metadata};
use std::io;
use std::os::unix::fs::PermissionsExt;

use camino::Utf8Path;

use crate::content::{Files, MAX_SHEBANG_BYTES, shebang};
use crate::diagnostic::{Code, Diagnostic, Location, Severity, shown};
use crate::file;
use crate::hook::Hook;
use crate::snapshot::Snapshot;

/// Programs whose first argument, if it is no option, is the script that they run.
const INTERPRETERS: &[&str] = &[
    "ash", "bash", "dash", "fish", "ksh", "lua", "node", "nodejs", "perl", "php", "pwsh", "python",
    "ruby", "sh", "tclsh", "zsh",
];

/// How a program starts that needs no interpreter.
const ELF: &[u8] = b"\x7fELF";

impl Hook {
    /// Looks at the program and at the script that it is given to run.
    ///
    /// Warnings about a program that is missing, cannot be executed or has no usable interpreter,
    /// and about a script argument that is relative or missing (case B16: interpreters exit 2 for
    /// a missing script, which denies every call).
    pub fn advice(&self) -> Vec<Diagnostic> {
        let program = self.program_problem();
        program.into_iter().chain(self.script_problem()).collect()
    }

    fn program_problem(&self) -> Option<Diagnostic> {
        let program = &self.command()?.command;
        let command = shown(program.as_str());
        let place = self
            .places
            .as_ref()
            .and_then(|places| places.command.as_ref());
        let meta = match fs::metadata(program) {
            Ok(meta) => meta,
            Err(error) => {
                let message = format!("the program `{command}` cannot be found: {error}");
                let first = program.as_str().split(' ').next().unwrap_or_default();
                let help = if first.len() < program.as_str().len()
                    && regular(Utf8Path::new(first)).is_ok()
                {
                    "the command is one path; put what follows the program into `args`"
                } else {
                    "install the program, or correct its path"
                };
                return Some(warning(place, Code::ProgramMissing, message, help));
            }
        };
        if !meta.is_file() {
            let message = format!("the program `{command}` is not a regular file");
            let help = "name the program itself";
            return Some(warning(place, Code::ProgramNotFile, message, help));
        }
        if meta.permissions().mode() & 0o111 == 0 {
            let message = format!("the program `{command}` is not executable");
            let help = "run `chmod +x` on it, or name its interpreter as the program";
            return Some(warning(place, Code::ProgramNotExecutable, message, help));
        }
        let head = file::read_head(program, MAX_SHEBANG_BYTES)?;
        if head.starts_with(ELF) {
            return None;
        }
        let first_word = |line: &str| line.split([' ', '\t']).next().map(str::to_owned);
        let Some(interpreter) = shebang(&head).and_then(first_word) else {
            let message = format!("the first line of `{command}` names no interpreter");
            let help = "begin the file with a line such as `#!/bin/sh`";
            return Some(warning(place, Code::BadInterpreter, message, help));
        };
        let path = Utf8Path::new(&interpreter);
        if path.is_absolute() && regular(path).is_ok() {
            return None;
        }
        let (problem, help) = if interpreter.ends_with('\r') {
            let help = "give the file Unix line ends: sed -i 's/\\r$//' FILE";
            ("has a carriage return after it", help)
        } else {
            let help = "write the interpreter's absolute path after `#!`";
            ("is relative or missing", help)
        };
        let message = format!(
            "the first line of `{command}` names the interpreter `{}`, which {problem}",
            shown(&interpreter)
        );
        Some(warning(place, Code::BadInterpreter, message, help))
    }

    /// The script that the program is given to run: its first argument, where the program is an
    /// interpreter and the argument is no option. `None` says that there is no telling.
    ///
    /// It is as the program gets it and may be relative. Then it means a file of the directory in
    /// which the hook runs, which is the call's: join it to that, never to one's own.
    pub fn script_argument(&self) -> Option<&str> {
        self.script().map(|(_, script)| script)
    }

    fn script(&self) -> Option<(usize, &str)> {
        let command = self.command()?;
        if !is_interpreter(command.command.file_name()?) {
            return None;
        }
        let (index, script) = command
            .args
            .iter()
            .enumerate()
            .find(|(_, arg)| *arg != "--")?;
        // After an option nobody can tell a script from the option's value.
        (!script.starts_with('-') && !script.is_empty()).then_some((index, script))
    }

    fn script_problem(&self) -> Option<Diagnostic> {
        let (index, script) = self.script()?;
        let place = self
            .places
            .as_ref()
            .and_then(|places| places.args.get(index));
        let name = shown(script);
        if !script.starts_with('/') {
            let message = format!("the script `{name}` is looked for in the call's directory");
            let help = "write an absolute path: the agent decides what a relative one means";
            return Some(warning(place, Code::RelativeScript, message, help));
        }
        let error = regular(Utf8Path::new(script)).err()?;
        let message = format!("the script `{name}` cannot be found: {error}");
        let help = "correct the path: interpreters exit 2 for a missing script, which is a deny";
        Some(warning(place, Code::ScriptMissing, message, help))
    }
}

impl Snapshot {
    /// Warnings about pinned files outside of the project and the State Root that have changed
    /// since the hook was reviewed. Reads those files.
    pub fn pin_warnings(&self, hook: &Hook) -> Vec<Diagnostic> {
        let changed = self.zone().outside_changes(hook, &mut Files::default());
        changed
            .into_iter()
            .map(|path| {
                let message = format!("`{}` changed since the review", shown(path.as_str()));
                let help = "if you did not update it yourself, review the hook again";
                let place = hook.location.as_ref();
                warning(place, Code::PinDiffers, message, help)
            })
            .collect()
    }
}

fn warning(place: Option<&Location>, code: Code, message: String, help: &str) -> Diagnostic {
    let place = place.cloned().unwrap_or(Location::START);
    Diagnostic::at(&place, code, Severity::Warning, message, help)
}

fn regular(path: &Utf8Path) -> io::Result<Metadata> {
    let meta = fs::metadata(path)?;
    if meta.is_file() {
        Ok(meta)
    } else {
        Err(io::Error::other("not a regular file"))
    }
}

/// `python3.12` is `python`.
fn is_interpreter(name: &str) -> bool {
    let bare = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '-');
    INTERPRETERS.contains(&bare)
}
