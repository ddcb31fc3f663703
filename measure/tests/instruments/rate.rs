//! Tests of `rate`.

use crate::instruments::folder::{Folder, stderr};

/// Slow enough for any machine, with extra time.
const SLOWLY: [&str; 9] = [
    "rate",
    "--rate",
    "20",
    "--length",
    "0.5s",
    "--repetitions",
    "2",
    "--grace",
    "60s",
];

fn rate(more: &[&'static str]) -> Vec<&'static str> {
    [&SLOWLY[..], more].concat()
}

#[test]
fn child_that_answers_lines_is_measured() {
    let folder = Folder::new();
    let output = folder.run(&rate(&[
        "--name",
        "echo",
        "--histograms",
        "hdr",
        "--output",
        "r.csv",
        "--",
        "cat",
    ]));
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(
        stderr(&output).contains("Rep 1/3 (warmup): sent 10 of 10, received 10;"),
        "{}",
        stderr(&output)
    );
    let rows = folder.read("r.csv");
    assert_eq!(
        rows.lines().count(),
        1 + 2,
        "the warm-up is not counted: {rows}"
    );
    assert!(
        rows.lines()
            .skip(1)
            .all(|row| row.contains(",10,\"fixed rate of 20/s, intended starts\"")),
        "{rows}"
    );
    assert!(
        folder
            .read("hdr/echo.hgrm")
            .contains("Total count    =           20]")
    );
    assert_eq!(
        folder
            .read("hdr/echo.hlog")
            .lines()
            .filter(|line| line.contains("HIST"))
            .count(),
        2
    );
}

#[test]
fn target_that_loses_messages_fails() {
    let folder = Folder::new();
    let script = "read x; echo $x; read x; echo $x; cat >/dev/null";
    let line = [
        "rate",
        "--rate",
        "20",
        "--length",
        "0.5s",
        "--grace",
        "1s",
        "--histograms",
        "hdr",
    ];
    let error = folder.fail(
        &[
            &line[..],
            &[
                "--name", "two", "--output", "r.csv", "--", "sh", "-c", script,
            ],
        ]
        .concat(),
    );
    assert!(
        error.contains("10 of 10 messages were sent in time and 2 answered (80.0% lost)"),
        "{error}"
    );
    assert!(folder.read("r.csv").trim_end().ends_with(",failed"));
    assert!(
        folder
            .read("hdr/two.hgrm.FAIL")
            .contains("Total count    =            2]")
    );
    assert!(!folder.read("hdr/two.hlog.FAIL").is_empty());
}

#[test]
fn target_that_does_not_read_is_ended() {
    let folder = Folder::new();
    let message = "x".repeat(10_000);
    let line = [
        "rate",
        "--rate",
        "1000",
        "--length",
        "0.5s",
        "--grace",
        "0.5s",
        "--message",
        &message,
    ];
    let error = folder.fail(&[&line[..], &["--", "sleep", "600"]].concat());
    assert!(error.contains("did not keep up with 1000/s"), "{error}");
}

#[test]
fn target_that_ends_or_does_not_exist_is_one_error() {
    let folder = Folder::new();
    for (arguments, said) in [
        (
            rate(&["--", "head", "-n", "3"]),
            "`head -n 3` ended after 3 of 10 answers",
        ),
        (rate(&["--", "no-such-command"]), "command not found"),
        (rate(&[]), "required"),
    ] {
        let error = folder.fail(&arguments);
        assert!(error.contains(said), "{arguments:?} {error}");
    }
}
