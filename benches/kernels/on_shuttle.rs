//! The programs on shuttle, with its depth-first scheduler.

use std::sync::Arc as Plain;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use shuttle::scheduler::DfsScheduler;
use shuttle::sync::{Arc, Mutex, mpsc};
use shuttle::{Config, Runner, thread};

use super::{Cost, Kernel};

/// Runs shuttle on a kernel, but stops it after `cap`.
pub fn check(kernel: Kernel, cap: Duration, executions: &Plain<AtomicU64>) -> Cost {
    let start = Instant::now();
    let counter = Plain::clone(executions);
    let mut config = Config::new();
    config.max_time = Some(cap);
    Runner::new(DfsScheduler::new(None, false), config).run(move || {
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

fn producers() {
    let (sender, receiver) = mpsc::sync_channel(1);
    let handles: Vec<_> = (1..=2u64)
        .map(|number| {
            let sender = sender.clone();
            thread::spawn(move || sender.send(number).unwrap())
        })
        .collect();
    let sum: u64 = receiver.recv().unwrap() + receiver.recv().unwrap();
    for handle in handles {
        handle.join().unwrap();
    }
    assert_eq!(sum, 3);
}
