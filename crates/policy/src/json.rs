//! Strict JSON with positions: every departure from the format is located, and as much as possible
//! of a faulty text is still read, so that one run reports all of its problems.
//!
//! This module knows JSON. It knows nothing of hooks.

use std::collections::HashSet;

use jsonc_parser::ast::{Object, ObjectPropName, Value};
use jsonc_parser::common::Ranged;
use jsonc_parser::tokens::Token;
use jsonc_parser::{CollectOptions, ParseOptions, Scanner, ScannerOptions, parse_to_ast};

use crate::diagnostic::{Code, Findings, shown};

/// Deepest nesting of objects and arrays.
pub const MAX_DEPTH: usize = 64;

/// Reads `text` tolerantly and reports everything about it that is not JSON. `None` if it cannot
/// be read at all; the reason is among the findings.
pub(crate) fn parse<'a>(text: &'a str, findings: &mut Findings<'_>) -> Option<Value<'a>> {
    let before = findings.errors();
    let missing_commas = scan(text, findings)?;
    let parsed = parse_to_ast(text, &CollectOptions::default(), &ParseOptions::default());
    let value = match parsed.map(|result| result.value) {
        Ok(Some(value)) => value,
        Ok(None) => {
            let message = "the file holds no JSON value".to_owned();
            findings.error(Code::Syntax, 0, "", message, SYNTAX_HELP);
            return None;
        }
        Err(error) => {
            let message = format!("not JSON: {}", shown(&error.kind().to_string()));
            let at = error.range().start;
            findings.error(Code::Syntax, at, "", message, SYNTAX_HELP);
            return None;
        }
    };
    for at in missing_commas {
        let message = "a comma is missing before this value".to_owned();
        findings.error(Code::MissingComma, at, "", message, "put a comma before it");
    }
    check_keys(&value, &mut String::new(), findings);
    if findings.errors() == before {
        check_strictly(text, findings);
    }
    Some(value)
}

const SYNTAX_HELP: &str = "repair the text here; what follows cannot be checked before that";

/// Reports what the tolerant parser would accept silently. Returns where commas are missing, which
/// is worth reporting only if the text can be parsed; `None` if it cannot even be scanned.
fn scan(text: &str, findings: &mut Findings<'_>) -> Option<Vec<usize>> {
    let mut scanner = Scanner::new(text, &ScannerOptions::default());
    let (mut depth, mut missing_commas) = (0_usize, Vec::new());
    let mut previous: Option<(Token<'_>, usize)> = None;
    loop {
        let token = match scanner.scan() {
            Ok(Some(token)) => token,
            Ok(None) => return Some(missing_commas),
            Err(error) => {
                let message = format!("not JSON: {}", shown(&error.kind().to_string()));
                let at = error.range().start;
                findings.error(Code::Syntax, at, "", message, SYNTAX_HELP);
                return None;
            }
        };
        let at = scanner.token_start();
        match &token {
            Token::OpenBrace | Token::OpenBracket => depth += 1,
            Token::CloseBrace | Token::CloseBracket => {
                depth = depth.saturating_sub(1);
                if let Some((Token::Comma, comma)) = previous {
                    let message = "a comma before a closing bracket".to_owned();
                    let help = "remove the comma";
                    findings.error(Code::TrailingComma, comma, "", message, help);
                }
            }
            Token::CommentLine(_) | Token::CommentBlock(_) => {
                let message = "comments are not part of JSON".to_owned();
                let help = "remove the comment; version 2 has `description` for words to people";
                findings.error(Code::Comment, at, "", message, help);
                continue;
            }
            Token::String(_) => check_string(&text[at..scanner.token_end()], at, findings),
            Token::Number(number) => check_number(number, at, findings),
            Token::Comma | Token::Colon | Token::Word(_) | Token::Boolean(_) | Token::Null => {}
        }
        if depth > MAX_DEPTH {
            let message = format!("nested deeper than {MAX_DEPTH} levels");
            findings.error(Code::TooDeep, at, "", message, "flatten the file");
            return None;
        }
        if let Some((last, _)) = &previous
            && ends_value(last)
            && starts_value(&token)
        {
            missing_commas.push(at);
        }
        previous = Some((token, at));
    }
}

fn ends_value(token: &Token<'_>) -> bool {
    !matches!(
        token,
        Token::OpenBrace | Token::OpenBracket | Token::Comma | Token::Colon
    )
}

fn starts_value(token: &Token<'_>) -> bool {
    !matches!(
        token,
        Token::CloseBrace | Token::CloseBracket | Token::Comma | Token::Colon
    )
}

fn check_string(raw: &str, at: usize, findings: &mut Findings<'_>) {
    let problem = if raw.starts_with('\'') {
        "a string in single quotes"
    } else if raw.bytes().any(|byte| byte == b'\\' || byte < b' ')
        && serde_json::from_str::<String>(raw).is_err()
    {
        "a string with a control character or an escape that JSON does not have"
    } else {
        return;
    };
    let help = "write the string in double quotes, with the escapes of JSON";
    findings.error(Code::BadString, at, "", problem.to_owned(), help);
}

fn check_number(number: &str, at: usize, findings: &mut Findings<'_>) {
    if serde_json::from_str::<serde_json::Number>(number).is_err() {
        let message = format!("`{}` is not a JSON number", shown(number));
        let help = "write a decimal number without a leading `+`, `.` or `0`";
        findings.error(Code::BadNumber, at, "", message, help);
    }
}

/// Reports keys without quotes and keys named twice. The depth is bounded by [`scan`].
fn check_keys(value: &Value<'_>, pointer: &mut String, findings: &mut Findings<'_>) {
    match value {
        Value::Object(object) => check_object_keys(object, pointer, findings),
        Value::Array(array) => {
            for (index, element) in array.elements.iter().enumerate() {
                let length = push_step(pointer, &index.to_string());
                check_keys(element, pointer, findings);
                pointer.truncate(length);
            }
        }
        _ => {}
    }
}

fn check_object_keys(object: &Object<'_>, pointer: &mut String, findings: &mut Findings<'_>) {
    let mut seen = HashSet::new();
    for property in &object.properties {
        let (key, at) = (property.name.as_str(), property.name.range().start);
        let length = push_step(pointer, key);
        if let ObjectPropName::Word(_) = property.name {
            let message = format!("the key `{}` has no quotes", shown(key));
            let help = "put the key in double quotes";
            findings.error(Code::UnquotedKey, at, pointer, message, help);
        }
        if !seen.insert(key) {
            let message = format!("the key `{}` stands twice in one object", shown(key));
            let help = "keep one of the two: nobody can tell which one counts";
            findings.error(Code::DuplicateKey, at, pointer, message, help);
        }
        check_keys(&property.value, pointer, findings);
        pointer.truncate(length);
    }
}

/// Where a byte of the text that a string literal stands for is in the literal, both counted from 0
/// and the literal's opening quote included. Offsets beyond the text are its closing quote.
pub(crate) fn offset_in_literal(literal: &str, offset: usize) -> usize {
    let (mut at, mut decoded) = (1, 0);
    while let Some(rest) = literal.get(at..) {
        let (raw, meant) = match rest.as_bytes() {
            [] | [b'"'] => break,
            [b'\\', b'u', ..] => unicode_escape(rest),
            [b'\\', _, ..] => (2, 1),
            _ => {
                let length = rest.chars().next().map_or(1, char::len_utf8);
                (length, length)
            }
        };
        if decoded + meant > offset {
            break;
        }
        at += raw;
        decoded += meant;
    }
    at.min(literal.len())
}

/// Lengths of a `\u` escape, or of a pair of them, and of the character that it stands for.
fn unicode_escape(text: &str) -> (usize, usize) {
    let unit = |at: usize| {
        let hex = text.get(at..at + 6)?.strip_prefix("\\u")?;
        u32::from_str_radix(hex, 16).ok()
    };
    match (unit(0), unit(6)) {
        (Some(0xD800..=0xDBFF), Some(0xDC00..=0xDFFF)) => (12, 4),
        (Some(code), _) => (6, char::from_u32(code).map_or(3, char::len_utf8)),
        (None, _) => (2, 1),
    }
}

/// Extends a pointer by one step; returns the length to truncate it to afterwards.
pub(crate) fn push_step(pointer: &mut String, step: &str) -> usize {
    let length = pointer.len();
    pointer.push('/');
    pointer.push_str(&step.replace('~', "~0").replace('/', "~1"));
    length
}

/// A second, strict parser has the last word: whatever the tolerant one lets through unseen
/// (such as blanks that are not JSON's) is an error all the same.
fn check_strictly(text: &str, findings: &mut Findings<'_>) {
    if let Err(error) = serde_json::from_str::<serde::de::IgnoredAny>(text) {
        let at = findings.offset_of(error.line(), error.column());
        let message = format!("not JSON: {}", shown(&error.to_string()));
        findings.error(Code::Syntax, at, "", message, SYNTAX_HELP);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn codes(text: &str) -> Vec<(Code, u32, u32)> {
        let mut findings = Findings::new(text);
        parse(text, &mut findings);
        let list = findings.finish();
        list.iter()
            .map(|found| (found.code, found.line, found.column))
            .collect()
    }

    #[test]
    fn every_departure_is_reported_at_its_place() {
        let text = "{\n  a: 1, // one\n  'b': [1 2,],\n  \"c\": +1,\n  \"c\": 0x1,\n}";
        assert_eq!(
            codes(text),
            [
                (Code::UnquotedKey, 2, 3),
                (Code::Comment, 2, 9),
                (Code::BadString, 3, 3),
                (Code::MissingComma, 3, 11),
                (Code::TrailingComma, 3, 12),
                (Code::BadNumber, 4, 8),
                (Code::DuplicateKey, 5, 3),
                (Code::BadNumber, 5, 8),
                (Code::TrailingComma, 5, 11),
            ]
        );
    }

    #[test]
    fn nothing_lenient_slips_through() {
        for text in [
            "",
            " ",
            "{",
            "{}{}",
            "[1,,2]",
            "nul",
            "True",
            "\u{b}{}",
            "\u{a0}{}",
            "NaN",
            "Infinity",
            "-",
            ".5",
            "5.",
            "01",
            "1e",
            "\"\\x41\"",
            "\"a\tb\"",
            "\"\\ud800\"",
            "[",
            "]",
            "{\"a\" 1}",
            "/* */",
            "{}/**/",
            "\u{feff}{}",
            "\"\\v\"",
            "{1:2}",
        ] {
            assert!(!codes(text).is_empty(), "{text:?}");
        }
    }

    #[test]
    fn depth_at_below_and_above_the_limit() {
        let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
        for depth in [1, 63, 64] {
            assert_eq!(codes(&nested(depth)), [], "{depth}");
        }
        for depth in [65, 100_000] {
            assert_eq!(codes(&nested(depth)), [(Code::TooDeep, 1, 65)], "{depth}");
        }
        assert_eq!(codes(&"{\"a\":".repeat(65))[0].0, Code::TooDeep);
    }

    #[test]
    fn duplicate_keys_are_found_through_escapes_and_by_pointer() {
        let text = r#"{"a/~":{"k":1,"\u006b":2}}"#;
        let mut findings = Findings::new(text);
        parse(text, &mut findings);
        let list = findings.finish();
        assert_eq!(list[0].code, Code::DuplicateKey);
        assert_eq!(list[0].pointer, "/a~1~0/k");
    }

    #[test]
    fn places_in_a_literal_follow_its_escapes() {
        let literal = r#""a\n\u00e9\u20ac\ud83d\ude00é\"z""#;
        let text: String = serde_json::from_str(literal).unwrap();
        for (at, c) in text.char_indices() {
            let place = offset_in_literal(literal, at);
            let rest = &literal[place..];
            let escape = match c {
                '\n' => "\\n",
                '"' => "\\\"",
                '\u{20ac}' => "\\u20ac",
                '\u{1f600}' => "\\ud83d\\ude00",
                'é' if place < 10 => "\\u00e9",
                'é' => "é",
                'a' => "a",
                _ => "z",
            };
            assert!(rest.starts_with(escape), "{c:?}: {rest}");
        }
        // Inside of a character, at the end, and beyond it.
        assert_eq!(offset_in_literal(literal, 3), 4);
        for beyond in [text.len(), 1_000, usize::MAX / 2] {
            assert_eq!(offset_in_literal(literal, beyond), literal.len() - 1);
        }
        for broken in ["", "\"", "\"\\", "\"\\u12", "\"é"] {
            assert!(
                offset_in_literal(broken, 9) <= broken.len().max(1),
                "{broken}"
            );
        }
    }

    proptest! {
        /// Each character of any text is found where its literal has it.
        #[test]
        fn literals_of_any_text_are_walked(text in "\\PC{0,8}[\n\"\\\\]{0,2}\\PC{0,4}") {
            let literal = serde_json::to_string(&text).unwrap();
            for (at, _) in text.char_indices() {
                let place = offset_in_literal(&literal, at);
                let before = format!("{}\"", &literal[..place]);
                let decoded: String = serde_json::from_str(&before).unwrap();
                prop_assert_eq!(&decoded, &text[..at]);
            }
        }

        /// No error is reported exactly if serde_json reads the text (and no key is doubled).
        #[test]
        fn agrees_with_a_strict_parser(text in "[\\[\\]{}:,\"a1 .\\\\n/*'e+-]{0,24}") {
            let found = codes(&text);
            let duplicate = found.iter().any(|(code, ..)| *code == Code::DuplicateKey);
            let strict = serde_json::from_str::<serde::de::IgnoredAny>(&text).is_ok();
            prop_assert_eq!(found.is_empty() || duplicate, strict || duplicate);
        }

        #[test]
        fn any_text_is_read_without_a_panic(text in "\\PC{0,64}") {
            codes(&text);
        }
    }
}
