//! How schedules end: the distinct ends of a program, and which of them its claims call wrong.

use crate::verdict::ClaimSort;

use super::core::Stop;
use super::run::End;

/// One distinct end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Ended {
    pub(super) stop: Stop,
    /// In words: the program's outcome, or how it ended instead.
    pub(super) label: String,
    /// Which claims' conditions are true; none if main did not return.
    pub(super) conditions: Vec<bool>,
    /// Whether it is wrong.
    pub(super) fails: bool,
}

impl Ended {
    pub(super) fn new(end: End, claims: &[(ClaimSort, String)]) -> Ended {
        let End { stop, outcome, panic } = end;
        let (returned, conditions) = outcome.unwrap_or_default();
        let broken = conditions.iter().zip(claims).any(|(holds, (sort, _))| match sort {
            ClaimSort::Always => !holds,
            ClaimSort::Never => *holds,
            ClaimSort::Sometimes => false,
        });
        // A panic that nobody has received is an error of the program even if main has returned.
        let stop = match (stop, &panic) {
            (Stop::Returned | Stop::Exited(_), Some((thread, ..))) => Stop::Panicked(*thread),
            (stop, _) => stop,
        };
        let label = match &stop {
            Stop::Returned => returned,
            Stop::Exited(code) => format!("exit code {code}"),
            Stop::Panicked(_) => panic.map_or_else(|| "panic".into(), |(_, text, _)| format!("panic: {text}")),
            Stop::Aborted(_) => panic.map_or_else(|| "abort".into(), |(_, text, _)| format!("abort: {text}")),
            Stop::Deadlocked => "deadlock".into(),
            Stop::Livelocked => "livelock".into(),
            Stop::TooLong => "longer than the budget".into(),
            Stop::Misused(_) => "misuse".into(),
        };
        let fails = broken || !matches!(stop, Stop::Returned | Stop::Exited(_) | Stop::TooLong);
        Ended { stop, label, conditions, fails }
    }

    /// Whether this end breaks a claim of that index, or (a witness of `sometimes`) does what it asks for.
    pub(super) fn shows(&self, claim: usize, sort: ClaimSort) -> bool {
        self.conditions.get(claim).is_some_and(|holds| match sort {
            ClaimSort::Always => !holds,
            ClaimSort::Never | ClaimSort::Sometimes => *holds,
        })
    }
}

/// Distinct ends, each with its index.
#[derive(Debug, Default)]
pub(super) struct Ends(pub(super) Vec<Ended>);

impl Ends {
    pub(super) fn index(&mut self, ended: Ended) -> u32 {
        let known = self.0.iter().position(|other| *other == ended);
        known.unwrap_or_else(|| {
            self.0.push(ended);
            self.0.len() - 1
        }) as u32
    }
}
