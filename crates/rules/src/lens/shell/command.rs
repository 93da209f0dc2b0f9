//! Simple commands: assignments, the program, and what it runs in turn.

use camino::Utf8Path;
use hookward_shell::{AssignedValue, Assignment, Command, Word};

use super::builtins::is_name;
use super::declare::is_declaration;
use super::expand::source;
use super::redirect::{is_quiet, replaces_nothing};
use super::state::{State, Value};
use super::walk::Ending;
use super::walker::Walker;
use crate::effect::{Access, Arg, Effect, Exec, OpaqueCause};
use crate::programs::wrappers::wrapper;
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

/// Most arguments of one command that are followed.
const MAX_ARGUMENTS: usize = 4_096;

/// Longest path that a system follows, in bytes.
const MAX_PATH_BYTES: usize = 4_096;

/// Where a program's name is looked up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lookup {
    /// Among the shell's builtins first.
    Shell,
    /// Among programs only.
    Program,
}

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
        let fields = self.arguments(text, words, state);
        let mut environment = Vec::new();
        for assignment in assignments {
            environment.push(self.assigned(text, assignment, state));
            if fields.is_empty() {
                // The next one may use it.
                set_assigned(assignment, environment.last(), state);
            }
        }
        let outside = state.stdin.clone();
        self.redirects(text, &command.redirects, state);
        let redirected = state.stdin != outside;
        let ending = if fields.is_empty() {
            after_empty(words)
        } else {
            self.with_environment(&fields, raw, &environment, state)
        };
        if redirected && !replaces_nothing(&fields) {
            state.stdin = outside;
        } else if !redirected && !is_quiet(&fields, &environment) {
            state.stdin = std::mem::replace(&mut state.stdin, Stdin::Inherited).read_from();
        }
        ending
    }

    /// The arguments that all words become.
    fn arguments(&mut self, text: &str, words: &[Word<'_>], state: &mut State) -> Vec<Field> {
        let mut fields: Vec<Field> = Vec::new();
        let mut declares = false;
        for (index, word) in words.iter().enumerate() {
            let written = source(text, word);
            if declares
                && written
                    .split_once('=')
                    .is_some_and(|(name, _)| is_name(name))
            {
                // The value is not split, as in an assignment.
                fields.push(self.single(text, word, state));
            } else if fields.len() > MAX_ARGUMENTS {
                self.single(text, word, state);
            } else {
                self.fields_into(text, word, state, &mut fields);
            }
            declares |= index == 0 && is_declaration(written);
            if fields.len() > MAX_ARGUMENTS {
                fields.truncate(MAX_ARGUMENTS);
                fields.push(Field::unknown("…"));
            }
        }
        fields
    }

    /// Runs with assignments before the command, which are in force while it runs.
    fn with_environment(
        &mut self,
        fields: &[Field],
        raw: &str,
        environment: &Environment,
        state: &mut State,
    ) -> Ending {
        let mut saved = Vec::new();
        let exports = state.exports();
        for (name, value) in environment {
            saved.push((name, state.variable(name).cloned()));
            state.export(name);
            state.set(name, value.as_deref().map_or(Value::Unknown, Value::known));
        }
        let ending = self.run(fields, raw, environment, state);
        let program = fields.first().and_then(Field::exact).unwrap_or_default();
        // A declaration makes them lasting, and so does every special builtin elsewhere.
        let lasting = state.foreign || is_declaration(program) || program == "unset";
        if !lasting && !environment.is_empty() {
            state.restore_exports(exports);
        }
        for (name, value) in saved.into_iter().rev() {
            state.restore(name, value);
            if lasting
                || state
                    .variable(name)
                    .is_some_and(|now| *now == Value::Unknown)
            {
                state.set(name, Value::Unknown);
            }
        }
        ending
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
        self.evaluable |= value.is_some_and(runs_when_evaluated);
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

    /// Runs an argument list as the shell does: a function, a builtin, or a program.
    pub(super) fn run(
        &mut self,
        fields: &[Field],
        raw: &str,
        environment: &Environment,
        state: &mut State,
    ) -> Ending {
        let name = fields.first().and_then(Field::exact).unwrap_or_default();
        let Some(function) = state.function(name).cloned() else {
            return self.start(fields, raw, environment, Lookup::Shell, state);
        };
        let before = state.clone();
        let mut ending = None;
        for body in &function.bodies {
            let mut own = before.clone();
            let end = self.call(name, body, &fields[1..], &mut own);
            if ending.is_some() {
                state.join(&own);
            } else {
                *state = own;
            }
            ending = Some(if function.bodies.len() == 1 {
                end
            } else {
                Ending::Unknown
            });
        }
        if !function.sure {
            let mut own = before;
            self.start(fields, raw, environment, Lookup::Shell, &mut own);
            own.settle();
            state.settle();
            state.join(&own);
            return Ending::Unknown;
        }
        ending.unwrap_or(Ending::Unknown)
    }

    /// Runs an argument list that is no function: records it, and follows what it runs in turn.
    pub(super) fn start(
        &mut self,
        fields: &[Field],
        raw: &str,
        environment: &Environment,
        lookup: Lookup,
        state: &mut State,
    ) -> Ending {
        let size: usize = fields.iter().map(|field| field.text.len()).sum();
        if !self.step(raw.len() + size) {
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
        if crate::paths::magic_link(Utf8Path::new(written)).is_some() {
            self.opaque(OpaqueCause::UnknownProgram, raw);
        }
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
        if folder.is_none()
            && lookup == Lookup::Shell
            && let Some(ending) = self.builtin(name, args, raw, state)
        {
            return ending;
        }
        if name == "xargs" {
            self.xargs(args, raw, state);
            return Ending::Unknown;
        }
        if let Some(wrapper) = wrapper(name) {
            let mut ending = Ending::Unknown;
            self.nested(raw, |walker| {
                ending = walker.wrapped(wrapper, args, raw, environment, state);
            });
            return ending;
        }
        if self.shell(name, args, raw, state) {
            return Ending::Unknown;
        }
        if let Some(command) = programs::git_command(name) {
            // Git's commands are programs of their own, too: `/usr/lib/git-core/git-push`.
            let argv = [&[Field::known("git"), Field::known(command)], args].concat();
            self.nested(raw, |walker| {
                walker.start(&argv, raw, environment, Lookup::Program, state);
            });
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
        self.returns.push(None);
        let mut ending = Ending::Unknown;
        self.nested(body, |walker| {
            if walker.step(body.len()) {
                let script = hookward_shell::parse(body);
                ending = walker.lists(body, &script.lists, state);
            }
        });
        self.running.pop();
        if let Some(left) = self.returns.pop().flatten() {
            state.settle();
            state.join(&left);
            ending = Ending::Unknown;
        }
        state.leave(&before);
        // `return` leaves the function only.
        if ending == Ending::Leaves {
            Ending::Unknown
        } else {
            ending
        }
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
            let mut own = state.fresh(true);
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
        if path.text.len() > MAX_PATH_BYTES {
            self.opaque(OpaqueCause::UnknownPath { access }, &path.text);
            return;
        }
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
    // The number of a pipe is the shell's choice.
    match field.exact().filter(|_| !field.pipe) {
        Some(text) => Arg::Known(text.to_owned()),
        None => Arg::Unknown(field.text.clone()),
    }
}

/// A command that consists of assignments and redirections, or of words that came to nothing.
fn after_empty(words: &[Word<'_>]) -> Ending {
    if words.is_empty() {
        Ending::Success
    } else {
        Ending::Unknown
    }
}

fn set_assigned(
    assignment: &Assignment<'_>,
    assigned: Option<&(String, Option<String>)>,
    state: &mut State,
) {
    let whole = assignment.subscript.is_none() && !assignment.append;
    let value = assigned
        .and_then(|(_, value)| value.as_deref())
        .filter(|_| whole);
    state.set(assignment.name, value.map_or(Value::Unknown, Value::known));
}

/// Whether a value, evaluated as an arithmetic expression, runs something: `a[$(git push)]`.
pub(super) fn runs_when_evaluated(value: &str) -> bool {
    value.contains('[') && value.contains(['$', '`'])
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
