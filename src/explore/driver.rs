//! What the facade asks of a run: the explorer's side of [`Driver`].

use crate::backend::{Driver, Left, Make, Op, Reply, Spawn, Value, refuse};
use crate::trace::{Place, Way};

use super::core::Stop;
use super::rules;
use super::run::Run;
use super::thread::Phase;

/// Operations a thread may do without coming to a step: more means that it goes round for ever on its own.
const UNSEEN: u32 = 100_000;

impl Driver for Run {
    fn run(&self) -> u64 {
        self.id
    }

    fn recording(&self) -> bool {
        self.recording
    }

    fn create(&self, make: Make, place: Place) -> u32 {
        let me = self.current();
        self.core.borrow_mut().make_object(me, &make, place)
    }

    fn rename(&self, object: u32, name: &str) {
        if let Some(recorder) = &mut self.core.borrow_mut().recorder {
            recorder.rename(object as usize, name.to_string());
        }
    }

    fn step(&self, op: Op, place: Place) -> Reply {
        let over = Reply::default();
        let Some(me) = self.current.get() else {
            // The outcome is being read. If threads were cut off, it matters how far they had come with this object.
            let mut core = self.core.borrow_mut();
            if core.live() > 0 {
                core.share(&op);
            }
            return over;
        };
        if self.over.get() {
            self.say_goodbye();
            return over;
        }
        {
            let mut core = self.core.borrow_mut();
            if let Some(why) = rules::refusal(&core.objects, &op) {
                let message = format!("at {place}: {why}");
                core.stop.get_or_insert(Stop::Misused(message.clone()));
                drop(core);
                refuse(message);
            }
            if core.live() > 1 && core.is_held(me) {
                // It goes round waiting for an object that nobody else has touched so far: somebody may still do so.
                core.share(&op);
            }
            if core.is_local(&op) && core.stop.is_none() {
                let mut ways = Vec::new();
                core.ways(me, &op, &mut ways);
                let unseen = &mut core.threads[me as usize].unseen;
                *unseen += 1;
                if *unseen > UNSEEN {
                    core.stop = Some(Stop::Livelocked);
                } else if let [way @ (Way::Normal | Way::TimedOut | Way::Pick(_))] = ways[..] {
                    let (reply, stays) = core.perform(me, &op, way, place, false);
                    // A wait that has run out of time goes on until it has taken its mutex again.
                    if !stays {
                        return reply;
                    }
                }
            }
            let thread = &mut core.threads[me as usize];
            thread.pending = Some((op, place));
            thread.phase = Phase::Waiting;
        }
        self.suspend(me);
        if self.over.get() {
            return over;
        }
        self.core.borrow().threads[me as usize].reply
    }

    fn observe(&self, object: u32, seen: Option<Value>, left: Option<Left>) {
        if let (Some(me), false) = (self.current.get(), self.over.get()) {
            self.core.borrow_mut().observe(me, object, seen, left);
        }
    }

    fn spawn(&self, spawn: Spawn, place: Place) -> u32 {
        let me = self.current.get();
        if self.over.get() {
            self.say_goodbye();
        }
        let number = self.core.borrow_mut().start_thread(me, spawn.name, spawn.sort, place);
        self.add_coroutine(spawn.body);
        number
    }

    fn current(&self) -> u32 {
        self.current.get().unwrap_or(0)
    }

    fn park_slot(&self, thread: u32) -> u32 {
        self.core.borrow_mut().park_slot(thread)
    }

    fn task(&self) -> Option<(u32, u32)> {
        self.core.borrow().threads[self.current() as usize].task
    }

    fn set_task(&self, task: Option<(u32, u32)>) -> Option<(u32, u32)> {
        std::mem::replace(&mut self.core.borrow_mut().threads[self.current() as usize].task, task)
    }

    fn over(&self) -> bool {
        self.over.get()
    }

    fn abandon(&self) {
        self.leave_here();
    }

    fn misuse(&self, message: String) {
        let mut core = self.core.borrow_mut();
        core.stop.get_or_insert(Stop::Misused(message));
    }
}
