//! Writes a schedule down while it runs: the [`Trace`] that a reader sees.

use crate::backend::{Left, Op, Reply, Value};
use crate::sources::Sources;
use crate::trace::{Effect, Ending, Move, ObjectInfo, Place, Step, ThreadInfo, Trace, Way};

/// See the module.
#[derive(Debug, Default)]
pub(super) struct Recorder {
    threads: Vec<ThreadInfo>,
    objects: Vec<ObjectInfo>,
    named: Vec<bool>,
    steps: Vec<Step>,
    /// Whether what is observed next belongs to the last step.
    open: bool,
}

impl Recorder {
    /// With room for so many steps at first.
    pub(super) fn new(steps: usize) -> Recorder {
        Recorder { steps: Vec::with_capacity(steps), ..Recorder::default() }
    }

    pub(super) fn thread(&mut self, name: String) {
        self.threads.push(ThreadInfo { name });
    }

    pub(super) fn object(&mut self, kind: &'static str, place: Place, initial: Option<&str>) {
        let initial = initial.map(str::to_string);
        self.objects.push(ObjectInfo { name: String::new(), kind, place, initial });
        self.named.push(false);
    }

    pub(super) fn park_slot(&mut self, thread: u32, place: Place) {
        let name = self.threads.get(thread as usize).map_or_else(String::new, |thread| thread.name.clone());
        self.object("thread", place, None);
        self.rename(self.objects.len() - 1, name);
    }

    pub(super) fn rename(&mut self, object: usize, name: String) {
        if let Some(info) = self.objects.get_mut(object) {
            info.name = name;
            self.named[object] = true;
        }
    }

    /// An operation that is no step of its own: what it changes is put down to the step before it.
    pub(super) fn unseen(&mut self) {
        self.open = false;
    }

    pub(super) fn step(&mut self, thread: u32, way: Way, op: &Op, reply: &Reply, stays: bool, place: Place) {
        let (verb, object, with, effect) = in_words(op, way, reply, stays);
        let object = object.map(|object| object as usize);
        let with = with.map(|with| with as usize);
        let (seen, left, changes) = (None, None, Vec::new());
        let choice = Move { thread, way };
        self.steps.push(Step { choice, verb, object, with, effect, seen, left, place, changes });
        self.open = true;
    }

    pub(super) fn observe(&mut self, object: u32, seen: Option<Value>, left: Option<Left>) {
        let object = object as usize;
        let (looked, left) = match left {
            None => (true, None),
            Some(Left::Value(value)) => (false, value.text),
            Some(Left::Opaque) => (false, None),
        };
        match (self.steps.last_mut(), left) {
            (None, Some(text)) => {
                if let Some(info) = self.objects.get_mut(object) {
                    info.initial = Some(text.into_string());
                }
            }
            (None, None) => {}
            (Some(step), left) if self.open => {
                if let Some(seen) = seen.and_then(|value| value.text) {
                    step.seen = Some(seen);
                }
                // Nothing was exchanged: it only looked.
                if looked && step.verb == "exchanges" {
                    step.verb = "fails to exchange";
                    step.effect = Effect::Reads;
                }
                match left {
                    Some(text) if step.object == Some(object) && step.changes.is_empty() => step.left = Some(text),
                    Some(text) => step.changes.push((object, text)),
                    None => {}
                }
            }
            (Some(step), Some(text)) => step.changes.push((object, text)),
            (Some(_), None) => {}
        }
    }

    pub(super) fn names(&self) -> Vec<String> {
        self.threads.iter().map(|thread| thread.name.clone()).collect()
    }

    /// What an object is called so far, for sentences.
    pub(super) fn name(&self, object: u32, sources: &Sources) -> String {
        let Some(info) = self.objects.get(object as usize) else { return String::new() };
        if !info.name.is_empty() {
            return info.name.clone();
        }
        sources.name_at(&info.place).unwrap_or_else(|| format!("{} made at {}", info.kind, info.place))
    }

    pub(super) fn kind(&self, object: u32) -> &'static str {
        self.objects.get(object as usize).map_or("object", |info| info.kind)
    }

    pub(super) fn into_trace(mut self, ending: Ending, outcome: String, sources: &Sources) -> Trace {
        for object in 0..self.objects.len() {
            if !self.named[object] {
                self.objects[object].name = self.name(object as u32, sources);
            }
        }
        number_equal_names(&mut self.objects);
        Trace { threads: self.threads, objects: self.objects, steps: self.steps, ending, outcome }
    }
}

/// Objects made by one line in a loop share a name: they are numbered.
fn number_equal_names(objects: &mut [ObjectInfo]) {
    let names: Vec<String> = objects.iter().map(|object| object.name.clone()).collect();
    for (index, name) in names.iter().enumerate() {
        if names.iter().filter(|other| *other == name).count() > 1 {
            let nth = names[..=index].iter().filter(|other| *other == name).count();
            objects[index].name = format!("{name} {nth}");
        }
    }
}

/// An operation's verb, its object, a second object and what it does to the first one's value.
fn in_words(op: &Op, way: Way, reply: &Reply, stays: bool) -> (&'static str, Option<u32>, Option<u32>, Effect) {
    let orders = Effect::Orders;
    match *op {
        Op::Access { object, verb, effect } => (verb, Some(object), None, effect),
        Op::Lock { object, shared: false } => ("locks", Some(object), None, Effect::Reads),
        Op::Lock { object, shared: true } => ("locks to read", Some(object), None, Effect::Reads),
        Op::TryLock { object, .. } if reply.ok => ("try-locks", Some(object), None, Effect::Reads),
        Op::TryLock { object, .. } => ("fails to lock", Some(object), None, orders),
        Op::Unlock { object, effect, .. } => ("unlocks", Some(object), None, effect),
        Op::CondWait { cond, mutex } => ("waits on", Some(cond), Some(mutex), orders),
        Op::CondWake { cond, mutex, .. } => match way {
            Way::TimedOut if stays => ("times out on", Some(cond), Some(mutex), orders),
            Way::Spurious if stays => ("wakes unasked from", Some(cond), Some(mutex), orders),
            _ => ("locks again", Some(mutex), Some(cond), Effect::Reads),
        },
        Op::Notify { cond, .. } if reply.number == 0 => ("notifies nobody on", Some(cond), None, orders),
        Op::Notify { cond, all: false } => ("notifies one on", Some(cond), None, orders),
        Op::Notify { cond, all: true } => ("notifies all on", Some(cond), None, orders),
        Op::Send { queue, .. } if reply.ok => ("sends to", Some(queue), None, orders),
        Op::Send { queue, .. } if reply.closed => ("finds closed", Some(queue), None, orders),
        Op::Send { queue, .. } => ("finds full", Some(queue), None, orders),
        Op::Recv { queue, .. } if reply.ok => ("takes from", Some(queue), None, orders),
        Op::Recv { queue, .. } if reply.timed_out => ("times out on", Some(queue), None, orders),
        Op::Recv { queue, .. } if reply.closed => ("finds closed", Some(queue), None, orders),
        Op::Recv { queue, .. } => ("finds empty", Some(queue), None, orders),
        Op::Ends { queue, add: true, .. } => ("opens", Some(queue), None, orders),
        Op::Ends { queue, add: false, .. } => ("closes", Some(queue), None, orders),
        Op::Arrive { barrier } => ("arrives at", Some(barrier), None, orders),
        Op::Leave { barrier, .. } => ("leaves", Some(barrier), None, orders),
        Op::OnceBegin { once } if reply.ok => ("begins", Some(once), None, orders),
        Op::OnceBegin { once } => ("finds done", Some(once), None, orders),
        Op::OnceEnd { once, .. } => ("completes", Some(once), None, orders),
        Op::Park { .. } if way == Way::TimedOut => ("times out, parked", None, None, orders),
        Op::Park { .. } if way == Way::Spurious => ("wakes unasked", None, None, orders),
        Op::Park { .. } => ("goes on, unparked", None, None, orders),
        Op::Unpark { slot } => ("unparks", Some(slot), None, orders),
        Op::Join { .. } => ("joins", None, None, orders),
        Op::Pause => ("gives way", None, None, orders),
        Op::Turn { token, .. } if way == Way::Normal => ("is polled by", Some(token), None, orders),
        Op::Turn { token, .. } => ("wakes by its timer on", Some(token), None, orders),
        Op::EndTurn { token } => ("gives back", Some(token), None, orders),
        Op::Wake { task } => ("wakes", Some(task), None, orders),
        Op::Timer { task, .. } => ("sets a timer of", Some(task), None, orders),
        Op::Cancel { .. } => ("drops a task", None, None, orders),
        Op::Exit { .. } => ("ends the program", None, None, orders),
    }
}
