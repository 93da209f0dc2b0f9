//! Doors for fuzz targets and property tests: pure parts of this crate that its API reaches only
//! through files. They decide nothing that the API does not; nobody else may rely on them.

use camino::Utf8Path;
use hookward_contract::{HookId, SourceKind};

use crate::definition::Definition;
use crate::diagnostic::Diagnostic;
use crate::hook::Hook;
use crate::trust_file::{self, Contents, TrustRecord, WorkspaceRecord};
use crate::{edit, source};

/// The root of the project that hooks of these doors belong to.
pub const ROOT: &str = "/project";

/// What a snapshot reads from the bytes of a `hooks.json`: its hooks, `None` if the file is broken,
/// and everything found in it.
pub fn hooks(bytes: &[u8], source: SourceKind) -> (Option<Vec<Hook>>, Vec<Diagnostic>) {
    let parsed = source::parse(bytes, source);
    let hooks = parsed.hooks.map(|(format, hooks)| {
        let hooks = hooks.into_iter();
        let root = Utf8Path::new(ROOT);
        hooks
            .map(|hook| Hook::from_file(hook, format, source, "owner", root))
            .collect()
    });
    (hooks, parsed.diagnostics)
}

/// The text that [`set_enabled`](crate::set_enabled) writes, before it checks it.
pub fn with_enabled(bytes: &[u8], id: &HookId, enabled: bool) -> Option<Vec<u8>> {
    edit::edited(bytes, id, enabled)
}

/// A hook without a file.
pub fn hook(definition: Definition, id: HookId) -> Hook {
    Hook::from_definition(definition, id, Utf8Path::new(ROOT))
}

/// The records of a `trust.json`.
///
/// # Errors
///
/// What makes the store broken.
pub fn trust_records(
    bytes: &[u8],
) -> Result<(Vec<TrustRecord>, Vec<WorkspaceRecord>), Box<Diagnostic>> {
    let contents = trust_file::decode(bytes)?;
    Ok((contents.records, contents.workspaces))
}

/// The text of a `trust.json`.
///
/// # Errors
///
/// The limit that it would exceed.
pub fn trust_text(
    records: Vec<TrustRecord>,
    workspaces: Vec<WorkspaceRecord>,
) -> Result<Vec<u8>, &'static str> {
    trust_file::encode(&Contents {
        records,
        workspaces,
    })
}
