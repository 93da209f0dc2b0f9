//! Where scripts run: a folder with stubs, links to a few real programs, and a runner.
//!
//! Open, the runner is a process like any other, and scripts must keep to relative paths. Closed, it
//! runs in namespaces of its own with the folder as root, so that a script may try what it likes.

use std::fs;
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use camino::{Utf8Path, Utf8PathBuf};
use hookward_rules::{Canonical, Files, ScriptFile};

/// Programs that are real, so that what they start is seen.
const REAL: [&str; 8] = [
    "bash", "sh", "env", "xargs", "timeout", "nohup", "nice", "find",
];

/// Files that every script finds in its directory.
pub(crate) const SCRIPTS: [(&str, &str); 4] = [
    ("s.sh", "alpha from-script \"$1\"\n"),
    ("lib.sh", "libf() { beta in-lib \"$1\"; }\nlibv=status\n"),
    ("move.sh", "cd d1\np=push\n"),
    ("run", "#!/bin/sh\ngamma from-run\n"),
];
const FOLDERS: [&str; 5] = ["d1", "d1/sub", "d2", "a b", "home"];
const LINK: (&str, &str) = ("d3", "d1");

/// One start of a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Start {
    pub(crate) directory: Utf8PathBuf,
    /// Program first.
    pub(crate) arguments: Vec<String>,
}

/// What a script did.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    pub(crate) starts: Vec<Start>,
    /// Files that were made or changed.
    pub(crate) files: Vec<Utf8PathBuf>,
}

/// Which programs the wrappers are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wrappers {
    Real,
    Stubs,
}

pub(crate) struct Sandbox {
    runner: Child,
    /// The directory in which scripts run, as they see it.
    pub(crate) work: Utf8PathBuf,
    /// Removed at the end.
    _folder: tempfile::TempDir,
}

impl Sandbox {
    pub(crate) fn open(stubs: &[String]) -> io::Result<Self> {
        let folder = furnished(stubs)?;
        let root = folder.path().canonicalize()?;
        let mut runner = Command::new(root.join("stub/runner"));
        Self::start(&mut runner, folder, &root)
    }

    pub(crate) fn closed(stubs: &[String]) -> io::Result<Self> {
        let folder = furnished(stubs)?;
        let root = folder.path().canonicalize()?;
        for program in REAL
            .iter()
            .map(|name| find(name))
            .chain([Ok(root.join("stub/runner"))])
        {
            libraries(&program?, &root)?;
        }
        fs::create_dir(root.join("dev"))?;
        fs::create_dir(root.join("usr"))?;
        symlink("/bin", root.join("usr/bin"))?;
        for name in stubs {
            // What is there is a real one.
            let _ = fs::hard_link(root.join("stub/runner"), root.join("bin").join(name));
        }
        let mut runner = Command::new("unshare");
        // The devices that a shell needs come from outside.
        let enter = "for d in null zero tty; do : > \"$0/dev/$d\"; \
                     mount --bind \"/dev/$d\" \"$0/dev/$d\"; done; exec chroot \"$0\" /stub/runner";
        runner
            .args([
                "--user",
                "--map-root-user",
                "--mount",
                "--net",
                "--pid",
                "--fork",
            ])
            .args(["--kill-child", "sh", "-c", enter])
            .arg(&root);
        Self::start(&mut runner, folder, Path::new("/"))
    }

    fn start(runner: &mut Command, folder: tempfile::TempDir, root: &Path) -> io::Result<Self> {
        let runner = runner
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let work = Utf8PathBuf::from_path_buf(root.join("1/2/3/4/5/6/work"))
            .map_err(|path| not_utf8(&path))?;
        Ok(Self {
            runner,
            work,
            _folder: folder,
        })
    }

    pub(crate) fn run(&mut self, script: &str, wrappers: Wrappers) -> io::Result<Seen> {
        let search = match wrappers {
            Wrappers::Real => "bin:stub",
            Wrappers::Stubs => "stub:bin",
        };
        let input = self
            .runner
            .stdin
            .as_mut()
            .ok_or(io::ErrorKind::BrokenPipe)?;
        for part in [search, script] {
            let length = u32::try_from(part.len()).map_err(io::Error::other)?;
            input.write_all(&length.to_le_bytes())?;
            input.write_all(part.as_bytes())?;
        }
        input.flush()?;
        let log = self.frame()?;
        let files = self.frame()?;
        let mut seen = Seen::default();
        let mut rest = log.as_slice();
        while let Some((length, after)) = rest.split_first_chunk::<4>() {
            let length = (u32::from_le_bytes(*length) as usize).min(after.len());
            let (record, after) = after.split_at(length);
            rest = after;
            let mut parts = record.split(|byte| *byte == 0).map(String::from_utf8_lossy);
            let directory = parts.next().unwrap_or_default().into_owned().into();
            let arguments = parts.map(std::borrow::Cow::into_owned).collect();
            seen.starts.push(Start {
                directory,
                arguments,
            });
        }
        let files = files
            .split(|byte| *byte == 0)
            .filter(|path| !path.is_empty());
        seen.files = files
            .map(|path| String::from_utf8_lossy(path).into_owned().into())
            .collect();
        Ok(seen)
    }

    fn frame(&mut self) -> io::Result<Vec<u8>> {
        let output = self
            .runner
            .stdout
            .as_mut()
            .ok_or(io::ErrorKind::BrokenPipe)?;
        let mut length = [0; 4];
        output.read_exact(&mut length)?;
        let mut bytes = vec![0; u32::from_le_bytes(length) as usize];
        output.read_exact(&mut bytes)?;
        Ok(bytes)
    }
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        // The end of its input ends the runner.
        drop(self.runner.stdin.take());
        let _ = self.runner.wait();
    }
}

fn not_utf8(path: &Path) -> io::Error {
    io::Error::other(format!("{} is no UTF-8", path.display()))
}

/// A folder with stubs, real programs and what scripts find in their directory.
fn furnished(stubs: &[String]) -> io::Result<tempfile::TempDir> {
    let folder = tempfile::tempdir()?;
    let root = folder.path();
    for name in ["stub", "bin", "fixture"] {
        fs::create_dir(root.join(name))?;
    }
    fs::copy(hookward_testkit::shell_sandbox(), root.join("stub/runner"))?;
    for name in stubs {
        fs::hard_link(root.join("stub/runner"), root.join("stub").join(name))?;
    }
    for name in REAL {
        if let Ok(program) = find(name) {
            fs::copy(program, root.join("bin").join(name))?;
        }
    }
    let fixture = root.join("fixture");
    for name in FOLDERS {
        fs::create_dir(fixture.join(name))?;
    }
    for (name, text) in SCRIPTS {
        fs::write(fixture.join(name), text)?;
    }
    let mut mode = fs::metadata(fixture.join("run"))?.permissions();
    std::os::unix::fs::PermissionsExt::set_mode(&mut mode, 0o755);
    fs::set_permissions(fixture.join("run"), mode)?;
    symlink(LINK.1, fixture.join(LINK.0))?;
    Ok(folder)
}

fn find(name: &str) -> io::Result<PathBuf> {
    let folders = ["/bin", "/usr/bin"].map(Path::new);
    let found = folders
        .iter()
        .map(|folder| folder.join(name))
        .find(|path| path.exists());
    found
        .ok_or_else(|| io::Error::other(format!("there is no {name}")))?
        .canonicalize()
}

/// Copies the shared libraries of a program below `root`.
fn libraries(program: &Path, root: &Path) -> io::Result<()> {
    let listed = Command::new("ldd").arg(program).output()?;
    let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
    for path in listed
        .split_whitespace()
        .filter(|word| word.starts_with('/'))
    {
        let to = root.join(path.trim_start_matches('/'));
        if let Some(parent) = to.parent().filter(|_| !to.exists()) {
            fs::create_dir_all(parent)?;
            fs::copy(path, to)?;
        }
    }
    Ok(())
}

/// The files that a script finds, as facts.
pub(crate) struct Fixture<'a> {
    pub(crate) work: &'a Utf8Path,
}

impl Files for Fixture<'_> {
    fn canonical(&self, path: &Utf8Path) -> Canonical {
        let mut real = Utf8PathBuf::from("/");
        for name in path
            .as_str()
            .split('/')
            .filter(|name| !matches!(*name, "" | "."))
        {
            if name == ".." {
                real.pop();
                continue;
            }
            real.push(name);
            if real == self.work.join(LINK.0) {
                real = self.work.join(LINK.1);
            }
        }
        Canonical::Known(real)
    }

    fn folds_names(&self, _path: &Utf8Path) -> Option<bool> {
        Some(false)
    }

    fn script(&self, path: &Utf8Path) -> Option<ScriptFile> {
        let name = path.strip_prefix(self.work).ok()?;
        let (_, text) = SCRIPTS.iter().find(|(script, _)| name == *script)?;
        Some(ScriptFile {
            text: (*text).to_owned(),
            digest: format!("sha256:{}", hookward_contract::sha256_hex(text.as_bytes())),
        })
    }

    fn is_directory(&self, path: &Utf8Path) -> Option<bool> {
        let Canonical::Known(real) = self.canonical(path) else {
            return None;
        };
        let folder = |name: &&str| real == self.work.join(name);
        Some(self.work.starts_with(&real) || FOLDERS.iter().any(folder))
    }
}
