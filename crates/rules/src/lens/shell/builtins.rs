//! Builtins of Bash that change what later commands mean, or that run something.

use super::state::{Directories, State, Value};
use super::walk::Ending;
use super::walker::Walker;
use crate::effect::OpaqueCause;
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
            "popd" => match state.stack.pop() {
                Some(directories) if args.is_empty() => state.directories = directories,
                _ => state.directories = Directories::unknown(),
            },
            "eval" => self.eval(args, state),
            "source" | "." => self.sourced(args, raw, state),
            "exit" | "return" | "break" | "continue" | "logout" => return Some(Ending::Leaves),
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
            "read" | "mapfile" | "readarray" | "getopts" | "let" | "unset" | "wait" => {
                self.binds(args, raw, state);
            }
            "test" | "[" => self.subscripts(args),
            "set" => self.set_options(args, state),
            "shift" => self.shift(args, state),
            "trap" => self.trap(args, state),
            "shopt" | "alias" => self.aliases(name, args, raw, state),
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
            "fc" => self.opaque(OpaqueCause::UnknownText, raw),
            "command" if asks_only(args) => {}
            "xargs" => self.xargs(args, raw, state),
            _ => return None,
        }
        Some(Ending::Unknown)
    }

    fn change_directory(&mut self, args: &[Field], state: &mut State) -> Ending {
        let mut operands = args.iter().skip_while(|arg| {
            arg.exact().is_some_and(|arg| {
                arg == "--"
                    || arg.len() > 1
                        && arg
                            .strip_prefix('-')
                            .is_some_and(|letters| letters.chars().all(|c| "LPe@".contains(c)))
            })
        });
        let before = state.directories.clone();
        let target = operands.next();
        let target = match target {
            None => self.observation().home.map(ToString::to_string),
            Some(field) if field.exact() == Some("-") => {
                state.directories = state.previous.take().unwrap_or(Directories::unknown());
                state.previous = Some(before);
                return Ending::Unknown;
            }
            Some(field) => field.exact().map(str::to_owned),
        };
        // With CDPATH, a relative name may be somewhere else.
        let elsewhere = state.variable("CDPATH").is_some();
        let Some(target) = target.filter(|target| !elsewhere || target.starts_with(['/', '.']))
        else {
            state.directories = Directories::unknown();
            state.previous = Some(before);
            return Ending::Unknown;
        };
        if target.is_empty() {
            return Ending::Success;
        }
        let after = before.changed(&target);
        let exists = after
            .only()
            .map(|path| self.observation().files.is_directory(path));
        state.directories = after;
        state.previous = Some(before.clone());
        match exists {
            // Where nothing can be told of the file system, a change of directory is taken to work.
            Some(Some(true) | None) => Ending::Success,
            _ => {
                state.if_failed = Some(before);
                Ending::Unknown
            }
        }
    }

    fn push_directory(&mut self, args: &[Field], state: &mut State) -> Ending {
        let before = state.directories.clone();
        let plain = args
            .iter()
            .filter(|arg| !matches!(arg.exact(), Some("-n" | "--")));
        let turns = |arg: &Field| arg.text.starts_with('+') || arg.text.starts_with('-');
        let operands: Vec<&Field> = plain.collect();
        match operands.as_slice() {
            [one] if !turns(one) => {
                let ending = self.change_directory(std::slice::from_ref(one), state);
                state.stack.push(before);
                ending
            }
            _ => {
                state.directories = Directories::unknown();
                Ending::Unknown
            }
        }
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
            self.opaque(OpaqueCause::UnknownText, &text);
            state.taint();
        }
    }

    /// `export a=1`, `local b`, `declare -n c=d`.
    fn declare(&mut self, name: &str, args: &[Field], state: &mut State) {
        for arg in args {
            let Some(text) = arg.known.then_some(arg.text.as_str()) else {
                match arg.text.split_once('=') {
                    Some((variable, _)) if is_name(variable) => {
                        self.special_variable(variable, None, state);
                        state.set(variable, Value::Unknown);
                    }
                    _ => state.taint(),
                }
                continue;
            };
            if text.starts_with(['-', '+']) {
                // A name that stands for another variable, or a value that is evaluated.
                if text[1..].contains(['n', 'i', 'l', 'u', 'A', 'a', 'c']) {
                    state.taint();
                }
                continue;
            }
            self.subscripts(std::slice::from_ref(arg));
            let (variable, value) = match text.split_once('=') {
                Some((variable, value)) => (variable, Some(value)),
                None => (text, None),
            };
            let inside = !self.running.is_empty();
            if inside && matches!(name, "local" | "declare" | "typeset") {
                state.locals.push(variable.to_owned());
            }
            match value {
                Some(value) if is_name(variable) => {
                    self.special_variable(variable, Some(value), state);
                    state.set(variable, Value::Known(value.to_owned()));
                }
                Some(_) => {
                    state.set(variable.trim_end_matches('+'), Value::Unknown);
                }
                None if name == "local" => state.set(variable, Value::Unknown),
                None => {}
            }
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
        for default in ["REPLY", "MAPFILE", "OPTARG", "OPTIND"] {
            if state.variable(default).is_some() {
                state.set(default, Value::Unknown);
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
    fn subscripts(&mut self, args: &[Field]) {
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

    fn set_options(&mut self, args: &[Field], state: &mut State) {
        let options = args
            .iter()
            .take_while(|arg| arg.text.starts_with(['-', '+']) && arg.exact() != Some("--"));
        let count = options.count();
        let rest = &args[count..];
        let rest = match rest.split_first() {
            Some((first, rest)) if first.exact() == Some("--") => rest,
            // `set -e` alone leaves the parameters as they are; `set -o name` has a name to skip.
            _ if count > 0 => return,
            _ if rest.is_empty() => return,
            _ => rest,
        };
        state.positional = rest
            .iter()
            .map(|arg| arg.exact().map(str::to_owned))
            .collect();
    }

    fn shift(&mut self, args: &[Field], state: &mut State) {
        let count = match args {
            [] => Some(1),
            [count] => count.exact().and_then(|count| count.parse::<usize>().ok()),
            _ => None,
        };
        let Some(positional) = &mut state.positional else {
            return;
        };
        match count {
            Some(count) if count <= positional.len() => drop(positional.drain(..count)),
            _ => state.positional = None,
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
        if !matches!(text.exact(), Some("-" | "")) {
            self.text_field(text, state);
        }
    }

    /// Aliases mean something only where they are switched on.
    fn aliases(&mut self, name: &str, args: &[Field], raw: &str, state: &mut State) {
        let sets = |option: &str| args.iter().any(|arg| arg.exact() == Some(option));
        let unknown = args.iter().any(|arg| arg.exact().is_none());
        if name == "shopt" && (unknown || sets("expand_aliases") && sets("-s")) {
            self.opaque(OpaqueCause::UnknownText, raw);
            state.taint();
        } else if name == "shopt" && sets("lastpipe") {
            state.taint();
        }
    }

    /// `xargs` adds arguments that arrive at run time.
    fn xargs(&mut self, args: &[Field], raw: &str, state: &State) {
        let values = [
            "-a",
            "-d",
            "-E",
            "-I",
            "-L",
            "-n",
            "-P",
            "-s",
            "--arg-file",
            "--delimiter",
            "--max-lines",
            "--max-args",
            "--max-procs",
            "--max-chars",
            "--process-slot-var",
            "--replace",
        ];
        let mut rest = args;
        let mut replaced: Option<String> = None;
        while let Some((first, after)) = rest.split_first() {
            let Some(word) = first.exact().filter(|word| word.starts_with('-')) else {
                break;
            };
            rest = after;
            if word == "--" {
                break;
            }
            if let Some(text) = word
                .strip_prefix("-I")
                .or_else(|| word.strip_prefix("--replace="))
            {
                replaced = Some(text.to_owned());
                if text.is_empty() && word == "-I" {
                    replaced = after.first().map(|field| field.text.clone());
                }
            } else if word == "-i" || word == "--replace" {
                replaced = Some("{}".to_owned());
                continue;
            }
            if values.contains(&word) && word != "--replace" {
                rest = after.get(1..).unwrap_or_default();
            }
        }
        let mut own = state.clone();
        own.stdin = crate::programs::Stdin::Inherited;
        let mut argv = rest.to_vec();
        if argv.is_empty() {
            argv.push(Field::known("echo"));
        }
        match replaced.filter(|text| !text.is_empty()) {
            Some(text) => {
                for field in argv.iter_mut().filter(|field| field.text.contains(&text)) {
                    field.known = false;
                }
            }
            None => argv.push(Field::unknown("…")),
        }
        self.nested(raw, |walker| {
            walker.run(&argv, raw, &[], &mut own);
        });
    }
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

fn is_name(text: &str) -> bool {
    let mut bytes = text.bytes();
    bytes
        .next()
        .is_some_and(|byte| byte.is_ascii_alphabetic() || byte == b'_')
        && bytes.all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}
