//! What a reader sees of a schedule, held to its words and its width.

mod analysis;
mod picture;
mod shapes;
