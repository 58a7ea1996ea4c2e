//! **Pitfalls**: learn concurrency by breaking it on purpose.
//!
//! One source, several schedulers. Code written against [`sync`], [`thread`], [`task`] and [`io`] runs on the
//! operating system's threads as it is, and the [`explore`] module runs the very same code through every schedule.
//!
//! Layers point down only: [`commands`] → [`lessons`] → [`explore`] and [`os`] → the facade.

extern crate self as pitfalls;

mod backend;
pub mod cli;
pub mod commands;
pub mod explore;
pub mod io;
pub mod lesson;
#[path = "../lessons/mod.rs"]
pub mod lessons;
pub mod os;
pub mod process;
pub mod progress;
pub mod prose;
pub mod sources;
pub mod sync;
pub mod task;
pub mod terminal;
pub mod thread;
pub mod timeline;
pub mod trace;
pub mod verdict;
