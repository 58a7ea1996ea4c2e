//! Folds long repetition: whoever has seen a loop go round once need not read it forty times.

use super::{At, Row, Shown};
use crate::trace::Trace;

/// Steps of the longest pattern that is recognised.
const LONGEST_PATTERN: usize = 12;

/// Fewest steps that are worth a row of their own that stands for them.
const FEWEST_FOLDED: usize = 3;

/// The rows of a schedule (one a step) with each repetition after its first round as one row. Marked rows stay.
pub(super) fn folded(rows: Vec<Row>, trace: &Trace) -> Vec<Row> {
    let mut out: Vec<Row> = Vec::with_capacity(rows.len());
    let mut at = 0;
    while at < rows.len() {
        let Some((pattern, more)) = repetition(&rows, trace, at) else {
            out.push(rows[at].clone());
            at += 1;
            continue;
        };
        out.extend_from_slice(&rows[at..at + pattern]);
        let (first, last) = (at + pattern, at + pattern + more - 1);
        out.push(Row { values: across(&rows[first..=last]), ..summary(&rows[first], pattern, more, first) });
        at = last + 1;
    }
    out
}

/// The length of the pattern that starts at a row and how many rows after it repeat it, in whole rounds.
fn repetition(rows: &[Row], trace: &Trace, at: usize) -> Option<(usize, usize)> {
    let same = |one: usize, other: usize| {
        let (one, other) = (&trace.steps[one], &trace.steps[other]);
        (one.choice, one.verb, one.object, one.with, one.effect)
            == (other.choice, other.verb, other.object, other.with, other.effect)
            && (one.place.file, one.place.line) == (other.place.file, other.place.line)
    };
    (1..=LONGEST_PATTERN).find_map(|pattern| {
        let repeats =
            (at + pattern..rows.len()).take_while(|index| !rows[*index].marked && same(*index, index - pattern));
        let more = repeats.count() / pattern * pattern;
        (more >= FEWEST_FOLDED).then_some((pattern, more))
    })
}

fn summary(first: &Row, pattern: usize, more: usize, index: usize) -> Row {
    let (from, to) = (index + 1, index + more);
    let text = match pattern {
        1 => format!("{more} more like this (steps {from}–{to})"),
        _ => format!("{more} more like these {pattern} (steps {from}–{to})"),
    };
    Row {
        at: At::More(more, from, to),
        deed: text.clone(),
        full: text,
        code: None,
        place: None,
        file: None,
        ..first.clone()
    }
}

/// Most rows of a timeline: whoever reads more than this reads the JSON.
const MOST_ROWS: usize = 120;

/// Rows that stay on each side of a marked one.
const NEIGHBOURS: usize = 2;

/// The rows, if they are too many without their middle; what is marked stays, with its neighbours.
pub(super) fn shortened(rows: Vec<Row>) -> Vec<Row> {
    if rows.len() <= MOST_ROWS {
        return rows;
    }
    let end = rows.len() - MOST_ROWS / 2;
    let near = |index: usize| {
        rows[index.saturating_sub(NEIGHBOURS)..(index + NEIGHBOURS + 1).min(rows.len())].iter().any(|row| row.marked)
    };
    let kept: Vec<bool> = (0..rows.len()).map(|index| index < MOST_ROWS / 2 || index >= end || near(index)).collect();
    let mut out = Vec::new();
    let mut at = 0;
    for run in kept.chunk_by(|one, other| one == other) {
        let part = &rows[at..at + run.len()];
        at += run.len();
        match (run[0], span(part)) {
            (false, Some((first, last))) => {
                let text = format!("{} steps that are not shown (steps {first}–{last})", last + 1 - first);
                let values = across(part);
                out.push(Row {
                    at: At::More(last + 1 - first, first, last),
                    deed: text.clone(),
                    full: text,
                    code: None,
                    place: None,
                    file: None,
                    values,
                    ..part[0].clone()
                });
            }
            _ => out.extend_from_slice(part),
        }
    }
    out
}

/// The first and the last step that rows stand for.
fn span(rows: &[Row]) -> Option<(usize, usize)> {
    let number = |row: &Row| match row.at {
        At::Step(number) => Some((number, number)),
        At::More(_, first, last) => Some((first, last)),
        At::End => None,
    };
    Some((number(rows.first()?)?.0, number(rows.last()?)?.1))
}

/// What became of each value over several rows.
fn across(rows: &[Row]) -> Vec<Shown> {
    let (Some(first), Some(last)) = (rows.first(), rows.last()) else { return Vec::new() };
    let over = |index: usize| {
        let written = rows.iter().find_map(|row| row.values[index].from.clone());
        let before = first.values[index].from.clone().unwrap_or_else(|| first.values[index].now.clone());
        Shown { from: written.map(|_| before), now: last.values[index].now.clone() }
    };
    (0..first.values.len().min(last.values.len())).map(over).collect()
}
