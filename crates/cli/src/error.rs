//! Errors as a person meets them: what is wrong, where, and what to do.

use std::process::ExitCode;

use camino::Utf8PathBuf;

/// Why a command did not do what it was asked to.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CliError {
    #[error("{action} {path}: {source}")]
    File {
        action: &'static str,
        path: Utf8PathBuf,
        source: std::io::Error,
    },
    #[error("{0}")]
    Policy(String),
    #[error("{message}")]
    Help { message: String, help: String },
    /// A person said no.
    #[error("nothing was trusted")]
    Declined,
    /// A question would have to be asked and nobody can be.
    #[error("{question}")]
    NobodyToAsk { question: String, help: String },
    /// `--require-trusted` met something that is not trusted or not readable.
    #[error("{0}")]
    NotTrusted(String),
}

impl CliError {
    pub(crate) fn new(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self::Help {
            message: message.into(),
            help: help.into(),
        }
    }

    pub(crate) fn file(
        action: &'static str,
        path: impl Into<Utf8PathBuf>,
    ) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.into();
        move |source| Self::File {
            action,
            path,
            source,
        }
    }

    pub(crate) fn policy(error: impl std::fmt::Display) -> Self {
        Self::Policy(error.to_string())
    }

    /// What to do about it, where that is known.
    pub(crate) fn help(&self) -> Option<&str> {
        match self {
            Self::Help { help, .. } | Self::NobodyToAsk { help, .. } => Some(help),
            Self::NotTrusted(_) => Some("see `hookward list`, then `hookward review`"),
            Self::File { .. } | Self::Policy(_) | Self::Declined => None,
        }
    }

    pub(crate) fn exit_code(&self) -> ExitCode {
        match self {
            Self::NobodyToAsk { .. } => ExitCode::from(3),
            Self::NotTrusted(_) => ExitCode::from(4),
            _ => ExitCode::from(1),
        }
    }
}
