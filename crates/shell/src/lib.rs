//! The grammar of Bash: a text to the commands that a shell would read in it.
//!
//! This crate reads text. It never expands a variable, looks at a file, or knows a program.

#![forbid(unsafe_code)]

mod ansi_c;
mod ast;
mod brace;
mod compound;
mod cursor;
mod expand;
mod heredoc;
mod list;
mod simple;
mod test;
mod word;

pub use ast::{
    AssignedValue, Assignment, CaseArm, Command, CommandKind, Connector, List, Operation,
    Parameter, Part, Pipeline, Redirect, RedirectKind, Script, Substitution, SyntaxError,
    SyntaxErrorKind, Word,
};
pub use list::parse;

/// Deepest nesting that is read: commands, substitutions, expansions and the like together, so that
/// `a $(b)` is three levels deep. No text takes more than 256 KiB of stack, in a debug build either.
pub const MAX_DEPTH: u32 = 64;
