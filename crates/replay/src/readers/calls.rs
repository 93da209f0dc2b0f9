//! One call per line: `{"tool", "input", "cwd"?, "session"?, "at"?, "native"?}`, or the payload that a
//! hook reads on its standard input, kept in a log.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::claude_code::canonical_name;
use super::{Found, LineReader, Text, check_shape, or_empty};
use crate::canonical::Canonical;
use crate::skipped::SkipReason;

const MARKS: &[&str] = &["\"tool", "\"hook_event_name\""];

#[derive(Deserialize)]
struct Line<'a> {
    #[serde(borrow, alias = "tool_name")]
    tool: Option<Text<'a>>,
    #[serde(borrow, alias = "tool_input")]
    input: Option<&'a RawValue>,
    #[serde(borrow, alias = "native_tool_name")]
    native: Option<Text<'a>>,
    #[serde(borrow)]
    cwd: Option<Text<'a>>,
    #[serde(borrow, alias = "session_id")]
    session: Option<Text<'a>>,
    #[serde(borrow, alias = "timestamp")]
    at: Option<Text<'a>>,
    #[serde(borrow)]
    agent_id: Option<Text<'a>>,
    #[serde(borrow)]
    hook_event_name: Option<Text<'a>>,
}

/// Events after a call, whose payloads name the same call again.
const AFTER: &[&str] = &["PostToolUse", "PostToolUseFailure", "AfterTool"];

/// Every line is a call of its own: what a person listed twice is counted twice.
pub(super) struct Reader;

impl LineReader for Reader {
    fn line(&mut self, line: &str, take: &mut dyn FnMut(Found<'_>)) -> Result<(), SkipReason> {
        check_shape(line, MARKS)?;
        let line: Line<'_> = serde_json::from_str(line).map_err(|_| SkipReason::NotJson)?;
        let event = or_empty(line.hook_event_name.as_ref());
        let (tool, input) = match (&line.tool, line.input) {
            (Some(Text(tool)), Some(input)) if !AFTER.contains(&event) => (tool, input),
            // An event without a call, or after it.
            _ if !event.is_empty() => return Ok(()),
            _ => return Err(SkipReason::BadCall),
        };
        let (tool, other) = canonical_name(tool);
        let session = or_empty(line.session.as_ref());
        take(Found {
            call: Canonical {
                tool: tool.into(),
                native: line
                    .native
                    .as_ref()
                    .map(|Text(name)| name.as_ref())
                    .or(other),
                input: input.get().into(),
                folder: None,
            },
            id: "",
            message: "",
            session,
            lineage: session,
            cwd: line.cwd.as_ref().map(|Text(cwd)| cwd.as_ref()),
            at: line.at.as_ref().map(|Text(at)| at.as_ref()),
            agent_id: line.agent_id.as_ref().map(|Text(id)| id.as_ref()),
            outcome: None,
        });
        Ok(())
    }
}
