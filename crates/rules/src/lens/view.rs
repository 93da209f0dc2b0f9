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
    /// Something of another shape.
    Other,
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

    /// What a shell is asked to run, of every field that is a command: `{command: "…"}`,
    /// `{cmd: "…"}`, `{commands: ["…"]}`, `{command: ["bash", "-lc", "…"]}`,
    /// `{command: "git", args: ["push"]}`. Which of two fields is run, a tool decides.
    pub(super) fn shell_commands(&self) -> Vec<ShellInput<'a>> {
        let fields = COMMAND
            .iter()
            .filter_map(|key| Some((*key, self.field(key)?)));
        fields
            .map(|(key, raw)| self.shell_command(key, raw))
            .collect()
    }

    fn shell_command(&self, key: &str, raw: &'a RawValue) -> ShellInput<'a> {
        if let Some(list) = json::texts(raw) {
            return match key {
                "commands" => ShellInput::Texts(list),
                _ => ShellInput::Argv(list),
            };
        }
        let Some(text) = json::text(raw) else {
            return ShellInput::Other;
        };
        let Some(args) = self.field("args").or_else(|| self.field("arguments")) else {
            return ShellInput::Text(text);
        };
        match json::texts(args) {
            None => ShellInput::Other,
            Some(args) if text.contains(char::is_whitespace) => {
                let words = std::iter::once(text).chain(args).collect::<Vec<_>>();
                ShellInput::Text(words.join(" ").into())
            }
            Some(args) => ShellInput::Argv([vec![text], args].concat()),
        }
    }

    /// Whether a field is a command that a shell can be asked to run.
    pub(super) fn has_shell_command(&self) -> bool {
        self.shell_commands()
            .iter()
            .any(|command| *command != ShellInput::Other)
    }

    /// Whether `command` tells an editor what to do with a file, rather than a shell.
    pub(super) fn is_editor_command(&self) -> bool {
        let names_file = ["path", "file_path", "filePath"].map(|key| self.field(key).is_some());
        names_file.contains(&true)
            && matches!(self.text("command"), Field::Text(word) if EDITOR_COMMANDS.contains(&&*word))
    }

    /// The directory in which a command is asked to run, absolute and clean: the call's own where no
    /// field names one, `None` where it cannot be known or two fields differ.
    pub(super) fn workdir(&self, home: Option<&Utf8Path>) -> Option<Utf8PathBuf> {
        let mut found = None;
        for key in WORKDIR {
            let directory = match self.text(key) {
                Field::Missing => continue,
                Field::Text(text) => target::absolute(self.cwd, home, &text)?,
                Field::Other => return None,
            };
            if found
                .replace(directory.clone())
                .is_some_and(|before| before != directory)
            {
                return None;
            }
        }
        Some(found.unwrap_or_else(|| self.cwd.to_owned()))
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

    fn shell(input: &str) -> String {
        let call = call("Bash", input);
        let found = View::of(&call).shell_commands().into_iter();
        let shown = found.map(|found| match found {
            ShellInput::Text(text) => format!("text {text}"),
            ShellInput::Texts(texts) => format!("texts {}", texts.join("|")),
            ShellInput::Argv(words) => format!("argv {}", words.join("|")),
            ShellInput::Other => "other".to_owned(),
        });
        shown.collect::<Vec<_>>().join("; ")
    }

    #[test]
    fn commands_in_every_spelling() {
        for (input, expected) in [
            (r#"{"command":"git push"}"#, "text git push"),
            (r#"{"cmd":"a\nb"}"#, "text a\nb"),
            (r#"{"commands":["a '","b"]}"#, "texts a '|b"),
            (r#"{"command":["bash","-lc","x y"]}"#, "argv bash|-lc|x y"),
            (r#"{"command":"git","args":["push"]}"#, "argv git|push"),
            (
                r#"{"command":"git -C x","args":["push"]}"#,
                "text git -C x push",
            ),
            (r#"{"command":"git","args":7}"#, "other"),
            (r#"{"command":7}"#, "other"),
            (r#"{"command":[1]}"#, "other"),
            (r#"{"command":"a","cmd":"b"}"#, "text a; text b"),
            (r#"{"command":null}"#, ""),
            (r#""git push""#, ""),
            ("[]", ""),
        ] {
            assert_eq!(shell(input), expected, "{input}");
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
            (r#"{"cwd":"a","workdir":"./a"}"#, Some("/w/p/a")),
            (r#"{"cwd":"a","workdir":"b"}"#, None),
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
