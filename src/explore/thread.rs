//! A thread of the running schedule: where it stands, and everything it has observed.

use crate::backend::{Op, Reply};
use crate::trace::{Place, Way};

use super::atlas::Ident;
use super::fingerprint::{Mix, opaque};

/// Where a thread is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Phase {
    /// Started, but its first operation is not known yet.
    Fresh,
    /// Stands before its pending operation.
    Waiting,
    /// Runs, or goes on as soon as it is resumed.
    Running,
    /// Has ended, or will never be resumed.
    Ended,
}

/// A thread of the running schedule.
#[derive(Debug)]
pub(super) struct Thread {
    pub(super) ident: Ident,
    pub(super) phase: Phase,
    pub(super) pending: Option<(Op, Place)>,
    pub(super) reply: Reply,
    /// Everything it has observed since its start.
    pub(super) history: u128,
    /// Threads that it knows to have ended: it has joined them, or who joined them.
    pub(super) joined: Vec<u32>,
    pub(super) threads_made: u32,
    pub(super) objects_made: u32,
    pub(super) park: Option<u32>,
    pub(super) spurious: u32,
    /// What it has looked at since it last changed anything.
    pub(super) idle: Vec<Look>,
    pub(super) task: Option<(u32, u32)>,
    /// What a joining thread will see.
    pub(super) result: u128,
    /// A panic that nobody has received yet.
    pub(super) panic: Option<(String, Option<String>)>,
    pub(super) last_place: Place,
    /// Suspended in the middle of unwinding.
    pub(super) unwinding: bool,
    /// Panics raised so far, caught or not.
    pub(super) panics: u32,
    /// Operations since it last came to a step of its own.
    pub(super) unseen: u32,
    /// Whether its last operation put something into a queue.
    pub(super) sent: bool,
}

/// A look at an object that changed nothing.
#[derive(Debug)]
pub(super) struct Look {
    pub(super) place: Place,
    pub(super) object: u32,
    pub(super) found: u128,
    pub(super) times: u32,
}

impl Thread {
    /// A thread that has not done anything yet; `history` is what its maker had seen, `joined` whom it knows to have
    /// ended.
    pub(super) fn new(ident: Ident, history: u128, joined: Vec<u32>, place: Place) -> Thread {
        Thread {
            ident,
            phase: Phase::Fresh,
            pending: None,
            reply: Reply::default(),
            history,
            joined,
            threads_made: 0,
            objects_made: 0,
            park: None,
            spurious: 0,
            idle: Vec::new(),
            task: None,
            result: 0,
            panic: None,
            last_place: place,
            unwinding: false,
            panics: 0,
            unseen: 0,
            sent: false,
        }
    }

    pub(super) fn knows_ended(&mut self, threads: impl IntoIterator<Item = u32>) {
        for thread in threads {
            if !self.joined.contains(&thread) {
                self.joined.push(thread);
            }
        }
    }

    pub(super) fn observe(&mut self, value: u128) {
        let mut mix = Mix::new(4);
        mix.wide(self.history);
        mix.wide(value);
        self.history = mix.end();
    }

    pub(super) fn fold(&mut self, op: &Op, way: Way, reply: &Reply, observed: u128) {
        let mut mix = Mix::new(5);
        mix.wide(self.history);
        mix.wide(observed);
        let way = match way {
            Way::Normal => 0,
            Way::TimedOut => 1,
            Way::Spurious => 2,
            Way::Pick(n) => 2 + u64::from(n),
        };
        let flags = u64::from(reply.ok) | u64::from(reply.timed_out) << 1 | u64::from(reply.closed) << 2;
        mix.word(way << 8 | flags);
        // How many a notification woke, or a write moved, is what the caller learns of the others.
        mix.word(if matches!(op, Op::Timer { .. }) { 0 } else { reply.number });
        self.history = mix.end();
    }

    pub(super) fn fingerprint(&self) -> u128 {
        let mut mix = Mix::new(u64::from(self.ident));
        if self.phase == Phase::Ended {
            mix.wide(self.result);
            mix.word(1 | u64::from(self.panic.is_some()) << 1);
            return mix.end();
        }
        mix.wide(self.history);
        if let Some((_, place)) = &self.pending {
            // A function of the history, if the code under test is deterministic; this shows when it is not.
            mix.word(u64::from(place.line) << 32 | u64::from(place.column));
        }
        mix.end()
    }

    /// What a panicking thread leaves for whoever joins it: a function of all it has seen.
    pub(super) fn opaque_result(&self) -> u128 {
        opaque(self.history, 6)
    }
}
