//! The agent's `settings.json`: the one entry that starts Hookward before every tool call.
//!
//! An installation is a splice into the text that was there; taking it out restores the text byte
//! for byte, as long as nobody rearranged it in between. This module neither finds nor writes
//! files.

use std::path::Path;

use jsonc_parser::ast::{Array, Object, Value};
use jsonc_parser::common::Ranged;

use super::HOST_TIMEOUT;
use super::events::DEFAULT_EVENT;
use crate::edit::{Edit, HookCommand, InstallError, Obstacle, Registered, Registration};
use crate::jsonc::{self, Container, Line, Strictness};

/// The byte order mark that some editors leave in front; the agent reads files with it.
const MARK: &str = "\u{feff}";

/// What a missing or blank settings file is replaced with before the entry goes in.
const EMPTY: &str = "{}\n";

/// Adds the hook to `settings_text`, the content of a settings file or `None` if there is none.
///
/// The entry goes behind the last `PreToolUse` group; entries that start the same hook in another
/// way are taken out first. Line ends, indentation, comments, a byte order mark and a missing last
/// line break stay as they are. A text that has the entry is unchanged.
///
/// # Errors
///
/// Settings that cannot be read for sure are never changed: see [`InstallError`].
pub fn install(settings_text: Option<&str>, command: &HookCommand) -> Result<Edit, InstallError> {
    if !Path::new(&command.program).is_absolute() {
        return Err(InstallError::RelativeProgram(command.program.clone()));
    }
    let old = settings_text.unwrap_or_default();
    let (mark, body) = split_mark(old);
    let cleaned = match state(body, command)? {
        Registered::Current => return Ok(Edit::Unchanged),
        Registered::Absent => body.to_owned(),
        Registered::Stale { .. } => removed(body, command)?,
    };
    let entry = Entry {
        program: &command.program,
        args: &command.args,
    };
    Ok(Edit::between(
        old,
        mark.to_owned() + &added(&cleaned, &entry)?,
    ))
}

/// Takes out of `settings_text` what [`install`] added for a program of this file name and these
/// arguments, and nothing else. A file that the installation made is left as an empty object.
///
/// # Errors
///
/// As [`install`].
pub fn uninstall(settings_text: &str, command: &HookCommand) -> Result<Edit, InstallError> {
    let (mark, body) = split_mark(settings_text);
    Ok(Edit::between(
        settings_text,
        mark.to_owned() + &removed(body, command)?,
    ))
}

/// Whether `settings_text` registers the hook, and what in it keeps the agent from running hooks.
///
/// # Errors
///
/// As [`install`].
pub fn registration(
    settings_text: Option<&str>,
    command: &HookCommand,
) -> Result<Registration, InstallError> {
    let (_, body) = split_mark(settings_text.unwrap_or_default());
    Ok(Registration {
        state: state(body, command)?,
        obstacles: obstacles(body)?,
    })
}

fn split_mark(text: &str) -> (&str, &str) {
    text.strip_prefix(MARK)
        .map_or(("", text), |body| (MARK, body))
}

/// What one registered handler says.
struct Entry<'a> {
    program: &'a str,
    args: &'a [String],
}

impl Entry<'_> {
    fn quoted(text: &str) -> String {
        serde_json::Value::from(text).to_string()
    }

    fn args(&self) -> String {
        let args: Vec<_> = self.args.iter().map(|arg| Self::quoted(arg)).collect();
        format!("[{}]", args.join(", "))
    }

    fn fields(&self) -> [String; 5] {
        [
            "\"type\": \"command\"".to_owned(),
            format!("\"command\": {}", Self::quoted(self.program)),
            format!("\"args\": {}", self.args()),
            format!("\"timeout\": {}", HOST_TIMEOUT.as_secs()),
            "\"onFailure\": \"block\"".to_owned(),
        ]
    }

    /// The group on one line.
    fn on_one_line(&self) -> Vec<Line> {
        let handler = self.fields().join(", ");
        vec![Line(
            0,
            format!("{{\"matcher\": \"*\", \"hooks\": [{{{handler}}}]}}"),
        )]
    }

    /// The group as a JSON printer would lay it out.
    fn on_lines(&self) -> Vec<Line> {
        let fields = self.fields();
        let mut handler: Vec<Line> = fields
            .iter()
            .map(|field| Line(0, format!("{field},")))
            .collect();
        if let Some(Line(_, last)) = handler.last_mut() {
            last.pop();
        }
        let hooks = wrapped("\"hooks\": [", &wrapped("{", &handler, "}"), "]");
        let mut group = vec![Line(0, "\"matcher\": \"*\",".to_owned())];
        group.extend(hooks);
        wrapped("{", &group, "}")
    }
}

fn wrapped(open: &str, lines: &[Line], close: &str) -> Vec<Line> {
    let inner = lines
        .iter()
        .map(|Line(depth, content)| Line(depth + 1, content.clone()));
    std::iter::once(Line(0, open.to_owned()))
        .chain(inner)
        .chain(std::iter::once(Line(0, close.to_owned())))
        .collect()
}

/// `body` with the entry.
///
/// An empty `hooks` object or `PreToolUse` array gets the group on one line; a new one, and one
/// with neighbours, gets it on several. So the text shows what was there before.
fn added(body: &str, entry: &Entry<'_>) -> Result<String, InstallError> {
    let body = if body.trim().is_empty() { EMPTY } else { body };
    let parsed = jsonc::parse(body, Strictness::Jsonc)?;
    let settings = Settings::of(body, parsed.as_ref())?;
    let member = |group: &[Line]| wrapped(&format!("\"{DEFAULT_EVENT}\": ["), group, "]");
    let (container, lines) = match (settings.hooks, settings.groups) {
        (None, _) => {
            let lines = wrapped("\"hooks\": {", &member(&entry.on_lines()), "}");
            (settings.root.into(), lines)
        }
        (Some(hooks), None) if hooks.properties.is_empty() => {
            (hooks.into(), member(&entry.on_one_line()))
        }
        (Some(hooks), None) => (hooks.into(), member(&entry.on_lines())),
        (_, Some(groups)) if groups.elements.is_empty() => (groups.into(), entry.on_one_line()),
        (_, Some(groups)) => (groups.into(), entry.on_lines()),
    };
    Ok(jsonc::with_last(body, &container, &lines))
}

/// `body` without any entry of ours.
fn removed(body: &str, command: &HookCommand) -> Result<String, InstallError> {
    let mut body = body.to_owned();
    while let Some(next) = with_one_less(&body, command)? {
        body = next;
    }
    Ok(body)
}

/// `body` without the first entry of ours, or `None` if it has none.
fn with_one_less(body: &str, command: &HookCommand) -> Result<Option<String>, InstallError> {
    let parsed = jsonc::parse(body, Strictness::Jsonc)?;
    if body.trim().is_empty() {
        return Ok(None);
    }
    let settings = Settings::of(body, parsed.as_ref())?;
    let Some(Found {
        group,
        handler,
        handlers,
        program,
        ..
    }) = settings.found(command).into_iter().next()
    else {
        return Ok(None);
    };
    if handlers.elements.len() > 1 {
        return Ok(Some(jsonc::without(body, &handlers.into(), handler)));
    }
    let entry = Entry {
        program,
        args: &command.args,
    };
    let candidates = settings.candidates(body, group);
    let exact = candidates
        .iter()
        .find(|candidate| added(candidate, &entry).is_ok_and(|text| text == body));
    Ok(exact.or_else(|| candidates.first()).cloned())
}

fn state(body: &str, command: &HookCommand) -> Result<Registered, InstallError> {
    let parsed = jsonc::parse(body, Strictness::Jsonc)?;
    if body.trim().is_empty() {
        return Ok(Registered::Absent);
    }
    let settings = Settings::of(body, parsed.as_ref())?;
    let found = settings.found(command);
    let stale = found.iter().find(|found| !found.differs.is_empty());
    Ok(match (found.first(), stale) {
        (None, _) => Registered::Absent,
        (Some(_), None) => Registered::Current,
        (_, Some(stale)) => Registered::Stale {
            program: stale.program.to_owned(),
            differs: stale.differs.clone(),
        },
    })
}

fn obstacles(body: &str) -> Result<Vec<Obstacle>, InstallError> {
    let parsed = jsonc::parse(body, Strictness::Jsonc)?;
    let Some(root) = parsed.as_ref().and_then(Value::as_object) else {
        return Ok(Vec::new());
    };
    let is_true = |value: &Value<'_>| value.as_boolean_lit().is_some_and(|flag| flag.value);
    let is_false = |value: &Value<'_>| value.as_boolean_lit().is_some_and(|flag| !flag.value);
    let mut found = Vec::new();
    if jsonc::value(root, "disableAllHooks").is_some_and(is_true) {
        found.push(Obstacle::AllHooksDisabled);
    }
    // The agent counts an invalid value of this key as true.
    if jsonc::value(root, "allowManagedHooksOnly").is_some_and(|value| !is_false(value)) {
        found.push(Obstacle::ManagedHooksOnly);
    }
    let covers_hooks = |value: &Value<'_>| {
        is_true(value)
            || value
                .as_array()
                .is_some_and(|list| texts(list).any(|text| text == Some("hooks")))
    };
    if jsonc::value(root, "strictPluginOnlyCustomization").is_some_and(covers_hooks) {
        found.push(Obstacle::PluginHooksOnly);
    }
    if let Err(error) = jsonc::parse(body, Strictness::Json) {
        found.push(Obstacle::NotStrictJson(error.to_string()));
    }
    Ok(found)
}

/// The parts of the settings that matter here.
struct Settings<'v, 'a> {
    root: &'v Object<'a>,
    hooks: Option<&'v Object<'a>>,
    groups: Option<&'v Array<'a>>,
}

/// An entry of ours.
struct Found<'v, 'a> {
    /// Index of its group in `PreToolUse`.
    group: usize,
    /// The handlers of that group.
    handlers: &'v Array<'a>,
    /// Its index among them.
    handler: usize,
    program: &'v str,
    /// The fields in which it differs from what an installation writes.
    differs: Vec<&'static str>,
}

impl<'v, 'a> Settings<'v, 'a> {
    fn of(body: &str, parsed: Option<&'v Value<'a>>) -> Result<Self, InstallError> {
        let wrong = |offset, pointer: &str, expected| {
            let (line, column) = jsonc::position(body, offset);
            InstallError::WrongType {
                line,
                column,
                pointer: pointer.to_owned(),
                expected,
            }
        };
        let root = parsed.and_then(Value::as_object).ok_or_else(|| {
            wrong(
                parsed.map_or(0, |value| value.range().start),
                "",
                "an object",
            )
        })?;
        let hooks = jsonc::property(body, root, "", "hooks")?
            .map(|prop| {
                let start = prop.value.range().start;
                prop.value
                    .as_object()
                    .ok_or_else(|| wrong(start, "/hooks", "an object"))
            })
            .transpose()?;
        let member = match hooks {
            Some(hooks) => jsonc::property(body, hooks, "/hooks", DEFAULT_EVENT)?,
            None => None,
        };
        let groups = member
            .map(|prop| {
                let start = prop.value.range().start;
                let pointer = "/hooks/PreToolUse";
                prop.value
                    .as_array()
                    .ok_or_else(|| wrong(start, pointer, "an array"))
            })
            .transpose()?;
        Ok(Self {
            root,
            hooks,
            groups,
        })
    }

    /// Every entry that starts a program of this file name with these arguments.
    fn found(&self, command: &HookCommand) -> Vec<Found<'v, 'a>> {
        let mut found = Vec::new();
        let groups = self
            .groups
            .map(|groups| groups.elements.as_slice())
            .unwrap_or_default();
        for (group, object) in groups
            .iter()
            .enumerate()
            .filter_map(|(at, v)| Some((at, v.as_object()?)))
        {
            let Some(handlers) = jsonc::value(object, "hooks").and_then(Value::as_array) else {
                continue;
            };
            for (handler, value) in handlers.elements.iter().enumerate() {
                let Some(ours) = value.as_object() else {
                    continue;
                };
                if let Some(program) = program_of(ours, command) {
                    let differs = differs(object, ours, command);
                    found.push(Found {
                        group,
                        handlers,
                        handler,
                        program,
                        differs,
                    });
                }
            }
        }
        found
    }

    /// `body` without the group at `index`, from the largest part that may go with it to the
    /// smallest: `hooks`, `PreToolUse`, the group alone. A container goes only if nothing else is
    /// in it.
    fn candidates(&self, body: &str, index: usize) -> Vec<String> {
        let mut candidates = Vec::new();
        let sole = |container: &Container| container.len() == 1;
        if let (Some(hooks), Some(groups)) = (self.hooks, self.groups) {
            let at = |object: &Object<'_>, name: &str| {
                object
                    .properties
                    .iter()
                    .position(|prop| prop.name.as_str() == name)
            };
            let (root_c, hooks_c, groups_c) = (
                Container::from(self.root),
                Container::from(hooks),
                Container::from(groups),
            );
            if sole(&groups_c) {
                if sole(&hooks_c)
                    && let Some(index) = at(self.root, "hooks")
                {
                    candidates.push(jsonc::without(body, &root_c, index));
                }
                if let Some(index) = at(hooks, DEFAULT_EVENT) {
                    candidates.push(jsonc::without(body, &hooks_c, index));
                }
            }
            candidates.push(jsonc::without(body, &groups_c, index));
        }
        candidates
    }
}

fn text_of<'v>(object: &'v Object<'_>, name: &str) -> Option<&'v str> {
    Some(jsonc::value(object, name)?.as_string_lit()?.value.as_ref())
}

fn texts<'v>(list: &'v Array<'_>) -> impl Iterator<Item = Option<&'v str>> {
    list.elements
        .iter()
        .map(|item| item.as_string_lit().map(|text| text.value.as_ref()))
}

/// The program of `handler`, if the handler is one of ours: a command of the same file name with
/// the same arguments, wherever it lies.
fn program_of<'v>(handler: &'v Object<'_>, command: &HookCommand) -> Option<&'v str> {
    let program = text_of(handler, "command")?;
    let args = jsonc::value(handler, "args")?.as_array()?;
    let ours = text_of(handler, "type") == Some("command")
        && texts(args).eq(command.args.iter().map(|arg| Some(arg.as_str())))
        && Path::new(program).file_name() == Path::new(&command.program).file_name();
    ours.then_some(program)
}

fn differs(group: &Object<'_>, handler: &Object<'_>, command: &HookCommand) -> Vec<&'static str> {
    let is_true = |name| {
        jsonc::value(handler, name)
            .is_some_and(|value| value.as_boolean_lit().is_some_and(|flag| flag.value))
    };
    let every_tool = match jsonc::value(group, "matcher") {
        None => true,
        Some(value) => value
            .as_string_lit()
            .is_some_and(|m| ["", "*"].contains(&&*m.value)),
    };
    let long_enough = match jsonc::value(handler, "timeout") {
        None => true,
        Some(value) => value
            .as_number_lit()
            .and_then(|number| number.value.parse::<f64>().ok())
            .is_some_and(|seconds| seconds >= HOST_TIMEOUT.as_secs_f64()),
    };
    [
        (
            "command",
            text_of(handler, "command") != Some(command.program.as_str()),
        ),
        ("matcher", !every_tool),
        ("timeout", !long_enough),
        ("onFailure", text_of(handler, "onFailure") != Some("block")),
        ("if", jsonc::value(handler, "if").is_some()),
        ("async", is_true("async")),
        ("asyncRewake", is_true("asyncRewake")),
    ]
    .into_iter()
    .filter_map(|(name, differs)| differs.then_some(name))
    .collect()
}
