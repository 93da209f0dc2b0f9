//! Compound commands and functions.

use crate::cursor::{Keyword, Parser, Result, offset};
use crate::word::Context;
use crate::{CaseArm, Command, CommandKind, List, SyntaxErrorKind, Word};

impl<'t> Parser<'t> {
    /// Adds the command that comes next.
    pub(crate) fn command(&mut self, commands: &mut Vec<Command<'t>>) -> Result<()> {
        self.blanks();
        let start = self.at;
        self.enter()?;
        let keyword = self.keyword();
        if keyword.is_none() && self.peek() != Some(b'(') {
            self.simple(commands)?;
        } else {
            let kind = match keyword {
                Some((keyword, end)) => {
                    self.at = end;
                    self.compound(keyword, start)
                }
                None => self.parenthesis(),
            };
            self.redirected(start, kind?, commands)?;
        }
        self.leave();
        Ok(())
    }

    /// Adds a command that is not simple, with the redirections after it.
    fn redirected(
        &mut self,
        start: usize,
        kind: CommandKind<'t>,
        commands: &mut Vec<Command<'t>>,
    ) -> Result<()> {
        let mut redirects = Vec::new();
        let mut end = self.at;
        // The body of a function or coprocess has taken the redirections.
        let own = !matches!(
            kind,
            CommandKind::Function { .. } | CommandKind::Coproc { .. }
        );
        while own && {
            self.blanks();
            self.redirect(&mut redirects)?
        } {
            end = self.at;
        }
        commands.push(Command {
            span: offset(start)..offset(end),
            kind,
            redirects,
        });
        Ok(())
    }

    fn compound(&mut self, keyword: Keyword, start: usize) -> Result<CommandKind<'t>> {
        match keyword {
            Keyword::If => self.conditional(),
            Keyword::While | Keyword::Until => {
                let condition = self.some_lists()?;
                let body = self.do_group()?;
                Ok(CommandKind::Loop { condition, body })
            }
            Keyword::For | Keyword::Select => self.for_loop(),
            Keyword::Case => self.case(),
            Keyword::Function => self.function(),
            Keyword::Coproc => self.coproc(),
            Keyword::OpenBrace => {
                let lists = self.some_lists()?;
                self.expect(Keyword::CloseBrace)?;
                Ok(CommandKind::Group(lists))
            }
            Keyword::Test => Ok(CommandKind::Test(self.test()?)),
            _ => {
                self.at = start;
                Err(self.unexpected())
            }
        }
    }

    /// `( … )` or `(( … ))`.
    fn parenthesis(&mut self) -> Result<CommandKind<'t>> {
        if let Some(expression) = self.arithmetic()? {
            return Ok(CommandKind::Arithmetic(expression));
        }
        self.eat(b"(");
        let lists = self.some_lists()?;
        self.close_parenthesis()?;
        Ok(CommandKind::Subshell(lists))
    }

    pub(crate) fn close_parenthesis(&mut self) -> Result<()> {
        if self.eat(b")") {
            return Ok(());
        }
        Err(self.unexpected())
    }

    fn conditional(&mut self) -> Result<CommandKind<'t>> {
        let mut branches = Vec::new();
        let mut otherwise = None;
        loop {
            let condition = self.some_lists()?;
            self.expect(Keyword::Then)?;
            branches.push((condition, self.some_lists()?));
            match self.keyword() {
                Some((Keyword::Elif, end)) => self.at = end,
                Some((Keyword::Else, end)) => {
                    self.at = end;
                    otherwise = Some(self.some_lists()?);
                    break;
                }
                _ => break,
            }
        }
        self.expect(Keyword::Fi)?;
        Ok(CommandKind::If {
            branches,
            otherwise,
        })
    }

    /// `do … done`
    fn do_group(&mut self) -> Result<Vec<List<'t>>> {
        self.expect(Keyword::Do)?;
        let body = self.some_lists()?;
        self.expect(Keyword::Done)?;
        Ok(body)
    }

    /// `do … done` or `{ … }`, as after `for`.
    fn loop_body(&mut self) -> Result<Vec<List<'t>>> {
        self.newlines()?;
        if let Some((Keyword::OpenBrace, end)) = self.keyword() {
            self.at = end;
            let body = self.some_lists()?;
            self.expect(Keyword::CloseBrace)?;
            return Ok(body);
        }
        self.do_group()
    }

    fn for_loop(&mut self) -> Result<CommandKind<'t>> {
        self.blanks();
        if let Some(expression) = self.arithmetic()? {
            self.blanks();
            self.eat(b";");
            let body = self.loop_body()?;
            return Ok(CommandKind::ArithmeticFor { expression, body });
        }
        let name = self.name()?;
        self.newlines()?;
        let mut words = None;
        if self.eat_token("in") {
            let mut values = Vec::new();
            self.blanks();
            while !self.at_word_end() {
                self.word_into(&mut values, Context::Plain)?;
                self.blanks();
            }
            words = Some(values);
            if self.raw() != Some(b';') && self.raw() != Some(b'\n') {
                return Err(self.unexpected());
            }
        }
        if self.after(b";;").is_none() {
            self.eat(b";");
        }
        let body = self.loop_body()?;
        Ok(CommandKind::For { name, words, body })
    }

    /// A word as it is written, for what is never expanded.
    fn name(&mut self) -> Result<&'t str> {
        self.blanks();
        if self.at_word_end() {
            return Err(self.unexpected());
        }
        let word = self.word(Context::First)?;
        self.written(&word)
    }

    /// The text of a word, which cannot say that a line continuation in it means nothing.
    pub(crate) fn written(&self, word: &Word<'t>) -> Result<&'t str> {
        let start = word.span.start as usize;
        let text = self.slice(start, word.span.end as usize);
        match text.find("\\\n") {
            Some(at) => Err(self.error(start + at, SyntaxErrorKind::SplitName)),
            None => Ok(text),
        }
    }

    fn case(&mut self) -> Result<CommandKind<'t>> {
        self.blanks();
        if self.at_word_end() {
            return Err(self.unexpected());
        }
        let subject = self.word(Context::Plain)?;
        self.newlines()?;
        if !self.eat_token("in") {
            return Err(self.unexpected());
        }
        let mut arms = Vec::new();
        loop {
            self.newlines()?;
            if let Some((Keyword::Esac, end)) = self.keyword() {
                self.at = end;
                return Ok(CommandKind::Case { subject, arms });
            }
            let patterns = self.case_patterns()?;
            let body = self.lists()?;
            arms.push(CaseArm { patterns, body });
            let continues = self.eat(b";;&") || self.eat(b";;") || self.eat(b";&");
            if !continues {
                self.expect(Keyword::Esac)?;
                return Ok(CommandKind::Case { subject, arms });
            }
        }
    }

    fn case_patterns(&mut self) -> Result<Vec<Word<'t>>> {
        let mut patterns = Vec::new();
        self.eat(b"(");
        loop {
            self.blanks();
            if self.at_word_end() {
                return Err(self.unexpected());
            }
            self.word_into(&mut patterns, Context::Plain)?;
            self.blanks();
            if self.eat(b")") {
                return Ok(patterns);
            }
            if !self.eat(b"|") {
                return Err(self.unexpected());
            }
        }
    }

    /// `function name …`, with or without `()`.
    fn function(&mut self) -> Result<CommandKind<'t>> {
        let name = self.name()?;
        let after_name = self.at;
        self.blanks();
        if self.eat(b"(") {
            self.blanks();
            if !self.eat(b")") {
                // It opens the body.
                self.at = after_name;
            }
        }
        self.function_body(name)
    }

    /// `name` was read and `(` comes next.
    pub(crate) fn function_from(
        &mut self,
        start: usize,
        name: &'t str,
        commands: &mut Vec<Command<'t>>,
    ) -> Result<()> {
        self.eat(b"(");
        self.blanks();
        self.close_parenthesis()?;
        let kind = self.function_body(name)?;
        self.redirected(start, kind, commands)
    }

    /// The one command that a function or coprocess has.
    fn body(&mut self) -> Result<Box<Command<'t>>> {
        let mut commands = Vec::with_capacity(1);
        self.command(&mut commands)?;
        commands
            .pop()
            .map(Box::new)
            .ok_or_else(|| self.unexpected())
    }

    fn function_body(&mut self, name: &'t str) -> Result<CommandKind<'t>> {
        self.newlines()?;
        if !self.at_compound() {
            return Err(self.unexpected());
        }
        let body = self.body()?;
        Ok(CommandKind::Function { name, body })
    }

    fn coproc(&mut self) -> Result<CommandKind<'t>> {
        self.blanks();
        let start = self.at;
        if !self.at_compound() {
            self.at += self.token().len();
            let named = self.at > start;
            self.blanks();
            if !(named && self.at_compound()) {
                self.at = start;
            }
        }
        let body = self.body()?;
        Ok(CommandKind::Coproc { body })
    }

    /// Whether a compound command comes next, which is no function or coprocess.
    fn at_compound(&mut self) -> bool {
        match self.keyword() {
            Some((keyword, _)) => {
                !keyword.closes()
                    && !matches!(
                        keyword,
                        Keyword::Bang | Keyword::Time | Keyword::Function | Keyword::Coproc
                    )
            }
            None => self.peek() == Some(b'('),
        }
    }
}
