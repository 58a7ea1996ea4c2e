//! The sentence under a schedule: right about what is lost, and silent where nothing is.

use proptest::prelude::*;

use crate::timeline::samples::{self, BALANCE, empty};
use crate::timeline::{At, Timeline, explain};
use crate::trace::{Ending, Trace, Wait};
use crate::verdict::Kind;

fn told(trace: &Trace) -> (Kind, String) {
    explain(trace, &samples::sources())
}

fn marked(trace: &Trace) -> Vec<usize> {
    let timeline = Timeline::new(trace, &samples::sources());
    let number = |row: &crate::timeline::Row| match row.at {
        At::Step(number) if row.marked => Some(number),
        _ => None,
    };
    timeline.rows.iter().filter_map(number).collect()
}

const GUARDED: (&str, &str, Option<&str>) = ("balance", "Mutex", Some("0"));

#[test]
fn a_write_computed_from_an_old_value_is_a_lost_update() {
    let sentence = "Thread 1 writes 1 to `balance` in step 4, computed from the 0 it read in step 1; \
                    thread 2 had made it 1 in step 3, and that change is lost.";
    assert_eq!(told(&samples::race()), (Kind::LostUpdate, sentence.to_string()));
    assert_eq!(marked(&samples::race()), [1, 4]);
}

#[test]
fn of_two_critical_sections_the_first_has_the_stale_read() {
    let (kind, sentence) = told(&samples::lock_twice());
    assert_eq!(kind, Kind::LostUpdate);
    assert!(sentence.contains("in step 12, computed from the 0 it read in step 1; it was changed twice"), "{sentence}");
    assert_eq!(marked(&samples::lock_twice()), [1, 12]);
}

#[test]
fn of_two_critical_sections_amounts_of_others_tell_an_overwrite() {
    let two_deposits = |left: &str| {
        let before = empty(2, &[GUARDED]).locks(1, 0, "0", 15).unlocks(1, 0, None, 15);
        let other =
            before.locks(2, 0, "0", 16).unlocks(2, 0, Some("5"), 16).locks(2, 0, "5", 16).unlocks(2, 0, Some("10"), 16);
        other.locks(1, 0, "10", 16).unlocks(1, 0, Some(left), 16)
    };
    assert_eq!(told(&two_deposits("5")).0, Kind::LostUpdate);
    assert_eq!(told(&two_deposits("15")).0, Kind::Interleaving);
}

#[test]
fn a_list_that_lacks_what_another_thread_put_in_is_a_lost_update() {
    let list = |left: &str| {
        let before = empty(2, &[("names", "Mutex", Some("[]"))]).locks(1, 0, "[]", 15).unlocks(1, 0, None, 15);
        let other = before.locks(2, 0, "[]", 16).unlocks(2, 0, Some("[\"b\"]"), 16);
        other.locks(1, 0, "[\"b\"]", 16).unlocks(1, 0, Some(left), 16)
    };
    assert_eq!(told(&list("[\"a\"]")).0, Kind::LostUpdate);
    assert_eq!(told(&list("[\"b\", \"a\"]")).0, Kind::Interleaving);
}

#[test]
fn one_critical_section_loses_nothing() {
    let one = empty(2, &[GUARDED]).locks(1, 0, "0", 15).unlocks(1, 0, Some("1"), 15);
    let both = one.locks(2, 0, "1", 15).unlocks(2, 0, Some("2"), 15).locks(1, 0, "2", 15).unlocks(1, 0, Some("3"), 15);
    assert_eq!(told(&both).0, Kind::Interleaving);
    assert!(marked(&both).is_empty());
}

#[test]
fn an_indivisible_step_loses_nothing() {
    let added = empty(2, &[BALANCE]).adds(1, 0, "0", "1", 10).adds(2, 0, "1", "2", 10).adds(1, 0, "2", "3", 10);
    assert_eq!(told(&added).0, Kind::Interleaving);
    assert!(marked(&added).is_empty());
}

#[test]
fn a_compare_and_swap_that_tries_again_loses_nothing() {
    use crate::trace::Effect::{Reads, Updates};
    let read = empty(2, &[BALANCE]).reads(1, 0, "0", 10).reads(2, 0, "0", 10);
    let won = read.then(2, "swaps", 0, (Updates, Some("0"), Some("1")), 11);
    let failed = won.then(1, "fails to swap", 0, (Reads, Some("1"), None), 11);
    let again = failed.then(1, "swaps", 0, (Updates, Some("1"), Some("2")), 11);
    assert_eq!(told(&again).0, Kind::Interleaving);
    assert!(marked(&again).is_empty());
}

#[test]
fn a_condition_looked_at_again_after_a_wait_is_no_stale_read() {
    let objects = [("items", "Mutex", Some("0")), ("changed", "Condvar", None)];
    let waited = empty(2, &objects).locks(1, 0, "0", 22).orders(1, "waits on", 1, 24).with(0);
    let put = waited.locks(2, 0, "0", 22).unlocks(2, 0, Some("1"), 23).orders(2, "notifies", 1, 23);
    let taken = put.locks(1, 0, "1", 24).unlocks(1, 0, Some("0"), 24);
    assert_eq!(told(&taken).0, Kind::Interleaving);
    assert!(marked(&taken).is_empty());
}

#[test]
fn a_check_whose_answer_is_out_of_date_is_told_as_facts() {
    let stock = [("stock", "AtomicU64", Some("1"))];
    let sold =
        empty(2, &stock).reads(1, 0, "1", 10).reads(2, 0, "1", 10).adds(1, 0, "1", "0", 11).adds(2, 0, "0", "-1", 11);
    let sentence = "Thread 2 reads 1 from `stock` in step 2; before it adds to stock: 0→-1 in step 4, \
                    thread 1 makes it 0 in step 3: what it saw is out of date by then.";
    assert_eq!(told(&sold), (Kind::Interleaving, sentence.to_string()));
    assert_eq!(marked(&sold), [2, 4]);
}

#[test]
fn a_deadlock_names_who_holds_what_since_which_line_and_the_circle() {
    let sentence = "Thread 1 waits for the lock `bob` (line 20), which thread 2 has held since line 19; \
                    thread 2 waits for the lock `alice` (line 20), which thread 1 has held since line 19: \
                    they wait in a circle, so none of them can ever go on, and neither can main.";
    assert_eq!(told(&samples::deadlock()), (Kind::Deadlock, sentence.to_string()));
    assert_eq!(marked(&samples::deadlock()), [1, 2]);
}

#[test]
fn a_lock_taken_twice_by_one_thread_waits_for_itself() {
    let held_by = vec![(1, samples::at(15))];
    let wait =
        Wait { thread: 1, place: samples::at(16), awaited: "the lock `balance`".into(), object: Some(0), held_by };
    let trace = empty(1, &[GUARDED]).locks(1, 0, "0", 15).ends(Ending::Deadlocked { waits: vec![wait] }, "deadlock");
    let (kind, sentence) = told(&trace);
    assert_eq!(kind, Kind::Deadlock);
    assert!(
        sentence.ends_with("which it has held itself since line 15: it waits for itself and can never go on."),
        "{sentence}"
    );
}

#[test]
fn a_wait_for_what_nobody_will_do_is_no_circle() {
    let wait = Wait {
        thread: 1,
        place: samples::at(16),
        awaited: "a message on `log`".into(),
        object: Some(0),
        held_by: vec![],
    };
    let trace = empty(1, &[("log", "channel", Some("[]"))]).ends(Ending::Deadlocked { waits: vec![wait] }, "deadlock");
    let sentence = "Thread 1 waits for a message on `log` (line 16); nobody is left who could end that wait.";
    assert_eq!(told(&trace), (Kind::Deadlock, sentence.to_string()));
}

#[test]
fn a_notification_before_the_wait_is_a_lost_wake_up() {
    let (kind, sentence) = told(&samples::lost_wake_up());
    assert_eq!(kind, Kind::LostWakeUp);
    assert!(sentence.starts_with("Thread 2 notifies `changed` in step 3, when nobody waits on it"), "{sentence}");
    assert_eq!(marked(&samples::lost_wake_up()), [3, 5]);
}

#[test]
fn a_notification_that_woke_somebody_is_not_lost() {
    let objects = [("items", "Mutex", Some("0")), ("changed", "Condvar", None)];
    let wait = |thread| Wait {
        thread,
        place: samples::at(24),
        awaited: "a notification of `changed`".into(),
        object: Some(1),
        held_by: vec![],
    };
    let both = empty(3, &objects).orders(1, "waits on", 1, 24).with(0).orders(2, "waits on", 1, 24).with(0);
    let woken = both.orders(3, "notifies", 1, 23).locks(1, 0, "0", 24);
    assert_eq!(told(&woken.ends(Ending::Deadlocked { waits: vec![wait(2)] }, "deadlock")).0, Kind::Deadlock);
}

#[test]
fn what_is_left_in_a_channel_at_the_end_is_lost_data() {
    let sent = empty(1, &[("log", "channel", Some("[]"))]).then(
        0,
        "sends to",
        0,
        (crate::trace::Effect::Updates, Some("[]"), Some("[\"a\"]")),
        26,
    );
    let (kind, sentence) = told(&sent.ends(Ending::Exited { code: 0 }, "0 entries"));
    assert_eq!(kind, Kind::LostData);
    assert!(sentence.contains("exits with code 0 after step 1 while `log` still holds [\"a\"]"), "{sentence}");
}

#[test]
fn loops_and_panics_name_their_place() {
    let spins = vec![(1, vec![samples::at(25), samples::at(25)]), (2, vec![samples::at(15), samples::at(16)])];
    let lock = samples::empty(2, &[GUARDED]).ends(Ending::Livelocked { spins, waits: vec![] }, "livelock");
    let (kind, sentence) = told(&lock);
    assert_eq!(kind, Kind::Livelock);
    assert_eq!(
        sentence,
        "Thread 1 goes round in line 25 (`while !self.ready.load(Relaxed) { hint::spin_loop() }`) and thread 2 goes round \
         in lines 15 and 16. Nothing changes any more, so this goes on for ever."
    );
    let panic = Ending::Panicked { thread: 2, message: "overdrawn".into(), place: Some("broken.rs:14".into()) };
    assert_eq!(
        told(&empty(2, &[]).ends(panic, "panic")),
        (Kind::Panic, "Thread 2 panics at broken.rs:14: overdrawn.".to_string())
    );
}

#[test]
fn a_panic_that_follows_a_lost_update_names_both() {
    let panic = Ending::Panicked { thread: 0, message: "1 != 2".into(), place: Some("broken.rs:14".into()) };
    let (kind, sentence) = told(&samples::race().ends(panic, "panic"));
    assert_eq!(kind, Kind::Panic);
    assert!(sentence.contains("that change is lost. Main panics at broken.rs:14: 1 != 2."), "{sentence}");
}

/// How a deposit of 1 is written, as the steps that another thread may come between.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Deposit {
    LoadThenStore,
    FetchAdd,
    OneLock,
    TwoLocks,
}

/// Runs two deposits on each of three threads in the order of the given picks; the trace and the balance at its end.
fn run(deposit: Deposit, picks: &[usize]) -> (Trace, u64) {
    let kind = if matches!(deposit, Deposit::LoadThenStore | Deposit::FetchAdd) { "AtomicU64" } else { "Mutex" };
    let mut trace = empty(3, &[("balance", kind, Some("0"))]);
    let (mut balance, mut seen, mut done) = (0u64, [0u64; 3], [0usize; 3]);
    let steps = if deposit == Deposit::FetchAdd { 1 } else { 2 };
    for pick in picks.iter().copied().chain([0, 1, 2].repeat(4)) {
        let thread = (0..3).map(|n| (pick + n) % 3).find(|thread| done[*thread] < 2 * steps);
        let Some(index) = thread else { break };
        let (number, first) = (index as u32 + 1, done[index].is_multiple_of(steps));
        done[index] += 1;
        let before = balance.to_string();
        let (trace_now, left) = (trace, (if deposit == Deposit::FetchAdd { balance } else { seen[index] }) + 1);
        trace = match (deposit, first) {
            (Deposit::LoadThenStore, true) => trace_now.reads(number, 0, &before, 10),
            (Deposit::LoadThenStore, false) => trace_now.stores(number, 0, &left.to_string(), 11),
            (Deposit::FetchAdd, _) => trace_now.adds(number, 0, &before, &left.to_string(), 10),
            (Deposit::OneLock, true) => trace_now,
            (Deposit::OneLock, false) => {
                trace_now.locks(number, 0, &before, 15).unlocks(number, 0, Some(&(balance + 1).to_string()), 15)
            }
            (Deposit::TwoLocks, true) => trace_now.locks(number, 0, &before, 15).unlocks(number, 0, None, 15),
            (Deposit::TwoLocks, false) => {
                trace_now.locks(number, 0, &before, 16).unlocks(number, 0, Some(&left.to_string()), 16)
            }
        };
        match (deposit, first) {
            (Deposit::LoadThenStore | Deposit::TwoLocks, true) => seen[index] = balance,
            (Deposit::OneLock, true) => {}
            (Deposit::OneLock, false) => balance += 1,
            _ => balance = left,
        }
    }
    (trace, balance)
}

proptest! {
    #[test]
    fn a_lost_update_is_named_exactly_when_a_deposit_is_missing(picks in prop::collection::vec(0usize..3, 0..12)) {
        for deposit in [Deposit::LoadThenStore, Deposit::FetchAdd, Deposit::OneLock, Deposit::TwoLocks] {
            let (trace, balance) = run(deposit, &picks);
            let (kind, sentence) = told(&trace);
            prop_assert_eq!(kind == Kind::LostUpdate, balance != 6, "{:?}: {} of 6: {}", deposit, balance, sentence);
            prop_assert_eq!(marked(&trace).len(), if balance == 6 { 0 } else { 2 });
        }
    }
}
