//! Patches as text: the format of `apply_patch` (`*** Begin Patch` … `*** End Patch`) and unified
//! diffs. Tells which files one touches; what it changes in them is not looked at.

mod diff;

use crate::effect::Access;

/// The first line of a text in the format of `apply_patch`.
pub(crate) const BEGIN: &str = "*** Begin Patch";
const ADD: &str = "*** Add File:";
const UPDATE: &str = "*** Update File:";
const DELETE: &str = "*** Delete File:";
const MOVE: &str = "*** Move to:";

/// Whether a text begins as a patch does.
pub(crate) fn begins(text: &str) -> bool {
    let text = text.trim_start();
    text.starts_with(BEGIN) || diff::begins(text)
}

/// Shows `add` what is done to every file of a patch, in the order of its text, with the paths as
/// they are written there; `false` where the text is no patch. A text that is both forms at once is
/// read as both, for a tool may take either. Takes time linear in the size of the text.
pub(crate) fn touched(text: &str, add: &mut dyn FnMut(Access, &str)) -> bool {
    let in_patch = files(text, add);
    let in_diff = diff::files(text, add);
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
