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
    /// How often real threads fail at a size checked by the explorer: (failing runs, runs). Runs `runs` times,
    /// or as often as a moment allows.
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

    /// The file's text without its head comment.
    pub fn code(&self) -> &'static str {
        let lines = self.source.split_inclusive('\n');
        let head = lines.take_while(|line| line.starts_with("//!") || line.trim().is_empty());
        let length: usize = head.map(str::len).sum();
        self.source.get(length..).unwrap_or_default()
    }

    /// The first line of the file's head comment: what goes wrong, or why it holds.
    pub fn hook(&self) -> &'static str {
        self.source.lines().next().unwrap_or_default().trim_start_matches("//!").trim()
    }
}

/// The largest number in a size: beyond it no exploration ends, and the machine runs out of threads.
pub const LARGEST: usize = 100;

/// How large a program is explored: `2x1` is 2 threads × 1 deposit.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct Size(pub Vec<usize>);

impl FromStr for Size {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let parts: Result<Vec<usize>, _> = text.split(['x', '×']).map(|part| part.trim().parse::<usize>()).collect();
        parts.map(Size).map_err(|_| format!("`{text}` is no size: write whole numbers joined by x, as in 2x1"))
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
    /// What a reader should predict before the first run.
    pub question: String,
    /// What happens and why, in a few paragraphs.
    pub story: String,
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

    /// A size of this lesson, from text such as `2x1`; the error says what a size is here.
    pub fn parse_size(&self, text: &str) -> Result<Size, String> {
        let size: Size = text.parse().map_err(|error: String| format!("{error} ({})", self.size_form()))?;
        self.check_size(&size)?;
        Ok(size)
    }

    /// Whether a size has this lesson's numbers, none of them zero or beyond [`LARGEST`].
    pub fn check_size(&self, size: &Size) -> Result<(), String> {
        let problem = if size.0.len() != self.size_of.len() {
            format!("has {} number{}", size.0.len(), if size.0.len() == 1 { "" } else { "s" })
        } else if size.0.contains(&0) {
            "has a zero".to_string()
        } else if size.0.iter().any(|number| *number > LARGEST) {
            format!("is too large: {LARGEST} is the most")
        } else {
            return Ok(());
        };
        Err(format!("the size {size} {problem}; {}", self.size_form()))
    }

    /// "a size of race is threads x deposits, as in 2x1".
    fn size_form(&self) -> String {
        let nouns: Vec<String> = self.size_of.iter().map(|noun| format!("{noun}s")).collect();
        let example = self.sizes.first().map(|size| Size(size.to_vec()).to_string()).unwrap_or_default();
        format!("a size of {} is {}, as in {example}", self.id, nouns.join(" x "))
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

#[cfg(test)]
mod tests {
    use crate::lessons;

    #[test]
    fn a_size_that_does_not_fit_the_lesson_is_refused_with_what_would() {
        let race = &lessons::all()[0];
        assert_eq!(race.parse_size("2x1").map(|size| size.0), Ok(vec![2, 1]));
        assert_eq!(race.parse_size("3×2").map(|size| size.0), Ok(vec![3, 2]));
        for (text, problem) in [
            ("2", "has 1 number;"),
            ("2x1x1", "has 3 numbers;"),
            ("0x1", "has a zero;"),
            ("2x101", "is too large: 100 is the most;"),
            ("2x", "is no size"),
            ("-1x2", "is no size"),
            ("99999999999999999999x1", "is no size"),
        ] {
            let error = race.parse_size(text).unwrap_err();
            assert!(error.contains(problem), "{text}: {error}");
            assert!(error.contains("a size of race is threads x deposits, as in 2x1"), "{text}: {error}");
        }
    }
}
