//! Lives through the abort of an explored thread (Unix only; elsewhere see [`is_survivable`]).
//!
//! A destructor that panics while its thread unwinds ends the process: the standard library calls the panic hook,
//! then `abort`, which raises SIGABRT. POSIX lets a handler of that signal not return: ours leaves the coroutine where
//! it stands, for good. (Staying in the panic hook instead would keep its lock, and whoever sets or takes a hook later
//! would wait for ever: libtest does so at the end of every test binary.)
#![allow(unsafe_code)]

/// Whether an abort can be lived through here. If not, the coroutine is left inside the panic hook.
pub(super) fn is_survivable() -> bool {
    platform::prepare()
}

#[cfg(unix)]
mod platform {
    use std::cell::Cell;
    use std::sync::OnceLock;

    use crate::explore::coroutine::RUNNING;

    thread_local! {
        static EXPECTED: Cell<bool> = const { Cell::new(false) };
    }

    /// The next SIGABRT on this thread is an explored thread's; every other one still ends the process.
    pub(super) fn prepare() -> bool {
        static INSTALLED: OnceLock<bool> = OnceLock::new();
        let installed = *INSTALLED.get_or_init(|| {
            // SAFETY: all zeros is a valid `sigaction`: no flags, an empty mask; the handler is set before use.
            let mut action: libc::sigaction = unsafe { std::mem::zeroed() };
            action.sa_sigaction = on_abort as extern "C" fn(libc::c_int) as usize;
            // It never returns, so the signal must not stay blocked on this thread.
            action.sa_flags = libc::SA_NODEFER;
            // SAFETY: `action` is complete, and the handler only does what is said there.
            unsafe { libc::sigaction(libc::SIGABRT, &raw const action, std::ptr::null_mut()) == 0 }
        });
        EXPECTED.set(installed);
        installed
    }

    extern "C" fn on_abort(signal: libc::c_int) {
        if EXPECTED.take() {
            // Raised by `abort` on this very thread, from code that holds nothing: it is safe to leave from here.
            let run = RUNNING.with_borrow(Clone::clone);
            if let Some(run) = run {
                run.leave_here();
            }
        }
        // SAFETY: gives the signal back to the system, which ends the process.
        unsafe {
            libc::signal(signal, libc::SIG_DFL);
            libc::raise(signal);
        }
    }
}

#[cfg(not(unix))]
mod platform {
    pub(super) fn prepare() -> bool {
        false
    }
}
