//! Tools that nobody here knows, those of MCP servers above all: what their input looks like.
//!
//! | in the input | taken for |
//! | --- | --- |
//! | `command`, `cmd`, `commands` | a shell's input |
//! | `calls`, `tool_calls` … with a list | a batch of calls |
//! | `code`, `script` … with a program | opaque code |
//! | a string that begins as a patch | that patch |
//! | a string with a scheme (`https://`), or a host under `url`, `host`, `domain` | a host |
//! | a string that could be a path | a file |
//!
//! Names of fields are no standard, so every string counts, keys of objects included. A string could
//! be a path if it begins with `/`, `~/`, `./`, `../` or `file:/`, if its field is named like one
//! (`path`, `file`, `uri` …), or if it has no blanks and either a `/` or the look of a file's name
//! (`hooks.json`, `.env`). What is done to the file is taken from the words of the tool's name: of
//! one that writes, every such string may be written; of any other, it may be read, and written as
//! well where the input holds content.

use super::json;
use super::patch;
use super::target;
use super::verb::{self, Verb};
use super::view::{Field, View};
use super::{batch, web};
use crate::collector::{Collector, Meant};
use crate::effect::{Access, OpaqueCause};

/// Fields that hold what is written.
const CONTENT: &[&str] = &[
    "content",
    "contents",
    "file_text",
    "new_string",
    "newString",
    "new_str",
    "old_str",
    "edits",
    "replacements",
];

/// Fields that hold a program, if it looks like one.
const PROGRAM: &[&str] = &["code", "script", "python", "javascript", "source_code"];

/// Fields that hold a command, for which the shell answers.
const COMMAND: &[&str] = &[
    "command",
    "cmd",
    "commands",
    "command_line",
    "CommandLine",
    "args",
];

/// Fields that hold a host, with or without a scheme before it.
const HOST: &[&str] = &[
    "url", "urls", "host", "hostname", "domain", "endpoint", "base_url",
];

/// Words of names of tools that look below a folder.
const SEARCH: &[&str] = &[
    "search",
    "grep",
    "find",
    "tree",
    "glob",
    "index",
    "scan",
    "recursive",
];

/// What is guessed of one tool.
struct Guess {
    verb: Verb,
    /// Whether the input holds what is written.
    holds_content: bool,
    /// Whether everything below a folder is meant.
    tree: bool,
}

/// What the input of the tool of this name (a server's own name for it) looks like.
pub(super) fn effects(name: &str, view: &View<'_>, collector: &mut Collector<'_>) {
    let is_shell = view.has_shell_command() && !view.is_editor_command();
    if is_shell {
        super::shell_or_patch(view, collector);
    }
    let is_batch = batch::is_batch(view);
    if is_batch {
        batch::effects(view, collector);
    }
    for field in PROGRAM.iter().map(|key| view.text(key)) {
        if let Field::Text(code) = field
            && code.contains(['(', ';', '=', '\n'])
        {
            let interpreter = view.tool().to_owned();
            collector.opaque(OpaqueCause::Code { interpreter }, &code);
        }
    }
    let guess = Guess::of(name, view);
    for (key, raw) in &view.entries().list {
        if collector.is_full() {
            return;
        }
        let is_read = |read: bool, keys: &[&str]| read && keys.contains(&&**key);
        if is_read(is_shell, COMMAND) || is_read(is_batch, batch::CALLS) {
            continue;
        }
        json::strings(raw, key, &mut |key, text| {
            guess.string(key, text, view, collector);
        });
    }
    if view.entries().cut {
        view.unknown_input(collector);
    }
}

impl Guess {
    fn of(name: &str, view: &View<'_>) -> Self {
        let verb = Verb::of_name(name);
        let searches = || {
            verb::words(name)
                .iter()
                .any(|word| SEARCH.contains(&word.as_str()))
        };
        Self {
            verb,
            holds_content: CONTENT.iter().any(|key| view.field(key).is_some()),
            tree: verb.takes_trees() || searches(),
        }
    }

    fn string(&self, key: &str, text: &str, view: &View<'_>, collector: &mut Collector<'_>) {
        let via = view.tool();
        if crate::patch::begins(text) {
            patch::text(text, view.cwd(), via, collector);
        } else if is_address(key, text) {
            web::address(text, via, view, collector);
        } else if could_be_path(self.verb, key, text) {
            let meant = Meant {
                pattern: false,
                tree: self.tree,
            };
            for access in self.accesses(key) {
                target::file(collector, access, view.cwd(), text, via, meant);
            }
        }
    }

    /// What may be done to the file in a field of this name.
    fn accesses(&self, key: &str) -> impl Iterator<Item = Access> {
        let named = self.verb.access(key);
        let writes = self.verb != Verb::Read || self.holds_content;
        let also = (writes && !named.contains(&Access::Write)).then_some(Access::Write);
        named.iter().copied().chain(also)
    }
}

/// Whether a string is the address of something on a network.
fn is_address(key: &str, text: &str) -> bool {
    let text = text.trim_start();
    if let Some((scheme, _)) = text.split_once("://") {
        let marks = |c: char| c.is_ascii_alphanumeric() || "+-.".contains(c);
        return scheme.starts_with(|c: char| c.is_ascii_alphabetic())
            && scheme.len() <= 32
            && scheme.chars().all(marks)
            && !scheme.eq_ignore_ascii_case("file");
    }
    let is_path = text.starts_with(['/', '.', '~']) || text.starts_with("file:");
    HOST.contains(&key) && !text.is_empty() && !is_path && !text.contains(char::is_whitespace)
}

fn could_be_path(verb: Verb, key: &str, text: &str) -> bool {
    const STARTS: [&str; 5] = ["/", "~/", "./", "../", "file:/"];
    let text = text.trim();
    if text.is_empty() || text.contains(['\n', '\r']) {
        return false;
    }
    if STARTS.iter().any(|start| text.starts_with(start)) || [".", "..", "~"].contains(&text) {
        return true;
    }
    if verb.names_file(key) {
        return true;
    }
    !text.contains(char::is_whitespace) && (text.contains('/') || is_file_name(text))
}

/// Whether a word looks like the name of a file: `.env`, `hooks.json`.
fn is_file_name(word: &str) -> bool {
    let Some((stem, extension)) = word.rsplit_once('.') else {
        return false;
    };
    let plain = extension.chars().all(char::is_alphanumeric);
    let starts = extension.starts_with(char::is_alphabetic);
    plain && starts && extension.len() <= 16 && (stem.is_empty() || !stem.ends_with('.'))
}
