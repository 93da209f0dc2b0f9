//! The lens for shell text: what Bash would run, and what that would do.
//!
//! The text is walked as Bash would run it, with variables, directories, functions and standard
//! input followed as far as the text decides them. Both arms of a branch are walked; what they do
//! not agree on is unknown afterwards. Aliases are not expanded, as in a shell that is not
//! interactive.

mod builtins;
mod command;
mod declare;
mod directory;
mod expand;
mod options;
mod place;
mod redirect;
mod shells;
mod state;
mod walk;
mod walker;
mod wrapper;

use camino::Utf8Path;

use self::state::{Directories, State};
use self::walker::Walker;
use crate::collector::Collector;

/// What a shell would do that reads `text` in the directory `cwd`.
pub(crate) fn script_text(text: &str, cwd: &Utf8Path, collector: &mut Collector<'_>) {
    let mut state = State::new(Directories::one(cwd.to_owned()));
    Walker::new(collector).call_text(text, &mut state);
}

/// What an argument list would do, run in the directory `cwd`.
pub(crate) fn argument_list(argv: &[String], cwd: &Utf8Path, collector: &mut Collector<'_>) {
    let state = State::new(Directories::one(cwd.to_owned()));
    Walker::new(collector).argument_list(argv, state);
}
