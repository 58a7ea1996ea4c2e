//! Every schedule of a program as a graph of states: prefixes that lead to equal states are merged.
//!
//! A state is the objects' values together with everything each thread has observed. Equal observations and equal
//! code have equal futures, so the paths through the graph are exactly the program's schedules. Coroutines cannot be
//! copied: to explore an edge, the program is run again up to it, and on into the unknown.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::rc::Rc;

use crate::trace::{Place, Way};
use crate::verdict::Parting;

use super::Options;
use super::atlas::{Atlas, Ident};
use super::core::Stop;
use super::ends::{Ended, Ends};
use super::model::Model;
use super::run::{Choice, Run, execute};
use super::stage::{Next, perform};

/// An edge whose end is not known yet.
pub(super) const UNKNOWN: u32 = u32::MAX;

/// Steps that are left once a schedule has outgrown its budget: the search is incomplete anyway, and would mostly go
/// on finding more such schedules.
pub(super) const AFTER_TOO_LONG: u64 = 500_000;

/// A state.
#[derive(Debug)]
pub(super) struct Node {
    fingerprint: u128,
    /// The edge by which it was found first.
    parent: Option<(u32, u32)>,
    pub(super) edges: Box<[Edge]>,
    /// Where it ends, if it does: an index into [`Ends`].
    pub(super) end: Option<u32>,
}

/// A step from a state.
#[derive(Debug, Clone)]
pub(super) struct Edge {
    pub(super) ident: Ident,
    pub(super) way: Way,
    place: Place,
    pub(super) to: u32,
}

/// Fingerprints are hashes already.
#[derive(Default)]
struct Already(u64);

impl Hasher for Already {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            self.0 ^= chunk.iter().fold(0, |word, byte| word << 8 | u64::from(*byte));
        }
    }
    fn write_u128(&mut self, wide: u128) {
        self.0 = wide as u64 ^ (wide >> 64) as u64;
    }
}

/// The graph, complete or as far as the budget went.
pub(super) struct Graph {
    pub(super) nodes: Vec<Node>,
    pub(super) ends: Ends,
    pub(super) atlas: Atlas,
    pub(super) executions: u64,
    pub(super) steps: u64,
    pub(super) complete: bool,
    pub(super) held: bool,
    pub(super) parting: Option<Parting>,
}

struct Search<'a> {
    model: &'a Model,
    options: &'a Options,
    graph: Graph,
    index: HashMap<u128, u32, BuildHasherDefault<Already>>,
    /// Edges still to explore, the last one first.
    pending: Vec<(u32, u32)>,
    /// Executions that only look around before the search begins.
    scouts: u32,
    started: bool,
    repeated: bool,
    /// Steps at most, over all executions.
    steps: u64,
}

/// Explores within the options' budget.
pub(super) fn explore_graph(model: &Model, options: &Options) -> Graph {
    let graph = Graph {
        nodes: Vec::new(),
        ends: Ends::default(),
        atlas: Atlas::new(),
        executions: 0,
        steps: 0,
        complete: false,
        held: false,
        parting: None,
    };
    let index = HashMap::default();
    let mut search = Search {
        model,
        options,
        graph,
        index,
        pending: Vec::new(),
        scouts: 2,
        started: false,
        repeated: false,
        steps: options.steps,
    };
    perform(&mut search, Search::next);
    search.graph
}

impl Search<'_> {
    fn next(&mut self) -> Next {
        if self.scouts > 0 {
            self.scouts -= 1;
            return self.scout();
        }
        if self.spent() {
            return Next::Done;
        }
        let edge = match self.pending.pop() {
            Some(edge) => Some(edge),
            None if !self.started => None,
            // One schedule is run a second time even if there is nothing else to run.
            None if !self.repeated => return self.repeat(),
            None => {
                self.graph.complete = true;
                return Next::Done;
            }
        };
        self.started = true;
        let tainted = self.run(edge);
        if self.graph.atlas.surprised() {
            // An object is shared after all: steps on it were passed over, so everything is explored anew.
            self.graph.nodes.clear();
            self.graph.ends = Ends::default();
            self.index.clear();
            self.pending.clear();
            self.started = false;
        }
        self.goes_on(tainted)
    }

    fn goes_on(&self, tainted: bool) -> Next {
        match (self.graph.parting.is_some(), tainted) {
            (true, _) => Next::Done,
            (false, true) => Next::Elsewhere,
            (false, false) => Next::Here,
        }
    }

    fn spent(&self) -> bool {
        self.graph.nodes.len() as u64 >= self.options.states || self.graph.steps >= self.steps
    }

    /// Runs one schedule, threads in turn, to learn which objects are shared.
    fn scout(&mut self) -> Next {
        let turn = self.scouts as usize;
        let ((), tainted) = self.execute(|search, run| {
            let mut steps = 0;
            while let choices = run.choices()
                && !choices.is_empty()
            {
                search.step(run, choices[(steps * turn) % choices.len()]);
                steps += 1;
            }
        });
        self.graph.atlas.surprised();
        self.goes_on(tainted)
    }

    /// Runs the program up to an edge and beyond it, until it comes to a known state or to its end.
    fn run(&mut self, edge: Option<(u32, u32)>) -> bool {
        let path = edge.map_or_else(Vec::new, |(node, edge)| self.graph.path_to(node, edge));
        let (came_there, tainted) = self.execute(|search, run| search.follow(run, &path));
        if came_there {
            return tainted;
        }
        let Some((last, before)) = path.split_last() else { return tainted };
        // It stood elsewhere than the run that found this state: once more, to see at which step they part.
        let (parting, again) = self.execute(|search, run| search.retrace(run, before, last.0));
        let sooner_or_later = || Parting {
            step: path.len(),
            first: "it came to a state".into(),
            second: "by the same choices, to another state".into(),
        };
        self.graph.parting = Some(parting.unwrap_or_else(sooner_or_later));
        tainted || again
    }

    fn execute<R>(&mut self, body: impl FnOnce(&mut Self, &Rc<Run>) -> R) -> (R, bool) {
        let mut atlas = std::mem::replace(&mut self.graph.atlas, Atlas::new());
        let (model, limits) = (self.model, self.options.limits());
        let result = execute(model, &mut atlas, limits, None, |run| body(self, run));
        self.graph.atlas = atlas;
        self.graph.executions += 1;
        result
    }

    /// Whether the run came to the state that the path leads to, as an earlier one did by the same choices.
    fn follow(&mut self, run: &Rc<Run>, path: &[(u32, u32)]) -> bool {
        let mut from = None;
        for (index, (node, edge)) in path.iter().enumerate() {
            // Threads' observations add up, so that comparing the last state compares the whole path.
            if index + 1 == path.len() && self.graph.nodes[*node as usize].fingerprint != run.fingerprint() {
                return false;
            }
            let Some(choice) = self.choice(run, *node, *edge) else { return false };
            self.step(run, choice);
            from = Some((*node, *edge));
        }
        loop {
            let known = self.index.get(&run.fingerprint()).copied();
            let node = known.unwrap_or_else(|| self.add(run, from));
            if let Some((parent, edge)) = from {
                self.graph.nodes[parent as usize].edges[edge as usize].to = node;
            }
            let added = &self.graph.nodes[node as usize];
            if known.is_some() || added.end.is_some() || self.spent() {
                if known.is_none() {
                    self.pending.extend((0..added.edges.len() as u32).rev().map(|edge| (node, edge)));
                }
                return true;
            }
            let edges = added.edges.len() as u32;
            self.pending.extend((1..edges).rev().map(|edge| (node, edge)));
            let choice = run.choices()[0];
            self.step(run, choice);
            from = Some((node, 0));
        }
    }

    /// The run's choice that an edge stands for.
    fn choice(&self, run: &Rc<Run>, node: u32, edge: u32) -> Option<Choice> {
        let wanted = &self.graph.nodes[node as usize].edges[edge as usize];
        run.choices().into_iter().find(|choice| choice.ident == wanted.ident && choice.way == wanted.way)
    }

    /// Goes along a path that leads to `last`, and says where the run leaves it.
    fn retrace(&mut self, run: &Rc<Run>, path: &[(u32, u32)], last: u32) -> Option<Parting> {
        for (step, (node, edge)) in path.iter().enumerate() {
            if let Some(parting) = self.parted(run, *node, step) {
                return Some(parting);
            }
            let choice = self.choice(run, *node, *edge)?;
            self.step(run, choice);
        }
        self.parted(run, last, path.len())
    }

    fn step(&mut self, run: &Rc<Run>, choice: Choice) {
        run.take(choice);
        self.graph.steps += 1;
    }

    fn add(&mut self, run: &Rc<Run>, parent: Option<(u32, u32)>) -> u32 {
        let fingerprint = run.fingerprint();
        let edges = edges_of(run);
        self.graph.held |= run.core().held;
        let end = run.end();
        if end.as_ref().is_some_and(|end| end.stop == Stop::TooLong) {
            self.steps = self.steps.min(self.graph.steps + AFTER_TOO_LONG);
        }
        let end = end.map(|end| self.graph.ends.index(Ended::new(end, &self.model.claims)));
        let number = self.graph.nodes.len() as u32;
        self.graph.nodes.push(Node { fingerprint, parent, edges, end });
        self.index.insert(fingerprint, number);
        number
    }

    /// Runs the first schedule again and compares.
    fn repeat(&mut self) -> Next {
        self.repeated = true;
        let mut path = Vec::new();
        let mut node = 0;
        while let Some(edge) = self.graph.nodes.get(node as usize).and_then(|node| node.edges.first()) {
            path.push((node, 0));
            node = edge.to;
        }
        if node == UNKNOWN {
            return Next::Here;
        }
        let (parting, tainted) = self.execute(|search, run| search.retrace(run, &path, node));
        self.graph.parting = parting;
        self.goes_on(tainted)
    }

    /// Whether the run stands elsewhere than an earlier run that made the same choices.
    fn parted(&self, run: &Rc<Run>, node: u32, steps: usize) -> Option<Parting> {
        let known = &self.graph.nodes[node as usize];
        if known.fingerprint == run.fingerprint() {
            return None;
        }
        let now = edges_of(run);
        let core = run.core();
        let name = |ident: Ident| core.threads.iter().position(|thread| thread.ident == ident).unwrap_or(0);
        let words = |edges: &[Edge]| match edges {
            [] => "nothing: it had ended".to_string(),
            edges => {
                let all: Vec<String> =
                    edges.iter().map(|edge| format!("thread {} at {}", name(edge.ident), edge.place)).collect();
                format!("next: {}", all.join(", "))
            }
        };
        let (first, mut second) = (words(&known.edges), words(&now));
        if first == second {
            second += ", but with other values";
        }
        Some(Parting { step: steps.max(1), first, second })
    }
}

fn edges_of(run: &Rc<Run>) -> Box<[Edge]> {
    let core = run.core();
    let place = |thread: u32| {
        let thread = &core.threads[thread as usize];
        thread.pending.as_ref().map_or(thread.last_place, |(_, place)| *place)
    };
    let edge = |choice: Choice| Edge { ident: choice.ident, way: choice.way, place: place(choice.thread), to: UNKNOWN };
    run.choices().into_iter().map(edge).collect()
}

impl Graph {
    /// The edges that lead from the start through an edge of a node.
    fn path_to(&self, node: u32, edge: u32) -> Vec<(u32, u32)> {
        let mut path = vec![(node, edge)];
        let mut at = node;
        while let Some(parent) = self.nodes[at as usize].parent {
            path.push(parent);
            at = parent.0;
        }
        path.reverse();
        path
    }
}
