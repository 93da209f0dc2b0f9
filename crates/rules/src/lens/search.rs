//! Tools that look through folders.
//!
//! `Glob` tells names: it reads the folders in which its pattern looks. Below `**` a pattern is
//! given for the first levels; what lies deeper is named by rules through the folders above it.
//! `Grep` tells content: it reads everything below its path.

use camino::Utf8Path;
use serde_json::value::RawValue;

use super::json;
use super::target;
use super::verb::Verb;
use super::view::View;
use crate::collector::{Collector, Meant};
use crate::effect::Access;

/// How many levels of folders `**` is written out for.
const LEVELS: usize = 3;

const WHOLE: Meant = Meant {
    pattern: false,
    tree: true,
};

/// `Grep` and its like: `{pattern, path}`. Which files a filter leaves out is not looked at.
pub(super) fn grep(view: &View<'_>, collector: &mut Collector<'_>) {
    for base in bases(view, collector) {
        target::file(
            collector,
            Access::Read,
            view.cwd(),
            &base,
            view.tool(),
            WHOLE,
        );
    }
}

/// `LS` and its like: `{path}`, or the call's directory.
pub(super) fn list(view: &View<'_>, collector: &mut Collector<'_>) {
    let recursive = view
        .field("recursive")
        .is_some_and(|value| value.get() != "false");
    let meant = if recursive { WHOLE } else { Meant::default() };
    for base in bases(view, collector) {
        target::file(
            collector,
            Access::Read,
            view.cwd(),
            &base,
            view.tool(),
            meant,
        );
    }
}

/// `Glob` and its like: `{pattern, path}`.
pub(super) fn glob(view: &View<'_>, collector: &mut Collector<'_>) {
    let bases = bases(view, collector);
    let mut patterns = Vec::new();
    for key in [
        "pattern",
        "patterns",
        "glob_pattern",
        "globPattern",
        "query",
    ] {
        if let Some(raw) = view.field(key) {
            patterns.extend(texts(raw));
        }
    }
    if patterns.is_empty() {
        view.unknown_input(collector);
    }
    for base in &bases {
        if collector.is_full() {
            return;
        }
        let Some(base) = target::absolute(view.cwd(), collector.observation.home, base) else {
            target::file(
                collector,
                Access::Read,
                view.cwd(),
                base,
                view.tool(),
                WHOLE,
            );
            continue;
        };
        for pattern in &patterns {
            names(collector, &base, pattern, view.tool());
        }
    }
}

/// Tools that read every file that a pattern names: `{paths: ["src/**/*.rs"], include: […]}`.
pub(super) fn read_many(view: &View<'_>, collector: &mut Collector<'_>) {
    let mut found = false;
    for (key, raw) in &view.entries().list {
        if !(Verb::Read.names_file(key) || key == "include") {
            continue;
        }
        json::strings(raw, key, &mut |inner, text| {
            if inner != key {
                return;
            }
            found = true;
            let (fixed, wild) = split(text);
            let meant = if wild.is_some() {
                WHOLE
            } else {
                Meant::default()
            };
            target::file(
                collector,
                Access::Read,
                view.cwd(),
                fixed,
                view.tool(),
                meant,
            );
        });
    }
    if !found || view.entries().cut {
        view.unknown_input(collector);
    }
}

/// Where a search begins: every path of the input, or the call's directory.
fn bases(view: &View<'_>, collector: &mut Collector<'_>) -> Vec<String> {
    let mut bases = Vec::new();
    let mut odd = view.entries().cut;
    for (key, raw) in &view.entries().list {
        if !Verb::Read.names_file(key) || raw.get() == "null" {
            continue;
        }
        if json::is_text(raw) || json::is_nested(raw) {
            bases.extend(texts(raw));
        } else {
            odd = true;
        }
    }
    if odd {
        view.unknown_input(collector);
    }
    if bases.is_empty() {
        bases.push(view.cwd().to_string());
    }
    bases
}

/// A text or the texts of a list, whatever else is in it.
fn texts(raw: &RawValue) -> Vec<String> {
    let mut texts = Vec::new();
    json::strings(raw, "item", &mut |key, text| {
        if key == "item" {
            texts.push(text.to_owned());
        }
    });
    texts
}

/// Adds the names that a pattern tells.
fn names(collector: &mut Collector<'_>, base: &Utf8Path, pattern: &str, via: &str) {
    let mut add = |path: &str, pattern: bool, tree: bool| {
        let meant = Meant { pattern, tree };
        target::file(collector, Access::Read, base, path, via, meant);
    };
    let (fixed, Some(wild)) = split(pattern) else {
        return add(pattern, false, false);
    };
    // An alternative that holds a slash cannot be taken apart name by name.
    if wild.contains(['{', '(']) {
        return add(fixed, false, true);
    }
    let join = |middle: &[&str]| [&[fixed], middle].concat().join("/").replace("//", "/");
    let parts: Vec<&str> = wild.split('/').collect();
    let Some(at) = parts.iter().position(|part| part.contains("**")) else {
        return add(&join(&parts), true, false);
    };
    let (before, after) = (&parts[..at], &parts[at + 1..]);
    // `**` alone, or one that is followed by another, names everything.
    if after.iter().all(|part| part.starts_with("**"))
        || after.iter().any(|part| part.contains("**"))
    {
        let whole = if before.is_empty() {
            fixed.to_owned()
        } else {
            join(before)
        };
        return add(&whole, !before.is_empty(), true);
    }
    for level in 0..=LEVELS {
        add(
            &join(&[before, &vec!["*"; level], after].concat()),
            true,
            false,
        );
    }
}

/// A pattern's leading names without wildcards, and the rest; no rest where there is no wildcard.
/// The leading part is `.` where the first name has one.
fn split(pattern: &str) -> (&str, Option<&str>) {
    let Some(wild) = pattern.find(['*', '?', '[', '{', '(']) else {
        return (pattern, None);
    };
    match pattern[..wild].rfind('/') {
        Some(0) => ("/", Some(&pattern[1..])),
        Some(slash) => (&pattern[..slash], Some(&pattern[slash + 1..])),
        None => (".", Some(pattern)),
    }
}
