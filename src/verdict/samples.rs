//! Verdicts made by hand, of every sort that has to be printed.

use super::{Bounds, ClaimSort, ClaimVerdict, Cost, Count, Finding, OutcomeShare, Parting, Search, Verdict};
use crate::timeline::{explain, samples as traces};
use crate::trace::Trace;

pub(crate) fn bounds() -> Bounds {
    Bounds {
        states: 1_000_000,
        steps: 50_000_000,
        schedule_steps: 10_000,
        spurious: 1,
        spin_rounds: 2,
        spin_held: false,
    }
}

pub(crate) fn claim(sort: ClaimSort, text: &str, stands: Option<bool>, schedules: Option<u64>) -> ClaimVerdict {
    ClaimVerdict { sort, text: text.into(), stands, schedules: schedules.map(Count::from), witness: None }
}

fn outcome(outcome: &str, fails: bool, schedules: u64, share: f64) -> OutcomeShare {
    let schedules = Some(Count::from(schedules));
    OutcomeShare { outcome: outcome.into(), fails, schedules, random_share: Some(share) }
}

const DEPOSITS: &str = "every deposit is in the balance";

/// Holds in all 90 schedules.
pub(crate) fn holds() -> Verdict {
    Verdict {
        scheduler: "explorer",
        search: Search::Graph,
        finding: Finding::Holds,
        kind: None,
        sentence: "Every deposit reads and writes under one lock, so no other comes between.".into(),
        complete: true,
        bounds: bounds(),
        schedules: Some(Count::from(90)),
        failing: Some(Count::zero()),
        random_failing: Some(0.0),
        claims: vec![claim(ClaimSort::Always, DEPOSITS, Some(true), Some(90))],
        outcomes: vec![outcome("balance 6", false, 90, 1.0)],
        counterexample: None,
        token: None,
        parting: None,
        cost: Cost { states: 120, executions: 40, steps: 700, milliseconds: 1.5 },
    }
}

/// Fails as this trace does.
pub(crate) fn fails(finding: Finding, trace: Trace) -> Verdict {
    let (kind, sentence) = explain(&trace, &traces::sources());
    Verdict { finding, kind: Some(kind), sentence, token: Some(trace.token()), counterexample: Some(trace), ..holds() }
}

/// 4 of 6 schedules lose a deposit.
pub(crate) fn race() -> Verdict {
    Verdict {
        schedules: Some(Count::from(6)),
        failing: Some(Count::from(4)),
        random_failing: Some(0.75),
        claims: vec![claim(ClaimSort::Always, DEPOSITS, Some(false), Some(2))],
        outcomes: vec![outcome("balance 1", true, 4, 0.75), outcome("balance 2", false, 2, 0.25)],
        ..fails(Finding::Violated, traces::race())
    }
}

/// The same with two deposits a thread.
pub(crate) fn larger_race() -> Verdict {
    Verdict { schedules: Some(Count::from(34_650)), failing: Some(Count::from(34_560)), ..race() }
}

/// 2 of 6 schedules deadlock.
pub(crate) fn deadlock() -> Verdict {
    Verdict {
        schedules: Some(Count::from(6)),
        failing: Some(Count::from(2)),
        claims: vec![claim(ClaimSort::Always, "no money is made or lost", Some(true), Some(4))],
        outcomes: vec![outcome("deadlock", true, 2, 0.5), outcome("200 in all", false, 4, 0.5)],
        ..fails(Finding::Deadlock, traces::deadlock())
    }
}

/// The budget ended first.
pub(crate) fn out_of_budget() -> Verdict {
    Verdict {
        finding: Finding::OutOfBudget,
        sentence: "The budget of 1,000,000 states ended first.".into(),
        complete: false,
        schedules: None,
        failing: None,
        random_failing: None,
        claims: vec![claim(ClaimSort::Always, DEPOSITS, None, None)],
        outcomes: Vec::new(),
        cost: Cost { states: 1_000_000, executions: 345_678, steps: 12_345_678, milliseconds: 9000.0 },
        ..holds()
    }
}

/// Verdicts without counts: by the reduced search.
pub(crate) fn reduced(verdict: Verdict) -> Verdict {
    let outcomes = verdict.outcomes.into_iter();
    let uncounted = outcomes.map(|share| OutcomeShare { schedules: None, random_share: None, ..share }).collect();
    Verdict {
        search: Search::Reduced,
        schedules: None,
        failing: None,
        random_failing: None,
        outcomes: uncounted,
        ..verdict
    }
}

/// Nothing does what a `sometimes` claim asks for.
pub(crate) fn never_happens() -> Verdict {
    Verdict {
        finding: Finding::NeverHappens,
        sentence: "In none of the 90 schedules does the heartbeat run while the request waits.".into(),
        claims: vec![claim(ClaimSort::Sometimes, "the heartbeat runs while the request waits", Some(false), Some(0))],
        ..holds()
    }
}

/// One schedule, two behaviours.
pub(crate) fn nondeterministic() -> Verdict {
    Verdict {
        finding: Finding::Nondeterministic,
        sentence: "The same schedule run twice did different things, so its schedules cannot be counted.".into(),
        complete: false,
        schedules: None,
        failing: None,
        claims: vec![claim(ClaimSort::Always, DEPOSITS, None, None)],
        outcomes: Vec::new(),
        parting: Some(Parting {
            step: 5,
            first: "thread 1 reads `balance` (broken.rs:10)".into(),
            second: "thread 1 writes `balance` (broken.rs:11)".into(),
        }),
        ..holds()
    }
}
