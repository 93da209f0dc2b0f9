//! Tools that read, write, move or delete the files that they are given by name.
//!
//! A file is every string under a key that says so (`file_path`, `path`, `files`, `notebook_path`,
//! `uri` …), at any depth: `{files: [{path: "a"}]}`. Where a call names a file twice, both count: it
//! is the tool that chooses. An input without any is opaque.

use super::json;
use super::target;
use super::verb::Verb;
use super::view::{Field, View};
use crate::collector::{Collector, Meant};

/// `Read`, `Write`, `Edit`, `delete_file`, `move_file` and their like.
pub(super) fn effects(verb: Verb, view: &View<'_>, collector: &mut Collector<'_>) {
    let entries = view.entries();
    let (mut found, mut odd) = (false, entries.cut);
    for (key, raw) in &entries.list {
        let named = verb.names_file(key);
        if !json::is_nested(raw) && !named {
            continue;
        }
        // A number, or a truth value: no tool takes it for a path.
        if named && !json::is_nested(raw) && !json::is_text(raw) {
            odd |= raw.get() != "null";
            continue;
        }
        json::strings(raw, key, &mut |key, text| {
            if !verb.names_file(key) {
                return;
            }
            found = true;
            let tree = verb.takes_trees();
            let meant = Meant {
                pattern: false,
                tree,
            };
            for access in verb.access(key) {
                target::file(collector, *access, view.cwd(), text, view.tool(), meant);
            }
        });
    }
    if odd || !found {
        view.unknown_input(collector);
    }
}

/// Editors that are told in `command` what to do (`view`, `create`, `str_replace` …). All but
/// looking is writing.
pub(super) fn editor(view: &View<'_>, collector: &mut Collector<'_>) {
    let looks = |word: &str| ["view", "read"].contains(&word);
    let verb = match view.text("command") {
        Field::Text(word) if looks(&word) => Verb::Read,
        _ => Verb::Write,
    };
    effects(verb, view, collector);
}
