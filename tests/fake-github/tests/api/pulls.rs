//! Pull requests.

use fake_github::account::{READ_ONLY, WORKFLOW};
use fake_github::{Fake, Pull, PullState, World};
use serde_json::{Value, json};

use crate::client::Client;

const PULLS: &str = "/repos/octo/quill/pulls";
const AUTO: &str = "mutation($input: EnablePullRequestAutoMergeInput!) { enablePullRequestAutoMerge(input: $input) { pullRequest { number } } }";

#[test]
fn deleting_a_branch_closes_its_pull_request() {
    let fake = Fake::start(World::default()).unwrap();
    let client = Client {
        hub: &fake,
        token: WORKFLOW,
    };
    let sha = fake.git().push("perf", &[("a", "b")], "Perf").unwrap();
    let new = json!({ "title": "Refresh", "body": "text", "head": "perf", "base": "main" });
    let opened = client.post(PULLS, &new).json();
    assert_eq!(
        (opened["number"].as_u64(), opened["head"]["sha"].as_str()),
        (Some(1), Some(sha.as_str()))
    );
    assert_eq!(
        client
            .get(&format!("{PULLS}?state=open&base=main&head=octo:perf"))
            .json()[0]["number"],
        1
    );
    assert_eq!(
        client.get(&format!("{PULLS}?state=open&base=perf")).json(),
        json!([])
    );
    assert_eq!(
        client.outcome("POST", PULLS, &new),
        "422 A pull request already exists for octo:perf."
    );
    assert_eq!(
        client
            .send("DELETE", "/repos/octo/quill/git/refs/heads/perf", "")
            .status,
        204
    );
    let closed = client.get(&format!("{PULLS}/1")).json();
    assert_eq!(
        (closed["state"].as_str(), closed["head"]["sha"].as_str()),
        (Some("closed"), Some(sha.as_str()))
    );
    assert_eq!(fake.pulls()[0].state, PullState::Closed);
}

#[test]
fn errors_have_the_messages_of_github() {
    let fake = Fake::start(World::default()).unwrap();
    fake.git()
        .reset("same", &fake.git().head("main").unwrap())
        .unwrap();
    let outcome = |token, head: &str, base: &str| {
        Client { hub: &fake, token }.outcome(
            "POST",
            PULLS,
            &json!({ "title": "T", "head": head, "base": base }),
        )
    };
    let mut all = vec![
        outcome(READ_ONLY, "same", "main"),
        outcome(WORKFLOW, "none", "main"),
        outcome(WORKFLOW, "main", "none"),
        outcome(WORKFLOW, "same", "main"),
    ];
    fake.with(|world| world.actions_may_propose = false);
    all.push(outcome(WORKFLOW, "same", "main"));
    insta::assert_snapshot!(all.join("\n"), @"
    403 Resource not accessible by integration
    422 head is invalid
    422 base is invalid
    422 No commits between main and same
    403 GitHub Actions is not permitted to create or approve pull requests.
    ");
}

#[test]
fn auto_merge_requires_a_protected_base() {
    let fake = Fake::start(World::with_pull(Pull::new(5))).unwrap();
    let client = Client {
        hub: &fake,
        token: WORKFLOW,
    };
    let id = client.get(&format!("{PULLS}/5")).json()["node_id"].clone();
    let outcome = |id: &Value| {
        client.graphql(
            AUTO,
            &json!({ "input": { "pullRequestId": id, "mergeMethod": "SQUASH" } }),
        )
    };
    let mut all = vec![outcome(&json!("PR_none")), outcome(&id)];
    fake.with(|world| world.protected.push("main".into()));
    all.push(outcome(&id));
    assert_eq!(
        client.get(&format!("{PULLS}/5")).json()["auto_merge"]["merge_method"],
        "squash"
    );
    fake.with(|world| world.allow_auto_merge = false);
    all.push(outcome(&id));
    let closed = client
        .send("PATCH", &format!("{PULLS}/5"), r#"{"state": "closed"}"#)
        .json();
    assert_eq!(
        (&closed["state"], &closed["auto_merge"]),
        (&json!("closed"), &Value::Null)
    );
    insta::assert_snapshot!(all.join("\n"), @r#"
    NOT_FOUND: Could not resolve to a node with the global id of 'PR_none'
    UNPROCESSABLE: Pull request Pull request is in clean status
    {"enablePullRequestAutoMerge":{"pullRequest":{"number":5}}}
    UNPROCESSABLE: Auto merge is not allowed for this repository
    "#);
}

#[test]
fn head_commit_follows_the_branch() {
    let mut world = World::with_pull(Pull::new(5).branch("topic"));
    world.open(
        Pull::new(6)
            .branch("patch-1")
            .fork("mallory/quill")
            .at(&"a".repeat(40)),
    );
    let fake = Fake::start(world).unwrap();
    let head = |number| {
        Client {
            hub: &fake,
            token: WORKFLOW,
        }
        .get(&format!("{PULLS}/{number}"))
        .json()["head"]
            .clone()
    };
    assert_eq!(head(5)["sha"], format!("{:040x}", 5));
    let topic = fake.git().push("topic", &[("a", "b")], "Topic").unwrap();
    assert_eq!(head(5)["sha"], topic);
    assert_eq!(
        (&head(6)["sha"], &head(6)["repo"]["full_name"]),
        (&json!("a".repeat(40)), &json!("mallory/quill"))
    );
}

#[test]
fn existing_repository_is_served() {
    let folder = tempfile::tempdir().unwrap();
    let repository = folder.path().join("own.git");
    let first = Fake::start_with(World::default(), &repository).unwrap();
    let commit = first.git().push("main", &[("a", "b")], "A").unwrap();
    drop(first);
    let second = Fake::start_with(World::default(), &repository).unwrap();
    assert_eq!(second.git().head("main"), Some(commit));
}
