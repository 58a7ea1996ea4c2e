//! Names, values and places of a trace as a reader sees them: one way to say each, safe to print anywhere.

use std::cell::RefCell;
use std::collections::HashMap;

use crate::prose::cut;
use crate::sources::Sources;
use crate::trace::{Effect, Ending, Place, Step, Trace, Way};

/// Most columns of an object's name in a table.
const NAME: usize = 20;

/// Most columns of a value in a table.
const VALUE: usize = 24;

/// Most columns of a name or a value in a sentence.
const LONG: usize = 48;

/// A trace with what is needed to talk about it.
pub(super) struct Words<'a> {
    pub(super) trace: &'a Trace,
    pub(super) sources: &'a Sources,
    /// Whether its places are in more than one file, so that a line number alone says too little.
    pub(super) several_files: bool,
    /// Source lines that were looked up already: a file may have to be read from the disk.
    lines: RefCell<HashMap<(&'static str, u32), Option<String>>>,
}

impl<'a> Words<'a> {
    pub(super) fn new(trace: &'a Trace, sources: &'a Sources) -> Self {
        let mut files = trace.steps.iter().map(|step| step.place.file);
        let several_files = files.next().is_some_and(|first| files.any(|file| file != first));
        Words { trace, sources, several_files, lines: RefCell::default() }
    }

    pub(super) fn thread(&self, number: u32) -> String {
        let known = self.trace.threads.get(number as usize).map(|thread| clean(&thread.name));
        known.filter(|name| !name.is_empty()).unwrap_or_else(|| format!("thread {number}"))
    }

    /// Without quotes, for a table.
    pub(super) fn object(&self, index: usize) -> String {
        let known = self.trace.objects.get(index).map(|object| clean(&object.name));
        known.filter(|name| !name.is_empty()).unwrap_or_else(|| format!("object {index}"))
    }

    /// In quotes, for a sentence.
    pub(super) fn quoted(&self, index: usize) -> String {
        format!("`{}`", cut(&self.object(index), LONG))
    }

    /// Whether a step takes a lock that somebody waits for at the end and whose value never changes: who holds it is
    /// then all that matters.
    fn only_held(&self, step: &Step) -> bool {
        let Ending::Deadlocked { waits } = &self.trace.ending else { return false };
        let fought_over =
            waits.iter().any(|wait| wait.object.is_some() && wait.object == step.object && !wait.held_by.is_empty());
        fought_over && step.object.is_some_and(|object| !self.trace.steps.iter().any(|step| writes(step, object)))
    }

    /// "line 17", or "fixed_lock.rs line 17".
    pub(super) fn at(&self, place: &Place) -> String {
        match self.several_files {
            true => format!("{} line {}", clean(place.file_name()), place.line),
            false => format!("line {}", place.line),
        }
    }

    /// The source line at a place, if its text is at hand.
    pub(super) fn code(&self, place: &Place) -> Option<String> {
        let read = || self.sources.line(place).map(|line| clean(&line)).filter(|line| !line.is_empty());
        self.lines.borrow_mut().entry((place.file, place.line)).or_insert_with(read).clone()
    }

    /// What a step does, third person: "reads 0", or with its object "reads 0 from balance".
    pub(super) fn deed(&self, step: &Step, with_object: bool) -> String {
        let short = |index: usize| cut(&self.object(index), NAME);
        let object = step.object.filter(|_| with_object).map(short);
        let of = |link: &str| object.as_ref().map(|name| format!(" {link}{name}")).unwrap_or_default();
        let value = |text: &str| cut(&clean(text), VALUE);
        let seen = step.seen.as_deref().filter(|_| !self.only_held(step)).map(value);
        let left = step.left.as_deref().map(value);
        let verb = clean(step.verb);
        let mut text = match (step.effect, &seen, &left) {
            (Effect::Reads, Some(seen), _) if is_plain(&verb) => format!("{verb} {seen}{}", of("from ")),
            (Effect::Reads, Some(seen), _) => format!("{verb}{}, sees {seen}", of("")),
            (Effect::Writes, _, Some(left)) if is_plain(&verb) => format!("{verb} {left}{}", of("to ")),
            (Effect::Updates, Some(seen), Some(left)) if !releases(step) => format!("{verb}{}: {seen}→{left}", of("")),
            (Effect::Writes | Effect::Updates, _, Some(left)) => format!("{verb}{}, leaves {left}", of("")),
            (Effect::Updates, Some(seen), None) => format!("{verb}{}, sees {seen}", of("")),
            _ => format!("{verb}{}", of("")),
        };
        if let Some(other) = step.with.filter(|_| with_object) {
            let link = if waits(step) { ", releasing" } else { " with" };
            text.push_str(&format!("{link} {}", short(other)));
        }
        match step.choice.way {
            Way::TimedOut if !verb.contains("time") => text.push_str(" (timed out)"),
            Way::Spurious if !verb.contains("spurious") => text.push_str(" (spurious wake-up)"),
            _ => {}
        }
        text
    }
}

fn is_plain(verb: &str) -> bool {
    matches!(verb, "reads" | "writes" | "loads" | "stores")
}

/// Whether a step gives a lock back.
pub(super) fn releases(step: &Step) -> bool {
    step.verb.starts_with("unlock") || step.verb.starts_with("releas")
}

/// Whether a step waits, as on a condition variable.
pub(super) fn waits(step: &Step) -> bool {
    step.verb.starts_with("wait")
}

/// Whether a step reads an object's value. Giving a lock back is no new look at what it guards.
pub(super) fn reads(step: &Step, object: usize) -> bool {
    step.object == Some(object) && matches!(step.effect, Effect::Reads | Effect::Updates) && !releases(step)
}

/// Whether a step writes an object's value.
pub(super) fn writes(step: &Step, object: usize) -> bool {
    step.object == Some(object) && (step.left.is_some() || matches!(step.effect, Effect::Writes | Effect::Updates))
        || step.changes.iter().any(|(changed, _)| *changed == object)
}

/// The value a step left in an object, if it wrote one that can be shown.
pub(super) fn left_in(step: &Step, object: usize) -> Option<&str> {
    let change = step.changes.iter().rev().find(|(changed, _)| *changed == object).map(|(_, value)| value.as_str());
    change.or(step.left.as_deref().filter(|_| step.object == Some(object)))
}

/// The value of an object before a step, if one was shown by then.
pub(super) fn value_before(trace: &Trace, object: usize, index: usize) -> Option<&str> {
    let earlier = trace.steps.get(..index)?;
    let written = earlier.iter().rev().find(|step| writes(step, object)).map(|step| left_in(step, object));
    written.unwrap_or_else(|| trace.objects.get(object)?.initial.as_deref())
}

/// A thread's name at the start of a sentence.
pub(super) fn sentence_case(text: &str) -> String {
    let ours = ["thread ", "task ", "main ", "line ", "in ", "nobody ", "between "];
    match (ours.iter().any(|word| text.starts_with(word)), text.chars().next()) {
        (true, Some(first)) => first.to_uppercase().chain(text.chars().skip(1)).collect(),
        _ => text.to_string(),
    }
}

/// "a", "a and b", "a, b and c".
pub(super) fn listed(items: &[String]) -> String {
    match items {
        [] => String::new(),
        [one] => one.clone(),
        [front @ .., last] => format!("{} and {last}", front.join(", ")),
    }
}

/// A value in a sentence.
pub(super) fn quoted_value(value: &str) -> String {
    cut(&clean(value), LONG)
}

/// Text on one line without control characters: a value under test must not steer the reader's terminal.
pub(crate) fn clean(text: &str) -> String {
    let is_hidden = |c: char| {
        c.is_control()
            || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
    };
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\t' => shown.push(' '),
            c if is_hidden(c) => shown.extend(c.escape_default()),
            c => shown.push(c),
        }
    }
    shown
}
