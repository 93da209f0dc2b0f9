//! What the functions `under` and `host` do with texts. It resolves no path and no name.

use crate::address::Address;

/// Whether a path is the directory or lies below it, by their text. Both are clean; a relative path
/// is never under an absolute directory.
pub(super) fn is_under(path: &str, directory: &str) -> bool {
    let directory = match directory {
        "" => return false,
        "/" => return path.starts_with('/'),
        _ => directory.strip_suffix('/').unwrap_or(directory),
    };
    let rest = path.strip_prefix(directory);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// The host of `scheme://user@host:port/…` or of `user@host:path`, in the form of
/// [`Address::Host`]; `""` where there is none.
pub(super) fn host(url: &str) -> String {
    let url = url.trim();
    let read = if url.contains("://") || url.contains(":\\") {
        Address::read(url)
    } else {
        match url.split_once(':') {
            Some((place, _)) if place.contains('@') && !place.contains('/') => {
                Address::read(&format!("https://{place}"))
            }
            _ => Address::Nowhere,
        }
    };
    match read {
        Address::Host { host, .. } => host,
        Address::File | Address::Nowhere | Address::Unreadable => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_by_their_text() {
        for (path, directory, expected) in [
            ("/w/a", "/w", true),
            ("/w", "/w", true),
            ("/w/a", "/w/", true),
            ("/wide", "/w", false),
            ("/", "/w", false),
            ("/w", "/", true),
            ("w", "/", false),
            ("/w", "", false),
        ] {
            assert_eq!(is_under(path, directory), expected, "{path} {directory}");
        }
    }

    #[test]
    fn hosts_of_urls() {
        for (url, expected) in [
            ("https://Example.COM/a", "example.com"),
            ("https://example.com.", "example.com"),
            ("https://good.com@evil.com:8080/x@y", "evil.com"),
            ("http://[::1]:80/", "::1"),
            ("git@GitHub.com:a/b.git", "github.com"),
            ("ssh://git@github.com:22/a", "github.com"),
            ("https:\\\\evil.com\\@good.com", "evil.com"),
            (" https:///evil.com/ ", "evil.com"),
            ("https://ev\til.com?@good.com", "evil.com"),
            ("git+ssh://a@b.org/c", "b.org"),
            ("/a/b@c:d", ""),
            ("mailto:a@b.c", ""),
            ("", ""),
            ("://x", ""),
        ] {
            assert_eq!(host(url), expected, "{url}");
        }
    }
}
