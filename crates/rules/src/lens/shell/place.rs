//! The surroundings in which a table of programs finds itself: directory, input, and the walk.

use camino::Utf8PathBuf;

use super::command::Lookup;
use super::state::{Directories, State};
use super::walker::Walker;
use crate::effect::{Access, OpaqueCause};
use crate::paths;
use crate::programs::{Field, Stdin, Surroundings};

/// One program at work.
pub(super) struct Place<'p, 'c, 'o> {
    walker: &'p mut Walker<'c, 'o>,
    state: State,
}

impl<'c, 'o> Walker<'c, 'o> {
    pub(super) fn place(&mut self, state: &State) -> Place<'_, 'c, 'o> {
        Place {
            walker: self,
            state: state.clone(),
        }
    }
}

impl Place<'_, '_, '_> {
    fn with(&mut self, state: State, work: &mut dyn FnMut(&mut dyn Surroundings)) {
        let mut inner = Place {
            walker: self.walker,
            state,
        };
        work(&mut inner);
    }
}

impl Surroundings for Place<'_, '_, '_> {
    fn path(&mut self, access: Access, path: &Field, via: &str, tree: bool) {
        self.walker.touch(access, path, via, tree, &self.state);
    }

    fn link(&mut self, target: &Field, name: &Field) {
        let Some(name) = name.exact().filter(|_| !self.state.elsewhere) else {
            return;
        };
        let root = [Utf8PathBuf::from("/")];
        let bases = if name.starts_with('/') {
            &root
        } else {
            self.state.directories.all()
        };
        for base in bases {
            let name = paths::clean(base, name);
            let folder = name.parent().unwrap_or(&name);
            let target = target.exact().map(|target| paths::clean(folder, target));
            self.walker.collector().link(name, target);
        }
    }

    fn network(&mut self, host: Option<String>, url: Option<&str>, via: &str) {
        self.walker.collector().network(host, url, via);
    }

    fn opaque(&mut self, cause: OpaqueCause, text: &str) {
        self.walker.opaque(cause, text);
    }

    fn run(&mut self, argv: &[Field], raw: &str) {
        let mut own = self.state.clone();
        self.walker.nested(raw, |walker| {
            walker.start(argv, raw, &[], Lookup::Program, &mut own);
        });
    }

    fn run_text(&mut self, text: &Field) {
        self.walker.text_field(text, &self.state);
    }

    fn run_file(&mut self, path: &Field) {
        let mut state = self.state.fresh(true);
        self.walker
            .script_file(path, Some(std::rc::Rc::default()), &mut state);
    }

    fn within(&mut self, directory: Option<&Field>, work: &mut dyn FnMut(&mut dyn Surroundings)) {
        let mut state = self.state.clone();
        state.directories = match directory.and_then(Field::exact) {
            Some(path) => state.directories.changed(path),
            None => Directories::unknown(),
        };
        self.with(state, work);
    }

    fn elsewhere(&mut self, work: &mut dyn FnMut(&mut dyn Surroundings)) {
        let mut state = self.state.clone();
        state.elsewhere = true;
        self.with(state, work);
    }

    fn is_directory(&self, path: &Field) -> Option<bool> {
        let path = path.exact()?;
        let base = self.state.directories.only()?;
        let path = paths::clean(base, path);
        let is = self.walker.observation().files.is_directory(&path)?;
        // A redirection makes a file; what a program made before may be a folder by now.
        let made = |via: &str| !via.starts_with(['>', '<']);
        (is || !self.walker.has_changed(&path, made)).then_some(is)
    }

    fn stdin(&self) -> &Stdin {
        &self.state.stdin
    }
}
