//! Failed calls: retries and error messages.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::time::Duration;

use crate::common::{Setting, account, described};
use fake_github::{Pull, World};
use perf_github::{Api, ApiErrorKind, Client, ClientSettings, CommitId, NewCommit, Token};
use serde_json::json;

const PULL: u64 = 5;

const LIST: &str = "GET */issues/5/comments";
const CREATE: &str = "POST */issues/5/comments";
const COMMIT: &str = "GRAPHQL createCommitOnBranch";

fn setting() -> Setting {
    Setting::new(World::with_pull(Pull::new(5)))
}

/// The total pause of a setting's clients in milliseconds.
fn slept(setting: &Setting) -> u128 {
    setting.clock.slept().as_millis()
}

fn commit(client: &Client) -> NewCommit {
    NewCommit {
        branch: "main".into(),
        expected_head: client.branch("main").unwrap().unwrap(),
        headline: "Refresh".into(),
        body: String::new(),
        additions: vec![("b.csv".into(), b"1\n".into())],
    }
}

#[test]
fn read_is_retried_until_it_succeeds() {
    let setting = setting();
    setting.fake.when(LIST).times(2).answer(502, "Bad Gateway");
    setting.fake.when(LIST).times(2).cut();
    setting.client().comments(PULL).unwrap();
    assert_eq!((setting.fake.requests().len(), slept(&setting)), (5, 7_500));
}

#[test]
fn read_retries_are_limited() {
    let setting = setting();
    setting
        .fake
        .when(LIST)
        .always()
        .answer(503, json!({ "message": "Unavailable" }));
    insta::assert_snapshot!(described(setting.client().comments(PULL)), @"
    Server: cannot list the comments of #5: GitHub answers 503: Unavailable
    hint: GitHub has a problem; see https://www.githubstatus.com
    ");
    assert_eq!(setting.fake.requests().len(), 5);
}

#[test]
fn possibly_executed_write_is_not_retried() {
    for done in [false, true] {
        let setting = setting();
        let client = setting.client();
        let when = || {
            let when = setting.fake.when(CREATE);
            if done { when.done() } else { when }
        };
        when().cut();
        let cut = client.create_comment(PULL, "x").unwrap_err();
        when().answer(502, "Bad Gateway");
        let gateway = client.create_comment(PULL, "x").unwrap_err();
        for error in [&cut, &gateway] {
            assert!(error.maybe_done && error.is_passing(), "{error}");
        }
        assert_eq!(
            (cut.kind, gateway.kind),
            (ApiErrorKind::Network, ApiErrorKind::Server)
        );
        assert_eq!(setting.fake.writes().len(), 2);
        assert_eq!(setting.fake.comments(5).len(), if done { 2 } else { 0 });
        assert_eq!(slept(&setting), 0);
    }
}

#[test]
fn truncated_response_is_an_error() {
    let setting = setting();
    setting.fake.when(CREATE).done().halve();
    let error = setting.client().create_comment(PULL, "x").unwrap_err();
    assert_eq!(
        (error.kind, error.maybe_done),
        (ApiErrorKind::Network, true)
    );
    setting
        .fake
        .when(CREATE)
        .done()
        .answer(201, json!({ "id": "none" }));
    let error = setting.client().create_comment(PULL, "x").unwrap_err();
    assert_eq!(
        (error.kind, error.maybe_done),
        (ApiErrorKind::Malformed, true)
    );
}

#[test]
fn possibly_executed_commit_is_not_retried() {
    let setting = setting();
    let client = setting.client();
    let new = commit(&client);
    setting.fake.when(COMMIT).done().cut();
    let cut = client.create_commit(&new).unwrap_err();
    assert_eq!((cut.kind, cut.maybe_done), (ApiErrorKind::Network, true));
    assert_ne!(client.branch("main").unwrap(), Some(new.expected_head));
    assert_eq!(setting.fake.writes().len(), 1);
}

#[test]
fn rate_limited_writes_are_retried() {
    let setting = setting();
    setting.fake.when(CREATE).limit_for(Some(7));
    // A comment is not retried, because another run may have written one during the pause.
    let due = setting.client().create_comment(PULL, "x").unwrap_err();
    assert_eq!(
        (due.kind, due.is_due, due.maybe_done),
        (ApiErrorKind::RateLimited, true, false)
    );
    assert_eq!(
        (slept(&setting), setting.fake.comments(5).len()),
        (7_000, 0)
    );
    // Without details, the pause is a minute.
    setting.fake.when(LIST).limit_for(None);
    setting.client().comments(PULL).unwrap();
    assert_eq!(slept(&setting), 67_000);
    let quota = json!({ "data": null, "errors": [{ "type": "RATE_LIMITED", "message": "API rate limit exceeded" }] });
    setting.fake.when("GRAPHQL viewer").answer(200, quota);
    setting.client().viewer().unwrap();
    assert_eq!(slept(&setting), 127_000);
}

#[test]
fn long_rate_limit_is_an_error() {
    let setting = setting();
    let settings = ClientSettings {
        patience: Duration::from_secs(30),
        clock: setting.clock.clone(),
        ..ClientSettings::read(|_| None).unwrap()
    };
    let client = setting.client_with(account::WORKFLOW, settings);
    setting.fake.when(CREATE).always().limit_for(Some(20));
    // After the pause, the caller reads again before writing a comment.
    insta::assert_snapshot!(described(client.create_comment(PULL, "x")), @"
    RateLimited: cannot comment on #5: GitHub answers 403: You have exceeded a secondary rate limit. Please wait a few minutes before you try again.
    hint: try again later, or use a token with its own limit
    ");
    insta::assert_snapshot!(described(client.create_comment(PULL, "x")), @"
    RateLimited: cannot comment on #5: GitHub answers 403: You have exceeded a secondary rate limit. Please wait a few minutes before you try again.; the next attempt is due in 20 s, but only 10 s are left for waiting
    hint: try again later, or use a token with its own limit
    hint: PERF_GATE_PATIENCE sets the total waiting time of a run in seconds
    ");
    assert_eq!((slept(&setting), setting.fake.writes().len()), (20_000, 2));
}

#[test]
fn silent_server_times_out() {
    let setting = setting();
    let settings = ClientSettings {
        timeout: Duration::from_secs(3),
        clock: setting.clock.clone(),
        ..ClientSettings::read(|_| None).unwrap()
    };
    let client = setting.client_with(account::WORKFLOW, settings);
    setting.fake.when(CREATE).done().hang();
    let late = client.create_comment(PULL, "x").unwrap_err();
    assert_eq!((late.kind, late.maybe_done), (ApiErrorKind::Timeout, true));
    // A read finds the comment, and the next attempt succeeds.
    assert_eq!(client.comments(PULL).unwrap().len(), 1);
}

#[test]
fn unreachable_server_is_reported_and_write_not_sent() {
    let setting = setting();
    // A port that requires administrator permissions, so nothing listens there.
    let api = Api::new("http://127.0.0.1:1").unwrap();
    let token = Token::new(account::WORKFLOW).unwrap();
    let settings = ClientSettings {
        clock: setting.clock.clone(),
        ..ClientSettings::read(|_| None).unwrap()
    };
    let client = Client::new(&api, "octo/quill".parse().unwrap(), &token, settings).unwrap();
    let error = client.create_comment(PULL, "x").unwrap_err();
    assert_eq!(
        (error.kind, error.maybe_done),
        (ApiErrorKind::Network, false)
    );
    assert!(error.why().starts_with("no connection: "), "{error}");
    assert_eq!(slept(&setting), 500);
}

#[test]
fn errors_never_show_the_token() {
    let setting = setting();
    let secret = account::WORKFLOW;
    let echo = format!("no such token: {secret}\n::error::{secret}");
    setting
        .fake
        .when(CREATE)
        .answer(422, json!({ "message": echo, "errors": [echo] }));
    let error = setting.client().create_comment(PULL, "x").unwrap_err();
    let shown = [error.to_string(), format!("{error:?}")];
    let shown = shown.join(" ") + &format!("{:?}", perf_cli::Failure::from(error));
    assert!(
        !shown.contains(secret) && shown.contains("no such token: *** ::error::***"),
        "{shown}"
    );
    setting
        .fake
        .when("GRAPHQL viewer")
        .always()
        .answer(200, json!({ "errors": [{ "message": echo }] }));
    let described = described(setting.client().viewer());
    assert!(
        !described.contains(secret) && described.contains("***"),
        "{described}"
    );
}

#[test]
fn redirects_are_not_followed() {
    let setting = setting();
    let elsewhere = [("location", "http://127.0.0.1:9/")];
    setting
        .fake
        .when(LIST)
        .answer_with(301, &elsewhere, json!({ "message": "Moved Permanently" }));
    insta::assert_snapshot!(described(setting.client().comments(PULL)), @"
    Moved: cannot list the comments of #5: GitHub answers 301: Moved Permanently
    hint: use the repository's new name
    ");
    assert_eq!(setting.fake.requests().len(), 1);
}

#[test]
fn malformed_responses_are_reported() {
    let setting = setting();
    let client = setting.client();
    let sha: CommitId = "0".repeat(40).parse().unwrap();
    for body in [
        json!(null),
        json!({}),
        json!("text"),
        json!([{ "id": -1 }]),
        json!([[]]),
    ] {
        setting.fake.when("*").times(3).answer(200, body);
        let kinds = [
            client.comments(PULL).map(drop).unwrap_err().kind,
            client.compare(&sha, &sha).map(drop).unwrap_err().kind,
            client.enable_auto_merge("PR_5").unwrap_err().kind,
        ];
        assert_eq!(kinds, [ApiErrorKind::Malformed; 3]);
    }
}
