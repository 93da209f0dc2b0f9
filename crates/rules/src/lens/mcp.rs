//! Tools of MCP servers: `mcp__<server>__<tool>`.
//!
//! The separator may stand in a server's or a tool's own name. Then nobody can tell from the name
//! which server is meant, and the call counts as one of each that it could be.

use super::view::{Field, View};
use super::{Family, guess};
use crate::collector::Collector;
use crate::effect::{Effect, OpaqueCause};

const PREFIX: &str = "mcp__";
const SEPARATOR: &str = "__";

/// Whether a name is one of an MCP tool.
pub(super) fn is_name(name: &str) -> bool {
    name.starts_with(PREFIX)
}

/// A tool of a server: the server is spoken to, and the input may name anything.
pub(super) fn effects(view: &View<'_>, collector: &mut Collector<'_>) {
    let name = view.tool();
    let pairs: Vec<_> = pairs(name).collect();
    for (server, tool) in &pairs {
        push(server, tool, collector);
    }
    let tool = pairs.first().map_or("", |(_, tool)| tool);
    if pairs.is_empty() {
        push(name.strip_prefix(PREFIX).unwrap_or(name), "", collector);
    }
    if let Some(family) = Family::of(tool).filter(|family| family.is_beyond_names()) {
        super::known(family, view, collector);
    }
    guess::effects(tool, view, collector);
}

/// The tools of an agent that read from a server: `{server, uri}`. Their name at the server is that
/// of the method, `resources/read` or `resources/list`; a list of all servers' resources is none.
pub(super) fn resource(method: &str, view: &View<'_>, collector: &mut Collector<'_>) {
    match view.first_text(&["server", "server_name", "serverName"]) {
        Field::Text(server) => push(&server, method, collector),
        Field::Missing if method == LIST => return,
        Field::Missing | Field::Other => {
            collector.opaque(OpaqueCause::ToolCalls, view.tool());
        }
    }
    guess::effects("", view, collector);
}

/// Reads one resource of a server.
pub(super) const READ: &str = "resources/read";
/// Lists the resources of a server.
pub(super) const LIST: &str = "resources/list";

fn push(server: &str, tool: &str, collector: &mut Collector<'_>) {
    collector.push(Effect::Mcp {
        server: server.to_owned(),
        tool: tool.to_owned(),
    });
}

/// Every way to take a name apart, the shortest server first.
fn pairs(name: &str) -> impl Iterator<Item = (&str, &str)> {
    let rest = name.strip_prefix(PREFIX).unwrap_or_default();
    let at = (1..rest.len()).filter(move |at| {
        let tail = rest.get(*at..).unwrap_or_default();
        tail.starts_with(SEPARATOR) && tail.len() > SEPARATOR.len()
    });
    at.filter_map(move |at| Some((rest.get(..at)?, rest.get(at + SEPARATOR.len()..)?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Case B109: a separator within a name hides no server.
    #[test]
    fn b109_every_server_that_a_name_could_mean() {
        for (name, expected) in [
            ("mcp__a__b", vec![("a", "b")]),
            ("mcp__a__b__c", vec![("a", "b__c"), ("a__b", "c")]),
            ("mcp__a___t", vec![("a", "_t"), ("a_", "t")]),
            ("mcp__\u{e9}__t", vec![("\u{e9}", "t")]),
            ("mcp__a", vec![]),
            ("mcp__a__", vec![]),
            ("mcp____b", vec![]),
            ("mcp__", vec![]),
        ] {
            assert_eq!(pairs(name).collect::<Vec<_>>(), expected, "{name}");
        }
    }
}
