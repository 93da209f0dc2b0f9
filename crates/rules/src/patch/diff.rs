//! The files that a unified diff touches, with and without the lines that Git adds.

use std::borrow::Cow;

use crate::effect::Access;

/// Whether a text begins as a unified diff does.
pub(super) fn begins(text: &str) -> bool {
    text.starts_with("diff --git ") || (text.starts_with("--- ") && text.contains("\n+++ "))
}

/// Shows `add` every file of a unified diff; `false` where the text is none.
///
/// A name loses its first component where Git wrote the diff, or where both names have the `a/` and
/// `b/` that Git gives them. `/dev/null` stands for no file.
pub(super) fn files(text: &str, add: &mut dyn FnMut(Access, &str)) -> bool {
    let mut found = false;
    let mut block: Option<Block<'_>> = None;
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let named = if let Some(header) = line.strip_prefix("diff --git ") {
            settle(block.take().as_ref(), add);
            block = Some(Block {
                header,
                named: false,
            });
            found = true;
            continue;
        } else if let Some((access, path)) = extended(line).filter(|_| block.is_some()) {
            add(access, &name(path));
            true
        } else if let Some(old) = line.strip_prefix("--- ") {
            let new = lines.next_if(|next| next.starts_with("+++ "));
            if let Some(new) = new.and_then(|new| new.strip_prefix("+++ ")) {
                pair(&name(old), &name(new), block.is_some(), add);
            }
            new.is_some()
        } else {
            false
        };
        found |= named;
        if let Some(block) = &mut block {
            block.named |= named;
        }
    }
    settle(block.as_ref(), add);
    found
}

/// What Git writes about one file.
struct Block<'t> {
    header: &'t str,
    /// Whether a line after the header names the file.
    named: bool,
}

/// Adds the file of two header lines that follow each other.
fn pair(old: &str, new: &str, from_git: bool, add: &mut dyn FnMut(Access, &str)) {
    let is_none = |name: &str| name == "/dev/null";
    let marked = |name: &str, mark: &str| is_none(name) || name.starts_with(mark);
    let strips = from_git || (marked(old, "a/") && marked(new, "b/"));
    let plain = |name| if strips { stripped(name) } else { name };
    match (is_none(old), is_none(new)) {
        (_, true) => add(Access::Delete, plain(old)),
        (true, false) => add(Access::Write, plain(new)),
        (false, false) => {
            add(Access::Write, plain(new));
            // Which of two names is written, a tool decides.
            if plain(old) != plain(new) {
                add(Access::Write, plain(old));
            }
        }
    }
}

/// The lines of Git that name a file of their own.
fn extended(line: &str) -> Option<(Access, &str)> {
    const LINES: [(&str, Access); 4] = [
        ("rename from ", Access::Delete),
        ("rename to ", Access::Write),
        ("copy from ", Access::Read),
        ("copy to ", Access::Write),
    ];
    let mut lines = LINES.iter();
    lines.find_map(|(prefix, access)| Some((*access, line.strip_prefix(prefix)?)))
}

/// A block of Git that names no file besides its header (a mode, a binary file, an empty file): the
/// header names it twice.
fn settle(block: Option<&Block<'_>>, add: &mut dyn FnMut(Access, &str)) {
    let Some(Block {
        header,
        named: false,
    }) = block
    else {
        return;
    };
    let halves = header.split_at_checked(header.len() / 2);
    let (old, new) = halves.unwrap_or((header, header));
    let (old, new) = (name(old), name(new.trim_start()));
    add(Access::Write, stripped(&old));
    if stripped(&old) != stripped(&new) {
        add(Access::Write, stripped(&new));
    }
}

/// A name without the time that may follow it, and without the quotes of Git.
fn name(text: &str) -> Cow<'_, str> {
    let text = text.split('\t').next().unwrap_or(text).trim_end();
    match text
        .strip_prefix('"')
        .and_then(|rest| rest.strip_suffix('"'))
    {
        Some(quoted) => unquoted(quoted).into(),
        None => text.into(),
    }
}

/// Takes the escapes of C out of a name: `\303\251`, `\"`, `\t`.
fn unquoted(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        rest = tail;
        let (b'\\', [escape, tail @ ..]) = (*first, rest) else {
            bytes.push(*first);
            continue;
        };
        let octal = rest
            .iter()
            .take(3)
            .take_while(|digit| matches!(digit, b'0'..=b'7'))
            .count();
        if octal > 0 {
            let (digits, tail) = rest.split_at(octal);
            let value = digits
                .iter()
                .fold(0_u32, |value, digit| value * 8 + u32::from(digit - b'0'));
            bytes.push(u8::try_from(value & 0xff).unwrap_or_default());
            rest = tail;
            continue;
        }
        bytes.push(match escape {
            b't' => b'\t',
            b'n' => b'\n',
            b'r' => b'\r',
            other => *other,
        });
        rest = tail;
    }
    // A name that is no UTF-8 is none that a path of this crate could be.
    String::from_utf8_lossy(&bytes).into_owned()
}

/// A name without its first component.
fn stripped(name: &str) -> &str {
    match name.split_once('/') {
        Some((first, rest)) if !first.is_empty() => rest,
        _ => name,
    }
}
