//! Lines, lists and pipelines: what joins commands.

use crate::cursor::{Keyword, Parser, Result};
use crate::{
    Command, CommandKind, Connector, List, Pipeline, Script, SyntaxError, SyntaxErrorKind,
};

/// Reads a text as `bash -c` does, without aliases.
///
/// Total: any text gives a script, in time linear in its length (times
/// [`MAX_DEPTH`](crate::MAX_DEPTH) at worst). Where something cannot be read, the commands on the
/// complete lines before it are there, since Bash has run them by then, and
/// [`error`](Script::error) says where it is. A text of 4 GiB or more, or with a NUL byte, gives
/// no commands at all.
pub fn parse(text: &str) -> Script<'_> {
    if let Some(error) = unreadable(text) {
        return Script {
            lists: Vec::new(),
            error: Some(error),
        };
    }
    let mut parser = Parser::new(text);
    let mut lists = Vec::new();
    let mut complete = 0;
    let error = loop {
        match parser.line(&mut lists) {
            Ok(true) => {
                parser.place_bodies(lists.get_mut(complete..).unwrap_or_default());
                complete = lists.len();
            }
            Ok(false) => break None,
            Err(error) => break Some(error),
        }
    };
    lists.truncate(if error.is_some() {
        complete
    } else {
        lists.len()
    });
    Script { lists, error }
}

/// Why a text can be no command line at all.
fn unreadable(text: &str) -> Option<SyntaxError> {
    let error = |offset, kind| Some(SyntaxError { offset, kind });
    if u32::try_from(text.len()).is_err() {
        return error(u32::MAX, SyntaxErrorKind::TooLong);
    }
    let nul = text.bytes().position(|byte| byte == 0)?;
    error(u32::try_from(nul).ok()?, SyntaxErrorKind::Nul)
}

impl<'t> Parser<'t> {
    /// Reads the next line with commands, and all that belong to it, and adds its lists. False at
    /// the end of the text.
    fn line(&mut self, lists: &mut Vec<List<'t>>) -> Result<bool> {
        self.newlines()?;
        if self.raw().is_none() {
            return Ok(false);
        }
        loop {
            lists.push(self.list()?);
            self.blanks();
            if self.raw().is_none() {
                // Here-documents without a body, and with it the end of a detour.
                self.here_documents()?;
                self.end_line()?;
                return Ok(true);
            }
            if self.newline()? {
                return Ok(true);
            }
        }
    }

    /// Lists up to what ends the construct that they stand in, which the caller checks.
    pub(crate) fn lists(&mut self) -> Result<Vec<List<'t>>> {
        let mut lists = Vec::new();
        loop {
            self.newlines()?;
            if self.at_close() {
                return Ok(lists);
            }
            lists.push(self.list()?);
        }
    }

    /// The same where at least one command has to stand.
    pub(crate) fn some_lists(&mut self) -> Result<Vec<List<'t>>> {
        let lists = self.lists()?;
        if lists.is_empty() {
            return Err(self.unexpected());
        }
        Ok(lists)
    }

    /// Whether something comes next that ends lists: `)`, `;;`, a closing word, or the end.
    fn at_close(&mut self) -> bool {
        match self.peek() {
            None | Some(b')') => true,
            Some(b';') => self.after(b";;").is_some() || self.after(b";&").is_some(),
            _ => self.keyword().is_some_and(|(keyword, _)| keyword.closes()),
        }
    }

    /// A list, with the `;` or `&` that ends it; a line end is left.
    fn list(&mut self) -> Result<List<'t>> {
        let first = self.pipeline()?;
        let mut rest = Vec::new();
        loop {
            self.blanks();
            let connector = if self.eat(b"&&") {
                Connector::And
            } else if self.eat(b"||") {
                Connector::Or
            } else {
                break;
            };
            self.newlines()?;
            rest.push((connector, self.pipeline()?));
        }
        let background = self.raw() == Some(b'&');
        match self.raw() {
            Some(b'&') => self.at += 1,
            Some(b'\n') => {}
            _ if self.at_close() => {}
            Some(b';') => self.at += 1,
            _ => return Err(self.unexpected()),
        }
        Ok(List {
            first,
            rest,
            background,
        })
    }

    fn pipeline(&mut self) -> Result<Pipeline<'t>> {
        let mut commands = Vec::with_capacity(1);
        let (prefixed, negated) = self.pipeline_prefix();
        if prefixed && matches!(self.peek(), None | Some(b'\n' | b';' | b')')) {
            commands.push(self.nothing());
            return Ok(Pipeline { negated, commands });
        }
        self.command(&mut commands)?;
        loop {
            self.blanks();
            if self.after(b"||").is_some() || !(self.eat(b"|&") || self.eat(b"|")) {
                return Ok(Pipeline { negated, commands });
            }
            self.newlines()?;
            self.command(&mut commands)?;
        }
    }

    /// `!` and `time` in any order: whether any stands here, and whether the result is negated.
    fn pipeline_prefix(&mut self) -> (bool, bool) {
        let mut prefixed = false;
        let mut negated = false;
        loop {
            self.blanks();
            match self.keyword() {
                Some((Keyword::Bang, end)) => {
                    self.at = end;
                    negated = !negated;
                }
                Some((Keyword::Time, end)) => {
                    self.at = end;
                    self.time_options();
                }
                _ => return (prefixed, negated),
            }
            prefixed = true;
        }
    }

    /// `-p` and `--` after `time`, in this order.
    fn time_options(&mut self) {
        for option in ["-p", "--"] {
            self.blanks();
            self.eat_token(option);
        }
    }

    /// The command of `!` or `time` alone.
    fn nothing(&self) -> Command<'t> {
        let at = crate::cursor::offset(self.at);
        Command {
            span: at..at,
            kind: CommandKind::Simple {
                assignments: Vec::new(),
                words: Vec::new(),
            },
            redirects: Vec::new(),
        }
    }
}
