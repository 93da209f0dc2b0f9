//! Patterns of files.
//!
//! | pattern | means |
//! | --- | --- |
//! | `*.pem` (no slash) | that name in any folder |
//! | `secrets/**`, `./x`, `${project}/x` | below the project's root |
//! | `/etc/**` | from the root of the file system |
//! | `~/.ssh/**` | below the home directory |
//!
//! `*`, `?`, `[…]` stay within a name, `**` stands for any number of names, `{a,b}` for either. What
//! is below a folder that matches matches, too. A path is compared in both its forms, as written and
//! with links followed, and so is the fixed part of the pattern; a match of either holds, and an
//! exclusion needs both. Where the file system folds names, so does the comparison.

use std::borrow::Cow;

use camino::{Utf8Path, Utf8PathBuf};

use super::glob::{NameGlob, alternatives};
use super::{Fault, Match, Pattern};
use crate::effect::{Effect, PathEffect};
use crate::paths;
use crate::scene::Scene;

/// One pattern, its braces taken apart.
#[derive(Debug, Clone)]
pub(crate) struct PathPattern {
    plain: Vec<PathGlob>,
    /// The same for file systems that fold names.
    folded: Vec<PathGlob>,
}

#[derive(Debug, Clone)]
struct PathGlob {
    anchor: Anchor,
    /// The leading names without wildcards.
    fixed: Utf8PathBuf,
    rest: Vec<Component>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Anchor {
    Root,
    Project,
    Home,
}

#[derive(Debug, Clone)]
enum Component {
    Name(NameGlob),
    /// `**`
    Any,
}

/// What a walk over a path answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Question {
    /// Could the path, or for a tree anything below it, be meant?
    Touches,
    /// Is all that the path stands for meant?
    Covers,
}

impl Pattern for PathPattern {
    fn compile(text: &str) -> Result<Self, Fault> {
        let each = alternatives(text)?;
        let compile = |fold: bool| {
            let globs = each.iter().map(|one| PathGlob::compile(one, fold));
            globs.collect::<Result<Vec<_>, _>>()
        };
        let (plain, folded) = (compile(false)?, compile(true)?);
        Ok(Self { plain, folded })
    }

    fn never_matches(&self) -> Option<Fault> {
        None
    }

    fn matches(&self, effect: &Effect, scene: &Scene<'_>) -> Match {
        let Effect::Path(effect) = effect else {
            return Match::No;
        };
        let touches = self.plain.iter().any(|glob| {
            let bases = glob.bases(scene, false);
            forms(effect).any(|form| glob.any(&bases, form, effect, Question::Touches))
        });
        if touches || self.touches_folded(effect, scene) {
            Match::Yes
        } else {
            Match::No
        }
    }

    fn excludes(&self, effect: &Effect, scene: &Scene<'_>) -> bool {
        let Effect::Path(effect) = effect else {
            return false;
        };
        // What is not known for sure, or has other names, is not let through.
        if effect.canonical.doubt().is_some() {
            return false;
        }
        forms(effect).all(|form| {
            self.plain.iter().any(|glob| {
                let bases = glob.bases(scene, false);
                glob.any(&bases, form, effect, Question::Covers)
            })
        })
    }
}

impl PathPattern {
    /// Compares folded forms, and asks the file system only if they fit.
    fn touches_folded(&self, effect: &PathEffect, scene: &Scene<'_>) -> bool {
        let fits = self.folded.iter().any(|glob| {
            let bases = glob.bases(scene, true);
            forms(effect).any(|form| {
                let form = paths::fold(form.as_str());
                glob.any(&bases, Utf8Path::new(&form), effect, Question::Touches)
            })
        });
        fits && scene.observation().files.folds_names(&effect.path) != Some(false)
    }
}

fn forms(effect: &PathEffect) -> impl Iterator<Item = &Utf8Path> {
    let canonical = effect.canonical.known().map(Utf8PathBuf::as_path);
    let other = canonical.filter(|canonical| *canonical != effect.path);
    std::iter::once(effect.path.as_path()).chain(other)
}

impl PathGlob {
    fn compile(text: &str, fold: bool) -> Result<Self, Fault> {
        let fault = |message: &str, help: &str| Fault::new(0..text.len(), message, help);
        let written = if fold {
            paths::fold(text)
        } else {
            Cow::Borrowed(text)
        };
        let (anchor, path) = anchor(&written).map_err(|(message, help)| fault(message, help))?;
        let mut fixed = Utf8PathBuf::new();
        let mut rest = Vec::new();
        for name in path
            .split('/')
            .filter(|name| !name.is_empty() && *name != ".")
        {
            let component = match name {
                ".." => {
                    let help = "write the folder itself, from `/` or `~/` where it is outside";
                    return Err(fault("the pattern has `..` in it", help));
                }
                "**" => Component::Any,
                name if name.contains("**") => {
                    let help = "write `**` between slashes, as in `src/**/*.rs`";
                    return Err(fault("`**` stands next to other characters", help));
                }
                name => {
                    // Folding changes lengths, so a fault is told from the pattern as written.
                    let start = if fold {
                        0
                    } else {
                        text.find(name).unwrap_or(0)
                    };
                    Component::Name(NameGlob::compile(name, start)?)
                }
            };
            match &component {
                Component::Name(glob) if rest.is_empty() => match glob.literal() {
                    Some(literal) => fixed.push(literal),
                    None => rest.push(component),
                },
                _ => rest.push(component),
            }
        }
        Ok(Self {
            anchor,
            fixed,
            rest,
        })
    }

    /// The places where the fixed part lies: as written, and with links followed.
    fn bases(&self, scene: &Scene<'_>, fold: bool) -> [Option<Utf8PathBuf>; 2] {
        let observation = scene.observation();
        let root = match self.anchor {
            Anchor::Root => Some(Utf8Path::new("/")),
            Anchor::Project => Some(observation.project),
            Anchor::Home => observation.home,
        };
        let Some(root) = root else {
            return [None, None];
        };
        let base = if self.fixed.as_str().is_empty() {
            root.to_owned()
        } else {
            root.join(&self.fixed)
        };
        let linked = (base != "/")
            .then(|| scene.glance.canonical(&base, observation))
            .flatten();
        let folded = |path: Utf8PathBuf| {
            if fold {
                Utf8PathBuf::from(paths::fold(path.as_str()).into_owned())
            } else {
                path
            }
        };
        let linked = linked.filter(|linked| *linked != base).map(folded);
        [Some(folded(base)), linked]
    }

    fn any(
        &self,
        bases: &[Option<Utf8PathBuf>; 2],
        path: &Utf8Path,
        effect: &PathEffect,
        question: Question,
    ) -> bool {
        bases
            .iter()
            .flatten()
            .any(|base| self.walk(base, path, effect, question))
    }

    fn walk(
        &self,
        base: &Utf8Path,
        path: &Utf8Path,
        effect: &PathEffect,
        question: Question,
    ) -> bool {
        let tree = effect.tree && question == Question::Touches;
        if effect.pattern {
            let whole: Vec<Component> = base
                .as_str()
                .split('/')
                .filter(|name| !name.is_empty())
                .map(|name| Component::Name(NameGlob::Literal(name.to_owned())))
                .chain(self.rest.iter().cloned())
                .collect();
            let fits = |glob: &NameGlob, name: &str| match question {
                Question::Touches => glob.meets(name),
                Question::Covers => glob.literal() == Some(name),
            };
            return walk(&whole, path.as_str().split('/').skip(1), tree, &fits);
        }
        match path.strip_prefix(base) {
            Ok(below) => {
                let names = below.as_str().split('/').filter(|name| !name.is_empty());
                walk(&self.rest, names, tree, &NameGlob::matches)
            }
            Err(_) => tree && base.starts_with(path),
        }
    }
}

/// Walks a path name by name, keeping every position in the pattern that it can be at. Arriving at
/// the pattern's end is a match, of everything below, too.
fn walk<'p>(
    pattern: &[Component],
    names: impl Iterator<Item = &'p str>,
    tree: bool,
    fits: &dyn Fn(&NameGlob, &str) -> bool,
) -> bool {
    let end = pattern.len();
    // `**` may stand for no name at all. At the very end it wants at least one: `a/**` is what is
    // in `a`, not `a`.
    let skip = |positions: &mut Vec<bool>| {
        for at in 0..end.saturating_sub(1) {
            if positions[at] && matches!(pattern[at], Component::Any) {
                positions[at + 1] = true;
            }
        }
    };
    let mut positions = vec![false; end + 1];
    positions[0] = true;
    skip(&mut positions);
    if positions[end] {
        return true;
    }
    for name in names {
        let mut next = vec![false; end + 1];
        for at in (0..end).filter(|at| positions[*at]) {
            match &pattern[at] {
                Component::Any => {
                    next[at] = true;
                    next[end] |= at + 1 == end;
                }
                Component::Name(glob) => next[at + 1] |= fits(glob, name),
            }
        }
        skip(&mut next);
        if next[end] {
            return true;
        }
        if !next.contains(&true) {
            return false;
        }
        positions = next;
    }
    tree
}

fn anchor(text: &str) -> Result<(Anchor, String), (&'static str, &'static str)> {
    if let Some(rest) = text.strip_prefix("${project}") {
        return match rest.strip_prefix('/') {
            Some(rest) => Ok((Anchor::Project, rest.to_owned())),
            None if rest.is_empty() => Ok((Anchor::Project, String::new())),
            None => Err((
                "`${project}` is not followed by a slash",
                "write `${project}/…`",
            )),
        };
    }
    if text.starts_with("${") {
        return Err((
            "the pattern begins with an unknown placeholder",
            "there is `${project}`; write `~/` for the home directory",
        ));
    }
    if text == "~" {
        return Ok((Anchor::Home, String::new()));
    }
    if let Some(rest) = text.strip_prefix("~/") {
        return Ok((Anchor::Home, rest.to_owned()));
    }
    if text.starts_with('~') {
        return Err((
            "the pattern names another person's home",
            "write the path from `/`, or `~/` for your own home",
        ));
    }
    if text.starts_with('/') {
        return Ok((Anchor::Root, text.to_owned()));
    }
    if text.trim_end_matches('/').contains('/') || matches!(text, "." | "./") {
        return Ok((Anchor::Project, text.to_owned()));
    }
    Ok((Anchor::Root, format!("**/{text}")))
}
