use camino::{Utf8Component, Utf8Path, Utf8PathBuf};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{ToolInput, ToolName};

/// How a call came to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Origin {
    /// A model asked for it.
    #[default]
    Provider,
    /// A program that a model wrote asked for it.
    CodeMode,
    /// A subagent's model asked for it.
    Subagent,
    /// It arrived over MCP.
    Mcp,
    /// A client asked for it.
    Client,
    /// It is a recorded or hand-written call that can never run a tool.
    Replay,
}

/// One tool call asked for by a model, as the gate sees it. The gate gets a reference: a policy
/// hook cannot change it.
#[derive(Debug, Clone)]
pub struct Call {
    /// Session in which the call was asked for.
    pub session_id: String,
    /// Turn of the session; equal to the session's id where the agent knows no turns.
    pub turn_id: String,
    /// Run of the turn; equal to the turn's id where the agent knows no runs.
    pub run_id: String,
    /// Identity of the call within its session; empty where the agent gives none.
    pub tool_use_id: String,
    /// Canonical name of the tool.
    pub tool: ToolName,
    /// The agent's own name for the tool, where it differs. Matchers see both.
    pub native_tool: Option<ToolName>,
    /// The tool's input, byte-faithful.
    pub input: ToolInput,
    /// Directory in which the tool would run: absolute and lexically clean.
    pub cwd: Utf8PathBuf,
    /// Permission mode as the agent names it; an open set.
    pub permission_mode: String,
    /// How the call came to be.
    pub origin: Origin,
    /// The subagent that asked, if one did.
    pub agent_id: Option<String>,
    /// The kind of that subagent.
    pub agent_type: Option<String>,
    /// The call within which this one was made.
    pub parent_tool_use_id: Option<String>,
}

/// A call that cannot be judged because one of its parts breaks an invariant.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CallError {
    /// The working directory is not an absolute path.
    #[error("the call's cwd `{0}` is not an absolute path")]
    RelativeCwd(String),
    /// The working directory has `.`, `..`, empty components or NUL in it.
    #[error("the call's cwd `{0}` is not a clean path (it has `.`, `..`, `//` or NUL in it)")]
    UncleanCwd(String),
}

impl Call {
    /// A hand-written call that can never run a tool, for tests of a policy. `cwd` is absolute and
    /// clean; `name` stands for every id.
    pub fn hand_written(name: &str, tool: ToolName, input: ToolInput, cwd: Utf8PathBuf) -> Self {
        Self {
            session_id: name.to_owned(),
            turn_id: name.to_owned(),
            run_id: name.to_owned(),
            tool_use_id: name.to_owned(),
            tool,
            native_tool: None,
            input,
            cwd,
            permission_mode: "default".to_owned(),
            origin: Origin::Replay,
            agent_id: None,
            agent_type: None,
            parent_tool_use_id: None,
        }
    }

    /// Checks a working directory that came from outside.
    ///
    /// The path must be absolute and must not have `.`, `..`, doubled slashes or NUL in it; a
    /// single trailing slash is dropped.
    pub fn clean_cwd(text: &str) -> Result<Utf8PathBuf, CallError> {
        let path = Utf8Path::new(text);
        if !path.is_absolute() {
            return Err(CallError::RelativeCwd(text.to_owned()));
        }
        let trimmed = if text.len() > 1 {
            text.strip_suffix('/').unwrap_or(text)
        } else {
            text
        };
        let unclean = trimmed.contains('\0')
            || trimmed.contains("//")
            || (trimmed.len() > 1 && trimmed.ends_with('/'))
            || path
                .components()
                .any(|part| matches!(part, Utf8Component::ParentDir))
            || trimmed.split('/').any(|part| part == ".");
        if unclean {
            return Err(CallError::UncleanCwd(text.to_owned()));
        }
        Ok(Utf8PathBuf::from(trimmed))
    }

    /// The names by which matchers may know the tool.
    pub fn tool_names(&self) -> impl Iterator<Item = &str> {
        std::iter::once(self.tool.as_str()).chain(self.native_tool.as_ref().map(ToolName::as_str))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Case B62: a working directory is absolute and clean, or the call is refused.
    #[test]
    fn b62_cwd_is_absolute_and_clean() {
        for bad in [
            "-P",
            "-",
            "",
            "../x",
            "/w/./a//b",
            "/w/../x",
            "/w//",
            "/a\0b",
            "/w/.",
        ] {
            assert!(Call::clean_cwd(bad).is_err(), "{bad:?}");
        }
        for (good, clean) in [
            ("/", "/"),
            ("/w/a", "/w/a"),
            ("/w/a/", "/w/a"),
            ("/w/.x", "/w/.x"),
        ] {
            assert_eq!(Call::clean_cwd(good).unwrap(), clean);
        }
    }
}
