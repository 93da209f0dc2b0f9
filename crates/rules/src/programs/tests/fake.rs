//! Surroundings that write down what they are told.

use super::super::{Field, Invocation, Stdin, Surroundings, effects};
use crate::effect::{Access, OpaqueCause};

/// What a command does, its parts separated by `; `:
///
/// `read a`, `write a`, `delete a`, with `/**` for trees and `~` before patterns; `net host`;
/// `code`, `unknown read` and so on; `run [argv]`, `text [a shell text]`, `file a`, `in d {…}`,
/// `elsewhere {…}`.
///
/// Words are separated by blanks, `'…'` quotes, `\n` is a line end. A word with `$` in it is not
/// known, one with an unquoted `*` is a pattern. `< word` and `<<< word` stand for a file and a
/// text at the standard input, a leading `|` for a pipe.
pub(super) fn told(command: &str) -> String {
    let mut words = words(command);
    let mut stdin = Stdin::Inherited;
    if words.first().is_some_and(|word| word.text == "|") {
        words.remove(0);
        stdin = Stdin::Unknown;
    }
    let redirection = |sign: &str| words.iter().position(|word| word.text == sign);
    if let Some(at) = redirection("<<<") {
        stdin = Stdin::Text(words[at + 1].text.clone());
        words.truncate(at);
    } else if let Some(at) = redirection("<") {
        stdin = Stdin::File(words[at + 1].clone());
        words.truncate(at);
    }
    let mut fake = Fake {
        told: Vec::new(),
        stdin,
    };
    let invocation = Invocation {
        program: &words[0].text,
        args: &words[1..],
        raw: command,
    };
    effects(&invocation, &mut fake);
    fake.told.join("; ")
}

fn words(command: &str) -> Vec<Field> {
    let mut words = Vec::new();
    let mut rest = command;
    while !rest.is_empty() {
        let mut text = String::new();
        let mut unquoted = String::new();
        let mut quoted = false;
        let mut length = 0;
        for c in rest.chars() {
            length += c.len_utf8();
            match c {
                '\'' => quoted = !quoted,
                ' ' if !quoted => break,
                c => {
                    text.push(c);
                    if !quoted {
                        unquoted.push(c);
                    }
                }
            }
        }
        rest = &rest[length..];
        let text = text.replace("\\n", "\n");
        words.push(Field {
            known: !unquoted.contains('$'),
            pattern: unquoted.contains('*').then(|| text.clone()),
            pipe: unquoted.starts_with("/dev/fd/"),
            text,
        });
    }
    words
}

struct Fake {
    told: Vec<String>,
    stdin: Stdin,
}

impl Fake {
    fn inner(&mut self, name: &str, work: &mut dyn FnMut(&mut dyn Surroundings)) {
        let mut inner = Self {
            told: Vec::new(),
            stdin: self.stdin.clone(),
        };
        work(&mut inner);
        self.told
            .push(format!("{name} {{{}}}", inner.told.join("; ")));
    }
}

impl Surroundings for Fake {
    fn path(&mut self, access: Access, path: &Field, _via: &str, tree: bool) {
        if !path.known {
            return self.opaque(OpaqueCause::UnknownPath { access }, &path.text);
        }
        let pattern = if path.pattern.is_some() { "~" } else { "" };
        let tree = if tree { "/**" } else { "" };
        let name = path.pattern.as_ref().unwrap_or(&path.text);
        let kind = access.kind().as_str();
        self.told.push(format!("{kind} {pattern}{name}{tree}"));
    }

    fn link(&mut self, target: &Field, name: &Field) {
        self.told.push(format!("{} -> {}", name.text, target.text));
    }

    fn network(&mut self, host: Option<String>, _url: Option<&str>, _via: &str) {
        let host = host.unwrap_or_else(|| "?".to_owned());
        self.told.push(format!("net {host}"));
    }

    fn opaque(&mut self, cause: OpaqueCause, _text: &str) {
        self.told.push(match cause {
            OpaqueCause::UnknownPath { access } => format!("unknown {}", access.kind().as_str()),
            OpaqueCause::Code { .. } => "code".to_owned(),
            cause => cause.as_str().to_owned(),
        });
    }

    fn run(&mut self, argv: &[Field], _raw: &str) {
        let shown = |field: &Field| {
            let sign = if field.known { "" } else { "?" };
            format!("{sign}{}", field.text)
        };
        let words: Vec<String> = argv.iter().map(shown).collect();
        self.told.push(format!("run [{}]", words.join(" ")));
    }

    fn run_text(&mut self, text: &Field) {
        if !text.known {
            return self.opaque(OpaqueCause::UnknownText, &text.text);
        }
        self.told.push(format!("text [{}]", text.text));
    }

    fn run_file(&mut self, path: &Field) {
        self.told.push(format!("file {}", path.text));
    }

    fn within(&mut self, directory: Option<&Field>, work: &mut dyn FnMut(&mut dyn Surroundings)) {
        let name = directory.map_or("?", |directory| directory.text.as_str());
        self.inner(&format!("in {name}"), work);
    }

    fn elsewhere(&mut self, work: &mut dyn FnMut(&mut dyn Surroundings)) {
        self.inner("elsewhere", work);
    }

    /// `secrets` and what ends in `dir` is a directory, what begins with `new` is not.
    fn is_directory(&self, path: &Field) -> Option<bool> {
        match path.text.as_str() {
            "secrets" | "." => Some(true),
            text if text.ends_with("dir") => Some(true),
            text if text.starts_with("new") => Some(false),
            _ => None,
        }
    }

    fn stdin(&self) -> &Stdin {
        &self.stdin
    }
}
