//! One lock is held from the read to the write, so no other deposit comes between them.
//! See it hold: `learn run race --variant fixed_lock`

use pitfalls::sync::Mutex;

/// A bank account that threads share.
pub struct Account {
    balance: Mutex<u64>,
}

impl Account {
    pub fn new() -> Self {
        Account { balance: Mutex::new(0) }
    }

    pub fn deposit(&self, amount: u64) {
        let mut balance = self.balance.lock();
        *balance += amount;
    } // unlocked here, where the guard `balance` goes out of scope

    pub fn balance(&self) -> u64 {
        *self.balance.lock()
    }
}
