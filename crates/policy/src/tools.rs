//! Names of tools: the canonical ones, and those that only another agent uses.
//!
//! The tables serve warnings alone. An unknown name is a valid name: agents gain tools over time.

use crate::suggest;

/// Canonical tool names: those of the built-in tools and the published ones of Claude Code, whose
/// names the other dialects are translated to.
pub const KNOWN_TOOLS: &[&str] = &[
    "Agent",
    "Artifact",
    "AskUserQuestion",
    "Bash",
    "BashOutput",
    "ClaudeDesign",
    "CronCreate",
    "CronDelete",
    "CronList",
    "Edit",
    "EndConversation",
    "EnterPlanMode",
    "EnterWorktree",
    "ExitPlanMode",
    "ExitWorktree",
    "Glob",
    "Grep",
    "KillShell",
    "LSP",
    "ListAgents",
    "ListMcpResourcesTool",
    "Monitor",
    "MultiEdit",
    "NotebookEdit",
    "OfferChromeSetup",
    "PowerShell",
    "Projects",
    "PushNotification",
    "Read",
    "ReadMcpResourceDirTool",
    "ReadMcpResourceTool",
    "ReadNotifications",
    "RemoteTrigger",
    "ReportFindings",
    "ScheduleWakeup",
    "SendFeedback",
    "SendMessage",
    "SendUserFile",
    "SendUserMessage",
    "SetGoal",
    "ShareOnboardingGuide",
    "ShowOnboardingRolePicker",
    "Skill",
    "StopBackgroundTask",
    "SubagentHandback",
    "Task",
    "TaskCreate",
    "TaskGet",
    "TaskList",
    "TaskOutput",
    "TaskStop",
    "TaskUpdate",
    "TodoWrite",
    "ToolSearch",
    "WaitForMcpServers",
    "WebFetch",
    "WebSearch",
    "Workflow",
    "Write",
    "WriteStdin",
    "apply_patch",
    "computer",
    "exec",
    "propose_skills",
];

/// Names that other agents use, with the canonical name that the same call has.
const FOREIGN_TOOLS: &[(&str, &str)] = &[
    ("ApplyPatch", "apply_patch"),
    ("Create", "Write"),
    ("Execute", "Bash"),
    ("FetchUrl", "WebFetch"),
    ("Shell", "Bash"),
    ("StrReplace", "Edit"),
    ("create_file", "Write"),
    ("developer__edit", "Edit"),
    ("developer__shell", "Bash"),
    ("developer__write", "Write"),
    ("edit_file", "Edit"),
    ("execute_bash", "Bash"),
    ("execute_command", "Bash"),
    ("fetch_web_content", "WebFetch"),
    ("fetch_webpage", "WebFetch"),
    ("file_search", "Glob"),
    ("fs_read", "Read"),
    ("fs_write", "Write"),
    ("google_web_search", "WebSearch"),
    ("grep_search", "Grep"),
    ("insert_edit_into_file", "Edit"),
    ("invoke_agent", "Agent"),
    ("multi_replace_string_in_file", "Edit"),
    ("read_file", "Read"),
    ("read_files", "Read"),
    ("read_many_files", "Read"),
    ("read_web_page", "WebFetch"),
    ("replace", "Edit"),
    ("replace_in_file", "Edit"),
    ("replace_string_in_file", "Edit"),
    ("runSubagent", "Agent"),
    ("runTerminalCommand", "Bash"),
    ("run_commands", "Bash"),
    ("run_in_terminal", "Bash"),
    ("run_shell_command", "Bash"),
    ("search_file_content", "Grep"),
    ("shell_command", "Bash"),
    ("str_replace_editor", "Edit"),
    ("terminal", "Bash"),
    ("web_fetch", "WebFetch"),
    ("web_search", "WebSearch"),
    ("webfetch", "WebFetch"),
    ("websearch", "WebSearch"),
    ("write_file", "Write"),
    ("write_to_file", "Write"),
];

/// What is known about one name of a matcher.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Familiarity {
    /// A canonical name, a complete MCP name, or a prefix of some.
    Known,
    /// Another agent's name for a tool; the canonical name of the same call.
    Foreign(&'static str),
    /// An MCP name that lacks a part; what to write instead.
    IncompleteMcp(String),
    /// Matches nothing that is known; the name it most likely stands for.
    Unknown(Option<&'static str>),
}

/// Judges an exact name.
pub(crate) fn exact(name: &str) -> Familiarity {
    if KNOWN_TOOLS.contains(&name) {
        return Familiarity::Known;
    }
    if let Some(rest) = name.strip_prefix("mcp__") {
        return match rest.split_once("__") {
            Some((server, tool)) if !server.is_empty() && !tool.is_empty() => Familiarity::Known,
            _ => {
                let server = rest.trim_end_matches('_');
                let written = if server.is_empty() {
                    "mcp__*".to_owned()
                } else {
                    format!("mcp__{server}__*")
                };
                Familiarity::IncompleteMcp(written)
            }
        };
    }
    if let Some((_, canonical)) = FOREIGN_TOOLS.iter().find(|(foreign, _)| *foreign == name) {
        return Familiarity::Foreign(canonical);
    }
    if let Some(rest) = mistyped_mcp(name) {
        return Familiarity::IncompleteMcp(format!("mcp__{rest}"));
    }
    Familiarity::Unknown(suggest::closest(name, KNOWN_TOOLS))
}

/// Judges a prefix, given without its `*`.
pub(crate) fn prefix(name: &str) -> Familiarity {
    if KNOWN_TOOLS.iter().any(|tool| tool.starts_with(name))
        || "mcp__".starts_with(name)
        || name.starts_with("mcp__")
    {
        return Familiarity::Known;
    }
    if let Some((_, canonical)) = FOREIGN_TOOLS
        .iter()
        .find(|(tool, _)| tool.starts_with(name))
    {
        return Familiarity::Foreign(canonical);
    }
    match mistyped_mcp(name) {
        Some(rest) => Familiarity::IncompleteMcp(format!("mcp__{rest}*")),
        None => Familiarity::Unknown(suggest::closest(name, KNOWN_TOOLS)),
    }
}

/// What follows a misspelt `mcp__`: another case, or one underscore instead of two.
fn mistyped_mcp(name: &str) -> Option<&str> {
    let (head, rest) = name.split_at_checked(4)?;
    head.eq_ignore_ascii_case("mcp_")
        .then(|| rest.trim_start_matches('_'))
        .filter(|rest| !rest.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_what_is_known_of_them() {
        let cases = [
            ("Bash", Familiarity::Known),
            ("mcp__github__create_issue", Familiarity::Known),
            ("run_shell_command", Familiarity::Foreign("Bash")),
            ("bash", Familiarity::Unknown(Some("Bash"))),
            ("Wirte", Familiarity::Unknown(Some("Write"))),
            ("zzz", Familiarity::Unknown(None)),
            (
                "mcp__github",
                Familiarity::IncompleteMcp("mcp__github__*".into()),
            ),
            (
                "mcp__github__",
                Familiarity::IncompleteMcp("mcp__github__*".into()),
            ),
            ("mcp__", Familiarity::IncompleteMcp("mcp__*".into())),
            (
                "mcp_github__x",
                Familiarity::IncompleteMcp("mcp__github__x".into()),
            ),
        ];
        for (name, expected) in cases {
            assert_eq!(exact(name), expected, "{name}");
        }
        for (name, expected) in [
            ("", Familiarity::Known),
            ("Web", Familiarity::Known),
            ("m", Familiarity::Known),
            ("mcp__x", Familiarity::Known),
            ("run_", Familiarity::Foreign("Bash")),
            ("bas", Familiarity::Unknown(Some("Bash"))),
        ] {
            assert_eq!(prefix(name), expected, "{name}*");
        }
    }
}
