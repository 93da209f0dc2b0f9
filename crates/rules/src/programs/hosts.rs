//! Hosts of addresses as people and programs write them. No name is ever looked up.

use std::net::Ipv4Addr;

/// The host of `scheme://user@host:port/…`, of `user@host:path`, or of `host:port/…`.
///
/// It is in lower case, without port, user, brackets or a dot at its end. Percent-encoding is undone,
/// and a number that stands for an IPv4 address (`0x7f.1`, `2130706433`) is written in the usual way,
/// as programs that fetch do it. `None` where there is no host, or where the text stands for several.
pub(crate) fn host_of(address: &str) -> Option<String> {
    let text: String = address
        .trim()
        .chars()
        .filter(|c| !matches!(c, '\t' | '\n' | '\r'))
        .map(|c| if c == '\\' { '/' } else { c })
        .collect();
    let rest = match text.split_once("://") {
        Some((scheme, rest)) if is_scheme(scheme) => rest.trim_start_matches('/'),
        Some(_) => return None,
        None => text.trim_start_matches('/'),
    };
    let authority = rest.split(['/', '?', '#']).next()?;
    let place = authority
        .rsplit_once('@')
        .map_or(authority, |(_, place)| place);
    let name = match place.strip_prefix('[') {
        Some(rest) => rest.split_once(']')?.0,
        None => place.split(':').next()?,
    };
    let name = decoded(name).trim_end_matches('.').to_lowercase();
    let odd = |c: char| c.is_whitespace() || c.is_control() || "{}*$`'\"<>|^,;&()".contains(c);
    if name.is_empty() || name.contains(odd) {
        return None;
    }
    Some(number(&name).map_or(name, |address| address.to_string()))
}

fn is_scheme(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "+-.:".contains(c))
}

fn decoded(name: &str) -> String {
    let mut bytes = Vec::with_capacity(name.len());
    let mut rest = name.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        let hex = |at: usize| char::from(*after.get(at)?).to_digit(16);
        let code = match (byte, hex(0), hex(1)) {
            (b'%', Some(high), Some(low)) => u8::try_from(high * 16 + low).ok(),
            _ => None,
        };
        bytes.push(code.unwrap_or(byte));
        rest = code.and_then(|_| after.get(2..)).unwrap_or(after);
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// An IPv4 address of one to four numbers, each decimal, octal (`0…`) or hexadecimal (`0x…`), the
/// last of which fills what is left; `inet_aton(3)`.
fn number(name: &str) -> Option<Ipv4Addr> {
    let parts = name.split('.').map(part).collect::<Option<Vec<u64>>>()?;
    let (last, leading) = parts.split_last()?;
    let room = u32::try_from(4_usize.checked_sub(leading.len())?).ok()? * 8;
    if room == 0 || *last >= 1 << room || leading.iter().any(|part| *part > 255) {
        return None;
    }
    let high = leading.iter().fold(0, |sum, part| sum << 8 | part);
    u32::try_from(high << room | last).ok().map(Ipv4Addr::from)
}

fn part(text: &str) -> Option<u64> {
    let (digits, radix) = match text.strip_prefix("0x") {
        Some("") => return Some(0),
        Some(digits) => (digits, 16),
        None if text.len() > 1 && text.starts_with('0') => (&text[1..], 8),
        None => (text, 10),
    };
    let digits_only = digits.chars().all(|c| c.is_digit(radix));
    digits_only.then(|| u64::from_str_radix(digits, radix).ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_as_written() {
        for (address, expected) in [
            ("https://Example.COM/a", Some("example.com")),
            ("https://example.com.", Some("example.com")),
            ("example.com:8080/a", Some("example.com")),
            ("https://good.com@evil.com:80/x@y", Some("evil.com")),
            ("http://[::1]:80/", Some("::1")),
            ("git@GitHub.com:a/b.git", Some("github.com")),
            ("ssh://git@github.com:22/a", Some("github.com")),
            ("https:\\\\evil.com\\@good.com", Some("evil.com")),
            ("https://ev%69l.com/", Some("evil.com")),
            ("http://2130706433/", Some("127.0.0.1")),
            ("http://0x7f.1/", Some("127.0.0.1")),
            ("http://0177.0.0.1/", Some("127.0.0.1")),
            ("http://256.256.256.256/", Some("256.256.256.256")),
            ("http://1.2.3.4.5/", Some("1.2.3.4.5")),
            ("https:///evil.com/", Some("evil.com")),
            ("", None),
            ("://x", None),
            ("http://[::1", None),
            ("http://a b/", None),
            ("http://{a,b}.org/", None),
            ("http://%", Some("%")),
        ] {
            assert_eq!(host_of(address).as_deref(), expected, "{address}");
        }
    }
}
