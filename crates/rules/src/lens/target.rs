//! From the text of a path in a tool's input to an effect: `~`, `file:` addresses, and texts that
//! no file can have for a name.

use camino::{Utf8Path, Utf8PathBuf};
use percent_encoding::percent_decode_str;

use crate::collector::{Collector, Meant};
use crate::effect::{Access, OpaqueCause};
use crate::paths;

/// Longest path that the system takes, in bytes.
const MAX_PATH_BYTES: usize = 4_096;

/// Adds a file that a tool names. Tools differ in whether they trim a name, so that one with outer
/// blanks is two.
pub(super) fn file(
    collector: &mut Collector<'_>,
    access: Access,
    cwd: &Utf8Path,
    text: &str,
    via: &str,
    meant: Meant,
) {
    // Nothing that is added would be kept, and each path costs a look at the file system.
    if collector.is_full() {
        return;
    }
    let trimmed = text.trim();
    if trimmed != text {
        one(collector, access, cwd, trimmed, via, meant);
    }
    one(collector, access, cwd, text, via, meant);
}

fn one(
    collector: &mut Collector<'_>,
    access: Access,
    cwd: &Utf8Path,
    text: &str,
    via: &str,
    meant: Meant,
) {
    let observation = collector.observation;
    let Some(written) = written(cwd, observation.home, text) else {
        return collector.opaque(OpaqueCause::UnknownPath { access }, text);
    };
    collector.path(access, cwd, written.as_str(), via, meant);
    // Many tools take `a/..` out of the text before they open the file, where the system follows
    // `a` first. After a link these are two files.
    let lexical = paths::clean(cwd, written.as_str());
    if written.as_str().contains("/..") {
        let canonical = |path: &Utf8Path| observation.files.canonical(path);
        if canonical(&written) != canonical(&lexical) {
            collector.path(access, cwd, lexical.as_str(), via, meant);
        }
    }
}

/// The absolute and clean path that a text means to a tool; `None` where it cannot be known: the
/// home of another person, an address that does not decode, NUL, or longer than a path can be.
pub(super) fn absolute(cwd: &Utf8Path, home: Option<&Utf8Path>, text: &str) -> Option<Utf8PathBuf> {
    Some(paths::clean(cwd, written(cwd, home, text)?.as_str()))
}

/// The same with every `..` left where it is.
fn written(cwd: &Utf8Path, home: Option<&Utf8Path>, text: &str) -> Option<Utf8PathBuf> {
    let path = match path_of_address(text) {
        Some(path) => cwd.join(percent_decode_str(path).decode_utf8().ok()?.as_ref()),
        None => match text.strip_prefix('~') {
            Some("") => home?.to_owned(),
            Some(rest) if rest.starts_with('/') => home?.join(rest.trim_start_matches('/')),
            Some(rest) if rest.starts_with(|first: char| first.is_alphanumeric()) => return None,
            _ => cwd.join(text),
        },
    };
    let is_long = |path: &Utf8Path| path.as_str().len() > MAX_PATH_BYTES;
    let hopeless = path.as_str().contains('\0')
        || (is_long(&path) && is_long(&paths::clean(cwd, path.as_str())));
    (!hopeless).then_some(path)
}

/// The path of a `file:` address, not decoded.
fn path_of_address(text: &str) -> Option<&str> {
    let (scheme, rest) = text.split_once(':')?;
    if !scheme.eq_ignore_ascii_case("file") || !rest.starts_with('/') {
        return None;
    }
    let path = match rest.strip_prefix("//") {
        Some(with_host) => with_host.find('/').map_or("/", |at| &with_host[at..]),
        None => rest,
    };
    path.split(['?', '#']).next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_text_means_to_a_tool() {
        let long = format!("/{}", "x".repeat(MAX_PATH_BYTES));
        let hidden = format!("{}a", "./".repeat(10_000));
        for (text, expected) in [
            ("a/../b", Some("/w/b")),
            ("/a//b/.", Some("/a/b")),
            ("~", Some("/home/me")),
            ("~/x", Some("/home/me/x")),
            ("~//etc", Some("/home/me/etc")),
            ("~$doc.docx", Some("/w/~$doc.docx")),
            ("~root/x", None),
            ("file:///a%20b/.env?x#y", Some("/a b/.env")),
            ("FILE://localhost/a", Some("/a")),
            ("file:/a", Some("/a")),
            ("file:///%ff", None),
            ("file:x", Some("/w/file:x")),
            ("a\0b", None),
            (&long, None),
            (&hidden, Some("/w/a")),
        ] {
            let found = absolute(Utf8Path::new("/w"), Some(Utf8Path::new("/home/me")), text);
            assert_eq!(found.as_deref(), expected.map(Utf8Path::new), "{text:.40}");
        }
        assert_eq!(absolute(Utf8Path::new("/w"), None, "~/x"), None);
    }
}
