//! Lists, pipelines and compound commands.

use hookward_shell::{CaseArm, Command, CommandKind, Connector, List, Pipeline, Word};

use super::state::{Directories, State, Value};
use super::walker::Walker;
use crate::programs::Stdin;

/// Most values of a `for` loop that are gone through one by one.
const MAX_ROUNDS: usize = 16;

/// What is known about how a command ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ending {
    Success,
    Failure,
    Unknown,
    /// What follows in the same shell does not run.
    Leaves,
}

impl Walker<'_, '_> {
    pub(super) fn lists(&mut self, text: &str, lists: &[List<'_>], state: &mut State) -> Ending {
        let mut ending = Ending::Success;
        for list in lists {
            if list.background {
                let mut own = state.clone();
                own.stdin = Stdin::Inherited;
                self.list(text, list, &mut own);
                ending = Ending::Success;
            } else {
                ending = self.list(text, list, state);
            }
        }
        ending
    }

    /// Walks a chain of `&&` and `||`, keeping apart the states in which it can stop on the way.
    fn list(&mut self, text: &str, list: &List<'_>, state: &mut State) -> Ending {
        let mut ending = self.pipeline(text, &list.first, state);
        if list.rest.is_empty() {
            // Whether it failed is not looked at, so what follows runs in both forms.
            return ending;
        }
        let mut failed: Vec<State> = Vec::new();
        let mut succeeded: Vec<State> = Vec::new();
        for (connector, pipeline) in &list.rest {
            let (stopped, goes_on) = match connector {
                Connector::And => (&mut failed, &mut succeeded),
                Connector::Or => (&mut succeeded, &mut failed),
            };
            let and = *connector == Connector::And;
            let surely = if and {
                Ending::Success
            } else {
                Ending::Failure
            };
            if ending != surely && ending != Ending::Leaves {
                let stop = state.clone();
                stopped.push(if and { stop.failed() } else { stop.succeeded() });
            }
            let own = std::mem::replace(state, State::new(Directories::unknown()));
            *state = if and { own.succeeded() } else { own.failed() };
            for other in goes_on.drain(..) {
                state.join(&other);
            }
            ending = self.pipeline(text, pipeline, state);
        }
        let mut stopped = failed.into_iter().chain(succeeded);
        if ending == Ending::Leaves {
            // Who left is not there any more; the others go on.
            if let Some(first) = stopped.next() {
                *state = first;
                ending = Ending::Unknown;
            }
        }
        for other in stopped {
            state.join(&other);
            ending = Ending::Unknown;
        }
        ending
    }

    fn pipeline(&mut self, text: &str, pipeline: &Pipeline<'_>, state: &mut State) -> Ending {
        let mut ending = Ending::Unknown;
        if let [command] = pipeline.commands.as_slice() {
            ending = self.command(text, command, state);
        } else {
            for (index, command) in pipeline.commands.iter().enumerate() {
                let mut own = state.clone();
                own.if_failed = None;
                if index > 0 {
                    own.stdin = Stdin::Unknown;
                }
                self.command(text, command, &mut own);
            }
        }
        match ending {
            Ending::Success if pipeline.negated => Ending::Failure,
            Ending::Failure if pipeline.negated => Ending::Success,
            other => other,
        }
    }

    fn command(&mut self, text: &str, command: &Command<'_>, state: &mut State) -> Ending {
        if !self.step() {
            return Ending::Unknown;
        }
        // The command before has ended one way or the other.
        if let Some(other) = state.if_failed.take() {
            let mut failed = state.clone();
            failed.directories = other;
            state.join(&failed);
        }
        if let CommandKind::Simple { assignments, words } = &command.kind {
            return self.simple(text, command, assignments, words, state);
        }
        let stdin = std::mem::replace(&mut state.stdin, Stdin::Inherited);
        state.stdin = stdin.clone();
        self.redirects(text, &command.redirects, state);
        let ending = self.compound(text, &command.kind, state);
        state.stdin = stdin;
        ending
    }

    fn compound(&mut self, text: &str, kind: &CommandKind<'_>, state: &mut State) -> Ending {
        match kind {
            CommandKind::Simple { .. } => Ending::Unknown,
            CommandKind::Subshell(lists) => {
                self.substitution(text, lists, state);
                Ending::Unknown
            }
            CommandKind::Group(lists) => self.lists(text, lists, state),
            CommandKind::If {
                branches,
                otherwise,
            } => self.branches(text, branches, otherwise.as_deref(), state),
            CommandKind::Loop { condition, body } => {
                self.repeated(state, |walker, state| {
                    walker.lists(text, condition, state);
                    walker.lists(text, body, state);
                });
                Ending::Unknown
            }
            CommandKind::For { name, words, body } => {
                self.for_each(text, name, words.as_deref(), body, state);
                Ending::Unknown
            }
            CommandKind::ArithmeticFor { expression, body } => {
                self.repeated(state, |walker, state| {
                    walker.arithmetic(text, expression, state);
                    walker.lists(text, body, state);
                });
                Ending::Unknown
            }
            CommandKind::Case { subject, arms } => {
                self.case(text, subject, arms, state);
                Ending::Unknown
            }
            CommandKind::Function { name, body } => {
                self.define(text, name, body, state);
                Ending::Success
            }
            CommandKind::Coproc { body } => {
                let mut own = state.clone();
                own.stdin = Stdin::Unknown;
                self.command(text, body, &mut own);
                Ending::Success
            }
            CommandKind::Arithmetic(expression) => {
                self.arithmetic(text, expression, state);
                Ending::Unknown
            }
            CommandKind::Test(words) => {
                for word in words {
                    self.arithmetic(text, word, state);
                }
                Ending::Unknown
            }
        }
    }

    /// Commands in a shell of their own, which leaves this one's memory as it is.
    pub(super) fn substitution(&mut self, text: &str, lists: &[List<'_>], state: &State) {
        let mut own = state.clone();
        self.lists(text, lists, &mut own);
    }

    fn branches(
        &mut self,
        text: &str,
        branches: &[(Vec<List<'_>>, Vec<List<'_>>)],
        otherwise: Option<&[List<'_>]>,
        state: &mut State,
    ) -> Ending {
        let mut ends: Vec<State> = Vec::new();
        for (condition, body) in branches {
            self.lists(text, condition, state);
            let mut taken = state.clone().succeeded();
            if self.lists(text, body, &mut taken) != Ending::Leaves {
                ends.push(taken);
            }
            let own = std::mem::replace(state, State::new(Directories::unknown()));
            *state = own.failed();
        }
        let mut left = false;
        if let Some(body) = otherwise {
            left = self.lists(text, body, state) == Ending::Leaves;
        }
        let mut ends = ends.into_iter();
        if left {
            match ends.next() {
                Some(first) => *state = first,
                None => return Ending::Leaves,
            }
        }
        for end in ends {
            state.join(&end);
        }
        Ending::Unknown
    }

    /// Walks what may run any number of times until another round teaches nothing new.
    fn repeated(&mut self, state: &mut State, mut round: impl FnMut(&mut Self, &mut State)) {
        const ROUNDS: usize = 4;
        for _ in 0..ROUNDS {
            let before = state.clone();
            round(self, state);
            state.if_failed = None;
            state.join(&before);
            if *state == before {
                return;
            }
        }
        // It goes on changing: `cd ..` in a loop, for instance.
        state.taint();
        state.directories = Directories::unknown();
        round(self, state);
    }

    fn for_each(
        &mut self,
        text: &str,
        name: &str,
        words: Option<&[Word<'_>]>,
        body: &[List<'_>],
        state: &mut State,
    ) {
        let words = words.unwrap_or_default();
        let mut values: Vec<Option<String>> = Vec::new();
        for word in words {
            let fields = self.fields(text, word, state);
            values.extend(fields.iter().map(|field| field.exact().map(str::to_owned)));
        }
        let known: Option<Vec<String>> = values.into_iter().collect();
        match known {
            Some(known) if !known.is_empty() && known.len() <= MAX_ROUNDS => {
                let before = state.clone();
                for value in known {
                    state.set(name, Value::Known(value));
                    self.lists(text, body, state);
                    // `continue` and `break` may have skipped any of it.
                    state.join(&before);
                }
                state.set(name, Value::Unknown);
            }
            _ => self.repeated(state, |walker, state| {
                state.set(name, Value::Unknown);
                walker.lists(text, body, state);
            }),
        }
    }

    fn case(&mut self, text: &str, subject: &Word<'_>, arms: &[CaseArm<'_>], state: &mut State) {
        self.single(text, subject, state);
        let mut ends = Vec::new();
        for arm in arms {
            for pattern in &arm.patterns {
                self.single(text, pattern, state);
            }
            let mut taken = state.clone();
            // `;&` falls through into the next arm, so that one may start where this one ended.
            for end in &ends {
                taken.join(end);
            }
            if self.lists(text, &arm.body, &mut taken) != Ending::Leaves {
                ends.push(taken);
            }
        }
        for end in ends {
            state.join(&end);
        }
    }

    fn define(&mut self, text: &str, name: &str, body: &Command<'_>, state: &mut State) {
        // Redirections of the definition are made at each call; a here-document of it may stand
        // after the body, where the body's own text does not reach.
        let mut own = state.clone();
        self.redirects(text, &body.redirects, &mut own);
        let span = body.span.start as usize..body.span.end as usize;
        let written = text.get(span).unwrap_or_default();
        if !state.define(name, written) {
            self.lists_of(text, body, state);
        }
    }

    /// Walks a function's body at once, where there are too many functions to remember.
    fn lists_of(&mut self, text: &str, body: &Command<'_>, state: &State) {
        let mut own = state.clone();
        own.positional = None;
        self.command(text, body, &mut own);
    }
}
