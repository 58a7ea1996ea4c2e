//! The operating system as the scheduler: trials on real threads, and what they report.

pub mod report;
pub mod text;
pub mod trials;
