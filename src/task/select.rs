//! Waiting for the first of two futures.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::task::Poll;

/// What came first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Either<A, B> {
    /// The first future's value.
    Left(A),
    /// The second's.
    Right(B),
}

/// Waits for either future; the other one is dropped. The first is asked first whenever both are ready, as by
/// tokio's `select!` with `biased`.
pub async fn select<A: Future, B: Future>(first: A, second: B) -> Either<A::Output, B::Output> {
    let (mut first, mut second) = (pin!(first), pin!(second));
    poll_fn(|context| {
        if let Poll::Ready(value) = first.as_mut().poll(context) {
            return Poll::Ready(Either::Left(value));
        }
        second.as_mut().poll(context).map(Either::Right)
    })
    .await
}
