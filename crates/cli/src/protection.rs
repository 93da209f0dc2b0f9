//! What an agent may not change: the policy that judges it, what was reviewed, and what starts it.

use camino::{Utf8Component, Utf8Path, Utf8PathBuf};
use hookward_engine::Protection;
use hookward_policy::{Snapshot, Trust, nap};
use jiff::Timestamp;

use crate::context;
use crate::settings;

/// The protection of a call that `snapshot` judges. There is none where there is nothing to protect:
/// no hooks, and no State Root, which every registration makes.
pub(crate) fn of(snapshot: &Snapshot) -> Protection {
    let state = snapshot.state_root();
    if snapshot.hooks().is_empty() && !state.path().exists() {
        return Protection::Off;
    }
    if let Some(until) = nap(state, Timestamp::now()) {
        return Protection::Napping(until);
    }
    let root = &snapshot.project().root;
    let (inside, outside): (Vec<_>, Vec<_>) = paths(snapshot)
        .into_iter()
        .partition(|path| path.starts_with(root));
    Protection::of(&outside, &inside)
}

/// Files and folders, absolute.
fn paths(snapshot: &Snapshot) -> Vec<Utf8PathBuf> {
    let (state, project) = (snapshot.state_root(), snapshot.project());
    let settings = settings::claude_code(project);
    let mut paths = vec![state.path().to_owned(), project.hooks_file()];
    paths.extend(settings.into_iter().map(|(_, path)| path));
    paths.extend(context::own_program().ok());
    for hook in snapshot.hooks() {
        if hook.trust != Trust::Disabled {
            paths.extend(hook.pins.iter().map(|pin| project.root.join(&pin.path)));
        }
    }
    paths.sort_unstable();
    // What lies in a folder is protected with it.
    paths.dedup_by(|inner, outer| inner.starts_with(outer));
    paths.iter().filter_map(|path| clean(path)).collect()
}

/// A pattern has no `..`; where a path has one, the system says which folder is meant.
fn clean(path: &Utf8Path) -> Option<Utf8PathBuf> {
    let climbs = path
        .components()
        .any(|part| part == Utf8Component::ParentDir);
    if climbs {
        path.canonicalize_utf8().ok()
    } else {
        Some(path.to_owned())
    }
}
