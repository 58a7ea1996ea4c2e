//! What a verdict says to a reader, held to its words and its width.

use proptest::prelude::*;

use super::report::{CheckResult, ReplayReport, SCHEMA};
use super::text::{Heading, outcomes_table, replay_block, variant_block};
use super::{Count, Finding, Parting, Search, Verdict, samples};
use crate::lesson::{Role, Sample, Size};
use crate::prose::columns;
use crate::timeline::samples::{self as traces, colour, without_colour};
use crate::trace::Ending;

fn words(size: &Size) -> String {
    let [threads, deposits] = size.0[..] else { return size.to_string() };
    let s = |n: usize| if n == 1 { "" } else { "s" };
    format!("{threads} thread{} × {deposits} deposit{}", s(threads), s(deposits))
}

fn result(size: [usize; 2], role: Role, sample: Option<(u32, u32)>, verdict: Verdict) -> CheckResult {
    CheckResult {
        lesson: "race".into(),
        variant: "broken".into(),
        size: Size(size.to_vec()),
        role,
        as_claimed: (role == Role::Broken) == verdict.broke(),
        sample: sample.map(|(failing, runs)| Sample { failing, runs }),
        verdict,
    }
}

fn block_in(role: Role, results: &[CheckResult], width: usize) -> String {
    let (file, hook) = match role {
        Role::Broken => ("broken.rs", "Two steps where one is needed."),
        Role::Fixed => ("fixed_lock.rs", "One lock around both steps."),
    };
    let sources = traces::sources();
    variant_block(&Heading { file, hook, role, size_in_words: &words, sources: &sources }, results, width)
}

fn block(role: Role, results: &[CheckResult]) -> String {
    let _turn = colour(false);
    let at = |width: usize| format!("{}\n{}", "-".repeat(width), block_in(role, results, width));
    [100, 80, 40].map(at).join("\n")
}

fn broken_race() -> Vec<CheckResult> {
    vec![
        result([2, 1], Role::Broken, Some((3, 100)), samples::race()),
        result([3, 2], Role::Broken, Some((21, 100)), samples::larger_race()),
    ]
}

/// One of each sort of verdict.
fn all() -> Vec<(Role, Vec<CheckResult>)> {
    let fixed = |verdict| vec![result([2, 2], Role::Fixed, None, verdict)];
    let broken = |verdict| vec![result([2, 2], Role::Broken, Some((0, 100)), verdict)];
    let livelock = Ending::Livelocked { spins: vec![(1, vec![traces::at(25)])], waits: vec![] };
    let panic = Ending::Panicked { thread: 2, message: "overdrawn".into(), place: Some("broken.rs:14".into()) };
    let misuse = Ending::Misused { message: "`balance` was made outside the model; make it inside".into() };
    vec![
        (Role::Broken, broken_race()),
        (Role::Fixed, fixed(samples::holds())),
        (Role::Fixed, fixed(samples::race())),
        (Role::Broken, broken(samples::holds())),
        (Role::Fixed, fixed(samples::reduced(samples::holds()))),
        (Role::Broken, broken(samples::reduced(samples::race()))),
        (Role::Fixed, fixed(samples::out_of_budget())),
        (Role::Broken, broken(samples::deadlock())),
        (Role::Broken, broken(samples::never_happens())),
        (Role::Broken, broken(samples::nondeterministic())),
        (Role::Broken, broken(samples::fails(Finding::Livelock, traces::spin().ends(livelock, "livelock")))),
        (Role::Broken, broken(samples::fails(Finding::Panic, traces::race().ends(panic, "panic")))),
        (Role::Broken, broken(samples::fails(Finding::Misused, traces::race().ends(misuse, "misused")))),
        (Role::Broken, broken(samples::fails(Finding::Violated, traces::long_names()))),
    ]
}

#[test]
fn a_broken_variant_at_two_sizes() {
    insta::assert_snapshot!(block(Role::Broken, &broken_race()));
}

#[test]
fn a_fixed_variant_that_holds() {
    let mut larger = samples::holds();
    (larger.schedules, larger.bounds.spin_held) = (Some(Count::from(34_650)), true);
    let results = [
        result([2, 1], Role::Fixed, Some((0, 100)), samples::holds()),
        result([3, 2], Role::Fixed, Some((0, 100)), larger),
        result([9, 9], Role::Fixed, None, samples::out_of_budget()),
    ];
    insta::assert_snapshot!(block(Role::Fixed, &results));
}

#[test]
fn a_deadlock() {
    insta::assert_snapshot!(block(Role::Broken, &[result([2, 1], Role::Broken, None, samples::deadlock())]));
}

#[test]
fn every_sort_of_verdict() {
    let _turn = colour(false);
    let blocks: Vec<String> = all().iter().map(|(role, results)| block_in(*role, results, 80)).collect();
    insta::assert_snapshot!(blocks.join("\n"));
}

#[test]
fn a_replay() {
    let trace = traces::race();
    let mut report = ReplayReport {
        schema: SCHEMA,
        lesson: "race".into(),
        variant: "broken".into(),
        size: Size(vec![2, 1]),
        token: trace.token(),
        parted: None,
        broken: vec!["always: every deposit is in the balance".into()],
        trace,
    };
    let _turn = colour(false);
    let fits = replay_block(&report, &traces::sources(), 80);
    report.broken.clear();
    report.parted =
        Some(Parting { step: 3, first: "thread 2 was to move".into(), second: "thread 2 had ended by then".into() });
    insta::assert_snapshot!(format!("{fits}\n{}", replay_block(&report, &traces::sources(), 80)));
}

#[test]
fn outcomes_with_their_shares() {
    let tables = [80, 40, 30].map(|width| outcomes_table(&samples::race(), width));
    let uncounted = outcomes_table(&samples::reduced(samples::race()), 80);
    insta::assert_snapshot!(format!("{}\n{uncounted}", tables.join("\n")));
}

#[test]
fn proven_is_said_only_of_what_was_explored_completely() {
    for (role, results) in all() {
        let _turn = colour(false);
        let text = block_in(role, &results, 80).to_lowercase().replace("neither proven", "");
        let complete = results.iter().any(|one| one.verdict.complete && one.verdict.finding == Finding::Holds);
        assert_eq!(text.contains("proven"), complete, "{text}");
    }
    let partly = Verdict { complete: false, ..samples::holds() };
    let text = block(Role::Fixed, &[result([2, 1], Role::Fixed, None, partly)]);
    assert!(!text.to_lowercase().contains("proven"), "{text}");
}

#[test]
fn smallest_is_said_only_where_all_were_looked_at() {
    let looked_at = |verdict| block(Role::Broken, &[result([2, 1], Role::Broken, None, verdict)]);
    assert!(looked_at(samples::race()).contains("smallest schedule that fails: 1.2.2.1 (2 context switches, 4 steps)"));
    assert!(looked_at(samples::reduced(samples::race())).contains("a schedule that fails: 1.2.2.1"));
    assert!(looked_at(Verdict { complete: false, ..samples::race() }).contains("a schedule that fails: 1.2.2.1"));
}

#[test]
fn no_lesson_is_said_to_claim_that_its_code_cannot_be_checked() {
    let text = block(Role::Broken, &[result([2, 1], Role::Broken, None, samples::nondeterministic())]);
    assert!(text.contains("NOT DETERMINISTIC") && !text.contains("as the lesson says"), "{text}");
}

#[test]
fn the_budget_that_ended_says_how_far_it_came_and_what_to_do() {
    let text = block(Role::Fixed, &[result([9, 9], Role::Fixed, None, samples::out_of_budget())]);
    assert!(text.contains("the budget ended after 1,000,000 states (345,678 executions)"), "{text}");
    assert!(text.contains("--budget"), "{text}");
    let reduced = Verdict { search: Search::Reduced, ..samples::out_of_budget() };
    let reduced = Verdict { cost: super::Cost { states: 0, ..reduced.cost }, ..reduced };
    let text = block(Role::Fixed, &[result([9, 9], Role::Fixed, None, reduced)]);
    assert!(text.contains("the budget ended after 345,678 executions"), "{text}");
}

#[test]
fn no_line_is_wider_than_the_width_and_colour_adds_no_words() {
    for (role, results) in all() {
        for width in 40..=120 {
            let plain = {
                let _turn = colour(false);
                block_in(role, &results, width)
            };
            for line in plain.lines() {
                assert!(columns(line) <= width && line.trim_end() == line, "{width}: {line:?}");
            }
            let _turn = colour(true);
            let coloured = block_in(role, &results, width);
            assert!(!plain.contains('\u{1b}') && coloured.contains('\u{1b}'));
            assert_eq!(without_colour(&coloured), plain);
        }
    }
}

proptest! {
    #[test]
    fn long_words_of_a_lesson_are_wrap(hook in "\\PC{0,90}", claim in "[a-z残 ]{0,120}", width in 40usize..120) {
        let mut verdict = samples::race();
        verdict.claims[0].text = claim;
        verdict.outcomes[0].outcome = hook.clone();
        let results = [result([2, 1], Role::Broken, Some((1, 2)), verdict)];
        let sources = traces::sources();
        let heading = Heading { file: "broken.rs", hook: &hook, role: Role::Broken, size_in_words: &words, sources: &sources };
        let _turn = colour(false);
        let text = variant_block(&heading, &results, width) + &outcomes_table(&results[0].verdict, width);
        for line in text.lines() {
            prop_assert!(columns(line) <= width, "{width}: {line:?}");
        }
    }
}
