//! Branches, commits and files.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use fake_github::account::{APP, READ_ONLY, WORKFLOW};
use fake_github::{Fake, World};
use serde_json::{Value, json};

use crate::client::Client;

const COMMIT: &str =
    "mutation($input: CreateCommitOnBranchInput!) { createCommitOnBranch(input: $input) { commit { oid } } }";

fn fake() -> Fake {
    Fake::start(World::default()).unwrap()
}

/// The variables of a commit that writes `a b/ü"\.txt` and removes `README.md`.
fn variables(branch: &str, head: &str) -> Value {
    let contents = BASE64_STANDARD.encode(b"\xff\r\n\0");
    json!({ "input": {
        "branch": { "repositoryNameWithOwner": "octo/quill", "branchName": branch },
        "expectedHeadOid": head,
        "message": { "headline": "Refresh", "body": "Of: x" },
        "fileChanges": { "additions": [{ "path": "a b/ü\"\\.txt", "contents": contents }], "deletions": [{ "path": "README.md" }] },
    } })
}

#[test]
fn a_commit_is_made_in_the_real_repository() {
    let fake = fake();
    let client = Client { hub: &fake, token: WORKFLOW };
    let before = fake.git().head("main").unwrap();
    let answer = client.graphql(COMMIT, &variables("main", &before));
    let head = fake.git().head("main").unwrap();
    assert_eq!(answer, format!(r#"{{"createCommitOnBranch":{{"commit":{{"oid":"{head}"}}}}}}"#));
    let git = fake.git();
    assert_eq!((git.message(&head), git.parents(&head)), (Some("Refresh\n\nOf: x".into()), vec![before]));
    assert_eq!(git.file("main", "a b/ü\"\\.txt").unwrap(), b"\xff\r\n\0");
    assert_eq!(git.file("main", "README.md"), None);
    let commits = client.get("/repos/octo/quill/commits?path=a%20b%2F%C3%BC%22%5C.txt").json();
    let seen = &commits[0];
    assert_eq!(
        (seen["author"]["login"].as_str(), seen["committer"]["login"].as_str()),
        (Some("github-actions[bot]"), Some("web-flow"))
    );
    assert_eq!(seen["commit"]["verification"]["verified"], true);
    assert_eq!(commits.as_array().unwrap().len(), 1);
}

#[test]
fn a_commit_is_refused_for_what_github_refuses() {
    let fake = fake();
    let head = fake.git().head("main").unwrap();
    let told = |token, branch: &str, head: &str| {
        Client { hub: &fake, token }.graphql(COMMIT, &variables(branch, head))
    };
    let mut all = vec![
        told(WORKFLOW, "main", &"0".repeat(40)),
        told(READ_ONLY, "main", &head),
        told(WORKFLOW, "other", &head),
    ];
    fake.with(|world| world.protected.push("main".into()));
    all.push(told(WORKFLOW, "main", &head));
    assert_eq!(fake.git().head("main").unwrap(), head);
    all.push(told(APP, "main", &head).split(':').next().unwrap().into());
    assert_ne!(fake.git().head("main").unwrap(), head);
    let mut wrong = variables("main", &head);
    wrong["input"]["expectedHead"] = json!("x");
    all.push(Client { hub: &fake, token: APP }.graphql(COMMIT, &wrong));
    all.push(Client { hub: &fake, token: APP }.graphql("{ viewer { name } }", &Value::Null));
    all.push(Client { hub: &fake, token: APP }.graphql("mutation { mergeBranch { x } }", &Value::Null));
    insta::assert_snapshot!(all.join("\n").replace(&head, "HEAD"), @r#"
    STALE_DATA: Expected branch to point to "0000000000000000000000000000000000000000" but it did not.  Pull and try again.
    FORBIDDEN: Resource not accessible by integration
    NOT_FOUND: No such branch 'other' in the repository
    UNPROCESSABLE: Repository rule violations found

    Changes must be made through a pull request.


    {"createCommitOnBranch"
    -: Variable $input was provided invalid value: unknown field `expectedHead`, expected one of `branch`, `message`, `expectedHeadOid`, `fileChanges`, `clientMutationId`
    -: Field 'name' doesn't exist on type 'User'
    -: Field 'mergeBranch' doesn't exist on type 'Mutation'
    "#);
}

#[test]
fn branches_are_made_and_deleted() {
    let fake = fake();
    let client = Client { hub: &fake, token: WORKFLOW };
    let head = fake.git().head("main").unwrap();
    let new = |name: &str, sha: &str| {
        client.told("POST", "/repos/octo/quill/git/refs", &json!({ "ref": name, "sha": sha }))
    };
    let all = [
        new("refs/heads/perf/a", &head),
        new("refs/heads/perf/a", &head),
        new("refs/heads/perf", &head),
        new("refs/heads/a..b", &head),
        new("main", &head),
        new("refs/heads/c", &"1".repeat(40)),
        client.told("DELETE", "/repos/octo/quill/git/refs/heads%2Fnone", &Value::Null),
        client.told("GET", "/repos/octo/quill/git/ref/heads%2Fperf%2Fa", &Value::Null),
        client.told("DELETE", "/repos/octo/quill/git/refs/heads%2Fperf%2Fa", &Value::Null),
        client.told("GET", "/repos/octo/quill/git/ref/heads/perf/a", &Value::Null),
    ];
    insta::assert_snapshot!(all.join("\n"), @"
    201 
    422 Reference already exists
    422 Reference update failed
    422 refs/heads/a..b is not a valid ref name.
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
fn comparisons_tell_where_a_commit_is_and_which_files_changed() {
    let fake = fake();
    let (git, client) = (fake.git(), Client { hub: &fake, token: WORKFLOW });
    let base = git.head("main").unwrap();
    let long = "one\ntwo\nthree\nfour\n";
    let one = git.push("main", &[("old.txt", long), ("b.txt", "b")], "One").unwrap();
    git.push("side", &[("side.txt", "x")], "Side").unwrap();
    git.push("side", &[("new name.txt", long), ("b.txt", "c")], "Rename").unwrap();
    git.remove("side", "old.txt", "Rename").unwrap();
    let two = git.push("main", &[("c.txt", "c")], "Two").unwrap();
    let seen = |from: &str, to: &str| {
        let answer = client.get(&format!("/repos/octo/quill/compare/{from}...{to}")).json();
        let files: Vec<String> = answer["files"]
            .as_array()
            .unwrap()
            .iter()
            .map(|file| {
                format!("{} {} {}", file["status"], file["filename"], file["previous_filename"])
                    .replace('"', "")
            })
            .collect();
        let count = answer["commits"].as_array().unwrap().len();
        (answer["status"].clone(), answer["ahead_by"].clone(), answer["behind_by"].clone(), count, files)
    };
    assert_eq!(seen(&one, &one), (json!("identical"), json!(0), json!(0), 0, vec![]));
    assert_eq!(seen(&two, &base).0, "behind");
    let (status, ahead, behind, count, files) = seen(&two, "side");
    assert_eq!((status, ahead, behind, count), (json!("diverged"), json!(3), json!(1), 3));
    insta::assert_snapshot!(files.join("\n"), @"
    modified b.txt null
    renamed new name.txt old.txt
    added side.txt null
    ");
}

#[test]
fn comparisons_page_their_commits_and_know_what_is_not_there() {
    let fake = fake();
    let (git, client) = (fake.git(), Client { hub: &fake, token: WORKFLOW });
    let base = git.head("main").unwrap();
    git.push("main", &[("a", "1")], "One").unwrap();
    let head = git.push("main", &[("a", "2")], "Two").unwrap();
    let seen = client.get(&format!("/repos/octo/quill/compare/{base}...{head}?per_page=1")).json();
    let count = seen["commits"].as_array().unwrap().len();
    assert_eq!((count, &seen["total_commits"], &seen["files"][0]["filename"]), (1, &json!(2), &json!("a")));
    assert_eq!(client.get(&format!("/repos/octo/quill/compare/{base}...{}", "1".repeat(40))).status, 404);
}

#[test]
fn files_are_read_at_any_commit() {
    let fake = fake();
    let (git, client) = (fake.git(), Client { hub: &fake, token: WORKFLOW });
    let before = git.head("main").unwrap();
    git.push("main", &[("docs/perf page.md", "numbers\r\n")], "Docs").unwrap();
    let read = |path: &str| {
        let answer = client.get(&format!("/repos/octo/quill/contents/{path}"));
        if answer.status == 200 { answer.body } else { answer.status.to_string() }
    };
    assert_eq!(read("docs%2Fperf%20page.md"), "numbers\r\n");
    assert_eq!(read("docs/perf%20page.md?ref=main"), "numbers\r\n");
    assert_eq!(read(&format!("docs/perf%20page.md?ref={before}")), "404");
    assert_eq!(read("none.md"), "404");
    assert_eq!(read("..%2FREADME.md"), "404");
    assert_eq!(read("README.md?ref=nowhere"), "404");
}
