//! What a shell would hold while it runs a text: directory, variables, functions, standard input.

use std::rc::Rc;

use camino::{Utf8Path, Utf8PathBuf};

use crate::paths;
use crate::programs::Stdin;

/// Most directories in which a command may turn out to run before the directory counts as unknown.
const MAX_DIRECTORIES: usize = 4;
/// Most variables and functions that are followed.
const MAX_NAMES: usize = 256;

/// The directories in which the next command may run; none if that cannot be known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Directories(Vec<Utf8PathBuf>);

impl Directories {
    pub(super) fn one(path: Utf8PathBuf) -> Self {
        Self(vec![path])
    }

    pub(super) const fn unknown() -> Self {
        Self(Vec::new())
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
        Self(self.0.iter().map(|base| paths::clean(base, path)).collect())
    }

    fn join(&mut self, other: &Self) {
        if self.0.is_empty() || other.0.is_empty() {
            self.0.clear();
            return;
        }
        for path in &other.0 {
            if !self.0.contains(path) {
                self.0.push(path.clone());
            }
        }
        if self.0.len() > MAX_DIRECTORIES {
            self.0.clear();
        }
    }
}

/// What a variable holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Value {
    Known(String),
    /// Anything.
    Unknown,
}

/// The shell's memory at one point of the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct State {
    pub(super) directories: Directories,
    /// Where the command before would have left the shell, had it failed.
    pub(super) if_failed: Option<Directories>,
    /// Directories put away by `pushd`.
    pub(super) stack: Vec<Directories>,
    /// The directory before the last change.
    pub(super) previous: Option<Directories>,
    variables: Vec<(String, Value)>,
    /// Names that `local` and its kin made in the running function.
    pub(super) locals: Vec<String>,
    /// Whether something may have set any variable to anything.
    tainted: bool,
    functions: Vec<(String, Rc<str>)>,
    /// The positional parameters, where they are known.
    pub(super) positional: Option<Vec<String>>,
    pub(super) stdin: Stdin,
    /// Whether commands run on another machine or in a container.
    pub(super) elsewhere: bool,
}

impl State {
    pub(super) fn new(directories: Directories) -> Self {
        Self {
            directories,
            if_failed: None,
            stack: Vec::new(),
            previous: None,
            variables: Vec::new(),
            locals: Vec::new(),
            tainted: false,
            functions: Vec::new(),
            positional: None,
            stdin: Stdin::Inherited,
            elsewhere: false,
        }
    }

    /// What the text itself put into a variable; `None` if it did not.
    pub(super) fn variable(&self, name: &str) -> Option<&Value> {
        let found = self.variables.iter().find(|(known, _)| known == name);
        match found {
            Some((_, value)) => Some(value),
            None if self.tainted => Some(&Value::Unknown),
            None => None,
        }
    }

    pub(super) fn set(&mut self, name: &str, value: Value) {
        if let Some((_, old)) = self.variables.iter_mut().find(|(known, _)| known == name) {
            *old = value;
        } else if self.variables.len() < MAX_NAMES {
            self.variables.push((name.to_owned(), value));
        } else {
            self.taint();
        }
    }

    /// From here on any variable may hold anything.
    pub(super) fn taint(&mut self) {
        self.variables.clear();
        self.tainted = true;
    }

    pub(super) fn function(&self, name: &str) -> Option<Rc<str>> {
        let found = self.functions.iter().find(|(known, _)| known == name);
        found.map(|(_, body)| Rc::clone(body))
    }

    /// Takes a definition; `false` if there are too many to follow.
    pub(super) fn define(&mut self, name: &str, body: &str) -> bool {
        if let Some((_, old)) = self.functions.iter_mut().find(|(known, _)| known == name) {
            *old = body.into();
        } else if self.functions.len() < MAX_NAMES {
            self.functions.push((name.to_owned(), body.into()));
        } else {
            return false;
        }
        true
    }

    /// Leaves a function: what it made local is as before.
    pub(super) fn leave(&mut self, before: &Self) {
        for name in std::mem::take(&mut self.locals) {
            match before.variables.iter().find(|(known, _)| *known == name) {
                Some((_, value)) => self.set(&name, value.clone()),
                None => self.variables.retain(|(known, _)| *known != name),
            }
        }
        self.locals.clone_from(&before.locals);
        self.positional.clone_from(&before.positional);
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
            self.stack.clear();
        }
        self.tainted |= other.tainted;
        let names = other.variables.iter().map(|(name, _)| name.clone());
        let names: Vec<String> = names
            .chain(self.variables.iter().map(|(n, _)| n.clone()))
            .collect();
        for name in names {
            if self.variable(&name) != other.variable(&name) {
                self.set(&name, Value::Unknown);
            }
        }
        for (name, body) in &other.functions {
            if self.function(name).is_none() {
                self.define(name, body);
            }
        }
        if self.positional != other.positional {
            self.positional = None;
        }
    }
}
