//! Verdicts as text in a given width: all in words, colour only in addition.

use colored::{ColoredString, Colorize};

use super::report::{CheckResult, ReplayReport};
use super::{ClaimSort, Count, Finding, Search, Verdict};
use crate::lesson::{Role, Size};
use crate::prose::{columns, pad, wrap, wrap_list};
use crate::sources::Sources;
use crate::timeline::{Timeline, clean, text::render};
use crate::trace::{Token, Trace};

pub use super::outcomes::outcomes_table;

/// The narrowest width that is drawn; a narrower one gets this.
const NARROWEST: usize = 30;

/// What is said of a variant besides its results.
pub struct Heading<'a> {
    /// "broken.rs".
    pub file: &'a str,
    /// What goes wrong, or why it holds, in one line.
    pub hook: &'a str,
    /// What the lesson claims of it.
    pub role: Role,
    /// A size as the lesson says it: "2 threads × 1 deposit".
    pub size_in_words: &'a dyn Fn(&Size) -> String,
    /// The source text for the timeline.
    pub sources: &'a Sources,
}

/// One variant's results, smallest size first: its claims, a line for each size, and the first schedule that fails.
pub fn variant_block(heading: &Heading<'_>, results: &[CheckResult], width: usize) -> String {
    let width = width.max(NARROWEST);
    let mut out = title(heading, width);
    for line in claim_lines(heading, results) {
        out += &line.text(width);
    }
    out += &size_rows(heading, results, width);
    for note in notes(heading, results) {
        out += &indented(&wrap(&note, width - 2), 2);
    }
    let broken = results.iter().find(|result| result.verdict.broke());
    if let Some(result) = broken {
        let at = if results.len() > 1 { Some((heading.size_in_words)(&result.size)) } else { None };
        out += &evidence(&result.verdict, at, heading.sources, width);
    }
    out
}

/// A schedule replayed: where it no longer fits, what it did, and which claims it breaks.
pub fn replay_block(report: &ReplayReport, sources: &Sources, width: usize) -> String {
    let width = width.max(NARROWEST);
    let mut out = schedule("schedule", &report.token, &report.trace, width, 0);
    if let Some(parting) = &report.parted {
        let text = format!(
            "The code no longer fits this schedule from step {} on: {}; {}. What follows is as close to it as it goes.",
            parting.step,
            clean(&parting.first),
            clean(&parting.second)
        );
        out += &indented(&wrap(&text, width), 0);
    }
    out.push('\n');
    out += &render(&Timeline::new(&report.trace, sources), width);
    out.push('\n');
    out += &indented(&wrap(&format!("Outcome: {}", clean(&report.trace.outcome)), width), 0);
    if report.broken.is_empty() {
        out += &indented(&wrap("This schedule breaks no claim.", width), 0);
    }
    for claim in &report.broken {
        out += &indented(&wrap(&format!("It breaks: {}", clean(claim)), width), 0);
    }
    out
}

fn title(heading: &Heading<'_>, width: usize) -> String {
    let (file, hook) = (clean(heading.file), clean(heading.hook));
    let left = width.saturating_sub(columns(&file) + 2);
    if left < 24 {
        let head: String = wrap(&file, width).iter().map(|line| format!("{}\n", line.bold())).collect();
        return head + &indented(&wrap(&hook, width - 2), 2);
    }
    let mut out = file.bold().to_string();
    for (index, line) in wrap(&hook, left).iter().enumerate() {
        let indent = if index == 0 { 2 } else { columns(&file) + 2 };
        out += &format!("{}{line}\n", " ".repeat(indent));
    }
    if hook.is_empty() {
        out.push('\n');
    }
    out
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Colour {
    Good,
    Bad,
    Open,
}

/// A claim and what became of it.
struct ClaimLine {
    claim: String,
    status: String,
    /// What the lesson says of that, or nothing.
    expected: &'static str,
    colour: Colour,
}

impl ClaimLine {
    /// On one line if it fits, the status at its end.
    fn text(&self, width: usize) -> String {
        let status = format!("{}{}", self.status, self.expected);
        let painted = || format!("{}{}", paint(&self.status, self.colour), self.expected);
        let used = 2 + columns(&self.claim) + 2 + columns(&status);
        if used <= width {
            // Statuses start in one column where the width is that of a common terminal.
            let gap = (width.min(100) - used.min(width.min(100))).min(60) + 2;
            return format!("  {}{}{}\n", self.claim, " ".repeat(gap), painted());
        }
        let mut out = indented(&wrap(&self.claim, width - 2), 2);
        match columns(&status) + 4 <= width {
            true => out += &format!("    {}\n", painted()),
            false => out += &indented(&wrap(&status, width - 4), 4),
        }
        out
    }
}

fn paint(word: &str, colour: Colour) -> ColoredString {
    match colour {
        Colour::Good => word.green().bold(),
        Colour::Bad => word.red().bold(),
        Colour::Open => word.yellow().bold(),
    }
}

/// Every claim over all sizes, and what broke that nobody needs to claim.
fn claim_lines(heading: &Heading<'_>, results: &[CheckResult]) -> Vec<ClaimLine> {
    let anything_broke = results.iter().any(|result| result.verdict.broke());
    let expected = |broke: bool| match (heading.role, broke) {
        (Role::Broken, true) => ", as the lesson says",
        (Role::Fixed, true) => ", but the lesson says it holds",
        (Role::Fixed, false) if !anything_broke => ", as the lesson says",
        (Role::Broken, false) if !anything_broke => ", but the lesson says it breaks",
        _ => "",
    };
    let mut lines = Vec::new();
    for finding in results.iter().map(|result| result.verdict.finding) {
        let Some((claim, status)) = unclaimed(finding) else { continue };
        if !lines.iter().any(|line: &ClaimLine| line.status == status) {
            // No lesson says of its code that it cannot be checked.
            let checkable = !matches!(finding, Finding::Nondeterministic | Finding::Misused);
            let expected = if checkable { expected(true) } else { "" };
            let claim = format!("always: {claim}");
            lines.push(ClaimLine { claim, status: status.into(), expected, colour: Colour::Bad });
        }
    }
    let first = results.iter().map(|result| &result.verdict.claims).max_by_key(|claims| claims.len());
    for (index, claim) in first.into_iter().flatten().enumerate() {
        let stands: Vec<Option<bool>> =
            results.iter().map(|result| result.verdict.claims.get(index).and_then(|claim| claim.stands)).collect();
        let broke = stands.contains(&Some(false));
        let held = stands.iter().filter(|stands| **stands == Some(true)).count();
        let known = held == stands.len();
        let (status, colour) = match (claim.sort, broke, known) {
            (ClaimSort::Sometimes, true, _) => ("NEVER HAPPENS".to_string(), Colour::Bad),
            (_, true, _) => ("BROKEN".to_string(), Colour::Bad),
            (_, _, false) if held == 0 => ("NOT KNOWN".to_string(), Colour::Open),
            (ClaimSort::Sometimes, _, false) => (format!("HAPPENS at {held} of {} sizes", stands.len()), Colour::Open),
            (_, _, false) => (format!("HOLDS at {held} of {} sizes", stands.len()), Colour::Open),
            (ClaimSort::Sometimes, ..) => ("HAPPENS".to_string(), Colour::Good),
            _ => ("HOLDS".to_string(), Colour::Good),
        };
        let says = if broke || known { expected(broke) } else { "" };
        let claim = format!("{}: {}", claim.sort.word(), clean(&claim.text));
        lines.push(ClaimLine { claim, status, expected: says, colour });
    }
    lines
}

/// What every program is held to without claiming it.
fn unclaimed(finding: Finding) -> Option<(&'static str, &'static str)> {
    match finding {
        Finding::Deadlock => Some(("nobody waits for ever", "DEADLOCK")),
        Finding::Livelock => Some(("nobody goes round for ever", "LIVELOCK")),
        Finding::Panic => Some(("nobody panics", "PANIC")),
        Finding::Nondeterministic => Some(("one schedule, one behaviour", "NOT DETERMINISTIC")),
        Finding::Misused => Some(("shared objects are used as they may be", "MISUSED")),
        Finding::Holds | Finding::Violated | Finding::NeverHappens | Finding::OutOfBudget => None,
    }
}

/// A line for each size; sizes, numbers and real threads in columns where they fit.
fn size_rows(heading: &Heading<'_>, results: &[CheckResult], width: usize) -> String {
    let longest = |numbers: fn(&Verdict) -> Option<&Count>| {
        results
            .iter()
            .filter_map(|result| numbers(&result.verdict))
            .map(|count| count.to_string().len())
            .max()
            .unwrap_or(0)
    };
    let digits = (longest(|verdict| verdict.failing.as_ref()), longest(|verdict| verdict.schedules.as_ref()));
    let rows: Vec<[String; 3]> = results
        .iter()
        .map(|result| {
            let real =
                result.sample.map(|sample| format!("real threads: {} of {} runs fail", sample.failing, sample.runs));
            [(heading.size_in_words)(&result.size), found(&result.verdict, digits), real.unwrap_or_default()]
        })
        .collect();
    let column = |index: usize| rows.iter().map(|row| columns(&row[index])).max().unwrap_or(0);
    let (size, words, real) = (column(0), column(1), column(2));
    let mut out = String::new();
    for (row, result) in rows.iter().zip(results) {
        if 4 + size + 2 + words + if real > 0 { 2 + real } else { 0 } <= width {
            let line = format!("    {}  {}  {}", pad(&row[0], size), pad(&row[1], words), row[2]);
            out += &format!("{}\n", line.trim_end());
            continue;
        }
        // Numbers are only aligned where they stand under one another.
        let alone = found(&result.verdict, (0, 0));
        if 4 + size + 2 + words <= width {
            out += &format!("    {}  {}\n", pad(&row[0], size), row[1]);
        } else {
            out += &indented(&wrap(&row[0], width - 4), 4);
            out += &indented(&wrap(&alone, width - 6), 6);
        }
        if !row[2].is_empty() {
            out += &indented(&wrap(&row[2], width - 6), 6);
        }
    }
    out
}

/// What was found at one size.
fn found(verdict: &Verdict, (failing_digits, digits): (usize, usize)) -> String {
    let all = verdict.schedules.as_ref();
    match (verdict.finding, all, verdict.failing.as_ref()) {
        (Finding::OutOfBudget, ..) => {
            let runs = counted(verdict.cost.executions, "execution");
            match verdict.cost.states {
                0 => format!("not known: the budget ended after {runs}"),
                states => format!("not known: the budget ended after {} ({runs})", counted(states, "state")),
            }
        }
        (Finding::Nondeterministic, ..) => "stopped: one schedule did two different things".to_string(),
        (Finding::Misused, ..) => "stopped: see below".to_string(),
        (Finding::NeverHappens, Some(all), _) => format!("happens in none of {all:>digits$} schedules"),
        (Finding::NeverHappens, None, _) => "happens in no schedule; not counted".to_string(),
        (Finding::Holds, ..) if !verdict.complete => "holds as far as it was explored, which is not all".to_string(),
        (Finding::Holds, Some(all), _) if *all == Count::one() => "holds in the only schedule".to_string(),
        (Finding::Holds, Some(all), _) => format!("holds in all {all:>digits$} schedules"),
        (Finding::Holds, None, _) => "holds in every schedule; not counted".to_string(),
        (_, Some(all), Some(failing)) => {
            let schedules = if *all == Count::one() { "schedule fails" } else { "schedules fail" };
            format!("{failing:>failing_digits$} of {all:>digits$} {schedules} ({})", percent(failing.share_of(all)))
        }
        _ if verdict.complete => "fails; schedules not counted".to_string(),
        _ => "fails; not every schedule was explored".to_string(),
    }
}

fn counted(number: u64, noun: &str) -> String {
    format!("{} {noun}{}", Count::from(number), if number == 1 { "" } else { "s" })
}

/// A share in per cent; neither 0% nor 100% is said of what is only close to it.
pub(super) fn percent(share: f64) -> String {
    match share {
        share if share <= 0.0 => "0%".to_string(),
        share if share >= 1.0 => "100%".to_string(),
        share if share < 0.0005 => "under 0.1%".to_string(),
        share if share > 0.9995 => "over 99.9%".to_string(),
        share => format!("{:.1}%", share * 100.0),
    }
}

/// What a result rests on: proof and its bounds, and what to do where there is none.
fn notes(heading: &Heading<'_>, results: &[CheckResult]) -> Vec<String> {
    let sizes = |which: &dyn Fn(&Verdict) -> bool| -> Vec<String> {
        let chosen = results.iter().filter(|result| which(&result.verdict));
        chosen.map(|result| (heading.size_in_words)(&result.size)).collect()
    };
    let mut notes = Vec::new();
    let proven = sizes(&|verdict| verdict.finding == Finding::Holds && verdict.complete);
    if let Some(verdict) = results
        .iter()
        .map(|result| &result.verdict)
        .find(|verdict| verdict.finding == Finding::Holds && verdict.complete)
    {
        let whole = proven.len() == results.len();
        let at = match (whole, results.len()) {
            (true, 1) => "at this size".to_string(),
            (true, _) => "at these sizes".to_string(),
            _ => format!("at {}", proven.join(" and ")),
        };
        let explored = match verdict.search {
            Search::Graph => format!("every schedule {at} was explored"),
            Search::Reduced => format!(
                "every schedule {at} was covered (of those that differ only in the order of \
                 independent steps, one was run)"
            ),
        };
        notes.push(format!("Proven: {explored}. Bounds: {}.", bounds(verdict)));
    }
    if results.iter().any(|result| result.verdict.bounds.spin_held) {
        let rounds = results.iter().map(|result| result.verdict.bounds.spin_rounds).max().unwrap_or_default();
        notes.push(format!(
            "A loop that only waits was followed for {} and then held until something changed.",
            counted(rounds.into(), "round")
        ));
    }
    let open = sizes(&|verdict| verdict.finding == Finding::OutOfBudget);
    if !open.is_empty() {
        notes.push(format!(
            "Neither proven nor refuted at {}: the budget ended first. Next: raise it with --budget.",
            open.join(" and ")
        ));
    }
    notes
}

fn bounds(verdict: &Verdict) -> String {
    let bounds = &verdict.bounds;
    let wake_ups = match bounds.spurious {
        0 => "no spurious wake-ups".to_string(),
        n => format!("at most {} a thread", counted(n.into(), "spurious wake-up")),
    };
    format!("schedules of up to {}, {wake_ups}", counted(bounds.schedule_steps, "step"))
}

/// The schedule that fails and what it shows; or what was found instead of one.
fn evidence(verdict: &Verdict, size: Option<String>, sources: &Sources, width: usize) -> String {
    let mut out = String::new();
    if let Some(trace) = &verdict.counterexample {
        let which = match (verdict.finding, verdict.search == Search::Graph && verdict.complete) {
            (Finding::Misused | Finding::Nondeterministic, _) => "the schedule",
            (_, true) => "smallest schedule that fails",
            (_, false) => "a schedule that fails",
        };
        let label = size.map_or(which.to_string(), |size| format!("{which} at {size}"));
        let token = verdict.token.clone().unwrap_or_else(|| trace.token());
        out += &schedule(&label, &token, trace, width, 2);
        out.push('\n');
        let timeline = render(&Timeline::new(trace, sources), width - 2);
        out.extend(timeline.lines().map(|line| if line.is_empty() { "\n".to_string() } else { format!("  {line}\n") }));
    } else {
        out += &indented(&wrap(&clean(&verdict.sentence), width - 2), 2);
    }
    if let Some(parting) = &verdict.parting {
        let text = format!("step {}: {}; run again: {}", parting.step, clean(&parting.first), clean(&parting.second));
        out += &indented(&wrap(&text, width - 2), 2);
    }
    out
}

/// "smallest schedule that fails: 1.2.2.1 (2 context switches, 4 steps)"; a long token goes on lines of its own.
fn schedule(label: &str, token: &Token, trace: &Trace, width: usize, indent: usize) -> String {
    let plural =
        |n: usize, one: &str, many: &str| format!("{} {}", Count::from(n as u64), if n == 1 { one } else { many });
    let size = format!(
        "({}, {})",
        plural(trace.switches(), "context switch", "context switches"),
        plural(trace.steps.len(), "step", "steps")
    );
    let line = format!("{label}: {token} {size}");
    if indent + columns(&line) <= width {
        return indented(&[line], indent);
    }
    let mut out = indented(&wrap(&format!("{label}:"), width - indent), indent);
    let line = format!("{token} {size}");
    let lines = match indent + 2 + columns(&line) <= width {
        true => vec![line],
        false => [wrap_list(&token.to_string(), '.', width - indent - 2), wrap(&size, width - indent - 2)].concat(),
    };
    out += &indented(&lines, indent + 2);
    out
}

fn indented(lines: &[String], indent: usize) -> String {
    lines.iter().map(|line| format!("{}{}\n", " ".repeat(indent), line)).collect()
}
