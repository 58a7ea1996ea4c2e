//! Channels of messages, with crossbeam's interface: many senders, many receivers, bounded or not.

use std::collections::VecDeque;
use std::panic::Location;
use std::sync::Arc;
use std::time::Duration;

pub use crossbeam::channel::{RecvError, RecvTimeoutError, SendError, TryRecvError, TrySendError};

use crate::backend::{Handle, Make, Op, Reply, Repr, Value, check_os};
use crate::trace::Place;

type Messages<T> = Arc<parking_lot::Mutex<VecDeque<T>>>;

/// The sending side; clone it for another sender.
#[derive(Debug)]
pub struct Sender<T> {
    repr: Repr<crossbeam::channel::Sender<T>, Messages<T>>,
}

/// The receiving side; clone it for another receiver (each message goes to one of them).
#[derive(Debug)]
pub struct Receiver<T> {
    repr: Repr<crossbeam::channel::Receiver<T>, Messages<T>>,
}

/// A channel that holds at most `capacity` messages; with 0, a sender waits for a receiver to take its message over.
#[track_caller]
pub fn bounded<T>(capacity: usize) -> (Sender<T>, Receiver<T>) {
    channel(Some(capacity), Place::of(Location::caller()), || crossbeam::channel::bounded(capacity))
}

/// A channel that never makes a sender wait.
#[track_caller]
pub fn unbounded<T>() -> (Sender<T>, Receiver<T>) {
    channel(None, Place::of(Location::caller()), crossbeam::channel::unbounded)
}

type Pair<T> = (crossbeam::channel::Sender<T>, crossbeam::channel::Receiver<T>);

fn channel<T>(capacity: Option<usize>, place: Place, os: impl FnOnce() -> Pair<T>) -> (Sender<T>, Receiver<T>) {
    match Handle::make(Make::Queue { kind: "channel", capacity, bytes: false }, place) {
        Some(handle) => {
            let messages = Messages::default();
            let receiver = Receiver { repr: Repr::Explored(handle, Arc::clone(&messages)) };
            (Sender { repr: Repr::Explored(handle, messages) }, receiver)
        }
        None => {
            let (sender, receiver) = os();
            (Sender { repr: Repr::Os(sender) }, Receiver { repr: Repr::Os(receiver) })
        }
    }
}

impl<T> Sender<T> {
    /// The same, with a name for the reader: it names the channel.
    pub fn named(self, name: &str) -> Self {
        if let Repr::Explored(handle, _) = &self.repr {
            handle.driver().rename(handle.object, name);
        }
        self
    }

    /// Waits for room and puts the message in.
    ///
    /// # Errors
    /// The message, if no receiver is left.
    #[track_caller]
    pub fn send(&self, message: T) -> Result<(), SendError<T>> {
        match &self.repr {
            Repr::Os(sender) => {
                check_os("channel");
                sender.send(message)
            }
            Repr::Explored(handle, messages) => match put(handle, messages, message, false) {
                Ok(()) => Ok(()),
                Err((message, _)) => Err(SendError(message)),
            },
        }
    }

    /// Puts the message in if there is room.
    ///
    /// # Errors
    /// The message, if there is no room or no receiver is left.
    #[track_caller]
    pub fn try_send(&self, message: T) -> Result<(), TrySendError<T>> {
        match &self.repr {
            Repr::Os(sender) => {
                check_os("channel");
                sender.try_send(message)
            }
            Repr::Explored(handle, messages) => match put(handle, messages, message, true) {
                Ok(()) => Ok(()),
                Err((message, reply)) if reply.closed => Err(TrySendError::Disconnected(message)),
                Err((message, _)) => Err(TrySendError::Full(message)),
            },
        }
    }
}

#[track_caller]
fn put<T>(handle: &Handle, messages: &Messages<T>, message: T, try_: bool) -> Result<(), (T, Reply)> {
    let driver = handle.driver();
    let op = Op::Send { queue: handle.object, units: 1, try_ };
    let reply = driver.step(op, Place::of(Location::caller()));
    // What is sent is "seen" by this step; the model keeps it for whoever receives it.
    driver.observe(handle.object, Value::of(&message, driver.recording()), None);
    if !reply.ok {
        return Err((message, reply));
    }
    messages.lock().push_back(message);
    Ok(())
}

impl<T> Receiver<T> {
    /// Waits for a message and takes it.
    ///
    /// # Errors
    /// If the channel is empty and no sender is left.
    #[track_caller]
    pub fn recv(&self) -> Result<T, RecvError> {
        match &self.repr {
            Repr::Os(receiver) => {
                check_os("channel");
                receiver.recv()
            }
            Repr::Explored(handle, messages) => take(handle, messages, false, false).map_err(|_| RecvError),
        }
    }

    /// Takes a message if there is one.
    ///
    /// # Errors
    /// If there is none; the error tells whether a sender is left.
    #[track_caller]
    pub fn try_recv(&self) -> Result<T, TryRecvError> {
        match &self.repr {
            Repr::Os(receiver) => {
                check_os("channel");
                receiver.try_recv()
            }
            Repr::Explored(handle, messages) => {
                take(handle, messages, true, false).map_err(|reply| match reply.closed {
                    true => TryRecvError::Disconnected,
                    false => TryRecvError::Empty,
                })
            }
        }
    }

    /// Waits for a message, but no longer than `timeout`. Under the explorer, either may come first.
    ///
    /// # Errors
    /// If none came in time, or none can come any more.
    #[track_caller]
    pub fn recv_timeout(&self, timeout: Duration) -> Result<T, RecvTimeoutError> {
        match &self.repr {
            Repr::Os(receiver) => {
                check_os("channel");
                receiver.recv_timeout(timeout)
            }
            Repr::Explored(handle, messages) => {
                take(handle, messages, false, true).map_err(|reply| match reply.closed {
                    true => RecvTimeoutError::Disconnected,
                    false => RecvTimeoutError::Timeout,
                })
            }
        }
    }

    /// Messages until no sender is left.
    pub fn iter(&self) -> Iter<'_, T> {
        Iter { receiver: self }
    }
}

#[track_caller]
fn take<T>(handle: &Handle, messages: &Messages<T>, try_: bool, timed: bool) -> Result<T, Reply> {
    let driver = handle.driver();
    let op = Op::Recv { queue: handle.object, units: 1, try_, timed };
    let reply = driver.step(op, Place::of(Location::caller()));
    let message = if reply.ok { messages.lock().pop_front() } else { None };
    let seen = message.as_ref().and_then(|message| Value::of(message, driver.recording()));
    driver.observe(handle.object, seen, None);
    message.ok_or(reply)
}

/// Messages of a channel until no sender is left.
#[derive(Debug)]
pub struct Iter<'a, T> {
    receiver: &'a Receiver<T>,
}

impl<T> Iterator for Iter<'_, T> {
    type Item = T;
    #[track_caller]
    fn next(&mut self) -> Option<T> {
        self.receiver.recv().ok()
    }
}

/// Messages of a channel that is owned, until no sender is left.
#[derive(Debug)]
pub struct IntoIter<T> {
    receiver: Receiver<T>,
}

impl<T> Iterator for IntoIter<T> {
    type Item = T;
    #[track_caller]
    fn next(&mut self) -> Option<T> {
        self.receiver.recv().ok()
    }
}

impl<T> IntoIterator for Receiver<T> {
    type Item = T;
    type IntoIter = IntoIter<T>;
    fn into_iter(self) -> IntoIter<T> {
        IntoIter { receiver: self }
    }
}

impl<'a, T> IntoIterator for &'a Receiver<T> {
    type Item = T;
    type IntoIter = Iter<'a, T>;
    fn into_iter(self) -> Iter<'a, T> {
        self.iter()
    }
}

macro_rules! ends {
    ($end:ident, $senders:literal) => {
        impl<T> Clone for $end<T> {
            #[track_caller]
            fn clone(&self) -> Self {
                let repr = match &self.repr {
                    Repr::Os(end) => Repr::Os(end.clone()),
                    Repr::Explored(handle, messages) => {
                        if let Some(driver) = handle.driver_if_running() {
                            let op = Op::Ends { queue: handle.object, senders: $senders, add: true };
                            driver.step(op, Place::of(Location::caller()));
                        }
                        Repr::Explored(*handle, Arc::clone(messages))
                    }
                };
                $end { repr }
            }
        }

        impl<T> Drop for $end<T> {
            #[track_caller]
            fn drop(&mut self) {
                let Repr::Explored(handle, _) = &self.repr else { return };
                if let Some(driver) = handle.driver_if_running() {
                    let op = Op::Ends { queue: handle.object, senders: $senders, add: false };
                    driver.step(op, Place::of(Location::caller()));
                }
            }
        }
    };
}

ends!(Sender, true);
ends!(Receiver, false);
