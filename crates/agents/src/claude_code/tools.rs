//! Tools that Claude Code knows by two names.

use hookward_contract::{InvalidId, ToolName};

/// `(canonical name, other name)`. The agent's own matchers treat the two as one tool, so policies
/// written for either have to hold for both, whichever name the payload carries.
///
/// Every other name is canonical as it is: the tool names of `hooks.json` are those of this agent,
/// and `mcp__<server>__<tool>` is never folded or split.
pub(super) const ALIASES: &[(&str, &str)] = &[("Agent", "Task")];

/// The canonical name of a tool and, where it has one, its other name.
///
/// # Errors
///
/// A name that breaks the rules of [`ToolName`].
pub fn names(reported: &str) -> Result<(ToolName, Option<ToolName>), InvalidId> {
    match ALIASES
        .iter()
        .find(|(canonical, other)| [*canonical, *other].contains(&reported))
    {
        Some((canonical, other)) => Ok((
            ToolName::try_from(*canonical)?,
            Some(ToolName::try_from(*other)?),
        )),
        None => Ok((ToolName::try_from(reported)?, None)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_names_of_an_alias_mean_one_tool() {
        for reported in ["Agent", "Task"] {
            let (tool, native) = names(reported).unwrap();
            assert_eq!(tool.as_str(), "Agent");
            assert_eq!(native.unwrap().as_str(), "Task");
        }
    }

    /// Case B107: one canonical name, never folded.
    #[test]
    fn b107_other_names_stay_as_they_are() {
        for reported in [
            "Bash",
            "mcp__my-hub__create.item",
            "mcp__my_hub__x",
            "task",
            "Tasks",
        ] {
            let (tool, native) = names(reported).unwrap();
            assert_eq!(tool.as_str(), reported);
            assert_eq!(native, None);
        }
    }
}
