//! What is known about programs, as tables: how they read their arguments, which files and hosts
//! these name, and what they run in turn.

mod archives;
mod arguments;
mod copies;
mod downloads;
mod editors;
mod file_actions;
mod files;
mod fronts;
mod git;
mod git_table;
mod git_tree;
mod hosts;
mod interpreters;
mod network;
pub(crate) mod options;
mod runners;
mod scripts;
mod search;
mod table;
#[cfg(test)]
mod tests;
pub(crate) mod wrappers;

pub(crate) use git::git_command;
use hosts::host_of;

use crate::effect::{Access, OpaqueCause};

/// Adds what a program does with its arguments, beside that it is started; nothing for a program
/// that no table knows.
pub(crate) fn effects(invocation: &Invocation<'_>, around: &mut dyn Surroundings) {
    if let Some(row) = table::find(invocation.program) {
        table::follow(row, invocation, around);
    }
}

/// One argument after the shell's expansions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Field {
    /// The text; where it is not [known](Self::known), as written, with what is known expanded.
    pub(crate) text: String,
    /// Whether the program gets exactly one argument with exactly this text, or, for a
    /// [pattern](Self::pattern), whatever that matches. What is not known may stand for any number
    /// of arguments.
    pub(crate) known: bool,
    /// For text with unquoted `*`, `?` or `[…]`: the pattern, quoted characters escaped by `\`.
    pub(crate) pattern: Option<String>,
    /// Whether it names a pipe that the shell itself makes, `<(…)` or `>(…)`.
    pub(crate) pipe: bool,
}

impl Field {
    /// A text that is known.
    pub(crate) fn known(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            known: true,
            pattern: None,
            pipe: false,
        }
    }

    /// Something that is not known, as written.
    pub(crate) fn unknown(text: impl Into<String>) -> Self {
        Self {
            known: false,
            ..Self::known(text)
        }
    }

    /// The text, if it is known and no pattern.
    pub(crate) fn exact(&self) -> Option<&str> {
        (self.known && self.pattern.is_none()).then_some(self.text.as_str())
    }

    /// The part after the first `prefix.len()` bytes as a field of its own (`--out=x`, `of=x`,
    /// `-ofile`), with what is known of the whole kept.
    pub(crate) fn after(&self, prefix: &str) -> Self {
        let cut = |text: &str| text.strip_prefix(prefix).unwrap_or(text).to_owned();
        Self {
            text: cut(&self.text),
            known: self.known,
            pattern: self.pattern.as_deref().map(cut),
            pipe: false,
        }
    }
}

/// One program with its arguments, wrappers taken off.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Invocation<'i> {
    /// The program's name without folder.
    pub(crate) program: &'i str,
    /// Its arguments.
    pub(crate) args: &'i [Field],
    /// The command as written.
    pub(crate) raw: &'i str,
}

/// What stands at the standard input of a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Stdin {
    /// What the agent gives: nothing.
    Inherited,
    /// A text that is known: a here-document or a here-string.
    Text(String),
    /// A file.
    File(Field),
    /// A pipe, or a text that is not known.
    Unknown,
}

impl Stdin {
    /// What is left after somebody may have read from it.
    pub(crate) fn read_from(self) -> Self {
        match self {
            Self::Inherited => Self::Inherited,
            Self::Text(_) | Self::File(_) | Self::Unknown => Self::Unknown,
        }
    }
}

/// What a table may ask for when it finds something. Paths are relative to the directory in which
/// the program would run.
pub(crate) trait Surroundings {
    /// A file that is touched; `tree` with everything below it. One that is not known is told as such.
    fn path(&mut self, access: Access, path: &Field, via: &str, tree: bool);
    /// A symbolic link is made: what is done to `name` from here on is done to `target`, which is
    /// relative to the folder of the name.
    fn link(&mut self, target: &Field, name: &Field);
    /// A host; `None` where only the use of the network is known.
    fn network(&mut self, host: Option<String>, url: Option<&str>, via: &str);
    /// Something that cannot be known.
    fn opaque(&mut self, cause: OpaqueCause, text: &str);
    /// A command that is run in turn, as an argument list.
    fn run(&mut self, argv: &[Field], raw: &str);
    /// A text that a POSIX shell runs in turn. One that is not known is told as such.
    fn run_text(&mut self, text: &Field);
    /// A shell script in a file that is run in turn.
    fn run_file(&mut self, path: &Field);
    /// Commands of the closure run in another directory; `None` where it is not known.
    fn within(&mut self, directory: Option<&Field>, work: &mut dyn FnMut(&mut dyn Surroundings));
    /// Commands of the closure run on another machine or in a container: their paths are not files
    /// here.
    fn elsewhere(&mut self, work: &mut dyn FnMut(&mut dyn Surroundings));
    /// Whether a path is a directory; `None` where that cannot be told.
    fn is_directory(&self, path: &Field) -> Option<bool>;
    /// What stands at the standard input.
    fn stdin(&self) -> &Stdin;
}
