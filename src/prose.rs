//! Text fitted to a width: paragraphs are wrapped at words, lines of code are folded.

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

/// Wraps paragraphs (separated by line ends) at words; `first` starts the first line and `rest` every other.
pub fn wrap(text: &str, width: usize, first: &str, rest: &str) -> Vec<String> {
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
            } else if columns(&line) + 1 + columns(&word) <= width {
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
        assert_eq!(wrap(text, 9, "", "  "), ["one two", "  three", "", "  four"]);
        assert_eq!(wrap("abcdefghij", 4, "", ""), ["abcd", "efgh", "ij"]);
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
