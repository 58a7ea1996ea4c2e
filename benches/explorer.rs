//! Prints how fast the explorer is, beside loom and shuttle on the same programs, and how it grows.
//!
//! Figures are of one run on one machine: only their ratios mean something. Nothing here passes or fails.

use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use kernels::{Cost, Kernel, facade, on_loom, on_shuttle};
use pitfalls::explore::{Model, Options, explore, repeat};
use pitfalls::sources::Sources;
use pitfalls::verdict::{Finding, Search, Verdict};

/// After so long, loom and shuttle are cut.
const CAP: Duration = Duration::from_secs(25);
/// Runs of which the middle one counts; a run that takes longer than a second is the only one.
const RUNS: usize = 7;

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    if let [_, child, checker, kernel] = &arguments[..]
        && child == "--one"
    {
        return one(checker, kernel);
    }
    let recording = recording();
    let ratios = against_others();
    growth();
    println!("\nGoals");
    goal("3 x 2 locked, loom against the explorer: at least 20 times", ratios.0, ratios.0 >= 20.0);
    goal("3 x 2 locked, shuttle against the explorer: at least 20 times", ratios.1, ratios.1 >= 20.0);
    goal("an execution recorded against not recorded: at most 1.3 times", recording, recording <= 1.3);
    startup("list", &["list"], 10.0);
    startup("check race", &["check", "race"], 200.0);
}

fn goal(what: &str, measured: f64, met: bool) {
    println!("  {what}: {measured:.2} - goal {}", if met { "met" } else { "NOT met" });
}

/// The middle one of several runs' times, in milliseconds, and what the last of them gave.
fn median<T>(mut run: impl FnMut() -> T) -> (f64, T) {
    let mut times = Vec::new();
    loop {
        let mut result = None;
        times.push(time(|| result = Some(run())));
        if times.len() == RUNS || times.last().is_some_and(|last| *last > 1e3) {
            times.sort_by(f64::total_cmp);
            if let Some(result) = result {
                return (times[times.len() / 2], result);
            }
        }
    }
}

const KERNELS: [Kernel; 5] =
    [Kernel::Locked(2, 2), Kernel::Locked(2, 3), Kernel::Locked(3, 2), Kernel::Crossed, Kernel::Producers];

/// Prints the table; returns how many times faster than loom and than shuttle the explorer was at 3 x 2.
fn against_others() -> (f64, f64) {
    println!("To a complete verdict (milliseconds; executions in brackets; times the plain graph)\n");
    println!(
        "{:<24} {:>9} {:>7} {:>7}  {:>9} {:>7}  {:<32} {:<32}",
        "", "graph", "states", "exec.", "reduced", "exec.", "loom", "shuttle"
    );
    let mut at_three = (0.0, 0.0);
    for kernel in KERNELS {
        let model = facade::model(kernel);
        let (graph_ms, graph) = median(|| explore(&model, &Options::default()));
        let only = Options { verdict_only: true, ..Options::default() };
        let (reduced_ms, reduced) = median(|| explore(&model, &only));
        let other = |cost: Option<Cost>| match cost {
            None => (0.0, "gave nothing".to_string()),
            Some(Cost { milliseconds, executions, cut }) => {
                let more = if cut { "more than " } else { "" };
                let ratio = milliseconds / graph_ms;
                (ratio, format!("{more}{milliseconds:.2} ({executions}) {ratio:.0}x"))
            }
        };
        let (loom, shuttle) = (other(apart("loom", kernel)), other(apart("shuttle", kernel)));
        if kernel == Kernel::Locked(3, 2) {
            at_three = (loom.0, shuttle.0);
        }
        println!(
            "{:<24} {graph_ms:>9.2} {:>7} {:>7}  {reduced_ms:>9.2} {:>7}  {:<32} {:<32}{}",
            kernel.name(),
            graph.cost.states,
            graph.cost.executions,
            reduced.cost.executions,
            loom.1,
            shuttle.1,
            if graph.finding == Finding::Deadlock { " to the deadlock" } else { "" }
        );
    }
    at_three
}

/// Runs another checker in a process of its own, which a deadlock may end.
fn apart(checker: &str, kernel: Kernel) -> Option<Cost> {
    let me = std::env::current_exe().ok()?;
    let output = Command::new(me).args(["--one", checker, &kernel.name()]).stderr(Stdio::null()).output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let mut words = text.lines().find_map(|line| line.strip_prefix("cost "))?.split(' ');
    Some(Cost {
        milliseconds: words.next()?.parse().ok()?,
        executions: words.next()?.parse().ok()?,
        cut: words.next()? == "true",
    })
}

/// In the child process: prints the cost, also when the checker finds a deadlock and panics.
fn one(checker: &str, kernel: &str) {
    let Some(kernel) = KERNELS.into_iter().find(|known| known.name() == kernel) else { return };
    let executions = Arc::new(AtomicU64::new(0));
    let start = Arc::new(std::sync::Mutex::new(Instant::now()));
    let (counted, since) = (Arc::clone(&executions), Arc::clone(&start));
    std::panic::set_hook(Box::new(move |_| {
        if let Ok(since) = since.lock() {
            println!("cost {} {} false", since.elapsed().as_secs_f64() * 1e3, counted.load(Relaxed));
        }
    }));
    let check = if checker == "loom" { on_loom::check } else { on_shuttle::check };
    let (milliseconds, cost) = median(|| {
        executions.store(0, Relaxed);
        if let Ok(mut start) = start.lock() {
            *start = Instant::now();
        }
        check(kernel, CAP, &executions)
    });
    println!("cost {milliseconds} {} {}", cost.executions, cost.cut);
}

fn growth() {
    println!("\nGrowth within 150,000 states and 2,500,000 steps (milliseconds)\n");
    println!("{:<16} {:>44}  {:>36}", "", "plain graph", "reduced search");
    let budget = Options { states: 150_000, steps: 2_500_000, ..Options::default() };
    let only = Options { verdict_only: true, ..budget.clone() };
    type Make = fn(usize, usize) -> Model;
    for (name, make) in [("locked", facade::locked as Make), ("unlocked", facade::unlocked as Make)] {
        for (threads, times) in [(2, 2), (2, 3), (3, 2), (3, 3), (4, 3), (4, 4)] {
            let model = make(threads, times);
            let (graph_ms, graph) = median(|| explore(&model, &budget));
            let (reduced_ms, reduced) = median(|| explore(&model, &only));
            println!(
                "{:<16} {:>44}  {:>36}",
                format!("{threads} x {times} {name}"),
                cost(&graph, Search::Graph, graph_ms),
                cost(&reduced, Search::Reduced, reduced_ms)
            );
        }
    }
}

fn cost(verdict: &Verdict, by: Search, milliseconds: f64) -> String {
    let cost = verdict.cost;
    if by == Search::Graph && verdict.search == Search::Reduced {
        return format!("out of budget, then the reduced search {milliseconds:.0}");
    }
    let states = if by == Search::Graph { format!("{} states, ", cost.states) } else { String::new() };
    match verdict.complete {
        true => format!("{states}{} executions {milliseconds:.2}", cost.executions),
        false => format!("out of budget: {states}{} executions {milliseconds:.0}", cost.executions),
    }
}

/// How much longer an execution takes that is written down, its trace included: at locked increments and at messages.
fn recording() -> f64 {
    let mut worst: f64 = 0.0;
    println!();
    for (name, model) in [("locked", facade::locked(2, 100)), ("messages", facade::in_turns(100))] {
        // The source compiled in, as a lesson's is.
        let sources = Sources::new([("kernels/facade.rs", include_str!("kernels/facade.rs"))]);
        let options = Options { sources, ..Options::default() };
        let times = 200;
        // In turns, so that what disturbs one disturbs the other.
        let (mut bare, mut recorded, mut steps) = (Vec::new(), Vec::new(), 0);
        for _ in 0..RUNS {
            bare.push(time(|| steps = repeat(&model, &options, times, false)) / times as f64);
            recorded.push(time(|| repeat(&model, &options, times, true)) / times as f64);
        }
        let middle = |times: &mut Vec<f64>| {
            times.sort_by(f64::total_cmp);
            times[times.len() / 2]
        };
        let (bare, recorded) = (middle(&mut bare), middle(&mut recorded));
        println!("An execution of {steps} steps ({name}): {bare:.3} ms, recorded {recorded:.3} ms");
        worst = worst.max(recorded / bare);
    }
    worst
}

fn time<T>(run: impl FnOnce() -> T) -> f64 {
    let start = Instant::now();
    let _kept = run();
    start.elapsed().as_secs_f64() * 1e3
}

fn startup(name: &str, arguments: &[&str], goal_ms: f64) {
    let what = format!("`learn {name}`: at most {goal_ms:.0} ms");
    let run = |learn: &PathBuf| {
        Command::new(learn).args(arguments).stdout(Stdio::piped()).stderr(Stdio::null()).output().ok()
    };
    // The binary is another package's: in the folder above this one's.
    let learn = std::env::current_exe().ok().and_then(|me| Some(me.parent()?.parent()?.join("learn")));
    let answered = learn.filter(|learn| run(learn).is_some_and(|output| !output.stdout.is_empty()));
    match answered {
        None => println!("  {what}: not there (build it first: cargo build --release)"),
        Some(learn) => {
            let (milliseconds, _) = median(|| run(&learn));
            goal(&what, milliseconds, milliseconds <= goal_ms);
        }
    }
}
