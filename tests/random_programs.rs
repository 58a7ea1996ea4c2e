//! Random small programs over all primitives: the graph's counts are those of plain enumeration, and the reduced
//! search comes to the same outcomes and the same verdict.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{Read, Write};
use std::sync::Arc;
use std::time::Duration;

use proptest::prelude::*;

use pitfalls::explore::{Model, Options, enumerate, explore};
use pitfalls::io::{Disk, pipe};
use pitfalls::sync::atomic::{AtomicU64, Ordering::SeqCst};
use pitfalls::sync::{Barrier, Condvar, Mutex, Once, RwLock, channel};
use pitfalls::{task, thread};

/// One operation of a random thread; the number chooses among objects of the kind.
#[derive(Debug, Clone, Copy)]
enum Act {
    Load(u8),
    Store(u8, u64),
    Add(u8),
    CompareExchange(u8, u64),
    LockAdd(u8),
    LockBoth(u8),
    TryLock(u8),
    ReadLock,
    WriteLock,
    TryWrite,
    Wait,
    WaitFor,
    NotifyOne,
    NotifyAll,
    Barrier,
    Once,
    Send(u8),
    TrySend(u8),
    Recv(u8),
    TryRecv(u8),
    RecvTimeout(u8),
    PipeWrite,
    PipeRead,
    Append,
    Flush,
    Yield,
    ParkTimeout,
    UnparkMain,
    SpawnJoin,
    Loop,
    Panic,
}

struct World {
    atoms: [AtomicU64; 2],
    locks: [Mutex<u64>; 2],
    shared: RwLock<u64>,
    ready: Condvar,
    barrier: Barrier,
    once: Once,
    queues: [(channel::Sender<u64>, channel::Receiver<u64>); 2],
    pipe: (Mutex<pitfalls::io::PipeReader>, Mutex<pitfalls::io::PipeWriter>),
    disk: Disk,
    main: thread::Thread,
}

impl World {
    fn new() -> Self {
        let (reader, writer) = pipe(2);
        World {
            atoms: [AtomicU64::new(0), AtomicU64::new(0)],
            locks: [Mutex::new(0), Mutex::new(0)],
            shared: RwLock::new(0),
            ready: Condvar::new(),
            barrier: Barrier::new(2),
            once: Once::new(),
            queues: [channel::bounded(1), channel::unbounded()],
            pipe: (Mutex::new(reader), Mutex::new(writer)),
            disk: Disk::new(),
            main: thread::current(),
        }
    }

    /// Does one operation; what it observes is written to `log`.
    fn act(&self, act: Act, log: &mut String) {
        match act {
            Act::Load(n) => write!(log, "l{}", self.atoms[n as usize].load(SeqCst)).unwrap(),
            Act::Store(n, value) => self.atoms[n as usize].store(value, SeqCst),
            Act::Add(n) => write!(log, "a{}", self.atoms[n as usize].fetch_add(1, SeqCst)).unwrap(),
            Act::CompareExchange(n, value) => {
                let done = self.atoms[n as usize].compare_exchange(0, value, SeqCst, SeqCst);
                write!(log, "c{done:?}").unwrap();
            }
            Act::LockAdd(n) => *self.locks[n as usize].lock() += 1,
            Act::LockBoth(n) => {
                let first = self.locks[n as usize].lock();
                *self.locks[1 - n as usize].lock() += *first + 1;
            }
            Act::TryLock(n) => match self.locks[n as usize].try_lock() {
                Some(mut guard) => *guard += 10,
                None => log.push('t'),
            },
            Act::ReadLock => write!(log, "r{}", *self.shared.read()).unwrap(),
            Act::WriteLock => *self.shared.write() += 1,
            Act::TryWrite => match self.shared.try_write() {
                Some(mut guard) => *guard *= 2,
                None => log.push('w'),
            },
            Act::Wait => self.ready.wait(&mut self.locks[0].lock()),
            Act::WaitFor => {
                let mut guard = self.locks[0].lock();
                let result = self.ready.wait_for(&mut guard, Duration::from_millis(1));
                write!(log, "f{}{}", result.timed_out(), *guard).unwrap();
            }
            Act::NotifyOne => write!(log, "n{}", self.ready.notify_one()).unwrap(),
            Act::NotifyAll => write!(log, "N{}", self.ready.notify_all()).unwrap(),
            Act::Barrier => write!(log, "b{}", self.barrier.wait().is_leader()).unwrap(),
            Act::Once => self.once.call_once(|| {
                self.atoms[0].fetch_add(5, SeqCst);
            }),
            Act::Send(n) => self.queues[n as usize].0.send(7).unwrap(),
            Act::TrySend(n) => write!(log, "s{}", self.queues[n as usize].0.try_send(8).is_ok()).unwrap(),
            Act::Recv(n) => write!(log, "R{:?}", self.queues[n as usize].1.recv()).unwrap(),
            Act::TryRecv(n) => write!(log, "T{:?}", self.queues[n as usize].1.try_recv()).unwrap(),
            Act::RecvTimeout(n) => {
                let got = self.queues[n as usize].1.recv_timeout(Duration::from_millis(1));
                write!(log, "o{got:?}").unwrap();
            }
            Act::PipeWrite => {
                let wrote = self.pipe.1.lock().write(&[1, 2, 3]).unwrap();
                write!(log, "p{wrote}").unwrap();
            }
            Act::PipeRead => {
                let mut bytes = [0; 2];
                let read = self.pipe.0.lock().read(&mut bytes).unwrap();
                write!(log, "q{:?}", &bytes[..read]).unwrap();
            }
            Act::Append => self.disk.append("x"),
            Act::Flush => self.disk.flush(),
            Act::Yield => thread::yield_now(),
            Act::ParkTimeout => thread::park_timeout(Duration::from_millis(1)),
            Act::UnparkMain => self.main.unpark(),
            Act::SpawnJoin => {
                thread::scope(|scope| {
                    scope.spawn(|| self.atoms[1].fetch_add(1, SeqCst));
                });
            }
            Act::Loop => {
                let value = task::block_on(async {
                    let other = task::spawn(async {
                        task::yield_now().await;
                        3u64
                    });
                    let seen = self.atoms[0].load(SeqCst);
                    task::sleep(Duration::from_millis(1)).await;
                    seen + other.await.unwrap()
                });
                write!(log, "L{value}").unwrap();
            }
            Act::Panic => panic!("on purpose"),
        }
    }
}

fn model(threads: Vec<Vec<Act>>, main_joins: bool) -> Model {
    Model::with_outcome(
        move || {
            let world = Arc::new(World::new());
            let (logs, results) = channel::unbounded::<String>();
            drop(logs);
            drop(results);
            let handles: Vec<_> = threads
                .iter()
                .cloned()
                .map(|acts| {
                    let world = Arc::clone(&world);
                    thread::spawn(move || {
                        let mut log = String::new();
                        for act in acts {
                            world.act(act, &mut log);
                        }
                        log
                    })
                })
                .collect();
            let mut seen = Vec::new();
            if main_joins {
                for handle in handles {
                    seen.push(handle.join().unwrap_or_else(|_| "panicked".into()));
                }
            }
            let values: Vec<u64> = world.atoms.iter().map(|atom| atom.load(SeqCst)).collect();
            (seen, values, world.disk.clone())
        },
        |(seen, values, disk)| format!("{seen:?} {values:?} {}", disk.survived().len()),
    )
    .always("at most six", |(_, values, _)| values.iter().sum::<u64>() <= 6)
    .into()
}

fn act() -> impl Strategy<Value = Act> {
    let one = 0..2u8;
    prop_oneof![
        6 => one.clone().prop_map(Act::Load),
        6 => (one.clone(), 0..3u64).prop_map(|(n, v)| Act::Store(n, v)),
        3 => one.clone().prop_map(Act::Add),
        2 => (one.clone(), 1..3u64).prop_map(|(n, v)| Act::CompareExchange(n, v)),
        4 => one.clone().prop_map(Act::LockAdd),
        2 => one.clone().prop_map(Act::LockBoth),
        2 => one.clone().prop_map(Act::TryLock),
        1 => Just(Act::ReadLock),
        1 => Just(Act::WriteLock),
        1 => Just(Act::TryWrite),
        2 => Just(Act::Wait),
        2 => Just(Act::WaitFor),
        2 => Just(Act::NotifyOne),
        1 => Just(Act::NotifyAll),
        1 => Just(Act::Barrier),
        1 => Just(Act::Once),
        2 => one.clone().prop_map(Act::Send),
        1 => one.clone().prop_map(Act::TrySend),
        2 => one.clone().prop_map(Act::Recv),
        1 => one.clone().prop_map(Act::TryRecv),
        1 => one.prop_map(Act::RecvTimeout),
        1 => Just(Act::PipeWrite),
        1 => Just(Act::PipeRead),
        1 => Just(Act::Append),
        1 => Just(Act::Flush),
        1 => Just(Act::Yield),
        1 => Just(Act::ParkTimeout),
        1 => Just(Act::UnparkMain),
        1 => Just(Act::SpawnJoin),
        1 => Just(Act::Loop),
        1 => Just(Act::Panic),
    ]
}

fn programs() -> impl Strategy<Value = (Vec<Vec<Act>>, bool)> {
    (prop::collection::vec(prop::collection::vec(act(), 1..4), 2..4), prop::bool::weighted(0.8))
}

/// Schedules beyond which a program is too large to be enumerated.
const LIMIT: u64 = 20_000;

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, max_global_rejects: 4_000, ..ProptestConfig::default() })]

    #[test]
    fn the_graph_counts_what_enumeration_counts((threads, main_joins) in programs()) {
        let model = model(threads, main_joins);
        let options = Options::default();
        let counted = enumerate(&model, &options, LIMIT);
        prop_assume!(counted.is_some());
        let counted = counted.unwrap();
        let verdict = explore(&model, &options);
        prop_assert!(verdict.complete, "{:?}", verdict.sentence);
        let mut graph: BTreeMap<String, String> = BTreeMap::new();
        for outcome in &verdict.outcomes {
            graph.insert(outcome.outcome.clone(), outcome.schedules.clone().unwrap().to_string());
        }
        let plain: BTreeMap<String, String> =
            counted.iter().map(|(label, n)| (label.clone(), pitfalls::verdict::Count::from(*n).to_string())).collect();
        prop_assert_eq!(&graph, &plain);

        let reduced = explore(&model, &Options { verdict_only: true, ..options });
        let outcomes: Vec<&String> = reduced.outcomes.iter().map(|outcome| &outcome.outcome).collect();
        let mut sorted = outcomes.clone();
        sorted.sort();
        prop_assert_eq!(sorted, plain.keys().collect::<Vec<_>>());
        prop_assert_eq!(reduced.finding, verdict.finding);
    }
}
