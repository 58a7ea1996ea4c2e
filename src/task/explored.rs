//! Tasks under the explorer: each is a thread that polls its future whenever it holds the event loop's token.

use std::any::Any;
use std::cell::RefCell;
use std::collections::HashMap;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::pin::{Pin, pin};
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};

use crate::backend::{Driver, Left, Make, Op, Spawn, Stop, Value, driver, panic_text, refuse};
use crate::trace::{Effect, Place};

/// What a task leaves, and who waits for it.
struct Slot<T> {
    value: Option<Result<T, String>>,
    waiting: Option<Waker>,
}

/// The explorer's side of a task's handle.
pub(super) struct Awaited<T> {
    /// The cell that stands for "is it done?".
    done: u32,
    place: Place,
    slot: Arc<parking_lot::Mutex<Slot<T>>>,
}

/// A future that an event loop may drop before it is done.
type Cancellable = Rc<RefCell<Option<Pin<Box<dyn Future<Output = ()>>>>>>;

#[derive(Default)]
struct Tasks(RefCell<Vec<(u32, Cancellable)>>);

thread_local! {
    /// The tasks of each event loop that runs: by run and token.
    static LOOPS: RefCell<HashMap<(u64, u32), Rc<Tasks>>> = RefCell::default();
}

struct TaskWaker {
    run: u64,
    task: u32,
    place: Place,
}

impl Wake for TaskWaker {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        if let Some(driver) = driver().filter(|driver| driver.run() == self.run && !driver.over()) {
            driver.step(Op::Wake { task: self.task }, self.place);
        }
    }
}

#[cold]
fn misused(driver: &Rc<dyn Driver>, message: String) -> ! {
    driver.misuse(message.clone());
    refuse(message)
}

pub(super) fn block_on<F: Future>(driver: &Rc<dyn Driver>, future: F, place: Place) -> F::Output {
    if driver.task().is_some() {
        misused(driver, format!("at {place} an event loop is started inside a task of another event loop"));
    }
    let token = driver.create(Make::Lock { kind: "event loop", value: None }, place);
    let task = driver.create(Make::Task, place);
    let tasks = Rc::new(Tasks::default());
    let key = (driver.run(), token);
    LOOPS.with_borrow_mut(|loops| loops.insert(key, Rc::clone(&tasks)));
    let mut future = pin!(future);
    drive(driver, task, token, place, |context| {
        // Whether it is done or panics, this thread still holds the token: none of the tasks is being polled.
        let mut end = EndOfLoop { driver, tasks: &tasks, key, place, armed: true };
        let polled = future.as_mut().poll(context);
        end.armed = polled.is_ready();
        polled
    })
}

/// Drops what is left of an event loop's tasks, also when the loop's own future panics.
struct EndOfLoop<'a> {
    driver: &'a Rc<dyn Driver>,
    tasks: &'a Tasks,
    key: (u64, u32),
    place: Place,
    armed: bool,
}

impl Drop for EndOfLoop<'_> {
    fn drop(&mut self) {
        if !self.armed {
            return;
        }
        LOOPS.with_borrow_mut(|loops| loops.remove(&self.key));
        for (thread, future) in self.tasks.0.take() {
            let future = future.try_borrow_mut().ok().and_then(|mut slot| slot.take());
            drop(future);
            if !self.driver.over() {
                self.driver.step(Op::Cancel { thread }, self.place);
            }
        }
    }
}

/// Polls until ready; each poll is a turn that holds the loop's token.
fn drive<T>(
    driver: &Rc<dyn Driver>,
    task: u32,
    token: u32,
    place: Place,
    mut poll: impl FnMut(&mut Context<'_>) -> Poll<T>,
) -> T {
    struct Turn<'a> {
        driver: &'a Rc<dyn Driver>,
        token: u32,
        place: Place,
        before: Option<(u32, u32)>,
    }
    impl Drop for Turn<'_> {
        fn drop(&mut self) {
            self.driver.set_task(self.before);
            if !self.driver.over() {
                self.driver.step(Op::EndTurn { token: self.token }, self.place);
            }
        }
    }
    let waker = Waker::from(Arc::new(TaskWaker { run: driver.run(), task, place }));
    loop {
        driver.step(Op::Turn { task, token }, place);
        let before = driver.set_task(Some((task, token)));
        let _turn = Turn { driver, token, place, before };
        if let Poll::Ready(value) = poll(&mut Context::from_waker(&waker)) {
            return value;
        }
    }
}

pub(super) fn spawn<F>(driver: &Rc<dyn Driver>, future: F, place: Place) -> Awaited<F::Output>
where
    F: Future + 'static,
{
    let Some((_, token)) = driver.task() else {
        misused(driver, format!("at {place} a task is spawned outside of an event loop: use it inside block_on"))
    };
    let awaited = Awaited::new(driver, "task", place);
    let finish = awaited.finisher();
    let task = driver.create(Make::Task, place);
    let future: Cancellable = Rc::new(RefCell::new(Some(Box::pin(async move { finish(caught(future).await) }))));
    let kept = Rc::clone(&future);
    let body = move || {
        let driver = crate::backend::driver()?;
        drive(&driver, task, token, place, |context| {
            // Taken out while it is polled, so that nobody else can reach it then.
            let Some(mut polled) = future.borrow_mut().take() else { return Poll::Pending };
            let ready = polled.as_mut().poll(context);
            if ready.is_pending() {
                *future.borrow_mut() = Some(polled);
            }
            ready
        });
        None
    };
    let thread = driver.spawn(Spawn { name: None, sort: "task", body: Box::new(body) }, place);
    if let Some(tasks) = LOOPS.with_borrow(|loops| loops.get(&(driver.run(), token)).cloned()) {
        tasks.0.borrow_mut().push((thread, kept));
    }
    awaited
}

/// A future whose panics become an error, as tokio's tasks do it. The explorer's own unwinding goes through.
async fn caught<F: Future>(future: F) -> Result<F::Output, String> {
    let mut future = Box::pin(future);
    std::future::poll_fn(move |context| match catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(context))) {
        Ok(polled) => polled.map(Ok),
        Err(payload) => Poll::Ready(Err(message_of(payload))),
    })
    .await
}

fn message_of(payload: Box<dyn Any + Send>) -> String {
    if payload.is::<Stop>() {
        resume_unwind(payload);
    }
    format!("the task panicked: {}", panic_text(&*payload))
}

pub(super) fn spawn_blocking<T: 'static>(
    driver: &Rc<dyn Driver>,
    body: impl FnOnce() -> T + 'static,
    place: Place,
) -> Awaited<T> {
    if driver.task().is_none() {
        misused(driver, format!("at {place} a blocking call is offloaded outside of an event loop"));
    }
    let awaited = Awaited::new(driver, "blocking call", place);
    let finish = awaited.finisher();
    let body = move || {
        finish(catch_unwind(AssertUnwindSafe(body)).map_err(message_of));
        None
    };
    driver.spawn(Spawn { name: None, sort: "blocking", body: Box::new(body) }, place);
    awaited
}

impl<T: 'static> Awaited<T> {
    fn new(driver: &Rc<dyn Driver>, kind: &'static str, place: Place) -> Self {
        let value = Some(Value::number(0, false));
        let done = driver.create(Make::Cell { kind, value }, place);
        Awaited { done, place, slot: Arc::new(parking_lot::Mutex::new(Slot { value: None, waiting: None })) }
    }

    /// What the task calls with its value.
    fn finisher(&self) -> impl FnOnce(Result<T, String>) + 'static {
        let (done, place, slot) = (self.done, self.place, Arc::clone(&self.slot));
        move |value| {
            let Some(driver) = driver() else { return };
            driver.step(Op::Access { object: done, verb: "completes", effect: Effect::Writes }, place);
            let left = value.as_ref().map_or(Left::Opaque, |value| match Value::of(value, driver.recording()) {
                Some(Value { fingerprint, text }) => {
                    Left::Value(Value { fingerprint: fingerprint.wrapping_add(1), text })
                }
                None => Left::Opaque,
            });
            driver.observe(done, None, Some(left));
            let waiting = {
                let mut slot = slot.lock();
                slot.value = Some(value);
                slot.waiting.take()
            };
            if let Some(waker) = waiting {
                waker.wake();
            }
        }
    }
}

impl<T> Awaited<T> {
    pub(super) fn poll(&mut self, context: &mut Context<'_>) -> Poll<Result<T, String>> {
        let Some(driver) = driver() else {
            refuse(format!("a task's handle of the explorer (made at {}) is awaited outside of its run", self.place))
        };
        driver.step(Op::Access { object: self.done, verb: "awaits", effect: Effect::Reads }, self.place);
        let value = {
            let mut slot = self.slot.lock();
            if slot.value.is_none() {
                slot.waiting = Some(context.waker().clone());
            }
            slot.value.take()
        };
        driver.observe(self.done, None, None);
        value.map_or(Poll::Pending, Poll::Ready)
    }
}

/// A timer of the running task.
#[derive(Debug)]
pub(super) struct Timer {
    place: Place,
    /// The task it belongs to, and its number there, once it is set.
    set: Option<(u32, u64)>,
    done: bool,
}

impl Timer {
    pub(super) fn new(place: Place) -> Self {
        Timer { place, set: None, done: false }
    }

    pub(super) fn poll(&mut self) -> Poll<()> {
        let Some(driver) = driver() else {
            refuse(format!("a sleep of the explorer, made at {}, is awaited outside of its run", self.place))
        };
        let Some((current, _)) = driver.task() else {
            misused(&driver, format!("the sleep made at {} is awaited outside of an event loop", self.place))
        };
        let (task, id) = self.set.unwrap_or((current, 0));
        let reply = driver.step(Op::Timer { task, id, set: true }, self.place);
        self.set = Some((task, reply.number));
        self.done = reply.ok;
        if reply.ok { Poll::Ready(()) } else { Poll::Pending }
    }
}

impl Drop for Timer {
    fn drop(&mut self) {
        let (Some((task, id)), false) = (self.set, self.done) else { return };
        if let Some(driver) = driver().filter(|driver| !driver.over()) {
            driver.step(Op::Timer { task, id, set: false }, self.place);
        }
    }
}
