//! Simple commands: assignments, words and redirections, and the `name()` that turns one into a
//! function.

use std::borrow::Cow;

use crate::cursor::{Parser, Result, is_meta, is_name, offset, starts_name};
use crate::word::Context;
use crate::{
    AssignedValue, Assignment, Command, CommandKind, Part, Redirect, RedirectKind, SyntaxErrorKind,
    Word,
};

/// What a word that looks like an assignment at its start turned out to be.
enum Start<'t> {
    Assignment(Assignment<'t>),
    /// Parts of a word that goes on: `name[…]` without `=`.
    Word(Vec<Part<'t>>),
}

impl<'t> Parser<'t> {
    pub(crate) fn simple(&mut self) -> Result<Command<'t>> {
        let start = self.at;
        let mut end = start;
        let mut assignments = Vec::new();
        let mut words: Vec<Word<'t>> = Vec::new();
        let mut redirects = Vec::new();
        loop {
            self.blanks();
            if let Some(redirect) = self.redirect()? {
                redirects.push(redirect);
            } else if self.raw() == Some(b'(') {
                if let ([name], [], []) = (&*words, &*assignments, &*redirects) {
                    let name = self.slice(name.span.start as usize, name.span.end as usize);
                    return self.function_from(start, name);
                }
                return Err(self.unexpected());
            } else if self.at_word_end() {
                break;
            } else if words.is_empty() {
                match self.start()? {
                    Some(Start::Assignment(assignment)) => assignments.push(assignment),
                    Some(Start::Word(parts)) => words.push(self.word_from(parts, Context::First)?),
                    None => words.push(self.word(Context::First)?),
                }
            } else {
                words.push(self.argument(&words)?);
            }
            end = self.at;
        }
        if end == start {
            return Err(self.unexpected());
        }
        Ok(Command {
            span: offset(start)..offset(end),
            kind: CommandKind::Simple { assignments, words },
            redirects,
        })
    }

    /// Whether no word starts here.
    pub(crate) fn at_word_end(&mut self) -> bool {
        match self.peek() {
            None => true,
            Some(b'<' | b'>') => self.at_process().is_none(),
            Some(byte) => is_meta(byte),
        }
    }

    /// An argument; that of `declare` and its kin can be an array.
    fn argument(&mut self, words: &[Word<'t>]) -> Result<Word<'t>> {
        if words.first().is_some_and(assigns) {
            let name = self.at;
            let mut at = self.name_end(name);
            if self.bytes.get(at) == Some(&b'+') {
                at += 1;
            }
            if at > name && self.bytes.get(at..at + 2) == Some(b"=(") {
                self.at = at + 1;
                let array = Part::Array(self.array()?);
                let mut parts = vec![Part::Literal(Cow::Borrowed(self.slice(name, at + 1)))];
                parts.push(array);
                return self.word_from(parts, Context::Plain).map(|word| Word {
                    span: offset(name)..word.span.end,
                    ..word
                });
            }
        }
        self.word(Context::Plain)
    }

    /// An assignment, or the part of a word that was read to see that it is none.
    fn start(&mut self) -> Result<Option<Start<'t>>> {
        let start = self.at;
        if !self.raw().is_some_and(starts_name) {
            return Ok(None);
        }
        let end = self.name_end(start);
        let mut subscript = None;
        self.at = self.joined(end);
        if self.raw() == Some(b'[') {
            self.at += 1;
            subscript = Some(self.subscript()?);
        }
        let append = self.after(b"+=").is_some();
        if !append && self.after(b"=").is_none() {
            if subscript.is_none() && self.is_split_name(end) {
                return Err(self.error(end, SyntaxErrorKind::SplitName));
            }
            let Some(subscript) = subscript else {
                self.at = start;
                return Ok(None);
            };
            let mut parts = vec![Part::Literal(Cow::Owned(
                self.slice(start, end).to_owned() + "[",
            ))];
            parts.extend(subscript.parts);
            parts.push(Part::Literal(Cow::Borrowed("]")));
            return Ok(Some(Start::Word(parts)));
        }
        self.eat(b"+");
        self.eat(b"=");
        let value = if self.peek() == Some(b'(') {
            AssignedValue::Array(self.array()?)
        } else {
            AssignedValue::Word(self.word(Context::Plain)?)
        };
        Ok(Some(Start::Assignment(Assignment {
            name: self.slice(start, end),
            subscript,
            append,
            value,
        })))
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
            let mut parts = Vec::new();
            let start = self.at;
            if self.eat(b"[") {
                parts.push(Part::Literal(Cow::Borrowed("[")));
                parts.extend(self.subscript()?.parts);
                parts.push(Part::Literal(Cow::Borrowed("]")));
            }
            let word = self.word_from(parts, Context::Plain)?;
            let span = offset(start)..word.span.end;
            elements.push(Word { span, ..word });
        }
    }

    /// The redirection that comes next, if one does.
    pub(crate) fn redirect(&mut self) -> Result<Option<Redirect<'t>>> {
        let start = self.at;
        let Some((fd, operator)) = self.redirect_fd() else {
            return Ok(None);
        };
        self.at = operator;
        if self.at_process().is_some() {
            self.at = start;
            return Ok(None);
        }
        let Some((kind, default)) = self.redirect_kind() else {
            self.at = start;
            return Ok(None);
        };
        let (target, kind) = match kind {
            RedirectKind::HereDocument => {
                let strip_tabs = self.eat(b"-");
                (self.here_document(operator, strip_tabs)?, kind)
            }
            RedirectKind::WriteBoth if self.bytes.get(operator) == Some(&b'>') => {
                let target = self.redirect_word()?;
                let kind = if duplicates(&target) {
                    RedirectKind::Duplicate
                } else {
                    kind
                };
                (target, kind)
            }
            _ => (self.redirect_word()?, kind),
        };
        let fd = match fd {
            Fd::Default => Some(default),
            Fd::Number(number) => Some(number),
            Fd::Variable => None,
        };
        Ok(Some(Redirect { kind, fd, target }))
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
                    end += self.bytes.get(end..)?.iter().position(|b| *b == b']')? + 1;
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
