//! How a timeline is laid out in a width: which columns there are, and how wide each is.

use super::{At, Row, Timeline};
use crate::prose::{columns, cut, wrap};

/// Spaces between columns.
pub(super) const GAP: usize = 2;

/// Least width in which a source line says something.
const CODE: usize = 24;

/// The columns of a timeline. A row has its step, its threads' cells, the values, and its place in the source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Layout {
    /// Width of the step's number.
    pub(super) step: usize,
    /// Width of the mark before a deed: 0 where nothing is marked.
    pub(super) mark: usize,
    /// One column a thread, or one for the thread's name.
    pub(super) lanes: Lanes,
    /// Widths of the values' columns; none if there is no room for them.
    pub(super) values: Vec<usize>,
    /// Width that is left for the place.
    pub(super) place: usize,
    /// Whether the source line stands beside its number.
    pub(super) code: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Lanes {
    /// A column a thread, with the mark's width.
    Columns(Vec<usize>),
    /// The thread's name in one column, what it does in the next.
    List {
        /// Width of the names.
        name: usize,
        /// Width of the deeds, without the mark.
        deed: usize,
    },
}

impl Layout {
    /// The first of these that fits: columns with code, columns with line numbers, a list with code, with numbers.
    pub(super) fn new(timeline: &Timeline, width: usize) -> Layout {
        let tries = [
            (true, 24, true),
            (true, 16, true),
            (true, 24, false),
            (true, 16, false),
            (true, 12, false),
            (false, 13, false),
        ];
        let columns = tries.into_iter().find_map(|(values, cap, code)| in_columns(timeline, width, values, cap, code));
        let lists = [(true, 30, true), (true, 20, true), (false, 32, true), (true, 20, false), (false, 32, false)];
        let list = || lists.into_iter().find_map(|(values, cap, code)| list(timeline, width, values, cap, code));
        columns.or_else(list).unwrap_or_else(|| narrow(timeline, width))
    }
}

fn in_columns(timeline: &Timeline, width: usize, values: bool, cap: usize, code: bool) -> Option<Layout> {
    let (step, mark) = (step_width(timeline, true), mark_width(timeline));
    let lane = |(thread, name): (usize, &String)| {
        let deeds =
            timeline.rows.iter().filter(|row| row.thread == thread && !is_more(row)).map(|row| columns(&row.deed));
        mark + deeds.chain([columns(name)]).max().unwrap_or(0).min(cap)
    };
    let lanes: Vec<usize> = timeline.threads.iter().enumerate().map(lane).collect();
    // A cell of many short lines is harder to follow than a list.
    let fits = |row: &Row| is_more(row) || deed_lines(&row.deed, lanes[row.thread] - mark).len() <= 2;
    if !timeline.rows.iter().all(fits) {
        return None;
    }
    let values = if values { value_widths(timeline) } else { Vec::new() };
    let used = step + lanes.iter().chain(&values).map(|column| GAP + column).sum::<usize>();
    let place = place_left(timeline, width, used, code)?;
    Some(Layout { step, mark, lanes: Lanes::Columns(lanes), values, place, code })
}

fn list(timeline: &Timeline, width: usize, values: bool, cap: usize, code: bool) -> Option<Layout> {
    let (step, mark) = (step_width(timeline, true), mark_width(timeline));
    let name = name_width(timeline, 14);
    let values = if values { value_widths(timeline) } else { Vec::new() };
    let deed = deed_width(timeline).min(cap);
    let used = step + GAP + name + GAP + mark + deed + values.iter().map(|column| GAP + column).sum::<usize>();
    let place = place_left(timeline, width, used, code)?;
    Some(Layout { step, mark, lanes: Lanes::List { name, deed }, values, place, code })
}

/// What is left when nothing else fits: the deed takes the room that the rest leaves it.
fn narrow(timeline: &Timeline, width: usize) -> Layout {
    let (step, mark) = (step_width(timeline, false), mark_width(timeline));
    let name = name_width(timeline, width / 5);
    let place = label_width(timeline).min(width / 4);
    let used = step + GAP + name + GAP + mark + GAP + place;
    let deed = width.saturating_sub(used).max(1);
    Layout { step, mark, lanes: Lanes::List { name, deed }, values: Vec::new(), place, code: false }
}

/// What is left of the width for the place, if that is enough.
fn place_left(timeline: &Timeline, width: usize, used: usize, code: bool) -> Option<usize> {
    let left = width.checked_sub(used + GAP)?;
    let longest = timeline.rows.iter().filter_map(|row| row.code.as_deref()).map(columns).max();
    let needed = label_width(timeline) + longest.filter(|_| code).map_or(0, |code| 1 + code.min(CODE));
    (left >= needed && (!code || longest.is_some())).then_some(left)
}

/// The number's width: at least that of the column's head, where there is one.
fn step_width(timeline: &Timeline, head: bool) -> usize {
    let last = timeline.rows.iter().map(|row| columns(&number(row)));
    last.chain([if head { 4 } else { 1 }]).max().unwrap_or(1)
}

fn mark_width(timeline: &Timeline) -> usize {
    if timeline.rows.iter().any(|row| row.marked) { 2 } else { 0 }
}

fn name_width(timeline: &Timeline, cap: usize) -> usize {
    timeline.threads.iter().map(|name| columns(name)).max().unwrap_or(0).min(cap.max(1))
}

fn deed_width(timeline: &Timeline) -> usize {
    let deeds = timeline.rows.iter().filter(|row| !is_more(row)).map(|row| columns(&row.deed));
    deeds.chain([columns(&deed_head(timeline))]).max().unwrap_or(1)
}

/// The head of the deeds' column in a list. It names the object where neither the deeds nor a value's column do.
pub(super) fn deed_head(timeline: &Timeline) -> String {
    match &timeline.only_object {
        Some(object) if timeline.values.is_empty() => format!("acts on {object}"),
        _ => "what it does".to_string(),
    }
}

fn value_widths(timeline: &Timeline) -> Vec<usize> {
    let width = |(index, name): (usize, &String)| {
        let shown = timeline.rows.iter().filter_map(|row| row.values.get(index)).map(|value| columns(&value.text()));
        shown.max().unwrap_or(0).clamp(1, 16).max(columns(name).min(12))
    };
    timeline.values.iter().enumerate().map(width).collect()
}

/// The widest of the rows' places without code.
pub(super) fn label_width(timeline: &Timeline) -> usize {
    timeline.rows.iter().map(|row| columns(&label(row))).max().unwrap_or(0).min(24)
}

/// A row's place without code: "line 17", "broken.rs:17".
pub(super) fn label(row: &Row) -> String {
    match (&row.place, &row.file) {
        (Some(place), Some(file)) => format!("{file}:{}", place.line),
        (Some(place), None) => format!("line {}", place.line),
        _ => String::new(),
    }
}

/// A row's number as it is printed; a fold has none, its text says which steps it stands for.
pub(super) fn number(row: &Row) -> String {
    match row.at {
        At::Step(number) => number.to_string(),
        At::More(..) => "…".to_string(),
        At::End => "end".to_string(),
    }
}

pub(super) fn is_more(row: &Row) -> bool {
    matches!(row.at, At::More(..))
}

/// Most lines of one row.
const TALLEST: usize = 3;

/// A deed in lines of at most `width`, parted at its commas if it must be parted.
pub(super) fn deed_lines(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = match columns(text) <= width {
        true => vec![text.to_string()],
        false => text.split_inclusive(", ").flat_map(|part| wrap(part, width)).collect(),
    };
    if lines.len() > TALLEST {
        lines.truncate(TALLEST);
        if let Some(last) = lines.last_mut() {
            match columns(last) < width {
                true => last.push('…'),
                false => *last = cut(&format!("{last} "), width),
            }
        }
    }
    lines
}
