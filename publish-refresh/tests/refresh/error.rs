//! Error messages. The numbers are never lost.

use fake_github::account::{EXPIRED, READ_ONLY, STRANGER, WORKFLOW};
use insta::assert_snapshot;
use serde_json::json;

use crate::setting::{CSV, Setting};

const COMMIT: &str = "GRAPHQL createCommitOnBranch";
const TIP: &str = "GET */git/ref/*";

fn rendered() -> Setting {
    let setting = Setting::new();
    setting.render("page 2\n", "csv 2\n");
    setting
}

/// Checks that the numbers are in the job summary, and nothing was published.
fn assert_in_summary(setting: &Setting) {
    assert!(setting.summary().contains("csv 2"), "{}", setting.summary());
    assert_eq!(setting.git().head("main").unwrap(), setting.measured());
}

#[test]
fn read_only_token() {
    let setting = rendered();
    setting.set("GITHUB_TOKEN", READ_ONLY);
    assert_snapshot!(setting.publish(&[]), @"
    exit 1
    ::warning title=Performance numbers::nothing published: cannot commit to `main`: GitHub answers: Resource not accessible by integration
    refresh=unpublished
    --- stderr
    warning: nothing published: cannot commit to `main`: GitHub answers: Resource not accessible by integration
    hint: give the token more permissions, in a workflow with `permissions:`; runs from forks and by Dependabot have none
    note: the numbers are in the job summary
    ");
    assert_in_summary(&setting);
}

#[test]
fn read_only_token_is_expected_in_forks_and_for_dependabot() {
    for (fork, actor) in [(true, "mallory"), (false, "dependabot[bot]")] {
        let setting = rendered();
        setting
            .set("GITHUB_TOKEN", READ_ONLY)
            .set("GITHUB_ACTOR", actor)
            .pushed(fork);
        let run = setting.publish(&[]);
        assert_eq!(run.code, 0, "{run}");
        assert!(
            run.stdout.contains("::notice") && run.stdout.contains("refresh=unpublished"),
            "{run}"
        );
        assert_in_summary(&setting);
        let setting = rendered();
        let run = setting.set("GITHUB_ACTOR", actor).pushed(fork).publish(&[]);
        assert!(run.stdout.contains("refresh=committed"), "{run}");
    }
}

#[test]
fn missing_token() {
    let setting = rendered();
    setting.set("GITHUB_TOKEN", "");
    assert_snapshot!(setting.publish(&[]), @"
    exit 2
    --- stderr
    note: the numbers are in the job summary
    error: no token: neither GITHUB_TOKEN nor GH_TOKEN is set
    hint: in a workflow, pass it by `env: GITHUB_TOKEN: ${{ github.token }}`
    ");
    assert_in_summary(&setting);
}

#[test]
fn expired_token() {
    let setting = rendered();
    setting.set("GITHUB_TOKEN", EXPIRED);
    assert_snapshot!(setting.publish(&[]), @"
    exit 2
    --- stderr
    note: the numbers are in the job summary
    error: cannot read the branch `main`: GitHub answers 401: Bad credentials
    hint: check the token: it is wrong, revoked or expired
    ");
    assert_in_summary(&setting);
}

#[test]
fn inaccessible_repository() {
    let setting = rendered();
    setting.set("GITHUB_TOKEN", STRANGER);
    setting.world(|world| world.private = true);
    assert_snapshot!(setting.publish(&[]), @"
    exit 2
    --- stderr
    note: the numbers are in the job summary
    error: the repository has no branch `main`
    hint: set the branch with `--branch`; a token without access can't see branches
    ");
    assert_in_summary(&setting);
}

#[test]
fn short_rate_limit_is_waited_for() {
    let setting = rendered();
    setting.when("GET *").limit_for(Some(0));
    setting.when(COMMIT).limit_for(Some(0));
    let run = setting.publish(&[]);
    assert!(run.stdout.contains("refresh=committed"), "{run}");
}

#[test]
fn long_rate_limit_is_an_error() {
    let setting = rendered();
    setting.when("GET *").always().limit_until(3600);
    let run = setting.publish(&[]);
    assert_eq!(run.code, 2, "{run}");
    assert!(
        run.stderr.contains("limit") && run.stderr.contains("hint: "),
        "{run}"
    );
    assert_in_summary(&setting);
}

#[test]
fn unreachable_server() {
    let setting = rendered();
    setting.set("GITHUB_API_URL", "http://127.0.0.1:1");
    let run = setting.publish(&[]);
    assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{run}");
    assert_in_summary(&setting);
}

#[test]
fn malformed_response() {
    let setting = rendered();
    setting
        .when("GET *")
        .always()
        .answer(200, "<html>Unicorn!</html>");
    let run = setting.publish(&[]);
    assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{run}");
    assert_in_summary(&setting);
}

#[test]
fn commit_with_lost_response_is_found() {
    let error: [fn(&Setting); 3] = [
        |setting| setting.when(COMMIT).done().cut(),
        |setting| setting.when(COMMIT).done().halve(),
        |setting| {
            setting
                .when(COMMIT)
                .done()
                .answer(502, json!({ "message": "Bad Gateway" }));
        },
    ];
    for make in error {
        let setting = rendered();
        make(&setting);
        let run = setting.publish(&[]);
        assert!(run.stdout.contains("refresh=committed"), "{run}");
        assert_eq!(setting.git().parents("main"), [setting.measured()], "{run}");
        assert_eq!(
            (setting.writes().len(), setting.on_branch(CSV)),
            (1, "csv 2\n".into()),
            "{run}"
        );
    }
}

#[test]
fn commit_with_lost_request_is_retried() {
    let setting = rendered();
    setting.when(COMMIT).cut();
    let run = setting.publish(&[]);
    assert!(run.stdout.contains("refresh=committed"), "{run}");
    assert_eq!(
        (setting.writes().len(), setting.git().parents("main")),
        (2, vec![setting.measured()])
    );
}

#[test]
fn commit_by_other_job_is_not_taken_for_lost_one() {
    let setting = rendered();
    let measured = setting.measured();
    setting
        .set("GITHUB_JOB", "linux")
        .when(COMMIT)
        .hook(move |hub| {
            let trailers = format!(
                "Perf-Measured: {measured}\nPerf-Run: 12.1\nPerf-Job: linux.00ff00ff00ff00ff"
            );
            drop(
                hub.git()
                    .push(
                        "main",
                        &[(CSV, "theirs\n")],
                        &format!("Refresh\n\n{trailers}"),
                    )
                    .unwrap(),
            );
            hub.when(COMMIT).cut();
        });
    let spy = "alias.render=!echo ours >perf.csv";
    let run = setting.publish(&["--", "git", "-c", spy, "render"]);
    assert!(run.stdout.contains("refresh=committed"), "{run}");
    assert_eq!(setting.on_branch(CSV), "ours\n", "{run}");
}

#[test]
fn lost_commit_with_later_commits_is_found() {
    let setting = rendered();
    setting.when(COMMIT).done().cut();
    setting.when(TIP).nth(2).hook(|hub| {
        drop(
            hub.git()
                .push("main", &[("README.md", "x")], "Explain")
                .unwrap(),
        );
    });
    let run = setting.publish(&[]);
    assert!(run.stdout.contains("refresh=committed"), "{run}");
    assert_eq!(setting.git().parents("main~1"), [setting.measured()]);
    assert_eq!(
        (setting.writes().len(), setting.on_branch(CSV)),
        (1, "csv 2\n".into())
    );
}

#[test]
fn error_after_lost_response_says_that_result_is_uncertain() {
    let setting = rendered();
    setting.when(COMMIT).done().cut();
    setting
        .when(TIP)
        .nth(2)
        .always()
        .answer(401, json!({ "message": "Bad credentials" }));
    let run = setting.publish(&[]);
    assert_eq!(run.code, 2, "{run}");
    assert!(
        run.stderr
            .contains("the commit may have been made: its response was lost"),
        "{run}"
    );
    assert!(setting.summary().contains("csv 2"), "{}", setting.summary());
}

#[test]
fn lost_response_to_last_attempt_says_that_result_is_uncertain() {
    let setting = rendered();
    setting.when(COMMIT).always().cut();
    let run = setting.publish(&[]);
    assert_eq!(run.code, 2, "{run}");
    let error = "error: the commit may have been made: its response was lost: 20 attempts to commit to `main` failed\n";
    assert!(run.stderr.contains(error), "{run}");
    assert!(setting.summary().contains("csv 2"), "{}", setting.summary());
}

#[test]
fn options_are_required_outside_of_a_workflow() {
    let setting = rendered();
    assert_snapshot!(setting.set("GITHUB_REF", "refs/tags/v1").publish(&[]), @"
    exit 2
    --- stderr
    error: no branch to commit to: GITHUB_REF is not a branch
    hint: set one with `--branch`
    ");
    assert_snapshot!(setting.set("GITHUB_SHA", "").publish(&["--branch", "main"]), @r#"
    exit 2
    --- stderr
    error: no measured commit: GITHUB_SHA is not set
    hint: pass `--measured "$(git rev-parse HEAD)"`
    "#);
    let line = ["--branch", "main", "--measured", &setting.measured()];
    assert_snapshot!(setting.set("GITHUB_REPOSITORY", "").publish(&line), @"
    exit 2
    --- stderr
    error: no repository given
    hint: pass `--repo OWNER/NAME`, or set GITHUB_REPOSITORY
    ");
    assert_eq!(
        setting
            .publish(&[&line[..], &["--repo", "Octo/Quill"]].concat())
            .code,
        0
    );
}

#[test]
fn token_is_never_printed() {
    for status in [401, 403, 404, 422, 500] {
        let setting = rendered();
        let token = WORKFLOW;
        setting.when("GRAPHQL *").always().answer(
            status,
            json!({ "message": format!("bad {token} ::error::{token}") }),
        );
        let run = setting.publish(&[]);
        let everything = format!("{run}{}", setting.summary());
        assert!(!everything.contains(token) && run.code != 0, "{everything}");
        assert!(
            !everything.lines().any(|line| line.starts_with("::error::")),
            "{everything}"
        );
    }
}

#[test]
fn command_does_not_get_the_token() {
    let setting = rendered();
    setting
        .git()
        .push("main", &[(CSV, "by hand\n")], "Edit by hand")
        .unwrap();
    // Git runs the alias with its own shell on every system.
    let spy = "alias.spy=!printenv GITHUB_TOKEN >perf.csv; echo done >>perf.csv";
    let run = setting.publish(&["--", "git", "-c", spy, "spy"]);
    assert_eq!(
        (run.code, setting.on_branch(CSV)),
        (0, "done\n".into()),
        "{run}"
    );
}
