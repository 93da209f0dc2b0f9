//! Patterns of hosts and of MCP tools.

use super::glob::NameGlob;
use super::{Fault, Match, Pattern};
use crate::effect::Effect;
use crate::scene::Scene;

/// A host: `example.com`, `*.example.com` (every name below it), `*`.
#[derive(Debug, Clone)]
pub(crate) struct HostPattern(NameGlob);

impl Pattern for HostPattern {
    fn compile(text: &str) -> Result<Self, Fault> {
        let whole = 0..text.len();
        if text.contains("://") || text.contains('/') {
            let help = "write the host alone, as in `example.com` or `*.example.com`";
            return Err(Fault::new(
                whole,
                "the pattern is an address, not a host",
                help,
            ));
        }
        let port = text.rsplit_once(':').filter(|(host, port)| {
            !host.contains(':') && port.bytes().all(|byte| byte.is_ascii_digit())
        });
        if let Some((host, _)) = port {
            let help = format!("write `{host}`: a rule holds for every port");
            return Err(Fault::new(
                host.len()..text.len(),
                "the host has a port",
                help,
            ));
        }
        let bare = text.trim_start_matches('[').trim_end_matches([']', '.']);
        let text = if bare.contains(':') {
            bare
        } else {
            text.trim_end_matches('.')
        };
        Ok(Self(NameGlob::compile(&text.to_lowercase(), 0)?))
    }

    fn never_matches(&self) -> Option<Fault> {
        let text = self.0.literal()?;
        text.contains(char::is_whitespace).then(|| {
            let help = "write one host per pattern";
            Fault::new(0..text.len(), "no host has blanks in its name", help)
        })
    }

    fn matches(&self, effect: &Effect, _scene: &Scene<'_>) -> Match {
        let Effect::Network(network) = effect else {
            return Match::No;
        };
        match &network.host {
            Some(host) if self.0.matches(host) => Match::Yes,
            Some(_) => Match::No,
            None if self.0.matches("") => Match::Yes,
            None => Match::Might,
        }
    }

    /// A host that is not known is no host that is let through, not even by `!*`.
    fn excludes(&self, effect: &Effect, scene: &Scene<'_>) -> bool {
        let known = matches!(effect, Effect::Network(network) if network.host.is_some());
        known && self.matches(effect, scene) == Match::Yes
    }
}

/// `server/tool`, each with wildcards; `server` alone means all its tools.
#[derive(Debug, Clone)]
pub(crate) struct McpPattern {
    server: NameGlob,
    tool: NameGlob,
}

impl Pattern for McpPattern {
    fn compile(text: &str) -> Result<Self, Fault> {
        let whole = 0..text.len();
        if let Some(rest) = text.strip_prefix("mcp__") {
            let written = rest.replacen("__", "/", 1);
            let help = format!("write `{written}`, or put `{text}` into the matcher");
            return Err(Fault::new(whole, "the pattern is a tool's full name", help));
        }
        let (server, tool) = text.split_once('/').unwrap_or((text, "*"));
        if server.is_empty() || tool.is_empty() || tool.contains('/') {
            let help = "write `server/tool`, as in `github/create_issue` or `github/*`";
            return Err(Fault::new(whole, "the pattern is not `server/tool`", help));
        }
        Ok(Self {
            server: NameGlob::compile(server, 0)?,
            tool: NameGlob::compile(tool, server.len() + 1)?,
        })
    }

    fn never_matches(&self) -> Option<Fault> {
        let server = self.server.literal()?;
        server.contains("__").then(|| {
            let help = "no server's name has two underscores in a row: they end it";
            Fault::new(0..server.len(), "the server's name holds `__`", help)
        })
    }

    fn matches(&self, effect: &Effect, _scene: &Scene<'_>) -> Match {
        match effect {
            Effect::Mcp { server, tool }
                if self.server.matches(server) && self.tool.matches(tool) =>
            {
                Match::Yes
            }
            _ => Match::No,
        }
    }
}
