//! From words to arguments: the shell's expansions, as far as the text alone decides them.

use hookward_shell::{Operation, Parameter, Part, Substitution, Word};

use super::builtins::is_name;
use super::command::runs_when_evaluated;
use super::state::{State, Value};
use super::walker::Walker;
use crate::effect::OpaqueCause;
use crate::programs::{Field, Stdin};

/// Most arguments that one word may become.
const MAX_FIELDS: usize = 1_024;
/// Longest argument that is put together, in bytes; beyond it, it is unknown.
const MAX_TEXT_BYTES: usize = 1024 * 1024;

/// An argument that is being put together.
#[allow(
    clippy::struct_excessive_bools,
    reason = "they are independent of each other"
)]
#[derive(Default)]
struct Builder {
    fields: Vec<Field>,
    text: String,
    /// The text with quoted pattern characters escaped, from the first one on that is not quoted.
    pattern: Option<String>,
    has_pattern: bool,
    /// Whether an unquoted `[` stands in the text.
    open: bool,
    unknown: bool,
    pipe: bool,
    /// Whether there is an argument even if its text is empty.
    present: bool,
}

impl Builder {
    fn quoted(&mut self, text: &str) {
        self.present = true;
        if self.is_full(text) {
            return;
        }
        self.text.push_str(text);
        if let Some(pattern) = &mut self.pattern {
            escape_into(pattern, text);
        }
    }

    fn unquoted(&mut self, text: &str) {
        self.present |= !text.is_empty();
        if self.is_full(text) {
            return;
        }
        if self.pattern.is_none() && text.contains(['*', '?', '[', ']', '(']) {
            let mut pattern = String::with_capacity(self.text.len() + text.len());
            escape_into(&mut pattern, &self.text);
            self.pattern = Some(pattern);
        }
        self.text.push_str(text);
        if let Some(pattern) = &mut self.pattern {
            pattern.push_str(text);
            self.open |= text.contains('[');
            let set = self.open && text.contains(']');
            let extended = ["@(", "+(", "!("].iter().any(|open| text.contains(open));
            self.has_pattern |= text.contains(['*', '?']) || set || extended;
        }
        // Bash takes these for home directories even in what only looks like an assignment.
        self.unknown |= text.contains('~') && (text.contains("=~") || text.contains(":~"));
    }

    /// Whether the text would be too long to be followed.
    fn is_full(&mut self, more: &str) -> bool {
        self.unknown |= self.text.len() + more.len() > MAX_TEXT_BYTES;
        self.unknown && self.text.len() + more.len() > MAX_TEXT_BYTES
    }

    fn unknown(&mut self, shown: &str) {
        self.present = true;
        self.unknown = true;
        if !self.is_full(shown) {
            self.text.push_str(shown);
        }
    }

    /// Unquoted text from a variable: split at blanks.
    fn split(&mut self, text: &str) {
        let blank = |c: char| matches!(c, ' ' | '\t' | '\n');
        if text.starts_with(blank) {
            self.end();
        }
        let mut words = text.split(blank).filter(|word| !word.is_empty()).peekable();
        while let Some(word) = words.next() {
            self.unquoted(word);
            if words.peek().is_some() {
                self.end();
            }
        }
        if text.ends_with(blank) {
            self.end();
        }
    }

    fn end(&mut self) {
        if self.present && self.fields.len() < MAX_FIELDS {
            let pattern = self.pattern.take().filter(|_| self.has_pattern);
            self.fields.push(Field {
                text: std::mem::take(&mut self.text),
                known: !self.unknown,
                pattern,
                pipe: self.pipe,
            });
        }
        let fields = std::mem::take(&mut self.fields);
        *self = Self {
            fields,
            ..Self::default()
        };
    }
}

/// Adds text that means itself.
fn escape_into(pattern: &mut String, text: &str) {
    for c in text.chars() {
        if matches!(c, '*' | '?' | '[' | ']' | '\\') {
            pattern.push('\\');
        }
        pattern.push(c);
    }
}

/// The text of a word in which nothing is expanded, the most common kind.
fn plain<'w>(word: &'w Word<'_>) -> Option<&'w str> {
    match word.parts.as_slice() {
        [Part::Quoted(text)] if text.len() <= MAX_TEXT_BYTES => Some(text),
        [Part::Literal(text)] if !text.is_empty() && text.len() <= MAX_TEXT_BYTES => {
            let special =
                |byte: u8| matches!(byte, b'~' | b'{' | b'}' | b'*' | b'?' | b'[' | b']' | b'(');
            (!text.bytes().any(special)).then_some(text)
        }
        _ => None,
    }
}

impl Walker<'_, '_> {
    /// The arguments that a word becomes; none, one or many.
    pub(super) fn fields(&mut self, text: &str, word: &Word<'_>, state: &mut State) -> Vec<Field> {
        let mut fields = Vec::new();
        self.fields_into(text, word, state, &mut fields);
        fields
    }

    /// The same, added to others.
    pub(super) fn fields_into(
        &mut self,
        text: &str,
        word: &Word<'_>,
        state: &mut State,
        fields: &mut Vec<Field>,
    ) {
        match plain(word).filter(|_| !state.foreign) {
            Some(plain) => fields.push(Field::known(plain)),
            None => fields.append(&mut self.expanded(text, word, state)),
        }
    }

    fn expanded(&mut self, text: &str, word: &Word<'_>, state: &mut State) -> Vec<Field> {
        let written = || source(text, word).to_owned();
        let open = |part: &Part<'_>| matches!(part, Part::Literal(text) if text.contains('{'));
        if !state.foreign && !word.parts.iter().any(open) {
            let mut builder = Builder::default();
            self.parts(text, &word.parts, state, &mut builder, true);
            builder.end();
            if builder.fields.len() >= MAX_FIELDS {
                return vec![Field::unknown(written())];
            }
            return builder.fields;
        }
        let Some(words) = word.braces() else {
            // Too many alternatives; what can be run in them is run all the same.
            self.single(text, word, state);
            return vec![Field::unknown(written())];
        };
        let mut fields = Vec::new();
        let braces = words.as_slice() != std::slice::from_ref(word);
        for word in &words {
            let mut builder = Builder::default();
            self.parts(text, &word.parts, state, &mut builder, true);
            builder.end();
            fields.append(&mut builder.fields);
        }
        if fields.len() >= MAX_FIELDS || state.foreign && (braces || is_foreign(source(text, word)))
        {
            return vec![Field::unknown(written())];
        }
        fields
    }

    /// The one text that a word becomes where the shell does not split: an assigned value, the
    /// target of a redirection, a here-document.
    pub(super) fn single(&mut self, text: &str, word: &Word<'_>, state: &mut State) -> Field {
        if let Some(plain) = plain(word).filter(|_| !state.foreign) {
            return Field::known(plain);
        }
        let mut builder = Builder::default();
        self.parts(text, &word.parts, state, &mut builder, false);
        builder.present = true;
        builder.end();
        let mut fields = builder.fields;
        match (fields.pop(), fields.is_empty()) {
            (Some(field), true) if !(state.foreign && is_foreign(source(text, word))) => field,
            _ => Field::unknown(source(text, word)),
        }
    }

    fn parts(
        &mut self,
        text: &str,
        parts: &[Part<'_>],
        state: &mut State,
        builder: &mut Builder,
        split: bool,
    ) {
        for (index, part) in parts.iter().enumerate() {
            match part {
                Part::Literal(literal) if index == 0 => {
                    self.first_literal(literal, parts.len() == 1, state, builder);
                }
                Part::Literal(literal) => builder.unquoted(literal),
                Part::Quoted(quoted) => builder.quoted(quoted),
                Part::Undecodable => builder.unknown("$'…'"),
                Part::Parameter(parameter) => {
                    self.parameter(text, parameter, state, builder, split);
                }
                Part::Command { body, quoted } => {
                    let value = self.substituted(text, body, state);
                    match value {
                        Some(value) if !quoted && split && state.variable("IFS").is_none() => {
                            builder.split(&value);
                        }
                        Some(_) if !quoted && split => builder.unknown("$(…)"),
                        Some(value) => builder.quoted(&value),
                        None => builder.unknown("$(…)"),
                    }
                }
                Part::Arithmetic { expression, .. } => {
                    self.arithmetic(text, expression, state);
                    builder.unknown("$((…))");
                }
                Part::Process { reads, body } => {
                    let mut own = state.clone();
                    if *reads {
                        own.stdin = Stdin::Unknown;
                    }
                    self.substitution(text, body, &own);
                    builder.unquoted("/dev/fd/63");
                    builder.pipe = true;
                }
                Part::Pattern(inner) => {
                    self.single(text, inner, state);
                    builder.unknown("(…)");
                }
                Part::Array(elements) => {
                    for element in elements {
                        self.fields(text, element, state);
                    }
                    builder.unknown("(…)");
                }
            }
        }
    }

    /// The first part of a word, where `~` means a home directory.
    fn first_literal(&self, literal: &str, alone: bool, state: &State, builder: &mut Builder) {
        let Some(rest) = literal.strip_prefix('~') else {
            builder.unquoted(literal);
            return;
        };
        let (user, path) = match rest.find('/') {
            Some(slash) => rest.split_at(slash),
            None if alone => (rest, ""),
            // What follows belongs to the name, and is quoted: no home is meant.
            None => return builder.unquoted(literal),
        };
        let home = match user {
            "" => self.home(state),
            "+" if state.variable("PWD").is_none() => {
                state.directories.only().map(ToString::to_string)
            }
            _ => None,
        };
        match home {
            Some(home) => builder.quoted(&home),
            None => builder.unknown(&literal[..literal.len() - path.len()]),
        }
        builder.unquoted(path);
    }

    pub(super) fn home(&self, state: &State) -> Option<String> {
        match state.variable("HOME") {
            Some(Value::Known(home)) => Some(home.to_string()),
            Some(Value::Unknown) => None,
            None => self.observation().home.map(ToString::to_string),
        }
    }

    fn parameter(
        &mut self,
        text: &str,
        parameter: &Parameter<'_>,
        state: &mut State,
        builder: &mut Builder,
        split: bool,
    ) {
        if let Some(subscript) = &parameter.subscript {
            self.arithmetic(text, subscript, state);
        }
        let known = self.value(parameter, state);
        let value = match &parameter.operation {
            Operation::None => known,
            Operation::Length | Operation::Indirect => None,
            Operation::Default(word) => {
                self.single(text, word, state);
                // Whether an empty value counts as none is not told apart.
                known.filter(|value| !value.is_empty())
            }
            Operation::Assign(word) => {
                self.single(text, word, state);
                state.set(parameter.name, Value::Unknown);
                None
            }
            Operation::Alternative(word) | Operation::Error(word) => {
                self.single(text, word, state);
                None
            }
            Operation::Other(words) => {
                for word in words {
                    if prompts(source(text, word)) {
                        self.opaque(OpaqueCause::UnknownText, source(text, word));
                    }
                    // Offsets are arithmetic.
                    self.arithmetic(text, word, state);
                }
                None
            }
        };
        match value {
            Some(value) if parameter.quoted || !split => builder.quoted(&value),
            Some(value) if state.variable("IFS").is_none() => builder.split(&value),
            _ if parameter.name == "@" || parameter.name == "*" => {
                all_positional(parameter, state, builder);
            }
            _ => builder.unknown(&format!("${}", parameter.name)),
        }
    }

    /// What a parameter holds, where the text decides it.
    fn value(&self, parameter: &Parameter<'_>, state: &State) -> Option<String> {
        if parameter.subscript.is_some() {
            return None;
        }
        match state.variable(parameter.name) {
            Some(Value::Known(value)) => return Some(value.to_string()),
            Some(Value::Unknown) => return None,
            None => {}
        }
        match parameter.name {
            "HOME" => self.home(state),
            "PWD" => state.directories.only().map(ToString::to_string),
            "OLDPWD" => state.previous.as_ref()?.only().map(ToString::to_string),
            "IFS" => Some(" \t\n".to_owned()),
            name => {
                let number: usize = name.parse().ok()?;
                let all = state.positional.as_ref()?;
                // A parameter beyond the last is empty; `$0` is the shell.
                let index = number.checked_sub(1)?;
                Some(all.get(index).cloned().unwrap_or_default())
            }
        }
    }

    /// Walks a substitution and, for the few whose output the text decides, returns that.
    fn substituted(
        &mut self,
        text: &str,
        body: &Substitution<'_>,
        state: &State,
    ) -> Option<String> {
        let lists = match body {
            Substitution::Backquoted(inner) => {
                self.nested_text(inner, &mut state.clone());
                return None;
            }
            Substitution::Lists(lists) => lists,
        };
        self.substitution(text, lists, state);
        let [list] = lists.as_slice() else {
            return None;
        };
        let whole = &list.first.commands;
        let [command] = whole.as_slice() else {
            return None;
        };
        if !list.rest.is_empty() || !command.redirects.is_empty() {
            return None;
        }
        let span = command.span.start as usize..command.span.end as usize;
        match text.get(span)?.trim() {
            "pwd" if state.function("pwd").is_none() => {
                state.directories.only().map(ToString::to_string)
            }
            // A new file of its own in the folder for temporary files.
            "mktemp" | "mktemp -d"
                if state.function("mktemp").is_none() && state.variable("TMPDIR").is_none() =>
            {
                Some("/tmp/tmp.XXXXXXXXXX".to_owned())
            }
            _ => None,
        }
    }

    /// Expands an arithmetic expression. Every name in it may be assigned to, and a variable's text
    /// is evaluated in turn, subscripts with substitutions included.
    pub(super) fn arithmetic(&mut self, text: &str, expression: &Word<'_>, state: &mut State) {
        self.single(text, expression, state);
        let written = source(text, expression).to_owned();
        if is_quoted_evaluable(expression) {
            self.opaque(OpaqueCause::UnknownText, &written);
        }
        self.evaluated(&written, state);
    }

    /// Evaluates the text of an arithmetic expression.
    pub(super) fn evaluated(&mut self, written: &str, state: &mut State) {
        let assigns = written.contains('=') || written.contains("++") || written.contains("--");
        let names = written.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
        for name in
            names.filter(|name| name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_'))
        {
            let value = state.variable(name).cloned();
            if value == Some(Value::Unknown) && self.evaluable {
                self.opaque(OpaqueCause::UnknownText, name);
            }
            if let Some(Value::Known(value)) = value {
                if runs_when_evaluated(&value) {
                    self.opaque(OpaqueCause::UnknownText, &value);
                }
                // A text is an expression in turn, which may assign.
                if value.contains('=')
                    || value.contains("++")
                    || value.contains("--")
                    || is_name(&value)
                {
                    state.taint();
                }
            }
            if assigns {
                state.set(name, Value::Unknown);
            }
        }
    }
}

/// Whether a quoted text runs something when it is evaluated: `[[ 'a[$(git push)]' -gt 0 ]]`.
fn is_quoted_evaluable(expression: &Word<'_>) -> bool {
    let mut parts = expression.parts.iter();
    parts.any(|part| {
        matches!(part, Part::Quoted(text)
            if runs_when_evaluated(text) && text.split('[').next().is_some_and(is_name))
    })
}

/// `$@` and `$*`, where the parameters are known.
fn all_positional(parameter: &Parameter<'_>, state: &State, builder: &mut Builder) {
    let plain = parameter.subscript.is_none() && parameter.operation == Operation::None;
    match &state.positional {
        Some(all) if plain && parameter.name == "@" => {
            for (index, value) in all.iter().enumerate() {
                if index > 0 {
                    builder.end();
                }
                if parameter.quoted {
                    builder.quoted(value);
                } else {
                    builder.split(value);
                }
            }
        }
        _ => builder.unknown(&format!("${}", parameter.name)),
    }
}

/// Whether other shells read a word in another way.
fn is_foreign(written: &str) -> bool {
    ["$'", "$\"", "$["]
        .iter()
        .any(|start| written.contains(start))
}

/// Whether an operation on a parameter is `@P`, which expands its value as a prompt, substitutions
/// included.
fn prompts(operation: &str) -> bool {
    operation.contains("@P")
}

/// A word as written.
pub(super) fn source<'t>(text: &'t str, word: &Word<'_>) -> &'t str {
    let span = word.span.start as usize..word.span.end as usize;
    text.get(span).unwrap_or_default()
}
