//! Tests of `record` and `compare`.

use crate::instruments::folder::{Folder, stderr, stdout};

const METHODOLOGY: &str = "recording v1: iterations in turn, net of a no-op";

/// Writes a recording in which `work` took this many seconds.
fn recording(folder: &Folder, seconds: &str) {
    let rows: Vec<String> = (0..16)
        .map(|run| format!("work,{run},{seconds},\"{METHODOLOGY}\"\n"))
        .collect();
    let text = format!("scenario,runIndex,timeS,methodology\n{}", rows.concat());
    folder.write(".perf-recording.csv", &text);
}

const WORK: [&str; 2] = ["--bench", "work=sleep 0.05"];

#[test]
fn slower_than_the_recording_is_a_regression() {
    let folder = Folder::new();
    recording(&folder, "0.000001");
    let output = folder.run(&[&["compare", "--limit", "1.5", "--exit-code"][..], &WORK].concat());
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    assert_eq!(stdout(&output), "compared=1\nregressed=true\n");
}

#[test]
fn faster_than_the_recording_is_not_a_regression() {
    let folder = Folder::new();
    recording(&folder, "0.5");
    let output = folder.run(
        &[
            &["compare", "--exit-code", "--output", "now.csv"][..],
            &WORK,
        ]
        .concat(),
    );
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert_eq!(
        stdout(&output),
        "compared=1\nregressed=false\n",
        "{}",
        stderr(&output)
    );
    assert_eq!(folder.read("now.csv").lines().count(), 17);
    let error = stderr(&output);
    let bars: Vec<&str> = error.lines().filter(|line| line.ends_with('|')).collect();
    assert!(
        bars.len() == 2 && bars.iter().all(|bar| bar.chars().count() == 80),
        "{error}"
    );
}

#[test]
fn recording_can_be_compared_as_a_baseline() {
    let folder = Folder::new();
    let output = folder.run(&["record", "--iterations", "3", "--bench", "work=sleep 0.01"]);
    assert_eq!(
        stdout(&output),
        "benchmarks=1\niterations=3\n",
        "{}",
        stderr(&output)
    );
    let recorded = folder.read(".perf-recording.csv");
    assert_eq!(recorded.lines().count(), 1 + 3, "{recorded}");
    let output = folder.run(&["compare", "--iterations", "3", "--bench", "work=sleep 0.01"]);
    assert!(
        stdout(&output).starts_with("compared=1\n"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn config_lists_benchmarks_and_variants_set_variables() {
    let folder = Folder::new();
    folder.write("do.sh", "echo $1 $PERF_TEST $KIND >>log\n");
    folder.write(
        "perf-gate.toml",
        "[[measure]]\nname = 'a'\ncommand = 'sh do.sh body'\nbefore = 'sh do.sh before'\nafter = 'sh do.sh after'\nenv.KIND = 'k'\n",
    );
    let output = folder.run(&["record", "--iterations", "2", "--variant", "on:PERF_TEST=1"]);
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(stdout(&output).starts_with("benchmarks=2\n"));
    let log = folder.read("log");
    let first: Vec<&str> = log.lines().take(6).collect();
    assert_eq!(
        first,
        [
            "before k", "body k", "after k", "before k", "body 1 k", "after k"
        ]
    );
    let recorded = folder.read(".perf-recording.csv");
    assert_eq!(recorded.matches("a (on),").count(), 2, "{recorded}");
}

#[test]
fn wrong_input_is_one_error_and_leaves_no_recording() {
    let folder = Folder::new();
    for (arguments, said) in [
        (
            vec!["--", "no-such-command"],
            "command not found: `no-such-command`",
        ),
        (
            vec!["--", "sh", "-c", "echo gone wrong >&2; exit 3"],
            "gone wrong",
        ),
        (
            vec!["--timeout", "0.2s", "--", "sleep", "60"],
            "did not finish within 0.2 s",
        ),
        (vec![], "no benchmark given"),
        (
            vec!["--bench", "a=true", "--bench", "a=false"],
            "two benchmarks have the name `a`",
        ),
        (vec!["--before", "false", "--", "true"], "`false` failed"),
    ] {
        let error = folder.fail(&[&["record"][..], &arguments].concat());
        assert!(error.contains(said), "{arguments:?} {error}");
    }
    assert_eq!(folder.files(), Vec::<String>::new());
}

#[test]
fn unusable_recording_is_rejected_before_measuring() {
    let folder = Folder::new();
    let compare = || folder.fail(&["compare", "--bench", "work=sh -c 'echo >ran'"]);
    assert!(compare().contains("no recording"));
    folder.write(
        ".perf-recording.csv",
        "scenario,runIndex,timeS,methodology\nwork,0,1,recording v7: x\n",
    );
    assert!(compare().contains("version 7"));
    folder.write(".perf-recording.csv", "scenario,runIndex,timeS\nwork,0,1\n");
    assert!(compare().contains("is not a recording"));
    assert_eq!(folder.files(), [".perf-recording.csv"]);
}
