//! What the explorer says of threads that wait: deadlock, lost wake-up, livelock, time-outs, tasks, pipes, budgets; by
//! kind and place.

mod common;

use std::sync::Arc;
use std::time::Duration;

use pitfalls::explore::{Model, Options, explore};
use pitfalls::io::pipe;
use pitfalls::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};
use pitfalls::sync::{Condvar, Mutex, channel};
use pitfalls::trace::Ending;
use pitfalls::verdict::{ClaimSort, Finding};
use pitfalls::{task, thread};

use common::{check, ending, line_of};

#[test]
fn two_locks_in_opposite_order_deadlock_and_say_who_holds_what_since_where() {
    let verdict = check(Model::new(|| {
        let a = Arc::new(Mutex::new(0u64));
        let b = Arc::new(Mutex::new(0u64));
        let (a2, b2) = (Arc::clone(&a), Arc::clone(&b));
        let first = thread::spawn(move || {
            let _a = a.lock(); // first takes a
            let _b = b.lock(); // first wants b
        });
        let second = thread::spawn(move || {
            let _b = b2.lock(); // second takes b
            let _a = a2.lock(); // second wants a
        });
        first.join().unwrap();
        second.join().unwrap();
        "done"
    }));
    assert_eq!(verdict.finding, Finding::Deadlock);
    let Ending::Deadlocked { waits } = ending(&verdict) else { panic!("{:?}", ending(&verdict)) };
    let one = waits.iter().find(|wait| wait.thread == 1).unwrap();
    assert_eq!(one.awaited, "the lock `b`");
    assert_eq!(one.place.line, line_of("// first wants b"));
    assert_eq!(one.held_by.len(), 1);
    assert_eq!((one.held_by[0].0, one.held_by[0].1.line), (2, line_of("// second takes b")));
    let main = waits.iter().find(|wait| wait.thread == 0).unwrap();
    assert_eq!(main.awaited, "thread 1 to end");
    // The smallest: one takes a, the other takes b.
    assert_eq!(verdict.token.unwrap().to_string(), "1.2");
    // 2 of 6: in the other four, one thread has taken both before the other starts.
    assert_eq!(verdict.failing.unwrap().to_string(), "2");
}

#[test]
fn checking_before_waiting_loses_the_wake_up() {
    let verdict = check(Model::new(|| {
        let pair = Arc::new((Mutex::new(false), Condvar::new()));
        let notifier = Arc::clone(&pair);
        let other = thread::spawn(move || {
            *notifier.0.lock() = true;
            notifier.1.notify_one();
        });
        let ready = *pair.0.lock();
        if !ready {
            let mut guard = pair.0.lock();
            pair.1.wait(&mut guard);
        }
        other.join().unwrap();
        "done"
    }));
    assert_eq!(verdict.finding, Finding::Deadlock);
    let Ending::Deadlocked { waits } = ending(&verdict) else { panic!() };
    assert!(waits[0].awaited.starts_with("a notification on"), "{waits:?}");
}

#[test]
fn an_if_around_a_wait_is_broken_by_a_spurious_wake_up_and_a_while_is_not() {
    fn program(again: bool) -> impl Fn() -> bool {
        move || {
            let pair = Arc::new((Mutex::new(false), Condvar::new()));
            let notifier = Arc::clone(&pair);
            thread::spawn(move || {
                *notifier.0.lock() = true;
                notifier.1.notify_one();
            });
            let mut ready = pair.0.lock();
            if again {
                pair.1.wait_while(&mut ready, |ready| !*ready);
            } else if !*ready {
                pair.1.wait(&mut ready);
            }
            *ready
        }
    }
    let verdict = check(Model::new(program(false)).always("it is ready", |ready| *ready));
    assert_eq!(verdict.finding, Finding::Violated);
    assert!(verdict.token.unwrap().to_string().contains('s'), "only a spurious wake-up breaks it");
    let verdict = check(Model::new(program(true)).always("it is ready", |ready| *ready));
    assert_eq!(verdict.finding, Finding::Holds, "{}", verdict.sentence);
}

#[test]
fn a_flag_that_nobody_sets_is_a_livelock_at_its_line() {
    let verdict = check(Model::new(|| {
        let flag = Arc::new(AtomicBool::new(false));
        let other = Arc::clone(&flag);
        let spinner = thread::spawn(move || {
            while !other.load(SeqCst) {
                thread::yield_now(); // goes round here
            }
        });
        flag.store(false, SeqCst);
        spinner.join().unwrap();
        "done"
    }));
    assert_eq!(verdict.finding, Finding::Livelock, "{}", verdict.sentence);
    let Ending::Livelocked { spins, .. } = ending(&verdict) else { panic!() };
    assert_eq!(spins[0].0, 1);
    assert!(spins[0].1.iter().any(|place| place.line == line_of("// goes round here")), "{spins:?}");
}

#[test]
fn a_spinning_reader_ends_when_the_flag_is_set() {
    let verdict = check(
        Model::new(|| {
            let flag = Arc::new(AtomicBool::new(false));
            let other = Arc::clone(&flag);
            let spinner = thread::spawn(move || {
                let mut rounds = 0;
                while !other.load(SeqCst) {
                    rounds += 1;
                    thread::yield_now();
                }
                rounds > 0
            });
            flag.store(true, SeqCst);
            spinner.join().unwrap()
        })
        .sometimes("it had to wait", |waited| *waited)
        .sometimes("it did not", |waited| !*waited),
    );
    assert_eq!(verdict.finding, Finding::Holds, "{}", verdict.sentence);
    assert!(verdict.bounds.spin_held, "the loop was followed for a bounded number of rounds, and that is said");
    assert!(verdict.claims.iter().all(|claim| claim.witness.is_some()));
}

#[test]
fn a_loop_that_gives_up_by_itself_is_no_livelock() {
    let verdict = check(
        Model::new(|| {
            let flag = Arc::new(AtomicBool::new(false));
            let other = Arc::clone(&flag);
            let spinner = thread::spawn(move || (0..20).any(|_| other.load(SeqCst)));
            flag.store(false, SeqCst);
            spinner.join().unwrap()
        })
        .never("it saw the flag", |saw| *saw),
    );
    assert_eq!(verdict.finding, Finding::Holds, "{}", verdict.sentence);
}

#[test]
fn an_endless_loop_of_invisible_steps_is_found() {
    let verdict = check(Model::new(|| {
        let own = AtomicU64::new(0);
        loop {
            if own.load(SeqCst) == 1 {
                return "done";
            }
        }
    }));
    assert_eq!(verdict.finding, Finding::Livelock);
}

#[test]
fn threads_that_undo_each_other_for_ever_run_out_of_steps() {
    let verdict = check(Model::new(|| {
        let turn = Arc::new(AtomicU64::new(0));
        let other = Arc::clone(&turn);
        thread::spawn(move || {
            loop {
                other.fetch_add(1, SeqCst);
            }
        });
        while turn.load(SeqCst) < u64::MAX {
            turn.fetch_sub(1, SeqCst);
        }
        "done"
    }));
    assert_eq!(verdict.finding, Finding::OutOfBudget);
    assert!(!verdict.complete);
}

#[test]
fn a_blocking_call_in_a_task_keeps_the_loop_and_an_offloaded_one_does_not() {
    fn program(offloaded: bool) -> impl Fn() -> bool {
        move || {
            let (reply, answer) = channel::bounded::<u64>(1);
            let beats = Arc::new(AtomicU64::new(0));
            let heart = Arc::clone(&beats);
            thread::spawn(move || reply.send(1));
            task::block_on(async move {
                let heartbeat = task::spawn(async move { heart.fetch_add(1, SeqCst) });
                let beaten = Arc::clone(&beats);
                let request = task::spawn(async move {
                    let before = beaten.load(SeqCst);
                    if offloaded {
                        task::spawn_blocking(move || answer.recv()).await.unwrap().unwrap();
                    } else {
                        answer.recv().unwrap();
                    }
                    beaten.load(SeqCst) > before
                });
                heartbeat.await.unwrap();
                request.await.unwrap()
            })
        }
    }
    let verdict = check(Model::new(program(false)).never("the heart beats during the request", |beat| *beat));
    assert_eq!(verdict.finding, Finding::Holds, "{}", verdict.sentence);
    let verdict = check(Model::new(program(true)).sometimes("the heart beats during the request", |beat| *beat));
    assert_eq!(verdict.finding, Finding::Holds, "{}", verdict.sentence);
    assert_eq!(verdict.claims[0].sort, ClaimSort::Sometimes);
    assert!(verdict.claims[0].witness.is_some());
}

#[test]
fn a_task_that_waits_for_its_own_loop_deadlocks() {
    let verdict = check(Model::new(|| {
        let (reply, answer) = channel::bounded::<u64>(1);
        task::block_on(async move {
            task::spawn(async move { reply.send(1).unwrap() });
            task::spawn(async move { answer.recv().unwrap() }).await.unwrap()
        })
    }));
    assert_eq!(verdict.finding, Finding::Deadlock);
    assert_eq!(
        (verdict.failing.unwrap().to_string(), verdict.schedules.unwrap().to_string()),
        ("1".into(), "2".into())
    );
}

#[test]
fn a_read_modify_write_is_safe_without_an_await_inside() {
    fn program(awaits: bool) -> impl Fn() -> u64 {
        move || {
            let balance = Arc::new(AtomicU64::new(0));
            let teller = move |balance: Arc<AtomicU64>| async move {
                let seen = balance.load(SeqCst);
                if awaits {
                    task::yield_now().await;
                }
                balance.store(seen + 1, SeqCst);
            };
            let (one, two) = (Arc::clone(&balance), Arc::clone(&balance));
            task::block_on(async move {
                let first = task::spawn(teller(one));
                let second = task::spawn(teller(two));
                first.await.unwrap();
                second.await.unwrap();
            });
            balance.load(SeqCst)
        }
    }
    let without = check(Model::new(program(false)).always("both count", |balance| *balance == 2));
    assert_eq!(without.finding, Finding::Holds, "{}", without.sentence);
    let with = check(Model::new(program(true)).always("both count", |balance| *balance == 2));
    assert_eq!(with.finding, Finding::Violated);
}

/// Echo through two pipes of one byte, everything written before anything is read.
fn echo(bytes: usize) -> impl Fn() -> usize {
    use std::io::{Read, Write};
    move || {
        let (mut to_read, mut to_write) = pipe(1);
        let (mut back_read, mut back_write) = pipe(1);
        thread::spawn(move || {
            let mut byte = [0];
            while to_read.read(&mut byte).unwrap() == 1 {
                back_write.write_all(&byte).unwrap();
            }
        });
        to_write.write_all(&vec![7; bytes]).unwrap();
        drop(to_write);
        let mut all = Vec::new();
        back_read.read_to_end(&mut all).unwrap();
        all.len()
    }
}

#[test]
fn an_echo_hangs_when_it_is_longer_than_what_the_pipes_hold() {
    for bytes in 1..=3 {
        let verdict = check(Model::new(echo(bytes)).always("all comes back", move |back| *back == bytes));
        assert_eq!(verdict.finding, Finding::Holds, "{bytes}: {}", verdict.sentence);
    }
    let verdict = check(Model::new(echo(4)).always("all comes back", |back| *back == 4));
    assert_eq!(verdict.finding, Finding::Deadlock);
    assert_eq!(verdict.failing, verdict.schedules, "in every schedule");
}

#[test]
fn either_comes_first_with_a_time_out() {
    let verdict = check(
        Model::new(|| {
            let (sender, receiver) = channel::bounded::<u64>(1);
            thread::spawn(move || sender.send(1));
            receiver.recv_timeout(Duration::from_secs(3600)).is_ok()
        })
        .sometimes("the message comes first", |came| *came)
        .sometimes("the time-out comes first", |came| !*came),
    );
    assert_eq!(verdict.finding, Finding::Holds, "{}", verdict.sentence);
}

#[test]
fn a_budget_that_ends_first_is_its_own_verdict_and_says_how_far_it_came() {
    let model: Model = Model::new(|| {
        let balance = Arc::new(AtomicU64::new(0));
        let all: Vec<_> = (0..3)
            .map(|_| {
                let balance = Arc::clone(&balance);
                thread::spawn(move || {
                    for _ in 0..4 {
                        balance.fetch_add(1, SeqCst);
                    }
                })
            })
            .collect();
        all.into_iter().for_each(|one| one.join().unwrap());
        balance.load(SeqCst)
    })
    .always("all count", |balance| *balance == 12)
    .into();
    let verdict = explore(&model, &Options { states: 100, steps: 2_000, ..Options::default() });
    assert_eq!(verdict.finding, Finding::OutOfBudget);
    assert!(!verdict.complete && verdict.schedules.is_none());
    assert!(verdict.cost.states >= 100 && verdict.cost.states < 200, "{:?}", verdict.cost);
    assert!(verdict.sentence.contains("states"), "{}", verdict.sentence);
}

#[test]
fn dropping_any_sender_is_a_step() {
    let verdict = check(
        Model::new(|| {
            let (first, receiver) = channel::unbounded::<u64>();
            let second = first.clone();
            let flag = Arc::new(AtomicU64::new(0));
            let theirs = Arc::clone(&flag);
            let a = thread::spawn(move || drop(first));
            let b = thread::spawn(move || {
                drop(second);
                theirs.store(1, SeqCst);
            });
            let seen = (flag.load(SeqCst), receiver.try_recv());
            a.join().unwrap();
            b.join().unwrap();
            format!("{seen:?}")
        })
        .sometimes("the second is gone, the first is not", |seen| seen.contains("(1, Err(Empty))")),
    );
    assert_eq!(verdict.finding, Finding::Holds, "{:?}", verdict.outcomes);
}
