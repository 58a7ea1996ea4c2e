//! Which assumption a schedule breaks: the sort of bug, the accesses that matter, and one sentence about them.

use std::collections::HashMap;

use super::endings;
use super::words::{Words, clean, left_in, listed, quoted_value, reads, releases, sentence_case, value_before, writes};
use crate::sources::Sources;
use crate::trace::{Effect, Ending, Trace};
use crate::verdict::Kind;

/// What is to be said about a schedule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Analysis {
    /// What sort of bug it would be, if a claim calls the schedule wrong.
    pub kind: Kind,
    /// One sentence, about facts of the schedule only.
    pub sentence: String,
    /// The steps that matter, as indices into [`Trace::steps`], in order.
    pub marked: Vec<usize>,
}

/// The sort of bug that a failing schedule shows, and one sentence for the reader.
pub fn explain(trace: &Trace, sources: &Sources) -> (Kind, String) {
    let Analysis { kind, sentence, .. } = analyse(trace, sources);
    (kind, sentence)
}

/// Finds what matters in a schedule. How it ended comes first; only a schedule that ended well is searched for
/// values that went stale.
pub fn analyse(trace: &Trace, sources: &Sources) -> Analysis {
    let words = Words::new(trace, sources);
    match &trace.ending {
        Ending::Returned | Ending::Exited { .. } => lost_update(&words)
            .or_else(|| endings::lost_data(&words))
            .or_else(|| changed_between(&words))
            .or_else(|| changed_after_reading(&words))
            .unwrap_or_else(|| Analysis {
                kind: Kind::Interleaving,
                sentence: format!("In this order of steps the program comes to: {}.", clean(&trace.outcome)),
                marked: Vec::new(),
            }),
        Ending::Panicked { .. } => {
            let panic = endings::of(&words, &trace.ending);
            match lost_update(&words) {
                Some(cause) => Analysis {
                    kind: panic.kind,
                    sentence: format!("{} {}", cause.sentence, panic.sentence),
                    marked: cause.marked,
                },
                None => panic,
            }
        }
        ending => endings::of(&words, ending),
    }
}

/// A read of a thread, a later write by it to the same object, and what others changed between the two.
struct Stale {
    object: usize,
    read: usize,
    write: usize,
    between: Vec<usize>,
    /// Whether the thread looked again after the change, by another read or in the critical section that the write
    /// ends.
    again: bool,
}

/// Every write that follows a read of the same object by the same thread, with another thread's change between; in
/// the order of the writes.
fn stale_writes(trace: &Trace) -> Vec<Stale> {
    let mut found: Vec<Stale> = (0..trace.objects.len()).flat_map(|object| stale_writes_to(trace, object)).collect();
    found.sort_by_key(|stale| stale.write);
    found
}

fn stale_writes_to(trace: &Trace, object: usize) -> Vec<Stale> {
    let mut found = Vec::new();
    // What each thread has read since it last wrote, and every change so far.
    let mut seen: HashMap<u32, Vec<usize>> = HashMap::new();
    let mut changed: Vec<usize> = Vec::new();
    for (index, step) in trace.steps.iter().enumerate() {
        let thread = step.choice.thread;
        let own = seen.entry(thread).or_default();
        if !writes(step, object) {
            match step.with == Some(object) {
                // A wait on a condition variable gives the lock back; whoever wakes looks anew.
                true => own.clear(),
                false if reads(step, object) => own.push(index),
                false => {}
            }
            continue;
        }
        let mut own = std::mem::take(own);
        // The look that this critical section began with is as fresh as can be.
        let fresh = releases(step) && own.pop().is_some();
        let others = || changed.iter().rev().copied().filter(|other| trace.steps[*other].choice.thread != thread);
        let last = others().next();
        let is_stale = |read: &&usize| last.is_some_and(|change| change > **read);
        let last_is_stale = own.last().filter(is_stale).is_some();
        let read = if last_is_stale && !fresh { own.last() } else { own.iter().find(is_stale) };
        if let Some(&read) = read {
            let mut between: Vec<usize> = others().take_while(|change| *change > read).collect();
            between.reverse();
            found.push(Stale { object, read, write: index, between, again: fresh || !last_is_stale });
        }
        if changes(trace, index, object) {
            changed.push(index);
        }
    }
    found
}

/// Whether a step wrote an object and, as far as values are shown, another value than it had.
fn changes(trace: &Trace, index: usize, object: usize) -> bool {
    let step = &trace.steps[index];
    let left = left_in(step, object);
    writes(step, object) && (left.is_none() || left != value_before(trace, object, index))
}

fn lost_update(words: &Words<'_>) -> Option<Analysis> {
    let trace = words.trace;
    let stale = stale_writes(trace).into_iter().find(|stale| {
        let step = &trace.steps[stale.write];
        let kept_in_order = endings::is_container(trace.objects[stale.object].kind);
        let atomic = step.effect == Effect::Updates && !releases(step);
        !kept_in_order && !atomic && (!stale.again || overwrites(trace, stale))
    })?;
    let (read, write) = (&trace.steps[stale.read], &trace.steps[stale.write]);
    let object = words.quoted(stale.object);
    let last = *stale.between.last()?;
    let writes_it = match left_in(write, stale.object) {
        Some(left) => format!("writes {} to {object}", quoted_value(left)),
        None => format!("writes {object}"),
    };
    let seen = match &read.seen {
        Some(seen) => format!("computed from the {} it read", quoted_value(seen)),
        None => "computed from what it read".to_string(),
    };
    let other = words.thread(trace.steps[last].choice.thread);
    let made = match left_in(&trace.steps[last], stale.object) {
        Some(value) => format!("{other} had made it {} in step {}", quoted_value(value), last + 1),
        None => format!("{other} had changed it in step {}", last + 1),
    };
    let lost = match stale.between.len() {
        1 => format!("{made}, and that change is lost"),
        2 => format!("it was changed twice meanwhile ({made}), and both changes are lost"),
        n => format!("it was changed {n} times meanwhile ({made}), and all those changes are lost"),
    };
    let writer = words.thread(write.choice.thread);
    let text = format!("{writer} {writes_it} in step {}, {seen} in step {}; {lost}.", stale.write + 1, stale.read + 1);
    Some(Analysis { kind: Kind::LostUpdate, sentence: sentence_case(&text), marked: vec![stale.read, stale.write] })
}

/// Whether a write that had a fresh look at the value ignored what it saw: told from the values alone, because which
/// look a computation used is nowhere written down. In doubt it is none, so that a right read-modify-write is never
/// accused.
fn overwrites(trace: &Trace, stale: &Stale) -> bool {
    let object = stale.object;
    let (Some(old), Some(now), Some(left)) = (
        trace.steps[stale.read].seen.as_deref(),
        value_before(trace, object, stale.write),
        left_in(&trace.steps[stale.write], object),
    ) else {
        return false;
    };
    if old == now {
        return false;
    }
    if left == now || left == old {
        return true;
    }
    match (number(old), number(now), number(left)) {
        (Some(old), Some(now), Some(left)) => {
            // A change of the size that others make to this object, counted from the old value and not from the new.
            let usual: Vec<i128> = stale
                .between
                .iter()
                .filter_map(|index| {
                    Some(
                        number(left_in(&trace.steps[*index], object)?)? - number(value_before(trace, object, *index)?)?,
                    )
                })
                .collect();
            usual.contains(&(left - old)) && !usual.contains(&(left - now))
        }
        // A list that grew from the old one and lacks what the new one has.
        (None, None, None) => left.contains(inner(old)) && !left.contains(inner(now)),
        _ => false,
    }
}

fn number(text: &str) -> Option<i128> {
    // Values of other types cannot exceed 64 bits by much; a bound keeps every difference representable.
    text.trim().parse::<i128>().ok().filter(|n| n.unsigned_abs() < 1 << 100)
}

/// What is between a list's brackets.
fn inner(text: &str) -> &str {
    text.trim_matches(|c| matches!(c, '[' | ']' | '{' | '}' | '(' | ')'))
}

/// A value changed between a thread's look at it and its write to it, and nothing says that the change is lost.
fn changed_between(words: &Words<'_>) -> Option<Analysis> {
    let relied_on = |stale: &Stale| !stale.again || releases(&words.trace.steps[stale.write]);
    let stale = stale_writes(words.trace).into_iter().find(relied_on)?;
    Some(changed(words, stale))
}

/// A value changed between a thread's look at it and the next thing that thread does.
fn changed_after_reading(words: &Words<'_>) -> Option<Analysis> {
    let steps = &words.trace.steps;
    let mut found: Vec<Stale> = Vec::new();
    for (read, step) in steps.iter().enumerate() {
        let Some(object) = step.object.filter(|object| reads(step, *object) && !writes(step, *object)) else {
            continue;
        };
        let thread = step.choice.thread;
        let next = (read + 1..steps.len()).find(|index| steps[*index].choice.thread == thread);
        let Some(next) = next else { continue };
        // A failed compare-and-swap and a second load look again: nothing stale is used.
        if reads(&steps[next], object) {
            continue;
        }
        let between: Vec<usize> = (read + 1..next).filter(|index| changes(words.trace, *index, object)).collect();
        if !between.is_empty() {
            found.push(Stale { object, read, write: next, between, again: false });
        }
    }
    let acts = |stale: &Stale| !matches!(steps[stale.write].effect, Effect::Reads);
    let at = found.iter().position(acts).or(found.len().checked_sub(1))?;
    Some(changed(words, found.swap_remove(at)))
}

fn changed(words: &Words<'_>, stale: Stale) -> Analysis {
    let steps = &words.trace.steps;
    let (read, act) = (&steps[stale.read], &steps[stale.write]);
    let object = words.quoted(stale.object);
    let seen = match &read.seen {
        Some(seen) => format!("reads {} from {object}", quoted_value(seen)),
        None => format!("reads {object}"),
    };
    let changes: Vec<String> = stale
        .between
        .iter()
        .take(3)
        .map(|index| {
            let who = words.thread(steps[*index].choice.thread);
            match left_in(&steps[*index], stale.object) {
                Some(value) => format!("{who} makes it {} in step {}", quoted_value(value), index + 1),
                None => format!("{who} changes it in step {}", index + 1),
            }
        })
        .collect();
    let text = format!(
        "{} {seen} in step {}; before it {} in step {}, {}: what it saw is out of date by then.",
        words.thread(read.choice.thread),
        stale.read + 1,
        words.deed(act, true),
        stale.write + 1,
        listed(&changes),
    );
    Analysis { kind: Kind::Interleaving, sentence: sentence_case(&text), marked: vec![stale.read, stale.write] }
}
