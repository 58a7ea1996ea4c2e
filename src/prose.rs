//! Text fitted to a width, by the columns that a terminal gives each character: cut, padded, wrapped at words; lines of
//! code are folded.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// How many columns a text takes.
pub fn columns(text: &str) -> usize {
    text.width()
}

/// Text filled up with spaces to so many columns; longer text stays as it is.
pub fn pad(text: &str, width: usize) -> String {
    format!("{text}{}", " ".repeat(width.saturating_sub(columns(text))))
}

/// The same, filled up on the left.
pub fn pad_left(text: &str, width: usize) -> String {
    format!("{}{text}", " ".repeat(width.saturating_sub(columns(text))))
}

/// The text in at most `width` columns; what is left out is shown as `…`.
pub fn cut(text: &str, width: usize) -> String {
    if columns(text) <= width {
        return text.to_string();
    }
    let mut kept = String::new();
    let mut used = 0;
    for character in text.chars() {
        used += character.width().unwrap_or(0);
        // One column is the ellipsis's.
        if used >= width {
            break;
        }
        kept.push(character);
    }
    // A character may be narrower alone than beside its neighbours.
    while !kept.is_empty() && columns(&kept) >= width {
        kept.pop();
    }
    if width > 0 {
        kept.truncate(kept.trim_end().len());
        kept.push('…');
    }
    kept
}

/// Wraps paragraphs (separated by line ends) at words; a word that is too long is broken inside. There is always a line.
pub fn wrap(text: &str, width: usize) -> Vec<String> {
    wrap_behind(text, width, "", "")
}

/// As [`wrap`]; `first` starts the first line and `rest` every other.
pub fn wrap_behind(text: &str, width: usize, first: &str, rest: &str) -> Vec<String> {
    if text.is_empty() {
        return vec![String::new()];
    }
    let mut lines = Vec::new();
    for paragraph in text.lines() {
        let mut line = String::new();
        for word in paragraph.split_whitespace().flat_map(|word| pieces(word, width.saturating_sub(columns(rest)))) {
            let indent = if lines.is_empty() { first } else { rest };
            if line.is_empty() {
                line = format!("{indent}{word}");
            } else if columns(&format!("{line} {word}")) <= width {
                line.push(' ');
                line.push_str(&word);
            } else {
                lines.push(std::mem::replace(&mut line, format!("{rest}{word}")));
            }
        }
        lines.push(line);
    }
    lines
}

/// A list without spaces in lines of at most `width` columns, broken behind its separators.
pub fn wrap_list(text: &str, separator: char, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for piece in text.split_inclusive(separator).flat_map(|piece| pieces(piece, width)) {
        match lines.last_mut() {
            Some(line) if line.is_empty() || columns(&format!("{line}{piece}")) <= width => line.push_str(&piece),
            _ => lines.push(piece),
        }
    }
    lines
}

/// A line of code in pieces of at most `width` columns: cut at a space where there is one, continued behind `↪`.
pub fn fold(code: &str, width: usize) -> Vec<String> {
    let indent = code.len() - code.trim_start_matches(' ').len();
    let lead = format!("{}↪ ", " ".repeat(indent.min(width / 3)));
    let mut lines = Vec::new();
    let mut rest = code.to_string();
    while columns(&rest) > width {
        let start = rest.len() - rest.trim_start_matches([' ', '↪']).len();
        let end = fitting(&rest, width);
        let cut = rest[..end].rfind(' ').filter(|at| *at > start).unwrap_or(end);
        let tail = rest[cut..].trim_start().to_string();
        rest.truncate(cut);
        lines.push(std::mem::replace(&mut rest, format!("{lead}{tail}")));
    }
    lines.push(rest);
    lines
}

/// A word cut into pieces that fit.
fn pieces(word: &str, width: usize) -> Vec<String> {
    let mut pieces = Vec::new();
    let mut rest = word;
    let width = width.max(2); // what the widest character takes
    while columns(rest) > width {
        let (piece, tail) = rest.split_at(fitting(rest, width));
        pieces.push(piece.to_string());
        rest = tail;
    }
    pieces.push(rest.to_string());
    pieces
}

/// How many bytes of the text fit into the width; at least one character.
fn fitting(text: &str, width: usize) -> usize {
    let mut used = 0;
    for (at, character) in text.char_indices() {
        used += character.width().unwrap_or(0);
        if used > width && at > 0 {
            return at;
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paragraphs_are_wrapped_at_words() {
        let text = "one two three\n\nfour";
        assert_eq!(wrap_behind(text, 9, "", "  "), ["one two", "  three", "", "  four"]);
        assert_eq!(wrap("abcdefghij", 4), ["abcd", "efgh", "ij"]);
        assert_eq!(wrap("a 残高残高残高", 5), ["a", "残高", "残高", "残高"]);
        assert_eq!(wrap_list("1.2.1.2", '.', 4), ["1.2.", "1.2"]);
    }

    #[test]
    fn a_cut_is_shown_and_wide_characters_count_twice() {
        assert_eq!(cut("balance", 7), "balance");
        assert_eq!(cut("balance", 4), "bal…");
        assert_eq!(cut("残高残高", 5), "残高…");
        assert_eq!(cut("残高残高", 4), "残…");
        assert_eq!(cut("x", 0), "");
        assert_eq!((pad("残", 4), pad_left("1", 3)), ("残  ".into(), "  1".into()));
    }

    #[test]
    fn no_folded_line_is_wider_and_nothing_is_lost() {
        let code =
            "        self.owner.send(Message::Deposit(amount)).expect(\"the owner outlives the account\"); // 統一";
        for width in 20..120 {
            let lines = fold(code, width);
            assert!(lines.iter().all(|line| columns(line) <= width), "{width}: {lines:?}");
            let joined: String = lines.concat().split([' ', '↪']).collect();
            assert_eq!(joined, code.split(' ').collect::<String>(), "{width}");
        }
    }
}
