//! What commands of `git` do to the work tree.
//!
//! Source: the manual of Git. A command that may change any file of the work tree is one unknown
//! path: which files differ between two commits is not looked into.

use super::Field;
use super::arguments::{Arguments, Mark};
use super::table::{Run, within};
use crate::effect::Access;

/// What stands after `--`.
fn pathspecs<'a>(run: &Run<'a>) -> Option<&'a [Field]> {
    let at = run.args.iter().position(|field| field.text == "--")?;
    run.args.get(at + 1..)
}

/// Paths of the work tree as Git reads them: with its own patterns and magic.
fn paths<'f>(
    access: Access,
    fields: impl IntoIterator<Item = &'f Field>,
    tree: bool,
    run: &mut Run<'_>,
) {
    for field in fields {
        let own_pattern = field.pattern.is_none() && field.text.contains(['*', '?', '[']);
        if field.text.starts_with(':') || own_pattern {
            run.unknown_path(access);
        } else {
            run.touch(access, field, tree);
        }
    }
}

/// Content of files, by pathspecs and by `commit:path`.
pub(super) fn reads(read: &Arguments, run: &mut Run<'_>) {
    let specs = pathspecs(run).unwrap_or_default();
    paths(Access::Read, specs, true, run);
    for field in read.operands() {
        if let Some((_, path)) = field.text.split_once(':')
            && field.known
            && !path.is_empty()
        {
            run.touch(Access::Read, &Field::known(path), false);
        }
    }
}

/// Every operand may be a file.
pub(super) fn reads_operands(read: &Arguments, run: &mut Run<'_>) {
    paths(Access::Read, read.operands(), true, run);
}

/// A branch, files, or both. A word that may be either counts as both.
pub(super) fn checkout(read: &Arguments, run: &mut Run<'_>) {
    if read.has(Mark::Script) {
        run.unknown_path(Access::Write);
        return;
    }
    if let Some(specs) = pathspecs(run).filter(|specs| !specs.is_empty()) {
        paths(Access::Write, specs, true, run);
        return;
    }
    let operands: Vec<&Field> = read.operands().collect();
    if read.has(Mark::Create) {
        if !operands.is_empty() {
            run.unknown_path(Access::Write);
        }
        return;
    }
    paths(
        Access::Write,
        operands.iter().copied().filter(|field| *field.text != *"-"),
        true,
        run,
    );
    let folder = |field: &Field| {
        matches!(field.text.as_str(), "." | "..")
            || field.text.starts_with("./")
            || run.around.is_directory(field) == Some(true)
    };
    if let [one] = operands[..]
        && one.known
        && !folder(one)
    {
        run.unknown_path(Access::Write);
    }
}

pub(super) fn restore(read: &Arguments, run: &mut Run<'_>) {
    if read.has(Mark::Script) {
        run.unknown_path(Access::Write);
    }
    if !read.has(Mark::Keep) || read.has(Mark::InPlace) {
        paths(Access::Write, read.operands(), true, run);
    }
}

/// Changes the work tree unless a branch is only made here.
pub(super) fn switch(read: &Arguments, run: &mut Run<'_>) {
    let operands = read.operands().count();
    if !read.has(Mark::Create) || operands > 0 {
        run.unknown_path(Access::Write);
    }
}

/// Changes the work tree with `--hard` and the like only.
pub(super) fn reset(read: &Arguments, run: &mut Run<'_>) {
    if read.has(Mark::InPlace) {
        run.unknown_path(Access::Write);
    }
}

/// May change any file of the work tree.
pub(super) fn changes(read: &Arguments, run: &mut Run<'_>) {
    if !read.has(Mark::Nothing) {
        run.unknown_path(Access::Write);
    }
}

pub(super) fn clean(read: &Arguments, run: &mut Run<'_>) {
    if read.has(Mark::Nothing) {
        return;
    }
    if read.operands().next().is_none() {
        run.unknown_path(Access::Delete);
    }
    paths(Access::Delete, read.operands(), true, run);
}

pub(super) fn remove(read: &Arguments, run: &mut Run<'_>) {
    if !read.has(Mark::Nothing) {
        paths(
            Access::Delete,
            read.operands(),
            read.has(Mark::Recursive),
            run,
        );
    }
}

pub(super) fn rename(read: &Arguments, run: &mut Run<'_>) {
    let mut sources: Vec<&Field> = read.operands().collect();
    let Some(destination) = sources.pop() else {
        return;
    };
    if read.has(Mark::Nothing) {
        return;
    }
    run.each(Access::Delete, sources.iter().copied(), true);
    let folder = run.around.is_directory(destination);
    if folder != Some(true) && sources.len() < 2 {
        run.touch(Access::Write, destination, true);
    }
    if folder != Some(false) {
        for source in sources {
            run.touch(Access::Write, &within(destination, source), true);
        }
    }
}

/// Which files a patch changes stands in the patch.
pub(super) fn apply(read: &Arguments, run: &mut Run<'_>) {
    run.each(Access::Read, read.operands(), false);
    changes(read, run);
}

pub(super) fn stash(read: &Arguments, run: &mut Run<'_>) {
    let verb = read
        .operands()
        .next()
        .map_or("push", |field| field.text.as_str());
    match verb {
        "list" | "show" | "drop" | "clear" | "create" | "store" => {}
        _ => match pathspecs(run).filter(|specs| !specs.is_empty()) {
            Some(specs) => paths(Access::Write, specs, true, run),
            None => run.unknown_path(Access::Write),
        },
    }
}

pub(super) fn worktree(read: &Arguments, run: &mut Run<'_>) {
    let operands: Vec<&Field> = read.operands().collect();
    let (verb, rest) = operands
        .split_first()
        .map_or(("", &[][..]), |(verb, rest)| (verb.text.as_str(), rest));
    match (verb, rest) {
        ("add", [path, ..]) => run.touch(Access::Write, path, true),
        ("remove", [path, ..]) => run.touch(Access::Delete, path, true),
        ("move", [from, to, ..]) => {
            run.touch(Access::Delete, from, true);
            run.touch(Access::Write, to, true);
        }
        _ => {}
    }
}

pub(super) fn init(read: &Arguments, run: &mut Run<'_>) {
    let here = Field::known(".");
    let folder = read.operands().next().unwrap_or(&here);
    run.touch(
        Access::Write,
        &super::archives::below(folder, &Field::known(".git")),
        true,
    );
}

pub(super) fn bundle(read: &Arguments, run: &mut Run<'_>) {
    let operands: Vec<&Field> = read.operands().collect();
    if let [verb, file, ..] = operands[..] {
        let access = if verb.text == "create" {
            Access::Write
        } else {
            Access::Read
        };
        run.touch(access, file, false);
    }
}

/// Writes patches into the folder in force, unless told otherwise.
pub(super) fn format_patch(read: &Arguments, run: &mut Run<'_>) {
    if read.has(Mark::Stdout) {
        return;
    }
    run.each(Access::Write, read.values(Mark::Output), true);
    if !read.has(Mark::Output) {
        let patches = Field {
            pattern: Some("*.patch".to_owned()),
            ..Field::known("*.patch")
        };
        run.touch(Access::Write, &patches, false);
    }
}

/// Runs Git again, or hooks, with what is not looked into.
pub(super) fn unknown(_: &Arguments, run: &mut Run<'_>) {
    run.unknown_arguments();
}
