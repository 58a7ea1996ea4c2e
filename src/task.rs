//! Tasks on a single-threaded event loop: tokio's current-thread runtime, or the explorer's.
//!
//! Under the explorer an event loop is a token: a task holds it while it is polled and gives it back at an await. So
//! a blocking call inside a task keeps every other task of its loop waiting, as it does for real.

mod explored;
mod select;
mod timer;

use std::fmt;
use std::future::Future;
use std::panic::Location;
use std::pin::Pin;
use std::task::{Context, Poll};

use crate::backend::driver;
use crate::trace::Place;

pub use select::{Either, select};
pub use timer::{Sleep, YieldNow, sleep, yield_now};

/// A task's (or an offloaded closure's) value, to be awaited.
pub struct JoinHandle<T> {
    inner: Inner<T>,
}

enum Inner<T> {
    Os(tokio::task::JoinHandle<T>),
    Explored(explored::Awaited<T>),
}

/// Why there is no value: the task panicked, or its event loop ended first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JoinError {
    message: String,
}

impl fmt::Display for JoinError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for JoinError {}

/// Runs an event loop on this thread until `future` is done; tasks that are not done by then are dropped.
///
/// # Panics
/// Inside another event loop's task, as tokio does; or if the operating system refuses a runtime.
#[track_caller]
pub fn block_on<F: Future>(future: F) -> F::Output {
    match driver() {
        Some(driver) => explored::block_on(&driver, future, Place::of(Location::caller())),
        None => match tokio::runtime::Builder::new_current_thread().enable_time().build() {
            Ok(runtime) => runtime.block_on(future),
            Err(error) => panic!("no event loop could be started: {error}"),
        },
    }
}

/// Starts a task on the event loop that runs this code.
///
/// # Panics
/// Outside of an event loop.
#[track_caller]
pub fn spawn<F>(future: F) -> JoinHandle<F::Output>
where
    F: Future + Send + 'static,
    F::Output: Send + 'static,
{
    let inner = match driver() {
        Some(driver) => Inner::Explored(explored::spawn(&driver, future, Place::of(Location::caller()))),
        None => Inner::Os(tokio::task::spawn(future)),
    };
    JoinHandle { inner }
}

/// Runs a closure that blocks on a thread of its own, so that the event loop goes on meanwhile.
///
/// The explorer's threads for this are as many as are asked for; tokio's pool has a limit.
///
/// # Panics
/// Outside of an event loop.
#[track_caller]
pub fn spawn_blocking<T: Send + 'static>(body: impl FnOnce() -> T + Send + 'static) -> JoinHandle<T> {
    let inner = match driver() {
        Some(driver) => Inner::Explored(explored::spawn_blocking(&driver, body, Place::of(Location::caller()))),
        None => Inner::Os(tokio::task::spawn_blocking(body)),
    };
    JoinHandle { inner }
}

impl<T> Future for JoinHandle<T> {
    type Output = Result<T, JoinError>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        match &mut self.get_mut().inner {
            Inner::Os(handle) => {
                Pin::new(handle).poll(context).map_err(|error| JoinError { message: error.to_string() })
            }
            Inner::Explored(awaited) => awaited.poll(context).map_err(|message| JoinError { message }),
        }
    }
}
