//! What the operations do: when each is possible, in which ways, and what it changes.
//!
//! Every object is one small state machine, and every operation is one step of it: channels, pipes and condition
//! variables too, so that a program's schedules are those of its own operations and not of their insides.

use crate::backend::{Op, Reply};
use crate::trace::{Place, Way};

use super::atlas::Ident;
use super::object::{Object, State, Waiting};

/// What a run asks the objects: who is allowed what.
pub(super) struct Asker {
    pub(super) thread: u32,
    pub(super) ident: Ident,
    /// Whether it may still wake spuriously in this schedule.
    pub(super) spurious: bool,
    /// How many threads wait in a plain receive on the channel it wants to send to (asked for capacity 0 only).
    pub(super) receivers_waiting: usize,
}

/// Why an operation is not modelled, if it is not.
pub(super) fn refusal(objects: &[Object], op: &Op) -> Option<&'static str> {
    let (Op::Send { queue, try_: at_once, .. } | Op::Recv { queue, try_: at_once, .. }) = *op else { return None };
    let timed = matches!(op, Op::Recv { timed: true, .. });
    match objects[queue as usize].state {
        // Whether a message can be handed over at once depends on who is waiting already, which single steps do not
        // tell.
        State::Queue { capacity: Some(0), .. } if at_once || timed => Some(
            "trying to send or receive, or receiving with a time-out, on a channel of capacity 0 is not modelled by the \
             explorer: use send and recv there, or a capacity of 1",
        ),
        _ => None,
    }
}

/// The ways in which an operation on objects can be done now; none if it has to wait.
pub(super) fn ways(objects: &[Object], asker: &Asker, op: &Op, out: &mut Vec<Way>) {
    let state = |object: u32| &objects[object as usize].state;
    let normal_if = |possible: bool, out: &mut Vec<Way>| {
        if possible {
            out.push(Way::Normal);
        }
    };
    match *op {
        Op::Lock { object, shared } => normal_if(state(object).is_free(shared), out),
        Op::CondWake { cond, mutex, timed } => {
            let State::Cond { waiters } = state(cond) else { return };
            let waiting = waiters.iter().find(|(ident, ..)| *ident == asker.ident).map(|(.., waiting)| *waiting);
            if waiting != Some(Waiting::Still) {
                return normal_if(state(mutex).is_free(false), out);
            }
            if timed {
                out.push(Way::TimedOut);
            }
            if asker.spurious {
                out.push(Way::Spurious);
            }
        }
        Op::Notify { cond, all } => {
            let State::Cond { waiters } = state(cond) else { return };
            let still = waiters.iter().filter(|(.., waiting)| *waiting == Waiting::Still).count();
            if all || still < 2 {
                out.push(Way::Normal);
            } else {
                out.extend((1..=still.min(255)).map(|n| Way::Pick(n as u8)));
            }
        }
        Op::Send { queue, try_, .. } => {
            let State::Queue { len, capacity, receivers, .. } = state(queue) else { return };
            let room = match capacity {
                Some(0) => *len < asker.receivers_waiting,
                Some(capacity) => len < capacity,
                None => true,
            };
            normal_if(try_ || room || *receivers == 0, out);
        }
        Op::Recv { queue, try_, timed, .. } => {
            let State::Queue { len, senders, .. } = state(queue) else { return };
            if try_ || *len > 0 || *senders == 0 {
                out.push(Way::Normal);
            } else if timed {
                out.push(Way::TimedOut);
            }
        }
        Op::Leave { barrier, generation } => {
            let State::Barrier { generation: now, .. } = state(barrier) else { return };
            normal_if(*now > generation, out);
        }
        Op::OnceBegin { once } => {
            let State::Once { running, .. } = state(once) else { return };
            normal_if(!running, out);
        }
        Op::Park { slot, timed } => {
            let State::Park { token } = state(slot) else { return };
            if *token {
                return out.push(Way::Normal);
            }
            if timed {
                out.push(Way::TimedOut);
            }
            if asker.spurious {
                out.push(Way::Spurious);
            }
        }
        Op::Turn { task, token } => {
            let State::Task { woken, timers, .. } = state(task) else { return };
            if !state(token).is_free(false) {
                return;
            }
            normal_if(*woken, out);
            let pending = timers.iter().filter(|(_, fired)| !fired).count();
            match pending {
                0 => {}
                1 => out.push(Way::TimedOut),
                several => out.extend((1..=several.min(255)).map(|n| Way::Pick(n as u8))),
            }
        }
        _ => out.push(Way::Normal),
    }
}

/// Does an operation, in a way that [`ways`] has offered. The second value tells that the thread goes on waiting: it
/// has been woken, but still has to take its mutex.
pub(super) fn apply(objects: &mut [Object], asker: &Asker, op: &Op, way: Way, place: Place) -> (Reply, bool) {
    let mut reply = Reply { ok: true, ..Reply::default() };
    match *op {
        Op::Lock { object, shared } => hold(objects, object, asker, shared, place),
        Op::TryLock { object, shared } => {
            reply.ok = objects[object as usize].state.is_free(shared);
            if reply.ok {
                hold(objects, object, asker, shared, place);
            }
        }
        Op::Unlock { object, .. } => release(objects, object, asker),
        Op::CondWait { cond, mutex } => {
            release(objects, mutex, asker);
            if let State::Cond { waiters } = &mut objects[cond as usize].state {
                waiters.push((asker.ident, asker.thread, Waiting::Still));
                waiters.sort_unstable_by_key(|(ident, ..)| *ident);
            }
        }
        Op::CondWake { cond, mutex, .. } => {
            let State::Cond { waiters } = &mut objects[cond as usize].state else { return (reply, false) };
            let Some(mine) = waiters.iter().position(|(ident, ..)| *ident == asker.ident) else {
                return (reply, false);
            };
            match way {
                Way::TimedOut => waiters[mine].2 = Waiting::TimedOut,
                Way::Spurious => waiters[mine].2 = Waiting::Spuriously,
                Way::Normal | Way::Pick(_) => {
                    reply.timed_out = waiters.remove(mine).2 == Waiting::TimedOut;
                    hold(objects, mutex, asker, false, place);
                    return (reply, false);
                }
            }
            return (reply, true);
        }
        Op::Notify { cond, all } => {
            let State::Cond { waiters } = &mut objects[cond as usize].state else { return (reply, false) };
            let still = waiters.iter_mut().filter(|(.., waiting)| *waiting == Waiting::Still);
            let (skip, take) = match way {
                _ if all => (0, usize::MAX),
                Way::Pick(n) => (usize::from(n) - 1, 1),
                _ => (0, 1),
            };
            for waiter in still.skip(skip).take(take) {
                waiter.2 = Waiting::Notified;
                reply.number += 1;
            }
        }
        Op::Send { queue, units, .. } => {
            let State::Queue { len, items, capacity, bytes, receivers, .. } = &mut objects[queue as usize].state else {
                return (reply, false);
            };
            let room = match capacity {
                Some(0) => usize::from(*len < asker.receivers_waiting),
                Some(capacity) => capacity.saturating_sub(*len),
                None => usize::MAX,
            };
            reply.closed = *receivers == 0;
            reply.ok = !reply.closed && room > 0;
            if reply.ok {
                let moved = units.min(room);
                *len += moved;
                reply.number = moved as u64;
                if !*bytes {
                    items.push_back(0);
                }
            }
        }
        Op::Recv { queue, units, .. } => {
            let State::Queue { len, items, senders, .. } = &mut objects[queue as usize].state else {
                return (reply, false);
            };
            reply.timed_out = way == Way::TimedOut;
            reply.ok = !reply.timed_out && *len > 0;
            reply.closed = !reply.ok && *senders == 0;
            if reply.ok {
                let moved = units.min(*len);
                *len -= moved;
                reply.number = moved as u64;
                items.pop_front();
            }
        }
        Op::Ends { queue, senders: side, add } => {
            let State::Queue { senders, receivers, .. } = &mut objects[queue as usize].state else {
                return (reply, false);
            };
            let count = if side { senders } else { receivers };
            *count = if add { *count + 1 } else { count.saturating_sub(1) };
            reply.closed = *count == 0;
        }
        Op::Arrive { barrier } => {
            let State::Barrier { size, arrived, generation } = &mut objects[barrier as usize].state else {
                return (reply, false);
            };
            reply.number = *generation;
            *arrived += 1;
            reply.ok = *arrived >= *size;
            if reply.ok {
                *arrived = 0;
                *generation += 1;
            }
        }
        Op::OnceBegin { once } => {
            let State::Once { running, done } = &mut objects[once as usize].state else { return (reply, false) };
            reply.ok = !*done;
            *running = reply.ok;
        }
        Op::OnceEnd { once, undo } => {
            objects[once as usize].state = State::Once { running: false, done: !undo };
        }
        Op::Park { slot, .. } => {
            reply.timed_out = way == Way::TimedOut;
            objects[slot as usize].state = State::Park { token: false };
        }
        Op::Unpark { slot } => objects[slot as usize].state = State::Park { token: true },
        Op::Turn { task, token } => {
            hold(objects, token, asker, false, place);
            let State::Task { woken, timers, .. } = &mut objects[task as usize].state else { return (reply, false) };
            match way {
                Way::Normal => *woken = false,
                Way::TimedOut | Way::Spurious | Way::Pick(_) => {
                    let nth = if let Way::Pick(n) = way { usize::from(n) - 1 } else { 0 };
                    if let Some(timer) = timers.iter_mut().filter(|(_, fired)| !fired).nth(nth) {
                        timer.1 = true;
                    }
                }
            }
        }
        Op::EndTurn { token } => release(objects, token, asker),
        Op::Wake { task } => {
            if let State::Task { woken, .. } = &mut objects[task as usize].state {
                *woken = true;
            }
        }
        Op::Timer { task, id, set } => {
            let State::Task { timers, next, .. } = &mut objects[task as usize].state else { return (reply, false) };
            (reply.ok, reply.number) = timer(timers, next, id, set);
        }
        Op::Access { .. } | Op::Leave { .. } | Op::Join { .. } | Op::Pause | Op::Cancel { .. } | Op::Exit { .. } => {}
    }
    (reply, false)
}

/// Sets, asks for or takes away a timer; returns whether it has fired, and its number.
fn timer(timers: &mut Vec<(u64, bool)>, next: &mut u64, id: u64, set: bool) -> (bool, u64) {
    let known = timers.iter().position(|(other, _)| *other == id);
    match known {
        Some(at) if !set || timers[at].1 => (timers.remove(at).1, id),
        Some(_) => (false, id),
        None if set => {
            timers.push((*next, false));
            *next += 1;
            (false, *next - 1)
        }
        None => (false, id),
    }
}

fn hold(objects: &mut [Object], lock: u32, asker: &Asker, shared: bool, place: Place) {
    if let State::Lock { holders } = &mut objects[lock as usize].state {
        holders.push((asker.thread, asker.ident, shared, place));
    }
}

fn release(objects: &mut [Object], lock: u32, asker: &Asker) {
    if let State::Lock { holders } = &mut objects[lock as usize].state
        && let Some(mine) = holders.iter().rposition(|(_, ident, ..)| *ident == asker.ident)
    {
        holders.remove(mine);
    }
}
