//! The documents that `--json` prints: a verdict or a replay with what it is about. Their schema is `schema.json`.

use serde::Serialize;

use super::{Parting, Verdict};
use crate::lesson::{Role, Sample, Size};
use crate::trace::{Token, Trace};

/// The version of the documents' shape: it grows when a field goes or changes its meaning, not when one is added.
pub const SCHEMA: u32 = 1;

/// What `learn check --json` prints.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CheckReport {
    /// The version of this document's shape.
    #[cfg_attr(test, schemars(extend("const" = SCHEMA)))]
    pub schema: u32,
    /// One for each program and size, in the order they were checked.
    pub results: Vec<CheckResult>,
}

impl CheckReport {
    /// The document of these results.
    pub fn new(results: Vec<CheckResult>) -> Self {
        CheckReport { schema: SCHEMA, results }
    }
}

/// One program checked at one size.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CheckResult {
    /// The lesson's id.
    pub lesson: String,
    /// The variant's id: its file's name without `.rs`.
    pub variant: String,
    /// The size, as the numbers that `2x1` joins.
    pub size: Size,
    /// What the lesson claims of the variant.
    pub role: Role,
    /// Whether the verdict is what the lesson claims: a broken variant broke, a fixed one held.
    pub as_claimed: bool,
    /// How often real threads failed at this size; `null` if they were not tried.
    pub sample: Option<Sample>,
    /// What the checker says.
    pub verdict: Verdict,
}

/// What `learn check --schedule TOKEN --json` prints.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ReplayReport {
    /// The version of this document's shape.
    #[cfg_attr(test, schemars(extend("const" = SCHEMA)))]
    pub schema: u32,
    /// The lesson's id.
    pub lesson: String,
    /// The variant's id.
    pub variant: String,
    /// The size, as the numbers that `2x1` joins.
    pub size: Size,
    /// The schedule that was asked for; the trace's steps are those that were taken.
    pub token: Token,
    /// Where the schedule no longer fits the program, if it does not.
    pub parted: Option<Parting>,
    /// The claims that this schedule breaks, in words.
    pub broken: Vec<String>,
    /// What the schedule did.
    pub trace: Trace,
}
