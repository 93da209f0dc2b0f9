//! Addresses on a network, read as browsers and fetching libraries read them (WHATWG URL): the host
//! that is spoken to, whatever the spelling. Text only; nothing here resolves a name.

use url::{Host, Url};

/// What an address leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Address {
    /// A host: in lower case, without user, port, brackets and final dot; numbers as `1.2.3.4`.
    Host {
        /// Its name or address.
        host: String,
        /// Whether other readers could see another host in the same text.
        ambiguous: bool,
    },
    /// A file of this machine.
    File,
    /// Nothing outside of the text itself (`data:`, `about:`), or a name without a host
    /// (`resource:///x`).
    Nowhere,
    /// It cannot be told.
    Unreadable,
}

impl Address {
    /// Reads an address; one without a scheme is taken for one of a web page.
    pub(crate) fn read(text: &str) -> Self {
        let parsed = Url::parse(text).ok();
        match &parsed {
            Some(url) if url.scheme() == "file" => return Self::File,
            Some(url) if ["data", "about"].contains(&url.scheme()) => return Self::Nowhere,
            Some(url) if url.host().is_none() && text.contains("://") => return Self::Nowhere,
            None if text.contains("://") => return Self::Unreadable,
            _ => {}
        }
        let host = parsed.as_ref().and_then(host).or_else(|| {
            // `localhost:80` and `example.com:80/x` read as schemes.
            host(&Url::parse(&format!("https://{}", text.trim_start())).ok()?)
        });
        match host {
            Some(host) => Self::Host {
                host,
                ambiguous: is_ambiguous(text),
            },
            None => Self::Unreadable,
        }
    }
}

fn host(url: &Url) -> Option<String> {
    let host = match url.host()? {
        Host::Domain(name) => {
            let name = name.strip_suffix('.').unwrap_or(name);
            name.to_lowercase()
        }
        Host::Ipv4(address) => address.to_string(),
        Host::Ipv6(address) => match address.to_ipv4_mapped() {
            Some(address) => address.to_string(),
            None => address.to_string(),
        },
    };
    (!host.is_empty()).then_some(host)
}

/// Whether readers are known to differ: a backslash, a blank or control character, or more than one
/// `@` before the path.
fn is_ambiguous(text: &str) -> bool {
    let text = text.trim();
    let rest = text.split_once("//").map_or(text, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or(rest);
    let marked = |c: char| c == '\\' || c.is_whitespace() || c.is_control();
    authority.contains(marked)
        || authority.matches('@').count() > 1
        || text.contains(char::is_control)
        || text
            .split(':')
            .next()
            .is_some_and(|scheme| scheme.contains('\\'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_in_every_spelling() {
        for (text, expected) in [
            ("https://Example.COM/x", "example.com"),
            ("https://user:pw@example.com:8443/x?y#z", "example.com"),
            ("https://example.com./", "example.com"),
            ("https://example.com", "example.com"),
            ("  https://example.com  ", "example.com"),
            ("http://[::1]:80/", "::1"),
            ("http://[::ffff:127.0.0.1]/", "127.0.0.1"),
            ("http://2130706433/", "127.0.0.1"),
            ("http://0x7f.1/", "127.0.0.1"),
            ("http://ex%61mple.com/", "example.com"),
            ("http://b\u{fc}cher.de/", "xn--bcher-kva.de"),
            ("http:example.com", "example.com"),
            ("example.com/x", "example.com"),
            ("example.com:8080/x", "example.com"),
            ("localhost:3000", "localhost"),
            ("ssh://git@Host.example/x", "host.example"),
            ("postgres://u:p@db:5432/x", "db"),
        ] {
            let expected = Address::Host {
                host: expected.to_owned(),
                ambiguous: false,
            };
            assert_eq!(Address::read(text), expected, "{text}");
        }
    }

    #[test]
    fn readers_that_differ() {
        for text in [
            "http://good.example\\@evil.example/",
            "http://a@good.example@evil.example/",
            "http://good\t.example/",
            "ht\ntp://good.example/",
        ] {
            let read = Address::read(text);
            assert!(
                matches!(
                    read,
                    Address::Host {
                        ambiguous: true,
                        ..
                    }
                ),
                "{text:?} {read:?}"
            );
        }
    }

    #[test]
    fn addresses_without_a_host() {
        for (text, expected) in [
            ("file:///etc/passwd", Address::File),
            ("data:text/plain,x", Address::Nowhere),
            ("about:blank", Address::Nowhere),
            ("resource:///x", Address::Nowhere),
            ("", Address::Unreadable),
            ("https://", Address::Unreadable),
            ("https://exa mple.com/", Address::Unreadable),
            ("not a host", Address::Unreadable),
            ("javascript:alert(1)", Address::Unreadable),
            ("http://[::1/", Address::Unreadable),
        ] {
            assert_eq!(Address::read(text), expected, "{text}");
        }
    }
}
