//! The agent's payload, read leniently: what the judgement needs must be there and unambiguous,
//! everything else may be missing, unknown or of another type.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;

use hookward_contract::{
    BorderNote, Call, CallError, InputError, InvalidId, MAX_INPUT_BYTES, Origin, ToolInput,
    bounded, escape_for_display,
};
use serde::Deserialize;
use serde::de::{Deserializer, Error as _, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::events::{DEFAULT_EVENT, Moment, moment};
use super::tools;

/// Largest payload, in bytes: the largest tool input and as much again for what surrounds it.
/// A caller reads one byte more than this and passes what it has, to be told that it is too much.
pub const MAX_PAYLOAD_BYTES: usize = 2 * MAX_INPUT_BYTES;
/// Longest value of an identifier or a path in the payload, in bytes.
pub const MAX_FIELD_BYTES: usize = 4_096;

/// What a payload asks for.
#[derive(Debug, Clone)]
pub enum Decoded {
    /// A call is about to be made and has to be judged.
    Judge {
        /// The event as the agent named it; goes into the answer.
        event_name: String,
        /// The call.
        call: Box<Call>,
        /// What was normalized or left out on the way.
        notes: Vec<Note>,
    },
    /// The event carries no tool call, or comes after it: there is nothing to judge.
    NoPolicy {
        /// The event as the agent named it.
        event_name: String,
    },
}

/// Something in a payload that did not prevent the judgement and is worth a record.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Note {
    /// The payload does not name its event and was taken for `PreToolUse`.
    MissingEventName,
    /// The payload does not name its session; the call has an empty session id.
    MissingSessionId,
    /// An optional field holds something other than a text of at most [`MAX_FIELD_BYTES`], and was
    /// treated as missing.
    IgnoredField(&'static str),
    /// The tool's input was normalized.
    Input(BorderNote),
    /// The name of the MCP server holds the separator of tool names, so that the tool's name could
    /// be read as a tool of another server.
    AmbiguousServer(String),
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::MissingEventName => {
                write!(
                    f,
                    "the payload names no event; it was read as {DEFAULT_EVENT}"
                )
            }
            Self::MissingSessionId => f.write_str("the payload names no session"),
            Self::IgnoredField(name) => write!(
                f,
                "the payload's `{name}` is not a text of at most {MAX_FIELD_BYTES} bytes and was ignored"
            ),
            Self::Input(BorderNote::LoneSurrogates(count)) => write!(
                f,
                "{count} lone surrogates in the tool input were replaced by U+FFFD"
            ),
            Self::AmbiguousServer(name) => write!(
                f,
                "the MCP server name `{name}` starts or ends in `_` or holds `__`, so prefix \
                 matchers may take its tools for another server's; rename the server"
            ),
        }
    }
}

/// A payload that cannot be judged.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{problem}")]
pub struct DecodeError {
    /// The event, if it could be read before the problem was met; decides the form of the refusal.
    pub event_name: Option<String>,
    /// What is wrong.
    pub problem: DecodeProblem,
}

impl DecodeError {
    /// The event, as [`encode_failure`](super::encode_failure) takes it.
    pub fn event_name(&self) -> Option<&str> {
        self.event_name.as_deref()
    }
}

/// What makes a payload impossible to judge. Texts are bounded and free of control characters.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DecodeProblem {
    /// Over [`MAX_PAYLOAD_BYTES`].
    #[error("the payload is over 16777216 bytes (16 MiB) long")]
    TooLarge,
    /// Not UTF-8.
    #[error("the payload is not UTF-8: byte {0} breaks the encoding")]
    NotUtf8(usize),
    /// Not one JSON object.
    #[error("the payload is not one JSON object: {0}")]
    NotJson(String),
    /// The payload names a key twice, so two readers could see two different calls.
    #[error("the payload names the key `{0}` twice")]
    DuplicateKey(String),
    /// The call has no tool name, or one that is not a text.
    #[error("the payload's `tool_name` is missing or not a text")]
    NoToolName,
    /// The tool's name breaks the rules of its type.
    #[error("the payload's `tool_name` cannot be judged: {0}")]
    ToolName(InvalidId),
    /// The call has no tool input.
    #[error("the payload's `tool_input` is missing")]
    NoToolInput,
    /// The tool's input cannot be judged.
    #[error("{0}")]
    ToolInput(InputError),
    /// The call has no working directory, or one that is not a text of at most
    /// [`MAX_FIELD_BYTES`].
    #[error("the payload's `cwd` is missing, too long or not a text")]
    NoCwd,
    /// The working directory is not an absolute clean path.
    #[error("{}", shown(&.0.to_string()))]
    Cwd(CallError),
}

/// Text from a payload as one bounded line.
fn shown(text: &str) -> String {
    bounded(&escape_for_display(text), 300)
}

/// Reads a payload.
///
/// A call is judged when its event is known to come before the call, or is not in the table and
/// carries both a tool name and an input; a payload without an event name counts as `PreToolUse`.
/// The tool's input keeps its bytes. `turn_id` and `run_id` are the agent's `prompt_id`, or the
/// session's id before the first prompt; `permission_mode` and the ids are empty where the agent
/// gives none.
///
/// # Errors
///
/// Whatever would leave open what is judged: see [`DecodeProblem`]. The answer to an error is
/// [`encode_failure`](super::encode_failure), never silence.
pub fn decode(stdin: &[u8]) -> Result<Decoded, DecodeError> {
    let nameless = |problem| DecodeError {
        event_name: None,
        problem,
    };
    let fields = parse(stdin).map_err(nameless)?;
    let mut notes = Vec::new();
    let named = text(fields.hook_event_name, "hook_event_name", &mut notes);
    let has_tool = fields.tool_name.is_some() && fields.tool_input.is_some();
    let judged = match named.as_deref().map(moment) {
        None | Some(Moment::Before) => true,
        Some(Moment::After) => false,
        Some(Moment::ByContent) => has_tool,
    };
    let event_name = named.unwrap_or_else(|| {
        notes.push(Note::MissingEventName);
        DEFAULT_EVENT.to_owned()
    });
    if !judged {
        return Ok(Decoded::NoPolicy { event_name });
    }
    match call(&fields, &mut notes) {
        Ok(call) => Ok(Decoded::Judge {
            event_name,
            call: Box::new(call),
            notes,
        }),
        Err(problem) => Err(DecodeError {
            event_name: Some(event_name),
            problem,
        }),
    }
}

fn call(fields: &Fields<'_>, notes: &mut Vec<Note>) -> Result<Call, DecodeProblem> {
    let reported = fields
        .tool_name
        .and_then(string)
        .ok_or(DecodeProblem::NoToolName)?;
    let (tool, native_tool) = tools::names(&reported).map_err(DecodeProblem::ToolName)?;
    let raw_input = fields.tool_input.ok_or(DecodeProblem::NoToolInput)?;
    let (input, note) = ToolInput::parse(raw_input.get()).map_err(DecodeProblem::ToolInput)?;
    notes.extend(note.map(Note::Input));
    let cwd = fields
        .cwd
        .and_then(string)
        .filter(|cwd| cwd.len() <= MAX_FIELD_BYTES)
        .ok_or(DecodeProblem::NoCwd)?;
    let cwd = Call::clean_cwd(&cwd).map_err(DecodeProblem::Cwd)?;

    let session_id = text(fields.session_id, "session_id", notes).unwrap_or_else(|| {
        notes.push(Note::MissingSessionId);
        String::new()
    });
    let turn_id = text(fields.prompt_id, "prompt_id", notes).unwrap_or_else(|| session_id.clone());
    let agent_id = text(fields.agent_id, "agent_id", notes);
    notes.extend(ambiguous_server(fields.mcp_server));
    Ok(Call {
        run_id: turn_id.clone(),
        turn_id,
        session_id,
        tool_use_id: text(fields.tool_use_id, "tool_use_id", notes).unwrap_or_default(),
        tool,
        native_tool,
        input,
        cwd,
        permission_mode: text(fields.permission_mode, "permission_mode", notes).unwrap_or_default(),
        origin: if agent_id.is_some() {
            Origin::Subagent
        } else {
            Origin::Provider
        },
        agent_id,
        agent_type: text(fields.agent_type, "agent_type", notes),
        parent_tool_use_id: None,
    })
}

/// An optional text field: missing, `null` and empty are the same; anything else that is not a
/// text within the limit is noted and missing.
fn text(raw: Option<&RawValue>, name: &'static str, notes: &mut Vec<Note>) -> Option<String> {
    let found = string(raw?);
    if found
        .as_ref()
        .is_none_or(|text| text.len() > MAX_FIELD_BYTES)
    {
        notes.push(Note::IgnoredField(name));
        return None;
    }
    found.filter(|text| !text.is_empty())
}

fn string(raw: &RawValue) -> Option<String> {
    serde_json::from_str(raw.get()).ok()
}

/// Looks at `mcp_server: {name, source}`, which clients send since 2.1.274.
fn ambiguous_server(raw: Option<&RawValue>) -> Option<Note> {
    #[derive(Deserialize)]
    struct Server {
        name: String,
    }
    let server: Server = serde_json::from_str(raw?.get()).ok()?;
    let name = server.name;
    (name.contains("__") || name.starts_with('_') || name.ends_with('_'))
        .then(|| Note::AmbiguousServer(bounded(&escape_for_display(&name), 80)))
}

fn parse(stdin: &[u8]) -> Result<Fields<'_>, DecodeProblem> {
    if stdin.len() > MAX_PAYLOAD_BYTES {
        return Err(DecodeProblem::TooLarge);
    }
    let text =
        std::str::from_utf8(stdin).map_err(|error| DecodeProblem::NotUtf8(error.valid_up_to()))?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    serde_json::from_str(text).map_err(|error| {
        let message = error.to_string();
        match message.strip_prefix(DUPLICATE) {
            Some(rest) => {
                let key = rest.rsplit_once(" at line ").map_or(rest, |(key, _)| key);
                DecodeProblem::DuplicateKey(bounded(&escape_for_display(key), 80))
            }
            None => DecodeProblem::NotJson(shown(&message)),
        }
    })
}

/// Marks a structured error inside serde's string-only errors.
const DUPLICATE: &str = "\u{1}duplicate:";

/// The fields that are read, each as the text that arrived; `null` counts as missing, but for the
/// tool's input, which may be any JSON value.
#[derive(Default)]
struct Fields<'a> {
    hook_event_name: Option<&'a RawValue>,
    session_id: Option<&'a RawValue>,
    prompt_id: Option<&'a RawValue>,
    cwd: Option<&'a RawValue>,
    permission_mode: Option<&'a RawValue>,
    agent_id: Option<&'a RawValue>,
    agent_type: Option<&'a RawValue>,
    tool_name: Option<&'a RawValue>,
    tool_input: Option<&'a RawValue>,
    tool_use_id: Option<&'a RawValue>,
    mcp_server: Option<&'a RawValue>,
}

impl<'a> Fields<'a> {
    fn slot(&mut self, key: &str) -> Option<&mut Option<&'a RawValue>> {
        Some(match key {
            "hook_event_name" => &mut self.hook_event_name,
            "session_id" => &mut self.session_id,
            "prompt_id" => &mut self.prompt_id,
            "cwd" => &mut self.cwd,
            "permission_mode" => &mut self.permission_mode,
            "agent_id" => &mut self.agent_id,
            "agent_type" => &mut self.agent_type,
            "tool_name" => &mut self.tool_name,
            "tool_input" => &mut self.tool_input,
            "tool_use_id" => &mut self.tool_use_id,
            "mcp_server" => &mut self.mcp_server,
            _ => return None,
        })
    }
}

impl<'de> Deserialize<'de> for Fields<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(FieldsVisitor)
    }
}

struct FieldsVisitor;

impl<'de> Visitor<'de> for FieldsVisitor {
    type Value = Fields<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Self::Value, A::Error> {
        let mut fields = Fields::default();
        let mut seen = HashSet::new();
        while let Some(key) = entries.next_key::<Key<'de>>()? {
            let Key(key) = key;
            if let Some(slot) = fields.slot(&key) {
                let raw: &RawValue = entries.next_value()?;
                *slot = (raw.get() != "null" || key == "tool_input").then_some(raw);
            } else {
                entries.next_value::<IgnoredAny>()?;
            }
            if seen.contains(&key) {
                return Err(A::Error::custom(format!("{DUPLICATE}{key}")));
            }
            seen.insert(key);
        }
        Ok(fields)
    }
}

/// A key that borrows from the payload where it can.
#[derive(Deserialize)]
struct Key<'a>(#[serde(borrow)] Cow<'a, str>);
