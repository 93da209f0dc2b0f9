//! The library: policies that many people want, as rules to be read, changed and trusted like those
//! of their own.

use hookward_contract::SourceKind;
use hookward_policy::{Hook, Project, check_file};
use serde_json::json;

use crate::error::CliError;
use crate::output::{Output, Tone};

/// A policy: its name, and its text in the form of hooks.json.
type Policy = (&'static str, &'static str);

macro_rules! policies {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("../../assets/policies/", $name, ".json")))),*]
    };
}

/// All policies.
const POLICIES: &[Policy] = policies![
    "inside-project-only",
    "lockfile-protection",
    "main-branch-protection",
    "network-allow-list",
    "no-destructive-shell",
    "no-force-push",
    "no-secrets-in-arguments",
    "protected-paths",
    "read-only-databases",
    "work-hours",
];

/// The texts of the policies of these names.
pub(super) fn texts(names: &[String]) -> Result<Vec<&'static str>, CliError> {
    let text = |name: &String| {
        let mut policies = POLICIES.iter();
        let found = policies.find(|(known, _)| known == name);
        found.map(|(_, text)| *text).ok_or_else(|| {
            let known: Vec<&str> = POLICIES.iter().map(|(name, _)| *name).collect();
            CliError::new(
                format!("the library has no policy `{name}`"),
                format!("it has {}", known.join(", ")),
            )
        })
    };
    names.iter().map(text).collect()
}

/// Shows what there is.
pub(super) fn list(project: &Project, output: &Output) -> Result<(), CliError> {
    let mut documents = Vec::new();
    for (name, text) in POLICIES {
        let hooks = check_file(text.as_bytes(), SourceKind::User, project).hooks;
        output.line(output.paint(Tone::Strong, name));
        for hook in &hooks {
            let description = hook.description.as_deref().unwrap_or_default();
            output.line(format!("  {}: {description}", hook.id));
        }
        documents.push(json!({"name": name, "hooks": hooks.iter().map(entry).collect::<Vec<_>>()}));
    }
    output.document(&json!({"policies": documents}))?;
    output.say("\nTake some: hookward init --with work-hours,no-force-push");
    Ok(())
}

fn entry(hook: &Hook) -> serde_json::Value {
    json!({
        "id": hook.id, "description": hook.description, "matcher": hook.matcher.as_str(),
        "tests": hook.tests().len(),
    })
}
