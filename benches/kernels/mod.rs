//! The benchmark's programs, each written three times: on the facade, on loom and on shuttle.

pub mod facade;
pub mod on_loom;
pub mod on_shuttle;

/// One of the programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kernel {
    /// So many threads increment a counter so many times, each time under its lock.
    Locked(usize, usize),
    /// Two threads take two locks in opposite orders.
    Crossed,
    /// Two producers on a channel with room for one message, one consumer.
    Producers,
}

impl Kernel {
    /// The name as it is printed, and as a child process is given it.
    pub fn name(self) -> String {
        match self {
            Kernel::Locked(threads, times) => format!("{threads} x {times} locked"),
            Kernel::Crossed => "AB/BA".into(),
            Kernel::Producers => "2 producers, room for 1".into(),
        }
    }
}

/// What a search has cost.
#[derive(Debug, Clone, Copy)]
pub struct Cost {
    pub milliseconds: f64,
    /// Times the program was run.
    pub executions: u64,
    /// Whether the search was cut before its end.
    pub cut: bool,
}
