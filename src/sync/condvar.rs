//! Condition variables, with parking_lot's interface.

use std::panic::Location;
use std::time::Duration;

use crate::backend::{Handle, Make, Op, Repr, check_os, stranded};
use crate::trace::Place;

use super::MutexGuard;

/// Lets threads wait until another thread says that something has changed.
#[derive(Debug)]
pub struct Condvar {
    repr: Repr<parking_lot::Condvar, ()>,
}

/// Whether a timed wait ran out of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WaitTimeoutResult(bool);

impl WaitTimeoutResult {
    /// Whether it did.
    pub fn timed_out(self) -> bool {
        self.0
    }
}

impl Condvar {
    /// A new condition variable of the running scheduler.
    #[track_caller]
    #[allow(clippy::new_without_default)]
    pub fn new() -> Self {
        let repr = match Handle::make(Make::Cond, Place::of(Location::caller())) {
            Some(handle) => Repr::Explored(handle, ()),
            None => Repr::Os(parking_lot::Condvar::new()),
        };
        Condvar { repr }
    }

    /// The same, with a name for the reader.
    pub fn named(self, name: &str) -> Self {
        if let Repr::Explored(handle, ()) = &self.repr {
            handle.driver().rename(handle.object, name);
        }
        self
    }

    /// Gives the mutex back and waits to be notified, then takes it again. May return for no reason at all.
    #[track_caller]
    pub fn wait<T>(&self, guard: &mut MutexGuard<'_, T>) {
        self.wait_until_woken(guard, None);
    }

    /// As [`Condvar::wait`], but no longer than `timeout`. Under the explorer, either may come first.
    #[track_caller]
    pub fn wait_for<T>(&self, guard: &mut MutexGuard<'_, T>, timeout: Duration) -> WaitTimeoutResult {
        WaitTimeoutResult(self.wait_until_woken(guard, Some(timeout)))
    }

    /// Waits as long as `condition` is true.
    #[track_caller]
    pub fn wait_while<T>(&self, guard: &mut MutexGuard<'_, T>, mut condition: impl FnMut(&mut T) -> bool) {
        loop {
            // The condition only looks: reaching the value through it is no write.
            let wrote = guard.wrote.get();
            let goes_on = condition(&mut *guard);
            guard.wrote.set(wrote);
            if !goes_on {
                return;
            }
            self.wait_until_woken(guard, None);
        }
    }

    #[track_caller]
    fn wait_until_woken<T>(&self, guard: &mut MutexGuard<'_, T>, timeout: Option<Duration>) -> bool {
        let place = Place::of(Location::caller());
        match &self.repr {
            Repr::Os(cond) => {
                check_os("Condvar");
                let Some(inner) = guard.inner.as_mut() else { return false };
                match timeout {
                    Some(timeout) => cond.wait_for(inner, timeout).timed_out(),
                    None => {
                        cond.wait(inner);
                        false
                    }
                }
            }
            Repr::Explored(handle, ()) => {
                let driver = handle.driver();
                let Some(mutex) = guard.lock.handle().copied() else {
                    let message = format!("at {place} a Condvar of the explorer waits with a Mutex of real threads");
                    driver.misuse(message.clone());
                    crate::backend::refuse(message)
                };
                let (cond, object) = (handle.object, mutex.object);
                guard.release(&mutex, |_| Op::CondWait { cond, mutex: object });
                let reply = driver.step(Op::CondWake { cond, mutex: object, timed: timeout.is_some() }, place);
                guard.inner = Some(guard.storage().try_lock().unwrap_or_else(|| stranded(place)));
                guard.saw(&mutex);
                reply.timed_out
            }
        }
    }

    /// Wakes one waiting thread, if one waits; returns whether one did.
    #[track_caller]
    pub fn notify_one(&self) -> bool {
        self.notify(false) > 0
    }

    /// Wakes every waiting thread; returns how many waited.
    #[track_caller]
    pub fn notify_all(&self) -> usize {
        self.notify(true)
    }

    #[track_caller]
    fn notify(&self, all: bool) -> usize {
        match &self.repr {
            Repr::Os(cond) => {
                check_os("Condvar");
                if all { cond.notify_all() } else { usize::from(cond.notify_one()) }
            }
            Repr::Explored(handle, ()) => {
                let op = Op::Notify { cond: handle.object, all };
                handle.driver().step(op, Place::of(Location::caller())).number as usize
            }
        }
    }
}
