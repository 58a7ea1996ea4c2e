//! Which lesson the reader has run, checked and read: plain text lines such as `race run` in one small file.
//!
//! The file is replaced in one rename, so a reader of it never meets half of it. Lines that this version does not
//! know are kept.

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use etcetera::BaseStrategy;

/// Names the folder to keep the file in, instead of the platform's.
const OVERRIDE: &str = "PITFALLS_STATE";

/// Something that a reader does with a lesson.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Deed {
    /// `learn run`.
    Run,
    /// `learn check`.
    Check,
    /// `learn show`.
    Show,
}

impl Deed {
    /// In the order of the way through a lesson.
    pub const ALL: [Deed; 3] = [Deed::Run, Deed::Check, Deed::Show];

    /// The command's name, and the word in the file.
    pub fn word(self) -> &'static str {
        match self {
            Deed::Run => "run",
            Deed::Check => "check",
            Deed::Show => "show",
        }
    }
}

/// What the reader has done so far.
#[derive(Debug)]
pub struct Progress {
    /// `None` where the platform names no place.
    file: Option<PathBuf>,
    lines: BTreeSet<String>,
}

impl Progress {
    /// Reads the file; whatever cannot be read counts as nothing done.
    pub fn load() -> Self {
        Progress::load_from(folder().map(|folder| folder.join("progress")))
    }

    fn load_from(file: Option<PathBuf>) -> Self {
        let bytes = file.as_ref().and_then(|file| std::fs::read(file).ok()).unwrap_or_default();
        let lines =
            String::from_utf8_lossy(&bytes).lines().map(str::to_string).filter(|line| !line.is_empty()).collect();
        Progress { file, lines }
    }

    /// Whether the reader has done this.
    pub fn has(&self, lesson: &str, deed: Deed) -> bool {
        self.lines.contains(&line(lesson, deed))
    }

    /// Keeps that the reader has done this; the error says in one line where and why it was not kept.
    pub fn record(&mut self, lesson: &str, deed: Deed) -> Result<(), String> {
        if !self.lines.insert(line(lesson, deed)) {
            return Ok(());
        }
        let file = self.file.as_ref().ok_or_else(|| format!("no home folder is known; set {OVERRIDE} to a folder"))?;
        self.replace(file).map_err(|error| format!("{}: {error}; set {OVERRIDE} to another folder", file.display()))
    }

    fn replace(&self, file: &Path) -> io::Result<()> {
        let folder = file.parent().unwrap_or(Path::new("."));
        std::fs::create_dir_all(folder)?;
        let mut fresh = tempfile::NamedTempFile::new_in(folder)?;
        for line in &self.lines {
            writeln!(fresh, "{line}")?;
        }
        fresh.persist(file).map_err(|error| error.error)?;
        Ok(())
    }
}

fn line(lesson: &str, deed: Deed) -> String {
    format!("{lesson} {}", deed.word())
}

fn folder() -> Option<PathBuf> {
    if let Some(named) = std::env::var_os(OVERRIDE).filter(|named| !named.is_empty()) {
        return Some(named.into());
    }
    let platform = etcetera::choose_base_strategy().ok()?;
    // macOS and Windows have no folder for state; programs keep it with their data there.
    Some(platform.state_dir().unwrap_or_else(|| platform.data_dir()).join("pitfalls"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_done_is_known_the_next_time() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("new/progress");
        let mut progress = Progress::load_from(Some(file.clone()));
        assert!(!progress.has("race", Deed::Run));
        progress.record("race", Deed::Run).unwrap();
        let later = Progress::load_from(Some(file.clone()));
        assert!(later.has("race", Deed::Run) && !later.has("race", Deed::Check));
        assert_eq!(std::fs::read_to_string(file).unwrap(), "race run\n");
    }

    #[test]
    fn lines_of_another_version_are_kept() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("progress");
        std::fs::write(&file, "future thing\nrace run\n").unwrap();
        Progress::load_from(Some(file.clone())).record("race", Deed::Show).unwrap();
        assert_eq!(std::fs::read_to_string(file).unwrap(), "future thing\nrace run\nrace show\n");
    }

    #[test]
    fn a_reader_never_meets_half_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("progress");
        let many: String = (0..2_000).map(|number| format!("lesson {number}\n")).collect();
        std::fs::write(&file, &many).unwrap();
        std::thread::scope(|scope| {
            for writer in 0..3 {
                let file = &file;
                scope.spawn(move || {
                    for number in 0..30 {
                        Progress::load_from(Some(file.clone()))
                            .record(&format!("{writer}-{number}"), Deed::Run)
                            .unwrap();
                    }
                });
            }
            for _ in 0..100 {
                let lines = Progress::load_from(Some(file.clone())).lines;
                let kept = lines.iter().filter(|line| line.starts_with("lesson ")).count();
                assert_eq!(kept, 2_000);
            }
        });
        let left: Vec<_> = std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(left, ["progress"], "no temporary file is left behind");
    }

    #[test]
    fn a_place_that_cannot_be_written_is_named_in_one_line() {
        let folder = tempfile::tempdir().unwrap();
        let blocked = folder.path().join("a file");
        std::fs::write(&blocked, "").unwrap();
        let error = Progress::load_from(Some(blocked.join("progress"))).record("race", Deed::Run).unwrap_err();
        assert!(error.contains("a file") && error.contains(OVERRIDE) && !error.contains('\n'), "{error}");
        assert!(Progress::load_from(None).record("race", Deed::Run).unwrap_err().contains(OVERRIDE));
    }
}
