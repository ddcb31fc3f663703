//! Fault injection.

use std::io::{Read, Write};
use std::net::TcpStream;

use fake_github::account::{USER, WORKFLOW};
use fake_github::{Fake, Pull, World};
use serde_json::json;

use crate::client::Client;

const COMMENTS: &str = "/repos/octo/quill/issues/5/comments";

fn fake() -> Fake {
    Fake::start(World::with_pull(Pull::new(5))).unwrap()
}

#[test]
fn only_the_chosen_requests_are_affected() {
    let fake = fake();
    let client = Client {
        hub: &fake,
        token: WORKFLOW,
    };
    fake.when("GET */comments")
        .nth(2)
        .times(2)
        .answer(502, "Bad Gateway");
    fake.when("POST */issues/*").always().answer_with(
        503,
        &[("retry-after", "1")],
        json!({ "message": "no" }),
    );
    let statuses: Vec<u16> = (0..5).map(|_| client.get(COMMENTS).status).collect();
    assert_eq!(statuses, [200, 502, 502, 200, 200]);
    let answer = client.post(COMMENTS, &json!({ "body": "x" }));
    assert_eq!(
        (
            answer.status,
            answer.header("retry-after"),
            answer.body.as_str()
        ),
        (503, Some("1"), r#"{"message":"no"}"#)
    );
    assert_eq!(client.get("/repos/octo/quill/pulls/5").status, 200);
    assert_eq!(fake.comments(5), []);
}

#[test]
fn done_requests_take_effect_without_a_response() {
    let fake = fake();
    let client = Client {
        hub: &fake,
        token: WORKFLOW,
    };
    let post = || {
        client
            .try_send("POST", COMMENTS, r#"{"body": "x"}"#)
            .map(|answer| answer.status)
    };
    fake.when("POST *").cut();
    assert_eq!((post(), fake.comments(5).len()), (None, 0));
    fake.when("POST *").done().cut();
    assert_eq!((post(), fake.comments(5).len()), (None, 1));
    fake.when("POST *").halve();
    assert_eq!((post(), fake.comments(5).len()), (None, 2));
    fake.when("POST *").done().answer(500, "");
    assert_eq!((post(), fake.comments(5).len()), (Some(500), 3));
    let story: Vec<String> = fake.writes().iter().map(ToString::to_string).collect();
    insta::assert_snapshot!(story.join("\n"), @"
    POST /repos/octo/quill/issues/5/comments no answer
    POST /repos/octo/quill/issues/5/comments no answer
    POST /repos/octo/quill/issues/5/comments no answer
    POST /repos/octo/quill/issues/5/comments 500
    ");
}

#[test]
fn hooks_run_before_or_after_the_request() {
    let fake = fake();
    let other = |hub: &fake_github::Hub| {
        // The fake holds no lock while a hook runs.
        Client { hub, token: USER }.post(COMMENTS, &json!({ "body": "other" }));
    };
    fake.when("POST *").hook(other);
    let mine = || {
        Client {
            hub: &fake,
            token: WORKFLOW,
        }
        .post(COMMENTS, &json!({ "body": "mine" }))
        .status
    };
    let bodies = || {
        fake.comments(5)
            .into_iter()
            .map(|comment| comment.body)
            .collect::<Vec<_>>()
    };
    assert_eq!(
        (mine(), bodies()),
        (201, vec!["other".into(), "mine".into()])
    );
    fake.with(|world| world.comments.clear());
    fake.when("POST *").done().hook(other);
    assert_eq!(
        (mine(), bodies()),
        (201, vec!["mine".into(), "other".to_owned()])
    );
}

#[test]
fn rate_limits_have_the_headers_of_github() {
    let fake = fake();
    let client = Client {
        hub: &fake,
        token: WORKFLOW,
    };
    fake.when("GET *").limit_until(60);
    fake.when("GET *").limit_for(Some(7));
    fake.when("GET *").limit_for(None);
    let [first, second, third] = [(); 3].map(|()| client.get(COMMENTS));
    assert_eq!(
        (first.status, first.header("x-ratelimit-remaining")),
        (403, Some("0"))
    );
    assert_eq!(
        (
            second.header("retry-after"),
            second.header("x-ratelimit-remaining")
        ),
        (Some("7"), None)
    );
    assert_eq!((third.status, third.header("retry-after")), (403, None));
}

#[test]
fn graphql_operation_is_called_like_its_first_field() {
    let fake = fake();
    fake.when("GRAPHQL view*").answer(
        200,
        json!({ "errors": [{ "message": "down", "type": "INTERNAL" }] }),
    );
    let client = Client {
        hub: &fake,
        token: WORKFLOW,
    };
    assert_eq!(
        client.graphql("{ viewer { login } }", &json!({})),
        "INTERNAL: down"
    );
    let outcome: Vec<String> = fake.requests().iter().map(ToString::to_string).collect();
    assert_eq!(outcome, ["GRAPHQL viewer errors"]);
}

#[test]
fn halve_truncates_the_body() {
    let fake = fake();
    fake.when("GET *").halve();
    let mut stream = TcpStream::connect(fake.url().trim_start_matches("http://")).unwrap();
    stream
        .write_all(b"GET /repos/octo/quill/pulls/5 HTTP/1.1\r\nuser-agent: test\r\n\r\n")
        .unwrap();
    let mut received = Vec::new();
    // A cut connection is an error on some systems.
    let _ = stream.read_to_end(&mut received);
    let received = String::from_utf8(received).unwrap();
    let (head, body) = received.split_once("\r\n\r\n").unwrap();
    let length = head
        .lines()
        .find_map(|line| line.strip_prefix("content-length: "))
        .unwrap();
    assert_eq!(body.len(), length.parse::<usize>().unwrap() / 2);
}

#[test]
fn invalid_header_in_a_fault_is_reported() {
    let fake = fake();
    fake.when("GET *").answer_with(200, &[("a b", "c")], "");
    let client = Client {
        hub: &fake,
        token: WORKFLOW,
    };
    assert_eq!(
        client.outcome("GET", COMMENTS, &json!(null)),
        "500 invalid header `a b: c` in a fault"
    );
}
