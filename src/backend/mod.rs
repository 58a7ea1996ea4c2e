//! Which scheduler an object belongs to, and how the facade asks it for a step.
//!
//! Each object picks its back end when it is made: the operating system's, unless a model checker runs on this
//! thread. A checker implements [`Driver`]; the facade performs an operation on its own storage only after
//! [`Driver::step`] has returned, so that nothing else can run in between. loom will be a third back end, with objects
//! of its own beside [`Repr::Explored`].

mod op;
mod value;

use std::cell::{Cell, RefCell};
use std::rc::Rc;

pub(crate) use op::{Make, Op, Reply, Spawn};
pub(crate) use value::{Left, Value};

use crate::trace::Place;

/// A scheduler that decides which operation comes next.
pub(crate) trait Driver {
    /// Distinguishes this run from every other run of the process.
    fn run(&self) -> u64;
    /// Whether values are wanted as text too.
    fn recording(&self) -> bool;
    /// Registers an object; returns its number in this run.
    fn create(&self, make: Make, place: Place) -> u32;
    /// Gives an object a name for the reader.
    fn rename(&self, object: u32, name: &str);
    /// Waits until the scheduler lets this thread do the operation; applies what it does to the model.
    fn step(&self, op: Op, place: Place) -> Reply;
    /// Tells what the operation that was just stepped saw in its object and left there.
    fn observe(&self, object: u32, seen: Option<Value>, left: Option<Left>);
    /// Starts a thread; returns its number in this run.
    fn spawn(&self, spawn: Spawn, place: Place) -> u32;
    /// The number of the running thread.
    fn current(&self) -> u32;
    /// The object that thread parks on.
    fn park_slot(&self, thread: u32) -> u32;
    /// The task that the running thread polls and its event loop: (task, loop).
    fn task(&self) -> Option<(u32, u32)>;
    /// Sets or clears what [`Driver::task`] answers for the running thread; returns what it was.
    fn set_task(&self, task: Option<(u32, u32)>) -> Option<(u32, u32)>;
    /// Whether the run is over: objects are plain data then, and operations neither wait nor count.
    fn over(&self) -> bool;
    /// Leaves the running thread where it is, for good: the run is being torn down, and it cannot go on.
    fn abandon(&self);
    /// Ends the run: the code asked for what cannot be.
    fn misuse(&self, message: String);
}

thread_local! {
    static DRIVER: RefCell<Option<Rc<dyn Driver>>> = const { RefCell::new(None) };
    /// Mirrors whether `DRIVER` is set, so that the operating system's back end pays one load for the check.
    static DRIVEN: Cell<bool> = const { Cell::new(false) };
}

/// Makes `driver` this thread's scheduler while `body` runs.
pub(crate) fn with_driver<R>(driver: Rc<dyn Driver>, body: impl FnOnce() -> R) -> R {
    struct Reset;
    impl Drop for Reset {
        fn drop(&mut self) {
            DRIVEN.set(false);
            let last = DRIVER.with_borrow_mut(Option::take);
            drop(last);
        }
    }
    DRIVER.set(Some(driver));
    DRIVEN.set(true);
    let _reset = Reset;
    body()
}

/// The scheduler of this thread, if it is a model checker.
pub(crate) fn driver() -> Option<Rc<dyn Driver>> {
    if !DRIVEN.get() {
        return None;
    }
    DRIVER.with_borrow(Clone::clone)
}

/// An object under a model checker: which run it belongs to, and its number there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Handle {
    run: u64,
    pub(crate) object: u32,
    kind: &'static str,
}

/// An object's back end: `O` is the operating system's own type, `E` the storage that the explorer guards.
#[derive(Debug)]
pub(crate) enum Repr<O, E> {
    /// Real threads.
    Os(O),
    /// The explorer.
    Explored(Handle, E),
}

/// A run that an object was used outside of; the run asks [`foreign_use`] for it at its end.
static FOREIGN: parking_lot::Mutex<Vec<(u64, String)>> = parking_lot::Mutex::new(Vec::new());

/// What was said of a use of this run's objects on a thread that the run does not schedule.
pub(crate) fn foreign_use(run: u64) -> Option<String> {
    let mut all = FOREIGN.lock();
    let found = all.iter().position(|(of, _)| *of == run)?;
    Some(all.swap_remove(found).1)
}

impl Handle {
    /// Registers an object with the running model checker, if one runs.
    pub(crate) fn make(make: Make, place: Place) -> Option<Handle> {
        let driver = driver()?;
        let kind = make.kind();
        Some(Handle { run: driver.run(), object: driver.create(make, place), kind })
    }

    /// The scheduler this object belongs to, if it runs on this thread; otherwise the use is an error.
    #[track_caller]
    pub(crate) fn driver(&self) -> Rc<dyn Driver> {
        match driver() {
            Some(driver) if driver.run() == self.run => driver,
            other => self.used_elsewhere(other.is_some(), Place::of(std::panic::Location::caller())),
        }
    }

    /// The scheduler, if its run still goes on on this thread: for destructors, which must not fail.
    pub(crate) fn driver_if_running(&self) -> Option<Rc<dyn Driver>> {
        driver().filter(|driver| driver.run() == self.run && !driver.over())
    }

    fn used_elsewhere(&self, explored: bool, place: Place) -> ! {
        let other = if explored { "another exploration" } else { "a thread that the explorer does not schedule" };
        let message = format!(
            "a {} made under the explorer is used by {other} at {place}: start threads with pitfalls::thread, \
             and make every shared object inside the program that is explored",
            self.kind
        );
        FOREIGN.lock().push((self.run, message.clone()));
        refuse(message)
    }
}

/// The one check of the operating system's back end: its objects are not used while a checker runs.
#[track_caller]
#[inline]
pub(crate) fn check_os(kind: &'static str) {
    if DRIVEN.get() {
        used_under_checker(kind, Place::of(std::panic::Location::caller()));
    }
}

#[cold]
fn used_under_checker(kind: &'static str, place: Place) {
    let Some(driver) = driver().filter(|driver| !driver.over()) else { return };
    let message = format!(
        "a {kind} made for real threads is used under the explorer at {place}: make every shared object inside the \
         program that is explored (a static is made before it)"
    );
    driver.misuse(message.clone());
    refuse(message)
}

/// Ends the calling code with a message; the checker reports it as a misuse, not as the program's own panic.
#[cold]
pub(crate) fn refuse(message: String) -> ! {
    std::panic::panic_any(message)
}

/// The model let a thread go on although its storage is taken: only when a run is torn down, and by a thread that was
/// left where it stood. The calling thread is left there as well.
#[cold]
pub(crate) fn stranded(place: Place) -> ! {
    if let Some(driver) = driver() {
        driver.abandon();
    }
    refuse(format!("the object used at {place} is held by a thread that has ended without giving it back"))
}

/// The payload that unwinds a thread whose run is over. Whoever catches panics lets it through.
pub(crate) struct Stop;

/// A panic's message.
pub(crate) fn panic_text(payload: &(dyn std::any::Any + Send)) -> String {
    let text = payload.downcast_ref::<String>().cloned();
    let text = text.or_else(|| payload.downcast_ref::<&str>().map(|text| (*text).to_string()));
    text.unwrap_or_else(|| "a panic with a value that is no text".into())
}
