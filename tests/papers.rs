//! Every command that README, CONTRIBUTING and the lessons tell a reader to type is one that `learn` understands.

use std::path::{Path, PathBuf};

use clap::Parser;
use clap::error::ErrorKind;
use pitfalls::cli::Cli;

/// What the papers write where a reader puts something of their own.
const PLACES: [(&str, &str); 5] =
    [("LESSON", "race"), ("TOKEN", "1.2"), ("SHELL", "bash"), ("NAME", "broken"), ("COMMAND", "check")];

#[test]
fn every_command_in_the_papers_is_understood() {
    let mut found = 0;
    for path in papers() {
        let text = std::fs::read_to_string(&path).unwrap();
        for command in commands(&text) {
            found += 1;
            let words = command
                .split_whitespace()
                .map(|word| PLACES.iter().find(|(place, _)| *place == word).map_or(word, |(_, instead)| *instead));
            if let Err(error) = Cli::try_parse_from(words) {
                // A command's bare name, `learn run`, is spoken of, not shown.
                let named = error.kind() == ErrorKind::MissingRequiredArgument;
                assert!(named || !error.use_stderr(), "{}: `{command}`: {error}", path.display());
            }
        }
    }
    assert!(found > 10, "only {found} commands found: are they still in backticks?");
}

/// Commands between backticks, and after `cargo run --` in a block of code.
fn commands(text: &str) -> Vec<String> {
    let spans = text.lines().flat_map(|line| line.split('`').skip(1).step_by(2));
    let runs = text.lines().filter_map(|line| line.trim().strip_prefix("cargo run -- "));
    let runs = runs.map(|line| format!("learn {}", line.split('#').next().unwrap_or_default().trim()));
    let quoted = spans.filter_map(|span| match span.strip_prefix("cargo run -- ") {
        Some(rest) => Some(format!("learn {rest}")),
        None => span.starts_with("learn ").then(|| span.to_string()),
    });
    quoted.chain(runs).collect()
}

fn papers() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut papers = vec![root.join("README.md"), root.join("CONTRIBUTING.md")];
    for lesson in std::fs::read_dir(root.join("lessons")).unwrap().map(|entry| entry.unwrap().path()) {
        if lesson.is_dir() {
            let files = std::fs::read_dir(lesson).unwrap().map(|entry| entry.unwrap().path());
            papers.extend(files.filter(|file| file.is_file() && !file.ends_with("mod.rs")));
        }
    }
    papers.sort();
    papers
}

#[test]
fn the_picture_in_the_readme_is_what_the_command_prints() {
    let readme = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md")).unwrap();
    let picture =
        readme.split("```text\n$ learn ").nth(1).and_then(|rest| rest.split("```").next()).expect("a picture");
    let (command, printed) = picture.split_once('\n').unwrap();
    let state = tempfile::tempdir().unwrap();
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_learn"))
        .args(command.split(' '))
        .env("COLUMNS", "80")
        .env("PITFALLS_STATE", state.path())
        .env_remove("CLICOLOR_FORCE")
        .output()
        .unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), printed);
}
