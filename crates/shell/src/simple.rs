//! Simple commands: assignments, words and redirections, and the `name()` that turns one into a
//! function.

use std::borrow::Cow;

use crate::cursor::{Parser, Result, is_meta, is_name, offset, starts_name};
use crate::word::Context;
use crate::{
    AssignedValue, Assignment, Command, CommandKind, Part, Redirect, RedirectKind, SyntaxErrorKind,
    Word,
};

/// What was read of a simple command. It is filled in place: commands nest through their words, and
/// results that are handed up take stack at every level.
#[derive(Default)]
struct Simple<'t> {
    assignments: Vec<Assignment<'t>>,
    words: Vec<Word<'t>>,
    redirects: Vec<Redirect<'t>>,
}

impl<'t> Parser<'t> {
    /// Adds the simple command that starts here, or the function.
    pub(crate) fn simple(&mut self, commands: &mut Vec<Command<'t>>) -> Result<()> {
        let start = self.at;
        let mut end = start;
        let mut simple = Simple::default();
        while self.item(&mut simple)? {
            end = self.at;
        }
        if self.raw() == Some(b'(') {
            return self.function_of(start, &simple, commands);
        }
        if end == start {
            return Err(self.unexpected());
        }
        commands.push(Command {
            span: offset(start)..offset(end),
            kind: CommandKind::Simple {
                assignments: simple.assignments,
                words: simple.words,
            },
            redirects: simple.redirects,
        });
        Ok(())
    }

    /// What a `(` after a simple command makes of it.
    fn function_of(
        &mut self,
        start: usize,
        simple: &Simple<'t>,
        commands: &mut Vec<Command<'t>>,
    ) -> Result<()> {
        match (&*simple.words, &*simple.assignments, &*simple.redirects) {
            ([name], [], []) => {
                let name = self.written(name)?;
                self.function_from(start, name, commands)
            }
            _ => Err(self.unexpected()),
        }
    }

    /// Adds the next part of a simple command; false where it ends.
    fn item(&mut self, simple: &mut Simple<'t>) -> Result<bool> {
        self.blanks();
        if self.redirect(&mut simple.redirects)? {
            return Ok(true);
        }
        if self.at_word_end() {
            return Ok(false);
        }
        if simple.words.is_empty() {
            if self.raw().is_some_and(starts_name) && self.start(simple)? {
                return Ok(true);
            }
            self.word_into(&mut simple.words, Context::First)?;
        } else if !(simple.words.first().is_some_and(assigns)
            && self.array_argument(&mut simple.words)?)
        {
            self.word_into(&mut simple.words, Context::Plain)?;
        }
        Ok(true)
    }

    pub(crate) fn word_into(&mut self, words: &mut Vec<Word<'t>>, context: Context) -> Result<()> {
        let start = self.at;
        // Most words have one part, and small blocks are cheap to get and to free.
        let mut parts = Vec::with_capacity(1);
        self.word_parts(&mut parts, context)?;
        let span = offset(start)..offset(self.at);
        words.push(Word { span, parts });
        Ok(())
    }

    /// Whether no word starts here.
    pub(crate) fn at_word_end(&mut self) -> bool {
        match self.peek() {
            None => true,
            Some(b'<' | b'>') => self.at_process().is_none(),
            Some(byte) => is_meta(byte),
        }
    }

    /// `name=(…)` as an argument of `declare` and its kin, if it comes next.
    fn array_argument(&mut self, words: &mut Vec<Word<'t>>) -> Result<bool> {
        let start = self.at;
        let mut at = self.name_end(start);
        if self.bytes.get(at) == Some(&b'+') {
            at += 1;
        }
        if at == start || self.bytes.get(at..at + 2) != Some(b"=(") {
            return Ok(false);
        }
        self.at = at + 1;
        let mut parts = vec![Part::Literal(Cow::Borrowed(self.slice(start, at + 1)))];
        parts.push(Part::Array(self.array()?));
        self.word_parts(&mut parts, Context::Plain)?;
        let span = offset(start)..offset(self.at);
        words.push(Word { span, parts });
        Ok(true)
    }

    /// Adds an assignment, or the word that a name with a subscript turned out to be. False if
    /// neither comes next.
    fn start(&mut self, simple: &mut Simple<'t>) -> Result<bool> {
        let start = self.at;
        let end = self.name_end(start);
        let mut subscript = None;
        self.at = self.joined(end);
        if self.raw() == Some(b'[') {
            self.at += 1;
            subscript = Some(self.subscript()?);
        }
        let append = self.after(b"+=").is_some();
        if append || self.after(b"=").is_some() {
            self.eat(b"+");
            self.eat(b"=");
            let value = self.value()?;
            simple.assignments.push(Assignment {
                name: self.slice(start, end),
                subscript,
                append,
                value,
            });
            return Ok(true);
        }
        let Some(subscript) = subscript else {
            if self.is_split_name(end) {
                return Err(self.error(end, SyntaxErrorKind::SplitName));
            }
            self.at = start;
            return Ok(false);
        };
        let mut parts = vec![Part::Literal(Cow::Borrowed(self.slice(start, end)))];
        in_brackets(&mut parts, subscript);
        self.word_parts(&mut parts, Context::First)?;
        let span = offset(start)..offset(self.at);
        simple.words.push(Word { span, parts });
        Ok(true)
    }

    /// What comes after the `=` of an assignment.
    fn value(&mut self) -> Result<AssignedValue<'t>> {
        if self.peek() == Some(b'(') {
            return self.array().map(AssignedValue::Array);
        }
        self.word(Context::Plain).map(AssignedValue::Word)
    }

    /// Whether a name goes on after a line continuation at `end` and is assigned to.
    fn is_split_name(&self, mut end: usize) -> bool {
        let mut split = false;
        while self.joined(end) > end
            && self
                .bytes
                .get(self.joined(end))
                .is_some_and(|b| is_name(*b))
        {
            end = self.name_end(self.joined(end));
            split = true;
        }
        let rest = self.bytes.get(self.joined(end)..).unwrap_or_default();
        split && matches!(rest, [b'=' | b'+' | b'[', ..])
    }

    /// `( … )` after `=`.
    fn array(&mut self) -> Result<Vec<Word<'t>>> {
        self.enter()?;
        self.eat(b"(");
        let mut elements = Vec::new();
        loop {
            self.newlines()?;
            if self.eat(b")") {
                self.leave();
                return Ok(elements);
            }
            if self.at_word_end() {
                return Err(self.unexpected());
            }
            self.element(&mut elements)?;
        }
    }

    /// A value in an array, with or without `[…]=` before it.
    fn element(&mut self, elements: &mut Vec<Word<'t>>) -> Result<()> {
        let start = self.at;
        let mut parts = Vec::new();
        if self.eat(b"[") {
            let subscript = self.subscript()?;
            in_brackets(&mut parts, subscript);
        }
        self.word_parts(&mut parts, Context::Plain)?;
        let span = offset(start)..offset(self.at);
        elements.push(Word { span, parts });
        Ok(())
    }

    /// Adds the redirection that comes next; false if none does.
    pub(crate) fn redirect(&mut self, redirects: &mut Vec<Redirect<'t>>) -> Result<bool> {
        let start = self.at;
        let Some((fd, operator)) = self.redirect_fd() else {
            return Ok(false);
        };
        self.at = operator;
        let found = if self.at_process().is_some() {
            None
        } else {
            self.redirect_kind()
        };
        let Some((mut kind, default)) = found else {
            self.at = start;
            return Ok(false);
        };
        let fd = match fd {
            Fd::Default => Some(default),
            Fd::Number(number) => Some(number),
            Fd::Variable => None,
        };
        let target = if kind == RedirectKind::HereDocument {
            self.here_document(operator)?
        } else {
            self.redirect_word()?
        };
        let both = kind == RedirectKind::WriteBoth && self.bytes.get(operator) == Some(&b'>');
        if both && duplicates(&target) {
            kind = RedirectKind::Duplicate;
        }
        redirects.push(Redirect { kind, fd, target });
        Ok(true)
    }

    /// What stands before an operator, and where the operator is.
    fn redirect_fd(&mut self) -> Option<(Fd, usize)> {
        let start = self.at;
        match self.peek()? {
            b'<' | b'>' => Some((Fd::Default, self.at)),
            b'&' => self.after(b"&>").map(|_| (Fd::Default, start)),
            b'0'..=b'9' => {
                let end = self.name_end(start);
                let number: u32 = self.slice(start, end).parse().ok()?;
                let operator = self.joined(end);
                let known = i32::try_from(number).is_ok();
                (known && matches!(self.bytes.get(operator)?, b'<' | b'>'))
                    .then_some((Fd::Number(number), operator))
            }
            b'{' if self.bytes.get(start + 1).copied().is_some_and(starts_name) => {
                let mut end = self.name_end(start + 1);
                if self.bytes.get(end) == Some(&b'[') {
                    // No further than the word goes, so that each byte is looked at once.
                    let rest = self.bytes.get(end..)?;
                    end += rest.iter().position(|b| *b == b']' || is_meta(*b))? + 1;
                }
                let operator = self.joined(end + 1);
                (*self.bytes.get(end)? == b'}' && matches!(self.bytes.get(operator)?, b'<' | b'>'))
                    .then_some((Fd::Variable, operator))
            }
            _ => None,
        }
    }

    /// The operator that comes next and the descriptor that it stands for. `>&` is taken for
    /// [`RedirectKind::WriteBoth`] on descriptor 1 until its word is known.
    fn redirect_kind(&mut self) -> Option<(RedirectKind, u32)> {
        use RedirectKind as Kind;
        let operators: &[(&[u8], Kind, u32)] = match self.peek()? {
            b'<' => &[
                (b"<<<", Kind::HereString, 0),
                (b"<<", Kind::HereDocument, 0),
                (b"<&", Kind::Duplicate, 0),
                (b"<>", Kind::ReadWrite, 0),
                (b"<", Kind::Read, 0),
            ],
            b'>' => &[
                (b">>", Kind::Append, 1),
                (b">&", Kind::WriteBoth, 1),
                (b">|", Kind::Write, 1),
                (b">", Kind::Write, 1),
            ],
            _ => &[(b"&>>", Kind::AppendBoth, 1), (b"&>", Kind::WriteBoth, 1)],
        };
        operators
            .iter()
            .find(|(operator, ..)| self.eat(operator))
            .map(|(_, kind, fd)| (*kind, *fd))
    }

    /// The word after an operator.
    pub(crate) fn redirect_word(&mut self) -> Result<Word<'t>> {
        self.blanks();
        if self.at_word_end() {
            return Err(self.unexpected());
        }
        self.word(Context::Plain)
    }
}

/// Puts a subscript back into the word that it is a part of.
fn in_brackets<'t>(parts: &mut Vec<Part<'t>>, subscript: Word<'t>) {
    parts.push(Part::Literal(Cow::Borrowed("[")));
    parts.extend(subscript.parts);
    parts.push(Part::Literal(Cow::Borrowed("]")));
}

/// What stands before the operator of a redirection.
enum Fd {
    Default,
    Number(u32),
    Variable,
}

/// Whether the word after `>&` names a descriptor, or may do so after expansion.
fn duplicates(word: &Word<'_>) -> bool {
    word.parts.iter().all(|part| match part {
        Part::Literal(text) | Part::Quoted(text) => text
            .bytes()
            .all(|byte| byte.is_ascii_digit() || byte == b'-'),
        _ => true,
    })
}

/// Whether a program takes assignments as arguments.
fn assigns(word: &Word<'_>) -> bool {
    matches!(
        &*word.parts,
        [Part::Literal(name)] if matches!(
            name.as_ref(),
            "declare" | "typeset" | "local" | "export" | "readonly" | "alias" | "eval" | "let"
        )
    )
}
