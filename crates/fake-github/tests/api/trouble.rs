//! Trouble on order.

use std::time::Duration;

use fake_github::account::{USER, WORKFLOW};
use fake_github::{Fake, Pull, World};
use serde_json::json;

use crate::client::Client;

const COMMENTS: &str = "/repos/octo/quill/issues/5/comments";

fn fake() -> Fake {
    Fake::start(World::with_pull(Pull::new(5))).unwrap()
}

#[test]
fn the_nth_request_has_it_and_the_others_do_not() {
    let fake = fake();
    let client = Client { hub: &fake, token: WORKFLOW };
    fake.when("GET */comments").nth(2).times(2).answer(502, "Bad Gateway");
    fake.when("POST */issues/*").always().answer_with(
        503,
        &[("retry-after", "1")],
        json!({ "message": "no" }),
    );
    let statuses: Vec<u16> = (0..5).map(|_| client.get(COMMENTS).status).collect();
    assert_eq!(statuses, [200, 502, 502, 200, 200]);
    let answer = client.post(COMMENTS, &json!({ "body": "x" }));
    assert_eq!(
        (answer.status, answer.header("retry-after"), answer.body.as_str()),
        (503, Some("1"), r#"{"message":"no"}"#)
    );
    assert_eq!(client.get("/repos/octo/quill/pulls/5").status, 200);
    assert_eq!(fake.comments(5), []);
}

#[test]
fn work_may_be_done_although_the_answer_never_comes() {
    let fake = fake();
    let client = Client { hub: &fake, token: WORKFLOW };
    let post = || client.try_send("POST", COMMENTS, r#"{"body": "x"}"#).map(|answer| answer.status);
    fake.when("POST *").cut();
    assert_eq!((post(), fake.comments(5).len()), (None, 0));
    fake.when("POST *").done().cut();
    assert_eq!((post(), fake.comments(5).len()), (None, 1));
    fake.when("POST *").halve();
    assert_eq!((post(), fake.comments(5).len()), (None, 2));
    fake.when("POST *").done().answer(500, "");
    assert_eq!((post(), fake.comments(5).len()), (Some(500), 3));
    fake.when("POST *").delay(Duration::from_millis(1));
    assert_eq!((post(), fake.comments(5).len()), (Some(201), 4));
    insta::assert_snapshot!(fake.story(), @"
    POST /repos/octo/quill/issues/5/comments no answer
    POST /repos/octo/quill/issues/5/comments no answer
    POST /repos/octo/quill/issues/5/comments no answer
    POST /repos/octo/quill/issues/5/comments 500
    POST /repos/octo/quill/issues/5/comments 201
    ");
}

#[test]
fn others_act_before_or_after_the_work() {
    let fake = fake();
    let other = |hub: &fake_github::Hub| {
        // Nothing is locked: other clients may be served meanwhile.
        Client { hub, token: USER }.post(COMMENTS, &json!({ "body": "other" }));
    };
    fake.when("POST *").hook(other);
    let mine = || Client { hub: &fake, token: WORKFLOW }.post(COMMENTS, &json!({ "body": "mine" })).status;
    let bodies = || fake.comments(5).into_iter().map(|comment| comment.body).collect::<Vec<_>>();
    assert_eq!((mine(), bodies()), (201, vec!["other".into(), "mine".into()]));
    fake.with(|world| world.comments.clear());
    fake.when("POST *").done().hook(other);
    assert_eq!((mine(), bodies()), (201, vec!["mine".into(), "other".to_owned()]));
}

#[test]
fn limits_come_with_githubs_headers() {
    let fake = fake();
    let client = Client { hub: &fake, token: WORKFLOW };
    fake.when("GET *").limit_until(60);
    fake.when("GET *").limit_for(Some(7));
    fake.when("GET *").limit_for(None);
    let [first, second, third] = [(); 3].map(|()| client.get(COMMENTS));
    assert_eq!((first.status, first.header("x-ratelimit-remaining")), (403, Some("0")));
    assert_eq!(
        (
            second.header("retry-after"),
            second.header("x-ratelimit-remaining").is_some_and(|left| left != "0")
        ),
        (Some("7"), true)
    );
    assert_eq!((third.status, third.header("retry-after")), (403, None));
}

#[test]
fn a_graphql_operation_is_named_by_its_first_field() {
    let fake = fake();
    fake.when("GRAPHQL view*").answer(200, json!({ "errors": [{ "message": "down", "type": "INTERNAL" }] }));
    let client = Client { hub: &fake, token: WORKFLOW };
    assert_eq!(client.graphql("{ viewer { login } }", &json!({})), "INTERNAL: down");
    let told: Vec<String> = fake.requests().iter().map(ToString::to_string).collect();
    assert_eq!(told, ["GRAPHQL viewer errors"]);
}

#[test]
fn the_journal_has_no_tokens() {
    let fake = fake();
    Client { hub: &fake, token: WORKFLOW }.post(COMMENTS, &json!({ "body": "x" }));
    let entry = &fake.requests()[0];
    assert_eq!(entry.login.as_deref(), Some("github-actions[bot]"));
    assert!(!format!("{entry:?}{}", serde_json::to_string(entry).unwrap()).contains(WORKFLOW));
}
