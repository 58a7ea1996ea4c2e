//! Threads as coroutines: started, resumed, suspended, and ended when their run is over.
//!
//! `unsafe` is needed to reach a coroutine's way out from inside its own code.
#![allow(unsafe_code)]

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::rc::Rc;

use corosensei::stack::DefaultStack;
use corosensei::{Coroutine, CoroutineResult, Yielder};

use crate::backend::{Stop as Unwind, Value, panic_text};

use super::abort;
use super::core::Stop;
use super::run::Run;
use super::thread::Phase;

/// Bytes of a coroutine's stack; the pages are only used when they are touched.
const STACK: usize = 256 * 1024;
/// Operations that a thread may do while its run is torn down.
const LAST_WORDS: u32 = 10_000;

pub(super) enum Signal {
    Go,
    TearDown,
}

pub(super) type WayOut = Yielder<Signal, ()>;
pub(super) type Body = Box<dyn FnOnce() -> Option<Value>>;
pub(super) type Thread = Coroutine<Signal, (), Result<Option<Value>, Box<dyn Any + Send>>>;

thread_local! {
    /// The run of this operating-system thread, for the panic hook.
    pub(super) static RUNNING: RefCell<Option<Rc<Run>>> = const { RefCell::new(None) };
    static STACKS: RefCell<Vec<DefaultStack>> = const { RefCell::new(Vec::new()) };
}

/// What a panicking thread says when its process is about to abort: a destructor has panicked while the thread unwinds
/// already, or a panic has come to code that must not unwind.
const ABORTING: [&str; 2] = ["panic in a destructor during cleanup", "panic in a function that cannot unwind"];

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

impl Run {
    pub(super) fn add_coroutine(&self, body: Body) {
        let number = self.coroutines.borrow().len();
        self.yielders.borrow_mut().push(Cell::new(std::ptr::null()));
        let stack = STACKS.with_borrow_mut(Vec::pop);
        let stack = stack.or_else(|| DefaultStack::new(STACK).ok());
        let Some(stack) = stack else {
            self.core.borrow_mut().stop =
                Some(Stop::Misused(format!("there is no memory for thread {number}'s stack")));
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
    pub(super) fn resume(&self, thread: u32, signal: Signal) {
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
                // A panic that was caught on the way is nobody's business; main's own is kept for the program's end.
                if thread != 0 || !self.main_panicked.get() {
                    me.panic = None;
                }
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
        let aborting = ABORTING.contains(&message.as_str());
        if let Ok(mut core) = self.core.try_borrow_mut() {
            let thread = &mut core.threads[me as usize];
            thread.panics += 1;
            if aborting {
                // The destructor's own panic has just been noted; the process would abort here.
                let ident = thread.ident;
                core.end(ident, Stop::Aborted(me));
            } else {
                thread.panic = Some((message, place));
            }
        }
        if aborting && !abort::is_survivable() {
            self.leave_here();
        }
    }

    /// Suspends the running thread until the explorer comes back to it.
    pub(super) fn suspend(&self, me: u32) {
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
    pub(super) fn say_goodbye(&self) {
        self.last_words.set(self.last_words.get() + 1);
        if self.last_words.get() > LAST_WORDS {
            self.leave_here();
        }
        if !std::thread::panicking() {
            resume_unwind(Box::new(Unwind));
        }
    }

    pub(super) fn tear_down(&self) {
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

    /// Leaves the running thread where it stands, for good.
    pub(super) fn leave_here(&self) {
        let Some(me) = self.current.get() else { return };
        self.tainted.set(true);
        let yielder = self.yielders.borrow()[me as usize].get();
        loop {
            // SAFETY: as in `suspend`.
            unsafe { (*yielder).suspend(()) };
        }
    }
}
