//! The output `range`: the commits in a push that regressed.

use end_to_end::action::{ActionReport, ActionRun, Workspace};
use fake_github::World;
use fake_github::account::WORKFLOW;
use serde_json::json;

use super::scene::{BASELINE, SAME, SLOWER, github, pull_request, repository};

/// Runs the action on a push after which the benchmark printed `log`. Returns the report, the baseline's commit and
/// the pushed one.
fn pushed(log: &str, baseline: impl Fn(&str) -> String) -> (ActionReport, String, String) {
    let workspace = repository();
    let good = workspace.tip();
    workspace.write("perf-baseline.csv", baseline(&good[..7]));
    workspace.write(".gitignore", "bench.log\n");
    workspace.push("main", "Refresh");
    workspace.write("src/lib.rs", "// two\n");
    let bad = workspace.push("main", "Improve");
    workspace.write("bench.log", log.replace("2222222", &bad[..7]));
    let event = json!({
        "ref": "refs/heads/main", "before": good, "after": bad,
        "repository": { "full_name": Workspace::REPOSITORY, "default_branch": "main" },
    });
    let fake = github(&workspace, World::default());
    let run = ActionRun::new(&workspace, "push", event).input("results", "bench.log");
    let run = run
        .env("GITHUB_REF", "refs/heads/main")
        .env("GITHUB_SHA", &bad);
    let report = run.api(fake.url(), WORKFLOW).run();
    assert!(report.passed(), "{}", report.log);
    (report, good, bad)
}

#[test]
fn range_starts_at_the_baseline_commit() {
    let (report, good, bad) = pushed(SLOWER, |good| BASELINE.replace("1111111", good));
    assert_eq!(
        report.output("range"),
        format!("{good}..{bad}"),
        "{}",
        report.log
    );
    let note = format!(
        "> **One of the commits `{}..{}` caused the regression.**",
        &good[..7],
        &bad[..7]
    );
    assert_eq!(
        report.summary.matches(&note).count(),
        1,
        "{}",
        report.summary
    );
}

#[test]
fn range_is_empty_without_a_regression_or_one_baseline_commit() {
    let (same, ..) = pushed(SAME, |good| BASELINE.replace("1111111", good));
    assert_eq!(
        (same.output("regressed"), same.output("range")),
        ("false", ""),
        "{}",
        same.log
    );
    let (mixed, ..) = pushed(SLOWER, |good| BASELINE.replacen("1111111", good, 1));
    assert_eq!(
        (mixed.output("regressed"), mixed.output("range")),
        ("true", ""),
        "{}",
        mixed.log
    );
}

#[test]
fn range_is_empty_on_a_pull_request() {
    let report = pull_request(SLOWER, |_| ()).run().run();
    assert_eq!(
        (report.output("regressed"), report.output("range")),
        ("true", ""),
        "{}",
        report.log
    );
}
