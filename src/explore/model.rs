//! A program to explore, and what is claimed of it.

use std::fmt::Display;
use std::sync::Arc;

use crate::verdict::ClaimSort;

/// A program with its claims. The program is run once per schedule, so it makes everything it shares itself.
///
/// ```
/// use pitfalls::explore::{Model, Options, explore};
/// use pitfalls::sync::atomic::{AtomicU64, Ordering::Relaxed};
/// use std::sync::Arc;
///
/// let model: Model = Model::new(|| {
///     let hits = Arc::new(AtomicU64::new(0));
///     let also = Arc::clone(&hits);
///     let other = pitfalls::thread::spawn(move || also.store(also.load(Relaxed) + 1, Relaxed));
///     hits.store(hits.load(Relaxed) + 1, Relaxed);
///     other.join().unwrap();
///     hits.load(Relaxed)
/// })
/// .always("both hits are counted", |hits| *hits == 2)
/// .into();
///
/// let verdict = explore(&model, &Options::default());
/// assert_eq!(verdict.failing.unwrap().to_string(), "4");
/// assert_eq!(verdict.schedules.unwrap().to_string(), "6");
/// ```
#[derive(Clone)]
pub struct Model {
    pub(crate) program: Arc<dyn Fn() -> Finish + Send + Sync>,
    pub(crate) claims: Vec<(ClaimSort, String)>,
}

/// Reads what the program left behind once it has ended: the outcome in words, and which claims' conditions are true.
pub(crate) type Finish = Box<dyn FnOnce() -> (String, Vec<bool>)>;

/// A model whose claims are still being written; see [`Model::new`].
pub struct Claims<T> {
    main: Arc<dyn Fn() -> T + Send + Sync>,
    outcome: Arc<dyn Fn(&T) -> String + Send + Sync>,
    claims: Vec<(ClaimSort, String)>,
    conditions: Vec<Condition<T>>,
}

type Condition<T> = Arc<dyn Fn(&T) -> bool + Send + Sync>;

impl Model {
    /// A program that returns its outcome. The claims follow; [`Into::into`] ends them.
    #[allow(clippy::new_ret_no_self)]
    pub fn new<T: Display + 'static>(main: impl Fn() -> T + Send + Sync + 'static) -> Claims<T> {
        Model::with_outcome(main, T::to_string)
    }

    /// A program whose outcome is read from what it returns only after everything has ended: a disk, say, of which
    /// only what was flushed is left.
    pub fn with_outcome<T: 'static>(
        main: impl Fn() -> T + Send + Sync + 'static,
        outcome: impl Fn(&T) -> String + Send + Sync + 'static,
    ) -> Claims<T> {
        Claims { main: Arc::new(main), outcome: Arc::new(outcome), claims: Vec::new(), conditions: Vec::new() }
    }
}

impl<T: 'static> Claims<T> {
    fn claim(mut self, sort: ClaimSort, text: &str, condition: Condition<T>) -> Self {
        self.claims.push((sort, text.to_string()));
        self.conditions.push(condition);
        self
    }

    /// In every schedule the condition is true at the end.
    pub fn always(self, text: &str, condition: impl Fn(&T) -> bool + Send + Sync + 'static) -> Self {
        self.claim(ClaimSort::Always, text, Arc::new(condition))
    }

    /// In at least one schedule it is.
    pub fn sometimes(self, text: &str, condition: impl Fn(&T) -> bool + Send + Sync + 'static) -> Self {
        self.claim(ClaimSort::Sometimes, text, Arc::new(condition))
    }

    /// In no schedule it is.
    pub fn never(self, text: &str, condition: impl Fn(&T) -> bool + Send + Sync + 'static) -> Self {
        self.claim(ClaimSort::Never, text, Arc::new(condition))
    }
}

impl<T: 'static> From<Claims<T>> for Model {
    fn from(claims: Claims<T>) -> Model {
        let Claims { main, outcome, claims, conditions } = claims;
        let program = move || -> Finish {
            let value = main();
            let (outcome, conditions) = (Arc::clone(&outcome), conditions.clone());
            Box::new(move || (outcome(&value), conditions.iter().map(|holds| holds(&value)).collect()))
        };
        Model { program: Arc::new(program), claims }
    }
}
