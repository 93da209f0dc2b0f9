//! Programs that search: in files (`grep`, `rg`) and for files (`find`, `fd`).
//!
//! Sources: the manuals of GNU grep, ripgrep, ag, ack, GNU findutils and fd. What `find` tests is
//! not looked into: an action counts for all that is below its starting points.

use super::arguments::{Arguments, Mark, Means, Opt, Style, opt};
use super::table::{Does, Row, Run, row, within};
use super::{Field, Surroundings};
use crate::effect::Access;

const GREP: &[Opt] = &[
    opt(
        "-r -R --recursive --dereference-recursive",
        Means::Flag(Mark::Recursive),
    ),
    opt("-e --regexp", Means::Is(Mark::Script)),
    opt("-f --file", Means::Is(Mark::ScriptFile)),
    opt("--exclude-from", Means::File(Access::Read)),
    opt(
        "-A --after-context -B --before-context -C --context -m --max-count -d --directories -D \
         --devices --include --exclude --exclude-dir --label --binary-files",
        Means::Value,
    ),
];

const RG: &[Opt] = &[
    opt("-e --regexp", Means::Is(Mark::Script)),
    opt("-f --file", Means::Is(Mark::ScriptFile)),
    opt("--pre --hostname-bin", Means::Is(Mark::Command)),
    opt("--files --type-list", Means::Flag(Mark::Script)),
    opt(
        "--ignore-file -p --path-to-ignore",
        Means::Maybe(Mark::Other),
    ),
    opt(
        "-A --after-context -B --before-context -C --context -m --max-count -g --glob --iglob -t \
         --type -T --type-not --type-add --type-clear -E --encoding -j --threads -M --max-columns \
         -d --max-depth --max-filesize -r --replace --sort --sortr --color --colors --engine \
         --dfa-size-limit --regex-size-limit --context-separator --path-separator --pre-glob -G \
         --file-search-regex --ignore --ignore-dir --depth -W --width --generate",
        Means::Value,
    ),
];

const FD: &[Opt] = &[
    opt("--search-path --base-directory", Means::Is(Mark::Directory)),
    opt("--and", Means::Value),
    opt(
        "-d --max-depth --min-depth --exact-depth -E --exclude -t --type -e --extension -S --size \
         --changed-within --changed-before -o --owner --format -c --color -j --threads \
         --path-separator --max-results --batch-size --ignore-file",
        Means::Value,
    ),
];

/// Programs that search.
pub(super) const TABLE: &[Row] = &[
    row(
        "grep egrep fgrep zgrep ggrep",
        Style::Mixed,
        GREP,
        Does::By(grep),
    ),
    row(
        "rg ag ack ugrep ug sift pt",
        Style::Mixed,
        RG,
        Does::By(ripgrep),
    ),
    row("find gfind", Style::OneDash, &[], Does::By(find)),
    row("fd fdfind", Style::Mixed, &[], Does::By(fd)),
    row(
        "locate plocate mlocate which whereis type",
        Style::Mixed,
        &[],
        Does::Nothing,
    ),
];

fn files(read: &Arguments) -> Vec<&Field> {
    let given = read.has(Mark::Script) || read.has(Mark::ScriptFile);
    read.operands().skip(usize::from(!given)).collect()
}

fn grep(read: &Arguments, run: &mut Run<'_>) {
    let files = files(read);
    let tree = read.has(Mark::Recursive);
    if files.is_empty() && tree {
        run.touch(Access::Read, &Field::known("."), true);
    }
    run.each(Access::Read, files, tree);
}

fn ripgrep(read: &Arguments, run: &mut Run<'_>) {
    let files = files(read);
    for command in read.values(Mark::Command) {
        run.command(&[command.clone(), Field::unknown("FILE")]);
    }
    if files.is_empty() {
        run.touch(Access::Read, &Field::known("."), true);
    }
    run.each(Access::Read, files, true);
}

fn fd(_: &Arguments, run: &mut Run<'_>) {
    let is_exec =
        |field: &Field| matches!(field.text.as_str(), "-x" | "-X" | "--exec" | "--exec-batch");
    let args = run.args;
    let at = args.iter().position(is_exec).unwrap_or(args.len());
    let own = Arguments::read(Style::Mixed, FD, &args[..at]);
    let folders = own.operands().skip(1).chain(own.values(Mark::Directory));
    let mut starts: Vec<&Field> = folders.collect();
    let here = Field::known(".");
    if starts.is_empty() {
        starts.push(&here);
    }
    run.each(Access::Read, starts.iter().copied(), true);
    let command = args
        .iter()
        .skip(at + 1)
        .take_while(|field| field.text != ";");
    let mut argv: Vec<Field> = command.map(|field| placeholder(field, &starts)).collect();
    if !argv.is_empty() && argv.iter().all(|field| field.known) {
        argv.push(found(&starts));
    }
    run.command(&argv);
}

/// A file below the starting points.
fn found(starts: &[&Field]) -> Field {
    let start = starts.first().map_or(".", |field| field.text.as_str());
    Field::unknown(format!("{}/{{}}", start.trim_end_matches('/')))
}

fn placeholder(field: &Field, starts: &[&Field]) -> Field {
    let text = field.text.as_str();
    if text == "{}" {
        return found(starts);
    }
    if text.contains('{')
        && ["{}", "{/}", "{//}", "{.}", "{/.}"]
            .iter()
            .any(|mark| text.contains(mark))
    {
        return Field::unknown(text);
    }
    field.clone()
}

/// Tests and actions that take a value which is no file.
const VALUES: &str = "-name -iname -path -ipath -wholename -iwholename -regex -iregex -type -xtype \
    -size -mtime -atime -ctime -mmin -amin -cmin -maxdepth -mindepth -perm -user -group -uid -gid \
    -links -inum -fstype -used -lname -ilname -printf -regextype -context -D -newermt -newerct \
    -newerat";

/// Whether an expression of `find` is about files of some name only: no alternative, no negation.
fn names_some(expression: &[Field]) -> bool {
    let widens = |field: &Field| matches!(field.text.as_str(), "-o" | "-or" | "," | "!" | "-not");
    let names = |pair: &[Field]| match pair {
        [test, name] => {
            matches!(test.text.as_str(), "-name" | "-iname")
                && name.known
                && !name.text.trim_matches(['*', '?']).is_empty()
        }
        _ => false,
    };
    expression.windows(2).any(names) && !expression.iter().any(widens)
}

fn find(_: &Arguments, run: &mut Run<'_>) {
    let args = run.args;
    let is_option =
        |field: &Field| field.known && matches!(field.text.as_str(), "-H" | "-L" | "-P");
    let first = args.iter().position(|field| !is_option(field));
    let args = &args[first.unwrap_or(args.len())..];
    let begins = |field: &Field| {
        let text = field.text.as_str();
        field.known
            && (text.starts_with('-') && text.len() > 1 || matches!(text, "(" | "!" | ")" | ","))
    };
    let split = args.iter().position(begins).unwrap_or(args.len());
    let (starts, expression) = args.split_at(split);
    let here = Field::known(".");
    let starts: Vec<&Field> = if starts.is_empty() {
        vec![&here]
    } else {
        starts.iter().collect()
    };
    run.each(Access::Read, starts.iter().copied(), true);
    let mut rest = expression.iter();
    while let Some(field) = rest.next() {
        match field.text.as_str() {
            // It may be an action.
            text if !field.known && text.starts_with('$') => run.unknown_arguments(),
            "-delete" if names_some(expression) => {
                // What is below the starting points, and never these themselves.
                let all = Field {
                    pattern: Some("**".to_owned()),
                    ..Field::known("**")
                };
                for start in &starts {
                    run.touch(Access::Delete, &within(start, &all), true);
                }
            }
            "-delete" => run.each(Access::Delete, starts.iter().copied(), true),
            "-fprint" | "-fprint0" | "-fls" => {
                run.each(Access::Write, rest.next(), false);
            }
            "-fprintf" => {
                run.each(Access::Write, rest.next(), false);
                rest.next();
            }
            "-files0-from" | "-newer" | "-anewer" | "-cnewer" | "-samefile" => {
                run.each(Access::Read, rest.next(), false);
            }
            action @ ("-exec" | "-ok" | "-execdir" | "-okdir") => {
                let mut argv = Vec::new();
                for field in rest.by_ref() {
                    let text = field.text.as_str();
                    if text == ";"
                        || text == "+" && argv.last().is_some_and(|last: &Field| !last.known)
                    {
                        break;
                    }
                    argv.push(placeholder(field, &starts));
                }
                let raw = run.raw;
                if action.ends_with("dir") {
                    let mut work = |around: &mut dyn Surroundings| around.run(&argv, raw);
                    run.around.within(None, &mut work);
                } else {
                    run.command(&argv);
                }
            }
            name if VALUES.split_whitespace().any(|value| value == name) => {
                rest.next();
            }
            _ => {}
        }
    }
}
