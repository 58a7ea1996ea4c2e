//! The reduced search: at least one schedule of each class of equivalent ones, for when only the verdict is wanted.
//!
//! Dynamic partial-order reduction (Flanagan and Godefroid, POPL 2005) with sleep sets (Godefroid 1996). Two steps
//! depend on each other if they touch the same object and one of them may change it. Wherever a step depends on an
//! earlier one of another thread that does not happen before it, the other order is explored as well. Every such
//! earlier step is considered, not just the last one that could be swapped: an operation that waits (a lock, a
//! channel) may be possible only before an earlier one of them.

use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use crate::trace::Way;

use super::Options;
use super::atlas::{Atlas, Ident};
use super::core::{Event, Stop};
use super::ends::{Ended, Ends};
use super::graph::AFTER_TOO_LONG;
use super::model::Model;
use super::run::{Choice, Run, execute};
use super::stage::{Next, perform};

/// What a step touched: objects, and whether it may have changed them.
type Touches = Arc<[(Ident, bool)]>;

/// What the reduced search has found.
pub(super) struct Reduced {
    pub(super) ends: Ends,
    /// A schedule that comes to each of the ends.
    pub(super) examples: Vec<Vec<(Ident, Way)>>,
    pub(super) atlas: Atlas,
    pub(super) executions: u64,
    pub(super) steps: u64,
    pub(super) complete: bool,
    pub(super) held: bool,
}

/// A state on the current path.
struct Frame {
    choices: Vec<Choice>,
    /// Threads to explore from here.
    backtrack: Vec<Ident>,
    /// Threads explored, or not worth exploring here, each with what its step touches.
    asleep: Vec<(Ident, Touches)>,
    /// The choice being explored, and those of the same thread that come after it.
    current: Choice,
    others: Vec<Choice>,
    /// What the current thread's step has touched, over all of its ways.
    touched: Vec<(Ident, bool)>,
}

struct Search<'a> {
    model: &'a Model,
    options: &'a Options,
    found: Reduced,
    path: Vec<Frame>,
    started: bool,
    /// Steps at most, over all executions.
    steps: u64,
}

/// Explores within the options' budget of steps.
pub(super) fn explore_reduced(model: &Model, options: &Options) -> Reduced {
    let found = Reduced {
        ends: Ends::default(),
        examples: Vec::new(),
        atlas: Atlas::new(),
        executions: 0,
        steps: 0,
        complete: false,
        held: false,
    };
    let mut search = Search { model, options, found, path: Vec::new(), started: false, steps: options.steps };
    perform(&mut search, Search::next);
    search.found
}

impl Search<'_> {
    fn next(&mut self) -> Next {
        if self.started && !self.advance() {
            self.found.complete = true;
            return Next::Done;
        }
        if self.found.steps >= self.steps {
            return Next::Done;
        }
        self.started = true;
        let mut atlas = std::mem::replace(&mut self.found.atlas, Atlas::new());
        let (model, limits) = (self.model, self.options.limits());
        let ((), tainted) = execute(model, &mut atlas, limits, None, |run| self.run(run));
        self.found.executions += 1;
        if atlas.surprised() {
            self.path.clear();
            (self.found.ends, self.found.examples) = Default::default();
            self.started = false;
        }
        self.found.atlas = atlas;
        if tainted { Next::Elsewhere } else { Next::Here }
    }

    /// Turns the path to its next unexplored choice; false if there is none.
    fn advance(&mut self) -> bool {
        while let Some(frame) = self.path.last_mut() {
            if let Some(choice) = frame.others.pop() {
                frame.current = choice;
                return true;
            }
            let touched = std::mem::take(&mut frame.touched);
            frame.asleep.push((frame.current.ident, touched.into()));
            let next = frame.backtrack.iter().copied().find(|ident| !frame.sleeps(*ident));
            if let Some(next) = next {
                frame.choose(next);
                return true;
            }
            self.path.pop();
        }
        false
    }

    fn run(&mut self, run: &Rc<Run>) {
        let mut order = Order::default();
        let known = self.path.len();
        let mut depth = 0;
        loop {
            if depth >= known && !self.extend(run, depth) {
                break;
            }
            let choice = self.path[depth].current;
            // Within one exploration the same choices lead to the same state, so the choice is there.
            run.take(choice);
            self.found.steps += 1;
            let events = run.core().events.clone();
            // The last known frame has just been turned to a new choice.
            let new = depth + 1 >= known;
            for (earlier, first) in order.step(depth, choice.ident, &events, new) {
                self.path[earlier].explore(&first);
            }
            let frame = &mut self.path[depth];
            for event in events {
                if let Event::Touch { object, write, .. } = event {
                    frame.touched.push((object, write));
                }
            }
            depth += 1;
        }
        // Whoever still waits might have gone first.
        let core = run.core();
        self.found.held |= core.held;
        for (number, thread) in core.threads.iter().enumerate() {
            let mut touches = Vec::new();
            core.pending_touches(number as u32, |object, write| {
                touches.push(Event::Touch { thread: thread.ident, object, write });
            });
            for (earlier, first) in order.reversals(thread.ident, &touches) {
                self.path[earlier].explore(&first);
            }
        }
    }

    /// Adds the state the run stands at to the path, unless it is an end or everything here is asleep.
    fn extend(&mut self, run: &Rc<Run>, depth: usize) -> bool {
        if let Some(end) = run.end() {
            if end.stop == Stop::TooLong {
                self.steps = self.steps.min(self.found.steps + AFTER_TOO_LONG);
            }
            let index = self.found.ends.index(Ended::new(end, &self.model.claims)) as usize;
            if index == self.found.examples.len() {
                let schedule = self.path.iter().map(|frame| (frame.current.ident, frame.current.way)).collect();
                self.found.examples.push(schedule);
            }
            return false;
        }
        let choices = run.choices();
        let asleep: Vec<(Ident, Touches)> = match depth.checked_sub(1).map(|parent| &self.path[parent]) {
            None => Vec::new(),
            Some(parent) => {
                let events = &run.core().events;
                let stays = |(_, touches): &&(Ident, Touches)| !depends(touches, events);
                parent.asleep.iter().filter(stays).cloned().collect()
            }
        };
        let awake = choices.iter().find(|choice| !asleep.iter().any(|(ident, _)| *ident == choice.ident)).copied();
        let Some(first) = awake else { return false };
        let mut frame = Frame {
            choices,
            backtrack: vec![first.ident],
            asleep,
            current: first,
            others: Vec::new(),
            touched: Vec::new(),
        };
        frame.choose(first.ident);
        self.path.push(frame);
        true
    }
}

impl Frame {
    fn sleeps(&self, thread: Ident) -> bool {
        self.asleep.iter().any(|(ident, _)| *ident == thread)
    }

    /// Begins with a thread's first way.
    fn choose(&mut self, thread: Ident) {
        self.others = self.choices.iter().filter(|choice| choice.ident == thread).rev().copied().collect();
        if let Some(first) = self.others.pop() {
            self.current = first;
        }
    }

    /// Has a race with the step from here explored the other way round, which one of these threads can begin.
    fn explore(&mut self, first: &[Ident]) {
        if first.iter().any(|thread| self.backtrack.contains(thread) || self.sleeps(*thread)) {
            return;
        }
        let possible = |thread: &&Ident| self.choices.iter().any(|choice| choice.ident == **thread);
        match first.iter().find(possible) {
            Some(thread) => self.backtrack.push(*thread),
            // It has to wait here: whoever could let it go on.
            None => {
                for choice in &self.choices {
                    if !self.backtrack.contains(&choice.ident) {
                        self.backtrack.push(choice.ident);
                    }
                }
            }
        }
    }
}

/// Races over more steps than these are reversed by every thread that can move, which is always enough: finding out
/// who could begin would cost more than it saves.
const FAR: usize = 200;

fn depends(touches: &[(Ident, bool)], events: &[Event]) -> bool {
    events.iter().any(|event| match *event {
        Event::Touch { object, write, .. } => {
            touches.iter().any(|(other, writes)| *other == object && (write || *writes))
        }
        Event::Start { .. } | Event::Join { .. } => false,
    })
}

/// For each thread, the last step of every other thread that happens before its next one, counted from 1.
type Clock = HashMap<Ident, usize>;

/// Which steps of an execution happen before which.
#[derive(Default)]
struct Order {
    clocks: HashMap<Ident, Clock>,
    touched: HashMap<Ident, Touched>,
    steps: Vec<Taken>,
}

/// A step of the execution.
struct Taken {
    by: Ident,
    /// Everyone who has touched something in it.
    who: Vec<Ident>,
    touches: Vec<(Ident, bool)>,
    /// What happens before it, and itself.
    clock: Clock,
}

impl Taken {
    /// Whether this step, of that number, happens before something with that clock.
    fn before(&self, number: usize, clock: &Clock) -> bool {
        self.who.iter().any(|thread| clock.get(thread).is_some_and(|last| *last > number))
    }
}

#[derive(Default)]
struct Touched {
    /// For each thread: its steps that touched the object, and whether they may have changed it.
    by: HashMap<Ident, Vec<(usize, bool)>>,
    writes: Clock,
    reads: Clock,
}

fn join(into: &mut Clock, other: &Clock) {
    for (thread, step) in other {
        let known = into.entry(*thread).or_default();
        *known = (*known).max(*step);
    }
}

impl Order {
    /// Earlier steps that an access depends on and that do not happen before it.
    fn races(&self, thread: Ident, object: Ident, write: bool) -> Vec<usize> {
        let Some(touched) = self.touched.get(&object) else { return Vec::new() };
        let clock = self.clocks.get(&thread);
        let mut races = Vec::new();
        for (other, steps) in touched.by.iter().filter(|(other, _)| **other != thread) {
            // Of each thread, the steps that happen before are the first ones.
            let known = clock.and_then(|clock| clock.get(other)).copied().unwrap_or(0);
            let unordered = steps.iter().rev().take_while(|(step, _)| *step >= known);
            races.extend(unordered.filter(|(_, wrote)| write || *wrote).map(|(step, _)| *step));
        }
        races.sort_unstable();
        races
    }

    /// The steps that what a thread does next races with, each with the threads that could go first there.
    ///
    /// That is who begins the rest of the execution without what happens after that step (Abdulla, Aronis, Jonsson,
    /// Sagonas, "Source Sets", JACM 2017): a thread whose first step there depends on another's is no beginning.
    fn reversals(&self, by: Ident, events: &[Event]) -> Vec<(usize, Vec<Ident>)> {
        let mut races = Vec::new();
        for event in events {
            if let Event::Touch { thread, object, write } = *event {
                races.extend(self.races(thread, object, write));
            }
        }
        races.sort_unstable();
        races.dedup();
        races.into_iter().filter(|at| *at < self.steps.len()).map(|at| (at, self.beginnings(at, by, events))).collect()
    }

    fn beginnings(&self, from: usize, by: Ident, events: &[Event]) -> Vec<Ident> {
        if self.steps.len() - from > FAR {
            return Vec::new();
        }
        let none = Clock::new();
        let mut kept: Vec<usize> = Vec::new();
        let mut met: Vec<Ident> = Vec::new();
        let mut first = Vec::new();
        for (number, step) in self.steps.iter().enumerate().skip(from + 1) {
            if self.steps[from].before(from, &step.clock) {
                continue;
            }
            if !met.contains(&step.by) {
                met.push(step.by);
                if kept.iter().all(|earlier| !self.steps[*earlier].before(*earlier, &step.clock)) {
                    first.push(step.by);
                }
            }
            kept.push(number);
        }
        let clock = self.clocks.get(&by).unwrap_or(&none);
        let free = |earlier: &usize| {
            let step = &self.steps[*earlier];
            !step.before(*earlier, clock) && !depends(&step.touches, events)
        };
        if !met.contains(&by) && kept.iter().all(free) {
            first.push(by);
        }
        first
    }

    /// Takes a step in; if it is new, returns the earlier steps it races with, and who could go first there.
    fn step(&mut self, step: usize, by: Ident, events: &[Event], new: bool) -> Vec<(usize, Vec<Ident>)> {
        let races = if new { self.reversals(by, events) } else { Vec::new() };
        let mut taken = Taken { by, who: Vec::new(), touches: Vec::new(), clock: Clock::new() };
        for event in events {
            match *event {
                Event::Start { parent, child } => {
                    let clock = self.clocks.get(&parent).cloned().unwrap_or_default();
                    self.clocks.insert(child, clock);
                }
                Event::Join { thread, child } => {
                    let clock = self.clocks.get(&child).cloned().unwrap_or_default();
                    join(self.clocks.entry(thread).or_default(), &clock);
                }
                Event::Touch { thread, object, write } => {
                    let clock = self.clocks.entry(thread).or_default();
                    clock.insert(thread, step + 1);
                    let touched = self.touched.entry(object).or_default();
                    join(clock, &touched.writes);
                    if write {
                        join(clock, &touched.reads);
                        touched.writes.clone_from(clock);
                    } else {
                        join(&mut touched.reads, clock);
                    }
                    touched.by.entry(thread).or_default().push((step, write));
                    join(&mut taken.clock, clock);
                    taken.touches.push((object, write));
                    if !taken.who.contains(&thread) {
                        taken.who.push(thread);
                    }
                }
            }
        }
        self.steps.push(taken);
        races
    }
}
