//! The walk's own means: where effects go, and the bounds.

use hookward_shell::parse;

use super::state::State;
use crate::collector::Collector;
use crate::effect::{Effect, OpaqueCause};
use crate::observation::Observation;
use crate::programs::Field;

/// Most commands that are walked, loops and functions counted as often as they are walked.
const MAX_STEPS: u32 = 20_000;
/// Deepest nesting of texts within texts, of functions within functions and of scripts in files.
const MAX_NESTING: u32 = 24;

/// Walks one call's shell text.
pub(super) struct Walker<'c, 'o> {
    collector: &'c mut Collector<'o>,
    steps: u32,
    nesting: u32,
    /// Names of the functions that are being walked.
    pub(super) running: Vec<String>,
    /// Script files that are being walked.
    pub(super) files: Vec<camino::Utf8PathBuf>,
}

impl<'c, 'o> Walker<'c, 'o> {
    pub(super) fn new(collector: &'c mut Collector<'o>) -> Self {
        Self {
            collector,
            steps: 0,
            nesting: 0,
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

    pub(super) fn push(&mut self, effect: Effect) {
        self.collector.push(effect);
    }

    pub(super) fn opaque(&mut self, cause: OpaqueCause, text: &str) {
        self.collector.opaque(cause, text);
    }

    /// Counts a command. Beyond the bound the rest is opaque, and nothing more is walked.
    pub(super) fn step(&mut self) -> bool {
        self.steps += 1;
        if self.steps == MAX_STEPS {
            let detail = format!("more than {MAX_STEPS} commands");
            self.opaque(OpaqueCause::Unparsable { detail }, "");
        }
        self.steps < MAX_STEPS && !self.collector.is_full()
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

    /// Walks a whole text.
    pub(super) fn script(&mut self, text: &str, state: &mut State) {
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
        self.run(&fields, &argv.join(" "), &[], &mut state);
    }
}
