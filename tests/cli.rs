//! The built binary, end to end: what it prints, what it refuses and how, in any terminal or none.

use std::ffi::OsStr;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use unicode_width::UnicodeWidthStr;

/// `learn` with an environment of its own: no colour settings, 80 columns, progress in a folder that goes with it.
struct Learn {
    state: tempfile::TempDir,
}

impl Learn {
    fn new() -> Self {
        Learn { state: tempfile::tempdir().unwrap() }
    }

    fn command<S: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = S>) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_learn"));
        for name in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE"] {
            command.env_remove(name);
        }
        command.args(arguments).env("COLUMNS", "80").env("PITFALLS_STATE", self.state.path()).stdin(Stdio::null());
        command
    }

    fn run(&self, line: &str) -> Output {
        self.command(line.split_whitespace()).output().unwrap()
    }
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// Runs a command line that must succeed and say nothing on stderr.
fn printed(line: &str) -> String {
    let output = Learn::new().run(line);
    assert_eq!(output.status.code(), Some(0), "{line}: {}", stderr(&output));
    assert_eq!(stderr(&output), "", "{line}");
    stdout(&output)
}

/// Runs a command line that must be refused: exit code 2, nothing on stdout, no panic.
fn refused(line: &str) -> String {
    let output = Learn::new().run(line);
    assert_eq!(output.status.code(), Some(2), "{line}: {}", stderr(&output));
    assert_eq!(stdout(&output), "", "{line}");
    let message = stderr(&output);
    assert!(!message.contains("panicked"), "{message}");
    message
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

#[test]
fn help_of_every_command() {
    for line in ["", "list", "show", "run", "check", "completions", "man"] {
        let name = if line.is_empty() { "learn" } else { line };
        insta::assert_snapshot!(format!("help_{name}"), printed(&format!("{line} --help")));
    }
    insta::assert_snapshot!("help_short", printed("-h"));
}

#[test]
fn the_list() {
    insta::assert_snapshot!(printed("list"));
}

#[test]
fn the_list_as_json_has_every_variant() {
    let list = json(&printed("list --json"));
    assert_eq!(list[0]["id"], "race");
    let variants: Vec<&str> =
        list[0]["variants"].as_array().unwrap().iter().map(|variant| variant["id"].as_str().unwrap()).collect();
    assert_eq!(variants, ["broken", "broken_two_locks", "fixed_lock", "fixed_atomic", "fixed_owner"]);
    assert_eq!(list[0]["sizes"], serde_json::json!([[2, 1], [2, 2], [3, 1]]));
}

#[test]
fn a_lesson_is_shown_with_its_code_as_differences() {
    insta::assert_snapshot!(printed("show race"));
}

#[test]
fn a_variant_is_shown_in_full() {
    let text = printed("show race --variant fixed_lock");
    assert!(text.contains("let mut balance = self.balance.lock();"), "{text}");
    assert!(text.contains("fixed_lock.rs against broken_two_locks.rs"), "{text}");
}

#[test]
fn a_run_reports_every_variant() {
    let learn = Learn::new();
    let output = learn.run("run race --trials 3 --json");
    let report = json(&stdout(&output));
    let variants = report["variants"].as_array().unwrap();
    assert_eq!(variants.len(), 5);
    let mut as_claimed = true;
    for variant in variants {
        assert_eq!(variant["trials"], 3, "{variant}");
        let samples: u64 =
            variant["outcomes"].as_array().unwrap().iter().map(|row| row["samples"].as_u64().unwrap()).sum();
        assert_eq!(samples, 3, "{variant}");
        let wrong = variant["wrong"].as_u64().unwrap();
        if variant["role"] == "fixed" {
            assert_eq!(wrong, 0, "{variant}");
        }
        as_claimed &= variant["as_claimed"] == true;
    }
    // Whether the operating system hits a failing schedule is not ours to promise; that the exit code says it is.
    assert_eq!(output.status.code(), Some(if as_claimed { 0 } else { 1 }));
    assert!(report["figures"][0]["says"].as_str().unwrap().contains("1,022"));
}

#[test]
fn a_run_of_a_fix_is_a_table() {
    let text = printed("run race --variant fixed_atomic --trials 3");
    insta::with_settings!({ filters => vec![(r"[\d.]+ (ns|µs|ms)", "[time]"), (r" +\[time\]", "  [time]")] }, {
        insta::assert_snapshot!(text);
    });
}

#[test]
fn a_run_of_broken_code_says_what_kind_of_bug_it_is() {
    let output = Learn::new().run("run race --variant broken --trials 3");
    let text = stdout(&output);
    assert!(text.contains("a race condition, not a data race"), "{text}");
    let right = text.contains("This time all 3 trials came out right.");
    assert_eq!(output.status.code(), Some(i32::from(right)), "{text}");
}

#[test]
fn a_check_shows_the_smallest_schedule_and_how_many_fail() {
    // Without real threads beside it, every word of a check is the same on every machine.
    insta::assert_snapshot!(printed("check race --trials 0"));
}

#[test]
fn a_sample_of_real_threads_stands_beside_the_share_of_failing_schedules() {
    let text = printed("check race --variant broken --size 2x1 --trials 20");
    let sample = text.lines().find(|line| line.contains("real threads:")).expect("a sample");
    assert!(sample.contains(" runs fail"), "{sample}");
    assert!(text.contains("4 of 6 schedules fail (66.7%)"), "{text}");
}

#[test]
fn a_schedule_is_replayed_and_where_it_parts_is_shown() {
    let output = Learn::new().run("check race --schedule 1.2.1.2");
    assert_eq!(output.status.code(), Some(1), "it loses a deposit");
    insta::assert_snapshot!("replay_that_loses", stdout(&output));
    let output = Learn::new().run("check race --schedule 1.1.2.2");
    assert_eq!(output.status.code(), Some(0), "it loses none");
    let output = Learn::new().run("check race --schedule 1.1.1.2");
    assert_eq!(output.status.code(), Some(1), "thread 1 has only two steps");
    insta::assert_snapshot!("replay_that_parts", stdout(&output));
}

#[test]
fn a_budget_that_ends_first_has_an_exit_code_of_its_own_and_says_how_far_it_came() {
    let output = Learn::new().run("check race --variant fixed_owner --size 3x2 --budget states=50,steps=500");
    assert_eq!(output.status.code(), Some(3));
    insta::assert_snapshot!(stdout(&output));
}

#[test]
fn a_timeline_is_drawn_into_a_file() {
    let learn = Learn::new();
    let file = learn.state.path().join("race.svg");
    let line = ["check", "race", "--variant", "broken", "--size", "2x1", "--trials", "0", "--svg"];
    let output = learn.command(line).arg(&file).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let picture = std::fs::read_to_string(&file).unwrap();
    assert!(picture.starts_with("<svg") && picture.contains("let balance = self.balance.load"), "{picture}");
    let line = ["check", "race", "--variant", "fixed_lock", "--trials", "0", "--svg", "nowhere.svg"];
    let output = learn.command(line).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(stderr(&output), "learn: no schedule fails, so nowhere.svg was not written\n");
}

#[test]
fn wrong_names_are_answered_with_the_nearest_and_the_list() {
    let message = refused("run rase");
    assert_eq!(message, "learn: there is no lesson `rase`; did you mean `race`? There is: race\n");
    let message = refused("show race --variant fixed-lokc");
    assert!(message.contains("did you mean `fixed_lock`?"), "{message}");
    assert!(message.contains("broken, broken_two_locks, fixed_lock, fixed_atomic, fixed_owner"), "{message}");
    assert_eq!(message.lines().count(), 1);
    assert!(refused("man chekc").contains("did you mean `check`?"));
    assert!(refused("chekc race").contains("'check'"));
}

#[test]
fn a_size_that_does_not_fit_is_refused_before_anything_runs() {
    for size in ["2", "2x0", "2x1x1", "1000x1", "two"] {
        let message = refused(&format!("check race --size {size}"));
        assert!(message.contains("as in 2x1") && message.lines().count() == 1, "{message}");
    }
}

#[test]
fn a_wrong_budget_or_schedule_is_refused_with_the_right_form() {
    assert!(refused("check race --budget seconds=5").contains("states=200000,steps=5000000"));
    assert!(refused("check race --budget 0").contains("allows nothing"));
    assert!(refused("check race --schedule 1.b.2").contains("1.2.2.1"));
    let message = refused("check race --schedule 1.2 --size 2x1 --size 2x2");
    assert_eq!(message, "learn: a schedule fits one size: give --size once beside --schedule\n");
}

#[test]
fn options_that_exclude_each_other_are_refused() {
    refused("check");
    refused("check race --all");
    refused("check --all --size 2x1");
    refused("run race --trials 0");
    refused("run race --trials 5 --full");
}

#[test]
fn completions_for_every_shell() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = printed(&format!("completions {shell}"));
        assert!(script.contains("learn") && script.contains("check"), "{shell}");
    }
    assert!(refused("completions tcsh").contains("possible values"));
}

#[test]
fn manual_pages() {
    let page = printed("man");
    assert!(page.contains(".TH learn 1") && page.contains("Exit codes"), "{page}");
    let page = printed("man check");
    assert!(page.contains(".TH learn\\-check 1") || page.contains(".TH learn-check 1"), "{page}");
    assert!(page.contains("schedule"), "{page}");
}

#[test]
fn the_next_step_follows_what_was_done() {
    let learn = Learn::new();
    let text = stdout(&learn.run(""));
    assert!(text.contains("Predict first.") && text.contains("Next: learn run race"), "{text}");
    learn.run("run race --variant fixed_atomic --trials 1");
    let text = stdout(&learn.run(""));
    assert!(text.contains("[x] learn run race") && text.contains("Next: learn check race"), "{text}");
    learn.run("show race");
    let text = stdout(&learn.run(""));
    assert!(text.contains("[x] learn show race") && text.contains("Next: learn check race"), "{text}");
    let kept = std::fs::read_to_string(learn.state.path().join("progress")).unwrap();
    assert_eq!(kept, "race run\nrace show\n");
}

#[test]
fn progress_that_cannot_be_kept_is_one_line_and_the_work_goes_on() {
    let learn = Learn::new();
    let blocked = learn.state.path().join("a file");
    std::fs::write(&blocked, "").unwrap();
    let output = learn.command(["show", "race"]).env("PITFALLS_STATE", &blocked).output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert!(stdout(&output).contains("broken.rs"));
    let message = stderr(&output);
    assert!(message.starts_with("learn: your progress was not kept: ") && message.lines().count() == 1, "{message}");
}

#[cfg(unix)]
#[test]
fn a_read_only_folder_is_no_obstacle() {
    use std::os::unix::fs::PermissionsExt;
    let learn = Learn::new();
    let home = learn.state.path().join("home");
    std::fs::create_dir(&home).unwrap();
    std::fs::set_permissions(&home, std::fs::Permissions::from_mode(0o555)).unwrap();
    let output = learn
        .command(["run", "race", "--variant", "fixed_lock", "--trials", "1"])
        .current_dir(&home)
        .env_remove("PITFALLS_STATE")
        .env_remove("XDG_STATE_HOME")
        .env("HOME", &home)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0));
    // Root may write there all the same.
    assert!(stderr(&output).lines().count() <= 1, "{}", stderr(&output));
    std::fs::set_permissions(&home, std::fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn a_closed_pipe_is_success_without_a_word() {
    let learn = Learn::new();
    for line in [
        "show race",
        "check race --trials 0",
        "check race --json --trials 0",
        "list --json",
        "completions bash",
        "man",
        "--help",
    ] {
        let mut child = learn.command(line.split(' ')).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut first = String::new();
        let mut pipe = BufReader::with_capacity(1, child.stdout.take().unwrap());
        pipe.read_line(&mut first).unwrap();
        drop(pipe);
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{line}");
        assert_eq!(stderr(&output), "", "{line}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn output_that_cannot_be_written_is_one_line_and_code_2() {
    let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
    let output = Learn::new().command(["list"]).stdout(full).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).starts_with("learn: the output cannot be written: "), "{}", stderr(&output));
    assert_eq!(stderr(&output).lines().count(), 1);
}

#[cfg(unix)]
#[test]
fn an_argument_or_a_folder_that_is_not_utf_8() {
    use std::os::unix::ffi::OsStrExt;
    let learn = Learn::new();
    let odd = OsStr::from_bytes(b"ra\xffce");
    for arguments in
        [vec![OsStr::new("run"), odd], vec![OsStr::new("show"), OsStr::new("race"), OsStr::new("--variant"), odd]]
    {
        let output = learn.command(arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(2));
        assert_eq!(stderr(&output), "learn: an argument is not valid UTF-8; names here are plain ASCII\n");
    }
    let folder: PathBuf = learn.state.path().join(odd);
    let output = learn.command(["show", "race"]).env("PITFALLS_STATE", &folder).output().unwrap();
    assert_eq!((output.status.code(), stderr(&output).as_str()), (Some(0), ""));
    assert!(folder.join("progress").is_file());
}

#[test]
fn colour_goes_into_no_pipe_unless_it_is_forced() {
    let learn = Learn::new();
    let coloured = |arguments: &[&str], environment: &[(&str, &str)]| {
        let output = learn.command(arguments).envs(environment.iter().copied()).output().unwrap();
        output.stdout.contains(&0x1b)
    };
    assert!(!coloured(&["show", "race"], &[]));
    assert!(!coloured(&["show", "race"], &[("CLICOLOR", "1")]));
    assert!(coloured(&["show", "race"], &[("CLICOLOR_FORCE", "1")]));
    assert!(coloured(&["show", "race", "--color", "always"], &[]));
    assert!(coloured(&["--color=always", "show", "race"], &[("NO_COLOR", "1")]));
    assert!(!coloured(&["show", "race", "--color", "never"], &[("CLICOLOR_FORCE", "1")]));
    assert!(!coloured(&["show", "race"], &[("NO_COLOR", "1")]));
    assert!(!coloured(&["--help", "--color", "always"], &[]));
}

#[test]
fn no_line_is_wider_than_40_columns() {
    let learn = Learn::new();
    let pages = ["", "list", "show", "run", "check", "completions", "man"].map(|command| format!("{command} --help"));
    let texts = [
        "",
        "list",
        "show race",
        "show race --variant fixed_owner",
        "run race --trials 2",
        "check race",
        "check race --schedule 1.2.9",
    ]
    .map(String::from);
    for line in pages.iter().chain(&texts) {
        let output = learn.command(line.split_whitespace()).env("COLUMNS", "40").output().unwrap();
        let text = stdout(&output);
        assert!(text.lines().count() > 2, "{line}");
        for row in text.lines() {
            assert!(row.width() <= 40, "learn {line}: {} columns: {row}", row.width());
        }
    }
}
