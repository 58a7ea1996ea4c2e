//! Atomic integers and booleans, as in [`std::sync::atomic`].

use std::panic::Location;

pub use std::sync::atomic::Ordering;

use crate::backend::{Handle, Left, Make, Op, Repr, Value, check_os};
use crate::trace::{Effect, Place};

/// An atomic fence, as [`std::sync::atomic::fence`]. The explorer is sequentially consistent: there it orders nothing.
pub fn fence(ordering: Ordering) {
    std::sync::atomic::fence(ordering);
}

/// Tells the processor that the caller spins. The explorer takes it for a [`crate::thread::yield_now`].
#[track_caller]
pub fn spin_loop_hint() {
    crate::thread::yield_now();
}

macro_rules! atomic {
    ($(#[$doc:meta])* $name:ident, $value:ty, { $($extra:tt)* }) => {
        $(#[$doc])*
        #[derive(Debug)]
        pub struct $name {
            repr: Repr<std::sync::atomic::$name, std::sync::atomic::$name>,
        }

        impl $name {
            /// A new atomic of the running scheduler.
            #[track_caller]
            pub fn new(value: $value) -> Self {
                let cell = std::sync::atomic::$name::new(value);
                let make = Make::Cell { kind: stringify!($name), value: Some(show(value)) };
                let repr = match Handle::make(make, Place::of(Location::caller())) {
                    Some(handle) => Repr::Explored(handle, cell),
                    None => Repr::Os(cell),
                };
                $name { repr }
            }

            /// The same, with a name for the reader.
            pub fn named(self, name: &str) -> Self {
                if let Repr::Explored(handle, _) = &self.repr {
                    handle.driver().rename(handle.object, name);
                }
                self
            }

            #[track_caller]
            fn access<R>(
                &self,
                verb: &'static str,
                effect: Effect,
                act: impl FnOnce(&std::sync::atomic::$name) -> R,
            ) -> R {
                match &self.repr {
                    Repr::Os(cell) => {
                        check_os(stringify!($name));
                        act(cell)
                    }
                    Repr::Explored(handle, cell) => {
                        let driver = handle.driver();
                        driver.step(Op::Access { object: handle.object, verb, effect }, Place::of(Location::caller()));
                        let before = cell.load(Ordering::Relaxed);
                        let result = act(cell);
                        let after = cell.load(Ordering::Relaxed);
                        let seen = (effect != Effect::Writes).then(|| show(before));
                        let left = (effect == Effect::Writes || before != after || verb != "exchanges")
                            .then(|| Left::Value(show(after)))
                            .filter(|_| effect != Effect::Reads);
                        driver.observe(handle.object, seen, left);
                        result
                    }
                }
            }

            /// Reads the value.
            #[track_caller]
            #[inline]
            pub fn load(&self, order: Ordering) -> $value {
                self.access("reads", Effect::Reads, |cell| cell.load(order))
            }

            /// Replaces the value.
            #[track_caller]
            #[inline]
            pub fn store(&self, value: $value, order: Ordering) {
                self.access("writes", Effect::Writes, |cell| cell.store(value, order));
            }

            /// Replaces the value and returns the former one, in one step.
            #[track_caller]
            #[inline]
            pub fn swap(&self, value: $value, order: Ordering) -> $value {
                self.access("swaps", Effect::Updates, |cell| cell.swap(value, order))
            }

            /// Replaces the value if it is `current`, in one step.
            ///
            /// # Errors
            /// The value found, if it is another.
            #[track_caller]
            #[inline]
            pub fn compare_exchange(
                &self,
                current: $value,
                new: $value,
                success: Ordering,
                failure: Ordering,
            ) -> Result<$value, $value> {
                self.access("exchanges", Effect::Updates, |cell| cell.compare_exchange(current, new, success, failure))
            }

            /// As [`Self::compare_exchange`]; on real processors it may fail for no reason (the explorer's does not).
            ///
            /// # Errors
            /// The value found.
            #[track_caller]
            #[inline]
            pub fn compare_exchange_weak(
                &self,
                current: $value,
                new: $value,
                success: Ordering,
                failure: Ordering,
            ) -> Result<$value, $value> {
                match &self.repr {
                    Repr::Os(cell) => {
                        check_os(stringify!($name));
                        cell.compare_exchange_weak(current, new, success, failure)
                    }
                    Repr::Explored(..) => self.compare_exchange(current, new, success, failure),
                }
            }

            /// Tries `f` on the value until no other thread has come between; `None` from `f` stops.
            ///
            /// # Errors
            /// The value for which `f` returned `None`.
            #[track_caller]
            pub fn fetch_update(
                &self,
                set: Ordering,
                fetch: Ordering,
                mut f: impl FnMut($value) -> Option<$value>,
            ) -> Result<$value, $value> {
                let mut seen = self.load(fetch);
                while let Some(new) = f(seen) {
                    match self.compare_exchange_weak(seen, new, set, fetch) {
                        Ok(former) => return Ok(former),
                        Err(found) => seen = found,
                    }
                }
                Err(seen)
            }

            /// The value, when nobody else can reach it: no step.
            pub fn into_inner(self) -> $value {
                match self.repr {
                    Repr::Os(cell) | Repr::Explored(_, cell) => cell.into_inner(),
                }
            }

            $($extra)*
        }

        impl Default for $name {
            #[track_caller]
            fn default() -> Self {
                Self::new(Default::default())
            }
        }
    };
}

macro_rules! fetch {
    ($value:ty, $($(#[$doc:meta])* $method:ident $verb:literal),* $(,)?) => {
        $(
            $(#[$doc])*
            #[track_caller]
            #[inline]
            pub fn $method(&self, value: $value, order: Ordering) -> $value {
                self.access($verb, Effect::Updates, |cell| cell.$method(value, order))
            }
        )*
    };
}

macro_rules! integers {
    ($($name:ident $value:ty),* $(,)?) => {
        $(atomic! {
            /// An integer that threads may share.
            $name, $value, {
                fetch! { $value,
                    /// Adds (wrapping) and returns the former value, in one step.
                    fetch_add "adds",
                    /// Subtracts (wrapping) and returns the former value, in one step.
                    fetch_sub "subtracts",
                    /// Bitwise and; returns the former value.
                    fetch_and "masks",
                    /// Bitwise or; returns the former value.
                    fetch_or "sets bits",
                    /// Bitwise exclusive or; returns the former value.
                    fetch_xor "flips bits",
                    /// The larger of both stays; returns the former value.
                    fetch_max "raises",
                    /// The smaller of both stays; returns the former value.
                    fetch_min "lowers",
                }
            }
        })*
    };
}

integers! {
    AtomicU8 u8, AtomicU16 u16, AtomicU32 u32, AtomicU64 u64, AtomicUsize usize,
    AtomicI8 i8, AtomicI16 i16, AtomicI32 i32, AtomicI64 i64, AtomicIsize isize,
}

atomic! {
    /// A boolean that threads may share.
    AtomicBool, bool, {
        fetch! { bool,
            /// Logical and; returns the former value.
            fetch_and "masks",
            /// Logical or; returns the former value.
            fetch_or "sets",
            /// Logical exclusive or; returns the former value.
            fetch_xor "flips",
        }
    }
}

fn show<T>(value: T) -> Value {
    let text = crate::backend::driver().is_some_and(|driver| driver.recording());
    Value::of(&value, text).unwrap_or(Value { fingerprint: 0, text: None })
}
