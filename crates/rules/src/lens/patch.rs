//! Tools that apply patches. Every file that a patch touches is an effect; a file that it moves is
//! deleted and written elsewhere.

use camino::Utf8Path;

use super::json;
use super::target;
use super::view::{ShellInput, View};
use crate::collector::{Collector, Meant};
use crate::patch;

/// A tool that applies the patches in its input, whatever the field: `{patch}`, `{input}`,
/// `{command}`, a list of words that ends in a patch, or the patch itself as the input.
pub(super) fn effects(view: &View<'_>, collector: &mut Collector<'_>) {
    let Some(cwd) = view.workdir(collector.observation.home) else {
        return view.unknown_input(collector);
    };
    let mut found = false;
    for (key, raw) in &view.entries().list {
        json::strings(raw, key, &mut |_, patch| {
            found |= text(patch, &cwd, view.tool(), collector);
        });
    }
    if !found || view.entries().cut {
        view.unknown_input(collector);
    }
}

/// Whether a shell tool's command is a patch, if the tool knows patches: by its first line, or as the
/// argument of `apply_patch` in a list of words.
pub(super) fn is_in(commands: &[ShellInput<'_>]) -> bool {
    commands.iter().any(|command| match command {
        ShellInput::Text(text) => text.trim_start().starts_with(patch::BEGIN),
        ShellInput::Argv(words) => words
            .first()
            .is_some_and(|program| ["apply_patch", "applypatch"].contains(&&**program)),
        _ => false,
    })
}

/// What applying the text in a directory does. `false` where it is no patch.
pub(super) fn text(text: &str, cwd: &Utf8Path, via: &str, collector: &mut Collector<'_>) -> bool {
    patch::touched(text, &mut |access, path| {
        target::file(collector, access, cwd, path, via, Meant::default());
    })
}
