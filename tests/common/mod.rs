//! What the tests of the explorer's findings share.

use std::panic::Location;
use std::path::Path;

use pitfalls::explore::{Claims, Model, Options, explore};
use pitfalls::trace::Ending;
use pitfalls::verdict::Verdict;

/// The verdict on every schedule.
pub fn check<T: 'static>(claims: impl Into<Claims<T>>) -> Verdict {
    let model: Model = claims.into().into();
    explore(&model, &Options::default())
}

/// How the counterexample ends.
pub fn ending(verdict: &Verdict) -> &Ending {
    &verdict.counterexample.as_ref().expect("a counterexample").ending
}

/// The line of the caller's own file that holds the text.
#[track_caller]
pub fn line_of(text: &str) -> u32 {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(Location::caller().file());
    let source = std::fs::read_to_string(file).expect("the caller's source is there");
    let found = source.lines().position(|line| line.contains(text) && !line.contains("line_of"));
    found.expect("the line is there") as u32 + 1
}
