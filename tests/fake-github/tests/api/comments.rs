//! Comments on pull requests.

use fake_github::account::{EXPIRED, READ_ONLY, STRANGER, USER, WORKFLOW};
use fake_github::{Fake, Pull, World};
use serde_json::{Value, json};

use crate::client::Client;

const COMMENTS: &str = "/repos/octo/quill/issues/5/comments";

fn fake() -> Fake {
    let mut world = World::with_pull(Pull::new(5));
    world.open(Pull::new(6).locked());
    Fake::start(world).unwrap()
}

#[test]
fn written_comments_can_be_read_until_deleted() {
    let fake = fake();
    let client = Client {
        hub: &fake,
        token: WORKFLOW,
    };
    let created = client.post(COMMENTS, &json!({ "body": "one" }));
    let (status, id) = (created.status, created.json()["id"].as_u64().unwrap());
    let place = format!("/repos/octo/quill/issues/comments/{id}");
    assert_eq!(
        (status, created.json()["user"]["login"].as_str()),
        (201, Some("github-actions[bot]"))
    );
    let updated = client.send("PATCH", &place, r#"{"body": "two"}"#).json();
    assert_eq!(client.get(COMMENTS).json()[0], updated);
    assert_eq!(updated["body"], "two");
    assert_eq!(client.send("DELETE", &place, "").status, 204);
    assert_eq!(client.get(COMMENTS).json(), json!([]));
    let story: Vec<String> = fake.writes().iter().map(ToString::to_string).collect();
    insta::assert_snapshot!(story.join("\n"), @r"
    POST /repos/octo/quill/issues/5/comments 201
    PATCH /repos/octo/quill/issues/comments/1000001 200
    DELETE /repos/octo/quill/issues/comments/1000001 204
    ");
}

#[test]
fn page_links_point_to_a_closed_port() {
    let fake = fake();
    for number in 0..70 {
        fake.with(|world| world.comment(5, "ada", &number.to_string()));
    }
    let client = Client {
        hub: &fake,
        token: WORKFLOW,
    };
    let texts = |path: &str| {
        let comments = client.get(path).json();
        let text = |at: usize| comments[at]["body"].as_str().unwrap_or_default().to_owned();
        let count = comments.as_array().unwrap().len();
        (count, text(0), text(count.saturating_sub(1)))
    };
    assert_eq!(texts(COMMENTS), (30, "0".into(), "29".into()));
    assert_eq!(texts(&format!("{COMMENTS}?per_page=1000")).0, 70);
    assert_eq!(
        texts(&format!("{COMMENTS}?page=3")),
        (10, "60".into(), "69".into())
    );
    assert_eq!(texts(&format!("{COMMENTS}?page=4")).0, 0);
    let link = |page: u32| {
        let answer = client.get(&format!("/api/v3{COMMENTS}?per_page=25&page={page}"));
        answer.header("link").map(str::to_owned)
    };
    assert_eq!(link(3), None);
    insta::assert_snapshot!(link(2).unwrap(), @r#"<http://127.0.0.1:9/repositories/7/list?page=3>; rel="next""#);
}

#[test]
fn errors_have_the_messages_of_github() {
    let fake = fake();
    fake.with(|world| world.comment(6, "ada", "hidden"));
    let body = json!({ "body": "text" });
    let outcome = |token: &str, path: &str, body: &Value| {
        Client { hub: &fake, token }.outcome("POST", path, body)
    };
    let locked = "/repos/octo/quill/issues/6/comments";
    let all = [
        outcome(EXPIRED, COMMENTS, &body),
        outcome("", COMMENTS, &body),
        outcome(READ_ONLY, COMMENTS, &body),
        outcome(STRANGER, COMMENTS, &body),
        outcome(WORKFLOW, locked, &body),
        outcome(USER, locked, &body),
        outcome(WORKFLOW, "/repos/octo/quill/issues/7/comments", &body),
        outcome(WORKFLOW, "/repos/octo/ink/issues/5/comments", &body),
        outcome(WORKFLOW, COMMENTS, &json!({ "body": "é".repeat(65_537) })),
        outcome(WORKFLOW, COMMENTS, &json!({ "body": "é".repeat(65_536) })),
        outcome(WORKFLOW, COMMENTS, &json!({ "body": " \n" })),
        outcome(WORKFLOW, COMMENTS, &json!({ "text": "x" })),
        Client {
            hub: &fake,
            token: WORKFLOW,
        }
        .outcome("PATCH", "/repos/octo/quill/issues/comments/9", &body),
    ];
    insta::assert_snapshot!(all.join("\n"), @r#"
    401 Bad credentials
    401 Requires authentication
    403 Resource not accessible by integration
    403 Resource not accessible by personal access token
    403 Unable to create comment because issue is locked.
    201 
    404 Not Found
    404 Not Found
    422 Body is too long (maximum is 65536 characters)
    201 
    422 Body cannot be blank
    422 Invalid request.

    "body" wasn't supplied.
    404 Not Found
    "#);
}

#[test]
fn strangers_cannot_find_a_private_repository() {
    let fake = fake();
    let status = |token| Client { hub: &fake, token }.get(COMMENTS).status;
    assert_eq!(
        [WORKFLOW, READ_ONLY, STRANGER, ""].map(status),
        [200, 200, 200, 200]
    );
    fake.with(|world| world.private = true);
    assert_eq!(
        [WORKFLOW, READ_ONLY, STRANGER, ""].map(status),
        [200, 200, 404, 404]
    );
}

#[test]
fn ids_are_never_reused() {
    let fake = fake();
    let client = Client {
        hub: &fake,
        token: WORKFLOW,
    };
    let create = || {
        client.post(COMMENTS, &json!({ "body": "text" })).json()["id"]
            .as_u64()
            .unwrap()
    };
    let first = create();
    client.send(
        "DELETE",
        &format!("/repos/octo/quill/issues/comments/{first}"),
        "",
    );
    let second = create();
    assert_eq!([first, second], [1_000_001, 1_000_002]);
}

#[test]
fn author_of_a_comment_from_a_deleted_account_is_null() {
    let fake = fake();
    fake.with(|world| world.comment(5, "", "text"));
    let comments = Client {
        hub: &fake,
        token: WORKFLOW,
    }
    .get(COMMENTS)
    .json();
    assert_eq!(comments[0].get("user"), Some(&Value::Null));
}
