//! Patches: the format of `apply_patch` (`*** Begin Patch` … `*** End Patch`) and unified diffs.
//!
//! Every file that a patch touches is an effect; a file that it moves is deleted and written
//! elsewhere. The lines of a patch are looked at once; what they change in a file is not.

use camino::Utf8Path;

use super::diff;
use super::json;
use super::target;
use super::view::{ShellInput, View};
use crate::collector::{Collector, Meant};
use crate::effect::Access;

const BEGIN: &str = "*** Begin Patch";
const ADD: &str = "*** Add File:";
const UPDATE: &str = "*** Update File:";
const DELETE: &str = "*** Delete File:";
const MOVE: &str = "*** Move to:";

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

/// Whether a shell tool's command is a patch and no shell text: by its first line, or as the
/// argument of `apply_patch` in a list of words.
pub(super) fn is_in_command(view: &View<'_>) -> bool {
    view.shell_commands().iter().any(|command| match command {
        ShellInput::Text(text) => text.trim_start().starts_with(BEGIN),
        ShellInput::Argv(words) => words
            .first()
            .is_some_and(|program| ["apply_patch", "applypatch"].contains(&&**program)),
        _ => false,
    })
}

/// Whether a text begins as a patch does.
pub(super) fn is_patch(text: &str) -> bool {
    let text = text.trim_start();
    text.starts_with(BEGIN) || diff::is_diff(text)
}

/// What applying the text in a directory does. `false` where it is no patch.
pub(super) fn text(text: &str, cwd: &Utf8Path, via: &str, collector: &mut Collector<'_>) -> bool {
    let mut add = |access, path: &str| {
        target::file(collector, access, cwd, path, via, Meant::default());
    };
    let in_patch = files(text, &mut add);
    // A tool may read either form in a text that is both.
    let in_diff = diff::files(text, &mut add);
    in_patch || in_diff
}

/// The file that is being updated.
struct Update<'t> {
    path: &'t str,
    moved: bool,
}

/// The files of a text in the format of `apply_patch`.
///
/// Readers of the format trim a line before they look for a header, except within the lines of an
/// update, where a blank, `+` or `-` in front makes it content.
fn files(patch: &str, add: &mut dyn FnMut(Access, &str)) -> bool {
    let mut found = false;
    let mut update: Option<Update<'_>> = None;
    for line in patch.lines() {
        if line.starts_with(['+', '-']) || (update.is_some() && line.starts_with(' ')) {
            continue;
        }
        let line = line.trim();
        let header = |name| line.strip_prefix(name).map(str::trim);
        if let Some(destination) = header(MOVE) {
            if let Some(update) = update.as_mut().filter(|update| !update.moved) {
                add(Access::Delete, update.path);
                update.moved = true;
            }
            add(Access::Write, destination);
            found = true;
            continue;
        }
        let next = [
            (header(ADD), Some(Access::Write)),
            (header(DELETE), Some(Access::Delete)),
            (header(UPDATE), None),
        ];
        let Some((path, access)) = next
            .into_iter()
            .find_map(|(path, access)| Some((path?, access)))
        else {
            continue;
        };
        found = true;
        settle(update.take().as_ref(), add);
        match access {
            Some(access) => add(access, path),
            None => update = Some(Update { path, moved: false }),
        }
    }
    settle(update.as_ref(), add);
    found
}

/// A file that was updated and not moved is written.
fn settle(update: Option<&Update<'_>>, add: &mut dyn FnMut(Access, &str)) {
    if let Some(update) = update.filter(|update| !update.moved) {
        add(Access::Write, update.path);
    }
}
