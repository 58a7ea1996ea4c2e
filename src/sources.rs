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
    /// `let (tx, rx) = bounded(1)` gives `tx`. Looks back a few lines where the expression starts its line.
    pub fn name_at(&self, place: &Place) -> Option<String> {
        let text = self.text(place.file)?;
        let at = place.line.checked_sub(1)? as usize;
        let line = text.lines().nth(at)?;
        let mut before: String = line.chars().take(place.column.saturating_sub(1) as usize).collect();
        for back in 1..=LOOK_BACK.min(at) {
            if !without_wrappers(&before).is_empty() {
                break;
            }
            before.insert(0, ' ');
            before.insert_str(0, text.lines().nth(at - back)?);
        }
        name_before(&before)
    }
}

/// Lines before an expression in which the name it is bound to is looked for.
const LOOK_BACK: usize = 3;

fn is_path_end(path: &str, end: &str) -> bool {
    let path = path.replace('\\', "/");
    path.strip_suffix(end).is_some_and(|front| front.is_empty() || front.ends_with('/'))
}

/// The name that an expression is bound to, from the code before it on its line: a field's, else a variable's.
fn name_before(code: &str) -> Option<String> {
    let code = without_wrappers(code);
    if let Some(field) = code.strip_suffix(':').filter(|front| !front.ends_with(':')) {
        return identifiers(field).last().filter(|word| names_a_value(word)).map(str::to_string);
    }
    if let Some(bound) = variable(code) {
        return Some(bound);
    }
    // An assignment; `==`, `=>`, `<=` and their like bind nothing.
    let target = code.strip_suffix('=').filter(|front| !front.ends_with(['=', '<', '>', '!']))?;
    identifiers(target).last().filter(|word| names_a_value(word)).map(str::to_string)
}

/// The code without the calls that only wrap the expression after it, such as `Arc::new(` and `Some(`.
fn without_wrappers(code: &str) -> &str {
    let mut code = code.trim_end();
    loop {
        let inner = code.trim_end_matches('&').trim_end();
        let Some(call) = inner.strip_suffix('(') else { return inner };
        let path = call.trim_end_matches(|c: char| c.is_alphanumeric() || matches!(c, '_' | ':' | '<' | '>'));
        code = path.trim_end();
    }
}

/// The variable of the last `let`, `static` or `const`, if its statement has not ended.
fn variable(code: &str) -> Option<String> {
    let word_at = |word: &str| {
        let starts = code.match_indices(word).map(|(at, _)| at);
        let whole = |at: &usize| !code[..*at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
        starts.filter(whole).last().map(|at| at + word.len())
    };
    let start = ["let ", "static ", "const "].into_iter().filter_map(word_at).max()?;
    let (pattern, value) = code[start..].split_once('=')?;
    if value.contains(';') {
        return None;
    }
    identifiers(pattern).find(|word| !matches!(*word, "mut" | "ref") && names_a_value(word)).map(str::to_string)
}

/// Variables, fields and statics, unlike types and enum variants (in camel case) and numbers.
fn names_a_value(word: &str) -> bool {
    let first = word.chars().next();
    first.is_some_and(|c| c.is_lowercase() || c == '_' && word.len() > 1)
        || first.is_some_and(char::is_alphabetic) && !word.contains(char::is_lowercase)
}

fn identifiers(code: &str) -> impl Iterator<Item = &str> {
    code.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(file: &'static str, line: u32, column: u32) -> Place {
        Place { file, line, column }
    }

    /// The name of the expression that starts where the code has a `$`.
    fn name(code: &'static str) -> Option<String> {
        let (line, front) = code.lines().enumerate().find_map(|(at, line)| Some((at, line.split_once('$')?.0)))?;
        let sources = Sources::new([("demo.rs", code)]);
        sources.name_at(&place("src/demo.rs", line as u32 + 1, front.chars().count() as u32 + 1))
    }

    #[test]
    fn a_field_gives_its_name_through_whatever_wraps_the_value() {
        for code in [
            "balance: $AtomicU64::new(0),",
            "    balance: Arc::new($AtomicU64::new(0)),",
            "    balance: Arc::new(CachePadded::new($AtomicU64::new(0))),",
            "Self { balance: $AtomicU64::new(0) }",
            "Account { owner: name, balance: Some(&$AtomicU64::new(0)) }",
            "let account = Arc::new(Account { balance: $AtomicU64::new(0) });",
            "        self.balance = $AtomicU64::new(0);",
            "balance: std::sync::Arc::new($AtomicU64::new(0))",
        ] {
            assert_eq!(name(code).as_deref(), Some("balance"), "{code}");
        }
    }

    #[test]
    fn a_variable_gives_its_name() {
        for (code, expected) in [
            ("let hits = $AtomicU64::new(0);", "hits"),
            ("let mut hits = Arc::new($AtomicU64::new(0));", "hits"),
            ("let hits: Arc<AtomicU64> = Arc::new($AtomicU64::new(0));", "hits"),
            ("let a = Mutex::new(0); let b = $Mutex::new(0);", "b"),
            ("let (tx, rx) = $bounded(1);", "tx"),
            ("static HITS: AtomicU64 = $AtomicU64::new(0);", "HITS"),
            ("static X: AtomicU64 = $AtomicU64::new(0);", "X"),
            ("const LIMIT: AtomicU64 = $AtomicU64::new(0);", "LIMIT"),
            ("let hits =\n    $AtomicU64::new(0);", "hits"),
            ("let hits = Arc::new(\n    $AtomicU64::new(0),\n);", "hits"),
            ("let flags = vec![$AtomicBool::new(false)];", "flags"),
            ("let flags: Vec<_> = (0..2).map(|_| $AtomicBool::new(false)).collect();", "flags"),
            ("thread::spawn(move || { let inner = $Mutex::new(0); })", "inner"),
        ] {
            assert_eq!(name(code).as_deref(), Some(expected), "{code}");
        }
    }

    #[test]
    fn what_is_bound_to_nothing_has_no_name() {
        for code in [
            "thread::spawn(move || $Mutex::new(0))",
            "Account($AtomicU64::new(0))",
            "vec![$AtomicU64::new(0), $AtomicU64::new(0)]",
            "let a = 1; consume($Mutex::new(0));",
            "fn new() -> Self { Account($AtomicU64::new(0)) }",
            "if a == $Mutex::new(0)",
            "Kind::A => $Mutex::new(0),",
            "$Mutex::new(0)",
        ] {
            assert_eq!(name(code), None, "{code}");
        }
    }

    #[test]
    fn a_line_is_shown_without_indentation_and_comment() {
        let sources = Sources::new([("race/broken.rs", "//! Head\n    let seen = 1; // stale soon\n")]);
        let shown = |file, line| sources.line(&place(file, line, 1));
        assert_eq!(shown("lessons/race/broken.rs", 2).as_deref(), Some("let seen = 1;"));
        assert_eq!(shown("lessons\\race\\broken.rs", 2).as_deref(), Some("let seen = 1;"));
        assert_eq!(shown("lessons/race/broken.rs", 9), None);
        assert_eq!(shown("lessons/race/broken.rs", 0), None);
        assert_eq!(shown("lessons/embrace/broken.rs", 2), None);
    }
}
