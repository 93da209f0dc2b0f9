//! Sessions of Gemini CLI: one document `{sessionId, projectHash, messages}`, or, in newer versions,
//! lines: a head of the session, messages, and changes (`{"$set": …}`). A message that gets its tool
//! calls is written again. The project is named by a file beside the sessions, in older versions
//! by a hash alone.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::{Found, LineReader, Text, check_shape, has, or_empty};
use crate::canonical;
use crate::recorded::CallOutcome;
use crate::skipped::SkipReason;

/// A head, a message, or a change.
const MARKS: &[&str] = &["\"projectHash\"", "\"id\"", "\"$set\"", "\"$rewindTo\""];

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Document<'a> {
    #[serde(borrow)]
    session_id: Option<Text<'a>>,
    #[serde(borrow, default)]
    messages: Vec<Message<'a>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Line<'a> {
    #[serde(borrow)]
    session_id: Option<Text<'a>>,
    #[serde(borrow, rename = "$set")]
    set: Option<Document<'a>>,
    #[serde(borrow)]
    timestamp: Option<Text<'a>>,
    #[serde(borrow, default)]
    tool_calls: Vec<ToolCall<'a>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Message<'a> {
    #[serde(borrow)]
    timestamp: Option<Text<'a>>,
    #[serde(borrow, default)]
    tool_calls: Vec<ToolCall<'a>>,
}

#[derive(Deserialize)]
struct ToolCall<'a> {
    #[serde(borrow)]
    id: Option<Text<'a>>,
    #[serde(borrow)]
    name: Option<Text<'a>>,
    #[serde(borrow)]
    args: Option<&'a RawValue>,
    #[serde(borrow)]
    status: Option<Text<'a>>,
    #[serde(borrow)]
    timestamp: Option<Text<'a>>,
}

/// Reads the newer form.
pub(super) struct Reader {
    session: String,
    project: Option<String>,
}

impl Reader {
    pub(super) fn new(project: Option<String>) -> Self {
        Self {
            session: String::new(),
            project,
        }
    }
}

impl LineReader for Reader {
    fn line(&mut self, line: &str, take: &mut dyn FnMut(Found<'_>)) -> Result<(), SkipReason> {
        check_shape(line, MARKS)?;
        // Messages do not name their session, as the lines of other writers do.
        if has(line, "\"sessionId\"") && !(has(line, MARKS[0]) || has(line, MARKS[2])) {
            return Err(SkipReason::OtherFormat);
        }
        if !(has(line, "\"toolCalls\"") || self.session.is_empty()) {
            return Ok(());
        }
        let line: Line<'_> = serde_json::from_str(line).map_err(|_| SkipReason::NotJson)?;
        if let Some(Text(session)) = line.session_id.filter(|_| self.session.is_empty()) {
            self.session = session.into_owned();
        }
        let set = line.set.map(|set| set.messages).unwrap_or_default();
        let message = Message {
            timestamp: line.timestamp,
            tool_calls: line.tool_calls,
        };
        for message in set.iter().chain([&message]) {
            calls(message, &self.session, self.project.as_deref(), take)?;
        }
        Ok(())
    }
}

/// Reads the older form, a whole file.
pub(crate) fn document(
    text: &str,
    project: Option<&str>,
    take: &mut dyn FnMut(Found<'_>),
) -> Result<(), SkipReason> {
    let document: Document<'_> = serde_json::from_str(text).map_err(|_| SkipReason::NotJson)?;
    let session = or_empty(document.session_id.as_ref());
    let mut result = Ok(());
    for message in &document.messages {
        result = result.and(calls(message, session, project, take));
    }
    result
}

fn calls(
    message: &Message<'_>,
    session: &str,
    project: Option<&str>,
    take: &mut dyn FnMut(Found<'_>),
) -> Result<(), SkipReason> {
    for call in &message.tool_calls {
        let (Some(Text(name)), Some(args)) = (&call.name, call.args) else {
            return Err(SkipReason::BadCall);
        };
        let at = call.timestamp.as_ref().or(message.timestamp.as_ref());
        take(Found {
            call: canonical::gemini(name, args.get()),
            id: or_empty(call.id.as_ref()),
            message: session,
            session,
            lineage: session,
            cwd: project,
            at: at.map(|Text(at)| at.as_ref()),
            agent_id: None,
            outcome: match or_empty(call.status.as_ref()) {
                "success" => Some(CallOutcome::Succeeded),
                "error" => Some(CallOutcome::Failed),
                "cancelled" => Some(CallOutcome::Cancelled),
                _ => None,
            },
        });
    }
    Ok(())
}
