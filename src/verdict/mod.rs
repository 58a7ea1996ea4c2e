//! The verdict of a checker: what held or broke, over how many schedules, within which bounds.
//!
//! One type for every checker; printed by [`text`], and as JSON by its `Serialize` (schema: `src/verdict/schema.json`).

mod count;
mod outcomes;
pub mod report;
#[cfg(test)]
pub(crate) mod samples;
#[cfg(test)]
mod schema;
#[cfg(test)]
mod tests;
pub mod text;

pub use count::Count;
use serde::Serialize;

use crate::trace::{Token, Trace};

/// What a verdict says, in one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Finding {
    /// Every claim holds in every schedule within the bounds.
    Holds,
    /// A schedule breaks an `always` claim or does what `never` may happen.
    Violated,
    /// No schedule does what a `sometimes` claim asks for.
    NeverHappens,
    /// A schedule leaves nobody able to move.
    Deadlock,
    /// A schedule goes round for ever without changing anything.
    Livelock,
    /// A schedule ends in a panic that nobody handles, or in an abort.
    Panic,
    /// The same schedule run twice did different things.
    Nondeterministic,
    /// The code used an object outside the scheduler it belongs to.
    Misused,
    /// The budget ended first: neither held nor broke.
    OutOfBudget,
}

/// What sort of bug it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// A write based on a value that another thread had replaced meanwhile.
    LostUpdate,
    /// A notification that came while nobody waited, followed by a wait for it.
    LostWakeUp,
    /// Threads wait for one another in a circle, or for something nobody will do.
    Deadlock,
    /// Threads go round without getting anywhere.
    Livelock,
    /// Something that was queued or buffered did not survive the end of the program.
    LostData,
    /// A panic that only some schedules raise (or all do).
    Panic,
    /// Another order of steps than the author thought of.
    Interleaving,
}

/// The three sorts of claims, as in property testing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ClaimSort {
    /// In every schedule.
    Always,
    /// In at least one schedule; the verdict carries a witness.
    Sometimes,
    /// In no schedule.
    Never,
}

impl ClaimSort {
    /// The word as it is printed.
    pub fn word(self) -> &'static str {
        match self {
            ClaimSort::Always => "always",
            ClaimSort::Sometimes => "sometimes",
            ClaimSort::Never => "never",
        }
    }
}

/// One claim and what became of it.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ClaimVerdict {
    /// Always, sometimes or never.
    pub sort: ClaimSort,
    /// What is claimed: "the balance is 2".
    pub text: String,
    /// Whether the claim stands; `None` if the budget ended before that was known.
    pub stands: Option<bool>,
    /// In how many schedules its condition was true; `None` when schedules were not counted.
    pub schedules: Option<Count>,
    /// For `sometimes`: a schedule that does it. For a broken `always` or `never`: one that breaks it.
    pub witness: Option<Token>,
}

/// One outcome of the program and its share of all schedules.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct OutcomeShare {
    /// What came out, in words.
    pub outcome: String,
    /// Whether a claim calls it wrong (or it is a deadlock, a panic, a livelock).
    pub fails: bool,
    /// In how many schedules; `None` when schedules were not counted.
    pub schedules: Option<Count>,
    /// How often a scheduler that picks uniformly at each step would come to it, 0 to 1; `None` as above.
    pub random_share: Option<f64>,
}

/// What the exploration was limited to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Bounds {
    /// Distinct states at most.
    pub states: u64,
    /// Steps at most, over all executions.
    pub steps: u64,
    /// Steps of one schedule at most.
    pub schedule_steps: u64,
    /// Spurious wake-ups each thread may have in one schedule.
    pub spurious: u32,
    /// Rounds that a loop which only waits is followed for before it is held until something changes.
    pub spin_rounds: u32,
    /// Whether a loop was held by `spin_rounds` somewhere.
    pub spin_held: bool,
}

/// How the states were searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Search {
    /// Every schedule, equal states merged: counts are exact.
    Graph,
    /// One schedule per class of equivalent ones: the verdict is exact, nothing is counted.
    Reduced,
}

/// Where two runs of the same schedule parted.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Parting {
    /// The step, from 1, at which they part; the steps before it agree.
    pub step: usize,
    /// What the first run did there (or "nothing: it had ended").
    pub first: String,
    /// What the second did.
    pub second: String,
}

/// What it cost. The milliseconds are the only figure in a verdict that differs from run to run.
#[derive(Debug, Clone, Copy, Default, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Cost {
    /// Distinct states seen (0 for the reduced search, which keeps none).
    pub states: u64,
    /// Times the program was run.
    pub executions: u64,
    /// Steps taken, over all executions.
    pub steps: u64,
    /// Wall clock.
    pub milliseconds: f64,
}

/// What a checker says about one program at one size.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Verdict {
    /// "explorer".
    pub scheduler: &'static str,
    /// How the states were searched.
    pub search: Search,
    /// In one word.
    pub finding: Finding,
    /// What sort of bug; `None` when nothing broke.
    pub kind: Option<Kind>,
    /// One sentence for the reader: which assumption broke, or why nothing could.
    pub sentence: String,
    /// Whether everything within the bounds was explored.
    pub complete: bool,
    /// The bounds.
    pub bounds: Bounds,
    /// How many schedules there are; `None` if they were not counted or the budget ended first.
    pub schedules: Option<Count>,
    /// How many of them fail; `None` as above.
    pub failing: Option<Count>,
    /// How often a scheduler that picks uniformly at each step would fail, 0 to 1; `None` as above.
    pub random_failing: Option<f64>,
    /// Every claim.
    pub claims: Vec<ClaimVerdict>,
    /// Every outcome found, failing ones first, then by number of schedules.
    pub outcomes: Vec<OutcomeShare>,
    /// The failing schedule with the fewest context switches, then the fewest steps.
    pub counterexample: Option<Trace>,
    /// The token that replays it.
    pub token: Option<Token>,
    /// Where two runs of one schedule parted, if they did.
    pub parting: Option<Parting>,
    /// What it cost.
    pub cost: Cost,
}

impl Verdict {
    /// Whether the checker found something wrong with the program.
    pub fn broke(&self) -> bool {
        !matches!(self.finding, Finding::Holds | Finding::OutOfBudget)
    }
}
