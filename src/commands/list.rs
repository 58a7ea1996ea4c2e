//! `learn list`: the lessons, as a table or as JSON.

use std::io::Write;

use colored::Colorize;
use serde::Serialize;

use super::{Exit, Failure, lookup, print_json};
use crate::lesson::{About, Lesson, Role, Size};
use crate::prose::wrap_behind;
use crate::{lessons, terminal};

/// A lesson in the list.
#[derive(Serialize)]
struct Entry {
    id: &'static str,
    #[serde(flatten)]
    about: About,
    variants: Vec<VariantEntry>,
    sizes: Vec<Size>,
}

#[derive(Serialize)]
struct VariantEntry {
    id: &'static str,
    role: Role,
    hook: &'static str,
}

/// Prints the list.
pub fn run(json: bool, out: &mut dyn Write) -> Result<Exit, Failure> {
    let entries: Vec<Entry> = lessons::all().iter().map(entry).collect::<Result<_, Failure>>()?;
    if json {
        print_json(&entries, out)?;
        return Ok(Exit::AsClaimed);
    }
    let width = terminal::width();
    for entry in entries {
        let minutes = format!("({} minutes)", entry.about.minutes);
        for (index, line) in
            wrap_behind(&format!("{}: {} {minutes}", entry.id, entry.about.title), width, "", "  ").iter().enumerate()
        {
            writeln!(out, "{}", if index == 0 { line.bold() } else { line.normal() })?;
        }
        for line in wrap_behind(&entry.about.hook, width, "  ", "  ") {
            writeln!(out, "{line}")?;
        }
    }
    Ok(Exit::AsClaimed)
}

fn entry(lesson: &'static Lesson) -> Result<Entry, Failure> {
    Ok(Entry {
        id: lesson.id,
        about: lookup::about(lesson)?,
        variants: lesson
            .variants
            .iter()
            .map(|variant| VariantEntry { id: variant.id, role: variant.role, hook: variant.hook() })
            .collect(),
        sizes: lesson.sizes.iter().map(|size| Size(size.to_vec())).collect(),
    })
}
