//! Sessions of Claude Code: one event per line; a model's calls are `tool_use` blocks of its
//! messages. Subagents have lines in the same file (1.x) or files of their own.
//!
//! A resumed session goes on in its file; a forked one begins with a copy of what came before, under
//! its own session id, with the ids of messages and calls kept.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::{Found, LineReader, Text, check_shape, has, or_empty};
use crate::canonical::Canonical;
use crate::skipped::SkipReason;

/// Every kind of line has one of these: events a session, summaries a leaf, file snapshots a message.
const MARKS: &[&str] = &["\"sessionId\"", "\"leafUuid\"", "\"messageId\""];

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Line<'a> {
    #[serde(rename = "type", borrow)]
    kind: Option<Text<'a>>,
    #[serde(borrow)]
    session_id: Option<Text<'a>>,
    #[serde(borrow)]
    agent_id: Option<Text<'a>>,
    #[serde(borrow)]
    cwd: Option<Text<'a>>,
    #[serde(borrow)]
    timestamp: Option<Text<'a>>,
    #[serde(borrow)]
    uuid: Option<Text<'a>>,
    #[serde(borrow)]
    message: Option<Message<'a>>,
}

#[derive(Deserialize)]
struct Message<'a> {
    #[serde(borrow)]
    id: Option<Text<'a>>,
    #[serde(borrow)]
    content: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Block<'a> {
    #[serde(rename = "type", borrow)]
    kind: Option<Text<'a>>,
    #[serde(borrow)]
    id: Option<Text<'a>>,
    #[serde(borrow)]
    name: Option<Text<'a>>,
    #[serde(borrow)]
    input: Option<&'a RawValue>,
}

/// Keeps no state: every line says all of itself.
pub(super) struct Reader;

impl LineReader for Reader {
    fn line(&mut self, line: &str, take: &mut dyn FnMut(Found<'_>)) -> Result<(), SkipReason> {
        check_shape(line, MARKS)?;
        if !has(line, "\"tool_use\"") {
            return Ok(());
        }
        let line: Line<'_> = serde_json::from_str(line).map_err(|_| SkipReason::NotJson)?;
        let Some(message) = line
            .message
            .filter(|_| or_empty(line.kind.as_ref()) == "assistant")
        else {
            return Ok(());
        };
        let content = message.content.map(RawValue::get).unwrap_or_default();
        if !content.starts_with('[') {
            return Ok(());
        }
        let blocks: Vec<Block<'_>> =
            serde_json::from_str(content).map_err(|_| SkipReason::NotJson)?;
        let session = or_empty(line.session_id.as_ref());
        for block in &blocks {
            if or_empty(block.kind.as_ref()) != "tool_use" {
                continue;
            }
            let (Some(Text(name)), Some(input)) = (&block.name, block.input) else {
                return Err(SkipReason::BadCall);
            };
            let (tool, native) = canonical_name(name);
            take(Found {
                call: Canonical {
                    tool: tool.into(),
                    native,
                    input: input.get().into(),
                    folder: None,
                },
                id: or_empty(block.id.as_ref()),
                message: or_empty(message.id.as_ref().or(line.uuid.as_ref())),
                session,
                lineage: session,
                cwd: line.cwd.as_ref().map(|Text(cwd)| cwd.as_ref()),
                at: line.timestamp.as_ref().map(|Text(at)| at.as_ref()),
                agent_id: line.agent_id.as_ref().map(|Text(id)| id.as_ref()),
                outcome: None,
            });
        }
        Ok(())
    }
}

/// Canonical and other name, as the agent's dialect has them.
pub(super) fn canonical_name(reported: &str) -> (String, Option<&str>) {
    let canonical = hookward_agents::claude_code::tool_names(reported);
    let tool = canonical.map_or_else(|_| reported.to_owned(), |(tool, _)| tool.to_string());
    let native = (tool != reported).then_some(reported);
    (tool, native)
}
