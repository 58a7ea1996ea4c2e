//! `learn show`: a lesson's story, its terms and figures, and its code, broken against fixed.

use std::io::{self, Write};

use colored::Colorize;
use similar::{ChangeTag, TextDiff};

use super::{Exit, Failure, lookup, note};
use crate::lesson::{About, Lesson, Role, Term, Variant};
use crate::progress::Deed;
use crate::prose::{fold, wrap, wrap_behind};
use crate::terminal;

/// Unchanged lines around a change.
const CONTEXT: usize = 2;

/// Where the text goes, and how wide.
struct Page<'a> {
    out: &'a mut dyn Write,
    width: usize,
}

/// Prints the lesson, or one of its variants.
pub fn run(lesson: &str, variant: Option<&str>, out: &mut dyn Write) -> Result<Exit, Failure> {
    let lesson = lookup::lesson(lesson)?;
    let mut page = Page { out, width: terminal::width() };
    match variant {
        Some(id) => page.variant(lesson, lookup::variant(lesson, id)?)?,
        None => page.lesson(lesson, &lookup::about(lesson)?)?,
    }
    note(lesson.id, Deed::Show);
    Ok(Exit::AsClaimed)
}

impl Page<'_> {
    fn lesson(&mut self, lesson: &Lesson, about: &About) -> io::Result<()> {
        self.title(&format!("{} ({} minutes)", about.title, about.minutes))?;
        self.text(&about.hook, "")?;
        self.text(&format!("\n{}", about.story.trim_end()), "")?;
        self.text("", "")?;
        self.title("Terms")?;
        for Term { term, meaning } in &about.terms {
            for line in wrap_behind(&format!("{term}: {meaning}"), self.width, "  ", "    ") {
                writeln!(self.out, "{line}")?;
            }
        }
        self.text("", "")?;
        self.title("Figures")?;
        for figure in &about.figures {
            let says = format!("Article {}, \"{}\": {}", figure.article, figure.title, figure.says);
            for line in wrap_behind(&says, self.width, "  ", "    ") {
                writeln!(self.out, "{line}")?;
            }
        }
        for (index, variant) in lesson.variants.iter().enumerate() {
            self.text("", "")?;
            match nearest_broken(lesson, variant).filter(|_| index > 0) {
                Some(broken) => self.difference(broken, variant)?,
                None => self.file(variant)?,
            }
        }
        self.text("", "")?;
        self.text(&format!("One file in full: `learn show {} --variant NAME`.", lesson.id), "")?;
        if let Some(next) = &about.next {
            self.text(&format!("The next lesson: `learn run {next}`."), "")?;
        }
        Ok(())
    }

    fn variant(&mut self, lesson: &Lesson, variant: &Variant) -> io::Result<()> {
        self.file(variant)?;
        if let Some(broken) = nearest_broken(lesson, variant) {
            self.text("", "")?;
            self.difference(broken, variant)?;
        }
        Ok(())
    }

    fn file(&mut self, variant: &Variant) -> io::Result<()> {
        self.title(&variant.file())?;
        self.text(variant.hook(), "  ")?;
        self.text("", "")?;
        variant.code().lines().try_for_each(|line| self.line(' ', line))
    }

    fn difference(&mut self, from: &Variant, to: &Variant) -> io::Result<()> {
        self.title(&format!("{} against {}", to.file(), from.file()))?;
        self.text(to.hook(), "  ")?;
        self.text("", "")?;
        let diff = TextDiff::from_lines(from.code(), to.code());
        for (index, group) in diff.grouped_ops(CONTEXT).iter().enumerate() {
            if index > 0 {
                writeln!(self.out, "  ⋮")?;
            }
            for change in group.iter().flat_map(|operation| diff.iter_changes(operation)) {
                let mark = match change.tag() {
                    ChangeTag::Delete => '-',
                    ChangeTag::Insert => '+',
                    ChangeTag::Equal => ' ',
                };
                self.line(mark, change.value().trim_end_matches(['\n', '\r']))?;
            }
        }
        Ok(())
    }

    /// A line of code behind its mark: `+`, `-` or a space.
    fn line(&mut self, mark: char, code: &str) -> io::Result<()> {
        for piece in fold(code, self.width - 2) {
            let text = format!("{mark} {piece}");
            let text = match mark {
                '+' => text.trim_end().green(),
                '-' => text.trim_end().red(),
                _ => text.trim_end().normal(),
            };
            writeln!(self.out, "{text}")?;
        }
        Ok(())
    }

    fn title(&mut self, text: &str) -> io::Result<()> {
        wrap(text, self.width).iter().try_for_each(|line| writeln!(self.out, "{}", line.bold()))
    }

    fn text(&mut self, text: &str, indent: &str) -> io::Result<()> {
        wrap_behind(text, self.width, indent, indent).iter().try_for_each(|line| writeln!(self.out, "{line}"))
    }
}

/// The broken variant that a variant differs from the least: the one it is best read against.
fn nearest_broken<'a>(lesson: &'a Lesson, variant: &Variant) -> Option<&'a Variant> {
    let likeness = |broken: &Variant| TextDiff::from_lines(broken.code(), variant.code()).ratio();
    let others = lesson.variants.iter().filter(|other| other.role == Role::Broken && other.id != variant.id);
    others.max_by(|a, b| likeness(a).total_cmp(&likeness(b)))
}
