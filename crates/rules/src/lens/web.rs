//! Tools that fetch from the network or search it.
//!
//! The host is read from the address and never looked up. A search speaks to a host that the call
//! does not name.

use super::json;
use super::target;
use super::view::{Field, View};
use crate::address::Address;
use crate::collector::{Collector, Meant};
use crate::effect::{Access, OpaqueCause};

/// Fields that hold addresses.
const ADDRESS: &[&str] = &[
    "url", "urls", "uri", "uris", "href", "link", "links", "address",
];

/// Fields that may hold addresses within a text that a model wrote for another model.
const PROSE: &[&str] = &["prompt", "query", "text", "input"];

/// `WebFetch` and its like: `{url}`, `{urls: […]}`, or addresses within `{prompt}`.
pub(super) fn fetch(view: &View<'_>, collector: &mut Collector<'_>) {
    let mut found = addresses(view, collector);
    // The tool of this name reads its prompt for addresses, whatever else is given.
    if !found || view.names().any(|name| name == "web_fetch") {
        for field in PROSE.iter().map(|key| view.text(key)) {
            if let Field::Text(text) = field {
                found |= prose(&text, view, collector);
            }
        }
    }
    if !found {
        collector.opaque(OpaqueCause::UnknownHost, view.tool());
    }
}

/// `WebSearch` and its like.
pub(super) fn search(view: &View<'_>, collector: &mut Collector<'_>) {
    collector.network(None, None, view.tool());
    addresses(view, collector);
    if view.entries().list.is_empty() || view.entries().cut {
        view.unknown_input(collector);
    }
}

/// Adds what an address leads to.
pub(super) fn address(text: &str, via: &str, view: &View<'_>, collector: &mut Collector<'_>) {
    match Address::read(text) {
        Address::Host { host, ambiguous } => {
            collector.network(Some(host), Some(text), via);
            if ambiguous {
                collector.opaque(OpaqueCause::UnknownHost, text);
            }
        }
        Address::File => {
            target::file(
                collector,
                Access::Read,
                view.cwd(),
                text,
                via,
                Meant::default(),
            );
        }
        Address::Nowhere => {}
        Address::Unreadable => collector.opaque(OpaqueCause::UnknownHost, text),
    }
}

/// Adds every address of the fields that hold them, at any depth.
fn addresses(view: &View<'_>, collector: &mut Collector<'_>) -> bool {
    let mut found = false;
    for (key, raw) in &view.entries().list {
        if !(json::is_nested(raw) || ADDRESS.contains(&&**key)) {
            continue;
        }
        json::strings(raw, key, &mut |key, text| {
            if ADDRESS.contains(&key) {
                address(text, view.tool(), view, collector);
                found = true;
            }
        });
    }
    found
}

/// Adds every address of a web page within a text.
fn prose(text: &str, view: &View<'_>, collector: &mut Collector<'_>) -> bool {
    let mut found = false;
    for word in text.split_whitespace() {
        if let Some(address) = find_web(word).and_then(|at| word.get(at..)) {
            let marks = ['.', ',', ')', ']', '>', '"', '\''];
            self::address(
                address.trim_end_matches(marks),
                view.tool(),
                view,
                collector,
            );
            found = true;
        }
    }
    found
}

/// Where the address of a web page begins in a word.
fn find_web(word: &str) -> Option<usize> {
    let scheme = word.find("://")?;
    let before = word.get(..scheme)?.to_ascii_lowercase();
    ["https", "http"]
        .iter()
        .find_map(|name| before.strip_suffix(name).map(str::len))
}
