//! What the first line of a script names decides what the script does.

use std::fs;
use std::os::unix::fs::symlink;

use camino::{Utf8Path, Utf8PathBuf};
use hookward_policy::{ChangedWhat, Project, Snapshot, SnapshotCache, Trust};
use serde_json::{Value, json};

use crate::projects::make_linked;
use crate::scene::{Scene, file, handler, with, write};

fn runs(command: &Utf8Path, args: &[&str]) -> Value {
    let hook = with(handler("a"), "command", command.as_str());
    with(hook, "args", json!(args))
}

fn state(snapshot: &Snapshot) -> Trust {
    snapshot.hooks()[0].trust.clone()
}

fn changed(path: &Utf8Path) -> Trust {
    let path = path.to_owned();
    Trust::Changed(ChangedWhat::Pin { path })
}

fn pinned(snapshot: &Snapshot) -> Vec<Utf8PathBuf> {
    let pins = snapshot.hooks()[0].pins.iter();
    pins.map(|pin| pin.path.clone()).collect()
}

/// Reviews the user's one hook, then replaces a file: the hook is changed by that file.
fn assert_pinned(scene: &Scene, hook: &Value, path: &Utf8Path) {
    scene.write_user(file(1, std::slice::from_ref(hook)));
    scene.trust_all();
    let before = fs::read_to_string(path).unwrap();
    let cache = SnapshotCache::new(scene.state.clone(), scene.project.clone());
    assert_eq!(state(&cache.snapshot()), Trust::Trusted, "{hook}");
    write(path, "something else");
    assert_eq!(state(&cache.snapshot()), changed(path), "{hook}");
    write(path, before);
    assert_eq!(state(&cache.snapshot()), Trust::Trusted, "{hook}");
}

#[test]
fn interpreters_in_the_zone_are_pinned_wherever_their_script_is() {
    let scene = Scene::new();
    let scripts = ["project/guard", "state/guard", "usr/guard"].map(|name| scene.path(name));
    let interpreters = ["project/bin/python", "state/python"].map(|name| scene.path(name));
    for interpreter in &interpreters {
        write(interpreter, "\x7fELF");
        for script in &scripts {
            write(script, format!("#! {interpreter} -u\n"));
            assert_pinned(&scene, &runs(script, &[]), interpreter);
            // Which program hands an argument to the system, nobody can tell.
            let wrapper = Utf8Path::new("/usr/bin/env");
            assert_pinned(&scene, &runs(wrapper, &[script.as_str()]), interpreter);
        }
    }
}

#[test]
fn an_interpreter_that_a_launcher_is_given_counts() {
    let scene = Scene::new();
    let (script, python) = (scene.path("usr/guard"), scene.path("project/python"));
    write(&python, "\x7fELF");
    write(&script, format!("#!/usr/bin/env -S\t{python} -u\n"));
    assert_pinned(&scene, &runs(&script, &[]), &python);
}

#[test]
fn an_interpreter_may_be_a_script_itself() {
    let scene = Scene::new();
    let script = scene.path("project/guard");
    let (wrapper, python) = (scene.path("usr/wrapper"), scene.path("project/python"));
    write(&python, "\x7fELF");
    write(&wrapper, format!("#!{python}\n"));
    write(&script, format!("#!{wrapper}\n"));
    assert_pinned(&scene, &runs(&script, &[]), &python);
    // Scripts that name each other end somewhere.
    write(&python, format!("#!{script}\n"));
    assert_pinned(&scene, &runs(&script, &[]), &python);
}

#[test]
fn an_interpreter_is_pinned_by_what_it_resolves_to_and_by_its_absence() {
    let scene = Scene::new();
    let script = scene.path("usr/guard");
    let (link, python) = (scene.path("usr/python"), scene.path("project/python"));
    write(&python, "\x7fELF");
    write(&script, format!("#!{link}\n"));
    symlink(&python, &link).unwrap();
    scene.write_user(file(1, &[runs(&script, &[])]));
    scene.trust_all();
    write(&python, "other");
    assert_eq!(state(&scene.load()), changed(&link));

    write(&script, format!("#!{}\n", scene.path("project/later")));
    scene.trust_all();
    assert_eq!(state(&scene.load()), Trust::Trusted);
    write(&scene.path("project/later"), "");
    assert_eq!(state(&scene.load()), changed(&scene.path("project/later")));
}

#[test]
fn interpreters_elsewhere_and_by_name_need_nothing() {
    let scene = Scene::new();
    let script = scene.path("project/guard");
    let elsewhere = scene.path("usr/python");
    write(&elsewhere, "one");
    for line in [
        format!("#!{elsewhere}"),
        "#!/usr/bin/env python3".to_owned(),
        "#!python".to_owned(),
        "#!".to_owned(),
        format!("# !{script}"),
    ] {
        write(&script, format!("{line}\n"));
        scene.write_user(file(1, &[runs(&script, &[])]));
        scene.trust_all();
        assert_eq!(pinned(&scene.load()), [script.as_path()], "{line}");
        write(&elsewhere, "two");
        let snapshot = scene.load();
        assert_eq!(state(&snapshot), Trust::Trusted, "{line}");
        assert_eq!(snapshot.pin_warnings(&snapshot.hooks()[0]), []);
    }
}

/// A script may have the name of its interpreter without being it.
#[test]
fn an_interpreter_elsewhere_is_not_taken_for_a_file_of_its_name() {
    let scene = Scene::new();
    write(&scene.path("usr/python"), "\x7fELF");
    let line = format!("#!{}\n", scene.path("usr/python"));
    write(&scene.project.root.join("python"), line);
    for (version, command) in [
        (2, Utf8PathBuf::from("${project}/python")),
        (1, scene.project.root.join("python")),
    ] {
        scene.write_project(file(version, &[runs(&command, &[])]));
        scene.trust_all();
        let snapshot = scene.load();
        assert_eq!(state(&snapshot), Trust::Trusted, "{command}");
        assert_eq!(pinned(&snapshot), ["python"]);
    }
}

/// The same where the script is that of another work tree.
#[test]
fn an_interpreter_elsewhere_is_not_taken_for_a_file_of_another_work_tree() {
    let scene = Scene::new();
    let (repo, tree) = (scene.path("repo"), scene.path("tree"));
    make_linked(&repo, &tree);
    let (script, python) = (repo.join("python"), scene.path("usr/python"));
    write(&python, "\x7fELF");
    write(&script, format!("#!{python}\n"));
    for root in [&repo, &tree] {
        let hook = runs(&script, &[]);
        write(&root.join(".maka/hooks.json"), file(1, &[hook]));
    }
    let [main, linked] = [&repo, &tree].map(|root| Project::discover(root).unwrap());
    let snapshot = Snapshot::load(&scene.state, &main);
    scene.trust(&snapshot, &[&snapshot.hooks()[0]]).unwrap();
    let load = || Snapshot::load(&scene.state, &linked);
    assert_eq!(state(&load()), Trust::Trusted);
    write(&script, "other");
    assert_eq!(state(&load()), changed(&script));
}

/// A project's hook in a linked work tree: the interpreter of the main tree is still pinned.
#[test]
fn interpreters_of_another_work_tree_are_checked_from_every_tree() {
    let scene = Scene::new();
    let (repo, tree) = (scene.path("repo"), scene.path("tree"));
    make_linked(&repo, &tree);
    let python = repo.join(".venv/bin/python");
    write(&python, "\x7fELF");
    for root in [&repo, &tree] {
        let command = Utf8Path::new("${project}/guard");
        write(
            &root.join(".maka/hooks.json"),
            file(2, &[runs(command, &[])]),
        );
        write(&root.join("guard"), format!("#!{python}\n"));
    }
    let projects = [&repo, &tree].map(|root| Project::discover(root).unwrap());
    let load = |project| Snapshot::load(&scene.state, project);
    let snapshot = load(&projects[0]);
    scene.trust(&snapshot, &[&snapshot.hooks()[0]]).unwrap();
    for project in &projects {
        let snapshot = load(project);
        assert_eq!(state(&snapshot), Trust::Trusted);
        assert_eq!(pinned(&snapshot), ["guard", ".venv/bin/python"]);
    }
    write(&python, "other");
    for project in &projects {
        assert_eq!(state(&load(project)), changed(&python));
    }
}
