//! A running program of the reference: everything that its future depends on, and what each step does to it.

use std::collections::VecDeque;
use std::fmt::Write;
use std::rc::Rc;

use super::program::{CAPACITIES, OWN_RECEIVER, OWN_SENDER, Program};
use super::steps::{Code, Step, compile};

/// How a step is done, where there is more than one way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    Plain,
    TimesOut,
    Spuriously,
    /// Which waiting thread is notified.
    Notifies(usize),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wait {
    Still,
    Over { timed_out: bool },
}

#[derive(Debug, Clone)]
pub struct Thread {
    pub code: Rc<Code>,
    pub at: usize,
    pub log: String,
    pub ended: bool,
    /// Has panicked, and nobody has received it.
    pub panicked: bool,
    pub wait: Option<Wait>,
    pub generation: u64,
    pub spurious: u32,
}

#[derive(Debug, Clone)]
pub struct Queue {
    pub messages: VecDeque<u64>,
    pub sender: bool,
    pub receiver: bool,
}

#[derive(Debug, Clone)]
pub struct World {
    pub threads: Vec<Thread>,
    pub atoms: [u64; 2],
    pub locks: [(u64, Option<usize>); 2],
    pub rw: u64,
    pub readers: usize,
    pub writer: bool,
    pub arrived: usize,
    pub generation: u64,
    pub once: (bool, bool),
    pub queues: Vec<Queue>,
    pub tokens: Vec<bool>,
    /// How many workers main has waited for.
    pub joined: usize,
    /// How the program ended.
    pub end: Option<String>,
}

impl Thread {
    pub fn step(&self) -> Step {
        self.code[self.at]
    }
}

impl World {
    pub fn new(program: &Program) -> World {
        let thread = |code| Thread {
            code: Rc::new(code),
            at: 0,
            log: String::new(),
            ended: false,
            panicked: false,
            wait: None,
            generation: 0,
            spurious: 0,
        };
        let queue = |_: &Option<usize>| Queue { messages: VecDeque::new(), sender: true, receiver: true };
        World {
            threads: (0..=program.workers.len()).map(|number| thread(compile(program, number))).collect(),
            atoms: [0; 2],
            locks: [(0, None); 2],
            rw: 0,
            readers: 0,
            writer: false,
            arrived: 0,
            generation: 0,
            once: (false, false),
            queues: CAPACITIES.iter().map(queue).collect(),
            tokens: vec![false; program.workers.len() + 1],
            joined: 0,
            end: None,
        }
    }

    pub fn living(&self) -> usize {
        self.threads.iter().filter(|thread| !thread.ended).count()
    }

    pub fn waiting(&self) -> Vec<usize> {
        (0..self.threads.len()).filter(|thread| self.threads[*thread].wait == Some(Wait::Still)).collect()
    }

    pub fn has_room(&self, queue: usize) -> bool {
        let used = self.queues[queue].messages.len();
        match CAPACITIES[queue] {
            // Somebody has to stand there to take it over.
            Some(0) => {
                let takes = |thread: &&Thread| {
                    !thread.ended && matches!(thread.step(), Step::Recv { queue: of, .. } if of == queue)
                };
                used < self.threads.iter().filter(takes).count()
            }
            Some(capacity) => used < capacity,
            None => true,
        }
    }

    pub fn step(&mut self, thread: usize, way: Way) {
        let step = self.threads[thread].step();
        let mut log = std::mem::take(&mut self.threads[thread].log);
        let mut next = self.threads[thread].at + 1;
        let out = &mut log;
        match step {
            Step::Load(n) => note(out, format_args!("l{}", self.atoms[n])),
            Step::Store(n, value) => self.atoms[n] = value,
            Step::Add(n, value, logged) => {
                if logged {
                    note(out, format_args!("a{}", self.atoms[n]));
                }
                self.atoms[n] += value;
            }
            Step::Exchange(n, value) => {
                let found = self.atoms[n];
                let result = if found == 0 { Ok(found) } else { Err(found) };
                note(out, format_args!("c{result:?}"));
                if found == 0 {
                    self.atoms[n] = value;
                }
            }
            Step::Lock(n) => self.locks[n].1 = Some(thread),
            Step::TryLock { lock, skip } => match self.locks[lock].1 {
                None => self.locks[lock].1 = Some(thread),
                Some(_) => {
                    out.push('t');
                    next += skip;
                }
            },
            Step::Unlock { lock, adds, adds_other } => {
                assert_eq!(self.locks[lock].1, Some(thread));
                let other = if adds_other { self.locks[1 - lock].0 } else { 0 };
                self.locks[lock] = (self.locks[lock].0 + adds + other, None);
            }
            Step::Read => self.readers += 1,
            Step::Write => self.writer = true,
            Step::TryRead { skip } if self.writer => {
                out.push('x');
                next += skip;
            }
            Step::TryRead { .. } => self.readers += 1,
            Step::TryWrite { skip } if self.writer || self.readers > 0 => {
                out.push('w');
                next += skip;
            }
            Step::TryWrite { .. } => self.writer = true,
            Step::UnlockRw { adds: None, logged } => {
                if logged {
                    note(out, format_args!("r{}", self.rw));
                }
                self.readers -= 1;
            }
            Step::UnlockRw { adds: Some(adds), .. } => (self.rw, self.writer) = (self.rw + adds, false),
            Step::Wait => {
                self.locks[0].1 = None;
                self.threads[thread].wait = Some(Wait::Still);
            }
            Step::Wake { timed, .. } => {
                let me = &mut self.threads[thread];
                match (way, me.wait.take()) {
                    (Way::TimesOut, _) => (me.wait, next) = (Some(Wait::Over { timed_out: true }), next - 1),
                    (Way::Spuriously, _) => {
                        me.spurious += 1;
                        (me.wait, next) = (Some(Wait::Over { timed_out: false }), next - 1);
                    }
                    (_, wait) => {
                        self.locks[0].1 = Some(thread);
                        if timed {
                            let timed_out = wait == Some(Wait::Over { timed_out: true });
                            note(out, format_args!("f{timed_out}{}", self.locks[0].0));
                        }
                    }
                }
            }
            Step::Notify { all } => {
                let waiting = if all { self.waiting() } else { Vec::new() };
                let chosen = if let Way::Notifies(one) = way { vec![one] } else { waiting };
                match all {
                    true => note(out, format_args!("N{}", chosen.len())),
                    false => note(out, format_args!("n{}", !chosen.is_empty())),
                }
                for one in chosen {
                    self.threads[one].wait = Some(Wait::Over { timed_out: false });
                }
            }
            Step::Arrive => {
                self.threads[thread].generation = self.generation;
                self.arrived += 1;
                let last = self.arrived == 2;
                if last {
                    (self.arrived, self.generation) = (0, self.generation + 1);
                }
                note(out, format_args!("b{last}"));
            }
            Step::Leave | Step::Panic => {}
            Step::OnceBegin { skip } if self.once.1 => next += skip,
            Step::OnceBegin { .. } => self.once.0 = true,
            Step::OnceEnd { done } => self.once = (false, done),
            Step::Send { queue, value, try_ } => {
                let open = self.queues[queue].receiver;
                let sent = open && self.has_room(queue);
                if sent {
                    self.queues[queue].messages.push_back(value);
                }
                note(out, format_args!("{}{}", if try_ { 's' } else { 'S' }, answer(sent, open)));
            }
            Step::Recv { queue, try_, timed } => {
                let Queue { messages, sender, .. } = &mut self.queues[queue];
                let name = if try_ {
                    'T'
                } else if timed {
                    'o'
                } else {
                    'R'
                };
                match (way, messages.pop_front()) {
                    (Way::Plain, Some(value)) => note(out, format_args!("{name}{value}")),
                    _ => note(out, format_args!("{name}{}", answer(false, *sender))),
                }
            }
            Step::DropSender => self.queues[OWN_SENDER].sender = false,
            Step::DropReceiver => self.queues[OWN_RECEIVER].receiver = false,
            Step::Park { .. } => {
                self.threads[thread].spurious += u32::from(way == Way::Spuriously);
                self.tokens[thread] = false;
            }
            Step::Unpark(other) => self.tokens[other] = true,
            Step::Join(other) => {
                self.joined += 1;
                let other = &mut self.threads[other];
                let panicked = std::mem::take(&mut other.panicked);
                note(out, format_args!("[{}]", if panicked { "panicked" } else { &other.log }));
            }
            Step::Exit(code) => self.finish(format!("exit code {code}")),
            Step::Return { all: true } => {
                let [first, second] = self.locks.map(|(value, _)| value);
                let all = format!("{log} {:?} {first} {second} {}", self.atoms, self.rw);
                self.finish(all);
            }
            Step::Return { all: false } => self.finish(log.clone()),
            Step::End { panicked } => {
                let me = &mut self.threads[thread];
                (me.ended, me.panicked) = (true, panicked);
                if thread == 0 {
                    self.finish(String::new());
                }
            }
        }
        (self.threads[thread].log, self.threads[thread].at) = (log, next);
    }

    /// The program is over; a panic that nobody has received is what it ended in.
    fn finish(&mut self, outcome: String) {
        // Main may have unwound already, and only its end is still to come.
        let main_unwound = matches!(self.threads[0].step(), Step::End { panicked: true });
        let panicked = main_unwound || self.threads.iter().any(|thread| thread.panicked);
        self.end = Some(if panicked { "panic: on purpose".into() } else { outcome });
    }
}

fn note(log: &mut String, what: std::fmt::Arguments<'_>) {
    log.write_fmt(what).expect("text can be written to text");
}

fn answer(done: bool, open: bool) -> &'static str {
    match (done, open) {
        (true, _) => "+",
        (false, true) => "-",
        (false, false) => "!",
    }
}
