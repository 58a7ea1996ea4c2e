//! A schedule as rows that a reader can follow, whatever they are drawn on: [`text`], [`svg`].
//!
//! A row is a step. The steps that matter are marked, long repetition is folded, and one sentence says what happened.

mod analysis;
mod endings;
mod fold;
mod layout;
#[cfg(test)]
pub(crate) mod samples;
pub mod svg;
#[cfg(test)]
mod tests;
pub mod text;
mod words;

pub use analysis::explain;
pub(crate) use words::clean;
use words::{Words, left_in};

use crate::sources::Sources;
use crate::trace::{Ending, Place, Trace};
use crate::verdict::Kind;

/// A schedule, laid out in rows.
#[derive(Debug, Clone, PartialEq)]
pub struct Timeline {
    /// The threads that have a row, in the order of their numbers.
    pub threads: Vec<String>,
    /// The shared objects whose value changes and can be shown.
    pub values: Vec<String>,
    /// The only object that the steps touch, if there is only one: their deeds then need not name it.
    pub only_object: Option<String>,
    /// In order.
    pub rows: Vec<Row>,
    /// What the schedule shows, in one sentence.
    pub sentence: String,
    /// What sort of bug it would be, if a claim calls the schedule wrong.
    pub kind: Kind,
}

/// A row of a timeline.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// Which step or steps it stands for.
    pub at: At,
    /// Whose, as an index into [`Timeline::threads`]; of the first of several steps.
    pub thread: usize,
    /// What is done, with the object only where there are several: "reads 0".
    pub deed: String,
    /// The same, always with the object it is done to: "reads 0 from balance".
    pub full: String,
    /// Whether it is one of the accesses that matter.
    pub marked: bool,
    /// One for each of [`Timeline::values`].
    pub values: Vec<Shown>,
    /// Where in the source; the first line of several.
    pub place: Option<Place>,
    /// The file's name, if the timeline's rows are in more than one.
    pub file: Option<String>,
    /// The source line there.
    pub code: Option<String>,
}

/// Which part of the schedule a row stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum At {
    /// The step of this number, from 1.
    Step(usize),
    /// Steps that repeat those above: how many, and the numbers of the first and the last.
    More(usize, usize, usize),
    /// How it stands with a thread after the last step.
    End,
}

/// An object's value after a row.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Shown {
    /// The value before the row, if the row wrote the object.
    pub from: Option<String>,
    /// The value after it; empty if none is known.
    pub now: String,
}

impl Shown {
    /// "1", or "0→1" where it was written; the same value on both sides is a write that changed nothing.
    pub fn text(&self) -> String {
        match &self.from {
            Some(from) => format!("{from}→{}", self.now),
            None => self.now.clone(),
        }
    }
}

impl Timeline {
    /// Lays a schedule out.
    pub fn new(trace: &Trace, sources: &Sources) -> Timeline {
        let words = Words::new(trace, sources);
        let analysis = analysis::analyse(trace, sources);
        let ends = ends(&words);
        let mut numbers: Vec<u32> = trace.steps.iter().map(|step| step.choice.thread).collect();
        numbers.extend(ends.iter().map(|(thread, ..)| *thread));
        numbers.sort_unstable();
        numbers.dedup();
        let column = |number: u32| numbers.iter().position(|known| *known == number).unwrap_or_default();
        let touched: Vec<usize> =
            (0..trace.objects.len()).filter(|index| trace.steps.iter().any(|step| touches(step, *index))).collect();
        // A value that nothing changes is in the deeds of those who read it.
        let written = |index: &usize| trace.steps.iter().any(|step| left_in(step, *index).is_some());
        let shown: Vec<usize> = touched.iter().copied().filter(written).collect();
        let only_object = touched.first().filter(|_| touched.len() == 1).map(|index| words.object(*index));
        let mut current: Vec<Option<String>> =
            shown.iter().map(|index| trace.objects[*index].initial.as_deref().map(clean)).collect();
        let file = |place: &Place| words.several_files.then(|| clean(place.file_name()));
        let mut rows: Vec<Row> = Vec::new();
        for (index, step) in trace.steps.iter().enumerate() {
            let values = shown.iter().zip(&mut current).map(|(object, value)| after(step, *object, value)).collect();
            rows.push(Row {
                at: At::Step(index + 1),
                thread: column(step.choice.thread),
                deed: words.deed(step, only_object.is_none()),
                full: words.deed(step, true),
                marked: analysis.marked.contains(&index),
                values,
                place: Some(step.place),
                file: file(&step.place),
                code: words.code(&step.place),
            });
        }
        let mut rows = fold::shortened(fold::folded(rows, trace));
        rows.extend(ends.into_iter().map(|(thread, deed, place)| Row {
            at: At::End,
            thread: column(thread),
            full: deed.clone(),
            deed,
            marked: false,
            values: current.iter().map(|now| Shown { from: None, now: now.clone().unwrap_or_default() }).collect(),
            place,
            file: place.as_ref().and_then(file),
            code: place.as_ref().and_then(|place| words.code(place)),
        }));
        Timeline {
            threads: numbers.iter().map(|number| words.thread(*number)).collect(),
            values: shown.iter().map(|index| words.object(*index)).collect(),
            rows,
            only_object,
            sentence: analysis.sentence,
            kind: analysis.kind,
        }
    }
}

fn touches(step: &crate::trace::Step, object: usize) -> bool {
    step.object == Some(object)
        || step.with == Some(object)
        || step.changes.iter().any(|(changed, _)| *changed == object)
}

/// An object's value after a step; `value` goes with it.
fn after(step: &crate::trace::Step, object: usize, value: &mut Option<String>) -> Shown {
    if step.object == Some(object) && value.is_none() {
        *value = step.seen.as_deref().map(clean);
    }
    let Some(left) = left_in(step, object).map(clean) else {
        return Shown { from: None, now: value.clone().unwrap_or_default() };
    };
    let from = value.replace(left.clone()).unwrap_or_default();
    Shown { from: Some(from), now: left }
}

/// How it stands with each thread that did not come to its end, after the last step.
fn ends(words: &Words<'_>) -> Vec<(u32, String, Option<Place>)> {
    let waiting = |waits: &[crate::trace::Wait]| -> Vec<(u32, String, Option<Place>)> {
        let wait =
            |wait: &crate::trace::Wait| (wait.thread, format!("waits for {}", clean(&wait.awaited)), Some(wait.place));
        waits.iter().map(wait).collect()
    };
    let spinning = |spins: &[(u32, Vec<Place>)]| -> Vec<(u32, String, Option<Place>)> {
        let places = spins
            .iter()
            .flat_map(|(thread, places)| endings::distinct(places).into_iter().map(|place| (*thread, place)));
        places.map(|(thread, place)| (thread, "goes round".to_string(), Some(place))).collect()
    };
    match &words.trace.ending {
        Ending::Deadlocked { waits } => waiting(waits),
        Ending::Livelocked { spins, waits } => [spinning(spins), waiting(waits)].concat(),
        Ending::TooLong { spins } => spinning(spins),
        Ending::Panicked { thread, .. } => vec![(*thread, "panics".to_string(), None)],
        Ending::Aborted { thread, .. } => vec![(*thread, "panics twice: abort".to_string(), None)],
        Ending::Returned | Ending::Exited { .. } | Ending::Misused { .. } => Vec::new(),
    }
}
