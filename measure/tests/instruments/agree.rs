//! Tests of `agree`.

use std::path::Path;

use crate::instruments::folder::{Folder, stderr, stdout};

/// A command that prints five runs of a profiler, with its published means, deviations and calls.
fn profiler(name: &str) -> String {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/profilers");
    format!("cat '{}'", data.join(format!("{name}.csv")).display())
}

#[test]
fn published_comparison_of_two_profilers_is_reproduced() {
    let (builtin, perfy) = (profiler("builtin"), profiler("perfy"));
    let line = ["agree", "--a", "timeUs", "--b", "timeUs", "--runs", "1"];
    let output =
        Folder::new().run(&[&line[..], &["--a-command", &builtin, "--b-command", &perfy]].concat());
    assert!(output.status.success(), "{}", stderr(&output));
    // The publication states 2.5% for AnimateEnlarge, but its rounded means result in 2.6%.
    insta::assert_snapshot!(stdout(&output), @r"
    | Benchmark                          |            timeUs |            timeUs | Discrepancy | Error per call |
    | :--------------------------------- | ----------------: | ----------------: | ----------: | -------------: |
    | onUpdate                           | 273.740 ms ± 0.5% | 282.690 ms ± 0.3% |        3.3% |         492 ns |
    | barPrototype:Update                | 260.560 ms ± 0.6% | 265.522 ms ± 0.3% |        1.9% |                |
    | DBT:UpdateBars                     |  98.564 ms ± 0.7% |  94.413 ms ± 1.2% |       -4.2% |                |
    | stringFromTimer                    |  24.465 ms ± 0.9% |  29.985 ms ± 0.8% |       22.6% |         345 ns |
    | AnimateEnlarge                     |   2.916 ms ± 1.8% |   2.992 ms ± 1.2% |        2.6% |                |
    | stringFromTimer without tail calls |  26.588 ms ± 0.8% |  27.175 ms ± 0.9% |        2.2% |        36.7 ns |
    ");
}

#[test]
fn unequal_calls_of_the_instruments_are_an_error() {
    let folder = Folder::new();
    for (name, calls) in [("a.csv", 100), ("b.csv", 99)] {
        folder.write(
            name,
            &format!("scenario,runIndex,timeNs,calls\nparse,0,5,{calls}\n"),
        );
    }
    let error = folder.fail(&[
        "agree",
        "--a",
        "timeNs",
        "--b",
        "timeNs",
        "--a-command",
        "cat a.csv",
        "--b-command",
        "cat b.csv",
    ]);
    assert!(
        error.contains("`parse` has 99 calls in one run and 100 in another"),
        "{error}"
    );
}

#[test]
fn wall_time_is_compared_with_a_printed_time() {
    let folder = Folder::new();
    // A process takes longer than a nanosecond.
    folder.write(
        "bench.sh",
        "echo scenario,runIndex,timeNs,calls\necho parse,0,1,10\n",
    );
    let line = [
        "agree", "--a", "timeNs", "--b", "wall", "--runs", "2", "--within", "5%", "--", "sh",
        "bench.sh",
    ];
    let output = folder.run(&line);
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    assert!(
        stdout(&output)
            .lines()
            .last()
            .unwrap()
            .starts_with("| parse "),
        "{}",
        stdout(&output)
    );
}

#[test]
fn wrong_instruments_are_one_error() {
    let folder = Folder::new();
    for (arguments, said) in [
        (
            vec!["--a", "wall", "--b", "instructions", "--", "true"],
            "do not measure the same quantity",
        ),
        (
            vec!["--a", "timeNs", "--b", "wall", "--", "true"],
            "`true` printed no `timeNs`",
        ),
        (vec!["--a", "wall", "--b", "user"], "no command for `wall`"),
        (
            vec!["--a", "wall", "--b", "user", "--", "false"],
            "`false` failed",
        ),
        (
            vec![
                "--a",
                "wall",
                "--b",
                "user",
                "--timeout",
                "0.1s",
                "--",
                "sleep",
                "9",
            ],
            "did not finish",
        ),
    ] {
        let error = folder.fail(&[&["agree"][..], &arguments].concat());
        assert!(error.contains(said), "{arguments:?} {error}");
    }
}
