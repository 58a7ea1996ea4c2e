//! Finds lessons and variants by name; a wrong name is answered with the nearest ones and the list.

use super::Failure;
use crate::lesson::{About, Lesson, Variant};
use crate::lessons;

/// The lesson of that id.
pub fn lesson(id: &str) -> Result<&'static Lesson, Failure> {
    lessons::all().iter().find(|lesson| lesson.id == id).ok_or_else(|| {
        let names: Vec<&str> = lessons::all().iter().map(|lesson| lesson.id).collect();
        Failure::Usage(unknown("lesson", id, &names))
    })
}

/// The lesson's variant of that id.
pub fn variant<'a>(lesson: &'a Lesson, id: &str) -> Result<&'a Variant, Failure> {
    lesson.variant(id).ok_or_else(|| {
        let names: Vec<&str> = lesson.variants.iter().map(|variant| variant.id).collect();
        Failure::Usage(unknown(&format!("variant of {}", lesson.id), id, &names))
    })
}

/// What the lesson says of itself.
pub fn about(lesson: &Lesson) -> Result<About, Failure> {
    lesson.about().map_err(|error| Failure::Lesson(error.trim().replace('\n', " ")))
}

/// "there is no lesson `rase`; did you mean `race`? There is: race".
pub fn unknown(what: &str, wrong: &str, names: &[&str]) -> String {
    let near: Vec<String> = nearest(wrong, names).into_iter().map(|name| format!("`{name}`")).collect();
    let guess = if near.is_empty() { String::new() } else { format!("; did you mean {}?", near.join(" or ")) };
    let dot = if near.is_empty() { "." } else { "" };
    // Escaped: a name from the command line may hold a line end or an escape code.
    format!("there is no {what} `{}`{guess}{dot} There is: {}", wrong.escape_debug(), names.join(", "))
}

/// At most three names that a mistyped one may have meant, the nearest first; names hardly less near come along.
fn nearest<'a>(wrong: &str, names: &[&'a str]) -> Vec<&'a str> {
    let wrong = wrong.to_lowercase().replace('-', "_");
    let mut near: Vec<(f64, &str)> = names
        .iter()
        .map(|name| {
            let part = !wrong.is_empty() && name.contains(&wrong);
            (if part { 1.0 } else { strsim::normalized_damerau_levenshtein(&wrong, name) }, *name)
        })
        .filter(|(likeness, _)| *likeness >= 0.5)
        .collect();
    near.sort_by(|a, b| b.0.total_cmp(&a.0));
    let best = near.first().map_or(0.0, |(likeness, _)| *likeness);
    near.into_iter().take_while(|(likeness, _)| *likeness >= best - 0.1).take(3).map(|(_, name)| name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_name_is_answered_with_the_nearest_and_the_list() {
        let names = ["broken", "broken_two_locks", "fixed_lock", "fixed_owner"];
        assert_eq!(nearest("fixed-lokc", &names), ["fixed_lock"]);
        assert_eq!(nearest("fixed", &names), ["fixed_lock", "fixed_owner"]);
        assert_eq!(nearest("owner", &names), ["fixed_owner"]);
        assert_eq!(nearest("xyz", &names), [""; 0]);
        assert_eq!(nearest("", &names), [""; 0]);
        assert_eq!(
            unknown("lesson", "rase", &["race"]),
            "there is no lesson `rase`; did you mean `race`? There is: race"
        );
        assert_eq!(unknown("lesson", "x\n\u{1b}", &["race"]), "there is no lesson `x\\n\\u{1b}`. There is: race");
    }
}
