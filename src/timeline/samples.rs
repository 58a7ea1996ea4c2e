//! Schedules made by hand, of every shape that a timeline has to show.

use std::sync::{Mutex, MutexGuard};

use compact_str::CompactString;

use crate::sources::Sources;
use crate::trace::{Effect, Ending, Move, ObjectInfo, Place, Step, ThreadInfo, Trace, Wait, Way};
use Effect::{Orders, Reads, Updates, Writes};

/// Colour is a setting of the whole process: tests that look at text take turns.
pub(crate) fn colour(on: bool) -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    let turn = TURN.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    colored::control::set_override(on);
    turn
}

pub(crate) fn at(line: u32) -> Place {
    Place { file: "lessons/race/broken.rs", line, column: 9 }
}

/// What a file of that name would say in the lines that the samples use.
pub(crate) fn sources() -> Sources {
    const TEXT: &str = "\
//! Two steps where one is needed.
use pitfalls::sync::atomic::{AtomicU64, Ordering::Relaxed};

pub struct Account {
    balance: AtomicU64,
}

impl Account {
    pub fn deposit(&self, amount: u64) {
        let seen = self.balance.load(Relaxed);
        self.balance.store(seen + amount, Relaxed); // another thread may have been here
    }

    pub fn deposit_with_two_locks(&self, amount: u64) {
        let seen = *self.balance.lock();
        *self.balance.lock() = seen + amount;
    }
    fn transfer(from: &Account, to: &Account, amount: u64) {
        let mut from = from.balance.lock();
        let mut to = to.balance.lock();
    }
        let mut ready = self.ready.lock();
        *ready = true; self.changed.notify_one();
        self.changed.wait(&mut ready);
        while !self.ready.load(Relaxed) { hint::spin_loop() }
        self.log.send(format!(\"deposited {amount}\"));
";
    Sources::new([("race/broken.rs", TEXT)])
}

/// A trace of numbered threads and the named objects, without steps.
pub(crate) fn empty(threads: u32, objects: &[(&str, &'static str, Option<&str>)]) -> Trace {
    let name = |number| if number == 0 { "main".to_string() } else { format!("thread {number}") };
    let object = |(name, kind, initial): &(&str, &'static str, Option<&str>)| ObjectInfo {
        name: name.to_string(),
        kind,
        place: at(5),
        initial: initial.map(str::to_string),
    };
    Trace {
        threads: (0..=threads).map(|number| ThreadInfo { name: name(number) }).collect(),
        objects: objects.iter().map(object).collect(),
        steps: Vec::new(),
        ending: Ending::Returned,
        outcome: "balance 1".to_string(),
    }
}

impl Trace {
    /// Adds a step on an object.
    pub(crate) fn then(
        mut self,
        thread: u32,
        verb: &'static str,
        object: usize,
        (effect, seen, left): (Effect, Option<&str>, Option<&str>),
        line: u32,
    ) -> Trace {
        self.steps.push(Step {
            choice: Move { thread, way: Way::Normal },
            verb,
            object: Some(object),
            with: None,
            effect,
            seen: seen.map(CompactString::from),
            left: left.map(CompactString::from),
            place: at(line),
            changes: Vec::new(),
        });
        self
    }
    pub(crate) fn reads(self, thread: u32, object: usize, value: &str, line: u32) -> Trace {
        self.then(thread, "reads", object, (Reads, Some(value), None), line)
    }
    pub(crate) fn stores(self, thread: u32, object: usize, value: &str, line: u32) -> Trace {
        self.then(thread, "writes", object, (Writes, None, Some(value)), line)
    }
    pub(crate) fn adds(self, thread: u32, object: usize, from: &str, to: &str, line: u32) -> Trace {
        self.then(thread, "adds to", object, (Updates, Some(from), Some(to)), line)
    }
    pub(crate) fn locks(self, thread: u32, object: usize, seen: &str, line: u32) -> Trace {
        self.then(thread, "locks", object, (Reads, Some(seen), None), line)
    }
    pub(crate) fn unlocks(self, thread: u32, object: usize, left: Option<&str>, line: u32) -> Trace {
        let effect = if left.is_some() { Updates } else { Orders };
        self.then(thread, "unlocks", object, (effect, None, left), line)
    }
    pub(crate) fn orders(self, thread: u32, verb: &'static str, object: usize, line: u32) -> Trace {
        self.then(thread, verb, object, (Orders, None, None), line)
    }
    pub(crate) fn with(mut self, other: usize) -> Trace {
        if let Some(step) = self.steps.last_mut() {
            step.with = Some(other);
        }
        self
    }
    pub(crate) fn ends(mut self, ending: Ending, outcome: &str) -> Trace {
        (self.ending, self.outcome) = (ending, outcome.to_string());
        self
    }
}

pub(crate) const BALANCE: (&str, &str, Option<&str>) = ("balance", "AtomicU64", Some("0"));

/// Two threads deposit 1 each; both read before either writes.
pub(crate) fn race() -> Trace {
    empty(2, &[BALANCE]).reads(1, 0, "0", 10).reads(2, 0, "0", 10).stores(2, 0, "1", 11).stores(1, 0, "1", 11)
}

/// Three threads deposit 1 each, reading and writing under two locks; thread 1 writes what it saw first.
pub(crate) fn lock_twice() -> Trace {
    let whole = |trace: Trace, thread, from: &str, to: &str| {
        let read = trace.locks(thread, 0, from, 15).unlocks(thread, 0, None, 15);
        read.locks(thread, 0, from, 16).unlocks(thread, 0, Some(to), 16)
    };
    let start = empty(3, &[("balance", "Mutex", Some("0"))]).locks(1, 0, "0", 15).unlocks(1, 0, None, 15);
    let others = whole(whole(start, 2, "0", "1"), 3, "1", "2");
    others.locks(1, 0, "2", 16).unlocks(1, 0, Some("1"), 16)
}

/// Thread 1 takes `alice` and then `bob`, thread 2 the other way round.
pub(crate) fn deadlock() -> Trace {
    let accounts = [("alice", "Mutex", Some("100")), ("bob", "Mutex", Some("100"))];
    let wait = |thread, object: usize, name: &str, holder| Wait {
        thread,
        place: at(20),
        awaited: format!("the lock `{name}`"),
        object: Some(object),
        held_by: vec![(holder, at(19))],
    };
    let waits = vec![
        Wait { thread: 0, place: at(21), awaited: "thread 1 to end".into(), object: None, held_by: vec![] },
        wait(1, 1, "bob", 2),
        wait(2, 0, "alice", 1),
    ];
    empty(2, &accounts).locks(1, 0, "100", 19).locks(2, 1, "100", 19).ends(Ending::Deadlocked { waits }, "deadlock")
}

/// Thread 2 notifies before thread 1 waits.
pub(crate) fn lost_wake_up() -> Trace {
    let objects = [("ready", "Mutex", Some("false")), ("changed", "Condvar", None)];
    let wait = Wait {
        thread: 1,
        place: at(24),
        awaited: "a notification of `changed`".into(),
        object: Some(1),
        held_by: vec![],
    };
    empty(2, &objects)
        .locks(2, 0, "false", 22)
        .unlocks(2, 0, Some("true"), 23)
        .orders(2, "notifies", 1, 23)
        .locks(1, 0, "true", 22)
        .orders(1, "waits on", 1, 24)
        .with(0)
        .ends(Ending::Deadlocked { waits: vec![wait] }, "deadlock")
}

/// Eight threads that all read before any writes.
pub(crate) fn eight_threads() -> Trace {
    let read = (1..=8).fold(empty(8, &[BALANCE]), |trace, thread| trace.reads(thread, 0, "0", 10));
    (1..=8).fold(read, |trace, thread| trace.stores(thread, 0, "1", 11))
}

/// Names and values of any length, some of them twice as wide as their number of characters.
pub(crate) fn long_names() -> Trace {
    let objects = [
        ("balance_of_the_savings_account_of_the_customer", "Mutex", Some("Account { owner: \"Ann\", cents: 100 }")),
        ("残高と利息の合計", "Mutex", Some("残高ゼロ円")),
    ];
    let mut trace = empty(2, &objects)
        .reads(1, 0, "Account { owner: \"Ann\", cents: 100 }", 10)
        .reads(2, 1, "残高ゼロ円", 10)
        .stores(2, 0, "Account { owner: \"Bob\",\n\u{1b}[31mcents: 200 }", 11)
        .stores(1, 1, "残高百円と利息三円", 11);
    trace.threads[1].name = "the-thread-that-pays-interest-at-midnight".into();
    trace.threads[2].name = "銀行の夜間バッチ処理".into();
    trace
}

/// A thread that spins 40 times before another lets it go on.
pub(crate) fn spin() -> Trace {
    let start = empty(2, &[("ready", "AtomicBool", Some("false"))]);
    let spun = (0..40).fold(start, |trace, _| trace.reads(1, 0, "false", 25));
    spun.stores(2, 0, "true", 23).reads(1, 0, "true", 25)
}

pub(crate) fn all() -> [Trace; 7] {
    [race(), lock_twice(), deadlock(), lost_wake_up(), eight_threads(), long_names(), spin()]
}

/// The text without the escape codes that `colored` writes.
pub(crate) fn without_colour(text: &str) -> String {
    let mut plain = String::new();
    for (index, part) in text.split("\u{1b}[").enumerate() {
        plain.push_str(if index == 0 { part } else { part.split_once('m').map_or("", |(_, rest)| rest) });
    }
    plain
}
