//! A tool's input, kept as the text that arrived.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

/// Largest tool input, in bytes of JSON text (8 MiB). Larger calls are refused before the gate, so
/// that a policy cannot be dodged by size.
pub const MAX_INPUT_BYTES: usize = 8 * 1024 * 1024;
/// Deepest nesting of arrays and objects in a tool input.
pub const MAX_INPUT_DEPTH: usize = 128;

/// The JSON text of a tool's input: numbers, key order and spelling as they arrived.
#[derive(Debug, Clone)]
pub struct ToolInput(Box<RawValue>);

/// Something that was normalized when an input crossed the border.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BorderNote {
    /// This many lone surrogate escapes became U+FFFD.
    LoneSurrogates(usize),
}

/// An input that cannot be judged.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InputError {
    /// Over [`MAX_INPUT_BYTES`].
    #[error("the tool input is {0} bytes long; the limit is 8388608 (8 MiB)")]
    TooLarge(usize),
    /// Over [`MAX_INPUT_DEPTH`].
    #[error("the tool input is nested deeper than 128 levels")]
    TooDeep,
    /// An object names a key twice, so two readers could see two different inputs.
    #[error("the tool input names the key `{0}` twice in one object")]
    DuplicateKey(String),
    /// Not JSON.
    #[error("the tool input is not JSON: {0}")]
    Syntax(String),
}

impl ToolInput {
    /// Checks `text` and keeps it as it is, but for lone surrogate escapes, which no UTF-8 reader
    /// can hold: they become `\ufffd`.
    pub fn parse(text: &str) -> Result<(Self, Option<BorderNote>), InputError> {
        let text = text.trim_matches([' ', '\t', '\r', '\n']);
        if text.len() > MAX_INPUT_BYTES {
            return Err(InputError::TooLarge(text.len()));
        }
        let (text, replaced) = replace_lone_surrogates(text);
        check(&text)?;
        let raw = RawValue::from_string(text.into_owned())
            .map_err(|error| InputError::Syntax(error.to_string()))?;
        Ok((
            Self(raw),
            (replaced > 0).then_some(BorderNote::LoneSurrogates(replaced)),
        ))
    }

    /// The JSON text.
    pub fn get(&self) -> &str {
        self.0.get()
    }

    /// The text as a value that is copied into a larger document unchanged.
    pub fn raw(&self) -> &RawValue {
        &self.0
    }
}

/// Replaces `\uD800`–`\uDFFF` escapes that do not form a pair; returns how many there were.
fn replace_lone_surrogates(text: &str) -> (Cow<'_, str>, usize) {
    if !text.contains("\\ud") && !text.contains("\\uD") {
        return (Cow::Borrowed(text), 0);
    }
    let bytes = text.as_bytes();
    let unit = |at: usize| -> Option<u16> {
        let hex = text.get(at + 2..at + 6)?;
        (bytes.get(at) == Some(&b'\\') && bytes.get(at + 1) == Some(&b'u'))
            .then(|| u16::from_str_radix(hex, 16).ok())?
    };
    let (mut out, mut kept, mut at, mut replaced) = (String::new(), 0, 0, 0);
    while at < bytes.len() {
        if bytes[at] != b'\\' {
            at += 1;
            continue;
        }
        at += match unit(at) {
            Some(0xD800..=0xDBFF) if matches!(unit(at + 6), Some(0xDC00..=0xDFFF)) => 12,
            Some(0xD800..=0xDFFF) => {
                out.push_str(&text[kept..at]);
                out.push_str("\\ufffd");
                kept = at + 6;
                replaced += 1;
                6
            }
            _ => 2,
        };
    }
    if replaced == 0 {
        return (Cow::Borrowed(text), 0);
    }
    out.push_str(&text[kept..]);
    (Cow::Owned(out), replaced)
}

/// Mark that carries a structured error through serde's string-only errors.
const DUPLICATE: &str = "\u{1}duplicate:";

fn check(text: &str) -> Result<(), InputError> {
    if depth(text) > MAX_INPUT_DEPTH {
        return Err(InputError::TooDeep);
    }
    let mut json = serde_json::Deserializer::from_str(text);
    // The depth is known to be bounded.
    json.disable_recursion_limit();
    let result = Checked.deserialize(&mut json).and_then(|()| json.end());
    result.map_err(|error| {
        let message = error.to_string();
        if let Some(rest) = message.strip_prefix(DUPLICATE) {
            let key = rest.rsplit_once(" at line ").map_or(rest, |(key, _)| key);
            InputError::DuplicateKey(crate::bounded(&crate::escape_for_display(key), 80))
        } else {
            InputError::Syntax(message)
        }
    })
}

/// The deepest nesting of brackets outside of strings. Counted on the text, before any parser
/// descends into it.
fn depth(text: &str) -> usize {
    let (mut depth, mut deepest, mut quoted, mut escaped) = (0_usize, 0, false, false);
    for byte in text.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            b'[' | b'{' if !quoted => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            b']' | b'}' if !quoted => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}

/// Reads a value and finds keys that an object names twice.
struct Checked;

impl<'de> DeserializeSeed<'de> for Checked {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Checked {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        while items.next_element_seed(Self)?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<(), A::Error> {
        let mut seen = HashSet::new();
        while let Some(key) = entries.next_key::<Cow<'de, str>>()? {
            if seen.contains(&key) {
                return Err(A::Error::custom(format!("{DUPLICATE}{key}")));
            }
            seen.insert(key);
            entries.next_value_seed(Self)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nested(depth: usize) -> String {
        "[".repeat(depth - 1) + "{\"n\":1e5}" + &"]".repeat(depth - 1)
    }

    /// Case B199: one stated depth limit, and beyond it the call is refused, never skipped.
    #[test]
    fn b199_depth_at_below_and_above_the_limit() {
        for depth in [1, 127, 128] {
            assert!(ToolInput::parse(&nested(depth)).is_ok(), "{depth}");
        }
        for depth in [129, 200, 100_000] {
            assert_eq!(
                ToolInput::parse(&nested(depth)).unwrap_err(),
                InputError::TooDeep
            );
        }
    }

    /// No key of an input, whatever a parser means by it inside, is exempt from the limit.
    #[test]
    fn no_key_hides_depth() {
        for key in [
            "$serde_json::private::Number",
            "$serde_json::private::RawValue",
            "a",
        ] {
            let deep = |levels: usize| {
                format!("{{\"{key}\":").repeat(levels) + "\"1\"" + &"}".repeat(levels)
            };
            for levels in [129, 1_500, 50_000] {
                assert_eq!(
                    ToolInput::parse(&deep(levels)).unwrap_err(),
                    InputError::TooDeep
                );
            }
        }
        let brackets = format!("\"{}\\\"{}\"", "[".repeat(500), "{".repeat(500));
        assert!(ToolInput::parse(&brackets).is_ok());
    }

    #[test]
    fn size_at_below_and_above_the_limit() {
        let sized = |bytes: usize| format!("\"{}\"", "x".repeat(bytes - 2));
        assert!(ToolInput::parse(&sized(MAX_INPUT_BYTES - 1)).is_ok());
        assert!(ToolInput::parse(&sized(MAX_INPUT_BYTES)).is_ok());
        let over = ToolInput::parse(&sized(MAX_INPUT_BYTES + 1));
        assert_eq!(over.unwrap_err(), InputError::TooLarge(MAX_INPUT_BYTES + 1));
    }

    /// Case B193: digits survive, whatever a float could hold.
    #[test]
    fn b193_numbers_keep_their_digits() {
        let text = r#"{"id":7960607143101464577,"z":1.50,"a":1e400,"n":-0}"#;
        let parsed = ToolInput::parse(text);
        assert_eq!(parsed.unwrap().0.get(), text);
    }

    #[test]
    fn duplicate_keys_are_refused_by_name() {
        let error = ToolInput::parse(r#"{"a":{"k":1,"k":2}}"#).unwrap_err();
        assert_eq!(error, InputError::DuplicateKey("k".to_owned()));
        let escaped = ToolInput::parse("{\"k\":1,\"\\u006b\":2}").unwrap_err();
        assert_eq!(escaped, InputError::DuplicateKey("k".to_owned()));
    }

    /// Case B197: bad text stops at the door, with a note.
    #[test]
    fn b197_lone_surrogates_become_replacement_characters() {
        let (input, note) =
            ToolInput::parse(r#"{"a":"\ud99c","b":"\\ud99c","c":"\ud83d\ude00"}"#).unwrap();
        assert_eq!(
            input.get(),
            r#"{"a":"\ufffd","b":"\\ud99c","c":"\ud83d\ude00"}"#
        );
        assert_eq!(note, Some(BorderNote::LoneSurrogates(1)));
        let (input, _) = ToolInput::parse(r#""\ud83d\ud83d\ude00\udc00""#).unwrap();
        assert_eq!(input.get(), r#""\ufffd\ud83d\ude00\ufffd""#);
    }

    #[test]
    fn junk_is_a_syntax_error() {
        for junk in ["", "{", "nul", "{} {}", "[1,]", "'a'", "NaN"] {
            assert!(
                matches!(ToolInput::parse(junk), Err(InputError::Syntax(_))),
                "{junk:?}"
            );
        }
    }
}
