//! The walk's own means: where effects go, and the bounds.

use std::rc::Rc;

use camino::Utf8Path;
use hookward_shell::parse;

use super::command::Lookup;
use super::state::{Directories, Function, State};
use crate::collector::Collector;
use crate::effect::{Effect, OpaqueCause};
use crate::observation::Observation;
use crate::programs::{Field, Stdin};

/// Most text that is walked, in bytes, as often as it is walked.
const MAX_WORK: usize = 8 * 1024 * 1024;
/// Most commands that are walked, loops and functions counted as often as they are walked.
const MAX_STEPS: u32 = 20_000;
/// Deepest nesting of lists of commands, those of texts within texts included.
const MAX_DEPTH: u32 = 128;
/// Deepest nesting of texts within texts, of functions within functions and of scripts in files.
const MAX_NESTING: u32 = 24;

/// Walks one call's shell text.
pub(super) struct Walker<'c, 'o> {
    collector: &'c mut Collector<'o>,
    steps: u32,
    work: usize,
    nesting: u32,
    depth: u32,
    /// Names of the functions that are being walked.
    pub(super) running: Vec<String>,
    /// Script files that are being walked.
    pub(super) files: Vec<camino::Utf8PathBuf>,
    /// States in which `break` and `continue` left, one for each loop around.
    pub(super) loops: Vec<Option<State>>,
    /// States in which `return` left, one for each function and sourced file around.
    pub(super) returns: Vec<Option<State>>,
    /// Whether the text has a value that would run something where it is evaluated.
    pub(super) evaluable: bool,
    /// Texts that run when a signal, an error or the end comes.
    traps: Vec<String>,
    /// All that may be in force when they run.
    trapped: Option<State>,
    /// Every body of every function that was defined.
    functions: std::collections::BTreeMap<Rc<str>, Function>,
}

impl<'c, 'o> Walker<'c, 'o> {
    pub(super) fn new(collector: &'c mut Collector<'o>) -> Self {
        Self {
            collector,
            steps: 0,
            work: 0,
            nesting: 0,
            depth: 0,
            loops: Vec::new(),
            returns: Vec::new(),
            evaluable: false,
            traps: Vec::new(),
            trapped: None,
            functions: std::collections::BTreeMap::new(),
            running: Vec::new(),
            files: Vec::new(),
        }
    }

    pub(super) fn observation(&self) -> &'o Observation<'o> {
        self.collector.observation
    }

    pub(super) fn collector(&mut self) -> &mut Collector<'o> {
        self.collector
    }

    /// Whether the call may have changed a path before, by a program that `counts`.
    pub(super) fn has_changed(&self, path: &Utf8Path, counts: impl Fn(&str) -> bool) -> bool {
        self.collector.has_changed(path, counts)
    }

    pub(super) fn push(&mut self, effect: Effect) {
        self.collector.push(effect);
    }

    pub(super) fn opaque(&mut self, cause: OpaqueCause, text: &str) {
        self.collector.opaque(cause, text);
    }

    /// Counts a command of so many bytes. Beyond the bounds the rest is opaque, and nothing more is
    /// walked.
    pub(super) fn step(&mut self, bytes: usize) -> bool {
        let before = self.may_go_on();
        self.steps = self.steps.saturating_add(1);
        self.work = self.work.saturating_add(bytes);
        let now = self.may_go_on();
        if before && !now {
            let detail = format!("more than {MAX_STEPS} commands or {MAX_WORK} bytes to walk");
            self.opaque(OpaqueCause::Unparsable { detail }, "");
        }
        now && !self.collector.is_full()
    }

    fn may_go_on(&self) -> bool {
        self.steps < MAX_STEPS && self.work < MAX_WORK
    }

    /// Walks what is nested in the text, within the bound.
    pub(super) fn nested(&mut self, text: &str, work: impl FnOnce(&mut Self)) {
        if self.nesting >= MAX_NESTING {
            let detail = format!("texts nested more than {MAX_NESTING} deep");
            self.opaque(OpaqueCause::Unparsable { detail }, text);
            return;
        }
        self.nesting += 1;
        work(self);
        self.nesting -= 1;
    }

    /// Walks a list of commands in another, within the bound.
    pub(super) fn deeper(&mut self, text: &str, work: impl FnOnce(&mut Self)) {
        if self.depth >= MAX_DEPTH {
            let detail = format!("commands nested more than {MAX_DEPTH} deep");
            self.opaque(OpaqueCause::Unparsable { detail }, text);
            return;
        }
        self.depth += 1;
        work(self);
        self.depth -= 1;
    }

    /// Walks the text of a call, and then what its traps run.
    pub(super) fn call_text(&mut self, text: &str, state: &mut State) {
        self.script(text, state);
        self.later(state);
        self.collector.doubt_written_scripts();
    }

    /// Walks a whole text.
    pub(super) fn script(&mut self, text: &str, state: &mut State) {
        if !self.step(text.len()) {
            return;
        }
        let script = parse(text);
        self.lists(text, &script.lists, state);
        if let Some(error) = script.error {
            let rest = text.get(error.offset as usize..).unwrap_or(text);
            let detail = error.to_string();
            self.opaque(OpaqueCause::Unparsable { detail }, rest);
        }
    }

    /// Walks a text that stands in the text: of `eval`, `-c`, backquotes.
    pub(super) fn nested_text(&mut self, text: &str, state: &mut State) {
        self.nested(text, |walker| walker.script(text, state));
    }

    /// Walks an argument list that no shell expands.
    pub(super) fn argument_list(&mut self, argv: &[String], mut state: State) {
        let fields: Vec<Field> = argv.iter().map(Field::known).collect();
        self.start(&fields, &argv.join(" "), &[], Lookup::Program, &mut state);
        self.later(&state);
        self.collector.doubt_written_scripts();
    }

    /// Keeps a text that may run at any later time.
    pub(super) fn trap_text(&mut self, text: &str, state: &State) {
        if !self.traps.iter().any(|known| known == text) {
            self.traps.push(text.to_owned());
        }
        let trapped = self.trapped.get_or_insert_with(|| state.clone());
        trapped.join(state);
    }

    /// Keeps what is in force at a command, for traps that may run there.
    pub(super) fn pass(&mut self, state: &State) {
        if let Some(trapped) = &mut self.trapped {
            trapped.join(state);
        }
    }

    /// Keeps a definition, for what runs at any later time.
    pub(super) fn keep_function(&mut self, name: &str, body: &str) {
        let new = Function {
            bodies: Vec::new(),
            sure: false,
        };
        let function = self.functions.entry(name.into()).or_insert(new);
        if !function.bodies.iter().any(|known| **known == *body) {
            function.bodies.push(body.into());
        }
    }

    /// Walks what runs at any time after it was set, or at the end.
    fn later(&mut self, end: &State) {
        // Bash calls this one by itself.
        if self.functions.contains_key(NOT_FOUND) {
            let mut state = end.clone();
            state.directories = Directories::unknown();
            state.taint();
            self.trap_text(&format!("{NOT_FOUND} \"$@\""), &state);
        }
        let Some(mut state) = self.trapped.take() else {
            return;
        };
        let mut end = end.clone();
        end.settle();
        state.settle();
        state.join(&end);
        state.positional = None;
        state.stdin = Stdin::Unknown;
        let mut next = 0;
        while let Some(text) = self.traps.get(next).cloned() {
            next += 1;
            state.functions = Rc::new(self.functions.clone());
            self.nested_text(&text, &mut state.clone());
        }
    }
}

/// The function that Bash calls for programs that it does not find.
const NOT_FOUND: &str = "command_not_found_handle";
