//! MERGE: delete this file; `verdict::text` prints these three, and `commands::check` only has to call it.

use std::io::{self, Write};

use crate::lesson::Lesson;
use crate::verdict::report::{CheckReport, CheckResult, ReplayReport};

pub fn print_result(result: &CheckResult, lesson: &Lesson, out: &mut dyn Write, _width: usize) -> io::Result<()> {
    writeln!(out, "{} {} {}", result.variant, lesson.size_in_words(&result.size), result.verdict.sentence)
}

pub fn print_summary(report: &CheckReport, out: &mut dyn Write, _width: usize) -> io::Result<()> {
    writeln!(out, "{} verdicts", report.results.len())
}

pub fn print_replay(report: &ReplayReport, _lesson: &Lesson, out: &mut dyn Write, _width: usize) -> io::Result<()> {
    writeln!(out, "{}", report.trace.outcome)
}
