//! What a run on the real machine reports; the same data printed as tables and as JSON.

use serde::Serialize;

use crate::lesson::{Figure, Role};

/// What `learn run` asks a lesson for.
pub struct Demo<'a> {
    /// Only this variant; all if `None`.
    pub variant: Option<&'a str>,
    /// Trials of each variant; as many as fit in the time if `None`.
    pub trials: Option<u32>,
    /// The article's size instead of one that takes about two seconds.
    pub full: bool,
    /// Called now and then with what is being done.
    pub progress: &'a dyn Fn(&str),
}

/// A whole run.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct RunReport {
    /// The lesson's id.
    pub lesson: String,
    /// What was run, in words: "4 threads × 1,000 deposits".
    pub setting: String,
    /// What a right run must come to, in words: "a balance of 4,000".
    pub expected: String,
    /// Each variant, in the lesson's order.
    pub variants: Vec<VariantReport>,
    /// What the articles report of the same thing.
    pub figures: Vec<Figure>,
    /// What to keep in mind when reading the figures: one sentence or two.
    pub remark: String,
}

impl RunReport {
    /// Whether every variant showed what the lesson claims of it.
    pub fn as_claimed(&self) -> bool {
        self.variants.iter().all(|variant| variant.as_claimed)
    }
}

/// One variant's trials.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct VariantReport {
    /// Its id.
    pub variant: String,
    /// What the lesson claims of it.
    pub role: Role,
    /// The first line of its head comment.
    pub hook: String,
    /// Trials run.
    pub trials: u32,
    /// Trials that came out wrong.
    pub wrong: u32,
    /// The median outcome in words, where outcomes are numbers: "balance 1,001".
    pub median: Option<String>,
    /// Outcomes with their samples; ranges where there are many.
    pub outcomes: Vec<OutcomeRow>,
    /// Median cost, nanoseconds per operation.
    pub nanoseconds: f64,
    /// What one operation is: "deposit".
    pub per: String,
    /// One sentence: why it came out as it did, or that this run did not show it.
    pub sentence: String,
    /// Whether this run showed what the lesson claims of the variant.
    pub as_claimed: bool,
}

/// One row of an outcome table.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct OutcomeRow {
    /// "balance 4,000", or a range "balance 1,000 to 1,099".
    pub outcome: String,
    /// Trials that came to it.
    pub samples: u32,
    /// Of all trials, 0 to 1.
    pub share: f64,
    /// Whether it is right.
    pub expected: bool,
}
