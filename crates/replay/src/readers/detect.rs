//! Which writer a file is of, by what its first lines hold.

use std::io::Read;

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::{Format, Text, or_empty};
use crate::lines::{Line, Lines};

/// Lines that are looked at before a file counts as no history.
const MAX_LINES: u64 = 64;
/// Bytes that are looked at before a file counts as no history (32 MiB).
const MAX_BYTES: u64 = 32 * 1024 * 1024;

/// What a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Detected {
    /// Lines of a format.
    Lines(Format),
    /// One document of Gemini CLI, as far as its beginning tells.
    Document,
    /// There is nothing in it.
    Empty,
    /// Nothing that is known.
    Unknown,
}

/// The keys of a line that tell the formats apart.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Probe<'a> {
    #[serde(rename = "type", borrow)]
    kind: Option<Text<'a>>,
    payload: Option<IgnoredAny>,
    timestamp: Option<IgnoredAny>,
    session_id: Option<IgnoredAny>,
    leaf_uuid: Option<IgnoredAny>,
    message_id: Option<IgnoredAny>,
    project_hash: Option<IgnoredAny>,
    messages: Option<IgnoredAny>,
    #[serde(rename = "call_id")]
    call_id: Option<IgnoredAny>,
    role: Option<IgnoredAny>,
    instructions: Option<IgnoredAny>,
    git: Option<IgnoredAny>,
    #[serde(rename = "record_type")]
    record_type: Option<IgnoredAny>,
    record: Option<IgnoredAny>,
    prev: Option<IgnoredAny>,
    time: Option<IgnoredAny>,
    tool: Option<IgnoredAny>,
    #[serde(rename = "tool_name")]
    tool_name: Option<IgnoredAny>,
    #[serde(rename = "hook_event_name")]
    hook_event_name: Option<IgnoredAny>,
}

impl Probe<'_> {
    fn detected(&self) -> Option<Detected> {
        let kind = or_empty(self.kind.as_ref());
        if self.project_hash.is_some() && self.session_id.is_some() {
            let document = self.messages.is_some();
            return Some(if document {
                Detected::Document
            } else {
                Detected::Lines(Format::GeminiCli)
            });
        }
        let audit = self.prev.is_some() && self.record.is_some()
            || self.time.is_some() && !kind.is_empty() && self.session_id.is_none();
        let codex = self.payload.is_some() && !kind.is_empty()
            || self.call_id.is_some()
            || self.record_type.is_some()
            || self.role.is_some() && kind == "message"
            || self.timestamp.is_some() && kind.is_empty() && self.instructions_or_git();
        let claude_code = !kind.is_empty()
            && [&self.session_id, &self.leaf_uuid, &self.message_id]
                .iter()
                .any(|key| key.is_some());
        let calls = [&self.tool, &self.tool_name, &self.hook_event_name]
            .iter()
            .any(|key| key.is_some());
        let known = [
            (audit, Format::Audit),
            (claude_code, Format::ClaudeCode),
            (codex, Format::Codex),
            (calls, Format::Calls),
        ];
        let found = known.into_iter().find(|(is, _)| *is);
        found.map(|(_, format)| Detected::Lines(format))
    }

    fn instructions_or_git(&self) -> bool {
        self.instructions.is_some() || self.git.is_some()
    }
}

/// Looks at the beginning of a file.
pub(crate) fn detect(file: impl Read) -> std::io::Result<Detected> {
    let mut lines = Lines::new(file.take(MAX_BYTES));
    let mut first = None;
    while lines.number() < MAX_LINES {
        let Some(line) = lines.next()? else { break };
        let Line::Whole(bytes) = line else { continue };
        if bytes.trim_ascii().is_empty() {
            continue;
        }
        first.get_or_insert_with(|| bytes.trim_ascii() == b"{");
        if let Ok(probe) = serde_json::from_slice::<Probe<'_>>(bytes)
            && let Some(detected) = probe.detected()
        {
            return Ok(detected);
        }
    }
    Ok(match first {
        None if lines.number() == 0 => Detected::Empty,
        // A document over several lines begins with its brace alone.
        Some(true) => Detected::Document,
        _ => Detected::Unknown,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_first_line_is_told() {
        let lines = Detected::Lines;
        for (text, expected) in [
            ("", Detected::Empty),
            ("\n\n", Detected::Unknown),
            ("hello\nworld\n", Detected::Unknown),
            ("[1, 2]", Detected::Unknown),
            ("{\"a\": 1}", Detected::Unknown),
            (
                r#"{"type":"summary","summary":"x","leafUuid":"u"}"#,
                lines(Format::ClaudeCode),
            ),
            (
                r#"{"type":"user","sessionId":"s","message":{}}"#,
                lines(Format::ClaudeCode),
            ),
            (
                r#"{"timestamp":"t","type":"session_meta","payload":{"id":"i"}}"#,
                lines(Format::Codex),
            ),
            (
                r#"{"id":"i","timestamp":"t","instructions":"x"}"#,
                lines(Format::Codex),
            ),
            (
                r#"{"sessionId":"s","projectHash":"h","kind":"main"}"#,
                lines(Format::GeminiCli),
            ),
            (
                r#"{"sessionId":"s","projectHash":"h","messages":[]}"#,
                Detected::Document,
            ),
            ("{\n  \"sessionId\": \"s\"\n}", Detected::Document),
            (
                r#"{"seq":1,"prev":"","hash":"h","record":{}}"#,
                lines(Format::Audit),
            ),
            (
                r#"{"time":"t","type":"hook_completed"}"#,
                lines(Format::Audit),
            ),
            (r#"{"tool":"Bash","input":{}}"#, lines(Format::Calls)),
            (
                r#"{"tool_name":"Bash","tool_input":{},"session_id":"s"}"#,
                lines(Format::Calls),
            ),
            (
                "cut off here\n{\"tool\":\"Bash\",\"input\":{}}",
                lines(Format::Calls),
            ),
        ] {
            assert_eq!(detect(text.as_bytes()).unwrap(), expected, "{text}");
        }
    }
}
