//! Every order in which a few handlers, and aborts of some of them, can take their steps. All
//! changes of the state are steps under one lock, so these orders are all there is.

use super::*;

/// Where a handler is.
enum Place {
    Outside,
    Queued(Arc<Ticket>),
    Running,
    Gone,
}

/// One run of the model, from its start.
struct World {
    limit: usize,
    state: State,
    handlers: Vec<(Place, Abort)>,
    /// The handlers that are to be aborted, until they are.
    doomed: Vec<usize>,
    /// Handlers in the order in which they came to the queue, and in which they left it to run.
    arrived: Vec<usize>,
    admitted: Vec<usize>,
}

/// A step that is possible now.
#[derive(Clone, Copy)]
enum Step {
    Advance(usize),
    Abort(usize),
}

impl World {
    fn new(limit: usize, handlers: usize, doomed: &[usize]) -> Self {
        let outside = |_| (Place::Outside, Abort::new().unwrap());
        Self {
            limit,
            state: State {
                free: limit,
                queue: VecDeque::new(),
            },
            handlers: (0..handlers).map(outside).collect(),
            doomed: doomed.to_vec(),
            arrived: Vec::new(),
            admitted: Vec::new(),
        }
    }

    fn steps(&self) -> Vec<Step> {
        let handlers = self.handlers.iter().enumerate();
        let able = handlers.filter(|(_, (place, abort))| match place {
            Place::Outside | Place::Running => true,
            Place::Queued(ticket) => ticket.granted.is_aborted() || abort.is_aborted(),
            Place::Gone => false,
        });
        let advance = able.map(|(handler, _)| Step::Advance(handler));
        let abort = self.doomed.iter().copied().map(Step::Abort);
        abort.chain(advance).collect()
    }

    fn take(&mut self, step: Step) {
        match step {
            Step::Abort(handler) => {
                self.handlers[handler].1.abort();
                self.doomed.retain(|waiting| *waiting != handler);
            }
            Step::Advance(handler) => {
                let (place, abort) = &self.handlers[handler];
                let next = match place {
                    Place::Outside if abort.is_aborted() => Place::Gone,
                    Place::Outside => match self.state.enter().unwrap() {
                        None => Place::Running,
                        Some(ticket) => {
                            self.arrived.push(handler);
                            Place::Queued(ticket)
                        }
                    },
                    Place::Queued(ticket) if self.state.settle(ticket, abort).is_ok() => {
                        Place::Running
                    }
                    Place::Queued(_) => {
                        self.arrived.retain(|waiting| *waiting != handler);
                        Place::Gone
                    }
                    Place::Running => {
                        self.state.release();
                        Place::Gone
                    }
                    Place::Gone => unreachable!("it has no step"),
                };
                self.handlers[handler].0 = next;
            }
        }
        self.check();
    }

    /// What holds after every step.
    fn check(&mut self) {
        let is_running = |place: &Place| matches!(place, Place::Running);
        let running = self
            .handlers
            .iter()
            .filter(|(place, _)| is_running(place))
            .count();
        let granted = |place: &Place| matches!(place, Place::Queued(t) if t.granted.is_aborted());
        let held = self
            .handlers
            .iter()
            .filter(|(place, _)| granted(place))
            .count();
        assert_eq!(
            self.state.free + running + held,
            self.limit,
            "no permit is lost or made up"
        );
        assert!(
            self.state.free == 0 || self.state.queue.is_empty(),
            "nobody waits for nothing"
        );
        for (handler, (place, _)) in self.handlers.iter().enumerate() {
            if granted(place) && !self.admitted.contains(&handler) {
                self.admitted.push(handler);
            }
        }
    }
}

/// Runs every order of steps; returns how many there were. Each is replayed from its start, since
/// descriptors cannot be copied.
fn explore(limit: usize, handlers: usize, doomed: &[usize]) -> usize {
    let mut choices: Vec<(usize, usize)> = Vec::new();
    for orders in 1.. {
        let mut world = World::new(limit, handlers, doomed);
        let mut depth = 0;
        loop {
            let steps = world.steps();
            if steps.is_empty() {
                break;
            }
            if depth == choices.len() {
                choices.push((0, steps.len()));
            }
            world.take(steps[choices[depth].0]);
            depth += 1;
        }
        let is_gone = |(place, _): &(Place, Abort)| matches!(place, Place::Gone);
        assert!(world.handlers.iter().all(is_gone), "nobody waits for ever");
        assert_eq!((world.state.free, world.state.queue.len()), (limit, 0));
        world
            .admitted
            .retain(|handler| world.arrived.contains(handler));
        assert_eq!(world.admitted, world.arrived, "first in, first out");
        // The next order: the last step that has an alternative takes it.
        while choices.last().is_some_and(|(taken, of)| taken + 1 == *of) {
            choices.pop();
        }
        match choices.last_mut() {
            Some((taken, _)) => *taken += 1,
            None => return orders,
        }
    }
    0
}

#[test]
fn every_order_of_three_handlers_and_two_aborts_keeps_the_limit_and_the_queue() {
    let mut orders = 0;
    for limit in [1, 2] {
        for doomed in [&[][..], &[0], &[1], &[2], &[0, 1], &[1, 2]] {
            orders += explore(limit, 3, doomed);
        }
    }
    // So that a model which explores nothing is noticed.
    assert!(orders > 5_000, "{orders}");
}
