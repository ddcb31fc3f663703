//! The client against a fake GitHub.

use std::time::Duration;

use crate::common::{Setting, account, described};
use fake_github::{Pull, World};
use perf_github::{
    Account, Api, ApiErrorKind, Client, ClientSettings, HeadPosition, NewCommit, NewPull, Token,
};

const PULL: u64 = 5;

#[test]
fn pages_are_only_read_from_the_api_host() {
    // The fake's links lead to another host, which must not get the token.
    let setting = Setting::new(World::with_pull(Pull::new(5)));
    setting.fake.with(|world| {
        for number in 0..205 {
            world.comment(5, "ada", &format!("comment {number}"));
        }
    });
    let comments = setting.client().comments(PULL).unwrap();
    assert_eq!(comments.len(), 205);
    assert!(comments.is_sorted_by_key(|comment| comment.id));
    assert_eq!(comments[204].body, "comment 204");
    assert_eq!(setting.fake.requests().len(), 3);
}

#[test]
fn comments_are_created_updated_and_deleted() {
    let setting = Setting::new(World::with_pull(Pull::new(5)));
    let client = setting.client();
    let made = client.create_comment(PULL, "one\r\ntwo").unwrap();
    assert_eq!(made.author, Some(Account::github_actions()));
    client.update_comment(made.id, "three").unwrap();
    setting
        .fake
        .with(|world| world.comments[0].minimized = Some("outdated".into()));
    let comments = client.comments(PULL).unwrap();
    assert_eq!(
        (comments[0].body.as_str(), comments[0].minimized),
        ("three", true)
    );
    client.delete_comment(made.id).unwrap();
    assert_eq!(
        client.delete_comment(made.id).unwrap_err().kind,
        ApiErrorKind::NotFound
    );
    assert_eq!(client.comments(PULL).unwrap(), []);
}

#[test]
fn viewer_is_the_tokens_account() {
    let setting = Setting::new(World::default());
    let viewer = |token| setting.client_of(token).viewer().unwrap();
    assert_eq!(viewer(account::WORKFLOW), Account::github_actions());
    assert_eq!(viewer(account::READ_ONLY), Account::github_actions());
    assert_eq!(viewer(account::USER).login, "ada");
    // If the query is not permitted, the token is a workflow token.
    let refusal = serde_json::json!({ "errors": [
        { "type": "FORBIDDEN", "message": "Resource not accessible by integration" },
    ] });
    setting.fake.when("GRAPHQL viewer").answer(200, refusal);
    assert_eq!(viewer(account::USER), Account::github_actions());
}

#[test]
fn commit_requires_expected_head() {
    let setting = Setting::new(World::default());
    let client = setting.client();
    let head = client.branch("main").unwrap().unwrap();
    let new = NewCommit {
        branch: "main".into(),
        expected_head: head.clone(),
        headline: "Refresh".into(),
        body: "Perf-Measured: x".into(),
        additions: vec![
            ("docs/päge one.md".into(), b"\0binary\r\n".into()),
            ("b.csv".into(), b"1\n".into()),
        ],
    };
    let made = client.create_commit(&new).unwrap();
    assert_eq!(
        setting.fake.git().message("main").unwrap().trim(),
        "Refresh\n\nPerf-Measured: x"
    );
    assert_eq!(
        client.file("docs/päge one.md", &made).unwrap().unwrap(),
        b"\0binary\r\n"
    );
    assert_eq!(client.file("docs/päge one.md", &head).unwrap(), None);
    assert_eq!(
        client.file("docs", &made).unwrap_err().why(),
        "it is not a file"
    );

    let again = client.create_commit(&new).unwrap_err();
    assert_eq!(
        (again.kind, again.maybe_done),
        (ApiErrorKind::Conflict, false)
    );
    let comparison = client.compare(&head, &made).unwrap();
    assert_eq!(
        (comparison.position, comparison.is_complete()),
        (HeadPosition::Ahead, true)
    );
    let paths: Vec<&str> = comparison
        .files
        .iter()
        .map(|file| file.path.as_str())
        .collect();
    assert_eq!(paths, ["b.csv", "docs/päge one.md"]);
    assert_eq!(
        client.compare(&made, &head).unwrap().position,
        HeadPosition::Behind
    );

    let commits = client.commits(&made, "b.csv", 5).unwrap();
    assert_eq!((commits.len(), &commits[0].sha), (1, &made));
    assert_eq!(setting.fake.git().parents("main"), [head.to_string()]);
    assert!(commits[0].message().contains("Perf-Measured: x"));
}

#[test]
fn protected_branch_accepts_pull_request() {
    let setting = Setting::new(World {
        protected: vec!["main".into()],
        ..World::default()
    });
    let client = setting.client();
    let tip = client.branch("main").unwrap().unwrap();
    let commit = |branch: &str| {
        client.create_commit(&NewCommit {
            branch: branch.into(),
            expected_head: tip.clone(),
            headline: "Refresh".into(),
            body: String::new(),
            additions: vec![("b.csv".into(), b"1\n".into())],
        })
    };
    assert_eq!(commit("main").unwrap_err().kind, ApiErrorKind::Protected);
    client.create_branch("perf-refresh/main/1", &tip).unwrap();
    assert_eq!(
        client
            .create_branch("perf-refresh/main/1", &tip)
            .unwrap_err()
            .kind,
        ApiErrorKind::Validation
    );
    commit("perf-refresh/main/1").unwrap();
    let new = NewPull {
        title: "Refresh".into(),
        body: "Numbers.".into(),
        head: "perf-refresh/main/1".into(),
        base: "main".into(),
    };
    let pull = client.create_pull(&new).unwrap();
    assert_eq!(
        client.create_pull(&new).unwrap_err().kind,
        ApiErrorKind::Validation
    );
    assert_eq!(
        client.open_pulls("main").unwrap(),
        std::slice::from_ref(&pull)
    );
    assert!(pull.open && !pull.is_from_fork());
    client.enable_auto_merge(&pull.node_id).unwrap();
    client
        .update_pull(pull.number, "Older", "Numbers.")
        .unwrap();
    let closed = client.close_pull(pull.number).unwrap();
    assert_eq!(
        (closed.title.as_str(), closed.body.as_str(), closed.open),
        ("Older", "Numbers.", false)
    );
    assert_eq!(client.pull(pull.number).unwrap(), closed);
    client.delete_branch("perf-refresh/main/1").unwrap();
    assert_eq!(client.branch("perf-refresh/main/1").unwrap(), None);
    let refused = client.enable_auto_merge(&pull.node_id).unwrap_err();
    assert_eq!(refused.kind, ApiErrorKind::Validation);
}

#[test]
fn enterprise_server_has_api_paths() {
    let setting = Setting::new(World::with_pull(Pull::new(5)));
    let api = Api::new(&format!("{}/api/v3/", setting.fake.url())).unwrap();
    let token = Token::new(account::WORKFLOW).unwrap();
    let settings = ClientSettings {
        patience: Duration::ZERO,
        ..ClientSettings::read(|_| None).unwrap()
    };
    let client = Client::new(&api, "octo/quill".parse().unwrap(), &token, settings).unwrap();
    assert_eq!(client.pull(5).unwrap().number, 5);
    assert_eq!(client.viewer().unwrap(), Account::github_actions());
}

#[test]
fn errors_have_kind_message_and_hint() {
    let setting = Setting::new(World {
        private: true,
        ..World::with_pull(Pull::new(5).locked())
    });
    let read = |token: &str| described(setting.client_of(token).comments(PULL));
    insta::assert_snapshot!(read(account::EXPIRED), @"
    Authentication: cannot list the comments of #5: GitHub answers 401: Bad credentials
    hint: check the token: it is wrong, revoked or expired
    ");
    insta::assert_snapshot!(read(account::STRANGER), @"
    NotFound: cannot list the comments of #5: GitHub answers 404: Not Found
    hint: check the repository and the number; this also happens if the token has no access
    ");
    let comment =
        |token: &str, body: &str| described(setting.client_of(token).create_comment(PULL, body));
    insta::assert_snapshot!(comment(account::READ_ONLY, "x"), @"
    Permission: cannot comment on #5: GitHub answers 403: Resource not accessible by integration
    hint: the token needs `pull-requests: write`: in a workflow, add it to `permissions:`
    hint: runs from forks and by Dependabot may not write
    ");
    setting
        .fake
        .with(|world| world.pull(5).unwrap().locked = false);
    insta::assert_snapshot!(comment(account::WORKFLOW, &"x".repeat(65_537)), @"
    Validation: cannot comment on #5: GitHub answers 422: Validation Failed: Body is too long (maximum is 65536 characters)
    hint: GitHub rejects the request; repeating it will not help
    ");
    setting.fake.when("POST *").answer(
        410,
        serde_json::json!({ "message": "This issue was deleted" }),
    );
    assert!(comment(account::WORKFLOW, "x").starts_with("Gone: "));
    assert_eq!(setting.clock.slept(), Duration::ZERO);
}
