//! Which calls were met already: a resumed or forked session repeats what came before.

use std::collections::HashSet;
use std::hash::{BuildHasher as _, Hasher as _, RandomState};

/// Shortest id of a call that no two sessions share: models give longer ones, and what stands in for
/// a model often counts from 0 in each session.
const UNIQUE_ID_BYTES: usize = 20;

/// The calls so far, 16 bytes each, under keys that nobody can aim at.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    calls: HashSet<u128>,
    keys: [RandomState; 2],
}

impl Seen {
    /// Whether a call is met for the first time. `message` names what held it, `lineage` the session
    /// with which all resumed and forked ones share it. A call without an id is always new.
    pub(crate) fn is_new(&mut self, call: &Identity<'_>) -> bool {
        if call.id.is_empty() {
            return true;
        }
        let lineage = if call.id.len() < UNIQUE_ID_BYTES {
            call.lineage
        } else {
            ""
        };
        let parts = [call.id, call.message, lineage, call.tool, call.input];
        let [high, low] = self.keys.each_ref().map(|key| {
            let mut hasher = key.build_hasher();
            for part in parts {
                hasher.write_usize(part.len());
                hasher.write(part.as_bytes());
            }
            u128::from(hasher.finish())
        });
        self.calls.insert(high << 64 | low)
    }
}

/// What tells a call from all others.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Identity<'a> {
    pub(crate) id: &'a str,
    pub(crate) message: &'a str,
    pub(crate) lineage: &'a str,
    pub(crate) tool: &'a str,
    pub(crate) input: &'a str,
}

#[cfg(test)]
mod tests {
    use super::*;

    const CALL: Identity<'_> = Identity {
        id: "toolu_01A09q90qw90lq917835lq9",
        message: "m",
        lineage: "s1",
        tool: "Bash",
        input: "{}",
    };

    #[test]
    fn a_repeated_call_is_counted_once_whatever_its_session() {
        let mut seen = Seen::default();
        assert!(seen.is_new(&CALL));
        assert!(!seen.is_new(&CALL));
        assert!(!seen.is_new(&Identity {
            lineage: "s2",
            ..CALL
        }));
        assert!(seen.is_new(&Identity {
            input: "{ }",
            ..CALL
        }));
        assert!(seen.is_new(&Identity {
            message: "n",
            ..CALL
        }));
    }

    #[test]
    fn a_short_id_means_a_call_within_its_session_only() {
        let mut seen = Seen::default();
        let short = Identity {
            id: "call_0",
            ..CALL
        };
        assert!(seen.is_new(&short));
        assert!(!seen.is_new(&short));
        assert!(seen.is_new(&Identity {
            lineage: "s2",
            ..short
        }));
    }

    #[test]
    fn calls_without_an_id_are_all_counted() {
        let mut seen = Seen::default();
        let nameless = Identity { id: "", ..CALL };
        assert!(seen.is_new(&nameless) && seen.is_new(&nameless));
    }
}
