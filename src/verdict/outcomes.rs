//! The table of a program's outcomes: what came out, in how many schedules, and whether it is right.

use super::Verdict;
use super::text::percent;
use crate::prose::{columns, cut, pad, pad_left};
use crate::timeline::clean;

/// Every outcome, wrong ones first, with the number of its schedules, its share of all, and how often a scheduler that
/// picks at random would come to it; without numbers if nothing was counted.
pub fn outcomes_table(verdict: &Verdict, width: usize) -> String {
    if verdict.outcomes.is_empty() {
        return String::new();
    }
    let width = width.max(30);
    let mut rows = vec![["outcome", "", "schedules", "share", "at random"].map(str::to_string)];
    for outcome in &verdict.outcomes {
        let share = outcome.schedules.as_ref().zip(verdict.schedules.as_ref());
        rows.push([
            clean(&outcome.outcome),
            if outcome.fails { "wrong" } else { "right" }.to_string(),
            outcome.schedules.as_ref().map(ToString::to_string).unwrap_or_default(),
            share.map(|(some, all)| percent(some.share_of(all))).unwrap_or_default(),
            outcome.random_share.map(percent).unwrap_or_default(),
        ]);
    }
    let column = |index: usize| rows.iter().map(|row| columns(&row[index])).max().unwrap_or(0);
    let widths = [0, 1, 2, 3, 4].map(column);
    // From the right, columns go that have nothing to say or no room; the outcome keeps at least ten columns.
    let mut shown: Vec<usize> = (1..5).filter(|index| rows[1..].iter().any(|row| !row[*index].is_empty())).collect();
    let taken = |shown: &[usize]| shown.iter().map(|index| widths[*index] + 2).sum::<usize>();
    while taken(&shown) + widths[0].min(10) > width && shown.len() > 1 {
        shown.pop();
    }
    let first = widths[0].min(width.saturating_sub(taken(&shown)));
    let mut out = String::new();
    for row in &rows {
        let mut line = pad(&cut(&row[0], first), first);
        for index in &shown {
            let cell = if *index == 1 { pad(&row[1], widths[1]) } else { pad_left(&row[*index], widths[*index]) };
            line.push_str("  ");
            line.push_str(&cell);
        }
        out.push_str(cut(line.trim_end(), width).as_str());
        out.push('\n');
    }
    out
}
