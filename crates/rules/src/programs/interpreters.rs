//! Interpreters of other languages. What a program of another language does is not looked into:
//! code that stands in the call is told as such, a program in a file is a file that is read.
//!
//! Sources: the manuals of the interpreters, each with the options that take code or a value.

use super::Stdin;
use super::arguments::{Arguments, Mark, Means, Opt, Style, opt};
use super::table::{Does, Row, Run, row};
use crate::effect::Access;

const PYTHON: &[Opt] = &[
    opt("-c", Means::Last(Mark::Script)),
    opt("-m", Means::Last(Mark::Other)),
    opt("-V --version -h --help", Means::Flag(Mark::Nothing)),
    opt("-W -X -Q --check-hash-based-pycs", Means::Value),
];
const NODE: &[Opt] = &[
    opt("-e --eval -p --print -pe", Means::Is(Mark::Script)),
    opt(
        "-r --require --import --loader --experimental-loader --env-file",
        Means::File(Access::Read),
    ),
    opt("-v --version -h --help", Means::Flag(Mark::Nothing)),
    opt("--run --test --watch-path", Means::Maybe(Mark::Other)),
    opt(
        "-C --conditions --input-type --title --stack-trace-limit --inspect-port --tsconfig -O \
             --compiler-options -P --project",
        Means::Value,
    ),
];
const PERL: &[Opt] = &[
    opt("-e -E", Means::Is(Mark::Script)),
    opt("-i", Means::Maybe(Mark::InPlace)),
    opt("-I", Means::Value),
    opt("-M -m", Means::Is(Mark::Keep)),
    opt("-F -C -x -D -d", Means::Maybe(Mark::Other)),
    opt("-v -V", Means::Flag(Mark::Nothing)),
];
const RUBY: &[Opt] = &[
    opt("-e", Means::Is(Mark::Script)),
    opt("-i", Means::Maybe(Mark::InPlace)),
    opt("-r -I -C -X -E --encoding", Means::Value),
    opt("-F -x", Means::Maybe(Mark::Other)),
    opt("-v --version -h --help", Means::Flag(Mark::Nothing)),
];
const PHP: &[Opt] = &[
    opt(
        "-r --run -B --process-begin -R --process-code -E --process-end",
        Means::Is(Mark::Script),
    ),
    opt("-f --file -F --process-file", Means::Is(Mark::ScriptFile)),
    opt(
        "-S --server -i --info -v --version -m --modules",
        Means::Flag(Mark::Nothing),
    ),
    opt("-l --syntax-check", Means::Flag(Mark::Keep)),
    opt("-d --define -c --php-ini -t --docroot -z", Means::Value),
];
const LUA: &[Opt] = &[
    opt("-e", Means::Is(Mark::Script)),
    opt("-l -j -O", Means::Value),
    opt("-v", Means::Flag(Mark::Nothing)),
];
const WITH_E: &[Opt] = &[
    opt("-e -E --eval --print -p", Means::Is(Mark::Script)),
    opt("-L --load -i", Means::File(Access::Read)),
    opt("-v --version -h --help", Means::Flag(Mark::Nothing)),
    opt(
        "-l --project --threads -J --sysimage --default-packages",
        Means::Maybe(Mark::Other),
    ),
];
const OSASCRIPT: &[Opt] = &[
    opt("-e", Means::Is(Mark::Script)),
    opt("-l -s", Means::Value),
];
const POWERSHELL: &[Opt] = &[
    opt(
        "-Command -command -c -C -EncodedCommand -encodedcommand -e -ec -enc",
        Means::Last(Mark::Script),
    ),
    opt("-File -file -f", Means::Last(Mark::ScriptFile)),
    opt(
        "-ExecutionPolicy -executionpolicy -ep -WorkingDirectory -wd -OutputFormat \
             -InputFormat -WindowStyle",
        Means::Value,
    ),
];
const EXPECT: &[Opt] = &[
    opt("-c", Means::Is(Mark::Script)),
    opt("-f", Means::Is(Mark::ScriptFile)),
    opt("-v", Means::Flag(Mark::Nothing)),
];

const GNUPLOT: &[Opt] = &[
    opt("-e", Means::Is(Mark::Script)),
    opt("-V --version -h --help", Means::Flag(Mark::Nothing)),
];
const M4: &[Opt] = &[opt(
    "-D --define -U --undefine -I --include -F --freeze-state -L --nesting-limit -H --hashsize",
    Means::Value,
)];

/// Interpreters.
pub(super) const TABLE: &[Row] = &[
    row(
        "python pythonw pypy ipython micropython jython",
        Style::Leading,
        PYTHON,
        Does::By(python),
    ),
    row(
        "node nodejs tsx ts-node",
        Style::Leading,
        NODE,
        Does::By(script),
    ),
    row("deno", Style::Leading, &[], Does::By(deno)),
    row("bun", Style::Leading, NODE, Does::By(bun)),
    row("perl", Style::Leading, PERL, Does::By(script)),
    row("ruby jruby", Style::Leading, RUBY, Does::By(script)),
    row("php", Style::Leading, PHP, Does::By(script)),
    row("lua luajit", Style::Leading, LUA, Does::By(script)),
    row(
        "Rscript R julia elixir erl groovy scala swift ghc runghc racket guile jshell raku crystal",
        Style::Leading,
        WITH_E,
        Does::By(script),
    ),
    row("osascript", Style::Leading, OSASCRIPT, Does::By(script)),
    row(
        "pwsh powershell",
        Style::OneDash,
        POWERSHELL,
        Does::By(script),
    ),
    row("octave", Style::Leading, WITH_E, Does::By(script)),
    row("gnuplot", Style::Leading, GNUPLOT, Does::By(script)),
    row("m4", Style::Mixed, M4, Does::By(macros)),
    row(
        "tclsh wish expect",
        Style::Leading,
        EXPECT,
        Does::By(script),
    ),
];

/// Code in the call, code from the standard input, or a program in a file with its arguments.
fn script(read: &Arguments, run: &mut Run<'_>) {
    let code = read.has(Mark::Script)
        || read
            .values(Mark::Keep)
            .any(|module| module.text.contains([' ', ';', '(']));
    let mut files = read.operands();
    if code {
        run.code();
    } else if !read.has(Mark::ScriptFile) {
        program(files.next(), read.has(Mark::Nothing), run);
    }
    if read.has(Mark::InPlace) {
        for file in files {
            run.touch(Access::Read, file, false);
            run.touch(Access::Write, file, false);
        }
    }
}

/// The program: a file, or else the standard input where there is one.
fn program(file: Option<&super::Field>, nothing: bool, run: &mut Run<'_>) {
    match file {
        Some(file) if !file.known => {
            run.touch(Access::Read, file, false);
            run.code();
        }
        Some(file) if file.pipe => run.code(),
        Some(file) if file.text != "-" && file.text != "/dev/stdin" => {
            run.touch(Access::Read, file, false);
        }
        Some(_) => run.code(),
        None if !nothing && *run.around.stdin() != Stdin::Inherited => run.code(),
        None => {}
    }
}

/// `-m` runs an installed module, which is not looked into.
fn python(read: &Arguments, run: &mut Run<'_>) {
    if !read.has(Mark::Other) {
        return script(read, run);
    }
    let module = read.values(Mark::Other).next();
    if module.is_some_and(|module| module.text == "pip") {
        let args: Vec<super::Field> = read.operands().cloned().collect();
        let mut argv = vec![super::Field::known("pip")];
        argv.extend(args);
        run.command(&argv);
    } else if module.is_some_and(|module| !module.known) {
        run.unknown_arguments();
    }
}

/// `m4` reads texts that may run commands (`syscmd`), from files or the standard input.
fn macros(read: &Arguments, run: &mut Run<'_>) {
    run.each(Access::Read, read.operands(), false);
    let inline = *run.around.stdin() != Stdin::Inherited;
    if inline && read.operands().all(|file| file.text == "-") || read.operands().any(|f| f.pipe) {
        run.code();
    }
}

fn deno(read: &Arguments, run: &mut Run<'_>) {
    let words: Vec<&super::Field> = read.operands().collect();
    let options = |field: &&&super::Field| !field.text.starts_with('-') || field.text == "-";
    match words.first().map(|field| field.text.as_str()) {
        Some("eval" | "repl") => run.code(),
        Some("run" | "serve" | "test" | "bench") => match words.iter().skip(1).find(options) {
            Some(file) if file.text.contains("://") => run.address(file),
            file => program(file.copied(), false, run),
        },
        Some("install" | "add" | "cache" | "publish" | "upgrade" | "outdated" | "update") => {
            run.network();
        }
        Some(text) if text.contains(['.', '/']) || text == "-" => {
            program(words.first().copied(), false, run);
        }
        None => program(None, false, run),
        Some(_) => {}
    }
}

fn bun(read: &Arguments, run: &mut Run<'_>) {
    let mut words = read.operands();
    match words.next().map(|field| field.text.as_str()) {
        Some("x") => {
            let argv: Vec<super::Field> = words
                .skip_while(|field| field.text.starts_with('-'))
                .cloned()
                .collect();
            run.command(&argv);
        }
        Some("exec") => run.each_text(words),
        Some(
            "install" | "i" | "add" | "update" | "publish" | "create" | "upgrade" | "outdated"
            | "pm" | "audit" | "info",
        ) => run.network(),
        Some("run") => {
            let file = words.find(|field| !field.text.starts_with('-') || field.text == "-");
            if file.is_some_and(|file| file.text == "-" || file.text.contains(['.', '/'])) {
                program(file, false, run);
            }
        }
        Some("test" | "build" | "remove" | "rm" | "link" | "unlink" | "init") => {}
        _ => script(read, run),
    }
}
