//! Programs that read, make, change or remove the files that they name.
//!
//! Sources: the manuals of coreutils, util-linux, moreutils, acl, diffutils, file, less, jq, yq,
//! sqlite, at and cron, and patch. What is not known about an argument is told as an unknown path
//! of the kind that the program would touch.

use super::arguments::{Mark, Means, Opt, Style, opt};
use super::file_actions;
use super::table::{Does, Row, row};
use crate::effect::Access;

const READ: Access = Access::Read;
const WRITE: Access = Access::Write;
const DELETE: Access = Access::Delete;
const RECURSIVE: Opt = opt("-r -R --recursive", Means::Flag(Mark::Recursive));

const VIEWS: &[Opt] = &[
    opt("--files0-from", Means::File(READ)),
    opt(
        "-l --language -r --line-range -m --map-syntax --theme --style --tabs --wrap -H",
        Means::Value,
    ),
];

const STRINGS: &[Opt] = &[opt(
    "-n --bytes -t --radix -e --encoding -T --target -s -U",
    Means::Value,
)];

const HEAD: &[Opt] = &[opt(
    "-n --lines -c --bytes -s --sleep-interval --pid --max-unchanged-stats",
    Means::Value,
)];

const CUT: &[Opt] = &[opt(
    "-d --delimiter --delimiters -f --fields -b --bytes -c --characters --output-delimiter",
    Means::Value,
)];

const DELIMITER: &[Opt] = &[opt("-d --delimiters --output-delimiter", Means::Value)];

const JOIN: &[Opt] = &[opt("-t -1 -2 -j -o -e -a -v", Means::Value)];

const WIDTHS: &[Opt] = &[opt(
    "-t --tabs -w --width -g --goal -p --prefix",
    Means::Value,
)];

const PR: &[Opt] = &[opt(
    "-D --date-format -h --header -l --length -N -o --indent -w --width -W",
    Means::Value,
)];

const COLUMN: &[Opt] = &[opt(
    "-s --separator -o --output-separator -c --output-width -N -R -T -E -H -O -W",
    Means::Value,
)];

const OD: &[Opt] = &[opt(
    "-A --address-radix -j --skip-bytes -N --read-bytes -t --format -n -s -e",
    Means::Value,
)];

const DIFF: &[Opt] = &[
    RECURSIVE,
    opt(
        "-U -C -W --width -I --ignore-matching-lines -x --exclude -S --starting-file -F \
         --show-function-line --label -L --tabsize --horizon-lines",
        Means::Value,
    ),
    opt("-X --exclude-from --from-file --to-file", Means::File(READ)),
    opt("-o --output", Means::File(WRITE)),
];

const CMP: &[Opt] = &[opt("-i --ignore-initial -n --bytes", Means::Value)];

const LS: &[Opt] = &[
    opt("-R --recursive", Means::Flag(Mark::Recursive)),
    opt(
        "-I --ignore -w --width -T --tabsize --hide --sort --time --time-style --format \
         --block-size --indicator-style --quoting-style",
        Means::Value,
    ),
];

const TREE: &[Opt] = &[
    opt(
        "-L -P -I --filelimit --charset --timefmt --sort",
        Means::Value,
    ),
    opt("-o", Means::File(WRITE)),
];

const DU: &[Opt] = &[
    opt(
        "-d --max-depth --exclude -t --threshold -B --block-size --time-style",
        Means::Value,
    ),
    opt("-X --exclude-from --files0-from", Means::File(READ)),
];

const STAT: &[Opt] = &[opt(
    "-c --format --printf --relative-to --relative-base",
    Means::Value,
)];

const FILE: &[Opt] = &[
    opt("-m --magic-file -f --files-from", Means::File(READ)),
    opt("-F --separator -P --parameter -e --exclude", Means::Value),
];

const OUTPUT: &[Opt] = &[opt("-o --output --out-dir", Means::File(WRITE))];
const COMPILE: &[Opt] = &[opt("-o -MF", Means::File(WRITE))];
const SORT: &[Opt] = &[
    opt("-o --output", Means::File(WRITE)),
    opt("--files0-from --random-source", Means::File(READ)),
    opt("--compress-program", Means::Text),
    opt(
        "-k --key -t --field-separator -S --buffer-size -T --temporary-directory --parallel \
         --batch-size --sort",
        Means::Value,
    ),
];

const UNIQ: &[Opt] = &[opt(
    "-f --skip-fields -s --skip-chars -w --check-chars",
    Means::Value,
)];

const XXD: &[Opt] = &[opt(
    "-c -cols -g -groupsize -l -len -o -s -seek -n -name -R",
    Means::Value,
)];

const LESS: &[Opt] = &[
    opt("-o -O --log-file --LOG-FILE", Means::File(WRITE)),
    opt("-k --lesskey-file --lesskey-src", Means::File(READ)),
    opt(
        "-p --pattern -t --tag -j -x --tabs -P --prompt -y -z -D -b -h",
        Means::Value,
    ),
];

const CHECKSUM: &[Opt] = &[opt("-a --algorithm -l --length", Means::Value)];

const BASE: &[Opt] = &[opt("-w --wrap", Means::Value)];

const TEE: &[Opt] = &[opt("--output-error", Means::Maybe(Mark::Other))];

const TOUCH: &[Opt] = &[
    opt("-d --date -t --time", Means::Value),
    opt("-r --reference", Means::File(READ)),
];

const TRUNCATE: &[Opt] = &[
    opt("-s --size -l --length -o --offset", Means::Value),
    opt("-r --reference", Means::File(READ)),
];

const MKDIR: &[Opt] = &[opt("-m --mode --context", Means::Value)];

const MKTEMP: &[Opt] = &[
    opt("-p", Means::Is(Mark::Into)),
    opt("--tmpdir", Means::Maybe(Mark::Into)),
    opt("--suffix", Means::Value),
];

const SHRED: &[Opt] = &[
    opt("-n --iterations -s --size", Means::Value),
    opt("--random-source", Means::File(READ)),
    opt("-u --remove", Means::Maybe(Mark::Delete)),
];

const CHMOD: &[Opt] = &[
    opt("-R --recursive", Means::Flag(Mark::Recursive)),
    opt("--reference", Means::Is(Mark::Script)),
    opt("--from", Means::Value),
];

const SETFACL: &[Opt] = &[
    RECURSIVE,
    opt("-m --modify -x --remove --set -n -v", Means::Value),
    opt(
        "-M --modify-file -X --remove-file --set-file",
        Means::File(READ),
    ),
    opt("--restore", Means::Is(Mark::Other)),
];

const CHATTR: &[Opt] = &[
    opt("-R", Means::Flag(Mark::Recursive)),
    opt("-v -p", Means::Value),
];

const JQ: &[Opt] = &[
    opt("-f --from-file", Means::Is(Mark::ScriptFile)),
    opt("-L --indent --seq --library-path", Means::Value),
    opt("--arg --argjson", Means::Pair),
    opt("--slurpfile --rawfile", Means::PairFile(READ)),
];

const YQ: &[Opt] = &[
    opt("-i --inplace --in-place", Means::Flag(Mark::InPlace)),
    opt("--from-file", Means::Is(Mark::ScriptFile)),
    opt(
        "-p --input-format -o --output-format -I --indent -s --split-exp",
        Means::Value,
    ),
    opt("--arg --argjson", Means::Pair),
];

const PATCH: &[Opt] = &[
    opt("-i --input", Means::Is(Mark::Input)),
    opt("-o --output -r --reject-file", Means::Is(Mark::Output)),
    opt("-d --directory", Means::Is(Mark::Directory)),
    opt("--dry-run", Means::Flag(Mark::Nothing)),
    opt(
        "-p --strip -F --fuzz -B --prefix -z --suffix -V --version-control -D --ifdef -g --get",
        Means::Value,
    ),
];

const SPLIT: &[Opt] = &[
    opt("--filter", Means::Text),
    opt("-f --prefix", Means::Is(Mark::Output)),
    opt(
        "-a --suffix-length -b --bytes -C --line-bytes -l --lines -n --number --digits -t \
         --separator --additional-suffix --suffix-format",
        Means::Value,
    ),
];

const SQLITE: &[Opt] = &[
    opt("-init", Means::File(READ)),
    opt("-cmd", Means::Is(Mark::Script)),
    opt(
        "-separator -newline -nullvalue -mmap -vfs -lookaside -pagecache -heap",
        Means::Value,
    ),
    opt("-readonly", Means::Flag(Mark::Keep)),
];

const AT: &[Opt] = &[
    opt("-f", Means::Is(Mark::ScriptFile)),
    opt("-l -d -r -c", Means::Flag(Mark::Nothing)),
    opt("-q -t", Means::Value),
];

const CRONTAB: &[Opt] = &[
    opt("-u -s -x", Means::Value),
    opt("-l -e -r -i", Means::Flag(Mark::Nothing)),
];

const KEYGEN: &[Opt] = &[
    opt("-f", Means::Is(Mark::Output)),
    opt("-l -L -y -B -F -Q", Means::Flag(Mark::Keep)),
    opt(
        "-t -b -N -C -P -m -O -a -E -I -n -s -V -Y -Z -z -D -w -W -M",
        Means::Value,
    ),
];

const AGE: &[Opt] = &[
    opt("-o --output", Means::File(WRITE)),
    opt("-i --identity -R --recipients-file", Means::File(READ)),
    opt("-r --recipient -j", Means::Value),
];

const DUMP: &[Opt] = &[
    opt("-f --file -r --result-file", Means::File(WRITE)),
    opt(
        "-h --host -p --port -U --username -d --dbname -t --table -n --schema -F --format",
        Means::Value,
    ),
];

const FORMAT: &[Opt] = &[
    opt("--check --diff", Means::Flag(Mark::Keep)),
    opt(
        "-l --line-length -t --target-version --edition --emit",
        Means::Value,
    ),
];

const FIX: &[Opt] = &[
    opt(
        "-w --write -i --in-place --inplace --fix",
        Means::Flag(Mark::InPlace),
    ),
    opt(
        "-c --config --parser --ext --rule --style --simplify -ln",
        Means::Value,
    ),
];

/// Programs and what they do with the files that they name.
pub(super) const TABLE: &[Row] = &[
    row(
        "cat tac nl rev zcat bzcat xzcat zstdcat bat batcat tsort ptx comm",
        Style::Mixed,
        VIEWS,
        Does::Each(READ),
    ),
    row("strings", Style::Mixed, STRINGS, Does::Each(READ)),
    row("head tail", Style::Mixed, HEAD, Does::Each(READ)),
    row("cut", Style::Mixed, CUT, Does::Each(READ)),
    row("paste", Style::Mixed, DELIMITER, Does::Each(READ)),
    row("join", Style::Mixed, JOIN, Does::Each(READ)),
    row(
        "expand unexpand fold fmt",
        Style::Mixed,
        WIDTHS,
        Does::Each(READ),
    ),
    row("pr", Style::Mixed, PR, Does::Each(READ)),
    row("column", Style::Mixed, COLUMN, Does::Each(READ)),
    row(
        "look",
        Style::Mixed,
        &[opt("-t --terminate", Means::Value)],
        Does::AfterFirst(READ),
    ),
    row("od hexdump hd hexyl", Style::Mixed, OD, Does::Each(READ)),
    row(
        "wc",
        Style::Mixed,
        &[opt("--files0-from", Means::File(READ))],
        Does::Each(READ),
    ),
    row(
        "diff diff3 sdiff colordiff",
        Style::Mixed,
        DIFF,
        Does::Each(READ),
    ),
    row("cmp", Style::Mixed, CMP, Does::Each(READ)),
    row("ls dir vdir eza exa lsd", Style::Mixed, LS, Does::List),
    row("tree", Style::Mixed, TREE, Does::Trees(READ)),
    row("du ncdu", Style::Mixed, DU, Does::Trees(READ)),
    row(
        "stat readlink realpath namei lsattr getfacl",
        Style::Mixed,
        STAT,
        Does::Each(READ),
    ),
    row("file", Style::Mixed, FILE, Does::Each(READ)),
    row(
        "ssh-keygen",
        Style::Mixed,
        KEYGEN,
        Does::By(file_actions::key),
    ),
    row("age age-keygen", Style::Mixed, AGE, Does::Each(READ)),
    row(
        "pg_dump pg_dumpall mysqldump",
        Style::Mixed,
        DUMP,
        Does::Network,
    ),
    row(
        "black isort rustfmt dos2unix unix2dos strip",
        Style::Mixed,
        FORMAT,
        Does::By(file_actions::format),
    ),
    row(
        "prettier eslint gofmt goimports shfmt clang-format autopep8 sops",
        Style::Mixed,
        FIX,
        Does::By(file_actions::fix),
    ),
    row("sort", Style::Mixed, SORT, Does::Each(READ)),
    row("uniq", Style::Mixed, UNIQ, Does::ReadThenWrite),
    row("xxd", Style::OneDash, XXD, Does::ReadThenWrite),
    row(
        "less more most pg zless",
        Style::Mixed,
        LESS,
        Does::By(file_actions::pager),
    ),
    row("base64 base32 basenc", Style::Mixed, BASE, Does::Each(READ)),
    row(
        "md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum b3sum cksum sum shasum",
        Style::Mixed,
        CHECKSUM,
        Does::Each(READ),
    ),
    row("tee sponge", Style::Mixed, TEE, Does::Each(WRITE)),
    row("touch", Style::Mixed, TOUCH, Does::Each(WRITE)),
    row(
        "truncate fallocate",
        Style::Mixed,
        TRUNCATE,
        Does::Each(WRITE),
    ),
    row("mkdir mkfifo", Style::Mixed, MKDIR, Does::Each(WRITE)),
    row(
        "mknod",
        Style::Mixed,
        MKDIR,
        Does::By(file_actions::make_node),
    ),
    row(
        "mktemp",
        Style::Mixed,
        MKTEMP,
        Does::By(file_actions::make_temporary),
    ),
    row(
        "rm srm trash",
        Style::Mixed,
        &[RECURSIVE],
        Does::Each(DELETE),
    ),
    row("rmdir unlink", Style::Mixed, &[], Does::Each(DELETE)),
    row("link", Style::Mixed, &[], Does::Each(WRITE)),
    row(
        "gcc cc g++ c++ clang clang++ gfortran ld as bison flex nasm",
        Style::OneDash,
        COMPILE,
        Does::Nothing,
    ),
    row("rustc pandoc iconv", Style::Mixed, OUTPUT, Does::Nothing),
    row("shred", Style::Mixed, SHRED, Does::By(file_actions::shred)),
    row(
        "chmod",
        Style::Mixed,
        CHMOD,
        Does::By(file_actions::change_mode),
    ),
    row(
        "chown chgrp chcon",
        Style::Mixed,
        CHMOD,
        Does::By(file_actions::change_mode),
    ),
    row(
        "setfacl",
        Style::Mixed,
        SETFACL,
        Does::By(file_actions::set_acl),
    ),
    row(
        "chattr",
        Style::Mixed,
        CHATTR,
        Does::By(file_actions::change_attributes),
    ),
    row("dd", Style::OneDash, &[], Does::By(file_actions::dd)),
    row("jq gojq jaq", Style::Mixed, JQ, Does::AfterFirst(READ)),
    row("yq", Style::Mixed, YQ, Does::By(file_actions::yq)),
    row(
        "patch",
        Style::Mixed,
        PATCH,
        Does::By(file_actions::patch_files),
    ),
    row(
        "apply_patch applypatch",
        Style::Mixed,
        &[],
        Does::By(file_actions::apply_patch),
    ),
    row("split", Style::Mixed, SPLIT, Does::By(file_actions::split)),
    row(
        "csplit",
        Style::Mixed,
        SPLIT,
        Does::By(file_actions::csplit),
    ),
    row(
        "sqlite3 sqlite duckdb",
        Style::OneDash,
        SQLITE,
        Does::By(file_actions::sqlite),
    ),
    row(
        "at batch",
        Style::Mixed,
        AT,
        Does::By(file_actions::scheduled),
    ),
    row(
        "crontab",
        Style::Mixed,
        CRONTAB,
        Does::By(file_actions::crontab),
    ),
];
