//! Why a measurement could not be made.

use std::io;

use camino::Utf8PathBuf;

/// A run of the harness that cannot go on. Slowness is never one.
#[derive(Debug, thiserror::Error)]
pub(crate) enum BenchError {
    /// A program of this workspace does not build.
    #[error("building {program}: {source}; run the same build with cargo to see why")]
    Build {
        program: &'static str,
        source: escargot::error::CargoError,
    },
    /// The operating system refused something.
    #[error("{doing}: {source}")]
    Io { doing: String, source: io::Error },
    /// A hook could not be trusted.
    #[error("trusting hooks in {folder}: {problem}")]
    Trust {
        folder: Utf8PathBuf,
        problem: String,
    },
    /// What is measured did something else than it should, so its time means nothing.
    #[error("measuring {what}: expected {expected}, got {got}")]
    Unexpected {
        what: String,
        expected: String,
        got: String,
    },
}

impl BenchError {
    /// Wraps an error of the operating system that came while `doing` something.
    pub(crate) fn io(doing: impl Into<String>) -> impl FnOnce(io::Error) -> Self {
        let doing = doing.into();
        move |source| Self::Io { doing, source }
    }
}

/// An error unless what was measured did what it should.
pub(crate) fn expect<T: PartialEq + std::fmt::Debug>(
    what: &str,
    expected: &T,
    got: &T,
) -> Result<(), BenchError> {
    if expected == got {
        return Ok(());
    }
    Err(BenchError::Unexpected {
        what: what.to_owned(),
        expected: format!("{expected:?}"),
        got: format!("{got:?}"),
    })
}
