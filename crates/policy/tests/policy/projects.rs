//! Which project a directory belongs to. Repositories are laid out by hand: no git is started.

use std::fs;
use std::os::unix::fs::symlink;

use camino::{Utf8Path, Utf8PathBuf};
use hookward_policy::{Project, ProjectError};

use crate::scene::{Scene, write};

pub(crate) fn make_git_dir(dir: &Utf8Path) {
    fs::create_dir_all(dir.join("objects")).unwrap();
    fs::create_dir_all(dir.join("refs")).unwrap();
    write(&dir.join("HEAD"), "ref: refs/heads/main\n");
}

/// A repository at `repo` with a linked work tree at `tree`, as `git worktree add` leaves them.
pub(crate) fn make_linked(repo: &Utf8Path, tree: &Utf8Path) {
    make_git_dir(&repo.join(".git"));
    let git_dir = repo.join(".git/worktrees/one");
    write(&git_dir.join("HEAD"), "ref: refs/heads/one\n");
    write(&git_dir.join("commondir"), "../..\n");
    write(&git_dir.join("gitdir"), format!("{tree}/.git\n"));
    write(&tree.join(".git"), format!("gitdir: {git_dir}\n"));
}

fn discover(path: &Utf8Path) -> (Utf8PathBuf, String) {
    let project = Project::discover(path).unwrap();
    (project.root, project.identity.as_str().to_owned())
}

#[test]
fn a_folder_outside_of_any_repository() {
    let scene = Scene::new();
    let dir = scene.path("a b");
    fs::create_dir(&dir).unwrap();
    assert_eq!(discover(&dir), (dir.clone(), format!("folder:{dir}")));
    symlink(&dir, scene.path("link")).unwrap();
    assert_eq!(
        discover(&scene.path("link")),
        (dir.clone(), format!("folder:{dir}"))
    );
}

#[test]
fn a_repository_and_its_linked_work_tree_share_an_identity() {
    let scene = Scene::new();
    let (repo, tree) = (scene.path("repo"), scene.path("tree"));
    make_linked(&repo, &tree);
    fs::create_dir_all(tree.join("src")).unwrap();
    let identity = format!("git:{repo}/.git");
    assert_eq!(discover(&repo), (repo.clone(), identity.clone()));
    assert_eq!(
        discover(&tree.join("src")),
        (tree.clone(), identity.clone())
    );
    // Relative links, as newer repositories have them.
    write(&tree.join(".git"), "gitdir: ../repo/.git/worktrees/one");
    write(
        &repo.join(".git/worktrees/one/gitdir"),
        "../../../../tree/.git\n",
    );
    assert_eq!(discover(&tree), (tree.clone(), identity));
}

#[test]
fn a_directory_cannot_claim_a_repository_that_does_not_list_it() {
    let scene = Scene::new();
    let (repo, tree, thief) = (scene.path("repo"), scene.path("tree"), scene.path("thief"));
    make_linked(&repo, &tree);
    fs::create_dir(&thief).unwrap();
    for claim in [".git/worktrees/one", ".git"] {
        write(
            &thief.join(".git"),
            format!("gitdir: {}\n", repo.join(claim)),
        );
        assert_eq!(
            discover(&thief),
            (thief.clone(), format!("folder:{thief}")),
            "{claim}"
        );
    }
    fs::remove_file(thief.join(".git")).unwrap();
    symlink(repo.join(".git"), thief.join(".git")).unwrap();
    assert_eq!(discover(&thief), (thief.clone(), format!("folder:{thief}")));
    // A git directory of the thief's own that points at the other's common directory.
    let forged = scene.path("forged/worktrees/one");
    write(&forged.join("HEAD"), "x\n");
    write(
        &forged.join("commondir"),
        format!("{}\n", repo.join(".git")),
    );
    write(&forged.join("gitdir"), format!("{thief}/.git\n"));
    fs::remove_file(thief.join(".git")).unwrap();
    write(&thief.join(".git"), format!("gitdir: {forged}\n"));
    assert_eq!(discover(&thief), (thief.clone(), format!("folder:{thief}")));
}

#[test]
fn a_dot_git_that_is_no_repository_hides_nothing() {
    let scene = Scene::new();
    let repo = scene.path("repo");
    make_git_dir(&repo.join(".git"));
    let identity = format!("git:{repo}/.git");
    let sub = repo.join("sub");
    fs::create_dir_all(sub.join(".git")).unwrap();
    assert_eq!(discover(&sub), (repo.clone(), identity.clone()));
    fs::remove_dir(sub.join(".git")).unwrap();
    for junk in [
        "",
        "gitdir:",
        "gitdir: /nowhere",
        "junk\njunk",
        &"x".repeat(100_000),
    ] {
        write(&sub.join(".git"), junk);
        assert_eq!(
            discover(&sub),
            (repo.clone(), identity.clone()),
            "{junk:.20}"
        );
    }
}

#[test]
fn a_directory_that_cannot_be_entered_is_an_error() {
    let scene = Scene::new();
    write(&scene.path("file"), "");
    for name in ["nowhere", "file"] {
        let error = Project::discover(&scene.path(name)).unwrap_err();
        assert!(matches!(error, ProjectError::Unreachable { .. }), "{error}");
        assert!(error.to_string().contains(name), "{error}");
    }
}
