//! Pull requests: the compared commits, notifications, and failing jobs.

use end_to_end::action::{ActionReport, ActionRun, Workspace, git};
use fake_github::Fake;
use fake_github::account::{READ_ONLY, WORKFLOW};
use insta::assert_snapshot;
use serde_json::json;

use super::scene::{
    BASELINE, Pull, SAME, SLOWER, configure, empty, github_of, pull_request, pull_request_to,
    repository_with,
};

/// The comment without its marker, which contains commits.
fn comment(fake: &Fake) -> String {
    let comments = fake.comments(5);
    let [comment] = &comments[..] else {
        panic!("{comments:?}")
    };
    assert_eq!(comment.author, "github-actions[bot]");
    let (marker, body) = comment.body.split_once('\n').unwrap();
    assert!(
        marker.starts_with("<!-- perf-gate key=perf-gate head="),
        "{marker}"
    );
    body.trim_start().to_owned()
}

#[test]
fn regression_is_reported_before_the_job_fails() {
    let pull = pull_request(SLOWER, |_| ());
    let fake = github_of(&pull);
    let report = pull.run().api(fake.url(), WORKFLOW).run();
    assert_eq!(
        fake.story(),
        "POST /repos/octo/quill/issues/5/comments 201\n"
    );
    let steps: Vec<String> = report
        .steps
        .iter()
        .map(|(name, step)| format!("{name}: {step:?}"))
        .collect();
    assert_snapshot!(steps.join("\n"), @"
    Check the container: Ran(0)
    Get perf-gate: Ran(0)
    Restore an earlier build: Skipped
    Build perf-gate: Skipped
    Keep the build: Skipped
    Plan: Ran(0)
    Measure: Ran(0)
    Publish: Ran(2)
    ");
    assert_eq!(
        report.output("comment-url"),
        "https://github.com/octo/quill/pull/5#issuecomment-1000001"
    );
    let comment = comment(&fake);
    let shown: Vec<&str> = comment
        .lines()
        .skip_while(|line| line.starts_with("<!-- perf-gate-"))
        .collect();
    assert_eq!(shown.join("\n"), report.report().trim_end());
    assert_snapshot!(report.annotations("error").join("\n"), @"
    decodesPerSecond: 1,000 → 500/s (−50% slower than the baseline); limit −33%
    1 of 2 benchmarks regressed
    hint: the report: https://github.com/octo/quill/pull/5#issuecomment-1000001
    ");
    assert_snapshot!(report.report().replace(&pull.base, "BASE").replace(&pull.base[..7], "BASE").replace(&pull.head[..7], "HEAD"), @"
    ### ❌ perf-gate: 1 of 2 benchmarks regressed

    `BASE`…`HEAD` · `1111111`…`2222222`

    | Change | Benchmark | Base | Head |
    | --- | --- | --: | --: |
    | ❌ −50% slower | **`Decode_Small`** | 1,000/s | 500/s |

    Intended? [Accept it](https://github.com/perf-gate/perf-gate/blob/main/docs/how-to/accept-a-slowdown.md).

    <details><summary>How it was decided, and next steps</summary>

    - **`Decode_Small`**, decodesPerSecond: regressed: 1,000 → 500/s (−50% slower than the baseline); limit −33%. Rule: fixed limit.

    To reproduce from the output of this run:

    ```sh
    perf-gate compare --input bench.log --baseline-git BASE:perf-baseline.csv --explain Decode_Small
    ```

    Investigate locally:

    ```sh
    perf-gate why Decode_Small --base 1111111 -- COMMAND
    perf-gate bisect 1111111.. Decode_Small -- COMMAND
    ```

    </details>

    <details><summary>1 within limits</summary>

    | Change | Benchmark | Base | Head |
    | --: | --- | --: | --: |
    | ~ | `Decode_Big` | 10/s | 10/s |

    </details>

    <sub>limit: 33% worse than the baseline · minimum detectable slowdown: 33%</sub>
    ");
}

#[test]
fn every_report_links_its_commits_and_its_run() {
    for log in [SLOWER, "no rows\n"] {
        let pull = pull_request(log, |_| ());
        let fake = github_of(&pull);
        pull.run()
            .env("GITHUB_SERVER_URL", "https://github.com")
            .api(fake.url(), WORKFLOW)
            .run();
        let comment = comment(&fake);
        let sides = comment
            .lines()
            .find(|line| line.contains("/commit/"))
            .unwrap();
        let link = |commit: &str| {
            format!(
                "[`{}`](https://github.com/octo/quill/commit/{commit})",
                &commit[..7]
            )
        };
        let both = format!("{}…{}", link(&pull.base), link(&pull.head));
        assert!(sides.contains(&both), "{sides}");
        assert!(
            sides.contains("](https://github.com/octo/quill/actions/runs/7001"),
            "{sides}"
        );
    }
}

#[test]
fn unchanged_results_pass_and_are_reported_once() {
    let pull = pull_request(SAME, |_| ());
    let fake = github_of(&pull);
    for _ in 0..2 {
        let report = pull.run().api(fake.url(), WORKFLOW).run();
        assert!(report.passed(), "{}", report.log);
    }
    assert_eq!(
        fake.story(),
        "POST /repos/octo/quill/issues/5/comments 201\n"
    );
    // If there is nothing to report, the earlier comment is deleted.
    let report = pull
        .run()
        .input("comment", "regressed")
        .api(fake.url(), WORKFLOW)
        .run();
    assert!(
        report.passed() && fake.comments(5).is_empty(),
        "{}",
        report.log
    );
}

#[test]
fn pull_request_cannot_approve_itself() {
    let config = "[deltas]\nlimit = 0.9\n";
    let pull = pull_request(SLOWER, |workspace| {
        workspace.write(
            "perf-baseline.csv",
            SLOWER
                .lines()
                .skip(1)
                .take(3)
                .collect::<Vec<_>>()
                .join("\n")
                + "\n",
        );
        configure(workspace, config);
    });
    let fake = github_of(&pull);
    let report = pull.run().api(fake.url(), WORKFLOW).run();
    assert_eq!(report.failed(), Some("Publish"), "{}", report.log);
    let comment = comment(&fake);
    let (said, report) = comment.split_once("\n### ").unwrap();
    let said = said
        .lines()
        .filter(|line| !line.starts_with("<!--"))
        .collect::<Vec<_>>()
        .join("\n");
    assert_snapshot!(said.replace(&pull.base, "BASE").replace(&pull.base[..7], "BASE").replace(&pull.head[..7], "HEAD"), @"
    > **This pull request changes `perf-baseline.csv`.** The base commit's version is used (`BASE`).
    >
    > **This pull request changes `perf-gate.toml`.** The base commit's version is used (`BASE`).
    ");
    assert!(report.starts_with('❌'), "{report}");
    // The workflow can explicitly choose otherwise.
    let own = pull.workspace.checkout().join("perf-baseline.csv");
    let report = pull
        .run()
        .input("baseline", &own.to_string_lossy())
        .api(fake.url(), WORKFLOW)
        .run();
    assert!(report.passed(), "{}", report.log);
}

#[test]
fn first_baseline_is_green_and_noted() {
    let workspace = empty();
    workspace.push("main", "Begin");
    let pull = pull_request_to(workspace, SLOWER, |workspace| {
        workspace.write("perf-baseline.csv", BASELINE);
    });
    let fake = github_of(&pull);
    let report = pull.run().api(fake.url(), WORKFLOW).run();
    assert!(report.passed(), "{}", report.log);
    assert_snapshot!(comment(&fake).replace(&pull.base, "BASE").replace(&pull.base[..7], "BASE").replace(&pull.head[..7], "HEAD"), @"
    > **This pull request adds `perf-baseline.csv`.** It takes effect after the merge, because the base commit `BASE` does not contain it.

    ### ⚠️ perf-gate: nothing was compared: perf-baseline.csv does not exist yet

    `BASE`…`HEAD`

    | Benchmark | Metric | Head |
    | --- | --- | --: |
    | `Decode_Small` | decodesPerSecond | 500/s |
    | `Decode_Big` | decodesPerSecond | 10/s |

    > To compare the next run: `perf-gate baseline --input bench.log --output perf-baseline.csv`
    ");
}

#[test]
fn fork_is_reported_in_the_summary_and_can_fail() {
    let pull = pull_request(SLOWER, |_| ());
    let fake = github_of(&pull);
    fake.with(|world| {
        let there = world.pull(5).unwrap();
        there.head.repository = Some("mallory/quill".into());
    });
    let event = pull.event_from("mallory/quill");
    let run = ActionRun::new(&pull.workspace, "pull_request", event).input("results", "bench.log");
    let report = run
        .env("GITHUB_SHA", &pull.merge)
        .api(fake.url(), READ_ONLY)
        .run();
    assert_eq!(report.failed(), Some("Publish"), "{}", report.log);
    assert_eq!(
        (fake.comments(5).len(), report.summary == report.report()),
        (0, true)
    );
    assert_snapshot!(report.annotations("notice").join("\n"), @"no comment `perf-gate`: read-only token, because #5 is from a fork or Dependabot; the report is in the job summary");
}

#[test]
fn base_is_fetched_for_a_checkout_without_history() {
    let pull = pull_request(SLOWER, |_| ());
    let fake = github_of(&pull);
    for (checked_out, sha) in [(&pull.merge, &pull.merge), (&pull.head, &pull.merge)] {
        pull.workspace.check_out_shallow(checked_out);
        pull.workspace.write("bench.log", SLOWER);
        let report = pull
            .run()
            .env("GITHUB_SHA", sha)
            .api(fake.url(), WORKFLOW)
            .run();
        assert_eq!(report.output("regressed"), "true", "{}", report.log);
        // The checkout remains shallow and on the same commit.
        assert_eq!(pull.workspace.tip(), *checked_out);
    }
    let report = pull
        .run()
        .env("GITHUB_SERVER_URL", "file:///no/such/server")
        .api(fake.url(), WORKFLOW);
    pull.workspace.check_out_shallow(&pull.head);
    pull.workspace.write("bench.log", SLOWER);
    let report = report.run();
    assert_eq!(report.failed(), Some("Publish"), "{}", report.log);
    assert!(
        comment(&fake).starts_with("### ❌ perf-gate: nothing was compared: the benchmark"),
        "{}",
        comment(&fake)
    );
    assert_snapshot!(report.annotations("error")[0].replace(&pull.base, "BASE"), @"
    cannot read the commit `BASE` from the checkout
    hint: set `fetch-depth: 0` for `actions/checkout`, or give the action a `token` that may read the repository
    ");
}

#[test]
fn head_is_rejected_if_it_would_have_the_permissions_of_the_base() {
    // Git could mistake this file for the commit.
    let pull = pull_request(SAME, |workspace| workspace.write("HEAD", "text"));
    let run = |sha: &str| {
        git(
            &pull.workspace.checkout(),
            &["checkout", "--quiet", "--detach", sha],
        );
        let run = ActionRun::new(&pull.workspace, "pull_request_target", pull.event())
            .input("results", "bench.log");
        run.env("GITHUB_SHA", &pull.base).run()
    };
    for sha in [&pull.head, &pull.merge] {
        let report = run(sha);
        assert_eq!(report.failed(), Some("Plan"), "{}", report.log);
        assert!(
            report.annotations("error")[0].contains("is checked out"),
            "{}",
            report.log
        );
    }
    assert!(run(&pull.base).output("compared") == "2");
    // A workflow started by `workflow_run` also has these permissions.
    git(
        &pull.workspace.checkout(),
        &["checkout", "--quiet", "--detach", &pull.head],
    );
    let event = json!({
        "workflow_run": { "event": "pull_request", "head_sha": pull.head },
        "repository": { "default_branch": "main" },
    });
    let report = ActionRun::new(&pull.workspace, "workflow_run", event)
        .input("results", "bench.log")
        .run();
    assert_eq!(report.failed(), Some("Plan"), "{}", report.log);
    assert!(
        report.annotations("error")[0].contains("is checked out"),
        "{}",
        report.log
    );
}

/// The second of two workflows: it checks out the main branch and downloads rows that were measured at a fork's
/// commit.
fn second_stage(pull: &Pull, measured: &str, repository: Option<&str>) -> (ActionReport, Fake) {
    let fake = github_of(pull);
    fake.with(|world| {
        *world.pull(5).unwrap() = fake_github::Pull::new(5)
            .at(&pull.head)
            .fork("mallory/quill");
    });
    git(
        &pull.workspace.checkout(),
        &["checkout", "--quiet", "--detach", &pull.base],
    );
    let event = json!({
        "workflow_run": {
            "id": 1, "event": "pull_request", "head_sha": measured, "head_branch": "topic", "conclusion": "success",
            "head_repository": repository.map(|name| json!({ "full_name": name })), "pull_requests": [],
        },
        "repository": { "full_name": Workspace::REPOSITORY, "default_branch": "main" },
    });
    let run = ActionRun::new(&pull.workspace, "workflow_run", event).input("results", "bench.log");
    let run = run
        .input("pull-request", "5")
        .env("GITHUB_SHA", &pull.base)
        .api(fake.url(), WORKFLOW);
    (run.run(), fake)
}

#[test]
fn head_rows_that_claim_another_machine_type_are_not_green() {
    let of_class = |log: &str, class: &str| {
        log.replace("runIndex,", "runIndex,machineClass,")
            .replace(",-1,", &format!(",-1,{class},"))
    };
    let pull = |config: &str| {
        let workspace = repository_with(config);
        workspace.write(
            "perf-baseline.csv",
            of_class(BASELINE, "linux-x86_64-aaaaaaaa"),
        );
        workspace.push("main", "Tell the machine");
        pull_request_to(workspace, &of_class(SLOWER, "linux-x86_64-forged"), |_| ())
    };
    let pull_request = pull("");
    let (report, fake) = second_stage(&pull_request, &pull_request.head, Some("mallory/quill"));
    assert_eq!(
        (report.failed(), report.output("failed")),
        (Some("Publish"), "nothing-compared")
    );
    let status = |fake: &Fake| {
        let statuses = fake.with(|world| world.statuses.clone());
        (statuses[0].state.clone(), statuses[0].description.clone())
    };
    let nothing = "nothing was compared: this run was measured on linux-x86_64-forged, the baseline on linux-x86_64-aaaaaaaa".to_owned();
    assert_eq!(status(&fake), ("failure".to_owned(), nothing.clone()));
    assert!(
        fake.comments(5)[0]
            .body
            .contains("### ❌ perf-gate: nothing was compared"),
        "{:?}",
        fake.comments(5)
    );
    // The status also shows it; without a status, it is a warning.
    let with_status = pull("[comment]\nstatus = true\n");
    let fake = github_of(&with_status);
    let report = with_status.run().api(fake.url(), WORKFLOW).run();
    assert_eq!(
        (report.passed(), status(&fake)),
        (false, ("failure".to_owned(), nothing)),
        "{}",
        report.log
    );
    let fake = github_of(&pull_request);
    git(
        &pull_request.workspace.checkout(),
        &["checkout", "--quiet", "--detach", &pull_request.merge],
    );
    let report = pull_request.run().api(fake.url(), WORKFLOW).run();
    assert!(
        report.passed() && report.annotations("warning").len() == 1,
        "{}",
        report.log
    );
    let strict = pull_request
        .run()
        .input("fail-on", "regressed,not-comparable");
    assert_eq!(strict.run().output("failed"), "not-comparable");
}

#[test]
fn trusted_stage_comments_on_the_measured_commit() {
    let pull = pull_request(SLOWER, |workspace| {
        workspace.write("perf-baseline.csv", SLOWER);
    });
    let (report, fake) = second_stage(&pull, &pull.head, Some("mallory/quill"));
    assert_eq!(report.failed(), Some("Publish"), "{}", report.log);
    assert_eq!(fake.comments(5).len(), 1, "{}", report.log);
    // Nothing else on the pull request shows the verdict.
    let statuses = fake.with(|world| world.statuses.clone());
    let [status] = &statuses[..] else {
        panic!("{statuses:?}")
    };
    assert_eq!(
        (&status.sha, &*status.state, &*status.context),
        (&pull.head, "failure", "perf-gate")
    );
    // Changes to the baseline are detected without checking out the pull request.
    assert!(
        report.report().contains("changes `perf-baseline.csv`"),
        "{}",
        report.report()
    );
}

#[test]
fn trusted_stage_reports_nothing_about_another_commit_or_repository() {
    let pull = pull_request(SLOWER, |_| ());
    for (measured, repository) in [
        (&pull.merge, Some("mallory/quill")),
        (&pull.head, Some("eve/quill")),
        (&pull.head, Some(Workspace::REPOSITORY)),
        // The fork was deleted.
        (&pull.head, None),
    ] {
        let (report, fake) = second_stage(&pull, measured, repository);
        assert!(report.passed(), "{}", report.log);
        let [notice] = report.annotations("notice")[..] else {
            panic!("{}", report.log)
        };
        assert!(notice.starts_with("nothing is reported: "), "{notice}");
        assert_eq!(
            (
                fake.writes().len(),
                &*report.summary,
                report.output("compared")
            ),
            (0, "", "")
        );
    }
}

#[test]
fn config_enables_the_status() {
    for (config, states) in [("", 0), ("[comment]\nstatus = true\n", 1)] {
        let pull = pull_request_to(repository_with(config), SAME, |_| ());
        let fake = github_of(&pull);
        pull.run().api(fake.url(), WORKFLOW).run();
        assert_eq!(fake.with(|world| world.statuses.len()), states, "{config}");
    }
    let pull = pull_request_to(repository_with("[comment]\nstatus = false\n"), SAME, |_| ());
    let (report, fake) = second_stage(&pull, &pull.head, Some("mallory/quill"));
    assert!(report.passed(), "{}", report.log);
    assert_eq!(
        (
            fake.with(|world| world.statuses.len()),
            fake.comments(5).len()
        ),
        (0, 1)
    );
}

#[test]
fn pull_request_in_the_inputs_is_compared_with_its_own_base() {
    let pull = pull_request(SLOWER, |workspace| {
        workspace.write("perf-baseline.csv", SLOWER);
    });
    let fake = github_of(&pull);
    git(
        &pull.workspace.checkout(),
        &["checkout", "--quiet", "--detach", &pull.head],
    );
    let event = json!({ "repository": { "default_branch": "main" } });
    let run = |number: &str| {
        let run = ActionRun::new(&pull.workspace, "workflow_dispatch", event.clone())
            .input("results", "bench.log");
        run.input("pull-request", number)
            .env("GITHUB_REF", "refs/heads/topic")
            .api(fake.url(), WORKFLOW)
            .run()
    };
    let report = run("5");
    assert_eq!(report.output("failed"), "regressed", "{}", report.log);
    assert!(
        comment(&fake).contains("changes `perf-baseline.csv`"),
        "{}",
        comment(&fake)
    );
    let unknown = run("6");
    assert_eq!(unknown.failed(), Some("Plan"), "{}", unknown.log);
}

#[test]
fn api_errors_do_not_hide_the_verdict() {
    let pull = pull_request_to(
        repository_with("[comment]\nstatus = true\n"),
        SLOWER,
        |_| (),
    );
    let fake = github_of(&pull);
    let report = pull.run().api(fake.url(), READ_ONLY).run();
    assert_eq!(report.failed(), Some("Publish"), "{}", report.log);
    assert_snapshot!(report.annotations("error").join("\n"), @"
    decodesPerSecond: 1,000 → 500/s (−50% slower than the baseline); limit −33%
    1 of 2 benchmarks regressed
    hint: the report is in the job summary
    ");
    assert_snapshot!(report.annotations("warning").join("\n"), @"
    cannot deliver the report: cannot comment on #5: GitHub answers 403: Resource not accessible by integration
    hint: the token needs `pull-requests: write`: in a workflow, add it to `permissions:`
    hint: runs from forks and by Dependabot may not write
    the pull request does not show the verdict: cannot set the status of the commit: GitHub answers 403: Resource not accessible by integration
    hint: the token needs `statuses: write`: in a workflow, add it to `permissions:`
    hint: runs from forks and by Dependabot may not write
    ");
    assert_eq!(report.summary, report.report());
    pull.workspace.write("bench.log", SAME);
    let report = pull.run().api(fake.url(), READ_ONLY).run();
    assert!(
        report.passed() && report.annotations("warning").len() == 2,
        "{}",
        report.log
    );
}
