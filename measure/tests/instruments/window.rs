//! Tests of `window`, with the examples in `examples/harness` and with scripts.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::instruments::folder::{Folder, stderr, stdout};

/// A window that any machine fills at once.
const SHORT: [&str; 5] = ["window", "--window", "0.02", "--warm-up", "10"];

/// A script that reports this many nanoseconds and allocations per operation.
fn script(folder: &Folder, nanoseconds: u64, allocations: u64) {
    let answer = format!("echo $((n * {nanoseconds})) $((n * {allocations}))");
    folder.write("harness.sh", &format!("while read n; do {answer}; done\n"));
}

fn window(folder: &Folder, more: &[&str]) -> std::process::Output {
    folder.run(
        &[
            &SHORT[..],
            more,
            &["--name", "parse", "--", "sh", "harness.sh"],
        ]
        .concat(),
    )
}

#[test]
fn cost_above_the_limit_fails_against_a_captured_baseline() {
    let folder = Folder::new();
    script(&folder, 1000, 2);
    assert!(
        window(&folder, &["--output", "baseline.csv"])
            .status
            .success()
    );
    let gate = |nanoseconds, allocations| {
        script(&folder, nanoseconds, allocations);
        let output = window(
            &folder,
            &[
                "--baseline",
                "baseline.csv",
                "--limit",
                "1.5",
                "--exit-code",
            ],
        );
        (
            output.status.code(),
            stdout(&output).contains("regressed=true"),
            stderr(&output),
        )
    };
    for (nanoseconds, allocations, fails) in [
        (1490, 2, false),
        (1510, 2, true),
        (500, 1, false),
        (1000, 3, true),
    ] {
        let (code, regressed, said) = gate(nanoseconds, allocations);
        assert_eq!(
            (code, regressed),
            (Some(i32::from(fails)), fails),
            "{nanoseconds} {allocations} {said}"
        );
    }
}

#[test]
fn error_starts_on_a_new_line() {
    let folder = Folder::new();
    folder.write("harness.sh", "printf 'half a line' >&2; exit 3\n");
    for command in [&["window"][..], &["rate", "--rate", "10", "--length", "1s"]] {
        let output = folder.run(&[command, &["--", "sh", "harness.sh"]].concat());
        let text = stderr(&output);
        assert_eq!(output.status.code(), Some(2), "{text}");
        let lines: Vec<&str> = text.lines().collect();
        assert!(
            lines.contains(&"half a line") && lines.iter().any(|line| line.starts_with("error: ")),
            "{text}"
        );
    }
}

#[test]
fn gate_without_a_baseline_row_is_skipped() {
    let folder = Folder::new();
    script(&folder, 1000, 2);
    for text in [
        None,
        Some("scenario,runIndex,timeNs\n"),
        Some("scenario,runIndex,timeNs\nother,-1,5\n"),
    ] {
        text.map(|text| folder.write("baseline.csv", text));
        let output = window(&folder, &["--baseline", "baseline.csv", "--exit-code"]);
        assert_eq!(
            output.status.code(),
            Some(0),
            "{text:?} {}",
            stderr(&output)
        );
        assert_eq!(stdout(&output), "compared=0\nregressed=false\n", "{text:?}");
        assert!(
            stderr(&output).contains("warning: no baseline"),
            "{text:?} {}",
            stderr(&output)
        );
    }
}

#[test]
fn config_lists_several_scenarios_and_their_protocol() {
    let folder = Folder::new();
    let answer = "echo $((n * 1000)) $((n * 2)) $((n * 64)) $((n * 7))";
    folder.write(
        "harness.sh",
        &format!("while read n; do echo $NAME $n >>requests; {answer}; done\n"),
    );
    let entry = |name: &str, more: &str| {
        format!(
            "[[measure]]\nname = \"{name}\"\ncommand = \"sh harness.sh\"\nenv.NAME = \"{name}\"\n{more}\n"
        )
    };
    let protocol = "[protocol]\nwarm-up = 30\nwindow = 0.02\ncold = 3\n";
    let entries = [
        entry("parse", "harness = \"window\""),
        entry("flood", "harness = \"window\"\nwarm-up = 0"),
        entry("first", "harness = \"cold\""),
        entry("timed", ""),
    ];
    folder.write("perf-gate.toml", &format!("{protocol}{}", entries.concat()));
    let output = folder.run(&["window", "--output", "base.csv"]);
    assert!(output.status.success(), "{}", stderr(&output));
    let rows = std::fs::read_to_string(folder.path().join("base.csv")).unwrap();
    let header =
        "scenario,platform,commit,runIndex,opsPerSecond,timeNs,allocations,allocatedBytes,gcTimeNs";
    assert!(rows.starts_with(header), "{rows}");
    for row in [
        "parse,,,-1,1000000,1000,2,64,7,",
        "flood,,,-1,1000000,1000,2,64,7,",
        "first,,,-1,-1,1000,2,64,",
    ] {
        assert!(rows.contains(row), "{row} {rows}");
    }
    assert_eq!(rows.lines().count(), 4, "{rows}");
    let requests = std::fs::read_to_string(folder.path().join("requests")).unwrap();
    assert!(requests.starts_with("parse 30\n"), "{requests}");
    assert!(!requests.contains("flood 30"), "{requests}");
    assert_eq!(requests.matches("first 1\n").count(), 3, "{requests}");
    let gate = folder.run(&[
        "window",
        "--name",
        "parse",
        "--baseline",
        "base.csv",
        "--exit-code",
    ]);
    assert!(
        stdout(&gate).contains("regressed=false"),
        "{}",
        stderr(&gate)
    );
}

#[test]
fn cold_starts_are_not_compared_with_a_window() {
    let folder = Folder::new();
    script(&folder, 1000, 2);
    assert!(
        window(&folder, &["--output", "baseline.csv"])
            .status
            .success()
    );
    script(&folder, 9000, 2);
    let line = [
        "window",
        "--cold",
        "3",
        "--baseline",
        "baseline.csv",
        "--exit-code",
        "--name",
        "parse",
    ];
    let output = folder.run(&[&line[..], &["--", "sh", "harness.sh"]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert_eq!(stdout(&output), "compared=1\nregressed=false\n");
    let warning = "warning: not-comparable: parse Time: different methodologies: ";
    assert!(stderr(&output).contains(warning), "{}", stderr(&output));
}

#[test]
fn benchmark_that_does_not_answer_is_one_error() {
    let folder = Folder::new();
    for (harness, said) in [
        ("read n; echo fast", "answered `fast`"),
        ("read n", "ended without an answer"),
        ("read n; echo 1 2 3 4 5", "answered `1 2 3 4 5`"),
        ("sleep 600", "did not answer within 0.3 s"),
    ] {
        folder.write("harness.sh", harness);
        let error = folder.fail(&[
            "window",
            "--timeout",
            "0.3",
            "--output",
            "r.csv",
            "--",
            "sh",
            "harness.sh",
        ]);
        assert!(error.contains(said), "{harness} {error}");
    }
    assert!(
        folder
            .fail(&["window", "--", "no-such-command"])
            .contains("command not found")
    );
    assert_eq!(folder.files(), ["harness.sh"]);
}

fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../examples/harness")
        .join(name)
}

/// Measures an example, which is built first if necessary.
fn measured(source: &str, build: &[&str], run: &[&str]) {
    let folder = Folder::new();
    std::fs::copy(example(source), folder.path().join(source)).unwrap();
    let program = build.first().or(run.first()).unwrap();
    if Command::new(program)
        .arg(if *program == "go" {
            "version"
        } else {
            "--version"
        })
        .output()
        .is_err()
    {
        println!("skipped: {program} is not installed");
        return;
    }
    if let Some((program, arguments)) = build.split_first() {
        let mut command = Command::new(program);
        command.current_dir(folder.path()).args(arguments);
        let compiled = command
            .env("GOCACHE", folder.path().join("cache"))
            .output()
            .unwrap();
        assert!(compiled.status.success(), "{}", stderr(&compiled));
    }
    let output = folder.run(&[&SHORT[..], &["--name", source, "--"], run].concat());
    assert!(output.status.success(), "{source} {}", stderr(&output));
    let rows = stdout(&output);
    let header = rows.lines().next().unwrap();
    assert!(header.contains("opsPerSecond,timeNs"), "{rows}");
    assert_eq!(
        header.contains("allocations"),
        source == "harness.go",
        "{rows}"
    );
}

#[test]
fn examples_are_measured() {
    measured("harness.py", &[], &["python3", "harness.py"]);
    measured("harness.js", &[], &["node", "harness.js"]);
    measured(
        "harness.rs",
        &["rustc", "-O", "-o", "harness", "harness.rs"],
        &["./harness"],
    );
    measured(
        "harness.c",
        &["cc", "-O2", "-o", "harness", "harness.c"],
        &["./harness"],
    );
    measured(
        "harness.go",
        &["go", "build", "-o", "harness", "harness.go"],
        &["./harness"],
    );
}
