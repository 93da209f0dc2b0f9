//! The cases that a hook brings along: calls, and the verdict that it is meant to give for each.
//!
//! They describe; nothing here judges.

use camino::Utf8PathBuf;
use hookward_contract::{ToolInput, ToolName};
use jiff::Timestamp;
use serde::Serialize;

use crate::diagnostic::Location;

/// A call and the verdict that a hook is meant to give for it.
#[derive(Debug, Clone)]
pub struct HookTest {
    /// Canonical name of the tool.
    pub tool: ToolName,
    /// The agent's own name for it.
    pub native_tool: Option<ToolName>,
    /// The tool's input, as the file has it.
    pub input: ToolInput,
    /// Where the tool would run: absolute, or below the project's root, which it is where none is
    /// named.
    pub cwd: Option<Utf8PathBuf>,
    /// The clock.
    pub now: Option<Timestamp>,
    /// The environment that a rule sees; names are unique.
    pub env: Vec<(String, String)>,
    /// Permission mode of the call.
    pub mode: Option<String>,
    /// The verdict.
    pub expect: Expected,
    /// Where the case stands in its file.
    pub location: Location,
}

/// A verdict without its reasons.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Expected {
    /// The hook does not object.
    Allow,
    /// The hook wants a person to be asked.
    Ask,
    /// The hook objects.
    Deny,
}

impl Expected {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Allow, Self::Ask, Self::Deny];

    /// The name used in `hooks.json`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Deny => "deny",
        }
    }
}

impl HookTest {
    /// Whether two cases say the same, wherever they stand.
    pub(crate) fn same(&self, other: &Self) -> bool {
        let Self {
            tool,
            native_tool,
            input,
            cwd,
            now,
            env,
            mode,
            expect,
            location: _,
        } = self;
        (tool, native_tool, cwd, now) == (&other.tool, &other.native_tool, &other.cwd, &other.now)
            && (env, mode, expect) == (&other.env, &other.mode, &other.expect)
            && input.get() == other.input.get()
    }
}

impl PartialEq for HookTest {
    fn eq(&self, other: &Self) -> bool {
        self.same(other) && self.location == other.location
    }
}

impl Eq for HookTest {}
