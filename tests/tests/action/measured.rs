//! `measure`: both sides are measured on the runner, and nothing is stored.

use std::fs;

use end_to_end::action::{Run, Step, Workspace, git};
use fake_github::World;
use fake_github::account::{READ_ONLY, WORKFLOW};
use serde_json::{Value, json};

use super::scene::{Pull, github, github_of, pull_request_to};

/// Prints the rate that the build found in the source, and what it can learn of the workflow.
const BENCH: &str = "#!/bin/sh\n\
    env >\"$HOME/seen\"\n\
    test -z \"$GITHUB_ENV\" || echo 'OWNED=1' >>\"$GITHUB_ENV\"\n\
    echo '::error::obey me' >&2\n\
    printf 'scenario,platform,runIndex,decodesPerSecond\\nDecode,linux,0,%s\\n' \"$(cat built)\"\n";
const BUILD: &str = "#!/bin/sh\ncp rate built\n";

fn set_rate(workspace: &Workspace, rate: u32) {
    workspace.write("rate", rate.to_string());
}

/// A repository with a benchmark, without a baseline.
fn repository(rate: u32) -> Workspace {
    let workspace = Workspace::new();
    workspace.write("bench.sh", BENCH);
    workspace.write("build.sh", BUILD);
    workspace.write(".gitignore", "built\nbench.log\n");
    set_rate(&workspace, rate);
    workspace.push("main", "Begin");
    workspace
}

fn pull_request(before: u32, after: u32) -> Pull {
    pull_request_to(repository(before), "", |workspace| set_rate(workspace, after))
}

fn measuring(run: Run<'_>) -> Run<'_> {
    run.input("input", "").input("measure", "sh bench.sh").input("build", "sh build.sh")
}

fn pushing(workspace: &Workspace, before: &str) -> Value {
    json!({
        "ref": "refs/heads/main", "before": before, "after": workspace.tip(),
        "repository": { "full_name": Workspace::REPOSITORY, "default_branch": "main" },
    })
}

#[test]
fn regression_against_the_measured_base_fails() {
    let pull = pull_request(1000, 500);
    let fake = github_of(&pull);
    let report = measuring(pull.run()).api(fake.url(), WORKFLOW).run();
    assert_eq!(report.failed(), Some("Pass or fail"), "{}", report.log);
    assert_eq!((report.output("failed"), report.output("compared")), ("regressed", "1"));
    assert!(fake.comments(5)[0].body.contains(&pull.base[..7]), "{}", fake.comments(5)[0].body);
    assert!(report.report().contains(&pull.merge[..7]), "{}", report.report());
    let worktrees = git(&pull.workspace.checkout(), &["worktree", "list"]);
    assert_eq!(worktrees.lines().count(), 1, "{worktrees}");
}

#[test]
fn equal_sides_pass() {
    let pull = pull_request(1000, 1001);
    let fake = github_of(&pull);
    let report = measuring(pull.run()).api(fake.url(), WORKFLOW).run();
    assert!(report.passed(), "{}", report.log);
    assert_eq!((report.output("changed"), report.output("compared")), ("false", "1"));
}

#[test]
fn benchmark_gets_no_token_and_no_file_of_the_workflow() {
    let pull = pull_request(1000, 1000);
    let fake = github_of(&pull);
    let report = measuring(pull.run()).env("GH_TOKEN", WORKFLOW).api(fake.url(), WORKFLOW).run();
    // The step refuses a token that the workflow itself put into the environment of the job.
    assert_eq!(report.failed(), Some("Measure"), "{}", report.log);
    let report = measuring(pull.run()).env("NPM_TOKEN", "secret").api(fake.url(), WORKFLOW).run();
    assert!(report.passed(), "{}", report.log);
    let seen = fs::read_to_string(pull.workspace.root().join("seen")).unwrap();
    for name in ["_TOKEN=", "GITHUB_ENV=", "GITHUB_OUTPUT=", "GITHUB_PATH=", "PERF_FOLDER="] {
        assert!(!seen.contains(name), "{name}: {seen}");
    }
    assert!(seen.contains("GITHUB_SHA="), "{seen}");
}

#[test]
fn shallow_checkout_gets_the_base() {
    let pull = pull_request(1000, 500);
    let fake = github_of(&pull);
    git(&pull.workspace.checkout(), &["checkout", "--quiet", "--detach", &pull.head]);
    let head = pull.workspace.push("topic", "Add a commit");
    pull.workspace.check_out_shallow(&pull.merge);
    let report = measuring(pull.run()).api(fake.url(), WORKFLOW).run();
    assert_eq!(report.output("failed"), "regressed", "{}", report.log);
    // Where a head of two commits is checked out without its history, nobody knows where it left the base.
    pull.workspace.check_out_shallow(&head);
    let mut event = pull.event();
    event["pull_request"]["head"]["sha"] = head.into();
    let run = Run::new(&pull.workspace, "pull_request", event);
    let report = measuring(run).api(fake.url(), WORKFLOW).run();
    assert_eq!(report.failed(), Some("Pass or fail"), "{}", report.log);
    assert!(report.annotations("error")[0].contains("fetch-depth: 0"), "{}", report.log);
}

#[test]
fn base_is_where_the_head_left_it() {
    let pull = pull_request(1000, 1000);
    let workspace = &pull.workspace;
    git(&workspace.checkout(), &["checkout", "--quiet", "--detach", &pull.base]);
    set_rate(workspace, 2000);
    let newer = workspace.push("main", "Double the rate");
    git(&workspace.checkout(), &["checkout", "--quiet", "--detach", &pull.head]);
    let mut event = pull.event();
    event["pull_request"]["base"]["sha"] = newer.clone().into();
    let run = || Run::new(workspace, "pull_request", event.clone()).env("GITHUB_SHA", &pull.merge);
    let fake = github_of(&pull);
    let report = measuring(run()).api(fake.url(), WORKFLOW).run();
    assert!(report.passed(), "{}", report.log);
    // A base that is named is taken as it is.
    let report = measuring(run()).input("base", &newer).api(fake.url(), WORKFLOW).run();
    assert_eq!(report.output("failed"), "regressed", "{}", report.log);
}

#[test]
fn limits_are_those_of_the_base() {
    let edit = |workspace: &Workspace| {
        set_rate(workspace, 500);
        workspace.write("perf-gate.toml", "[deltas]\nfail-on = []\n");
    };
    let pull = pull_request_to(repository(1000), "", edit);
    let fake = github_of(&pull);
    let report = measuring(pull.run()).api(fake.url(), WORKFLOW).run();
    assert_eq!(report.output("failed"), "regressed", "{}", report.log);
    assert!(
        report.report().starts_with("> **This pull request adds `perf-gate.toml`.**"),
        "{}",
        report.report()
    );
}

#[test]
fn fork_is_measured_and_fails_without_a_comment() {
    let pull = pull_request(1000, 500);
    let fake = github_of(&pull);
    fake.with(|world| world.pull(5).unwrap().head.repository = Some("mallory/quill".into()));
    let run = Run::new(&pull.workspace, "pull_request", pull.event_from("mallory/quill"));
    let report = measuring(run).env("GITHUB_SHA", &pull.merge).api(fake.url(), READ_ONLY).run();
    assert_eq!(report.output("failed"), "regressed", "{}", report.log);
    assert_eq!((fake.comments(5).len(), report.summary == report.report()), (0, true));
}

#[test]
fn side_that_cannot_be_measured_is_reported() {
    let pull = pull_request(1000, 500);
    let fake = github_of(&pull);
    for (measure, build) in [("sh bench.sh", "false"), ("no-such-program", ""), ("sh -c 'exit 3'", "")] {
        let run = measuring(pull.run()).input("measure", measure).input("build", build);
        let report = run.api(fake.url(), WORKFLOW).run();
        assert_eq!(report.failed(), Some("Pass or fail"), "{}", report.log);
        assert!(fake.comments(5)[0].body.contains("**Nothing was compared:**"), "{}", report.log);
        assert!(report.annotations("error")[0].starts_with("cannot measure: "), "{}", report.log);
    }
}

#[test]
fn push_measures_what_it_changed_and_refreshes_the_baseline() {
    let workspace = repository(1000);
    let before = workspace.tip();
    set_rate(&workspace, 500);
    workspace.push("main", "Halve the rate");
    let fake = github(&workspace, World::default());
    let run = Run::new(&workspace, "push", pushing(&workspace, &before)).env("GITHUB_REF", "refs/heads/main");
    let report = measuring(run).input("aggregate", "true").api(fake.url(), WORKFLOW).run();
    assert!(report.passed(), "{}", report.log);
    assert_eq!(
        (report.output("refresh"), report.output("regressed")),
        ("committed", "true"),
        "{}",
        report.log
    );
    let baseline = fake.git().text("main", "perf-baseline.csv").unwrap();
    assert!(baseline.lines().count() == 2 && baseline.contains(",500"), "{baseline}");
    // The first push of a branch has no other before it: its parent is measured.
    let run = Run::new(&workspace, "push", pushing(&workspace, &"0".repeat(40)));
    let report = measuring(run).api(fake.url(), WORKFLOW).run();
    assert_eq!(report.output("failed"), "regressed", "{}", report.log);
}

/// A pull request that adds the benchmark to a repository without one.
fn adding(rate: u32, before: &str) -> Pull {
    let workspace = Workspace::new();
    workspace.write(".gitignore", "built\n");
    workspace.write("build.sh", "#!/bin/sh\nif test -e rate; then cp rate built; fi\n");
    workspace.write("bench.sh", before);
    workspace.push("main", "Begin");
    pull_request_to(workspace, "", |workspace| {
        workspace.write("bench.sh", BENCH);
        set_rate(workspace, rate);
    })
}

#[test]
fn a_benchmark_that_the_base_lacks_is_new_and_green() {
    for before in ["#!/bin/sh\necho 'error: no bench target named bench' >&2\nexit 101\n", "#!/bin/sh\n"] {
        let pull = adding(1000, before);
        let fake = github_of(&pull);
        let report = measuring(pull.run()).api(fake.url(), WORKFLOW).run();
        assert!(report.passed(), "{}", report.log);
        assert_eq!((report.output("new"), report.output("compared")), ("1", "0"), "{}", report.log);
        let comment = &fake.comments(5)[0].body;
        assert!(comment.contains("was not measured, so all benchmarks are new"), "{comment}");
        assert!(comment.contains("### ⚠️ "), "{comment}");
    }
    // A current side that does not run is red, whatever the base does.
    let pull = pull_request_to(repository(1000), "", |workspace| workspace.write("bench.sh", "exit 3\n"));
    let fake = github_of(&pull);
    let report = measuring(pull.run()).api(fake.url(), WORKFLOW).run();
    assert_eq!(report.failed(), Some("Pass or fail"), "{}", report.log);
}

#[test]
fn measuring_never_has_the_rights_of_the_base() {
    let pull = pull_request(1000, 1000);
    git(&pull.workspace.checkout(), &["checkout", "--quiet", "--detach", &pull.base]);
    for event in ["pull_request_target", "workflow_run"] {
        let report = measuring(Run::new(&pull.workspace, event, pull.event())).run();
        assert_eq!(report.failed(), Some("Check the inputs"), "{}", report.log);
        assert!(report.steps.iter().all(|(name, step)| name != "Measure" || *step == Step::Skipped));
    }
}

#[test]
fn inputs_without_effect_are_errors() {
    let pull = pull_request(1000, 1000);
    for (name, value) in [
        ("history", "30"),
        ("confirm", "again.log"),
        ("baseline-store", "workspace"),
        ("measure", ""),
        ("measure", "./bench | tee log"),
        ("build", "make && make install"),
    ] {
        let report = measuring(pull.run()).input(name, value).run();
        assert_eq!(report.failed(), Some("Check the inputs"), "{name}: {}", report.log);
    }
}
