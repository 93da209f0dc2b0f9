use std::fmt;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// A name or digest that breaks the rules of its type.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{what}: {problem}")]
pub struct InvalidId {
    what: &'static str,
    problem: &'static str,
}

/// Lower-case hex of the SHA-256 of `bytes`, 64 characters.
pub fn sha256_hex(bytes: &[u8]) -> String {
    use fmt::Write as _;
    let mut hex = String::with_capacity(64);
    for byte in Sha256::digest(bytes) {
        // Writing to a String cannot fail.
        let _ = write!(hex, "{byte:02x}");
    }
    hex
}

macro_rules! text_newtype {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(
            Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
        )]
        #[serde(try_from = "String", into = "String")]
        pub struct $name(Arc<str>);

        impl $name {
            /// The text itself.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl From<$name> for String {
            fn from(value: $name) -> Self {
                value.0.as_ref().to_owned()
            }
        }

        impl TryFrom<String> for $name {
            type Error = InvalidId;

            fn try_from(text: String) -> Result<Self, Self::Error> {
                Self::check(&text)
                    .map_err(|problem| InvalidId { what: stringify!($name), problem })?;
                Ok(Self(text.into()))
            }
        }

        impl TryFrom<&str> for $name {
            type Error = InvalidId;

            fn try_from(text: &str) -> Result<Self, Self::Error> {
                Self::try_from(text.to_owned())
            }
        }
    };
}

text_newtype! {
    /// Name of a hook, unique within its file: `[A-Za-z0-9][A-Za-z0-9._-]*`, at most 128 bytes.
    HookId
}

text_newtype! {
    /// Identity of a definition: `sha256:` and 64 lower-case hex digits.
    DefinitionHash
}

text_newtype! {
    /// Digest over an effective hook set: `sha256:` and 64 lower-case hex digits.
    SnapshotDigest
}

text_newtype! {
    /// Canonical name of a tool: not empty, at most 1,024 bytes, no control characters.
    ToolName
}

impl HookId {
    /// Longest accepted id, in bytes.
    pub const MAX_BYTES: usize = 128;

    fn check(text: &str) -> Result<(), &'static str> {
        if text.len() > Self::MAX_BYTES {
            return Err("longer than 128 bytes");
        }
        if !text.starts_with(|c: char| c.is_ascii_alphanumeric()) {
            return Err("must start with an ASCII letter or digit");
        }
        if text
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b"._-".contains(&b))
        {
            Ok(())
        } else {
            Err("may hold only ASCII letters, digits, `.`, `_` and `-`")
        }
    }
}

impl DefinitionHash {
    /// The hash of a definition given as the compact JSON text of its identity array.
    pub fn of_definition(canonical: &str) -> Self {
        Self(format!("sha256:{}", sha256_hex(canonical.as_bytes())).into())
    }

    fn check(text: &str) -> Result<(), &'static str> {
        check_digest(text)
    }
}

impl SnapshotDigest {
    /// The digest over the given bytes.
    pub fn of(bytes: &[u8]) -> Self {
        Self(format!("sha256:{}", sha256_hex(bytes)).into())
    }

    fn check(text: &str) -> Result<(), &'static str> {
        check_digest(text)
    }
}

impl ToolName {
    /// Longest accepted name, in bytes.
    pub const MAX_BYTES: usize = 1_024;

    fn check(text: &str) -> Result<(), &'static str> {
        if text.is_empty() {
            Err("is empty")
        } else if text.len() > Self::MAX_BYTES {
            Err("longer than 1,024 bytes")
        } else if text.chars().any(char::is_control) {
            Err("holds a control character")
        } else {
            Ok(())
        }
    }
}

fn check_digest(text: &str) -> Result<(), &'static str> {
    let hex = text
        .strip_prefix("sha256:")
        .ok_or("must start with `sha256:`")?;
    if hex.len() == 64 && hex.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f')) {
        Ok(())
    } else {
        Err("must end in 64 lower-case hex digits")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hook_ids_at_and_around_their_limits() {
        for good in ["a", "0", "work-hours.policy_2", &"x".repeat(128)] {
            assert!(HookId::try_from(good).is_ok(), "{good}");
        }
        for bad in [
            "",
            "-a",
            ".a",
            "_a",
            "a/b",
            "a b",
            "é",
            "__proto__",
            &"x".repeat(129),
        ] {
            assert!(HookId::try_from(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn digests_are_strict() {
        let hash = DefinitionHash::of_definition("[1]");
        assert!(DefinitionHash::try_from(hash.as_str()).is_ok());
        assert!(DefinitionHash::try_from(hash.as_str().to_uppercase()).is_err());
        assert!(DefinitionHash::try_from(&hash.as_str()[..70]).is_err());
        assert!(DefinitionHash::try_from("sha256:").is_err());
    }
}
