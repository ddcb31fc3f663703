//! Attempts to bypass the gate that must fail.

use std::fs;

use end_to_end::action::{ActionRun, git};
use fake_github::account::WORKFLOW;
use fake_github::{Fake, World};
use serde_json::json;

use super::scene::{
    SAME, SLOWER, github, github_of, measured, pull_request, pull_request_to, repository_with,
};

/// The statuses that a fake GitHub received, as pairs of context and state.
fn statuses(fake: &Fake) -> Vec<(String, String)> {
    let statuses = fake.with(|world| world.statuses.clone());
    statuses
        .into_iter()
        .map(|status| (status.context, status.state))
        .collect()
}

fn status(context: &str, state: &str) -> (String, String) {
    (context.to_owned(), state.to_owned())
}

#[test]
fn fail_on_none_passes_the_job_and_fails_the_status() {
    let workspace = repository_with("[comment]\nstatus = true\n");
    let pull = pull_request_to(workspace, SLOWER, |_| ());
    let fake = github_of(&pull);
    let run = pull.run().input("fail-on", "none");
    let report = run.api(fake.url(), WORKFLOW).run();
    assert!(report.passed(), "{}", report.log);
    assert_eq!(statuses(&fake), [status("perf-gate", "failure")]);
    // A comment may accept the slowdown; it needs the benchmarks' names from the report.
    let comment = &fake.comments(5)[0].body;
    assert!(comment.contains("<!-- perf-gate-regressed"), "{comment}");
}

#[test]
fn typo_in_the_head_config_fails_its_own_pull_request() {
    let pull = pull_request(SAME, |workspace| {
        workspace.write("perf-gate.toml", "[files]\nmachine-spec = false\n");
    });
    let fake = github_of(&pull);
    let report = pull.run().api(fake.url(), WORKFLOW).run();
    assert_eq!(report.failed(), Some("Publish"), "{}", report.log);
    let error = report.annotations("error")[0];
    assert!(
        error.starts_with("perf-gate.toml:2:1: unknown key `machine-spec`"),
        "{error}"
    );
}

#[test]
fn second_pull_request_to_another_branch_does_not_turn_a_status_green() {
    let workspace = repository_with("[comment]\nstatus = true\n");
    let pull = pull_request_to(workspace, SLOWER, |_| ());
    let fake = github_of(&pull);
    pull.run().api(fake.url(), WORKFLOW).run();
    let mut event = pull.event();
    event["pull_request"]["base"]["ref"] = json!("without-baseline");
    event["pull_request"]["base"]["sha"] = json!(pull.head);
    let run = ActionRun::new(&pull.workspace, "pull_request", event)
        .input("results", "bench.log")
        .env("GITHUB_SHA", &pull.merge);
    run.api(fake.url(), WORKFLOW).run();
    let statuses = statuses(&fake);
    assert_eq!(statuses[0], status("perf-gate", "failure"));
    assert_eq!(statuses[1].0, "perf-gate into without-baseline");
}

/// The benchmark leaves a process in its own session, which looks for the token and rewrites the plan.
#[cfg(target_os = "linux")]
#[test]
fn process_left_by_the_benchmark_cannot_get_the_token_or_rewrite_the_plan() {
    let thief = "#!/bin/sh\nprintf 'scenario,platform,runIndex,decodesPerSecond\\nDecode,linux,0,1000\\n'\n\
        setsid sh -c 'while :; do for plan in \"$0\"/_temp/perf-gate.*/plan.json; do echo {} >\"$plan\"; done; \
        echo $$ >\"$0/pid\"; grep -l GITHUB_TOKEN=ghs_unique /proc/[0-9]*/environ; sleep 0.05; \
        done >>\"$0/stolen\" 2>/dev/null' \"$HOME\" >/dev/null 2>&1 &\n\
        while ! test -s \"$HOME/pid\"; do :; done\n";
    let workspace = super::scene::empty();
    workspace.write("bench.sh", thief);
    workspace.write(
        "perf-baseline.csv",
        "scenario,platform,commit,runIndex,decodesPerSecond\nDecode,linux,1,-1,1000\n",
    );
    workspace.push("main", "Begin");
    let pull = pull_request_to(workspace, "", |_| ());
    let fake = github_of(&pull);
    let run = pull
        .run()
        .input("results", "")
        .input("run", "sh bench.sh")
        .input("baseline", "perf-baseline.csv");
    let report = run.api(fake.url(), "ghs_unique").run();
    let root = pull.workspace.root();
    let pid = fs::read_to_string(root.join("pid")).unwrap();
    assert!(
        !root.join(format!("/proc/{}", pid.trim())).exists(),
        "{}",
        report.log
    );
    assert_eq!(
        fs::read_to_string(root.join("stolen")).unwrap(),
        "",
        "{}",
        report.log
    );
    // If it changed the plan in the meantime, that is an error, not a verdict.
    let failed = report.failed();
    assert!(failed.is_some() && !report.passed(), "{}", report.log);
    assert!(
        report.log.contains("was changed after the action wrote it"),
        "{}",
        report.log
    );
}

#[test]
fn trial_merge_of_a_later_push_is_rejected_with_the_permissions_of_the_base() {
    let pull = pull_request(SAME, |_| ());
    pull.workspace.write("src/lib.rs", "// three\n");
    let later = pull.workspace.push("topic", "Improve again");
    let merge = pull.workspace.check_out_merge(&pull.base, &later);
    git(
        &pull.workspace.checkout(),
        &["checkout", "--quiet", "--detach", &merge],
    );
    let run = ActionRun::new(&pull.workspace, "pull_request_target", pull.event())
        .input("results", "bench.log")
        .env("GITHUB_SHA", &pull.base);
    let report = run.run();
    assert_eq!(report.failed(), Some("Plan"), "{}", report.log);
    let error = report.annotations("error")[0];
    assert!(
        error.contains("another commit than the base is checked out"),
        "{error}"
    );
}

#[cfg(unix)]
#[test]
fn refresh_does_not_write_through_links() {
    let workspace = measured(SLOWER);
    workspace.write(
        "elsewhere.csv",
        "scenario,platform,commit,runIndex,decodesPerSecond\n",
    );
    fs::remove_file(workspace.checkout().join("perf-baseline.csv")).unwrap();
    std::os::unix::fs::symlink(
        "elsewhere.csv",
        workspace.checkout().join("perf-baseline.csv"),
    )
    .unwrap();
    workspace.write(".gitignore", "bench.log\n");
    workspace.push("main", "Link");
    let fake = github(&workspace, World::default());
    let event = json!({
        "ref": "refs/heads/main", "before": "0".repeat(40), "after": workspace.tip(),
        "repository": { "full_name": "octo/quill", "default_branch": "main" },
    });
    let run = ActionRun::new(&workspace, "push", event)
        .input("results", "bench.log")
        .env("GITHUB_REF", "refs/heads/main");
    let report = run.api(fake.url(), WORKFLOW).run();
    assert!(!report.passed(), "{}", report.log);
    assert!(
        report
            .log
            .contains("is a link, and a refresh does not write through links"),
        "{}",
        report.log
    );
    let target = workspace.text("elsewhere.csv");
    assert_eq!(target.lines().count(), 1, "{target}");
}

#[test]
fn complete_fails_if_github_is_unreachable() {
    let pull = pull_request(SAME, |_| ());
    let fake = github_of(&pull);
    fake.when("GET */comments*").always().answer(500, "Down");
    let report = pull
        .run()
        .input("results", "")
        .input(
            "complete",
            &json!({ "perf": { "result": "success" } }).to_string(),
        )
        .api(fake.url(), WORKFLOW)
        .run();
    assert!(!report.passed(), "{}", report.log);
    let error = report.annotations("error")[0];
    assert!(error.starts_with("cannot complete the comment"), "{error}");
}

#[test]
fn unreadable_config_fails_the_status_and_keeps_annotate() {
    let workspace = repository_with(
        "[comment]\nstatus = true\nannotate = \"none\"\n\n[deltas]\nlimit = \"x\"\n",
    );
    let pull = pull_request_to(workspace, SLOWER, |_| ());
    let fake = github_of(&pull);
    let report = pull.run().api(fake.url(), WORKFLOW).run();
    assert!(!report.passed(), "{}", report.log);
    assert_eq!(statuses(&fake), [status("perf-gate", "error")]);
}
