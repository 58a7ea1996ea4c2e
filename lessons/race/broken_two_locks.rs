//! Reading and writing take the lock one after the other, and between the two the balance is anybody's.
//! See it happen: `learn run race --variant broken_two_locks`

use pitfalls::sync::Mutex;
use pitfalls::thread;

/// A bank account that threads share.
pub struct Account {
    balance: Mutex<u64>,
}

impl Account {
    pub fn new() -> Self {
        Account { balance: Mutex::new(0) }
    }

    pub fn deposit(&self, amount: u64) {
        let balance = *self.balance.lock(); // unlocked again at the semicolon
        thread::yield_now();
        *self.balance.lock() = balance + amount;
    }

    pub fn balance(&self) -> u64 {
        *self.balance.lock()
    }
}
