//! Rows of the tables of programs, and what follows from a row alone.

use std::collections::HashMap;
use std::sync::LazyLock;

use camino::Utf8Path;

use super::arguments::{Arguments, Item, Mark, Means, Opt, Style};
use super::{Field, Invocation, Stdin, Surroundings, hosts};
use super::{archives, copies, downloads, editors, files, fronts, git, interpreters, network};
use super::{runners, search};
use crate::effect::{Access, OpaqueCause};

/// What is known about one program, or several that read their arguments alike.
#[derive(Clone, Copy)]
pub(super) struct Row {
    /// Their names, separated by blanks.
    pub(super) names: &'static str,
    style: Style,
    options: &'static [Opt],
    does: Does,
}

/// What a program does with its operands. Options of the table with a meaning of their own are
/// followed in every case.
#[derive(Clone, Copy)]
pub(super) enum Does {
    /// Nothing.
    Nothing,
    /// The same to every operand; with a [`Mark::Recursive`] to the trees below.
    Each(Access),
    /// The same to the trees below every operand, or below the directory in force.
    Trees(Access),
    /// Reads every operand or the directory in force.
    List,
    /// The same to every operand after the first, which is a pattern, an owner and the like, unless
    /// an option gave that.
    AfterFirst(Access),
    /// Reads the first and writes the second.
    ReadThenWrite,
    /// Speaks to a host that the arguments do not tell.
    Network,
    /// What the function says.
    By(fn(&Arguments, &mut Run<'_>)),
}

#[cfg(test)]
impl Row {
    /// Whether only options of the program can mean something.
    pub(super) fn does_nothing(&self) -> bool {
        matches!(self.does, Does::Nothing)
    }
}

/// A row of a table.
pub(super) const fn row(
    names: &'static str,
    style: Style,
    options: &'static [Opt],
    does: Does,
) -> Row {
    Row {
        names,
        style,
        options,
        does,
    }
}

/// All tables.
pub(super) const TABLES: [&[Row]; 11] = [
    files::TABLE,
    copies::TABLE,
    archives::TABLE,
    search::TABLE,
    editors::TABLE,
    git::TABLE,
    downloads::TABLE,
    network::TABLE,
    fronts::TABLE,
    runners::TABLE,
    interpreters::TABLE,
];

/// Rows by the names of their programs.
static ROWS: LazyLock<HashMap<&str, &Row>> = LazyLock::new(|| {
    let rows = TABLES.iter().copied().flatten();
    rows.flat_map(|row| row.names.split(' ').map(move |name| (name, row)))
        .collect()
});

/// The row of a program. Interpreters are known with their version, too: `python3.12`.
pub(super) fn find(program: &str) -> Option<&'static Row> {
    if let Some(row) = ROWS.get(program) {
        return Some(row);
    }
    let bare = program.trim_end_matches(|c: char| c.is_ascii_digit() || "._-".contains(c));
    let mut interpreters = interpreters::TABLE.iter();
    interpreters.find(|row| row.names.split(' ').any(|name| name == bare))
}

/// Follows a row for one call.
pub(super) fn follow(row: &Row, invocation: &Invocation<'_>, around: &mut dyn Surroundings) {
    let read = Arguments::read(row.style, row.options, invocation.args);
    let mut run = Run {
        program: invocation.program,
        args: invocation.args,
        raw: invocation.raw,
        around,
    };
    run.options(&read);
    let tree = read.has(Mark::Recursive);
    let here = Field::known(".");
    match row.does {
        Does::Nothing => {}
        Does::Each(access) => run.each(access, read.operands(), tree),
        Does::List | Does::Trees(_) if read.operands().next().is_none() => {
            let tree = tree || matches!(row.does, Does::Trees(_));
            run.touch(row.does.access(), &here, tree);
        }
        Does::List => run.each(Access::Read, read.operands(), tree),
        Does::Trees(access) => run.each(access, read.operands(), true),
        Does::AfterFirst(access) => {
            let given = read.has(Mark::Script) || read.has(Mark::ScriptFile);
            run.each(access, read.operands().skip(usize::from(!given)), tree);
        }
        Does::ReadThenWrite => {
            for (access, field) in [Access::Read, Access::Write].iter().zip(read.operands()) {
                run.touch(*access, field, false);
            }
        }
        Does::Network => run.around.network(None, None, invocation.program),
        Does::By(follow) => follow(&read, &mut run),
    }
}

impl Does {
    const fn access(self) -> Access {
        match self {
            Self::Each(access) | Self::Trees(access) | Self::AfterFirst(access) => access,
            _ => Access::Read,
        }
    }
}

/// One call of a program, and where its effects go.
pub(super) struct Run<'r> {
    pub(super) program: &'r str,
    pub(super) args: &'r [Field],
    pub(super) raw: &'r str,
    pub(super) around: &'r mut dyn Surroundings,
}

impl Run<'_> {
    /// What options say on their own.
    pub(super) fn options(&mut self, read: &Arguments) {
        for item in &read.items {
            let Item::Option(means, Some(value)) = item else {
                continue;
            };
            match means {
                Means::File(access) | Means::PairFile(access) => self.touch(*access, value, false),
                Means::Is(Mark::ScriptFile) => self.touch(Access::Read, value, false),
                Means::Text => self.text(value),
                Means::Code => self.code(),
                _ => {}
            }
        }
    }

    /// A file that is touched. `-` is no file, nor is a pipe of the shell.
    pub(super) fn touch(&mut self, access: Access, field: &Field, tree: bool) {
        let nothing = field.known && matches!(field.text.as_str(), "" | "-");
        if !field.pipe && !nothing {
            self.around.path(access, field, self.program, tree);
        }
    }

    /// The same to several files.
    pub(super) fn each<'f>(
        &mut self,
        access: Access,
        fields: impl IntoIterator<Item = &'f Field>,
        tree: bool,
    ) {
        for field in fields {
            self.touch(access, field, tree);
        }
    }

    /// A file that cannot be known.
    pub(super) fn unknown_path(&mut self, access: Access) {
        let path = Field::unknown(self.raw);
        self.around.path(access, &path, self.program, false);
    }

    /// Arguments that cannot be known decide.
    pub(super) fn unknown_arguments(&mut self) {
        self.around.opaque(OpaqueCause::UnknownArguments, self.raw);
    }

    /// Code in the program's own language.
    pub(super) fn code(&mut self) {
        let interpreter = self.program.to_owned();
        self.around
            .opaque(OpaqueCause::Code { interpreter }, self.raw);
    }

    /// A text that a shell runs.
    pub(super) fn text(&mut self, text: &Field) {
        self.around.run_text(text);
    }

    /// A command that is run in turn.
    pub(super) fn command(&mut self, argv: &[Field]) {
        if !argv.is_empty() {
            self.around.run(argv, self.raw);
        }
    }

    /// Texts that a shell runs, each on its own.
    pub(super) fn each_text<'f>(&mut self, texts: impl IntoIterator<Item = &'f Field>) {
        for text in texts {
            self.text(text);
        }
    }

    /// A shell that reads its text from the standard input, where there is one.
    pub(super) fn shell_at_stdin(&mut self) {
        match self.around.stdin().clone() {
            Stdin::Inherited => {}
            Stdin::Text(text) => self.text(&Field::known(text)),
            Stdin::File(file) => self.around.run_file(&file),
            Stdin::Unknown => self.text(&Field::unknown(self.raw)),
        }
    }

    /// Words that are joined by blanks and given to a shell.
    pub(super) fn joined(&mut self, words: &[Field]) {
        if words.is_empty() {
            return;
        }
        let texts: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
        let joined = texts.join(" ");
        if words.iter().all(|word| word.known) {
            self.text(&Field::known(joined));
        } else {
            self.text(&Field::unknown(joined));
        }
    }

    /// An address that is spoken to. A `file:` address is read. Of one that is not known as a whole,
    /// the host counts if it stands before what is not.
    pub(super) fn address(&mut self, field: &Field) {
        let text = field.text.as_str();
        let fixed = if field.known {
            text
        } else {
            text.split(['$', '`']).next().unwrap_or_default()
        };
        if let Some(path) = fixed.strip_prefix("file://") {
            let path = if field.known {
                Field::known(path)
            } else {
                Field::unknown(text)
            };
            self.touch(Access::Read, &path, false);
            return;
        }
        let has_path = |(_, rest): (&str, &str)| rest.contains('/');
        let complete = field.known || fixed.split_once("://").is_some_and(has_path);
        let host = hosts::host_of(fixed).filter(|_| complete);
        if host.is_none() {
            self.around.opaque(OpaqueCause::UnknownHost, text);
        }
        self.around.network(host, Some(text), self.program);
    }

    /// The network, without a host that the arguments tell.
    pub(super) fn network(&mut self) {
        self.around.network(None, None, self.program);
    }
}

/// The last name of a path, `..` and the root have none.
pub(super) fn base_name(field: &Field) -> Option<&str> {
    Utf8Path::new(&field.text).file_name()
}

/// A name in a folder. Known if both are; what stands for several names becomes a pattern.
pub(super) fn within(folder: &Field, name: &Field) -> Field {
    let Some(base) = base_name(name).filter(|_| folder.known && name.known) else {
        return Field::unknown(format!("{}/{}", folder.text, name.text));
    };
    let join = |folder: &str, base: &str| format!("{}/{base}", folder.trim_end_matches('/'));
    let root = if folder.text == "/" { "" } else { &folder.text };
    let pattern = (folder.pattern.is_some() || name.pattern.is_some()).then(|| {
        let folder = folder.pattern.as_deref().unwrap_or(&folder.text);
        let written = name.pattern.as_deref().unwrap_or(base);
        let base = written.rsplit('/').next().unwrap_or(written);
        join(folder, base)
    });
    Field {
        text: join(root, base),
        known: true,
        pattern,
        pipe: false,
    }
}
