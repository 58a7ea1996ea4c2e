//! Futures that give way: for a while, or just once.

use std::future::Future;
use std::panic::Location;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use crate::backend::driver;
use crate::trace::Place;

use super::explored::Timer;

/// Done after a while; see [`sleep`].
#[derive(Debug)]
pub struct Sleep {
    inner: Inner,
}

#[derive(Debug)]
enum Inner {
    Os(Pin<Box<tokio::time::Sleep>>),
    Explored(Timer),
}

/// Gives the event loop back for at least `duration`. Under the explorer the timer may run out at any later step.
#[track_caller]
pub fn sleep(duration: Duration) -> Sleep {
    let inner = match driver() {
        Some(_) => Inner::Explored(Timer::new(Place::of(Location::caller()))),
        None => Inner::Os(Box::pin(tokio::time::sleep(duration))),
    };
    Sleep { inner }
}

impl Future for Sleep {
    type Output = ();

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        match &mut self.get_mut().inner {
            Inner::Os(sleep) => sleep.as_mut().poll(context),
            Inner::Explored(timer) => timer.poll(),
        }
    }
}

/// Done when it is asked for the second time; see [`yield_now`].
#[derive(Debug)]
pub struct YieldNow {
    gave_way: bool,
}

/// Gives the event loop back once, so that other tasks may run.
pub fn yield_now() -> YieldNow {
    YieldNow { gave_way: false }
}

impl Future for YieldNow {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        if self.gave_way {
            return Poll::Ready(());
        }
        self.gave_way = true;
        context.waker().wake_by_ref();
        Poll::Pending
    }
}
