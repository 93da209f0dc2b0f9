//! Patterns over effects: which programs, files, hosts and tools a rule is about.
//!
//! A pattern says *yes*, *no*, or *might*: something opaque stands where the pattern looks.

mod exec;
mod glance;
mod glob;
#[cfg(test)]
mod glob_laws;
mod names;
mod path;

use crate::effect::{Effect, EffectKind};
use crate::scene::Scene;

pub(crate) use exec::{ExecPattern, Operand, program_bit};
pub(crate) use glance::Glance;
pub(crate) use names::{HostPattern, McpPattern};
pub(crate) use path::PathPattern;

/// Longest pattern, in bytes.
pub const MAX_PATTERN_BYTES: usize = 1_024;
/// Most patterns of one field.
pub const MAX_PATTERNS: usize = 64;

/// A pattern for exactly this path: characters with a meaning escaped. Control characters, which no
/// pattern may hold, become `?`.
pub fn escape_pattern(path: &str) -> String {
    let mut pattern = String::with_capacity(path.len());
    for c in path.chars() {
        if c.is_control() {
            pattern.push('?');
            continue;
        }
        if matches!(c, '*' | '?' | '[' | ']' | '{' | '}' | '\\' | ',') {
            pattern.push('\\');
        }
        pattern.push(c);
    }
    pattern
}

/// How far something fits a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Match {
    /// It does not.
    No,
    /// It cannot be known.
    Might,
    /// It does.
    Yes,
}

/// A text that is no pattern, or a pattern that can never match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fault {
    /// Bytes of the text.
    pub(crate) span: std::ops::Range<usize>,
    pub(crate) message: String,
    pub(crate) help: String,
}

impl Fault {
    pub(crate) fn new(
        span: std::ops::Range<usize>,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> Self {
        Self {
            span,
            message: message.into(),
            help: help.into(),
        }
    }
}

/// One kind of pattern.
pub(crate) trait Pattern: Sized {
    /// Reads a pattern, given without its `!`.
    fn compile(text: &str) -> Result<Self, Fault>;

    /// What makes a valid pattern useless, where something does.
    fn never_matches(&self) -> Option<Fault>;

    /// How far an effect of the field's kind fits.
    fn matches(&self, effect: &Effect, scene: &Scene<'_>) -> Match;

    /// Whether an effect is surely excluded; the opposite of a doubt is no certainty.
    fn excludes(&self, effect: &Effect, scene: &Scene<'_>) -> bool {
        self.matches(effect, scene) == Match::Yes
    }
}

/// The patterns of one field: those that include, and, with a leading `!`, those that exclude.
#[derive(Debug, Clone)]
pub(crate) struct Patterns<P> {
    kind: EffectKind,
    include: Vec<P>,
    exclude: Vec<P>,
}

/// A fault in one pattern of a field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Located {
    pub(crate) index: usize,
    pub(crate) fault: Fault,
}

impl<P: Pattern> Patterns<P> {
    /// Reads the patterns of a field. Without any that includes, all effects of the kind are meant.
    pub(crate) fn compile(
        kind: EffectKind,
        texts: &[String],
        warnings: &mut Vec<Located>,
    ) -> Result<Self, Vec<Located>> {
        let mut patterns = Self {
            kind,
            include: Vec::new(),
            exclude: Vec::new(),
        };
        let mut faults = Vec::new();
        for (index, written) in texts.iter().enumerate() {
            let (text, shift) = match written.strip_prefix('!') {
                Some(text) => (text, 1),
                None => (written.as_str(), 0),
            };
            let located = |mut fault: Fault| {
                fault.span = fault.span.start + shift..fault.span.end + shift;
                Located { index, fault }
            };
            match checked(text).and_then(|()| P::compile(text)) {
                Ok(pattern) => {
                    warnings.extend(pattern.never_matches().map(located));
                    let list = if shift == 1 {
                        &mut patterns.exclude
                    } else {
                        &mut patterns.include
                    };
                    list.push(pattern);
                }
                Err(fault) => faults.push(located(fault)),
            }
        }
        if faults.is_empty() {
            Ok(patterns)
        } else {
            Err(faults)
        }
    }

    pub(crate) fn includes(&self) -> &[P] {
        &self.include
    }

    /// The best match among the effects, and the position of the effect.
    pub(crate) fn best(&self, scene: &Scene<'_>) -> (Match, Option<usize>) {
        let mut best = (Match::No, None);
        for (position, effect) in scene.effects().all().iter().enumerate() {
            let found = self.one(effect, scene);
            if found > best.0 {
                best = (found, Some(position));
            }
            if found == Match::Yes {
                break;
            }
        }
        best
    }

    fn one(&self, effect: &Effect, scene: &Scene<'_>) -> Match {
        if let Effect::Opaque(opaque) = effect {
            return opaque.fits(self.kind);
        }
        if effect.kind() != self.kind {
            return Match::No;
        }
        let included = if self.include.is_empty() {
            Match::Yes
        } else {
            let matches = self.include.iter().map(|p| p.matches(effect, scene));
            matches.max().unwrap_or(Match::No)
        };
        if included == Match::No || self.exclude.iter().any(|p| p.excludes(effect, scene)) {
            return Match::No;
        }
        included
    }
}

/// What no pattern of any kind may be.
fn checked(text: &str) -> Result<(), Fault> {
    if text.trim().is_empty() {
        let help = "write what to look for; `**` alone matches everything";
        return Err(Fault::new(0..text.len(), "the pattern is empty", help));
    }
    if text.len() > MAX_PATTERN_BYTES {
        let message = format!(
            "the pattern is {} bytes long; the limit is 1024",
            text.len()
        );
        return Err(Fault::new(
            0..text.len(),
            message,
            "split it into several patterns",
        ));
    }
    if let Some((at, c)) = text.char_indices().find(|(_, c)| c.is_control()) {
        let message = format!(
            "the pattern has the control character {} in it",
            c.escape_default()
        );
        return Err(Fault::new(at..at + c.len_utf8(), message, "take it out"));
    }
    Ok(())
}
