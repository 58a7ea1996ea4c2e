//! One execution of a program: its threads are coroutines, and the explorer says which one takes the next step.

use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::backend::{Driver, Op, Stop as Unwind, foreign_use, panic_text, with_driver};
use crate::trace::{Place, Way};

use super::atlas::{Atlas, Ident};
use super::core::{Core, Limits, Stop};
use super::coroutine::{Body, RUNNING, Signal, Thread, WayOut, install_panic_hook};
use super::model::{Finish, Model};
use super::record::Recorder;
use super::thread::Phase;

/// Rounds that held loops get once nobody else can move, to see whether they give up by themselves.
const ALONE: u32 = 1_000;
/// The exit code of a program whose main has panicked.
const PANIC_EXIT_CODE: i32 = 101;

/// A possible next step: which thread, in which way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Choice {
    pub(super) thread: u32,
    pub(super) ident: Ident,
    pub(super) way: Way,
}

/// How an execution ended.
pub(super) struct End {
    pub(super) stop: Stop,
    /// The outcome in words and which conditions of claims are true; only if main returned.
    pub(super) outcome: Option<(String, Vec<bool>)>,
    /// A panic nobody received: whose, its message, where.
    pub(super) panic: Option<(u32, String, Option<String>)>,
}

/// See the module.
pub(super) struct Run {
    pub(super) id: u64,
    pub(super) core: RefCell<Core>,
    pub(super) coroutines: RefCell<Vec<Option<Thread>>>,
    pub(super) yielders: RefCell<Vec<Cell<*const WayOut>>>,
    pub(super) current: Cell<Option<u32>>,
    pub(super) over: Cell<bool>,
    pub(super) recording: bool,
    choices: RefCell<Vec<Choice>>,
    pub(super) finish: RefCell<Option<Finish>>,
    /// Main has unwound, and the program is about to end.
    pub(super) main_panicked: Cell<bool>,
    /// Threads left where they stood: the operating system's thread has a panic that never ends.
    pub(super) tainted: Cell<bool>,
    pub(super) last_words: Cell<u32>,
}

static RUNS: AtomicU64 = AtomicU64::new(1);

/// Runs `body` with a new execution of the model, standing at its first choice; tears it down afterwards.
/// Returns what `body` returned, and whether a coroutine had to be left behind, so that this operating-system thread is
/// of no more use. The atlas keeps what this execution has learnt.
pub(super) fn execute<R>(
    model: &Model,
    atlas: &mut Atlas,
    limits: Limits,
    recorder: Option<Recorder>,
    body: impl FnOnce(&Rc<Run>) -> R,
) -> (R, bool) {
    install_panic_hook();
    let recording = recorder.is_some();
    let core = Core::new(std::mem::replace(atlas, Atlas::new()), limits, recorder);
    let run = Rc::new(Run {
        id: RUNS.fetch_add(1, Ordering::Relaxed),
        core: RefCell::new(core),
        coroutines: RefCell::default(),
        yielders: RefCell::default(),
        current: Cell::new(None),
        over: Cell::new(false),
        recording,
        choices: RefCell::default(),
        finish: RefCell::default(),
        main_panicked: Cell::new(false),
        tainted: Cell::new(false),
        last_words: Cell::new(0),
    });
    RUNNING.set(Some(Rc::clone(&run)));
    let program = model.program.clone();
    let result = with_driver(Rc::clone(&run) as Rc<dyn Driver>, || {
        let place = Place { file: "", line: 0, column: 0 };
        let main = Rc::downgrade(&run);
        let main: Body = Box::new(move || {
            let result = catch_unwind(AssertUnwindSafe(|| program()));
            let run = main.upgrade()?;
            let code = match result {
                Ok(finish) => {
                    *run.finish.borrow_mut() = Some(finish);
                    None
                }
                Err(payload) if payload.is::<Unwind>() => resume_unwind(payload),
                // The panic has unwound main; what is left is to end the program, and others may come before that.
                Err(_) => {
                    run.main_panicked.set(true);
                    Some(PANIC_EXIT_CODE)
                }
            };
            let place = run.core.borrow().threads[0].last_place;
            run.step(Op::Exit { code }, place);
            None
        });
        run.core.borrow_mut().start_thread(None, Some("main".into()), "thread", place);
        run.add_coroutine(main);
        run.settle();
        let result = body(&run);
        run.tear_down();
        result
    });
    RUNNING.set(None);
    *atlas = std::mem::replace(&mut run.core.borrow_mut().atlas, Atlas::new());
    (result, run.tainted.get())
}

impl Run {
    /// The possible next steps, in order of threads; none at the end.
    pub(super) fn choices(&self) -> Vec<Choice> {
        self.choices.borrow().clone()
    }

    pub(super) fn fingerprint(&self) -> u128 {
        self.core.borrow().fingerprint()
    }

    pub(super) fn core(&self) -> std::cell::Ref<'_, Core> {
        self.core.borrow()
    }

    pub(super) fn core_mut(&self) -> std::cell::RefMut<'_, Core> {
        self.core.borrow_mut()
    }

    /// Takes a step, and goes on to the next choice.
    pub(super) fn take(&self, choice: Choice) {
        {
            let mut core = self.core.borrow_mut();
            core.events.clear();
            core.steps += 1;
        }
        self.grant(choice.thread, choice.way, true);
        self.settle();
        let mut core = self.core.borrow_mut();
        if core.stop.is_none() && core.steps >= core.limits.schedule_steps {
            core.stop = Some(Stop::TooLong);
            self.choices.borrow_mut().clear();
        }
    }

    /// Does a waiting thread's operation and lets it run on to its next one.
    fn grant(&self, thread: u32, way: Way, seen: bool) {
        let pending = self.core.borrow().threads[thread as usize].pending.clone();
        let Some((op, place)) = pending else { return };
        let stays = {
            let mut core = self.core.borrow_mut();
            let (reply, stays) = core.perform(thread, &op, way, place, seen);
            let me = &mut core.threads[thread as usize];
            me.reply = reply;
            if !stays {
                me.pending = None;
                me.phase = Phase::Running;
                me.unseen = 0;
            }
            stays
        };
        if !stays && self.core.borrow().stop.is_none() {
            self.resume(thread, Signal::Go);
        }
    }

    /// Runs everything that cannot matter to other threads; then finds the possible next steps.
    fn settle(&self) {
        let mut alone = 0;
        loop {
            self.settle_local();
            self.choices.borrow_mut().clear();
            if self.core.borrow().stop.is_some() {
                return;
            }
            self.find_choices();
            if !self.choices.borrow().is_empty() {
                return;
            }
            // Only loops that look and find nothing new could go on: perhaps they give up by themselves.
            let held = self.held();
            if held.is_empty() || alone >= ALONE {
                let mut core = self.core.borrow_mut();
                core.stop = Some(if held.is_empty() { Stop::Deadlocked } else { Stop::Livelocked });
                return;
            }
            alone += 1;
            for (thread, way) in held {
                if self.core.borrow().stop.is_none() {
                    self.grant(thread, way, false);
                }
            }
        }
    }

    fn settle_local(&self) {
        let mut ways = Vec::new();
        loop {
            let count = self.core.borrow().threads.len();
            let mut moved = false;
            for thread in 0..count {
                let core = self.core.borrow();
                if core.stop.is_some() {
                    return;
                }
                let me = &core.threads[thread];
                match (me.phase, &me.pending) {
                    (Phase::Fresh, _) => {
                        drop(core);
                        self.core.borrow_mut().threads[thread].phase = Phase::Running;
                        self.resume(thread as u32, Signal::Go);
                        moved = true;
                    }
                    (Phase::Waiting, Some((op, _))) if core.is_local(op) => {
                        ways.clear();
                        core.ways(thread as u32, op, &mut ways);
                        if let [way @ (Way::Normal | Way::TimedOut | Way::Pick(_))] = ways[..] {
                            drop(core);
                            self.grant(thread as u32, way, false);
                            moved = true;
                        }
                    }
                    _ => {}
                }
            }
            if !moved {
                return;
            }
        }
    }

    fn find_choices(&self) {
        let mut core = self.core.borrow_mut();
        let core = &mut *core;
        let mut choices = self.choices.borrow_mut();
        let mut ways = Vec::new();
        for number in 0..core.threads.len() as u32 {
            let thread = &core.threads[number as usize];
            let (Phase::Waiting, Some((op, _))) = (thread.phase, &thread.pending) else { continue };
            let (ident, op) = (thread.ident, op.clone());
            ways.clear();
            core.ways(number, &op, &mut ways);
            if ways.is_empty() {
                core.waits_for(number, &op);
                continue;
            }
            if core.is_held(number) {
                core.held = true;
                continue;
            }
            choices.extend(ways.iter().map(|way| Choice { thread: number, ident, way: *way }));
        }
        // Nobody may count on a spurious wake-up: where nothing else could happen, everybody waits for ever.
        if choices.iter().all(|choice| choice.way == Way::Spurious) {
            choices.clear();
        }
    }

    /// Threads that could move if their loops were not held.
    fn held(&self) -> Vec<(u32, Way)> {
        let core = self.core.borrow();
        let mut held = Vec::new();
        let mut ways = Vec::new();
        for (number, thread) in core.threads.iter().enumerate() {
            let (Phase::Waiting, Some((op, _))) = (thread.phase, &thread.pending) else { continue };
            ways.clear();
            core.ways(number as u32, op, &mut ways);
            if let Some(way) = ways.iter().find(|way| **way != Way::Spurious) {
                held.push((number as u32, *way));
            }
        }
        held
    }

    /// Reads how it ended; the outcome is computed now, from what the program left.
    pub(super) fn end(&self) -> Option<End> {
        let stop = self.core.borrow().stop.clone()?;
        self.over.set(true);
        let finish = self.finish.borrow_mut().take().filter(|_| stop == Stop::Returned);
        let read = finish.map(|finish| catch_unwind(AssertUnwindSafe(finish)));
        let core = self.core.borrow();
        let panics = core.threads.iter().enumerate();
        let counts = |number: usize, thread: &super::thread::Thread| match number {
            _ if matches!(stop, Stop::Aborted(_)) => true,
            0 => self.main_panicked.get(),
            _ => thread.phase == Phase::Ended,
        };
        let panic = panics.filter(|(number, thread)| counts(*number, thread));
        let panic = panic
            .filter_map(|(number, thread)| thread.panic.clone().map(|(text, at)| (number as u32, text, at)))
            .next();
        let mut stop = stop;
        let outcome = match read {
            Some(Ok(outcome)) => Some(outcome),
            Some(Err(payload)) => {
                let text = format!("a claim's condition panicked: {}", panic_text(&*payload));
                stop = Stop::Misused(text);
                None
            }
            None => None,
        };
        if let Some(message) = foreign_use(self.id) {
            stop = Stop::Misused(message);
        }
        Some(End { stop, outcome, panic })
    }
}
