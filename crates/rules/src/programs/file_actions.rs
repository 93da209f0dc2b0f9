//! What programs of the table of files do that no row can say.
//!
//! Sources: as for the table.

use super::arguments::{Arguments, Mark};
use super::table::Run;
use super::{Field, Stdin, Surroundings};
use crate::effect::{Access, OpaqueCause};
use crate::patch;

const READ: Access = Access::Read;
const WRITE: Access = Access::Write;
const DELETE: Access = Access::Delete;

/// `+command` runs a command of the pager, which can start programs.
pub(super) fn pager(read: &Arguments, run: &mut Run<'_>) {
    for field in read.operands() {
        if field.text.starts_with('+') {
            if field.text.contains(['!', '|']) {
                run.code();
            }
        } else {
            run.touch(READ, field, false);
        }
    }
}

pub(super) fn make_node(read: &Arguments, run: &mut Run<'_>) {
    run.each(WRITE, read.operands().take(1), false);
}

pub(super) fn make_temporary(read: &Arguments, run: &mut Run<'_>) {
    run.each(WRITE, read.values(Mark::Into), false);
    if !read.has(Mark::Into) {
        run.each(WRITE, read.operands(), false);
    }
}

pub(super) fn shred(read: &Arguments, run: &mut Run<'_>) {
    run.each(WRITE, read.operands(), false);
    if read.has(Mark::Delete) {
        run.each(DELETE, read.operands(), false);
    }
}

/// The first operand is the mode or owner, unless a mode that looks like an option (`-x`) or a
/// reference stands for it.
pub(super) fn change_mode(read: &Arguments, run: &mut Run<'_>) {
    let is_mode = |field: &Field| {
        let mode = field.text.strip_prefix('-');
        mode.is_some_and(|mode| {
            mode.starts_with(['r', 'w', 'x', 'X', 's', 't', 'u', 'g', 'o'])
                && mode.chars().all(|c| "rwxXstugoa,=+-".contains(c))
        })
    };
    let dashed = run.program == "chmod" && run.args.iter().any(is_mode);
    let given = dashed || read.has(Mark::Script);
    let files = read.operands().skip(usize::from(!given));
    run.each(READ, read.values(Mark::Script), false);
    run.each(WRITE, files, read.has(Mark::Recursive));
}

/// `--restore` names files in a list.
pub(super) fn set_acl(read: &Arguments, run: &mut Run<'_>) {
    if read.has(Mark::Other) {
        run.each(READ, read.values(Mark::Other), false);
        run.unknown_path(WRITE);
    }
    run.each(WRITE, read.operands(), read.has(Mark::Recursive));
}

pub(super) fn change_attributes(read: &Arguments, run: &mut Run<'_>) {
    let files = read
        .operands()
        .filter(|field| !field.text.starts_with(['+', '=']));
    run.each(WRITE, files, read.has(Mark::Recursive));
}

pub(super) fn dd(read: &Arguments, run: &mut Run<'_>) {
    for field in read.operands() {
        if field.text.starts_with("if=") {
            run.touch(READ, &field.after("if="), false);
        } else if field.text.starts_with("of=") {
            run.touch(WRITE, &field.after("of="), false);
        } else if !field.known {
            run.unknown_path(WRITE);
        }
    }
}

pub(super) fn yq(read: &Arguments, run: &mut Run<'_>) {
    let command = |field: &&Field| {
        let text = field.text.as_str();
        matches!(text, "e" | "eval" | "ea" | "eval-all")
    };
    let operands: Vec<&Field> = read.operands().skip_while(command).collect();
    let scripts = usize::from(!read.has(Mark::ScriptFile));
    for field in operands.into_iter().skip(scripts) {
        run.touch(READ, field, false);
        if read.has(Mark::InPlace) {
            run.touch(WRITE, field, false);
        }
    }
}

/// Which files a patch changes stands in the patch, unless the file is named.
pub(super) fn patch_files(read: &Arguments, run: &mut Run<'_>) {
    let mut operands = read.operands();
    let (file, input) = (operands.next(), operands.next());
    let input: Vec<&Field> = read.values(Mark::Input).chain(input).collect();
    let output: Vec<&Field> = read.values(Mark::Output).collect();
    let nothing = read.has(Mark::Nothing);
    let directory = read.values(Mark::Directory).last().cloned();
    let (program, args, raw) = (run.program, run.args, run.raw);
    let mut work = |around: &mut dyn Surroundings| {
        let mut run = Run {
            program,
            args,
            raw,
            around,
        };
        run.each(READ, input.iter().copied(), false);
        if nothing {
            return;
        }
        run.each(WRITE, output.iter().copied(), false);
        match file {
            Some(file) => run.touch(WRITE, file, false),
            None => run.unknown_path(WRITE),
        }
    };
    match directory {
        Some(directory) => run.around.within(Some(&directory), &mut work),
        None => work(run.around),
    }
}

/// The patch tool of some agents as a command: the text is its operand or stands at its input.
pub(super) fn apply_patch(read: &Arguments, run: &mut Run<'_>) {
    let text = match (read.operands().next(), run.around.stdin()) {
        (Some(field), _) => field.exact().map(str::to_owned),
        (None, Stdin::Text(text)) => Some(text.clone()),
        (None, _) => None,
    };
    let mut found = false;
    if let Some(text) = text {
        found = patch::touched(&text, &mut |access, path| {
            run.touch(access, &Field::known(path), false);
        });
    }
    if !found {
        run.unknown_path(WRITE);
    }
}

/// Files whose names begin with a prefix.
fn parts(prefix: &Field, run: &mut Run<'_>) {
    let text = format!("{}*", prefix.text);
    let pattern = prefix.known.then(|| {
        let escaped = prefix.text.replace(['*', '?', '['], "?");
        format!("{escaped}*")
    });
    let field = Field {
        text,
        pattern,
        ..prefix.clone()
    };
    run.touch(WRITE, &field, false);
}

pub(super) fn split(read: &Arguments, run: &mut Run<'_>) {
    let mut operands = read.operands();
    if let Some(input) = operands.next() {
        run.touch(READ, input, false);
    }
    parts(operands.next().unwrap_or(&Field::known("x")), run);
}

pub(super) fn csplit(read: &Arguments, run: &mut Run<'_>) {
    run.each(READ, read.operands().take(1), false);
    let prefix = read.values(Mark::Output).last().cloned();
    parts(&prefix.unwrap_or(Field::known("xx")), run);
}

/// `ssh-keygen`: makes a key and its public half, or looks at one.
pub(super) fn key(read: &Arguments, run: &mut Run<'_>) {
    let access = if read.has(Mark::Keep) { READ } else { WRITE };
    for file in read.values(Mark::Output) {
        run.touch(access, file, false);
    }
}

/// Programs that change every file that they are given, unless they only check.
pub(super) fn format(read: &Arguments, run: &mut Run<'_>) {
    run.each(READ, read.operands(), true);
    if !read.has(Mark::Keep) {
        run.each(WRITE, read.operands(), true);
    }
}

/// Programs that change them with an option only.
pub(super) fn fix(read: &Arguments, run: &mut Run<'_>) {
    run.each(READ, read.operands(), true);
    if read.has(Mark::InPlace) {
        run.each(WRITE, read.operands(), true);
    }
}

/// Commands with a dot can start programs and write other files.
pub(super) fn sqlite(read: &Arguments, run: &mut Run<'_>) {
    let mut operands = read.operands();
    if let Some(database) = operands.next() {
        run.touch(READ, database, false);
        if !read.has(Mark::Keep) {
            run.touch(WRITE, database, false);
        }
    }
    let dot = |field: &&Field| {
        let text = field.text.to_ascii_lowercase();
        let reaches_out = [
            "writefile(",
            "readfile(",
            "load_extension(",
            "edit(",
            "attach ",
            "vacuum into",
            "copy ",
        ];
        !field.known
            || text.trim_start().starts_with('.')
            || reaches_out.iter().any(|word| text.contains(word))
    };
    let scripts = operands.chain(read.values(Mark::Script));
    let harmless = |field: &&Field| {
        let words = [
            ".tables",
            ".schema",
            ".headers",
            ".mode",
            ".indexes",
            ".databases",
            ".dump",
        ];
        let text = field.text.trim_start();
        field.known && !text.contains('\n') && words.iter().any(|word| text.starts_with(word))
    };
    if scripts
        .filter(|field| !harmless(field))
        .any(|field| dot(&field))
    {
        run.code();
    }
}

/// Shell text that runs later comes from the standard input or a file.
pub(super) fn scheduled(read: &Arguments, run: &mut Run<'_>) {
    if read.has(Mark::Nothing) {
        return;
    }
    if let Some(file) = read.values(Mark::ScriptFile).last() {
        run.around.run_file(file);
        return;
    }
    let text = match run.around.stdin() {
        Stdin::Text(text) => Some(Field::known(text.clone())),
        Stdin::File(file) => {
            let file = file.clone();
            run.around.run_file(&file);
            return;
        }
        Stdin::Inherited | Stdin::Unknown => None,
    };
    match text {
        Some(text) => run.text(&text),
        None => run.around.opaque(OpaqueCause::UnknownText, run.raw),
    }
}

pub(super) fn crontab(read: &Arguments, run: &mut Run<'_>) {
    run.each(READ, read.operands(), false);
    if !read.has(Mark::Nothing) {
        run.around.opaque(OpaqueCause::UnknownText, run.raw);
    }
}
