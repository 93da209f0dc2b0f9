//! Loading one source: from the file at its path to parsed hooks and a report.
//!
//! Each source is loaded on its own; what is wrong with one never touches another.

use camino::{Utf8Path, Utf8PathBuf};
use hookward_contract::SourceKind;
use serde::Serialize;

use crate::config::{self, ParsedFile, ParsedHook};
use crate::definition::FormatVersion;
use crate::diagnostic::{Code, Diagnostic, Findings, Location, Severity};
use crate::file::{Content, FileProblem, Ownership, Place};
use crate::handler::HandlerText;
use crate::limits::{self, MAX_FILE_BYTES};
use crate::project::Project;
use crate::state_root::StateRoot;
use crate::trust::SourceState;

/// What became of one source.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SourceReport {
    /// Which source.
    pub source: SourceKind,
    /// Its file.
    pub path: Utf8PathBuf,
    /// Whether its hooks are in force.
    pub state: SourceState,
    /// Every problem of the file, in the order of its text.
    pub diagnostics: Vec<Diagnostic>,
}

/// A source with its hooks, which are empty unless it is [`SourceState::Loaded`].
pub(crate) struct LoadedSource {
    pub(crate) report: SourceReport,
    pub(crate) format: FormatVersion,
    pub(crate) hooks: Vec<ParsedHook>,
    /// Device and inode of the file that was read.
    pub(crate) identity: Option<(u64, u64)>,
}

/// The place of a source's file; `None` if its directory does not exist.
pub(crate) fn place(
    source: SourceKind,
    state_root: &StateRoot,
    project: &Project,
) -> Result<Option<Place>, FileProblem> {
    let path = path(source, state_root, project);
    match source {
        SourceKind::User => Place::in_private(state_root.path(), StateRoot::HOOKS, path),
        _ => Place::beneath(&project.root, Project::DIR, Project::HOOKS, path),
    }
}

pub(crate) fn path(source: SourceKind, state_root: &StateRoot, project: &Project) -> Utf8PathBuf {
    match source {
        SourceKind::User => state_root.hooks_file(),
        _ => project.hooks_file(),
    }
}

/// Reads the file of a place by the rules of its source.
pub(crate) fn read(source: SourceKind, place: &Place) -> Result<Option<Content>, FileProblem> {
    let ownership = match source {
        SourceKind::User => Ownership::Private,
        _ => Ownership::Any,
    };
    place.read(MAX_FILE_BYTES, ownership)
}

pub(crate) fn load(source: SourceKind, state_root: &StateRoot, project: &Project) -> LoadedSource {
    let read = place(source, state_root, project)
        .and_then(|place| place.map_or(Ok(None), |place| read(source, &place)));
    let mut loaded = LoadedSource {
        report: SourceReport {
            source,
            path: path(source, state_root, project),
            state: SourceState::Absent,
            diagnostics: Vec::new(),
        },
        format: FormatVersion::V1,
        hooks: Vec::new(),
        identity: None,
    };
    match read {
        Ok(None) => {}
        Ok(Some(content)) => {
            loaded.identity = content.stamp.identity();
            loaded.accept(parse(&content.bytes, source), &project.root);
        }
        Err(problem) => loaded.accept(
            ParsedFile {
                hooks: None,
                diagnostics: vec![problem.diagnostic()],
            },
            &project.root,
        ),
    }
    loaded
}

impl LoadedSource {
    fn accept(&mut self, parsed: ParsedFile, root: &Utf8Path) {
        self.report.diagnostics = parsed.diagnostics;
        let Some((format, hooks)) = parsed.hooks else {
            self.report.state = SourceState::Broken;
            return;
        };
        let escapes: Vec<_> = match format {
            FormatVersion::V1 => Vec::new(),
            FormatVersion::V2 => hooks.iter().flat_map(|hook| escapes(hook, root)).collect(),
        };
        if escapes.is_empty() {
            (self.format, self.hooks) = (format, hooks);
            self.report.state = SourceState::Loaded;
        } else {
            self.report.diagnostics.extend(escapes);
            self.report.state = SourceState::Broken;
        }
    }

    /// Drops the hooks: the file is that of another source, which has loaded it. Under the same path
    /// it is one file that was named twice; under another it stands where the source's own hooks
    /// were, which must not vanish by that.
    #[expect(
        clippy::disallowed_methods,
        reason = "follows links: one file may have two names"
    )]
    pub(crate) fn yield_to(&mut self, first: &SourceReport) {
        let canonical = |path: &Utf8Path| path.canonicalize().ok();
        let (own, other) = (canonical(&self.report.path), canonical(&first.path));
        let (state, severity, message, help) = if own.is_some() && own == other {
            (
                SourceState::Absent,
                Severity::Warning,
                format!("this file is `{}`, loaded there already", first.path),
                "keep the two files apart, or remove one of them",
            )
        } else {
            (
                SourceState::Broken,
                Severity::Error,
                format!("this file is a hard link to `{}`", first.path),
                "remove the link and put a file of its own there",
            )
        };
        self.hooks.clear();
        self.report.state = state;
        let code = Code::SameFile;
        let problem = Diagnostic::at(&Location::START, code, severity, message, help);
        self.report.diagnostics = vec![problem];
    }
}

/// Parses the bytes of a file, one leading byte order mark tolerated (case B48).
pub(crate) fn parse(bytes: &[u8], source: SourceKind) -> ParsedFile {
    match text(bytes) {
        Ok((_, text)) => config::parse(text, source),
        Err(diagnostic) => ParsedFile {
            hooks: None,
            diagnostics: vec![*diagnostic],
        },
    }
}

/// U+FEFF in UTF-8.
pub(crate) const BOM: &[u8] = "\u{feff}".as_bytes();

/// The text of a file without its byte order mark, and whether there was one.
pub(crate) fn text(bytes: &[u8]) -> Result<(bool, &str), Box<Diagnostic>> {
    let (had_bom, bytes) = match bytes.strip_prefix(BOM) {
        Some(rest) => (true, rest),
        None => (false, bytes),
    };
    let problem = |good: &str, code, message: &str, help: &str| {
        let at = Findings::new(good).locate(good.len(), "");
        let severity = Severity::Error;
        Box::new(Diagnostic::at(
            &at,
            code,
            severity,
            message.to_owned(),
            help,
        ))
    };
    if bytes.starts_with(BOM) {
        let message = "a second byte order mark (EF BB BF) at the start of the file";
        return Err(problem("", Code::ExtraBom, message, "remove the marks"));
    }
    std::str::from_utf8(bytes)
        .map(|text| (had_bom, text))
        .map_err(|error| {
            let good = bytes.get(..error.valid_up_to()).unwrap_or_default();
            let good = std::str::from_utf8(good).unwrap_or_default();
            let help = "save the file as UTF-8";
            problem(good, Code::NotUtf8, "a byte here is not UTF-8", help)
        })
}

/// The project paths of a hook that leave the project by a symbolic link.
#[expect(
    clippy::disallowed_methods,
    reason = "follows links: that is the question"
)]
fn escapes(hook: &ParsedHook, root: &Utf8Path) -> Vec<Diagnostic> {
    let HandlerText::Command(text) = &hook.handler else {
        return Vec::new();
    };
    let command = hook.places.command.iter().map(|at| (&text.command, at));
    let args = text.args.iter().zip(&hook.places.args);
    command
        .chain(args)
        .filter_map(|(word, place)| {
            let rest = limits::project_path(word)?.ok()?;
            let resolved = root.join(rest).canonicalize().ok()?;
            (!resolved.starts_with(root)).then(|| {
                let message = format!("`{word}` is a link to a file outside of the project");
                let help = "put the file itself into the project";
                let message = crate::diagnostic::shown(&message);
                Diagnostic::at(place, Code::BadPlaceholder, Severity::Error, message, help)
            })
        })
        .collect()
}
