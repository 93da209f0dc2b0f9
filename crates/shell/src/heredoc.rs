//! Here-documents: their delimiters, where their bodies end, and what is expanded in them.

use std::borrow::Cow;

use crate::cursor::{Parser, Result, offset};
use crate::{Command, CommandKind, List, Part, Redirect, RedirectKind, SyntaxErrorKind, Word};

/// A here-document whose body was not reached yet.
pub(crate) struct Pending<'t> {
    /// Offset of its operator, by which its redirection is found again.
    operator: u32,
    delimiter: Cow<'t, str>,
    /// Nothing is expanded in the body, since a part of the delimiter is quoted.
    quoted: bool,
    /// `<<-`
    strip_tabs: bool,
}

/// A line of a body.
struct Line<'t> {
    /// What is compared with the delimiter.
    text: Cow<'t, str>,
    /// Offset after tabs that are taken off.
    start: usize,
    /// Offset of the next line.
    next: usize,
}

impl<'t> Parser<'t> {
    /// Remembers a here-document whose operator ends here, and gives the place of its body.
    pub(crate) fn here_document(&mut self, operator: usize) -> Result<Word<'t>> {
        let strip_tabs = self.eat(b"-");
        let word = self.redirect_word()?;
        let (delimiter, quoted) = self.delimiter(word);
        let operator = offset(operator);
        self.pending.push(Pending {
            operator,
            delimiter,
            quoted,
            strip_tabs,
        });
        Ok(Word {
            span: operator..operator,
            parts: Vec::new(),
        })
    }

    /// A delimiter after quote removal, which is all that happens to it, and whether it was quoted.
    fn delimiter(&self, word: Word<'t>) -> (Cow<'t, str>, bool) {
        let plain = |part: &Part<'_>| matches!(part, Part::Literal(_) | Part::Quoted(_));
        if !word.parts.iter().all(plain) {
            let raw = self.slice(word.span.start as usize, word.span.end as usize);
            return without_quotes(raw);
        }
        let quoted = word
            .parts
            .iter()
            .any(|part| matches!(part, Part::Quoted(_)));
        let mut texts = word.parts.into_iter().filter_map(|part| match part {
            Part::Literal(text) | Part::Quoted(text) => Some(text),
            _ => None,
        });
        let mut delimiter = texts.next().unwrap_or_default();
        for text in texts {
            delimiter.to_mut().push_str(&text);
        }
        (delimiter, quoted)
    }

    /// Reads the bodies that start here.
    pub(crate) fn here_documents(&mut self) -> Result<()> {
        if !self.pending.is_empty() {
            self.at = self.bodies_from(self.at)?;
        }
        Ok(())
    }

    /// Reads the bodies that a substitution still lacks at its end. They start on the next line of
    /// the text, and what is left of this line comes after them.
    pub(crate) fn late_here_documents(&mut self) -> Result<()> {
        if self.pending.is_empty() {
            return Ok(());
        }
        let (line_end, start) = self.detour.unwrap_or_else(|| {
            let rest = self.bytes.get(self.at..).unwrap_or_default();
            match rest.iter().position(|byte| *byte == b'\n') {
                Some(len) => (self.at + len, self.at + len + 1),
                None => (self.bytes.len(), self.bytes.len()),
            }
        });
        let resume = self.bodies_from(start)?;
        self.detour = Some((line_end, resume));
        Ok(())
    }

    /// Reads the bodies that start at `at`, and gives the offset after them.
    fn bodies_from(&mut self, mut at: usize) -> Result<usize> {
        for document in std::mem::take(&mut self.pending) {
            at = self.body_of(&document, at)?;
        }
        Ok(at)
    }

    fn body_of(&mut self, document: &Pending<'t>, start: usize) -> Result<usize> {
        let delimiter = document.delimiter.as_ref();
        let strip = document.strip_tabs || self.tabs;
        let mut end = start;
        let after = loop {
            if end >= self.bytes.len() {
                break end;
            }
            let line = self.line_at(end, document.quoted, strip);
            let after = line.text.strip_prefix(delimiter);
            match after {
                Some("") => break line.next,
                Some(rest) if self.substituted && rest.contains(')') => {
                    break line.start + delimiter.len();
                }
                _ => end = line.next,
            }
        };
        let parts = self.body_parts(start, end, document.quoted, strip)?;
        let span = offset(start)..offset(end);
        self.bodies.push((document.operator, Word { span, parts }));
        Ok(after)
    }

    /// The line at `start`. Where the body is expanded, a backslash joins it with the next one.
    fn line_at(&self, start: usize, quoted: bool, strip: bool) -> Line<'t> {
        let rest = self.bytes.get(start..).unwrap_or_default();
        let tabs = rest
            .iter()
            .take_while(|byte| strip && **byte == b'\t')
            .count();
        let start = start + tabs;
        let mut at = start;
        let mut joined = false;
        while let Some(byte) = self.bytes.get(at) {
            match byte {
                b'\n' => break,
                b'\\' if !quoted => {
                    joined |= self.bytes.get(at + 1) == Some(&b'\n');
                    at += 2;
                }
                _ => at += 1,
            }
        }
        let at = at.min(self.bytes.len());
        let raw = self.slice(start, at);
        Line {
            text: if joined {
                Cow::Owned(raw.replace("\\\n", ""))
            } else {
                Cow::Borrowed(raw)
            },
            start,
            next: (at + 1).min(self.bytes.len()),
        }
    }

    fn body_parts(
        &mut self,
        start: usize,
        end: usize,
        quoted: bool,
        strip: bool,
    ) -> Result<Vec<Part<'t>>> {
        let mut parts = Vec::new();
        let tabs = std::mem::replace(&mut self.tabs, strip);
        let body = self.bytes.get(..end).unwrap_or_default();
        let bytes = std::mem::replace(&mut self.bytes, body);
        let at = std::mem::replace(&mut self.at, start);
        while strip && self.raw() == Some(b'\t') {
            self.at += 1;
        }
        if quoted {
            if self.at < end {
                self.push_text(&mut parts, self.at, end, true);
            }
        } else {
            self.enter()?;
            let substituted = std::mem::replace(&mut self.substituted, false);
            self.expanded_text(&mut parts, None)?;
            self.substituted = substituted;
            self.leave();
        }
        self.at = at;
        self.bytes = bytes;
        self.tabs = tabs;
        Ok(parts)
    }

    /// Puts the bodies that were read to their redirections in `lists`.
    pub(crate) fn place_bodies(&mut self, lists: &mut [List<'t>]) {
        if !self.bodies.is_empty() {
            place_in_lists(lists, &mut std::mem::take(&mut self.bodies));
        }
    }

    /// What stands on a line whose here-documents were read already cannot go beyond its end.
    pub(crate) fn end_line(&mut self) -> Result<()> {
        if let Some((line_end, resume)) = self.detour {
            if self.at > line_end {
                return Err(self.error(line_end, SyntaxErrorKind::Unexpected));
            }
            if self.at == line_end {
                self.at = resume;
                self.detour = None;
            }
        }
        Ok(())
    }
}

/// Removes quotes from a delimiter that has `$` or `` ` `` in it, which mean nothing there.
fn without_quotes(raw: &str) -> (Cow<'_, str>, bool) {
    let mut text = String::with_capacity(raw.len());
    let mut quoted = false;
    let mut quote = None;
    let mut chars = raw.chars().peekable();
    while let Some(char) = chars.next() {
        match (char, quote) {
            ('\\', None) => {
                let next = chars.next();
                quoted |= next != Some('\n');
                text.extend(next.filter(|next| *next != '\n'));
            }
            ('\\', Some('"')) if chars.peek().is_some_and(|next| "$`\"\\\n".contains(*next)) => {
                text.extend(chars.next().filter(|next| *next != '\n'));
            }
            ('\'' | '"', None) => {
                quoted = true;
                quote = Some(char);
            }
            (_, Some(open)) if char == open => quote = None,
            _ => text.push(char),
        }
    }
    (Cow::Owned(text), quoted)
}

fn place_in_lists<'t>(lists: &mut [List<'t>], bodies: &mut [(u32, Word<'t>)]) {
    for list in lists {
        let rest = list.rest.iter_mut().map(|(_, pipeline)| pipeline);
        for pipeline in std::iter::once(&mut list.first).chain(rest) {
            for command in &mut pipeline.commands {
                place_in_command(command, bodies);
            }
        }
    }
}

/// Substitutions in words are not entered: each places its own.
fn place_in_command<'t>(command: &mut Command<'t>, bodies: &mut [(u32, Word<'t>)]) {
    for redirect in &mut command.redirects {
        place_in_redirect(redirect, bodies);
    }
    match &mut command.kind {
        CommandKind::Subshell(lists) | CommandKind::Group(lists) => place_in_lists(lists, bodies),
        CommandKind::If {
            branches,
            otherwise,
        } => {
            for (condition, body) in branches {
                place_in_lists(condition, bodies);
                place_in_lists(body, bodies);
            }
            place_in_lists(otherwise.as_deref_mut().unwrap_or_default(), bodies);
        }
        CommandKind::Loop { condition, body } => {
            place_in_lists(condition, bodies);
            place_in_lists(body, bodies);
        }
        CommandKind::For { body, .. } | CommandKind::ArithmeticFor { body, .. } => {
            place_in_lists(body, bodies);
        }
        CommandKind::Case { arms, .. } => {
            for arm in arms {
                place_in_lists(&mut arm.body, bodies);
            }
        }
        CommandKind::Function { body, .. } | CommandKind::Coproc { body } => {
            place_in_command(body, bodies);
        }
        CommandKind::Simple { .. } | CommandKind::Arithmetic(_) | CommandKind::Test(_) => {}
    }
}

fn place_in_redirect<'t>(redirect: &mut Redirect<'t>, bodies: &mut [(u32, Word<'t>)]) {
    if redirect.kind != RedirectKind::HereDocument {
        return;
    }
    let operator = redirect.target.span.start;
    let found = bodies.binary_search_by_key(&operator, |(operator, _)| *operator);
    if let Some((_, body)) = found.ok().and_then(|at| bodies.get_mut(at)) {
        redirect.target = std::mem::take(body);
    }
}
