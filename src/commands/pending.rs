//! MERGE: delete this file; `verdict::report` and `verdict::text` have these types and functions.
//!
//! It stands in for them with the fields agreed on, so that `commands::check` is complete but for its imports.

use std::io::{self, Write};

use serde::Serialize;

use crate::explore::Replay;
use crate::lesson::{Lesson, Role, Sample, Size};
use crate::trace::{Token, Trace};
use crate::verdict::{Parting, Verdict};

/// The version of the JSON schema.
pub const SCHEMA: u32 = 1;

#[derive(Serialize)]
pub struct CheckResult {
    pub lesson: String,
    pub variant: String,
    pub size: Size,
    pub role: Role,
    pub as_claimed: bool,
    pub sample: Option<Sample>,
    pub verdict: Verdict,
}

#[derive(Serialize)]
pub struct CheckReport {
    pub schema: u32,
    pub results: Vec<CheckResult>,
}

#[derive(Serialize)]
pub struct ReplayReport {
    pub lesson: String,
    pub variant: String,
    pub size: Size,
    pub token: Token,
    pub trace: Trace,
    pub parted: Option<Parting>,
    pub broken: Vec<String>,
}

impl ReplayReport {
    pub fn new(lesson: &str, variant: &str, size: Size, token: Token, replay: Replay) -> Self {
        let Replay { trace, parted, broken } = replay;
        ReplayReport { lesson: lesson.into(), variant: variant.into(), size, token, trace, parted, broken }
    }
}

pub fn print_result(result: &CheckResult, lesson: &Lesson, out: &mut dyn Write, _width: usize) -> io::Result<()> {
    writeln!(out, "{} {} {}", result.variant, lesson.size_in_words(&result.size), result.verdict.sentence)
}

pub fn print_summary(report: &CheckReport, out: &mut dyn Write, _width: usize) -> io::Result<()> {
    writeln!(out, "{} verdicts", report.results.len())
}

pub fn print_replay(report: &ReplayReport, _lesson: &Lesson, out: &mut dyn Write, _width: usize) -> io::Result<()> {
    writeln!(out, "{}", report.trace.outcome)
}
