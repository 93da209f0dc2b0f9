//! Simple commands: assignments, the program, and what it runs in turn.

use camino::Utf8Path;
use hookward_shell::{AssignedValue, Assignment, Command, Word};

use super::state::{Directories, State, Value};
use super::walk::Ending;
use super::walker::Walker;
use crate::effect::{Access, Arg, Effect, Exec, OpaqueCause};
use crate::programs::wrappers::{Rest, Wrapper, wrapper};
use crate::programs::{self, Field, Invocation, Stdin};

/// Assignments before a command: names, and values where they are known.
pub(super) type Environment = [(String, Option<String>)];

/// Variables whose value is text that a shell runs.
const TEXT_VARIABLES: &[&str] = &[
    "GIT_SSH_COMMAND",
    "GIT_PAGER",
    "GIT_EDITOR",
    "GIT_SEQUENCE_EDITOR",
    "GIT_EXTERNAL_DIFF",
    "GIT_PROXY_COMMAND",
    "PAGER",
    "MANPAGER",
    "EDITOR",
    "VISUAL",
    "PROMPT_COMMAND",
    "LESSOPEN",
    "LESSCLOSE",
    "RSYNC_RSH",
    "CVS_RSH",
    "MAKEFLAGS",
    "PS0",
    "PS1",
    "PS4",
];

/// Variables that make programs load code from a file, or look for programs elsewhere.
const CODE_VARIABLES: &[&str] = &[
    "LD_PRELOAD",
    "LD_AUDIT",
    "LD_LIBRARY_PATH",
    "DYLD_INSERT_LIBRARIES",
    "BASH_ENV",
    "ENV",
    "PERL5OPT",
    "PERL5DB",
    "PYTHONSTARTUP",
    "PYTHONINSPECT",
    "RUBYOPT",
    "NODE_OPTIONS",
    "JAVA_TOOL_OPTIONS",
    "GIT_EXEC_PATH",
    "GIT_CONFIG_COUNT",
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_SYSTEM",
    "GIT_CONFIG_PARAMETERS",
    "GIT_SSH",
    "GIT_ASKPASS",
    "SSH_ASKPASS",
    "SHELLOPTS",
    "BASHOPTS",
];

impl Walker<'_, '_> {
    pub(super) fn simple(
        &mut self,
        text: &str,
        command: &Command<'_>,
        assignments: &[Assignment<'_>],
        words: &[Word<'_>],
        state: &mut State,
    ) -> Ending {
        let span = command.span.start as usize..command.span.end as usize;
        let raw = text.get(span).unwrap_or_default();
        let mut fields = Vec::new();
        for word in words {
            fields.append(&mut self.fields(text, word, state));
        }
        let mut environment = Vec::new();
        for assignment in assignments {
            environment.push(self.assigned(text, assignment, state));
        }
        let stdin = state.stdin.clone();
        self.redirects(text, &command.redirects, state);
        let ending = if fields.is_empty() {
            for (assignment, (name, value)) in assignments.iter().zip(environment) {
                let whole = assignment.subscript.is_none() && !assignment.append;
                let value = value.filter(|_| whole);
                state.set(&name, value.map_or(Value::Unknown, Value::Known));
            }
            self.after_empty(words)
        } else {
            self.run(&fields, raw, &environment, state)
        };
        state.stdin = stdin;
        ending
    }

    /// A command that consists of assignments and redirections, or of words that came to nothing.
    fn after_empty(&self, words: &[Word<'_>]) -> Ending {
        if words.is_empty() {
            Ending::Success
        } else {
            Ending::Unknown
        }
    }

    fn assigned(
        &mut self,
        text: &str,
        assignment: &Assignment<'_>,
        state: &mut State,
    ) -> (String, Option<String>) {
        if let Some(subscript) = &assignment.subscript {
            self.arithmetic(text, subscript, state);
        }
        let value = match &assignment.value {
            AssignedValue::Word(word) => {
                let field = self.single(text, word, state);
                field.known.then_some(field.text)
            }
            AssignedValue::Array(elements) => {
                for element in elements {
                    self.fields(text, element, state);
                }
                None
            }
        };
        self.special_variable(assignment.name, value.as_deref(), state);
        (assignment.name.to_owned(), value)
    }

    /// Variables that make other programs run something.
    pub(super) fn special_variable(&mut self, name: &str, value: Option<&str>, state: &State) {
        if TEXT_VARIABLES.contains(&name) {
            match value {
                Some(value) => self.nested_text(value, &mut state.clone()),
                None => self.opaque(OpaqueCause::UnknownText, name),
            }
        } else if CODE_VARIABLES.contains(&name) {
            let interpreter = name.to_owned();
            self.opaque(OpaqueCause::Code { interpreter }, value.unwrap_or(name));
        } else if name == "PATH" && value.is_none_or(|path| !path.split(':').all(is_system_folder))
        {
            // The programs' names mean others from here on.
            self.opaque(OpaqueCause::UnknownProgram, value.unwrap_or(name));
        }
    }

    /// Runs an argument list: records it, and follows what it runs in turn.
    pub(super) fn run(
        &mut self,
        fields: &[Field],
        raw: &str,
        environment: &Environment,
        state: &mut State,
    ) -> Ending {
        if !self.step() {
            return Ending::Unknown;
        }
        let Some((program, args)) = fields.split_first() else {
            return Ending::Unknown;
        };
        let Some(written) = program.exact().filter(|written| !written.is_empty()) else {
            if program.exact().is_none() {
                self.opaque(OpaqueCause::UnknownProgram, raw);
            }
            return Ending::Unknown;
        };
        let (folder, name) = match written.rsplit_once('/') {
            Some((folder, name)) => (Some(folder), name),
            None => (None, written),
        };
        self.push(Effect::Exec(Exec {
            program: name.to_owned(),
            path: folder.is_some().then(|| written.to_owned()),
            args: args.iter().map(argument).collect(),
            env: environment.to_vec(),
            cwd: state
                .directories
                .only()
                .filter(|_| !state.elsewhere)
                .map(Utf8Path::to_owned),
            raw: raw.to_owned(),
        }));
        if folder.is_none() {
            if let Some(body) = state.function(name) {
                return self.call(name, &body, args, state);
            }
            if let Some(ending) = self.builtin(name, args, raw, state) {
                return ending;
            }
        }
        if let Some(wrapper) = wrapper(name) {
            return self.wrapped(wrapper, args, raw, environment, state);
        }
        if self.shell(name, args, raw, state) {
            return Ending::Unknown;
        }
        let invocation = Invocation {
            program: name,
            args,
            raw,
        };
        programs::effects(&invocation, &mut self.place(state));
        if folder.is_some() {
            self.executed_file(written, state);
        }
        Ending::Unknown
    }

    /// Calls a function that the text defined.
    fn call(&mut self, name: &str, body: &str, args: &[Field], state: &mut State) -> Ending {
        const MAX_RECURSION: usize = 3;
        let running = self
            .running
            .iter()
            .filter(|running| *running == name)
            .count();
        if running >= MAX_RECURSION {
            self.opaque(OpaqueCause::UnknownArguments, name);
            return Ending::Unknown;
        }
        let before = state.clone();
        state.locals.clear();
        state.positional = args
            .iter()
            .map(|arg| arg.exact().map(str::to_owned))
            .collect();
        self.running.push(name.to_owned());
        let mut ending = Ending::Unknown;
        self.nested(body, |walker| {
            let script = hookward_shell::parse(body);
            ending = walker.lists(body, &script.lists, state);
        });
        self.running.pop();
        state.leave(&before);
        // `return` leaves the function only.
        if ending == Ending::Leaves {
            Ending::Unknown
        } else {
            ending
        }
    }

    /// Takes a wrapper's options off and runs what is left.
    fn wrapped(
        &mut self,
        wrapper: &Wrapper,
        args: &[Field],
        raw: &str,
        environment: &Environment,
        state: &mut State,
    ) -> Ending {
        let mut own = state.clone();
        let mut environment = environment.to_vec();
        let mut rest = args;
        let mut skip = wrapper.skip;
        let mut doubt = false;
        while let Some((first, after)) = rest.split_first() {
            let Some(word) = first.exact() else {
                break;
            };
            if word == "--" {
                rest = after;
                continue;
            }
            if word.len() > 1 && word.starts_with('-') || word == "-" {
                rest = self.option(wrapper, word, after, &mut own, &mut doubt);
                continue;
            }
            if skip > 0 {
                skip -= 1;
            } else if let Some((name, value)) = assignment(wrapper, word) {
                self.special_variable(name, Some(value), &own);
                environment.push((name.to_owned(), Some(value.to_owned())));
            } else if wrapper.rest != Rest::Nothing {
                break;
            }
            rest = after;
        }
        match wrapper.rest {
            Rest::Nothing => {}
            Rest::Joined => self.joined(rest, &own),
            Rest::Command | Rest::AssignmentsAndCommand => {
                // Builtins of this shell, and programs that replace it, keep its memory.
                if matches!(wrapper.name, "command" | "builtin" | "exec") {
                    let ending = self.inner(rest, raw, &environment, state, wrapper.name);
                    let replaced = wrapper.name == "exec" && !rest.is_empty();
                    return if replaced { Ending::Leaves } else { ending };
                }
                self.run(rest, raw, &environment, &mut own);
                if doubt && let Some((_, other)) = rest.split_first() {
                    self.run(other, raw, &environment, &mut own);
                }
            }
        }
        Ending::Unknown
    }

    /// What `command`, `builtin` and `exec` run: never a function.
    fn inner(
        &mut self,
        fields: &[Field],
        raw: &str,
        environment: &Environment,
        state: &mut State,
        via: &str,
    ) -> Ending {
        let name = fields.first().and_then(Field::exact);
        let Some(name) = name.filter(|name| state.function(name).is_some()) else {
            return self.run(fields, raw, environment, state);
        };
        let mut plain = fields.to_vec();
        plain[0] = Field::known(format!("/usr/bin/{name}"));
        match self.builtin(name, &fields[1..], raw, state) {
            Some(ending) if via != "exec" => ending,
            _ => self.run(&plain, raw, environment, state),
        }
    }

    /// Reads one option of a wrapper and returns what follows it.
    fn option<'f>(
        &mut self,
        wrapper: &Wrapper,
        word: &str,
        after: &'f [Field],
        state: &mut State,
        doubt: &mut bool,
    ) -> &'f [Field] {
        let (name, attached) = match word.split_once('=') {
            Some((name, value)) if name.starts_with("--") => (name, Some(Field::known(value))),
            _ => (word, None),
        };
        let takes = |options: &[&str]| options.contains(&name);
        let short = |options: &[&str]| {
            let attached = options
                .iter()
                .find(|option| option.len() == 2 && word.len() > 2 && word.starts_with(**option));
            attached.map(|option| Field::known(&word[option.len()..]))
        };
        let valued = [wrapper.values, wrapper.directory, wrapper.text].concat();
        let (value, after) = match (attached, takes(&valued), after.split_first()) {
            (Some(value), _, _) => (Some(value), after),
            (None, true, Some((value, after))) => (Some(value.clone()), after),
            _ => (short(&valued), after),
        };
        let name = if value.is_some() && !name.starts_with("--") && name.len() > 2 {
            &name[..2]
        } else {
            name
        };
        if wrapper.directory.contains(&name) {
            state.directories = match value.as_ref().and_then(Field::exact) {
                Some(path) => state.directories.changed(path),
                None => Directories::unknown(),
            };
        } else if wrapper.text.contains(&name) {
            match &value {
                Some(text) => self.text_field(text, state),
                None => self.opaque(OpaqueCause::UnknownText, word),
            }
        } else if value.is_none() && !takes(wrapper.flags) && !is_group(word, wrapper.flags) {
            // An option of which it is not known whether it takes a value.
            *doubt = !word[1..].starts_with(|c: char| c.is_ascii_digit());
        }
        after
    }

    /// Words that a shell gets joined by blanks.
    pub(super) fn joined(&mut self, fields: &[Field], state: &State) {
        if fields.is_empty() {
            return;
        }
        let texts: Vec<&str> = fields.iter().map(|field| field.text.as_str()).collect();
        let text = Field {
            known: fields.iter().all(|field| field.exact().is_some()),
            ..Field::known(texts.join(" "))
        };
        self.text_field(&text, state);
    }

    /// A text that a shell of its own runs.
    pub(super) fn text_field(&mut self, text: &Field, state: &State) {
        if text.known {
            let mut own = state.clone();
            own.positional = None;
            self.nested_text(&text.text, &mut own);
        } else {
            self.opaque(OpaqueCause::UnknownText, &text.text);
        }
    }

    /// A file that is touched, in every directory that may be in force.
    pub(super) fn touch(
        &mut self,
        access: Access,
        path: &Field,
        via: &str,
        tree: bool,
        state: &State,
    ) {
        if state.elsewhere || path.pipe || path.text.is_empty() && path.known {
            return;
        }
        let relative = !path.text.starts_with('/');
        let nowhere = relative && state.directories.all().is_empty();
        if !path.known || nowhere {
            self.opaque(OpaqueCause::UnknownPath { access }, &path.text);
            return;
        }
        let meant = crate::collector::Meant {
            pattern: path.pattern.is_some(),
            tree,
        };
        let text = path.pattern.as_deref().unwrap_or(&path.text);
        let root = [camino::Utf8PathBuf::from("/")];
        let bases = if relative {
            state.directories.all()
        } else {
            &root
        };
        for base in bases {
            self.collector().path(access, base, text, via, meant);
        }
    }

    /// Whether standard input is nothing that could hold commands.
    pub(super) fn stdin_is_empty(state: &State) -> bool {
        state.stdin == Stdin::Inherited
    }
}

fn argument(field: &Field) -> Arg {
    match field.exact() {
        Some(text) => Arg::Known(text.to_owned()),
        None => Arg::Unknown(field.text.clone()),
    }
}

fn assignment<'w>(wrapper: &Wrapper, word: &'w str) -> Option<(&'w str, &'w str)> {
    if wrapper.rest != Rest::AssignmentsAndCommand {
        return None;
    }
    word.split_once('=').filter(|(name, _)| !name.is_empty())
}

/// Several short options in one word (`-EH`), all without a value.
fn is_group(word: &str, flags: &[&str]) -> bool {
    !word.starts_with("--")
        && word[1..].chars().all(|letter| {
            flags
                .iter()
                .any(|flag| flag.len() == 2 && flag.ends_with(letter))
        })
}

/// A folder in which the system keeps its programs.
fn is_system_folder(folder: &str) -> bool {
    matches!(
        folder,
        "/bin"
            | "/sbin"
            | "/usr/bin"
            | "/usr/sbin"
            | "/usr/local/bin"
            | "/usr/local/sbin"
            | "$PATH"
    )
}
