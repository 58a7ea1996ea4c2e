//! The whole facade on real threads, and the same program under the explorer: one source, and what real threads come to
//! is one of the explorer's outcomes.

use std::io::{Read, Write};
use std::sync::Arc;
use std::time::Duration;

use pitfalls::explore::{Model, Options, explore};
use pitfalls::io::{Disk, pipe};
use pitfalls::sync::atomic::{AtomicBool, AtomicI32, AtomicU64, AtomicUsize, Ordering::SeqCst};
use pitfalls::sync::{Barrier, Condvar, Mutex, Once, RwLock, channel};
use pitfalls::task::Either;
use pitfalls::verdict::Finding;
use pitfalls::{task, thread};

/// Runs a program on real threads and under the explorer; both must come to `want`, in every schedule.
fn comes_to(want: &str, program: impl Fn() -> String + Send + Sync + Clone + 'static) {
    assert_eq!(program(), want, "on real threads");
    let wanted = want.to_string();
    let model: Model = Model::new(program).always("as on real threads", move |got| *got == wanted).into();
    let verdict = explore(&model, &Options::default());
    assert_eq!(verdict.finding, Finding::Holds, "{} {:?}", verdict.sentence, verdict.outcomes);
}

#[test]
fn atomics() {
    comes_to("3 true -2 Ok(7) Err(9)", || {
        let count = Arc::new(AtomicUsize::new(0));
        let threads: Vec<_> = (0..3)
            .map(|_| {
                let count = Arc::clone(&count);
                thread::spawn(move || count.fetch_update(SeqCst, SeqCst, |n| Some(n + 1)).is_ok())
            })
            .collect();
        let all = threads.into_iter().all(|thread| thread.join().unwrap());
        let below = AtomicI32::new(0);
        below.fetch_sub(2, SeqCst);
        let word = AtomicU64::new(7);
        let first = word.compare_exchange(7, 9, SeqCst, SeqCst);
        let second = word.compare_exchange(7, 9, SeqCst, SeqCst);
        format!("{} {all} {} {first:?} {second:?}", count.load(SeqCst), below.load(SeqCst))
    });
}

#[test]
fn locks_and_condition_variables() {
    comes_to("ready 5 Some(5) None", || {
        let pair = Arc::new((Mutex::new(false), Condvar::new()));
        let setter = Arc::clone(&pair);
        let other = thread::spawn(move || {
            *setter.0.lock() = true;
            setter.1.notify_all();
        });
        let mut ready = pair.0.lock();
        while !*ready {
            pair.1.wait(&mut ready);
        }
        drop(ready);
        other.join().unwrap();
        let shared = RwLock::new(4);
        *shared.write() += 1;
        let reading = shared.read();
        let also = shared.try_read().map(|value| *value);
        let writing = shared.try_write().map(|value| *value);
        format!("ready {} {also:?} {writing:?}", *reading)
    });
}

#[test]
fn a_timed_wait_that_nobody_ends_runs_out() {
    comes_to("timeout", || {
        let (lock, never) = (Mutex::new(()), Condvar::new());
        // It may wake for no reason before that.
        while !never.wait_for(&mut lock.lock(), Duration::from_millis(5)).timed_out() {}
        let (_sender, receiver) = channel::bounded::<u64>(1);
        let message = match receiver.recv_timeout(Duration::from_millis(5)) {
            Err(channel::RecvTimeoutError::Timeout) => "timeout",
            _ => "a message",
        };
        thread::park_timeout(Duration::from_millis(5));
        thread::sleep(Duration::from_millis(1));
        message.to_string()
    });
}

#[test]
fn barriers_and_things_done_once() {
    comes_to("1 leader, 1 time", || {
        let (barrier, once, times) = (Arc::new(Barrier::new(2)), Arc::new(Once::new()), Arc::new(AtomicU64::new(0)));
        let threads: Vec<_> = (0..2)
            .map(|_| {
                let (barrier, once, times) = (Arc::clone(&barrier), Arc::clone(&once), Arc::clone(&times));
                thread::spawn(move || {
                    once.call_once(|| {
                        times.fetch_add(1, SeqCst);
                    });
                    barrier.wait().is_leader()
                })
            })
            .collect();
        let leaders = threads.into_iter().filter_map(|thread| thread.join().ok()).filter(|leads| *leads).count();
        format!("{leaders} leader, {} time", times.load(SeqCst))
    });
}

#[test]
fn channels_with_and_without_room() {
    for capacity in [Some(0), Some(1), None] {
        comes_to("[1, 2] then closed", move || {
            let (sender, receiver) = match capacity {
                Some(capacity) => channel::bounded(capacity),
                None => channel::unbounded(),
            };
            let producer = thread::spawn(move || {
                sender.send(1u64).unwrap();
                sender.send(2).unwrap();
            });
            let all: Vec<u64> = receiver.iter().collect();
            producer.join().unwrap();
            let end = if receiver.recv().is_err() { "closed" } else { "open" };
            format!("{all:?} then {end}")
        });
    }
}

#[test]
fn scoped_threads_borrow_and_named_ones_have_names() {
    comes_to("6 and 4", || {
        let numbers = [1u64, 2, 3];
        let sum = AtomicU64::new(0);
        thread::scope(|scope| {
            for number in &numbers {
                scope.spawn(|| sum.fetch_add(*number, SeqCst));
            }
        });
        let named = thread::Builder::new().name("worker".into()).spawn(|| 4).unwrap();
        format!("{} and {}", sum.load(SeqCst), named.join().unwrap())
    });
}

#[test]
fn parking_waits_for_the_token() {
    comes_to("unparked", || {
        let flag = Arc::new(AtomicBool::new(false));
        let (main, set) = (thread::current(), Arc::clone(&flag));
        let other = thread::spawn(move || {
            set.store(true, SeqCst);
            main.unpark();
        });
        while !flag.load(SeqCst) {
            thread::park();
        }
        other.join().unwrap();
        "unparked".to_string()
    });
}

#[test]
fn tasks_offloaded_calls_and_the_first_of_two() {
    comes_to("1 2 Left(3)", || {
        task::block_on(async {
            let one = task::spawn(async {
                task::yield_now().await;
                1
            });
            let two = task::spawn_blocking(|| 2);
            let never = task::spawn(std::future::pending::<u64>());
            let first = task::select(async { 3 }, never).await;
            let first = if let Either::Left(value) = first { format!("Left({value})") } else { "Right".into() };
            task::sleep(Duration::from_millis(1)).await;
            format!("{} {} {first}", one.await.unwrap(), two.await.unwrap())
        })
    });
}

#[test]
fn a_task_that_panics_is_an_error_for_who_awaits_it() {
    let real = task::block_on(async { task::spawn(async { panic!("on purpose") }).await.is_err() });
    assert!(real);
    let model: Model = Model::new(|| {
        task::block_on(async { task::spawn(async { panic!("on purpose") }).await.unwrap_err().to_string() })
    })
    .always("it says why", |error| error == "the task panicked: on purpose")
    .into();
    let verdict = explore(&model, &Options::default());
    assert_eq!(verdict.finding, Finding::Holds, "{:?}", verdict.outcomes);
}

#[test]
fn either_of_a_message_and_a_timer_may_come_first_in_a_task() {
    let model: Model = Model::new(|| {
        let (sender, receiver) = channel::bounded::<u64>(1);
        thread::spawn(move || sender.send(1));
        task::block_on(async move {
            let call = task::spawn_blocking(move || receiver.recv());
            match task::select(call, task::sleep(Duration::from_secs(1))).await {
                Either::Left(_) => "message",
                Either::Right(()) => "timer",
            }
        })
    })
    .sometimes("the message", |first| *first == "message")
    .sometimes("the timer", |first| *first == "timer")
    .into();
    let verdict = explore(&model, &Options::default());
    assert_eq!(verdict.finding, Finding::Holds, "{}", verdict.sentence);
}

#[test]
fn pipes_of_bounded_capacity() {
    comes_to("hello", || {
        let (mut reader, mut writer) = pipe(2);
        let writing = thread::spawn(move || writer.write_all(b"hello").unwrap());
        let mut text = String::new();
        reader.read_to_string(&mut text).unwrap();
        writing.join().unwrap();
        text
    });
    comes_to("BrokenPipe", || {
        let (reader, mut writer) = pipe(1);
        drop(reader);
        writer.write(&[1]).unwrap_err().kind().to_string().replace("broken pipe", "BrokenPipe")
    });
}

#[test]
fn a_disk_keeps_what_was_flushed() {
    comes_to("[\"a\", \"b\"]", || {
        let disk = Disk::new();
        disk.append("a");
        disk.append("b");
        disk.flush();
        disk.append("lost");
        format!("{:?}", disk.survived())
    });
}
