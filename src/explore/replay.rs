//! One schedule of a program, written down: by its choices, or from a token.

use std::rc::Rc;

use crate::backend::Op;
use crate::sources::Sources;
use crate::trace::{Ending, Move, Token, Trace, Wait, Way};
use crate::verdict::{ClaimSort, Parting};

use super::Options;
use super::atlas::{Atlas, Ident};
use super::core::{Core, Stop};
use super::ends::Ended;
use super::graph::explore_graph;
use super::model::Model;
use super::object::State;
use super::record::Recorder;
use super::run::{Choice, End, Run, execute};
use super::stage::{Next, perform};
use super::thread::Phase;

/// A token replayed on a program.
#[derive(Debug)]
pub struct Replay {
    /// What the schedule did: as far as the token fitted, then on to the end.
    pub trace: Trace,
    /// Where the token and the program part, if they do: at which move (from 1), and why.
    pub parted: Option<Parting>,
    /// The claims that this schedule breaks, in words, or how else it failed.
    pub broken: Vec<String>,
}

/// Replays a schedule. Where the program no longer fits, it runs on without switching threads unless it has to.
pub fn replay(model: &Model, options: &Options, token: &Token) -> Replay {
    // Which operations count as steps depends on which objects are shared, and that only an exploration knows.
    let mut atlas = explore_graph(model, options).atlas;
    let mut parted = None;
    let (trace, ended) = write_down(model, options, &mut atlas, token.0.len(), |run| {
        let mut moves = token.0.iter().enumerate();
        let mut last = None;
        loop {
            let choices = run.choices();
            if choices.is_empty() {
                if let (Some((at, wanted)), None) = (moves.next(), &parted) {
                    let first = format!("the token goes on with {}", in_words(wanted));
                    parted = Some(Parting { step: at + 1, first, second: "the program has ended".into() });
                }
                return;
            }
            let wanted = if parted.is_none() { moves.next() } else { None };
            let fitting = wanted.and_then(|(_, wanted)| {
                choices.iter().find(|choice| choice.thread == wanted.thread && choice.way == wanted.way).copied()
            });
            if fitting.is_none() && parted.is_none() {
                let at = wanted.map_or(token.0.len(), |(at, _)| at);
                let first = wanted.map_or_else(
                    || "the token ends here".into(),
                    |(_, wanted)| format!("{} is next", in_words(wanted)),
                );
                let possible: Vec<String> = choices.iter().map(|c| move_of(c).to_string()).collect();
                let second = format!("the program can go on with {}", possible.join(", "));
                parted = Some(Parting { step: at + 1, first, second });
            }
            let choice = fitting.or_else(|| choices.iter().find(|choice| Some(choice.thread) == last).copied());
            let choice = choice.unwrap_or(choices[0]);
            last = Some(choice.thread);
            run.take(choice);
        }
    });
    let mut broken: Vec<String> = Vec::new();
    for (index, (sort, text)) in model.claims.iter().enumerate() {
        if *sort != ClaimSort::Sometimes && ended.shows(index, *sort) {
            broken.push(format!("{}: {text}", sort.word()));
        }
    }
    if broken.is_empty() && ended.fails {
        broken.push(ended.label.clone());
    }
    Replay { trace, parted, broken }
}

fn move_of(choice: &Choice) -> Move {
    Move { thread: choice.thread, way: choice.way }
}

fn in_words(wanted: &Move) -> String {
    match wanted.way {
        Way::Normal => format!("a step of thread {}", wanted.thread),
        Way::TimedOut => format!("a time-out of thread {}", wanted.thread),
        Way::Spurious => format!("a spurious wake-up of thread {}", wanted.thread),
        Way::Pick(n) => format!("way {n} of thread {}", wanted.thread),
    }
}

/// The trace of a schedule that is known to be one of the program's.
pub(super) fn trace_of(model: &Model, options: &Options, atlas: &mut Atlas, schedule: &[(Ident, Way)]) -> Trace {
    write_down(model, options, atlas, schedule.len(), |run| {
        for (ident, way) in schedule {
            let choice = run.choices().into_iter().find(|choice| choice.ident == *ident && choice.way == *way);
            let Some(choice) = choice else { return };
            run.take(choice);
        }
    })
    .0
}

/// Runs one schedule, without switching threads unless it has to, once to learn what is shared and then `times` times
/// written down or not; returns its steps. Only for measuring what writing down costs.
#[doc(hidden)]
pub fn repeat(model: &Model, options: &Options, times: usize, recorded: bool) -> u64 {
    let mut state = (Atlas::new(), 0);
    perform(&mut state, |(atlas, steps)| {
        for time in 0..=times {
            let recorder = (recorded && time > 0).then(|| Recorder::new(*steps as usize));
            let (trace, _) = execute(model, atlas, options.limits(), recorder, |run| {
                while let Some(choice) = run.choices().first() {
                    run.take(*choice);
                }
                *steps = run.core().steps;
                let recorder = run.core_mut().recorder.take()?;
                Some(recorder.into_trace(Ending::Returned, String::new(), &options.sources))
            });
            drop(trace);
        }
        Next::Done
    });
    state.1
}

/// Runs the program once, recorded, with the choices that `choose` makes: about `steps` of them.
fn write_down(
    model: &Model,
    options: &Options,
    atlas: &mut Atlas,
    steps: usize,
    choose: impl FnMut(&Rc<Run>) + Send,
) -> (Trace, Ended) {
    let mut state = (std::mem::replace(atlas, Atlas::new()), choose, None);
    perform(&mut state, |(atlas, choose, written)| {
        let recorder = Some(Recorder::new(steps));
        let (result, _) = execute(model, atlas, options.limits(), recorder, |run| {
            choose(run);
            // A schedule that did not come to an end is cut here.
            run.core_mut().stop.get_or_insert(Stop::TooLong);
            let waits = waits(&run.core(), &options.sources);
            let spins = spins(&run.core());
            let end = run.end()?;
            let recorder = run.core_mut().recorder.take()?;
            let ending = ending(&end, waits, spins);
            let ended = Ended::new(end, &model.claims);
            Some((recorder.into_trace(ending, ended.label.clone(), &options.sources), ended))
        });
        *written = result;
        Next::Done
    });
    *atlas = state.0;
    match state.2 {
        Some(written) => written,
        None => unreachable!("every execution has an end and is recorded"),
    }
}

fn ending(end: &End, waits: Vec<Wait>, spins: Vec<(u32, Vec<crate::trace::Place>)>) -> Ending {
    let (message, place) = end.panic.as_ref().map_or((String::new(), None), |(_, text, at)| (text.clone(), at.clone()));
    match &end.stop {
        Stop::Aborted(thread) => Ending::Aborted { thread: *thread, message, place },
        Stop::Deadlocked => Ending::Deadlocked { waits },
        Stop::Livelocked => Ending::Livelocked { spins, waits },
        Stop::TooLong => Ending::TooLong { spins },
        Stop::Misused(message) => Ending::Misused { message: message.clone() },
        Stop::Panicked(thread) => Ending::Panicked { thread: *thread, message, place },
        Stop::Returned | Stop::Exited(_) => match (&end.panic, &end.stop) {
            (Some((thread, ..)), _) => Ending::Panicked { thread: *thread, message, place },
            (None, Stop::Exited(code)) => Ending::Exited { code: *code },
            _ => Ending::Returned,
        },
    }
}

/// The lines that threads go round without changing anything.
fn spins(core: &Core) -> Vec<(u32, Vec<crate::trace::Place>)> {
    let mut ways = Vec::new();
    let going = core.threads.iter().enumerate().filter(|(number, thread)| {
        let (Phase::Waiting, Some((op, _))) = (thread.phase, &thread.pending) else { return false };
        ways.clear();
        core.ways(*number as u32, op, &mut ways);
        !ways.is_empty()
    });
    going.map(|(number, _)| (number as u32, core.rounds(number as u32))).collect()
}

/// Who waits for what, held by whom, since which line.
fn waits(core: &Core, sources: &Sources) -> Vec<Wait> {
    let mut waits = Vec::new();
    let Some(recorder) = &core.recorder else { return waits };
    let names = recorder.names();
    let mut ways = Vec::new();
    for (number, thread) in core.threads.iter().enumerate() {
        let (Phase::Waiting, Some((op, place))) = (thread.phase, &thread.pending) else { continue };
        ways.clear();
        core.ways(number as u32, op, &mut ways);
        if ways.iter().any(|way| *way != Way::Spurious) {
            continue;
        }
        let called = |object: u32| format!("`{}`", recorder.name(object, sources));
        let (awaited, object) = match *op {
            Op::Lock { object, .. } => (format!("the lock {}", called(object)), Some(object)),
            Op::CondWake { cond, .. } => (format!("a notification on {}", called(cond)), Some(cond)),
            Op::Send { queue, .. } => (format!("room in {}", called(queue)), Some(queue)),
            Op::Recv { queue, .. } if recorder.kind(queue) == "pipe" => {
                (format!("bytes from {}", called(queue)), Some(queue))
            }
            Op::Recv { queue, .. } => (format!("a message on {}", called(queue)), Some(queue)),
            Op::Leave { barrier, .. } => (format!("all to come to {}", called(barrier)), Some(barrier)),
            Op::OnceBegin { once } => (format!("the first caller of {} to be done", called(once)), Some(once)),
            Op::Park { .. } => ("somebody to unpark it".into(), None),
            Op::Join { thread } => (format!("{} to end", names[thread as usize]), None),
            Op::Turn { task, token } => match &core.objects[task as usize].state {
                State::Task { woken: true, .. } => ("its turn on the event loop".into(), Some(token)),
                _ => ("something to wake it".into(), None),
            },
            _ => ("its turn".into(), None),
        };
        let held = match op {
            // A wait that has ended still has to take its mutex.
            Op::CondWake { mutex, .. } => Some(*mutex),
            _ => object,
        };
        let held_by = match held.map(|object| &core.objects[object as usize].state) {
            Some(State::Lock { holders }) => holders.iter().map(|(thread, _, _, place)| (*thread, *place)).collect(),
            _ => Vec::new(),
        };
        let object = object.map(|object| object as usize);
        waits.push(Wait { thread: number as u32, place: *place, awaited, object, held_by });
    }
    waits
}
