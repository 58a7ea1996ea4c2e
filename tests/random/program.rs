//! Small random programs: what both the reference and the explorer are given to run.

use proptest::prelude::*;

/// A program: main starts the workers, does its own operations, and waits for the workers or not.
#[derive(Debug, Clone)]
pub struct Program {
    pub main: Vec<Act>,
    pub workers: Vec<Vec<Act>>,
    pub joins: bool,
    /// Spurious wake-ups each thread may have.
    pub spurious: u32,
}

/// An operation. A number chooses among the objects of its kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Act {
    Load(usize),
    Store(usize, u64),
    Add(usize),
    Exchange(usize, u64),
    LockAdd(usize),
    /// Takes one lock, then the other.
    LockBoth(usize),
    /// Reads an atomic while it holds the lock.
    LockLoad(usize),
    TryLock(usize),
    Read,
    /// Reads an atomic while it reads the lock.
    ReadLoad,
    Write,
    TryRead,
    TryWrite,
    Wait,
    WaitFor,
    NotifyOne,
    NotifyAll,
    Barrier,
    Once,
    OncePanic,
    Send(usize, u64),
    TrySend(usize, u64),
    Recv(usize),
    TryRecv(usize),
    RecvTimeout(usize),
    /// Drops the end of a channel that this thread alone has: see [`OWN_SENDER`] and [`OWN_RECEIVER`].
    Close,
    Park,
    ParkTimeout,
    /// Unparks main (0) or a worker, counted from 1.
    Unpark(usize),
    Yield,
    Exit(i32),
    Panic,
    PanicLocked(usize),
    /// What the reference does not know.
    Beyond(Extra),
}

/// Operations that are only compared with plain enumeration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extra {
    PipeWrite,
    PipeRead,
    Append,
    Flush,
    /// A scoped thread.
    Scope,
    /// An event loop with two tasks.
    Loop,
}

/// Capacities of the channels; no end of the first three is ever dropped.
pub const CAPACITIES: [Option<usize>; 5] = [Some(1), None, Some(0), None, Some(1)];
/// The channel of capacity 0: only plain sends and receives.
pub const RENDEZVOUS: usize = 2;
/// The channel whose only sender belongs to the first worker.
pub const OWN_SENDER: usize = 3;
/// The channel whose only receiver belongs to the last worker.
pub const OWN_RECEIVER: usize = 4;

impl Program {
    /// Whether a thread (0 is main) has the end it needs to do this.
    pub fn may_send(&self, thread: usize, queue: usize) -> bool {
        queue != OWN_SENDER || thread == 1
    }

    /// As [`Program::may_send`].
    pub fn may_receive(&self, thread: usize, queue: usize) -> bool {
        queue != OWN_RECEIVER || thread == self.workers.len()
    }
}

/// One kind of operations: programs that keep to one or two meet on the same objects.
fn kind(number: usize) -> BoxedStrategy<Act> {
    let two = || 0..2usize;
    let queue = || prop_oneof![Just(0usize), Just(1), Just(OWN_SENDER), Just(OWN_RECEIVER)];
    match number {
        0 => prop_oneof![
            two().prop_map(Act::Load),
            (two(), 0..3u64).prop_map(|(n, v)| Act::Store(n, v)),
            two().prop_map(Act::Add),
            (two(), 1..3u64).prop_map(|(n, v)| Act::Exchange(n, v)),
        ]
        .boxed(),
        1 => prop_oneof![
            two().prop_map(Act::LockAdd),
            two().prop_map(Act::LockBoth),
            two().prop_map(Act::LockLoad),
            two().prop_map(Act::TryLock),
        ]
        .boxed(),
        2 => {
            prop_oneof![Just(Act::Read), Just(Act::ReadLoad), Just(Act::Write), Just(Act::TryRead), Just(Act::TryWrite)]
                .boxed()
        }
        3 => prop_oneof![
            2 => Just(Act::Wait),
            3 => Just(Act::WaitFor),
            2 => Just(Act::NotifyOne),
            1 => Just(Act::NotifyAll),
        ]
        .boxed(),
        4 => prop_oneof![
            2 => Just(Act::Barrier),
            2 => Just(Act::Once),
            1 => Just(Act::OncePanic),
            1 => Just(Act::Load(0)),
        ]
        .boxed(),
        5 => prop_oneof![
            3 => (queue(), 1..3u64).prop_map(|(q, v)| Act::Send(q, v)),
            1 => (queue(), 3..5u64).prop_map(|(q, v)| Act::TrySend(q, v)),
            1 => Just(Act::Send(RENDEZVOUS, 9)),
            1 => Just(Act::Recv(RENDEZVOUS)),
            2 => queue().prop_map(Act::Recv),
            1 => queue().prop_map(Act::TryRecv),
            1 => queue().prop_map(Act::RecvTimeout),
            2 => Just(Act::Close),
        ]
        .boxed(),
        6 => prop_oneof![Just(Act::Park), Just(Act::ParkTimeout), (0..3usize).prop_map(Act::Unpark)].boxed(),
        _ => prop_oneof![
            1 => Just(Act::Yield),
            1 => Just(Act::Exit(3)),
            2 => Just(Act::Panic),
            1 => two().prop_map(Act::PanicLocked),
        ]
        .boxed(),
    }
}

fn extra() -> impl Strategy<Value = Act> {
    use Extra::{Append, Flush, Loop, PipeRead, PipeWrite, Scope};
    prop::sample::select(vec![PipeWrite, PipeRead, Append, Flush, Scope, Loop]).prop_map(Act::Beyond)
}

/// Mostly of two kinds.
fn act(first: usize, second: usize) -> impl Strategy<Value = Act> {
    prop_oneof![8 => kind(first), 4 => kind(second), 1 => (0..8usize).prop_flat_map(kind)]
}

/// Programs that the reference knows.
pub fn programs() -> impl Strategy<Value = Program> {
    (0..7usize, 0..7usize).prop_flat_map(|(first, second)| of(act(first, second).boxed()))
}

/// Programs over everything.
pub fn programs_and_more() -> impl Strategy<Value = Program> {
    of(prop_oneof![5 => (0..8usize).prop_flat_map(kind), 1 => extra()].boxed())
}

fn of(act: BoxedStrategy<Act>) -> impl Strategy<Value = Program> {
    let some = move |least, most| prop::collection::vec(act.clone(), least..most);
    (some(0, 3), prop::collection::vec(some(1, 4), 1..3), prop::bool::weighted(0.8), 0..2u32)
        .prop_map(|(main, workers, joins, spurious)| Program { main, workers, joins, spurious })
}
