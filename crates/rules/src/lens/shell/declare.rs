//! `export`, `declare`, `typeset`, `local` and `readonly`.

use super::builtins::is_name;
use super::state::{State, Value};
use super::walker::Walker;
use crate::programs::Field;

/// Whether a command takes assignments as arguments.
pub(super) fn is_declaration(name: &str) -> bool {
    matches!(
        name,
        "export" | "declare" | "typeset" | "local" | "readonly"
    )
}

/// What the options of a declaration ask for.
#[allow(
    clippy::struct_excessive_bools,
    reason = "they are independent of each other"
)]
#[derive(Default)]
struct Attributes {
    exported: bool,
    readonly: bool,
    global: bool,
    /// Values are evaluated or changed.
    odd: bool,
    /// A value is more than a text.
    array: bool,
    functions: bool,
}

impl Walker<'_, '_> {
    /// `export a=1`, `local b`, `declare -n c=d`.
    pub(super) fn declare(&mut self, name: &str, args: &[Field], state: &mut State) {
        let mut wanted = Attributes {
            exported: name == "export",
            readonly: name == "readonly",
            ..Attributes::default()
        };
        for arg in args {
            if !arg.known {
                self.unknown_declaration(arg, state);
                continue;
            }
            let text = arg.text.as_str();
            if let Some(letters) = text.strip_prefix(['-', '+']) {
                let on = text.starts_with('-');
                wanted.exported &= on && !letters.contains('n') || name != "export";
                wanted.exported |= on && letters.contains('x');
                wanted.readonly |= on && letters.contains('r');
                wanted.global |= letters.contains('g');
                let hidden = name == "export" && letters.contains('n');
                wanted.odd |= letters.contains(['i', 'l', 'u', 'c']) || !on || hidden;
                wanted.array |= letters.contains(['a', 'A']);
                wanted.functions |= letters.contains(['f', 'F']);
                if letters.contains('n') && name != "export" {
                    // A name that stands for another variable.
                    state.make_fickle();
                }
                continue;
            }
            if wanted.functions {
                if wanted.readonly {
                    // A function that cannot be changed any more.
                    state.make_fickle();
                }
                continue;
            }
            self.subscripts(std::slice::from_ref(arg));
            self.declare_one(name, text, &wanted, state);
        }
    }

    fn unknown_declaration(&mut self, arg: &Field, state: &mut State) {
        match arg.text.split_once('=') {
            Some((variable, _)) if is_name(variable) => {
                self.special_variable(variable, None, state);
                state.set(variable, Value::Unknown);
                if !self.running.is_empty() {
                    // It may be a local one, of which it is not known what it hides.
                    state.make_odd(variable);
                }
            }
            _ => state.make_fickle(),
        }
    }

    fn declare_one(&mut self, name: &str, text: &str, wanted: &Attributes, state: &mut State) {
        let (variable, value) = match text.split_once('=') {
            Some((variable, value)) => (variable, Some(value)),
            None => (text, None),
        };
        let whole = is_name(variable) && !wanted.array;
        let variable = variable.split(['[', '+']).next().unwrap_or_default();
        let inside = !self.running.is_empty() && !wanted.global;
        if inside && matches!(name, "local" | "declare" | "typeset") {
            state.locals.push(variable.to_owned());
            state.unexport(variable);
        }
        if wanted.odd {
            state.make_odd(variable);
            if let Some(value) = value {
                self.evaluated(value, state);
            }
        }
        // Outside of a function, `local` fails.
        let certain = whole && (name != "local" || !self.running.is_empty());
        match value {
            Some(value) if certain => {
                self.special_variable(variable, Some(value), state);
                state.set(variable, Value::known(value));
            }
            Some(_) => state.set(variable, Value::Unknown),
            None if inside && name != "export" && name != "readonly" => {
                state.set(variable, Value::Unknown);
            }
            None => {}
        }
        if wanted.exported {
            state.export(variable);
        }
        if wanted.readonly {
            state.make_odd(variable);
        }
    }
}
