//! Tools that run a program in a language other than the shell's, or that feed one that runs.
//!
//! No program is read here: each is opaque. What is typed into a running process is opaque, since
//! that process is not known, and complete lines are read as a shell would read them, too.

use super::view::{Field, View};
use crate::collector::Collector;
use crate::effect::OpaqueCause;

/// Fields that hold a program.
pub(super) const PROGRAM: &[&str] = &["code", "source", "program", "script", "input"];

/// Fields that hold what is typed.
const TYPED: &[&str] = &["chars", "data", "input", "text", "keys"];

/// `exec` of a Code Mode: a program that can call the agent's other tools. The same name with a
/// command belongs to a shell.
pub(super) fn exec(view: &View<'_>, collector: &mut Collector<'_>) {
    let program = view.first_text(PROGRAM);
    let is_shell = view.has_shell_command();
    if is_shell {
        super::shell_effects(view, view.shell_commands(), collector);
    }
    if !is_shell || program != Field::Missing {
        collector.opaque(OpaqueCause::ToolCalls, &shown(view, PROGRAM));
    }
}

/// A program for an interpreter that the tool, or its `language` field, names.
pub(super) fn interpreter(name: &str, view: &View<'_>, collector: &mut Collector<'_>) {
    let interpreter = match view.first_text(&["language", "lang", "runtime"]) {
        Field::Text(language) => language.to_lowercase(),
        Field::Missing | Field::Other => name.to_owned(),
    };
    let text = shown(
        view,
        &["command", "code", "source", "program", "script", "input"],
    );
    collector.opaque(OpaqueCause::Code { interpreter }, &text);
}

/// `WriteStdin`, `ExecInput` and their like. An empty text only looks at what came out.
pub(super) fn process_input(view: &View<'_>, collector: &mut Collector<'_>) {
    for typed in TYPED.iter().map(|key| view.text(key)) {
        match typed {
            Field::Text(typed) if !typed.is_empty() => line(&typed, view, collector),
            Field::Text(_) | Field::Missing => {}
            Field::Other => view.unknown_input(collector),
        }
    }
}

/// One text that is typed; a shell runs what ends in a line end.
fn line(typed: &str, view: &View<'_>, collector: &mut Collector<'_>) {
    collector.opaque(OpaqueCause::ProcessInput, typed);
    if typed.ends_with(['\n', '\r']) {
        super::shell::script_text(&typed.replace('\r', "\n"), view.cwd(), collector);
    }
}

/// `computer`: keys and clicks for whatever is on the screen.
pub(super) fn computer(view: &View<'_>, collector: &mut Collector<'_>) {
    collector.opaque(OpaqueCause::ProcessInput, &shown(view, &["text", "action"]));
}

/// The text to show for what cannot be known.
fn shown(view: &View<'_>, fields: &[&str]) -> String {
    match view.first_text(fields) {
        Field::Text(text) => hookward_contract::bounded(&text, 200),
        Field::Missing | Field::Other => hookward_contract::bounded(view.input(), 200),
    }
}
