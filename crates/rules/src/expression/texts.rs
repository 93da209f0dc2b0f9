//! What the functions `under` and `host` do with texts. It resolves no path and no name.

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

/// The host of `scheme://user@host:port/…` or of `user@host:path`, in lower case and without a dot
/// at its end; `""` where there is none. Blanks around it, and tabs and line ends within, do not
/// count, and `\` counts as `/`, as they do for those who fetch.
pub(super) fn host(url: &str) -> String {
    let url: String = url
        .trim()
        .chars()
        .filter(|char| !matches!(char, '\t' | '\n' | '\r'))
        .map(|char| if char == '\\' { '/' } else { char })
        .collect();
    let name = match url.split_once("://") {
        Some((scheme, rest)) if is_scheme(scheme) => authority(rest),
        Some(_) => "",
        None => scp_host(&url),
    };
    name.trim_end_matches('.').to_lowercase()
}

fn is_scheme(text: &str) -> bool {
    text.starts_with(|char: char| char.is_ascii_alphabetic())
        && text
            .chars()
            .all(|char| char.is_ascii_alphanumeric() || "+-.:".contains(char))
}

fn authority(rest: &str) -> &str {
    let authority = rest.trim_start_matches('/').split(['/', '?', '#']).next();
    without_port(without_user(authority.unwrap_or_default()))
}

fn scp_host(url: &str) -> &str {
    match url.split_once(':') {
        Some((place, _)) if place.contains('@') && !place.contains('/') => without_user(place),
        _ => "",
    }
}

fn without_user(authority: &str) -> &str {
    authority
        .rsplit_once('@')
        .map_or(authority, |(_, host)| host)
}

fn without_port(host: &str) -> &str {
    match host.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((address, _)) => address,
        None => host.split_once(':').map_or(host, |(host, _)| host),
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
