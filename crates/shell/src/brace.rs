//! Brace expansion: one word to the words that Bash makes of it before every other expansion.

use std::borrow::Cow;

use crate::{Part, Word};

/// Most words that one word may become.
const MAX_WORDS: usize = 1_024;

/// Most opening braces in a word, each of which looks for its end and may nest.
const MAX_BRACES: usize = 64;

/// Longest text, in parts and characters, that all words of an expansion have together.
const MAX_ATOMS: usize = 1 << 16;

/// What braces are looked for in: characters that are not quoted, and parts that are none.
#[derive(Clone, Copy)]
enum Atom<'w, 't> {
    Char(char),
    Part(&'w Part<'t>),
}

type Atoms<'w, 't> = Vec<Atom<'w, 't>>;

impl<'t> Word<'t> {
    /// The words that brace expansion makes of this one: itself if it has no braces that are
    /// expanded. `None` if there are more than 1,024 or too many braces, so that nothing is known.
    ///
    /// Bash expands braces in the words of simple commands, of `for` and of arrays, and in the target
    /// of a redirection, where more than one word is an error; not in assignments, here-documents,
    /// `case` and `[[ ]]`.
    ///
    /// # Examples
    ///
    /// ```
    /// use hookward_shell::{CommandKind, parse};
    ///
    /// let script = parse("{git,push} a{1..3}");
    /// let CommandKind::Simple { words, .. } = &script.lists[0].first.commands[0].kind else {
    ///     unreachable!("two words are a simple command")
    /// };
    /// assert_eq!(words[0].braces().map(|words| words.len()), Some(2));
    /// assert_eq!(words[1].braces().map(|words| words.len()), Some(3));
    /// ```
    #[must_use]
    pub fn braces(&self) -> Option<Vec<Self>> {
        let braces: usize = self.parts.iter().map(opening_braces).sum();
        if braces == 0 {
            return Some(vec![self.clone()]);
        }
        if braces > MAX_BRACES {
            return None;
        }
        let mut atoms = Vec::new();
        for part in &self.parts {
            match part {
                Part::Literal(text) => atoms.extend(text.chars().map(Atom::Char)),
                _ => atoms.push(Atom::Part(part)),
            }
        }
        let words = expand(&atoms)?;
        Some(words.iter().map(|atoms| self.rebuilt(atoms)).collect())
    }

    /// A word of the same place with other parts.
    fn rebuilt(&self, atoms: &[Atom<'_, 't>]) -> Self {
        let mut parts: Vec<Part<'t>> = Vec::new();
        for atom in atoms {
            match (atom, parts.last_mut()) {
                (Atom::Part(part), _) => parts.push((*part).clone()),
                (Atom::Char(char), Some(Part::Literal(text))) => text.to_mut().push(*char),
                (Atom::Char(char), _) => parts.push(Part::Literal(Cow::Owned(char.to_string()))),
            }
        }
        Self {
            span: self.span.clone(),
            parts,
        }
    }
}

fn opening_braces(part: &Part<'_>) -> usize {
    match part {
        Part::Literal(text) => text.bytes().filter(|byte| *byte == b'{').count(),
        _ => 0,
    }
}

/// All words of a text, the first choice of the first braces first.
fn expand<'w, 't>(text: &[Atom<'w, 't>]) -> Option<Vec<Atoms<'w, 't>>> {
    let mut words = vec![Vec::new()];
    let mut rest = text;
    while let Some((open, close)) = find_pair(rest) {
        let (before, from) = rest.split_at(open);
        let inside = from.get(1..close - open)?;
        words = joined(&words, &[before.to_vec()])?;
        let after = rest.get(close + 1..)?;
        let choices = if inside.iter().any(|atom| is(atom, ',')) {
            choices(inside)?
        } else {
            match sequence(inside) {
                Sequence::Words(choices) => choices,
                Sequence::TooLong => return None,
                // Braces without a choice stay, and what comes after them is looked at.
                Sequence::None => vec![rest.get(open..=close)?.to_vec()],
            }
        };
        words = joined(&words, &choices)?;
        rest = after;
    }
    joined(&words, &[rest.to_vec()])
}

/// Every one of `words` followed by every one of `ends`.
fn joined<'w, 't>(words: &[Atoms<'w, 't>], ends: &[Atoms<'w, 't>]) -> Option<Vec<Atoms<'w, 't>>> {
    let size = |words: &[Atoms<'_, '_>]| words.iter().map(Vec::len).sum::<usize>();
    let atoms = size(words) * ends.len() + size(ends) * words.len();
    if words.len() * ends.len() > MAX_WORDS || (atoms > MAX_ATOMS && words.len() > 1) {
        return None;
    }
    let mut all = Vec::with_capacity(words.len() * ends.len());
    for word in words {
        all.extend(ends.iter().map(|end| [&**word, end].concat()));
    }
    Some(all)
}

fn is(atom: &Atom<'_, '_>, char: char) -> bool {
    matches!(atom, Atom::Char(found) if *found == char)
}

/// The first opening brace that has an end, and this end.
fn find_pair(text: &[Atom<'_, '_>]) -> Option<(usize, usize)> {
    for (open, atom) in text.iter().enumerate() {
        // `{}` at the start of a word means itself, for the sake of `find -exec`.
        let empty = open == 0 && text.get(1).is_none_or(|next| is(next, '}'));
        if !is(atom, '{') || empty {
            continue;
        }
        if let Some(close) = find_close(text, open + 1) {
            return Some((open, close));
        }
    }
    None
}

/// The `}` on the level of `from`, of those after a `,` or `..` on that level.
fn find_close(text: &[Atom<'_, '_>], from: usize) -> Option<usize> {
    let mut level = 0_u32;
    let mut choice = false;
    let at = |at: usize, char| text.get(at).is_some_and(|atom| is(atom, char));
    for (index, atom) in text.iter().enumerate().skip(from) {
        match atom {
            Atom::Char('}') if level == 0 && choice => return Some(index),
            Atom::Char('}') => level = level.saturating_sub(1),
            Atom::Char('{') => level += 1,
            Atom::Char(',') if level == 0 => choice = true,
            Atom::Char('.') if level == 0 && at(index + 1, '.') && !at(index + 2, '}') => {
                choice = true;
            }
            _ => {}
        }
    }
    None
}

/// The words between commas.
fn choices<'w, 't>(inside: &[Atom<'w, 't>]) -> Option<Vec<Atoms<'w, 't>>> {
    let mut words = Vec::new();
    let mut level = 0_u32;
    let mut start = 0;
    for (index, atom) in inside.iter().enumerate() {
        match atom {
            Atom::Char('{') => level += 1,
            Atom::Char('}') => level = level.saturating_sub(1),
            Atom::Char(',') if level == 0 => {
                words.extend(expand(inside.get(start..index)?)?);
                start = index + 1;
            }
            _ => {}
        }
    }
    words.extend(expand(inside.get(start..)?)?);
    (words.len() <= MAX_WORDS).then_some(words)
}

enum Sequence<'w, 't> {
    Words(Vec<Atoms<'w, 't>>),
    TooLong,
    None,
}

/// `1..3`, `a..e`, each with an optional `..step`.
fn sequence<'w, 't>(inside: &[Atom<'w, 't>]) -> Sequence<'w, 't> {
    let text: Option<String> = inside
        .iter()
        .map(|atom| match atom {
            Atom::Char(char) => Some(*char),
            Atom::Part(_) => None,
        })
        .collect();
    let ends = text.as_deref().and_then(|text| {
        let (first, rest) = text.split_once("..")?;
        let (last, step) = match rest.split_once("..") {
            Some((last, step)) => (last, number(step)?),
            None => (rest, 1),
        };
        Some((first.to_owned(), last.to_owned(), step))
    });
    let Some((first, last, step)) = ends else {
        return Sequence::None;
    };
    let (Some(from), Some(to)) = (bound(&first), bound(&last)) else {
        return Sequence::None;
    };
    match (from, to) {
        (Bound::Number(from), Bound::Number(to)) => {
            let padded = is_padded(&first) || is_padded(&last);
            let width = if padded {
                first.len().max(last.len())
            } else {
                0
            };
            counted(from, to, step, |value| {
                format!("{value:0width$}").chars().map(Atom::Char).collect()
            })
        }
        (Bound::Letter(from), Bound::Letter(to)) => {
            counted(from.into(), to.into(), step, |value| {
                // Both ends are ASCII letters, so all between are ASCII.
                let char = u8::try_from(value).map(char::from);
                char.into_iter().map(Atom::Char).collect()
            })
        }
        _ => Sequence::None,
    }
}

/// One end of a sequence.
enum Bound {
    Number(i64),
    Letter(u8),
}

fn bound(text: &str) -> Option<Bound> {
    match text.as_bytes() {
        [letter] if letter.is_ascii_alphabetic() => Some(Bound::Letter(*letter)),
        _ => number(text).map(Bound::Number),
    }
}

/// A decimal number with an optional sign.
fn number(text: &str) -> Option<i64> {
    text.parse().ok()
}

/// Whether a number starts with a zero that widens all numbers of its sequence.
fn is_padded(number: &str) -> bool {
    let digits = number.trim_start_matches(['-', '+']);
    digits.len() > 1 && digits.starts_with('0')
}

/// The values from one to the other; the sign of the step does not matter, and 0 means 1.
fn counted<'w, 't>(
    from: i64,
    to: i64,
    step: i64,
    word: impl Fn(i64) -> Atoms<'w, 't>,
) -> Sequence<'w, 't> {
    let step = i128::from(step).abs().max(1);
    let (from, to) = (i128::from(from), i128::from(to));
    let steps = (to - from).abs() / step;
    if usize::try_from(steps).is_ok_and(|steps| steps < MAX_WORDS) {
        let values = (0..=steps).filter_map(|index| {
            let offset = index * step;
            i64::try_from(if to < from {
                from - offset
            } else {
                from + offset
            })
            .ok()
        });
        return Sequence::Words(values.map(word).collect());
    }
    Sequence::TooLong
}
