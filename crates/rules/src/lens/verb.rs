//! What the name of a tool says about the files that its input names.
//!
//! A table of words. Decides nothing about which strings are files.

use crate::effect::Access;

/// What is done to the files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verb {
    /// They are read or listed.
    Read,
    /// They are created or changed.
    Write,
    /// They are removed.
    Delete,
    /// They are given another name.
    Move,
    /// They are read and written again elsewhere.
    Copy,
    /// They are carried to or from elsewhere; which of the two the name does not say.
    Transfer,
}

/// The part that a field plays in a move or a copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    From,
    To,
    Either,
}

const DELETE: &[&str] = &[
    "delete", "remove", "unlink", "trash", "rm", "rmdir", "purge", "erase",
];
const MOVE: &[&str] = &["move", "rename", "mv"];
const COPY: &[&str] = &["copy", "cp", "duplicate", "clone"];
const TRANSFER: &[&str] = &[
    "upload", "put", "push", "publish", "sync", "export", "import", "attach", "archive", "convert",
    "compress", "zip",
];
const WRITE: &[&str] = &[
    "write",
    "edit",
    "create",
    "save",
    "download",
    "append",
    "insert",
    "replace",
    "update",
    "modify",
    "patch",
    "apply",
    "set",
    "make",
    "mkdir",
    "touch",
    "truncate",
    "add",
    "store",
    "generate",
    "unzip",
    "extract",
    "install",
    "overwrite",
    "rewrite",
    "format",
    "fix",
    "init",
    "screenshot",
    "record",
    "dump",
    "link",
    "symlink",
    "chmod",
    "chown",
    "restore",
    "undo",
];

impl Verb {
    /// The first word of a name that says something: `move_file`, `createOrUpdateFile`, `fs-write`.
    pub(super) fn of_name(name: &str) -> Self {
        const VERBS: [(&[&str], Verb); 5] = [
            (DELETE, Verb::Delete),
            (MOVE, Verb::Move),
            (COPY, Verb::Copy),
            (TRANSFER, Verb::Transfer),
            (WRITE, Verb::Write),
        ];
        let verb = |word: String| {
            let mut verbs = VERBS.iter();
            let (_, verb) = verbs.find(|(list, _)| list.contains(&word.as_str()))?;
            Some(*verb)
        };
        words(name).into_iter().find_map(verb).unwrap_or(Self::Read)
    }

    /// What is done to the file in a field of this name.
    pub(super) fn access(self, key: &str) -> &'static [Access] {
        match (self, Role::of(key)) {
            (Self::Read, _) | (Self::Copy, Role::From) => &[Access::Read],
            (Self::Write, _) | (Self::Move | Self::Copy, Role::To) => &[Access::Write],
            (Self::Delete, _) | (Self::Move, Role::From) => &[Access::Delete],
            (Self::Move, Role::Either) => &[Access::Delete, Access::Write],
            (Self::Copy, Role::Either) | (Self::Transfer, _) => &[Access::Read, Access::Write],
        }
    }

    /// Whether everything below a folder goes with it.
    pub(super) const fn takes_trees(self) -> bool {
        matches!(self, Self::Delete | Self::Move | Self::Copy)
    }

    /// Whether a field of this name holds a file: `path`, `filePath`, `notebook_path`, `files`,
    /// `uri` and, for a move or a copy, `source`, `to` and their like.
    pub(super) fn names_file(self, key: &str) -> bool {
        const ENDS: [&str; 16] = [
            "path",
            "paths",
            "file",
            "files",
            "filename",
            "filenames",
            "dir",
            "directory",
            "folder",
            "uri",
            "uris",
            "directories",
            "dirs",
            "folders",
            "root",
            "roots",
        ];
        let key = plain(key);
        ENDS.iter().any(|end| key.ends_with(end))
            || (matches!(self, Self::Move | Self::Copy) && Role::of(&key) != Role::Either)
    }
}

impl Role {
    fn of(key: &str) -> Self {
        const FROM: [&str; 5] = ["source", "src", "from", "old", "original"];
        const TO: [&str; 6] = ["dest", "dst", "to", "target", "new", "out"];
        let key = plain(key);
        let starts = |list: &[&str]| list.iter().any(|start| key.starts_with(start));
        if starts(&FROM) {
            Self::From
        } else if starts(&TO) {
            Self::To
        } else {
            Self::Either
        }
    }
}

/// A field's name in lower case, without the marks between its words; nothing of a name that is too
/// long to be a field of a tool, so that a look at it is cheap.
fn plain(key: &str) -> String {
    const MAX_KEY_BYTES: usize = 128;
    if key.len() > MAX_KEY_BYTES {
        return String::new();
    }
    let letters = key.chars().filter(|c| c.is_alphanumeric());
    letters.flat_map(char::to_lowercase).collect()
}

/// The words of a name, in lower case, split at marks and before capitals.
pub(super) fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut after_small = false;
    for c in name.chars() {
        let starts = !c.is_alphanumeric() || (c.is_uppercase() && after_small);
        if starts && words.last().is_some_and(|word| !word.is_empty()) {
            words.push(String::new());
        }
        if let (true, Some(word)) = (c.is_alphanumeric(), words.last_mut()) {
            word.extend(c.to_lowercase());
        }
        after_small = c.is_lowercase() || c.is_numeric();
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_what_is_done() {
        for (name, expected) in [
            ("read_file", Verb::Read),
            ("getIssue", Verb::Read),
            ("writer", Verb::Read),
            ("write_file", Verb::Write),
            ("createOrUpdateFile", Verb::Write),
            ("create_copy_job", Verb::Write),
            ("fs-write", Verb::Write),
            ("download", Verb::Write),
            ("upload", Verb::Transfer),
            ("move_file", Verb::Move),
            ("file.rename", Verb::Move),
            ("CopyFile", Verb::Copy),
            ("remove", Verb::Delete),
        ] {
            assert_eq!(Verb::of_name(name), expected, "{name}");
        }
    }

    #[test]
    fn fields_play_parts() {
        assert_eq!(Verb::Move.access("source"), [Access::Delete]);
        assert_eq!(Verb::Move.access("destinationPath"), [Access::Write]);
        assert_eq!(Verb::Copy.access("from_path"), [Access::Read]);
        assert_eq!(Verb::Copy.access("newPath"), [Access::Write]);
        assert_eq!(Verb::Move.access("path"), [Access::Delete, Access::Write]);
        for (verb, key, expected) in [
            (Verb::Read, "file_path", true),
            (Verb::Read, "TargetFile", true),
            (Verb::Read, "dirPath", true),
            (Verb::Read, "content", false),
            (Verb::Read, "from", false),
            (Verb::Move, "from", true),
            (Verb::Write, "new_string", false),
        ] {
            assert_eq!(verb.names_file(key), expected, "{verb:?} {key}");
        }
    }
}
