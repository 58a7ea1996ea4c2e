//! `learn check`: every schedule of a lesson's variants, beside what real threads do; or one schedule, replayed.

use std::io::Write;
use std::path::Path;

use super::{Exit, Failure, lookup, note, print_json};
use crate::cli::CheckArgs;
use crate::explore::{Options, explore, replay};
use crate::lesson::{Lesson, Role, Size, Variant};
use crate::progress::Deed;
use crate::sources::Sources;
use crate::timeline::{Timeline, svg};
use crate::trace::{Token, Trace};
use crate::verdict::report::{CheckReport, CheckResult, ReplayReport, SCHEMA};
use crate::verdict::text::{Heading, replay_block, variant_block};
use crate::verdict::{Finding, Verdict};
use crate::{lessons, terminal};

/// Checks what the arguments name.
pub fn run(args: &CheckArgs, out: &mut dyn Write) -> Result<Exit, Failure> {
    let chosen: Vec<&Lesson> = match &args.lesson {
        Some(id) => vec![lookup::lesson(id)?],
        None => lessons::all().iter().collect(),
    };
    if let (Some(token), [lesson]) = (&args.schedule, chosen.as_slice()) {
        return replay_one(args, lesson, token, out);
    }
    // Everything that can be wrong with the arguments is found before the first minute is spent.
    let mut jobs = Vec::new();
    for lesson in chosen {
        let sizes = sizes(lesson, args)?;
        for variant in variants(lesson, args)? {
            jobs.push((lesson, variant, sizes.clone()));
        }
    }
    let width = terminal::width();
    let mut results: Vec<CheckResult> = Vec::new();
    for (lesson, variant, sizes) in jobs {
        let first_of_lesson = results.last().is_none_or(|last| last.lesson != lesson.id);
        let progress = terminal::Progress::start();
        let of_variant: Vec<CheckResult> = sizes
            .into_iter()
            .map(|size| {
                progress.say(&format!("{} · {} at {size}: exploring", lesson.id, variant.id));
                check(args, lesson, variant, size, &progress)
            })
            .collect();
        drop(progress);
        if !args.json {
            let blank = if results.is_empty() { "" } else { "\n" };
            write!(out, "{blank}{}", block(lesson, variant, &of_variant, width))?;
            out.flush()?;
        }
        if first_of_lesson {
            note(lesson.id, Deed::Check);
        }
        results.extend(of_variant);
    }
    if let Some(file) = &args.svg {
        let failing = results.iter().find_map(|result| Some((result, result.verdict.counterexample.as_ref()?)));
        let Some((result, trace)) = failing else {
            return Err(Failure::Usage(format!("no schedule fails, so {} was not written", file.display())));
        };
        draw(file, trace, &lookup::lesson(&result.lesson)?.sources())?;
    }
    let exit = exit(&results);
    if args.json {
        print_json(&CheckReport::new(results), out)?;
    }
    Ok(exit)
}

/// Writes a timeline as a picture.
fn draw(file: &Path, trace: &Trace, sources: &Sources) -> Result<(), Failure> {
    let picture = svg::render(&Timeline::new(trace, sources));
    std::fs::write(file, picture).map_err(|error| Failure::Usage(format!("{}: {error}", file.display())))
}

fn block(lesson: &Lesson, variant: &Variant, results: &[CheckResult], width: usize) -> String {
    let heading = Heading {
        file: &variant.file(),
        hook: variant.hook(),
        role: variant.role,
        size_in_words: &|size| lesson.size_in_words(size),
        sources: &lesson.sources(),
    };
    variant_block(&heading, results, width)
}

fn check(
    args: &CheckArgs,
    lesson: &Lesson,
    variant: &Variant,
    size: Size,
    progress: &terminal::Progress,
) -> CheckResult {
    let verdict = explore(&(variant.model)(&size), &options(args, lesson));
    // Only broken code has failures to sample; a fix that failed on real threads would fail in the explorer first.
    let sampled = variant.role == Role::Broken && args.trials > 0;
    if sampled {
        progress.say(&format!("{} · {} at {size}: running on real threads", lesson.id, variant.id));
    }
    let sample = sampled.then(|| (lesson.sample)(variant.id, &size, args.trials)).flatten();
    CheckResult {
        lesson: lesson.id.into(),
        variant: variant.id.into(),
        size,
        role: variant.role,
        as_claimed: as_claimed(variant.role, &verdict),
        sample,
        verdict,
    }
}

fn replay_one(args: &CheckArgs, lesson: &Lesson, token: &Token, out: &mut dyn Write) -> Result<Exit, Failure> {
    // A token belongs to one program: unless told otherwise, the one whose schedule is printed first.
    let variant = match &args.variant {
        Some(id) => lookup::variant(lesson, id)?,
        None => lesson
            .variants
            .first()
            .ok_or_else(|| Failure::Lesson(format!("the lesson {} has no variants", lesson.id)))?,
    };
    let sizes = sizes(lesson, args)?;
    let size = match (args.size.len(), sizes.first()) {
        (0 | 1, Some(size)) => size,
        _ => return Err(Failure::Usage("a schedule fits one size: give --size once beside --schedule".into())),
    };
    let replayed = replay(&(variant.model)(size), &options(args, lesson), token);
    note(lesson.id, Deed::Check);
    if let Some(file) = &args.svg {
        draw(file, &replayed.trace, &lesson.sources())?;
    }
    let breaks = !replayed.broken.is_empty() || replayed.parted.is_some();
    let report = ReplayReport {
        schema: SCHEMA,
        lesson: lesson.id.into(),
        variant: variant.id.into(),
        size: size.clone(),
        token: token.clone(),
        parted: replayed.parted,
        broken: replayed.broken,
        trace: replayed.trace,
    };
    if args.json {
        print_json(&report, out)?;
    } else {
        writeln!(out, "{} at {}", variant.file(), lesson.size_in_words(size))?;
        write!(out, "{}", replay_block(&report, &lesson.sources(), terminal::width()))?;
    }
    Ok(if breaks { Exit::NotAsClaimed } else { Exit::AsClaimed })
}

fn variants<'a>(lesson: &'a Lesson, args: &CheckArgs) -> Result<Vec<&'a Variant>, Failure> {
    match &args.variant {
        Some(id) => Ok(vec![lookup::variant(lesson, id)?]),
        None => Ok(lesson.variants.iter().collect()),
    }
}

fn sizes(lesson: &Lesson, args: &CheckArgs) -> Result<Vec<Size>, Failure> {
    if args.size.is_empty() {
        return Ok(lesson.sizes.iter().map(|size| Size(size.to_vec())).collect());
    }
    args.size.iter().map(|text| lesson.parse_size(text).map_err(Failure::Usage)).collect()
}

fn options(args: &CheckArgs, lesson: &Lesson) -> Options {
    let mut options = Options { sources: lesson.sources(), ..Options::default() };
    if let Some(budget) = &args.budget {
        budget.apply(&mut options);
    }
    options
}

/// Whether the verdict is what the lesson claims: some schedule breaks a broken variant, none a fixed one.
fn as_claimed(role: Role, verdict: &Verdict) -> bool {
    match (role, verdict.finding) {
        (Role::Fixed, finding) => finding == Finding::Holds,
        // Neither of these is a bug that the lesson is about.
        (Role::Broken, Finding::Nondeterministic | Finding::Misused) => false,
        (Role::Broken, _) => verdict.broke(),
    }
}

/// What is known to be wrong comes before what is not known.
fn exit(results: &[CheckResult]) -> Exit {
    let undecided = |result: &CheckResult| result.verdict.finding == Finding::OutOfBudget;
    if results.iter().any(|result| !result.as_claimed && !undecided(result)) {
        Exit::NotAsClaimed
    } else if results.iter().any(undecided) {
        Exit::OutOfBudget
    } else {
        Exit::AsClaimed
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verdict::{Bounds, Cost, Search};

    fn verdict(finding: Finding) -> Verdict {
        Verdict {
            scheduler: "explorer",
            search: Search::Graph,
            finding,
            kind: None,
            sentence: String::new(),
            complete: true,
            bounds: Bounds { states: 1, steps: 1, schedule_steps: 1, spurious: 0, spin_rounds: 1, spin_held: false },
            schedules: None,
            failing: None,
            random_failing: None,
            claims: Vec::new(),
            outcomes: Vec::new(),
            counterexample: None,
            token: None,
            parting: None,
            cost: Cost::default(),
        }
    }

    fn result(role: Role, finding: Finding) -> CheckResult {
        let verdict = verdict(finding);
        let as_claimed = as_claimed(role, &verdict);
        let (lesson, variant) = ("race".into(), "broken".into());
        CheckResult { lesson, variant, size: Size(vec![2, 1]), role, as_claimed, sample: None, verdict }
    }

    #[test]
    fn a_broken_variant_must_break_and_a_fixed_one_must_hold() {
        for finding in [Finding::Violated, Finding::NeverHappens, Finding::Deadlock, Finding::Livelock, Finding::Panic]
        {
            assert!(as_claimed(Role::Broken, &verdict(finding)), "{finding:?}");
            assert!(!as_claimed(Role::Fixed, &verdict(finding)), "{finding:?}");
        }
        assert!(as_claimed(Role::Fixed, &verdict(Finding::Holds)));
        assert!(!as_claimed(Role::Broken, &verdict(Finding::Holds)));
        for finding in [Finding::Nondeterministic, Finding::Misused, Finding::OutOfBudget] {
            assert!(!as_claimed(Role::Broken, &verdict(finding)), "{finding:?}");
            assert!(!as_claimed(Role::Fixed, &verdict(finding)), "{finding:?}");
        }
    }

    #[test]
    fn a_failed_claim_outweighs_a_spent_budget() {
        let right = || result(Role::Broken, Finding::Violated);
        let spent = || result(Role::Fixed, Finding::OutOfBudget);
        let wrong = || result(Role::Fixed, Finding::Violated);
        assert_eq!(exit(&[right()]), Exit::AsClaimed);
        assert_eq!(exit(&[right(), spent()]), Exit::OutOfBudget);
        assert_eq!(exit(&[spent(), wrong()]), Exit::NotAsClaimed);
    }
}
