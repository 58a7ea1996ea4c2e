//! A disk with a buffer in front of it.

use std::panic::Location;
use std::sync::Arc;

use compact_str::format_compact;

use crate::backend::{Handle, Left, Make, Op, Repr, Value, check_os};
use crate::trace::{Effect, Place};

/// Lines go into a buffer; [`Disk::flush`] brings them to the disk. Clones are the same disk.
///
/// It keeps its lines in memory with every scheduler, so that what would have survived can be looked at afterwards.
#[derive(Debug, Clone)]
pub struct Disk {
    repr: Arc<Repr<Shared, Shared>>,
}

type Shared = parking_lot::Mutex<Lines>;

#[derive(Debug, Default)]
struct Lines {
    buffered: Vec<String>,
    written: Vec<String>,
}

impl Disk {
    /// An empty disk of the running scheduler.
    #[track_caller]
    #[allow(clippy::new_without_default)]
    pub fn new() -> Self {
        let lines = Shared::default();
        let make = Make::Cell { kind: "disk", value: Some(lines.lock().shown(true)) };
        let repr = match Handle::make(make, Place::of(Location::caller())) {
            Some(handle) => Repr::Explored(handle, lines),
            None => Repr::Os(lines),
        };
        Disk { repr: Arc::new(repr) }
    }

    /// The same, with a name for the reader.
    pub fn named(self, name: &str) -> Self {
        if let Repr::Explored(handle, _) = &*self.repr {
            handle.driver().rename(handle.object, name);
        }
        self
    }

    /// Puts a line into the buffer.
    #[track_caller]
    pub fn append(&self, line: &str) {
        self.access("buffers", |lines| lines.buffered.push(line.to_string()));
    }

    /// Brings everything in the buffer to the disk.
    #[track_caller]
    pub fn flush(&self) {
        self.access("flushes", |lines| {
            let mut buffered = std::mem::take(&mut lines.buffered);
            lines.written.append(&mut buffered);
        });
    }

    /// The lines that would be there after the program's end: look at it when the program is over.
    #[track_caller]
    pub fn survived(&self) -> Vec<String> {
        match &*self.repr {
            Repr::Os(lines) => lines.lock().written.clone(),
            Repr::Explored(handle, lines) => {
                let op = Op::Access { object: handle.object, verb: "looks at", effect: Effect::Reads };
                handle.driver().step(op, Place::of(Location::caller()));
                lines.lock().written.clone()
            }
        }
    }

    #[track_caller]
    fn access(&self, verb: &'static str, act: impl FnOnce(&mut Lines)) {
        match &*self.repr {
            Repr::Os(lines) => {
                check_os("disk");
                act(&mut lines.lock());
            }
            Repr::Explored(handle, lines) => {
                let driver = handle.driver();
                let op = Op::Access { object: handle.object, verb, effect: Effect::Writes };
                driver.step(op, Place::of(Location::caller()));
                let mut lines = lines.lock();
                act(&mut lines);
                let shown = lines.shown(driver.recording());
                drop(lines);
                driver.observe(handle.object, None, Some(Left::Value(shown)));
            }
        }
    }
}

impl Lines {
    fn shown(&self, recording: bool) -> Value {
        let both: Vec<String> =
            self.written.iter().chain([&String::from("|")]).chain(&self.buffered).cloned().collect();
        let fingerprint = Value::of(&both, false).map_or(0, |value| value.fingerprint);
        let text = || format_compact!("{} written, {} buffered", self.written.len(), self.buffered.len());
        Value { fingerprint, text: recording.then(text) }
    }
}
