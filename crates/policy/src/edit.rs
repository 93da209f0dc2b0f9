//! Switching a hook on or off in its file: the smallest change of the text, everything else of the
//! file as its author left it.

use std::io;

use camino::Utf8PathBuf;
use hookward_contract::{HookId, SourceKind};
use jsonc_parser::ast::{Object, Value};
use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};

use crate::config::{ParsedFile, ParsedHook};
use crate::definition::FormatVersion;
use crate::file::FileProblem;
use crate::limits::MAX_FILE_BYTES;
use crate::lock::{Lock, LockError};
use crate::project::Project;
use crate::source::{self, BOM};
use crate::stamp::Stamp;
use crate::state_root::StateRoot;

/// What became of a hook's `enabled`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EnableChange {
    /// The file was changed.
    Changed,
    /// The hook was as asked for; the file was not touched.
    AlreadySo,
}

/// A file that was not changed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EditError {
    /// No file, or none with this hook in it.
    #[error("`{path}` has no hook `{id}`; list the hooks to see their ids")]
    NoSuchHook {
        /// The file.
        path: Utf8PathBuf,
        /// The hook asked for.
        id: HookId,
    },
    /// A hook that was to be added has a name that another one has.
    #[error("`{path}` has a hook `{id}` already; rename or remove it first")]
    Duplicate {
        /// The file.
        path: Utf8PathBuf,
        /// The name.
        id: HookId,
    },
    /// A file of version 1 can hold no rules.
    #[error("`{0}` has version 1, which has no rules; set `version` to 2 and review its hooks")]
    OldVersion(Utf8PathBuf),
    /// The file is broken, so it is not rewritten.
    #[error("`{path}` is broken: {problem}; repair it first")]
    Broken {
        /// The file.
        path: Utf8PathBuf,
        /// Its first problem.
        problem: String,
    },
    /// Somebody else wrote the file at the same time.
    #[error("`{0}` changed in the meantime; try again")]
    ChangedMeanwhile(Utf8PathBuf),
    /// Another process holds the policy lock.
    #[error("another process is changing policy files; try again")]
    Locked,
    /// The lock of policy files cannot be made or opened.
    #[error("cannot use the lock `{path}`: {source}; remove what stands in its place")]
    Lock {
        /// The lock file.
        path: Utf8PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The State Root is no directory, or others could change its files.
    #[error("{0}")]
    StateRoot(String),
    /// The file cannot be written.
    #[error("cannot write `{path}`: {source}")]
    Io {
        /// The file.
        path: Utf8PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

/// Sets `enabled` of one hook in the file of its source. Neither the order of the file nor its
/// blanks change, and nothing of any other hook. The file is replaced atomically and never through
/// a symbolic link.
pub fn set_enabled(
    source: SourceKind,
    state_root: &StateRoot,
    project: &Project,
    id: &HookId,
    enabled: bool,
) -> Result<EnableChange, EditError> {
    let path = source::path(source, state_root, project);
    let no_such_hook = || EditError::NoSuchHook {
        path: path.clone(),
        id: id.clone(),
    };
    let changed = rewrite(
        source,
        state_root,
        project,
        &no_such_hook,
        |bytes, hooks| {
            let hook = hooks.1.iter().find(|hook| hook.id == *id);
            if hook.ok_or_else(no_such_hook)?.enabled == enabled {
                return Ok(None);
            }
            let edited = edited(bytes, id, enabled)
                .filter(|bytes| is_only_change(hooks, &source::parse(bytes, source), id, enabled));
            edited.map(Some).ok_or_else(|| EditError::Io {
                path: path.clone(),
                source: io::Error::other("the hook cannot be changed in this text"),
            })
        },
    )?;
    Ok(if changed {
        EnableChange::Changed
    } else {
        EnableChange::AlreadySo
    })
}

/// The hooks of an intact file.
pub(crate) type Hooks = (FormatVersion, Vec<ParsedHook>);

/// Replaces the file of a source by what `edit` makes of it; it has to be there and intact. Whether
/// `edit` changed anything.
pub(crate) fn rewrite(
    source: SourceKind,
    state_root: &StateRoot,
    project: &Project,
    absent: &dyn Fn() -> EditError,
    edit: impl FnOnce(&[u8], &Hooks) -> Result<Option<Vec<u8>>, EditError>,
) -> Result<bool, EditError> {
    let path = source::path(source, state_root, project);
    let io = |source| EditError::Io {
        path: path.clone(),
        source,
    };
    let broken = |problem: FileProblem| EditError::Broken {
        path: path.clone(),
        problem: problem.message,
    };
    let _lock = Lock::acquire(state_root).map_err(|error| match error {
        LockError::Busy => EditError::Locked,
        LockError::StateRoot(problem) => EditError::StateRoot(problem.text()),
        LockError::Io(source) => EditError::Lock {
            path: state_root.lock_file(),
            source,
        },
    })?;
    let place = source::place(source, state_root, project).map_err(broken)?;
    let place = place.ok_or_else(absent)?;
    let content = source::read(source, &place).map_err(broken)?;
    let content = content.ok_or_else(absent)?;
    let parsed = source::parse(&content.bytes, source);
    let hooks = hooks_of(&parsed).map_err(|problem| EditError::Broken {
        path: path.clone(),
        problem,
    })?;
    let Some(bytes) = edit(&content.bytes, hooks)? else {
        return Ok(false);
    };
    if bytes.len() as u64 > MAX_FILE_BYTES {
        let message = "it would become larger than 1 MiB; shorten it first";
        return Err(io(io::Error::other(message)));
    }
    if Stamp::not_following(&path) != content.stamp {
        return Err(EditError::ChangedMeanwhile(path));
    }
    place.replace(&bytes, Some(&content)).map_err(io)?;
    Ok(true)
}

fn hooks_of(parsed: &ParsedFile) -> Result<&Hooks, String> {
    parsed.hooks.as_ref().map_or_else(
        || {
            let first = parsed.diagnostics.first();
            Err(first.map_or_else(String::new, |found| found.message.clone()))
        },
        Ok,
    )
}

/// The text with the one field changed; `None` if it has no such hook. An added field comes last,
/// after the same blanks as the field before it.
pub(crate) fn edited(bytes: &[u8], id: &HookId, enabled: bool) -> Option<Vec<u8>> {
    let (had_bom, text) = source::text(bytes).ok()?;
    let parsed = parse_to_ast(text, &CollectOptions::default(), &ParseOptions::default());
    let root = parsed.ok()?.value?;
    let handler = find_handler(&root, id)?;
    let (start, end, new) = if let Some(field) = handler.get("enabled") {
        (field.value.start(), field.value.end(), enabled.to_string())
    } else {
        let [.., before, last] = handler.properties.as_slice() else {
            return None;
        };
        let separator = text.get(before.range.end..last.range.start)?;
        let end = last.range.end;
        (end, end, format!("{separator}\"enabled\": {enabled}"))
    };
    let mark = if had_bom { BOM } else { &[] };
    let (head, tail) = (text.get(..start)?, text.get(end..)?);
    Some([mark, head.as_bytes(), new.as_bytes(), tail.as_bytes()].concat())
}

fn find_handler<'v, 'a>(root: &'v Value<'a>, id: &HookId) -> Option<&'v Object<'a>> {
    let events = root.as_object()?.get("hooks")?.value.as_object()?;
    let groups = events
        .properties
        .iter()
        .flat_map(|event| elements(&event.value));
    let handlers = groups
        .filter_map(|group| group.as_object()?.get("hooks"))
        .flat_map(|handlers| elements(&handlers.value));
    handlers.filter_map(Value::as_object).find(|handler| {
        handler
            .get_string("id")
            .is_some_and(|name| name.value == id.as_str())
    })
}

fn elements<'v, 'a>(value: &'v Value<'a>) -> &'v [Value<'a>] {
    value.as_array().map_or(&[], |array| &array.elements)
}

/// Whether the new text means the old one but for this field.
fn is_only_change(before: &Hooks, after: &ParsedFile, id: &HookId, enabled: bool) -> bool {
    let (format, old) = before;
    let Some((new_format, new)) = &after.hooks else {
        return false;
    };
    format == new_format
        && old.len() == new.len()
        && old.iter().zip(new).all(|(old, new)| {
            let expected = if old.id == *id { enabled } else { old.enabled };
            new.enabled == expected && old.same_but_enabled(new)
        })
}
