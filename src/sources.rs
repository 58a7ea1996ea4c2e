//! The source text of the code under test, by the compiler's name for its file.

use std::borrow::Cow;

use crate::trace::Place;

/// Source files that are compiled in, found by the end of their path; others are read from the disk.
#[derive(Debug, Clone, Default)]
pub struct Sources(Vec<(&'static str, &'static str)>);

impl Sources {
    /// Pairs of a path's end (`race/broken.rs`) and that file's text.
    pub fn new(files: impl IntoIterator<Item = (&'static str, &'static str)>) -> Self {
        Sources(files.into_iter().collect())
    }

    /// A file's text: compiled in, or read from the disk if it is there.
    pub fn text(&self, file: &str) -> Option<Cow<'static, str>> {
        let known = self.0.iter().find(|(end, _)| is_path_end(file, end));
        known.map(|(_, text)| Cow::Borrowed(*text)).or_else(|| std::fs::read_to_string(file).ok().map(Cow::Owned))
    }

    /// The line at a place, without its indentation and a comment at its end.
    pub fn line(&self, place: &Place) -> Option<String> {
        let text = self.text(place.file)?;
        let line = text.lines().nth(place.line.checked_sub(1)? as usize)?;
        Some(line.split(" // ").next().unwrap_or(line).trim().to_string())
    }

    /// The field or variable that the value made at this place is for: `balance: AtomicU64::new(0)` gives `balance`,
    /// `let (tx, rx) = bounded(1)` gives `tx`.
    pub fn name_at(&self, place: &Place) -> Option<String> {
        let text = self.text(place.file)?;
        let line = text.lines().nth(place.line.checked_sub(1)? as usize)?;
        let before: String = line.chars().take(place.column.saturating_sub(1) as usize).collect();
        name_before(&before)
    }
}

fn is_path_end(path: &str, end: &str) -> bool {
    let path = path.replace('\\', "/");
    path.strip_suffix(end).is_some_and(|front| front.is_empty() || front.ends_with('/'))
}

/// The last name that is bound before an expression: by `name =`, `name:` (a field) or a pattern.
fn name_before(code: &str) -> Option<String> {
    if let Some(rest) = code.split("let ").nth(1) {
        return identifiers(rest).find(|word| *word != "mut").map(str::to_string);
    }
    let bound = code.rfind(|c| c == '=' || c == ':').map(|at| &code[..at]);
    let field = bound.map(|text| text.trim_end_matches([':', '=']))?;
    identifiers(field).last().filter(|word| word.starts_with(|c: char| c.is_lowercase())).map(str::to_string)
}

fn identifiers(code: &str) -> impl Iterator<Item = &str> {
    code.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}
