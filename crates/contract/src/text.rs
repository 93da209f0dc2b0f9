//! Text that reaches a person or a model: bounded, and without characters that move a terminal's
//! cursor or reorder what is read.

use std::fmt::Write as _;

use crate::Reason;

/// Longest reason of one hook, in characters.
pub const MAX_REASON_CHARS: usize = 2_000;
/// Longest text of all reasons together, in characters.
pub const MAX_JOINED_REASON_CHARS: usize = 4_000;

/// Cuts `text` after `max_chars` characters; a cut ends in `…`, which counts.
pub fn bounded(text: &str, max_chars: usize) -> String {
    if text.len() <= max_chars || text.chars().count() <= max_chars {
        return text.to_owned();
    }
    let mut cut: String = text.chars().take(max_chars.saturating_sub(1)).collect();
    cut.push('…');
    cut
}

/// Invisible characters that reorder, join or hide text: bidirectional controls, zero-width
/// characters, line and paragraph separators, variation and tag characters, the byte order mark.
fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{00AD}' | '\u{034F}' | '\u{061C}' | '\u{115F}' | '\u{1160}' | '\u{17B4}' | '\u{17B5}'
        | '\u{180B}'..='\u{180F}' | '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}'
        | '\u{2060}'..='\u{206F}' | '\u{3164}' | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}'
        | '\u{FFA0}' | '\u{FFF0}'..='\u{FFFB}' | '\u{E0000}'..='\u{E0FFF}')
}

/// Text of a hook without anything that moves a cursor or hides: line ends normalized to `\n`, tabs
/// to blanks, every other control, escape, bidirectional and invisible character removed, outer
/// blanks trimmed. Not bounded: redaction has to see the whole text before it is cut.
pub fn strip_controls(text: &str) -> String {
    let cleaned: String = text
        .replace("\r\n", "\n")
        .chars()
        .map(|c| if c == '\t' { ' ' } else { c })
        .filter(|c| *c == '\n' || !(c.is_control() || is_invisible(*c)))
        .collect();
    cleaned.trim().to_owned()
}

/// All reasons, one after the other on lines of their own, at most [`MAX_JOINED_REASON_CHARS`].
/// A reason is prefixed with its hook's name where more than one hook spoke.
pub fn join_reasons(reasons: &[Reason]) -> String {
    let joined = match reasons {
        [only] => only.text.clone(),
        many => many
            .iter()
            .map(|reason| format!("{}: {}", reason.hook, reason.text))
            .collect::<Vec<_>>()
            .join("\n"),
    };
    bounded(&joined, MAX_JOINED_REASON_CHARS)
}

/// `text` with control, bidirectional and invisible characters shown as visible escapes
/// (`\n`, `\u{202e}`), so that one value stays on one line and reads as what it is.
pub fn escape_for_display(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' => shown.push_str("\\n"),
            '\r' => shown.push_str("\\r"),
            '\t' => shown.push_str("\\t"),
            c if c.is_control() || is_invisible(c) => {
                // Writing to a String cannot fail.
                let _ = write!(shown, "\\u{{{:x}}}", u32::from(c));
            }
            c => shown.push(c),
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::HookId;

    #[test]
    fn reasons_lose_every_terminal_control() {
        let hostile = "no\u{1b}[32m\u{9b}31m\r\u{8}\u{1b}c\u{7f}\u{202e}\u{2066}\u{feff}way\r\nok";
        assert_eq!(strip_controls(hostile), "no[32m31mcway\nok");
    }

    #[test]
    fn reasons_are_cut_at_a_character() {
        for (count, expected) in [(1_999, 1_999), (2_000, 2_000), (2_001, 2_000)] {
            assert_eq!(
                bounded(&"é".repeat(count), MAX_REASON_CHARS)
                    .chars()
                    .count(),
                expected
            );
        }
        assert!(bounded(&"é".repeat(2_001), MAX_REASON_CHARS).ends_with('…'));
    }

    #[test]
    fn joined_reasons_keep_order_and_bound() {
        let reason = |id: &str, text: String| Reason {
            hook: HookId::try_from(id).unwrap(),
            text,
        };
        let two = [reason("b", "second".into()), reason("a", "first".into())];
        assert_eq!(join_reasons(&two), "b: second\na: first");
        let long = [
            reason("a", "x".repeat(2_000)),
            reason("b", "y".repeat(2_000)),
        ];
        assert_eq!(join_reasons(&long).chars().count(), MAX_JOINED_REASON_CHARS);
    }

    #[test]
    fn display_shows_what_is_there() {
        assert_eq!(
            escape_for_display("a\n\u{1b}[2J\u{202e}b"),
            "a\\n\\u{1b}[2J\\u{202e}b"
        );
    }
}
