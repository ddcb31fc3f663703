//! The base's config and baseline come from the base commit, even if a pull request changes folders, links or
//! repositories.

use std::fs;
use std::os::unix::fs::symlink;

use end_to_end::action::{ActionReport, ActionRun, Workspace, git};
use fake_github::account::WORKFLOW;

use super::scene::{
    BASELINE, CONFIG, Pull, SAME, SLOWER, configure, empty, github_of, pull_request,
    pull_request_to,
};

/// A repository with a suite in the folder `bench`.
fn suite() -> Workspace {
    let workspace = empty();
    workspace.write("bench/perf-gate.toml", CONFIG);
    workspace.write("bench/perf-baseline.csv", BASELINE);
    workspace.push("main", "Begin");
    workspace
}

/// Runs the action on a pull request that makes the suite slower.
fn gate(pull: &Pull) -> ActionReport {
    let fake = github_of(pull);
    pull.workspace.write("bench/bench.log", SLOWER);
    pull.run()
        .input("working-directory", "bench")
        .api(fake.url(), WORKFLOW)
        .run()
}

#[track_caller]
fn assert_refused(report: &ActionReport, why: &str) {
    assert!(!report.passed(), "{}", report.log);
    assert!(
        report
            .annotations("error")
            .iter()
            .any(|error| error.contains(why)),
        "{}",
        report.log
    );
}

#[test]
fn link_instead_of_the_suite_does_not_hide_its_baseline() {
    let pull = pull_request_to(suite(), SLOWER, |workspace| {
        fs::rename(
            workspace.checkout().join("bench"),
            workspace.checkout().join("bench2"),
        )
        .unwrap();
        symlink("bench2", workspace.checkout().join("bench")).unwrap();
    });
    assert_refused(&gate(&pull), "leads through a link");
}

#[test]
fn submodule_instead_of_the_suite_does_not_hide_its_baseline() {
    let pull = pull_request_to(suite(), SLOWER, |_| ());
    let folder = pull.workspace.checkout().join("bench");
    fs::remove_dir_all(&folder).unwrap();
    fs::create_dir(&folder).unwrap();
    git(&folder, &["init", "--quiet"]);
    assert_refused(&gate(&pull), "submodule");
}

#[test]
fn baseline_path_comes_from_the_base_config() {
    let workspace = empty();
    workspace.write("numbers/base.csv", BASELINE);
    configure(&workspace, "baseline = 'numbers/base.csv'\n");
    workspace.push("main", "Begin");
    // A pull request that changes the path would otherwise find no baseline to regress against.
    let pull = pull_request_to(workspace, SLOWER, |workspace| {
        configure(workspace, "baseline = 'elsewhere.csv'\n");
    });
    let fake = github_of(&pull);
    let report = pull.run().api(fake.url(), WORKFLOW).run();
    assert!(
        !report.passed() && report.output("regressed") == "true",
        "{}",
        report.log
    );
    let named = pull
        .run()
        .input("baseline", "other.csv")
        .api(fake.url(), WORKFLOW)
        .run();
    assert_eq!(named.output("regressed"), "false", "{}", named.log);
}

#[test]
fn uncommitted_baseline_is_not_missing() {
    let workspace = empty();
    workspace.push("main", "Begin");
    let pull = pull_request_to(workspace, SLOWER, |_| ());
    pull.workspace.write("perf-baseline.csv", BASELINE);
    let fake = github_of(&pull);
    assert_refused(&pull.run().api(fake.url(), WORKFLOW).run(), "in no commit");
    assert!(
        fake.comments(5)[0]
            .body
            .contains("nothing was compared: the benchmark")
    );
}

#[test]
fn baseline_under_a_link_in_the_base_is_not_missing() {
    let workspace = empty();
    workspace.write("real/perf-baseline.csv", BASELINE);
    symlink("real", workspace.checkout().join("numbers")).unwrap();
    workspace.push("main", "Begin");
    let pull = pull_request_to(workspace, SLOWER, |_| ());
    let fake = github_of(&pull);
    let run = pull
        .run()
        .input("baseline", "numbers/perf-baseline.csv")
        .api(fake.url(), WORKFLOW);
    assert_refused(&run.run(), "`numbers` is not a regular file in the commit");
}

#[test]
fn files_that_look_like_a_repository_are_only_files() {
    let pull = pull_request_to(suite(), SLOWER, |workspace| {
        workspace.write("bench/HEAD", "ref: refs/heads/main\n");
        workspace.write("bench/objects/k", "");
        workspace.write("bench/refs/k", "");
        let command = "[url \"ext::sh -c touch% owned\"]\n\tinsteadOf = file:\n[protocol \"ext\"]\n\tallow = always\n";
        workspace.write("bench/config", format!("[core]\n\tbare = true\n{command}"));
    });
    pull.workspace.check_out_shallow(&pull.head);
    let report = gate(&pull);
    assert_eq!(report.output("regressed"), "true", "{}", report.log);
    assert!(!pull.workspace.checkout().join("bench/owned").exists());
}

#[test]
fn urls_in_the_checkout_config_are_ignored() {
    let pull = pull_request(SLOWER, |_| ());
    pull.workspace.check_out_shallow(&pull.head);
    git(
        &pull.workspace.checkout(),
        &["config", "url.ext::sh -c touch% owned.insteadOf", "file:"],
    );
    git(
        &pull.workspace.checkout(),
        &["config", "protocol.ext.allow", "always"],
    );
    pull.workspace.write("bench.log", SLOWER);
    let fake = github_of(&pull);
    let report = pull.run().api(fake.url(), WORKFLOW).run();
    assert_eq!(report.output("regressed"), "true", "{}", report.log);
    assert!(!pull.workspace.checkout().join("owned").exists());
}

#[test]
fn unreadable_base_config_is_not_an_empty_one() {
    let pull = pull_request(SLOWER, |_| ());
    let fake = github_of(&pull);
    let run = || {
        pull.run()
            .input("config", "limits.toml")
            .api(fake.url(), WORKFLOW)
    };
    assert_refused(&run().run(), "has no config file `limits.toml`");
    let pull = pull_request(SLOWER, |workspace| {
        workspace.write("limits.toml", "[deltas]\nlimit = 0.9\n");
    });
    let fake = github_of(&pull);
    let report = pull
        .run()
        .input("config", "limits.toml")
        .api(fake.url(), WORKFLOW)
        .run();
    assert_eq!(report.output("regressed"), "true", "{}", report.log);
    assert!(
        report.report().contains("adds `limits.toml`"),
        "{}",
        report.report()
    );
}

#[test]
fn outdated_branch_is_not_reported_as_editing_the_baseline() {
    let pull = pull_request(SAME, |_| ());
    let checkout = pull.workspace.checkout();
    git(&checkout, &["checkout", "--quiet", "--detach", &pull.base]);
    pull.workspace
        .write("perf-baseline.csv", BASELINE.replace("1000", "1001"));
    fs::remove_file(checkout.join("bench.log")).unwrap();
    let newer = pull.workspace.push("main", "Refresh");
    git(&checkout, &["checkout", "--quiet", "--detach", &pull.head]);
    pull.workspace.write("bench.log", SAME);
    let fake = github_of(&pull);
    // Without the trial merge, the head is compared.
    let mut event = pull.event();
    event["pull_request"]["base"]["sha"] = newer.into();
    let run = || {
        let run = ActionRun::new(&pull.workspace, "pull_request", event.clone())
            .input("results", "bench.log");
        run.env("GITHUB_SHA", &pull.head)
            .api(fake.url(), WORKFLOW)
            .run()
    };
    let report = run();
    assert!(
        report.passed() && !report.report().starts_with("> "),
        "{}",
        report.report()
    );
    pull.workspace.check_out_shallow(&pull.head);
    pull.workspace.write("bench.log", SAME);
    // If the checkout has no history, GitHub is asked for the merge base.
    let report = run();
    assert!(
        report.passed() && !report.report().starts_with("> "),
        "{}",
        report.report()
    );
    let without = ActionRun::new(&pull.workspace, "pull_request", event.clone())
        .input("results", "bench.log");
    let report = without.env("GITHUB_SHA", &pull.head).run();
    assert!(
        report
            .report()
            .contains("it was edited, or the branch is out of date"),
        "{}",
        report.report()
    );
}
