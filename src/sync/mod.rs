//! Locks, condition variables, barriers, atomics and channels, on whichever scheduler runs.
//!
//! Names and signatures are parking_lot's (a lock has no poison), std's and crossbeam's.

pub mod atomic;
mod barrier;
pub mod channel;
mod condvar;
mod mutex;
mod once;
mod rwlock;

pub use barrier::{Barrier, BarrierWaitResult};
pub use condvar::{Condvar, WaitTimeoutResult};
pub use mutex::{Mutex, MutexGuard};
pub use once::Once;
pub use rwlock::{RwLock, RwLockReadGuard, RwLockWriteGuard};
/// Shared ownership is std's: counting references is no step that another thread could see.
pub use std::sync::{Arc, Weak};
