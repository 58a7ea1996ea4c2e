//! The explorer: every schedule of a program, one after another, counted.
//!
//! Threads are coroutines; a thread stops before each operation that another thread could notice, and a step does
//! that operation and runs on to the next. Sequentially consistent by definition: what it shows can be read from top
//! to bottom. Steps that cannot matter to others (starting a thread, giving way, joining, touching an object that
//! nobody else can reach) are no steps of their own, so that a count can be checked by hand.

mod abort;
mod atlas;
mod core;
mod coroutine;
mod count;
mod driver;
mod ends;
mod fingerprint;
mod graph;
mod judge;
mod model;
mod object;
mod plain;
mod record;
mod reduce;
mod replay;
mod rules;
mod run;
mod stage;
mod thread;

pub use model::{Claims, Model};
pub use plain::enumerate;
pub use replay::{Replay, repeat, replay};

use std::time::Instant;

use crate::sources::Sources;
use crate::verdict::Verdict;

/// Budgets and bounds of an exploration. Budgets are in states and steps, so that a verdict is the same on every
/// machine.
#[derive(Debug, Clone)]
pub struct Options {
    /// Distinct states at most.
    pub states: u64,
    /// Steps at most, over all executions.
    pub steps: u64,
    /// Steps of one schedule at most.
    pub schedule_steps: u64,
    /// Spurious wake-ups each thread may have in one schedule.
    pub spurious: u32,
    /// Rounds that a loop which only waits is followed for.
    pub spin_rounds: u32,
    /// Only the verdict, by the reduced search, without counts.
    pub verdict_only: bool,
    /// Where the names and lines of the code under test are read from.
    pub sources: Sources,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            states: 500_000,
            steps: 20_000_000,
            schedule_steps: 2_000,
            spurious: 1,
            spin_rounds: 5,
            verdict_only: false,
            sources: Sources::default(),
        }
    }
}

impl Options {
    fn limits(&self) -> core::Limits {
        core::Limits { spurious: self.spurious, spin_rounds: self.spin_rounds, schedule_steps: self.schedule_steps }
    }
}

/// Explores a program within the options' bounds.
///
/// The plain graph gives the verdict with exact counts. Where it grows beyond the budget, the reduced search tries to
/// give the verdict alone.
pub fn explore(model: &Model, options: &Options) -> Verdict {
    let start = Instant::now();
    let mut verdict =
        if options.verdict_only { judge::of_reduced(model, options) } else { judge::of_graph(model, options) };
    verdict.cost.milliseconds = start.elapsed().as_secs_f64() * 1e3;
    verdict
}
