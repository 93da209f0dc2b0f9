//! Programs that run other commands and are no plain prefixes of them.
//!
//! Sources: the manuals of the programs. What a build file runs is not looked into.

use super::Field;
use super::arguments::{Arguments, Item, Mark, Means, Opt, Style, opt};
use super::fronts::{NIX, PACKAGE};
use super::table::{Does, Row, Run, row};
use crate::effect::{Access, OpaqueCause};

const SCREEN: &[Opt] = &[
    opt("-X", Means::Flag(Mark::Other)),
    opt("-S -c -e -h -p -s -t -T", Means::Value),
];
const WATCH: &[Opt] = &[
    opt("-x --exec", Means::Is(Mark::Script)),
    opt(
        "-w --watch -e --exts --ext -i --ignore -f --filter -d --delay --debounce -s --signal \
             -r --restart -n --shell -W --watch-non-recursive --project-origin --workdir \
             --stop-signal",
        Means::Value,
    ),
];
const WATCHEXEC: &[Opt] = &[opt(
    "-w --watch -e --exts -i --ignore -f --filter -d --debounce -s --signal --stop-signal \
         --stop-timeout --shell -W --watch-non-recursive --project-origin --workdir -j \
         --filter-prog --emit-events-to -E --env --fs-events -o --on-busy-update",
    Means::Value,
)];
const HYPERFINE: &[Opt] = &[
    opt(
        "-p --prepare -c --cleanup -s --setup -C --conclude --reference",
        Means::Text,
    ),
    opt(
        "--export-json --export-csv --export-markdown --export-asciidoc --export-orgmode",
        Means::File(Access::Write),
    ),
    opt("--output", Means::Is(Mark::Output)),
    opt(
        "-S --shell -w --warmup -r --runs -m --min-runs -M --max-runs -P --parameter-scan -L \
             --parameter-list -D --parameter-step-size -n --command-name -u --time-unit \
             --style --sort --input",
        Means::Value,
    ),
];
const CONCURRENTLY: &[Opt] = &[
    opt("--teardown", Means::Text),
    opt(
        "-n --names -c --prefix-colors -m --max-processes -s --success -p --prefix -t \
             --timestamp-format --restart-tries --restart-after --default-input-target --cwd",
        Means::Value,
    ),
];
const SCRIPT: &[Opt] = &[
    opt("-c --command", Means::Text),
    opt(
        "-O --log-out -B --log-io -I --log-in -T --log-timing",
        Means::File(Access::Write),
    ),
    opt("-t --timing", Means::Maybe(Mark::Other)),
    opt(
        "-E --echo -m --logging-format -o --output-limit",
        Means::Value,
    ),
];
const MAN: &[Opt] = &[
    opt("-P --pager -H --html", Means::Text),
    opt("-C --config-file", Means::File(Access::Read)),
    opt(
        "-M --manpath -S -s --sections -L --locale -m --systems -e --extension -E --encoding \
             -p --preprocessor -r --prompt",
        Means::Value,
    ),
];
const MAKE: &[Opt] = &[
    opt("-f --file --makefile", Means::Is(Mark::ScriptFile)),
    opt("-C --directory", Means::Is(Mark::Directory)),
    opt("-E --eval", Means::Code),
    opt(
        "-j --jobs -l --load-average -O --output-sync",
        Means::Maybe(Mark::Other),
    ),
    opt(
        "-I --include-dir -o --old-file --assume-old -W --what-if --new-file",
        Means::Value,
    ),
];
const GPG_AGENT: &[Opt] = &[
    opt("-d -s -c -k -D", Means::Flag(Mark::Other)),
    opt(
        "-a -t -E -O -P --homedir --options --log-file --pinentry-program",
        Means::Value,
    ),
];

const JUST: &[Opt] = &[
    opt("-c --command", Means::Last(Mark::Command)),
    opt(
        "-f --justfile -d --working-directory --shell --set --dotenv-path",
        Means::Value,
    ),
];
const BWRAP: &[Opt] = &[
    opt(
        "--bind --bind-try --dev-bind --dev-bind-try --ro-bind --ro-bind-try --symlink --setenv \
             --file --bind-data --ro-bind-data --chmod",
        Means::Pair,
    ),
    opt(
        "--chdir --unsetenv --uid --gid --hostname --proc --dev --tmpfs --dir --mqueue --seccomp \
             --lock-file --cap-add --cap-drop --remount-ro --args --argv0 --perms --size --userns \
             --pidns --block-fd --sync-fd --info-fd",
        Means::Value,
    ),
];
const DAEMON: &[Opt] = &[
    opt("-S --start -K --stop", Means::Flag(Mark::Nothing)),
    opt("-x --exec -a --startas", Means::Is(Mark::Command)),
    opt("-O --output", Means::File(Access::Write)),
    opt(
        "-p --pidfile -n --name -u --user -s --signal -R --retry -c --chuid -g --group -r --chroot \
             -d --chdir -N --nicelevel -P --procsched -I --iosched -k --umask",
        Means::Value,
    ),
];

/// Programs that run others, and front ends.
pub(super) const TABLE: &[Row] = &[
    row(
        "npx bunx pnpx uvx",
        Style::Leading,
        PACKAGE,
        Does::By(package),
    ),
    row("nix-shell", Style::Mixed, NIX, Does::By(nix)),
    row("screen", Style::Leading, SCREEN, Does::By(rest)),
    row("entr", Style::Leading, &[], Does::By(with_files)),
    row("watchexec", Style::Leading, WATCHEXEC, Does::By(joined)),
    row("nodemon", Style::Mixed, WATCH, Does::By(nodemon)),
    row("hyperfine", Style::Mixed, HYPERFINE, Does::By(texts)),
    row("concurrently", Style::Mixed, CONCURRENTLY, Does::By(texts)),
    row(
        "parallel",
        Style::Leading,
        &[opt(
            "-j --jobs -I -a --arg-file -d --delimiter --joblog --results --timeout --delay -N \
                 -n -L -S --sshlogin --workdir --tmpdir",
            Means::Value,
        )],
        Does::By(parallel),
    ),
    row(
        "ssh-agent gpg-agent",
        Style::Leading,
        GPG_AGENT,
        Does::By(rest),
    ),
    row("busybox toybox", Style::Leading, &[], Does::By(rest)),
    row("just", Style::Leading, JUST, Does::By(command)),
    row("bwrap", Style::Leading, BWRAP, Does::By(rest)),
    row("start-stop-daemon", Style::Mixed, DAEMON, Does::By(command)),
    row("capsh", Style::Leading, &[], Does::By(capabilities)),
    row("script", Style::Mixed, SCRIPT, Does::By(typescript)),
    row("man", Style::Mixed, MAN, Does::Nothing),
    row("make gmake bmake", Style::Mixed, MAKE, Does::By(make)),
];

fn package(read: &Arguments, run: &mut Run<'_>) {
    run.each_text(read.values(Mark::Script));
    rest(read, run);
}

/// All operands are a command.
fn rest(read: &Arguments, run: &mut Run<'_>) {
    if read.has(Mark::Other) && run.program == "screen" {
        run.around.opaque(OpaqueCause::ProcessInput, run.raw);
        return;
    }
    let argv: Vec<Field> = read.operands().cloned().collect();
    run.command(&argv);
}

/// A program that an option names, with the operands as its arguments.
fn command(read: &Arguments, run: &mut Run<'_>) {
    let program = read.values(Mark::Command).take(1);
    let argv: Vec<Field> = program.chain(read.operands()).cloned().collect();
    if read.has(Mark::Command) {
        run.command(&argv);
    }
}

/// What follows `--` are arguments of Bash.
fn capabilities(_: &Arguments, run: &mut Run<'_>) {
    let after = run.args.iter().skip_while(|arg| arg.text != "--").skip(1);
    let argv: Vec<Field> = std::iter::once(Field::known("bash"))
        .chain(after.cloned())
        .collect();
    run.command(&argv);
}

/// A command that gets the name of a file in the place of `/_`.
fn with_files(read: &Arguments, run: &mut Run<'_>) {
    let place = |field: &Field| {
        if field.text == "/_" {
            Field::unknown("/_")
        } else {
            field.clone()
        }
    };
    if run
        .args
        .iter()
        .any(|field| field.text.starts_with('-') && field.text.contains('s'))
    {
        let texts: Vec<Field> = read.operands().take(1).cloned().collect();
        run.each_text(&texts);
        return;
    }
    let argv: Vec<Field> = read.operands().map(place).collect();
    run.command(&argv);
}

fn joined(read: &Arguments, run: &mut Run<'_>) {
    let words: Vec<Field> = read.operands().cloned().collect();
    run.joined(&words);
}

fn texts(read: &Arguments, run: &mut Run<'_>) {
    for output in read
        .values(Mark::Output)
        .filter(|output| output.text.contains(['/', '.']))
    {
        run.touch(Access::Write, output, false);
    }
    run.each_text(read.operands());
}

/// Without a command it runs a program of Node.
fn nodemon(read: &Arguments, run: &mut Run<'_>) {
    run.each_text(read.values(Mark::Script));
    if !read.has(Mark::Script) {
        run.each(Access::Read, read.operands().take(1), false);
    }
}

/// Arguments come after `:::` or from the standard input, and are read by a shell.
fn parallel(read: &Arguments, run: &mut Run<'_>) {
    let words: Vec<Field> = read
        .operands()
        .take_while(|field| !field.text.starts_with(":::"))
        .cloned()
        .collect();
    if words.is_empty() {
        run.around.opaque(OpaqueCause::UnknownText, run.raw);
        return;
    }
    let mut argv: Vec<Field> = match &words[..] {
        [one] if one.known && one.text.contains(' ') => {
            run.text(one);
            return run.unknown_arguments();
        }
        _ => words,
    };
    if argv.iter().all(|field| !field.text.contains('{')) {
        argv.push(Field::unknown("{}"));
    }
    for field in argv.iter_mut().filter(|field| field.text.contains('{')) {
        field.known = false;
    }
    run.command(&argv);
}

pub(super) fn nix(read: &Arguments, run: &mut Run<'_>) {
    if run.program == "nix-shell" {
        return run.each_text(read.values(Mark::Command));
    }
    let at = run
        .args
        .iter()
        .position(|field| matches!(field.text.as_str(), "-c" | "--command"));
    if let Some(argv) = at.and_then(|at| run.args.get(at + 1..)) {
        let argv = argv.to_vec();
        run.command(&argv);
    }
}

/// `script`: the file, and the command that newer forms take after it. Without one it is a shell.
fn typescript(read: &Arguments, run: &mut Run<'_>) {
    let mut operands = read.operands();
    let file = operands.next();
    run.each(Access::Write, file, false);
    let text = read
        .items
        .iter()
        .any(|item| matches!(item, Item::Option(Means::Text, _)));
    let at = file.and_then(|file| run.args.iter().position(|arg| arg.text == file.text));
    match at.filter(|_| operands.next().is_some()) {
        Some(at) => {
            let after = run.args.iter().skip(at + 1);
            let argv: Vec<Field> = after.skip_while(|arg| arg.text == "--").cloned().collect();
            run.command(&argv);
        }
        None if !text => run.shell_at_stdin(),
        None => {}
    }
}

/// Targets are not looked into; a variable that names the shell is.
fn make(read: &Arguments, run: &mut Run<'_>) {
    let sets_shell = |field: &&Field| {
        let name = field
            .text
            .split_once('=')
            .map(|(name, _)| name.trim_end_matches([':', '+', '?']));
        matches!(
            name,
            Some("SHELL" | ".SHELLFLAGS" | "MAKEFLAGS" | "MAKEFILES")
        )
    };
    let piped = |file: &Field| file.pipe || matches!(file.text.as_str(), "-" | "/dev/stdin");
    if read.values(Mark::ScriptFile).any(piped) {
        run.code();
    }
    if read.operands().any(|field| sets_shell(&field)) {
        run.around.opaque(OpaqueCause::UnknownText, run.raw);
    }
}
