//! Operations taken apart into the steps that the documentation gives them, and what a panic still does.

use super::program::{Act, OWN_RECEIVER, OWN_SENDER, Program};

/// A thread's steps, in order.
pub type Code = Vec<Step>;

/// A step; `skip` tells how many to leave out when it is not done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    Load(usize),
    Store(usize, u64),
    /// The number added, and whether the former value is noted.
    Add(usize, u64, bool),
    Exchange(usize, u64),
    Lock(usize),
    TryLock {
        lock: usize,
        skip: usize,
    },
    /// What was added to the value meanwhile, and whether the other lock's value was too.
    Unlock {
        lock: usize,
        adds: u64,
        adds_other: bool,
    },
    Read,
    Write,
    TryRead {
        skip: usize,
    },
    TryWrite {
        skip: usize,
    },
    /// Of a reader (`None`), or of a writer who adds to the value.
    UnlockRw {
        adds: Option<u64>,
        logged: bool,
    },
    Wait,
    Wake {
        timed: bool,
    },
    Notify {
        all: bool,
    },
    Arrive,
    Leave,
    OnceBegin {
        skip: usize,
    },
    OnceEnd {
        done: bool,
    },
    Send {
        queue: usize,
        value: u64,
        try_: bool,
    },
    Recv {
        queue: usize,
        try_: bool,
        timed: bool,
    },
    DropSender,
    DropReceiver,
    Park {
        timed: bool,
    },
    Unpark(usize),
    Join(usize),
    Exit(i32),
    Panic,
    /// Of main; `all` when it has waited for everyone and reads what is left.
    Return {
        all: bool,
    },
    End {
        panicked: bool,
    },
}

/// The steps of a thread: 0 is main, the workers count from 1.
pub fn compile(program: &Program, thread: usize) -> Code {
    let acts = if thread == 0 { &program.main } else { &program.workers[thread - 1] };
    let mut code = Code::new();
    let mut ends = Vec::new();
    if thread == 1 {
        ends.push(Step::DropSender);
    }
    if thread == program.workers.len() {
        ends.push(Step::DropReceiver);
    }
    let mut panics = false;
    for act in acts {
        match *act {
            Act::Close => code.append(&mut ends),
            act => panics = translate(program, thread, act, &ends, &mut code),
        }
        if panics {
            break;
        }
    }
    code.append(&mut ends);
    if thread == 0 && !panics {
        if program.joins {
            code.extend((1..=program.workers.len()).map(Step::Join));
        }
        code.push(Step::Return { all: program.joins });
    }
    code.push(Step::End { panicked: panics });
    code
}

/// Adds an operation's steps; returns whether it panics.
fn translate(program: &Program, thread: usize, act: Act, ends: &[Step], code: &mut Code) -> bool {
    let unlock = |lock, adds| Step::Unlock { lock, adds, adds_other: false };
    let has = |end| ends.contains(&end);
    let sends = |queue| program.may_send(thread, queue) && (queue != OWN_SENDER || has(Step::DropSender));
    let receives = |queue| program.may_receive(thread, queue) && (queue != OWN_RECEIVER || has(Step::DropReceiver));
    let reader = Step::UnlockRw { adds: None, logged: true };
    match act {
        Act::Load(n) => code.push(Step::Load(n)),
        Act::Store(n, value) => code.push(Step::Store(n, value)),
        Act::Add(n) => code.push(Step::Add(n, 1, true)),
        Act::Exchange(n, value) => code.push(Step::Exchange(n, value)),
        Act::LockAdd(lock) => code.extend([Step::Lock(lock), unlock(lock, 1)]),
        Act::LockBoth(lock) => {
            let inner = Step::Unlock { lock: 1 - lock, adds: 1, adds_other: true };
            code.extend([Step::Lock(lock), Step::Lock(1 - lock), inner, unlock(lock, 0)]);
        }
        Act::LockLoad(lock) => code.extend([Step::Lock(lock), Step::Load(0), unlock(lock, 0)]),
        Act::TryLock(lock) => code.extend([Step::TryLock { lock, skip: 1 }, unlock(lock, 10)]),
        Act::Read => code.extend([Step::Read, reader]),
        Act::ReadLoad => code.extend([Step::Read, Step::Load(1), Step::UnlockRw { adds: None, logged: false }]),
        Act::Write => code.extend([Step::Write, Step::UnlockRw { adds: Some(1), logged: false }]),
        Act::TryRead => code.extend([Step::TryRead { skip: 1 }, reader]),
        Act::TryWrite => code.extend([Step::TryWrite { skip: 1 }, Step::UnlockRw { adds: Some(5), logged: false }]),
        Act::Wait => code.extend([Step::Lock(0), Step::Wait, Step::Wake { timed: false }, unlock(0, 0)]),
        Act::WaitFor => code.extend([Step::Lock(0), Step::Wait, Step::Wake { timed: true }, unlock(0, 0)]),
        Act::NotifyOne => code.push(Step::Notify { all: false }),
        Act::NotifyAll => code.push(Step::Notify { all: true }),
        Act::Barrier => code.extend([Step::Arrive, Step::Leave]),
        Act::Once => code.extend([Step::OnceBegin { skip: 2 }, Step::Add(0, 5, false), Step::OnceEnd { done: true }]),
        Act::Send(queue, value) if sends(queue) => code.push(Step::Send { queue, value, try_: false }),
        Act::TrySend(queue, value) if sends(queue) => code.push(Step::Send { queue, value, try_: true }),
        Act::Recv(queue) if receives(queue) => code.push(Step::Recv { queue, try_: false, timed: false }),
        Act::TryRecv(queue) if receives(queue) => code.push(Step::Recv { queue, try_: true, timed: false }),
        Act::RecvTimeout(queue) if receives(queue) => code.push(Step::Recv { queue, try_: false, timed: true }),
        Act::Park => code.push(Step::Park { timed: false }),
        Act::ParkTimeout => code.push(Step::Park { timed: true }),
        Act::Unpark(other) if other <= program.workers.len() => code.push(Step::Unpark(other)),
        Act::Exit(status) => code.push(Step::Exit(status)),
        Act::Panic => code.push(Step::Panic),
        Act::PanicLocked(lock) => code.extend([Step::Lock(lock), Step::Panic, unlock(lock, 1)]),
        Act::OncePanic => {
            let mut ends = ends.to_vec();
            ends.splice(0..0, [Step::Panic, Step::OnceEnd { done: false }]);
            ends.push(Step::End { panicked: true });
            code.push(Step::OnceBegin { skip: ends.len() });
            code.extend(ends);
        }
        Act::Beyond(extra) => unreachable!("{extra:?} is not the reference's"),
        _ => {}
    }
    matches!(act, Act::Panic | Act::PanicLocked(_))
}
