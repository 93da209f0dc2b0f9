//! How programs read their arguments: one reader for all tables.
//!
//! It knows options with values, separate or attached, grouped letters, long options and their
//! abbreviations, and `--`. It never says what an argument does; that is said by the tables.
//!
//! A table lists the options that take a value and those that mean something. What it does not list
//! takes no value.

use super::Field;
use crate::effect::Access;

/// What an option says about a call. Which ones a program's options set is in its table, what
/// follows from them in the code that reads the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mark {
    /// Folders with all that is below them.
    Recursive,
    /// The value is the folder into which files are put.
    Into,
    /// The destination is no folder.
    NoInto,
    /// The files are changed in place.
    InPlace,
    /// The result goes to the standard output.
    Stdout,
    /// The original stays.
    Keep,
    /// Files are removed.
    Delete,
    /// Symbolic links instead of hard ones.
    Symbolic,
    /// The value is a pattern, program or script that otherwise would be the first operand.
    Script,
    /// The value is a file with such a script.
    ScriptFile,
    /// The value is the directory in which the program works.
    Directory,
    /// The value is the file or folder that the program makes.
    Output,
    /// The value is what the program works on.
    Input,
    /// An archive is made or changed.
    Create,
    /// An archive is unpacked.
    Extract,
    /// The value, or all that follows, is a command.
    Command,
    /// The value is a host or an address.
    Host,
    /// Nothing is done.
    Nothing,
    /// The file that is received keeps the name it has there.
    RemoteName,
    /// A file or text that is sent.
    Send,
    /// Something else that the program's own code asks for.
    Other,
}

/// What an option takes, and what it means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Means {
    /// Takes no value.
    Flag(Mark),
    /// Takes a value that says nothing about effects.
    Value,
    /// May have a value, attached only.
    Maybe(Mark),
    /// Takes a value that the mark stands for.
    Is(Mark),
    /// As `Is`, and all that follows are operands, whatever they look like.
    Last(Mark),
    /// The value is a file.
    File(Access),
    /// Takes two values, a name and something that says nothing about effects.
    Pair,
    /// Takes two values, a name and a file.
    PairFile(Access),
    /// The value is a text that a shell runs.
    Text,
    /// The value is code in the program's own language.
    Code,
}

impl Means {
    const fn takes_value(self) -> bool {
        !matches!(self, Self::Flag(_) | Self::Maybe(_))
    }
}

/// One option: all its names, separated by blanks, with their dashes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Opt {
    names: &'static str,
    pub(super) means: Means,
}

/// A row of a table of options.
pub(super) const fn opt(names: &'static str, means: Means) -> Opt {
    Opt { names, means }
}

impl Opt {
    fn names(&self) -> impl Iterator<Item = &'static str> {
        self.names.split(' ')
    }

    fn has_letter(&self, letter: char) -> bool {
        self.names().any(|name| {
            let mut chars = name.chars().skip(1);
            chars.next() == Some(letter) && chars.next().is_none()
        })
    }
}

/// How a program tells options from operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    /// Options may stand after operands; letters may be grouped.
    Mixed,
    /// The first operand ends the options.
    Leading,
    /// Long options with one dash, letters never grouped.
    OneDash,
}

/// One thing among the arguments.
#[derive(Debug, Clone)]
pub(super) enum Item {
    /// An option of the table, with its value where it has one.
    Option(Means, Option<Field>),
    /// An operand; one that is not known may stand for several, and for options.
    Operand(Field),
}

/// A program's arguments, told apart.
#[derive(Debug, Clone, Default)]
pub(super) struct Arguments {
    pub(super) items: Vec<Item>,
}

impl Arguments {
    /// Tells the arguments apart by a table.
    pub(super) fn read(style: Style, options: &[Opt], args: &[Field]) -> Self {
        let mut reader = Reader {
            options,
            style,
            items: Vec::with_capacity(args.len()),
        };
        let mut rest = args.iter();
        while let Some(field) = rest.next() {
            let text = field.text.as_str();
            if field.pattern.is_some() || !text.starts_with('-') || text.len() < 2 {
                reader.items.push(Item::Operand(field.clone()));
                if style == Style::Leading {
                    break;
                }
                continue;
            }
            if text == "--" {
                break;
            }
            if reader.option(field, &mut rest) {
                break;
            }
        }
        reader.items.extend(rest.cloned().map(Item::Operand));
        Self {
            items: reader.items,
        }
    }

    /// The operands in their order.
    pub(super) fn operands(&self) -> impl Iterator<Item = &Field> {
        self.items.iter().filter_map(|item| match item {
            Item::Operand(field) => Some(field),
            Item::Option(..) => None,
        })
    }

    /// Whether an option that sets the mark is there.
    pub(super) fn has(&self, mark: Mark) -> bool {
        self.items.iter().any(|item| match item {
            Item::Option(
                Means::Flag(is) | Means::Maybe(is) | Means::Is(is) | Means::Last(is),
                _,
            ) => *is == mark,
            _ => false,
        })
    }

    /// The values of options that set the mark.
    pub(super) fn values(&self, mark: Mark) -> impl Iterator<Item = &Field> {
        self.items.iter().filter_map(move |item| match item {
            Item::Option(Means::Is(is) | Means::Last(is) | Means::Maybe(is), Some(value))
                if *is == mark =>
            {
                Some(value)
            }
            _ => None,
        })
    }
}

struct Reader<'r> {
    options: &'r [Opt],
    style: Style,
    items: Vec<Item>,
}

impl Reader<'_> {
    /// Reads one word that begins with a dash. Whether it ends the options.
    fn option(&mut self, field: &Field, rest: &mut std::slice::Iter<'_, Field>) -> bool {
        let text = field.text.as_str();
        let long = text.starts_with("--") || self.style == Style::OneDash;
        let (name, attached) = match text.split_once('=') {
            Some((name, _)) if long => (name, Some(&text[..=name.len()])),
            _ => (text, None),
        };
        if let Some(means) = self.named(name) {
            let value = attached.map(|prefix| field.after(prefix));
            return self.push(means, value, rest);
        }
        !long && self.letters(field, rest)
    }

    /// The option of this whole name, or the first that a long name abbreviates.
    fn named(&self, name: &str) -> Option<Means> {
        let exact = |option: &&Opt| option.names().any(|known| known == name);
        let begins = |option: &&Opt| option.names().any(|known| known.starts_with(name));
        let mut found = self.options.iter().find(exact);
        if found.is_none() && name.starts_with("--") && name.len() > 2 {
            found = self.options.iter().find(begins);
        }
        found.map(|option| option.means)
    }

    fn letters(&mut self, field: &Field, rest: &mut std::slice::Iter<'_, Field>) -> bool {
        let text = field.text.as_str();
        for (at, letter) in text.char_indices().skip(1) {
            let option = self.options.iter().find(|option| option.has_letter(letter));
            let Some(Opt { means, .. }) = option else {
                continue;
            };
            let end = at + letter.len_utf8();
            let attached = end < text.len();
            match means {
                Means::Flag(_) => self.items.push(Item::Option(*means, None)),
                Means::Maybe(_) => {
                    let value = attached.then(|| field.after(&text[..end]));
                    self.items.push(Item::Option(*means, value));
                    return false;
                }
                _ => {
                    let value = attached.then(|| field.after(&text[..end]));
                    return self.push(*means, value, rest);
                }
            }
        }
        false
    }

    fn push(
        &mut self,
        means: Means,
        attached: Option<Field>,
        rest: &mut std::slice::Iter<'_, Field>,
    ) -> bool {
        if matches!(means, Means::Pair | Means::PairFile(_)) {
            let _name = rest.next();
        }
        let value = match attached {
            None if means.takes_value() => rest.next().cloned(),
            attached => attached,
        };
        self.items.push(Item::Option(means, value));
        matches!(means, Means::Last(_))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OPTIONS: &[Opt] = &[
        opt("-r --recursive", Means::Flag(Mark::Recursive)),
        opt("-o --output", Means::Is(Mark::Output)),
        opt("-i --in-place", Means::Maybe(Mark::InPlace)),
        opt("-c", Means::Last(Mark::Command)),
    ];

    /// `o=x` for a value, `r` for a flag, `x` for an operand.
    fn told(style: Style, text: &str) -> String {
        let args: Vec<Field> = text.split(' ').map(Field::known).collect();
        let read = Arguments::read(style, OPTIONS, &args);
        let one = |item: &Item| match item {
            Item::Operand(field) => field.text.clone(),
            Item::Option(means, value) => {
                let name = match means {
                    Means::Flag(_) => "R",
                    Means::Is(_) => "O",
                    Means::Maybe(_) => "I",
                    _ => "C",
                };
                match value {
                    Some(value) => format!("{name}={}", value.text),
                    None => name.to_owned(),
                }
            }
        };
        let all: Vec<_> = read.items.iter().map(one).collect();
        all.join(" ")
    }

    #[test]
    fn forms_of_options() {
        for (text, expected) in [
            ("-r a", "R a"),
            ("a -r", "a R"),
            ("-ro x a", "R O=x a"),
            ("-rox a", "R O=x a"),
            ("--output=x a", "O=x a"),
            ("--output x a", "O=x a"),
            ("--outp x a", "O=x a"),
            ("--rec a", "R a"),
            ("-i a", "I a"),
            ("-i.bak a", "I=.bak a"),
            ("--in-place=.bak a", "I=.bak a"),
            ("-- -r", "-r"),
            ("a -- -r", "a -r"),
            ("-vz a", "a"),
            ("-rc x -r --", "R C=x -r --"),
            ("- -r", "- R"),
            ("-o", "O"),
        ] {
            assert_eq!(told(Style::Mixed, text), expected, "{text}");
        }
        assert_eq!(told(Style::Leading, "-r a -r"), "R a -r");
        assert_eq!(told(Style::OneDash, "-ro a -r"), "a R");
    }
}
