//! Where the settings of agents are. Reads none of them.

use camino::{Utf8Path, Utf8PathBuf};
use hookward_policy::Project;

use crate::args::Scope;
use crate::context;
use crate::error::CliError;

/// The settings file of Claude Code that `install` edits.
pub(crate) fn editable(project: &Project, scope: Scope) -> Result<Utf8PathBuf, CliError> {
    Ok(match scope {
        Scope::Project => project.root.join(".claude/settings.json"),
        Scope::User => match context::variable("CLAUDE_CONFIG_DIR") {
            Some(folder) => context::absolute(Utf8Path::new(&folder))?.join("settings.json"),
            None => context::home()?.join(".claude/settings.json"),
        },
    })
}

/// The settings files that Claude Code reads, by their scope.
pub(crate) fn claude_code(project: &Project) -> Vec<(&'static str, Utf8PathBuf)> {
    let file = |scope| editable(project, scope).ok();
    let local = project.root.join(".claude/settings.local.json");
    let managed = Utf8PathBuf::from("/etc/claude-code/managed-settings.json");
    [
        ("user", file(Scope::User)),
        ("project", file(Scope::Project)),
        ("local", Some(local)),
        ("managed", Some(managed)),
    ]
    .into_iter()
    .filter_map(|(scope, path)| Some((scope, path?)))
    .collect()
}
