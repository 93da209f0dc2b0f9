//! `$'…'`: what its escapes stand for.

use std::borrow::Cow;

use crate::Part;
use crate::cursor::{Parser, Result};

impl<'t> Parser<'t> {
    /// Adds the string whose opening `'` comes next.
    pub(crate) fn ansi_c(&mut self, parts: &mut Vec<Part<'t>>) -> Result<()> {
        self.at += 1;
        let start = self.at;
        let mut escapes = false;
        loop {
            match self.raw() {
                None => return Err(self.unexpected()),
                Some(b'\'') => break,
                Some(b'\\') => {
                    escapes = true;
                    self.at += 2;
                }
                Some(_) => self.at += 1,
            }
        }
        let mut raw = Vec::new();
        self.push_text(&mut raw, start, self.at, true);
        self.at += 1;
        let text = match raw.pop() {
            Some(Part::Quoted(text)) => text,
            _ => Cow::Borrowed(""),
        };
        parts.push(if escapes {
            match String::from_utf8(decoded(text.as_bytes())) {
                Ok(text) => Part::Quoted(Cow::Owned(text)),
                Err(_) => Part::Undecodable,
            }
        } else {
            Part::Quoted(text)
        });
        Ok(())
    }
}

/// Bash cuts the string at a NUL.
fn decoded(mut rest: &[u8]) -> Vec<u8> {
    let mut text = Vec::with_capacity(rest.len());
    while let [byte, after @ ..] = rest {
        rest = after;
        if *byte == b'\\' {
            rest = escape(rest, &mut text);
        } else {
            text.push(*byte);
        }
    }
    if let Some(end) = text.iter().position(|byte| *byte == 0) {
        text.truncate(end);
    }
    text
}

/// Adds what the escape at the start of `rest` stands for, and gives what follows it. One that is
/// none stays as it is.
fn escape<'a>(rest: &'a [u8], text: &mut Vec<u8>) -> &'a [u8] {
    let [letter, after @ ..] = rest else {
        text.push(b'\\');
        return rest;
    };
    let simple = match letter {
        b'a' => 7,
        b'b' => 8,
        b'e' | b'E' => 27,
        b'f' => 12,
        b'n' => b'\n',
        b'r' => b'\r',
        b't' => b'\t',
        b'v' => 11,
        b'\\' | b'\'' | b'"' | b'?' => *letter,
        b'0'..=b'7' => {
            let (value, after) = number(rest, 8, 3);
            // Three digits can be more than a byte holds, of which Bash keeps the low part.
            text.push((value & 0xff) as u8);
            return after;
        }
        b'x' => return hexadecimal(after, text),
        b'u' => return unicode(*letter, after, 4, text),
        b'U' => return unicode(*letter, after, 8, text),
        b'c' => return control(after, text),
        _ => {
            text.extend([b'\\', *letter]);
            return after;
        }
    };
    text.push(simple);
    after
}

/// `\xHH` and `\x{H…}`
fn hexadecimal<'a>(rest: &'a [u8], text: &mut Vec<u8>) -> &'a [u8] {
    let (digits, most) = match rest {
        [b'{', digits @ ..] => (digits, usize::MAX),
        _ => (rest, 2),
    };
    let (value, after) = number(digits, 16, most);
    if after.len() == digits.len() {
        text.extend(b"\\x");
        return rest;
    }
    text.push((value & 0xff) as u8);
    match after {
        [b'}', after @ ..] if most > 2 => after,
        _ => after,
    }
}

fn unicode<'a>(letter: u8, rest: &'a [u8], most: usize, text: &mut Vec<u8>) -> &'a [u8] {
    let (value, after) = number(rest, 16, most);
    if after.len() == rest.len() {
        text.extend([b'\\', letter]);
    } else if let Some(char) = char::from_u32(value) {
        text.extend(char.encode_utf8(&mut [0; 4]).as_bytes());
    } else {
        // Whatever Bash writes for it is no UTF-8.
        text.push(0xff);
    }
    after
}

/// `\cX`
fn control<'a>(rest: &'a [u8], text: &mut Vec<u8>) -> &'a [u8] {
    let [byte, after @ ..] = rest else {
        text.extend(b"\\c");
        return rest;
    };
    text.push(if *byte == b'?' { 0x7f } else { byte & 0x1f });
    match (byte, after) {
        (b'\\', [b'\\', after @ ..]) => after,
        _ => after,
    }
}

/// The number at the start of `rest`, of at most `most` digits.
fn number(rest: &[u8], radix: u32, most: usize) -> (u32, &[u8]) {
    let mut value = 0_u32;
    let mut len = 0;
    for byte in rest.iter().take(most) {
        let Some(digit) = char::from(*byte).to_digit(radix) else {
            break;
        };
        value = value.wrapping_mul(radix).wrapping_add(digit);
        len += 1;
    }
    (value, rest.get(len..).unwrap_or_default())
}
