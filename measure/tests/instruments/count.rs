//! Tests of `count`, if valgrind is installed.

use std::fs;
use std::process::Command;

use crate::instruments::folder::{Folder, stderr, stdout};

/// A loop of N iterations in a shell.
const LOOP: &str = "i=0; while [ $i -lt $1 ]; do i=$((i + 1)); done\n";

/// A directory with scripts; `None` without valgrind.
fn folder() -> Option<Folder> {
    let is_there = Command::new("valgrind")
        .arg("--version")
        .output()
        .is_ok_and(|output| output.status.success());
    if !is_there {
        println!("skipped: valgrind is not installed");
        return None;
    }
    let folder = Folder::new();
    folder.write("loop.sh", LOOP);
    Some(folder)
}

/// A value in a benchmark's row.
fn column(rows: &str, benchmark: &str, column: &str) -> i64 {
    let at = rows
        .lines()
        .next()
        .unwrap()
        .split(',')
        .position(|name| name == column)
        .unwrap();
    let row = rows
        .lines()
        .find(|row| row.starts_with(&format!("{benchmark},")))
        .unwrap();
    row.split(',').nth(at).unwrap().parse().unwrap()
}

#[test]
fn all_benchmarks_of_the_config_are_counted() {
    let Some(folder) = folder() else { return };
    let entry = |name: &str, turns: u32, more: &str| {
        format!("[[measure]]\nname = \"{name}\"\ncommand = \"sh loop.sh {turns}\"\n{more}\n")
    };
    let harness = entry("harness", 1, "harness = \"cold\"");
    let entries = [
        entry("load", 1000, ""),
        entry("query", 3000, "setup = \"load\""),
        harness,
    ];
    folder.write("perf-gate.toml", &entries.concat());
    let output = folder.run(&["count", "--times", "1"]);
    assert!(output.status.success(), "{}", stderr(&output));
    let rows = stdout(&output);
    assert_eq!(rows.lines().count(), 3, "{rows}");
    assert!(
        column(&rows, "query", "instructions") > column(&rows, "load", "instructions"),
        "{rows}"
    );
    folder.write("perf-gate.toml", "");
    assert!(folder.fail(&["count"]).contains("no benchmark given"));
}

#[test]
#[ignore = "runs valgrind many times: `.ci/run slow`"]
fn setup_and_start_are_subtracted() {
    let Some(folder) = folder() else { return };
    let line = [
        "count",
        "--bench",
        "short=sh loop.sh 1000",
        "--bench",
        "long=sh loop.sh 3000",
    ];
    let output = folder.run(&line);
    assert!(output.status.success(), "{}", stderr(&output));
    let rows = stdout(&output);
    let (short, long) = (
        column(&rows, "short", "instructions"),
        column(&rows, "long", "instructions"),
    );
    assert!(
        column(&rows, "short", "grossInstructions") > short && long > 2 * short,
        "{rows}"
    );
    let output = folder.run(&[&line[..], &["--setup", "long=short"]].concat());
    let net = column(&stdout(&output), "long", "instructions");
    // Counts are equal except for the shell's random numbers.
    assert!(
        (net - (long - short)).abs() < long / 100,
        "{net} {long} {short}"
    );
}

#[test]
fn change_is_reported_against_kept_details_by_function() {
    let Some(folder) = folder() else { return };
    let count = |turns: &str, option: &str| {
        let bench = format!("loop=sh loop.sh {turns}");
        folder.run(&["count", "--times", "1", option, "before", "--bench", &bench])
    };
    assert!(count("1000", "--details").status.success());
    let same = stdout(&count("1000", "--against"));
    assert!(same.starts_with("No instruction count changed"), "{same}");
    let report = stdout(&count("2000", "--against"));
    assert!(
        report.contains("| loop ") && report.contains("loop by function"),
        "{report}"
    );
}

#[test]
fn piped_commands_are_both_counted() {
    let Some(folder) = folder() else { return };
    folder.write(
        "ask.sh",
        "echo question; read answer; test \"$answer\" = answer\n",
    );
    folder.write(
        "answer.sh",
        "read question; test \"$question\" = question; echo answer\n",
    );
    let line = [
        "count",
        "--times",
        "1",
        "--bench",
        "talk=sh ask.sh",
        "--pipe-with",
        "talk=sh answer.sh",
    ];
    let output = folder.run(&line);
    assert!(output.status.success(), "{}", stderr(&output));
    let rows = stdout(&output);
    assert!(
        column(&rows, "talk", "instructions") > 0
            && column(&rows, "talk (peer)", "instructions") > 0,
        "{rows}"
    );
}

#[test]
#[ignore = "runs valgrind many times: `.ci/run slow`"]
fn wrong_input_and_failed_benchmarks_are_one_error_and_leave_no_count() {
    let Some(folder) = folder() else { return };
    for (arguments, said) in [
        (vec!["--", "false"], "exit status: 1"),
        (
            vec!["--timeout", "1s", "--", "sleep", "600"],
            "did not finish within 1 s",
        ),
        (
            vec!["--bench", "a=true", "--setup", "a=b"],
            "no such benchmark: `b`",
        ),
        (
            vec!["--bench", "a=true", "--setup", "a=a"],
            "cannot be its own set-up",
        ),
        (
            vec![
                "--bench",
                "a=true",
                "--bench",
                "b=sh loop.sh 100",
                "--setup",
                "a=b",
            ],
            "fewer than its set-up `b`",
        ),
        (
            vec!["--bench", "a=true", "--bench", "a=false"],
            "two benchmarks have the name `a`",
        ),
        (
            vec![
                "--bench",
                "a=cat",
                "--bench",
                "b=cat",
                "--setup",
                "a=b",
                "--pipe-with",
                "a=cat",
            ],
            "only one of `a` and its set-up `b` has a peer",
        ),
        (
            vec!["--against", "nowhere", "--", "true"],
            "no counts in `nowhere`",
        ),
        (
            vec!["--timeout", "2s", "--bench", "a=cat", "--pipe-with", "cat"],
            "did not finish within 2 s",
        ),
        (vec!["--bench", "a=true", "--pipe-with", "false"], "failed"),
    ] {
        let error = folder.fail(&[&["count", "--output", "counts.csv"][..], &arguments].concat());
        assert!(error.contains(said), "{arguments:?} {error}");
        let written = folder.path().join("counts.csv");
        if let Ok(rows) = fs::read_to_string(&written) {
            let failed = rows.lines().find(|row| row.starts_with("a,"));
            let first = failed.or(rows.lines().nth(1)).unwrap_or_default();
            assert!(first.contains("failed"), "{arguments:?} {rows}");
            fs::remove_file(written).unwrap();
        }
    }
    assert_eq!(folder.files(), ["loop.sh"]);
}

#[test]
fn failed_benchmark_leaves_the_rows_of_the_others() {
    let Some(folder) = folder() else { return };
    let benches = ["--bench", "a=false", "--bench", "b=sh loop.sh 100"];
    let output = folder.run(&[&["count", "--times", "1"][..], &benches].concat());
    let rows = stdout(&output);
    assert_eq!(output.status.code(), Some(2), "{rows}");
    assert!(
        stderr(&output).contains("cannot count `a`"),
        "{}",
        stderr(&output)
    );
    assert!(column(&rows, "b", "instructions") > 0, "{rows}");
    assert!(
        rows.lines()
            .any(|row| row.starts_with("a,") && row.contains("failed")),
        "{rows}"
    );
}

#[test]
fn missing_valgrind_is_one_error_with_a_hint() {
    let folder = Folder::new();
    let output = folder
        .command(&["count", "--", "true"])
        .env("PATH", folder.path())
        .output()
        .unwrap();
    let error = stderr(&output);
    assert_eq!(output.status.code(), Some(2), "{error}");
    assert!(
        error.contains("valgrind is not installed") && error.contains("hint: install it"),
        "{error}"
    );
}
