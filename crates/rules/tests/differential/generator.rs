//! Writes scripts by a grammar. The same seed writes the same script.

mod command;
mod word;

/// How far a script goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Manner {
    /// What the text alone decides.
    Tame,
    /// Everything.
    Wild,
}

pub(crate) struct Generator {
    state: u64,
    manner: Manner,
    /// Whether the script must not leave its directory.
    relative: bool,
    depth: u32,
}

const NAMES: &[&str] = &["p", "q", "r", "x", "y"];
const FUNCTIONS: &[&str] = &["fa", "fb", "gamma", "fails"];
const PROGRAMS: &[&str] = &[
    "alpha", "beta", "gamma", "delta", "git", "fails", "word", "two", "lines", "npm", "make",
];

impl Generator {
    pub(crate) fn new(seed: u64, manner: Manner, relative: bool) -> Self {
        let state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5851_f42d_4c95_7f2d;
        Self {
            state,
            manner,
            relative,
            depth: 0,
        }
    }

    /// A number below `most` (`splitmix64`).
    fn below(&mut self, most: usize) -> usize {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        let mixed = usize::try_from((mixed ^ (mixed >> 31)) & 0xffff_ffff).unwrap_or_default();
        mixed % most
    }

    fn pick(&mut self, choices: &[&'static str]) -> &'static str {
        choices[self.below(choices.len())]
    }

    /// One of the choices with every `@w`, `@p`, `@n`, `@f`, `@d`, `@o`, `@c`, `@l` and `@t` in it
    /// written anew: a word, a program, a variable, a function, a directory, a file to write, a
    /// command, commands in lines, and plain text.
    fn fill(&mut self, choices: &[&'static str]) -> String {
        let template = self.pick(choices);
        let mut text = String::new();
        let mut rest = template;
        while let Some(at) = rest.find('@') {
            text.push_str(&rest[..at]);
            let mut kinds = rest[at + 1..].chars();
            let kind = kinds.next();
            let part = match kind {
                Some('w') => self.word(),
                Some('p') => self.pick(PROGRAMS).to_owned(),
                Some('n') => self.pick(NAMES).to_owned(),
                Some('f') => self.pick(FUNCTIONS).to_owned(),
                Some('d') => self.directory(),
                Some('o') => self.output(),
                Some('c') => self.command(),
                Some('l') => self.lines(),
                Some('t') => self.plain(),
                other => {
                    text.push('@');
                    text.extend(other);
                    rest = kinds.as_str();
                    continue;
                }
            };
            text.push_str(&part);
            rest = kinds.as_str();
        }
        text.push_str(rest);
        text
    }

    pub(crate) fn script(&mut self) -> String {
        let count = 1 + self.below(6);
        let mut text = String::new();
        for _ in 0..count {
            text.push_str(&self.command());
            text.push_str(self.pick(&["\n", "\n", "\n", "; "]));
        }
        text
    }

    /// A script with a few bytes or words taken out, doubled or exchanged.
    pub(crate) fn mutated(&mut self, script: &str) -> String {
        let mut parts: Vec<&str> = if self.below(2) == 0 {
            script.split_inclusive(|_: char| true).collect()
        } else {
            script
                .split_inclusive([' ', '\n', ';', '"', '\''])
                .collect()
        };
        for _ in 0..=self.below(3) {
            let at = self.below(parts.len());
            let other = self.below(parts.len());
            match self.below(3) {
                0 if parts.len() > 1 => drop(parts.remove(at)),
                1 => parts.insert(other, parts[at]),
                _ => parts.swap(at, other),
            }
        }
        parts.concat()
    }
}
