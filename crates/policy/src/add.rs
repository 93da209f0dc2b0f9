//! Adding hooks to a file: their text goes to the end of the list of groups, everything else of the
//! file stays as its author left it.

use std::collections::HashSet;
use std::io;

use hookward_contract::{EventName, HookId, SourceKind};
use jsonc_parser::ast::{Object, Value};
use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};

use crate::config::{self, ParsedHook};
use crate::definition::FormatVersion;
use crate::edit::{EditError, Hooks, rewrite};
use crate::project::Project;
use crate::source::{self, BOM};
use crate::state_root::StateRoot;

/// Adds the groups of other policy texts, of version 2, to the file of a source, which has to be
/// there. Returns the names of the added hooks. Nothing is added if one of them is taken.
pub fn add_hooks(
    source: SourceKind,
    state_root: &StateRoot,
    project: &Project,
    policies: &[&str],
) -> Result<Vec<HookId>, EditError> {
    let path = source::path(source, state_root, project);
    let io = |message: &str| EditError::Io {
        path: path.clone(),
        source: io::Error::other(message.to_owned()),
    };
    let mut added = Vec::new();
    for policy in policies {
        let hooks = config::parse(policy, source).hooks;
        added.extend(
            hooks
                .ok_or_else(|| io("what is to be added is no policy"))?
                .1,
        );
    }
    let absent = || io("there is no such file");
    rewrite(source, state_root, project, &absent, |bytes, hooks| {
        if hooks.0 != FormatVersion::V2 {
            return Err(EditError::OldVersion(path.clone()));
        }
        let mut taken: HashSet<&HookId> = hooks.1.iter().map(|hook| &hook.id).collect();
        if let Some(hook) = added.iter().find(|hook| !taken.insert(&hook.id)) {
            return Err(EditError::Duplicate {
                path: path.clone(),
                id: hook.id.clone(),
            });
        }
        policies
            .iter()
            .try_fold(bytes.to_vec(), |bytes, policy| extended(&bytes, policy))
            .filter(|bytes| is_only_addition(hooks, &added, bytes, source))
            .map(Some)
            .ok_or_else(|| io("the hooks cannot be added to this text"))
    })?;
    Ok(added.into_iter().map(|hook| hook.id).collect())
}

/// The text with the groups of `policy` after its own.
fn extended(bytes: &[u8], policy: &str) -> Option<Vec<u8>> {
    let (had_bom, text) = source::text(bytes).ok()?;
    let groups = groups_text(policy)?;
    let parsed = parse_to_ast(text, &CollectOptions::default(), &ParseOptions::default());
    let root = parsed.ok()?.value?;
    let events = root.as_object()?.get("hooks")?.value.as_object()?;
    let (at, new) = match (events.get(EVENT), events.properties.last()) {
        (Some(event), _) => {
            let array = event.value.as_array()?;
            match array.elements.last() {
                Some(last) => (last.end(), format!(",\n      {groups}")),
                None => (array.range.start + 1, format!("\n      {groups}\n    ")),
            }
        }
        (None, Some(last)) => (last.range.end, format!(",\n    {}", event_text(&groups))),
        (None, None) => (
            events.range.start + 1,
            format!("\n    {}\n  ", event_text(&groups)),
        ),
    };
    let mark = if had_bom { BOM } else { &[] };
    let (head, tail) = (text.get(..at)?, text.get(at..)?);
    Some([mark, head.as_bytes(), new.as_bytes(), tail.as_bytes()].concat())
}

const EVENT: &str = EventName::PreToolUse.as_str();

fn event_text(groups: &str) -> String {
    format!("\"{EVENT}\": [\n      {groups}\n    ]")
}

/// The groups of a policy text as they stand in it, without the brackets around them.
fn groups_text(policy: &str) -> Option<String> {
    let parsed = parse_to_ast(policy, &CollectOptions::default(), &ParseOptions::default());
    let root = parsed.ok()?.value?;
    let events: &Object<'_> = root.as_object()?.get("hooks")?.value.as_object()?;
    let groups: &Value<'_> = &events.get(EVENT)?.value;
    let elements = &groups.as_array()?.elements;
    let (first, last) = (elements.first()?, elements.last()?);
    policy.get(first.start()..last.end()).map(str::to_owned)
}

/// Whether the new text means the old hooks and the added ones.
fn is_only_addition(old: &Hooks, added: &[ParsedHook], new: &[u8], source: SourceKind) -> bool {
    let Some((format, hooks)) = source::parse(new, source).hooks else {
        return false;
    };
    let expected = old.1.iter().chain(added);
    format == old.0
        && hooks.len() == old.1.len() + added.len()
        && hooks
            .iter()
            .zip(expected)
            .all(|(new, old)| new.enabled == old.enabled && new.same_but_enabled(old))
}
