//! Baselines that other steps of the workflow store.

use end_to_end::action::{ActionReport, ActionRun, Workspace};
use fake_github::account::WORKFLOW;
use fake_github::{Fake, World};
use serde_json::json;

use super::scene::{SAME, SLOWER, configure, empty, github, github_of, pull_request_to};

/// A repository without a baseline, in which the benchmark has printed `log` for a pushed commit.
fn pushed(log: &str) -> Workspace {
    let workspace = empty();
    configure(&workspace, "");
    workspace.write(".gitignore", "bench.log\nperf-baseline.csv\n");
    workspace.write("src/lib.rs", "// one\n");
    workspace.push("main", "Begin");
    workspace.write("bench.log", log);
    workspace
}

fn push(workspace: &Workspace) -> ActionRun<'_> {
    let event = json!({
        "ref": "refs/heads/main", "before": "0".repeat(40), "after": workspace.tip(),
        "repository": { "full_name": Workspace::REPOSITORY, "default_branch": "main" },
    });
    ActionRun::new(workspace, "push", event)
        .input("results", "bench.log")
        .env("GITHUB_REF", "refs/heads/main")
}

fn refreshed(workspace: &Workspace, fake: &Fake) -> ActionReport {
    let report = push(workspace)
        .input("baseline", &file_from_earlier_step(workspace))
        .api(fake.url(), WORKFLOW)
        .run();
    assert!(report.passed(), "{}", report.log);
    report
}

#[test]
fn limits_come_from_the_base_commit() {
    let workspace = pushed(SAME);
    configure(&workspace, "[deltas]\nlimit = 0.1\n");
    workspace.push("main", "Configure");
    workspace.write("bench.log", SAME);
    refreshed(&workspace, &github(&workspace, World::default()));
    let lax = "[deltas]\nlimit = 0.9\n";
    let pull = pull_request_to(workspace, SLOWER, |workspace| configure(workspace, lax));
    let fake = github_of(&pull);
    let report = pull
        .run()
        .input("baseline", &file_from_earlier_step(&pull.workspace))
        .api(fake.url(), WORKFLOW)
        .run();
    assert_eq!(report.output("failed"), "regressed", "{}", report.log);
    assert!(
        report.report().contains("changes `perf-gate.toml`"),
        "{}",
        report.report()
    );
}

/// The absolute path of a file written by an earlier step.
fn file_from_earlier_step(workspace: &Workspace) -> String {
    workspace
        .checkout()
        .join("perf-baseline.csv")
        .to_string_lossy()
        .into_owned()
}

#[test]
fn file_in_the_workspace_is_written_and_not_committed() {
    let workspace = pushed(SAME);
    let fake = github(&workspace, World::default());
    let report = refreshed(&workspace, &fake);
    assert_eq!(
        (report.output("refresh"), fake.writes().len()),
        ("written", 0),
        "{}",
        report.log
    );
    assert!(
        workspace.text("perf-baseline.csv").contains("decode"),
        "{}",
        report.log
    );
}

#[test]
fn step_without_a_baseline_does_not_turn_the_job_green() {
    let pull = pull_request_to(pushed(SAME), SLOWER, |_| ());
    let fake = github_of(&pull);
    let report = pull
        .run()
        .input("baseline", &file_from_earlier_step(&pull.workspace))
        .api(fake.url(), WORKFLOW)
        .run();
    assert_eq!(report.failed(), Some("Publish"), "{}", report.log);
    assert!(
        report
            .annotations("error")
            .join("\n")
            .contains("nothing was compared"),
        "{}",
        report.log
    );
}

#[test]
fn page_is_refreshed_only_with_a_committed_baseline() {
    let workspace = pushed(SAME);
    workspace.write("perf-gate.toml", "[files]\npage = 'docs/speed.md'\n");
    workspace.push("main", "Configure");
    workspace.write("bench.log", SAME);
    let fake = github(&workspace, World::default());
    let report = refreshed(&workspace, &fake);
    assert_eq!(report.output("refresh"), "written");
    assert!(
        report.annotations("notice")[0].contains("the page `docs/speed.md` is not refreshed"),
        "{}",
        report.log
    );
}
