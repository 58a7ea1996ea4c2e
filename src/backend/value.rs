//! Values of any type, as a fingerprint for the explorer and as text for the reader.

use castaway::LifetimeFree;
use compact_str::{CompactString, ToCompactString};
use std::fmt::Debug;
use xxhash_rust::xxh3::xxh3_128;

/// A value that the explorer can compare and the reader can see.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Value {
    /// Equal for equal values of one type.
    pub(crate) fingerprint: u128,
    /// As `Debug` writes it; only when the run is recorded.
    pub(crate) text: Option<CompactString>,
}

/// What an operation left in its object.
#[derive(Debug, Clone)]
pub(crate) enum Left {
    /// A known value.
    Value(Value),
    /// A value of a type the explorer knows nothing of: a function of what its writer has seen.
    Opaque,
}

impl Left {
    /// What is left where `value` is now.
    pub(crate) fn of<T>(value: &T, text: bool) -> Left {
        Value::of(value, text).map_or(Left::Opaque, Left::Value)
    }
}

impl Value {
    /// A value of a known type. Types outside the list (a struct of the lesson's, say) give `None`.
    pub(crate) fn of<T>(value: &T, text: bool) -> Option<Value> {
        macro_rules! known {
            ($($type:ty),* $(,)?) => {
                $(if let Ok(value) = castaway::cast!(value, &$type) {
                    return Some(Value::known(value, text));
                })*
            };
        }
        if let Ok(number) = castaway::cast!(value, &u64) {
            return Some(Value::number(*number, text));
        }
        known!(
            bool,
            usize,
            (),
            i64,
            u32,
            i32,
            u8,
            i8,
            u16,
            i16,
            u128,
            i128,
            isize,
            char,
            f32,
            f64,
            String,
            Option<u64>,
            Option<usize>,
            Option<bool>,
            Option<String>,
            Option<u32>,
            Option<i32>,
            Option<()>,
            Vec<u64>,
            Vec<usize>,
            Vec<u32>,
            Vec<i32>,
            Vec<u8>,
            Vec<bool>,
            Vec<String>,
        );
        None
    }

    fn known<T: Debug + LifetimeFree>(value: &T, text: bool) -> Value {
        let mut writer = Fingerprint(Vec::with_capacity(24));
        // `Debug` of these types is one to one (f64 prints every digit that distinguishes it).
        let written = std::fmt::write(&mut writer, format_args!("{value:?}"));
        debug_assert!(written.is_ok());
        let fingerprint = xxh3_128(&writer.0);
        let text = text.then(|| CompactString::from_utf8_lossy(&writer.0));
        Value { fingerprint, text }
    }

    /// A number, without going through its text unless that is wanted.
    pub(crate) fn number(value: u64, text: bool) -> Value {
        Value { fingerprint: xxh3_128(&value.to_le_bytes()), text: text.then(|| value.to_compact_string()) }
    }
}

struct Fingerprint(Vec<u8>);

impl std::fmt::Write for Fingerprint {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        self.0.extend_from_slice(text.as_bytes());
        Ok(())
    }
}
