//! Wildcards within one name: `*`, `?`, `[abc]`, `[a-z]`, `[!…]`, and `{a,b}`.
//!
//! Small and own, because two questions must be answered that the crates for globs do not: whether
//! two patterns can mean the same name, and (in `path`) whether anything below a folder can match.

use super::Fault;

/// Most alternatives that braces may make of one pattern.
const MAX_ALTERNATIVES: usize = 256;

/// A compiled name pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum NameGlob {
    /// No wildcard.
    Literal(String),
    Wild(Vec<Token>),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Token {
    Char(char),
    /// `?`
    One,
    /// `*`
    Many,
    /// `[…]`
    Class {
        negated: bool,
        ranges: Vec<(char, char)>,
    },
}

impl NameGlob {
    /// Reads a pattern without braces. `start` is its offset in the whole text.
    pub(crate) fn compile(text: &str, start: usize) -> Result<Self, Fault> {
        if !text.contains(['*', '?', '[', '\\']) {
            return Ok(Self::Literal(text.to_owned()));
        }
        let mut tokens = Vec::new();
        let mut chars = text.char_indices().peekable();
        while let Some((at, c)) = chars.next() {
            tokens.push(match c {
                '*' => {
                    if tokens.last() == Some(&Token::Many) {
                        continue;
                    }
                    Token::Many
                }
                '?' => Token::One,
                '\\' => Token::Char(chars.next().map_or('\\', |(_, c)| c)),
                '[' => {
                    let rest = &text[at + 1..];
                    let Some((class, length)) = class(rest) else {
                        let help = "close it with `]`, or write `\\[` for the character itself";
                        let span = start + at..start + text.len();
                        return Err(Fault::new(span, "`[` begins a set that has no end", help));
                    };
                    while chars.next_if(|(next, _)| *next <= at + length).is_some() {}
                    class
                }
                c => Token::Char(c),
            });
        }
        let plain = tokens.iter().map(|token| match token {
            Token::Char(c) => Some(*c),
            _ => None,
        });
        match plain.collect::<Option<String>>() {
            Some(literal) => Ok(Self::Literal(literal)),
            None => Ok(Self::Wild(tokens)),
        }
    }

    /// Whether the name fits. Linear in the name for each `*` of the pattern.
    pub(crate) fn matches(&self, name: &str) -> bool {
        match self {
            Self::Literal(literal) => literal == name,
            Self::Wild(tokens) => {
                let name: Vec<char> = name.chars().collect();
                wild(tokens, &name)
            }
        }
    }

    /// Whether some name fits both this and a pattern of the shell (`*`, `?`, `[…]`), which does
    /// not match a leading dot by a wildcard.
    pub(crate) fn meets(&self, shell: &str) -> bool {
        let Ok(Self::Wild(shell)) = Self::compile(shell, 0) else {
            return self.matches(shell);
        };
        let own: Vec<Token> = match self {
            Self::Literal(literal) => literal.chars().map(Token::Char).collect(),
            Self::Wild(tokens) => tokens.clone(),
        };
        let hidden = own.first() == Some(&Token::Char('.'));
        if hidden && shell.first() != Some(&Token::Char('.')) {
            return false;
        }
        meet(&own, &shell)
    }

    pub(crate) fn literal(&self) -> Option<&str> {
        match self {
            Self::Literal(literal) => Some(literal),
            Self::Wild(_) => None,
        }
    }
}

impl Token {
    fn fits(&self, c: char) -> bool {
        match self {
            Self::Char(own) => *own == c,
            Self::One | Self::Many => true,
            Self::Class { negated, ranges } => {
                ranges.iter().any(|(low, high)| (*low..=*high).contains(&c)) != *negated
            }
        }
    }

    /// Whether some character fits both; two sets are taken to overlap.
    fn overlaps(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Char(c), token) | (token, Self::Char(c)) => token.fits(*c),
            _ => true,
        }
    }
}

/// The set at the start of `rest`, given without its `[`, and its length with `]`.
fn class(rest: &str) -> Option<(Token, usize)> {
    let negated = rest.starts_with(['!', '^']);
    let mut ranges = Vec::new();
    let mut chars = rest.char_indices().skip(usize::from(negated)).peekable();
    let mut first = true;
    while let Some((at, c)) = chars.next() {
        if c == ']' && !first {
            return Some((Token::Class { negated, ranges }, at + 1));
        }
        first = false;
        let mut ahead = chars.clone();
        match (ahead.next(), ahead.next()) {
            (Some((_, '-')), Some((_, high))) if high != ']' => {
                ranges.push((c, high));
                chars = ahead;
            }
            _ => ranges.push((c, c)),
        }
    }
    None
}

/// Matching with one point to return to: the last `*`.
fn wild(tokens: &[Token], name: &[char]) -> bool {
    let (mut token, mut at) = (0, 0);
    let mut back: Option<(usize, usize)> = None;
    while at < name.len() {
        match tokens.get(token) {
            Some(Token::Many) => {
                back = Some((token, at));
                token += 1;
            }
            Some(one) if one.fits(name[at]) => {
                token += 1;
                at += 1;
            }
            _ => {
                let Some((star, from)) = back else {
                    return false;
                };
                back = Some((star, from + 1));
                token = star + 1;
                at = from + 1;
            }
        }
    }
    tokens[token..].iter().all(|rest| *rest == Token::Many)
}

/// Whether two patterns have a name in common: a walk over pairs of positions.
fn meet(a: &[Token], b: &[Token]) -> bool {
    let width = b.len() + 1;
    let mut reached = vec![false; (a.len() + 1) * width];
    reached[0] = true;
    for i in 0..=a.len() {
        for j in 0..=b.len() {
            if !reached[i * width + j] {
                continue;
            }
            let (x, y) = (a.get(i), b.get(j));
            if x == Some(&Token::Many) {
                reached[(i + 1) * width + j] = true;
                if y.is_some() {
                    reached[i * width + j + 1] = true;
                }
            }
            if y == Some(&Token::Many) {
                reached[i * width + j + 1] = true;
                if x.is_some() {
                    reached[(i + 1) * width + j] = true;
                }
            }
            if let (Some(x), Some(y)) = (x, y)
                && x.overlaps(y)
            {
                reached[(i + 1) * width + j + 1] = true;
            }
        }
    }
    reached.last().copied().unwrap_or(false)
}

/// A text with `{a,b}` taken apart: `x{a,b}` becomes `xa` and `xb`.
pub(crate) fn alternatives(text: &str) -> Result<Vec<String>, Fault> {
    // `${project}` is a placeholder.
    let escaped = |at: usize| {
        text[..at].ends_with('$')
            || text[..at].bytes().rev().take_while(|b| *b == b'\\').count() % 2 == 1
    };
    let open = text.match_indices('{').find(|(at, _)| !escaped(*at));
    let Some((open, _)) = open else {
        return Ok(vec![text.to_owned()]);
    };
    let whole = || open..text.len();
    let mut depth = 0_usize;
    let mut parts = vec![open + 1];
    let mut close = None;
    let rest = text.char_indices().skip_while(|(at, _)| *at < open);
    for (at, c) in rest.filter(|(at, _)| !escaped(*at)) {
        match c {
            '{' => depth += 1,
            ',' if depth == 1 => parts.push(at + 1),
            '}' if depth == 1 => {
                close = Some(at);
                break;
            }
            '}' => depth -= 1,
            _ => {}
        }
    }
    let Some(close) = close else {
        let help = "close it with `}`, as in `*.{key,pem}`";
        return Err(Fault::new(whole(), "`{` has no `}`", help));
    };
    parts.push(close + 1);
    let mut all = Vec::new();
    for pair in parts.windows(2) {
        let one = format!(
            "{}{}{}",
            &text[..open],
            &text[pair[0]..pair[1] - 1],
            &text[close + 1..]
        );
        all.extend(alternatives(&one)?);
        if all.len() > MAX_ALTERNATIVES {
            let message = format!("the braces make more than {MAX_ALTERNATIVES} patterns");
            return Err(Fault::new(whole(), message, "write fewer alternatives"));
        }
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn glob(text: &str) -> NameGlob {
        NameGlob::compile(text, 0).unwrap()
    }

    #[test]
    fn names() {
        for (pattern, name, fits) in [
            ("a*c", "abbc", true),
            ("a*c", "abbd", false),
            ("*", "", true),
            ("?", "", false),
            ("*.pem", "x.pem", true),
            ("*a*b*", "xxaxxbxx", true),
            ("[a-c]x", "bx", true),
            ("[!a-c]x", "bx", false),
            ("[]]", "]", true),
            ("[a-]", "-", true),
            ("\\*", "*", true),
            ("\\*", "a", false),
            ("é?", "éß", true),
            ("*ab", "aab", true),
        ] {
            assert_eq!(glob(pattern).matches(name), fits, "{pattern} {name}");
        }
        assert_eq!(NameGlob::compile("a[b", 3).unwrap_err().span, 4..6);
    }

    #[test]
    fn two_patterns_meet() {
        for (own, shell, meets) in [
            (".env", "*", false),
            (".env", ".*", true),
            (".env*", ".e?v", true),
            ("secrets", "s*", true),
            ("secrets", "*x*", false),
            ("*.pem", "a*", true),
            ("*.pem", "*.key", false),
            ("a?c", "*b*", true),
            ("[ab]", "[bc]", true),
            ("abc", "abc", true),
        ] {
            assert_eq!(glob(own).meets(shell), meets, "{own} {shell}");
        }
    }

    #[test]
    fn braces() {
        assert_eq!(alternatives("*.{key,pem}").unwrap(), ["*.key", "*.pem"]);
        assert_eq!(alternatives("{a,b{c,d}}e").unwrap(), ["ae", "bce", "bde"]);
        assert_eq!(alternatives("{a,}").unwrap(), ["a", ""]);
        assert_eq!(alternatives("a\\{b,c}").unwrap(), ["a\\{b,c}"]);
        assert!(alternatives("a{b").is_err());
        assert!(alternatives(&"{a,b}".repeat(9)).is_err());
    }
}
