//! Makes every call for `tests/contract/run`: to the fake through Prism, which validates requests and responses with
//! GitHub's description of its API. Without Prism, the test is skipped with a message.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::fs::{self, File};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command};
use std::thread::sleep;
use std::time::Duration;

use fake_github::account::{self, Permission};
use fake_github::{Fake, Pull, World};
use perf_github::{
    Api, ApiErrorKind, Check, Client, ClientSettings, CommitId, NewCommit, NewPull, RunAttempt,
    State, Token,
};
use serde_json::json;

const PULL: u64 = 5;

/// A file's content. It is minimal JSON, because Prism treats `raw+json` as JSON and rewrites it.
const FILE: &[u8] = br#"{"cpu":"x"}"#;

/// Prism's port. Prism cannot choose a free one.
const PORT: u16 = 4010;

/// Prism in front of the fake.
struct Prism(Child);

impl Prism {
    /// Starts Prism in a folder with its packages and the API description.
    fn start(work: &Path, fake: &Fake) -> Self {
        let mut command = Command::new("node");
        command.args([
            "node_modules/@stoplight/prism-cli/dist/index.js",
            "proxy",
            "--errors",
            "--port",
        ]);
        command
            .args([&PORT.to_string(), "api.json", fake.url()])
            .current_dir(work);
        let prism = Self(
            command
                .stdout(File::create(work.join("prism.log")).unwrap())
                .spawn()
                .unwrap(),
        );
        for _ in 0..300 {
            if TcpStream::connect(("127.0.0.1", PORT)).is_ok() {
                return prism;
            }
            sleep(Duration::from_millis(100));
        }
        unreachable!("Prism does not listen: see prism.log in {}", work.display());
    }
}

impl Drop for Prism {
    fn drop(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

fn world() -> World {
    let mut world = World {
        protected: vec!["main".into()],
        ..World::with_pull(Pull::new(5))
    };
    world.open(Pull::new(6).branch("patch-1").fork("mallory/quill"));
    world.comment(5, "ada", "Nice.");
    world.comments[0].minimized = Some("outdated".into());
    world.comment(5, "", "From an account that is gone.");
    world
        .tokens
        .get_mut(account::WORKFLOW)
        .unwrap()
        .writes
        .push(Permission::Checks);
    let job = |name: &str, status: &str| (name.to_owned(), status.to_owned());
    world.jobs = vec![job("perf (1)", "completed"), job("perf (2)", "in_progress")];
    world
}

fn client(url: &str, token: &str) -> Client {
    let api = Api::new(url).unwrap();
    let settings = ClientSettings {
        patience: Duration::ZERO,
        ..ClientSettings::read(|_| None).unwrap()
    };
    Client::new(
        &api,
        "octo/quill".parse().unwrap(),
        &Token::new(token).unwrap(),
        settings,
    )
    .unwrap()
}

#[test]
fn every_call_matches_githubs_description() {
    let Some(work) = std::env::var_os("PERF_GATE_CONTRACT").filter(|folder| !folder.is_empty())
    else {
        eprintln!("skipped: PERF_GATE_CONTRACT is not set; tests/contract/run sets it");
        return;
    };
    let fake = Fake::start(world()).unwrap();
    let _prism = Prism::start(Path::new(&work), &fake);
    let client_of = |token| client(&format!("http://127.0.0.1:{PORT}"), token);
    comments(&client_of(account::WORKFLOW));
    statuses(&client_of(account::WORKFLOW));
    refresh(&client_of(account::WORKFLOW));
    refusals(&client_of(account::READ_ONLY));
    let entry = |entry: fake_github::RecordedRequest| json!({ "operation": entry.operation, "body": entry.body });
    let lines: Vec<String> = fake
        .requests()
        .into_iter()
        .map(|request| entry(request).to_string())
        .collect();
    fs::write(Path::new(&work).join("requests.jsonl"), lines.join("\n")).unwrap();
}

fn comments(client: &Client) {
    let me = client.viewer().unwrap();
    assert_eq!(client.pull(5).unwrap().number, 5);
    assert!(client.pull(6).unwrap().is_from_fork());
    let made = client.create_comment(PULL, "one").unwrap();
    assert_eq!(made.author, Some(me));
    client.update_comment(made.id, "two").unwrap();
    assert_eq!(client.comment(made.id).unwrap().body, "two");
    assert_eq!(client.comments(PULL).unwrap().len(), 3);
    client.react(made.id, "eyes").unwrap();
    assert!(client.may_write("ada").unwrap() && !client.may_write("mallory").unwrap());
    let texts = client.texts_of_comment(&made.node_id).unwrap();
    assert_eq!(
        texts
            .iter()
            .map(|(_, text)| text.as_str())
            .collect::<Vec<_>>(),
        ["two", "one"]
    );
    client.delete_comment(made.id).unwrap();
    let long = client
        .create_comment(PULL, &"x".repeat(65_537))
        .unwrap_err();
    assert_eq!(long.kind, ApiErrorKind::Validation, "{long}");
    assert_eq!(
        client.comments(404).unwrap_err().kind,
        ApiErrorKind::NotFound
    );
}

fn check(state: Option<State>) -> Check {
    Check {
        state,
        name: "perf-gate (1)".into(),
        title: "3 benchmarks regressed: ".repeat(20),
        text: "report".into(),
        details: Some("https://example.org/1".into()),
    }
}

fn statuses(client: &Client) {
    let tip = client.branch("main").unwrap().unwrap();
    for state in [State::Success, State::Failure, State::Error] {
        client.create_status(&tip, &check(Some(state))).unwrap();
    }
    let without_details = Check {
        details: None,
        ..check(None)
    };
    client.create_status(&tip, &without_details).unwrap();
    assert!(
        client
            .create_check(&tip, &check(Some(State::Failure)))
            .unwrap()
    );
    assert!(client.create_check(&tip, &without_details).unwrap());
    assert_eq!(
        client.check_texts(&tip, "github-actions").unwrap(),
        ["report"]
    );
    let run = RunAttempt { id: 7, attempt: 2 };
    assert!(client.has_run(run).unwrap());
}

fn commit(
    client: &Client,
    branch: &str,
    expected_head: &CommitId,
) -> Result<CommitId, ApiErrorKind> {
    let new = NewCommit {
        branch: branch.into(),
        expected_head: expected_head.clone(),
        headline: "Refresh".into(),
        body: "Perf-Measured: x".into(),
        additions: vec![("docs/machine-specs.json".into(), FILE.into())],
    };
    client.create_commit(&new).map_err(|error| error.kind)
}

fn refresh(client: &Client) {
    let branch = "perf-refresh/main";
    let tip = client.branch("main").unwrap().unwrap();
    assert_eq!(commit(client, "main", &tip), Err(ApiErrorKind::Protected));
    client.create_branch(branch, &tip).unwrap();
    assert_eq!(
        client.create_branch(branch, &tip).unwrap_err().kind,
        ApiErrorKind::Validation
    );
    let made = commit(client, branch, &tip).unwrap();
    assert_eq!(commit(client, branch, &tip), Err(ApiErrorKind::Conflict));
    assert_eq!(client.branch(branch).unwrap(), Some(made.clone()));
    assert_eq!(
        client.compare(&tip, &made).unwrap().files[0].path,
        "docs/machine-specs.json"
    );
    assert_eq!(
        client
            .file("docs/machine-specs.json", &made)
            .unwrap()
            .unwrap(),
        FILE
    );
    assert_eq!(client.file("docs/machine-specs.json", &tip).unwrap(), None);
    assert_eq!(
        client
            .commits(&made, "docs/machine-specs.json", 10)
            .unwrap()[0]
            .sha,
        made
    );

    let base = "main".to_owned();
    let new = NewPull {
        title: "Refresh".into(),
        body: "Numbers.".into(),
        head: branch.into(),
        base,
    };
    let pull = client.create_pull(&new).unwrap();
    assert_eq!(
        client.create_pull(&new).unwrap_err().kind,
        ApiErrorKind::Validation
    );
    client.enable_auto_merge(&pull.node_id).unwrap();
    let open = client.open_pulls("main").unwrap();
    assert!(
        open.iter()
            .any(|other| other.number == pull.number && other.merges_itself)
    );
    client
        .update_pull(pull.number, "Older numbers", "Older.")
        .unwrap();
    client.close_pull(pull.number).unwrap();
    client.move_branch(branch, &tip).unwrap();
    client.delete_branch(branch).unwrap();
    assert_eq!(client.branch(branch).unwrap(), None);
}

fn refusals(client: &Client) {
    let tip = client.branch("main").unwrap().unwrap();
    assert_eq!(
        client.create_comment(PULL, "x").unwrap_err().kind,
        ApiErrorKind::Permission
    );
    assert_eq!(commit(client, "main", &tip), Err(ApiErrorKind::Permission));
    // The API description only contains the response 201 for statuses, so errors are tested without Prism.
}
