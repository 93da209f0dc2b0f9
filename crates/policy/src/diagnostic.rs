//! Problems of policy files: stable codes, severities, and where in which text they are.
//!
//! This module describes problems. It never reads a file and never decides whether one matters.

use std::cell::Cell;
use std::fmt;

use serde::{Serialize, Serializer};

/// Most diagnostics kept for one file; a last one says how many more there were.
pub const MAX_DIAGNOSTICS: usize = 100;

macro_rules! codes {
    ($($name:ident = $text:literal, $title:literal;)*) => {
        /// Stable identity of a kind of problem. Codes are never reused for another meaning.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum Code {
            $(#[doc = concat!("`", $text, "`: ", $title, ".")] $name,)*
        }

        impl Code {
            /// Every code, in the order of its number; reference pages are generated from it.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// The code as it is printed, such as `HW034`.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$name => $text,)* }
            }

            /// What the code stands for, in a few words.
            pub const fn title(self) -> &'static str {
                match self { $(Self::$name => $title,)* }
            }
        }
    };
}

codes! {
    Unreadable = "HW001", "the file cannot be read";
    NotRegular = "HW002", "the path is not a regular file";
    Symlink = "HW003", "the path is a symbolic link or leaves the project";
    TooLarge = "HW004", "the file is larger than its limit";
    UnsafeOwner = "HW005", "others than the user could change the file";
    NotUtf8 = "HW006", "the file is not UTF-8";
    ExtraBom = "HW007", "a second byte order mark";
    SameFile = "HW008", "one file serves two sources and is loaded once";
    Syntax = "HW010", "not JSON";
    Comment = "HW011", "a comment";
    TrailingComma = "HW012", "a trailing comma";
    MissingComma = "HW013", "a missing comma";
    BadString = "HW014", "a string that is not JSON";
    UnquotedKey = "HW015", "a key without quotes";
    BadNumber = "HW016", "a number that is not JSON";
    TooDeep = "HW017", "nested too deep";
    DuplicateKey = "HW018", "a key named twice in one object";
    WrongType = "HW020", "a value of the wrong type";
    MissingField = "HW021", "a required field is missing";
    UnknownField = "HW022", "an unknown field";
    BadVersion = "HW023", "an unknown format version";
    UnknownEvent = "HW024", "an unknown event";
    UnknownType = "HW025", "an unknown handler type";
    TooManyHandlers = "HW026", "too many handlers";
    BadId = "HW030", "an invalid id";
    DuplicateId = "HW031", "an id used twice";
    BadMatcher = "HW032", "an invalid matcher";
    RegexMatcher = "HW033", "a matcher written as a regular expression";
    RelativeCommand = "HW034", "a command that is not an absolute path";
    BadCommand = "HW035", "an invalid command";
    BadArgs = "HW036", "invalid arguments";
    BadTimeout = "HW037", "an invalid timeout";
    BadFailureMode = "HW038", "an unknown failure mode";
    BadPlaceholder = "HW039", "a project path that cannot be used";
    BadDescription = "HW040", "an invalid description";
    BadPattern = "HW041", "an invalid pattern of a rule";
    BadExpression = "HW042", "an invalid expression of a rule";
    BadChoice = "HW043", "a value that is none of the possible ones";
    BadReason = "HW044", "an invalid reason or status message";
    BadTest = "HW045", "an invalid test";
    ForeignField = "HW046", "a field of another handler type";
    UnboundedRule = "HW047", "a rule without a condition for every tool";
    UnknownTool = "HW050", "a matcher that matches no known tool";
    ForeignTool = "HW051", "a matcher of names that only another agent uses";
    IncompleteMcpName = "HW052", "an MCP tool name that is not complete";
    LiteralPlaceholder = "HW053", "a project placeholder that is passed as it stands";
    NeverMatches = "HW054", "a pattern of a rule that can never match";
    GroupContainment = "HW055", "a command that is held by its process group alone";
    ProgramMissing = "HW060", "the program does not exist";
    ProgramNotExecutable = "HW061", "the program cannot be executed";
    ProgramNotFile = "HW062", "the program is not a regular file";
    ScriptMissing = "HW063", "a script named by an argument does not exist";
    RelativeScript = "HW064", "a script named by a relative path";
    BadInterpreter = "HW065", "the program's interpreter is relative or does not exist";
    PinDiffers = "HW066", "a pinned file outside the project has changed";
    TrustSyntax = "HW070", "the trust store is not in its format";
    TrustRecord = "HW071", "the trust store holds an invalid record";
    TrustDuplicate = "HW072", "the trust store holds a record twice";
    TrustFull = "HW073", "the trust store holds too many records";
    More = "HW099", "more problems than are listed";
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Serialize for Code {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// How much a problem matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The file that holds it is broken as a whole.
    Error,
    /// The file is in force; a person should look at it.
    Warning,
}

/// One problem, where it is, and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Diagnostic {
    /// Kind of problem.
    pub code: Code,
    /// How much it matters.
    pub severity: Severity,
    /// What is wrong. Text taken from a file is escaped and bounded.
    pub message: String,
    /// Line, from 1. Problems of a whole file are at line 1, column 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
    /// RFC 6901 pointer to the value; empty for the whole file.
    pub pointer: String,
    /// What to do.
    pub help: String,
}

impl Diagnostic {
    /// A problem of a whole file.
    pub(crate) fn of_file(code: Code, message: String, help: &str) -> Self {
        Self::at(&Location::START, code, Severity::Error, message, help)
    }

    pub(crate) fn at(
        location: &Location,
        code: Code,
        severity: Severity,
        message: String,
        help: &str,
    ) -> Self {
        Self {
            code,
            severity,
            message,
            line: location.line,
            column: location.column,
            pointer: location.pointer.clone(),
            help: help.to_owned(),
        }
    }
}

/// Where a value stands in the file that defines it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Location {
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
    /// RFC 6901 pointer to the value.
    pub pointer: String,
}

impl Location {
    pub(crate) const START: Self = Self {
        line: 1,
        column: 1,
        pointer: String::new(),
    };
}

/// Text of a file as it may appear in a message: escaped, at most 80 characters.
pub(crate) fn shown(text: &str) -> String {
    hookward_contract::bounded(&hookward_contract::escape_for_display(text), 80)
}

/// Collects the problems of one text, up to [`MAX_DIAGNOSTICS`].
pub(crate) struct Findings<'a> {
    text: &'a str,
    line_starts: Vec<usize>,
    /// The offset located last and its column. Values are located mostly in the order of the text,
    /// so a file that is one long line is not counted from its start for each of them.
    cursor: Cell<(usize, usize)>,
    list: Vec<Diagnostic>,
    errors: usize,
    dropped: usize,
}

impl<'a> Findings<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        let ends = text.match_indices('\n').map(|(at, _)| at + 1);
        Self {
            text,
            line_starts: std::iter::once(0).chain(ends).collect(),
            cursor: Cell::new((0, 1)),
            list: Vec::new(),
            errors: 0,
            dropped: 0,
        }
    }

    /// The text.
    pub(crate) fn text(&self) -> &'a str {
        self.text
    }

    /// The location of a byte offset; offsets beyond the text are its end.
    pub(crate) fn locate(&self, offset: usize, pointer: &str) -> Location {
        let mut offset = offset.min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        let line = self.line_starts.partition_point(|start| *start <= offset);
        let start = self.line_starts.get(line - 1).copied().unwrap_or(0);
        let (from, counted) = match self.cursor.get() {
            (from, counted) if (start..=offset).contains(&from) => (from, counted),
            _ => (start, 1),
        };
        let column = counted + self.text.get(from..offset).unwrap_or("").chars().count();
        self.cursor.set((offset, column));
        Location {
            line: u32::try_from(line).unwrap_or(u32::MAX),
            column: u32::try_from(column).unwrap_or(u32::MAX),
            pointer: pointer.to_owned(),
        }
    }

    /// Byte offset of a line and a byte column, both from 1, as other parsers report them.
    pub(crate) fn offset_of(&self, line: usize, column: usize) -> usize {
        let start = self.line_starts.get(line.saturating_sub(1));
        start.map_or(self.text.len(), |start| start + column.saturating_sub(1))
    }

    pub(crate) fn error(
        &mut self,
        code: Code,
        at: usize,
        pointer: &str,
        message: String,
        help: &str,
    ) {
        self.found(code, Severity::Error, at, pointer, message, help);
    }

    pub(crate) fn warning(
        &mut self,
        code: Code,
        at: usize,
        pointer: &str,
        message: String,
        help: &str,
    ) {
        self.found(code, Severity::Warning, at, pointer, message, help);
    }

    pub(crate) fn found(
        &mut self,
        code: Code,
        severity: Severity,
        at: usize,
        pointer: &str,
        message: String,
        help: &str,
    ) {
        self.errors += usize::from(severity == Severity::Error);
        if self.is_full() {
            self.dropped += 1;
            return;
        }
        let location = self.locate(at, pointer);
        self.list
            .push(Diagnostic::at(&location, code, severity, message, help));
    }

    /// Whether further problems are only counted, so that their words need no thought.
    pub(crate) fn is_full(&self) -> bool {
        self.list.len() >= MAX_DIAGNOSTICS
    }

    /// Number of errors so far, those over the limit included.
    pub(crate) fn errors(&self) -> usize {
        self.errors
    }

    /// All problems in the order of the text.
    pub(crate) fn finish(mut self) -> Vec<Diagnostic> {
        self.list
            .sort_by_key(|found| (found.line, found.column, found.severity));
        if self.dropped > 0 {
            let severity = if self.errors > 0 {
                Severity::Error
            } else {
                Severity::Warning
            };
            let message = format!("{} more problems are not listed", self.dropped);
            let help = "repair the listed problems and look again";
            self.list.push(Diagnostic::at(
                &Location::START,
                Code::More,
                severity,
                message,
                help,
            ));
        }
        self.list
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_unique_and_ascend() {
        for pair in Code::ALL.windows(2) {
            assert!(pair[0].as_str() < pair[1].as_str(), "{pair:?}");
        }
        assert!(
            Code::ALL
                .iter()
                .all(|code| code.as_str().len() == 5 && !code.title().is_empty())
        );
    }

    #[test]
    fn columns_count_characters() {
        let findings = Findings::new("{\r\n  \"é\": 1\n}");
        let at = "{\r\n  \"é\": ".len();
        let location = findings.locate(at, "/é");
        assert_eq!((location.line, location.column), (2, 8));
        let end = findings.locate(1_000, "");
        assert_eq!((end.line, end.column), (3, 2));
        // In any order, and more than once.
        for (offset, line, column) in [(at, 2, 8), (0, 1, 1), (6, 2, 4), (at, 2, 8), (at, 2, 8)] {
            let location = findings.locate(offset, "");
            assert_eq!((location.line, location.column), (line, column), "{offset}");
        }
    }

    #[test]
    fn the_list_is_bounded_and_keeps_its_errors() {
        let mut findings = Findings::new("x");
        for _ in 0..=MAX_DIAGNOSTICS {
            findings.warning(Code::UnknownTool, 0, "", String::new(), "");
        }
        findings.error(Code::Syntax, 0, "", String::new(), "");
        assert_eq!(findings.errors(), 1);
        let list = findings.finish();
        assert_eq!(list.len(), MAX_DIAGNOSTICS + 1);
        let more = &list[MAX_DIAGNOSTICS];
        assert_eq!((more.code, more.severity), (Code::More, Severity::Error));
        assert!(more.message.starts_with("2 more"), "{}", more.message);
    }
}
