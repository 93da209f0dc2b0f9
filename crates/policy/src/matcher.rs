//! Matchers: which tools a hook is for.
//!
//! Names are compared byte for byte. Nothing is folded, trimmed or stripped, and there are no
//! regular expressions (source A, "Configuration").

use std::fmt;

use hookward_rules::{EffectKind, KindSet};
use serde::{Serialize, Serializer};

use crate::definition::FormatVersion;
use crate::suggest::closest;
use crate::tools::{self, Familiarity};

/// Longest matcher, in bytes.
pub const MAX_MATCHER_BYTES: usize = 1_024;
/// Most alternatives of one matcher.
pub const MAX_ALTERNATIVES: usize = 64;

/// First character of alternatives that name an effect.
const EFFECT: char = '@';

/// A union of tool names, exact or prefixes that end in `*`, and in version 2 of effects.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Matcher {
    text: String,
    alternatives: Vec<Alternative>,
}

/// One name of a matcher.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Alternative {
    /// Exactly this name.
    Exact(String),
    /// Every name that begins so; empty for `*`.
    Prefix(String),
    /// Every call that has an effect of this kind, or might have for all that is known of it.
    Effect(EffectKind),
}

/// A text that is no matcher.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MatcherError {
    /// Empty or blank.
    #[error("the matcher is empty")]
    Empty,
    /// Over [`MAX_MATCHER_BYTES`].
    #[error("the matcher is {0} bytes long; the limit is 1024")]
    TooLong(usize),
    /// Over [`MAX_ALTERNATIVES`].
    #[error("the matcher has {0} alternatives; the limit is 64")]
    TooMany(usize),
    /// `A||B`, `|A`, `A|`.
    #[error("alternative {0} of the matcher is empty")]
    EmptyAlternative(usize),
    /// `A | B`.
    #[error("alternative `{0}` has blanks around the name")]
    Blanks(String),
    /// Quotes, controls and other characters that no tool name has.
    #[error("alternative `{name}` has the character `{character}`, which no tool name has")]
    Character {
        /// The alternative, escaped.
        name: String,
        /// The character, escaped.
        character: String,
    },
    /// A `*` that is not the last character.
    #[error("alternative `{0}` has a `*` that is not its last character")]
    InnerStar(String),
    /// Written as a regular expression.
    #[error("alternative `{name}` is written as a regular expression")]
    Regex {
        /// The alternative, escaped.
        name: String,
        /// The same as a name or prefix, where one can be told.
        instead: Option<String>,
    },
    /// An effect in a version 1 file.
    #[error("`{0}` stands for an effect, by which files of version 1 do not match")]
    Effect(String),
    /// `@` and no effect's name after it.
    #[error("`{name}` is not an effect known to this release")]
    UnknownEffect {
        /// The alternative, escaped.
        name: String,
        /// What it most likely stands for.
        meant: Option<&'static str>,
    },
}

impl MatcherError {
    /// What to write instead.
    pub fn help(&self) -> String {
        match self {
            Self::Empty => "leave `matcher` out, or write `*`, to match every tool".to_owned(),
            Self::Regex {
                instead: Some(instead),
                ..
            } => format!("write `{instead}`: names are exact, and a trailing `*` is a prefix"),
            Self::Regex { name, .. } if name.contains('(') => {
                "a matcher names tools only; let the hook look at what the call would do".to_owned()
            }
            Self::Effect(_) => {
                "write `\"version\": 2`, or name the tools, such as `Bash|Write|Edit`".to_owned()
            }
            Self::UnknownEffect {
                meant: Some(meant), ..
            } => format!("did you mean `@{meant}`?"),
            Self::UnknownEffect { .. } => {
                let names = EffectKind::ALL.map(|kind| format!("@{}", kind.as_str()));
                format!("the effects are: {}", names.join(", "))
            }
            _ => "write exact names joined by `|`; a trailing `*` makes a prefix, as in \
                  `Bash|mcp__github__*`"
                .to_owned(),
        }
    }
}

impl Matcher {
    /// The matcher of a group that names none: every tool.
    pub fn all() -> Self {
        Self {
            text: "*".to_owned(),
            alternatives: vec![Alternative::Prefix(String::new())],
        }
    }

    /// Reads a matcher of a file of this version.
    pub fn parse(text: &str, format: FormatVersion) -> Result<Self, MatcherError> {
        if text.len() > MAX_MATCHER_BYTES {
            return Err(MatcherError::TooLong(text.len()));
        }
        if text.trim().is_empty() {
            return Err(MatcherError::Empty);
        }
        let count = text.split('|').count();
        if count > MAX_ALTERNATIVES && !looks_like_regex(text) {
            return Err(MatcherError::TooMany(count));
        }
        let alternatives = text
            .split('|')
            .enumerate()
            .map(|(index, name)| Alternative::parse(index, name, format))
            .collect::<Result<_, _>>()?;
        Ok(Self {
            text: text.to_owned(),
            alternatives,
        })
    }

    /// The normalized text: as written, `*` where none was written. Part of the identity.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The names, in the order in which they are written.
    pub fn alternatives(&self) -> &[Alternative] {
        &self.alternatives
    }

    /// Whether the matcher covers a tool by this name. A snapshot's index answers the same for all
    /// hooks at once.
    pub fn matches(&self, name: &str) -> bool {
        self.alternatives
            .iter()
            .any(|alternative| match alternative {
                Alternative::Exact(exact) => exact == name,
                Alternative::Prefix(prefix) => name.starts_with(prefix.as_str()),
                Alternative::Effect(_) => false,
            })
    }

    /// The kinds of effects that the matcher covers, whatever tool has them.
    pub fn effects(&self) -> KindSet {
        let alternatives = self.alternatives.iter();
        let kinds = alternatives.filter_map(|alternative| match alternative {
            Alternative::Effect(kind) => Some(*kind),
            Alternative::Exact(_) | Alternative::Prefix(_) => None,
        });
        kinds.collect()
    }

    /// Whether the matcher covers every tool.
    pub fn is_all(&self) -> bool {
        let all = |alternative: &Alternative| matches!(alternative, Alternative::Prefix(prefix) if prefix.is_empty());
        self.alternatives.iter().any(all)
    }

    /// Names that match no tool anybody knows, or only tools of another agent.
    pub(crate) fn doubts(&self) -> Vec<Doubt<'_>> {
        let judged: Vec<_> = self
            .alternatives
            .iter()
            .map(|alternative| match alternative {
                Alternative::Exact(name) => (name.as_str(), tools::exact(name)),
                Alternative::Prefix(name) => (name.as_str(), tools::prefix(name)),
                Alternative::Effect(kind) => (kind.as_str(), Familiarity::Known),
            })
            .collect();
        let any_known = judged.iter().any(|(_, known)| *known == Familiarity::Known);
        judged
            .into_iter()
            .filter_map(|(name, known)| match known {
                Familiarity::Known => None,
                Familiarity::Foreign(canonical) => {
                    (!any_known).then_some(Doubt::Foreign { name, canonical })
                }
                Familiarity::IncompleteMcp(instead) => Some(Doubt::IncompleteMcp { name, instead }),
                Familiarity::Unknown(meant) => Some(Doubt::Unknown { name, meant }),
            })
            .collect()
    }
}

/// A name of a matcher that deserves a warning.
pub(crate) enum Doubt<'a> {
    Foreign {
        name: &'a str,
        canonical: &'static str,
    },
    IncompleteMcp {
        name: &'a str,
        instead: String,
    },
    Unknown {
        name: &'a str,
        meant: Option<&'static str>,
    },
}

impl Alternative {
    fn parse(index: usize, name: &str, format: FormatVersion) -> Result<Self, MatcherError> {
        let shown = || crate::diagnostic::shown(name);
        if name.is_empty() {
            return Err(MatcherError::EmptyAlternative(index + 1));
        }
        if name.trim() != name {
            return Err(MatcherError::Blanks(shown()));
        }
        if looks_like_regex(name) {
            return Err(MatcherError::Regex {
                name: shown(),
                instead: without_regex(name),
            });
        }
        if let Some(character) = name.chars().find(|c| is_illegal(*c)) {
            return Err(MatcherError::Character {
                name: shown(),
                character: hookward_contract::escape_for_display(&character.to_string()),
            });
        }
        if let Some(effect) = name.strip_prefix(EFFECT) {
            let kind = EffectKind::ALL
                .into_iter()
                .find(|kind| kind.as_str() == effect);
            match (kind, format) {
                (Some(kind), FormatVersion::V2) => return Ok(Self::Effect(kind)),
                (Some(_), FormatVersion::V1) => return Err(MatcherError::Effect(shown())),
                (None, FormatVersion::V2) => {
                    let meant = closest(effect, &EffectKind::ALL.map(EffectKind::as_str));
                    let name = shown();
                    return Err(MatcherError::UnknownEffect { name, meant });
                }
                // A name like any other, which version 1 never refused.
                (None, FormatVersion::V1) => {}
            }
        }
        match name.strip_suffix('*') {
            Some(prefix) if !prefix.contains('*') => Ok(Self::Prefix(prefix.to_owned())),
            None if !name.contains('*') => Ok(Self::Exact(name.to_owned())),
            _ => Err(MatcherError::InnerStar(shown())),
        }
    }
}

fn is_illegal(c: char) -> bool {
    c.is_control() || matches!(c, '"' | '\'' | '`' | ',' | ';' | '<' | '>' | '&' | '=')
}

fn looks_like_regex(text: &str) -> bool {
    text.contains(['^', '$', '(', ')', '[', ']', '{', '}', '+', '?', '\\']) || text.contains(".*")
}

/// `^Bash$` → `Bash`, `mcp__x__.*` → `mcp__x__*`, where nothing else of a regular expression is
/// left.
fn without_regex(name: &str) -> Option<String> {
    let inner = name.strip_prefix('^').unwrap_or(name);
    let inner = inner.strip_suffix('$').unwrap_or(inner);
    let plain = match inner.strip_suffix(".*") {
        Some(prefix) => format!("{prefix}*"),
        None => inner.to_owned(),
    };
    (!looks_like_regex(&plain) && Alternative::parse(0, &plain, FormatVersion::V1).is_ok())
        .then_some(plain)
}

impl fmt::Display for Matcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Serialize for Matcher {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Matcher, MatcherError> {
        let [first, second] =
            [FormatVersion::V1, FormatVersion::V2].map(|v| Matcher::parse(text, v));
        assert_eq!(first, second, "{text}: without effects the versions agree");
        first
    }

    fn matches(matcher: &str, name: &str) -> bool {
        parse(matcher).unwrap().matches(name)
    }

    #[test]
    fn union_prefix_and_case() {
        assert!(matches("Bash|Write", "Write"));
        assert!(!matches("Bash|Write", "bash"));
        assert!(!matches("Bash", "BashOutput"));
        assert!(matches("mcp__git*", "mcp__github__x"));
        assert!(matches("Bash|*", "anything"));
        assert!(Matcher::all().matches(""));
    }

    /// Case B103: absent and `*` mean all; empty and blank mean a mistake.
    #[test]
    fn b103_empty_and_blank_are_refused() {
        for text in ["", " ", "\t\n"] {
            assert_eq!(parse(text), Err(MatcherError::Empty), "{text:?}");
        }
        assert_eq!(parse("*"), Ok(Matcher::all()));
    }

    /// Case B105: quotes that a form added.
    #[test]
    fn b105_quotes_are_refused() {
        for text in ["\"\"", "\"Bash\"", "'Bash'", "`Bash`"] {
            let error = parse(text).unwrap_err();
            assert!(matches!(error, MatcherError::Character { .. }), "{text}");
        }
    }

    /// Case B107: punctuation of MCP names is compared as it is.
    #[test]
    fn b107_names_are_not_folded() {
        assert!(matches(
            "mcp__my-hub__create.item",
            "mcp__my-hub__create.item"
        ));
        assert!(!matches("mcp__my_hub__*", "mcp__my-hub__create.item"));
    }

    #[test]
    fn shapes_that_are_refused() {
        for (text, expected) in [
            ("A||B", MatcherError::EmptyAlternative(2)),
            ("|A", MatcherError::EmptyAlternative(1)),
            ("A|", MatcherError::EmptyAlternative(2)),
            ("A | B", MatcherError::Blanks("A ".into())),
            (" A", MatcherError::Blanks(" A".into())),
            ("A*B", MatcherError::InnerStar("A*B".into())),
            ("*A", MatcherError::InnerStar("*A".into())),
            ("**", MatcherError::InnerStar("**".into())),
        ] {
            assert_eq!(parse(text), Err(expected), "{text}");
        }
    }

    #[test]
    fn effects_are_named_in_version_2_alone() {
        for kind in EffectKind::ALL {
            let name = format!("@{}", kind.as_str());
            let error = Matcher::parse(&format!("Bash|{name}"), FormatVersion::V1).unwrap_err();
            assert_eq!(error, MatcherError::Effect(name.clone()));
            assert!(error.help().contains("\"version\": 2"), "{}", error.help());
            let matcher = Matcher::parse(&format!("Bash|{name}"), FormatVersion::V2).unwrap();
            assert_eq!(matcher.effects(), KindSet::default().with(kind));
            assert!(matcher.matches("Bash") && !matcher.matches(&name));
            assert!(matcher.doubts().is_empty());
        }
        for (text, help) in [
            ("@exce", "did you mean `@exec`?"),
            ("@Exec", "did you mean `@exec`?"),
            ("@net", "did you mean `@network`?"),
            ("@exec*", "did you mean `@exec`?"),
            ("@", "the effects are: @exec, @read,"),
            ("@zzzzzz", "the effects are: @exec, @read,"),
        ] {
            let error = Matcher::parse(text, FormatVersion::V2).unwrap_err();
            assert!(
                matches!(error, MatcherError::UnknownEffect { .. }),
                "{text}"
            );
            assert!(error.help().starts_with(help), "{text}: {}", error.help());
        }
        assert!(Matcher::parse("@exce", FormatVersion::V1).is_ok());
    }

    #[test]
    fn matchers_of_every_tool() {
        for (text, all) in [
            ("*", true),
            ("Bash|*", true),
            ("Bash*", false),
            ("Bash", false),
        ] {
            assert_eq!(parse(text).unwrap().is_all(), all, "{text}");
        }
        assert!(!Matcher::parse("@exec", FormatVersion::V2).unwrap().is_all());
    }

    #[test]
    fn regular_expressions_are_refused_with_what_to_write() {
        for (text, written) in [
            ("^Bash$", Some("Bash")),
            ("mcp__x__.*", Some("mcp__x__*")),
            (".*", Some("*")),
            ("(Bash|Edit)", None),
            ("Notebook.*|Edit", Some("Notebook*")),
            ("B[ae]sh", None),
        ] {
            let Err(MatcherError::Regex { instead, .. }) = parse(text) else {
                panic!("{text}");
            };
            assert_eq!(instead.as_deref(), written, "{text}");
        }
    }

    #[test]
    fn limits_at_below_and_above() {
        for (bytes, good) in [(1_023, true), (1_024, true), (1_025, false)] {
            assert_eq!(parse(&"x".repeat(bytes)).is_ok(), good, "{bytes}");
        }
        for (count, good) in [(63, true), (64, true), (65, false)] {
            let text = vec!["A"; count].join("|");
            assert_eq!(parse(&text).is_ok(), good, "{count}");
        }
    }

    #[test]
    fn doubts_of_names() {
        let doubts = |text: &str| -> Vec<String> {
            let matcher = parse(text).unwrap();
            let told = matcher.doubts().into_iter().map(|doubt| match doubt {
                Doubt::Foreign { name, canonical } => format!("{name}: foreign {canonical}"),
                Doubt::IncompleteMcp { name, instead } => format!("{name}: mcp {instead}"),
                Doubt::Unknown { name, meant } => format!("{name}: unknown {meant:?}"),
            });
            told.collect()
        };
        assert_eq!(doubts("bash"), ["bash: unknown Some(\"Bash\")"]);
        assert_eq!(
            doubts("run_shell_command"),
            ["run_shell_command: foreign Bash"]
        );
        assert!(doubts("Bash|run_shell_command").is_empty());
        assert_eq!(doubts("Bash|wirte"), ["wirte: unknown Some(\"Write\")"]);
        assert_eq!(doubts("mcp__git"), ["mcp__git: mcp mcp__git__*"]);
        assert!(doubts("mcp__git__*|*").is_empty());
    }
}
