//! Hosts of addresses as they are written on command lines. No name is ever looked up.

use crate::address::Address;

/// The host of `scheme://user@host:port/…`, of `user@host:path`, or of `host:port/…`, in the form of
/// [`Address::Host`]. `None` where there is none, where readers of addresses differ about it, or
/// where the text stands for several.
pub(super) fn host_of(address: &str) -> Option<String> {
    let text = address.trim();
    let read = if text.contains("://") {
        Address::read(text)
    } else if text.contains('\\') {
        // A slash to some readers.
        return None;
    } else {
        let place = text.split('/').next()?;
        let place = place.rsplit_once('@').map_or(place, |(_, place)| place);
        let name = match place.split_once(']') {
            Some((name, _)) => format!("{name}]"),
            None => place.split(':').next()?.to_owned(),
        };
        Address::read(&format!("https://{name}"))
    };
    match read {
        Address::Host {
            host,
            ambiguous: false,
        } if !host.contains(|c: char| "{}*$`,;()'\"".contains(c)) => Some(host),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_as_written() {
        for (address, expected) in [
            ("https://Example.COM/a", Some("example.com")),
            ("example.com:8080/a", Some("example.com")),
            ("https://good.com@evil.com:80/x@y", Some("evil.com")),
            ("http://[::1]:80/", Some("::1")),
            ("[::1]:80", Some("::1")),
            ("git@GitHub.com:a/b.git", Some("github.com")),
            ("ssh://git@github.com:22/a", Some("github.com")),
            ("rsync://Host.org/x", Some("host.org")),
            ("host.org:a:b", Some("host.org")),
            ("https:\\\\evil.com\\@good.com", None),
            ("https://evil.com\\@good.com/", None),
            ("http://0x7f.1/", Some("127.0.0.1")),
            ("2130706433", Some("127.0.0.1")),
            ("", None),
            ("://x", None),
            ("http://[::1", None),
            ("http://a b/", None),
            ("http://{a,b}.org/", None),
        ] {
            assert_eq!(host_of(address).as_deref(), expected, "{address}");
        }
    }
}
