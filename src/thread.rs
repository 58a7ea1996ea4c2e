//! Threads, as [`std::thread`], on whichever scheduler runs.

mod scope;
mod spawn;

use std::panic::Location;
use std::time::Duration;

use crate::backend::{Op, driver};
use crate::trace::Place;

pub use scope::{Scope, ScopedJoinHandle, scope};
pub use spawn::{Builder, JoinHandle, Thread, current, spawn};
/// What joining a thread gives: its value, or what it panicked with.
pub use std::thread::Result;

/// Gives way to other threads. The explorer lets any thread run at any step, so there it is no step of its own.
#[track_caller]
pub fn yield_now() {
    pause(std::thread::yield_now);
}

/// Waits. Under the explorer time is virtual: any other thread may go on first, for as long as it likes, or not.
#[track_caller]
pub fn sleep(duration: Duration) {
    pause(|| std::thread::sleep(duration));
}

#[track_caller]
fn pause(os: impl FnOnce()) {
    match driver() {
        None => os(),
        Some(driver) => {
            driver.step(Op::Pause, Place::of(Location::caller()));
        }
    }
}

/// Waits until [`Thread::unpark`] has been called for this thread (it may have been before), or for no reason at all.
#[track_caller]
pub fn park() {
    park_within(None);
}

/// As [`park`], but no longer than `timeout`. Under the explorer, either may come first.
#[track_caller]
pub fn park_timeout(timeout: Duration) {
    park_within(Some(timeout));
}

#[track_caller]
fn park_within(timeout: Option<Duration>) {
    match (driver(), timeout) {
        (Some(driver), _) => {
            let slot = driver.park_slot(driver.current());
            driver.step(Op::Park { slot, timed: timeout.is_some() }, Place::of(Location::caller()));
        }
        (None, Some(timeout)) => std::thread::park_timeout(timeout),
        (None, None) => std::thread::park(),
    }
}
