//! What a shell text says: commands, words and what is to be expanded in them. Text only; nothing
//! here knows what a program does or what a variable holds.
//!
//! Terms are those of the Bash manual. Everything borrows from the text where it can.

use std::borrow::Cow;
use std::ops::Range;

/// A text that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Script<'t> {
    /// Every complete command before the end or the error: Bash runs line by line, so what stands
    /// on lines before an error does run.
    pub lists: Vec<List<'t>>,
    /// Why the rest was not read.
    pub error: Option<SyntaxError>,
}

/// A text, or the rest of it, that no shell reads, or that goes beyond a limit of this reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{kind} at byte {offset}")]
pub struct SyntaxError {
    /// Offset in the text, in bytes.
    pub offset: u32,
    /// What is wrong.
    pub kind: SyntaxErrorKind,
}

/// What is wrong with a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SyntaxErrorKind {
    /// A token that cannot stand there.
    #[error("unexpected token")]
    Unexpected,
    /// The text ends within a quote, a substitution or a compound command.
    #[error("the text ends too early")]
    UnexpectedEnd,
    /// Nested more than [`MAX_DEPTH`](crate::MAX_DEPTH) deep.
    #[error("nested too deeply")]
    TooDeep,
    /// A text of 4 GiB or more.
    #[error("the text is too long")]
    TooLong,
    /// A name that a backslash breaks over two lines, which has no place in what is read.
    #[error("a name that goes over a line end")]
    SplitName,
    /// A NUL byte, which no command line can hold.
    #[error("a NUL byte")]
    Nul,
}

/// Pipelines joined by `&&` and `||`, up to `;`, `&` or the end of the line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct List<'t> {
    /// The first pipeline has no connector before it.
    pub first: Pipeline<'t>,
    /// The others, each with what joins it to the one before.
    pub rest: Vec<(Connector, Pipeline<'t>)>,
    /// Whether it ends in `&`.
    pub background: bool,
}

/// What joins two pipelines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Connector {
    /// `&&`
    And,
    /// `||`
    Or,
}

/// Commands joined by `|` and `|&`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pipeline<'t> {
    /// An odd number of `!` before it.
    pub negated: bool,
    /// At least one.
    pub commands: Vec<Command<'t>>,
}

/// One command with its redirections.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Command<'t> {
    /// Bytes of the text that it spans.
    pub span: Range<u32>,
    /// What it is.
    pub kind: CommandKind<'t>,
    /// In the order in which they are written, wherever they stand in the command.
    pub redirects: Vec<Redirect<'t>>,
}

/// The kinds of commands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CommandKind<'t> {
    /// Assignments and words; either may be missing.
    Simple {
        /// `a=1`, before the first word.
        assignments: Vec<Assignment<'t>>,
        /// Program and arguments. Arguments of `declare`, `export`, `local`, `readonly`, `typeset`
        /// and `alias` are words, too; an array value `a=(…)` among them is an
        /// [`Part::Array`].
        words: Vec<Word<'t>>,
    },
    /// `( … )`
    Subshell(Vec<List<'t>>),
    /// `{ …; }`
    Group(Vec<List<'t>>),
    /// `if … then … elif … then … else … fi`
    If {
        /// Conditions and what follows them.
        branches: Vec<(Vec<List<'t>>, Vec<List<'t>>)>,
        /// `else`
        otherwise: Option<Vec<List<'t>>>,
    },
    /// `while … do … done` and `until … do … done`
    Loop {
        /// The condition.
        condition: Vec<List<'t>>,
        /// What is repeated.
        body: Vec<List<'t>>,
    },
    /// `for name in …; do … done` and `select name in …; do … done`
    For {
        /// The variable.
        name: &'t str,
        /// The values; `None` for the positional parameters.
        words: Option<Vec<Word<'t>>>,
        /// What is repeated.
        body: Vec<List<'t>>,
    },
    /// `for ((…; …; …)) do … done`
    ArithmeticFor {
        /// The three expressions as one.
        expression: Word<'t>,
        /// What is repeated.
        body: Vec<List<'t>>,
    },
    /// `case word in pattern) … ;; esac`
    Case {
        /// What is compared.
        subject: Word<'t>,
        /// The arms.
        arms: Vec<CaseArm<'t>>,
    },
    /// `name() …` and `function name …`
    Function {
        /// Its name as written.
        name: &'t str,
        /// Its body, with the redirections of the definition.
        body: Box<Command<'t>>,
    },
    /// `coproc [name] …`
    Coproc {
        /// What it runs.
        body: Box<Command<'t>>,
    },
    /// `(( … ))`
    Arithmetic(Word<'t>),
    /// `[[ … ]]`: the words between, operators left out.
    Test(Vec<Word<'t>>),
}

/// One arm of a `case`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CaseArm<'t> {
    /// The patterns.
    pub patterns: Vec<Word<'t>>,
    /// What is run.
    pub body: Vec<List<'t>>,
}

/// `name=value`, `name+=value`, `name[subscript]=value`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assignment<'t> {
    /// The variable.
    pub name: &'t str,
    /// The subscript.
    pub subscript: Option<Word<'t>>,
    /// Whether it is `+=`.
    pub append: bool,
    /// The value.
    pub value: AssignedValue<'t>,
}

/// What is assigned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AssignedValue<'t> {
    /// One word, which may be empty.
    Word(Word<'t>),
    /// `( … )`: the elements, subscripts `[…]=` left in the words.
    Array(Vec<Word<'t>>),
}

/// One redirection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Redirect<'t> {
    /// What it does.
    pub kind: RedirectKind,
    /// The number before it, or the default of its kind; `None` where it is a `{name}`.
    pub fd: Option<u32>,
    /// The file, the descriptor, the here-string, or the body of the here-document. The parts of a
    /// body without expansion are all [`Part::Quoted`].
    pub target: Word<'t>,
}

/// The kinds of redirections.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RedirectKind {
    /// `<`
    Read,
    /// `>` and `>|`
    Write,
    /// `>>`
    Append,
    /// `<>`
    ReadWrite,
    /// `&>` and, with a word that is no number and not `-`, `>&`
    WriteBoth,
    /// `&>>`
    AppendBoth,
    /// `<&` and `>&` with a number, `-` or something to expand
    Duplicate,
    /// `<<` and `<<-`
    HereDocument,
    /// `<<<`
    HereString,
}

/// A word before expansion: parts that are read next to each other.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Word<'t> {
    /// Bytes of the text that it spans.
    pub span: Range<u32>,
    /// Its parts; none for an empty value (`a=`). `''` is one empty [`Part::Quoted`].
    pub parts: Vec<Part<'t>>,
}

/// A part of a word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part<'t> {
    /// Text that is not quoted: a `~` at the start, braces and the characters of patterns mean what
    /// they mean to the shell.
    Literal(Cow<'t, str>),
    /// Text that means itself: from quotes, after a backslash, `$'…'` decoded. Bytes that are no
    /// UTF-8 after decoding are [`Part::Undecodable`].
    Quoted(Cow<'t, str>),
    /// `$'…'` that decodes to something that is no UTF-8.
    Undecodable,
    /// `$name` and `${…}`
    Parameter(Box<Parameter<'t>>),
    /// `$( … )`, `` `…` ``, and `${ …; }`
    Command {
        /// What is run.
        body: Substitution<'t>,
        /// Whether it stands in double quotes.
        quoted: bool,
    },
    /// `$(( … ))` and `$[ … ]`
    Arithmetic {
        /// The expression; its parts are expanded as in double quotes.
        expression: Word<'t>,
        /// Whether it stands in double quotes.
        quoted: bool,
    },
    /// `<( … )` and `>( … )`
    Process {
        /// Whether the command reads what is written to it: `>( … )`.
        reads: bool,
        /// What is run.
        body: Vec<List<'t>>,
    },
    /// An extended pattern, `!(…)`, `?(…)`, `*(…)`, `+(…)` or `@(…)`: what can be expanded in it.
    Pattern(Word<'t>),
    /// `a=(…)` as an argument of `declare` and its kin.
    Array(Vec<Word<'t>>),
}

/// The commands of a substitution.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Substitution<'t> {
    /// Read in place.
    Lists(Vec<List<'t>>),
    /// The text between backquotes, with the backslashes before `` ` ``, `\` and `$` taken off; a
    /// shell reads it only when it runs it.
    Backquoted(Cow<'t, str>),
}

/// `$name` or `${…}`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameter<'t> {
    /// The name: a variable, a number, or one of `@*#?-$!`. Empty for a `${…}` that has none, which
    /// Bash refuses when it expands it.
    pub name: &'t str,
    /// `[…]`
    pub subscript: Option<Word<'t>>,
    /// What is done to the value.
    pub operation: Operation<'t>,
    /// Whether it stands in double quotes.
    pub quoted: bool,
}

/// What is done to the value of a parameter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Operation<'t> {
    /// Nothing.
    None,
    /// `${#name}`
    Length,
    /// `${!name}`, `${!name[…]}`, `${!name*}` and `${!name@}`. Before another operation it is
    /// [`Other`](Self::Other) with the words of that one.
    Indirect,
    /// `${name:-word}`, `${name-word}`
    Default(Word<'t>),
    /// `${name:=word}`, `${name=word}`
    Assign(Word<'t>),
    /// `${name:+word}`, `${name+word}`
    Alternative(Word<'t>),
    /// `${name:?word}`, `${name?word}`
    Error(Word<'t>),
    /// Removal, replacement, substring, case, transformation: the words in it.
    Other(Vec<Word<'t>>),
}
