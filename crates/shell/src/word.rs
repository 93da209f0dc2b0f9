//! Words: where they end, and the quotes in them.

use std::borrow::Cow;

use crate::cursor::{Parser, Result, is_meta, offset};
use crate::{Part, SyntaxErrorKind, Word};

/// Where a word stands, which says what ends it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Context {
    Plain,
    /// The first of a command, which may be the name of a function.
    First,
    /// The right side of `=~`.
    Regex,
}

/// Text up to a closing byte, with what is special in it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Enclosure {
    /// Opens another level; NUL for none.
    pub(crate) open: u8,
    /// Closes a level; NUL for the end of what is read.
    pub(crate) close: u8,
    /// Whether it is expanded as in double quotes.
    pub(crate) quoted: bool,
    /// Whether single quotes take away the meaning of what they enclose.
    pub(crate) singles: bool,
}

impl Enclosure {
    pub(crate) const ARITHMETIC: Self = Self {
        open: b'(',
        close: b')',
        quoted: true,
        singles: true,
    };
    pub(crate) const SUBSCRIPT: Self = Self {
        open: b'[',
        close: b']',
        ..Self::ARITHMETIC
    };
    /// Parentheses whatever they mean: those of an extended pattern, a group of a regular expression.
    pub(crate) const PATTERN: Self = Self {
        quoted: false,
        ..Self::ARITHMETIC
    };
}

/// Adds text, to the last part if that is of the same kind.
fn push<'t>(parts: &mut Vec<Part<'t>>, text: Cow<'t, str>, quoted: bool) {
    match (parts.last_mut(), quoted) {
        (Some(Part::Literal(last)), false) | (Some(Part::Quoted(last)), true) => {
            last.to_mut().push_str(&text);
        }
        (_, false) => parts.push(Part::Literal(text)),
        (_, true) => parts.push(Part::Quoted(text)),
    }
}

impl<'t> Parser<'t> {
    /// The word that starts here; one that is empty if none does.
    pub(crate) fn word(&mut self, context: Context) -> Result<Word<'t>> {
        let start = self.at;
        let mut parts = Vec::new();
        self.word_parts(&mut parts, context)?;
        let span = offset(start)..offset(self.at);
        Ok(Word { span, parts })
    }

    /// Adds the parts of a word up to its end.
    pub(crate) fn word_parts(&mut self, parts: &mut Vec<Part<'t>>, context: Context) -> Result<()> {
        loop {
            let run = self.at;
            let rest = self.bytes.get(run..).unwrap_or_default();
            self.at += rest
                .iter()
                .position(|byte| is_special(*byte))
                .unwrap_or(rest.len());
            let Some(byte) = self.raw() else {
                self.push_run(parts, run);
                return Ok(());
            };
            if byte == b'(' && self.at > run && self.starts_pattern(context) {
                self.pattern(parts, run)?;
                continue;
            }
            self.push_run(parts, run);
            match byte {
                b'(' if context == Context::Regex => {
                    self.push_text(parts, self.at, self.at + 1, false);
                    self.at += 1;
                    self.enclosed(parts, Enclosure::PATTERN)?;
                    push(parts, Cow::Borrowed(")"), false);
                }
                b'|' if context == Context::Regex => {
                    push(parts, Cow::Borrowed("|"), false);
                    self.at += 1;
                }
                b'<' | b'>' if self.at_process().is_some() => self.process(parts)?,
                _ if is_meta(byte) => return Ok(()),
                _ => self.special(parts, byte)?,
            }
        }
    }

    /// A quote, a backslash or an expansion, unquoted.
    fn special(&mut self, parts: &mut Vec<Part<'t>>, byte: u8) -> Result<()> {
        match byte {
            b'\\' => {
                self.backslash(parts);
                Ok(())
            }
            b'\'' => self.single_quoted(parts),
            b'"' => self.double_quoted(parts),
            b'`' => self.backquoted(parts, false),
            _ => self.dollar(parts, false, true),
        }
    }

    fn push_run(&self, parts: &mut Vec<Part<'t>>, run: usize) {
        if self.at > run {
            self.push_text(parts, run, self.at, false);
        }
    }

    /// Adds a stretch of the text.
    pub(crate) fn push_text(
        &self,
        parts: &mut Vec<Part<'t>>,
        from: usize,
        to: usize,
        quoted: bool,
    ) {
        let text = self.slice(from, to);
        if self.tabs && text.contains("\n\t") {
            push(parts, Cow::Owned(without_tabs(text)), quoted);
        } else {
            push(parts, Cow::Borrowed(text), quoted);
        }
    }

    /// Whether a `(` after the byte before it opens an extended pattern.
    fn starts_pattern(&self, context: Context) -> bool {
        let before = self.at.checked_sub(1).and_then(|at| self.bytes.get(at));
        let rest = self.bytes.get(self.at + 1..).unwrap_or_default();
        let blank = |byte: &&u8| matches!(byte, b' ' | b'\t');
        before.is_some_and(|byte| b"?*+@!".contains(byte))
            && (context != Context::First || rest.iter().find(|byte| !blank(byte)) != Some(&b')'))
    }

    fn pattern(&mut self, parts: &mut Vec<Part<'t>>, run: usize) -> Result<()> {
        if self.at > run + 1 {
            self.push_text(parts, run, self.at - 1, false);
        }
        self.enter()?;
        self.at += 1;
        let start = self.at;
        let mut inner = Vec::new();
        self.enclosed(&mut inner, Enclosure::PATTERN)?;
        parts.push(Part::Pattern(Word {
            span: offset(start)..offset(self.at - 1),
            parts: inner,
        }));
        self.leave();
        Ok(())
    }

    /// Outside of quotes.
    fn backslash(&mut self, parts: &mut Vec<Part<'t>>) {
        let next = self.joined(self.at);
        if next > self.at {
            self.at = next;
            return;
        }
        let len = self.char_len(self.at + 1);
        if len == 0 {
            // At the end of the text it means itself.
            push(parts, Cow::Borrowed("\\"), true);
        } else {
            push(
                parts,
                Cow::Borrowed(self.slice(self.at + 1, self.at + 1 + len)),
                true,
            );
        }
        self.at += 1 + len;
    }

    fn single_quoted(&mut self, parts: &mut Vec<Part<'t>>) -> Result<()> {
        let close = self.closing_single()?;
        self.push_text(parts, self.at + 1, close, true);
        self.at = close + 1;
        Ok(())
    }

    /// The offset of the single quote that closes the one here.
    fn closing_single(&self) -> Result<usize> {
        let rest = self.bytes.get(self.at + 1..).unwrap_or_default();
        match rest.iter().position(|byte| *byte == b'\'') {
            Some(len) => Ok(self.at + 1 + len),
            None => Err(self.error(self.bytes.len(), SyntaxErrorKind::UnexpectedEnd)),
        }
    }

    /// `"…"`
    pub(crate) fn double_quoted(&mut self, parts: &mut Vec<Part<'t>>) -> Result<()> {
        self.at += 1;
        let before = parts.len();
        self.expanded_text(parts, Some(b'"'))?;
        if parts.len() == before {
            // Nothing was added, or it went into quoted text, to which this adds nothing.
            push(parts, Cow::Borrowed(""), true);
        }
        Ok(())
    }

    /// Text as in double quotes, up to and with `close`; without one, to the end, and `"` means
    /// nothing.
    pub(crate) fn expanded_text(
        &mut self,
        parts: &mut Vec<Part<'t>>,
        close: Option<u8>,
    ) -> Result<()> {
        loop {
            let run = self.at;
            let rest = self.bytes.get(run..).unwrap_or_default();
            self.at += rest
                .iter()
                .position(|byte| matches!(byte, b'\\' | b'$' | b'`') || Some(*byte) == close)
                .unwrap_or(rest.len());
            if self.at > run {
                self.push_text(parts, run, self.at, true);
            }
            match self.raw() {
                None if close.is_none() => return Ok(()),
                None => return Err(self.unexpected()),
                Some(b'\\') => self.quoted_backslash(parts, close.is_some(), false),
                Some(b'`') => self.backquoted(parts, close.is_some())?,
                Some(b'$') => self.dollar(parts, true, false)?,
                Some(_) => {
                    self.at += 1;
                    return Ok(());
                }
            }
        }
    }

    /// Within double quotes and the like: a backslash stays unless something special follows.
    fn quoted_backslash(&mut self, parts: &mut Vec<Part<'t>>, double: bool, braces: bool) {
        let next = self.joined(self.at);
        if next > self.at {
            self.at = next;
            return;
        }
        let escapes = match self.bytes.get(self.at + 1) {
            Some(b'$' | b'`' | b'\\') => true,
            Some(b'"') => double,
            Some(b'}') => braces,
            _ => false,
        };
        let from = self.at + usize::from(escapes);
        let to = self.at + 1 + self.char_len(self.at + 1);
        self.push_text(parts, from, to, true);
        self.at = to;
    }

    /// Text up to and with the byte that closes it. What opened it was read.
    pub(crate) fn enclosed(&mut self, parts: &mut Vec<Part<'t>>, kind: Enclosure) -> Result<()> {
        let mut open = 0_u32;
        loop {
            let run = self.at;
            let rest = self.bytes.get(run..).unwrap_or_default();
            self.at += rest
                .iter()
                .position(|byte| {
                    *byte == kind.open
                        || *byte == kind.close
                        || matches!(byte, b'\\' | b'$' | b'`' | b'"' | b'\'' | b'<' | b'>')
                })
                .unwrap_or(rest.len());
            if self.at > run {
                self.push_text(parts, run, self.at, kind.quoted);
            }
            let Some(byte) = self.raw() else {
                return if kind.close == 0 {
                    Ok(())
                } else {
                    Err(self.unexpected())
                };
            };
            if byte == kind.close && open == 0 {
                self.at += 1;
                return Ok(());
            }
            match byte {
                b'<' | b'>' if !kind.quoted && self.at_process().is_some() => {
                    self.process(parts)?;
                }
                b'\\' if kind.quoted => self.quoted_backslash(parts, true, kind.close == b'}'),
                b'\'' if !kind.singles => self.paired_singles(parts, kind)?,
                b'`' => self.backquoted(parts, kind.quoted)?,
                b'$' => self.dollar(parts, kind.quoted, kind.singles)?,
                b'\\' | b'\'' | b'"' => self.special(parts, byte)?,
                _ => {
                    if byte == kind.open {
                        open += 1;
                    } else if byte == kind.close {
                        open -= 1;
                    }
                    self.push_text(parts, self.at, self.at + 1, kind.quoted);
                    self.at += 1;
                }
            }
        }
    }

    /// Single quotes in `"${name:-…}"`: they mean themselves, and what they enclose is expanded, but
    /// nothing in it closes anything.
    fn paired_singles(&mut self, parts: &mut Vec<Part<'t>>, kind: Enclosure) -> Result<()> {
        let close = self.closing_single()?;
        push(parts, Cow::Borrowed("'"), true);
        let inner = self.bytes.get(..close).unwrap_or_default();
        let bytes = std::mem::replace(&mut self.bytes, inner);
        self.at += 1;
        self.enclosed(
            parts,
            Enclosure {
                open: 0,
                close: 0,
                ..kind
            },
        )?;
        self.bytes = bytes;
        push(parts, Cow::Borrowed("'"), true);
        self.at = close + 1;
        Ok(())
    }

    /// `[…]` after its `[`, up to and with its `]`.
    pub(crate) fn subscript(&mut self) -> Result<Word<'t>> {
        self.enter()?;
        let start = self.at;
        let mut parts = Vec::new();
        self.enclosed(&mut parts, Enclosure::SUBSCRIPT)?;
        self.leave();
        Ok(Word {
            span: offset(start)..offset(self.at - 1),
            parts,
        })
    }
}

/// Whether an unquoted byte is more than itself in the middle of a word.
fn is_special(byte: u8) -> bool {
    SPECIAL.get(usize::from(byte)).copied().unwrap_or_default()
}

static SPECIAL: [bool; 256] = {
    let bytes = b" \t\n;&|<>()\\'\"`$";
    let mut special = [false; 256];
    let mut at = 0;
    while at < bytes.len() {
        special[bytes[at] as usize] = true;
        at += 1;
    }
    special
};

/// Takes off the tabs at the starts of lines but the first.
fn without_tabs(text: &str) -> String {
    let mut lines = text.split('\n');
    let mut stripped = lines.next().unwrap_or_default().to_owned();
    for line in lines {
        stripped.push('\n');
        stripped.push_str(line.trim_start_matches('\t'));
    }
    stripped
}
