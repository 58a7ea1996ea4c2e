//! Pipes of bounded capacity, and a disk of which only what was flushed survives.

mod disk;
mod pipe;

pub use disk::Disk;
pub use pipe::{PipeReader, PipeWriter, pipe};
