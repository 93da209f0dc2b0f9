//! A call as the lenses look at it: names, directory, and the input read in place.
//!
//! The input's text is read once, one level deep; what lies deeper is read by the lens that wants
//! it. A string is decoded when a lens asks for it, so that a file of megabytes that is written is
//! stepped over and never copied. Knows how agents spell common fields and nothing of effects.

use std::borrow::Cow;
use std::cell::OnceCell;

use camino::{Utf8Path, Utf8PathBuf};
use hookward_contract::{Call, ToolName};
use serde_json::value::RawValue;

use super::json::{self, Entries};
use super::target;
use crate::collector::Collector;
use crate::effect::OpaqueCause;

/// Where agents put the directory in which a command runs.
const WORKDIR: &[&str] = &[
    "workdir",
    "cwd",
    "directory",
    "dir_path",
    "working_directory",
    "workingDirectory",
    "working_dir",
];

/// Where agents put a command.
const COMMAND: &[&str] = &["command", "cmd", "commands", "command_line", "CommandLine"];

/// What an editor tool may be told in `command`: no shell ever reads it.
const EDITOR_COMMANDS: &[&str] = &[
    "view",
    "create",
    "write",
    "append",
    "insert",
    "str_replace",
    "undo_edit",
];

/// A text field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Field<'a> {
    /// Not there, or `null`.
    Missing,
    /// This text.
    Text(Cow<'a, str>),
    /// There, and no text.
    Other,
}

/// What a shell is asked to run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ShellInput<'a> {
    /// A shell text.
    Text(Cow<'a, str>),
    /// Shell texts that are run one after the other, each by a reader of its own.
    Texts(Vec<Cow<'a, str>>),
    /// A program and its arguments, which no shell reads.
    Argv(Vec<Cow<'a, str>>),
}

/// One call, or one that lies within another.
#[derive(Debug)]
pub(super) struct View<'a> {
    tool: &'a str,
    native: Option<&'a str>,
    cwd: &'a Utf8Path,
    input: &'a RawValue,
    entries: OnceCell<Entries<'a>>,
    depth: u8,
}

impl<'a> View<'a> {
    pub(super) fn of(call: &'a Call) -> Self {
        Self {
            tool: call.tool.as_str(),
            native: call.native_tool.as_ref().map(ToolName::as_str),
            cwd: &call.cwd,
            input: call.input.raw(),
            entries: OnceCell::new(),
            depth: 0,
        }
    }

    /// A call that lies within this one.
    pub(super) fn inner<'b>(&self, tool: &'b str, input: &'b RawValue) -> View<'b>
    where
        'a: 'b,
    {
        View {
            tool,
            native: None,
            cwd: self.cwd,
            input,
            entries: OnceCell::new(),
            depth: self.depth.saturating_add(1),
        }
    }

    /// The canonical name of the tool.
    pub(super) const fn tool(&self) -> &'a str {
        self.tool
    }

    /// The canonical name and, where there is one, the agent's own.
    pub(super) fn names(&self) -> impl Iterator<Item = &'a str> {
        std::iter::once(self.tool).chain(self.native)
    }

    /// The directory of the call, absolute.
    pub(super) const fn cwd(&self) -> &'a Utf8Path {
        self.cwd
    }

    /// The input's JSON text.
    pub(super) fn input(&self) -> &'a str {
        self.input.get()
    }

    /// In how many other calls this one lies.
    pub(super) const fn depth(&self) -> u8 {
        self.depth
    }

    /// The fields of the input, or its items without keys where it is no object.
    pub(super) fn entries(&self) -> &Entries<'a> {
        self.entries.get_or_init(|| Entries::of(self.input))
    }

    /// A field's JSON text.
    pub(super) fn field(&self, key: &str) -> Option<&'a RawValue> {
        self.entries().get(key)
    }

    /// A field that is to be a text.
    pub(super) fn text(&self, key: &str) -> Field<'a> {
        match self.field(key).map(json::text) {
            None => Field::Missing,
            Some(Some(text)) => Field::Text(text),
            Some(None) => Field::Other,
        }
    }

    /// The first of the fields that is there.
    pub(super) fn first_text(&self, keys: &[&str]) -> Field<'a> {
        let mut fields = keys.iter().map(|key| self.text(key));
        let there = fields.find(|field| *field != Field::Missing);
        there.unwrap_or(Field::Missing)
    }

    /// What a shell is asked to run: `{command: "…"}`, `{cmd: "…"}`, `{commands: ["…"]}`,
    /// `{command: ["bash", "-lc", "…"]}`, `{command: "git", args: ["push"]}`. `None` where no field
    /// is a command, or where one has another shape.
    pub(super) fn shell_command(&self) -> Option<ShellInput<'a>> {
        let (key, raw) = COMMAND
            .iter()
            .find_map(|key| Some((*key, self.field(key)?)))?;
        if let Some(list) = json::texts(raw) {
            return match key {
                "commands" => Some(ShellInput::Texts(list)),
                _ => Some(ShellInput::Argv(list)),
            };
        }
        let text = json::text(raw)?;
        let Some(args) = self.field("args").or_else(|| self.field("arguments")) else {
            return Some(ShellInput::Text(text));
        };
        let args = json::texts(args)?;
        if !text.contains(char::is_whitespace) {
            return Some(ShellInput::Argv([vec![text], args].concat()));
        }
        let words = std::iter::once(text).chain(args).collect::<Vec<_>>();
        Some(ShellInput::Text(words.join(" ").into()))
    }

    /// Whether `command` tells an editor what to do with a file, rather than a shell.
    pub(super) fn is_editor_command(&self) -> bool {
        let names_file = ["path", "file_path", "filePath"].map(|key| self.field(key).is_some());
        names_file.contains(&true)
            && matches!(self.text("command"), Field::Text(word) if EDITOR_COMMANDS.contains(&&*word))
    }

    /// The directory in which a command is asked to run, absolute and clean: the call's own where no
    /// field names one, `None` where it cannot be known.
    pub(super) fn workdir(&self, home: Option<&Utf8Path>) -> Option<Utf8PathBuf> {
        match self.first_text(WORKDIR) {
            Field::Missing => Some(self.cwd.to_owned()),
            Field::Text(text) => target::absolute(self.cwd, home, &text),
            Field::Other => None,
        }
    }

    /// Says that the input of a known tool has another shape than is known.
    pub(super) fn unknown_input(&self, collector: &mut Collector<'_>) {
        collector.opaque(OpaqueCause::UnknownInput, self.tool);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::call;

    fn shell(input: &str) -> Option<String> {
        let call = call("Bash", input);
        let found = View::of(&call).shell_command();
        found.map(|found| match found {
            ShellInput::Text(text) => format!("text {text}"),
            ShellInput::Texts(texts) => format!("texts {}", texts.join("|")),
            ShellInput::Argv(words) => format!("argv {}", words.join("|")),
        })
    }

    #[test]
    fn commands_in_every_spelling() {
        for (input, expected) in [
            (r#"{"command":"git push"}"#, Some("text git push")),
            (r#"{"cmd":"a\nb"}"#, Some("text a\nb")),
            (r#"{"commands":["a '","b"]}"#, Some("texts a '|b")),
            (
                r#"{"command":["bash","-lc","x y"]}"#,
                Some("argv bash|-lc|x y"),
            ),
            (
                r#"{"command":"git","args":["push"]}"#,
                Some("argv git|push"),
            ),
            (
                r#"{"command":"git -C x","args":["push"]}"#,
                Some("text git -C x push"),
            ),
            (r#"{"command":"git","args":7}"#, None),
            (r#"{"command":7}"#, None),
            (r#"{"command":[1]}"#, None),
            (r#"{"command":null}"#, None),
            (r#""git push""#, None),
            ("[]", None),
        ] {
            assert_eq!(shell(input).as_deref(), expected, "{input}");
        }
    }

    #[test]
    fn directories_of_commands() {
        for (input, expected) in [
            ("{}", Some("/w/p")),
            (r#"{"workdir":"sub/../x"}"#, Some("/w/p/x")),
            (r#"{"cwd":"~/y"}"#, Some("/home/me/y")),
            (r#"{"dir_path":"/z"}"#, Some("/z")),
            (r#"{"directory":1}"#, None),
        ] {
            let call = call("Bash", input);
            let found = View::of(&call).workdir(Some(Utf8Path::new("/home/me")));
            assert_eq!(found.as_deref(), expected.map(Utf8Path::new), "{input}");
        }
    }

    #[test]
    fn a_large_content_is_not_copied() {
        let input = format!(
            r#"{{"content":"{}","file_path":"/a"}}"#,
            "x".repeat(8_000_000)
        );
        let call = call("Write", &input);
        let view = View::of(&call);
        let content = view.field("content").unwrap().get().as_bytes();
        assert!(
            call.input
                .get()
                .as_bytes()
                .as_ptr_range()
                .contains(&content.as_ptr())
        );
        assert!(matches!(
            view.text("content"),
            Field::Text(Cow::Borrowed(_))
        ));
    }
}
