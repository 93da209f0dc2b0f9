//! Which of many matchers cover a tool name, without looking at each of them.
//!
//! A byte trie over all names and prefixes: a lookup walks the tool name once and stops at the
//! first byte that no matcher goes on with, however many hooks there are. Nothing is hashed, so
//! names from outside cannot make it slow.

use crate::matcher::{Alternative, Matcher};

/// The matchers of one event, by position of their hooks.
#[derive(Debug, Default)]
pub(crate) struct MatchIndex {
    nodes: Vec<Node>,
}

#[derive(Debug, Default)]
struct Node {
    /// Next nodes by byte, sorted.
    next: Vec<(u8, u32)>,
    /// Hooks for exactly the name that ends here.
    exact: Vec<u32>,
    /// Hooks for every name that passes here.
    prefix: Vec<u32>,
}

impl MatchIndex {
    /// Indexes matchers together with the positions of their hooks.
    pub(crate) fn build<'a>(matchers: impl Iterator<Item = (u32, &'a Matcher)>) -> Self {
        let mut index = Self::default();
        for (hook, matcher) in matchers {
            for alternative in matcher.alternatives() {
                match alternative {
                    Alternative::Exact(name) => index.node(name).exact.push(hook),
                    Alternative::Prefix(name) => index.node(name).prefix.push(hook),
                }
            }
        }
        index
    }

    /// Whether no matcher is indexed.
    pub(crate) fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The node of a name, made if there is none.
    fn node(&mut self, name: &str) -> &mut Node {
        if self.nodes.is_empty() {
            self.nodes.push(Node::default());
        }
        let mut at = 0;
        for byte in name.bytes() {
            let next = &self.nodes[at].next;
            at = match next.binary_search_by_key(&byte, |(byte, _)| *byte) {
                Ok(found) => next[found].1 as usize,
                Err(place) => {
                    let made = self.nodes.len();
                    // A file of 1 MiB cannot name 4 GiB of matchers.
                    let id = u32::try_from(made).unwrap_or(u32::MAX);
                    self.nodes[at].next.insert(place, (byte, id));
                    self.nodes.push(Node::default());
                    made
                }
            };
        }
        &mut self.nodes[at]
    }

    /// Adds the hooks that cover `name` to `found`, in no order and possibly more than once.
    pub(crate) fn collect(&self, name: &str, found: &mut Vec<u32>) {
        let Some(mut node) = self.nodes.first() else {
            return;
        };
        for byte in name.bytes() {
            found.extend_from_slice(&node.prefix);
            let Ok(place) = node.next.binary_search_by_key(&byte, |(byte, _)| *byte) else {
                return;
            };
            let Some(next) = self.nodes.get(node.next[place].1 as usize) else {
                return;
            };
            node = next;
        }
        found.extend_from_slice(&node.prefix);
        found.extend_from_slice(&node.exact);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn lookup(matchers: &[Matcher], names: &[&str]) -> Vec<u32> {
        let index = MatchIndex::build((0..).zip(matchers));
        let mut found = Vec::new();
        for name in names {
            index.collect(name, &mut found);
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    proptest! {
        /// The index finds what a scan over all matchers finds.
        #[test]
        fn index_equals_scan(
            texts in prop::collection::vec("([ab_é]{1,3}\\*?|\\*)(\\|[ab_é]{1,3}\\*?){0,3}", 0..12),
            names in prop::collection::vec("[ab_é]{0,5}", 1..3),
        ) {
            let matchers: Vec<_> = texts.iter().map(|text| Matcher::parse(text).unwrap()).collect();
            let names: Vec<_> = names.iter().map(String::as_str).collect();
            let naive: Vec<u32> = (0..)
                .zip(&matchers)
                .filter(|(_, matcher)| names.iter().any(|name| matcher.matches(name)))
                .map(|(hook, _)| hook)
                .collect();
            prop_assert_eq!(lookup(&matchers, &names), naive);
        }
    }

    #[test]
    fn nothing_is_allocated_when_nothing_matches() {
        let matchers = ["Bash|Write", "mcp__x__*"].map(|text| Matcher::parse(text).unwrap());
        let index = MatchIndex::build((0..).zip(&matchers));
        let mut found = Vec::new();
        index.collect("Read", &mut found);
        assert_eq!(found.capacity(), 0);
    }
}
