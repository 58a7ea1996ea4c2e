//! Every layout as a snapshot, and what holds for all of them at any width.

use compact_str::CompactString;
use proptest::prelude::*;

use crate::prose::columns;
use crate::timeline::Timeline;
use crate::timeline::samples::{self, colour};
use crate::timeline::text::render;
use crate::trace::{Effect, Ending, Move, ObjectInfo, Place, Step, ThreadInfo, Trace, Wait, Way};

fn shown(trace: &Trace) -> String {
    let _turn = colour(false);
    let timeline = Timeline::new(trace, &samples::sources());
    let at = |width: usize| format!("{}\n{}", "-".repeat(width), render(&timeline, width));
    [120, 80, 60, 40].map(at).join("\n")
}

#[test]
fn a_lost_update_of_two_threads() {
    insta::assert_snapshot!(shown(&samples::race()));
}

#[test]
fn a_lost_update_of_three_threads_that_lock_twice() {
    insta::assert_snapshot!(shown(&samples::lock_twice()));
}

#[test]
fn two_locks_taken_in_two_orders() {
    insta::assert_snapshot!(shown(&samples::deadlock()));
}

#[test]
fn a_notification_that_nobody_waits_for() {
    insta::assert_snapshot!(shown(&samples::lost_wake_up()));
}

#[test]
fn eight_threads() {
    insta::assert_snapshot!(shown(&samples::eight_threads()));
}

#[test]
fn long_and_wide_names_and_values() {
    insta::assert_snapshot!(shown(&samples::long_names()));
}

#[test]
fn a_loop_that_goes_round_is_folded() {
    insta::assert_snapshot!(shown(&samples::spin()));
}

#[test]
fn colour_adds_nothing_to_the_words() {
    for trace in samples::all() {
        for width in [40, 60, 80, 120] {
            let timeline = Timeline::new(&trace, &samples::sources());
            let plain = {
                let _turn = colour(false);
                render(&timeline, width)
            };
            let coloured = {
                let _turn = colour(true);
                render(&timeline, width)
            };
            assert!(!plain.contains('\u{1b}'), "{plain}");
            assert!(coloured.contains("\u{1b}["), "{coloured}");
            assert_eq!(samples::without_colour(&coloured), plain);
        }
    }
}

#[test]
fn a_value_cannot_steer_the_terminal() {
    let text = shown(&samples::long_names());
    assert!(!text.contains('\u{1b}'));
    assert!(text.contains("\\u{1b}"));
}

#[test]
fn a_very_long_schedule_keeps_its_ends_and_what_matters() {
    // Amounts that grow leave nothing to fold; the two accesses that matter are in the middle.
    let deposit = |trace: Trace, n: u32| trace.reads(n % 3 + 1, 0, &n.to_string(), 10 + n % 14);
    let before = (0..5_000).fold(samples::empty(3, &[samples::BALANCE]), deposit);
    let race = before.reads(1, 0, "0", 10).reads(2, 0, "0", 10).stores(2, 0, "1", 11).stores(1, 0, "1", 11);
    let trace = (0..5_000).fold(race, deposit);
    let timeline = Timeline::new(&trace, &samples::sources());
    assert!(timeline.rows.len() < 200, "{}", timeline.rows.len());
    assert_eq!(timeline.rows.iter().filter(|row| row.marked).count(), 2);
    let _turn = colour(false);
    let text = render(&timeline, 80);
    assert!(text.contains("steps that are not shown (steps "), "{text}");
}

#[test]
fn a_schedule_without_steps_is_a_sentence() {
    let trace = samples::empty(1, &[]).ends(Ending::Returned, "done");
    let _turn = colour(false);
    let text = render(&Timeline::new(&trace, &samples::sources()), 40);
    assert_eq!(text, "In this order of steps the program comes\nto: done.\n");
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof!["[a-z]{0,8}", "[0-9]{1,3}", "\\PC{0,40}", "残{0,30}", ".{0,20}"]
}

fn step() -> impl Strategy<Value = Step> {
    let verb =
        prop::sample::select(vec!["reads", "writes", "adds to", "locks", "unlocks", "waits on", "notifies one of"]);
    let effect = prop::sample::select(vec![Effect::Reads, Effect::Writes, Effect::Updates, Effect::Orders]);
    let way = prop::sample::select(vec![Way::Normal, Way::TimedOut, Way::Spurious, Way::Pick(2)]);
    let file = prop::sample::select(vec!["lessons/race/broken.rs", "lessons/race/a_rather_long_name_of_a_file.rs"]);
    let object = prop::option::of(0usize..5);
    let value = || prop::option::of(text().prop_map(CompactString::from));
    // Objects and threads beyond those that exist are there too: a timeline must bear any trace.
    (0u32..10, way, verb, object.clone(), object, effect, value(), value(), file, 0u32..40).prop_map(
        |(thread, way, verb, object, with, effect, seen, left, file, line)| Step {
            choice: Move { thread, way },
            verb,
            object,
            with,
            effect,
            seen,
            changes: with.zip(left.clone()).into_iter().collect(),
            left,
            place: Place { file, line, column: 1 },
        },
    )
}

fn ending() -> impl Strategy<Value = Ending> {
    let place = Place { file: "lessons/race/broken.rs", line: 11, column: 9 };
    let wait = (0u32..10, text(), prop::option::of(0usize..5), prop::collection::vec(0u32..10, 0..3)).prop_map(
        move |(thread, awaited, object, holders)| Wait {
            thread,
            place,
            awaited,
            object,
            held_by: holders.into_iter().map(|holder| (holder, place)).collect(),
        },
    );
    let waits = prop::collection::vec(wait, 0..4).boxed();
    let spins = prop::collection::vec((0u32..10, prop::collection::vec(Just(place), 0..4)), 0..3);
    prop_oneof![
        3 => Just(Ending::Returned),
        1 => any::<i32>().prop_map(|code| Ending::Exited { code }),
        1 => waits.clone().prop_map(|waits| Ending::Deadlocked { waits }),
        1 => (spins.clone(), waits).prop_map(|(spins, waits)| Ending::Livelocked { spins, waits }),
        1 => spins.prop_map(|spins| Ending::TooLong { spins }),
        1 => (0u32..10, text(), prop::option::of(text()))
            .prop_map(|(thread, message, place)| Ending::Panicked { thread, message, place }),
        1 => (0u32..10, text(), prop::option::of(text()))
            .prop_map(|(thread, message, place)| Ending::Aborted { thread, message, place }),
        1 => text().prop_map(|message| Ending::Misused { message }),
    ]
}

pub(crate) fn any_trace() -> impl Strategy<Value = Trace> {
    let threads = prop::collection::vec(text(), 1..10);
    let object =
        (text(), prop::sample::select(vec!["AtomicU64", "Mutex", "Condvar", "channel"]), prop::option::of(text()));
    let objects = prop::collection::vec(object, 0..5);
    // A part repeated, so that folds come up.
    let steps = (prop::collection::vec(step(), 0..6), 1usize..6, prop::collection::vec(step(), 0..12));
    (threads, objects, steps, ending(), text()).prop_map(|(threads, objects, (part, times, rest), ending, outcome)| {
        Trace {
            threads: threads.into_iter().map(|name| ThreadInfo { name }).collect(),
            objects: objects
                .into_iter()
                .map(|(name, kind, initial)| ObjectInfo { name, kind, place: samples::at(5), initial })
                .collect(),
            steps: [vec![part; times].concat(), rest].concat(),
            ending,
            outcome,
        }
    })
}

proptest! {
    #[test]
    fn no_line_is_wider_than_the_width(trace in any_trace(), width in 40usize..160) {
        let _turn = colour(false);
        let text = render(&Timeline::new(&trace, &samples::sources()), width);
        for line in text.lines() {
            prop_assert!(columns(line) <= width, "{} columns of {width}: {line:?}", columns(line));
            prop_assert_eq!(line.trim_end(), line);
        }
    }

    #[test]
    fn every_step_has_a_row_or_is_counted_in_a_fold(trace in any_trace()) {
        use crate::timeline::At;
        let timeline = Timeline::new(&trace, &samples::sources());
        let mut next = 1;
        for row in &timeline.rows {
            prop_assert!(row.thread < timeline.threads.len());
            prop_assert_eq!(row.values.len(), timeline.values.len());
            match row.at {
                At::Step(number) => {
                    prop_assert_eq!(number, next);
                    next += 1;
                }
                At::More(count, first, last) => {
                    prop_assert_eq!((first, last + 1), (next, first + count));
                    next = last + 1;
                }
                At::End => {}
            }
        }
        prop_assert_eq!(next, trace.steps.len() + 1);
    }
}
