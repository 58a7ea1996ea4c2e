//! Reading, adding and writing are one indivisible step, so nothing can come between them.
//! See it hold: `learn run race --variant fixed_atomic`

use pitfalls::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// A bank account that threads share.
pub struct Account {
    balance: AtomicU64,
}

impl Account {
    pub fn new() -> Self {
        Account { balance: AtomicU64::new(0) }
    }

    pub fn deposit(&self, amount: u64) {
        // Relaxed suffices: changes to one atomic have one order whatever the
        // ordering. A stronger one would publish other memory along with the
        // balance, and there is none.
        self.balance.fetch_add(amount, Relaxed);
    }

    pub fn balance(&self) -> u64 {
        self.balance.load(Relaxed)
    }
}
