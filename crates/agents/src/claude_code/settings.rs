//! The agent's `settings.json`: the one entry that starts Hookward before every tool call.
//!
//! An installation is a splice into the text that was there; taking it out restores the text byte
//! for byte, as long as nobody rearranged it in between. This module neither finds nor writes
//! files.

use std::path::Path;

use jsonc_parser::ast::Value;

use super::HOST_TIMEOUT;
use super::events::DEFAULT_EVENT;
use super::registered::{Found, Settings, texts};
use crate::edit::{Edit, HookCommand, InstallError, Obstacle, Registered, Registration};
use crate::jsonc::{self, Line, Strictness};

/// The byte order mark that some editors leave in front; the agent reads files with it.
const MARK: &str = "\u{feff}";

/// What a missing or blank settings file is replaced with before the entry goes in.
const EMPTY: &str = "{}\n";

/// Most entries of ours that are taken out of one text.
const MAX_ENTRIES: usize = 64;

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
        Registered::Stale { .. } => removed(body)?,
    };
    let entry = Entry(command);
    Ok(Edit::between(
        old,
        mark.to_owned() + &added(&cleaned, &entry)?,
    ))
}

/// Takes out of `settings_text` what [`install`] added, wherever the program lies, and nothing
/// else. A file that the installation made is left as an empty object.
///
/// # Errors
///
/// As [`install`].
pub fn uninstall(settings_text: &str) -> Result<Edit, InstallError> {
    let (mark, body) = split_mark(settings_text);
    Ok(Edit::between(
        settings_text,
        mark.to_owned() + &removed(body)?,
    ))
}

/// Whether `settings_text` registers `command`, and what in it keeps the agent from running hooks.
///
/// # Errors
///
/// As [`install`].
pub fn registration(
    settings_text: &str,
    command: &HookCommand,
) -> Result<Registration, InstallError> {
    let (_, body) = split_mark(settings_text);
    Ok(Registration {
        state: state(body, command)?,
        obstacles: obstacles(body)?,
    })
}

fn split_mark(text: &str) -> (&str, &str) {
    text.strip_prefix(MARK)
        .map_or(("", text), |body| (MARK, body))
}

/// The entry that starts a command.
struct Entry<'a>(&'a HookCommand);

impl Entry<'_> {
    fn quoted(text: &str) -> String {
        serde_json::Value::from(text).to_string()
    }

    fn args(&self) -> String {
        let args: Vec<_> = self.0.args.iter().map(|arg| Self::quoted(arg)).collect();
        format!("[{}]", args.join(", "))
    }

    fn fields(&self) -> [String; 5] {
        [
            "\"type\": \"command\"".to_owned(),
            format!("\"command\": {}", Self::quoted(&self.0.program)),
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
    let parsed = jsonc::parse(body, Strictness::Jsonc)?;
    let Some(settings) = Settings::of(body, parsed.as_ref())? else {
        return added(EMPTY, entry);
    };
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
fn removed(body: &str) -> Result<String, InstallError> {
    let mut body = body.to_owned();
    for _ in 0..MAX_ENTRIES {
        match with_one_less(&body)? {
            Some(next) => body = next,
            None => return Ok(body),
        }
    }
    Err(InstallError::TooManyEntries(MAX_ENTRIES))
}

/// `body` without the first entry of ours, or `None` if it has none.
fn with_one_less(body: &str) -> Result<Option<String>, InstallError> {
    let parsed = jsonc::parse(body, Strictness::Jsonc)?;
    let Some(settings) = Settings::of(body, parsed.as_ref())? else {
        return Ok(None);
    };
    let Some(first) = settings.found().into_iter().next() else {
        return Ok(None);
    };
    if first.handlers.elements.len() > 1 {
        let handlers = first.handlers.into();
        return Ok(Some(jsonc::without(body, &handlers, first.handler)));
    }
    let entry = Entry(&first.command);
    let candidates = settings.without_group(body, first.group);
    let exact = candidates
        .iter()
        .find(|candidate| added(candidate, &entry).is_ok_and(|text| text == body));
    Ok(exact.or_else(|| candidates.first()).cloned())
}

fn state(body: &str, command: &HookCommand) -> Result<Registered, InstallError> {
    let parsed = jsonc::parse(body, Strictness::Jsonc)?;
    let found = Settings::of(body, parsed.as_ref())?
        .map(|settings| settings.found())
        .unwrap_or_default();
    let mut state = Registered::Absent;
    for Found {
        command: registered,
        mut differs,
        ..
    } in found
    {
        if registered.program != command.program {
            differs.push("command");
        }
        if registered.args != command.args {
            differs.push("args");
        }
        if !differs.is_empty() {
            return Ok(Registered::Stale {
                command: registered,
                differs,
            });
        }
        state = Registered::Current;
    }
    Ok(state)
}

fn obstacles(body: &str) -> Result<Vec<Obstacle>, InstallError> {
    let parsed = jsonc::parse(body, Strictness::Jsonc)?;
    let Some(root) = parsed.as_ref().and_then(Value::as_object) else {
        return Ok(Vec::new());
    };
    let setting = |name| jsonc::value(root, name);
    // The agent counts an invalid value of `allowManagedHooksOnly` as true.
    let is_false = |value: &Value<'_>| value.as_boolean_lit().is_some_and(|flag| !flag.value);
    let covers_hooks = |value: &Value<'_>| {
        let listed = |list| texts(list).any(|text| text == Some("hooks"));
        jsonc::is_true(value) || value.as_array().is_some_and(listed)
    };
    let strict = jsonc::parse(body, Strictness::Json);
    Ok([
        setting("disableAllHooks")
            .is_some_and(jsonc::is_true)
            .then_some(Obstacle::AllHooksDisabled),
        setting("allowManagedHooksOnly")
            .is_some_and(|value| !is_false(value))
            .then_some(Obstacle::ManagedHooksOnly),
        setting("strictPluginOnlyCustomization")
            .is_some_and(covers_hooks)
            .then_some(Obstacle::PluginHooksOnly),
        strict
            .err()
            .map(|error| Obstacle::NotStrictJson(error.to_string())),
    ]
    .into_iter()
    .flatten()
    .collect())
}
