//! A run's report as text: an outcome table for each variant, then costs, the articles' figures and a remark.

use std::io::{self, Write};

use colored::Colorize;

use crate::lesson::Role;
use crate::os::report::{OutcomeRow, RunReport, VariantReport};
use crate::os::trials::grouped;
use crate::prose::{columns, pad, pad_left, wrap_behind};

/// Widths of the numbers' columns: samples, share, and the word at the end.
const SAMPLES: usize = 7;
const SHARE: usize = 6;
const WORD: usize = 8;

/// Prints a report, no line wider than `width` (from 40).
pub fn print(report: &RunReport, out: &mut dyn Write, width: usize) -> io::Result<()> {
    let head = format!("{}: {}; a right run ends with {}.", report.lesson, report.setting, report.expected);
    paragraph(out, &head, width, "", "  ")?;
    for variant in &report.variants {
        writeln!(out)?;
        print_variant(variant, out, width)?;
    }
    writeln!(out)?;
    print_costs(report, out, width)?;
    for figure in &report.figures {
        writeln!(out)?;
        let says = format!("Article {}, \"{}\": {}", figure.article, figure.title, figure.says);
        paragraph(out, &says, width, "", "  ")?;
    }
    let medians = medians(report);
    if !medians.is_empty() {
        paragraph(out, &format!("Here (median): {}.", medians.join("; ")), width, "", "  ")?;
    }
    writeln!(out)?;
    paragraph(out, &report.remark, width, "", "")
}

/// "balance 4,000 (fixed_lock, fixed_atomic)": each median once, with the variants that have it.
fn medians(report: &RunReport) -> Vec<String> {
    let median = |variant: &VariantReport| variant.median.clone();
    let same = |a: &VariantReport, b: &VariantReport| a.median == b.median;
    let groups = report.variants.chunk_by(same).filter_map(|group| Some((median(group.first()?)?, group)));
    groups
        .map(|(median, group)| {
            let names: Vec<&str> = group.iter().map(|variant| variant.variant.as_str()).collect();
            format!("{median} ({})", names.join(", "))
        })
        .collect()
}

fn print_variant(variant: &VariantReport, out: &mut dyn Write, width: usize) -> io::Result<()> {
    let role = match variant.role {
        Role::Broken => "broken",
        Role::Fixed => "fixed",
    };
    // The name often says the role already: `broken`, `fixed_lock`.
    let name = if variant.variant.starts_with(role) {
        variant.variant.clone()
    } else {
        format!("{} ({role})", variant.variant)
    };
    writeln!(out, "{}", name.bold())?;
    paragraph(out, &variant.hook, width, "  ", "  ")?;
    let names = variant.outcomes.iter().map(|row| columns(&row.outcome)).chain([columns("outcome")]);
    let name = names.max().unwrap_or_default();
    // Where name and numbers do not fit into one line, the numbers go below.
    let broad = 2 + name + 2 + SAMPLES + 2 + SHARE + 2 + WORD <= width;
    let numbers = |samples: &str, share: &str| format!("{}  {}", pad_left(samples, SAMPLES), pad_left(share, SHARE));
    if broad {
        writeln!(out, "  {}  {}", pad("outcome", name), numbers("samples", "share"))?;
    }
    for row in &variant.outcomes {
        let word = if row.expected { "expected".green() } else { "wrong".red() };
        let numbers = numbers(&grouped(row.samples.into()), &share(row));
        if broad {
            writeln!(out, "  {}  {numbers}  {word}", pad(&row.outcome, name))?;
        } else {
            writeln!(out, "  {}", row.outcome)?;
            writeln!(out, "  {numbers}  {word}")?;
        }
    }
    let summary = match (variant.wrong, variant.trials) {
        (0, 1) => "The one trial came out right.".to_string(),
        (1, 1) => "The one trial came out wrong.".to_string(),
        (wrong, all) => format!("{} of {} trials came out wrong.", grouped(wrong.into()), grouped(all.into())),
    };
    paragraph(out, &format!("{summary} {}", variant.sentence), width, "  ", "  ")
}

fn print_costs(report: &RunReport, out: &mut dyn Write, width: usize) -> io::Result<()> {
    let Some(per) = report.variants.first().map(|variant| &variant.per) else { return Ok(()) };
    let head = format!("Cost per {per}: a trial's wall clock (its threads' start included) by its {per}s, median");
    paragraph(out, &head, width, "", "  ")?;
    let name = report.variants.iter().map(|variant| columns(&variant.variant)).max().unwrap_or_default();
    for variant in &report.variants {
        writeln!(out, "  {}  {}", pad(&variant.variant, name), pad_left(&duration(variant.nanoseconds), 9))?;
    }
    Ok(())
}

/// The share, in per cent; what is neither none nor all is never rounded to either.
fn share(row: &OutcomeRow) -> String {
    let percent = row.share * 100.0;
    match percent {
        _ if percent > 0.0 && percent < 0.1 => "<0.1%".into(),
        _ if percent < 100.0 && percent > 99.9 => ">99.9%".into(),
        _ => format!("{percent:.1}%"),
    }
}

/// Three digits and a unit: "31.4 ns", "1.21 µs".
fn duration(nanoseconds: f64) -> String {
    let (number, unit) = match nanoseconds {
        n if n < 1e3 => (n, "ns"),
        n if n < 1e6 => (n / 1e3, "µs"),
        n if n < 1e9 => (n / 1e6, "ms"),
        n => (n / 1e9, "s"),
    };
    let digits = match number {
        n if n < 9.995 => 2,
        n if n < 99.95 => 1,
        _ => 0,
    };
    format!("{number:.digits$} {unit}")
}

fn paragraph(out: &mut dyn Write, text: &str, width: usize, first: &str, rest: &str) -> io::Result<()> {
    wrap_behind(text, width, first, rest).iter().try_for_each(|line| writeln!(out, "{line}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lesson::Figure;

    fn row(outcome: &str, samples: u32, share: f64, expected: bool) -> OutcomeRow {
        OutcomeRow { outcome: outcome.into(), samples, share, expected }
    }

    fn report() -> RunReport {
        let broken = VariantReport {
            variant: "broken".into(),
            role: Role::Broken,
            hook: "Two threads read the same balance, and the later write erases the earlier deposit.".into(),
            trials: 400,
            wrong: 399,
            median: Some("balance 1,001".into()),
            outcomes: vec![row("balance 1,000 to 1,993", 399, 0.9975, false), row("balance 4,000", 1, 0.0025, true)],
            nanoseconds: 1_234.5,
            per: "deposit".into(),
            sentence: "Why: a thread writes back an old sum.".into(),
            as_claimed: true,
        };
        let figure = Figure { article: "A".into(), title: "Threading".into(), says: "1,022 instead of 4,000.".into() };
        RunReport {
            lesson: "race".into(),
            setting: "4 threads × 1,000 deposits".into(),
            expected: "a balance of 4,000".into(),
            variants: vec![broken],
            figures: vec![figure],
            remark: "This is a race condition, not a data race.".into(),
        }
    }

    fn printed(width: usize) -> String {
        let mut text = Vec::new();
        print(&report(), &mut text, width).unwrap();
        String::from_utf8(text).unwrap()
    }

    #[test]
    fn a_report_in_80_columns() {
        insta::assert_snapshot!(printed(80));
    }

    #[test]
    fn a_report_in_40_columns() {
        insta::assert_snapshot!(printed(40));
    }

    #[test]
    fn no_line_is_wider_than_the_terminal() {
        for width in 40..=120 {
            assert!(printed(width).lines().all(|line| columns(line) <= width), "{width}:\n{}", printed(width));
        }
    }

    #[test]
    fn a_share_is_rounded_neither_to_none_nor_to_all() {
        assert_eq!(share(&row("", 1, 0.000_1, false)), "<0.1%");
        assert_eq!(share(&row("", 1, 0.999_9, false)), ">99.9%");
        assert_eq!(share(&row("", 1, 1.0, false)), "100.0%");
    }

    #[test]
    fn a_duration_has_three_digits() {
        let cases = [(6.9, "6.90 ns"), (31.44, "31.4 ns"), (999.4, "999 ns"), (1_310_000.0, "1.31 ms")];
        for (nanoseconds, text) in cases {
            assert_eq!(duration(nanoseconds), text);
        }
    }
}
