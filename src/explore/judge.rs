//! From what was explored to a verdict: what stands, what broke, and the smallest schedule that shows it.

use crate::timeline::explain;
use crate::trace::{Trace, Way};
use crate::verdict::{
    Bounds, ClaimSort, ClaimVerdict, Cost, Count, Finding, Kind, OutcomeShare, Parting, Search, Verdict,
};

use super::Options;
use super::atlas::{Atlas, Ident};
use super::core::Stop;
use super::count::{Share, in_order, shares, smallest};
use super::ends::Ended;
use super::graph::explore_graph;
use super::model::Model;
use super::reduce::explore_reduced;
use super::replay::trace_of;

type Schedule = Vec<(Ident, Way)>;

/// What either search has found.
struct Found<'a> {
    model: &'a Model,
    options: &'a Options,
    search: Search,
    atlas: Atlas,
    ends: &'a [Ended],
    /// Exact shares of the ends; none if they were not counted.
    shares: Option<Vec<Share>>,
    complete: bool,
    held: bool,
    parting: Option<Parting>,
    cost: Cost,
}

/// The verdict by the graph; by the reduced search where the graph outgrows its budget.
pub(super) fn of_graph(model: &Model, options: &Options) -> Verdict {
    let mut graph = explore_graph(model, options);
    let cost =
        Cost { states: graph.nodes.len() as u64, executions: graph.executions, steps: graph.steps, milliseconds: 0.0 };
    let order = in_order(&graph);
    let found = Found {
        model,
        options,
        search: Search::Graph,
        atlas: std::mem::replace(&mut graph.atlas, Atlas::new()),
        ends: &graph.ends.0,
        shares: graph.complete.then(|| shares(&graph, &order)),
        complete: graph.complete,
        held: graph.held,
        parting: graph.parting.clone(),
        cost,
    };
    let verdict = found.judge(|wanted| smallest(&graph, &order, wanted));
    if verdict.finding != Finding::OutOfBudget {
        return verdict;
    }
    let reduced = of_reduced(model, options);
    match reduced.finding {
        Finding::OutOfBudget => verdict,
        _ => reduced,
    }
}

/// The verdict by the reduced search.
pub(super) fn of_reduced(model: &Model, options: &Options) -> Verdict {
    let reduced = explore_reduced(model, options);
    let found = Found {
        model,
        options,
        search: Search::Reduced,
        atlas: reduced.atlas,
        ends: &reduced.ends.0,
        shares: None,
        complete: reduced.complete,
        held: reduced.held,
        parting: None,
        cost: Cost { states: 0, executions: reduced.executions, steps: reduced.steps, milliseconds: 0.0 },
    };
    found.judge(|wanted| {
        let fitting = reduced.ends.0.iter().zip(&reduced.examples).filter(|(end, _)| wanted(end));
        let length =
            |schedule: &Schedule| (schedule.windows(2).filter(|pair| pair[0].0 != pair[1].0).count(), schedule.len());
        fitting.map(|(_, schedule)| schedule).min_by_key(|schedule| length(schedule)).cloned()
    })
}

impl Found<'_> {
    /// `smallest` finds the smallest known schedule whose end is wanted.
    fn judge(mut self, smallest: impl Fn(&dyn Fn(&Ended) -> bool) -> Option<Schedule>) -> Verdict {
        let counterexample = smallest(&|end| end.fails).map(|schedule| self.trace(&schedule));
        let claims = self.claims(&smallest);
        let too_long = self.ends.iter().any(|end| end.stop == Stop::TooLong);
        let complete = self.complete && !too_long;
        let finding = self.finding(counterexample.is_some(), &claims, complete);
        let (kind, sentence) = match &counterexample {
            Some(trace) => {
                let (kind, sentence) = explain(trace, &self.options.sources);
                (Some(kind), sentence)
            }
            None => (None, self.sentence(finding, &claims, too_long)),
        };
        let kind = kind.or((finding == Finding::NeverHappens).then_some(Kind::Interleaving));
        let total = self.sum(|_| true);
        let failing = self.sum(|end| end.fails);
        let random_failing = self.shares.as_ref().map(|shares| {
            shares.iter().zip(self.ends).filter(|(_, end)| end.fails).map(|(share, _)| share.random).sum()
        });
        Verdict {
            scheduler: "explorer",
            search: self.search,
            finding,
            kind,
            sentence,
            complete,
            bounds: self.bounds(),
            schedules: total,
            failing,
            random_failing,
            claims,
            outcomes: self.outcomes(),
            token: counterexample.as_ref().map(Trace::token),
            counterexample,
            parting: self.parting,
            cost: self.cost,
        }
    }

    fn bounds(&self) -> Bounds {
        let Options { states, steps, schedule_steps, spurious, spin_rounds, .. } = *self.options;
        Bounds { states, steps, schedule_steps, spurious, spin_rounds, spin_held: self.held }
    }

    fn trace(&mut self, schedule: &[(Ident, Way)]) -> Trace {
        trace_of(self.model, self.options, &mut self.atlas, schedule)
    }

    fn sum(&self, which: impl Fn(&Ended) -> bool) -> Option<Count> {
        let shares = self.shares.as_ref()?;
        let fitting = self.ends.iter().zip(shares).filter(|(end, _)| which(end));
        Some(fitting.fold(Count::zero(), |sum, (_, share)| sum + &share.schedules))
    }

    fn claims(&mut self, smallest: &impl Fn(&dyn Fn(&Ended) -> bool) -> Option<Schedule>) -> Vec<ClaimVerdict> {
        let claims = self.model.claims.clone();
        let judged = claims.into_iter().enumerate().map(|(index, (sort, text))| {
            let shown = smallest(&|end| end.shows(index, sort));
            let witness = shown.map(|schedule| self.trace(&schedule).token());
            let stands = match sort {
                ClaimSort::Sometimes if witness.is_some() => Some(true),
                ClaimSort::Sometimes => self.complete.then_some(false),
                ClaimSort::Always | ClaimSort::Never if witness.is_some() => Some(false),
                ClaimSort::Always | ClaimSort::Never => self.complete.then_some(true),
            };
            let schedules = self.sum(|end| end.conditions.get(index).copied().unwrap_or(false));
            ClaimVerdict { sort, text, stands, schedules, witness }
        });
        judged.collect()
    }

    fn finding(&self, fails: bool, claims: &[ClaimVerdict], complete: bool) -> Finding {
        let some = |wanted: fn(&Stop) -> bool| self.ends.iter().any(|end| wanted(&end.stop));
        if self.parting.is_some() {
            Finding::Nondeterministic
        } else if some(|stop| matches!(stop, Stop::Misused(_))) {
            Finding::Misused
        } else if fails && claims.iter().any(|claim| claim.sort != ClaimSort::Sometimes && claim.stands == Some(false))
        {
            Finding::Violated
        } else if some(|stop| matches!(stop, Stop::Deadlocked)) {
            Finding::Deadlock
        } else if some(|stop| matches!(stop, Stop::Panicked(_) | Stop::Aborted(_))) {
            Finding::Panic
        } else if some(|stop| matches!(stop, Stop::Livelocked)) {
            Finding::Livelock
        } else if !complete {
            Finding::OutOfBudget
        } else if claims.iter().any(|claim| claim.stands == Some(false)) {
            Finding::NeverHappens
        } else {
            Finding::Holds
        }
    }

    fn sentence(&self, finding: Finding, claims: &[ClaimVerdict], too_long: bool) -> String {
        let Cost { states, steps, executions, .. } = self.cost;
        match (finding, &self.parting) {
            (_, Some(parting)) => format!(
                "The same schedule, run twice, parts at step {}: first {}; then {}. Something decides here that the \
                 explorer does not control: a clock, a hash map's order, a random number, a real thread.",
                parting.step, parting.first, parting.second
            ),
            (Finding::NeverHappens, _) => {
                let missing = claims.iter().find(|claim| claim.stands == Some(false));
                let text = missing.map_or("", |claim| claim.text.as_str());
                format!("No schedule does it: {text}.")
            }
            (Finding::OutOfBudget, _) if too_long => format!(
                "A schedule was still going on after {} steps, so not everything could be explored.",
                self.options.schedule_steps
            ),
            (Finding::OutOfBudget, _) => format!(
                "The budget ended after {states} states, {steps} steps and {executions} executions; nothing had \
                 failed so far."
            ),
            _ => "Every claim stands in every schedule.".into(),
        }
    }

    fn outcomes(&self) -> Vec<OutcomeShare> {
        let mut outcomes: Vec<OutcomeShare> = Vec::new();
        for (index, end) in self.ends.iter().enumerate() {
            let share = self.shares.as_ref().map(|shares| shares[index].clone());
            let known = outcomes.iter_mut().find(|known| known.outcome == end.label && known.fails == end.fails);
            match (known, share) {
                (Some(known), Some(share)) => {
                    known.schedules = known.schedules.take().map(|count| count + &share.schedules);
                    known.random_share = known.random_share.map(|random| random + share.random);
                }
                (Some(_), None) => {}
                (None, share) => outcomes.push(OutcomeShare {
                    outcome: end.label.clone(),
                    fails: end.fails,
                    schedules: share.as_ref().map(|share| share.schedules.clone()),
                    random_share: share.map(|share| share.random),
                }),
            }
        }
        outcomes.sort_by(|a, b| {
            let key = |one: &OutcomeShare| (!one.fails, std::cmp::Reverse(one.schedules.clone()), one.outcome.clone());
            key(a).cmp(&key(b))
        });
        outcomes
    }
}
