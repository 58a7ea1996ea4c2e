//! Threads that may borrow, as [`std::thread::scope`].
//!
//! The one place of the facade that needs `unsafe`: the explorer keeps a thread's body as if it could live for ever.
#![allow(unsafe_code)]

use std::cell::RefCell;
use std::marker::PhantomData;
use std::panic::{AssertUnwindSafe, Location, catch_unwind, resume_unwind};

use crate::backend::{Op, Value, driver};
use crate::trace::Place;

use super::spawn::{Explored, prepare, start};

/// Where scoped threads are started.
#[derive(Debug)]
pub struct Scope<'scope, 'env: 'scope> {
    inner: Inner<'scope, 'env>,
}

#[derive(Debug)]
enum Inner<'scope, 'env: 'scope> {
    Os(&'scope std::thread::Scope<'scope, 'env>),
    /// The threads started so far; all are waited for at the scope's end.
    Explored(RefCell<Vec<u32>>, PhantomData<&'scope mut &'env ()>),
}

/// The right to wait for a scoped thread's end before the scope's.
#[derive(Debug)]
pub struct ScopedJoinHandle<'scope, T> {
    inner: Handle<'scope, T>,
}

#[derive(Debug)]
enum Handle<'scope, T> {
    Os(std::thread::ScopedJoinHandle<'scope, T>),
    Explored(Explored<T>),
}

/// Runs `body`, which may start threads that borrow from outside; returns when all of them have ended.
///
/// Unlike std's, the scope itself does not go into its threads: they start no further ones in it.
#[track_caller]
pub fn scope<'env, F, T>(body: F) -> T
where
    F: for<'scope> FnOnce(&Scope<'scope, 'env>) -> T,
{
    let place = Place::of(Location::caller());
    if driver().is_none() {
        return std::thread::scope(|inner| body(&Scope { inner: Inner::Os(inner) }));
    }
    let scope = Scope { inner: Inner::Explored(RefCell::default(), PhantomData) };
    let result = catch_unwind(AssertUnwindSafe(|| body(&scope)));
    let mut panicked = false;
    if let Inner::Explored(threads, _) = &scope.inner {
        for thread in threads.take() {
            if let Some(driver) = driver() {
                panicked |= !driver.step(Op::Join { thread }, place).ok;
            }
        }
    }
    match result {
        Ok(_) if panicked => panic!("a scoped thread panicked"),
        Ok(value) => value,
        Err(payload) => resume_unwind(payload),
    }
}

impl<'scope> Scope<'scope, '_> {
    /// Starts a thread that ends before the scope does.
    #[track_caller]
    pub fn spawn<T: Send + 'scope>(&self, body: impl FnOnce() -> T + Send + 'scope) -> ScopedJoinHandle<'scope, T> {
        let inner = match &self.inner {
            Inner::Os(scope) => Handle::Os(scope.spawn(body)),
            Inner::Explored(threads, _) => {
                let (slot, body) = prepare(body);
                let body: Box<dyn FnOnce() -> Option<Value> + 'scope> = Box::new(body);
                // SAFETY: `scope` joins this thread before anything of 'scope ends. If the run is torn down, its
                // threads are ended in the reverse order of their start, so this one before the one that waits in
                // `scope`; a thread that can't be ended is never resumed, nor is its stack freed.
                let body: Box<dyn FnOnce() -> Option<Value>> = unsafe { std::mem::transmute(body) };
                let handle = start(slot, None, Place::of(Location::caller()), body);
                threads.borrow_mut().push(handle.number());
                Handle::Explored(handle)
            }
        };
        ScopedJoinHandle { inner }
    }
}

impl<T> ScopedJoinHandle<'_, T> {
    /// Waits for the thread's end.
    ///
    /// # Errors
    /// What the thread panicked with.
    #[track_caller]
    pub fn join(self) -> std::thread::Result<T> {
        match self.inner {
            Handle::Os(handle) => handle.join(),
            Handle::Explored(handle) => handle.join(Place::of(Location::caller())),
        }
    }
}
