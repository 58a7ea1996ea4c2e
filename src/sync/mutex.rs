//! Mutual exclusion, with parking_lot's interface: `lock` returns the guard, and there is no poison.

use std::cell::Cell;
use std::fmt;
use std::ops::{Deref, DerefMut};
use std::panic::Location;

use crate::backend::{Handle, Left, Make, Op, Repr, Value, check_os, driver, stranded};
use crate::trace::{Effect, Place};

type Storage<T> = parking_lot::Mutex<T>;

/// A value that one thread at a time may use.
pub struct Mutex<T> {
    repr: Repr<Storage<T>, Storage<T>>,
}

/// The right to use the value; gives it back when dropped.
#[must_use = "the lock is given back at once if the guard is not kept"]
pub struct MutexGuard<'a, T> {
    pub(super) lock: &'a Mutex<T>,
    pub(super) inner: Option<parking_lot::MutexGuard<'a, T>>,
    pub(super) wrote: Cell<bool>,
    pub(super) place: Place,
}

impl<T> Mutex<T> {
    /// A new mutex of the running scheduler.
    #[track_caller]
    pub fn new(value: T) -> Self {
        let shown = driver().and_then(|driver| Value::of(&value, driver.recording()));
        let make = Make::Lock { kind: "Mutex", value: shown };
        let repr = match Handle::make(make, Place::of(Location::caller())) {
            Some(handle) => Repr::Explored(handle, Storage::new(value)),
            None => Repr::Os(Storage::new(value)),
        };
        Mutex { repr }
    }

    /// The same, with a name for the reader.
    pub fn named(self, name: &str) -> Self {
        if let Some(handle) = self.handle() {
            handle.driver().rename(handle.object, name);
        }
        self
    }

    pub(super) fn handle(&self) -> Option<&Handle> {
        match &self.repr {
            Repr::Os(_) => None,
            Repr::Explored(handle, _) => Some(handle),
        }
    }

    /// Waits until the mutex is free and takes it.
    #[track_caller]
    pub fn lock(&self) -> MutexGuard<'_, T> {
        let place = Place::of(Location::caller());
        match &self.repr {
            Repr::Os(lock) => {
                check_os("Mutex");
                self.guard(lock.lock(), place)
            }
            Repr::Explored(handle, lock) => {
                handle.driver().step(Op::Lock { object: handle.object, shared: false }, place);
                self.taken(handle, lock, place)
            }
        }
    }

    /// Takes the mutex if it is free.
    #[track_caller]
    pub fn try_lock(&self) -> Option<MutexGuard<'_, T>> {
        let place = Place::of(Location::caller());
        match &self.repr {
            Repr::Os(lock) => {
                check_os("Mutex");
                lock.try_lock().map(|inner| self.guard(inner, place))
            }
            Repr::Explored(handle, lock) => {
                let reply = handle.driver().step(Op::TryLock { object: handle.object, shared: false }, place);
                reply.ok.then(|| self.taken(handle, lock, place))
            }
        }
    }

    /// The value, when nobody else can reach it: no step.
    pub fn into_inner(self) -> T {
        match self.repr {
            Repr::Os(lock) | Repr::Explored(_, lock) => lock.into_inner(),
        }
    }

    /// The value, when nobody else can reach it: no step.
    pub fn get_mut(&mut self) -> &mut T {
        match &mut self.repr {
            Repr::Os(lock) | Repr::Explored(_, lock) => lock.get_mut(),
        }
    }

    fn guard<'a>(&'a self, inner: parking_lot::MutexGuard<'a, T>, place: Place) -> MutexGuard<'a, T> {
        MutexGuard { lock: self, inner: Some(inner), wrote: Cell::new(false), place }
    }

    /// The model has given this thread the lock: the storage is free, too.
    fn taken<'a>(&'a self, handle: &Handle, lock: &'a Storage<T>, place: Place) -> MutexGuard<'a, T> {
        let guard = self.guard(lock.try_lock().unwrap_or_else(|| stranded(place)), place);
        guard.saw(handle);
        guard
    }
}

impl<'a, T> MutexGuard<'a, T> {
    pub(super) fn storage(&self) -> &'a Storage<T> {
        match &self.lock.repr {
            Repr::Os(lock) | Repr::Explored(_, lock) => lock,
        }
    }

    /// Tells the model what this guard finds in the lock.
    pub(super) fn saw(&self, handle: &Handle) {
        if let Some(driver) = handle.driver_if_running() {
            driver.observe(handle.object, self.inner.as_ref().and_then(|v| Value::of(&**v, driver.recording())), None);
        }
    }

    /// Gives the lock back, in the model and in the storage, by `op`.
    pub(super) fn release(&mut self, handle: &Handle, op: impl FnOnce(Effect) -> Op) {
        if let Some(driver) = handle.driver_if_running() {
            let effect = if self.wrote.get() { Effect::Writes } else { Effect::Orders };
            driver.step(op(effect), self.place);
            let text = driver.recording();
            let left = self.inner.as_ref().filter(|_| self.wrote.get()).map(|value| Left::of(&**value, text));
            driver.observe(handle.object, None, left);
        }
        self.inner = None;
        self.wrote.set(false);
    }
}

impl<T> Drop for MutexGuard<'_, T> {
    fn drop(&mut self) {
        if let (Some(handle), true) = (self.lock.handle().copied(), self.inner.is_some()) {
            self.release(&handle, |effect| Op::Unlock { object: handle.object, shared: false, effect });
        }
    }
}

impl<T> Deref for MutexGuard<'_, T> {
    type Target = T;
    fn deref(&self) -> &T {
        match &self.inner {
            Some(value) => value,
            None => unreachable!("a guard holds its lock until it is dropped"),
        }
    }
}

impl<T> DerefMut for MutexGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        self.wrote.set(true);
        match &mut self.inner {
            Some(value) => value,
            None => unreachable!("a guard holds its lock until it is dropped"),
        }
    }
}

impl<T: Default> Default for Mutex<T> {
    #[track_caller]
    fn default() -> Self {
        Mutex::new(T::default())
    }
}

impl<T: fmt::Debug> fmt::Debug for Mutex<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.repr {
            Repr::Os(lock) | Repr::Explored(_, lock) => lock.fmt(f),
        }
    }
}
