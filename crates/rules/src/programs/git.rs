//! `git`: its global options, settings that run programs, and commands that speak to other
//! repositories. What commands do to the work tree is in `git_tree`.
//!
//! Source: the manual of Git. A command that Git does not have itself may be an alias or a program,
//! so what it does is not known.

use super::arguments::{Arguments, Item, Mark, Means, Opt, Style, opt};
use super::git_table::SUBCOMMANDS;
use super::table::{Does, Row, Run, follow, row};
use super::{Field, Invocation, Surroundings};
use crate::effect::{Access, OpaqueCause};

const GLOBAL: &[Opt] = &[
    opt("-C", Means::Is(Mark::Directory)),
    opt("--work-tree", Means::Is(Mark::Into)),
    opt("-c", Means::Is(Mark::Script)),
    opt("--config-env", Means::Is(Mark::Other)),
    opt("--exec-path", Means::Maybe(Mark::Command)),
    opt(
        "--git-dir --namespace --super-prefix --attr-source --list-cmds",
        Means::Value,
    ),
    opt(
        "--html-path --man-path --info-path --version -v --help -h",
        Means::Flag(Mark::Nothing),
    ),
];

/// Git.
pub(super) const TABLE: &[Row] = &[row("git hub", Style::Leading, GLOBAL, Does::By(git))];

fn git(read: &Arguments, run: &mut Run<'_>) {
    for pair in read.values(Mark::Script) {
        match pair.text.split_once('=') {
            _ if !pair.known => run.unknown_arguments(),
            Some((key, value)) => setting(key, &Field::known(value), run),
            None => {}
        }
    }
    if read.has(Mark::Other) || read.values(Mark::Command).next().is_some() {
        run.unknown_arguments();
    }
    let operands: Vec<Field> = read.operands().cloned().collect();
    let Some((command, args)) = operands.split_first() else {
        return;
    };
    let Some(name) = command.exact() else {
        run.unknown_arguments();
        return;
    };
    let Some(row) = subcommand(name) else {
        // No alias and no program of Git has such a name.
        if !name.contains(|c: char| c.is_whitespace() || c.is_control()) {
            run.unknown_arguments();
        }
        return;
    };
    let invocation = Invocation {
        program: "git",
        args,
        raw: run.raw,
    };
    let folders: Vec<&Field> = read
        .values(Mark::Directory)
        .chain(read.values(Mark::Into))
        .collect();
    in_folders(&folders, run.around, &mut |around| {
        follow(row, &invocation, around);
    });
}

/// The command of Git that a program of this name is.
pub(crate) fn git_command(program: &str) -> Option<&str> {
    let command = program.strip_prefix("git-")?;
    subcommand(command).map(|_| command)
}

/// The row of one of Git's own commands.
fn subcommand(name: &str) -> Option<&'static Row> {
    SUBCOMMANDS
        .iter()
        .find(|row| row.names.split(' ').any(|known| known == name))
}

/// One `-C` after the other.
fn in_folders(
    folders: &[&Field],
    around: &mut dyn Surroundings,
    work: &mut dyn FnMut(&mut dyn Surroundings),
) {
    match folders.split_first() {
        None => work(around),
        Some((first, rest)) => {
            let folder = first.known.then_some(*first);
            around.within(folder, &mut |around| in_folders(rest, around, work));
        }
    }
}

/// Settings whose value is a shell text that Git runs.
const TEXTS: &str = "core.pager core.editor core.sshcommand core.fsmonitor core.askpass \
    core.gitproxy core.alternaterefscommand sequence.editor diff.external gpg.program gpg.ssh.program \
    gpg.ssh.defaultkeycommand gpg.openpgp.program gpg.x509.program interactive.difffilter \
    uploadpack.packobjectshook web.browser sendemail.sendmailcmd sendemail.tocmd sendemail.cccmd";
/// The last names of settings of many sections whose value is such a text.
const TEXT_ENDS: &str = "textconv command cmd driver clean smudge process uploadpack receivepack vcs \
    path proxycommand";
/// Settings that name files in which further settings or hooks are.
const FILES: &str =
    "core.hookspath include.path init.templatedir core.attributesfile core.worktree";

/// A setting that is in force for this call or from now on.
pub(super) fn setting(key: &str, value: &Field, run: &mut Run<'_>) {
    let key = key.to_ascii_lowercase();
    let section = key.split('.').next().unwrap_or_default();
    let last = key.rsplit('.').next().unwrap_or_default();
    let among = |list: &str, key: &str| list.split_whitespace().any(|known| known == key);
    let text = value.text.as_str();
    if !value.known && section != "user" && section != "http" {
        run.unknown_arguments();
    } else if matches!(text, "" | "true" | "false" | "/dev/null") {
        // Switches the program off or names none.
    } else if section == "alias" || section == "credential" && last == "helper" {
        match text.strip_prefix('!') {
            Some(command) => run.text(&Field::known(command)),
            None if section == "alias" => run.text(&Field::known(format!("git {text}"))),
            None if text.contains('/') => run.text(value),
            None => {}
        }
    } else if among(TEXTS, &key)
        || section == "pager"
        || among(TEXT_ENDS, last) && !matches!(section, "submodule" | "include" | "includeif")
    {
        run.text(value);
    } else if among(FILES, &key) || section == "includeif" {
        run.around.opaque(OpaqueCause::UnknownText, text);
    }
}

/// Another repository, and whether it is on another machine.
pub(super) fn repository(field: Option<&Field>, access: Access, run: &mut Run<'_>) {
    let Some(field) = field else {
        return run.network();
    };
    let text = field.text.as_str();
    if let Some(command) = text.strip_prefix("ext::") {
        let command = Field {
            text: command.to_owned(),
            ..field.clone()
        };
        return run.text(&command);
    }
    if !field.known {
        return run.address(field);
    }
    let text = match text.split_once("::") {
        Some((helper, rest)) if !helper.contains(['/', '@']) => rest,
        _ => text,
    };
    if let Some(path) = text.strip_prefix("file://") {
        run.touch(access, &Field::known(path), true);
    } else if text.contains("://") || is_scp(text) {
        run.address(&Field::known(text));
    } else if text.starts_with(['/', '.', '~']) || run.around.is_directory(field) == Some(true) {
        run.touch(access, field, true);
    } else {
        run.network();
    }
}

/// `host:path`, where no `/` stands before the colon.
fn is_scp(text: &str) -> bool {
    text.split_once(':')
        .is_some_and(|(host, _)| !host.is_empty() && !host.contains('/'))
}

pub(super) fn fetch(read: &Arguments, run: &mut Run<'_>) {
    repository(read.operands().next(), Access::Read, run);
}

pub(super) fn push(read: &Arguments, run: &mut Run<'_>) {
    let given = read.values(Mark::Host).next();
    repository(given.or_else(|| read.operands().next()), Access::Write, run);
}

pub(super) fn pull(read: &Arguments, run: &mut Run<'_>) {
    fetch(read, run);
    run.unknown_path(Access::Write);
}

pub(super) fn clone(read: &Arguments, run: &mut Run<'_>) {
    for pair in read.values(Mark::Script) {
        if let Some((key, value)) = pair.text.split_once('=') {
            setting(
                key,
                &Field {
                    text: value.to_owned(),
                    ..pair.clone()
                },
                run,
            );
        }
    }
    let mut operands = read.operands();
    let (url, folder) = (operands.next(), operands.next());
    repository(url, Access::Read, run);
    let Some(url) = url else { return };
    let named = url.text.trim_end_matches('/').trim_end_matches(".git");
    let name = named.rsplit(['/', ':']).next().unwrap_or(named);
    let default = Field {
        text: name.to_owned(),
        pattern: None,
        ..url.clone()
    };
    run.touch(Access::Write, folder.unwrap_or(&default), true);
}

pub(super) fn remote(read: &Arguments, run: &mut Run<'_>) {
    let mut operands = read.operands().map(|field| field.text.as_str());
    match operands.next() {
        Some("update" | "show" | "prune" | "set-head") => run.network(),
        Some("add" | "set-url") => {
            run.touch(Access::Write, &Field::known(".git/config"), false);
            for field in read
                .operands()
                .filter(|field| field.text.starts_with("ext::"))
            {
                run.text(&field.after("ext::"));
            }
        }
        _ => {}
    }
}

/// Options of `git submodule add`.
const ADD: &[Opt] = &[opt(
    "-b --branch --name --reference --depth --ref-format",
    Means::Value,
)];

pub(super) fn submodule(read: &Arguments, run: &mut Run<'_>) {
    let operands: Vec<&Field> = read.operands().collect();
    let name = operands.first().map_or("", |field| field.text.as_str());
    match name {
        "foreach" => {
            let at = run
                .args
                .iter()
                .position(|field| field.text == "foreach")
                .map_or(0, |at| at + 1);
            let options = ["--recursive", "--quiet", "-q", "--"];
            let words = run.args[at..]
                .iter()
                .skip_while(|field| options.contains(&field.text.as_str()));
            let words: Vec<Field> = words.cloned().collect();
            run.around.within(None, &mut |around| {
                let mut inner = Run {
                    program: "git",
                    args: &[],
                    raw: "git submodule foreach",
                    around,
                };
                inner.joined(&words);
            });
        }
        "add" => {
            let args = run
                .args
                .iter()
                .skip_while(|field| field.text != "add")
                .skip(1);
            let args: Vec<Field> = args.cloned().collect();
            let added = Arguments::read(Style::Mixed, ADD, &args);
            let mut operands = added.operands();
            repository(operands.next(), Access::Read, run);
            run.each(Access::Write, operands.next(), true);
        }
        "update" => {
            run.network();
            run.unknown_path(Access::Write);
        }
        "deinit" => run.unknown_path(Access::Delete),
        _ => {}
    }
}

/// `git config`: which file is written, and what the setting means from now on.
pub(super) fn config(read: &Arguments, run: &mut Run<'_>) {
    let words = |field: &&Field| {
        matches!(
            field.text.as_str(),
            "get" | "set" | "list" | "unset" | "edit" | "rename-section" | "remove-section"
        )
    };
    let operands: Vec<&Field> = read.operands().collect();
    let verb = operands
        .first()
        .filter(|field| words(field))
        .map(|field| field.text.as_str());
    let pair = &operands[usize::from(verb.is_some())..];
    let writes = match verb {
        Some("get" | "list") => false,
        Some(_) => true,
        None => read.has(Mark::InPlace) || pair.len() > 1 && !read.has(Mark::Nothing),
    };
    if !writes {
        run.each(Access::Read, read.values(Mark::Output), false);
        return;
    }
    let own = Field::known(".git/config");
    if read.has(Mark::Other) {
        run.unknown_path(Access::Write);
    } else {
        let file = read.values(Mark::Output).last().unwrap_or(&own);
        run.touch(Access::Write, file, false);
    }
    if let [key, value, ..] = pair {
        setting(&key.text, value, run);
    }
}

pub(super) fn archive(read: &Arguments, run: &mut Run<'_>) {
    for host in read.values(Mark::Host) {
        repository(Some(host), Access::Read, run);
    }
}

pub(super) fn bisect(read: &Arguments, run: &mut Run<'_>) {
    let mut operands = read.operands();
    match operands.next().map(|field| field.text.as_str()) {
        Some("run") => {
            let argv: Vec<Field> = operands.cloned().collect();
            run.unknown_path(Access::Write);
            run.command(&argv);
        }
        Some("log" | "view" | "visualize" | "terms" | "help") | None => {}
        Some(_) => run.unknown_path(Access::Write),
    }
}

/// The pager of `git grep -O`.
pub(super) fn grep(read: &Arguments, run: &mut Run<'_>) {
    for item in &read.items {
        if let Item::Option(Means::Maybe(Mark::Command), Some(pager)) = item {
            run.text(pager);
        }
    }
    super::git_tree::reads(read, run);
}
