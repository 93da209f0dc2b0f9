//! Sessions of Codex ("rollouts"): a `session_meta` line, then items of the conversation in
//! envelopes `{timestamp, type, payload}`. Old versions have no envelopes, and keep the directory only
//! in words of the first message.
//!
//! A resumed session goes on in its file. A forked one is a file of its own that names the session
//! it came from. In 0.171 it holds what is new; older ones can begin with a copy of the other.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::{Found, LineReader, Text, check_shape, has, or_empty};
use crate::canonical::{self, Canonical};
use crate::skipped::SkipReason;

/// Every line in an envelope has a payload.
const ENVELOPE: &[&str] = &["\"payload\""];
/// Lines without envelopes: items, states, and a first line with instructions.
const BARE: &[&str] = &[
    "\"payload\"",
    "\"call_id\"",
    "\"role\"",
    "\"record_type\"",
    "\"instructions\"",
    "\"reasoning\"",
    "\"ghost_commit\"",
    "_call\"",
];

#[derive(Deserialize)]
struct Line<'a> {
    #[serde(rename = "type", borrow)]
    kind: Option<Text<'a>>,
    #[serde(borrow)]
    timestamp: Option<Text<'a>>,
    #[serde(borrow)]
    payload: Option<&'a RawValue>,
    #[serde(borrow)]
    id: Option<Text<'a>>,
}

/// What a `session_meta` or a `turn_context` says.
#[derive(Deserialize)]
struct Context<'a> {
    #[serde(borrow)]
    id: Option<Text<'a>>,
    #[serde(borrow)]
    cwd: Option<Text<'a>>,
    #[serde(borrow)]
    forked_from_id: Option<Text<'a>>,
}

#[derive(Deserialize)]
struct Item<'a> {
    #[serde(rename = "type", borrow)]
    kind: Option<Text<'a>>,
    #[serde(borrow)]
    name: Option<Text<'a>>,
    #[serde(borrow)]
    namespace: Option<Text<'a>>,
    #[serde(borrow)]
    call_id: Option<Text<'a>>,
    #[serde(borrow)]
    id: Option<Text<'a>>,
    #[serde(borrow)]
    arguments: Option<Text<'a>>,
    #[serde(borrow)]
    input: Option<Text<'a>>,
    #[serde(borrow)]
    action: Option<&'a RawValue>,
}

/// What the lines so far say about the session.
#[derive(Default)]
pub(super) struct Reader {
    session: String,
    lineage: String,
    cwd: Option<String>,
    in_envelopes: bool,
}

impl LineReader for Reader {
    fn line(&mut self, line: &str, take: &mut dyn FnMut(Found<'_>)) -> Result<(), SkipReason> {
        check_shape(line, if self.in_envelopes { ENVELOPE } else { BARE })?;
        let is_call = has(line, "_call\"");
        let starts = self.session.is_empty();
        let says_cwd = has(line, "\"turn_context\"") || has(line, "<environment_context>");
        if !(is_call || starts || says_cwd || has(line, "\"session_meta\"")) {
            return Ok(());
        }
        if says_cwd && self.cwd.is_none() {
            self.cwd = cwd_in_words(line);
        }
        let outer: Line<'_> = serde_json::from_str(line).map_err(|_| SkipReason::NotJson)?;
        self.in_envelopes |= outer.payload.is_some();
        let body = outer.payload.map_or(line, RawValue::get);
        match (or_empty(outer.kind.as_ref()), outer.payload.is_some()) {
            ("session_meta" | "turn_context", true) => self.context(body),
            ("response_item", true) | (_, false) if is_call => {
                let item = serde_json::from_str(body).map_err(|_| SkipReason::NotJson)?;
                self.item(&item, outer.timestamp.as_ref(), take)
            }
            ("", false) if starts => {
                or_empty(outer.id.as_ref()).clone_into(&mut self.session);
                self.lineage.clone_from(&self.session);
                Ok(())
            }
            _ => Ok(()),
        }
    }
}

impl Reader {
    fn context(&mut self, body: &str) -> Result<(), SkipReason> {
        let context: Context<'_> = serde_json::from_str(body).map_err(|_| SkipReason::NotJson)?;
        // A copy of another session holds that session's own first line, too.
        if let Some(Text(id)) = context.id.filter(|_| self.session.is_empty()) {
            self.lineage = context
                .forked_from_id
                .map_or_else(|| id.clone().into_owned(), |Text(from)| from.into_owned());
            self.session = id.into_owned();
        }
        if let Some(Text(cwd)) = context.cwd {
            self.cwd = Some(cwd.into_owned());
        }
        Ok(())
    }

    fn item(
        &self,
        item: &Item<'_>,
        at: Option<&Text<'_>>,
        take: &mut dyn FnMut(Found<'_>),
    ) -> Result<(), SkipReason> {
        let call = match or_empty(item.kind.as_ref()) {
            "function_call" => function(item),
            "custom_tool_call" => text_call(item),
            "local_shell_call" => item
                .action
                .map(|action| canonical::codex("local_shell", None, action.get())),
            // Searches that the model's host makes, results, words.
            _ => return Ok(()),
        };
        take(Found {
            call: call.ok_or(SkipReason::BadCall)?,
            id: or_empty(item.call_id.as_ref().or(item.id.as_ref())),
            message: "",
            session: &self.session,
            lineage: &self.lineage,
            cwd: self.cwd.as_deref(),
            at: at.map(|Text(at)| at.as_ref()),
            agent_id: None,
            outcome: None,
        });
        Ok(())
    }
}

fn function<'a>(item: &'a Item<'_>) -> Option<Canonical<'a>> {
    let (Text(name), Text(arguments)) = (item.name.as_ref()?, item.arguments.as_ref()?);
    let namespace = item.namespace.as_ref().map(|Text(text)| text.as_ref());
    Some(canonical::codex(name, namespace, arguments))
}

fn text_call<'a>(item: &'a Item<'_>) -> Option<Canonical<'a>> {
    let (Text(name), Text(input)) = (item.name.as_ref()?, item.input.as_ref()?);
    Some(canonical::codex_text(name, input))
}

/// The directory in the words with which a session begins; one that needs escapes is not told.
fn cwd_in_words(line: &str) -> Option<String> {
    let (_, from) = line.split_once("<cwd>")?;
    let (cwd, _) = from.split_once("</cwd>")?;
    (!cwd.contains('\\')).then(|| cwd.to_owned())
}
