//! `learn run`: a lesson for real, many times, and what came out.

use std::io::Write;

use super::{Exit, Failure, lookup, note, print_json};
use crate::cli::RunArgs;
use crate::os::report::Demo;
use crate::os::text;
use crate::progress::Deed;
use crate::prose::wrap;
use crate::terminal;

/// Runs the lesson and prints its report.
pub fn run(args: &RunArgs, out: &mut dyn Write) -> Result<Exit, Failure> {
    let lesson = lookup::lesson(&args.lesson)?;
    if let Some(id) = &args.variant {
        lookup::variant(lesson, id)?;
    }
    let progress = terminal::Progress::start();
    let report = (lesson.run)(&Demo {
        variant: args.variant.as_deref(),
        trials: args.trials,
        full: args.full,
        progress: &|text| progress.say(text),
    });
    drop(progress);
    note(lesson.id, Deed::Run);
    if args.json {
        print_json(&report, out)?;
    } else {
        let width = terminal::width();
        text::print(&report, out, width)?;
        let next = format!("Next: `learn check {}` explores every schedule of the same code.", lesson.id);
        writeln!(out)?;
        for line in wrap(&next, width) {
            writeln!(out, "{line}")?;
        }
    }
    Ok(if report.as_claimed() { Exit::AsClaimed } else { Exit::NotAsClaimed })
}
