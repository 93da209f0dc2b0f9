//! Which of many matchers cover a tool name, without looking at each of them.
//!
//! A byte trie over all names and prefixes: a lookup walks the tool name once and stops at the
//! first byte that no matcher goes on with, however many hooks there are. Nothing is hashed, so
//! names from outside cannot make it slow.

use hookward_rules::{EffectKind, KindSet};

use crate::matcher::{Alternative, Matcher};

/// The matchers of one event, by position of their hooks.
#[derive(Debug, Default)]
pub(crate) struct MatchIndex {
    nodes: Vec<Node>,
    /// Hooks by the effect that they are for, in the order of [`EffectKind::ALL`].
    effects: [Vec<u32>; EffectKind::ALL.len()],
    /// Whether there are any of these.
    asks_for_effects: bool,
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
                    Alternative::Effect(kind) => index.add_effect(*kind, hook),
                }
            }
        }
        index
    }

    /// Whether no matcher is indexed.
    pub(crate) fn is_empty(&self) -> bool {
        self.nodes.is_empty() && !self.asks_for_effects
    }

    /// Whether a matcher is for an effect.
    pub(crate) fn asks_for_effects(&self) -> bool {
        self.asks_for_effects
    }

    /// Adds the hooks that are for effects of these kinds to `found`, as [`collect`](Self::collect)
    /// does.
    pub(crate) fn collect_effects(&self, kinds: KindSet, found: &mut Vec<u32>) {
        for (kind, hooks) in EffectKind::ALL.into_iter().zip(&self.effects) {
            if kinds.has(kind) {
                found.extend_from_slice(hooks);
            }
        }
    }

    fn add_effect(&mut self, wanted: EffectKind, hook: u32) {
        self.asks_for_effects = true;
        let lists = EffectKind::ALL.into_iter().zip(&mut self.effects);
        for (_, hooks) in lists.filter(|(kind, _)| *kind == wanted) {
            hooks.push(hook);
        }
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
    use crate::definition::FormatVersion;

    fn parse(text: &str) -> Matcher {
        Matcher::parse(text, FormatVersion::V2).unwrap()
    }

    fn lookup(matchers: &[Matcher], names: &[&str], kinds: KindSet) -> Vec<u32> {
        let index = MatchIndex::build((0..).zip(matchers));
        let mut found = Vec::new();
        for name in names {
            index.collect(name, &mut found);
        }
        index.collect_effects(kinds, &mut found);
        found.sort_unstable();
        found.dedup();
        found
    }

    proptest! {
        /// The index finds what a scan over all matchers finds.
        #[test]
        fn index_equals_scan(
            texts in prop::collection::vec(
                "([ab_é]{1,3}\\*?|\\*|@(exec|mcp))(\\|([ab_é]{1,3}\\*?|@(exec|read))){0,3}",
                0..12,
            ),
            names in prop::collection::vec("[ab_é]{0,5}", 1..3),
            kinds in prop::sample::subsequence(EffectKind::ALL.to_vec(), 0..=8),
        ) {
            let matchers: Vec<_> = texts.iter().map(|text| parse(text)).collect();
            let kinds: KindSet = kinds.into_iter().collect();
            let names: Vec<_> = names.iter().map(String::as_str).collect();
            let naive: Vec<u32> = (0..)
                .zip(&matchers)
                .filter(|(_, matcher)| {
                    names.iter().any(|name| matcher.matches(name))
                        || EffectKind::ALL
                            .iter()
                            .any(|kind| kinds.has(*kind) && matcher.effects().has(*kind))
                })
                .map(|(hook, _)| hook)
                .collect();
            prop_assert_eq!(lookup(&matchers, &names, kinds), naive);
        }
    }

    #[test]
    fn nothing_is_allocated_when_nothing_matches() {
        let matchers = ["Bash|Write|@exec", "mcp__x__*"].map(parse);
        let index = MatchIndex::build((0..).zip(&matchers));
        let mut found = Vec::new();
        index.collect("Read", &mut found);
        index.collect_effects(KindSet::default().with(EffectKind::Read), &mut found);
        assert_eq!(found.capacity(), 0);
    }
}
