//! The explorer on small random programs, against two other ways of counting their schedules.
//!
//! One is plain enumeration on the same rules, without merging. The other is a reference that shares nothing with the
//! explorer: a small interpreter with states that can be cloned, which follows the words of the documentation, walks
//! every interleaving and merges nothing. All must come to the same outcomes, each by the same number of schedules, and
//! the reduced search to the same outcomes and the same verdict.

mod facade;
mod interpreter;
mod program;
mod steps;
mod world;

use std::collections::BTreeMap;

use proptest::prelude::*;

use pitfalls::explore::{Options, enumerate, explore};
use pitfalls::verdict::Verdict;
use program::{Act, Program, programs, programs_and_more};

/// Schedules beyond which a program is too large for the reference.
const LIMIT: u64 = 30_000;

/// The explorer's own bound on loops, which the reference does not know, is out of the way.
fn options(program: &Program) -> Options {
    Options { spurious: program.spurious, spin_rounds: 1_000, ..Options::default() }
}

/// The outcomes that the reduced search finds.
fn reduced(program: &Program) -> Vec<String> {
    let verdict = explore(&facade::model(program), &Options { verdict_only: true, ..options(program) });
    assert!(verdict.complete, "{}", verdict.sentence);
    let mut outcomes: Vec<_> = verdict.outcomes.into_iter().map(|outcome| outcome.outcome).collect();
    outcomes.sort();
    outcomes
}

/// What the explorer counts.
fn explored(program: &Program) -> BTreeMap<String, String> {
    let verdict = explore(&facade::model(program), &options(program));
    assert!(verdict.complete, "{}", verdict.sentence);
    counts(verdict)
}

/// How many schedules come to each outcome.
fn counts(verdict: Verdict) -> BTreeMap<String, String> {
    let count = |outcome: pitfalls::verdict::OutcomeShare| {
        let schedules = outcome.schedules.expect("a complete graph is counted").to_string();
        (outcome.outcome, schedules.replace(',', ""))
    };
    verdict.outcomes.into_iter().map(count).collect()
}

fn counted(program: &Program) -> Option<BTreeMap<String, String>> {
    let counts = interpreter::count(program, LIMIT)?;
    Some(counts.into_iter().map(|(outcome, schedules)| (outcome, schedules.to_string())).collect())
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 600,
        failure_persistence: None,
        max_global_rejects: 10_000,
        ..ProptestConfig::default()
    })]

    #[test]
    fn the_explorer_comes_to_what_the_reference_comes_to(program in programs()) {
        let counted = counted(&program);
        prop_assume!(counted.is_some());
        let counted = counted.unwrap();
        prop_assert_eq!(explored(&program), counted.clone());
        prop_assert_eq!(reduced(&program), counted.into_keys().collect::<Vec<_>>());
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 300,
        failure_persistence: None,
        max_global_rejects: 10_000,
        ..ProptestConfig::default()
    })]

    #[test]
    fn the_graph_counts_what_enumeration_counts(program in programs_and_more()) {
        let model = facade::model(&program);
        let options = Options { spurious: program.spurious, ..Options::default() };
        let enumerated = enumerate(&model, &options, LIMIT);
        prop_assume!(enumerated.is_some());
        let enumerated: BTreeMap<String, String> =
            enumerated.unwrap().into_iter().map(|(outcome, schedules)| (outcome, schedules.to_string())).collect();
        let verdict = explore(&model, &options);
        prop_assert!(verdict.complete, "{}", verdict.sentence);
        let finding = verdict.finding;
        prop_assert_eq!(&counts(verdict), &enumerated);

        let reduced = explore(&model, &Options { verdict_only: true, ..options });
        prop_assert_eq!(reduced.finding, finding);
        let mut outcomes: Vec<_> = reduced.outcomes.into_iter().map(|outcome| outcome.outcome).collect();
        outcomes.sort();
        prop_assert_eq!(outcomes, enumerated.into_keys().collect::<Vec<_>>());
    }
}

fn both(main: &[Act], workers: &[&[Act]], joins: bool) -> BTreeMap<String, String> {
    let workers = workers.iter().map(|acts| acts.to_vec()).collect();
    let program = Program { main: main.to_vec(), workers, joins, spurious: 0 };
    let counted = counted(&program).expect("within the limit");
    assert_eq!(explored(&program), counted);
    counted
}

fn total(counts: &BTreeMap<String, String>) -> u64 {
    counts.values().map(|n| n.parse::<u64>().expect("a number")).sum()
}

#[test]
fn the_reference_itself_follows_the_closed_forms() {
    let twice = [Act::Load(0), Act::Store(0, 1)];
    assert_eq!(total(&both(&[], &[&twice, &twice], true)), 6);
    let four = [Act::Load(0), Act::Store(0, 1), Act::Load(0), Act::Store(0, 1)];
    assert_eq!(total(&both(&[], &[&four, &four], true)), 70);
    let locked = [Act::LockAdd(0), Act::LockAdd(0)];
    assert_eq!(total(&both(&[], &[&locked, &locked], true)), 6);
    // Main's return is a step that cuts the worker's two anywhere, unless the worker has ended before.
    assert_eq!(total(&both(&[Act::Load(0)], &[&[Act::Add(0), Act::Add(0)]], false)), 6);
}

#[test]
fn a_timed_wait_that_nobody_else_can_notice_still_times_out() {
    let counts = both(&[], &[&[Act::WaitFor]], true);
    assert_eq!(counts.into_keys().collect::<Vec<_>>(), ["[ftrue0] [0, 0] 0 0 0"]);
}

#[test]
fn who_waits_for_an_object_has_touched_it() {
    // The first worker takes its message to its end or not, before the second one, which then waits for ever.
    let counts = both(&[Act::Send(0, 1)], &[&[Act::Recv(0), Act::Load(0)], &[Act::Recv(0), Act::Load(0)]], false);
    assert!(counts.contains_key("S+"));
    assert!(total(&counts) > 2);
}

#[test]
fn the_order_of_messages_is_part_of_the_state() {
    // Both have sent before main receives, and nothing else tells which of them was first.
    let counts = both(&[Act::Recv(1)], &[&[Act::Send(1, 1), Act::Load(0)], &[Act::Send(1, 2), Act::Store(0, 0)]], true);
    let first = |sent: &str| counts.iter().filter(|(outcome, _)| outcome.starts_with(sent)).count();
    assert_eq!((first("R1"), first("R2")), (1, 1));
}

#[test]
fn a_thread_that_nobody_has_joined_may_be_slower_than_everyone() {
    use pitfalls::sync::atomic::{AtomicU64, Ordering::SeqCst};
    let model = pitfalls::explore::Model::new(|| {
        let hits = std::sync::Arc::new(AtomicU64::new(0));
        let also = std::sync::Arc::clone(&hits);
        let _never_joined = pitfalls::thread::spawn(move || also.store(1, SeqCst));
        pitfalls::thread::spawn(|| {}).join().unwrap();
        hits.load(SeqCst)
    });
    let verdict = explore(&model.into(), &Options::default());
    let mut outcomes: Vec<_> = verdict.outcomes.into_iter().map(|outcome| outcome.outcome).collect();
    outcomes.sort();
    assert_eq!(outcomes, ["0", "1"]);
}

#[test]
fn the_reduced_search_reverses_races_behind_a_thread_that_sleeps() {
    // A notification that comes before the spurious wake-up, but after the store that its thread has seen.
    let workers = vec![vec![Act::Load(0), Act::NotifyOne], vec![Act::Wait], vec![Act::LockAdd(0), Act::Exchange(0, 1)]];
    let program = Program { main: Vec::new(), workers, joins: true, spurious: 1 };
    let counted = counted(&program).expect("within the limit");
    assert!(counted.contains_key("[l1ntrue][][cOk(0)] [1, 0] 1 0 0"));
    assert_eq!(reduced(&program), counted.into_keys().collect::<Vec<_>>());
}

#[test]
fn a_panic_of_main_stays_a_panic_when_another_thread_ends_the_program_first() {
    let counts = both(&[Act::OncePanic], &[&[Act::Exit(3)]], false);
    assert_eq!(counts.into_iter().collect::<Vec<_>>(), [("panic: on purpose".into(), "2".into())]);
}
