//! The same programs on the facade, for the explorer.

use std::fmt::Write as _;
use std::io::{Read, Write};
use std::sync::{Arc, Mutex as Plain, OnceLock};
use std::time::Duration;

use pitfalls::explore::Model;
use pitfalls::io::{Disk, PipeReader, PipeWriter, pipe};
use pitfalls::sync::atomic::{AtomicU64, Ordering::SeqCst};
use pitfalls::sync::channel::{self, Receiver, RecvTimeoutError, Sender, TryRecvError, TrySendError};
use pitfalls::sync::{Barrier, Condvar, Mutex, Once, RwLock};
use pitfalls::task;
use pitfalls::thread::{self, Thread};

use super::program::{Act, CAPACITIES, Extra, OWN_RECEIVER, OWN_SENDER, Program};

struct World {
    atoms: [AtomicU64; 2],
    locks: [Mutex<u64>; 2],
    rw: RwLock<u64>,
    changed: Condvar,
    barrier: Barrier,
    once: Once,
    senders: Vec<Option<Sender<u64>>>,
    receivers: Vec<Option<Receiver<u64>>>,
    pipe: (Mutex<PipeReader>, Mutex<PipeWriter>),
    disk: Disk,
    /// Not the facade's: set before any thread has taken a step.
    threads: OnceLock<Vec<Thread>>,
}

/// The ends of channels that one thread has for itself; dropped in this order.
#[derive(Default)]
struct Own {
    sender: Option<Sender<u64>>,
    receiver: Option<Receiver<u64>>,
}

const SHORT: Duration = Duration::from_millis(1);

/// The program for the explorer; its outcome is the text that the reference gives it.
pub fn model(program: &Program) -> Model {
    let program = program.clone();
    // Who is the last to let go of an `Arc` is nothing that a scheduler knows of, so none of the threads is.
    let kept = Plain::new(None);
    Model::new(move || run(&program, &kept)).always("nobody loads a 1", |log: &String| !log.contains("l1")).into()
}

fn run(program: &Program, kept: &Plain<Option<Arc<World>>>) -> String {
    let (mut senders, mut receivers) = (Vec::new(), Vec::new());
    for capacity in CAPACITIES {
        let (sender, receiver) = match capacity {
            Some(capacity) => channel::bounded(capacity),
            None => channel::unbounded(),
        };
        senders.push(Some(sender));
        receivers.push(Some(receiver));
    }
    let (mut sender, mut receiver) = (senders[OWN_SENDER].take(), receivers[OWN_RECEIVER].take());
    let (reader, writer) = pipe(2);
    let world = Arc::new(World {
        atoms: [AtomicU64::new(0), AtomicU64::new(0)],
        locks: [Mutex::new(0), Mutex::new(0)],
        rw: RwLock::new(0),
        changed: Condvar::new(),
        barrier: Barrier::new(2),
        once: Once::new(),
        senders,
        receivers,
        pipe: (Mutex::new(reader), Mutex::new(writer)),
        disk: Disk::new(),
        threads: OnceLock::new(),
    });
    *kept.lock().unwrap() = Some(Arc::clone(&world));
    let mut threads = vec![thread::current()];
    let mut handles = Vec::new();
    for (number, acts) in program.workers.iter().cloned().enumerate() {
        let own = Own {
            sender: if number == 0 { sender.take() } else { None },
            receiver: if number + 1 == program.workers.len() { receiver.take() } else { None },
        };
        let world = Arc::clone(&world);
        let handle = thread::spawn(move || {
            let mut own = own;
            world.run(&acts, &mut own)
        });
        threads.push(handle.thread().clone());
        handles.push(handle);
    }
    world.threads.set(threads).unwrap_or_else(|_| unreachable!("set once"));
    let mut log = world.run(&program.main, &mut Own::default());
    if program.joins {
        for handle in handles {
            write!(log, "[{}]", handle.join().as_deref().unwrap_or("panicked")).unwrap();
        }
        let atoms = [world.atoms[0].load(SeqCst), world.atoms[1].load(SeqCst)];
        let (first, second) = (*world.locks[0].lock(), *world.locks[1].lock());
        write!(log, " {atoms:?} {first} {second} {}", *world.rw.read()).unwrap();
        match world.disk.survived().len() {
            0 => {}
            bytes => write!(log, " {bytes}").unwrap(),
        }
    }
    log
}

impl World {
    fn run(&self, acts: &[Act], own: &mut Own) -> String {
        let mut log = String::new();
        for act in acts {
            self.act(*act, own, &mut log);
        }
        log
    }

    fn sender<'a>(&'a self, queue: usize, own: &'a Own) -> Option<&'a Sender<u64>> {
        if queue == OWN_SENDER { own.sender.as_ref() } else { self.senders[queue].as_ref() }
    }

    fn receiver<'a>(&'a self, queue: usize, own: &'a Own) -> Option<&'a Receiver<u64>> {
        if queue == OWN_RECEIVER { own.receiver.as_ref() } else { self.receivers[queue].as_ref() }
    }

    fn wait(&self, log: &mut String, timed: bool) {
        let mut guard = self.locks[0].lock();
        if timed {
            let result = self.changed.wait_for(&mut guard, SHORT);
            write!(log, "f{}{}", result.timed_out(), *guard).unwrap();
        } else {
            self.changed.wait(&mut guard);
        }
    }

    /// Does one operation; what it observes is written to `log`.
    fn act(&self, act: Act, own: &mut Own, log: &mut String) {
        match act {
            Act::Load(n) => write!(log, "l{}", self.atoms[n].load(SeqCst)).unwrap(),
            Act::Store(n, value) => self.atoms[n].store(value, SeqCst),
            Act::Add(n) => write!(log, "a{}", self.atoms[n].fetch_add(1, SeqCst)).unwrap(),
            Act::Exchange(n, value) => {
                write!(log, "c{:?}", self.atoms[n].compare_exchange(0, value, SeqCst, SeqCst)).unwrap();
            }
            Act::LockAdd(n) => *self.locks[n].lock() += 1,
            Act::LockBoth(n) => {
                let outer = self.locks[n].lock();
                *self.locks[1 - n].lock() += *outer + 1;
            }
            Act::LockLoad(n) => {
                let _guard = self.locks[n].lock();
                self.act(Act::Load(0), own, log);
            }
            Act::TryLock(n) => match self.locks[n].try_lock() {
                Some(mut guard) => *guard += 10,
                None => log.push('t'),
            },
            Act::Read => write!(log, "r{}", *self.rw.read()).unwrap(),
            Act::ReadLoad => {
                let _guard = self.rw.read();
                self.act(Act::Load(1), own, log);
            }
            Act::Write => *self.rw.write() += 1,
            Act::TryRead => match self.rw.try_read() {
                Some(guard) => write!(log, "r{}", *guard).unwrap(),
                None => log.push('x'),
            },
            Act::TryWrite => match self.rw.try_write() {
                Some(mut guard) => *guard += 5,
                None => log.push('w'),
            },
            Act::Wait => self.wait(log, false),
            Act::WaitFor => self.wait(log, true),
            Act::NotifyOne => write!(log, "n{}", self.changed.notify_one()).unwrap(),
            Act::NotifyAll => write!(log, "N{}", self.changed.notify_all()).unwrap(),
            Act::Barrier => write!(log, "b{}", self.barrier.wait().is_leader()).unwrap(),
            Act::Once => self.once.call_once(|| {
                self.atoms[0].fetch_add(5, SeqCst);
            }),
            Act::OncePanic => self.once.call_once(|| panic!("on purpose")),
            Act::Send(queue, value) => {
                let Some(sender) = self.sender(queue, own) else { return };
                log.push_str(if sender.send(value).is_ok() { "S+" } else { "S!" });
            }
            Act::TrySend(queue, value) => {
                let Some(sender) = self.sender(queue, own) else { return };
                log.push_str(match sender.try_send(value) {
                    Ok(()) => "s+",
                    Err(TrySendError::Full(_)) => "s-",
                    Err(TrySendError::Disconnected(_)) => "s!",
                });
            }
            Act::Recv(queue) => {
                let Some(receiver) = self.receiver(queue, own) else { return };
                match receiver.recv() {
                    Ok(value) => write!(log, "R{value}").unwrap(),
                    Err(_) => log.push_str("R!"),
                }
            }
            Act::TryRecv(queue) => {
                let Some(receiver) = self.receiver(queue, own) else { return };
                match receiver.try_recv() {
                    Ok(value) => write!(log, "T{value}").unwrap(),
                    Err(TryRecvError::Empty) => log.push_str("T-"),
                    Err(TryRecvError::Disconnected) => log.push_str("T!"),
                }
            }
            Act::RecvTimeout(queue) => {
                let Some(receiver) = self.receiver(queue, own) else { return };
                match receiver.recv_timeout(SHORT) {
                    Ok(value) => write!(log, "o{value}").unwrap(),
                    Err(RecvTimeoutError::Timeout) => log.push_str("o-"),
                    Err(RecvTimeoutError::Disconnected) => log.push_str("o!"),
                }
            }
            Act::Close => drop(std::mem::take(own)),
            Act::Park => thread::park(),
            Act::ParkTimeout => thread::park_timeout(SHORT),
            Act::Unpark(number) => {
                if let Some(thread) = self.threads.get().and_then(|threads| threads.get(number)) {
                    thread.unpark();
                }
            }
            Act::Yield => thread::yield_now(),
            Act::Exit(code) => pitfalls::process::exit(code),
            Act::Panic => panic!("on purpose"),
            Act::PanicLocked(n) => {
                let mut guard = self.locks[n].lock();
                *guard += 1;
                panic!("on purpose");
            }
            Act::Beyond(extra) => self.extra(extra, log),
        }
    }

    fn extra(&self, extra: Extra, log: &mut String) {
        match extra {
            Extra::PipeWrite => {
                let wrote = self.pipe.1.lock().write(&[1, 2, 3]).unwrap();
                write!(log, "p{wrote}").unwrap();
            }
            Extra::PipeRead => {
                let mut bytes = [0; 2];
                let read = self.pipe.0.lock().read(&mut bytes).unwrap();
                write!(log, "q{:?}", &bytes[..read]).unwrap();
            }
            Extra::Append => self.disk.append("x"),
            Extra::Flush => self.disk.flush(),
            Extra::Scope => thread::scope(|scope| {
                scope.spawn(|| self.atoms[1].fetch_add(1, SeqCst));
            }),
            Extra::Loop => {
                let value = task::block_on(async {
                    let other = task::spawn(async {
                        task::yield_now().await;
                        3u64
                    });
                    let seen = self.atoms[0].load(SeqCst);
                    task::sleep(SHORT).await;
                    seen + other.await.unwrap()
                });
                write!(log, "L{value}").unwrap();
            }
        }
    }
}
