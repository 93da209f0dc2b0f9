//! A policy text as it stands, before anybody trusts it or puts it in force: what is wrong with it,
//! and those of its hooks that can be read.

use hookward_contract::SourceKind;

use crate::config;
use crate::definition::Definition;
use crate::diagnostic::Diagnostic;
use crate::hook::Hook;
use crate::project::Project;
use crate::source;

/// A policy text that was looked at.
#[derive(Debug)]
pub struct CheckedFile {
    /// Everything that is wrong with it, in the order of the text.
    pub diagnostics: Vec<Diagnostic>,
    /// The hooks without an error, in the order of the text, none of them trusted. A file in force
    /// has none of its hooks while one of them is faulty; to be tested, each stands for itself.
    pub hooks: Vec<Hook>,
}

/// Looks at the bytes of a policy file of `source`. No file is read.
pub fn check_file(bytes: &[u8], source: SourceKind, project: &Project) -> CheckedFile {
    let text = match source::text(bytes) {
        Ok((_, text)) => text,
        Err(diagnostic) => {
            return CheckedFile {
                diagnostics: vec![*diagnostic],
                hooks: Vec::new(),
            };
        }
    };
    let draft = config::draft(text, source);
    let owner = Definition::owner(source, &project.identity);
    let hooks = draft
        .hooks
        .into_iter()
        .map(|hook| Hook::from_file(hook, draft.format, source, owner, &project.root));
    CheckedFile {
        hooks: hooks.collect(),
        diagnostics: draft.diagnostics,
    }
}
