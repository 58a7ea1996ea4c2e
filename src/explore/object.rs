//! The shared objects of a run and what distinguishes one state of theirs from another.

use std::collections::VecDeque;

use crate::backend::{Make, Op};
use crate::trace::{Effect, Place};

use super::atlas::Ident;
use super::fingerprint::Mix;

/// An object of the running schedule.
#[derive(Debug)]
pub(super) struct Object {
    pub(super) ident: Ident,
    pub(super) state: State,
    /// The fingerprint of its value, if it has one.
    pub(super) value: u128,
}

/// Who waits on a condition variable, and how the wait has ended, if it has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Waiting {
    Still,
    Notified,
    Spuriously,
    TimedOut,
}

/// What the model knows of an object beside its value.
#[derive(Debug)]
pub(super) enum State {
    Cell,
    Lock { holders: Vec<(u32, Ident, bool, Place)> },
    Cond { waiters: Vec<(Ident, u32, Waiting)> },
    Queue { len: usize, items: VecDeque<u128>, capacity: Option<usize>, bytes: bool, senders: usize, receivers: usize },
    Barrier { size: usize, arrived: usize, generation: u64 },
    Once { running: bool, done: bool },
    Task { woken: bool, timers: Vec<(u64, bool)>, next: u64 },
    Park { token: bool },
}

impl State {
    pub(super) fn new(make: &Make) -> State {
        match make {
            Make::Cell { .. } => State::Cell,
            Make::Lock { .. } => State::Lock { holders: Vec::new() },
            Make::Cond => State::Cond { waiters: Vec::new() },
            Make::Queue { capacity, bytes, .. } => State::Queue {
                len: 0,
                items: VecDeque::new(),
                capacity: *capacity,
                bytes: *bytes,
                senders: 1,
                receivers: 1,
            },
            Make::Barrier { size } => State::Barrier { size: *size, arrived: 0, generation: 0 },
            Make::Once => State::Once { running: false, done: false },
            Make::Task => State::Task { woken: true, timers: Vec::new(), next: 1 },
        }
    }

    /// Whether the lock can be taken: exclusively, or shared with other readers.
    pub(super) fn is_free(&self, shared: bool) -> bool {
        match self {
            State::Lock { holders } => holders.iter().all(|(_, _, reads, _)| shared && *reads),
            _ => true,
        }
    }
}

impl Object {
    /// Everything that distinguishes this object's state from another of the same object.
    pub(super) fn fingerprint(&self) -> u128 {
        let mut mix = Mix::new(u64::from(self.ident));
        mix.wide(self.value);
        match &self.state {
            State::Cell => {}
            State::Lock { holders } => {
                // Readers in any order are the same state.
                let all = holders.iter().map(|(_, ident, reads, _)| {
                    let mut one = Mix::new(u64::from(*ident));
                    one.word(u64::from(*reads));
                    one.end()
                });
                mix.wide(all.fold(0, u128::wrapping_add));
            }
            State::Cond { waiters } => {
                for (ident, _, waiting) in waiters {
                    mix.word(u64::from(*ident) << 2 | *waiting as u64);
                }
            }
            State::Queue { len, items, senders, receivers, .. } => {
                mix.word(*len as u64);
                mix.word((*senders as u64) << 32 | *receivers as u64);
                for item in items {
                    mix.wide(*item);
                }
            }
            State::Barrier { arrived, generation, .. } => {
                mix.word(*arrived as u64);
                mix.word(*generation);
            }
            State::Once { running, done } => mix.word(u64::from(*running) << 1 | u64::from(*done)),
            State::Task { woken, timers, next } => {
                mix.word(u64::from(*woken) << 32 | *next);
                for (id, fired) in timers {
                    mix.word(id << 1 | u64::from(*fired));
                }
            }
            State::Park { token } => mix.word(u64::from(*token)),
        }
        mix.end()
    }
}

/// The objects an operation touches, each with whether it may change it.
pub(super) fn touches(op: &Op, mut each: impl FnMut(u32, bool)) {
    match *op {
        Op::Access { object, effect, .. } => each(object, effect != Effect::Reads),
        Op::Lock { object, .. } | Op::TryLock { object, .. } | Op::Unlock { object, .. } => each(object, true),
        Op::CondWait { cond, mutex } | Op::CondWake { cond, mutex, .. } => {
            each(cond, true);
            each(mutex, true);
        }
        Op::Notify { cond, .. } => each(cond, true),
        Op::Send { queue, .. } | Op::Recv { queue, .. } | Op::Ends { queue, .. } => each(queue, true),
        Op::Arrive { barrier } | Op::Leave { barrier, .. } => each(barrier, true),
        Op::OnceBegin { once } | Op::OnceEnd { once, .. } => each(once, true),
        Op::Park { slot, .. } | Op::Unpark { slot } => each(slot, true),
        Op::Turn { task, token } => {
            each(token, true);
            each(task, true);
        }
        Op::EndTurn { token } => each(token, true),
        Op::Wake { task } | Op::Timer { task, .. } => each(task, true),
        Op::Join { .. } | Op::Pause | Op::Cancel { .. } | Op::Exit { .. } => {}
    }
}
