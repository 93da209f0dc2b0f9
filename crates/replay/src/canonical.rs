//! Native names and inputs of Codex and Gemini CLI, in the canonical terms that policies are written
//! in. What is not in a table keeps its name and input.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::json;
use serde_json::value::RawValue;

use crate::readers::Text;

/// A call in canonical terms.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Canonical<'a> {
    pub(crate) tool: Cow<'a, str>,
    /// The agent's own name, where it is another one.
    pub(crate) native: Option<&'a str>,
    /// JSON text.
    pub(crate) input: Cow<'a, str>,
    /// The directory that the call names for itself, absolute or relative to the session's.
    pub(crate) folder: Option<String>,
}

impl<'a> Canonical<'a> {
    fn same(name: &'a str, input: &'a str) -> Self {
        Self {
            tool: name.into(),
            native: None,
            input: input.into(),
            folder: None,
        }
    }

    fn command(tool: &'static str, native: &'a str, command: &str) -> Self {
        Self {
            tool: tool.into(),
            native: (native != tool).then_some(native),
            input: json!({ "command": command }).to_string().into(),
            folder: None,
        }
    }
}

/// Tools with which Codex runs a command: a program with arguments, or a text for a shell.
const CODEX_SHELLS: &[&str] = &[
    "shell",
    "container.exec",
    "local_shell",
    "shell_command",
    "exec_command",
];

/// First words of the patch tool where it is called as if it were a program.
const PATCH_WORDS: &[&str] = &["apply_patch", "applypatch"];

#[derive(Deserialize)]
struct ShellInput<'a> {
    #[serde(borrow, alias = "cmd")]
    command: Command<'a>,
    #[serde(borrow, default, alias = "working_directory")]
    workdir: Option<Text<'a>>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Command<'a> {
    Words(Vec<String>),
    #[serde(borrow)]
    Text(Text<'a>),
}

#[derive(Deserialize)]
struct PatchInput<'a> {
    #[serde(borrow, alias = "patch")]
    input: Text<'a>,
}

/// A function call of Codex. `namespace` is that of an MCP server.
pub(crate) fn codex<'a>(
    name: &'a str,
    namespace: Option<&str>,
    arguments: &'a str,
) -> Canonical<'a> {
    if let Some(namespace) = namespace.filter(|namespace| namespace.starts_with("mcp__")) {
        let server = namespace.trim_end_matches('_');
        return Canonical {
            tool: format!("{server}__{name}").into(),
            ..Canonical::same(name, arguments)
        };
    }
    if CODEX_SHELLS.contains(&name)
        && let Ok(input) = serde_json::from_str::<ShellInput<'_>>(arguments)
    {
        return Canonical {
            folder: input.workdir.map(|Text(folder)| folder.into_owned()),
            ..shell(name, &input.command)
        };
    }
    if name == "apply_patch"
        && let Ok(PatchInput { input: Text(patch) }) = serde_json::from_str(arguments)
    {
        return Canonical::command("apply_patch", name, &patch);
    }
    Canonical::same(name, arguments)
}

/// A call of Codex whose input is a text.
pub(crate) fn codex_text<'a>(name: &'a str, text: &str) -> Canonical<'a> {
    if name == "apply_patch" {
        return Canonical::command("apply_patch", name, text);
    }
    Canonical {
        input: json!({ "input": text }).to_string().into(),
        ..Canonical::same(name, "")
    }
}

fn shell<'a>(name: &'a str, command: &Command<'_>) -> Canonical<'a> {
    let words = match command {
        Command::Text(Text(text)) => return Canonical::command("Bash", name, text),
        Command::Words(words) => words,
    };
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words[..] {
        [shell, "-c" | "-lc" | "-ic", text] if is_shell(shell) => {
            Canonical::command("Bash", name, text)
        }
        [patch, text] if PATCH_WORDS.contains(&patch) => {
            Canonical::command("apply_patch", name, text)
        }
        // A word with NUL cannot be quoted; joined as it is, it stays what no program can be.
        _ => Canonical::command(
            "Bash",
            name,
            &shlex::try_join(words.iter().copied()).unwrap_or_else(|_| words.join(" ")),
        ),
    }
}

fn is_shell(program: &str) -> bool {
    let name = program.rsplit('/').next().unwrap_or(program);
    ["bash", "sh", "zsh", "dash"].contains(&name)
}

/// `(native, canonical)` names of Gemini CLI's tools.
const GEMINI_TOOLS: &[(&str, &str)] = &[
    ("glob", "Glob"),
    ("google_web_search", "WebSearch"),
    ("grep_search", "Grep"),
    ("list_directory", "LS"),
    ("read_file", "Read"),
    ("replace", "Edit"),
    ("run_shell_command", "Bash"),
    ("search_file_content", "Grep"),
    ("web_fetch", "WebFetch"),
    ("write_file", "Write"),
];

#[derive(Deserialize)]
struct GeminiInput<'a> {
    #[serde(borrow, default, alias = "directory")]
    dir_path: Option<Text<'a>>,
    #[serde(borrow, default)]
    absolute_path: Option<Text<'a>>,
    #[serde(borrow, default)]
    offset: Option<&'a RawValue>,
    #[serde(borrow, default)]
    limit: Option<&'a RawValue>,
}

/// A call of Gemini CLI.
pub(crate) fn gemini<'a>(name: &'a str, arguments: &'a str) -> Canonical<'a> {
    let same = Canonical::same(name, arguments);
    let Some((_, canonical)) = GEMINI_TOOLS.iter().find(|(native, _)| *native == name) else {
        return same;
    };
    let renamed = Canonical {
        tool: (*canonical).into(),
        native: Some(name),
        ..same
    };
    let Ok(input) = serde_json::from_str::<GeminiInput<'_>>(arguments) else {
        return renamed;
    };
    match (*canonical, input.absolute_path) {
        // Older versions say `absolute_path`.
        ("Read", Some(Text(path))) => {
            let mut read = json!({ "file_path": path });
            for (key, value) in [("offset", input.offset), ("limit", input.limit)] {
                if let Some(value) = value.and_then(|raw| serde_json::from_str(raw.get()).ok()) {
                    read[key] = value;
                }
            }
            Canonical {
                input: read.to_string().into(),
                ..renamed
            }
        }
        ("Bash", _) => Canonical {
            folder: input.dir_path.map(|Text(folder)| folder.into_owned()),
            ..renamed
        },
        _ => renamed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn brief(canonical: &Canonical<'_>) -> (String, Option<String>, String) {
        (
            canonical.tool.to_string(),
            canonical.native.map(str::to_owned),
            canonical.input.to_string(),
        )
    }

    #[test]
    fn commands_of_codex_are_bash_whatever_the_version_calls_them() {
        let pushes = [
            (
                "shell",
                r#"{"command":["bash","-lc","git push"],"workdir":"/w"}"#,
            ),
            ("shell", r#"{"command":["/bin/sh","-c","git push"]}"#),
            ("shell", r#"{"command":["git","push"]}"#),
            ("local_shell", r#"{"command":["git","push"]}"#),
            ("shell_command", r#"{"command":"git push"}"#),
            ("exec_command", r#"{"cmd":"git push","yield_time_ms":1000}"#),
        ];
        for (name, arguments) in pushes {
            let (tool, native, input) = brief(&codex(name, None, arguments));
            assert_eq!(tool, "Bash", "{name} {arguments}");
            assert_eq!(native.as_deref(), Some(name));
            assert_eq!(input, r#"{"command":"git push"}"#);
        }
        let folder = codex("exec_command", None, r#"{"cmd":"ls","workdir":"sub"}"#).folder;
        assert_eq!(folder.as_deref(), Some("sub"));
    }

    #[test]
    fn words_of_a_program_stay_words() {
        let call = codex("shell", None, r#"{"command":["echo","a; rm -rf /"]}"#);
        assert_eq!(call.input, r#"{"command":"echo 'a; rm -rf /'"}"#);
    }

    #[test]
    fn patches_of_codex_are_one_tool() {
        for (name, arguments) in [
            ("shell", r#"{"command":["apply_patch","*** Begin"]}"#),
            ("apply_patch", r#"{"input":"*** Begin"}"#),
        ] {
            let call = codex(name, None, arguments);
            assert_eq!(call.tool, "apply_patch");
            assert_eq!(call.input, r#"{"command":"*** Begin"}"#);
        }
        let text = codex_text("apply_patch", "*** Begin");
        assert_eq!(brief(&text).2, r#"{"command":"*** Begin"}"#);
        assert_eq!(codex_text("lark", "x").input, r#"{"input":"x"}"#);
    }

    #[test]
    fn tools_of_mcp_servers_and_unknown_inputs_keep_what_they_are() {
        let remote = codex("create", Some("mcp__issues__"), "{}");
        assert_eq!(remote.tool, "mcp__issues__create");
        let odd = codex("shell", None, r#"{"command":7}"#);
        assert_eq!(
            brief(&odd),
            ("shell".into(), None, r#"{"command":7}"#.into())
        );
    }

    #[test]
    fn tools_of_gemini_have_canonical_names_and_paths() {
        let read = gemini("read_file", r#"{"absolute_path":"/w/a","limit":9}"#);
        assert_eq!(read.tool, "Read");
        assert_eq!(read.input, r#"{"file_path":"/w/a","limit":9}"#);
        let run = gemini("run_shell_command", r#"{"command":"ls","directory":"sub"}"#);
        assert_eq!(
            (run.tool.as_ref(), run.folder.as_deref()),
            ("Bash", Some("sub"))
        );
        assert_eq!(gemini("save_memory", "{}").native, None);
    }
}
