//! Requests that GitHub rejects, and their messages.

use fake_github::When;
use fake_github::account::{EXPIRED, READ_ONLY, WORKFLOW};
use fake_github::world::{Pull, PullState, World};
use insta::assert_snapshot;
use serde_json::json;

use crate::common::{BOT, Case, CommentOutcome, HEAD, OTHER, event, marker};

/// Chooses how a request fails.
type Order = fn(When<'_>);

/// Runs successfully without a comment, with the report in the job summary.
fn excused(case: &Case) -> CommentOutcome {
    let outcome = case.post("**Report.**", "");
    assert_eq!(
        (outcome.code, outcome.summary.as_str()),
        (Some(0), "**Report.**\n"),
        "{outcome}"
    );
    assert_eq!(case.bodies(), Vec::<String>::new());
    outcome
}

/// Runs with an error and without a comment, but with the report in the job summary.
fn failed(case: &Case) -> CommentOutcome {
    let outcome = case.post("**Report.**", "");
    assert_eq!(
        (outcome.code, outcome.summary.as_str()),
        (Some(2), "**Report.**\n"),
        "{outcome}"
    );
    assert_eq!((case.bodies(), outcome.stdout.as_str()), (vec![], ""));
    outcome
}

fn fork_case() -> Case {
    Case::of(Pull::new(5).at(HEAD).fork("mallory/quill")).event(&event(5, HEAD, "mallory/quill"))
}

#[test]
fn fork_report_is_in_job_summary() {
    let case = fork_case().env("GITHUB_TOKEN", READ_ONLY);
    assert_snapshot!(excused(&case), @"
    exit 0
    --- stdout
    ::notice title=No comment::no comment `perf`: read-only token, because #5 is from a fork or Dependabot; the report is in the job summary
    comment-url=
    comment-id=
    action=skipped
    ");
    assert_eq!(case.writes().len(), 1, "a refusal is not argued with");
    // A maintainer can allow write access for forks.
    assert_eq!(fork_case().post("x", "").action(), "created");
}

#[test]
fn dependabot_report_is_in_job_summary() {
    let case = Case::new()
        .env("GITHUB_ACTOR", "dependabot[bot]")
        .env("GITHUB_TOKEN", READ_ONLY);
    assert_snapshot!(excused(&case), @"
    exit 0
    --- stdout
    ::notice title=No comment::no comment `perf`: read-only token, because #5 is from a fork or Dependabot; the report is in the job summary
    comment-url=
    comment-id=
    action=skipped
    ");
}

#[test]
fn missing_permission_error_lists_required_permission() {
    assert_snapshot!(failed(&Case::new().env("GITHUB_TOKEN", READ_ONLY)), @"
    exit 2
    --- stderr
    error: cannot comment on #5: GitHub answers 403: Resource not accessible by integration
    hint: the token needs `pull-requests: write`: in a workflow, add it to `permissions:`
    hint: runs from forks and by Dependabot may not write
    ");
}

#[test]
fn missing_token_is_a_notice_in_workflows_and_an_error_elsewhere() {
    let case = Case::new().env("GITHUB_TOKEN", "");
    assert_snapshot!(excused(&case), @"
    exit 0
    --- stdout
    ::notice title=No comment::no comment `perf`: GITHUB_TOKEN is not set; the report is in the job summary
    comment-url=
    comment-id=
    action=skipped
    ");
    let by_hand = case
        .env("GITHUB_RUN_ID", "")
        .env("GITHUB_EVENT_NAME", "")
        .env("GITHUB_STEP_SUMMARY", "");
    assert_snapshot!(by_hand.post("x", "--pr 5"), @"
    exit 2
    --- stderr
    error: no token: neither GITHUB_TOKEN nor GH_TOKEN is set
    hint: in a workflow, pass it by `env: GITHUB_TOKEN: ${{ github.token }}`
    ");
    assert_eq!(by_hand.fake.requests().len(), 0);
}

#[test]
fn closed_pull_request_gets_no_new_comment() {
    for mode in ["update", "delete"] {
        let case = Case::of(Pull::new(5).at(HEAD).closed());
        case.write("report.md", "x");
        let expected = if mode == "delete" {
            "unchanged"
        } else {
            "skipped"
        };
        let posted = case.run(&format!("--key perf --body-file report.md --mode {mode}"));
        assert_eq!(
            (posted.action(), posted.code),
            (expected, Some(0)),
            "{mode}"
        );
        assert_eq!(case.writes(), Vec::<String>::new(), "{mode}");
    }
    let merged = Case::of(Pull::new(5).at(HEAD).merged());
    assert_snapshot!(excused(&merged), @"
    exit 0
    --- stdout
    ::notice title=No comment::no comment `perf`: #5 is closed, and has no comment to update; the report is in the job summary
    comment-url=
    comment-id=
    action=skipped
    ");
    assert_eq!(merged.writes(), Vec::<String>::new());
}

#[test]
fn existing_comment_on_closed_pull_request_is_updated_or_deleted() {
    let posted = |closed: fn(Pull) -> Pull, mode: &str| {
        let case = Case::of(closed(Pull::new(5).at(HEAD)));
        case.comment(BOT, &format!("{}\nold", marker(HEAD, 3)));
        case.comment(
            BOT,
            &format!("{}\nother", marker(HEAD, 3).replace("key=perf", "key=size")),
        );
        let action = case
            .post("new", &format!("--mode {mode}"))
            .action()
            .to_owned();
        let ours: Vec<String> = case
            .bodies()
            .into_iter()
            .filter(|body| body.contains("key=perf"))
            .collect();
        assert_eq!(case.bodies().len(), ours.len() + 1, "{mode}");
        (action, ours)
    };
    let new = format!("{}\nnew", marker(HEAD, 7));
    for closed in [Pull::closed, Pull::merged] {
        assert_eq!(
            posted(closed, "update"),
            ("updated".to_owned(), vec![new.clone()])
        );
    }
    assert_eq!(
        posted(Pull::closed, "delete"),
        ("deleted".to_owned(), vec![])
    );
    // A locked conversation stays unchanged.
    assert_eq!(posted(|pull| pull.closed().locked(), "update").0, "skipped");
}

#[test]
fn job_without_workflow_is_wrong_usage() {
    let case = Case::new();
    for (arguments, hint) in [
        ("--body-file x --job perf", "such as `ci/perf`"),
        ("--ended perf", "such as `ci/perf`"),
        (
            "--ended ci/perf(1)",
            "name the whole matrix, without values",
        ),
    ] {
        let outcome = case.run(&format!("--key perf {arguments}"));
        assert_eq!(outcome.code, Some(2), "{outcome}");
        assert!(outcome.stderr.contains(hint), "{outcome}");
    }
    assert_eq!(case.writes(), Vec::<String>::new());
}

#[test]
fn other_key_or_hidden_comment_is_not_updated() {
    let case = Case::of(Pull::new(5).at(HEAD).closed());
    let other = marker(HEAD, 3).replace("key=perf", "key=size");
    case.comment(BOT, &format!("{other}\nold"));
    let hidden = case.comment(BOT, &format!("{}\nold", marker(HEAD, 3)));
    case.fake.with(|world| {
        let mut comments = world.comments.iter_mut();
        if let Some(comment) = comments.find(|comment| comment.id == hidden) {
            comment.minimized = Some("outdated".to_owned());
        }
    });
    assert_eq!(case.post("new", "").action(), "skipped");
    assert_eq!(case.writes(), Vec::<String>::new());
}

#[test]
fn reopened_and_draft_pull_requests_get_a_comment() {
    let case = Case::of(Pull::new(5).at(HEAD).closed());
    assert_eq!(case.post("x", "").action(), "skipped");
    case.fake
        .with(|world| world.pulls[0].state = PullState::Open);
    assert_eq!(case.post("x", "").action(), "created");
    case.fake
        .with(|world| world.pulls[0].state = PullState::Merged);
    assert_eq!(case.run_id(8).post("y", "").action(), "updated");
    let draft = Case::of(Pull::new(5).at(HEAD).draft());
    assert_eq!(draft.post("x", "").action(), "created");
    // Closed between reading and writing, after the first attempt was lost.
    let case = Case::new();
    case.fake.when("POST */comments").answer(502, "Bad gateway");
    case.fake
        .when("GET */pulls/5")
        .nth(2)
        .hook(|hub| hub.with(|world| world.pulls[0].state = PullState::Closed));
    let posted = case.post("x", "");
    assert_eq!(
        (posted.action(), case.bodies().len()),
        ("skipped", 0),
        "{posted}"
    );
}

#[test]
fn locked_pull_request_gets_no_comment() {
    let locked = Case::of(Pull::new(5).at(HEAD).locked());
    assert_snapshot!(excused(&locked), @"
    exit 0
    --- stdout
    ::notice title=No comment::no comment `perf`: the conversation of #5 is locked; the report is in the job summary
    comment-url=
    comment-id=
    action=skipped
    ");
    assert_eq!(locked.writes(), Vec::<String>::new());
    // Locked between reading and writing.
    let case = Case::new();
    case.fake
        .when("POST */comments")
        .hook(|hub| hub.with(|world| world.pulls[0].locked = true));
    assert_eq!(excused(&case).action(), "skipped");
}

#[test]
fn event_without_pull_request_is_not_an_error() {
    let schedule = Case::new().env("GITHUB_EVENT_NAME", "schedule");
    assert_snapshot!(excused(&schedule), @"
    exit 0
    --- stdout
    ::notice title=No comment::no comment `perf`: the event `schedule` has no pull request; the report is in the job summary
    comment-url=
    comment-id=
    action=skipped
    ");
    assert_eq!(schedule.post("x", "--pr 5").action(), "created");
    let by_hand = schedule
        .env("GITHUB_RUN_ID", "")
        .env("GITHUB_EVENT_NAME", "");
    assert_snapshot!(by_hand.post("x", ""), @"
    exit 2
    --- stderr
    error: no pull request given
    hint: pass its number with `--pr`
    ");
}

#[test]
fn second_workflow_only_comments_on_measured_head() {
    let run = |head: &str, repository: &str| {
        let run = json!({ "id": 6, "event": "pull_request", "head_sha": head, "head_branch": "topic",
            "head_repository": { "full_name": repository }, "conclusion": "success", "pull_requests": [] });
        Case::of(Pull::new(5).at(HEAD).fork("mallory/quill"))
            .env("GITHUB_EVENT_NAME", "workflow_run")
            .event(&json!({ "workflow_run": run }).to_string())
    };
    assert_eq!(
        run(HEAD, "mallory/quill").post("x", "--pr 5").action(),
        "created"
    );
    let other = run(OTHER, "mallory/quill");
    assert_snapshot!(other.post("x", "--pr 5"), @"
    exit 0
    --- stdout
    ::notice title=No comment::no comment `perf`: the measured commit bbbbbbb is not the head of #5; the report is in the job summary
    comment-url=
    comment-id=
    action=skipped
    ");
    assert_eq!(
        run(HEAD, "eve/quill").post("x", "--pr 5").action(),
        "skipped"
    );
    assert_eq!(other.writes(), Vec::<String>::new());
}

#[test]
fn not_found_and_rejected_errors_differ() {
    assert_snapshot!(failed(&Case::new().env("GITHUB_TOKEN", EXPIRED)), @"
    exit 2
    --- stderr
    error: cannot read the token's account: GitHub answers 401: Bad credentials
    hint: check the token: it is wrong, revoked or expired
    ");
    assert_snapshot!(failed(&Case::in_world(World::default()).env("GITHUB_EVENT_NAME", "pull_request").event(&event(5, HEAD, "octo/quill"))), @"
    exit 2
    --- stderr
    error: cannot list the comments of #5: GitHub answers 404: Not Found
    hint: check the repository and the number; this also happens if the token has no access
    ");
    let answers = |status: u16, message: &str| {
        let case = Case::new();
        case.fake
            .when("POST */comments")
            .always()
            .answer(status, json!({ "message": message }));
        failed(&case).stderr
    };
    assert_snapshot!(answers(410, "This issue was deleted"), @"
    error: cannot comment on #5: GitHub answers 410: This issue was deleted
    hint: it was disabled or permanently removed
    ");
    assert_snapshot!(answers(422, "Validation Failed"), @"
    error: cannot comment on #5: GitHub answers 422: Validation Failed
    hint: GitHub rejects the request; repeating it will not help
    ");
    assert_snapshot!(answers(404, "Not Found"), @"
    error: cannot comment on #5: GitHub answers 404: Not Found
    hint: check the repository and the number; this also happens if the token has no access
    ");
}

#[test]
fn persistent_error_is_one_line() {
    let broken = |order: Order| {
        let case = Case::new().env("PERF_GATE_PATIENCE", "0");
        order(case.fake.when("GET */comments").always());
        let stderr = failed(&case).stderr;
        let (error, hints) = stderr.split_once('\n').expect("a line");
        assert!(hints.starts_with("hint: "), "{stderr}");
        error
            .strip_prefix("error: cannot list the comments of #5: ")
            .expect("what was done")
            .to_owned()
    };
    let cases: [(Order, &str); 5] = [
        (
            |when| when.answer(502, "<html>Bad gateway</html>"),
            "GitHub answers 502",
        ),
        (
            |when| when.limit_for(Some(3600)),
            "GitHub answers 403: You have exceeded a secondary rate limit",
        ),
        (
            |when| when.limit_until(3600),
            "GitHub answers 403: API rate limit exceeded",
        ),
        (|when| when.cut(), "connection lost"),
        (|when| when.answer(200, "no JSON"), "unexpected response"),
    ];
    for (order, why) in cases {
        let message = broken(order);
        assert!(message.starts_with(why), "{message}");
    }
}

#[test]
fn silent_server_times_out() {
    let case = Case::new()
        .env("PERF_GATE_PATIENCE", "0")
        .env("PERF_GATE_TIMEOUT", "3");
    case.fake.when("GET */comments").always().hang();
    let stderr = failed(&case).stderr;
    assert!(stderr.contains(": no response within 3 s"), "{stderr}");
}

#[test]
fn single_failures_are_retried() {
    let overcome = |how: &dyn Fn(&Case)| {
        let case = Case::new();
        how(&case);
        let outcome = case.post("x", "");
        assert_eq!(
            (outcome.code, case.bodies().len()),
            (Some(0), 1),
            "{outcome}"
        );
        case.writes().len()
    };
    let (read, write) = ("GET */comments", "POST */comments");
    assert_eq!(overcome(&|case| case.fake.when(read).answer(502, "")), 1);
    assert_eq!(overcome(&|case| case.fake.when(read).limit_for(Some(1))), 1);
    assert_eq!(overcome(&|case| case.fake.when(read).cut()), 1);
    assert_eq!(overcome(&|case| case.fake.when(read).halve()), 1);
    assert_eq!(
        overcome(&|case| case.fake.when(write).limit_for(Some(1))),
        2
    );
}

#[test]
fn token_is_never_printed() {
    let said = format!("no {WORKFLOW} here\n::error::{WORKFLOW}\u{1b}[2J");
    for status in [400, 401, 403, 404, 422, 500] {
        for pattern in ["*", "POST */comments"] {
            let case = Case::new()
                .env("GITHUB_ACTOR", WORKFLOW)
                .env("PERF_GATE_PATIENCE", "0");
            let body = json!({ "message": said, "documentation_url": said, "errors": [{ "message": said }] });
            case.fake.when(pattern).always().answer(status, body);
            let outcome = case.post(&format!("It was {WORKFLOW}."), "");
            let all = format!("{outcome}{}", outcome.summary);
            assert!(!all.contains(WORKFLOW), "{status}: {all}");
            assert!(
                !outcome.stderr.contains('\u{1b}') && !outcome.stderr.contains("\n::"),
                "{all}"
            );
        }
    }
    let case = Case::new();
    let outcome = case.post(&format!("It was {WORKFLOW}."), "");
    assert!(!format!("{outcome}{}{:?}", outcome.summary, case.bodies()).contains(WORKFLOW));
}
