//! The reference: programs run by the words of the documentation, one cloned state per step, every interleaving.

use std::collections::{BTreeMap, BTreeSet};

use super::program::{OWN_RECEIVER, OWN_SENDER, Program};
use super::steps::Step;
use super::world::{Queue, Wait, Way, World};

/// A shared object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Object {
    Atom(usize),
    Lock(usize),
    RwLock,
    Condvar,
    Barrier,
    Once,
    Queue(usize),
    /// What a thread parks on.
    Slot(usize),
}

/// Which threads ever come to an operation on an object while others might live, for all that they know.
type Users = BTreeMap<Object, BTreeSet<usize>>;

struct Search {
    users: Users,
    found: Users,
    spurious: u32,
    outcomes: BTreeMap<String, u64>,
    schedules: u64,
    limit: u64,
}

/// Counts every schedule of a program by its outcome; `None` if there are more than `limit`.
pub fn count(program: &Program, limit: u64) -> Option<BTreeMap<String, u64>> {
    let mut users = Users::new();
    loop {
        let mut search = Search {
            users: users.clone(),
            found: users.clone(),
            spurious: program.spurious,
            outcomes: BTreeMap::new(),
            schedules: 0,
            limit,
        };
        search.walk(World::new(program));
        if search.schedules > limit {
            return None;
        }
        if search.found == users {
            return Some(search.outcomes);
        }
        // Steps that were thought to be nobody else's business are: count again.
        users = search.found;
    }
}

impl Search {
    fn walk(&mut self, mut world: World) {
        self.settle(&mut world);
        if self.schedules > self.limit {
            return;
        }
        let mut moves = Vec::new();
        if world.end.is_none() {
            for thread in 0..world.threads.len() {
                moves.extend(self.ways(&world, thread).into_iter().map(|way| (thread, way)));
            }
        }
        // Nobody may count on waking for no reason.
        if moves.iter().all(|(_, way)| *way == Way::Spuriously) {
            let outcome = world.end.unwrap_or_else(|| "deadlock".into());
            *self.outcomes.entry(outcome).or_insert(0) += 1;
            self.schedules += 1;
            return;
        }
        for (thread, way) in moves {
            let mut next = world.clone();
            self.note(&next, thread);
            next.step(thread, way);
            self.walk(next);
        }
    }

    /// Does what is no step of its own.
    fn settle(&mut self, world: &mut World) {
        let mut moved = true;
        while moved && world.end.is_none() {
            moved = false;
            for thread in 0..world.threads.len() {
                while world.end.is_none() && !world.threads[thread].ended {
                    self.note(world, thread);
                    match self.ways(world, thread)[..] {
                        [way] if way != Way::Spuriously && self.passes_unseen(world, thread) => {
                            world.step(thread, way);
                        }
                        _ => break,
                    }
                    moved = true;
                }
            }
        }
    }

    /// Notes what a thread stands before.
    fn note(&mut self, world: &World, thread: usize) {
        if thread != 0 || world.joined + 1 < world.threads.len() {
            for object in touched(world.threads[thread].step(), thread) {
                self.found.entry(object).or_default().insert(thread);
            }
        }
    }

    fn passes_unseen(&self, world: &World, thread: usize) -> bool {
        let alone = |object: &Object| self.users.get(object).is_none_or(|users| users.len() < 2);
        let step = world.threads[thread].step();
        match step {
            Step::Join(_) | Step::Leave | Step::OnceEnd { .. } | Step::Panic => true,
            // Main's panic ends the program, as its return does.
            Step::End { .. } if thread == 0 => world.living() == 1,
            Step::Return { .. } | Step::Exit(_) => world.living() == 1,
            Step::End { .. } => true,
            _ => world.living() == 1 || touched(step, thread).iter().all(alone),
        }
    }

    fn ways(&self, world: &World, thread: usize) -> Vec<Way> {
        let me = &world.threads[thread];
        if me.ended {
            return Vec::new();
        }
        let if_possible = |possible: bool| if possible { vec![Way::Plain] } else { Vec::new() };
        let given_up = |timed: bool| {
            let spurious = (me.spurious < self.spurious).then_some(Way::Spuriously);
            timed.then_some(Way::TimesOut).into_iter().chain(spurious).collect()
        };
        match me.step() {
            Step::Lock(lock) => if_possible(world.locks[lock].1.is_none()),
            Step::Read => if_possible(!world.writer),
            Step::Write => if_possible(!world.writer && world.readers == 0),
            Step::Wake { timed, .. } => match me.wait {
                Some(Wait::Still) => given_up(timed),
                _ => if_possible(world.locks[0].1.is_none()),
            },
            Step::Notify { all: false } => match world.waiting()[..] {
                [] => vec![Way::Plain],
                ref waiting => waiting.iter().map(|thread| Way::Notifies(*thread)).collect(),
            },
            Step::Leave => if_possible(world.generation > me.generation),
            Step::OnceBegin { .. } => if_possible(!world.once.0),
            Step::Send { queue, try_: false, .. } => {
                if_possible(world.has_room(queue) || !world.queues[queue].receiver)
            }
            Step::Recv { queue, try_: false, timed } => {
                let Queue { messages, sender, .. } = &world.queues[queue];
                match messages.is_empty() && *sender {
                    false => vec![Way::Plain],
                    true if timed => vec![Way::TimesOut],
                    true => Vec::new(),
                }
            }
            Step::Park { timed } if !world.tokens[thread] => given_up(timed),
            Step::Join(other) => if_possible(world.threads[other].ended),
            _ => vec![Way::Plain],
        }
    }
}

fn touched(step: Step, thread: usize) -> Vec<Object> {
    match step {
        Step::Load(n) | Step::Store(n, _) | Step::Add(n, ..) | Step::Exchange(n, _) => vec![Object::Atom(n)],
        Step::Lock(n) | Step::TryLock { lock: n, .. } | Step::Unlock { lock: n, .. } => vec![Object::Lock(n)],
        Step::Read | Step::Write | Step::TryRead { .. } | Step::TryWrite { .. } | Step::UnlockRw { .. } => {
            vec![Object::RwLock]
        }
        Step::Wait | Step::Wake { .. } => vec![Object::Condvar, Object::Lock(0)],
        Step::Notify { .. } => vec![Object::Condvar],
        Step::Arrive | Step::Leave => vec![Object::Barrier],
        Step::OnceBegin { .. } | Step::OnceEnd { .. } => vec![Object::Once],
        Step::Send { queue, .. } | Step::Recv { queue, .. } => vec![Object::Queue(queue)],
        Step::DropSender => vec![Object::Queue(OWN_SENDER)],
        Step::DropReceiver => vec![Object::Queue(OWN_RECEIVER)],
        Step::Park { .. } => vec![Object::Slot(thread)],
        Step::Unpark(other) => vec![Object::Slot(other)],
        Step::Join(_) | Step::Exit(_) | Step::Panic | Step::Return { .. } | Step::End { .. } => Vec::new(),
    }
}
