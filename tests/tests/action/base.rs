//! The base's baseline and config are those of the base, whatever a pull request makes of folders, links and
//! repositories.

use std::fs;
use std::os::unix::fs::symlink;

use end_to_end::action::{ActionReport, ActionRun, Workspace, git};
use fake_github::account::WORKFLOW;

use super::scene::{
    BASELINE, CONFIG, Pull, SAME, SLOWER, configure, empty, github_of, pull_request,
    pull_request_to,
};

/// A repository whose suite is in the folder `bench`.
fn suite() -> Workspace {
    let workspace = empty();
    workspace.write("bench/perf-gate.toml", CONFIG);
    workspace.write("bench/perf-baseline.csv", BASELINE);
    workspace.push("main", "Begin");
    workspace
}

/// The action on a pull request to the suite, whose benchmark has printed what is slower.
fn gate(pull: &Pull) -> ActionReport {
    let fake = github_of(pull);
    pull.workspace.write("bench/bench.log", SLOWER);
    pull.run()
        .input("working-directory", "bench")
        .api(fake.url(), WORKFLOW)
        .run()
}

#[track_caller]
fn refused(report: &ActionReport, why: &str) {
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
fn a_link_in_place_of_the_suite_does_not_hide_its_baseline() {
    let pull = pull_request_to(suite(), SLOWER, |workspace| {
        fs::rename(
            workspace.checkout().join("bench"),
            workspace.checkout().join("bench2"),
        )
        .unwrap();
        symlink("bench2", workspace.checkout().join("bench")).unwrap();
    });
    refused(&gate(&pull), "leads through a link");
}

#[test]
fn a_submodule_in_place_of_the_suite_does_not_hide_its_baseline() {
    let pull = pull_request_to(suite(), SLOWER, |_| ());
    let folder = pull.workspace.checkout().join("bench");
    fs::remove_dir_all(&folder).unwrap();
    fs::create_dir(&folder).unwrap();
    git(&folder, &["init", "--quiet"]);
    refused(&gate(&pull), "submodule");
}

#[test]
fn the_config_of_the_base_names_the_baseline() {
    let workspace = empty();
    workspace.write("numbers/base.csv", BASELINE);
    configure(&workspace, "baseline = 'numbers/base.csv'\n");
    workspace.push("main", "Begin");
    // Where a pull request looks elsewhere, it finds nothing that it would fail for.
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
fn a_baseline_that_is_in_no_commit_is_no_missing_one() {
    let workspace = empty();
    workspace.push("main", "Begin");
    let pull = pull_request_to(workspace, SLOWER, |_| ());
    pull.workspace.write("perf-baseline.csv", BASELINE);
    let fake = github_of(&pull);
    refused(&pull.run().api(fake.url(), WORKFLOW).run(), "in no commit");
    assert!(
        fake.comments(5)[0]
            .body
            .contains("**Nothing was compared:**")
    );
}

#[test]
fn a_baseline_behind_a_link_of_the_base_is_no_missing_one() {
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
    refused(&run.run(), "a link or a submodule");
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
fn addresses_that_the_checkout_gives_do_not_count() {
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
fn a_config_that_the_base_lacks_is_not_an_empty_one() {
    let pull = pull_request(SLOWER, |_| ());
    let fake = github_of(&pull);
    let run = || {
        pull.run()
            .input("config", "limits.toml")
            .api(fake.url(), WORKFLOW)
    };
    refused(&run().run(), "has no config file `limits.toml`");
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
fn a_branch_that_is_behind_is_accused_of_no_edit() {
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
    // Where the checkout has no history, GitHub knows where the branch began.
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
