//! Lists, pipelines and compound commands.

use hookward_shell::{CaseArm, Command, CommandKind, Connector, List, Pipeline, Word};

use super::command::runs_when_evaluated;
use super::state::{Directories, State, Value};
use super::walker::Walker;
use crate::effect::OpaqueCause;
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
        let mut ending = Ending::Unknown;
        self.deeper(text, |walker| {
            ending = walker.lists_here(text, lists, state);
        });
        ending
    }

    fn lists_here(&mut self, text: &str, lists: &[List<'_>], state: &mut State) -> Ending {
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
            if !self.step(state.weight()) {
                return Ending::Unknown;
            }
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
            state.settle();
            for (index, command) in pipeline.commands.iter().enumerate() {
                let mut own = state.clone();
                if index > 0 {
                    own.stdin = Stdin::Unknown;
                }
                self.command(text, command, &mut own);
            }
            state.stdin = state.stdin.clone().read_from();
        }
        match ending {
            Ending::Success if pipeline.negated => Ending::Failure,
            Ending::Failure if pipeline.negated => Ending::Success,
            other => other,
        }
    }

    fn command(&mut self, text: &str, command: &Command<'_>, state: &mut State) -> Ending {
        let span = command.span.start as usize..command.span.end as usize;
        // A text at standard input is copied with the state.
        let stdin = match &state.stdin {
            Stdin::Text(text) => text.len() / 8,
            _ => 0,
        };
        if !self.step(span.len() + stdin) {
            return Ending::Unknown;
        }
        state.settle();
        self.pass(state);
        if state.foreign {
            self.foreign(text, command);
        }
        if let CommandKind::Simple { assignments, words } = &command.kind {
            return self.simple(text, command, assignments, words, state);
        }
        let outside = state.stdin.clone();
        self.redirects(text, &command.redirects, state);
        let redirected = state.stdin != outside;
        let ending = self.compound(text, &command.kind, state);
        if redirected {
            state.stdin = outside;
        }
        ending
    }

    /// Says so where other shells do not read a command as Bash does.
    fn foreign(&mut self, text: &str, command: &Command<'_>) {
        let span = command.span.start as usize..command.span.end as usize;
        let before = text.get(..span.start).unwrap_or_default().trim_end();
        let written = text.get(span).unwrap_or_default();
        let differs = match &command.kind {
            CommandKind::Test(_)
            | CommandKind::Arithmetic(_)
            | CommandKind::ArithmeticFor { .. }
            | CommandKind::Coproc { .. } => true,
            CommandKind::Function { .. } => written.starts_with("function"),
            CommandKind::For { .. } => written.starts_with("select"),
            _ => before.ends_with("time") || before.ends_with("time -p"),
        };
        if differs {
            self.opaque(OpaqueCause::UnknownText, written);
        }
    }

    fn compound(&mut self, text: &str, kind: &CommandKind<'_>, state: &mut State) -> Ending {
        match kind {
            CommandKind::Simple { .. } => Ending::Unknown,
            CommandKind::Subshell(lists) => {
                self.substitution(text, lists, state);
                state.stdin = state.stdin.clone().read_from();
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
                // It sets variables of a name that may be any.
                state.taint();
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
            if !self.step(state.weight()) {
                return Ending::Unknown;
            }
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
            self.round(state, &mut round);
            if *state == before {
                return;
            }
        }
        // It goes on changing: `cd ..` in a loop, for instance.
        state.taint();
        state.directories = Directories::unknown();
        state.if_failed = None;
        state.positional = None;
        state.stack = None;
        self.round(state, &mut round);
    }

    /// One round, which may not come, or end early by `break` and `continue`.
    fn round(&mut self, state: &mut State, round: &mut impl FnMut(&mut Self, &mut State)) {
        let before = state.clone();
        self.loops.push(None);
        round(self, state);
        state.settle();
        let left = self.loops.pop().flatten();
        for other in left.iter().chain([&before]) {
            state.join(other);
        }
    }

    /// Keeps the state in which `break`, `continue` or `return` leaves what is around it.
    pub(super) fn leaves(&mut self, name: &str, state: &State) -> Ending {
        let mut state = state.clone();
        state.settle();
        let around = if name == "return" {
            &mut self.returns
        } else {
            &mut self.loops
        };
        // `break 2` leaves the loop around that, too.
        for left in around {
            match left {
                Some(left) => left.join(&state),
                None => *left = Some(state.clone()),
            }
        }
        Ending::Leaves
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
                for value in known {
                    self.evaluable |= runs_when_evaluated(&value);
                    self.round(state, &mut |walker: &mut Self, state: &mut State| {
                        state.set(name, Value::known(&value));
                        walker.lists(text, body, state);
                    });
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
        let mut ended: Option<State> = None;
        for arm in arms {
            // Each arm has a memory of its own, and what the arms before left grows.
            let left = ended.as_ref().map_or(0, State::weight);
            if !self.step(state.weight().saturating_add(left)) {
                return;
            }
            for pattern in &arm.patterns {
                self.single(text, pattern, state);
            }
            let mut taken = state.clone();
            // `;&` falls through into the next arm, so that one may start where this one ended.
            if let Some(ended) = &ended {
                taken.join(ended);
            }
            if self.lists(text, &arm.body, &mut taken) != Ending::Leaves {
                taken.settle();
                match &mut ended {
                    Some(ended) => ended.join(&taken),
                    None => ended = Some(taken),
                }
            }
        }
        if let Some(ended) = ended {
            state.join(&ended);
        }
    }

    fn define(&mut self, text: &str, name: &str, body: &Command<'_>, state: &mut State) {
        // Redirections of the definition are made at each call. A here-document may stand after the
        // body, where the body's own text does not reach, so that it is walked here.
        let mut own = state.clone();
        self.redirects(text, &body.redirects, &mut own);
        let span = body.span.start as usize..body.span.end as usize;
        let written = text.get(span).unwrap_or_default();
        self.keep_function(name, written);
        if !state.define(name, written) || written.contains("<<") {
            own.positional = None;
            own.directories = Directories::unknown();
            own.taint();
            self.compound(text, &body.kind, &mut own);
        }
    }
}
