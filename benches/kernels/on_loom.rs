//! The programs on loom. It has no bounded channel, so that one is made of a mutex and a condition variable.

use std::collections::VecDeque;
use std::sync::Arc as Plain;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use loom::sync::{Arc, Condvar, Mutex};
use loom::thread;

use super::{Cost, Kernel};

/// Runs loom on a kernel, but stops it after `cap`.
pub fn check(kernel: Kernel, cap: Duration, executions: &Plain<AtomicU64>) -> Cost {
    let start = Instant::now();
    let counter = Plain::clone(executions);
    let mut builder = loom::model::Builder::new();
    builder.max_duration = Some(cap);
    builder.check(move || {
        counter.fetch_add(1, Relaxed);
        match kernel {
            Kernel::Locked(threads, times) => locked(threads, times),
            Kernel::Crossed => crossed(),
            Kernel::Producers => producers(),
        }
    });
    let taken = start.elapsed();
    Cost { milliseconds: taken.as_secs_f64() * 1e3, executions: executions.load(Relaxed), cut: taken >= cap }
}

fn locked(threads: usize, times: usize) {
    let balance = Arc::new(Mutex::new(0u64));
    let tellers: Vec<_> = (0..threads)
        .map(|_| {
            let balance = Arc::clone(&balance);
            thread::spawn(move || {
                for _ in 0..times {
                    *balance.lock().unwrap() += 1;
                }
            })
        })
        .collect();
    for teller in tellers {
        teller.join().unwrap();
    }
    assert_eq!(*balance.lock().unwrap(), (threads * times) as u64);
}

fn crossed() {
    let left = Arc::new((Mutex::new(0u64), Mutex::new(0u64)));
    let right = Arc::clone(&left);
    let other = thread::spawn(move || {
        let mut b = right.1.lock().unwrap();
        let mut a = right.0.lock().unwrap();
        (*a, *b) = (*a + 1, *b + 1);
    });
    {
        let mut a = left.0.lock().unwrap();
        let mut b = left.1.lock().unwrap();
        (*a, *b) = (*a + 1, *b + 1);
    }
    other.join().unwrap();
    assert_eq!(*left.0.lock().unwrap(), 2);
}

/// A queue with room for one message.
struct Bounded {
    messages: Mutex<VecDeque<u64>>,
    changed: Condvar,
}

impl Bounded {
    fn send(&self, message: u64) {
        let mut messages = self.messages.lock().unwrap();
        while !messages.is_empty() {
            messages = self.changed.wait(messages).unwrap();
        }
        messages.push_back(message);
        self.changed.notify_all();
    }

    fn recv(&self) -> u64 {
        let mut messages = self.messages.lock().unwrap();
        loop {
            if let Some(message) = messages.pop_front() {
                self.changed.notify_all();
                return message;
            }
            messages = self.changed.wait(messages).unwrap();
        }
    }
}

fn producers() {
    let queue = Arc::new(Bounded { messages: Mutex::new(VecDeque::new()), changed: Condvar::new() });
    let handles: Vec<_> = (1..=2u64)
        .map(|number| {
            let queue = Arc::clone(&queue);
            thread::spawn(move || queue.send(number))
        })
        .collect();
    let sum = queue.recv() + queue.recv();
    for handle in handles {
        handle.join().unwrap();
    }
    assert_eq!(sum, 3);
}
