//! What patterns need to know of a call again and again, found out once.

use std::sync::Mutex;

use camino::{Utf8Path, Utf8PathBuf};

use super::program_bit;
use crate::effect::{Effect, EffectKind, KindSet};
use crate::lens::Effects;
use crate::observation::Observation;

/// Made once per call.
pub(crate) struct Glance {
    /// The kinds of effects that there are or might be.
    pub(crate) kinds: KindSet,
    /// The programs that are started or might be, as [`program_bit`]s.
    pub(crate) programs: u64,
    /// Links followed for patterns: few distinct folders stand in many rules.
    followed: Mutex<Vec<(Utf8PathBuf, Option<Utf8PathBuf>)>>,
}

impl Glance {
    pub(crate) fn new(effects: &Effects) -> Self {
        let programs = effects.all().iter().fold(0, |bits, effect| match effect {
            Effect::Exec(exec) => bits | program_bit(&exec.program),
            Effect::Opaque(opaque) if opaque.might(EffectKind::Exec) => u64::MAX,
            _ => bits,
        });
        Self {
            kinds: effects.kinds(),
            programs,
            followed: Mutex::new(Vec::new()),
        }
    }

    /// The canonical form of a pattern's folder, where it has one.
    pub(crate) fn canonical(
        &self,
        path: &Utf8Path,
        observation: &Observation<'_>,
    ) -> Option<Utf8PathBuf> {
        let look = || observation.files.canonical(path).known().cloned();
        let Ok(mut followed) = self.followed.lock() else {
            return look();
        };
        if let Some((_, canonical)) = followed.iter().find(|(known, _)| known == path) {
            return canonical.clone();
        }
        let canonical = look();
        followed.push((path.to_owned(), canonical.clone()));
        canonical
    }
}
