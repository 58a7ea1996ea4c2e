//! `learn` alone: where the reader is, and the next step.

use std::io::Write;

use colored::Colorize;

use super::{Exit, Failure, lookup};
use crate::progress::{Deed, Progress};
use crate::prose::{wrap, wrap_behind};
use crate::{lessons, terminal};

/// Says where the reader is.
pub fn run(out: &mut dyn Write) -> Result<Exit, Failure> {
    let width = terminal::width();
    let progress = Progress::load();
    let all = lessons::all();
    let done = |id: &str| Deed::ALL.iter().all(|deed| progress.has(id, *deed));
    let finished = all.iter().filter(|lesson| done(lesson.id)).count();
    let mut say = |text: &str, indent: &str| -> Result<(), Failure> {
        Ok(wrap_behind(text, width, indent, indent).iter().try_for_each(|line| writeln!(out, "{line}"))?)
    };
    say("Pitfalls: learn concurrency by breaking it on purpose.", "")?;
    say(&format!("Lessons finished: {finished} of {}", all.len()), "")?;
    say("", "")?;
    let Some(lesson) = all.iter().find(|lesson| !done(lesson.id)) else {
        say("You have been through every lesson. `learn list` names them; each can be run and checked again.", "")?;
        return Ok(Exit::AsClaimed);
    };
    let about = lookup::about(lesson)?;
    say(&format!("You are at {}: {} ({} minutes)", lesson.id, about.title, about.minutes), "")?;
    say(&about.hook, "  ")?;
    for deed in Deed::ALL {
        let mark = if progress.has(lesson.id, deed) { "[x]" } else { "[ ]" };
        say(&format!("{mark} learn {} {}: {}", deed.word(), lesson.id, purpose(deed)), "  ")?;
    }
    say("", "")?;
    let next = Deed::ALL.into_iter().find(|deed| !progress.has(lesson.id, *deed)).unwrap_or(Deed::Run);
    if next == Deed::Run {
        say(&format!("Predict first. {}", about.question), "")?;
    }
    writeln!(out, "{} {}", "Next:".bold(), format!("learn {} {}", next.word(), lesson.id).bold())?;
    let mut say = |text: &str| wrap(text, width).iter().try_for_each(|line| writeln!(out, "{line}"));
    say(&format!("(Without installing: `cargo run -- {} {}`)", next.word(), lesson.id))?;
    Ok(Exit::AsClaimed)
}

fn purpose(deed: Deed) -> &'static str {
    match deed {
        Deed::Run => "see it go wrong on real threads",
        Deed::Check => "see every schedule, and the smallest that fails",
        Deed::Show => "read the code, broken against fixed",
    }
}
