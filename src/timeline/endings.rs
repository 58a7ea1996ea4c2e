//! What is to be said of a schedule that did not end as its author meant it to: nobody can move, a panic, lost data.

use super::analysis::Analysis;
use super::words::{Words, clean, listed, sentence_case, value_before, waits};
use crate::trace::{Ending, Place, Step, Wait};
use crate::verdict::Kind;

/// What is to be said of an ending other than a normal one.
pub(super) fn of(words: &Words<'_>, ending: &Ending) -> Analysis {
    match ending {
        Ending::Deadlocked { waits } => lost_wake_up(words, waits).unwrap_or_else(|| deadlock(words, waits)),
        Ending::Livelocked { spins, waits } => {
            let mut parts = round(words, spins);
            parts.extend(waits.iter().map(|wait| waiting(words, wait)));
            let text = match parts.is_empty() {
                true => "Threads go round without changing anything: nothing else will ever happen.".to_string(),
                false => format!("{}. Nothing changes any more, so this goes on for ever.", listed(&parts)),
            };
            plain(Kind::Livelock, text)
        }
        Ending::TooLong { spins } => {
            let steps = words.trace.steps.len();
            let parts = round(words, spins);
            let text = match parts.is_empty() {
                true => format!("The schedule was cut off after {steps} steps, the bound of this check."),
                false => format!(
                    "{} when the schedule was cut off after {steps} steps, the bound of this check.",
                    listed(&parts)
                ),
            };
            plain(Kind::Livelock, text)
        }
        Ending::Panicked { thread, message, place } => {
            let at = place.as_deref().map(|place| format!(" at {}", clean(place))).unwrap_or_default();
            plain(Kind::Panic, format!("{} panics{at}: {}", words.thread(*thread), full_stop(message)))
        }
        Ending::Aborted { thread, message, place } => {
            let at = place.as_deref().map(|place| format!(" at {}", clean(place))).unwrap_or_default();
            let who = words.thread(*thread);
            let text = format!(
                "{who} panics ({}); while its stack unwinds, a destructor panics as well{at}, \
                 and two panics at once abort the whole process.",
                clean(message)
            );
            plain(Kind::Panic, text)
        }
        Ending::Misused { message } => plain(Kind::Interleaving, full_stop(message)),
        // These two end as they should; `analyse` looks into their steps.
        Ending::Returned | Ending::Exited { .. } => plain(Kind::Interleaving, full_stop(&words.trace.outcome)),
    }
}

fn plain(kind: Kind, text: String) -> Analysis {
    Analysis { kind, sentence: sentence_case(&text), marked: Vec::new() }
}

fn full_stop(text: &str) -> String {
    let text = clean(text.trim());
    if text.ends_with(['.', '!', '?']) { text } else { format!("{text}.") }
}

/// "thread 1 goes round lines 12 to 14".
fn round(words: &Words<'_>, spins: &[(u32, Vec<Place>)]) -> Vec<String> {
    let one = |(thread, places): &(u32, Vec<Place>)| {
        let who = words.thread(*thread);
        match &distinct(places)[..] {
            [] => format!("{who} goes round"),
            [place] => {
                let code = words.code(place).map(|code| format!(" (`{code}`)")).unwrap_or_default();
                format!("{who} goes round in {}{code}", words.at(place))
            }
            many => {
                let lines: Vec<String> =
                    many.iter().map(|place| words.at(place).trim_start_matches("line ").to_string()).collect();
                format!("{who} goes round in lines {}", listed(&lines))
            }
        }
    };
    spins.iter().map(one).collect()
}

/// The places in order, each line once.
pub(super) fn distinct(places: &[Place]) -> Vec<Place> {
    let mut lines: Vec<Place> = Vec::new();
    for place in places {
        if !lines.iter().any(|known| (known.file, known.line) == (place.file, place.line)) {
            lines.push(*place);
        }
    }
    lines
}

/// "thread 1 waits for the lock `b` (line 13), which thread 2 has held since line 21".
fn waiting(words: &Words<'_>, wait: &Wait) -> String {
    let held: Vec<String> = wait
        .held_by
        .iter()
        .map(|(holder, since)| match *holder == wait.thread {
            true => format!("it has held itself since {}", words.at(since)),
            false => format!("{} has held since {}", words.thread(*holder), words.at(since)),
        })
        .collect();
    let held = if held.is_empty() { String::new() } else { format!(", which {}", listed(&held)) };
    format!("{} waits for {} ({}){held}", words.thread(wait.thread), clean(&wait.awaited), words.at(&wait.place))
}

fn deadlock(words: &Words<'_>, waits: &[Wait]) -> Analysis {
    let circle = circle(waits);
    let mut marked: Vec<usize> = Vec::new();
    let text = match &circle[..] {
        [] if waits.is_empty() => "Nobody can move.".to_string(),
        [] => {
            let parts: Vec<String> = waits.iter().map(|wait| waiting(words, wait)).collect();
            format!(
                "{}; nobody is left who could end {}.",
                parts.join("; "),
                if parts.len() == 1 { "that wait" } else { "these waits" }
            )
        }
        [alone] => format!("{}: it waits for itself and can never go on.", waiting(words, alone)),
        _ => {
            let parts: Vec<String> = circle.iter().map(|wait| waiting(words, wait)).collect();
            let beside = waits.iter().filter(|wait| !circle.iter().any(|other| other.thread == wait.thread));
            let beside: Vec<String> = beside.map(|wait| words.thread(wait.thread)).collect();
            let rest = if beside.is_empty() { String::new() } else { format!(", and neither can {}", listed(&beside)) };
            format!("{}: they wait in a circle, so none of them can ever go on{rest}.", parts.join("; "))
        }
    };
    for wait in &circle {
        let took =
            |(holder, since): &(u32, Place)| {
                words.trace.steps.iter().rposition(|step| {
                    step.choice.thread == *holder && step.place == *since && step.object == wait.object
                })
            };
        marked.extend(wait.held_by.iter().filter_map(took));
    }
    marked.sort_unstable();
    marked.dedup();
    Analysis { marked, ..plain(Kind::Deadlock, text) }
}

/// The threads that wait for one another, in the order of who waits for whom; empty if there is no circle.
fn circle(waits: &[Wait]) -> Vec<&Wait> {
    let next = |wait: &Wait| {
        wait.held_by.iter().find_map(|(holder, _)| waits.iter().position(|other| other.thread == *holder))
    };
    for start in 0..waits.len() {
        let mut path = vec![start];
        while let Some(at) = path.last().and_then(|last| next(&waits[*last])) {
            if at == start {
                return path.into_iter().map(|index| &waits[index]).collect();
            }
            if path.contains(&at) {
                break;
            }
            path.push(at);
        }
    }
    Vec::new()
}

/// A thread waits for a notification that came while nobody waited.
fn lost_wake_up(words: &Words<'_>, waits: &[Wait]) -> Option<Analysis> {
    let steps = &words.trace.steps;
    for wait in waits {
        let Some(condvar) = wait
            .object
            .filter(|index| words.trace.objects.get(*index).is_some_and(|object| object.kind.contains("Condvar")))
        else {
            continue;
        };
        let is_wait = |step: &Step| waits_on(step, condvar);
        let since = steps.iter().rposition(|step| step.choice.thread == wait.thread && is_wait(step));
        let until = since.unwrap_or(steps.len());
        let lost = (0..until).rev().find(|index| {
            steps[*index].verb.starts_with("notif")
                && steps[*index].object == Some(condvar)
                && nobody_waits(&steps[..*index], condvar)
        });
        let Some(notified) = lost else { continue };
        let name = words.quoted(condvar);
        let notifier = words.thread(steps[notified].choice.thread);
        let waiter = words.thread(wait.thread);
        let begins = since.map(|index| format!("in step {} ", index + 1)).unwrap_or_default();
        let text = format!(
            "{notifier} notifies {name} in step {}, when nobody waits on it: the notification is lost, nothing keeps it; \
             {waiter} begins to wait {begins}({}) for one that has already been, and no other will come.",
            notified + 1,
            words.at(&wait.place),
        );
        let marked = [Some(notified), since].into_iter().flatten().collect();
        return Some(Analysis { marked, ..plain(Kind::LostWakeUp, text) });
    }
    None
}

fn waits_on(step: &Step, condvar: usize) -> bool {
    waits(step) && (step.object == Some(condvar) || step.with == Some(condvar))
}

/// Whether no thread's last step so far is a wait on the condition variable: whoever wakes takes another step.
fn nobody_waits(steps: &[Step], condvar: usize) -> bool {
    let mut known: Vec<u32> = Vec::new();
    for step in steps.iter().rev() {
        if known.contains(&step.choice.thread) {
            continue;
        }
        if waits_on(step, condvar) {
            return false;
        }
        known.push(step.choice.thread);
    }
    true
}

/// Whether an object keeps things in order, so that a change adds to what is there instead of replacing it.
pub(super) fn is_container(kind: &str) -> bool {
    let kind = kind.to_lowercase();
    ["channel", "queue", "pipe", "disk", "buffer", "file", "log"].iter().any(|word| kind.contains(word))
}

/// Something is still in a channel, a pipe or a buffer when the program ends.
pub(super) fn lost_data(words: &Words<'_>) -> Option<Analysis> {
    let trace = words.trace;
    let kept = |index: usize| value_before(trace, index, trace.steps.len()).map(clean).filter(|value| !is_empty(value));
    let in_transit =
        |kind: &str| is_container(kind) && !["disk", "file"].iter().any(|word| kind.to_lowercase().contains(word));
    let (object, value) = (0..trace.objects.len())
        .filter(|index| in_transit(trace.objects[*index].kind))
        .find_map(|index| Some((index, kept(index)?)))?;
    let ends = match trace.ending {
        Ending::Exited { code } => format!("The program exits with code {code}"),
        _ => "The program ends".to_string(),
    };
    let after = match trace.steps.len() {
        0 => String::new(),
        n => format!(" after step {n}"),
    };
    let last = trace.steps.iter().rposition(|step| step.object == Some(object));
    let sentence = format!(
        "{ends}{after} while {} still holds {value}, which nobody will ever take out: it is lost.",
        words.quoted(object)
    );
    Some(Analysis { kind: Kind::LostData, sentence, marked: last.into_iter().collect() })
}

/// How an empty container may be shown.
fn is_empty(value: &str) -> bool {
    let value = value.trim();
    matches!(value, "" | "0" | "[]" | "{}" | "\"\"" | "empty" | "closed" | "none")
        || value.starts_with("0 ")
        || value.starts_with("empty")
}
