//! Builtins that change the directory.

use super::state::{Directories, State, Value};
use super::walk::Ending;
use super::walker::Walker;
use crate::programs::Field;

impl Walker<'_, '_> {
    pub(super) fn change_directory(&mut self, args: &[Field], state: &mut State) -> Ending {
        let mut operands = args.iter().skip_while(|arg| {
            arg.exact().is_some_and(|arg| {
                arg == "--"
                    || arg.len() > 1
                        && arg
                            .strip_prefix('-')
                            .is_some_and(|letters| letters.chars().all(|c| "LPe@".contains(c)))
            })
        });
        let before = state.directories.clone();
        let target = match operands.next() {
            None => self.home(state),
            Some(field) if field.exact() == Some("-") => {
                let set = state.variable("OLDPWD").is_some();
                let back = state.previous.clone().filter(|_| !set);
                return move_to(back.unwrap_or(Directories::unknown()), None, state);
            }
            Some(field) => field.exact().map(str::to_owned),
        };
        let Some(target) = target else {
            return move_to(Directories::unknown(), None, state);
        };
        if !target.starts_with(['/', '.'])
            && let Some(searched) = state.variable("CDPATH")
        {
            let anywhere = searched_for(searched, &target, &before);
            return move_to(anywhere, Some(before), state);
        }
        if target.is_empty() {
            return Ending::Success;
        }
        let after = before.changed(&target);
        let exists = after
            .only()
            .map(|path| self.observation().files.is_directory(path));
        match exists {
            // Where nothing can be told of the file system, a change of directory is taken to work.
            Some(Some(true) | None) if operands.next().is_none() => {
                move_to(after, None, state);
                Ending::Success
            }
            _ => move_to(after, Some(before), state),
        }
    }

    pub(super) fn push_directory(&mut self, args: &[Field], state: &mut State) -> Ending {
        let before = state.directories.clone();
        let turns = |arg: &Field| arg.text.starts_with(['+', '-']);
        match args {
            [one] if !turns(one) => {
                let ending = self.change_directory(std::slice::from_ref(one), state);
                match &mut state.stack {
                    Some(stack) if ending == Ending::Success => stack.push(before),
                    _ => state.stack = None,
                }
                ending
            }
            _ => {
                state.stack = None;
                move_to(Directories::unknown(), None, state)
            }
        }
    }
}

pub(super) fn pop_directory(args: &[Field], state: &mut State) {
    let top = state
        .stack
        .as_mut()
        .filter(|_| args.is_empty())
        .and_then(Vec::pop);
    if top.is_none() {
        state.stack = None;
    }
    move_to(top.unwrap_or(Directories::unknown()), None, state);
}

/// Where a relative name may lead with `CDPATH` set: below each folder in it, and below the current
/// directory.
fn searched_for(searched: &Value, target: &str, before: &Directories) -> Directories {
    let Value::Known(searched) = searched else {
        return Directories::unknown();
    };
    let mut found = before.changed(target);
    for folder in searched.split(':') {
        found.join(&before.changed(folder).changed(target));
    }
    found
}

/// Moves the shell; `or` is where it stays if it cannot.
fn move_to(to: Directories, or: Option<Directories>, state: &mut State) -> Ending {
    let before = std::mem::replace(&mut state.directories, to);
    state.previous = Some(if or.is_some() {
        Directories::unknown()
    } else {
        before
    });
    state.if_failed = or;
    for name in ["PWD", "OLDPWD"] {
        if state.variable(name).is_some() {
            state.set(name, Value::Unknown);
        }
    }
    Ending::Unknown
}
