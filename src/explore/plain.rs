//! Every schedule one by one, nothing merged: what the graph and the reduced search are tested against.

use std::collections::BTreeMap;

use super::Options;
use super::atlas::Atlas;
use super::ends::Ended;
use super::model::Model;
use super::run::{Choice, execute};
use super::stage::{Next, perform};

/// Runs every schedule of a program and counts them by outcome; `None` if there are more than `limit`.
///
/// The slow way, for tests and comparisons: [`super::explore`] counts the same schedules without running each.
pub fn enumerate(model: &Model, options: &Options, limit: u64) -> Option<BTreeMap<String, u64>> {
    let mut state = (Atlas::new(), Vec::new(), BTreeMap::new(), 0u64);
    perform(&mut state, |(atlas, path, outcomes, runs)| {
        let mut next: Vec<(usize, Vec<Choice>)> = std::mem::take(path);
        let (ended, tainted) = execute(model, atlas, options.limits(), None, |run| {
            let mut depth = 0;
            while let choices = run.choices()
                && !choices.is_empty()
            {
                if depth == next.len() {
                    next.push((0, choices.clone()));
                }
                run.take(choices[next[depth].0]);
                depth += 1;
            }
            run.end().map(|end| Ended::new(end, &model.claims))
        });
        if atlas.surprised() {
            // An object is shared after all: what was enumerated so far had too few steps.
            (*outcomes, *runs) = Default::default();
            return if tainted { Next::Elsewhere } else { Next::Here };
        }
        *runs += 1;
        if let Some(ended) = ended {
            *outcomes.entry(ended.label).or_insert(0) += 1;
        }
        while let Some((taken, choices)) = next.last_mut() {
            *taken += 1;
            if *taken < choices.len() {
                break;
            }
            next.pop();
        }
        *path = next;
        match (path.is_empty() || *runs > limit, tainted) {
            (true, _) => Next::Done,
            (false, true) => Next::Elsewhere,
            (false, false) => Next::Here,
        }
    });
    let (_, _, outcomes, runs) = state;
    (runs <= limit).then_some(outcomes)
}
