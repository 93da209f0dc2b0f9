//! Patterns of programs: `git push`, `npm publish`, `terraform apply -auto-approve`.
//!
//! The first word is the program's name, without folder. Further words are leading arguments, in
//! their order; options in between are skipped, with their values where the program's options are
//! known. A word that begins with `-` is an option that must stand anywhere among the arguments.
//! `*`, `?` and `[…]` are wildcards within a word, the word `**` stands for any number of words.

use super::glob::NameGlob;
use super::{Fault, Match, Pattern};
use crate::effect::{Arg, Effect, Exec};
use crate::programs::options;
use crate::scene::Scene;

/// One pattern.
#[derive(Debug, Clone)]
pub(crate) struct ExecPattern {
    program: NameGlob,
    words: Vec<Word>,
    options: Vec<NameGlob>,
}

#[derive(Debug, Clone)]
enum Word {
    One(NameGlob),
    /// `**`
    Any,
}

/// One of 64 bits for a program's name, for telling at a glance that a call does not start it.
pub(crate) fn program_bit(program: &str) -> u64 {
    let hash = program
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
    1 << (hash >> 58)
}

impl ExecPattern {
    /// The programs that it can match, as [`program_bit`]s.
    pub(crate) fn programs(&self) -> u64 {
        self.program.literal().map_or(u64::MAX, program_bit)
    }

    fn matches_exec(&self, exec: &Exec) -> Match {
        if !self.program.matches(&exec.program) {
            return Match::No;
        }
        let options = self
            .options
            .iter()
            .map(|option| has_option(option, &exec.args));
        let options = options.min().unwrap_or(Match::Yes);
        if options == Match::No {
            return Match::No;
        }
        options.min(self.words_match(exec))
    }

    fn words_match(&self, exec: &Exec) -> Match {
        if self.words.is_empty() {
            return Match::Yes;
        }
        let operands = options::operands(&exec.program, &exec.args);
        align(&self.words, &operands)
    }
}

impl Pattern for ExecPattern {
    fn compile(text: &str) -> Result<Self, Fault> {
        let mut words = Vec::new();
        let mut options = Vec::new();
        let mut program = None;
        for word in text.split_whitespace() {
            let start = word.as_ptr() as usize - text.as_ptr() as usize;
            let span = start..start + word.len();
            if word.contains(['|', ';', '&', '<', '>', '`', '"', '\'', '(', ')', '$']) {
                let help = "write one program and its leading arguments, as in `git push`; a rule \
                            finds it wherever a shell text starts it";
                return Err(Fault::new(span, "the pattern is shell text", help));
            }
            if program.is_none() {
                program = Some(compile_program(word, span)?);
            } else if word == "**" {
                words.push(Word::Any);
            } else if word.starts_with('-') && word.len() > 1 {
                options.push(NameGlob::compile(word, start)?);
            } else {
                words.push(Word::One(NameGlob::compile(word, start)?));
            }
        }
        let Some(program) = program else {
            let help = "write a program's name";
            return Err(Fault::new(0..text.len(), "the pattern is empty", help));
        };
        Ok(Self {
            program,
            words,
            options,
        })
    }

    fn never_matches(&self) -> Option<Fault> {
        let program = self.program.literal()?;
        let assignment = program.contains('=').then(|| {
            let help = "assignments before a program are skipped; write the program";
            Fault::new(0..program.len(), "no program has `=` in its name", help)
        });
        assignment.or_else(|| {
            let first = self.words.iter().find_map(|word| match word {
                Word::One(glob) => glob.literal(),
                Word::Any => None,
            })?;
            let wanted = options::is_value_option(program, first);
            wanted.then(|| {
                let help = format!("write `{program}` and the subcommand; options are skipped");
                Fault::new(0..program.len(), "the first word is an option", help)
            })
        })
    }

    fn matches(&self, effect: &Effect, _scene: &Scene<'_>) -> Match {
        match effect {
            Effect::Exec(exec) => self.matches_exec(exec),
            _ => Match::No,
        }
    }
}

fn compile_program(word: &str, span: std::ops::Range<usize>) -> Result<NameGlob, Fault> {
    if let Some((_, name)) = word.rsplit_once('/') {
        let help = format!("write `{name}`: a rule holds wherever the program lies");
        return Err(Fault::new(
            span,
            "the program is written with its folder",
            help,
        ));
    }
    if word.starts_with('-') {
        let help = "begin with the program, as in `rm -rf`";
        return Err(Fault::new(span, "the pattern begins with an option", help));
    }
    if word == "**" {
        return Ok(NameGlob::Wild(vec![super::glob::Token::Many]));
    }
    NameGlob::compile(word, span.start)
}

/// An operand of a program, and whether it may be an option's value instead.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Operand<'a> {
    pub(crate) arg: &'a Arg,
    pub(crate) maybe_value: bool,
}

/// Aligns the pattern's words with the leading operands. Skipping what may be an option's value
/// makes the match a doubt; so does an argument that is not known.
fn align(words: &[Word], operands: &[Operand<'_>]) -> Match {
    let Some((word, rest)) = words.split_first() else {
        return Match::Yes;
    };
    match word {
        Word::Any => {
            let starts = (0..=operands.len()).map(|from| align(rest, &operands[from..]));
            starts.max().unwrap_or(Match::No)
        }
        Word::One(glob) => {
            let Some((first, after)) = operands.split_first() else {
                return Match::No;
            };
            let Arg::Known(text) = first.arg else {
                return Match::Might;
            };
            let taken = if glob.matches(text) {
                align(rest, after)
            } else {
                Match::No
            };
            if taken == Match::Yes && !first.maybe_value {
                return Match::Yes;
            }
            let skipped = if first.maybe_value {
                align(words, after).min(Match::Might)
            } else {
                Match::No
            };
            // A word that may be a value and fits is taken for what it looks like.
            taken.max(skipped)
        }
    }
}

/// Whether an option is among the arguments: as written, with `=value`, as a letter of a group
/// (`-rf` holds `-f`), or as an abbreviation of a long one.
fn has_option(option: &NameGlob, args: &[Arg]) -> Match {
    let mut doubt = Match::No;
    for arg in args {
        match arg {
            Arg::Known(text) if text == "--" => break,
            Arg::Known(text) if is_option(option, text) => return Match::Yes,
            Arg::Known(_) => {}
            Arg::Unknown(_) => doubt = Match::Might,
        }
    }
    doubt
}

fn is_option(option: &NameGlob, arg: &str) -> bool {
    let name = arg.split_once('=').map_or(arg, |(name, _)| name);
    if option.matches(arg) || option.matches(name) {
        return true;
    }
    let Some(wanted) = option.literal() else {
        return false;
    };
    if wanted.starts_with("--") {
        // The usual option readers take any beginning that is not shared.
        return name.len() > 4 && wanted.starts_with(name);
    }
    let letters = |text: &str| text.starts_with('-') && !text.starts_with("--");
    letters(arg) && letters(wanted) && wanted[1..].chars().all(|letter| name[1..].contains(letter))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exec(text: &str) -> Exec {
        let mut words = text.split(' ').map(str::to_owned);
        let program = words.next().unwrap();
        let arg = |word: String| {
            if word.starts_with('$') {
                Arg::Unknown(word)
            } else {
                Arg::Known(word)
            }
        };
        Exec {
            program,
            path: None,
            args: words.map(arg).collect(),
            env: Vec::new(),
            cwd: None,
            raw: text.to_owned(),
        }
    }

    fn fits(pattern: &str, text: &str) -> Match {
        ExecPattern::compile(pattern)
            .unwrap()
            .matches_exec(&exec(text))
    }

    #[test]
    fn words_and_options() {
        use Match::{Might, No, Yes};
        for (pattern, text, expected) in [
            ("git push", "git push", Yes),
            ("git push", "git push origin main", Yes),
            ("git push", "git status", No),
            ("git push", "git log push", No),
            ("git push", "git -C sub push", Yes),
            ("git push", "git -c a.b=c --git-dir=x --no-pager push", Yes),
            ("git push", "git --git-dir x push", Yes),
            ("git push", "git -C push status", No),
            ("git push", "git $x", Might),
            ("git push", "git $x status", Might),
            ("git push", "git -C $x", Might),
            ("git push", "git -C $x status", No),
            ("git push", "git status $x", No),
            ("git push --force", "git push -f", No),
            ("git push --force", "git push --force", Yes),
            ("git push --force", "git push --forc", Yes),
            (
                "git push --force-with-lease",
                "git push --force-with-lease=x",
                Yes,
            ),
            ("git push --force", "git push origin $x", Might),
            ("git push -f", "git push -uf", Yes),
            ("rm -rf", "rm -fr x", Yes),
            ("rm -rf", "rm -r -f x", No),
            ("rm -r -f", "rm -r -f x", Yes),
            ("rm -r -f", "rm -rf x", Yes),
            ("rm -f", "rm -- -f", No),
            ("git push ** main", "git push origin main", Yes),
            ("git push ** main", "git push origin other", No),
            ("git push ** main", "git push origin $b", Might),
            ("tool run", "tool --opt val run", Might),
            ("tool run", "tool --opt run", Yes),
            ("tool run", "tool val run", No),
            ("python*", "python3.11 x.py", Yes),
            ("git", "git", Yes),
            ("git push", "git", No),
            ("git +*", "git +x", Yes),
        ] {
            assert_eq!(fits(pattern, text), expected, "{pattern} / {text}");
        }
    }

    #[test]
    fn faults_are_located() {
        for (pattern, span) in [
            ("git push | cat", 9..10),
            ("/usr/bin/git push", 0..12),
            ("-rf", 0..3),
            ("git 'push'", 4..10),
        ] {
            assert_eq!(
                ExecPattern::compile(pattern).unwrap_err().span,
                span,
                "{pattern}"
            );
        }
    }
}
