//! Starting a thread, waiting for its end, waking it.

use std::panic::Location;
use std::sync::Arc;

use crate::backend::{Op, Spawn, Value, driver, refuse};
use crate::trace::Place;

/// What a thread leaves for whoever joins it.
pub(crate) type Slot<T> = Arc<parking_lot::Mutex<Option<T>>>;

/// The right to wait for a thread's end.
#[derive(Debug)]
pub struct JoinHandle<T> {
    inner: Inner<T>,
}

#[derive(Debug)]
enum Inner<T> {
    Os(std::thread::JoinHandle<T>),
    Explored(Explored<T>),
}

/// A thread of the explorer: its number in the run, and where its value will be.
#[derive(Debug)]
pub(crate) struct Explored<T> {
    run: u64,
    thread: u32,
    slot: Slot<std::thread::Result<T>>,
}

/// A thread that can be unparked.
#[derive(Debug, Clone)]
pub struct Thread {
    inner: Who,
}

#[derive(Debug, Clone)]
enum Who {
    Os(std::thread::Thread),
    Explored { run: u64, thread: u32 },
}

/// Starts a thread.
#[track_caller]
pub fn spawn<T: Send + 'static>(body: impl FnOnce() -> T + Send + 'static) -> JoinHandle<T> {
    match driver() {
        None => JoinHandle { inner: Inner::Os(std::thread::spawn(body)) },
        Some(_) => JoinHandle { inner: Inner::Explored(explored(None, Place::of(Location::caller()), body)) },
    }
}

/// Starts a thread with a name.
#[derive(Debug, Default)]
pub struct Builder {
    name: Option<String>,
}

impl Builder {
    /// A thread without a name yet.
    pub fn new() -> Self {
        Builder::default()
    }

    /// Names it: timelines show the name.
    pub fn name(self, name: String) -> Self {
        Builder { name: Some(name) }
    }

    /// Starts the thread.
    ///
    /// # Errors
    /// The operating system's, if it cannot make one more thread.
    #[track_caller]
    pub fn spawn<T: Send + 'static>(self, body: impl FnOnce() -> T + Send + 'static) -> std::io::Result<JoinHandle<T>> {
        let inner = match driver() {
            None => {
                let builder = std::thread::Builder::new();
                let builder = match self.name {
                    Some(name) => builder.name(name),
                    None => builder,
                };
                Inner::Os(builder.spawn(body)?)
            }
            Some(_) => Inner::Explored(explored(self.name, Place::of(Location::caller()), body)),
        };
        Ok(JoinHandle { inner })
    }
}

/// Starts a thread of the explorer that lives as long as it likes.
fn explored<T: 'static>(name: Option<String>, place: Place, body: impl FnOnce() -> T + 'static) -> Explored<T> {
    let (handle, body) = prepare(body);
    start(handle, name, place, Box::new(body))
}

/// The slot for a thread's value, and the body that fills it.
pub(crate) fn prepare<'a, T: 'a>(
    body: impl FnOnce() -> T + 'a,
) -> (Slot<std::thread::Result<T>>, impl FnOnce() -> Option<Value> + 'a) {
    let slot: Slot<std::thread::Result<T>> = Slot::default();
    let filled = Arc::clone(&slot);
    let body = move || {
        let value = body();
        let shown = Value::of(&value, false);
        *filled.lock() = Some(Ok(value));
        shown
    };
    (slot, body)
}

pub(crate) fn start<T>(
    slot: Slot<std::thread::Result<T>>,
    name: Option<String>,
    place: Place,
    body: Box<dyn FnOnce() -> Option<Value>>,
) -> Explored<T> {
    match driver() {
        Some(driver) => {
            let thread = driver.spawn(Spawn { name, sort: "thread", body }, place);
            Explored { run: driver.run(), thread, slot }
        }
        None => refuse(format!("the thread spawned at {place} has no scheduler any more")),
    }
}

impl<T> Explored<T> {
    pub(crate) fn number(&self) -> u32 {
        self.thread
    }

    pub(crate) fn join(self, place: Place) -> std::thread::Result<T> {
        match driver().filter(|driver| driver.run() == self.run) {
            Some(driver) => {
                driver.step(Op::Join { thread: self.thread }, place);
            }
            None => refuse(format!("a thread of the explorer is joined outside of its run, at {place}")),
        }
        let value = self.slot.lock().take();
        value.unwrap_or_else(|| Err(Box::new("the thread panicked, or its program had ended")))
    }
}

impl<T> JoinHandle<T> {
    /// Waits for the thread's end.
    ///
    /// # Errors
    /// What the thread panicked with (under the explorer, the panic's message).
    #[track_caller]
    pub fn join(self) -> std::thread::Result<T> {
        match self.inner {
            Inner::Os(handle) => handle.join(),
            Inner::Explored(handle) => handle.join(Place::of(Location::caller())),
        }
    }

    /// The thread, to unpark it.
    pub fn thread(&self) -> Thread {
        let inner = match &self.inner {
            Inner::Os(handle) => Who::Os(handle.thread().clone()),
            Inner::Explored(Explored { run, thread, .. }) => Who::Explored { run: *run, thread: *thread },
        };
        Thread { inner }
    }
}

/// The running thread.
pub fn current() -> Thread {
    let inner = match driver() {
        Some(driver) => Who::Explored { run: driver.run(), thread: driver.current() },
        None => Who::Os(std::thread::current()),
    };
    Thread { inner }
}

impl Thread {
    /// Lets the thread's present or next [`super::park`] return.
    #[track_caller]
    pub fn unpark(&self) {
        match &self.inner {
            Who::Os(thread) => thread.unpark(),
            Who::Explored { run, thread } => {
                let place = Place::of(Location::caller());
                match driver().filter(|driver| driver.run() == *run) {
                    Some(driver) => {
                        let slot = driver.park_slot(*thread);
                        driver.step(Op::Unpark { slot }, place);
                    }
                    None => refuse(format!("a thread of the explorer is unparked outside of its run, at {place}")),
                }
            }
        }
    }
}
