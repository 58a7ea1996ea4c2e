//! The programs on the facade, for the explorer.

use std::sync::Arc;

use pitfalls::explore::Model;
use pitfalls::sync::atomic::{AtomicU64, Ordering::Relaxed};
use pitfalls::sync::{Mutex, channel};
use pitfalls::thread;

use super::Kernel;

/// A kernel as a model.
pub fn model(kernel: Kernel) -> Model {
    match kernel {
        Kernel::Locked(threads, times) => locked(threads, times),
        Kernel::Crossed => crossed(),
        Kernel::Producers => producers(),
    }
}

/// Increments under a lock.
pub fn locked(threads: usize, times: usize) -> Model {
    let want = (threads * times) as u64;
    Model::new(move || {
        let balance = Arc::new(Mutex::new(0u64));
        let tellers: Vec<_> = (0..threads)
            .map(|_| {
                let balance = Arc::clone(&balance);
                thread::spawn(move || {
                    for _ in 0..times {
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
    .always("every increment is there", move |balance| *balance == want)
    .into()
}

/// Increments that read and write in two steps.
pub fn unlocked(threads: usize, times: usize) -> Model {
    let want = (threads * times) as u64;
    Model::new(move || {
        let balance = Arc::new(AtomicU64::new(0));
        let tellers: Vec<_> = (0..threads)
            .map(|_| {
                let balance = Arc::clone(&balance);
                thread::spawn(move || {
                    for _ in 0..times {
                        balance.store(balance.load(Relaxed) + 1, Relaxed);
                    }
                })
            })
            .collect();
        for teller in tellers {
            teller.join().unwrap();
        }
        balance.load(Relaxed)
    })
    .always("every increment is there", move |balance| *balance == want)
    .into()
}

/// Two threads that strictly take turns: four steps a round, and one schedule.
pub fn in_turns(rounds: u64) -> Model {
    Model::new(move || {
        let (ask, asked) = channel::bounded(1);
        let (answer, answered) = channel::bounded(1);
        let other = thread::spawn(move || {
            for _ in 0..rounds {
                let number: u64 = asked.recv().unwrap();
                answer.send(number + 1).unwrap();
            }
            (asked, answer)
        });
        let mut number = 0;
        for _ in 0..rounds {
            ask.send(number).unwrap();
            number = answered.recv().unwrap();
        }
        let _ends = other.join().unwrap();
        number
    })
    .always("all are counted", move |number| *number == rounds)
    .into()
}

fn crossed() -> Model {
    Model::new(|| {
        let left = Arc::new((Mutex::new(0u64), Mutex::new(0u64)));
        let right = Arc::clone(&left);
        let other = thread::spawn(move || {
            let mut b = right.1.lock();
            let mut a = right.0.lock();
            (*a, *b) = (*a + 1, *b + 1);
        });
        {
            let mut a = left.0.lock();
            let mut b = left.1.lock();
            (*a, *b) = (*a + 1, *b + 1);
        }
        other.join().unwrap();
        *left.0.lock()
    })
    .always("both have been there", |count| *count == 2)
    .into()
}

fn producers() -> Model {
    Model::new(|| {
        let (sender, receiver) = channel::bounded(1);
        let handles: Vec<_> = (1..=2u64)
            .map(|number| {
                let sender = sender.clone();
                thread::spawn(move || sender.send(number).unwrap())
            })
            .collect();
        let sum = receiver.recv().unwrap() + receiver.recv().unwrap();
        for handle in handles {
            handle.join().unwrap();
        }
        sum
    })
    .always("both messages come", |sum| *sum == 3)
    .into()
}
