//! Programs that pack, unpack and compress.
//!
//! Sources: the manuals of GNU tar, Info-ZIP, gzip, bzip2, xz, zstd, cpio and 7-Zip. What an
//! archive holds is not known, so unpacking writes the tree below the folder into which it unpacks.

use super::arguments::{Arguments, Item, Mark, Means, Opt, Style, opt};
use super::table::{Does, Row, Run, row};
use super::{Field, Stdin};
use crate::effect::Access;

const TAR: &[Opt] = &[
    opt(
        "-c --create -r --append -u --update",
        Means::Flag(Mark::Create),
    ),
    opt(
        "-A --catenate --concatenate --delete",
        Means::Flag(Mark::Create),
    ),
    opt("-x --extract --get", Means::Flag(Mark::Extract)),
    opt("-f --file", Means::Is(Mark::Output)),
    opt("-C --directory", Means::Is(Mark::Directory)),
    opt("-O --to-stdout", Means::Flag(Mark::Stdout)),
    opt("-P --absolute-names", Means::Flag(Mark::Other)),
    opt("--remove-files", Means::Flag(Mark::Delete)),
    opt(
        "-I --use-compress-program --to-command -F --info-script --new-volume-script \
             --rsh-command --rmt-command",
        Means::Text,
    ),
    opt("--checkpoint-action", Means::Is(Mark::Command)),
    opt(
        "-T --files-from -X --exclude-from",
        Means::File(Access::Read),
    ),
    opt(
        "-g --listed-incremental --index-file --volno-file",
        Means::File(Access::Write),
    ),
    opt(
        "-b --blocking-factor -H --format -K --starting-file -L --tape-length -N --newer \
             --after-date -V --label --exclude --exclude-tag --group --owner --mode --mtime \
             --strip-components --transform --xform --record-size --sort --suffix --owner-map \
             --group-map --newer-mtime --pax-option --warning --quoting-style",
        Means::Value,
    ),
];

const GZIP: &[Opt] = &[
    opt("-c --stdout --to-stdout", Means::Flag(Mark::Stdout)),
    opt("-k --keep", Means::Flag(Mark::Keep)),
    opt("-l --list -t --test", Means::Flag(Mark::Nothing)),
    opt("-r --recursive", Means::Flag(Mark::Recursive)),
    opt(
        "-S --suffix --format -F -T --threads -M --memlimit --check -b",
        Means::Value,
    ),
];

const ZSTD: &[Opt] = &[
    opt("-c --stdout", Means::Flag(Mark::Stdout)),
    opt("-o --output", Means::Is(Mark::Output)),
    opt("--rm -j --rm-src", Means::Flag(Mark::Delete)),
    opt("-l --list -t --test", Means::Flag(Mark::Nothing)),
    opt("-r", Means::Flag(Mark::Recursive)),
    opt(
        "--output-dir-flat --output-dir-mirror",
        Means::Is(Mark::Into),
    ),
    opt("-D", Means::File(Access::Read)),
    opt("-M -B -q -w -Z --quality", Means::Maybe(Mark::Other)),
];

const ZIP: &[Opt] = &[
    opt("-r -R --recurse-paths", Means::Flag(Mark::Recursive)),
    opt("-m --move", Means::Flag(Mark::Delete)),
    opt("-O --out --output-file", Means::Is(Mark::Output)),
    opt("-TT --unzip-command", Means::Text),
    opt(
        "-b --temp-path -n --suffixes -P --password -s --split-size -t -tt -x --exclude -i \
             --include",
        Means::Value,
    ),
];

const UNZIP: &[Opt] = &[
    opt("-d", Means::Is(Mark::Directory)),
    opt("-p -c", Means::Flag(Mark::Stdout)),
    opt("-l -t -v -z -Z", Means::Flag(Mark::Nothing)),
    opt("-P", Means::Value),
];

const CPIO: &[Opt] = &[
    opt("-i --extract", Means::Flag(Mark::Extract)),
    opt("-p --pass-through", Means::Flag(Mark::Create)),
    opt("-F --file -O", Means::Is(Mark::Output)),
    opt("-I", Means::File(Access::Read)),
    opt("-D --directory", Means::Is(Mark::Directory)),
    opt("--rsh-command", Means::Text),
    opt("-E --pattern-file", Means::File(Access::Read)),
    opt("-C -H --format -M -R --owner --block-size", Means::Value),
];

/// Programs that pack, unpack and compress.
pub(super) const TABLE: &[Row] = &[
    row("tar gtar bsdtar", Style::Mixed, &[], Does::By(tar)),
    row(
        "gzip gunzip pigz unpigz bzip2 bunzip2 pbzip2 xz unxz lzma unlzma lzip compress uncompress",
        Style::Mixed,
        GZIP,
        Does::By(compress),
    ),
    row(
        "zstd unzstd lz4 unlz4 brotli",
        Style::Mixed,
        ZSTD,
        Does::By(compress_beside),
    ),
    row("zip", Style::Mixed, ZIP, Does::By(zip)),
    row("unzip", Style::Mixed, UNZIP, Does::By(unzip)),
    row("7z 7za 7zr", Style::Mixed, &[], Does::By(seven_zip)),
    row("cpio", Style::Mixed, CPIO, Does::By(cpio)),
    row("ar", Style::Mixed, &[], Does::By(ar)),
];

/// Old style: the first word is letters without a dash, whose values follow in order.
fn with_dashes(args: &[Field]) -> Vec<Field> {
    let Some((first, rest)) = args.split_first() else {
        return Vec::new();
    };
    if first.text.starts_with('-') || !first.known {
        return args.to_vec();
    }
    let mut rest = rest.iter().cloned();
    let mut words = Vec::new();
    for letter in first.text.chars() {
        words.push(Field::known(format!("-{letter}")));
        if "fCbHKLNVgITXF".contains(letter) {
            words.extend(rest.next());
        }
    }
    words.extend(rest);
    words
}

fn tar(_: &Arguments, run: &mut Run<'_>) {
    if run.args.first().is_some_and(|field| !field.known) {
        run.unknown_arguments();
    }
    let read = Arguments::read(Style::Mixed, TAR, &with_dashes(run.args));
    run.options(&read);
    for action in read.values(Mark::Command) {
        if action.text.starts_with("exec=") {
            run.text(&action.after("exec="));
        }
    }
    let create = read.has(Mark::Create);
    let archive = if create { Access::Write } else { Access::Read };
    for file in read.values(Mark::Output) {
        match remote(file) {
            Some(host) => run.around.network(Some(host), None, run.program),
            None => run.touch(archive, file, false),
        }
    }
    if create {
        packed(&read, run);
    } else if read.has(Mark::Extract) && !read.has(Mark::Stdout) {
        let here = Field::known(".");
        let mut folders: Vec<&Field> = read.values(Mark::Directory).collect();
        if folders.is_empty() {
            folders.push(&here);
        }
        run.each(Access::Write, folders, true);
        if read.has(Mark::Other) {
            run.unknown_path(Access::Write);
        }
    }
}

/// `host:file` is on another machine.
fn remote(file: &Field) -> Option<String> {
    let (host, _) = file.text.split_once(':')?;
    (!host.contains('/') && file.known).then(|| super::host_of(host))?
}

/// Files that go into an archive; each `-C` counts for those after it.
fn packed(read: &Arguments, run: &mut Run<'_>) {
    let mut folder: Option<&Field> = None;
    for item in &read.items {
        match item {
            Item::Option(Means::Is(Mark::Directory), value) => folder = value.as_ref(),
            Item::Operand(file) => {
                let file = match folder {
                    Some(folder) if !file.text.starts_with('/') => below(folder, file),
                    _ => file.clone(),
                };
                run.touch(Access::Read, &file, true);
                if read.has(Mark::Delete) {
                    run.touch(Access::Delete, &file, true);
                }
            }
            Item::Option(..) => {}
        }
    }
}

pub(super) fn below(folder: &Field, file: &Field) -> Field {
    let text = format!("{}/{}", folder.text, file.text);
    if folder.known && file.known && file.pattern.is_none() && folder.pattern.is_none() {
        Field::known(text)
    } else {
        Field::unknown(text)
    }
}

/// The suffix that a compressed file gets.
fn suffix(program: &str) -> &'static str {
    match program {
        "bzip2" | "bunzip2" | "pbzip2" => ".bz2",
        "xz" | "unxz" => ".xz",
        "lzma" | "unlzma" => ".lzma",
        "lzip" => ".lz",
        "compress" | "uncompress" => ".Z",
        "zstd" | "unzstd" => ".zst",
        "lz4" | "unlz4" => ".lz4",
        "brotli" => ".br",
        _ => ".gz",
    }
}

/// The other name of a compressed or to be compressed file.
fn counterpart(program: &str, file: &Field) -> Field {
    let suffix = suffix(program);
    let other = |text: &str| match text.strip_suffix(suffix) {
        Some(plain) => plain.to_owned(),
        None => format!("{text}{suffix}"),
    };
    Field {
        text: other(&file.text),
        pattern: file.pattern.as_deref().map(other),
        ..file.clone()
    }
}

/// Replaces each file by its compressed form, or the other way round.
fn compress(read: &Arguments, run: &mut Run<'_>) {
    let tree = read.has(Mark::Recursive);
    run.each(Access::Read, read.operands(), tree);
    if read.has(Mark::Stdout) || read.has(Mark::Nothing) {
        return;
    }
    for file in read.operands() {
        run.touch(Access::Write, &counterpart(run.program, file), false);
        if tree {
            run.touch(Access::Write, file, true);
        }
        if !read.has(Mark::Keep) {
            run.touch(Access::Delete, file, tree);
        }
    }
}

/// Puts the other form beside each file.
fn compress_beside(read: &Arguments, run: &mut Run<'_>) {
    let tree = read.has(Mark::Recursive);
    run.each(Access::Read, read.operands(), tree);
    if read.has(Mark::Stdout) || read.has(Mark::Nothing) {
        return;
    }
    run.each(Access::Write, read.values(Mark::Output), false);
    run.each(Access::Write, read.values(Mark::Into), true);
    if !read.has(Mark::Output) && !read.has(Mark::Into) {
        for file in read.operands() {
            run.touch(Access::Write, &counterpart(run.program, file), false);
            if tree {
                run.touch(Access::Write, file, true);
            }
        }
    }
    if read.has(Mark::Delete) {
        run.each(Access::Delete, read.operands(), tree);
    }
}

fn zip(read: &Arguments, run: &mut Run<'_>) {
    let mut operands = read.operands();
    if let Some(archive) = operands.next() {
        let access = if read.has(Mark::Output) {
            Access::Read
        } else {
            Access::Write
        };
        run.touch(access, archive, false);
    }
    run.each(Access::Write, read.values(Mark::Output), false);
    let tree = read.has(Mark::Recursive);
    for file in operands {
        run.touch(Access::Read, file, tree);
        if read.has(Mark::Delete) {
            run.touch(Access::Delete, file, tree);
        }
    }
}

fn unzip(read: &Arguments, run: &mut Run<'_>) {
    run.each(Access::Read, read.operands().take(1), false);
    if !read.has(Mark::Stdout) && !read.has(Mark::Nothing) {
        let here = Field::known(".");
        let folder = read.values(Mark::Directory).last().unwrap_or(&here);
        run.touch(Access::Write, folder, true);
    }
}

fn seven_zip(read: &Arguments, run: &mut Run<'_>) {
    let mut operands = read.operands();
    let Some(command) = operands.next().map(|field| field.text.clone()) else {
        return;
    };
    let extracts = matches!(command.as_str(), "x" | "e");
    let changes = matches!(command.as_str(), "a" | "u" | "d" | "rn");
    let archive = if changes { Access::Write } else { Access::Read };
    run.each(archive, operands.next(), false);
    if extracts {
        let folder = run.args.iter().find(|field| field.text.starts_with("-o"));
        let folder = folder.map_or(Field::known("."), |field| field.after("-o"));
        run.touch(Access::Write, &folder, true);
    } else if changes {
        run.each(Access::Read, operands, true);
    }
}

/// Names of the files come from the standard input.
fn cpio(read: &Arguments, run: &mut Run<'_>) {
    let here = Field::known(".");
    let folder = read.values(Mark::Directory).last().unwrap_or(&here);
    if read.has(Mark::Extract) {
        run.each(Access::Read, read.values(Mark::Output), false);
        run.touch(Access::Write, folder, true);
    } else if read.has(Mark::Create) {
        run.each(Access::Write, read.operands(), true);
    } else {
        run.each(Access::Write, read.values(Mark::Output), false);
        if *run.around.stdin() != Stdin::Inherited {
            run.unknown_path(Access::Read);
        }
    }
}

fn ar(read: &Arguments, run: &mut Run<'_>) {
    let words: Vec<&Field> = read.operands().collect();
    let dashed = run
        .args
        .first()
        .is_some_and(|field| field.text.starts_with('-'));
    let operation = run
        .args
        .first()
        .map_or("", |field| field.text.trim_start_matches('-'));
    let mut files = words.into_iter().skip(usize::from(!dashed));
    if operation.contains(['r', 'q', 'd', 'm', 's']) {
        run.each(Access::Write, files.next(), false);
        run.each(Access::Read, files, false);
    } else {
        run.each(Access::Read, files.next(), false);
        if operation.contains('x') {
            run.touch(Access::Write, &Field::known("."), true);
        }
    }
}
