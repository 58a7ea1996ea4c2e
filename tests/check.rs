//! `learn check`, end to end: what the lessons claim, exit codes, replayed schedules, spent budgets.

use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};

fn learn(line: &str) -> Output {
    let state = tempfile::tempdir().unwrap();
    Command::new(env!("CARGO_BIN_EXE_learn"))
        .args(line.split_whitespace())
        .env("PITFALLS_STATE", state.path())
        .env("COLUMNS", "80")
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

/// The results that a command line prints, and its exit code.
fn results(line: &str) -> (Vec<Value>, Option<i32>) {
    let output = learn(&format!("{line} --json"));
    let text = String::from_utf8_lossy(&output.stdout);
    let report: Value = serde_json::from_str(&text).unwrap_or_else(|error| {
        panic!("{line}: {error}\n{text}{}", String::from_utf8_lossy(&output.stderr));
    });
    (report["results"].as_array().unwrap().clone(), output.status.code())
}

fn verdict<'a>(results: &'a [Value], variant: &str, size: Value) -> &'a Value {
    let found = results.iter().find(|result| result["variant"] == variant && result["size"] == size);
    &found.unwrap_or_else(|| panic!("no result for {variant} at {size}"))["verdict"]
}

#[test]
fn race_loses_deposits_in_as_many_schedules_as_the_closed_form_says() {
    let (results, code) = results("check race --trials 0");
    assert_eq!(code, Some(0));
    // n threads × k unlocked deposits: (2nk)! / ((2k)!)^n schedules, of which (nk)! / (k!)^n come out right.
    for (size, failing, schedules) in [(json!([2, 1]), 4, 6), (json!([2, 2]), 64, 70), (json!([3, 1]), 84, 90)] {
        for variant in ["broken", "broken_two_locks"] {
            let verdict = verdict(&results, variant, size.clone());
            assert_eq!((&verdict["failing"], &verdict["schedules"]), (&json!(failing), &json!(schedules)));
            assert_eq!(verdict["finding"], "violated", "{variant} {size}");
        }
        for variant in ["fixed_lock", "fixed_atomic", "fixed_owner"] {
            let verdict = verdict(&results, variant, size.clone());
            assert_eq!((&verdict["finding"], &verdict["failing"]), (&json!("holds"), &json!(0)), "{variant} {size}");
            assert_eq!(verdict["complete"], true, "{variant} {size}");
        }
    }
}

#[test]
fn the_schedule_of_a_verdict_replays_to_the_same_failure() {
    let (results, _) = results("check race --variant broken --size 2x1 --trials 0");
    let token = results[0]["verdict"]["token"].as_str().unwrap();
    let output = learn(&format!("check race --schedule {token}"));
    assert_eq!(output.status.code(), Some(1));
    let output = learn(&format!("check race --variant broken --size 2x1 --schedule {token} --json"));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["trace"]["outcome"], "balance 1");
}

#[test]
fn a_schedule_that_breaks_nothing_is_code_0_and_one_that_does_not_fit_code_1() {
    assert_eq!(learn("check race --schedule 1.1.2.2").status.code(), Some(0));
    assert_eq!(learn("check race --schedule 1.1.7.2").status.code(), Some(1));
}

#[test]
fn a_spent_budget_is_code_3() {
    let (results, code) = results("check race --variant fixed_lock --size 3x3 --budget states=10,steps=10");
    assert_eq!(code, Some(3));
    assert_eq!(results[0]["verdict"]["finding"], "out_of_budget");
    assert_eq!(results[0]["as_claimed"], false);
}

#[test]
fn broken_code_that_cannot_break_is_not_as_claimed() {
    let (results, code) = results("check race --variant broken --size 1x3 --trials 0");
    assert_eq!(code, Some(1));
    assert_eq!(results[0]["as_claimed"], false);
    assert_eq!(results[0]["verdict"]["finding"], "holds");
}

#[test]
fn only_broken_code_is_sampled_and_only_when_asked() {
    let (sampled, _) = results("check race --size 2x1 --trials 5");
    for result in &sampled {
        assert_eq!(result["sample"].is_object(), result["role"] == "broken", "{}", result["variant"]);
    }
    let (unsampled, _) = results("check race --size 2x1 --trials 0");
    assert!(unsampled.iter().all(|result| result["sample"].is_null()));
}

#[test]
fn all_checks_every_lesson_as_claimed() {
    let (results, code) = results("check --all --trials 1");
    assert_eq!(code, Some(0));
    assert!(results.iter().all(|result| result["as_claimed"] == true));
}
