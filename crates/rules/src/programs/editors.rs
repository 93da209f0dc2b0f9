//! Programs that edit: `sed` and `awk` by scripts, `ed`, `vim` and others by their own commands.
//!
//! Sources: the manuals of GNU sed, gawk, Vim and ed. A script that is given by something unknown
//! as a whole is code; in one that is known but for a part, the part is taken for plain text.

use super::arguments::{Arguments, Item, Mark, Means, Opt, Style, opt};
use super::scripts::{self, Script};
use super::table::{Does, Row, Run, row};
use super::{Field, Stdin};
use crate::effect::Access;

const SED: &[Opt] = &[
    opt("-i --in-place", Means::Maybe(Mark::InPlace)),
    opt("-e --expression", Means::Is(Mark::Script)),
    opt("-f --file", Means::Is(Mark::ScriptFile)),
    opt("-l --line-length", Means::Value),
    opt("--sandbox", Means::Flag(Mark::Nothing)),
];

const AWK: &[Opt] = &[
    opt("-f --file", Means::Is(Mark::ScriptFile)),
    opt("-E --exec", Means::Last(Mark::ScriptFile)),
    opt("-e --source", Means::Is(Mark::Script)),
    opt("-i --include", Means::Is(Mark::Other)),
    opt("-o --pretty-print", Means::Maybe(Mark::Output)),
    opt(
        "-F --field-separator -v --assign -l --load -W",
        Means::Value,
    ),
    opt("-S --sandbox", Means::Flag(Mark::Nothing)),
];

const ED: &[Opt] = &[opt("-p --prompt", Means::Value)];
const EX: &[Opt] = &[
    opt("-c --cmd", Means::Is(Mark::Script)),
    opt("-S", Means::Is(Mark::ScriptFile)),
    opt("-t -w", Means::Value),
];

const VIM: &[Opt] = &[
    opt("-c --cmd", Means::Is(Mark::Script)),
    opt("-s -S", Means::Is(Mark::ScriptFile)),
    opt("-u -U -i", Means::File(Access::Read)),
    opt("-w -W", Means::File(Access::Write)),
    opt("-R -M", Means::Flag(Mark::Keep)),
    opt("-T -t -q -d --servername --listen", Means::Value),
    opt("-l", Means::Is(Mark::ScriptFile)),
];

const EMACS: &[Opt] = &[
    opt(
        "--eval -eval --execute -execute -f --funcall -funcall",
        Means::Code,
    ),
    opt(
        "-l --load -load --script -script",
        Means::File(Access::Read),
    ),
    opt("-d -t -T --display --title", Means::Value),
];

const PLAIN: &[Opt] = &[opt(
    "-T --tabsize -r --fill -o --operatingdir -Y --syntax",
    Means::Value,
)];

/// Programs that edit files.
pub(super) const TABLE: &[Row] = &[
    row("sed gsed", Style::Mixed, SED, Does::By(sed)),
    row("awk gawk mawk nawk", Style::Leading, AWK, Does::By(awk)),
    row("ed red", Style::Mixed, ED, Does::By(ed)),
    row("ex", Style::Mixed, EX, Does::By(ed)),
    row(
        "vi vim nvim view vimdiff",
        Style::OneDash,
        VIM,
        Does::By(vim),
    ),
    row(
        "emacs emacsclient",
        Style::OneDash,
        EMACS,
        Does::Each(Access::Write),
    ),
    row(
        "nano pico micro helix hx kak code gedit",
        Style::Mixed,
        PLAIN,
        Does::By(plain),
    ),
];

/// All scripts as one, where they are known, and the files. `None` for a script in a file.
fn script<'a>(read: &'a Arguments, run: &mut Run<'_>) -> (Vec<&'a Field>, Vec<&'a Field>) {
    let mut files: Vec<&Field> = read.operands().collect();
    let mut scripts: Vec<&Field> = read.values(Mark::Script).collect();
    if scripts.is_empty() && !read.has(Mark::ScriptFile) && !files.is_empty() {
        scripts.push(files.remove(0));
    }
    let unknown = |field: &&Field| !field.known && field.text.starts_with(['$', '`', '"']);
    if scripts.iter().any(unknown) {
        run.code();
    }
    (scripts, files)
}

fn follow(script: &Script, run: &mut Run<'_>) {
    let special = |name: &String| name.is_empty() || name.starts_with("/dev/std");
    for name in script.reads.iter().filter(|name| !special(name)) {
        run.touch(Access::Read, &Field::known(name.as_str()), false);
    }
    for name in script.writes.iter().filter(|name| !special(name)) {
        run.touch(Access::Write, &Field::known(name.as_str()), false);
    }
    if script.runs {
        run.code();
    }
}

fn sed(read: &Arguments, run: &mut Run<'_>) {
    let (scripts, files) = script(read, run);
    if !read.has(Mark::Nothing) {
        let texts: Vec<&str> = scripts.iter().map(|script| script.text.as_str()).collect();
        follow(&scripts::sed(&texts.join("\n")), run);
    }
    run.each(Access::Read, files.iter().copied(), false);
    if !read.has(Mark::InPlace) {
        return;
    }
    run.each(Access::Write, files.iter().copied(), false);
    for suffix in read.values(Mark::InPlace) {
        if !suffix.known || suffix.text.contains(['*', '/']) {
            run.unknown_path(Access::Write);
            continue;
        }
        for file in files.iter().filter(|file| file.known) {
            let add = |text: &str| format!("{text}{}", suffix.text);
            let backup = Field {
                text: add(&file.text),
                pattern: file.pattern.as_deref().map(add),
                ..Field::clone(file)
            };
            run.touch(Access::Write, &backup, false);
        }
    }
}

fn awk(read: &Arguments, run: &mut Run<'_>) {
    let (scripts, files) = script(read, run);
    if !read.has(Mark::Nothing) {
        for text in &scripts {
            follow(&scripts::awk(&text.text), run);
        }
    }
    run.each(Access::Write, read.values(Mark::Output), false);
    let in_place = read
        .values(Mark::Other)
        .any(|value| value.text == "inplace");
    let is_assignment = |field: &Field| {
        let name = field.text.split_once('=').map(|(name, _)| name);
        name.is_some_and(|name| name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_'))
    };
    for file in files.into_iter().filter(|file| !is_assignment(file)) {
        run.touch(Access::Read, file, false);
        if in_place {
            run.touch(Access::Write, file, false);
        }
    }
}

/// Its commands come from the standard input and can run programs (`!`) and write any file.
fn ed(read: &Arguments, run: &mut Run<'_>) {
    plain(read, run);
    let unclear = |text: &Field| !text.known || reaches_out(&text.text.replace('|', "\n"));
    if read.has(Mark::ScriptFile) || read.values(Mark::Script).any(unclear) {
        run.code();
    }
    match run.around.stdin() {
        Stdin::Inherited => {}
        Stdin::Text(text) if !reaches_out(text) => {}
        _ => run.code(),
    }
}

/// Whether commands of an editor run programs or write a file by name.
fn reaches_out(text: &str) -> bool {
    text.lines().any(|line| {
        let command = line.trim().trim_start_matches([':', '%', ',', '$']);
        let named = ["w ", "w! ", "W ", "r ", "e ", "sav", "write ", "update "];
        command.contains('!') && command != "q!" && command != "wq!" && command != "qa!"
            || command.contains("system(")
            || ["py", "lua", "ruby", "perl", "call ", "so", "exe"]
                .iter()
                .any(|word| command.starts_with(word))
            || named.iter().any(|name| command.starts_with(name))
    })
}

fn vim(read: &Arguments, run: &mut Run<'_>) {
    let mut unclear = read.has(Mark::ScriptFile);
    for item in &read.items {
        match item {
            Item::Operand(field) if field.known && field.text.starts_with('+') => {
                unclear |= reaches_out(&field.text[1..].replace('|', "\n"));
            }
            Item::Operand(field) => {
                run.touch(Access::Read, field, false);
                if !read.has(Mark::Keep) && run.program != "view" {
                    run.touch(Access::Write, field, false);
                }
            }
            Item::Option(Means::Is(Mark::Script), Some(value)) => {
                unclear |= !value.known || reaches_out(&value.text.replace('|', "\n"));
            }
            Item::Option(..) => {}
        }
    }
    if unclear {
        run.code();
    }
}

fn plain(read: &Arguments, run: &mut Run<'_>) {
    for field in read.operands().filter(|field| !field.text.starts_with('+')) {
        run.touch(Access::Read, field, false);
        run.touch(Access::Write, field, false);
    }
}
