//! One thread owns the balance and takes messages one at a time: nothing is shared, so nothing races.
//! See it hold: `learn run race --variant fixed_owner`

use pitfalls::sync::channel::{self, Sender};
use pitfalls::thread;

enum Message {
    Deposit(u64),
    Balance(Sender<u64>),
}

pub struct Account {
    owner: Sender<Message>,
}

impl Account {
    pub fn new() -> Self {
        let (owner, messages) = channel::unbounded();
        thread::spawn(move || {
            let mut balance = 0;
            for message in messages {
                match message {
                    Message::Deposit(amount) => balance += amount,
                    Message::Balance(reply) => reply.send(balance).unwrap(),
                }
            }
        });
        Account { owner }
    }

    pub fn deposit(&self, amount: u64) {
        self.owner.send(Message::Deposit(amount)).expect("the owner waits");
    }

    pub fn balance(&self) -> u64 {
        let (reply, balance) = channel::bounded(1);
        self.owner.send(Message::Balance(reply)).expect("the owner waits");
        balance.recv().expect("the owner answers")
    }
}
