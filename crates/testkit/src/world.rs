//! A temporary State Root and project.

use std::fs;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

/// A State Root and a project folder that vanish with this value. The project has a `.git` folder,
/// so it is the root of a work tree for whoever looks for one.
#[derive(Debug)]
pub struct World {
    folder: TempDir,
    root: PathBuf,
}

impl Default for World {
    fn default() -> Self {
        Self::new()
    }
}

impl World {
    /// A world without any hook.
    pub fn new() -> Self {
        let folder = TempDir::with_prefix("hookward-").expect("a temporary folder can be made");
        let root = fs::canonicalize(folder.path()).expect("the temporary folder exists");
        let world = Self { folder, root };
        for folder in [
            world.state_root(),
            world.project().join(".git"),
            world.project().join(".maka"),
        ] {
            // Whatever the umask is: a State Root that others may write to is not used.
            fs::DirBuilder::new()
                .recursive(true)
                .mode(0o700)
                .create(folder)
                .expect("folders can be made");
        }
        world
    }

    /// The folder that holds everything, without symbolic links in its path.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The State Root.
    pub fn state_root(&self) -> PathBuf {
        self.root.join("state")
    }

    /// The project folder.
    pub fn project(&self) -> PathBuf {
        self.root.join("project")
    }

    /// The `hooks.json` of the user.
    pub fn user_hooks(&self) -> PathBuf {
        self.state_root().join("hooks.json")
    }

    /// The `hooks.json` of the project.
    pub fn project_hooks(&self) -> PathBuf {
        self.project().join(".maka/hooks.json")
    }

    /// Writes the user's `hooks.json`.
    pub fn write_user_hooks(&self, text: &str) {
        fs::write(self.user_hooks(), text).expect("the user's hooks can be written");
    }

    /// Writes the project's `hooks.json`.
    pub fn write_project_hooks(&self, text: &str) {
        fs::write(self.project_hooks(), text).expect("the project's hooks can be written");
    }

    /// A file to which a scripted hook or a tool appends a line to prove that it ran.
    pub fn marker_file(&self) -> PathBuf {
        self.root.join("ran")
    }

    /// The lines of the marker file; none if nothing ran.
    pub fn marks(&self) -> Vec<String> {
        fs::read_to_string(self.marker_file())
            .map(|text| text.lines().map(str::to_owned).collect())
            .unwrap_or_default()
    }

    /// Ends the world before its time and says whether its folder could be removed.
    ///
    /// # Errors
    /// The operating system's, for instance when a process still writes into it.
    pub fn close(self) -> std::io::Result<()> {
        self.folder.close()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_world_has_its_files_and_vanishes() {
        let world = World::new();
        let root = world.root().to_owned();
        world.write_user_hooks("{}");
        world.write_project_hooks("[]");
        assert_eq!(fs::read_to_string(world.user_hooks()).unwrap(), "{}");
        assert_eq!(fs::read_to_string(world.project_hooks()).unwrap(), "[]");
        assert!(world.project().join(".git").is_dir());
        assert!(world.marks().is_empty());
        fs::write(world.marker_file(), "a\nb\n").unwrap();
        assert_eq!(world.marks(), ["a", "b"]);
        world.close().unwrap();
        assert!(!root.exists());
    }
}
