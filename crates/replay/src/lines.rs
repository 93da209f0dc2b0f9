//! Lines of a file, one at a time, in bounded memory.

use std::io::{self, BufRead, BufReader, Read};

/// Longest line that is read, in bytes (16 MiB). Longer ones are passed over.
pub const MAX_LINE_BYTES: usize = 16 * 1024 * 1024;
const BUFFER_BYTES: usize = 256 * 1024;

/// One line, without its end.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Line<'a> {
    Whole(&'a [u8]),
    TooLong,
}

/// Reads lines and counts them.
pub(crate) struct Lines<R> {
    reader: BufReader<R>,
    line: Vec<u8>,
    number: u64,
    bytes: u64,
    limit: usize,
}

impl<R: Read> Lines<R> {
    pub(crate) fn new(reader: R) -> Self {
        Self {
            reader: BufReader::with_capacity(BUFFER_BYTES, reader),
            line: Vec::new(),
            number: 0,
            bytes: 0,
            limit: MAX_LINE_BYTES,
        }
    }

    /// Number of the line that was read last, from 1.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// Bytes read so far.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The next line; `None` at the end.
    pub(crate) fn next(&mut self) -> io::Result<Option<Line<'_>>> {
        self.line.clear();
        let (mut too_long, mut any) = (false, false);
        loop {
            let chunk = match self.reader.fill_buf() {
                Ok(chunk) => chunk,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            if chunk.is_empty() {
                break;
            }
            any = true;
            let end = memchr::memchr(b'\n', chunk);
            let part = chunk.get(..end.unwrap_or(chunk.len())).unwrap_or(chunk);
            too_long |= self.line.len() + part.len() > self.limit;
            if too_long {
                self.line = Vec::new();
            } else {
                self.line.extend_from_slice(part);
            }
            let used = part.len() + usize::from(end.is_some());
            self.reader.consume(used);
            self.bytes += used as u64;
            if end.is_some() {
                break;
            }
        }
        if !any {
            return Ok(None);
        }
        self.number += 1;
        if too_long {
            return Ok(Some(Line::TooLong));
        }
        Ok(Some(Line::Whole(
            self.line.strip_suffix(b"\r").unwrap_or(&self.line),
        )))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &str, limit: usize) -> Vec<Option<String>> {
        let mut lines = Lines {
            limit,
            ..Lines::new(text.as_bytes())
        };
        let mut found = Vec::new();
        while let Some(line) = lines.next().unwrap() {
            found.push(match line {
                Line::Whole(bytes) => Some(String::from_utf8(bytes.to_vec()).unwrap()),
                Line::TooLong => None,
            });
        }
        assert_eq!(lines.bytes(), text.len() as u64);
        assert_eq!(lines.number(), found.len() as u64);
        found
    }

    #[test]
    fn lines_end_with_a_newline_or_the_file() {
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(all("", 9), []);
        assert_eq!(all("a\n", 9), [some("a")]);
        assert_eq!(all("a\r\n\nb", 9), [some("a"), some(""), some("b")]);
    }

    #[test]
    fn a_long_line_is_passed_over_and_the_next_one_is_read() {
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(all("12345\n1234\n123456", 4), [None, some("1234"), None]);
    }

    /// What comes in several reads is one line, and too long as a whole.
    #[test]
    fn a_long_line_stays_too_long_to_its_end() {
        let pieces = b"12345678".chain(&b"9"[..]).chain(&b"0\n12\n"[..]);
        let mut lines = Lines {
            limit: 4,
            ..Lines::new(pieces)
        };
        assert_eq!(lines.next().unwrap(), Some(Line::TooLong));
        assert_eq!(lines.next().unwrap(), Some(Line::Whole(b"12")));
        assert_eq!(lines.next().unwrap(), None);
    }
}
