//! The unsynchronised balance: read, give way, write, and a deposit is gone.
//!
//! Every variant's `Account` has the same three functions; the scenario, its claims, the demo and the sample are
//! written once, against those. What the compiler refuses (a *data race*) is in `refused/`; what it lets pass (a
//! *race condition*) is the lesson.

mod broken;
mod broken_two_locks;
mod fixed_atomic;
mod fixed_lock;
mod fixed_owner;

use std::fmt;
use std::sync::Arc;

use crate::explore::{Model, Options, explore};
use crate::lesson::{Lesson, Role, Sample, Size, Variant};
use crate::os::report::{Demo, RunReport, VariantReport};
use crate::os::trials::{Limit, Trials, grouped};
use crate::thread;

/// What the demo runs: the article's size.
const THREADS: usize = 4;
const DEPOSITS: usize = 1_000;
const TOTAL: u64 = (THREADS * DEPOSITS) as u64;

/// The lesson.
pub fn lesson() -> Lesson {
    let variants = ENTRIES
        .iter()
        .map(|entry| Variant { id: entry.id, source: entry.source, role: entry.role, model: entry.model })
        .collect();
    Lesson {
        id: "race",
        toml: include_str!("lesson.toml"),
        variants,
        size_of: &["thread", "deposit"],
        sizes: &[&[2, 1], &[2, 2], &[3, 1]],
        run,
        sample,
    }
}

/// What the five accounts have in common.
trait Account: Send + Sync + 'static {
    fn open() -> Self;
    fn deposit(&self, amount: u64);
    fn balance(&self) -> u64;
}

/// A variant with what only this lesson knows of it.
struct Entry {
    id: &'static str,
    source: &'static str,
    role: Role,
    model: fn(&Size) -> Model,
    scenario: fn(usize, usize) -> Balance,
    why: &'static str,
}

/// Implements [`Account`] for each module's type of that name, and lists the modules in `ENTRIES`.
macro_rules! accounts {
    ($($module:ident: $role:ident, $why:literal;)*) => {
        $(impl Account for $module::Account {
            fn open() -> Self {
                Self::new()
            }
            fn deposit(&self, amount: u64) {
                self.deposit(amount);
            }
            fn balance(&self) -> u64 {
                self.balance()
            }
        })*

        const ENTRIES: &[Entry] = &[$(Entry {
            id: stringify!($module),
            source: include_str!(concat!(stringify!($module), ".rs")),
            role: Role::$role,
            model: model::<$module::Account>,
            scenario: scenario::<$module::Account>,
            why: $why,
        },)*];
    };
}

accounts! {
    broken: Broken,
        "a thread writes back a sum made from the balance that it read before it gave way, and every deposit made \
         meanwhile is gone";
    broken_two_locks: Broken,
        "each lock guards one access, none guards the pair: between the read and the write the lock is free, and \
         every deposit made there is erased by the write";
    fixed_lock: Fixed,
        "the lock is held from the read to the write, so the others wait and then read the new balance";
    fixed_atomic: Fixed,
        "the addition is one indivisible step of the processor, so there is no moment between its read and its write";
    fixed_owner: Fixed,
        "only the owner thread touches the balance, and it takes one message after the other";
}

/// What the account holds at the end.
#[derive(Clone, Copy)]
struct Balance(u64);

impl fmt::Display for Balance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "balance {}", self.0)
    }
}

/// Threads deposit 1 each, some times over; the balance once all have ended.
fn scenario<A: Account>(threads: usize, deposits: usize) -> Balance {
    let account = Arc::new(A::open());
    let workers: Vec<_> = (0..threads)
        .map(|_| {
            let account = Arc::clone(&account);
            thread::spawn(move || (0..deposits).for_each(|_| account.deposit(1)))
        })
        .collect();
    for worker in workers {
        worker.join().expect("a deposit does not panic");
    }
    Balance(account.balance())
}

fn model<A: Account>(size: &Size) -> Model {
    let (threads, deposits) = numbers(size);
    let total = (threads * deposits) as u64;
    Model::new(move || scenario::<A>(threads, deposits))
        .always("every deposit is in the balance", move |balance| balance.0 == total)
        .into()
}

/// Threads and deposits of a size that [`Lesson::check_size`] has accepted.
fn numbers(size: &Size) -> (usize, usize) {
    let number = |index| size.0.get(index).copied().unwrap_or(1);
    (number(0), number(1))
}

fn sample(variant: &str, size: &Size, runs: u32) -> Option<Sample> {
    let entry = ENTRIES.iter().find(|entry| entry.id == variant)?;
    let (threads, deposits) = numbers(size);
    let trials = Trials::run(Limit::sample(runs), |_| (), || (entry.scenario)(threads, deposits).0);
    Some(Sample { failing: trials.wrong((threads * deposits) as u64), runs: trials.count() })
}

fn run(demo: &Demo<'_>) -> RunReport {
    let chosen: Vec<&Entry> = ENTRIES.iter().filter(|entry| demo.variant.is_none_or(|id| id == entry.id)).collect();
    let limit = Limit::of(demo, chosen.len());
    let lesson = lesson();
    RunReport {
        lesson: lesson.id.into(),
        setting: "4 threads × 1,000 deposits of 1".into(),
        expected: "a balance of 4,000".into(),
        variants: chosen.into_iter().map(|entry| trials(entry, &lesson, demo, limit)).collect(),
        figures: lesson.about().map(|about| about.figures).unwrap_or_default(),
        remark: "This is a race condition, not a data race: the compiler refuses data races, and no compiler knows \
                 which order of two accesses you meant."
            .into(),
    }
}

fn trials(entry: &Entry, lesson: &Lesson, demo: &Demo<'_>, limit: Limit) -> VariantReport {
    let trials = Trials::run(
        limit,
        |number| (demo.progress)(&format!("{} · {}: trial {number}", lesson.id, entry.id)),
        || (entry.scenario)(THREADS, DEPOSITS).0,
    );
    let (count, wrong) = (trials.count(), trials.wrong(TOTAL));
    VariantReport {
        variant: entry.id.into(),
        role: entry.role,
        hook: lesson.variant(entry.id).map(Variant::hook).unwrap_or_default().into(),
        trials: count,
        wrong,
        median: Some(trials.median_in_words("balance")),
        outcomes: trials.outcomes("balance", TOTAL),
        nanoseconds: trials.nanoseconds_per(TOTAL),
        per: "deposit".into(),
        sentence: sentence(entry, count, wrong),
        as_claimed: match entry.role {
            Role::Broken => wrong > 0,
            Role::Fixed => wrong == 0,
        },
    }
}

/// Why it came out as it did; or that this run did not show what the lesson claims, and what would.
fn sentence(entry: &Entry, trials: u32, wrong: u32) -> String {
    let all = if trials == 1 { "the one trial".to_string() } else { format!("all {} trials", grouped(trials.into())) };
    match (entry.role, wrong) {
        (Role::Broken, 0) => format!(
            "This time {all} came out right. The bug is still there; the operating system only hit no schedule that \
             shows it{often}. More trials: `learn run race --variant {id} --trials {more}`; every schedule: `learn \
             check race --variant {id}`.",
            often = how_often(entry),
            id = entry.id,
            more = trials.saturating_mul(10).max(100),
        ),
        (Role::Broken, _) | (Role::Fixed, 0) => format!("Why: {}.", entry.why),
        (Role::Fixed, _) => format!(
            "{wrong} of {trials} trials came out wrong, although {}. That must not happen: please report it.",
            entry.why
        ),
    }
}

/// How often it would show, of all schedules of the smallest size.
fn how_often(entry: &Entry) -> String {
    let size = Size(vec![2, 1]);
    let verdict = explore(&(entry.model)(&size), &Options::default());
    match (verdict.failing, verdict.schedules) {
        (Some(failing), Some(all)) => {
            format!(", although {failing} of the {all} schedules of 2 threads with one deposit each lose one")
        }
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_broken_variant_that_came_out_right_says_so() {
        let text = sentence(&ENTRIES[0], 7, 0);
        assert!(text.starts_with("This time all 7 trials came out right. The bug is still there;"), "{text}");
        assert!(text.contains("although 4 of the 6 schedules of 2 threads with one deposit each lose one"), "{text}");
        assert!(text.contains("--trials 100"), "{text}");
    }

    #[test]
    fn every_fix_keeps_every_deposit_on_real_threads() {
        for entry in ENTRIES.iter().filter(|entry| entry.role == Role::Fixed) {
            assert_eq!((entry.scenario)(3, 50).0, 150, "{}", entry.id);
        }
    }

    #[test]
    fn a_sample_counts_what_it_ran() {
        let size = Size(vec![2, 1]);
        // At least one, and fewer than asked for only where they would take too long.
        let sampled = sample("fixed_lock", &size, 20).unwrap();
        assert_eq!(sampled.failing, 0);
        assert!((1..=20).contains(&sampled.runs), "{sampled:?}");
        assert_eq!(sample("no such variant", &size, 20), None);
    }
}
