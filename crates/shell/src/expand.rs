//! Expansions: parameters, commands, arithmetic, processes.

use std::borrow::Cow;

use crate::cursor::{Keyword, Parser, Result, is_name, offset, starts_name};
use crate::word::Enclosure;
use crate::{List, Operation, Parameter, Part, Substitution, SyntaxErrorKind, Word};

impl<'t> Parser<'t> {
    /// What a `$` starts. `quoted`: as in double quotes. `strings`: `$'…'` is one.
    pub(crate) fn dollar(
        &mut self,
        parts: &mut Vec<Part<'t>>,
        quoted: bool,
        strings: bool,
    ) -> Result<()> {
        let start = self.at;
        self.at += 1;
        match self.peek() {
            Some(b'(') => self.parenthesized(parts, quoted),
            Some(b'{') => self.braced(parts, quoted),
            Some(b'[') => self.old_arithmetic(parts, quoted),
            Some(b'\'') if strings => self.ansi_c(parts),
            Some(b'"') if !quoted => self.double_quoted(parts),
            Some(byte) if is_name(byte) || is_special_parameter(byte) => {
                self.plain_parameter(parts, quoted)
            }
            _ => {
                self.push_text(parts, start, start + 1, quoted);
                Ok(())
            }
        }
    }

    /// `$name`
    fn plain_parameter(&mut self, parts: &mut Vec<Part<'t>>, quoted: bool) -> Result<()> {
        let name = self.parameter_name()?;
        parts.push(Part::Parameter(Box::new(Parameter {
            name,
            subscript: None,
            operation: Operation::None,
            quoted,
        })));
        Ok(())
    }

    /// A name, a digit, or one of the special parameters; empty if there is none.
    fn parameter_name(&mut self) -> Result<&'t str> {
        let start = self.at;
        match self.raw() {
            Some(byte) if starts_name(byte) => {
                let end = self.name_end(start);
                let next = self.joined(end);
                if next > end && self.bytes.get(next).is_some_and(|byte| is_name(*byte)) {
                    return Err(self.error(end, SyntaxErrorKind::SplitName));
                }
                self.at = end;
            }
            Some(byte) if byte.is_ascii_digit() || is_special_parameter(byte) => self.at += 1,
            _ => {}
        }
        Ok(self.slice(start, self.at))
    }

    /// `$(( … ))` or `$( … )`.
    fn parenthesized(&mut self, parts: &mut Vec<Part<'t>>, quoted: bool) -> Result<()> {
        if let Some(expression) = self.arithmetic()? {
            parts.push(Part::Arithmetic { expression, quoted });
            return Ok(());
        }
        let body = Substitution::Lists(self.substituted()?);
        parts.push(Part::Command { body, quoted });
        Ok(())
    }

    /// `((…))`, if that is what comes next. Bash takes two parentheses for arithmetic unless the one
    /// that closes the second is not followed by one that closes the first.
    pub(crate) fn arithmetic(&mut self) -> Result<Option<Word<'t>>> {
        let start = self.at;
        let Some(after) = self.after(b"((") else {
            return Ok(None);
        };
        if self.not_arithmetic.contains(&start) {
            return Ok(None);
        }
        self.enter()?;
        self.at = after;
        let mut parts = Vec::new();
        self.enclosed(&mut parts, Enclosure::ARITHMETIC)?;
        self.leave();
        let end = self.at - 1;
        if self.eat(b")") {
            let span = offset(after)..offset(end);
            return Ok(Some(Word { span, parts }));
        }
        self.not_arithmetic.insert(start);
        self.at = start;
        Ok(None)
    }

    /// `$[ … ]`
    fn old_arithmetic(&mut self, parts: &mut Vec<Part<'t>>, quoted: bool) -> Result<()> {
        self.at += 1;
        let expression = self.subscript()?;
        parts.push(Part::Arithmetic { expression, quoted });
        Ok(())
    }

    /// `( … )` of a substitution. Where another parenthesis follows the first, Bash has looked for
    /// arithmetic, and the end is where that one would end, comments and `case` left aside.
    fn substituted(&mut self) -> Result<Vec<List<'t>>> {
        self.enter()?;
        if self.after(b"((").is_none() {
            let lists = self.substituted_lists();
            self.leave();
            return lists;
        }
        let end = self.pair_end()?;
        let inner = self.bytes.get(..end).unwrap_or_default();
        let bytes = std::mem::replace(&mut self.bytes, inner);
        let lists = self.substituted_lists()?;
        self.bytes = bytes;
        self.leave();
        if self.at == end {
            Ok(lists)
        } else {
            Err(self.unexpected())
        }
    }

    /// The offset after the parenthesis that closes the one here.
    fn pair_end(&mut self) -> Result<usize> {
        let start = self.at;
        if let Some(end) = self.pairs.get(&start) {
            return Ok(*end);
        }
        self.eat(b"(");
        self.enclosed(&mut Vec::new(), Enclosure::PATTERN)?;
        let end = std::mem::replace(&mut self.at, start);
        self.pairs.insert(start, end);
        Ok(end)
    }

    /// The commands in parentheses. Their here-documents are their own.
    fn substituted_lists(&mut self) -> Result<Vec<List<'t>>> {
        self.eat(b"(");
        let pending = std::mem::take(&mut self.pending);
        let bodies = std::mem::take(&mut self.bodies);
        let substituted = std::mem::replace(&mut self.substituted, true);
        let mut lists = self.lists()?;
        self.close_parenthesis()?;
        self.late_here_documents()?;
        self.place_bodies(&mut lists);
        self.pending = pending;
        self.bodies = bodies;
        self.substituted = substituted;
        Ok(lists)
    }

    /// Where the commands of a process substitution start, if one comes next.
    pub(crate) fn at_process(&self) -> Option<usize> {
        self.after(b"<(").or_else(|| self.after(b">("))
    }

    /// `<( … )` or `>( … )`
    pub(crate) fn process(&mut self, parts: &mut Vec<Part<'t>>) -> Result<()> {
        let reads = self.raw() == Some(b'>');
        self.at += 1;
        let body = self.substituted()?;
        parts.push(Part::Process { reads, body });
        Ok(())
    }

    /// `` `…` ``, where a backslash before `` ` ``, `\` and `$`, and in double quotes before `"`, is
    /// taken off.
    pub(crate) fn backquoted(&mut self, parts: &mut Vec<Part<'t>>, quoted: bool) -> Result<()> {
        let start = self.at + 1;
        let mut inner = Vec::new();
        let mut run = start;
        self.at = start;
        loop {
            match self.raw() {
                None => return Err(self.unexpected()),
                Some(b'`') => break,
                Some(b'\\') => {
                    let escapes = match self.bytes.get(self.at + 1) {
                        Some(b'`' | b'\\' | b'$') => true,
                        Some(b'"') => quoted,
                        _ => false,
                    };
                    if escapes {
                        self.push_text(&mut inner, run, self.at, true);
                        run = self.at + 1;
                    }
                    self.at += 2;
                }
                Some(_) => self.at += 1,
            }
        }
        self.push_text(&mut inner, run, self.at, true);
        self.at += 1;
        let text = match inner.pop() {
            Some(Part::Quoted(text)) => text,
            _ => Cow::Borrowed(""),
        };
        let body = Substitution::Backquoted(text);
        parts.push(Part::Command { body, quoted });
        Ok(())
    }

    /// `${…}`
    fn braced(&mut self, parts: &mut Vec<Part<'t>>, quoted: bool) -> Result<()> {
        self.enter()?;
        self.at += 1;
        if matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'|')) {
            self.braced_commands(parts, quoted)?;
        } else {
            self.braced_parameter(parts, quoted)?;
        }
        self.leave();
        Ok(())
    }

    /// `${ …; }` and `${|…; }` of later versions of Bash.
    fn braced_commands(&mut self, parts: &mut Vec<Part<'t>>, quoted: bool) -> Result<()> {
        self.eat(b"|");
        let body = Substitution::Lists(self.lists()?);
        self.expect(Keyword::CloseBrace)?;
        parts.push(Part::Command { body, quoted });
        Ok(())
    }

    fn braced_parameter(&mut self, parts: &mut Vec<Part<'t>>, quoted: bool) -> Result<()> {
        let prefix = self.prefix();
        let name = self.braced_name()?;
        let has_name = name.bytes().next().is_some_and(starts_name);
        let subscript = if has_name && self.peek() == Some(b'[') {
            self.at += 1;
            Some(self.subscript()?)
        } else {
            None
        };
        let operation = if self.eat(b"}") || (prefix == Prefix::Indirect && self.eat_all_names()) {
            match prefix {
                Prefix::None => Operation::None,
                Prefix::Length => Operation::Length,
                Prefix::Indirect => Operation::Indirect,
            }
        } else {
            let direct = prefix == Prefix::None && !name.is_empty();
            self.operation(quoted, direct)?
        };
        parts.push(Part::Parameter(Box::new(Parameter {
            name,
            subscript,
            operation,
            quoted,
        })));
        Ok(())
    }

    /// `*}` and `@}`, for all names that start with one.
    fn eat_all_names(&mut self) -> bool {
        self.eat(b"*}") || self.eat(b"@}")
    }

    /// `#` and `!` where they are not the parameters themselves.
    fn prefix(&mut self) -> Prefix {
        let start = self.at;
        let prefix = match self.peek() {
            Some(b'#') => Prefix::Length,
            Some(b'!') => Prefix::Indirect,
            _ => return Prefix::None,
        };
        self.at += 1;
        match self.peek() {
            Some(byte) if is_name(byte) => return prefix,
            Some(byte) if is_special_parameter(byte) => {
                let after = self.at;
                self.at += 1;
                let alone = self.peek() == Some(b'}');
                self.at = after;
                if alone || (prefix == Prefix::Indirect && matches!(byte, b'@' | b'*' | b'#')) {
                    return prefix;
                }
            }
            _ => {}
        }
        self.at = start;
        Prefix::None
    }

    /// The name in braces, where numbers may have many digits.
    fn braced_name(&mut self) -> Result<&'t str> {
        let start = self.at;
        if self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            while self.raw().is_some_and(|byte| byte.is_ascii_digit()) {
                self.at += 1;
            }
            return Ok(self.slice(start, self.at));
        }
        self.parameter_name()
    }

    /// An operator and its words, up to and with `}`.
    fn operation(&mut self, quoted: bool, direct: bool) -> Result<Operation<'t>> {
        let first = self.peek();
        let at = self.at;
        self.eat(b":");
        let operator = self.peek();
        let word = if matches!(operator, Some(b'-' | b'=' | b'+' | b'?')) {
            self.at += 1;
            self.operand(quoted, !quoted)?
        } else {
            self.at = at;
            let pattern = matches!(first, Some(b'#' | b'%' | b'/' | b'^' | b','));
            self.operand(quoted, !quoted || pattern)?
        };
        Ok(match operator {
            Some(b'-') if direct => Operation::Default(word),
            Some(b'=') if direct => Operation::Assign(word),
            Some(b'+') if direct => Operation::Alternative(word),
            Some(b'?') if direct => Operation::Error(word),
            _ => Operation::Other(vec![word]),
        })
    }

    fn operand(&mut self, quoted: bool, singles: bool) -> Result<Word<'t>> {
        let start = self.at;
        let mut parts = Vec::new();
        let kind = Enclosure {
            open: 0,
            close: b'}',
            quoted,
            singles,
        };
        self.enclosed(&mut parts, kind)?;
        Ok(Word {
            span: offset(start)..offset(self.at - 1),
            parts,
        })
    }
}

/// What comes before the name in `${…}`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Prefix {
    None,
    Length,
    Indirect,
}

fn is_special_parameter(byte: u8) -> bool {
    b"@*#?-$!".contains(&byte)
}
