//! A timeline as a standalone SVG: legible in light and dark, complete without its picture.

use std::fmt::Write;

use super::layout::{is_more, label, number};
use super::text::MARK;
use super::{At, Row, Timeline};
use crate::prose::{columns, cut, wrap};

/// Width of a character of a monospaced font of [`SIZE`] units, as most have it (0.6 of the size, rounded up).
const CHAR: f64 = 7.85;

/// Font size, in units of the picture.
const SIZE: f64 = 13.0;

/// Height of a row.
const ROW: f64 = 28.0;

/// Space around the picture and between its columns.
const SPACE: f64 = 16.0;

/// Most characters of a deed, a value, a source line.
const DEED: usize = 40;
const VALUE: usize = 20;
const CODE: usize = 60;

/// Fewest characters of the sentence on one line.
const SENTENCE: usize = 60;

/// One colour a thread: of middling lightness, so that it stands out on white and on black.
const COLOURS: [&str; 6] = ["#2a8fbd", "#c07a00", "#a04fc0", "#5b7fe0", "#1f9c8a", "#c2508f"];

/// By itself the picture brings its paper and ink; inside a page it takes the page's.
const STYLE: &str = "\
.pitfalls-timeline .paper{fill:none}\
.pitfalls-timeline .quiet{opacity:.72}\
.pitfalls-timeline .strong{font-weight:bold}\
:root.pitfalls-timeline{color:#1f2328}\
:root.pitfalls-timeline .paper{fill:#fff}\
@media (prefers-color-scheme:dark){\
:root.pitfalls-timeline{color:#e6edf3}\
:root.pitfalls-timeline .paper{fill:#16191d}}";

/// Where things are, from left to right.
struct Plan {
    /// Right edge of the steps' numbers.
    step: f64,
    /// Left edge and width of each thread's lane.
    lanes: Vec<(f64, f64)>,
    /// Right edge of each value.
    values: Vec<f64>,
    /// Left edge of the source.
    source: f64,
    /// Of the whole picture.
    width: f64,
}

fn units(characters: usize) -> f64 {
    characters as f64 * CHAR
}

impl Plan {
    fn new(timeline: &Timeline) -> Plan {
        let rows = &timeline.rows;
        let widest = |texts: &mut dyn Iterator<Item = usize>| units(texts.max().unwrap_or(0));
        let step = SPACE + widest(&mut rows.iter().map(|row| columns(&number(row))).chain([4]));
        let mut at = step + SPACE;
        let mut lanes = Vec::new();
        for (thread, name) in timeline.threads.iter().enumerate() {
            let deeds = rows.iter().filter(|row| row.thread == thread && !is_more(row)).map(|row| columns(&deed(row)));
            let width = widest(&mut deeds.chain([columns(&cut(name, DEED))])) + SPACE;
            lanes.push((at, width));
            at += width + SPACE;
        }
        let mut values = Vec::new();
        for (index, name) in timeline.values.iter().enumerate() {
            let shown =
                rows.iter().filter_map(|row| row.values.get(index)).map(|value| columns(&cut(&value.text(), VALUE)));
            at += widest(&mut shown.chain([columns(&cut(name, VALUE))]));
            values.push(at);
            at += SPACE;
        }
        let folds = rows.iter().filter(|row| is_more(row)).map(|row| columns(&row.deed) + 6);
        let source = at.max(SPACE + widest(&mut folds.chain([0])));
        let end = source + widest(&mut rows.iter().map(|row| columns(&place(row))).chain([11])) + SPACE;
        Plan { step, lanes, values, source, width: end.max(units(SENTENCE) + 2.0 * SPACE).ceil() }
    }
}

/// The timeline as an SVG document.
pub fn render(timeline: &Timeline) -> String {
    let plan = Plan::new(timeline);
    let sentence = wrap(&lead(timeline), ((plan.width - 2.0 * SPACE) / CHAR) as usize);
    let table = ROW * (timeline.rows.len() + 1) as f64;
    let height = SPACE + table + ROW * 0.5 + sentence.len() as f64 * SIZE * 1.5 + SPACE;
    let mut out = String::new();
    let mut put = |text: String| out.push_str(&text);
    put(format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"pitfalls-timeline\" role=\"img\" width=\"100%\" \
         viewBox=\"0 0 {w} {h:.0}\" style=\"max-width:{w}px\" font-size=\"{SIZE}\" fill=\"currentColor\" \
         font-family=\"ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,monospace\">\n",
        w = plan.width,
        h = height,
    ));
    put(format!("<title>{}</title>\n", escaped(&timeline.sentence)));
    put(format!("<desc>{}</desc>\n", escaped(&in_words(timeline))));
    put(format!("<style>{STYLE}</style>\n<rect class=\"paper\" width=\"100%\" height=\"100%\" rx=\"6\"/>\n"));
    // A screen reader has title and description; the pieces of the picture would only repeat them.
    put("<g aria-hidden=\"true\">\n".to_string());
    put(head(timeline, &plan));
    put(link(timeline, &plan));
    for (index, row) in timeline.rows.iter().enumerate() {
        put(body(&plan, row, middle(index)));
    }
    for (index, line) in sentence.iter().enumerate() {
        let y = SPACE + table + ROW * 0.5 + (index as f64 + 0.8) * SIZE * 1.5;
        put(text(SPACE, y, "start", "", line));
    }
    put("</g>\n</svg>\n".to_string());
    out
}

/// The middle of a row.
fn middle(index: usize) -> f64 {
    SPACE + ROW * (index as f64 + 1.5)
}

fn colour(thread: usize) -> &'static str {
    COLOURS[thread % COLOURS.len()]
}

/// The heads of the columns, and a line down each thread's lane.
fn head(timeline: &Timeline, plan: &Plan) -> String {
    let y = SPACE + ROW * 0.5 + SIZE * 0.35;
    let mut out = text(plan.step, y, "end", "strong", "step");
    for (thread, (name, (x, width))) in timeline.threads.iter().zip(&plan.lanes).enumerate() {
        let centre = x + width / 2.0;
        out += &text(centre, y, "middle", "strong", &cut(name, DEED));
        for (from, to) in free(&timeline.rows, thread) {
            let (y1, y2) = (middle(from) - ROW / 2.0, middle(to) - ROW / 2.0);
            let _ = writeln!(
                out,
                "<line x1=\"{centre:.1}\" y1=\"{y1:.1}\" x2=\"{centre:.1}\" y2=\"{y2:.1}\" \
                 stroke=\"{}\" stroke-opacity=\".45\"/>",
                colour(thread)
            );
        }
    }
    for (name, x) in timeline.values.iter().zip(&plan.values) {
        out += &text(*x, y, "end", "strong", &cut(name, VALUE));
    }
    if timeline.rows.iter().any(|row| row.place.is_some()) {
        out += &text(plan.source, y, "start", "strong", "source line");
    }
    out
}

/// The runs of rows (from, to before) in which a thread's lane has nothing to say: a line there runs through no word.
fn free(rows: &[Row], thread: usize) -> Vec<(usize, usize)> {
    let taken = |row: &Row| row.thread == thread || is_more(row);
    let mut runs = Vec::new();
    let mut from = 0;
    for (index, row) in rows.iter().enumerate() {
        if taken(row) {
            runs.push((from, index));
            from = index + 1;
        }
    }
    runs.push((from, rows.len()));
    runs.retain(|(from, to)| from < to);
    runs
}

/// A dashed line from one marked access to the other, where both are in one lane.
fn link(timeline: &Timeline, plan: &Plan) -> String {
    let marked: Vec<(usize, &Row)> = timeline.rows.iter().enumerate().filter(|(_, row)| row.marked).collect();
    let [(first, one), (last, other)] = marked[..] else { return String::new() };
    let Some((x, width)) = plan.lanes.get(one.thread).filter(|_| one.thread == other.thread) else {
        return String::new();
    };
    // Down the lane's left side, from the left edge of one box to that of the other.
    let side = x - SPACE * 0.55;
    let edge = |row: &Row| x + (width - box_width(row)) / 2.0;
    format!(
        "<path d=\"M{:.1} {:.1}H{side:.1}V{:.1}H{:.1}\" fill=\"none\" \
         stroke=\"currentColor\" stroke-dasharray=\"4 3\"/>\n",
        edge(one),
        middle(first),
        middle(last),
        edge(other)
    )
}

fn box_width(row: &Row) -> f64 {
    units(columns(&deed(row))) + SPACE * 0.8
}

fn body(plan: &Plan, row: &Row, y: f64) -> String {
    let base = y + SIZE * 0.35;
    let mut out = text(plan.step, base, "end", "quiet", &number(row));
    if is_more(row) {
        let x = plan.lanes.first().map_or(plan.step + SPACE, |(x, _)| *x);
        return out + &text(x, base, "start", "quiet", &row.deed);
    }
    if let Some((x, width)) = plan.lanes.get(row.thread) {
        let (inner, centre) = (box_width(row), x + width / 2.0);
        let (stroke, dash) = match (row.marked, row.at) {
            (true, _) => (2.5, ""),
            (_, At::End) => (1.0, " stroke-dasharray=\"2 3\""),
            _ => (1.0, ""),
        };
        let (left, top, high) = (centre - inner / 2.0, y - ROW * 0.41, ROW * 0.82);
        let shape = format!("x=\"{left:.1}\" y=\"{top:.1}\" width=\"{inner:.1}\" height=\"{high:.1}\" rx=\"5\"");
        let paint = colour(row.thread);
        let _ = writeln!(
            out,
            "<rect {shape} fill=\"{paint}\" fill-opacity=\".16\" stroke=\"{paint}\" stroke-width=\"{stroke}\"{dash}/>"
        );
        out += &text(centre, base, "middle", if row.marked { "strong" } else { "" }, &deed(row));
    }
    for (value, x) in row.values.iter().zip(&plan.values) {
        let class = if value.from.is_some() { "strong" } else { "quiet" };
        out += &text(*x, base, "end", class, &cut(&value.text(), VALUE));
    }
    out + &text(plan.source, base, "start", "quiet", &place(row))
}

fn deed(row: &Row) -> String {
    let mark = if row.marked { format!("{MARK} ") } else { String::new() };
    mark + &cut(&row.deed, DEED)
}

fn place(row: &Row) -> String {
    let line = match (&row.place, &row.file) {
        (Some(place), None) if row.code.is_some() => place.line.to_string(),
        _ => label(row),
    };
    match &row.code {
        Some(code) => format!("{line} {}", cut(code, CODE)),
        None => line,
    }
}

/// The sentence with the mark of the steps that it speaks of.
fn lead(timeline: &Timeline) -> String {
    match timeline.rows.iter().any(|row| row.marked) {
        true => format!("{MARK} {}", timeline.sentence),
        false => timeline.sentence.clone(),
    }
}

/// The whole picture in words.
fn in_words(timeline: &Timeline) -> String {
    let row = |row: &Row| {
        let who = timeline.threads.get(row.thread).map(String::as_str).unwrap_or_default();
        let place = if row.place.is_some() { format!(" ({})", label(row)) } else { String::new() };
        match row.at {
            At::Step(number) => format!("Step {number}: {who} {}{place}.", row.full),
            At::More(..) => format!("Then {}.", row.full),
            At::End => format!("At the end: {who} {}{place}.", row.full),
        }
    };
    let rows: Vec<String> = timeline.rows.iter().map(row).collect();
    format!("{} {}", rows.join(" "), timeline.sentence).trim().to_string()
}

fn text(x: f64, y: f64, anchor: &str, class: &str, words: &str) -> String {
    if words.is_empty() {
        return String::new();
    }
    let class = if class.is_empty() { String::new() } else { format!(" class=\"{class}\"") };
    format!(
        "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\"{class} xml:space=\"preserve\">{}</text>\n",
        escaped(words)
    )
}

/// Text for an XML document: without what would end it and without characters that XML has no way to write.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}
