//! What an edit of an agent's settings is, and what the settings say about the hook, in words
//! that every agent shares.

use std::fmt;

use similar::TextDiff;

/// Largest settings file that is read, in bytes.
pub const MAX_SETTINGS_BYTES: usize = 4 * 1024 * 1024;

/// How the agent is to start the hook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookCommand {
    /// Absolute path of the program; may hold blanks, no shell reads it.
    pub program: String,
    /// Its arguments.
    pub args: Vec<String>,
}

/// The outcome of an edit of a settings text.
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use]
pub enum Edit {
    /// The text is already as it should be.
    Unchanged,
    /// The text has to be replaced.
    Changed {
        /// The whole new text.
        new_text: String,
        /// The difference in unified form, for a person.
        diff: String,
    },
}

impl Edit {
    pub(crate) fn between(old: &str, new_text: String) -> Self {
        if old == new_text {
            return Self::Unchanged;
        }
        let diff = TextDiff::from_lines(old, &new_text)
            .unified_diff()
            .context_radius(3)
            .header("before", "after")
            .to_string();
        Self::Changed { new_text, diff }
    }
}

/// Settings that cannot be edited. Nothing is changed then.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InstallError {
    /// Over [`MAX_SETTINGS_BYTES`].
    #[error("the settings are {0} bytes long; the limit is 4194304 (4 MiB)")]
    TooLarge(usize),
    /// Neither JSON nor JSON with comments and trailing commas.
    #[error("the settings are not JSON: {0}; correct them and run the command again")]
    Syntax(String),
    /// A part has another type than the agent's settings give it.
    #[error(
        "line {line}, column {column}: `{pointer}` must be {expected}; correct it and run the command again"
    )]
    WrongType {
        /// Line, from 1.
        line: usize,
        /// Column in characters, from 1.
        column: usize,
        /// JSON pointer of the part; empty for the whole text.
        pointer: String,
        /// What it must be.
        expected: &'static str,
    },
    /// A key stands twice in one object, so it is open which one the agent reads.
    #[error(
        "line {line}, column {column}: `{pointer}` is given twice; remove one and run the command again"
    )]
    DuplicateKey {
        /// Line of the second one, from 1.
        line: usize,
        /// Column in characters, from 1.
        column: usize,
        /// JSON pointer of the key.
        pointer: String,
    },
    /// The hook is registered more often than this.
    #[error("the settings register the hook more than {0} times; remove the entries by hand")]
    TooManyEntries(usize),
    /// The program is not an absolute path.
    #[error("the hook program `{0}` is not an absolute path")]
    RelativeProgram(String),
}

/// What a settings text says about the hook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Registration {
    /// Whether the hook is registered.
    pub state: Registered,
    /// What keeps the agent from running it all the same.
    pub obstacles: Vec<Obstacle>,
}

/// Whether a settings text registers the hook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Registered {
    /// Not at all.
    Absent,
    /// As an installation would write it.
    Current,
    /// In another way than an installation would write it.
    Stale {
        /// The command that is registered.
        command: HookCommand,
        /// The fields in which it differs, as the settings call them.
        differs: Vec<&'static str>,
    },
}

/// Something in a settings text that keeps registered hooks from running.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Obstacle {
    /// `disableAllHooks` is set.
    AllHooksDisabled,
    /// `allowManagedHooksOnly` is set; it has effect in managed settings only.
    ManagedHooksOnly,
    /// `strictPluginOnlyCustomization` covers hooks; it has effect in managed settings only.
    PluginHooksOnly,
    /// The text holds comments or trailing commas. The agent does not read such a file at all.
    NotStrictJson(String),
}

impl fmt::Display for Obstacle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AllHooksDisabled => f.write_str("`disableAllHooks` switches off every hook"),
            Self::ManagedHooksOnly => f.write_str(
                "`allowManagedHooksOnly`, where managed settings set it, switches off this hook",
            ),
            Self::PluginHooksOnly => f.write_str(
                "`strictPluginOnlyCustomization`, where managed settings set it, switches off this hook",
            ),
            Self::NotStrictJson(what) => {
                write!(
                    f,
                    "{what}; the agent reads strict JSON only and ignores the whole file"
                )
            }
        }
    }
}
