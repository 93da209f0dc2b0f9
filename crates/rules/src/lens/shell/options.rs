//! Options of the shell itself: `set` and `shopt`.

use std::rc::Rc;

use super::state::State;
use super::walker::Walker;
use crate::effect::OpaqueCause;
use crate::programs::Field;

/// Options that change nothing of what this lens says: how failures end a script, which names match
/// a pattern, what is printed.
const HARMLESS: &[&str] = &[
    "autocd",
    "cdspell",
    "checkhash",
    "checkjobs",
    "checkwinsize",
    "cmdhist",
    "direxpand",
    "dirspell",
    "dotglob",
    "emacs",
    "errexit",
    "errtrace",
    "extglob",
    "extquote",
    "failglob",
    "force_fignore",
    "functrace",
    "globasciiranges",
    "globskipdots",
    "globstar",
    "hashall",
    "histappend",
    "hostcomplete",
    "huponexit",
    "ignoreeof",
    "inherit_errexit",
    "interactive-comments",
    "interactive_comments",
    "lithist",
    "login_shell",
    "mailwarn",
    "monitor",
    "nocaseglob",
    "nocasematch",
    "noclobber",
    "noexec",
    "noglob",
    "nolog",
    "notify",
    "nounset",
    "nullglob",
    "onecmd",
    "patsub_replacement",
    "pipefail",
    "progcomp",
    "promptvars",
    "verbose",
    "vi",
    "xpg_echo",
    "xtrace",
];

/// Letters of `set` for such options.
const HARMLESS_LETTERS: &str = "befhmntuvxCET";

pub(super) fn is_harmless_option(name: &str) -> bool {
    HARMLESS.contains(&name)
}

impl Walker<'_, '_> {
    /// `set`: options, then positional parameters.
    pub(super) fn set_options(&mut self, args: &[Field], raw: &str, state: &mut State) {
        let mut rest = args;
        while let Some((first, after)) = rest.split_first() {
            let Some(word) = first.exact() else {
                // It may be an option.
                self.changes_meaning(raw, state);
                break;
            };
            if word == "--" {
                set_positional(after, state);
                return;
            }
            let Some(letters) = word.strip_prefix(['-', '+']) else {
                break;
            };
            rest = after;
            if letters.is_empty() {
                break;
            }
            let mut names = Vec::new();
            for letter in letters.chars() {
                match letter {
                    'o' => {
                        let (name, other) = rest.split_at(rest.len().min(1));
                        names.extend(name);
                        rest = other;
                    }
                    'a' => state.exports_all |= word.starts_with('-'),
                    _ if HARMLESS_LETTERS.contains(letter) => {}
                    _ => self.changes_meaning(raw, state),
                }
            }
            for name in names {
                match name.exact() {
                    Some("allexport") => state.exports_all |= word.starts_with('-'),
                    Some(name) if is_harmless_option(name) => {}
                    _ => self.changes_meaning(raw, state),
                }
            }
        }
        // Options alone leave the parameters as they are.
        if !rest.is_empty() {
            set_positional(rest, state);
        }
    }

    /// `shopt`
    pub(super) fn shell_options(&mut self, args: &[Field], raw: &str, state: &mut State) {
        let mut sets = false;
        for arg in args {
            match arg.exact() {
                Some(flags) if flags.starts_with('-') => sets |= flags.contains(['s', 'u']),
                Some(name) if is_harmless_option(name) => {}
                Some(_) if !sets => {}
                _ => self.changes_meaning(raw, state),
            }
        }
    }

    /// From here on the text means something else than this lens says.
    pub(super) fn changes_meaning(&mut self, raw: &str, state: &mut State) {
        self.opaque(OpaqueCause::UnknownText, raw);
        state.make_fickle();
    }
}

fn set_positional(fields: &[Field], state: &mut State) {
    let known = fields.iter().map(|arg| arg.exact().map(str::to_owned));
    state.positional = known.collect::<Option<Rc<[String]>>>();
}
