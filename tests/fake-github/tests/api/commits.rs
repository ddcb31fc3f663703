//! Branches, commits and files.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use fake_github::account::{APP, READ_ONLY, WORKFLOW};
use fake_github::{Fake, World};
use serde_json::{Value, json};

use crate::client::Client;

const COMMIT: &str = "mutation($input: CreateCommitOnBranchInput!) { createCommitOnBranch(input: $input) { commit { oid } } }";

fn fake() -> Fake {
    Fake::start(World::default()).unwrap()
}

/// The variables of a commit that adds `a b/ü"\.txt`.
fn variables(branch: &str, head: &str) -> Value {
    let contents = BASE64_STANDARD.encode(b"\xff\r\n\0");
    json!({ "input": {
        "branch": { "repositoryNameWithOwner": "octo/quill", "branchName": branch },
        "expectedHeadOid": head,
        "message": { "headline": "Refresh", "body": "Of: x" },
        "fileChanges": { "additions": [{ "path": "a b/ü\"\\.txt", "contents": contents }] },
    } })
}

#[test]
fn commits_reach_the_repository() {
    let fake = fake();
    let client = Client {
        hub: &fake,
        token: WORKFLOW,
    };
    let before = fake.git().head("main").unwrap();
    let answer = client.graphql(COMMIT, &variables("main", &before));
    let head = fake.git().head("main").unwrap();
    assert_eq!(
        answer,
        format!(r#"{{"createCommitOnBranch":{{"commit":{{"oid":"{head}"}}}}}}"#)
    );
    let git = fake.git();
    assert_eq!(
        (git.message(&head), git.parents(&head)),
        (Some("Refresh\n\nOf: x".into()), vec![before])
    );
    assert_eq!(git.file("main", "a b/ü\"\\.txt").unwrap(), b"\xff\r\n\0");
    let commits = client
        .get("/repos/octo/quill/commits?path=a%20b%2F%C3%BC%22%5C.txt")
        .json();
    let seen = &commits[0];
    assert_eq!(
        (
            seen["author"]["login"].as_str(),
            seen["committer"]["login"].as_str()
        ),
        (Some("github-actions[bot]"), Some("web-flow"))
    );
    assert_eq!(seen["commit"]["verification"]["verified"], true);
    assert_eq!(commits.as_array().unwrap().len(), 1);
}

#[test]
fn rejected_commits_have_the_errors_of_github() {
    let fake = fake();
    let head = fake.git().head("main").unwrap();
    let outcome = |token, branch: &str, head: &str| {
        Client { hub: &fake, token }.graphql(COMMIT, &variables(branch, head))
    };
    let mut all = vec![
        outcome(WORKFLOW, "main", &"0".repeat(40)),
        outcome(READ_ONLY, "main", &head),
        outcome(WORKFLOW, "other", &head),
    ];
    fake.with(|world| world.protected.push("main".into()));
    all.push(outcome(WORKFLOW, "main", &head));
    assert_eq!(fake.git().head("main").unwrap(), head);
    all.push(
        outcome(APP, "main", &head)
            .split(':')
            .next()
            .unwrap()
            .into(),
    );
    assert_ne!(fake.git().head("main").unwrap(), head);
    all.push(
        Client {
            hub: &fake,
            token: APP,
        }
        .graphql("{ viewer { name } }", &Value::Null),
    );
    all.push(
        Client {
            hub: &fake,
            token: APP,
        }
        .graphql("mutation { mergeBranch { x } }", &Value::Null),
    );
    insta::assert_snapshot!(all.join("\n").replace(&head, "HEAD"), @r#"
    STALE_DATA: Expected branch to point to "0000000000000000000000000000000000000000" but it did not.  Pull and try again.
    FORBIDDEN: Resource not accessible by integration
    NOT_FOUND: No such branch 'other' in the repository
    UNPROCESSABLE: Repository rule violations found

    Changes must be made through a pull request.


    {"createCommitOnBranch"
    {"viewer":{}}
    -: Field doesn't exist
    "#);
}

#[test]
fn branches_are_created_and_deleted() {
    let fake = fake();
    let client = Client {
        hub: &fake,
        token: WORKFLOW,
    };
    let head = fake.git().head("main").unwrap();
    let new = |name: &str, sha: &str| {
        client.outcome(
            "POST",
            "/repos/octo/quill/git/refs",
            &json!({ "ref": name, "sha": sha }),
        )
    };
    let all = [
        new("refs/heads/perf/a", &head),
        new("refs/heads/perf/a", &head),
        new("refs/heads/perf", &head),
        new("refs/heads/a..b", &head),
        new("main", &head),
        new("refs/heads/c", &"1".repeat(40)),
        client.outcome(
            "DELETE",
            "/repos/octo/quill/git/refs/heads%2Fnone",
            &Value::Null,
        ),
        client.outcome(
            "GET",
            "/repos/octo/quill/git/ref/heads%2Fperf%2Fa",
            &Value::Null,
        ),
        client.outcome(
            "DELETE",
            "/repos/octo/quill/git/refs/heads%2Fperf%2Fa",
            &Value::Null,
        ),
        client.outcome(
            "GET",
            "/repos/octo/quill/git/ref/heads/perf/a",
            &Value::Null,
        ),
    ];
    insta::assert_snapshot!(all.join("\n"), @"
    201 
    422 Reference already exists
    422 Reference update failed
    422 Reference update failed
    422 Reference name must start with 'refs/'.
    422 Object does not exist
    422 Reference does not exist
    200 
    204 
    404 Not Found
    ");
    assert_eq!(fake.git().branches(), ["main"]);
}

#[test]
fn comparisons_contain_distance_and_files() {
    let fake = fake();
    let (git, client) = (
        fake.git(),
        Client {
            hub: &fake,
            token: WORKFLOW,
        },
    );
    let base = git.head("main").unwrap();
    let long = "one\ntwo\nthree\nfour\n";
    let one = git
        .push("main", &[("old.txt", long), ("b.txt", "b")], "One")
        .unwrap();
    git.push("side", &[("side.txt", "x")], "Side").unwrap();
    git.push("side", &[("new name.txt", long), ("b.txt", "c")], "Rename")
        .unwrap();
    git.remove("side", "old.txt", "Rename").unwrap();
    let two = git.push("main", &[("c.txt", "c")], "Two").unwrap();
    let seen = |from: &str, to: &str| {
        let answer = client
            .get(&format!("/repos/octo/quill/compare/{from}...{to}"))
            .json();
        let files: Vec<String> = answer["files"]
            .as_array()
            .unwrap()
            .iter()
            .map(|file| {
                format!(
                    "{} {} {}",
                    file["status"], file["filename"], file["previous_filename"]
                )
                .replace('"', "")
            })
            .collect();
        (
            answer["status"].clone(),
            answer["ahead_by"].clone(),
            answer["behind_by"].clone(),
            files,
        )
    };
    assert_eq!(
        seen(&one, &one),
        (json!("identical"), json!(0), json!(0), vec![])
    );
    assert_eq!(seen(&two, &base).0, "behind");
    let (status, ahead, behind, files) = seen(&two, "side");
    assert_eq!(
        (status, ahead, behind),
        (json!("diverged"), json!(3), json!(1))
    );
    insta::assert_snapshot!(files.join("\n"), @"
    modified b.txt null
    renamed new name.txt old.txt
    added side.txt null
    ");
}

#[test]
fn files_can_be_read_at_any_commit() {
    let fake = fake();
    let (git, client) = (
        fake.git(),
        Client {
            hub: &fake,
            token: WORKFLOW,
        },
    );
    let before = git.head("main").unwrap();
    git.push("main", &[("docs/perf page.md", "numbers\r\n")], "Docs")
        .unwrap();
    let read = |path: &str| {
        let answer = client.get(&format!("/repos/octo/quill/contents/{path}"));
        if answer.status == 200 {
            answer.body
        } else {
            answer.status.to_string()
        }
    };
    assert_eq!(read("docs%2Fperf%20page.md"), "numbers\r\n");
    assert_eq!(read("docs/perf%20page.md?ref=main"), "numbers\r\n");
    assert_eq!(read(&format!("docs/perf%20page.md?ref={before}")), "404");
    assert_eq!(read("none.md"), "404");
    assert_eq!(read("..%2FREADME.md"), "404");
    assert_eq!(read("README.md?ref=nowhere"), "404");
}
