//! What scripts of `sed` and `awk` do beside changing text: files they write and programs they run.
//!
//! Sources: the manuals of GNU sed and gawk. A script that cannot be read is told as such.

/// What a script does.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Script {
    /// Files it reads.
    pub(super) reads: Vec<String>,
    /// Files it writes.
    pub(super) writes: Vec<String>,
    /// Whether it runs programs, names files at run time, or cannot be read.
    pub(super) runs: bool,
}

/// Reads a script of `sed`.
pub(super) fn sed(text: &str) -> Script {
    let mut script = Script::default();
    let mut reader = Sed { rest: text };
    if reader.commands(&mut script).is_none() {
        script.runs = true;
    }
    script
}

struct Sed<'t> {
    rest: &'t str,
}

impl<'t> Sed<'t> {
    fn next(&mut self) -> Option<char> {
        let c = self.rest.chars().next()?;
        self.rest = &self.rest[c.len_utf8()..];
        Some(c)
    }

    fn skip(&mut self, skipped: impl Fn(char) -> bool) {
        self.rest = self.rest.trim_start_matches(skipped);
    }

    fn line(&mut self) -> &'t str {
        let (line, rest) = self.rest.split_once('\n').unwrap_or((self.rest, ""));
        self.rest = rest;
        line
    }

    /// Reads all commands; `None` where the text is no script.
    fn commands(&mut self, script: &mut Script) -> Option<()> {
        loop {
            self.skip(|c| c.is_whitespace() || c == ';');
            if self.rest.is_empty() {
                return Some(());
            }
            self.addresses()?;
            let command = self.next()?;
            match command {
                '{' | '}' | '=' | 'd' | 'D' | 'g' | 'G' | 'h' | 'H' | 'n' | 'N' | 'p' | 'P'
                | 'x' | 'z' | 'F' => {}
                'q' | 'Q' | 'l' | 'L' => self.skip(|c| c.is_ascii_digit() || c == ' '),
                'a' | 'i' | 'c' => self.text(),
                ':' | 'b' | 't' | 'T' | 'v' => {
                    self.skip(|c| !matches!(c, '\n' | ';' | '}'));
                }
                '#' => {
                    self.line();
                }
                'r' | 'R' => script.reads.push(self.line().trim().to_owned()),
                'w' | 'W' => script.writes.push(self.line().trim().to_owned()),
                'e' => {
                    script.runs = true;
                    self.line();
                }
                's' => self.substitute(script)?,
                'y' => {
                    let delimiter = self.next()?;
                    self.section(delimiter)?;
                    self.section(delimiter)?;
                }
                _ => return None,
            }
        }
    }

    fn addresses(&mut self) -> Option<()> {
        loop {
            match self.rest.chars().next()? {
                c if c.is_ascii_digit() || c.is_whitespace() || "$,~+!".contains(c) => {
                    self.next();
                }
                '/' => {
                    self.next();
                    self.section('/')?;
                    self.skip(|c| c == 'I' || c == 'M');
                }
                '\\' => {
                    self.next();
                    let delimiter = self.next()?;
                    self.section(delimiter)?;
                    self.skip(|c| c == 'I' || c == 'M');
                }
                _ => return Some(()),
            }
        }
    }

    /// Text up to the delimiter. Within brackets it does not count, as in GNU sed.
    fn section(&mut self, delimiter: char) -> Option<()> {
        loop {
            match self.next()? {
                '\\' => {
                    self.next()?;
                }
                c if c == delimiter => return Some(()),
                _ => {}
            }
        }
    }

    /// The text of `a`, `i` and `c`: lines that end with a backslash go on.
    fn text(&mut self) {
        loop {
            let line = self.line();
            let slashes = line.len() - line.trim_end_matches('\\').len();
            if slashes.is_multiple_of(2) || self.rest.is_empty() {
                return;
            }
        }
    }

    fn substitute(&mut self, script: &mut Script) -> Option<()> {
        let delimiter = self.next()?;
        self.section(delimiter)?;
        self.section(delimiter)?;
        while let Some(flag) = self.rest.chars().next() {
            match flag {
                'g' | 'p' | 'i' | 'I' | 'm' | 'M' | '0'..='9' => {}
                'e' => script.runs = true,
                'w' => {
                    self.next();
                    script.writes.push(self.line().trim().to_owned());
                    return Some(());
                }
                _ => return Some(()),
            }
            self.next();
        }
        Some(())
    }
}

/// Reads a program of `awk`. Output to a file with a fixed name is told as a write; every other
/// redirection, pipe and `system` as running programs.
pub(super) fn awk(text: &str) -> Script {
    let mut script = Script::default();
    let tokens = tokens(text);
    let mut print: Option<i32> = None;
    let mut depth = 0;
    let mut rest = tokens.iter().peekable();
    while let Some(token) = rest.next() {
        match token {
            Token::Word("print" | "printf") => print = Some(depth),
            Token::Word("system" | "getline") | Token::Sign("|" | "@") => script.runs = true,
            Token::Sign("(" | "[") => depth += 1,
            Token::Sign(")" | "]") => depth -= 1,
            Token::Sign(";" | "\n" | "{" | "}") => print = None,
            Token::Sign(">" | ">>") if print == Some(depth) => match rest.next() {
                Some(Token::Text(name))
                    if matches!(rest.peek(), None | Some(Token::Sign(";" | "\n" | "}"))) =>
                {
                    script.writes.push((*name).to_owned());
                }
                _ => script.runs = true,
            },
            _ => {}
        }
    }
    script
}

#[derive(Debug, PartialEq, Eq)]
enum Token<'t> {
    Word(&'t str),
    /// A string without its quotes.
    Text(&'t str),
    Sign(&'t str),
}

fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut tokens: Vec<Token<'_>> = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '#' => {
                rest = &rest[rest.find('\n').unwrap_or(rest.len())..];
                continue;
            }
            ' ' | '\t' | '\r' => 1,
            '\\' => rest.chars().take(2).map(char::len_utf8).sum(),
            '"' => {
                let length = quoted(rest, '"');
                let inner = rest.get(1..length.saturating_sub(1)).unwrap_or_default();
                tokens.push(Token::Text(inner));
                length
            }
            // After a value it divides.
            '/' if !matches!(
                tokens.last(),
                Some(Token::Word(_) | Token::Text(_) | Token::Sign(")" | "]"))
            ) =>
            {
                tokens.push(Token::Sign("/"));
                quoted(rest, '/')
            }
            c if c.is_alphanumeric() || c == '_' => {
                let word = |c: char| !(c.is_alphanumeric() || c == '_' || c == '.');
                let length = rest.find(word).unwrap_or(rest.len());
                tokens.push(Token::Word(&rest[..length]));
                length
            }
            c => {
                let two = ["||", ">>", ">=", "&&", "!~"];
                let pair = two.iter().find(|pair| rest.starts_with(**pair));
                let length = pair.map_or(c.len_utf8(), |pair| pair.len());
                tokens.push(Token::Sign(&rest[..length]));
                length
            }
        };
        rest = &rest[length..];
    }
    tokens
}

/// The length of a text in delimiters, both included.
fn quoted(text: &str, delimiter: char) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            c if c == delimiter => return at + c.len_utf8(),
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(script: &Script) -> String {
        let runs = if script.runs { " runs" } else { "" };
        let files = |sign: &str, names: &[String]| -> String {
            names.iter().flat_map(|name| [" ", sign, name]).collect()
        };
        let text = files("<", &script.reads) + &files(">", &script.writes) + runs;
        text.trim_start().to_owned()
    }

    #[test]
    fn scripts_of_sed() {
        for (text, expected) in [
            ("s/a/b/", ""),
            ("s/a/w/", ""),
            ("s/a/b/w out", ">out"),
            ("s/a/b/gw out", ">out"),
            ("s|a|e|g", ""),
            ("s/a/b/e", "runs"),
            ("s/a\\/b/c/e", "runs"),
            ("w out", ">out"),
            ("/we/d", ""),
            ("/x/w out\np", ">out"),
            ("1,3p;$d", ""),
            ("1~2{s/a/b/;W out\n}", ">out"),
            ("1e rm x", "runs"),
            ("e", "runs"),
            ("a\\\nw out", ""),
            ("a text; w out", ""),
            ("r in", "<in"),
            ("$!N;P;D", ""),
            (":a;N;$!ba;s/\\n/ /g", ""),
            ("y/abc/def/;w out", ">out"),
            ("\\,x,w out", ">out"),
            ("# w out\np", ""),
            ("s/a/b", "runs"),
            ("!!!k", "runs"),
            ("10q;w out", ">out"),
        ] {
            assert_eq!(told(&sed(text)), expected, "{text}");
        }
    }

    #[test]
    fn programs_of_awk() {
        for (text, expected) in [
            ("{print $1}", ""),
            ("$1>2", ""),
            ("$1 > 2 {print}", ""),
            ("{print $1 > \"out\"}", ">out"),
            ("{print > \"out\"; next}", ">out"),
            ("{print > $1}", "runs"),
            ("{print > \"a\" $1}", "runs"),
            ("{print ($1>2)}", ""),
            ("{print >> \"out\"}", ">out"),
            ("{if ($1 > 2) print $2}", ""),
            ("{print | \"sh\"}", "runs"),
            ("{if (a || b) print}", ""),
            ("BEGIN{system(\"id\")}", "runs"),
            ("{\"date\" | getline d}", "runs"),
            ("{print \"system | > x\"}", ""),
            ("/a|b/ {print}", ""),
            ("{x = $1 / 2 > 3 / 4}", ""),
            ("# system()\n{print}", ""),
            ("@load \"x\"", "runs"),
        ] {
            assert_eq!(told(&awk(text)), expected, "{text}");
        }
    }
}
