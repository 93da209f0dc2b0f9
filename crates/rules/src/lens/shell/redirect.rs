//! Redirections: files that the shell itself opens, and what stands at standard input.

use hookward_shell::{Redirect, RedirectKind};

use super::command::Environment;
use super::state::State;
use super::walker::Walker;
use crate::effect::Access;
use crate::programs::{Field, Stdin};

impl Walker<'_, '_> {
    /// Expands and records redirections, and sets what stands at standard input.
    pub(super) fn redirects(&mut self, text: &str, redirects: &[Redirect<'_>], state: &mut State) {
        for redirect in redirects {
            let target = self.single(text, &redirect.target, state);
            if redirect.fd.is_none() {
                // `{name}>`: the descriptor's number is assigned to a variable.
                state.taint();
            }
            match redirect.kind {
                RedirectKind::Read => {
                    self.file(Access::Read, &target, "<", state);
                    set_stdin(redirect, state, || file_or_pipe(&target));
                }
                RedirectKind::Write | RedirectKind::WriteBoth => {
                    self.file(Access::Write, &target, ">", state);
                }
                RedirectKind::Append | RedirectKind::AppendBoth => {
                    self.file(Access::Write, &target, ">>", state);
                }
                RedirectKind::ReadWrite => {
                    self.file(Access::Read, &target, "<>", state);
                    self.file(Access::Write, &target, "<>", state);
                    set_stdin(redirect, state, || file_or_pipe(&target));
                }
                RedirectKind::Duplicate => {
                    // Bash looks only after the expansion whether it is a number.
                    if !target.known || !is_descriptor(&target.text) {
                        self.file(Access::Write, &target, ">&", state);
                    }
                    set_stdin(redirect, state, || Stdin::Unknown);
                }
                RedirectKind::HereDocument => {
                    set_stdin(redirect, state, || text_or_unknown(&target, ""));
                }
                RedirectKind::HereString => {
                    set_stdin(redirect, state, || text_or_unknown(&target, "\n"));
                }
            }
        }
    }

    fn file(&mut self, access: Access, target: &Field, via: &str, state: &State) {
        if target.pipe || target.exact().is_some_and(is_no_file) {
            return;
        }
        self.touch(access, target, via, false, state);
    }
}

/// `2`, `2-` or `-`
fn is_descriptor(target: &str) -> bool {
    let number = target.strip_suffix('-').unwrap_or(target);
    number.bytes().all(|byte| byte.is_ascii_digit())
}

/// Devices that keep nothing and names that the shell takes for its own descriptors.
fn is_no_file(path: &str) -> bool {
    if let Some(number) = path.strip_prefix("/dev/fd/") {
        return number.bytes().all(|byte| byte.is_ascii_digit());
    }
    matches!(
        path,
        "/dev/null"
            | "/dev/zero"
            | "/dev/full"
            | "/dev/stdin"
            | "/dev/stdout"
            | "/dev/stderr"
            | "/dev/tty"
    )
}

fn set_stdin(redirect: &Redirect<'_>, state: &mut State, stdin: impl FnOnce() -> Stdin) {
    match redirect.fd {
        Some(0) => state.stdin = stdin(),
        // A descriptor of any number may be duplicated to standard input later.
        None => state.stdin = Stdin::Unknown,
        Some(_) => {}
    }
}

fn file_or_pipe(target: &Field) -> Stdin {
    match target.exact() {
        _ if target.pipe => Stdin::Unknown,
        Some("/dev/null") => Stdin::Inherited,
        Some("/dev/stdin" | "/dev/tty") => Stdin::Unknown,
        _ => Stdin::File(target.clone()),
    }
}

fn text_or_unknown(target: &Field, end: &str) -> Stdin {
    if target.known {
        Stdin::Text(format!("{}{end}", target.text))
    } else {
        Stdin::Unknown
    }
}

/// `exec` without a command, whose redirections last.
pub(super) fn replaces_nothing(fields: &[Field]) -> bool {
    let words = ["exec", "command", "builtin"];
    fields.iter().any(|field| field.exact() == Some("exec"))
        && fields
            .iter()
            .all(|field| field.exact().is_some_and(|word| words.contains(&word)))
}

/// Whether a command surely leaves standard input as it is.
pub(super) fn is_quiet(fields: &[Field], environment: &Environment) -> bool {
    const QUIET: &[&str] = &[
        ":", "[", "break", "cd", "continue", "declare", "echo", "export", "false", "local",
        "printf", "readonly", "return", "set", "shift", "test", "trap", "true", "typeset", "umask",
        "unset",
    ];
    let known = fields.iter().all(|field| field.known);
    let program = fields.first().and_then(Field::exact);
    known
        && program.is_none_or(|program| QUIET.contains(&program))
        && environment.iter().all(|(_, value)| value.is_some())
}
