//! `[[ … ]]`: which of its tokens are words, and which are operators.

use crate::Word;
use crate::cursor::{Parser, Result};
use crate::word::Context;

impl<'t> Parser<'t> {
    /// The words up to `]]`. Parentheses are counted, so nesting takes no stack.
    pub(crate) fn test(&mut self) -> Result<Vec<Word<'t>>> {
        let mut words = Vec::new();
        let mut open = 0_u32;
        loop {
            self.newlines()?;
            if self.eat_token("!") {
                continue;
            }
            if self.eat(b"(") {
                open += 1;
                continue;
            }
            self.primary(&mut words)?;
            loop {
                self.newlines()?;
                if open > 0 && self.eat(b")") {
                    open -= 1;
                } else if open == 0 && self.eat_token("]]") {
                    return Ok(words);
                } else if self.eat(b"&&") || self.eat(b"||") {
                    break;
                } else {
                    return Err(self.unexpected());
                }
            }
        }
    }

    /// A word, one with an operator before it, or two with one between.
    fn primary(&mut self, words: &mut Vec<Word<'t>>) -> Result<()> {
        if is_unary(self.token()) {
            self.at += self.token().len();
            return self.test_word(words, Context::Plain);
        }
        if self.token() == "]]" {
            return Err(self.unexpected());
        }
        self.test_word(words, Context::Plain)?;
        self.blanks();
        match self.token() {
            "" if self.at_process().is_none() && (self.eat(b"<") || self.eat(b">")) => {
                self.test_word(words, Context::Plain)
            }
            "=~" => {
                self.at += 2;
                self.test_word(words, Context::Regex)
            }
            operator if is_binary(operator) => {
                self.at += operator.len();
                self.test_word(words, Context::Plain)
            }
            _ => Ok(()),
        }
    }

    fn test_word(&mut self, words: &mut Vec<Word<'t>>, context: Context) -> Result<()> {
        self.blanks();
        let opens = context == Context::Regex && matches!(self.peek(), Some(b'(' | b'|'));
        if self.at_word_end() && !opens {
            return Err(self.unexpected());
        }
        self.word_into(words, context)
    }
}

fn is_unary(token: &str) -> bool {
    matches!(token.as_bytes(), [b'-', letter] if b"abcdefghknoprstuvwxzGLNORS".contains(letter))
}

fn is_binary(token: &str) -> bool {
    matches!(
        token,
        "==" | "=" | "!=" | "-eq" | "-ne" | "-lt" | "-le" | "-gt" | "-ge" | "-nt" | "-ot" | "-ef"
    )
}
