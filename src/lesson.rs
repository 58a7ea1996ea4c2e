//! What a lesson is: its texts, its variants, how each is checked and how it is run for real.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::explore::Model;
use crate::os::report::{Demo, RunReport};
use crate::sources::Sources;

/// A lesson: one folder under `lessons/`, one line in `lessons/mod.rs`.
pub struct Lesson {
    /// Stable name, the folder's: `race`.
    pub id: &'static str,
    /// `lesson.toml`, as text; [`Lesson::about`] reads it.
    pub toml: &'static str,
    /// Broken ones first, in reading order.
    pub variants: Vec<Variant>,
    /// What the numbers of a size count, singular: `["thread", "deposit"]`.
    pub size_of: &'static [&'static str],
    /// The sizes that `learn check` explores, smallest first.
    pub sizes: &'static [&'static [usize]],
    /// Runs the lesson for real.
    pub run: fn(&Demo<'_>) -> RunReport,
    /// How often real threads fail at a size checked by the explorer: (failing runs, runs). Runs `runs` times.
    pub sample: fn(variant: &str, size: &Size, runs: u32) -> Option<Sample>,
}

/// How often the operating system's scheduler hit a failing schedule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Sample {
    /// Runs that broke the claim.
    pub failing: u32,
    /// Runs in all.
    pub runs: u32,
}

/// One way to write the lesson's code.
pub struct Variant {
    /// `broken`, `fixed_lock`: the file's name without `.rs`.
    pub id: &'static str,
    /// The file's text.
    pub source: &'static str,
    /// What the lesson claims of it.
    pub role: Role,
    /// The program to explore, with its claims, at a size.
    pub model: fn(&Size) -> Model,
}

/// What a lesson claims of a variant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Some schedule breaks it.
    Broken,
    /// No schedule breaks it.
    Fixed,
}

impl Variant {
    /// `broken.rs`.
    pub fn file(&self) -> String {
        format!("{}.rs", self.id)
    }

    /// The first line of the file's head comment: what goes wrong, or why it holds.
    pub fn hook(&self) -> &'static str {
        self.source.lines().next().unwrap_or_default().trim_start_matches("//!").trim()
    }
}

/// How large a program is explored: `2x1` is 2 threads × 1 deposit.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct Size(pub Vec<usize>);

impl FromStr for Size {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let parts: Result<Vec<usize>, _> = text.split(['x', '×']).map(|part| part.trim().parse::<usize>()).collect();
        parts
            .map(Size)
            .map_err(|_| format!("`{text}` is no size: write whole numbers joined by x, as in 2x1"))
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts: Vec<String> = self.0.iter().map(usize::to_string).collect();
        f.write_str(&parts.join("x"))
    }
}

/// `lesson.toml`.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct About {
    /// "The unsynchronised balance".
    pub title: String,
    /// One line that makes a reader want to see it.
    pub hook: String,
    /// How long the lesson takes a beginner.
    pub minutes: u32,
    /// The field's terms that it teaches.
    pub terms: Vec<Term>,
    /// Figures of the source articles, quoted beside ours.
    pub figures: Vec<Figure>,
    /// The next lesson's id, if it exists already.
    pub next: Option<String>,
}

/// A term and what it means in one sentence.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Term {
    /// "lost update".
    pub term: String,
    /// Its meaning.
    pub meaning: String,
}

/// A figure of a source article.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Figure {
    /// The article: its letter, A to D.
    pub article: String,
    /// Its title.
    pub title: String,
    /// What it reports.
    pub says: String,
}

impl Lesson {
    /// The lesson's `lesson.toml`, read; the error names the lesson and the line.
    pub fn about(&self) -> Result<About, String> {
        toml::from_str(self.toml).map_err(|error| format!("lessons/{}/lesson.toml: {error}", self.id))
    }

    /// The variant of that id.
    pub fn variant(&self, id: &str) -> Option<&Variant> {
        self.variants.iter().find(|variant| variant.id == id)
    }

    /// "2 threads × 1 deposit".
    pub fn size_in_words(&self, size: &Size) -> String {
        let words: Vec<String> = size
            .0
            .iter()
            .zip(self.size_of)
            .map(|(n, noun)| format!("{n} {noun}{}", if *n == 1 { "" } else { "s" }))
            .collect();
        words.join(" × ")
    }

    /// The source text of its variants, for timelines.
    pub fn sources(&self) -> Sources {
        Sources::new(self.variants.iter().map(|variant| {
            // `Sources` matches by the path's end, so lesson and file together name it.
            let end: &'static str = Box::leak(format!("{}/{}.rs", self.id, variant.id).into_boxed_str());
            (end, variant.source)
        }))
    }
}
