//! Many trials of one program on the real machine: a time box around them, medians and outcome tables from them.

use std::time::{Duration, Instant};

use crate::os::report::{Demo, OutcomeRow};
use crate::verdict::Count;

/// Time for all variants of a demo together.
const BRIEF: Duration = Duration::from_secs(2);

/// The same when a full demo is asked for.
const FULL: Duration = Duration::from_secs(20);

/// Time for the sample beside one verdict; a large size is sampled less often rather than for minutes.
const SAMPLE: Duration = Duration::from_secs(1);

/// Rows of an outcome table at most, the right outcome's row included.
const ROWS: usize = 6;

/// When to stop repeating a trial.
#[derive(Debug, Clone, Copy)]
pub struct Limit {
    trials: Option<u32>,
    time: Option<Duration>,
}

impl Limit {
    /// Each variant's share of a demo's time, or its number of trials.
    pub fn of(demo: &Demo<'_>, variants: usize) -> Self {
        let time = if demo.full { FULL } else { BRIEF };
        let share = time / u32::try_from(variants.max(1)).unwrap_or(u32::MAX);
        // A number of trials that was asked for is kept, however long it takes.
        Limit { trials: demo.trials, time: demo.trials.is_none().then_some(share) }
    }

    /// So many trials, or as many of them as fit into a second.
    pub fn sample(trials: u32) -> Self {
        Limit { trials: Some(trials), time: Some(SAMPLE) }
    }

    fn reached(&self, trials: usize, since: Instant) -> bool {
        self.trials.is_some_and(|wanted| trials >= wanted as usize)
            || self.time.is_some_and(|time| since.elapsed() >= time)
    }
}

/// What the trials of one program came to.
#[derive(Debug, Clone)]
pub struct Trials {
    /// Each trial's outcome, ascending.
    values: Vec<u64>,
    /// Each trial's wall clock, ascending.
    times: Vec<Duration>,
}

impl Trials {
    /// Repeats a trial until the limit is reached, at least once; `before` hears each trial's number, from 1.
    pub fn run(limit: Limit, mut before: impl FnMut(usize), mut trial: impl FnMut() -> u64) -> Self {
        let since = Instant::now();
        let (mut values, mut times) = (Vec::new(), Vec::new());
        while values.is_empty() || !limit.reached(values.len(), since) {
            before(values.len() + 1);
            let start = Instant::now();
            values.push(trial());
            times.push(start.elapsed());
        }
        values.sort_unstable();
        times.sort_unstable();
        Trials { values, times }
    }

    /// How many there were.
    pub fn count(&self) -> u32 {
        u32::try_from(self.values.len()).unwrap_or(u32::MAX)
    }

    /// How many did not come to the expected outcome.
    pub fn wrong(&self, expected: u64) -> u32 {
        self.count() - self.between(expected, expected)
    }

    /// The median outcome: "balance 1,001".
    pub fn median_in_words(&self, noun: &str) -> String {
        format!("{noun} {}", grouped(self.values[self.values.len() / 2]))
    }

    /// Median wall clock of a trial, start and end of its threads included, divided by its operations.
    pub fn nanoseconds_per(&self, operations: u64) -> f64 {
        self.times[self.times.len() / 2].as_nanos() as f64 / operations.max(1) as f64
    }

    /// The outcome table, ascending: each outcome where there are few, ranges where there are many. The expected
    /// outcome never shares a range with others.
    pub fn outcomes(&self, noun: &str, expected: u64) -> Vec<OutcomeRow> {
        let mut distinct = self.values.clone();
        distinct.dedup();
        let is_right = |value: &u64| *value == expected;
        let mut groups: Vec<(u64, u64)> = if distinct.len() <= ROWS {
            distinct.iter().map(|value| (*value, *value)).collect()
        } else {
            let wrong: Vec<u64> = distinct.iter().copied().filter(|value| !is_right(value)).collect();
            let right = distinct.iter().copied().filter(is_right).map(|value| (value, value));
            ranges(&wrong, expected).into_iter().chain(right).collect()
        };
        groups.sort_unstable();
        groups
            .into_iter()
            .map(|(low, high)| {
                let samples = self.between(low, high);
                OutcomeRow {
                    outcome: if low == high {
                        format!("{noun} {}", grouped(low))
                    } else {
                        format!("{noun} {} to {}", grouped(low), grouped(high))
                    },
                    samples,
                    share: f64::from(samples) / f64::from(self.count()),
                    expected: low == expected && high == expected,
                }
            })
            .collect()
    }

    fn between(&self, low: u64, high: u64) -> u32 {
        let (from, to) =
            (self.values.partition_point(|value| *value < low), self.values.partition_point(|value| *value <= high));
        u32::try_from(to - from).unwrap_or(u32::MAX)
    }
}

/// Groups ascending values into at most `ROWS - 1` ranges that start at multiples of 1, 2 or 5 × 10^n, each cut to
/// the values in it. No range spans `apart`.
fn ranges(values: &[u64], apart: u64) -> Vec<(u64, u64)> {
    let widths = (0..20).flat_map(|power| [1, 2, 5].map(|factor| 10u64.saturating_pow(power).saturating_mul(factor)));
    for width in widths {
        let same = |a: &u64, b: &u64| a / width == b / width && (*a < apart) == (*b < apart);
        let groups: Vec<(u64, u64)> = values.chunk_by(same).map(|group| (group[0], group[group.len() - 1])).collect();
        if groups.len() < ROWS {
            return groups;
        }
    }
    values.iter().map(|value| (*value, *value)).collect()
}

/// `4000` as `4,000`.
pub fn grouped(number: u64) -> String {
    Count::from(number).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trials(values: impl IntoIterator<Item = u64>) -> Trials {
        let values: Vec<u64> = values.into_iter().collect();
        let mut next = values.iter();
        let limit = Limit { trials: Some(values.len() as u32), time: None };
        Trials::run(limit, |_| (), || *next.next().unwrap())
    }

    fn rows(trials: &Trials, expected: u64) -> Vec<(String, u32, bool)> {
        trials.outcomes("balance", expected).into_iter().map(|row| (row.outcome, row.samples, row.expected)).collect()
    }

    #[test]
    fn few_outcomes_are_listed_one_by_one() {
        let few = trials([4, 3, 4, 2]);
        let expected = [("balance 2".into(), 1, false), ("balance 3".into(), 1, false), ("balance 4".into(), 2, true)];
        assert_eq!(rows(&few, 4), expected);
        assert_eq!(few.wrong(4), 2);
        assert_eq!(few.median_in_words("balance"), "balance 4");
    }

    #[test]
    fn many_outcomes_become_round_ranges_and_the_right_one_stays_alone() {
        let many = trials((1_000..2_000).step_by(7).chain([4_000, 4_000, 3_999]));
        let rows = rows(&many, 4_000);
        assert!(rows.len() <= ROWS, "{rows:?}");
        assert_eq!(rows.last(), Some(&("balance 4,000".into(), 2, true)));
        assert_eq!(rows[0].0, "balance 1,000 to 1,497");
        assert_eq!(rows.iter().map(|row| row.1).sum::<u32>(), many.count());
        assert!(rows[..rows.len() - 1].iter().all(|row| !row.2));
    }

    #[test]
    fn no_range_spans_the_right_outcome() {
        let around = trials((0..100).filter(|value| *value != 50));
        for (low, high) in ranges(&around.values, 50) {
            assert!(high < 50 || low > 50, "{low} to {high}");
        }
    }

    #[test]
    fn extreme_outcomes_are_binned_too() {
        let extreme = trials((0..10).map(|n| u64::MAX / 10 * n).chain([u64::MAX]));
        assert!(extreme.outcomes("balance", 5).len() <= ROWS);
    }

    #[test]
    fn one_trial_is_run_when_the_time_is_over_at_once() {
        let limit = Limit { trials: None, time: Some(Duration::ZERO) };
        assert_eq!(Trials::run(limit, |_| (), || 7).count(), 1);
    }

    #[test]
    fn a_fixed_number_of_trials_is_kept() {
        let mut heard = Vec::new();
        let limit = Limit { trials: Some(3), time: None };
        let trials = Trials::run(limit, |number| heard.push(number), || 1);
        assert_eq!((trials.count(), heard), (3, vec![1, 2, 3]));
    }

    #[test]
    fn variants_share_the_time_of_a_demo() {
        let demo = Demo { variant: None, trials: None, full: false, progress: &|_| () };
        assert_eq!(Limit::of(&demo, 5).time, Some(BRIEF / 5));
        assert_eq!(Limit::of(&Demo { full: true, ..demo }, 1).time, Some(FULL));
    }
}
