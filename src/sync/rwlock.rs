//! A lock that several readers or one writer may hold, with parking_lot's interface.

use std::cell::Cell;
use std::ops::{Deref, DerefMut};
use std::panic::Location;

use crate::backend::{Handle, Left, Make, Op, Repr, Value, check_os, driver, stranded};
use crate::trace::{Effect, Place};

type Storage<T> = parking_lot::RwLock<T>;

/// A value that many may read, or one may write.
#[derive(Debug)]
pub struct RwLock<T> {
    repr: Repr<Storage<T>, Storage<T>>,
}

/// The right to read.
#[must_use = "the lock is given back at once if the guard is not kept"]
pub struct RwLockReadGuard<'a, T> {
    model: Option<Handle>,
    inner: Option<parking_lot::RwLockReadGuard<'a, T>>,
    place: Place,
}

/// The right to read and write.
#[must_use = "the lock is given back at once if the guard is not kept"]
pub struct RwLockWriteGuard<'a, T> {
    model: Option<Handle>,
    inner: Option<parking_lot::RwLockWriteGuard<'a, T>>,
    wrote: Cell<bool>,
    place: Place,
}

impl<T> RwLock<T> {
    /// A new lock of the running scheduler.
    #[track_caller]
    pub fn new(value: T) -> Self {
        let shown = driver().and_then(|driver| Value::of(&value, driver.recording()));
        let make = Make::Lock { kind: "RwLock", value: shown };
        let repr = match Handle::make(make, Place::of(Location::caller())) {
            Some(handle) => Repr::Explored(handle, Storage::new(value)),
            None => Repr::Os(Storage::new(value)),
        };
        RwLock { repr }
    }

    /// The same, with a name for the reader.
    pub fn named(self, name: &str) -> Self {
        if let Repr::Explored(handle, _) = &self.repr {
            handle.driver().rename(handle.object, name);
        }
        self
    }

    /// Waits until nobody writes.
    #[track_caller]
    pub fn read(&self) -> RwLockReadGuard<'_, T> {
        let place = Place::of(Location::caller());
        match &self.repr {
            Repr::Os(lock) => {
                check_os("RwLock");
                RwLockReadGuard { model: None, inner: Some(lock.read()), place }
            }
            Repr::Explored(handle, lock) => {
                handle.driver().step(Op::Lock { object: handle.object, shared: true }, place);
                reading(*handle, lock, place)
            }
        }
    }

    /// Waits until nobody reads or writes.
    #[track_caller]
    pub fn write(&self) -> RwLockWriteGuard<'_, T> {
        let place = Place::of(Location::caller());
        match &self.repr {
            Repr::Os(lock) => {
                check_os("RwLock");
                RwLockWriteGuard { model: None, inner: Some(lock.write()), wrote: Cell::new(false), place }
            }
            Repr::Explored(handle, lock) => {
                handle.driver().step(Op::Lock { object: handle.object, shared: false }, place);
                writing(*handle, lock, place)
            }
        }
    }

    /// Takes the right to read if nobody writes.
    #[track_caller]
    pub fn try_read(&self) -> Option<RwLockReadGuard<'_, T>> {
        let place = Place::of(Location::caller());
        match &self.repr {
            Repr::Os(lock) => {
                check_os("RwLock");
                lock.try_read().map(|inner| RwLockReadGuard { model: None, inner: Some(inner), place })
            }
            Repr::Explored(handle, lock) => {
                let reply = handle.driver().step(Op::TryLock { object: handle.object, shared: true }, place);
                reply.ok.then(|| reading(*handle, lock, place))
            }
        }
    }

    /// Takes the right to write if nobody reads or writes.
    #[track_caller]
    pub fn try_write(&self) -> Option<RwLockWriteGuard<'_, T>> {
        let place = Place::of(Location::caller());
        match &self.repr {
            Repr::Os(lock) => {
                check_os("RwLock");
                let inner = lock.try_write()?;
                Some(RwLockWriteGuard { model: None, inner: Some(inner), wrote: Cell::new(false), place })
            }
            Repr::Explored(handle, lock) => {
                let reply = handle.driver().step(Op::TryLock { object: handle.object, shared: false }, place);
                reply.ok.then(|| writing(*handle, lock, place))
            }
        }
    }

    /// The value, when nobody else can reach it: no step.
    pub fn into_inner(self) -> T {
        match self.repr {
            Repr::Os(lock) | Repr::Explored(_, lock) => lock.into_inner(),
        }
    }
}

fn saw<T>(handle: Handle, value: &T) {
    if let Some(driver) = handle.driver_if_running() {
        driver.observe(handle.object, Value::of(value, driver.recording()), None);
    }
}

fn reading<T>(handle: Handle, lock: &Storage<T>, place: Place) -> RwLockReadGuard<'_, T> {
    let inner = lock.try_read().unwrap_or_else(|| stranded(place));
    saw(handle, &*inner);
    RwLockReadGuard { model: Some(handle), inner: Some(inner), place }
}

fn writing<T>(handle: Handle, lock: &Storage<T>, place: Place) -> RwLockWriteGuard<'_, T> {
    let inner = lock.try_write().unwrap_or_else(|| stranded(place));
    saw(handle, &*inner);
    RwLockWriteGuard { model: Some(handle), inner: Some(inner), wrote: Cell::new(false), place }
}

impl<T> Drop for RwLockReadGuard<'_, T> {
    fn drop(&mut self) {
        let Some(handle) = self.model else { return };
        if let Some(driver) = handle.driver_if_running() {
            let op = Op::Unlock { object: handle.object, shared: true, effect: Effect::Orders };
            driver.step(op, self.place);
            driver.observe(handle.object, None, None);
        }
        self.inner = None;
    }
}

impl<T> Drop for RwLockWriteGuard<'_, T> {
    fn drop(&mut self) {
        let Some(handle) = self.model else { return };
        if let Some(driver) = handle.driver_if_running() {
            let wrote = self.wrote.get();
            let effect = if wrote { Effect::Writes } else { Effect::Orders };
            driver.step(Op::Unlock { object: handle.object, shared: false, effect }, self.place);
            let text = driver.recording();
            let left = self.inner.as_ref().filter(|_| wrote).map(|value| Left::of(&**value, text));
            driver.observe(handle.object, None, left);
        }
        self.inner = None;
    }
}

impl<T> Deref for RwLockReadGuard<'_, T> {
    type Target = T;
    fn deref(&self) -> &T {
        match &self.inner {
            Some(value) => value,
            None => unreachable!("a guard holds its lock until it is dropped"),
        }
    }
}

impl<T> Deref for RwLockWriteGuard<'_, T> {
    type Target = T;
    fn deref(&self) -> &T {
        match &self.inner {
            Some(value) => value,
            None => unreachable!("a guard holds its lock until it is dropped"),
        }
    }
}

impl<T> DerefMut for RwLockWriteGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        self.wrote.set(true);
        match &mut self.inner {
            Some(value) => value,
            None => unreachable!("a guard holds its lock until it is dropped"),
        }
    }
}
