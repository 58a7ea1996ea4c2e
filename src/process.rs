//! Ending the program, as [`std::process`].

use std::panic::Location;

use crate::backend::{Op, driver};
use crate::trace::Place;

/// Ends the program at once: no destructor runs, no other thread goes on, nothing that is buffered is written.
#[track_caller]
pub fn exit(code: i32) -> ! {
    if let Some(driver) = driver() {
        driver.step(Op::Exit { code: Some(code) }, Place::of(Location::caller()));
        // The explorer never comes back to a program that has ended; only a destructor of its end gets here.
        driver.abandon();
    }
    std::process::exit(code)
}
