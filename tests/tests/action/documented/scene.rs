//! A project with a benchmark, the events that start its workflows, and GitHub.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use end_to_end::action::runner::{JobResult, Runner};
use end_to_end::action::workflow::Workflow;
use end_to_end::action::{Workspace, git};
use end_to_end::binaries;
use fake_github::Fake;
use fake_github::account::{ACTIONS, APP, Permission, Token};
use serde_json::{Value, json};

pub(super) use crate::action::scene::github_of;
use crate::action::scene::{CONFIG, Pull, pull_request_to};

pub(super) fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .unwrap()
        .to_owned()
}

pub(super) fn example(name: &str) -> String {
    fs::read_to_string(repository().join("examples/workflows").join(name)).unwrap()
}

/// Prints a row with the rate for the time in the file `speed`, a little lower in each run. Ignores its arguments.
pub(super) const BENCH: &str = "#!/bin/sh\n\
    cd \"$(dirname \"$0\")\" || exit 1\n\
    printf . >>runs.log\n\
    printf 'scenario,platform,commit,runIndex,decodesPerSecond\\nDecode,linux,2222222,-1,%s\\n' \\\n\
    $((100000 / $(cat speed) - $(wc -c <runs.log)))\n";

pub(super) fn baseline(rate: &str) -> String {
    format!("scenario,platform,commit,runIndex,decodesPerSecond\nDecode,linux,1111111,-1,{rate}\n")
}

/// A repository with a benchmark at the top level and in two packages, each with a baseline.
pub(super) fn project() -> Workspace {
    let workspace = Workspace::new();
    workspace.write(
        ".gitignore",
        "*.log\nbase.csv\ncurrent.csv\nmachine-specs.json\nnumber.txt\ntarget/\n",
    );
    for folder in ["", "packages/parser/", "packages/server/"] {
        workspace.write(&format!("{folder}perf-gate.toml"), CONFIG);
        workspace.write(&format!("{folder}bench.sh"), BENCH);
        workspace.write(&format!("{folder}speed"), "100");
        workspace.write(&format!("{folder}perf-baseline.csv"), baseline("1000"));
        let script = workspace.checkout().join(format!("{folder}bench.sh"));
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        fs::set_permissions(script, mode).unwrap();
    }
    workspace.push("main", "Begin");
    workspace
}

/// A pull request that changes the time to `time`.
pub(super) fn proposed(workspace: Workspace, time: &str) -> Pull {
    pull_request_to(workspace, "", |workspace| {
        for folder in ["", "packages/parser/", "packages/server/"] {
            workspace.write(&format!("{folder}speed"), time);
        }
    })
}

/// Replacements for programs that a runner provides.
pub(super) fn programs(workspace: &Workspace) -> PathBuf {
    let folder = workspace.root().join("programs");
    if !folder.exists() {
        fs::create_dir(&folder).unwrap();
        for name in ["cargo", "gh"] {
            symlink(
                repository().join("tests/fixtures/runner").join(name),
                folder.join(name),
            )
            .unwrap();
        }
        for name in ["perf-gate", "render-perf-deltas"] {
            symlink(binaries::path(name), folder.join(name)).unwrap();
        }
    }
    folder
}

/// An event, with the commit and branch that its workflow runs on.
pub(super) struct Event<'e> {
    pub(super) name: &'e str,
    pub(super) payload: Value,
    pub(super) commit: &'e str,
    pub(super) reference: &'e str,
}

pub(super) fn run(
    workspace: &Workspace,
    fake: &Fake,
    event: Event<'_>,
    text: &str,
) -> Vec<JobResult> {
    let token = |permissions: &BTreeMap<String, String>| {
        let name = format!(
            "ghs_{}",
            permissions
                .iter()
                .map(|(what, how)| format!("{what}_{how}"))
                .collect::<String>()
        );
        let writes = permissions
            .iter()
            .filter(|(_, how)| *how == "write")
            .filter_map(|(what, _)| permission(what));
        let token = Token {
            writes: writes.collect(),
            bypasses: false,
            ..Token::new(ACTIONS)
        };
        fake.with(|world| world.tokens.insert(name.clone(), token));
        name
    };
    let runner = Runner {
        workspace,
        event: event.name,
        payload: event.payload,
        commit: event.commit.to_owned(),
        reference: event.reference,
        api: fake.url().to_owned(),
        token: &token,
        app: APP.to_owned(),
        programs: programs(workspace),
    };
    runner.run(&Workflow::parse(text))
}

pub(super) fn permission(what: &str) -> Option<Permission> {
    match what {
        "contents" => Some(Permission::Contents),
        "pull-requests" => Some(Permission::PullRequests),
        "statuses" => Some(Permission::Statuses),
        "checks" => Some(Permission::Checks),
        _ => None,
    }
}

pub(super) fn on_pull_request(pull: &Pull, fake: &Fake, text: &str) -> Vec<JobResult> {
    let reference = "refs/pull/5/merge";
    run(
        &pull.workspace,
        fake,
        Event {
            name: "pull_request",
            payload: pull.event(),
            commit: &pull.merge,
            reference,
        },
        text,
    )
}

pub(super) fn on_push(workspace: &Workspace, fake: &Fake, text: &str) -> Vec<JobResult> {
    let tip = git(&workspace.server(), &["rev-parse", "main"]);
    let payload = json!({
        "ref": "refs/heads/main", "before": "0".repeat(40), "after": tip,
        "repository": { "full_name": Workspace::REPOSITORY, "default_branch": "main" },
    });
    run(
        workspace,
        fake,
        Event {
            name: "push",
            payload,
            commit: &tip,
            reference: "refs/heads/main",
        },
        text,
    )
}

#[track_caller]
pub(super) fn green(done: &[JobResult]) {
    for job in done {
        assert_eq!(job.failed, None, "{}: {}", job.job, job.log);
    }
    assert!(done.iter().any(|job| job.ran), "no job ran");
}

#[track_caller]
pub(super) fn red(done: &[JobResult]) {
    let failed = done.iter().filter_map(|job| job.failed.as_ref());
    assert!(
        failed.count() > 0,
        "{}",
        done.iter().map(|job| &*job.log).collect::<String>()
    );
}

/// An output of the action in all jobs.
pub(super) fn outputs<'d>(done: &'d [JobResult], name: &str) -> Vec<&'d str> {
    done.iter()
        .flat_map(|job| &job.reports)
        .map(|report| report.output(name))
        .collect()
}
