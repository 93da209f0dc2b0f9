//! Which lens a known tool belongs to: the canonical names, and the names that other agents have
//! for the same tools. A table; it knows nothing of inputs.

use super::mcp;
use super::verb::Verb;

/// A family of tools that are read alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Family {
    /// Runs shell texts.
    Shell,
    /// Does this to the files that it names.
    Files(Verb),
    /// Does to a file what its `command` says.
    Editor,
    /// Reads the files that patterns name.
    ReadMany,
    /// Lists directories.
    List,
    /// Tells names of files.
    Glob,
    /// Tells content of files.
    Grep,
    /// Applies a patch.
    Patch,
    /// Fetches an address.
    Fetch,
    /// Asks a search engine.
    Search,
    /// Starts or speaks to an agent.
    Agent,
    /// Runs a program that starts agents.
    Workflow,
    /// Runs a program that calls tools.
    Exec,
    /// Runs a program in the language of this name.
    Interpreter(&'static str),
    /// Types into a running process.
    ProcessInput,
    /// Types and clicks on a screen.
    Computer,
    /// Makes several calls.
    Batch,
    /// Speaks this method to an MCP server.
    Resource(&'static str),
    /// Does nothing that is an effect.
    Nothing,
}

/// Names of tools of each family.
const FAMILIES: &[(Family, &[&str])] = &[
    (
        Family::Shell,
        &[
            "Bash",
            "Execute",
            "ExecStart",
            "Monitor",
            "Shell",
            "bash",
            "container.exec",
            "developer__shell",
            "execute_bash",
            "execute_command",
            "exec_command",
            "local_shell",
            "local_shell_call",
            "runTerminalCommand",
            "run_command",
            "run_commands",
            "run_in_terminal",
            "run_shell_command",
            "run_terminal_cmd",
            "run_terminal_command",
            "shell",
            "shell_command",
            "terminal",
            "unified_exec",
        ],
    ),
    (
        Family::Files(Verb::Read),
        &[
            "LSP",
            "NotebookRead",
            "Read",
            "ReadFile",
            "SendUserFile",
            "cat_file",
            "fs_read",
            "open_file",
            "read",
            "readFile",
            "read_file",
            "read_files",
            "view",
            "view_file",
            "view_image",
        ],
    ),
    (
        Family::Files(Verb::Write),
        &[
            "ApplyEdit",
            "Create",
            "Edit",
            "MultiEdit",
            "NotebookEdit",
            "StrReplace",
            "Write",
            "WriteFile",
            "create",
            "create_directory",
            "create_file",
            "create_new_file",
            "developer__edit",
            "developer__write",
            "edit",
            "edit_file",
            "edit_notebook_file",
            "editFile",
            "insert_edit_into_file",
            "multi_replace_string_in_file",
            "multiedit",
            "replace",
            "replace_in_file",
            "replace_string_in_file",
            "save_file",
            "search_replace",
            "write",
            "writeFile",
            "write_file",
            "write_to_file",
        ],
    ),
    (
        Family::Files(Verb::Delete),
        &[
            "Delete",
            "DeleteFile",
            "delete_file",
            "delete_path",
            "remove_file",
        ],
    ),
    (
        Family::Files(Verb::Move),
        &["MoveFile", "move_file", "move_path", "rename_file"],
    ),
    (Family::Files(Verb::Copy), &["copy_file", "copy_path"]),
    (
        Family::Editor,
        &[
            "developer__text_editor",
            "fs_write",
            "str_replace_based_edit_tool",
            "str_replace_editor",
            "text_editor",
        ],
    ),
    (Family::ReadMany, &["read_many_files"]),
    (
        Family::List,
        &[
            "LS",
            "list",
            "list_dir",
            "list_directory",
            "list_files",
            "ls",
        ],
    ),
    (
        Family::Glob,
        &[
            "Glob",
            "file_search",
            "find_path",
            "glob",
            "glob_file_search",
        ],
    ),
    (
        Family::Grep,
        &[
            "Grep",
            "grep",
            "grep_search",
            "ripgrep",
            "search_file_content",
            "search_files",
        ],
    ),
    (
        Family::Patch,
        &["ApplyPatch", "apply_patch", "applypatch", "patch"],
    ),
    (
        Family::Fetch,
        &[
            "FetchUrl",
            "WebFetch",
            "fetch",
            "fetch_web_content",
            "fetch_webpage",
            "read_web_page",
            "web_fetch",
            "webfetch",
        ],
    ),
    (
        Family::Search,
        &["WebSearch", "google_web_search", "web_search", "websearch"],
    ),
    (
        Family::Agent,
        &[
            "Agent",
            "CronCreate",
            "RemoteTrigger",
            "ScheduleWakeup",
            "SendMessage",
            "SpawnAgent",
            "SubagentHandback",
            "Task",
            "TeamCreate",
            "TeamDelete",
            "delegate_to_agent",
            "invoke_agent",
            "new_task",
            "resume_agent",
            "runSubagent",
            "send_input",
            "send_message",
            "spawn_agent",
            "task",
        ],
    ),
    (Family::Workflow, &["Workflow"]),
    (Family::Exec, &["exec"]),
    (
        Family::Interpreter("powershell"),
        &["PowerShell", "powershell", "pwsh"],
    ),
    (
        Family::Interpreter("python"),
        &[
            "code_interpreter",
            "execute_python",
            "ipython",
            "python",
            "run_python",
        ],
    ),
    (
        Family::Interpreter("javascript"),
        &["js_repl", "run_javascript"],
    ),
    (
        Family::Interpreter("code"),
        &["executeCode", "execute_code", "runCode", "run_code"],
    ),
    (
        Family::ProcessInput,
        &[
            "ExecInput",
            "WriteStdin",
            "interact_with_process",
            "send_keys",
            "send_stdin",
            "send_to_terminal",
            "write_stdin",
        ],
    ),
    (Family::Computer, &["computer", "computer_use"]),
    (
        Family::Batch,
        &["Batch", "batch", "multi_tool_use.parallel", "parallel"],
    ),
    (
        Family::Resource(mcp::READ),
        &[
            "ReadMcpResourceDirTool",
            "ReadMcpResourceTool",
            "read_mcp_resource",
        ],
    ),
    (
        Family::Resource(mcp::LIST),
        &[
            "ListMcpResourcesTool",
            "list_mcp_resource_templates",
            "list_mcp_resources",
        ],
    ),
    (
        Family::Nothing,
        &[
            "AskUserQuestion",
            "BashOutput",
            "CronDelete",
            "CronList",
            "EndConversation",
            "EnterPlanMode",
            "ExitPlanMode",
            "KillBash",
            "KillShell",
            "ListAgents",
            "PushNotification",
            "ReadNotifications",
            "ReportFindings",
            "SendFeedback",
            "SendUserMessage",
            "SetGoal",
            "Skill",
            "StopBackgroundTask",
            "TaskCreate",
            "TaskGet",
            "TaskList",
            "TaskOutput",
            "TaskStop",
            "TaskUpdate",
            "TodoRead",
            "TodoWrite",
            "ToolSearch",
            "WaitForMcpServers",
            "ask_user",
            "close_agent",
            "question",
            "request_user_input",
            "skill",
            "think",
            "todoread",
            "todowrite",
            "update_plan",
            "wait_agent",
            "write_todos",
        ],
    ),
];

impl Family {
    /// The family of a tool by its exact name; `None` for a tool that nobody here knows.
    pub(super) fn of(name: &str) -> Option<Self> {
        let mut families = FAMILIES.iter();
        let (family, _) = families.find(|(_, names)| names.contains(&name))?;
        Some(*family)
    }

    /// Whether the strings of an input do not tell what its tool does, so that the name of a
    /// server's tool has to.
    pub(super) const fn is_beyond_names(self) -> bool {
        matches!(
            self,
            Self::Interpreter(_) | Self::ProcessInput | Self::Computer
        )
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn every_name_has_one_family() {
        let mut seen = HashSet::new();
        for name in FAMILIES.iter().flat_map(|(_, names)| names.iter()) {
            assert!(seen.insert(*name), "{name}");
        }
    }
}
