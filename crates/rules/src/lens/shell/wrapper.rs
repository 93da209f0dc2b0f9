//! Programs that run another: their options are taken off.

use super::command::{Environment, Lookup};
use super::declare::is_declaration;
use super::state::{Directories, State, Value};
use super::walk::Ending;
use super::walker::Walker;
use crate::effect::{Access, OpaqueCause};
use crate::programs::Field;
use crate::programs::wrappers::{Rest, Wrapper};

impl Walker<'_, '_> {
    /// Takes a wrapper's options off and runs what is left.
    pub(super) fn wrapped(
        &mut self,
        wrapper: &Wrapper,
        args: &[Field],
        raw: &str,
        environment: &Environment,
        state: &mut State,
    ) -> Ending {
        let mut own = state.clone();
        let mut environment = environment.to_vec();
        let mut rest = args;
        let mut skip = wrapper.skip;
        let mut doubt = false;
        // A shell of its own, unless there is a text or a command for it.
        let mut shell = wrapper.shell;
        while let Some((first, after)) = rest.split_first() {
            let Some(word) = first.exact() else {
                break;
            };
            if word == "--" {
                rest = after;
                continue;
            }
            if wrapper.name == "env"
                && let Some((text, after)) = split_string(word, after)
            {
                let Some(words) = split_simply(&text) else {
                    self.opaque(OpaqueCause::UnknownText, raw);
                    return Ending::Unknown;
                };
                let argv = [words.as_slice(), after].concat();
                self.nested(raw, |walker| {
                    walker.wrapped(wrapper, &argv, raw, &environment, &mut own);
                });
                return Ending::Unknown;
            }
            if word.len() > 1 && word.starts_with('-') || word == "-" {
                shell &= !is_among(word, wrapper.text);
                rest = self.option(wrapper, word, after, &mut own, &mut doubt);
                continue;
            }
            if skip > 0 {
                skip -= 1;
            } else if let Some((name, value)) = assignment(wrapper, word) {
                self.special_variable(name, Some(value), &own);
                own.export(name);
                own.set(name, Value::known(value));
                environment.push((name.to_owned(), Some(value.to_owned())));
            } else if wrapper.rest != Rest::Nothing && !is_user(wrapper, args) {
                break;
            }
            rest = after;
        }
        if shell && rest.is_empty() {
            self.text_at_stdin(raw, &mut own.fresh(true));
        }
        match wrapper.rest {
            Rest::Nothing => {}
            Rest::Joined => self.joined(rest, &own),
            Rest::Command | Rest::AssignmentsAndCommand => {
                // Builtins of this shell, and programs that replace it, keep its memory.
                if matches!(wrapper.name, "command" | "builtin" | "exec") {
                    let ending = self.inner(rest, raw, &environment, state, wrapper.name);
                    let replaced = wrapper.name == "exec" && !rest.is_empty();
                    return if replaced { Ending::Leaves } else { ending };
                }
                self.start(rest, raw, &environment, Lookup::Program, &mut own);
                if doubt && let Some((_, other)) = rest.split_first() {
                    self.start(other, raw, &environment, Lookup::Program, &mut own);
                }
            }
        }
        Ending::Unknown
    }

    /// What `command`, `builtin` and `exec` run: never a function.
    fn inner(
        &mut self,
        fields: &[Field],
        raw: &str,
        environment: &Environment,
        state: &mut State,
        via: &str,
    ) -> Ending {
        let lookup = if via == "exec" {
            Lookup::Program
        } else {
            Lookup::Shell
        };
        let ending = self.start(fields, raw, environment, lookup, state);
        if fields
            .first()
            .and_then(Field::exact)
            .is_some_and(is_declaration)
        {
            // Whether its arguments are split differs from shell to shell.
            state.taint();
        }
        ending
    }

    /// Reads one option of a wrapper and returns what follows it.
    fn option<'f>(
        &mut self,
        wrapper: &Wrapper,
        word: &str,
        after: &'f [Field],
        state: &mut State,
        doubt: &mut bool,
    ) -> &'f [Field] {
        let (name, attached) = match word.split_once('=') {
            Some((name, value)) if name.starts_with("--") => (name, Some(Field::known(value))),
            _ => (word, None),
        };
        let takes = |options: &[&str]| options.contains(&name);
        let short = |options: &[&str]| {
            let attached = options
                .iter()
                .find(|option| option.len() == 2 && word.len() > 2 && word.starts_with(**option));
            attached.map(|option| Field::known(&word[option.len()..]))
        };
        let valued = [
            wrapper.values,
            wrapper.directory,
            wrapper.text,
            wrapper.writes,
        ]
        .concat();
        let (value, after) = match (attached, takes(&valued), after.split_first()) {
            (Some(value), _, _) => (Some(value), after),
            (None, true, Some((value, after))) => (Some(value.clone()), after),
            _ => (short(&valued), after),
        };
        let name = if value.is_some() && !name.starts_with("--") && name.len() > 2 {
            &name[..2]
        } else {
            name
        };
        if wrapper.directory.contains(&name) {
            state.directories = match value.as_ref().and_then(Field::exact) {
                Some(path) => state.directories.changed(path),
                None => Directories::unknown(),
            };
        } else if wrapper.text.contains(&name) {
            match &value {
                Some(text) => self.text_field(text, state),
                None => self.opaque(OpaqueCause::UnknownText, word),
            }
        } else if let Some(file) = value.as_ref().filter(|_| wrapper.writes.contains(&name)) {
            self.touch(Access::Write, file, wrapper.name, false, state);
        } else if value.is_none() && !takes(wrapper.flags) && !is_group(word, wrapper.flags) {
            // An option of which it is not known whether it takes a value.
            *doubt = !word[1..].starts_with(|c: char| c.is_ascii_digit());
        }
        after
    }

    /// `xargs` adds arguments that arrive at run time.
    pub(super) fn xargs(&mut self, args: &[Field], raw: &str, state: &State) {
        let values = [
            "-a",
            "-d",
            "-E",
            "-I",
            "-L",
            "-n",
            "-P",
            "-s",
            "--arg-file",
            "--delimiter",
            "--max-lines",
            "--max-args",
            "--max-procs",
            "--max-chars",
            "--process-slot-var",
            "--replace",
        ];
        let mut rest = args;
        let mut replaced: Option<String> = None;
        while let Some((first, after)) = rest.split_first() {
            let Some(word) = first.exact().filter(|word| word.starts_with('-')) else {
                break;
            };
            rest = after;
            if word == "--" {
                break;
            }
            if let Some(text) = word
                .strip_prefix("-I")
                .or_else(|| word.strip_prefix("--replace="))
            {
                replaced = Some(text.to_owned());
                if text.is_empty() && word == "-I" {
                    replaced = after.first().map(|field| field.text.clone());
                }
            } else if word == "-i" || word == "--replace" {
                replaced = Some("{}".to_owned());
                continue;
            }
            if values.contains(&word) && word != "--replace" {
                rest = after.get(1..).unwrap_or_default();
            }
        }
        let mut own = state.clone();
        own.stdin = crate::programs::Stdin::Inherited;
        let mut argv = rest.to_vec();
        if argv.is_empty() {
            argv.push(Field::known("echo"));
        }
        match replaced.filter(|text| !text.is_empty()) {
            Some(text) => {
                for field in argv.iter_mut().filter(|field| field.text.contains(&text)) {
                    field.known = false;
                }
            }
            None => argv.push(Field::unknown("…")),
        }
        self.nested(raw, |walker| {
            walker.start(&argv, raw, &[], Lookup::Program, &mut own);
        });
    }
}

fn assignment<'w>(wrapper: &Wrapper, word: &'w str) -> Option<(&'w str, &'w str)> {
    if wrapper.rest != Rest::AssignmentsAndCommand {
        return None;
    }
    word.split_once('=').filter(|(name, _)| !name.is_empty())
}

/// Whether the operand of `runuser` is a user, as that of `su` is.
fn is_user(wrapper: &Wrapper, args: &[Field]) -> bool {
    let names_user = |arg: &Field| arg.text.starts_with("-u") || arg.text.starts_with("--user");
    wrapper.name == "runuser" && !args.iter().any(names_user)
}

/// Whether a word is one of these options, with its value or without.
fn is_among(word: &str, options: &[&str]) -> bool {
    options.iter().any(|option| {
        let rest = word.strip_prefix(option);
        rest.is_some_and(|rest| {
            rest.is_empty() || !option.starts_with("--") || rest.starts_with('=')
        })
    })
}

/// Several short options in one word (`-EH`), all without a value.
fn is_group(word: &str, flags: &[&str]) -> bool {
    !word.starts_with("--")
        && word[1..].chars().all(|letter| {
            flags
                .iter()
                .any(|flag| flag.len() == 2 && flag.ends_with(letter))
        })
}

/// The text of `env -S`, and what follows it.
fn split_string<'f>(word: &str, after: &'f [Field]) -> Option<(Field, &'f [Field])> {
    // The letters before it take no value: `-vS`.
    let letters = word.strip_prefix('-').unwrap_or_default();
    let grouped = letters
        .trim_start_matches(['i', 'v', '0'])
        .strip_prefix('S');
    let attached = word.strip_prefix("--split-string=").or(grouped);
    match attached {
        Some("") | None if grouped.is_some() || word == "--split-string" => {
            let (text, rest) = after.split_first()?;
            Some((text.clone(), rest))
        }
        Some(text) => Some((Field::known(text), after)),
        None => None,
    }
}

/// The words of a text of `env -S` that has neither quotes nor escapes nor variables.
fn split_simply(text: &Field) -> Option<Vec<Field>> {
    let plain = text
        .exact()
        .filter(|text| !text.contains(['\\', '"', '\'', '$', '#']))?;
    Some(plain.split_ascii_whitespace().map(Field::known).collect())
}
