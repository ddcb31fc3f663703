//! The environment of a workflow.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::collections::HashMap;
use std::fs;

use perf_github::{Actions, ClientSettings};
use serde_json::{Value, json};
use tempfile::TempDir;

const HEAD: &str = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
const BASE: &str = "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb";

/// The environment of a workflow with an event.
struct Env(TempDir, HashMap<String, String>);

impl Env {
    fn new(event: &str, payload: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("event.json");
        fs::write(&path, payload).unwrap();
        let path = path.display().to_string();
        Self(folder, HashMap::new())
            .with("GITHUB_EVENT_NAME", event)
            .with("GITHUB_EVENT_PATH", &path)
    }

    fn with(mut self, name: &str, value: &str) -> Self {
        self.1.insert(name.into(), value.into());
        self
    }

    fn read(&self) -> Actions {
        Actions::read(|name| self.1.get(name).cloned()).unwrap()
    }

    /// The error and its hints, with the folder's name replaced.
    fn read_error(&self) -> String {
        let error = Actions::read(|name| self.1.get(name).cloned())
            .unwrap_err()
            .into();
        let hints: Vec<String> = perf_cli::failure::hints(&error)
            .iter()
            .map(|hint| format!("\nhint: {hint}"))
            .collect();
        let described = perf_cli::failure::message(&error) + &hints.concat();
        described.replace(
            &format!("{}{}", self.0.path().display(), std::path::MAIN_SEPARATOR),
            "",
        )
    }
}

fn nothing() -> Actions {
    Actions::read(|_| None).unwrap()
}

fn pull(head: &Value) -> String {
    json!({ "action": "synchronize", "pull_request": {
        "number": 5, "node_id": "PR_5", "html_url": "https://github.com/octo/quill/pull/5", "title": "Faster",
        "body": null, "state": "open", "draft": true, "locked": false, "user": { "login": "ada", "id": 7, "type": "User" },
        "head": { "ref": "topic", "sha": HEAD, "repo": head },
        "base": { "ref": "main", "sha": BASE, "repo": { "full_name": "octo/quill", "fork": false } },
    } })
    .to_string()
}

fn push(to: &str, fork: bool) -> String {
    json!({ "ref": to, "before": BASE, "after": HEAD, "repository": { "default_branch": "main", "fork": fork } })
        .to_string()
}

#[test]
fn outside_of_a_workflow_only_needed_values_are_errors() {
    let actions = nothing();
    assert_eq!(actions.event.name, "");
    assert_eq!(
        (actions.run, actions.run_url(), actions.is_read_only()),
        (None, None, false)
    );
    insta::assert_snapshot!(actions.repo(None).unwrap_err(), @"no repository given");
    insta::assert_snapshot!(actions.token().unwrap_err(), @"no token: neither GITHUB_TOKEN nor GH_TOKEN is set");
    let named = "octo/quill".parse().unwrap();
    assert_eq!(actions.repo(Some(&named)).unwrap(), named);
}

#[test]
fn first_non_empty_token_is_used_and_never_shown() {
    let read = |one: &str, other: &str| {
        let token = |name: &str| match name {
            "GITHUB_TOKEN" => Some(one.into()),
            "GH_TOKEN" => Some(other.into()),
            _ => None,
        };
        let actions = Actions::read(token).unwrap();
        assert!(!format!("{actions:?}").contains("ghs_"));
        actions.redact("ghs_one ghs_other")
    };
    assert_eq!(read("ghs_one", "ghs_other"), "*** ghs_other");
    assert_eq!(read(" ", "ghs_other"), "ghs_one ***");
}

#[test]
fn run_has_url() {
    let env = Env::new("schedule", "{}")
        .with("GITHUB_REPOSITORY", "octo/quill")
        .with("GITHUB_SERVER_URL", "https://ghe.example.org/")
        .with("GITHUB_API_URL", "https://ghe.example.org/api/v3")
        .with("GITHUB_RUN_ID", "12")
        .with("GITHUB_RUN_ATTEMPT", "2");
    let actions = env.read();
    assert_eq!(actions.event.name, "schedule");
    insta::assert_snapshot!(actions.run_url().unwrap(), @"https://ghe.example.org/octo/quill/actions/runs/12/attempts/2");
    let run = |id: &str, attempt: &str| {
        Env::new("", "{}")
            .with("GITHUB_RUN_ID", id)
            .with("GITHUB_RUN_ATTEMPT", attempt)
            .read()
            .run
            .unwrap()
    };
    assert!(run("12", "3") > run("12", "2") && run("13", "1") > run("12", "3"));
}

#[test]
fn pull_request_event_has_base_and_head() {
    let own = json!({ "full_name": "Octo/Quill" });
    for (event, is_target) in [("pull_request", false), ("pull_request_target", true)] {
        let actions = Env::new(event, &pull(&own)).read();
        let pull = actions.event.pull_request.as_deref().unwrap();
        assert_eq!((pull.number, pull.open), (5, true));
        assert_eq!(actions.event.has_rights_of_base(), is_target);
        assert_eq!(
            (actions.event.head(), actions.event.base()),
            (Some(&pull.head.sha), Some(&pull.base.sha))
        );
        assert_eq!(
            (pull.head.sha.as_str(), pull.base.sha.as_str()),
            (HEAD, BASE)
        );
        assert_eq!(
            (pull.is_from_fork(), actions.is_read_only()),
            (false, false)
        );
    }
}

#[test]
fn forks_and_dependabot_are_read_only() {
    let own = json!({ "full_name": "octo/quill" });
    let read_only = |env: Env| env.read().is_read_only();
    for head in [json!({ "full_name": "mallory/quill" }), json!(null)] {
        assert!(read_only(Env::new("pull_request", &pull(&head))));
        assert!(!read_only(Env::new("pull_request_target", &pull(&head))));
    }
    assert!(read_only(
        Env::new("pull_request", &pull(&own)).with("GITHUB_ACTOR", "dependabot[bot]")
    ));
    assert!(read_only(
        Env::new("push", &push("refs/heads/x", false)).with("GITHUB_ACTOR", "dependabot[bot]")
    ));
}

#[test]
fn push_event_has_branch() {
    let read = |to: &str| {
        let event = Env::new("push", &push(to, false)).read().event;
        assert_eq!(
            (
                event.before.as_ref().unwrap().as_str(),
                event.after.as_ref().unwrap().as_str()
            ),
            (BASE, HEAD)
        );
        (
            event.is_on_default_branch(),
            event.branch().map(str::to_owned),
        )
    };
    assert_eq!(read("refs/heads/main"), (true, Some("main".into())));
    assert_eq!(read("refs/heads/a/b"), (false, Some("a/b".into())));
    assert_eq!(read("refs/tags/main"), (false, None));
}

#[test]
fn workflow_run_event_has_measured_commit() {
    let payload = json!({ "workflow_run": {
        "id": 9, "event": "pull_request", "head_sha": HEAD, "head_branch": "topic", "conclusion": "success",
        "head_repository": { "full_name": "mallory/quill" }, "pull_requests": [],
    } });
    let event = Env::new("workflow_run", &payload.to_string()).read().event;
    let run = event.workflow_run.as_ref().unwrap();
    assert_eq!(
        (
            run.event.as_str(),
            run.pulls.len(),
            event.has_rights_of_base()
        ),
        ("pull_request", 0, true)
    );
    assert_eq!(event.head().unwrap().as_str(), HEAD);
    assert_eq!(run.head_repo, Some("mallory/quill".parse().unwrap()));
}

#[test]
fn other_events_and_forges_are_parsed() {
    let read = |name: &str, payload: Value| Env::new(name, &payload.to_string()).read().event;
    let group = read(
        "merge_group",
        json!({ "merge_group": { "base_sha": BASE, "head_sha": HEAD } }),
    );
    assert_eq!(group.base().unwrap().as_str(), BASE);
    let new = read(
        "push",
        json!({ "ref": "refs/heads/x", "before": "0".repeat(40), "after": HEAD }),
    );
    assert_eq!((new.is_on_default_branch(), new.before), (false, None));
    let side = |sha: &str| json!({ "sha": sha });
    let plain = json!({ "pull_request": { "number": 7, "head": side(HEAD), "base": side(BASE) } });
    let pull = read("pull_request", plain).pull_request.unwrap();
    assert_eq!(
        (pull.number, pull.open, pull.locked, pull.is_from_fork()),
        (7, true, false, false)
    );
    let run =
        json!({ "workflow_run": { "event": "push" }, "repository": { "default_branch": "main" } });
    assert_eq!(read("workflow_run", run).head(), None);
    let by_hand = Env::new("workflow_dispatch", "{\"ref\": \"refs/heads/a\"}")
        .with("GITHUB_REF", "refs/heads/b");
    assert_eq!(by_hand.read().event.branch(), Some("b"));
}

#[test]
fn invalid_variable_is_reported() {
    let read_error = |name: &str, value: &str| Env::new("", "{}").with(name, value).read_error();
    insta::assert_snapshot!(read_error("GITHUB_REPOSITORY", "quill"), @"GITHUB_REPOSITORY is set to `quill`: invalid repository `quill`: write `OWNER/NAME`");
    insta::assert_snapshot!(read_error("GITHUB_RUN_ID", "-1"), @"GITHUB_RUN_ID is set to `-1`: invalid digit found in string");
    insta::assert_snapshot!(read_error("GITHUB_SHA", "main"), @"GITHUB_SHA is set to `main`: invalid commit `main`: expected 40 or 64 hexadecimal digits");
    insta::assert_snapshot!(read_error("GITHUB_API_URL", "nowhere"), @"
    invalid API address `nowhere`
    hint: use an `http://` or `https://` URL without a query or user name
    ");
    insta::assert_snapshot!(Env::new("push", "{\n\"ref\": 7}").read_error(), @"cannot read the event `push` from GITHUB_EVENT_PATH: `event.json`: invalid type: integer `7`, expected a string at line 2 column 8");
    insta::assert_snapshot!(Env::new("push", "{}").with("GITHUB_EVENT_PATH", "").read_error(), @"
    GITHUB_EVENT_NAME is `push`, but GITHUB_EVENT_PATH is not set
    hint: unset both to work outside of a workflow
    ");
}

#[test]
fn settings_are_limited() {
    let read = |name: &'static str, value: &'static str| {
        ClientSettings::read(move |asked| (asked == name).then(|| value.into()))
    };
    assert_eq!(read("PERF_GATE_TIMEOUT", "7").unwrap().timeout.as_secs(), 7);
    assert_eq!(
        read("PERF_GATE_PATIENCE", "0").unwrap().patience.as_secs(),
        0
    );
    assert_eq!(
        read("PERF_GATE_PATIENCE", "").unwrap().patience.as_secs(),
        300
    );
    for (name, value) in [
        ("PERF_GATE_TIMEOUT", "0"),
        ("PERF_GATE_TIMEOUT", "1.5"),
        ("PERF_GATE_PATIENCE", "-1"),
        ("PERF_GATE_PATIENCE", "99999999999999999999"),
        ("PERF_GATE_CLOCK_SPEED", "0"),
    ] {
        assert!(read(name, value).is_err(), "{name}={value}");
    }
}
