//! Front ends of registries, environments, containers, clusters and clouds: some of their commands
//! speak to a host, some run programs.
//!
//! Sources: the manuals of the programs. What a package's scripts or an image run is not looked
//! into.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::arguments::{Arguments, Mark, Means, Opt, Style, opt};
use super::options::is_value_option;
use super::runners::nix;
use super::table::{Does, Row, Run, row};
use super::{Field, Stdin};
use crate::effect::Access;

/// Options of runners of packages.
pub(super) const PACKAGE: &[Opt] = &[
    opt("-c --call --shell-mode", Means::Is(Mark::Script)),
    opt(
        "-p --package -w --workspace --prefix --from --with --python --spec --index-url --registry",
        Means::Value,
    ),
];
const UV: &[Opt] = &[
    opt("-m --module", Means::Last(Mark::Nothing)),
    opt(
        "--with --with-editable --with-requirements --env-file -p --python --project \
             --directory --extra --group --package --index --default-index -C --config-setting \
             --color --cache-dir --only-group --no-group --no-extra",
        Means::Value,
    ),
];
const ENVIRONMENT: &[Opt] = &[opt(
    "-n --name -p --prefix --cwd --project -d --duration -r --region --env --config -C \
         --directory --gemfile",
    Means::Value,
)];
/// Options of Nix with a command.
pub(super) const NIX: &[Opt] = &[opt("--run --command -c", Means::Is(Mark::Command))];
const CONTAINER: &[Opt] = &[
    opt("-v --volume --mount", Means::Is(Mark::Into)),
    opt("--entrypoint", Means::Is(Mark::Command)),
    opt("--env-file --label-file", Means::File(Access::Read)),
    opt("--cidfile", Means::File(Access::Write)),
    opt(
        "-e --env -w --workdir -u --user --name -h --hostname -p --publish --network --net -m \
             --memory -c --cpu-shares --cpus -l --label --platform --pull --restart --add-host \
             --cap-add --cap-drop --device --dns --gpus --ip --ipc --pid --log-driver \
             --log-opt --security-opt --shm-size --tmpfs --ulimit --userns --runtime \
             --stop-signal --volumes-from --link --expose --group-add --detach-keys -a \
             --attach --cgroup-parent --health-cmd --sysctl --index -n --namespace -f \
             --filename --container --project-name",
        Means::Value,
    ),
];
const TMUX: &[Opt] = &[opt(
    "-c -s -t -n -e -x -y -F -f -l -L -S -T -d",
    Means::Value,
)];
const TMUX_NEW: &[Opt] = &[opt("-c -s -t -n -e -x -y -F -f -l", Means::Value)];

/// Front ends.
pub(super) const TABLE: &[Row] = &[
    row(
        "npm pnpm yarn uv poetry pipenv pdm rye hatch pixi pipx bundle mise rtx asdf rbenv \
             pyenv nodenv direnv conda mamba micromamba nix op aws-vault doppler docker podman \
             nerdctl kubectl oc tmux docker-compose",
        Style::Mixed,
        &[],
        Does::By(front),
    ),
    row(
        "pip pip3 cargo go gem apt apt-get brew dnf yum apk pacman composer helm rustup snap \
             flatpak",
        Style::Mixed,
        &[],
        Does::By(front),
    ),
    row(
        "gh glab aws gcloud az terraform tofu gsutil doctl flyctl fly vercel netlify heroku \
             wrangler firebase psql mysql redis-cli mongosh",
        Style::Mixed,
        &[],
        Does::By(front),
    ),
];

/// A command of a front end that runs a program.
struct Runs {
    programs: &'static str,
    commands: &'static str,
    options: &'static [Opt],
    /// Operands before the program: an image, a profile.
    skip: usize,
    how: How,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum How {
    /// Here, as an argument list.
    Here,
    /// In a container or on another machine.
    Elsewhere,
    /// Here, as one text for a shell.
    Shell,
    /// Here, typed into a terminal: words without blanks in between, and names of keys.
    Keys,
    /// Here, by an option.
    Option,
}

const fn runs(
    programs: &'static str,
    commands: &'static str,
    options: &'static [Opt],
    skip: usize,
    how: How,
) -> Runs {
    Runs {
        programs,
        commands,
        options,
        skip,
        how,
    }
}

const RUNS: &[Runs] = &[
    runs("npm pnpm yarn", "exec x dlx", PACKAGE, 0, How::Here),
    runs("pipx", "run", PACKAGE, 0, How::Here),
    runs("uv", "run", UV, 0, How::Here),
    runs("uv", "tool", UV, 1, How::Here),
    runs(
        "poetry pipenv pdm rye hatch pixi",
        "run",
        ENVIRONMENT,
        0,
        How::Here,
    ),
    runs(
        "bundle rbenv pyenv nodenv asdf",
        "exec",
        ENVIRONMENT,
        0,
        How::Here,
    ),
    runs("mise rtx", "exec x", ENVIRONMENT, 0, How::Here),
    runs("direnv aws-vault", "exec", ENVIRONMENT, 1, How::Here),
    runs(
        "conda mamba micromamba op doppler",
        "run",
        ENVIRONMENT,
        0,
        How::Here,
    ),
    runs("nix", "develop shell", NIX, 0, How::Option),
    runs(
        "docker podman nerdctl",
        "run create exec container",
        CONTAINER,
        1,
        How::Elsewhere,
    ),
    runs(
        "docker-compose docker",
        "compose run exec",
        CONTAINER,
        1,
        How::Elsewhere,
    ),
    runs("kubectl oc", "exec run debug", CONTAINER, 1, How::Elsewhere),
    runs(
        "tmux",
        "new-session new new-window neww split-window splitw respawn-pane respawn-window popup \
             display-popup",
        TMUX_NEW,
        0,
        How::Shell,
    ),
    runs(
        "tmux",
        "run-shell run if-shell if pipe-pane pipep",
        TMUX,
        0,
        How::Shell,
    ),
    runs(
        "tmux",
        "send-keys send",
        &[opt("-t -N -c", Means::Value)],
        0,
        How::Keys,
    ),
];

/// Programs, and their commands that speak to a host; none for all.
const NETWORK: &[(&str, &str)] = &[
    (
        "npm pnpm yarn",
        "install i in ins add ci update up upgrade publish unpublish view info show search s \
             audit outdated login adduser logout whoami ping deprecate dist-tag access owner \
             team token create init fetch exec dlx x",
    ),
    ("uv", "add sync lock pip tool publish python self"),
    (
        "poetry pipenv pdm rye hatch pixi",
        "install add update lock sync publish search remove self upgrade fetch",
    ),
    ("pipx", "install upgrade upgrade-all inject run reinstall"),
    ("pip pip3", "install download wheel index search"),
    ("bundle", "install update outdated add"),
    (
        "cargo",
        "install add fetch update publish search login logout yank owner info",
    ),
    ("go", "get install mod"),
    ("gem", "install update fetch push search yank outdated"),
    (
        "composer",
        "install require update global search create-project",
    ),
    (
        "rustup",
        "update install toolchain component target self default",
    ),
    ("conda mamba micromamba", "install create update search env"),
    ("nix", "build develop shell run flake profile"),
    (
        "apt apt-get",
        "update install upgrade dist-upgrade full-upgrade download source build-dep",
    ),
    (
        "dnf yum",
        "install update upgrade download search makecache",
    ),
    ("apk", "add update upgrade fetch"),
    ("pacman", "-S -Sy -Syu -Syyu"),
    ("brew", "install update upgrade fetch tap search reinstall"),
    ("snap flatpak", "install update refresh search download"),
    (
        "docker podman nerdctl",
        "pull push login build buildx search run",
    ),
    ("docker-compose", "pull push build up"),
    ("mise rtx asdf", "install use upgrade plugin"),
    (
        "helm",
        "install upgrade repo pull push search list uninstall rollback status get test dependency",
    ),
    (
        "kubectl oc gh glab aws gcloud az terraform tofu gsutil doctl flyctl fly vercel \
             netlify heroku wrangler firebase op doppler aws-vault psql mysql redis-cli \
             mongosh",
        "",
    ),
];

fn among(list: &str, name: &str) -> bool {
    list.split(' ').any(|known| known == name)
}

/// Commands that speak to a host, by the programs that have them.
static SPEAKING: LazyLock<HashMap<&str, Vec<&str>>> = LazyLock::new(|| {
    let mut all: HashMap<&str, Vec<&str>> = HashMap::new();
    for (programs, commands) in NETWORK {
        for program in programs.split(' ') {
            all.entry(program).or_default().push(commands);
        }
    }
    all
});

/// Commands that run a program, by the programs that have them.
static RUNNING: LazyLock<HashMap<&str, Vec<&Runs>>> = LazyLock::new(|| {
    let mut all: HashMap<&str, Vec<&Runs>> = HashMap::new();
    for row in RUNS {
        for program in row.programs.split(' ') {
            all.entry(program).or_default().push(row);
        }
    }
    all
});

fn speaks(program: &str, command: &str) -> bool {
    let rows = SPEAKING.get(program);
    rows.is_some_and(|rows| rows.iter().any(|row| row.is_empty() || among(row, command)))
}

/// The position of the command among the arguments, global options skipped.
fn command_at(program: &str, args: &[Field]) -> Option<usize> {
    let mut at = 0;
    while let Some(field) = args.get(at) {
        let text = field.text.as_str();
        if !text.starts_with('-') || program == "pacman" {
            return Some(at);
        }
        at += if is_value_option(program, text) { 2 } else { 1 };
    }
    None
}

fn front(_: &Arguments, run: &mut Run<'_>) {
    let program = run.program;
    if among("psql mysql", program) {
        database_client(run);
    }
    let at = command_at(program, run.args);
    let Some((command, rest)) = at.and_then(|at| run.args.get(at..)?.split_first()) else {
        return;
    };
    if !command.known {
        run.unknown_arguments();
        return;
    }
    let name = command.text.as_str();
    let local = matches!(
        name,
        "--version" | "version" | "help" | "completion" | "fmt" | "validate"
    );
    if speaks(program, name) && !local {
        run.network();
    }
    if among(
        "docker podman nerdctl kubectl oc aws gsutil gcloud az",
        program,
    ) {
        transfer(run.args, run);
    }
    let rows = RUNNING.get(program).into_iter().flatten();
    if let Some(row) = rows.copied().find(|row| among(row.commands, name)) {
        inner(row, name, rest, run);
    }
}

/// What a front end runs in turn.
fn inner(row: &Runs, name: &str, args: &[Field], run: &mut Run<'_>) {
    // A command of two words: `docker compose exec`, `uv tool run`.
    if matches!(name, "container" | "compose") {
        let runs = |field: &Field| matches!(field.text.as_str(), "run" | "exec");
        if let Some(at) = args.iter().position(runs) {
            inner(row, "exec", &args[at + 1..], run);
        }
        return;
    }
    let dashes = args.iter().position(|field| field.text == "--");
    if name == "tool" && args.first().is_none_or(|field| field.text != "run") {
        return;
    }
    let read = Arguments::read(Style::Leading, row.options, args);
    run.options(&read);
    run.each_text(read.values(Mark::Script));
    volumes(&read, run);
    let mut argv: Vec<Field> = match dashes {
        Some(at) if !matches!(row.how, How::Shell | How::Keys) => {
            args.get(at + 1..).unwrap_or_default().to_vec()
        }
        _ => read.operands().skip(row.skip).cloned().collect(),
    };
    if name == "tool" {
        let after = Arguments::read(Style::Leading, row.options, &argv);
        argv = after.operands().cloned().collect();
    }
    if matches!(run.program, "mise" | "rtx") && dashes.is_none() {
        argv.clear();
    }
    match row.how {
        How::Here => run.command(&argv),
        How::Shell => run.joined(&argv),
        How::Keys => typed(&argv, run),
        How::Option => nix(&read, run),
        How::Elsewhere => {
            let raw = run.raw;
            let entry: Vec<Field> = read.values(Mark::Command).cloned().collect();
            let argv: Vec<Field> = entry.into_iter().chain(argv).collect();
            let dashed = argv
                .first()
                .is_some_and(|first| first.text.starts_with('-'));
            if !argv.is_empty() && !dashed {
                run.around.elsewhere(&mut |around| around.run(&argv, raw));
            }
        }
    }
}

/// Keys by their names, all else as text.
fn typed(words: &[Field], run: &mut Run<'_>) {
    let key = |field: &Field| match field.text.as_str() {
        "Enter" | "C-m" | "KPEnter" | "C-j" => "\n".to_owned(),
        "Space" => " ".to_owned(),
        text => text.to_owned(),
    };
    let text: String = words.iter().map(key).collect();
    let known = words.iter().all(|word| word.known);
    let text = if known {
        Field::known(text)
    } else {
        Field::unknown(text)
    };
    if !words.is_empty() {
        run.text(&text);
    }
}

/// `cp` and its kin between this machine and a container or a store: what has no host or container
/// before it lies here.
fn transfer(args: &[Field], run: &mut Run<'_>) {
    let verbs = ["cp", "sync", "mv", "rsync"];
    let Some(at) = args
        .iter()
        .take(3)
        .position(|field| verbs.contains(&field.text.as_str()))
    else {
        return;
    };
    let is_local = |field: &Field| !field.text.contains(':') && field.text != "-";
    let paths: Vec<&Field> = args[at + 1..]
        .iter()
        .filter(|field| !field.text.starts_with('-'))
        .collect();
    if let Some((destination, sources)) = paths.split_last() {
        run.each(
            Access::Read,
            sources.iter().copied().filter(|field| is_local(field)),
            true,
        );
        run.each(
            Access::Write,
            is_local(destination).then_some(*destination),
            true,
        );
    }
}

/// Commands of a database's client itself, which run programs and name files.
fn database_client(run: &mut Run<'_>) {
    let reaches_out = |text: &str| {
        ["\\!", "\\o", "\\copy", "\\w", "\\g", "\\i", "\\T"]
            .iter()
            .any(|command| text.contains(command))
            || text.lines().any(|line| {
                let word = line.trim_start().split(' ').next().unwrap_or_default();
                matches!(word, "system" | "tee" | "source" | "pager" | "edit")
            })
    };
    let typed = match run.around.stdin() {
        Stdin::Text(text) => reaches_out(text),
        _ => false,
    };
    if typed || run.args.iter().any(|arg| reaches_out(&arg.text)) {
        run.code();
    }
    let output = ["-o", "--output", "-L", "--log-file", "--tee"];
    let mut args = run.args.iter();
    while let Some(arg) = args.next() {
        let (name, value) = match arg.text.split_once('=') {
            Some((name, _)) => (name, Some(arg.after(&arg.text[..=name.len()]))),
            None => (arg.text.as_str(), None),
        };
        if output.contains(&name)
            && let Some(file) = value.or_else(|| args.next().cloned())
        {
            run.touch(Access::Write, &file, false);
        }
    }
}

/// Folders of this machine that a container may change.
fn volumes(read: &Arguments, run: &mut Run<'_>) {
    for volume in read.values(Mark::Into) {
        let text = volume.text.as_str();
        let source = text.split(',').find_map(|part| {
            part.strip_prefix("source=")
                .or_else(|| part.strip_prefix("src="))
        });
        let source = source.or_else(|| text.split_once(':').map(|(source, _)| source));
        let Some(source) = source.filter(|source| source.starts_with(['/', '.', '~', '$'])) else {
            continue;
        };
        let read_only = text.ends_with(":ro") || text.contains(",readonly") || text.contains(",ro");
        let access = if read_only {
            Access::Read
        } else {
            Access::Write
        };
        run.touch(
            access,
            &Field {
                text: source.to_owned(),
                ..volume.clone()
            },
            true,
        );
    }
}
