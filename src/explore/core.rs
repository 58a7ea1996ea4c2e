//! The model of one running schedule: its threads, its objects, and what each step does to them.

use crate::backend::{Left, Make, Op, Reply, Value};
use crate::trace::{Effect, Place, Way};

use super::atlas::{Atlas, Ident, MAIN, Sort};
use super::fingerprint::{Mix, opaque};
use super::object::{Object, State, touches};
use super::record::Recorder;
use super::rules::{self, Asker};
use super::thread::{Look, Phase, Thread};

/// Bounds that shape the state space itself.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    pub(super) spurious: u32,
    pub(super) spin_rounds: u32,
    pub(super) schedule_steps: u64,
}

/// What happened in a step, in order, as the reduced search needs it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Event {
    /// A thread touches a shared object.
    Touch { thread: Ident, object: Ident, write: bool },
    /// A thread starts another.
    Start { parent: Ident, child: Ident },
    /// A thread has seen another's end.
    Join { thread: Ident, child: Ident },
}

/// The object that stands for the program's end: every step looks at it; ending the program and waking for no reason
/// write it.
pub(super) const THE_END: Ident = MAIN;

/// How the program ended, as far as the model decides it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Stop {
    Returned,
    Exited(i32),
    /// A thread panicked and the program with it.
    Panicked(u32),
    Aborted(u32),
    Deadlocked,
    Livelocked,
    TooLong,
    Misused(String),
}

pub(super) struct Core {
    pub(super) threads: Vec<Thread>,
    pub(super) objects: Vec<Object>,
    pub(super) atlas: Atlas,
    pub(super) limits: Limits,
    pub(super) recorder: Option<Recorder>,
    pub(super) events: Vec<Event>,
    pub(super) stop: Option<Stop>,
    /// A loop that only waits was held somewhere.
    pub(super) held: bool,
    pub(super) steps: u64,
}

impl Core {
    pub(super) fn new(atlas: Atlas, limits: Limits, recorder: Option<Recorder>) -> Core {
        Core {
            threads: Vec::new(),
            objects: Vec::new(),
            atlas,
            limits,
            recorder,
            events: Vec::new(),
            stop: None,
            held: false,
            steps: 0,
        }
    }

    pub(super) fn live(&self) -> usize {
        self.threads.iter().filter(|thread| thread.phase != Phase::Ended).count()
    }

    /// Whether another thread might still live, for all that this one knows: who has ended without being joined
    /// could have been slower.
    pub(super) fn has_company(&self, thread: u32) -> bool {
        self.threads.len() > self.threads[thread as usize].joined.len() + 1
    }

    /// A thread stands before an operation that it has to wait for. It would go first if it had come first, so it has
    /// touched what it waits for.
    pub(super) fn waits_for(&mut self, thread: u32, op: &Op) {
        if self.has_company(thread) {
            let ident = self.threads[thread as usize].ident;
            touches(op, |object, _| self.atlas.touch(self.objects[object as usize].ident, ident));
        }
    }

    /// Adds a thread; returns its number.
    pub(super) fn start_thread(&mut self, parent: Option<u32>, name: Option<String>, sort: &str, place: Place) -> u32 {
        let (ident, history) = match parent {
            None => (MAIN, 0),
            Some(parent) => {
                let maker = &mut self.threads[parent as usize];
                maker.threads_made += 1;
                let ident = self.atlas.ident(maker.ident, maker.threads_made, Sort::Thread);
                self.events.push(Event::Start { parent: maker.ident, child: ident });
                // What it captured is a function of what its maker has seen.
                let mut mix = Mix::new(u64::from(ident));
                mix.wide(maker.history);
                (ident, mix.end())
            }
        };
        let number = self.threads.len() as u32;
        if let Some(recorder) = &mut self.recorder {
            recorder.thread(name.unwrap_or_else(|| format!("{sort} {number}")));
        }
        let joined = parent.map_or_else(Vec::new, |parent| self.threads[parent as usize].joined.clone());
        self.threads.push(Thread::new(ident, history, joined, place));
        number
    }

    /// Adds an object made by `thread`; returns its number.
    pub(super) fn make_object(&mut self, thread: u32, make: &Make, place: Place) -> u32 {
        let maker = &mut self.threads[thread as usize];
        maker.objects_made += 1;
        let ident = self.atlas.ident(maker.ident, maker.objects_made, Sort::Object);
        let shown = match make {
            Make::Cell { value, .. } | Make::Lock { value, .. } => value.as_ref(),
            _ => None,
        };
        let value = shown.map_or_else(|| opaque(maker.history, 1), |value| value.fingerprint);
        if let Some(recorder) = &mut self.recorder {
            recorder.object(make.kind(), place, shown.and_then(|value| value.text.as_deref()));
        }
        self.objects.push(Object { ident, state: State::new(make), value });
        self.objects.len() as u32 - 1
    }

    /// The slot that a thread parks on, made when it is first asked for.
    pub(super) fn park_slot(&mut self, thread: u32) -> u32 {
        let owner = &mut self.threads[thread as usize];
        if let Some(slot) = owner.park {
            return slot;
        }
        let slot = self.objects.len() as u32;
        owner.park = Some(slot);
        let ident = self.atlas.ident(owner.ident, 0, Sort::Park);
        if let Some(recorder) = &mut self.recorder {
            recorder.park_slot(thread, owner.last_place);
        }
        self.objects.push(Object { ident, state: State::Park { token: false }, value: 0 });
        slot
    }

    fn asker(&self, thread: u32, op: &Op) -> Asker {
        let me = &self.threads[thread as usize];
        let receivers_waiting = match op {
            Op::Send { queue, .. } => {
                let waits = |other: &&Thread| {
                    other.phase == Phase::Waiting
                        && matches!(&other.pending, Some((Op::Recv { queue: of, .. }, _)) if of == queue)
                };
                self.threads.iter().filter(waits).count()
            }
            _ => 0,
        };
        Asker { thread, ident: me.ident, spurious: me.spurious < self.limits.spurious, receivers_waiting }
    }

    /// The ways in which a thread's operation can be done now, loops that only wait not yet held.
    pub(super) fn ways(&self, thread: u32, op: &Op, out: &mut Vec<Way>) {
        match *op {
            Op::Join { thread: joined } => {
                if self.threads[joined as usize].phase == Phase::Ended {
                    out.push(Way::Normal);
                }
            }
            _ => rules::ways(&self.objects, &self.asker(thread, op), op, out),
        }
    }

    /// Whether an operation cannot matter to any other thread, so that doing it at once loses no schedule.
    pub(super) fn is_local(&self, op: &Op) -> bool {
        match op {
            Op::Join { .. } | Op::Pause | Op::Leave { .. } | Op::EndTurn { .. } | Op::Wake { .. } => return true,
            Op::Timer { .. } | Op::Cancel { .. } | Op::OnceEnd { .. } | Op::Ends { add: true, .. } => return true,
            Op::Exit { .. } => return self.live() == 1,
            _ => {}
        }
        if self.live() == 1 {
            return true;
        }
        let mut private = true;
        touches(op, |object, _| private &= !self.atlas.shared(self.objects[object as usize].ident));
        private
    }

    /// Whether a loop that only looks is to be held: it has gone round often enough, and would find the same again.
    pub(super) fn is_held(&self, thread: u32) -> bool {
        let idle = &self.threads[thread as usize].idle;
        idle.iter().any(|look| look.times >= self.limits.spin_rounds)
            && idle.iter().all(|look| self.found(look.object) == look.found)
    }

    /// Takes everything an operation touches for shared.
    pub(super) fn share(&mut self, op: &Op) {
        touches(op, |object, _| self.atlas.share(self.objects[object as usize].ident));
    }

    /// The lines a thread has been going round without changing anything.
    pub(super) fn rounds(&self, thread: u32) -> Vec<Place> {
        let me = &self.threads[thread as usize];
        let mut places: Vec<Place> = me.idle.iter().map(|look| look.place).collect();
        places.push(me.pending.as_ref().map_or(me.last_place, |(_, place)| *place));
        places.sort_unstable();
        places.dedup();
        places
    }

    /// What looking at an object finds: its value, or where there is none, its state.
    fn found(&self, object: u32) -> u128 {
        match self.objects.get(object as usize) {
            Some(object) => match object.state {
                State::Cell | State::Lock { .. } => object.value,
                _ => object.fingerprint(),
            },
            None => 0,
        }
    }

    /// Does a thread's operation. The second value tells that it goes on waiting (see [`rules::apply`]).
    pub(super) fn perform(&mut self, thread: u32, op: &Op, way: Way, place: Place, seen: bool) -> (Reply, bool) {
        let asker = self.asker(thread, op);
        if self.has_company(thread) {
            let (atlas, objects, events) = (&mut self.atlas, &self.objects, &mut self.events);
            touches(op, |object, write| {
                let object = objects[object as usize].ident;
                atlas.touch(object, asker.ident);
                events.push(Event::Touch { thread: asker.ident, object, write });
            });
            if seen {
                // Where nothing but spurious wake-ups is left, they count as none: whether one comes before the last
                // step of all others matters, so it depends on each of them.
                let write = way == Way::Spurious;
                events.push(Event::Touch { thread: asker.ident, object: THE_END, write });
            }
        }
        let observed = self.observes(op);
        let place = match op {
            // A destructor has no place of its own: it follows the thread's last operation.
            Op::Ends { add: false, .. } => self.threads[thread as usize].last_place,
            _ => place,
        };
        let (mut reply, stays) = rules::apply(&mut self.objects, &asker, op, way, place);
        match *op {
            Op::Join { thread: joined } => {
                let other = &mut self.threads[joined as usize];
                reply.ok = other.panic.take().is_none();
                let (result, child) = (other.result, other.ident);
                let ended = std::mem::take(&mut other.joined);
                let me = &mut self.threads[thread as usize];
                me.observe(result);
                me.knows_ended(ended.into_iter().chain([joined]));
                self.events.push(Event::Join { thread: asker.ident, child });
            }
            Op::Cancel { thread: cancelled } => {
                self.threads[cancelled as usize].phase = Phase::Ended;
                self.threads[thread as usize].knows_ended([cancelled]);
            }
            Op::Exit { code } => self.end(asker.ident, code.map_or(Stop::Returned, Stop::Exited)),
            Op::Send { queue, .. } if reply.ok => {
                let sent = opaque(self.threads[thread as usize].history, 2);
                if let State::Queue { items, .. } = &mut self.objects[queue as usize].state
                    && let Some(last) = items.back_mut()
                {
                    *last = sent;
                }
            }
            _ => {}
        }
        self.look(thread, op, way, &reply, place);
        let me = &mut self.threads[thread as usize];
        me.last_place = place;
        me.reply = reply;
        me.sent = matches!(op, Op::Send { .. });
        me.spurious += u32::from(way == Way::Spurious);
        me.fold(op, way, &reply, observed);
        if let Some(recorder) = &mut self.recorder {
            if seen {
                recorder.step(thread, way, op, &reply, stays, place);
            } else {
                recorder.unseen();
            }
        }
        (reply, stays)
    }

    /// Ends the program; what comes first counts.
    pub(super) fn end(&mut self, by: Ident, stop: Stop) {
        self.events.push(Event::Touch { thread: by, object: THE_END, write: true });
        self.stop.get_or_insert(stop);
    }

    /// The value that an operation takes in, before it is done.
    fn observes(&self, op: &Op) -> u128 {
        match *op {
            Op::Access { object, effect, .. } if effect != Effect::Writes => self.objects[object as usize].value,
            Op::Lock { object, .. } | Op::TryLock { object, .. } => self.objects[object as usize].value,
            Op::CondWake { mutex, .. } => self.objects[mutex as usize].value,
            Op::Recv { queue, .. } => match &self.objects[queue as usize].state {
                State::Queue { items, .. } => items.front().copied().unwrap_or(0),
                _ => 0,
            },
            _ => 0,
        }
    }

    /// Keeps track of what a thread has looked at since it last changed anything.
    fn look(&mut self, thread: u32, op: &Op, way: Way, reply: &Reply, place: Place) {
        let looked_at = match *op {
            Op::Access { object, effect, .. } if effect != Effect::Writes => Some(object),
            Op::Lock { object, .. } => Some(object),
            Op::TryLock { object, .. } => Some(object),
            Op::Send { queue, .. } | Op::Recv { queue, .. } if !reply.ok => Some(queue),
            Op::Park { slot, .. } if way == Way::TimedOut => Some(slot),
            Op::CondWake { mutex, .. } => Some(mutex),
            Op::Pause => Some(u32::MAX),
            // These undo what a look had to do, or come with it.
            Op::Unlock { effect: Effect::Orders, .. } | Op::CondWait { .. } => return,
            Op::Turn { .. } | Op::EndTurn { .. } | Op::Wake { .. } => return,
            Op::Notify { .. } if reply.number == 0 => return,
            _ => None,
        };
        let Some(object) = looked_at else { return self.threads[thread as usize].idle.clear() };
        let found = self.found(object);
        let idle = &mut self.threads[thread as usize].idle;
        let same = |look: &&mut Look| look.place == place && look.object == object;
        match idle.iter_mut().find(same) {
            Some(look) if look.found == found => look.times += 1,
            Some(look) => (look.found, look.times) = (found, 1),
            None => idle.push(Look { place, object, found, times: 1 }),
        }
    }

    /// What the facade saw in an object and left there, right after the step.
    pub(super) fn observe(&mut self, thread: u32, object: u32, seen: Option<Value>, left: Option<Left>) {
        let me = &mut self.threads[thread as usize];
        let changed = &mut self.objects[object as usize];
        if let State::Queue { items, bytes, .. } = &mut changed.state
            && let Some(seen) = &seen
        {
            // Sent bytes are part of the pipe's value, received ones are news to the reader; a message replaces the
            // fingerprint it was sent under (a receiver's is gone from the queue already).
            if me.sent && !*bytes {
                if let (Some(last), true) = (items.back_mut(), me.reply.ok) {
                    *last = seen.fingerprint;
                }
            } else {
                me.observe(seen.fingerprint);
            }
        }
        if let Some(left) = &left {
            let value = match left {
                Left::Value(value) => value.fingerprint,
                Left::Opaque => opaque(me.history, 3),
            };
            if value != changed.value {
                me.idle.clear();
            }
            changed.value = value;
        }
        if let Some(recorder) = &mut self.recorder {
            recorder.observe(object, seen, left);
        }
    }

    /// Everything that the future depends on.
    pub(super) fn fingerprint(&self) -> u128 {
        let threads = self.threads.iter().map(Thread::fingerprint);
        threads.chain(self.objects.iter().map(Object::fingerprint)).fold(0, u128::wrapping_add)
    }

    /// What a thread stands before, as far as other threads could get in its way.
    pub(super) fn pending_touches(&self, thread: u32, mut each: impl FnMut(Ident, bool)) {
        let me = &self.threads[thread as usize];
        let Some((op, _)) = &me.pending else { return };
        touches(op, |object, write| each(self.objects[object as usize].ident, write));
        // A held loop goes on when any of what it looks at changes.
        for look in &me.idle {
            if let Some(object) = self.objects.get(look.object as usize) {
                each(object.ident, false);
            }
        }
        let mut ways = Vec::new();
        self.ways(thread, op, &mut ways);
        each(THE_END, matches!(op, Op::Exit { .. }) || ways.contains(&Way::Spurious));
    }
}
