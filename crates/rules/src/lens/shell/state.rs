//! What a shell would hold while it runs a text: directory, variables, functions, standard input.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use camino::{Utf8Path, Utf8PathBuf};

use crate::paths;
use crate::programs::Stdin;

/// Most directories in which a command may turn out to run before the directory counts as unknown.
const MAX_DIRECTORIES: usize = 4;
/// Longest path of a directory, in bytes (`PATH_MAX`).
const MAX_PATH_BYTES: usize = 4_096;
/// Most variables and functions that are followed.
const MAX_NAMES: usize = 256;
/// Longest value that is followed, in bytes.
const MAX_VALUE_BYTES: usize = 64 * 1024;
/// Most bodies of one function that are followed where it is not certain which it has.
const MAX_BODIES: usize = 8;

/// The directories in which the next command may run; none if that cannot be known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Directories(Rc<Vec<Utf8PathBuf>>);

impl Directories {
    pub(super) fn one(path: Utf8PathBuf) -> Self {
        Self(Rc::new(vec![path]))
    }

    pub(super) fn unknown() -> Self {
        Self(Rc::default())
    }

    pub(super) fn all(&self) -> &[Utf8PathBuf] {
        &self.0
    }

    /// The directory, if there is only one that it can be.
    pub(super) fn only(&self) -> Option<&Utf8Path> {
        match self.0.as_slice() {
            [only] => Some(only),
            _ => None,
        }
    }

    /// Each of them after a change to `path`.
    pub(super) fn changed(&self, path: &str) -> Self {
        if path.starts_with('/') {
            return Self::one(paths::clean(Utf8Path::new("/"), path));
        }
        let changed: Vec<_> = self.0.iter().map(|base| paths::clean(base, path)).collect();
        if changed
            .iter()
            .any(|path| path.as_str().len() > MAX_PATH_BYTES)
        {
            return Self::unknown();
        }
        Self(Rc::new(changed))
    }

    pub(super) fn join(&mut self, other: &Self) {
        if Rc::ptr_eq(&self.0, &other.0) {
            return;
        }
        if self.0.is_empty() || other.0.is_empty() {
            *self = Self::unknown();
            return;
        }
        for path in other.0.iter() {
            if !self.0.contains(path) {
                Rc::make_mut(&mut self.0).push(path.clone());
            }
        }
        if self.0.len() > MAX_DIRECTORIES {
            *self = Self::unknown();
        }
    }
}

/// What a variable holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Value {
    Known(Rc<str>),
    /// Anything.
    Unknown,
}

impl Value {
    /// A text; one that is too long to be followed is unknown.
    pub(super) fn known(text: &str) -> Self {
        if text.len() > MAX_VALUE_BYTES {
            Self::Unknown
        } else {
            Self::Known(text.into())
        }
    }
}

/// What a name runs that was defined as a function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Function {
    /// Every body that it may have.
    pub(super) bodies: Vec<Rc<str>>,
    /// Whether the name surely is a function.
    pub(super) sure: bool,
}

/// The shell's memory at one point of the text.
#[allow(
    clippy::struct_excessive_bools,
    reason = "they are independent of each other"
)]
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct State {
    pub(super) directories: Directories,
    /// Where the command before would have left the shell, had it failed.
    pub(super) if_failed: Option<Directories>,
    /// Directories put away by `pushd`, where that can be known.
    pub(super) stack: Option<Vec<Directories>>,
    /// The directory before the last change.
    pub(super) previous: Option<Directories>,
    variables: Rc<BTreeMap<Rc<str>, Value>>,
    /// Variables that programs get.
    exported: Rc<BTreeSet<Rc<str>>>,
    /// Whether every variable that is set is exported.
    pub(super) exports_all: bool,
    /// Variables with an attribute that changes what is assigned.
    odd: Rc<BTreeSet<Rc<str>>>,
    /// Names that `local` and its kin made in the running function.
    pub(super) locals: Vec<String>,
    /// Whether something may have set any variable to anything.
    tainted: bool,
    /// Whether an assignment may set another variable than it says, or to another value.
    fickle: bool,
    pub(super) functions: Rc<BTreeMap<Rc<str>, Function>>,
    /// The positional parameters, where they are known.
    pub(super) positional: Option<Rc<[String]>>,
    pub(super) stdin: Stdin,
    /// Whether commands run on another machine or in a container.
    pub(super) elsewhere: bool,
    /// Whether the shell may read the text in another way than Bash does.
    pub(super) foreign: bool,
}

impl State {
    pub(super) fn new(directories: Directories) -> Self {
        Self {
            directories,
            if_failed: None,
            stack: Some(Vec::new()),
            previous: None,
            variables: Rc::default(),
            exported: Rc::default(),
            exports_all: false,
            odd: Rc::default(),
            locals: Vec::new(),
            tainted: false,
            fickle: false,
            functions: Rc::default(),
            positional: None,
            stdin: Stdin::Inherited,
            elsewhere: false,
            foreign: false,
        }
    }

    /// What the text itself put into a variable; `None` if it did not.
    pub(super) fn variable(&self, name: &str) -> Option<&Value> {
        let known = self.variables.get(name);
        known.or(self.tainted.then_some(&Value::Unknown))
    }

    pub(super) fn set(&mut self, name: &str, value: Value) {
        let odd = self.fickle || SPECIAL.contains(&name) || self.odd.contains(name);
        let value = if odd { Value::Unknown } else { value };
        if self.exports_all {
            self.export(name);
        }
        if self.variables.get(name) == Some(&value) {
            return;
        }
        if self.variables.len() < MAX_NAMES || self.variables.contains_key(name) {
            Rc::make_mut(&mut self.variables).insert(name.into(), value);
        } else {
            self.taint();
        }
    }

    /// Puts a variable back to what it held.
    pub(super) fn restore(&mut self, name: &str, value: Option<Value>) {
        match value {
            Some(value) => self.set(name, value),
            None if self.tainted => self.set(name, Value::Unknown),
            None => self.forget(name),
        }
    }

    /// The shell itself sets the variable from here on.
    pub(super) fn forget(&mut self, name: &str) {
        if self.variables.contains_key(name) {
            Rc::make_mut(&mut self.variables).remove(name);
        }
    }

    pub(super) fn export(&mut self, name: &str) {
        if !self.exported.contains(name) && self.exported.len() < MAX_NAMES {
            Rc::make_mut(&mut self.exported).insert(name.into());
        }
    }

    pub(super) fn unexport(&mut self, name: &str) {
        if self.exported.contains(name) {
            Rc::make_mut(&mut self.exported).remove(name);
        }
    }

    /// What is exported, to be put back.
    pub(super) fn exports(&self) -> Rc<BTreeSet<Rc<str>>> {
        Rc::clone(&self.exported)
    }

    pub(super) fn restore_exports(&mut self, exported: Rc<BTreeSet<Rc<str>>>) {
        self.exported = exported;
    }

    /// From here on an assignment to the variable may have any effect on it.
    pub(super) fn make_odd(&mut self, name: &str) {
        if self.odd.len() < MAX_NAMES {
            Rc::make_mut(&mut self.odd).insert(name.into());
        } else {
            self.make_fickle();
        }
    }

    /// From here on any variable may hold anything.
    pub(super) fn taint(&mut self) {
        self.variables = Rc::default();
        self.tainted = true;
    }

    /// From here on nothing that is assigned or defined is certain.
    pub(super) fn make_fickle(&mut self) {
        self.taint();
        self.fickle = true;
        self.doubt_functions(|_| true);
    }

    /// What a shell that is started from this one holds: exported variables. Functions may be
    /// exported, too.
    pub(super) fn fresh(&self, foreign: bool) -> Self {
        let mut own = self.clone();
        let mut variables = BTreeMap::clone(&self.variables);
        for (name, value) in &mut variables {
            if !self.exported.contains(name) {
                *value = Value::Unknown;
            }
        }
        own.variables = Rc::new(variables);
        own.doubt_functions(|_| true);
        own.positional = None;
        own.locals.clear();
        own.stack = Some(Vec::new());
        own.foreign = foreign;
        own
    }

    pub(super) fn function(&self, name: &str) -> Option<&Function> {
        self.functions.get(name)
    }

    /// The names may have lost their functions.
    pub(super) fn doubt_functions(&mut self, which: impl Fn(&str) -> bool) {
        if self
            .functions
            .iter()
            .any(|(name, known)| known.sure && which(name))
        {
            for (name, function) in Rc::make_mut(&mut self.functions) {
                function.sure &= !which(name);
            }
        }
    }

    /// Takes a definition; `false` if there are too many to follow.
    pub(super) fn define(&mut self, name: &str, body: &str) -> bool {
        if self.functions.len() >= MAX_NAMES && !self.functions.contains_key(name) {
            return false;
        }
        let mut bodies: Vec<Rc<str>> = vec![body.into()];
        if let Some(old) = self.functions.get(name).filter(|_| self.fickle) {
            bodies.extend(old.bodies.iter().take(MAX_BODIES).cloned());
        }
        let sure = !self.fickle;
        Rc::make_mut(&mut self.functions).insert(name.into(), Function { bodies, sure });
        true
    }

    /// Leaves a function: what it made local is as before.
    pub(super) fn leave(&mut self, before: &Self) {
        for name in std::mem::take(&mut self.locals) {
            self.restore(&name, before.variables.get(name.as_str()).cloned());
        }
        self.locals.clone_from(&before.locals);
        self.positional.clone_from(&before.positional);
    }

    /// The command before has ended one way or the other.
    pub(super) fn settle(&mut self) {
        if let Some(other) = self.if_failed.take() {
            self.directories.join(&other);
        }
    }

    /// Takes the failed form of the command before.
    pub(super) fn failed(mut self) -> Self {
        if let Some(directories) = self.if_failed.take() {
            self.directories = directories;
        }
        self
    }

    /// Takes the succeeded form of the command before.
    pub(super) fn succeeded(mut self) -> Self {
        self.if_failed = None;
        self
    }

    /// What a copy of it costs, about, in bytes.
    pub(super) fn weight(&self) -> usize {
        const ENTRY: usize = 64;
        (self.variables.len() + self.functions.len()) * ENTRY
    }

    /// Either this or the other: what they do not agree on is unknown.
    pub(super) fn join(&mut self, other: &Self) {
        if self == other {
            return;
        }
        self.directories.join(&other.directories);
        match (&mut self.if_failed, &other.if_failed) {
            (Some(own), Some(other)) => own.join(other),
            (own @ None, Some(other)) => *own = Some(other.clone()),
            (_, None) => {}
        }
        if self.previous != other.previous {
            self.previous = Some(Directories::unknown());
        }
        if self.stack != other.stack {
            self.stack = None;
        }
        self.join_variables(other);
        self.join_functions(other);
        if self.positional != other.positional {
            self.positional = None;
        }
        if self.stdin != other.stdin {
            self.stdin = Stdin::Unknown;
        }
        self.exports_all &= other.exports_all;
        self.elsewhere &= other.elsewhere;
        self.foreign |= other.foreign;
    }

    fn join_variables(&mut self, other: &Self) {
        self.tainted |= other.tainted;
        self.fickle |= other.fickle;
        if !Rc::ptr_eq(&self.odd, &other.odd) {
            Rc::make_mut(&mut self.odd).extend(other.odd.iter().cloned());
        }
        if !Rc::ptr_eq(&self.exported, &other.exported) {
            Rc::make_mut(&mut self.exported).retain(|name| other.exported.contains(name));
        }
        if Rc::ptr_eq(&self.variables, &other.variables) {
            return;
        }
        let names: BTreeSet<Rc<str>> = self
            .variables
            .keys()
            .chain(other.variables.keys())
            .cloned()
            .collect();
        for name in names {
            if self.variables.get(&name) != other.variables.get(&name) {
                self.set(&name, Value::Unknown);
            }
        }
    }

    fn join_functions(&mut self, other: &Self) {
        if Rc::ptr_eq(&self.functions, &other.functions) {
            return;
        }
        let functions = Rc::make_mut(&mut self.functions);
        for (name, own) in functions.iter_mut() {
            own.sure &= other.function(name).is_some_and(|function| function.sure);
        }
        for (name, function) in other.functions.iter() {
            if let Some(own) = functions.get_mut(name) {
                let missing = |body: &&Rc<str>| !own.bodies.contains(body);
                let new: Vec<_> = function.bodies.iter().filter(missing).cloned().collect();
                own.bodies.extend(new);
            } else {
                let bodies = function.bodies.clone();
                let sure = false;
                functions.insert(Rc::clone(name), Function { bodies, sure });
            }
        }
    }
}

/// Variables to which Bash itself gives values, or that nobody can set.
const SPECIAL: &[&str] = &[
    "_",
    "BASHOPTS",
    "BASHPID",
    "BASH_ARGC",
    "BASH_ARGV",
    "BASH_ARGV0",
    "BASH_COMMAND",
    "BASH_LINENO",
    "BASH_REMATCH",
    "BASH_SOURCE",
    "BASH_SUBSHELL",
    "BASH_VERSINFO",
    "BASH_VERSION",
    "COMP_LINE",
    "COMP_WORDS",
    "COPROC",
    "DIRSTACK",
    "EPOCHREALTIME",
    "EPOCHSECONDS",
    "EUID",
    "FUNCNAME",
    "GROUPS",
    "HISTCMD",
    "LINENO",
    "MAPFILE",
    "OPTARG",
    "OPTIND",
    "PIPESTATUS",
    "PPID",
    "RANDOM",
    "REPLY",
    "SECONDS",
    "SHELLOPTS",
    "SRANDOM",
    "UID",
];
