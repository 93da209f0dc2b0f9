//! Programs that put files into other places: `cp`, `mv`, `install`, `ln`, and those that copy
//! between machines.
//!
//! Sources: the manuals of coreutils, rsync and OpenSSH. Several sources, `-t`, a `/` at the end
//! and a folder that is there mean a destination *in* the folder; where it cannot be told whether
//! the destination is a folder, both places count.

use super::arguments::{Arguments, Mark, Means, Opt, Style, opt};
use super::table::{Does, Row, Run, row, within};
use super::{Field, hosts};
use crate::effect::Access;

const RECURSIVE: Opt = opt(
    "-r -R --recursive -a --archive",
    Means::Flag(Mark::Recursive),
);
const INTO: Opt = opt("-t --target-directory", Means::Is(Mark::Into));
const NO_INTO: Opt = opt("-T --no-target-directory", Means::Flag(Mark::NoInto));
const SUFFIX: Opt = opt("-S --suffix", Means::Value);

const CP: &[Opt] = &[
    RECURSIVE,
    INTO,
    NO_INTO,
    SUFFIX,
    opt("-l --link", Means::Flag(Mark::Keep)),
    opt("-s --symbolic-link", Means::Flag(Mark::Symbolic)),
    opt("--parents", Means::Flag(Mark::Other)),
    opt("--no-preserve --sparse --context", Means::Value),
];

const INSTALL: &[Opt] = &[
    INTO,
    NO_INTO,
    SUFFIX,
    opt("-d --directory", Means::Flag(Mark::Create)),
    opt(
        "-m --mode -o --owner -g --group --strip-program",
        Means::Value,
    ),
];

const LN: &[Opt] = &[
    opt("-s --symbolic", Means::Flag(Mark::Symbolic)),
    INTO,
    NO_INTO,
    SUFFIX,
];

const RSYNC: &[Opt] = &[
    opt(
        "-a --archive -r --recursive -R --relative",
        Means::Flag(Mark::Recursive),
    ),
    opt(
        "--delete --delete-before --delete-during --delete-after --delete-excluded --delete-delay",
        Means::Flag(Mark::Delete),
    ),
    opt("--remove-source-files", Means::Flag(Mark::Extract)),
    opt("-n --dry-run --list-only", Means::Flag(Mark::Nothing)),
    opt("-e --rsh", Means::Text),
    opt("--rsync-path", Means::Value),
    opt(
        "--log-file --write-batch --only-write-batch",
        Means::File(Access::Write),
    ),
    opt(
        "--files-from --exclude-from --include-from --password-file --read-batch",
        Means::File(Access::Read),
    ),
    opt(
        "--backup-dir --partial-dir -T --temp-dir",
        Means::File(Access::Write),
    ),
    opt(
        "-f --filter --exclude --include -B --block-size --suffix --max-size --min-size \
             --timeout --port --bwlimit --chmod --chown --compare-dest --copy-dest --link-dest \
             --out-format --info --debug --usermap --groupmap --max-delete --address \
             --sockopts --protocol --iconv --modify-window --compress-level -M --remote-option \
             --stop-after",
        Means::Value,
    ),
];

const SCP: &[Opt] = &[
    opt("-r", Means::Flag(Mark::Recursive)),
    opt("-S", Means::Text),
    opt("-o", Means::Is(Mark::Script)),
    opt("-F -i", Means::File(Access::Read)),
    opt("-J", Means::Is(Mark::Host)),
    opt("-P -c -l -D -X", Means::Value),
];

/// Programs that copy, move and link.
pub(super) const TABLE: &[Row] = &[
    row("cp", Style::Mixed, CP, Does::By(copy)),
    row("mv", Style::Mixed, CP, Does::By(move_)),
    row("install", Style::Mixed, INSTALL, Does::By(install)),
    row("ln", Style::Mixed, LN, Does::By(link)),
    row("rsync", Style::Mixed, RSYNC, Does::By(rsync)),
    row("scp", Style::Leading, SCP, Does::By(scp)),
    row("rename prename", Style::Mixed, &[], Does::By(rename)),
];

/// Sources, and the places that they get.
struct Plan<'a> {
    sources: Vec<&'a Field>,
    places: Vec<Field>,
}

fn plan<'a>(read: &'a Arguments, run: &Run<'_>) -> Plan<'a> {
    let mut sources: Vec<&Field> = read.operands().collect();
    if let Some(folder) = read.values(Mark::Into).last() {
        let places = sources
            .iter()
            .map(|source| within(folder, source))
            .collect();
        return Plan { sources, places };
    }
    let alone = sources.len() == 1 && sources.iter().all(|source| source.known);
    let destination = if alone { None } else { sources.pop() };
    let Some(destination) = destination else {
        return Plan {
            sources,
            places: Vec::new(),
        };
    };
    let several = sources.len() > 1 || sources.iter().any(|source| source.pattern.is_some());
    let is_folder = if read.has(Mark::NoInto) {
        Some(false)
    } else if sources.len() > 1 || destination.text.ends_with('/') {
        Some(true)
    } else {
        run.around
            .is_directory(destination)
            .or(several.then_some(true))
    };
    let mut places = Vec::new();
    if is_folder != Some(true) || sources.is_empty() || !destination.known {
        places.push(destination.clone());
    }
    if is_folder != Some(false) && destination.known {
        places.extend(sources.iter().map(|source| within(destination, source)));
    }
    Plan { sources, places }
}

fn copy(read: &Arguments, run: &mut Run<'_>) {
    let plan = plan(read, run);
    let tree = read.has(Mark::Recursive);
    run.each(Access::Read, plan.sources.iter().copied(), tree);
    if read.has(Mark::Keep) {
        run.each(Access::Write, plan.sources.iter().copied(), tree);
    }
    run.each(Access::Write, &plan.places, tree);
    // The content of a folder, or sources with all their folders, come below the destination.
    let content = |source: &&Field| {
        let text = source.text.trim_end_matches('/');
        matches!(text, "." | "..") || text.ends_with("/.") || text.ends_with("/..")
    };
    let spread = tree && plan.sources.iter().any(content) || read.has(Mark::Other);
    let into = read.values(Mark::Into).last();
    if let Some(folder) = into.or_else(|| read.operands().last()).filter(|_| spread) {
        run.touch(Access::Write, folder, true);
    }
}

fn move_(read: &Arguments, run: &mut Run<'_>) {
    let plan = plan(read, run);
    let is_file = |source: &&Field| run.around.is_directory(source) == Some(false);
    let tree = !plan.sources.iter().all(is_file);
    run.each(Access::Delete, plan.sources.iter().copied(), tree);
    run.each(Access::Write, &plan.places, tree);
}

fn install(read: &Arguments, run: &mut Run<'_>) {
    if read.has(Mark::Create) {
        run.each(Access::Write, read.operands(), false);
        return;
    }
    let plan = plan(read, run);
    run.each(Access::Read, plan.sources.iter().copied(), false);
    run.each(Access::Write, &plan.places, false);
}

/// A hard link is one more name of the file: what is written to one is written to the other.
fn link(read: &Arguments, run: &mut Run<'_>) {
    let mut plan = plan(read, run);
    let is_symbolic = read.has(Mark::Symbolic);
    if !is_symbolic {
        run.each(Access::Write, plan.sources.iter().copied(), false);
    }
    if plan.places.is_empty() {
        let here = Field::known(".");
        let places = plan.sources.iter().map(|source| within(&here, source));
        plan.places = places.collect();
    }
    run.each(Access::Write, &plan.places, false);
    if is_symbolic {
        for (source, place) in plan
            .sources
            .iter()
            .flat_map(|source| plan.places.iter().map(move |place| (source, place)))
        {
            run.around.link(source, place);
        }
    }
}

/// The host of `host:path`, `user@host:path` and `rsync://host/path`.
fn remote(field: &Field) -> Option<String> {
    let text = field.text.as_str();
    if text.contains("://") {
        return hosts::host_of(text);
    }
    let (place, _) = text.split_once(':')?;
    (!place.contains('/') && !place.is_empty()).then(|| hosts::host_of(place))?
}

/// Tells hosts, and gives back what lies here: sources and the destination.
fn between<'a>(read: &'a Arguments, run: &mut Run<'_>) -> (Vec<&'a Field>, Option<&'a Field>) {
    let mut sources: Vec<&Field> = read.operands().collect();
    let mut destination = if sources.len() > 1 {
        sources.pop()
    } else {
        None
    };
    let mut local = |field: &&Field| {
        let host = remote(field);
        if host.is_some() {
            run.around
                .network(host.clone(), Some(&field.text), run.program);
        }
        host.is_none()
    };
    sources.retain(&mut local);
    destination = destination.filter(&mut local);
    (sources, destination)
}

fn rsync(read: &Arguments, run: &mut Run<'_>) {
    let (sources, destination) = between(read, run);
    let tree = read.has(Mark::Recursive);
    run.each(Access::Read, sources.iter().copied(), tree);
    if read.has(Mark::Nothing) {
        return;
    }
    if read.has(Mark::Extract) {
        run.each(Access::Delete, sources.iter().copied(), tree);
    }
    let Some(destination) = destination else {
        return;
    };
    if read.has(Mark::Delete) {
        run.touch(Access::Delete, destination, true);
    }
    let one = sources.len() == 1 && !tree && !destination.text.ends_with('/');
    if tree || sources.is_empty() {
        run.touch(Access::Write, destination, true);
    } else {
        let folder = if one {
            run.around.is_directory(destination)
        } else {
            Some(true)
        };
        if folder != Some(true) {
            run.touch(Access::Write, destination, false);
        }
        if folder != Some(false) {
            for source in sources {
                run.touch(Access::Write, &within(destination, source), false);
            }
        }
    }
}

fn scp(read: &Arguments, run: &mut Run<'_>) {
    super::network::ssh_settings(read, run);
    let (sources, destination) = between(read, run);
    let tree = read.has(Mark::Recursive);
    run.each(Access::Read, sources.iter().copied(), tree);
    if let Some(destination) = destination {
        let whole = tree || run.around.is_directory(destination) != Some(false);
        run.touch(Access::Write, destination, whole);
    }
}

/// The new names are made by a rule in the first operand, which can be code.
fn rename(read: &Arguments, run: &mut Run<'_>) {
    run.each(Access::Delete, read.operands().skip(1), false);
    run.code();
}
