//! Something done once, with parking_lot's interface.

use std::panic::Location;

use crate::backend::{Handle, Make, Op, Repr, check_os};
use crate::trace::Place;

/// Runs a closure at most once, whoever comes first.
#[derive(Debug)]
pub struct Once {
    repr: Repr<parking_lot::Once, ()>,
}

impl Once {
    /// Not done yet.
    #[track_caller]
    #[allow(clippy::new_without_default)]
    pub fn new() -> Self {
        let repr = match Handle::make(Make::Once, Place::of(Location::caller())) {
            Some(handle) => Repr::Explored(handle, ()),
            None => Repr::Os(parking_lot::Once::new()),
        };
        Once { repr }
    }

    /// The same, with a name for the reader.
    pub fn named(self, name: &str) -> Self {
        if let Repr::Explored(handle, ()) = &self.repr {
            handle.driver().rename(handle.object, name);
        }
        self
    }

    /// Runs `f` if nobody has yet, and waits for whoever is running it. If `f` panics, the next caller tries again.
    #[track_caller]
    pub fn call_once(&self, f: impl FnOnce()) {
        let place = Place::of(Location::caller());
        match &self.repr {
            Repr::Os(once) => {
                check_os("Once");
                // As under the explorer, a panic leaves it undone for the next caller.
                once.call_once_force(|_| f());
            }
            Repr::Explored(handle, ()) => {
                let handle = *handle;
                if !handle.driver().step(Op::OnceBegin { once: handle.object }, place).ok {
                    return;
                }
                let mut end = End { handle, place, undo: true };
                f();
                end.undo = false;
            }
        }
    }
}

/// Marks the end of the closure, however it ends.
struct End {
    handle: Handle,
    place: Place,
    undo: bool,
}

impl Drop for End {
    fn drop(&mut self) {
        if let Some(driver) = self.handle.driver_if_running() {
            driver.step(Op::OnceEnd { once: self.handle.object, undo: self.undo }, self.place);
        }
    }
}
