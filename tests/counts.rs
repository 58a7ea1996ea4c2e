//! Schedule counts that can be worked out by hand: (2nk)! / ((2k)!)^n for n threads with k unlocked deposits each, of
//! which (nk)! / (k!)^n come out right; (nk)! / (k!)^n for locked ones.

use std::sync::Arc;

use pitfalls::explore::{Model, Options, explore};
use pitfalls::sync::Mutex;
use pitfalls::sync::atomic::{AtomicU64, Ordering::Relaxed};
use pitfalls::thread;
use pitfalls::verdict::{Finding, Verdict};

fn unlocked(threads: usize, deposits: usize) -> Model {
    let want = (threads * deposits) as u64;
    Model::new(move || {
        let balance = Arc::new(AtomicU64::new(0));
        let tellers: Vec<_> = (0..threads)
            .map(|_| {
                let balance = Arc::clone(&balance);
                thread::spawn(move || {
                    for _ in 0..deposits {
                        let seen = balance.load(Relaxed);
                        thread::yield_now();
                        balance.store(seen + 1, Relaxed);
                    }
                })
            })
            .collect();
        for teller in tellers {
            teller.join().unwrap();
        }
        balance.load(Relaxed)
    })
    .always("every deposit is in the balance", move |balance| *balance == want)
    .into()
}

fn locked(threads: usize, deposits: usize) -> Model {
    let want = (threads * deposits) as u64;
    Model::new(move || {
        let balance = Arc::new(Mutex::new(0u64));
        let tellers: Vec<_> = (0..threads)
            .map(|_| {
                let balance = Arc::clone(&balance);
                thread::spawn(move || {
                    for _ in 0..deposits {
                        *balance.lock() += 1;
                    }
                })
            })
            .collect();
        for teller in tellers {
            teller.join().unwrap();
        }
        *balance.lock()
    })
    .always("every deposit is in the balance", move |balance| *balance == want)
    .into()
}

fn counts(verdict: &Verdict) -> (String, String) {
    let text = |count: &Option<pitfalls::verdict::Count>| count.as_ref().expect("counted").to_string();
    (text(&verdict.schedules), text(&verdict.failing))
}

fn factorial(n: u64) -> u64 {
    (1..=n).product()
}

#[test]
fn unlocked_deposits_follow_the_closed_form() {
    for (n, k) in [(2, 1), (2, 2), (3, 1), (2, 3), (3, 2)] {
        let verdict = explore(&unlocked(n, k), &Options::default());
        let (n, k) = (n as u64, k as u64);
        let all = factorial(2 * n * k) / factorial(2 * k).pow(n as u32);
        let right = factorial(n * k) / factorial(k).pow(n as u32);
        let group = |n: u64| pitfalls::verdict::Count::from(n).to_string();
        assert_eq!(counts(&verdict), (group(all), group(all - right)), "{n} x {k}");
        assert_eq!(verdict.finding, Finding::Violated);
        assert!(verdict.complete);
    }
}

#[test]
fn locked_deposits_follow_the_closed_form_and_never_lose_one() {
    for (n, k) in [(2, 1), (2, 2), (3, 1), (2, 3), (3, 2)] {
        let verdict = explore(&locked(n, k), &Options::default());
        let (n, k) = (n as u64, k as u64);
        let all = factorial(n * k) / factorial(k).pow(n as u32);
        assert_eq!(counts(&verdict), (pitfalls::verdict::Count::from(all).to_string(), "0".into()), "{n} x {k}");
        assert_eq!(verdict.finding, Finding::Holds);
    }
}

#[test]
fn the_smallest_losing_schedule_has_two_switches_and_four_steps() {
    let verdict = explore(&unlocked(2, 1), &Options::default());
    let trace = verdict.counterexample.expect("a counterexample");
    assert_eq!(trace.token().to_string(), "1.2.2.1");
    assert_eq!(trace.switches(), 2);
    let lines: Vec<_> =
        trace.steps.iter().map(|step| (step.verb, step.seen.as_deref(), step.left.as_deref())).collect();
    assert_eq!(
        lines,
        [
            ("reads", Some("0"), None),
            ("reads", Some("0"), None),
            ("writes", None, Some("1")),
            ("writes", None, Some("1"))
        ]
    );
}

#[test]
fn the_reduced_search_comes_to_the_same_outcomes_without_counting() {
    for model in [unlocked(2, 2), locked(2, 2), unlocked(3, 1)] {
        let plain = explore(&model, &Options::default());
        let reduced = explore(&model, &Options { verdict_only: true, ..Options::default() });
        assert_eq!(reduced.finding, plain.finding);
        assert!(reduced.complete && reduced.schedules.is_none());
        let outcomes = |verdict: &Verdict| {
            let mut all: Vec<_> = verdict.outcomes.iter().map(|o| (o.outcome.clone(), o.fails)).collect();
            all.sort();
            all
        };
        assert_eq!(outcomes(&reduced), outcomes(&plain));
    }
}
