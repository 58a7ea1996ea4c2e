//! The explorer: every schedule of a program, one after another, counted.

mod model;

pub use model::{Claims, Model};

use crate::sources::Sources;
use crate::trace::{Token, Trace};
use crate::verdict::{Parting, Verdict};

/// Budgets and bounds of an exploration.
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

/// Explores a program within the options' bounds.
pub fn explore(model: &Model, options: &Options) -> Verdict {
    let _ = (model, options);
    unreachable!("written next")
}

/// A token replayed on a program.
pub struct Replay {
    /// What the schedule did, as far as it fitted.
    pub trace: Trace,
    /// Where the token and the program part, if they do: the move (from 1) that could not be made, and why.
    pub parted: Option<Parting>,
    /// The claims that this schedule breaks, in words.
    pub broken: Vec<String>,
}

/// Replays a schedule. Where the program no longer fits, runs on without switching threads unless it has to.
pub fn replay(model: &Model, options: &Options, token: &Token) -> Replay {
    let _ = (model, options, token);
    unreachable!("written next")
}
