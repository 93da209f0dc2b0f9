//! Edits of JSON text at parsed positions: what is not edited keeps every byte.
//!
//! Comments and trailing commas are understood; this module never interprets what a setting means.

use jsonc_parser::ast::{Array, Object, Value};
use jsonc_parser::common::{Range, Ranged};
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};

use crate::edit::{InstallError, MAX_SETTINGS_BYTES};

/// Whether comments and trailing commas pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Strictness {
    Json,
    Jsonc,
}

/// Parses `text`, which has no byte order mark. The parser bounds the depth itself.
pub(crate) fn parse(text: &str, strictness: Strictness) -> Result<Option<Value<'_>>, InstallError> {
    if text.len() > MAX_SETTINGS_BYTES {
        return Err(InstallError::TooLarge(text.len()));
    }
    let lenient = strictness == Strictness::Jsonc;
    let options = ParseOptions {
        allow_comments: lenient,
        allow_trailing_commas: lenient,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    };
    parse_to_ast(text, &CollectOptions::default(), &options)
        .map(|parsed| parsed.value)
        .map_err(|error| InstallError::Syntax(error.to_string()))
}

/// Line and column of a byte offset, both from 1, the column in characters.
pub(crate) fn position(text: &str, offset: usize) -> (usize, usize) {
    let before = text.get(..offset).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or(before).chars().count() + 1;
    (line, column)
}

/// The value of the property `name`, unless it is given twice.
pub(crate) fn property<'v, 'a>(
    text: &str,
    object: &'v Object<'a>,
    parent: &str,
    name: &str,
) -> Result<Option<&'v Value<'a>>, InstallError> {
    let mut found = object
        .properties
        .iter()
        .filter(|prop| prop.name.as_str() == name);
    let first = found.next();
    match found.next() {
        None => Ok(first.map(|prop| &prop.value)),
        Some(second) => {
            let (line, column) = position(text, second.range.start);
            let pointer = format!("{parent}/{name}");
            Err(InstallError::DuplicateKey {
                line,
                column,
                pointer,
            })
        }
    }
}

/// The last property `name`, which is the one that JavaScript keeps.
pub(crate) fn value<'v, 'a>(object: &'v Object<'a>, name: &str) -> Option<&'v Value<'a>> {
    object
        .properties
        .iter()
        .rev()
        .find(|prop| prop.name.as_str() == name)
        .map(|prop| &prop.value)
}

/// Whether `value` is the literal `true`.
pub(crate) fn is_true(value: &Value<'_>) -> bool {
    value.as_boolean_lit().is_some_and(|literal| literal.value)
}

/// An object or an array, as positions in the text.
pub(crate) struct Container {
    /// Offset behind the opening bracket.
    inside: usize,
    /// Offset of the closing bracket.
    close: usize,
    /// Start and end of each child.
    children: Vec<(usize, usize)>,
}

impl From<&Object<'_>> for Container {
    fn from(object: &Object<'_>) -> Self {
        let children = object.properties.iter().map(|p| p.range);
        Self::new(object.range, children)
    }
}

impl From<&Array<'_>> for Container {
    fn from(array: &Array<'_>) -> Self {
        Self::new(array.range, array.elements.iter().map(Ranged::range))
    }
}

impl Container {
    fn new(range: Range, children: impl Iterator<Item = Range>) -> Self {
        Self {
            inside: range.start + 1,
            close: range.end.saturating_sub(1),
            children: children.map(|child| (child.start, child.end)).collect(),
        }
    }
}

/// A line of new text: its depth below the first line, and its content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Line(pub(crate) usize, pub(crate) String);

/// How a text is laid out.
struct Layout {
    newline: &'static str,
    unit: String,
}

impl Layout {
    /// Takes the line ends from the first one and the indentation from the first indented line.
    fn of(text: &str) -> Self {
        let first_line = text.split_inclusive('\n').next().unwrap_or_default();
        let newline = if first_line.ends_with("\r\n") {
            "\r\n"
        } else {
            "\n"
        };
        let unit = text
            .lines()
            .map(leading_blanks)
            .find(|indent| !indent.is_empty())
            .unwrap_or("  ");
        Self {
            newline,
            unit: unit.to_owned(),
        }
    }

    /// `lines` below each other; the first one stands where the text is put.
    fn render(&self, lines: &[Line], indent: &str) -> String {
        lines
            .iter()
            .map(|Line(depth, content)| {
                if *depth == 0 {
                    content.clone()
                } else {
                    self.unit.repeat(*depth) + content
                }
            })
            .collect::<Vec<_>>()
            .join(&(self.newline.to_owned() + indent))
    }
}

/// `text` with `lines` as the last child of `container`.
///
/// Beside other children the new one stands on a line of its own, behind a comment that follows
/// its neighbour on the same line. In an empty container it stands first, and whatever was inside
/// stays behind it. Each case leaves another text, which is what lets [`without`] restore the old
/// one exactly.
pub(crate) fn with_last(text: &str, container: &Container, lines: &[Line]) -> String {
    let layout = Layout::of(text);
    let outer = indent_at(text, container.inside);
    let Some(&(start, end)) = container.children.last() else {
        return with_only(text, container, lines, &layout);
    };
    let indent = if starts_its_line(text, start) {
        indent_at(text, start).to_owned()
    } else {
        outer.to_owned() + &layout.unit
    };
    let chunk = [layout.newline, &indent, &layout.render(lines, &indent)].concat();
    if let Some(comma) = comma_after(text, end) {
        let at = behind_comments(text, comma + 1);
        [&text[..at], &chunk, ",", &text[at..]].concat()
    } else {
        let at = behind_comments(text, end);
        [&text[..end], ",", &text[end..at], &chunk, &text[at..]].concat()
    }
}

fn with_only(text: &str, container: &Container, lines: &[Line], layout: &Layout) -> String {
    let (before, after) = text.split_at(container.inside);
    let outer = indent_at(text, container.inside);
    let indent = outer.to_owned() + &layout.unit;
    let block = layout.render(lines, &indent);
    let old = &text[container.inside..container.close];
    if lines.len() == 1 {
        [before, &block, after].concat()
    } else if old.contains('\n') {
        [before, " ", &block, after].concat()
    } else {
        let newline = layout.newline;
        [before, newline, &indent, &block, newline, outer, after].concat()
    }
}

/// `text` without the child at `index`, its comma and the blanks before it.
pub(crate) fn without(text: &str, container: &Container, index: usize) -> String {
    let Some(&(start, end)) = container.children.get(index) else {
        return text.to_owned();
    };
    let from = text[..start].trim_end_matches(BLANKS).len();
    let comma = comma_after(text, end);
    let mut rest = &text[comma.map_or(end, |at| at + 1)..];
    let mut kept = text[..from].to_owned();
    if container.children.len() == 1 {
        let closing = Layout::of(text).newline.to_owned() + indent_at(text, container.inside);
        if text[from..start].contains('\n') {
            rest = rest.strip_prefix(closing.as_str()).unwrap_or(rest);
        }
    } else if comma.is_none()
        && let Some(&(_, previous)) = index
            .checked_sub(1)
            .and_then(|at| container.children.get(at))
        && let Some(separator) = comma_after(text, previous)
    {
        kept.remove(separator);
    }
    kept + rest
}

const BLANKS: [char; 4] = [' ', '\t', '\r', '\n'];

fn leading_blanks(line: &str) -> &str {
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

fn line_start(text: &str, offset: usize) -> usize {
    text[..offset].rfind('\n').map_or(0, |at| at + 1)
}

/// Indentation of the line on which `offset` lies.
fn indent_at(text: &str, offset: usize) -> &str {
    leading_blanks(&text[line_start(text, offset)..offset])
}

fn starts_its_line(text: &str, offset: usize) -> bool {
    let start = line_start(text, offset);
    start > 0 && text[start..offset].trim_matches([' ', '\t']).is_empty()
}

/// Offset of the comma that follows `offset` with nothing but blanks and comments between.
fn comma_after(text: &str, mut offset: usize) -> Option<usize> {
    loop {
        let rest = text[offset..].trim_start();
        offset = text.len() - rest.len();
        match comment_len(rest) {
            Some(len) => offset += len,
            None => return rest.starts_with(',').then_some(offset),
        }
    }
}

/// `offset`, or the end of the comments that follow it on the same line.
fn behind_comments(text: &str, offset: usize) -> usize {
    let (mut end, mut at) = (offset, offset);
    loop {
        at += leading_blanks(&text[at..]).len();
        match comment_len(&text[at..]) {
            Some(len) if !text[at..at + len].contains('\n') => {
                at += len;
                end = at;
            }
            _ => return end,
        }
    }
}

/// Length of the comment at the start of `text`, without the line break that ends it and the blanks
/// before that, which [`without`] could not tell from its own.
fn comment_len(text: &str) -> Option<usize> {
    if text.starts_with("//") {
        let line = text.split(['\r', '\n']).next().unwrap_or(text);
        Some(line.trim_end_matches(BLANKS).len())
    } else {
        let inside = text.strip_prefix("/*")?;
        Some(inside.find("*/").map_or(text.len(), |at| at + 4))
    }
}
