//! The operating-system thread that executions run on.
//!
//! A program may leave a thread in the middle of a panic that never ends (a destructor that panics while its thread
//! unwinds already). Such an operating-system thread is of no more use: the next execution gets a new one.

/// Whether the work goes on.
pub(super) enum Next {
    /// On this operating-system thread.
    Here,
    /// On a new one.
    Elsewhere,
    /// It is done.
    Done,
}

/// Calls `work` until it is done.
pub(super) fn perform<S: Send>(state: &mut S, work: impl Fn(&mut S) -> Next + Sync) {
    loop {
        let on_stage = || {
            loop {
                match work(state) {
                    Next::Here => {}
                    Next::Elsewhere => return false,
                    Next::Done => return true,
                }
            }
        };
        let done = std::thread::scope(|scope| match scope.spawn(on_stage).join() {
            Ok(done) => done,
            Err(payload) => std::panic::resume_unwind(payload),
        });
        if done {
            return;
        }
    }
}
