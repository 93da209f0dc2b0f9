use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A lifecycle point at which hooks may run.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[non_exhaustive]
pub enum EventName {
    /// A tool call was asked for and nothing durable has happened yet.
    PreToolUse,
}

impl EventName {
    /// Every event, in the order in which documents list them.
    pub const ALL: &'static [Self] = &[Self::PreToolUse];

    /// The name used in configuration and payloads.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::PreToolUse => "PreToolUse",
        }
    }
}

impl fmt::Display for EventName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The text is not the name of an event that hooks can be attached to.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not an event; the events are: PreToolUse")]
pub struct UnknownEvent(pub String);

impl FromStr for EventName {
    type Err = UnknownEvent;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .iter()
            .copied()
            .find(|event| event.as_str() == text)
            .ok_or_else(|| UnknownEvent(text.to_owned()))
    }
}
