//! Protected branches.

use fake_github::account::{ACTIONS, APP};
use fake_github::world::{Pull, PullState};
use insta::assert_snapshot;
use serde_json::json;

use crate::setting::{CSV, PAGE, Setting};

const COMMIT: &str = "GRAPHQL createCommitOnBranch";

fn protected() -> Setting {
    let setting = Setting::new();
    setting.world(|world| world.protected.push("main".into()));
    setting.render("page 2\n", "csv 2\n");
    setting
}

/// The only open pull request.
fn open(setting: &Setting) -> Pull {
    let open: Vec<Pull> = setting
        .pulls()
        .into_iter()
        .filter(|pull| pull.state == PullState::Open)
        .collect();
    assert_eq!(open.len(), 1, "{open:?}");
    open.into_iter().next().unwrap()
}

#[test]
fn protected_branch_gets_pull_request_with_auto_merge() {
    let setting = protected();
    let run = setting.publish(&[]);
    assert_snapshot!(run, @"
    exit 0
    ::notice title=Performance numbers::`main` does not accept the commit, so the numbers are in pull request https://github.com/octo/quill/pull/1: auto-merge is enabled
    refresh=pull-request
    commit=[sha]
    commit-url=https://github.com/octo/quill/commit/[sha]
    pull-request=https://github.com/octo/quill/pull/1
    --- stderr
    note: `main` does not accept the commit, so the numbers are in pull request https://github.com/octo/quill/pull/1: auto-merge is enabled
    ");
    let pull = open(&setting);
    assert_snapshot!(setting.redacted(&format!("{}\n\n{}\n\n{} → {}", pull.title, pull.body, pull.head.branch, pull.base.branch)), @"
    Refresh performance numbers

    These numbers come as a pull request because the branch accepts no commits from the workflow that measured them.

    Perf-Measured: [measured]
    Perf-Run: 12.1
    Perf-Job: [drawn]

    perf-refresh/main-78436ea1-[short]-[drawn] → main
    ");
    assert_eq!(
        pull.auto_merge.as_deref().map(str::to_lowercase).as_deref(),
        Some("squash")
    );
    assert_eq!(
        setting.git().parents(&pull.head.branch),
        [setting.measured()]
    );
    assert_eq!(
        setting.git().text(&pull.head.branch, CSV).unwrap(),
        "csv 2\n"
    );
    assert_eq!(setting.git().head("main").unwrap(), setting.measured());
}

#[test]
fn later_refresh_updates_pull_request() {
    let setting = protected();
    assert_eq!(setting.publish(&[]).code, 0);
    let earlier = open(&setting);
    setting.render("page 3\n", "csv 3\n");
    let run = setting.set("GITHUB_RUN_ID", "13").publish(&[]);
    assert!(
        run.stdout
            .contains("so the numbers are in pull request https://github.com/octo/quill/pull/1"),
        "{run}"
    );
    let later = open(&setting);
    assert_eq!(
        (later.number, &later.head.branch),
        (earlier.number, &earlier.head.branch)
    );
    assert!(
        later.body.contains("Perf-Run: 13.1") && later.auto_merge.is_some(),
        "{later:?}"
    );
    assert_eq!(
        setting.git().text(&later.head.branch, CSV).unwrap(),
        "csv 3\n"
    );
    assert_eq!(
        setting.git().parents(&later.head.branch),
        [setting.measured()]
    );
    assert_eq!(setting.git().branches().len(), 2);
}

#[test]
fn commits_of_a_reviewer_are_never_lost() {
    for is_protected in [true, false] {
        let setting = protected();
        assert_eq!(setting.publish(&[]).code, 0);
        let earlier = open(&setting);
        let branch = &earlier.head.branch;
        let note = setting
            .git()
            .push(branch, &[("note.md", "wait\n")], "Add a note");
        if !is_protected {
            setting.world(|world| world.protected.clear());
        }
        setting.render("page 3\n", "csv 3\n");
        let run = setting.set("GITHUB_RUN_ID", "13").publish(&[]);
        assert_eq!(run.code, 0, "{run}");
        let kept = format!(
            "warning: pull request #1 was closed, but its branch `{branch}` was kept because it contains other commits\n"
        );
        assert!(
            setting
                .redacted(&kept)
                .lines()
                .all(|line| run.stderr.contains(line)),
            "{run}"
        );
        assert_eq!(setting.git().head(branch), note.ok());
        assert_eq!(setting.pulls()[0].state, PullState::Closed);
        if is_protected {
            assert_ne!(open(&setting).head.branch, *branch);
        }
    }
}

#[test]
fn merges_of_the_base_branch_are_not_a_reviewers_commits() {
    let setting = protected();
    assert_eq!(setting.publish(&[]).code, 0);
    let earlier = open(&setting);
    let branch = &earlier.head.branch;
    let note = [("note.md", "read me\n")];
    setting.git().push("main", &note, "Add a note").unwrap();
    setting.git().update_branch(branch, "main").unwrap();
    // GitHub does not always update this.
    setting.world(|world| world.pulls[0].base.sha = Some(setting.measured()));
    setting.render("page 3\n", "csv 3\n");
    let run = setting.set("GITHUB_RUN_ID", "13").publish(&[]);
    assert_eq!(run.code, 0, "{run}");
    assert_eq!(open(&setting).head.branch, *branch);
    assert_eq!(setting.git().text(branch, CSV).unwrap(), "csv 3\n");
}

#[test]
fn pull_request_with_protected_head_is_replaced() {
    let setting = protected();
    assert_eq!(setting.publish(&[]).code, 0);
    let earlier = open(&setting);
    setting.world(|world| world.protected.push(earlier.head.branch.clone()));
    setting.render("page 3\n", "csv 3\n");
    assert_eq!(setting.set("GITHUB_RUN_ID", "13").publish(&[]).code, 0);
    let later = open(&setting);
    assert_ne!(later.number, earlier.number);
    assert_eq!(
        setting.git().text(&later.head.branch, CSV).unwrap(),
        "csv 3\n"
    );
}

#[test]
fn pull_request_with_newer_numbers_stays() {
    let setting = protected();
    assert_eq!(setting.publish(&[]).code, 0);
    let later = open(&setting);
    setting.render("page 3\n", "csv 3\n");
    let run = setting.set("GITHUB_RUN_ID", "11").publish(&[]);
    assert_eq!(
        (run.code, run.stdout.contains("refresh=newer\n")),
        (0, true),
        "{run}"
    );
    assert_eq!(open(&setting), later);
}

#[test]
fn foreign_pull_requests_stay() {
    let setting = protected();
    assert_eq!(setting.run(&["--file", PAGE]).code, 0);
    let other_files = open(&setting);
    let name = other_files.head.branch.clone();
    setting.world(|world| {
        world.open(Pull::new(0).branch(&format!("{name}x")));
        world.open(Pull {
            author: ACTIONS.into(),
            ..Pull::new(0).branch("perf-refresh/other")
        });
    });
    assert_eq!(setting.set("GITHUB_RUN_ID", "13").publish(&[]).code, 0);
    assert!(
        setting
            .pulls()
            .iter()
            .all(|pull| pull.state == PullState::Open),
        "{:?}",
        setting.pulls()
    );
    assert_eq!(setting.pulls().len(), 4);
}

#[test]
fn disallowed_auto_merge_is_reported() {
    let setting = protected();
    setting.world(|world| world.allow_auto_merge = false);
    let run = setting.publish(&[]);
    assert!(
        run.stdout
            .contains("merge it manually, because GitHub answers: Auto merge is not allowed for this repository\n"),
        "{run}"
    );
    assert_eq!(open(&setting).auto_merge, None);
}

#[test]
fn auto_merge_uses_an_allowed_method() {
    let setting = protected();
    let refusal = json!({ "data": { "enablePullRequestAutoMerge": null }, "errors": [{
        "type": "UNPROCESSABLE", "path": ["enablePullRequestAutoMerge"],
        "message": "Merge method squash merging is not allowed on this repository",
    }] });
    setting
        .when("GRAPHQL enablePullRequestAutoMerge")
        .answer(200, refusal);
    let run = setting.publish(&[]);
    assert!(run.stdout.contains("auto-merge is enabled"), "{run}");
    assert_eq!(open(&setting).auto_merge.as_deref(), Some("rebase"));
}

#[test]
fn rejected_auto_merge_is_reported() {
    let setting = protected();
    let refusal = json!({ "data": { "enablePullRequestAutoMerge": null }, "errors": [{
        "type": "UNPROCESSABLE", "path": ["enablePullRequestAutoMerge"], "message": "Pull request is in clean status",
    }] });
    setting
        .when("GRAPHQL enablePullRequestAutoMerge")
        .always()
        .answer(200, refusal);
    let run = setting.publish(&[]);
    assert!(
        run.stdout
            .contains("because GitHub answers: Pull request is in clean status\n"),
        "{run}"
    );
}

#[test]
fn rejected_pull_request_leaves_numbers_in_summary() {
    let setting = protected();
    setting.world(|world| world.actions_may_propose = false);
    let run = setting.publish(&[]);
    assert_snapshot!(run, @"
    exit 1
    ::warning title=Performance numbers::nothing published: cannot commit to `main`: GitHub answers: Repository rule violations found Changes must be made through a pull request., and cannot open a pull request: GitHub answers 403: GitHub Actions is not permitted to create or approve pull requests.
    refresh=unpublished
    --- stderr
    warning: nothing published: cannot commit to `main`: GitHub answers: Repository rule violations found Changes must be made through a pull request., and cannot open a pull request: GitHub answers 403: GitHub Actions is not permitted to create or approve pull requests.
    hint: let the token's owner bypass the rules, or go through a pull request
    hint: allow it in the repository's or the organisation's settings: Actions, General, Workflow permissions
    note: the numbers are in the job summary
    ");
    assert_snapshot!(setting.summary(), @"
    ### Performance numbers

    nothing published: cannot commit to `main`: GitHub answers: Repository rule violations found Changes must be made through a pull request., and cannot open a pull request: GitHub answers 403: GitHub Actions is not permitted to create or approve pull requests.

    <details><summary>docs/performance.md</summary>

    ```text
    page 2
    ```

    </details>

    <details><summary>perf.csv</summary>

    ```text
    csv 2
    ```

    </details>
    ");
    assert_eq!(setting.git().branches(), ["main"]);
    assert_eq!(setting.pulls(), []);
}

#[test]
fn fallback_none_opens_no_pull_request() {
    let setting = protected();
    let run = setting.publish(&["--fallback", "none"]);
    assert_snapshot!(run, @"
    exit 0
    ::notice title=Performance numbers::nothing published: cannot commit to `main`: GitHub answers: Repository rule violations found Changes must be made through a pull request.
    refresh=unpublished
    --- stderr
    note: nothing published: cannot commit to `main`: GitHub answers: Repository rule violations found Changes must be made through a pull request.
    hint: let the token's owner bypass the rules, or go through a pull request
    note: the numbers are in the job summary
    ");
    assert!(setting.summary().contains("csv 2"), "{}", setting.summary());
    assert_eq!(setting.writes().len(), 1);
}

#[test]
fn app_with_bypass_commits() {
    let setting = protected();
    let run = setting.set("GITHUB_TOKEN", APP).publish(&[]);
    assert!(run.stdout.contains("refresh=committed"), "{run}");
}

#[test]
fn commit_on_branch_closes_older_pull_requests() {
    for csv in ["csv 3\n", "csv 1\n"] {
        let setting = protected();
        assert_eq!(setting.publish(&[]).code, 0);
        open(&setting);
        setting.world(|world| world.protected.clear());
        setting.render("page 1\n", csv);
        assert_eq!(setting.set("GITHUB_RUN_ID", "13").publish(&[]).code, 0);
        assert_eq!(
            (setting.pulls()[0].state, setting.git().branches()),
            (PullState::Closed, vec!["main".to_owned()])
        );
    }
}

#[test]
fn writes_with_lost_responses_are_not_repeated() {
    for (operation, nth) in [("POST */git/refs", 1), (COMMIT, 2), ("POST */pulls", 1)] {
        let setting = protected();
        setting.when(operation).nth(nth).done().cut();
        let run = setting.publish(&[]);
        assert!(
            run.stdout.contains("refresh=pull-request"),
            "{operation}: {run}"
        );
        assert_eq!(
            (setting.pulls().len(), setting.git().branches().len()),
            (1, 2),
            "{operation}"
        );
        assert_eq!(
            setting.git().parents(&open(&setting).head.branch),
            [setting.measured()],
            "{operation}"
        );
    }
}

#[test]
fn uncreated_branch_is_an_error() {
    let setting = protected();
    setting.when("POST */git/refs").answer(
        403,
        json!({ "message": "Resource not accessible by integration" }),
    );
    let run = setting.publish(&[]);
    assert_eq!(
        (run.code, run.stderr.matches("warning: ").count()),
        (1, 1),
        "{run}"
    );
    assert_eq!(setting.writes().len(), 2);
}

#[test]
fn failed_pull_request_removes_branch() {
    let setting = protected();
    setting
        .when("POST */pulls")
        .answer(500, json!({ "message": "Server Error" }));
    let run = setting.publish(&[]);
    assert_eq!(
        (run.code, setting.git().branches()),
        (2, vec!["main".to_owned()]),
        "{run}"
    );
    assert!(setting.summary().contains("csv 2"), "{}", setting.summary());
}
