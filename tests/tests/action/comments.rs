//! Comments: the parts around the report, and how an earlier comment is replaced.

use end_to_end::action::Workspace;
use fake_github::account::{Permission, WORKFLOW};
use serde_json::json;

use super::scene::{
    Pull, SAME, SLOWER, configure, github_of, pull_request, pull_request_to, repository_with,
};

/// A pull request to a repository with this config.
fn configured(config: &str, log: &str) -> Pull {
    pull_request_to(repository_with(config), log, |_| ())
}

#[test]
fn regression_mentions_people_from_the_base_config() {
    let config = "[comment]\nmention = [\"@octo/performance\", \"@ada\"]\n";
    let pull = configured(config, SLOWER);
    let fake = github_of(&pull);
    let report = pull.run().api(fake.url(), WORKFLOW).run();
    assert!(
        fake.comments(5)[0]
            .body
            .ends_with("\n\ncc @octo/performance @ada"),
        "{}",
        report.log
    );
    assert!(!report.summary.contains("cc @"), "{}", report.summary);
    pull.workspace.write("bench.log", SAME);
    pull.run().api(fake.url(), WORKFLOW).run();
    assert!(!fake.comments(5)[0].body.contains("cc @"));
    // A pull request cannot choose whom it mentions.
    let edit = |workspace: &Workspace| configure(workspace, config);
    let pull = pull_request(SLOWER, edit);
    let fake = github_of(&pull);
    pull.run().api(fake.url(), WORKFLOW).run();
    assert!(!fake.comments(5)[0].body.contains("cc @"));
}

#[test]
fn second_comment_shows_the_page_tables() {
    let pull = configured("[comment]\npage = true\n", SLOWER);
    let fake = github_of(&pull);
    for _ in 0..2 {
        let report = pull.run().api(fake.url(), WORKFLOW).run();
        assert_eq!(report.output("failed"), "regressed", "{}", report.log);
    }
    let comments = fake.comments(5);
    assert_eq!(comments.len(), 2);
    let page = &comments[1].body;
    assert!(
        page.starts_with("<!-- perf-gate key=perf-gate.page head="),
        "{page}"
    );
    assert!(
        page.contains("### ❌ perf-gate: 1 of 2 benchmarks regressed"),
        "{page}"
    );
    assert!(
        page.contains("| Decode_Small |            500/s")
            && page.contains(" · `1111111`…`2222222`"),
        "{page}"
    );
}

#[test]
fn matrix_jobs_report_in_one_comment() {
    for systems in [
        ["ubuntu-24.04", "windows-2025"],
        ["windows-2025", "ubuntu-24.04"],
    ] {
        let pull = pull_request(SAME, |_| ());
        let fake = github_of(&pull);
        let body = |system: &str| {
            pull.workspace.write(
                "bench.log",
                if system == "windows-2025" {
                    SLOWER
                } else {
                    SAME
                },
            );
            let run = pull.run().matrix(json!({ "os": system, "rust": 1.91 }), 2);
            let report = run.api(fake.url(), WORKFLOW).run();
            assert_eq!(report.passed(), system != "windows-2025", "{}", report.log);
            let comments = fake.comments(5);
            assert_eq!(comments.len(), 1, "{comments:?}");
            comments[0].body.clone()
        };
        assert!(body(systems[0]).contains(" · still to report: 1\n"));
        let all = body(systems[1]);
        assert!(
            all.contains("\n### ❌ 1 of 2 jobs failed: `perf (windows-2025, 1.91)`\n"),
            "{all}"
        );
        assert!(
            all.contains("<details><summary><code>perf (ubuntu-24.04, 1.91)</code></summary>"),
            "{all}"
        );
        assert!(
            all.contains("\n### ❌ perf-gate: 1 of 2 benchmarks regressed")
                && all.contains("\n### ✅ "),
            "{all}"
        );
    }
}

#[test]
fn matrix_job_finds_other_jobs_reports_in_their_check_runs() {
    let pull = pull_request(SLOWER, |_| ());
    let fake = github_of(&pull);
    fake.with(|world| {
        world
            .tokens
            .get_mut(WORKFLOW)
            .unwrap()
            .writes
            .push(Permission::Checks);
    });
    let report = |system: &str| {
        let run = pull.run().matrix(json!({ "os": system }), 2);
        run.api(fake.url(), WORKFLOW).run()
    };
    report("windows-2025");
    // A concurrent write has removed the comment.
    fake.with(|world| world.comments.clear());
    pull.workspace.write("bench.log", SAME);
    report("ubuntu-24.04");
    let all = &fake.comments(5)[0].body;
    assert!(
        all.contains("\n### ❌ 1 of 2 jobs failed: `perf (windows-2025)`\n"),
        "{all}"
    );
    let checks = fake.with(|world| world.checks.clone());
    let shown = |check: &serde_json::Value| {
        ["name", "conclusion"]
            .map(|key| check[key].as_str().unwrap_or_default().to_owned())
            .join(": ")
    };
    let shown: Vec<String> = checks.iter().map(shown).collect();
    assert_eq!(
        shown,
        [
            "perf-gate (windows-2025): failure",
            "perf-gate (ubuntu-24.04): success"
        ]
    );
    assert_eq!(
        (&checks[0]["head_sha"], &checks[0]["output"]["title"]),
        (&json!(pull.head), &json!("1 of 2 benchmarks regressed"))
    );
}
