//! The expected results of the workflows.

use std::fs;

use end_to_end::action::runner::JobResult;
use end_to_end::action::workflow::blocks;
use end_to_end::action::{Workspace, git};
use end_to_end::binaries;
use fake_github::{Fake, World};
use serde_json::json;

use super::scene::{
    Event, baseline, example, github_of, green, on_pull_request, on_push, outputs, project,
    proposed, red, repository, run,
};
use crate::action::scene::{CONFIG, Pull, github};

/// Green without a change, red if everything takes twice as long, with one comment.
pub(super) fn gate(text: &str) {
    for (time, regressed) in [("100", "false"), ("200", "true")] {
        let pull = proposed(project(), time);
        let fake = github_of(&pull);
        let done = on_pull_request(&pull, &fake, text);
        if regressed == "true" {
            red(&done);
        } else {
            green(&done);
        }
        assert_eq!(
            outputs(&done, "regressed"),
            [regressed],
            "{}",
            done.last().unwrap().log
        );
        assert_eq!(outputs(&done, "compared"), ["1"]);
        assert_eq!(fake.comments(5).len(), 1);
    }
}

/// One comment and one check run per job, all red if everything takes twice as long.
pub(super) fn jobs_of_a_matrix(text: &str) {
    for (time, headline) in [
        ("100", "### ✅ 2 of 2 jobs passed"),
        ("200", "### ❌ 2 of 2 jobs failed: "),
    ] {
        let pull = proposed(project(), time);
        let fake = github_of(&pull);
        on_pull_request(&pull, &fake, text);
        let comments = fake.comments(5);
        assert_eq!(
            (comments.len(), fake.with(|world| world.checks.len())),
            (1, 2)
        );
        assert!(comments[0].body.contains(headline), "{}", comments[0].body);
    }
}

/// A push writes the baseline, and a pull request is compared with it.
pub(super) fn refresh(text: &str) {
    let workspace = project();
    fs::remove_file(workspace.checkout().join("perf-baseline.csv")).unwrap();
    workspace.push("main", "Have no baseline");
    let fake = github(&workspace, World::default());
    let done = on_push(&workspace, &fake, text);
    green(&done);
    assert_eq!(outputs(&done, "refresh"), ["committed"]);
    assert!(
        fake.git()
            .text("main", "perf-baseline.csv")
            .unwrap()
            .contains("Decode")
    );
    gate(text);
}

/// A pull request to a project with the documented history, which changes the time to `time`.
fn with_history(time: &str) -> Pull {
    let workspace = project();
    let page = blocks(&repository().join("docs/how-to/stored-baseline.md"), "toml");
    let [(_, documented)] = &page[..] else {
        panic!("{page:?}")
    };
    let sizes = "\n[metrics.decodesPerSecond]\nunit = \"bytes\"\nbetter = \"higher\"\n";
    // Sizes, because background load on the test machine cannot change them.
    workspace.write(
        "perf-gate.toml",
        documented.replacen("[files]\n", CONFIG, 1) + sizes,
    );
    for rate in [
        "1005", "996", "1002", "999", "1004", "997", "1001", "998", "1003", "1000",
    ] {
        workspace.write(
            "perf-baseline.csv",
            baseline(rate).replace("1111111", &workspace.tip()[..7]),
        );
        workspace.push("main", "Refresh");
    }
    proposed(workspace, time)
}

const CONFIRMED: [(&str, usize, &str); 2] = [("100", 1, ""), ("109", 2, "regressed")];

/// The action reruns the benchmark only if a slowdown is suspected.
pub(super) fn confirmed_by_the_action(text: &str) {
    for (time, runs, failed) in CONFIRMED {
        let pull = with_history(time);
        let done = on_pull_request(&pull, &github_of(&pull), text);
        assert_eq!(outputs(&done, "failed"), [failed], "{}", done[0].log);
        // A suspected regression is rerun as often as a rank test needs.
        let is_rerun = pull.workspace.text("runs.log").len() > 1;
        assert_eq!(is_rerun, runs > 1, "{}", done[0].log);
    }
}

/// The workflow reruns the benchmark, and runs the action again.
pub(super) fn confirmed_by_the_workflow(text: &str) {
    let before =
        "- uses: actions/checkout@v5\n  with:\n    fetch-depth: 0\n- run: ./bench.sh >bench.log\n";
    for (time, runs, failed) in CONFIRMED {
        let pull = with_history(time);
        let done = on_pull_request(&pull, &github_of(&pull), &format!("{before}{text}"));
        assert_eq!(
            outputs(&done, "failed").last(),
            Some(&failed),
            "{}",
            done[0].log
        );
        assert_eq!(done[0].reports.len(), runs, "{}", done[0].log);
    }
}

pub(super) fn suites(text: &str) {
    let pull = proposed(project(), "200");
    let fake = github_of(&pull);
    let done = on_pull_request(&pull, &fake, text);
    red(&done);
    assert_eq!(
        (done.len(), outputs(&done, "regressed")),
        (2, vec!["true", "true"])
    );
    assert_eq!(fake.comments(5).len(), 2);
}

pub(super) fn several_inputs(text: &str) {
    let workspace = project();
    let results = r#"[{"name": "Encode", "unit": "ms", "value": 3}]"#;
    workspace.write("results/one.json", results);
    workspace.push("main", "Have results");
    let pull = proposed(workspace, "100");
    let done = on_pull_request(&pull, &github_of(&pull), text);
    green(&done);
    assert_eq!(
        (outputs(&done, "compared"), outputs(&done, "new")),
        (vec!["1"], vec!["1"])
    );
}

pub(super) fn setup(text: &str) {
    let pull = proposed(project(), "200");
    let done = on_pull_request(&pull, &github_of(&pull), text);
    green(&done);
    assert!(done[0].log.contains("regressed=true"), "{}", done[0].log);
}

/// A push to a repository without a baseline stores one outside the main branch, and a pull request uses it.
pub(super) fn stored(text: &str) -> (Workspace, Fake) {
    let workspace = project();
    fs::remove_file(workspace.checkout().join("perf-baseline.csv")).unwrap();
    let tip = workspace.push("main", "Have no baseline");
    let fake = github(&workspace, World::default());
    green(&on_push(&workspace, &fake, text));
    assert_eq!(fake.git().head("main"), Some(tip.clone()));
    workspace.check_out_shallow(&tip);
    git(
        &workspace.checkout(),
        &[
            "remote",
            "add",
            "origin",
            &workspace.server().to_string_lossy(),
        ],
    );
    git(
        &workspace.checkout(),
        &[
            "fetch",
            "--quiet",
            "--unshallow",
            &workspace.server().to_string_lossy(),
            "main",
        ],
    );
    (workspace, fake)
}

pub(super) fn cached(text: &str) {
    let (workspace, fake) = stored(text);
    assert_eq!(fake.writes().len(), 0);
    drop(fake);
    stored_gate(workspace, text);
}

pub(super) fn stored_gate(workspace: Workspace, text: &str) {
    let pull = proposed(workspace, "200");
    let fake = github_of(&pull);
    let done = on_pull_request(&pull, &fake, text);
    red(&done);
    assert_eq!(
        (outputs(&done, "regressed"), fake.comments(5).len()),
        (vec!["true"], 1),
        "{}",
        done[0].log
    );
}

pub(super) fn of_the_workspace(text: &str) {
    let workspace = project();
    workspace.write("perf-baseline.csv", baseline("2000"));
    workspace.push("numbers", "Have numbers");
    git(
        &workspace.checkout(),
        &["reset", "--quiet", "--hard", "HEAD~1"],
    );
    let pull = proposed(workspace, "100");
    let done = on_pull_request(&pull, &github_of(&pull), text);
    red(&done);
    assert_eq!(outputs(&done, "regressed"), ["true"], "{}", done[0].log);
}

pub(super) fn by_an_app(text: &str) {
    let workspace = project();
    workspace.write("speed", "90");
    workspace.push("main", "Improve");
    let fake = github(
        &workspace,
        World {
            protected: vec!["main".into()],
            ..World::default()
        },
    );
    let done = on_push(&workspace, &fake, text);
    green(&done);
    assert_eq!(outputs(&done, "refresh"), ["committed"], "{}", done[0].log);
}

pub(super) fn by_hand(text: &str) {
    for (time, passes) in [("100", true), ("200", false)] {
        let pull = proposed(project(), time);
        let done = on_pull_request(&pull, &github_of(&pull), text);
        if passes { green(&done) } else { red(&done) }
    }
}

pub(super) fn with_programs_of_ones_own(text: &str) {
    let folder = binaries::path("perf-gate")
        .parent()
        .unwrap()
        .to_string_lossy();
    let text = text.replace("/opt/perf-gate/bin", &folder);
    gate(&text);
}

pub(super) fn site(text: &str) {
    let workspace = project();
    let fake = github(&workspace, World::default());
    green(&on_push(&workspace, &fake, text));
}

/// The first of two workflows by itself: it measures, but compares nothing.
pub(super) fn gate_of_two(text: &str) {
    let pull = proposed(project(), "200");
    let done = on_pull_request(&pull, &github_of(&pull), text);
    green(&done);
    assert_eq!(done[0].reports.len(), 0);
}

/// Both workflows for a fork's pull request: a comment and a status, based on the first one's results.
pub(super) fn of_a_fork(second: &str) {
    for (time, state) in [("100", "success"), ("200", "failure")] {
        let pull = proposed(project(), time);
        let fake = github(
            &pull.workspace,
            World::with_pull(fake_github::Pull::new(5).at(&pull.head).fork("eve/quill")),
        );
        green(&on_pull_request(&pull, &fake, &example("perf-measure.yml")));
        let done = after_measuring(&pull, &fake, &pull.head, second);
        assert_eq!(
            done[0].failed.is_some(),
            state == "failure",
            "{}",
            done[0].log
        );
        let statuses = fake.with(|world| world.statuses.clone());
        let [status] = &statuses[..] else {
            panic!("{statuses:?}: {}", done[0].log)
        };
        assert_eq!(
            (&*status.sha, &*status.state, fake.comments(5).len()),
            (&*pull.head, state, 1)
        );
        // Results from another commit are not used.
        fake.with(|world| world.statuses.clear());
        let done = after_measuring(&pull, &fake, &pull.merge, second);
        green(&done);
        assert_eq!(
            (
                fake.comments(5).len(),
                fake.with(|world| world.statuses.len())
            ),
            (1, 0)
        );
        assert_eq!(outputs(&done, "compared"), [""], "{}", done[0].log);
    }
}

pub(super) fn after_measuring(pull: &Pull, fake: &Fake, head: &str, text: &str) -> Vec<JobResult> {
    let payload = json!({
        "workflow_run": {
            "id": 7001, "event": "pull_request", "conclusion": "success", "head_sha": head,
            "head_branch": "topic", "head_repository": { "full_name": "eve/quill" },
        },
        "repository": { "full_name": Workspace::REPOSITORY, "default_branch": "main" },
    });
    let event = Event {
        name: "workflow_run",
        payload,
        commit: &pull.base,
        reference: "refs/heads/main",
    };
    run(&pull.workspace, fake, event, text)
}
