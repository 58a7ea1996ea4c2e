//! A timeline as text in a given width, readable without colour.

use colored::{Color, Colorize};

use super::layout::{GAP, Lanes, Layout, deed_head, deed_lines, is_more, label, label_width, number};
use super::{Row, Timeline};
use crate::prose::{columns, cut, pad, pad_left, wrap};

/// The mark of an access that matters.
pub(super) const MARK: &str = "►";

/// The narrowest width that is drawn; a narrower one gets this.
const NARROWEST: usize = 20;

/// One colour a thread, none of which means right or wrong.
const COLOURS: [Color; 6] =
    [Color::Cyan, Color::Yellow, Color::Magenta, Color::Blue, Color::BrightCyan, Color::BrightMagenta];

/// The timeline in lines of at most `width` columns, each with its end of line. Colours as `colored` has them on.
pub fn render(timeline: &Timeline, width: usize) -> String {
    let width = width.max(NARROWEST);
    let layout = Layout::new(timeline, width);
    let mut lines: Vec<Line> = Vec::new();
    if !timeline.rows.is_empty() {
        lines.push(head(timeline, &layout));
    }
    for row in &timeline.rows {
        lines.extend(body(timeline, &layout, row));
    }
    let mut out: String = lines.iter().map(Line::paint).collect();
    for paragraph in [lines_below(timeline, &layout, width), sentence(timeline, width)] {
        if !paragraph.is_empty() {
            if !out.is_empty() {
                out.push('\n');
            }
            out.extend(paragraph.iter().map(|line| format!("{line}\n")));
        }
    }
    out
}

/// The source lines of the rows, where there was no room for them beside the steps.
fn lines_below(timeline: &Timeline, layout: &Layout, width: usize) -> Vec<String> {
    if layout.code {
        return Vec::new();
    }
    let labels = label_width(timeline).min(width / 3);
    let mut places: Vec<(String, u32, String)> = Vec::new();
    for row in &timeline.rows {
        if let (Some(place), Some(code)) = (&row.place, &row.code) {
            places.push((
                row.file.clone().unwrap_or_default(),
                place.line,
                format!("{}  {code}", pad(&cut(&label(row), labels), labels)),
            ));
        }
    }
    places.sort();
    places.dedup();
    places.iter().map(|(.., line)| cut(line, width)).collect()
}

/// The sentence, with the mark of the steps that it speaks of.
fn sentence(timeline: &Timeline, width: usize) -> Vec<String> {
    let lead = if timeline.rows.iter().any(|row| row.marked) { columns(MARK) + 1 } else { 0 };
    let lines = wrap(&timeline.sentence, width - lead);
    let lead = |index: usize| match (lead, index) {
        (0, _) => String::new(),
        (_, 0) => format!("{MARK} "),
        _ => " ".repeat(lead),
    };
    lines.iter().enumerate().map(|(index, line)| lead(index) + line).collect()
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Style {
    Plain,
    Head,
    Thread(usize),
    Marked(usize),
    Changed,
    Source,
}

/// A line in pieces, so that spaces between columns are never coloured and never end a line.
#[derive(Default)]
struct Line {
    pieces: Vec<(String, Style)>,
    width: usize,
}

impl Line {
    fn put(&mut self, text: &str, style: Style) {
        self.width += columns(text);
        self.pieces.push((text.to_string(), style));
    }

    /// Spaces up to a column.
    fn to(&mut self, column: usize) {
        let fill = column.saturating_sub(self.width);
        self.put(&" ".repeat(fill), Style::Plain);
    }

    fn paint(&self) -> String {
        let last = self.pieces.iter().rposition(|(text, _)| !text.trim().is_empty());
        let mut line = String::new();
        for (index, (text, style)) in self.pieces.iter().take(last.map_or(0, |last| last + 1)).enumerate() {
            let text = if Some(index) == last { text.trim_end() } else { text };
            let colour = |thread: usize| COLOURS[thread % COLOURS.len()];
            let painted = match style {
                _ if text.trim().is_empty() => text.to_string(),
                Style::Plain => text.to_string(),
                Style::Head => text.bold().to_string(),
                Style::Thread(thread) => text.color(colour(*thread)).to_string(),
                Style::Marked(thread) => text.color(colour(*thread)).bold().to_string(),
                Style::Changed => text.bold().to_string(),
                Style::Source => text.dimmed().to_string(),
            };
            line.push_str(&painted);
        }
        line.push('\n');
        line
    }
}

fn head(timeline: &Timeline, layout: &Layout) -> Line {
    let mut line = Line::default();
    let mut start = layout.step + GAP;
    let wide = layout.step >= 4;
    line.put(&pad_left(if wide { "step" } else { "#" }, layout.step), Style::Head);
    match &layout.lanes {
        Lanes::Columns(widths) => {
            for (thread, width) in widths.iter().enumerate() {
                line.to(start + layout.mark);
                line.put(&cut(&timeline.threads[thread], width - layout.mark), Style::Marked(thread));
                start += width + GAP;
            }
        }
        Lanes::List { name, deed } => {
            line.to(start);
            line.put(&cut("thread", *name), Style::Head);
            line.to(start + name + GAP + layout.mark);
            line.put(&cut(&deed_head(timeline), *deed), Style::Head);
            start += name + GAP + layout.mark + deed + GAP;
        }
    }
    for (name, width) in timeline.values.iter().zip(&layout.values) {
        line.to(start);
        line.put(&pad_left(&cut(name, *width), *width), Style::Head);
        start += width + GAP;
    }
    line.to(start);
    let title = match (layout.code, wide) {
        (true, _) => "source line",
        (false, true) => "source",
        (false, false) => "",
    };
    line.put(&cut(title, layout.place), Style::Head);
    line
}

/// A row in as many lines as its deed takes.
fn body(timeline: &Timeline, layout: &Layout, row: &Row) -> Vec<Line> {
    let first = layout.step + GAP;
    let style = if row.marked { Style::Marked(row.thread) } else { Style::Thread(row.thread) };
    let (start, room, after, text) = match &layout.lanes {
        Lanes::Columns(widths) => {
            let all: usize = widths.iter().map(|width| width + GAP).sum();
            let start = first + widths.iter().take(row.thread).map(|width| width + GAP).sum::<usize>();
            (start, widths.get(row.thread).copied().unwrap_or(0), first + all, row.deed.as_str())
        }
        Lanes::List { name, deed: width } => {
            let start = first + name + GAP;
            let room = layout.mark + width;
            (start, room, start + room + GAP, row.deed.as_str())
        }
    };
    // A fold speaks of several threads and of no line: it may take the room of all of them.
    let (start, room, after) = match is_more(row) {
        true if columns(text) + first + GAP <= after => (first + layout.mark, after - first - layout.mark - GAP, after),
        true => (first + layout.mark, after + layout.place - first - layout.mark, usize::MAX),
        false => (start + layout.mark, room - layout.mark, after),
    };
    let mut lines: Vec<Line> = Vec::new();
    for (index, part) in deed_lines(text, room).iter().enumerate() {
        let mut line = Line::default();
        if index == 0 {
            line.put(&pad_left(&number(row), layout.step), Style::Plain);
            if let Lanes::List { name, .. } = &layout.lanes
                && !is_more(row)
            {
                line.to(first);
                line.put(&cut(&timeline.threads[row.thread], *name), style);
            }
            if row.marked {
                line.to(start - layout.mark);
                line.put(MARK, style);
            }
        }
        line.to(start);
        line.put(part, if is_more(row) { Style::Source } else { style });
        if index == 0 && after != usize::MAX {
            beside(&mut line, layout, row, after);
        }
        lines.push(line);
    }
    lines
}

/// The values and the place.
fn beside(line: &mut Line, layout: &Layout, row: &Row, mut start: usize) {
    for (value, width) in row.values.iter().zip(&layout.values) {
        line.to(start);
        // The value left says more than the one before it.
        let text = value.text();
        let text = if columns(&text) > *width && value.from.is_some() { format!("→{}", value.now) } else { text };
        let text = pad_left(&cut(&text, *width), *width);
        let style = if value.from.is_some() { Style::Changed } else { Style::Plain };
        line.put(&text, style);
        start += width + GAP;
    }
    line.to(start);
    let label = match (&row.place, &row.file) {
        (Some(place), None) if layout.code => place.line.to_string(),
        _ => label(row),
    };
    let text = match &row.code {
        Some(code) if layout.code => format!("{label} {code}"),
        _ => label,
    };
    line.put(&cut(&text, layout.place), Style::Source);
}
