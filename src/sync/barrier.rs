//! A barrier, as [`std::sync::Barrier`].

use std::panic::Location;

use crate::backend::{Handle, Make, Op, Repr, check_os};
use crate::trace::Place;

/// Lets so many threads wait for one another.
#[derive(Debug)]
pub struct Barrier {
    repr: Repr<std::sync::Barrier, ()>,
}

/// Whether this thread was the one that completed the barrier.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BarrierWaitResult(bool);

impl BarrierWaitResult {
    /// True for exactly one of the threads.
    pub fn is_leader(&self) -> bool {
        self.0
    }
}

impl Barrier {
    /// A barrier for `size` threads.
    #[track_caller]
    pub fn new(size: usize) -> Self {
        let repr = match Handle::make(Make::Barrier { size }, Place::of(Location::caller())) {
            Some(handle) => Repr::Explored(handle, ()),
            None => Repr::Os(std::sync::Barrier::new(size)),
        };
        Barrier { repr }
    }

    /// The same, with a name for the reader.
    pub fn named(self, name: &str) -> Self {
        if let Repr::Explored(handle, ()) = &self.repr {
            handle.driver().rename(handle.object, name);
        }
        self
    }

    /// Waits until all have come. The explorer takes the last to come for the leader.
    #[track_caller]
    pub fn wait(&self) -> BarrierWaitResult {
        match &self.repr {
            Repr::Os(barrier) => {
                check_os("Barrier");
                BarrierWaitResult(barrier.wait().is_leader())
            }
            Repr::Explored(handle, ()) => {
                let place = Place::of(Location::caller());
                let driver = handle.driver();
                let arrived = driver.step(Op::Arrive { barrier: handle.object }, place);
                if !arrived.ok {
                    driver.step(Op::Leave { barrier: handle.object, generation: arrived.number }, place);
                }
                BarrierWaitResult(arrived.ok)
            }
        }
    }
}
