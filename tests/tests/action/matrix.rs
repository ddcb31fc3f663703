//! A matrix: three systems in two shards each. One job compares and reports the results.

use end_to_end::action::{ActionReport, ActionRun, Workspace};
use fake_github::account::WORKFLOW;

use super::scene::{Pull, github_of, pull_request_to};

/// The artifacts: folder, machine type, and time factor.
const JOBS: [(&str, &str, f64); 6] = [
    ("perf-ubuntu-1", "epyc-7763-4c-x86_64-linux-16g", 1.0),
    ("perf-ubuntu-2", "epyc-7763-4c-x86_64-linux-16g", 1.0),
    ("perf-macos-1", "m1-3c-aarch64-macos-8g", 0.6),
    ("perf-macos-2", "m1-3c-aarch64-macos-8g", 0.6),
    ("perf-windows-1", "epyc-7763-4c-x86_64-windows-16g", 2.0),
    ("perf-windows-2", "epyc-7763-4c-x86_64-windows-16g", 2.0),
];

/// hyperfine's output for one command; it does not contain a platform.
fn hyperfine(command: &str, seconds: f64) -> String {
    let times: Vec<String> = (0..8)
        .map(|run| (seconds * (1.0 + f64::from(run % 4) / 200.0)).to_string())
        .collect();
    let times = times.join(", ");
    format!(
        r#"{{"results": [{{"command": "{command}", "mean": {seconds}, "stddev": 0.01, "median": {seconds},
        "user": 0.1, "system": 0.01, "min": {seconds}, "max": {seconds}, "times": [{times}], "exit_codes": [0]}}]}}"#
    )
}

/// Writes the matrix jobs' results as `actions/download-artifact` would.
fn download(workspace: &Workspace, classes: impl Fn(&str) -> String, slower: &str) {
    for (folder, class, factor) in JOBS {
        let command = if folder.ends_with('1') {
            "parse"
        } else {
            "print"
        };
        let times = if folder == slower { 2.0 } else { 1.0 };
        workspace.write(
            &format!("artifacts/{folder}/bench.json"),
            hyperfine(command, factor * times),
        );
        let specs = format!("{{\"machineClass\": \"{}\"}}", classes(class));
        workspace.write(&format!("artifacts/{folder}/machine-specs.json"), specs);
    }
}

/// The report job of a run.
fn report_job(run: ActionRun<'_>) -> ActionRun<'_> {
    run.input("results", "artifacts/perf-*/bench.json")
}

/// A repository whose main branch was refreshed by the same jobs, and a pull request to it.
fn matrix(slower: &str) -> Pull {
    matrix_with("", slower)
}

/// The same, with this config.
fn matrix_with(config: &str, slower: &str) -> Pull {
    let workspace = Workspace::new();
    workspace.write("perf-gate.toml", config);
    workspace.push("main", "Begin");
    download(&workspace, str::to_owned, "");
    let mut extract = std::process::Command::new(end_to_end::binaries::path("perf-gate"));
    extract
        .current_dir(workspace.checkout())
        .args(["baseline", "--commit", "1111111", "--output"]);
    extract.args(["perf-baseline.csv", "--input"]);
    extract.args(JOBS.map(|(folder, ..)| format!("artifacts/{folder}/bench.json")));
    let output = extract.output().unwrap();
    assert!(output.status.success(), "{output:?}");
    std::fs::remove_dir_all(workspace.checkout().join("artifacts")).unwrap();
    workspace.push("main", "Refresh");
    let pull = pull_request_to(workspace, "", |_| ());
    download(&pull.workspace, str::to_owned, slower);
    pull
}

fn compared(pull: &Pull) -> (ActionReport, String) {
    let fake = github_of(pull);
    let report = report_job(pull.run()).api(fake.url(), WORKFLOW).run();
    let comments = fake.comments(5);
    assert_eq!(comments.len(), 1, "{}", report.log);
    (report, comments[0].body.clone())
}

#[test]
fn matrix_gets_one_comment_and_each_system_is_compared_with_itself() {
    let pull = matrix("");
    let rows = pull.workspace.text("perf-baseline.csv");
    let platforms: std::collections::BTreeSet<&str> = rows
        .lines()
        .skip(1)
        .filter_map(|row| row.split(',').nth(1))
        .collect();
    assert_eq!(
        platforms.into_iter().collect::<Vec<_>>(),
        ["aarch64-macos", "x86_64-linux", "x86_64-windows"]
    );
    let (report, _) = compared(&pull);
    assert!(report.passed(), "{}", report.log);
    assert_eq!(
        (
            report.output("compared"),
            report.output("new"),
            report.output("missing")
        ),
        ("6", "0", "0")
    );
}

#[test]
fn regression_on_one_system_is_reported_for_that_system() {
    let (report, comment) = compared(&matrix("perf-windows-2"));
    assert_eq!(report.output("failed"), "regressed", "{}", report.log);
    assert!(
        comment.contains("\n### ❌ perf-gate: 1 of 6 benchmarks regressed"),
        "{comment}"
    );
    assert!(
        comment.contains("**`print`** (x86_64-windows)"),
        "{comment}"
    );
}

#[test]
fn system_on_another_machine_type_is_not_green() {
    let pull = matrix("");
    let other = |class: &str| {
        class.replace(
            "epyc-7763-4c-x86_64-windows",
            "xeon-8370c-4c-x86_64-windows",
        )
    };
    download(&pull.workspace, other, "");
    let (report, comment) = compared(&pull);
    assert_eq!(report.output("failed"), "not-compared", "{}", report.log);
    assert!(
        comment.contains("\n### ❌ perf-gate: a machine type of this run was not compared"),
        "{comment}"
    );
    assert!(
        comment.contains("xeon-8370c-4c-x86_64-windows-16g"),
        "{comment}"
    );
    // A single other system can be compared by itself.
    let alone = matrix_with("[deltas]\nscope = \"x86_64-linux\"\n", "");
    download(&alone.workspace, other, "");
    let (linux, _) = compared(&alone);
    assert!(linux.passed(), "{}", linux.log);
    let fake = github_of(&pull);
    let any = report_job(pull.run())
        .input("fail-on", "none")
        .api(fake.url(), WORKFLOW)
        .run();
    assert!(any.passed(), "{}", any.log);
}

#[test]
fn one_benchmark_on_two_machine_types_is_not_pooled_and_not_green() {
    let pull = matrix("");
    let class = |class: &str| class.to_owned();
    download(&pull.workspace, class, "");
    // A third shard measures the same benchmark as the first, on another machine and much slower.
    pull.workspace.write(
        "artifacts/perf-ubuntu-3/bench.json",
        hyperfine("parse", 3.0),
    );
    let specs = "{\"machineClass\": \"xeon-8370c-4c-x86_64-linux-16g\"}";
    pull.workspace
        .write("artifacts/perf-ubuntu-3/machine-specs.json", specs);
    let (report, comment) = compared(&pull);
    assert_eq!(report.output("failed"), "not-compared", "{}", report.log);
    assert!(comment.contains("9 rows not compared"), "{comment}");
}
