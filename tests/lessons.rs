//! What every lesson's folder must have; a failure names exactly what is missing, and where.

use std::path::{Path, PathBuf};

use pitfalls::lesson::{Lesson, Role};
use pitfalls::lessons;

/// Lines of a variant's file at most: what a textbook page holds.
const LINES: usize = 40;

/// Columns of a variant's file at most: what `learn show` prints in 80 without folding.
const COLUMNS: usize = 78;

#[test]
fn every_lesson_folder_is_complete() {
    let lacking: Vec<String> = lessons::all().iter().flat_map(lacking).collect();
    assert!(lacking.is_empty(), "\n{}\n", lacking.join("\n"));
}

#[test]
fn every_folder_is_in_the_catalogue() {
    let missing: Vec<String> = names(&root(), |path| path.is_dir())
        .into_iter()
        .filter(|name| lessons::all().iter().all(|lesson| lesson.id != name))
        .map(|name| format!("lessons/{name}: add the line `{name},` to `catalogue!` in lessons/mod.rs"))
        .collect();
    assert!(missing.is_empty(), "\n{}\n", missing.join("\n"));
}

/// What a lesson lacks, one line each.
fn lacking(lesson: &Lesson) -> Vec<String> {
    let folder = format!("lessons/{}", lesson.id);
    let mut lacking = Vec::new();
    let mut need = |there: bool, what: String| {
        if !there {
            lacking.push(what);
        }
    };
    match lesson.about() {
        Err(error) => need(false, error),
        Ok(about) => {
            let file = format!("{folder}/lesson.toml");
            for (name, text) in
                [("title", &about.title), ("hook", &about.hook), ("question", &about.question), ("story", &about.story)]
            {
                need(!text.trim().is_empty(), format!("{file}: `{name}` is empty"));
            }
            need(!about.hook.contains('\n'), format!("{file}: the hook is more than one line"));
            need(about.minutes > 0, format!("{file}: `minutes` is 0"));
            need(!about.terms.is_empty(), format!("{file}: it teaches no term"));
            need(!about.figures.is_empty(), format!("{file}: it quotes no figure of an article"));
            for figure in &about.figures {
                let letter = matches!(figure.article.as_str(), "A" | "B" | "C" | "D");
                need(letter, format!("{file}: a figure's article is `{}`, not a letter from A to D", figure.article));
                need(!figure.title.is_empty(), format!("{file}: a figure of article {} has no title", figure.article));
            }
            if let Some(next) = &about.next {
                let known = lessons::all().iter().any(|other| other.id == next && other.id != lesson.id);
                need(known, format!("{file}: the next lesson, `{next}`, is not in the catalogue"));
            }
        }
    }
    for (role, word) in [(Role::Broken, "broken"), (Role::Fixed, "fixed")] {
        let any = lesson.variants.iter().any(|variant| variant.role == role);
        need(any, format!("{folder}/mod.rs: no variant is {word}"));
    }
    need(!lesson.sizes.is_empty(), format!("{folder}/mod.rs: no size to check"));
    for size in lesson.sizes {
        let checked = lesson.check_size(&pitfalls::lesson::Size(size.to_vec()));
        need(checked.is_ok(), format!("{folder}/mod.rs: {}", checked.err().unwrap_or_default()));
    }
    for variant in &lesson.variants {
        let file = format!("{folder}/{}", variant.file());
        let there = root().join(lesson.id).join(variant.file()).is_file();
        need(there, format!("{file}: there is no such file"));
        let head: Vec<&str> = variant.source.lines().take_while(|line| line.starts_with("//!")).collect();
        need(head.len() == 2, format!("{file}: its head comment has {} lines, not two", head.len()));
        let command = format!("`learn run {} --variant {}`", lesson.id, variant.id);
        let shown = head.get(1).is_some_and(|line| line.contains(&command));
        need(shown, format!("{file}: the second line of its head comment does not say {command}"));
        let lines = variant.source.lines().count();
        need(lines <= LINES, format!("{file}: it has {lines} lines, more than {LINES}"));
        // The head comment is shown as prose, and wrapped.
        for (number, line) in (1..).zip(variant.source.lines()).skip(head.len()) {
            need(line.chars().count() <= COLUMNS, format!("{file}:{number}: wider than {COLUMNS} columns"));
        }
        let named = match variant.role {
            Role::Broken => variant.id.starts_with("broken"),
            Role::Fixed => variant.id.starts_with("fixed"),
        };
        need(named, format!("{file}: its name does not begin with what it is, `broken` or `fixed`"));
    }
    let is_variant = |path: &Path| path.extension().is_some_and(|end| end == "rs") && !path.ends_with("mod.rs");
    for name in names(&root().join(lesson.id), is_variant) {
        let listed = lesson.variants.iter().any(|variant| variant.file() == name);
        need(listed, format!("{folder}/{name}: it is not listed as a variant in mod.rs"));
    }
    lacking
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("lessons")
}

fn names(folder: &Path, wanted: impl Fn(&Path) -> bool) -> Vec<String> {
    let paths = std::fs::read_dir(folder).into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path()));
    let mut names: Vec<String> = paths
        .filter(|path| wanted(path))
        .filter_map(|path| Some(path.file_name()?.to_string_lossy().into_owned()))
        .collect();
    names.sort();
    names
}
