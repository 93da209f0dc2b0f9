//! The limits of expressions, and the look at a text before any parser descends into it.

use std::ops::Range;

/// Longest text of an expression, in bytes.
pub const MAX_TEXT_BYTES: usize = 4_096;
/// Deepest nesting of brackets and of `?:`.
pub const MAX_NESTING: usize = 32;
/// Longest chain of operators, fields and brackets that build on one another: `a + b + …`,
/// `a.b.c…`. Chains of `&&` and `||` have no limit of their own.
pub const MAX_CHAIN: usize = 128;
/// The most work that one evaluation may do, in units: one for each turn of a loop and each
/// variable of an outer loop that it uses, and one per KiB of everything that is looked up, looked
/// through or built.
pub const MAX_COST: u64 = 256 * 1_024;
/// Longest pattern for `matches` and `glob` that is made at run time, in bytes.
pub const MAX_COMPUTED_PATTERN_BYTES: usize = 1_024;

/// One open bracket, or the whole text.
#[derive(Default)]
struct Level {
    /// Operators that build on one another in the part that is read.
    chain: usize,
    /// The deepest bracket of that part.
    inner: usize,
    /// The deepest part that was read before.
    deepest: usize,
    /// `?` without their end.
    choices: usize,
}

impl Level {
    fn part(&self) -> usize {
        self.chain + self.inner
    }

    fn depth(&self) -> usize {
        self.deepest.max(self.part()) + self.choices
    }

    fn next_part(&mut self) {
        self.deepest = self.deepest.max(self.part());
        self.chain = 0;
        self.inner = 0;
    }
}

/// Where the text is nested more deeply than the limits allow, if it is. Never less strict than a
/// parser: what it takes for an operator or bracket may be none.
pub(super) fn too_deep(text: &str) -> Option<Range<usize>> {
    let mut levels = vec![Level::default()];
    let mut tokens = Tokens { text, at: 0 };
    while let Some((at, byte)) = tokens.next_token() {
        let span = at..at + 1;
        let nesting = levels.len() + levels.iter().map(|level| level.choices).sum::<usize>();
        let is_inner = levels.len() > 1;
        let Some(level) = levels.last_mut() else {
            break;
        };
        match byte {
            b'(' | b'[' | b'{' => {
                level.chain += 1;
                levels.push(Level::default());
                if nesting > MAX_NESTING {
                    return Some(span);
                }
            }
            b')' | b']' | b'}' if is_inner => {
                let inner = levels.pop().map_or(0, |level| level.depth());
                if let Some(level) = levels.last_mut() {
                    level.inner = level.inner.max(inner);
                }
            }
            b',' => {
                level.next_part();
                level.choices = 0;
            }
            b'?' => {
                level.next_part();
                level.choices += 1;
                if nesting > MAX_NESTING {
                    return Some(span);
                }
            }
            b'&' | b'|' | b':' => level.next_part(),
            b'.' | b'+' | b'-' | b'*' | b'/' | b'%' | b'=' | b'<' | b'>' | b'!' => level.chain += 1,
            b'i' if is_in(text, at) => level.chain += 1,
            _ => {}
        }
        if levels.last().is_some_and(|level| level.depth() > MAX_CHAIN) {
            return Some(span);
        }
    }
    None
}

/// Whether the operator `in` stands there.
fn is_in(text: &str, at: usize) -> bool {
    let bytes = text.as_bytes();
    let in_name =
        |byte: Option<&u8>| byte.is_some_and(|it| it.is_ascii_alphanumeric() || *it == b'_');
    let before = at.checked_sub(1).and_then(|at| bytes.get(at));
    bytes.get(at + 1) == Some(&b'n') && !in_name(before) && !in_name(bytes.get(at + 2))
}

/// Walks over the bytes outside of quoted text and comments.
struct Tokens<'a> {
    text: &'a str,
    at: usize,
}

impl Tokens<'_> {
    fn next_token(&mut self) -> Option<(usize, u8)> {
        let bytes = self.text.as_bytes();
        loop {
            let at = self.at;
            match *bytes.get(at)? {
                quote @ (b'"' | b'\'') => self.skip_quoted(quote),
                b'/' if bytes.get(at + 1) == Some(&b'/') => {
                    while bytes.get(self.at).is_some_and(|byte| *byte != b'\n') {
                        self.at += 1;
                    }
                }
                byte => {
                    self.at += 1;
                    return Some((at, byte));
                }
            }
        }
    }

    /// A quote that is not closed on its line is none: the rest is read as if it were not quoted.
    fn skip_quoted(&mut self, quote: u8) {
        let bytes = self.text.as_bytes();
        let raw = self.at > 0 && matches!(bytes.get(self.at - 1), Some(b'r' | b'R'));
        let triple = [quote; 3];
        let rest = bytes.get(self.at..).unwrap_or_default();
        let end: &[u8] = if rest.starts_with(&triple) {
            &triple
        } else {
            &triple[..1]
        };
        let mut at = self.at + end.len();
        while let Some(byte) = bytes.get(at) {
            if bytes.get(at..).is_some_and(|rest| rest.starts_with(end)) {
                self.at = at + end.len();
                return;
            }
            if *byte == b'\n' && end.len() == 1 {
                break;
            }
            at += if *byte == b'\\' && !raw { 2 } else { 1 };
        }
        self.at += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nesting_at_and_above_the_limit() {
        let nested = |open: &str, close: &str, levels: usize| {
            open.repeat(levels) + "1" + &close.repeat(levels)
        };
        for (open, close) in [("(", ")"), ("[", "]"), ("{1:", "}"), ("f(", ")")] {
            assert_eq!(too_deep(&nested(open, close, 32)), None, "{open}");
            assert!(too_deep(&nested(open, close, 33)).is_some(), "{open}");
        }
        let choices = |n: usize| "a ? b : ".repeat(n) + "c";
        assert_eq!(too_deep(&choices(32)), None);
        assert!(too_deep(&choices(33)).is_some());
    }

    #[test]
    fn chains_at_and_above_the_limit() {
        for link in [".a", "+a", "-a", "[0]", "==a", " / a", " in a"] {
            let long = "a".to_owned() + &link.repeat(200);
            assert!(too_deep(&long).is_some(), "{link}");
            let short = "a".to_owned() + &link.repeat(60);
            assert_eq!(too_deep(&short), None, "{link}");
        }
        assert_eq!(too_deep(&"a == b && c || ".repeat(200)), None);
        let mixed = "(".repeat(30) + "a" + &("+b".repeat(10) + ")").repeat(30);
        assert!(too_deep(&mixed).is_some(), "chains after brackets add up");
    }

    #[test]
    fn quoted_text_and_comments_do_not_count() {
        let brackets = "(".repeat(100);
        for text in [
            format!("'{brackets}' == \"{brackets}\""),
            format!("'\\'{brackets}'"),
            format!("r'\\' == '{brackets}'"),
            format!("'''\n'{brackets}'''"),
            format!("1 // {brackets}\n"),
        ] {
            assert_eq!(too_deep(&text), None, "{text}");
        }
        assert!(too_deep(&format!("'{brackets}")).is_some());
        assert!(too_deep(&format!("r'\\'{brackets}'")).is_some());
    }
}
