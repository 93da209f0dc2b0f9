//! Where lenses put what they find: paths are made absolute and followed here, once, in one way.

use camino::{Utf8Component, Utf8Path, Utf8PathBuf};
use hookward_contract::bounded;

use crate::effect::{Access, Canonical, Effect, Network, Opaque, OpaqueCause, PathEffect};
use crate::observation::Observation;
use crate::paths;

/// Most effects of one call; beyond them the call is opaque.
pub(crate) const MAX_EFFECTS: usize = 2_048;
/// Longest text of an opaque effect, in characters.
const MAX_TEXT_CHARS: usize = 200;

/// Most symbolic links of a call's own making that are followed.
const MAX_LINKS: usize = 32;

/// How a path is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Meant {
    /// The shell would expand `*`, `?` and `[…]` in it.
    pub(crate) pattern: bool,
    /// With everything below it.
    pub(crate) tree: bool,
}

/// Collects the effects of one call.
pub(crate) struct Collector<'a> {
    pub(crate) observation: &'a Observation<'a>,
    effects: Vec<Effect>,
    /// Symbolic links that the call itself makes, and where they lead if that is known. The file
    /// system does not have them yet.
    links: Vec<(Utf8PathBuf, Option<Utf8PathBuf>)>,
}

impl<'a> Collector<'a> {
    pub(crate) fn new(observation: &'a Observation<'a>) -> Self {
        Self {
            observation,
            effects: Vec::new(),
            links: Vec::new(),
        }
    }

    /// Adds an effect, or once says that there are too many.
    pub(crate) fn push(&mut self, effect: Effect) {
        match self.effects.len() {
            MAX_EFFECTS => {
                let detail = format!("more than {MAX_EFFECTS} effects");
                self.effects.push(Effect::Opaque(Opaque {
                    cause: OpaqueCause::Unparsable { detail },
                    text: String::new(),
                }));
            }
            n if n > MAX_EFFECTS => {}
            _ => self.effects.push(effect),
        }
    }

    /// Whether further effects would be dropped, so that going on is of no use.
    pub(crate) fn is_full(&self) -> bool {
        self.effects.len() > MAX_EFFECTS
    }

    /// Adds something that cannot be known.
    pub(crate) fn opaque(&mut self, cause: OpaqueCause, text: &str) {
        let text = bounded(text, MAX_TEXT_CHARS);
        self.push(Effect::Opaque(Opaque { cause, text }));
    }

    /// Remembers a symbolic link that the call makes; both paths are absolute and clean. What is
    /// done below `name` from here on is done to the target.
    pub(crate) fn link(&mut self, name: Utf8PathBuf, target: Option<Utf8PathBuf>) {
        if self.links.len() < MAX_LINKS {
            self.links.push((name, target));
        } else {
            let detail = format!("more than {MAX_LINKS} symbolic links are made");
            self.opaque(OpaqueCause::Unparsable { detail }, name.as_str());
        }
    }

    /// Adds a file, `path` as written against the absolute `cwd`.
    pub(crate) fn path(
        &mut self,
        access: Access,
        cwd: &Utf8Path,
        path: &str,
        via: &str,
        meant: Meant,
    ) {
        if self.is_full() {
            return;
        }
        let clean = paths::clean(cwd, path);
        let mut behind = Vec::new();
        self.follow_made(access, &clean, &mut behind);
        let mut at = 0;
        while let Some(next) = behind.get(at).cloned() {
            self.follow_made(access, &next, &mut behind);
            at += 1;
        }
        if path.contains("..") {
            self.file(access, &cwd.join(path), clean, via, meant);
        } else {
            // What is written and what is clean is the same file.
            self.file(access, &clean.clone(), clean, via, meant);
        }
        for path in behind {
            self.file(access, &path.clone(), path, via, meant);
        }
    }

    /// Where the links that the call made lead a path. To remove a link itself removes nothing else.
    fn follow_made(&mut self, access: Access, path: &Utf8Path, behind: &mut Vec<Utf8PathBuf>) {
        let mut unknown = false;
        for (name, target) in &self.links {
            let itself = access == Access::Delete && path == name;
            if itself || !paths::is_within(path, name) {
                continue;
            }
            let Some(target) = target else {
                unknown = true;
                continue;
            };
            let rest = path.as_str().get(name.as_str().len() + 1..);
            let place = paths::clean(target, rest.unwrap_or_default());
            if behind.len() < MAX_LINKS && place != path && !behind.contains(&place) {
                behind.push(place);
            }
        }
        if unknown {
            self.opaque(OpaqueCause::UnknownPath { access }, path.as_str());
        }
    }

    /// Adds one file, `written` with its links, `path` clean.
    fn file(
        &mut self,
        access: Access,
        written: &Utf8Path,
        path: Utf8PathBuf,
        via: &str,
        meant: Meant,
    ) {
        let canonical = self.canonical(written, &path, meant.pattern);
        if let Some(why) = canonical.doubt() {
            let cause = OpaqueCause::Unresolvable { access, why };
            self.opaque(cause, path.as_str());
        }
        let project = self.observation.project;
        let known = canonical.known();
        let inside_project = paths::is_within(&path, project)
            && known.is_none_or(|canonical| paths::is_within(canonical, project));
        self.push(Effect::Path(PathEffect {
            access,
            path,
            canonical,
            inside_project,
            pattern: meant.pattern,
            tree: meant.tree,
            via: via.to_owned(),
        }));
    }

    /// Adds a host that is spoken to, from an address as a person writes it.
    pub(crate) fn network(&mut self, host: Option<String>, url: Option<&str>, via: &str) {
        self.push(Effect::Network(Network {
            host,
            url: url.map(str::to_owned),
            via: via.to_owned(),
        }));
    }

    /// Scripts that the call itself may write before it runs them hold something else then.
    pub(crate) fn doubt_written_scripts(&mut self) {
        let files = self.observation.files;
        let mut changed = Vec::new();
        let mut anything = false;
        for effect in &self.effects {
            match effect {
                Effect::Path(path) if path.access != Access::Read => {
                    anything |= path.pattern;
                    changed.extend([
                        (Some(&path.path), path.tree),
                        (path.canonical.known(), path.tree),
                    ]);
                }
                Effect::Opaque(opaque) => {
                    anything |= matches!(
                        opaque.cause,
                        OpaqueCause::UnknownPath {
                            access: Access::Write
                        }
                    );
                }
                _ => {}
            }
        }
        let is_changed = |script: &Utf8PathBuf| {
            let canonical = files.canonical(script);
            let is = |path: &Utf8PathBuf, tree: bool| {
                [Some(script), canonical.known()]
                    .into_iter()
                    .flatten()
                    .any(|script| path == script || tree && script.starts_with(path))
            };
            anything
                || changed
                    .iter()
                    .any(|(path, tree)| path.is_some_and(|path| is(path, *tree)))
        };
        let doubtful: Vec<bool> = self
            .effects
            .iter()
            .map(|effect| match effect {
                Effect::Opaque(Opaque {
                    cause:
                        OpaqueCause::ScriptFile {
                            path, read: true, ..
                        },
                    ..
                }) => is_changed(path),
                _ => false,
            })
            .collect();
        for (effect, doubtful) in self.effects.iter_mut().zip(doubtful) {
            if let Effect::Opaque(Opaque {
                cause: OpaqueCause::ScriptFile { read, .. },
                ..
            }) = effect
            {
                *read &= !doubtful;
            }
        }
    }

    /// Whether the call may have made, replaced or removed a path by a program that `counts`.
    pub(crate) fn has_changed(&self, path: &Utf8Path, counts: impl Fn(&str) -> bool) -> bool {
        self.effects.iter().any(|effect| match effect {
            Effect::Path(other) => {
                other.access != Access::Read
                    && (other.path == path || other.tree && paths::is_within(path, &other.path))
                    && counts(&other.via)
            }
            _ => false,
        })
    }

    pub(crate) fn finish(self) -> Vec<Effect> {
        self.effects
    }

    /// Follows links in the path as written, for `..` after a link leads elsewhere than its text
    /// says. A pattern is followed up to its first component with pattern characters.
    fn canonical(&self, written: &Utf8Path, clean: &Utf8Path, pattern: bool) -> Canonical {
        if let Some(why) = paths::magic_link(clean) {
            return Canonical::Unknown(why);
        }
        if !pattern {
            return self.observation.files.canonical(written);
        }
        let is_pattern = |name: &Utf8Component<'_>| name.as_str().contains(['*', '?', '[', '\\']);
        let names: Vec<_> = written.components().collect();
        let fixed = names.iter().take_while(|name| !is_pattern(name));
        let fixed: Utf8PathBuf = fixed.map(Utf8Component::as_str).collect();
        let rest: Utf8PathBuf = names.iter().skip_while(|name| !is_pattern(name)).collect();
        match self.observation.files.canonical(&fixed) {
            Canonical::Known(known) | Canonical::Shared(known) => {
                Canonical::Known(paths::clean(&known, rest.as_str()))
            }
            unknown @ Canonical::Unknown(_) => unknown,
        }
    }
}
