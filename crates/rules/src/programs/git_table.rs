//! The commands of `git`.
//!
//! Source: `git help -a` and the manual of each command, Git 2.54.

use super::arguments::{Mark, Means, Opt, Style, opt};
use super::table::{Does, Row, row};
use super::{git, git_tree};
use crate::effect::Access;

const SHOW: &[Opt] = &[
    opt("--output", Means::File(Access::Write)),
    opt("--contents --no-index -O", Means::Maybe(Mark::Other)),
    opt(
        "-n --max-count --since --until --after --before --author --grep --format -L -S -G -U \
             -C -A -B",
        Means::Maybe(Mark::Other),
    ),
];
const GREP: &[Opt] = &[
    opt("-O --open-files-in-pager", Means::Maybe(Mark::Command)),
    opt("-f", Means::File(Access::Read)),
    opt("-e -A -B -C -m --max-depth --threads", Means::Value),
];
const CHECKOUT: &[Opt] = &[
    opt("-b -B --orphan", Means::Is(Mark::Create)),
    opt("--pathspec-from-file", Means::Is(Mark::Script)),
    opt("--conflict -U --inter-hunk-context", Means::Value),
];
const RESTORE: &[Opt] = &[
    opt("-S --staged", Means::Flag(Mark::Keep)),
    opt("-W --worktree", Means::Flag(Mark::InPlace)),
    opt("-s --source --conflict", Means::Value),
    opt("--pathspec-from-file", Means::Is(Mark::Script)),
];
const SWITCH: &[Opt] = &[
    opt(
        "-c -C --create --force-create --orphan",
        Means::Is(Mark::Create),
    ),
    opt("--conflict", Means::Value),
];
const RESET: &[Opt] = &[opt("--hard --merge --keep", Means::Flag(Mark::InPlace))];
const CLEAN: &[Opt] = &[
    opt("-n --dry-run", Means::Flag(Mark::Nothing)),
    opt("-e --exclude", Means::Value),
];
const REMOVE: &[Opt] = &[
    opt("-n --dry-run --cached", Means::Flag(Mark::Nothing)),
    opt("-r", Means::Flag(Mark::Recursive)),
    opt("--pathspec-from-file", Means::File(Access::Read)),
];
const MOVE: &[Opt] = &[opt("-n --dry-run", Means::Flag(Mark::Nothing))];
const APPLY: &[Opt] = &[
    opt(
        "--check --stat --numstat --summary --cached",
        Means::Flag(Mark::Nothing),
    ),
    opt(
        "-p -C --exclude --include --directory --whitespace --build-fake-ancestor",
        Means::Value,
    ),
];
const REBASE: &[Opt] = &[
    opt("-x --exec", Means::Text),
    opt("-s --strategy -X --strategy-option --onto -C", Means::Value),
];
const MERGE: &[Opt] = &[
    opt(
        "-m --message -s --strategy -X --strategy-option --onto -C -S --into-name",
        Means::Value,
    ),
    opt("-F --file", Means::File(Access::Read)),
];
const FETCH: &[Opt] = &[
    opt("--upload-pack --receive-pack --exec -u", Means::Text),
    opt("--repo", Means::Is(Mark::Host)),
    opt(
        "-o --push-option --server-option --depth --deepen --shallow-since --shallow-exclude \
             -j --jobs --refmap --negotiation-tip -s --strategy -X --strategy-option --filter",
        Means::Value,
    ),
];
const FETCH_PLAIN: &[Opt] = &[
    opt("--upload-pack --receive-pack --exec", Means::Text),
    opt(
        "-o --server-option --depth --deepen --shallow-since --shallow-exclude -j --jobs \
             --refmap --negotiation-tip --sort -s --strategy -X --strategy-option --filter",
        Means::Value,
    ),
];
const CLONE: &[Opt] = &[
    opt("-u --upload-pack", Means::Text),
    opt("-c --config", Means::Is(Mark::Script)),
    opt("--separate-git-dir", Means::File(Access::Write)),
    opt(
        "--template --reference --reference-if-able",
        Means::File(Access::Read),
    ),
    opt(
        "-o --origin -b --branch --revision --depth --shallow-since --shallow-exclude -j \
             --jobs --filter --server-option --bundle-uri --ref-format",
        Means::Value,
    ),
];
const INIT: &[Opt] = &[
    opt("--template", Means::File(Access::Read)),
    opt("--separate-git-dir", Means::File(Access::Write)),
    opt(
        "-b --initial-branch --object-format --ref-format",
        Means::Value,
    ),
];
const COMMIT: &[Opt] = &[
    opt(
        "-F --file -t --template --pathspec-from-file",
        Means::File(Access::Read),
    ),
    opt(
        "-m --message -C --reuse-message -c --reedit-message --author --date --fixup --squash \
             --cleanup --trailer -u --local-user",
        Means::Value,
    ),
];
const CONFIG: &[Opt] = &[
    opt("-f --file", Means::Is(Mark::Output)),
    opt("--global --system", Means::Flag(Mark::Other)),
    opt(
        "--unset --unset-all --add --replace-all --edit -e --rename-section --remove-section",
        Means::Flag(Mark::InPlace),
    ),
    opt(
        "--get --get-all --get-regexp --list -l --get-urlmatch --get-color --get-colorbool",
        Means::Flag(Mark::Nothing),
    ),
    opt(
        "--type --default --blob --comment --value --url",
        Means::Value,
    ),
];
const FILTER: &[Opt] = &[
    opt(
        "--setup --env-filter --tree-filter --index-filter --parent-filter --msg-filter \
             --commit-filter --tag-name-filter",
        Means::Text,
    ),
    opt(
        "--subdirectory-filter -d --state-branch --original",
        Means::Value,
    ),
];
const DIFFTOOL: &[Opt] = &[
    opt("-x --extcmd", Means::Text),
    opt("-t --tool", Means::Value),
];
const ARCHIVE: &[Opt] = &[
    opt("-o --output", Means::File(Access::Write)),
    opt("--remote", Means::Is(Mark::Host)),
    opt("--exec", Means::Text),
    opt("--format --prefix --add-virtual-file --mtime", Means::Value),
    opt("--add-file", Means::File(Access::Read)),
];
const PATCHES: &[Opt] = &[
    opt("-o --output-directory", Means::Is(Mark::Output)),
    opt("--stdout", Means::Flag(Mark::Stdout)),
    opt("--output", Means::File(Access::Write)),
];
const WORKTREE: &[Opt] = &[opt("-b -B --reason --expire", Means::Value)];
const STASH: &[Opt] = &[
    opt("-m --message", Means::Value),
    opt("--pathspec-from-file", Means::File(Access::Read)),
];

/// Commands of Git that the tables know.
pub(super) const SUBCOMMANDS: &[Row] = &[
    row(
        "log diff show whatchanged range-diff diff-tree diff-index diff-files ls-tree ls-files \
             cat-file rev-list shortlog cherry status reflog",
        Style::Mixed,
        SHOW,
        Does::By(git_tree::reads),
    ),
    row(
        "blame annotate hash-object add stage",
        Style::Mixed,
        &[
            opt(
                "--contents --ignore-revs-file --pathspec-from-file",
                Means::File(Access::Read),
            ),
            opt("-L -S -t", Means::Value),
        ],
        Does::By(git_tree::reads_operands),
    ),
    row("grep", Style::Mixed, GREP, Does::By(git::grep)),
    row(
        "checkout",
        Style::Mixed,
        CHECKOUT,
        Does::By(git_tree::checkout),
    ),
    row(
        "restore",
        Style::Mixed,
        RESTORE,
        Does::By(git_tree::restore),
    ),
    row("switch", Style::Mixed, SWITCH, Does::By(git_tree::switch)),
    row("reset", Style::Mixed, RESET, Does::By(git_tree::reset)),
    row("clean", Style::Mixed, CLEAN, Does::By(git_tree::clean)),
    row("rm", Style::Mixed, REMOVE, Does::By(git_tree::remove)),
    row("mv", Style::Mixed, MOVE, Does::By(git_tree::rename)),
    row("apply am", Style::Mixed, APPLY, Does::By(git_tree::apply)),
    row("rebase", Style::Mixed, REBASE, Does::By(git_tree::changes)),
    row(
        "merge cherry-pick revert read-tree checkout-index sparse-checkout \
             merge-recursive merge-resolve merge-index merge-one-file filter-repo mergetool \
             quiltimport cvsimport p4",
        Style::Mixed,
        MERGE,
        Does::By(git_tree::changes),
    ),
    row(
        "filter-branch",
        Style::Mixed,
        FILTER,
        Does::By(git_tree::changes),
    ),
    row("stash", Style::Mixed, STASH, Does::By(git_tree::stash)),
    row(
        "worktree",
        Style::Mixed,
        WORKTREE,
        Does::By(git_tree::worktree),
    ),
    row("init init-db", Style::Mixed, INIT, Does::By(git_tree::init)),
    row(
        "bundle",
        Style::Mixed,
        &[opt("--version", Means::Value)],
        Does::By(git_tree::bundle),
    ),
    row(
        "format-patch",
        Style::Mixed,
        PATCHES,
        Does::By(git_tree::format_patch),
    ),
    row("commit tag notes", Style::Mixed, COMMIT, Does::Nothing),
    row("clone", Style::Mixed, CLONE, Does::By(git::clone)),
    row(
        "fetch ls-remote fetch-pack",
        Style::Mixed,
        FETCH_PLAIN,
        Does::By(git::fetch),
    ),
    row(
        "push send-pack http-push",
        Style::Mixed,
        FETCH,
        Does::By(git::push),
    ),
    row("pull", Style::Mixed, FETCH_PLAIN, Does::By(git::pull)),
    row(
        "remote",
        Style::Mixed,
        &[opt("-t -m", Means::Value)],
        Does::By(git::remote),
    ),
    row("submodule", Style::Leading, &[], Does::By(git::submodule)),
    row("config", Style::Mixed, CONFIG, Does::By(git::config)),
    row("archive", Style::Mixed, ARCHIVE, Does::By(git::archive)),
    row("bisect", Style::Leading, &[], Does::By(git::bisect)),
    row("difftool", Style::Mixed, DIFFTOOL, Does::Nothing),
    row(
        "send-email imap-send svn daemon http-fetch request-pull lfs upload-pack receive-pack",
        Style::Mixed,
        &[],
        Does::Network,
    ),
    row(
        "for-each-repo hook shell remote-ext credential credential-store fast-import http-backend",
        Style::Mixed,
        &[],
        Does::By(git_tree::unknown),
    ),
    row("annex flow", Style::Mixed, &[], Does::By(git_tree::unknown)),
    row(
        "backfill branch bugreport bundle-uri check-attr check-ignore check-mailmap \
             check-ref-format citool column commit-graph commit-tree count-objects \
             credential-cache describe diagnose diff-pairs fast-export fmt-merge-msg \
             for-each-ref fsck fsck-objects fsmonitor--daemon gc get-tar-commit-id gui help \
             history index-pack instaweb interpret-trailers last-modified mailinfo mailsplit \
             maintenance merge-base merge-file merge-tree mktag mktree multi-pack-index \
             name-rev pack-objects pack-redundant pack-refs patch-id prune prune-packed refs \
             repack replace repo replay rerere rev-parse scalar show-branch show-index \
             show-ref stripspace symbolic-ref unpack-file unpack-objects update-index \
             update-ref update-server-info var verify-commit verify-pack verify-tag version \
             web--browse write-tree",
        Style::Mixed,
        &[],
        Does::Nothing,
    ),
];
