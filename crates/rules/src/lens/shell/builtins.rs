//! Builtins of Bash that change what later commands mean, or that run something.

use super::command::runs_when_evaluated;
use super::directory::pop_directory;
use super::state::{State, Value};
use super::walk::Ending;
use super::walker::Walker;
use crate::effect::{Access, OpaqueCause};
use crate::programs::Field;

impl Walker<'_, '_> {
    /// Follows a builtin; `None` if the name is none that matters here.
    pub(super) fn builtin(
        &mut self,
        name: &str,
        args: &[Field],
        raw: &str,
        state: &mut State,
    ) -> Option<Ending> {
        match name {
            "cd" | "chdir" => return Some(self.change_directory(args, state)),
            "pushd" => return Some(self.push_directory(args, state)),
            "popd" => pop_directory(args, state),
            "dirs" if !args.is_empty() => state.stack = None,
            "eval" => self.eval(args, state),
            "source" | "." => self.sourced(args, raw, state),
            "exit" | "logout" => return Some(Ending::Leaves),
            "return" | "break" | "continue" => return Some(self.leaves(name, state)),
            "true" | ":" | "echo" => return Some(Ending::Success),
            "printf" => {
                self.bound_by_option(args, "-v", state);
                return Some(Ending::Success);
            }
            "false" => return Some(Ending::Failure),
            "export" | "declare" | "typeset" | "local" | "readonly" => {
                self.declare(name, args, state);
                return Some(Ending::Success);
            }
            "read" | "mapfile" | "readarray" | "getopts" | "wait" => self.binds(args, raw, state),
            "unset" => self.unset(args, raw, state),
            "let" => {
                for arg in args {
                    match arg.exact() {
                        Some(text) => {
                            if runs_when_evaluated(text) {
                                self.opaque(OpaqueCause::UnknownText, text);
                            }
                            self.evaluated(text, state);
                        }
                        None => state.make_fickle(),
                    }
                }
            }
            "test" | "[" => self.subscripts(args),
            "set" => self.set_options(args, raw, state),
            "shift" => shift(args, state),
            "trap" => self.trap(args, state),
            "shopt" => self.shell_options(args, raw, state),
            "alias" => self.aliases(args, raw, state),
            "hash" | "enable"
                if args
                    .iter()
                    .any(|arg| !matches!(arg.exact(), Some("-r" | "-l" | "-t"))) =>
            {
                self.opaque(OpaqueCause::UnknownProgram, raw);
            }
            "complete" | "compgen" | "bind" if !args.is_empty() => {
                self.opaque(OpaqueCause::UnknownText, raw);
            }
            "history" => self.history(args, state),
            "fc" => self.opaque(OpaqueCause::UnknownText, raw),
            "command" if asks_only(args) => {}
            _ => return None,
        }
        Some(Ending::Unknown)
    }

    fn eval(&mut self, args: &[Field], state: &mut State) {
        let args = match args.split_first() {
            Some((first, rest)) if first.exact() == Some("--") => rest,
            _ => args,
        };
        let texts: Vec<&str> = args.iter().map(|field| field.text.as_str()).collect();
        let text = texts.join(" ");
        // A pattern that matches no file stays as it is, and one that does becomes names.
        if args.iter().all(|field| field.exact().is_some()) {
            self.nested_text(&text, state);
        } else {
            self.changes_meaning(&text, state);
        }
    }

    /// Builtins that set variables named by their arguments.
    fn binds(&mut self, args: &[Field], raw: &str, state: &mut State) {
        self.subscripts(args);
        for arg in args {
            match arg.exact() {
                Some("-C" | "-c") => self.opaque(OpaqueCause::UnknownText, raw),
                Some(text) => {
                    let name = text.split(['=', '[', '+']).next().unwrap_or_default();
                    if is_name(name) {
                        state.set(name, Value::Unknown);
                    }
                }
                None => state.taint(),
            }
        }
    }

    /// `unset`: variables, and functions where there is no such variable.
    fn unset(&mut self, args: &[Field], raw: &str, state: &mut State) {
        self.binds(args, raw, state);
        for arg in args {
            match arg.exact() {
                Some(name) => {
                    state.doubt_functions(|function| function == name);
                    state.unexport(name);
                    if !self.running.is_empty() {
                        // It may uncover a variable of the same name that a caller has.
                        state.make_odd(name);
                    }
                }
                None => state.make_fickle(),
            }
        }
    }

    /// The variable after an option (`printf -v name`).
    fn bound_by_option(&mut self, args: &[Field], option: &str, state: &mut State) {
        let mut rest = args.iter();
        while let Some(arg) = rest.next() {
            let attached = arg
                .text
                .strip_prefix(option)
                .filter(|name| !name.is_empty());
            let name = match (arg.exact(), attached) {
                (Some(_), Some(name)) => Some(Field::known(name)),
                (Some(text), None) if text == option => rest.next().cloned(),
                // What is not known may be the option.
                (None, _) if !arg.known => Some(Field::unknown("")),
                _ => return,
            };
            let Some(name) = name else { return };
            self.subscripts(std::slice::from_ref(&name));
            match name.exact() {
                Some(name) => {
                    let name = name.split('[').next().unwrap_or_default();
                    state.set(name, Value::Unknown);
                }
                None => state.taint(),
            }
        }
    }

    /// Names with subscripts are evaluated, and a subscript may hold a substitution.
    pub(super) fn subscripts(&mut self, args: &[Field]) {
        for arg in args {
            let evaluated = |text: &str| {
                text.split_once('[').is_some_and(|(name, subscript)| {
                    is_name(name) && subscript.contains(['$', '`'])
                })
            };
            if arg.known && evaluated(&arg.text) {
                self.opaque(OpaqueCause::UnknownText, &arg.text);
            }
        }
    }

    /// `history -w file`
    fn history(&mut self, args: &[Field], state: &State) {
        let writes = |arg: &Field| matches!(arg.exact(), Some("-w" | "-a"));
        let mut files = args.iter().skip_while(|arg| !writes(arg)).skip(1);
        if let Some(file) = files.next() {
            self.touch(Access::Write, file, "history", false, state);
        }
    }

    fn trap(&mut self, args: &[Field], state: &State) {
        let args = match args.first().and_then(Field::exact) {
            Some("-p" | "-l" | "-P") => return,
            Some("--") => &args[1..],
            _ => args,
        };
        let Some(text) = args.first().filter(|_| args.len() > 1) else {
            return;
        };
        match text.exact() {
            Some("-" | "") => {}
            Some(text) => self.trap_text(text, state),
            None => self.opaque(OpaqueCause::UnknownText, &text.text),
        }
    }

    /// Aliases mean something where they are switched on, as other shells have them, and agents that
    /// load a person's settings before each call. Whether they are cannot be told: each is a function
    /// that may be there.
    fn aliases(&mut self, args: &[Field], raw: &str, state: &mut State) {
        if state.foreign && !args.is_empty() {
            return self.changes_meaning(raw, state);
        }
        for arg in args {
            let Some((name, value)) = arg.text.split_once('=') else {
                continue;
            };
            // What is not known is run as a variable that is not.
            let value = if arg.known { value } else { "$_" };
            let body = format!("{{ {value} \"$@\"\n}}");
            if !is_name(name) || !state.define(name, &body) {
                self.changes_meaning(raw, state);
            }
            state.doubt_functions(|function| function == name);
        }
    }
}

fn shift(args: &[Field], state: &mut State) {
    let count = match args {
        [] => Some(1),
        [count] => count.exact().and_then(|count| count.parse::<usize>().ok()),
        _ => None,
    };
    let left = state.positional.as_ref().zip(count);
    let left = left.and_then(|(all, count)| all.get(count..));
    state.positional = left.map(Into::into);
}

/// `command -v name` asks where a program is and runs nothing.
fn asks_only(args: &[Field]) -> bool {
    let first = args.first().and_then(Field::exact);
    first.is_some_and(|first| {
        first
            .strip_prefix('-')
            .is_some_and(|letters| letters.contains(['v', 'V']))
    })
}

pub(super) fn is_name(text: &str) -> bool {
    let mut bytes = text.bytes();
    bytes
        .next()
        .is_some_and(|byte| byte.is_ascii_alphabetic() || byte == b'_')
        && bytes.all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}
