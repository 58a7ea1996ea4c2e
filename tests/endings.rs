//! What the explorer says of programs that end badly, or not by their own rules: panics, aborts, threads cut off, misuse,
//! nondeterminism; by kind and place.

mod common;

use std::sync::Arc;

use pitfalls::explore::Model;
use pitfalls::io::Disk;
use pitfalls::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};
use pitfalls::sync::{Mutex, channel};
use pitfalls::trace::Ending;
use pitfalls::verdict::Finding;
use pitfalls::{process, thread};

use common::{check, ending, line_of};

#[test]
fn a_panic_that_one_schedule_raises_is_found_with_its_message_and_line() {
    let verdict = check(Model::new(|| {
        let count = Arc::new(AtomicU64::new(0));
        let other = Arc::clone(&count);
        let adder = thread::spawn(move || other.fetch_add(1, SeqCst));
        let seen = count.load(SeqCst);
        assert_eq!(seen, 0, "too late"); // panics here
        adder.join().unwrap();
        "done"
    }));
    assert_eq!(verdict.finding, Finding::Panic);
    let Ending::Panicked { thread, message, place } = ending(&verdict) else { panic!() };
    assert_eq!(*thread, 0);
    assert!(message.contains("too late"));
    assert_eq!(place.as_deref().unwrap(), format!("endings.rs:{}", line_of("// panics here")));
    assert_eq!(verdict.failing.unwrap().to_string(), "1");
    assert_eq!(verdict.schedules.unwrap().to_string(), "2");
}

#[test]
fn a_panic_that_is_received_is_no_failure_and_one_that_nobody_receives_is() {
    let received = check(Model::new(|| thread::spawn(|| panic!("received")).join().is_err().to_string()));
    assert_eq!(received.finding, Finding::Holds, "{}", received.sentence);
    let ignored = check(Model::new(|| {
        let done = Arc::new(AtomicBool::new(false));
        let other = Arc::clone(&done);
        thread::spawn(move || {
            other.store(true, SeqCst);
            panic!("ignored")
        });
        while !done.load(SeqCst) {
            thread::yield_now();
        }
        "done"
    }));
    assert_eq!(ignored.finding, Finding::Panic);
    assert_eq!(ignored.outcomes[0].outcome, "panic: ignored");
}

struct Bomb(Arc<Mutex<u64>>);

impl Drop for Bomb {
    fn drop(&mut self) {
        *self.0.lock() += 1;
        if thread_is_unwinding() {
            panic!("in a destructor");
        }
    }
}

fn thread_is_unwinding() -> bool {
    std::thread::panicking()
}

#[test]
fn a_destructor_that_panics_while_unwinding_is_an_abort_and_the_exploration_goes_on() {
    let verdict = check(
        Model::new(|| {
            let lock = Arc::new(Mutex::new(0u64));
            let other = Arc::clone(&lock);
            let bomber = thread::spawn(move || {
                let _bomb = Bomb(Arc::clone(&other));
                let value = *other.lock();
                assert_ne!(value, 1, "first panic");
            });
            *lock.lock() += 1;
            bomber.join().is_ok()
        })
        .sometimes("the thread came through", |came| *came),
    );
    assert_eq!(verdict.finding, Finding::Panic);
    let Ending::Aborted { thread, message, .. } = ending(&verdict) else { panic!("{:?}", ending(&verdict)) };
    assert_eq!(*thread, 1);
    assert!(message.contains("in a destructor"), "{message}");
    assert_eq!(verdict.claims[0].stands, Some(true), "the schedules after the abort were explored, too");
    // Nothing is left behind: this thread can still panic and recover, and explore again. (And this test binary ends:
    // its last deed is to take the panic hook.)
    assert!(std::panic::catch_unwind(|| panic!("mine")).is_err());
    assert_eq!(check(Model::new(|| 1)).finding, Finding::Holds);
}

#[test]
fn a_destructor_may_wait_for_a_lock_while_its_thread_unwinds() {
    struct Tidy(Arc<Mutex<u64>>);
    impl Drop for Tidy {
        fn drop(&mut self) {
            *self.0.lock() += 10;
        }
    }
    let verdict = check(
        Model::new(|| {
            let lock = Arc::new(Mutex::new(0u64));
            let other = Arc::clone(&lock);
            let panicking = thread::spawn(move || {
                let _tidy = Tidy(other);
                panic!("and tidies up");
            });
            {
                let mut guard = lock.lock();
                *guard += 1;
                // Another thread's panic is none of this one's business.
                let caught = thread::spawn(|| panic!("elsewhere")).join();
                assert!(caught.is_err());
            }
            let _ = panicking.join();
            *lock.lock()
        })
        .always("both have counted", |count| *count == 11),
    );
    assert_eq!(verdict.finding, Finding::Holds, "{} {:?}", verdict.sentence, verdict.outcomes);
    assert!(verdict.schedules.unwrap() > pitfalls::verdict::Count::from(1), "the destructor's steps are explored");
}

#[test]
fn catching_every_panic_does_not_keep_a_thread_alive() {
    let verdict = check(Model::new(|| {
        let (sender, receiver) = channel::unbounded::<u64>();
        thread::spawn(move || {
            loop {
                let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| receiver.recv()));
                if std::env::var_os("NEVER_SET_PITFALLS").is_some() {
                    break;
                }
            }
        });
        sender.send(1).unwrap();
        std::mem::forget(sender);
        "done"
    }));
    assert_eq!(verdict.finding, Finding::Holds, "{}", verdict.sentence);
}

#[test]
fn main_returning_cuts_the_others_off() {
    let verdict = check(
        Model::with_outcome(
            || {
                let disk = Disk::new();
                let writer = disk.clone();
                thread::spawn(move || {
                    writer.append("entry");
                    writer.flush();
                });
                disk
            },
            |disk| format!("{} lines", disk.survived().len()),
        )
        .always("the entry survives", |disk| disk.survived().len() == 1),
    );
    assert_eq!(verdict.finding, Finding::Violated);
    // append and flush against main's return: 3 places for the return, in 1 of them everything is there.
    assert_eq!(verdict.schedules.unwrap().to_string(), "3");
    assert_eq!(verdict.failing.unwrap().to_string(), "2");
}

#[test]
fn process_exit_ends_everything_at_once() {
    let verdict = check(Model::new(|| {
        let lock = Arc::new(Mutex::new(0u64));
        let other = Arc::clone(&lock);
        let quitter = thread::spawn(move || {
            let _guard = other.lock();
            process::exit(3)
        });
        drop(lock.lock());
        let _: thread::Result<()> = quitter.join();
        "not reached"
    }));
    assert_eq!(verdict.finding, Finding::Holds);
    let outcomes: Vec<&str> = verdict.outcomes.iter().map(|outcome| outcome.outcome.as_str()).collect();
    assert_eq!(outcomes, ["exit code 3"]);
}

#[test]
fn an_object_from_outside_is_a_clear_error() {
    let outside = Arc::new(Mutex::new(0u64));
    let verdict = check(Model::new(move || *outside.lock()));
    assert_eq!(verdict.finding, Finding::Misused);
    let Ending::Misused { message } = ending(&verdict) else { panic!() };
    assert!(message.contains("a Mutex made for real threads is used under the explorer"), "{message}");
    assert!(message.contains("endings.rs:"), "{message}");
}

#[test]
fn a_real_thread_is_a_clear_error() {
    let verdict = check(Model::new(|| {
        let flag = Arc::new(AtomicBool::new(false));
        let other = Arc::clone(&flag);
        let real = std::thread::spawn(move || other.store(true, SeqCst));
        real.join().is_err().to_string()
    }));
    assert_eq!(verdict.finding, Finding::Misused, "{:?}", verdict.outcomes);
    let Ending::Misused { message } = ending(&verdict) else { panic!() };
    assert!(message.contains("a thread that the explorer does not schedule"), "{message}");
}

#[test]
fn a_random_decision_is_named_at_its_step() {
    use std::sync::atomic::{AtomicUsize, Ordering};
    static RUNS: AtomicUsize = AtomicUsize::new(0);
    let verdict = check(Model::new(|| {
        let (a, b) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0)));
        let (a2, b2) = (Arc::clone(&a), Arc::clone(&b));
        let odd = RUNS.fetch_add(1, Ordering::SeqCst) % 2 == 1;
        let other = thread::spawn(move || {
            a2.load(SeqCst);
            if odd { a2.store(1, SeqCst) } else { b2.store(1, SeqCst) }
        });
        let seen = a.load(SeqCst) + b.load(SeqCst);
        other.join().unwrap();
        seen
    }));
    assert_eq!(verdict.finding, Finding::Nondeterministic);
    let parting = verdict.parting.unwrap();
    assert!(parting.step >= 1 && parting.first != parting.second, "{parting:?}");
}

#[test]
fn a_hash_maps_order_is_named_as_nondeterminism() {
    let verdict = check(Model::new(|| {
        let cells: std::collections::HashMap<u64, Arc<AtomicU64>> =
            (0..16).map(|key| (key, Arc::new(AtomicU64::new(0)))).collect();
        let theirs = cells.clone();
        let other = thread::spawn(move || theirs.values().for_each(|cell| cell.store(1, SeqCst)));
        cells[&0].load(SeqCst);
        other.join().unwrap();
        cells.values().map(|cell| cell.load(SeqCst)).sum::<u64>()
    }));
    assert_eq!(verdict.finding, Finding::Nondeterministic, "{}", verdict.sentence);
    assert!(verdict.sentence.contains("a hash map's order"), "{}", verdict.sentence);
}

#[test]
fn a_clock_is_named_as_nondeterminism() {
    let start = std::time::Instant::now();
    let verdict = check(Model::new(move || {
        let cell = Arc::new(AtomicU64::new(0));
        let theirs = Arc::clone(&cell);
        let other = thread::spawn(move || theirs.store(start.elapsed().as_nanos() as u64, SeqCst));
        let seen = cell.load(SeqCst);
        other.join().unwrap();
        seen.min(1)
    }));
    assert_eq!(verdict.finding, Finding::Nondeterministic, "{}", verdict.sentence);
    assert!(verdict.parting.unwrap().second.contains("other values"));
}

#[test]
fn others_may_come_between_mains_panic_and_the_programs_end() {
    let verdict = check(Model::new(|| -> u64 {
        let cell = Arc::new(AtomicU64::new(0));
        let theirs = Arc::clone(&cell);
        thread::spawn(move || {
            theirs.store(1, SeqCst);
            process::exit(3)
        });
        cell.load(SeqCst);
        panic!("main gives up")
    }));
    let outcomes: Vec<&str> = verdict.outcomes.iter().map(|outcome| outcome.outcome.as_str()).collect();
    assert_eq!(outcomes, ["panic: main gives up", "exit code 3"]);
    assert_eq!(verdict.finding, Finding::Panic);
}

#[test]
fn what_a_channel_without_room_does_at_once_is_refused_with_its_line() {
    let verdict = check(Model::new(|| {
        let (sender, receiver) = channel::bounded::<u64>(0);
        let other = thread::spawn(move || receiver.recv().is_ok());
        let sent = sender.try_send(1).is_ok(); // tries here
        drop(sender);
        (sent, other.join().unwrap()).0
    }));
    assert_eq!(verdict.finding, Finding::Misused);
    let Ending::Misused { message } = ending(&verdict) else { panic!() };
    assert!(message.contains(&format!("endings.rs:{}", line_of("// tries here"))), "{message}");
    assert!(message.contains("capacity 0 is not modelled"), "{message}");
}
