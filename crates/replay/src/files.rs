//! Which files a folder of histories holds. Links are not followed; the order is that of the names.

use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};
use walkdir::WalkDir;

use crate::skipped::{SkipReason, Skipped};

/// Deepest folder within a folder that is looked into.
pub const MAX_DEPTH: usize = 16;
/// Most files that are read.
pub const MAX_FILES: usize = 1_000_000;

/// A file to read and its size when it was found.
#[derive(Debug, Clone)]
pub(crate) struct Found {
    pub(crate) path: Arc<Utf8Path>,
    pub(crate) bytes: u64,
}

/// The files that `paths` name: a file stands for itself whatever it is called, a folder for
/// everything in it that is called like a history.
pub(crate) fn find(paths: &[Utf8PathBuf], skipped: &mut Skipped) -> Vec<Found> {
    let mut found = Vec::new();
    for path in paths {
        let named: Arc<Utf8Path> = path.as_path().into();
        match path.metadata() {
            Ok(metadata) if metadata.is_dir() => walk(&named, &mut found, skipped),
            Ok(metadata) if metadata.is_file() => found.push(Found {
                path: named,
                bytes: metadata.len(),
            }),
            Ok(_) => skipped.file(&named, SkipReason::NotAFile),
            Err(_) => skipped.file(&named, SkipReason::Unreadable),
        }
    }
    found
}

fn walk(folder: &Arc<Utf8Path>, found: &mut Vec<Found>, skipped: &mut Skipped) {
    let walk = WalkDir::new(folder.as_std_path())
        .max_depth(MAX_DEPTH)
        .sort_by_file_name();
    for entry in walk {
        let entry = match entry {
            Ok(entry) => entry,
            Err(error) => {
                let path = error.path().and_then(Utf8Path::from_path);
                let path = path.map_or_else(|| Arc::clone(folder), Arc::from);
                skipped.file(&path, SkipReason::Unreadable);
                continue;
            }
        };
        let Some(path) = Utf8Path::from_path(entry.path()) else {
            skipped.file(folder, SkipReason::Unreadable);
            continue;
        };
        if entry.file_type().is_dir() && entry.depth() == MAX_DEPTH {
            skipped.file(&path.into(), SkipReason::TooManyFiles);
        }
        if !entry.file_type().is_file() {
            continue;
        }
        match kind(path) {
            Kind::History if found.len() >= MAX_FILES => {
                skipped.file(folder, SkipReason::TooManyFiles);
                return;
            }
            Kind::History => found.push(Found {
                path: path.into(),
                bytes: entry.metadata().map_or(0, |metadata| metadata.len()),
            }),
            Kind::Compressed => skipped.file(&path.into(), SkipReason::Compressed),
            Kind::Other => {}
        }
    }
}

/// What a file's name says of it.
enum Kind {
    History,
    Compressed,
    Other,
}

fn kind(path: &Utf8Path) -> Kind {
    let name = path.file_name().unwrap_or_default();
    let ends = |suffix: &&str| name.ends_with(*suffix);
    // What stands beside sessions and describes them.
    if [".meta.json"].iter().any(ends) || name == "logs.json" {
        Kind::Other
    } else if [".jsonl", ".json"].iter().any(ends) {
        Kind::History
    } else if [".jsonl.gz", ".jsonl.zst", ".json.gz", ".json.zst"]
        .iter()
        .any(ends)
    {
        Kind::Compressed
    } else {
        Kind::Other
    }
}
