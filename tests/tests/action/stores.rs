//! Baselines outside the main branch: on a separate branch, or in the workflow's cache.

use end_to_end::action::{ActionReport, ActionRun, Workspace, git};
use fake_github::account::{READ_ONLY, WORKFLOW};
use fake_github::{Fake, World};
use serde_json::{Value, json};

use super::scene::{SAME, SLOWER, configure, empty, github, github_of, pull_request_to, scheduled};

const STORE: &str = "perf-baseline";

/// A repository without a baseline, in which the benchmark has printed `log` for a pushed commit.
fn pushed(log: &str) -> Workspace {
    pushed_with("", log)
}

/// The same, with more in its config.
fn pushed_with(more: &str, log: &str) -> Workspace {
    let workspace = empty();
    configure(&workspace, more);
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

fn refreshed(workspace: &Workspace, store: &str, fake: &Fake) -> ActionReport {
    let report = push(workspace)
        .input("baseline", store)
        .api(fake.url(), WORKFLOW)
        .run();
    assert!(report.passed(), "{}", report.log);
    report
}

#[test]
fn separate_branch_contains_only_the_baseline() {
    let workspace = pushed(SAME);
    let fake = github(&workspace, World::default());
    assert_eq!(
        refreshed(&workspace, "branch", &fake).output("refresh"),
        "committed"
    );
    assert_eq!(
        git(
            &workspace.server(),
            &["ls-tree", "-r", "--name-only", STORE]
        ),
        "perf-baseline.csv"
    );
    assert_eq!(fake.git().head("main").unwrap(), workspace.tip());
    assert_eq!(
        refreshed(&workspace, "branch", &fake).output("refresh"),
        "unchanged"
    );
    // A pull request is compared with it, using a read-only token and a checkout without history.
    let pull = pull_request_to(workspace, SLOWER, |_| ());
    pull.workspace.check_out_shallow(&pull.merge);
    pull.workspace.write("bench.log", SLOWER);
    let fake = github_of(&pull);
    let report = pull
        .run()
        .input("baseline", "branch")
        .api(fake.url(), READ_ONLY)
        .run();
    assert_eq!(report.output("failed"), "regressed", "{}", report.log);
    assert_eq!(report.output("compared"), "2");
    let tip = fake.git().head(STORE).unwrap();
    assert!(
        report
            .report()
            .contains(&format!("--baseline-git {tip}:perf-baseline.csv")),
        "{}",
        report.report()
    );
}

#[test]
fn history_is_read_from_the_separate_branch() {
    let workspace = pushed_with("[history]\n", SAME);
    let fake = github(&workspace, World::default());
    for (round, rate) in ["1000", "1004", "997", "1002", "999", "1003"]
        .into_iter()
        .enumerate()
    {
        workspace.write("src/lib.rs", format!("// {round}\n"));
        let commit = workspace.push("main", "Change");
        workspace.write(
            "bench.log",
            SAME.replace("1001", rate).replace("2222222", &commit[..7]),
        );
        let run = push(&workspace).input("baseline", "branch");
        assert_eq!(
            run.api(fake.url(), WORKFLOW).run().output("refresh"),
            "committed"
        );
    }
    assert_eq!(
        git(&workspace.server(), &["rev-list", "--count", STORE]),
        "6"
    );
    let pull = pull_request_to(workspace, SLOWER, |_| ());
    let fake = github_of(&pull);
    let run = pull
        .run()
        .input("baseline", "branch")
        .api(fake.url(), WORKFLOW);
    let report = run.run();
    let json = std::fs::read_to_string(report.output("report-json")).unwrap();
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(longest_history(&json), 6, "{json:#}");
}

/// The largest number of earlier values for any metric.
fn longest_history(json: &Value) -> usize {
    match json {
        Value::Array(items) => items.iter().map(longest_history).max().unwrap_or(0),
        Value::Object(members) => {
            let here = members
                .get("history")
                .and_then(Value::as_array)
                .map_or(0, Vec::len);
            members
                .values()
                .map(longest_history)
                .max()
                .unwrap_or(0)
                .max(here)
        }
        _ => 0,
    }
}

#[test]
fn missing_branch_means_no_baseline_and_unreadable_one_is_an_error() {
    let pull = pull_request_to(pushed(SAME), SAME, |_| ());
    let fake = github_of(&pull);
    let report = pull
        .run()
        .input("baseline", "branch")
        .api(fake.url(), WORKFLOW)
        .run();
    assert!(
        report.passed() && report.annotations("warning")[0].contains("no baseline yet"),
        "{}",
        report.log
    );
    let lost = pull
        .run()
        .input("baseline", "branch")
        .env("GITHUB_SERVER_URL", "file:///no/such/server");
    let report = lost.api(fake.url(), WORKFLOW).run();
    assert_eq!(report.failed(), Some("Publish"), "{}", report.log);
    let errors = report.annotations("error").join("\n");
    assert!(
        errors.contains("cannot read the branch `perf-baseline` of the repository"),
        "{errors}"
    );
}

#[test]
fn limits_come_from_the_base_commit() {
    let workspace = pushed(SAME);
    configure(&workspace, "[deltas]\nlimit = 0.1\n");
    workspace.push("main", "Configure");
    workspace.write("bench.log", SAME);
    refreshed(&workspace, "branch", &github(&workspace, World::default()));
    let lax = "[deltas]\nlimit = 0.9\n";
    let pull = pull_request_to(workspace, SLOWER, |workspace| configure(workspace, lax));
    let fake = github_of(&pull);
    let report = pull
        .run()
        .input("baseline", "branch")
        .api(fake.url(), WORKFLOW)
        .run();
    assert_eq!(report.output("failed"), "regressed", "{}", report.log);
    assert!(
        report.report().contains("changes `perf-gate.toml`"),
        "{}",
        report.report()
    );
}

#[test]
fn newest_cached_baseline_is_used() {
    let workspace = pushed(SAME);
    let fake = github(&workspace, World::default());
    let first = push(&workspace)
        .input("baseline", "cache")
        .api(fake.url(), READ_ONLY)
        .run();
    assert_eq!(
        (first.passed(), first.output("refresh")),
        (true, "cached"),
        "{}",
        first.log
    );
    assert_eq!(fake.writes().len(), 0, "a cache needs no permission");
    let pull = pull_request_to(workspace, SLOWER, |_| ());
    pull.workspace.check_out_shallow(&pull.merge);
    pull.workspace.write("bench.log", SLOWER);
    let fake = github_of(&pull);
    let report = pull
        .run()
        .input("baseline", "cache")
        .api(fake.url(), WORKFLOW)
        .run();
    assert_eq!(
        (report.output("failed"), report.output("compared")),
        ("regressed", "2"),
        "{}",
        report.log
    );
    // Another suite uses a separate cache.
    let other = pull.run().input("baseline", "cache").input("name", "other");
    let other = other.api(fake.url(), WORKFLOW).run();
    assert_eq!(other.output("compared"), "0", "{}", other.log);
}

#[test]
fn files_in_the_cache_folder_are_ignored_without_a_cache_entry() {
    let pull = pull_request_to(pushed(SLOWER), SLOWER, |_| ());
    let planted = pull
        .workspace
        .root()
        .join(".cache/perf-gate/baseline/perf-gate");
    std::fs::create_dir_all(&planted).unwrap();
    std::fs::write(planted.join("baseline.csv"), SLOWER).unwrap();
    let fake = github_of(&pull);
    let report = pull
        .run()
        .input("baseline", "cache")
        .api(fake.url(), WORKFLOW)
        .run();
    assert_eq!(
        (report.passed(), report.output("compared")),
        (true, "0"),
        "{}",
        report.log
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
    let report = refreshed(&workspace, &file_from_earlier_step(&workspace), &fake);
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
    let report = refreshed(&workspace, "branch", &fake);
    assert_eq!(report.output("refresh"), "committed");
    assert!(
        report.annotations("notice")[0].contains("the page `docs/speed.md` is not refreshed"),
        "{}",
        report.log
    );
}

#[test]
fn cache_has_no_history() {
    let workspace = pushed_with("[history]\n", SAME);
    let report = scheduled(&workspace).input("baseline", "cache").run();
    assert!(report.passed(), "{}", report.log);
    assert!(
        report.annotations("notice")[0].contains("`[history]` has no effect"),
        "{}",
        report.log
    );
}
