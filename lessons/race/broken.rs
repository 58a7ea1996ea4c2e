//! Two threads read the same balance, and the later write erases the earlier deposit.
//! See it happen: `learn run race --variant broken`

use pitfalls::sync::atomic::{AtomicU64, Ordering::Relaxed};
use pitfalls::thread;

/// A bank account that threads share.
pub struct Account {
    balance: AtomicU64,
}

impl Account {
    pub fn new() -> Self {
        Account { balance: AtomicU64::new(0) }
    }

    pub fn deposit(&self, amount: u64) {
        let balance = self.balance.load(Relaxed);
        thread::yield_now(); // meanwhile the balance may change
        self.balance.store(balance + amount, Relaxed);
    }

    pub fn balance(&self) -> u64 {
        self.balance.load(Relaxed)
    }
}
