//! Where the reader stands in the text, and the steps that every part of the grammar takes: bytes,
//! operators, blanks, reserved words, depth. It knows no construct.

use std::collections::{BTreeMap, BTreeSet};

use crate::heredoc::Pending;
use crate::{MAX_DEPTH, SyntaxError, SyntaxErrorKind, Word};

pub(crate) type Result<T> = std::result::Result<T, SyntaxError>;

/// The reader. Every error ends the reading: nothing has to be put back after one.
pub(crate) struct Parser<'t> {
    pub(crate) text: &'t str,
    /// The text up to where this reading may go; shorter within a here-document.
    pub(crate) bytes: &'t [u8],
    pub(crate) at: usize,
    depth: u32,
    /// Tabs at the start of lines are no part of the text: the body of a `<<-` here-document.
    pub(crate) tabs: bool,
    /// Within `$( )`, where a `)` on its last line ends a here-document, too.
    pub(crate) substituted: bool,
    /// Here-documents whose bodies start after the next line end.
    pub(crate) pending: Vec<Pending<'t>>,
    /// Bodies by the offset of their operators, in ascending order.
    pub(crate) bodies: Vec<(u32, Word<'t>)>,
    /// Where a line ends whose here-documents were read before its end, and where to go on.
    pub(crate) detour: Option<(usize, usize)>,
    /// Offsets of `((` that turned out to be two parentheses. Each is tried once, which keeps
    /// nested ones from taking exponential time.
    pub(crate) not_arithmetic: BTreeSet<usize>,
    /// Where substitutions end that start with two parentheses, by their offsets.
    pub(crate) pairs: BTreeMap<usize, usize>,
}

/// A reserved word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Keyword {
    If,
    Then,
    Elif,
    Else,
    Fi,
    While,
    Until,
    For,
    Select,
    Case,
    Esac,
    Do,
    Done,
    Function,
    Coproc,
    Time,
    OpenBrace,
    CloseBrace,
    Bang,
    Test,
}

impl Keyword {
    fn of(token: &[u8]) -> Option<Self> {
        Some(match token {
            b"if" => Self::If,
            b"then" => Self::Then,
            b"elif" => Self::Elif,
            b"else" => Self::Else,
            b"fi" => Self::Fi,
            b"while" => Self::While,
            b"until" => Self::Until,
            b"for" => Self::For,
            b"select" => Self::Select,
            b"case" => Self::Case,
            b"esac" => Self::Esac,
            b"do" => Self::Do,
            b"done" => Self::Done,
            b"function" => Self::Function,
            b"coproc" => Self::Coproc,
            b"time" => Self::Time,
            b"{" => Self::OpenBrace,
            b"}" => Self::CloseBrace,
            b"!" => Self::Bang,
            b"[[" => Self::Test,
            _ => return None,
        })
    }

    /// Whether it ends a part of a compound command, and so cannot start a command.
    pub(crate) fn closes(self) -> bool {
        matches!(
            self,
            Self::Then
                | Self::Elif
                | Self::Else
                | Self::Fi
                | Self::Do
                | Self::Done
                | Self::Esac
                | Self::CloseBrace
        )
    }
}

/// Longest reserved word.
const KEYWORD_BYTES: usize = 8;

/// Whether an unquoted byte ends a word.
pub(crate) fn is_meta(byte: u8) -> bool {
    matches!(
        byte,
        b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'<' | b'>' | b'(' | b')'
    )
}

/// Whether a byte can stand in a name; digits not at its start.
pub(crate) fn is_name(byte: u8) -> bool {
    byte == b'_' || byte.is_ascii_alphanumeric()
}

/// Whether a byte can start a name.
pub(crate) fn starts_name(byte: u8) -> bool {
    byte == b'_' || byte.is_ascii_alphabetic()
}

/// Texts longer than that are refused, so this never saturates.
pub(crate) fn offset(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

impl<'t> Parser<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        Self {
            text,
            bytes: text.as_bytes(),
            at: 0,
            depth: 0,
            tabs: false,
            substituted: false,
            pending: Vec::new(),
            bodies: Vec::new(),
            detour: None,
            not_arithmetic: BTreeSet::new(),
            pairs: BTreeMap::new(),
        }
    }

    /// The next byte as it stands there.
    pub(crate) fn raw(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    /// The next byte after line continuations, which are skipped.
    pub(crate) fn peek(&mut self) -> Option<u8> {
        self.at = self.joined(self.at);
        self.raw()
    }

    /// The first offset from `at` that does not start a line continuation.
    pub(crate) fn joined(&self, mut at: usize) -> usize {
        while self.bytes.get(at) == Some(&b'\\') && self.bytes.get(at + 1) == Some(&b'\n') {
            at += 2;
        }
        at
    }

    /// The offset after `operator` if it comes next, continuations within it left out.
    pub(crate) fn after(&self, operator: &[u8]) -> Option<usize> {
        let mut at = self.at;
        for byte in operator {
            at = self.joined(at);
            if self.bytes.get(at) != Some(byte) {
                return None;
            }
            at += 1;
        }
        Some(at)
    }

    /// Goes past `operator` if it comes next.
    pub(crate) fn eat(&mut self, operator: &[u8]) -> bool {
        let after = self.after(operator);
        if let Some(after) = after {
            self.at = after;
        }
        after.is_some()
    }

    /// A part of the text. Offsets come from bytes that are ASCII, so they are char boundaries.
    pub(crate) fn slice(&self, from: usize, to: usize) -> &'t str {
        self.text.get(from..to).unwrap_or_default()
    }

    /// The length in bytes of the character that starts at `at`.
    pub(crate) fn char_len(&self, at: usize) -> usize {
        match self.bytes.get(at) {
            None => 0,
            Some(0..=0xbf) => 1,
            Some(0xc0..=0xdf) => 2,
            Some(0xe0..=0xef) => 3,
            Some(_) => 4,
        }
    }

    /// The offset of the first byte from `at` on that can be no part of a name.
    pub(crate) fn name_end(&self, at: usize) -> usize {
        let rest = self.bytes.get(at..).unwrap_or_default();
        at + rest
            .iter()
            .position(|byte| !is_name(*byte))
            .unwrap_or(rest.len())
    }

    /// The offset of the first byte from `at` on that ends an unquoted word.
    fn token_end(&self, at: usize) -> usize {
        let rest = self.bytes.get(at..).unwrap_or_default();
        at + rest
            .iter()
            .position(|byte| is_meta(*byte))
            .unwrap_or(rest.len())
    }

    /// The unquoted word that comes next, as written.
    pub(crate) fn token(&self) -> &'t str {
        self.slice(self.at, self.token_end(self.at))
    }

    /// Goes past an unquoted word if exactly it comes next.
    pub(crate) fn eat_token(&mut self, token: &str) -> bool {
        let found = self.token() == token;
        if found {
            self.at += token.len();
        }
        found
    }

    /// The reserved word that comes next, and where it ends.
    pub(crate) fn keyword(&self) -> Option<(Keyword, usize)> {
        let rest = self.bytes.get(self.at..)?;
        if !matches!(
            rest.first()?,
            b'i' | b't'
                | b'e'
                | b'f'
                | b'w'
                | b'u'
                | b's'
                | b'c'
                | b'd'
                | b'{'
                | b'}'
                | b'!'
                | b'['
        ) {
            return None;
        }
        let mut joined = [0; KEYWORD_BYTES];
        let mut len = 0;
        let mut at = self.at;
        loop {
            at = self.joined(at);
            match self.bytes.get(at) {
                Some(byte) if !is_meta(*byte) => *joined.get_mut(len)? = *byte,
                _ => break,
            }
            len += 1;
            at += 1;
        }
        Some((Keyword::of(joined.get(..len)?)?, at))
    }

    /// Goes past a reserved word, which has to come next.
    pub(crate) fn expect(&mut self, keyword: Keyword) -> Result<()> {
        self.blanks();
        match self.keyword() {
            Some((found, end)) if found == keyword => {
                self.at = end;
                Ok(())
            }
            _ => Err(self.unexpected()),
        }
    }

    /// Goes past blanks, line continuations and a comment. Only where a token can start.
    pub(crate) fn blanks(&mut self) {
        loop {
            match self.raw() {
                Some(b' ' | b'\t') => self.at += 1,
                Some(b'\\') if self.joined(self.at) > self.at => self.at = self.joined(self.at),
                Some(b'#') => return self.comment(),
                _ => return,
            }
        }
    }

    /// Goes to the end of the line. A backslash there continues nothing.
    pub(crate) fn comment(&mut self) {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        self.at += rest
            .iter()
            .position(|byte| *byte == b'\n')
            .unwrap_or(rest.len());
    }

    /// Goes past a line end and the here-documents that start after it.
    pub(crate) fn newline(&mut self) -> Result<bool> {
        if self.raw() != Some(b'\n') {
            return Ok(false);
        }
        let line_end = self.at;
        self.end_line()?;
        if self.at == line_end {
            self.at += 1;
        }
        self.here_documents()?;
        Ok(true)
    }

    /// Goes past everything that is no token but line ends.
    pub(crate) fn newlines(&mut self) -> Result<()> {
        loop {
            self.blanks();
            if !self.newline()? {
                return Ok(());
            }
        }
    }

    /// One level deeper; [`leave`](Self::leave) comes back from it.
    pub(crate) fn enter(&mut self) -> Result<()> {
        if self.depth == MAX_DEPTH {
            return Err(self.error(self.at, SyntaxErrorKind::TooDeep));
        }
        self.depth += 1;
        Ok(())
    }

    pub(crate) fn leave(&mut self) {
        self.depth -= 1;
    }

    pub(crate) fn error(&self, at: usize, kind: SyntaxErrorKind) -> SyntaxError {
        SyntaxError {
            offset: offset(at.min(self.bytes.len())),
            kind,
        }
    }

    /// What comes next cannot stand here.
    pub(crate) fn unexpected(&self) -> SyntaxError {
        let kind = if self.at < self.bytes.len() {
            SyntaxErrorKind::Unexpected
        } else {
            SyntaxErrorKind::UnexpectedEnd
        };
        self.error(self.at, kind)
    }
}
