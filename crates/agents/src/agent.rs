use std::fmt;
use std::str::FromStr;

/// An agent whose hooks Hookward can answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum AgentName {
    /// Claude Code; see [`claude_code`](crate::claude_code).
    ClaudeCode,
}

impl AgentName {
    /// Every agent, in the order in which documents list them.
    pub const ALL: &'static [Self] = &[Self::ClaudeCode];

    /// The name used on the command line.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude-code",
        }
    }
}

impl fmt::Display for AgentName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The text is not the name of an agent that Hookward knows.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not an agent that Hookward knows; the agents are: claude-code")]
pub struct UnknownAgent(pub String);

impl FromStr for AgentName {
    type Err = UnknownAgent;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .iter()
            .copied()
            .find(|agent| agent.as_str() == text)
            .ok_or_else(|| UnknownAgent(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_round_trip_and_the_error_lists_them_all() {
        for agent in AgentName::ALL {
            assert_eq!(agent.as_str().parse(), Ok(*agent));
            assert!(
                UnknownAgent(String::new())
                    .to_string()
                    .contains(agent.as_str())
            );
        }
        assert!("Claude-Code".parse::<AgentName>().is_err());
    }
}
