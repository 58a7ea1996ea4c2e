//! The operations that the facade asks a scheduler for.

use crate::trace::Effect;

use super::value::Value;

/// A new object: what the model needs to know of it.
pub(crate) enum Make {
    /// A value that any thread may read or write at any time: an atomic, a disk, a task's result.
    Cell { kind: &'static str, value: Option<Value> },
    /// A lock, shared or exclusive, around a value.
    Lock { kind: &'static str, value: Option<Value> },
    /// A condition variable.
    Cond,
    /// A queue of messages (`bytes`: of bytes, a pipe).
    Queue { kind: &'static str, capacity: Option<usize>, bytes: bool },
    /// A barrier for so many threads.
    Barrier { size: usize },
    /// Something done once.
    Once,
    /// A task of an event loop.
    Task,
}

impl Make {
    /// The type's name for the reader.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Make::Cell { kind, .. } | Make::Lock { kind, .. } | Make::Queue { kind, .. } => kind,
            Make::Cond => "Condvar",
            Make::Barrier { .. } => "Barrier",
            Make::Once => "Once",
            Make::Task => "task",
        }
    }
}

/// One operation. Objects and threads are numbers of the run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Op {
    /// On a cell; never waits.
    Access { object: u32, verb: &'static str, effect: Effect },
    /// Waits for the lock.
    Lock { object: u32, shared: bool },
    /// Takes the lock if it is free.
    TryLock { object: u32, shared: bool },
    /// Gives it back; `effect` tells whether the value was written through the guard.
    Unlock { object: u32, shared: bool, effect: Effect },
    /// Gives the mutex back and starts waiting.
    CondWait { cond: u32, mutex: u32 },
    /// Ends the wait (notified, timed out, or for no reason), then takes the mutex again.
    CondWake { cond: u32, mutex: u32, timed: bool },
    /// Wakes one waiter or all.
    Notify { cond: u32, all: bool },
    /// Puts a message (or up to `units` bytes) in; waits for room unless `try_`.
    Send { queue: u32, units: usize, try_: bool },
    /// Takes a message (or up to `units` bytes) out; waits for one unless `try_`.
    Recv { queue: u32, units: usize, try_: bool, timed: bool },
    /// One more or one fewer sender (or receiver).
    Ends { queue: u32, senders: bool, add: bool },
    /// Arrives at the barrier.
    Arrive { barrier: u32 },
    /// Leaves it, once all have arrived.
    Leave { barrier: u32, generation: u64 },
    /// Starts the closure, or waits for whoever runs it, or finds it done.
    OnceBegin { once: u32 },
    /// The closure is done (or, `undo`, has panicked).
    OnceEnd { once: u32, undo: bool },
    /// Waits for the thread's token.
    Park { slot: u32, timed: bool },
    /// Gives a thread its token.
    Unpark { slot: u32 },
    /// Waits for a thread's end.
    Join { thread: u32 },
    /// Gives way, or sleeps: time is a choice, so both are no more than that.
    Pause,
    /// A task takes its event loop's token, when it has been woken or one of its timers runs out.
    Turn { task: u32, token: u32 },
    /// It gives the token back.
    EndTurn { token: u32 },
    /// Wakes a task.
    Wake { task: u32 },
    /// Sets a timer of the task, or takes it away again.
    Timer { task: u32, id: u64, set: bool },
    /// A task that will never be polled again, because its event loop is gone.
    Cancel { thread: u32 },
    /// Ends the program: by this exit code, or (`None`) because main has returned.
    Exit { code: Option<i32> },
}

/// What came of an operation.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Reply {
    /// Taken, sent, received, first, leader: the operation's own success.
    pub(crate) ok: bool,
    /// A wait that ran out of time.
    pub(crate) timed_out: bool,
    /// The other side is gone.
    pub(crate) closed: bool,
    /// Bytes moved, a barrier's generation, how many were woken, the timer that fired.
    pub(crate) number: u64,
}

/// A thread to start.
pub(crate) struct Spawn {
    /// Its name, if it was given one.
    pub(crate) name: Option<String>,
    /// What it is if it has no name: "thread", "task", "blocking".
    pub(crate) sort: &'static str,
    /// What it does; returns the value that a joining thread will see.
    pub(crate) body: Box<dyn FnOnce() -> Option<Value>>,
}
