//! A pipe of bounded capacity between two threads, as [`std::io::pipe`], but with a capacity one can choose.

use std::collections::VecDeque;
use std::io::{self, Read, Write};
use std::panic::Location;
use std::sync::Arc;

use crate::backend::{Driver, Handle, Left, Make, Op, Repr, Value, check_os};
use crate::trace::Place;

/// The reading end. Reads wait for bytes; 0 bytes mean that the writing end is gone.
#[derive(Debug)]
pub struct PipeReader {
    repr: Repr<Arc<OsPipe>, Bytes>,
}

/// The writing end. Writes wait for room; the error `BrokenPipe` means that the reading end is gone.
#[derive(Debug)]
pub struct PipeWriter {
    repr: Repr<Arc<OsPipe>, Bytes>,
}

type Bytes = Arc<parking_lot::Mutex<VecDeque<u8>>>;

/// A pipe between real threads.
#[derive(Debug)]
struct OsPipe {
    state: parking_lot::Mutex<OsState>,
    changed: parking_lot::Condvar,
    capacity: usize,
}

#[derive(Debug, Default)]
struct OsState {
    bytes: VecDeque<u8>,
    reader_gone: bool,
    writer_gone: bool,
}

/// A pipe that holds at most `capacity` bytes (at least one).
#[track_caller]
pub fn pipe(capacity: usize) -> (PipeReader, PipeWriter) {
    let capacity = capacity.max(1);
    let make = Make::Queue { kind: "pipe", capacity: Some(capacity), bytes: true };
    match Handle::make(make, Place::of(Location::caller())) {
        Some(handle) => {
            let bytes = Bytes::default();
            let reader = PipeReader { repr: Repr::Explored(handle, Arc::clone(&bytes)) };
            (reader, PipeWriter { repr: Repr::Explored(handle, bytes) })
        }
        None => {
            let (state, changed) = Default::default();
            let pipe = Arc::new(OsPipe { state, changed, capacity });
            (PipeReader { repr: Repr::Os(Arc::clone(&pipe)) }, PipeWriter { repr: Repr::Os(pipe) })
        }
    }
}

impl PipeWriter {
    /// The same, with a name for the reader: it names the pipe.
    pub fn named(self, name: &str) -> Self {
        if let Repr::Explored(handle, _) = &self.repr {
            handle.driver().rename(handle.object, name);
        }
        self
    }
}

impl Write for PipeWriter {
    #[track_caller]
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if bytes.is_empty() {
            return Ok(0);
        }
        match &self.repr {
            Repr::Os(pipe) => {
                check_os("pipe");
                pipe.write(bytes)
            }
            Repr::Explored(handle, content) => {
                let driver = handle.driver();
                let op = Op::Send { queue: handle.object, units: bytes.len(), try_: false };
                let reply = driver.step(op, Place::of(Location::caller()));
                let moved = &bytes[..(reply.number as usize).min(bytes.len())];
                let mut content = content.lock();
                content.extend(moved);
                observe(&*driver, handle.object, moved, &content);
                if reply.ok { Ok(moved.len()) } else { Err(io::ErrorKind::BrokenPipe.into()) }
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Read for PipeReader {
    #[track_caller]
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if into.is_empty() {
            return Ok(0);
        }
        match &self.repr {
            Repr::Os(pipe) => {
                check_os("pipe");
                Ok(pipe.read(into))
            }
            Repr::Explored(handle, content) => {
                let driver = handle.driver();
                let op = Op::Recv { queue: handle.object, units: into.len(), try_: false, timed: false };
                let reply = driver.step(op, Place::of(Location::caller()));
                let mut content = content.lock();
                let moved = take(&mut content, into, reply.number as usize);
                observe(&*driver, handle.object, &into[..moved], &content);
                Ok(moved)
            }
        }
    }
}

/// Tells the model what went through the pipe and what is in it now.
fn observe(driver: &dyn Driver, pipe: u32, moved: &[u8], content: &VecDeque<u8>) {
    let text = driver.recording();
    let content: Vec<u8> = content.iter().copied().collect();
    driver.observe(pipe, Value::of(&moved.to_vec(), text), Some(Left::of(&content, text)));
}

/// Moves at most `limit` bytes.
fn take(from: &mut VecDeque<u8>, into: &mut [u8], limit: usize) -> usize {
    let moved = limit.min(into.len()).min(from.len());
    for (slot, byte) in into.iter_mut().zip(from.drain(..moved)) {
        *slot = byte;
    }
    moved
}

impl OsPipe {
    fn write(&self, bytes: &[u8]) -> io::Result<usize> {
        let mut state = self.state.lock();
        while !state.reader_gone && state.bytes.len() >= self.capacity {
            self.changed.wait(&mut state);
        }
        if state.reader_gone {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        let moved = bytes.len().min(self.capacity - state.bytes.len());
        state.bytes.extend(&bytes[..moved]);
        self.changed.notify_all();
        Ok(moved)
    }

    fn read(&self, into: &mut [u8]) -> usize {
        let mut state = self.state.lock();
        while !state.writer_gone && state.bytes.is_empty() {
            self.changed.wait(&mut state);
        }
        let moved = take(&mut state.bytes, into, usize::MAX);
        self.changed.notify_all();
        moved
    }
}

macro_rules! end {
    ($end:ident, $gone:ident, $senders:literal) => {
        impl Drop for $end {
            #[track_caller]
            fn drop(&mut self) {
                match &self.repr {
                    Repr::Os(pipe) => {
                        pipe.state.lock().$gone = true;
                        pipe.changed.notify_all();
                    }
                    Repr::Explored(handle, _) => {
                        if let Some(driver) = handle.driver_if_running() {
                            let op = Op::Ends { queue: handle.object, senders: $senders, add: false };
                            driver.step(op, Place::of(Location::caller()));
                        }
                    }
                }
            }
        }
    };
}

end!(PipeWriter, writer_gone, true);
end!(PipeReader, reader_gone, false);
