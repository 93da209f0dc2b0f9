//! What the agent's settings say about our hook: which entries are ours, and whether they are what
//! an installation writes. Reads only; never changes a text.

use jsonc_parser::ast::{Array, Object, Value};
use jsonc_parser::common::Ranged;

use super::HOST_TIMEOUT;
use super::events::DEFAULT_EVENT;
use crate::edit::{HookCommand, InstallError};
use crate::jsonc::{self, Container};

/// The first arguments of every entry of ours, whatever the program is called and where it lies.
const OWN_ARGS: [&str; 2] = ["hook", "claude-code"];

/// The parts of the settings that matter here.
pub(super) struct Settings<'v, 'a> {
    pub(super) root: &'v Object<'a>,
    pub(super) hooks: Option<&'v Object<'a>>,
    /// The groups of `PreToolUse`.
    pub(super) groups: Option<&'v Array<'a>>,
}

/// An entry of ours.
pub(super) struct Found<'v, 'a> {
    /// Index of its group.
    pub(super) group: usize,
    /// The handlers of that group.
    pub(super) handlers: &'v Array<'a>,
    /// Its index among them.
    pub(super) handler: usize,
    /// What it starts.
    pub(super) command: HookCommand,
    /// The fields that make it weaker than what an installation writes.
    pub(super) differs: Vec<&'static str>,
}

impl<'v, 'a> Settings<'v, 'a> {
    /// The parts of `body`; `None` if it is blank. Comments alone are not blank: they would be lost.
    pub(super) fn of(
        body: &str,
        parsed: Option<&'v Value<'a>>,
    ) -> Result<Option<Self>, InstallError> {
        let wrong = |offset: usize, pointer: &str, expected| {
            let (line, column) = jsonc::position(body, offset);
            let pointer = pointer.to_owned();
            InstallError::WrongType {
                line,
                column,
                pointer,
                expected,
            }
        };
        let object = |value: &'v Value<'a>, pointer: &str| {
            let start = value.range().start;
            value
                .as_object()
                .ok_or_else(|| wrong(start, pointer, "an object"))
        };
        let value = match parsed {
            Some(value) => value,
            None if body.trim().is_empty() => return Ok(None),
            None => return Err(wrong(body.len(), "", "an object")),
        };
        let root = object(value, "")?;
        let hooks = jsonc::property(body, root, "", "hooks")?
            .map(|hooks| object(hooks, "/hooks"))
            .transpose()?;
        let groups = match hooks {
            Some(hooks) => jsonc::property(body, hooks, "/hooks", DEFAULT_EVENT)?,
            None => None,
        };
        let groups = groups
            .map(|groups| {
                let pointer = format!("/hooks/{DEFAULT_EVENT}");
                groups
                    .as_array()
                    .ok_or_else(|| wrong(groups.range().start, &pointer, "an array"))
            })
            .transpose()?;
        Ok(Some(Self {
            root,
            hooks,
            groups,
        }))
    }

    /// Every entry of ours, in the order of the text.
    pub(super) fn found(&self) -> Vec<Found<'v, 'a>> {
        let groups = self
            .groups
            .map_or(&[][..], |groups| groups.elements.as_slice());
        groups
            .iter()
            .enumerate()
            .flat_map(|(at, group)| found_in(at, group))
            .collect()
    }

    /// `body` without the group at `index`, from the largest part that may go with it to the
    /// smallest: `hooks`, `PreToolUse`, the group alone. A container goes only if nothing else is
    /// in it.
    pub(super) fn without_group(&self, body: &str, index: usize) -> Vec<String> {
        let (Some(hooks), Some(groups)) = (self.hooks, self.groups) else {
            return Vec::new();
        };
        let member = |object: &Object<'_>, name: &str| {
            let index = object
                .properties
                .iter()
                .position(|prop| prop.name.as_str() == name)?;
            Some(jsonc::without(body, &Container::from(object), index))
        };
        let alone = groups.elements.len() == 1;
        let all = (alone && hooks.properties.len() == 1).then(|| member(self.root, "hooks"));
        let event = alone.then(|| member(hooks, DEFAULT_EVENT));
        let group = Some(jsonc::without(body, &groups.into(), index));
        [all.flatten(), event.flatten(), group]
            .into_iter()
            .flatten()
            .collect()
    }
}

/// The entries of ours in one group. Groups and handlers of other shapes are not ours.
fn found_in<'v, 'a>(index: usize, group: &'v Value<'a>) -> Vec<Found<'v, 'a>> {
    let Some(group) = group.as_object() else {
        return Vec::new();
    };
    let Some(handlers) = jsonc::value(group, "hooks").and_then(Value::as_array) else {
        return Vec::new();
    };
    let handler = |(handler, value): (usize, &'v Value<'a>)| {
        let object = value.as_object()?;
        let command = own_command(object)?;
        let differs = weaknesses(group, object);
        Some(Found {
            group: index,
            handlers,
            handler,
            command,
            differs,
        })
    };
    handlers
        .elements
        .iter()
        .enumerate()
        .filter_map(handler)
        .collect()
}

/// What `handler` starts, if it is one of ours.
fn own_command(handler: &Object<'_>) -> Option<HookCommand> {
    let program = text_of(handler, "command")?.to_owned();
    let args = jsonc::value(handler, "args")?.as_array()?;
    let args: Vec<String> = texts(args)
        .map(|arg| arg.map(str::to_owned))
        .collect::<Option<_>>()?;
    let own_args = args
        .iter()
        .map(String::as_str)
        .take(OWN_ARGS.len())
        .eq(OWN_ARGS);
    (own_args && text_of(handler, "type") == Some("command"))
        .then_some(HookCommand { program, args })
}

/// The fields by which an entry sees fewer calls, or blocks in fewer cases, than it should.
fn weaknesses(group: &Object<'_>, handler: &Object<'_>) -> Vec<&'static str> {
    let is_true = |name| jsonc::value(handler, name).is_some_and(jsonc::is_true);
    let every_tool = jsonc::value(group, "matcher").is_none_or(|matcher| {
        matcher
            .as_string_lit()
            .is_some_and(|text| ["", "*"].contains(&text.value.as_ref()))
    });
    let long_enough = jsonc::value(handler, "timeout").is_none_or(|timeout| {
        let seconds = timeout
            .as_number_lit()
            .and_then(|number| number.value.parse::<f64>().ok());
        seconds.is_some_and(|seconds| seconds >= HOST_TIMEOUT.as_secs_f64())
    });
    let blocks = text_of(handler, "onFailure") == Some("block");
    [
        ("matcher", !every_tool),
        ("timeout", !long_enough),
        ("onFailure", !blocks),
        ("if", jsonc::value(handler, "if").is_some()),
        ("async", is_true("async")),
        ("asyncRewake", is_true("asyncRewake")),
    ]
    .into_iter()
    .filter_map(|(name, weak)| weak.then_some(name))
    .collect()
}

fn text_of<'v>(object: &'v Object<'_>, name: &str) -> Option<&'v str> {
    Some(jsonc::value(object, name)?.as_string_lit()?.value.as_ref())
}

/// The elements of `list`, `None` for those that are not texts.
pub(super) fn texts<'v>(list: &'v Array<'_>) -> impl Iterator<Item = Option<&'v str>> {
    list.elements
        .iter()
        .map(|item| item.as_string_lit().map(|text| text.value.as_ref()))
}
