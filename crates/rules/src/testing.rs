//! A world for the tests of this crate: a file system that is a table, and calls by hand.

use std::collections::{BTreeMap, BTreeSet};

use camino::{Utf8Path, Utf8PathBuf};
use hookward_contract::{Call, ToolInput, ToolName};
use jiff::Timestamp;

use crate::effect::{Canonical, Unresolvable};
use crate::observation::{Files, Observation, ScriptFile};
use crate::{Effects, paths};

/// A file system of links, files with several names, closed and open directories, and scripts.
#[derive(Debug, Default)]
pub(crate) struct FakeFiles {
    pub(crate) links: BTreeMap<Utf8PathBuf, Utf8PathBuf>,
    pub(crate) hard_links: BTreeSet<Utf8PathBuf>,
    pub(crate) closed: BTreeSet<Utf8PathBuf>,
    pub(crate) directories: BTreeSet<Utf8PathBuf>,
    pub(crate) scripts: BTreeMap<Utf8PathBuf, String>,
    pub(crate) folds: Option<bool>,
}

impl FakeFiles {
    /// With symbolic links, each from its path to what it holds.
    pub(crate) fn with_links(links: &[(&str, &str)]) -> Self {
        let links = links
            .iter()
            .map(|(from, to)| (Utf8PathBuf::from(from), Utf8PathBuf::from(to)));
        Self {
            links: links.collect(),
            ..Self::default()
        }
    }

    /// Follows `names` from `/`, as the kernel does: `..` after a link is the parent of its target.
    fn follow(&self, path: &Utf8Path) -> Canonical {
        let mut done = Utf8PathBuf::from("/");
        let mut followed = 0;
        let names = |path: &str| path.split('/').rev().map(str::to_owned).collect::<Vec<_>>();
        let mut left = names(path.as_str());
        while let Some(name) = left.pop() {
            match name.as_str() {
                "" | "." => continue,
                ".." => {
                    done.pop();
                    continue;
                }
                _ if self.closed.contains(&done) => {
                    return Canonical::Unknown(Unresolvable::NoPermission);
                }
                _ => {}
            }
            let here = done.join(&name);
            let Some(link) = self.links.get(&here) else {
                done = here;
                continue;
            };
            followed += 1;
            if followed > 40 {
                return Canonical::Unknown(Unresolvable::Loop);
            }
            if link.is_absolute() {
                done = Utf8PathBuf::from("/");
            }
            left.extend(names(link.as_str()));
        }
        if self.hard_links.contains(&done) {
            return Canonical::Shared(done);
        }
        Canonical::Known(done)
    }
}

impl Files for FakeFiles {
    fn canonical(&self, path: &Utf8Path) -> Canonical {
        match paths::magic_link(&paths::clean(Utf8Path::new("/"), path.as_str())) {
            Some(why) => Canonical::Unknown(why),
            None => self.follow(path),
        }
    }

    fn folds_names(&self, _path: &Utf8Path) -> Option<bool> {
        self.folds
    }

    fn script(&self, path: &Utf8Path) -> Option<ScriptFile> {
        self.scripts.get(path).map(|text| ScriptFile {
            text: text.clone(),
            digest: "sha256:of-a-fake".to_owned(),
        })
    }

    fn is_directory(&self, path: &Utf8Path) -> Option<bool> {
        Some(self.directories.contains(path))
    }
}

/// A call in `/w/p`.
pub(crate) fn call(tool: &str, input: &str) -> Call {
    let tool = ToolName::try_from(tool).expect("a tool's name");
    let (input, _) = ToolInput::parse(input).expect("JSON");
    Call::hand_written("test", tool, input, "/w/p".into())
}

/// What a call in `/w/p` would do; the project is `/w/p`, the home `/home/me`.
pub(crate) fn effects(call: &Call, files: &dyn Files) -> Effects {
    let observation = Observation {
        project: Utf8Path::new("/w/p"),
        home: Some(Utf8Path::new("/home/me")),
        now: Timestamp::UNIX_EPOCH,
        env: &[],
        files,
    };
    Effects::of(call, &observation)
}
