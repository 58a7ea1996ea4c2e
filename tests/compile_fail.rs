//! What the compiler refuses: the programs in `lessons/*/refused/`, each with the error and the line it must have.
//!
//! A line that must not compile ends in `//~ E0499`. The compiler is called directly: the programs need nothing but
//! std, and a bare "it failed to compile" could have any reason.

use std::path::{Path, PathBuf};
use std::process::Command;

#[test]
fn data_races_do_not_compile() {
    let lessons = Path::new(env!("CARGO_MANIFEST_DIR")).join("lessons");
    let folders = list(&lessons).into_iter().map(|lesson| lesson.join("refused")).filter(|folder| folder.is_dir());
    let programs: Vec<PathBuf> = folders.flat_map(|folder| list(&folder)).collect();
    assert!(!programs.is_empty(), "no programs in {}/*/refused", lessons.display());
    for program in programs {
        let text = std::fs::read_to_string(&program).unwrap();
        let expected: Vec<(u64, String)> = (1..)
            .zip(text.lines())
            .filter_map(|(number, line)| Some((number, line.split_once("//~ ")?.1.trim().to_string())))
            .collect();
        assert!(!expected.is_empty(), "{}: mark the refused line with //~ and the error's code", program.display());
        assert_eq!(errors(&program), expected, "{}", program.display());
    }
}

/// The errors that rustc reports for a program: line and code.
fn errors(program: &Path) -> Vec<(u64, String)> {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let folder = tempfile::tempdir().unwrap();
    let output = Command::new(rustc)
        .args(["--edition=2024", "--emit=metadata", "--error-format=json", "--cap-lints=allow", "--out-dir"])
        .arg(folder.path())
        .arg(program)
        .output()
        .expect("rustc runs");
    String::from_utf8_lossy(&output.stderr)
        .lines()
        .filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok())
        .filter(|message| message["level"] == "error")
        .filter_map(|message| {
            let code = message["code"]["code"].as_str()?.to_string();
            let span = message["spans"].as_array()?.iter().find(|span| span["is_primary"] == true)?;
            Some((span["line_start"].as_u64()?, code))
        })
        .collect()
}

fn list(folder: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}
