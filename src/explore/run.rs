//! One execution of a program: its threads are coroutines, and the explorer says which one takes the next step.
//!
//! `unsafe` is needed to reach a coroutine's way out from inside its own code.
#![allow(unsafe_code)]

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering};

use corosensei::stack::DefaultStack;
use corosensei::{Coroutine, CoroutineResult, Yielder};

use crate::backend::{
    Driver, Left, Make, Op, Reply, Spawn, Stop as Unwind, Value, foreign_use, panic_text, with_driver,
};
use crate::trace::{Place, Way};

use super::atlas::{Atlas, Ident};
use super::core::{Core, Limits, Phase, Stop};
use super::model::{Finish, Model};
use super::object;
use super::record::Recorder;

/// Bytes of a coroutine's stack; the pages are only used when they are touched.
const STACK: usize = 256 * 1024;
/// Operations a thread may do without coming to a step: more means that it goes round for ever on its own.
const UNSEEN: u32 = 100_000;
/// Rounds that held loops get once nobody else can move, to see whether they give up by themselves.
const ALONE: u32 = 1_000;
/// Operations that a thread may do while its run is torn down.
const LAST_WORDS: u32 = 10_000;

enum Signal {
    Go,
    TearDown,
}

type WayOut = Yielder<Signal, ()>;
type Body = Box<dyn FnOnce() -> Option<Value>>;
type Thread = Coroutine<Signal, (), Result<Option<Value>, Box<dyn Any + Send>>>;

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
    id: u64,
    core: RefCell<Core>,
    coroutines: RefCell<Vec<Option<Thread>>>,
    yielders: RefCell<Vec<Cell<*const WayOut>>>,
    current: Cell<Option<u32>>,
    over: Cell<bool>,
    recording: bool,
    choices: RefCell<Vec<Choice>>,
    finish: RefCell<Option<Finish>>,
    /// Threads left where they stood: the operating system's thread has a panic that never ends.
    pub(super) tainted: Cell<bool>,
    last_words: Cell<u32>,
}

thread_local! {
    /// The run of this operating-system thread, for the panic hook.
    static RUNNING: RefCell<Option<Rc<Run>>> = const { RefCell::new(None) };
    static STACKS: RefCell<Vec<DefaultStack>> = const { RefCell::new(Vec::new()) };
}

static RUNS: AtomicU64 = AtomicU64::new(1);

/// What a panicking thread says when a destructor panics while it unwinds already.
const IN_CLEANUP: &str = "panic in a destructor during cleanup";

/// Makes panics of explored threads part of their run instead of printing them.
pub(super) fn install_panic_hook() {
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| {
        let print = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            let run = RUNNING.try_with(|running| running.try_borrow().ok().and_then(|run| run.clone()));
            match run.ok().flatten() {
                Some(run) if run.current.get().is_some() => {
                    let place = info.location().map(|at| format!("{}:{}", file_name(at.file()), at.line()));
                    run.panicked(panic_text(info.payload()), place);
                }
                _ => print(info),
            }
        }));
    });
}

fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// Runs `body` with a new execution of the model, standing at its first choice; tears it down afterwards.
/// Gives back the atlas, whether anything had to be left behind, and what `body` returned.
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
        tainted: Cell::new(false),
        last_words: Cell::new(0),
    });
    RUNNING.set(Some(Rc::clone(&run)));
    let program = model.program.clone();
    let result = with_driver(Rc::clone(&run) as Rc<dyn Driver>, || {
        let place = Place { file: "", line: 0, column: 0 };
        let main = Rc::downgrade(&run);
        let main: Body = Box::new(move || {
            let finish = program();
            if let Some(run) = main.upgrade() {
                *run.finish.borrow_mut() = Some(finish);
                let place = run.core.borrow().threads[0].last_place;
                run.step(Op::Exit { code: None }, place);
            }
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

    fn add_coroutine(&self, body: Body) {
        let number = self.coroutines.borrow().len();
        self.yielders.borrow_mut().push(Cell::new(std::ptr::null()));
        let stack = STACKS.with_borrow_mut(Vec::pop);
        let stack = stack.or_else(|| DefaultStack::new(STACK).ok());
        let Some(stack) = stack else {
            self.core.borrow_mut().stop = Some(Stop::Misused(format!("there is no memory for thread {number}'s stack")));
            return self.coroutines.borrow_mut().push(None);
        };
        let coroutine = Coroutine::with_stack(stack, move |yielder: &WayOut, _: Signal| {
            RUNNING.with_borrow(|run| {
                if let Some(run) = run {
                    run.yielders.borrow()[number].set(yielder);
                }
            });
            catch_unwind(AssertUnwindSafe(body))
        });
        self.coroutines.borrow_mut().push(Some(coroutine));
    }

    /// Lets a thread run until it stands before an operation that it has to wait for, or ends.
    fn resume(&self, thread: u32, signal: Signal) {
        let coroutine = self.coroutines.borrow_mut()[thread as usize].take();
        let Some(mut coroutine) = coroutine else { return };
        let before = self.current.replace(Some(thread));
        self.core.borrow_mut().threads[thread as usize].unwinding = false;
        let result = coroutine.resume(signal);
        self.current.set(before);
        match result {
            CoroutineResult::Yield(()) => self.coroutines.borrow_mut()[thread as usize] = Some(coroutine),
            CoroutineResult::Return(result) => {
                STACKS.with_borrow_mut(|stacks| stacks.push(coroutine.into_stack()));
                if !self.over.get() {
                    self.ended(thread, result);
                }
            }
        }
    }

    fn ended(&self, thread: u32, result: Result<Option<Value>, Box<dyn Any + Send>>) {
        let mut core = self.core.borrow_mut();
        let core = &mut *core;
        let me = &mut core.threads[thread as usize];
        me.phase = Phase::Ended;
        let ident = me.ident;
        match result {
            Ok(value) => {
                me.panic = None;
                me.result = value.map_or_else(|| me.opaque_result(), |value| value.fingerprint);
            }
            Err(payload) => {
                me.result = me.opaque_result();
                let text = || (panic_text(&*payload), None);
                let panic = me.panic.take().unwrap_or_else(text);
                me.panic = Some(panic);
                if thread == 0 {
                    core.end(ident, Stop::Panicked(0));
                }
            }
        }
        if thread == 0 {
            core.end(ident, Stop::Returned);
        }
    }

    /// Called by the panic hook, on the panicking thread.
    fn panicked(&self, message: String, place: Option<String>) {
        let Some(me) = self.current.get() else { return };
        let cleanup = message == IN_CLEANUP;
        if let Ok(mut core) = self.core.try_borrow_mut() {
            let thread = &mut core.threads[me as usize];
            thread.panics += 1;
            if cleanup {
                // The destructor's own panic has just been noted; the process would abort here.
                let ident = thread.ident;
                core.end(ident, Stop::Aborted(me));
            } else {
                thread.panic = Some((message, place));
            }
        }
        if cleanup {
            self.abandon();
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
                        if let [way] = ways[..] {
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
        for (number, thread) in core.threads.iter().enumerate() {
            let (Phase::Waiting, Some((op, _))) = (thread.phase, &thread.pending) else { continue };
            ways.clear();
            core.ways(number as u32, op, &mut ways);
            if ways.is_empty() {
                // It would go first if it had come first: who waits for an object has touched it.
                if core.has_company(number as u32) {
                    let (atlas, objects) = (&mut core.atlas, &core.objects);
                    object::touches(op, |object, _| atlas.touch(objects[object as usize].ident, thread.ident));
                }
                continue;
            }
            if core.is_held(number as u32) {
                core.held = true;
                continue;
            }
            choices.extend(ways.iter().map(|way| Choice { thread: number as u32, ident: thread.ident, way: *way }));
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
            if let Some(way) = ways.first() {
                held.push((number as u32, *way));
            }
        }
        held
    }

    /// Suspends the running thread until the explorer comes back to it.
    fn suspend(&self, me: u32) {
        let yielder = self.yielders.borrow()[me as usize].get();
        {
            let mut core = self.core.borrow_mut();
            let others = core.threads.iter().any(|thread| thread.unwinding);
            let thread = &mut core.threads[me as usize];
            // The standard library counts panics per operating-system thread, so another coroutine's unwinding
            // shows here, too; then only a thread that has panicked itself can be in the middle of it.
            thread.unwinding = std::thread::panicking() && (!others || thread.panics > 0);
        }
        // SAFETY: the yielder lives on this coroutine's own stack as long as its closure runs, and this is that
        // closure's code: `me` is the running coroutine.
        let signal = unsafe { (*yielder).suspend(()) };
        if let Signal::TearDown = signal {
            self.say_goodbye();
        }
    }

    /// In a run that is over: unwinds the calling thread, or lets its destructors do what they do.
    fn say_goodbye(&self) {
        self.last_words.set(self.last_words.get() + 1);
        if self.last_words.get() > LAST_WORDS {
            self.abandon();
        }
        if !std::thread::panicking() {
            resume_unwind(Box::new(Unwind));
        }
    }

    /// Reads how it ended; the outcome is computed now, from what the program left.
    pub(super) fn end(&self) -> Option<End> {
        let stop = self.core.borrow().stop.clone()?;
        self.over.set(true);
        let finish = self.finish.borrow_mut().take().filter(|_| stop == Stop::Returned);
        let read = finish.map(|finish| catch_unwind(AssertUnwindSafe(finish)));
        let core = self.core.borrow();
        let panics = core.threads.iter().enumerate();
        let panic = panics.filter(|(_, thread)| thread.phase == Phase::Ended || matches!(stop, Stop::Aborted(_)));
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

    fn tear_down(&self) {
        self.over.set(true);
        *self.finish.borrow_mut() = None;
        if matches!(self.core.borrow().stop, Some(Stop::Aborted(_))) {
            // Its panic hook never returned: no other panic may start on this operating-system thread.
            self.leave_all();
            return;
        }
        let count = self.coroutines.borrow().len();
        // Threads in the middle of unwinding first, because until they are through, everyone seems to be panicking;
        // then those that were started last, because they may borrow from the ones that started them.
        for unwinding in [true, false] {
            for thread in (0..count).rev() {
                self.last_words.set(0);
                if self.core.borrow().threads[thread].unwinding == unwinding {
                    self.unwind(thread);
                }
            }
        }
    }

    fn unwind(&self, thread: usize) {
        let started = self.coroutines.borrow()[thread].as_ref().map(Coroutine::started);
        match started {
            None => {}
            Some(true) => {
                self.resume(thread as u32, Signal::TearDown);
                if let Some(left) = self.coroutines.borrow_mut()[thread].take() {
                    std::mem::forget(left);
                    self.tainted.set(true);
                }
            }
            Some(false) => {
                let coroutine = self.coroutines.borrow_mut()[thread].take();
                if let Some(mut coroutine) = coroutine {
                    // Never started: only what its closure captured is dropped.
                    coroutine.force_unwind();
                    STACKS.with_borrow_mut(|stacks| stacks.push(coroutine.into_stack()));
                }
            }
        }
    }

    fn leave_all(&self) {
        for coroutine in self.coroutines.borrow_mut().iter_mut().filter_map(Option::take) {
            std::mem::forget(coroutine);
        }
        self.tainted.set(true);
    }
}

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
        let Some(me) = self.current.get() else { return over };
        if self.over.get() {
            self.say_goodbye();
            return over;
        }
        {
            let mut core = self.core.borrow_mut();
            if core.is_local(&op) && core.stop.is_none() {
                let mut ways = Vec::new();
                core.ways(me, &op, &mut ways);
                let unseen = &mut core.threads[me as usize].unseen;
                *unseen += 1;
                if *unseen > UNSEEN {
                    core.stop = Some(Stop::Livelocked);
                } else if let [way] = ways[..] {
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
        let Some(me) = self.current.get() else { return };
        self.tainted.set(true);
        let yielder = self.yielders.borrow()[me as usize].get();
        loop {
            // SAFETY: as in `suspend`.
            unsafe { (*yielder).suspend(()) };
        }
    }

    fn misuse(&self, message: String) {
        let mut core = self.core.borrow_mut();
        core.stop.get_or_insert(Stop::Misused(message));
    }
}
