//! Fits text into columns: cuts, pads and wraps by the width that a terminal gives each character.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Columns that a text takes.
pub(crate) fn width_of(text: &str) -> usize {
    UnicodeWidthStr::width(text)
}

/// The text in at most `width` columns; what is left out is shown as `…`.
pub(crate) fn cut(text: &str, width: usize) -> String {
    if width_of(text) <= width {
        return text.to_string();
    }
    let mut kept = String::new();
    let mut used = 0;
    for c in text.chars() {
        used += c.width().unwrap_or(0);
        // One column is the ellipsis's.
        if used >= width {
            break;
        }
        kept.push(c);
    }
    // A character may be narrower alone than beside its neighbours.
    while !kept.is_empty() && width_of(&kept) >= width {
        kept.pop();
    }
    if width > 0 {
        kept.truncate(kept.trim_end().len());
        kept.push('…');
    }
    kept
}

/// The text in exactly `width` columns, filled with spaces at its end.
pub(crate) fn padded(text: &str, width: usize) -> String {
    let text = cut(text, width);
    let fill = width.saturating_sub(width_of(&text));
    text + &" ".repeat(fill)
}

/// The text in exactly `width` columns, filled with spaces at its start.
pub(crate) fn padded_left(text: &str, width: usize) -> String {
    let text = cut(text, width);
    " ".repeat(width.saturating_sub(width_of(&text))) + &text
}

/// The text in lines of at most `width` columns, broken at spaces; a word that is too long is broken inside.
pub(crate) fn wrapped(text: &str, width: usize) -> Vec<String> {
    broken_at(text, ' ', width)
}

/// As [`wrapped`], at another separator, which stays at the end of its line unless it is a space.
pub(crate) fn broken_at(text: &str, separator: char, width: usize) -> Vec<String> {
    let width = width.max(1);
    let mut lines = vec![String::new()];
    for word in text.split_inclusive(separator) {
        let line = lines.last().map(String::as_str).unwrap_or_default();
        let fits = width_of(format!("{line}{word}").trim_end()) <= width;
        if !fits && !line.is_empty() {
            lines.push(String::new());
        }
        for c in word.chars() {
            let line = lines.last().map(String::as_str).unwrap_or_default();
            if c != ' ' && !line.is_empty() && width_of(&format!("{line}{c}")) > width {
                lines.push(String::new());
            }
            if let Some(line) = lines.last_mut() {
                line.push(c);
            }
        }
    }
    lines.iter().map(|line| line.trim_end().to_string()).filter(|line| !line.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_is_shown_and_wide_characters_count_twice() {
        assert_eq!(cut("balance", 7), "balance");
        assert_eq!(cut("balance", 4), "bal…");
        assert_eq!(cut("残高残高", 5), "残高…");
        assert_eq!(cut("残高残高", 4), "残…");
        assert_eq!(cut("x", 0), "");
        assert_eq!(padded("残", 4), "残  ");
        assert_eq!(padded_left("1", 3), "  1");
    }

    #[test]
    fn lines_break_at_spaces_and_inside_only_what_is_too_long() {
        assert_eq!(wrapped("one two three", 7), ["one two", "three"]);
        assert_eq!(wrapped("a 残高残高残高", 5), ["a", "残高", "残高", "残高"]);
        assert_eq!(broken_at("1.2.1.2", '.', 4), ["1.2.", "1.2"]);
    }
}
