//! What an exploration knows across its executions: who is who, and which objects more than one thread touches.
//!
//! A thread or object is identified by its maker and how many that had made before, never by a global order, which
//! would differ from schedule to schedule.

use std::collections::HashMap;

/// A thread's or object's number for the whole exploration.
pub(super) type Ident = u32;

/// The main thread.
pub(super) const MAIN: Ident = 0;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Sort {
    Thread,
    Object,
    /// The slot that a thread parks on.
    Park,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Touched {
    Never,
    By(Ident),
    Shared,
}

/// See the module.
#[derive(Debug)]
pub(super) struct Atlas {
    known: HashMap<(Ident, u32, Sort), Ident>,
    touched: Vec<Touched>,
    /// An object that was taken for one thread's own turned out to be shared: what was explored so far is void.
    surprised: bool,
}

impl Atlas {
    pub(super) fn new() -> Self {
        Atlas { known: HashMap::new(), touched: vec![Touched::Never], surprised: false }
    }

    /// The `count`-th thing of its sort that `maker` makes.
    pub(super) fn ident(&mut self, maker: Ident, count: u32, sort: Sort) -> Ident {
        let touched = &mut self.touched;
        *self.known.entry((maker, count, sort)).or_insert_with(|| {
            touched.push(Touched::Never);
            (touched.len() - 1) as Ident
        })
    }

    /// Whether more than one thread is known to touch the object while others live.
    pub(super) fn shared(&self, object: Ident) -> bool {
        self.touched[object as usize] == Touched::Shared
    }

    /// A thread touches the object while other threads live.
    pub(super) fn touch(&mut self, object: Ident, thread: Ident) {
        let touched = &mut self.touched[object as usize];
        match *touched {
            Touched::Never => *touched = Touched::By(thread),
            Touched::By(other) if other != thread => {
                *touched = Touched::Shared;
                self.surprised = true;
            }
            Touched::By(_) | Touched::Shared => {}
        }
    }

    /// Whether something turned out to be shared since this was last asked.
    pub(super) fn surprised(&mut self) -> bool {
        std::mem::take(&mut self.surprised)
    }
}
